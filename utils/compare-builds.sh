#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds twice, in two folders, without a cache, and compares all bytes that come out:
#
#   utils/compare-builds.sh [TARGET...]
#
# TARGET are ninja's, all if there is none, and then packages as well: libraries,
# programs, the Python package, tables, archives, Debian's package and the wheel are
# compared, but not what CMake and ninja keep for themselves. The folders are in
# $TMPDIR, and go afterwards. The exit code is 1 if a file differs, or
# is in one build only.

set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Writes all packages of a build, as of one time, to build/packages.
pack() {
  local build=$1/build python
  python=$(sed -n 's/^QBACKEND_PACKAGE_PYTHON:INTERNAL=//p' "$build/CMakeCache.txt")
  for generator in TGZ DEB; do
    SOURCE_DATE_EPOCH=1700000000 cpack -G "$generator" \
      --config "$build/CPackConfig.cmake" -B "$build/packages" >/dev/null
  done
  [ -z "$python" ] || SOURCE_DATE_EPOCH=1700000000 QBACKEND_BUILD=$build \
    "$python" -m pip wheel --quiet --no-index --no-build-isolation --no-deps \
    -w "$build/packages" "$1"
}

writable=-
folders=("$work/one" "$work/two/of another length")
# All copies first: the sources may be worked on while the first one builds.
for folder in "${folders[@]}"; do
  mkdir -p "$folder"
  tar -C "$root" --exclude='./build*' --exclude=./.git -c . | tar -C "$folder" -x
done
for folder in "${folders[@]}"; do
  # As of users with another umask.
  chmod -R "g${writable}w" "$folder"
  writable=+
  touch "$folder"/CMakeLists.txt
  cmake -G Ninja -S "$folder" -B "$folder/build" -DCCACHE=OFF >/dev/null
  CCACHE_DISABLE=1 ninja -C "$folder/build" --quiet "$@"
  [ $# -gt 0 ] || pack "$folder"
  # Outputs of rules, without objects, which are in the archives, and what has
  # the paths by its nature: CMake's own files, ninja's, compile commands.
  (cd "$folder/build" && find . -type f ! -path '*/CMakeFiles/*' ! -name '.ninja*' \
    ! -name '*.ninja' ! -name '*.cmake' ! -name CMakeCache.txt ! -name '*.log' \
    ! -path '*/_CPack_Packages/*' ! -name '*compile_commands.*' \
    ! -name 'lit.site.cfg.py' ! -name '*.d' \
    -print0 | sort -z | xargs -0 sha256sum) >"$folder.sums"
done
count=$(wc -l <"$work/one.sums")
if diff "$work/one.sums" "$work/two/of another length.sums"; then
  echo "$count files are the same in both builds"
else
  echo "builds differ" >&2
  exit 1
fi

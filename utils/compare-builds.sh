#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds twice, in two folders, without a cache, and compares all bytes that come out:
#
#   utils/compare-builds.sh [TARGET...]
#
# TARGET are ninja's, all if there is none: libraries, programs, the package and
# tables are compared, but not what CMake and ninja keep for themselves. The folders
# are in $TMPDIR, and go afterwards. The exit code is 1 if a file differs, or
# is in one build only.

set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for folder in "$work/one" "$work/two/of another length"; do
  mkdir -p "$folder"
  tar -C "$root" --exclude='./build*' --exclude=./.git -c . | tar -C "$folder" -x
  touch "$folder"/CMakeLists.txt
  cmake -G Ninja -S "$folder" -B "$folder/build" -DCCACHE=OFF >/dev/null
  CCACHE_DISABLE=1 ninja -C "$folder/build" --quiet "$@"
  # Outputs of rules, without objects, which are in the archives, and what has
  # the paths by its nature: CMake's own files, ninja's, compile commands.
  (cd "$folder/build" && find . -type f ! -path '*/CMakeFiles/*' ! -name '.ninja*' \
    ! -name '*.ninja' ! -name '*.cmake' ! -name CMakeCache.txt ! -name '*.log' \
    ! -name '*compile_commands.*' ! -name 'lit.site.cfg.py' ! -name '*.d' \
    -print0 | sort -z | xargs -0 sha256sum) >"$folder.sums"
done
count=$(wc -l <"$work/one.sums")
if diff "$work/one.sums" "$work/two/of another length.sums"; then
  echo "$count files are the same in both builds"
else
  echo "builds differ" >&2
  exit 1
fi

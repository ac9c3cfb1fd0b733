#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sets up qbackend on Debian 12: installs what is missing, builds, and then
#
#   utils/setup.sh example   quantizes a trained network and prints what was gained
#   utils/setup.sh build     builds all programs and the Python package
#   utils/setup.sh test      runs all tests
#   utils/setup.sh sanitize  runs them in a build with sanitizers
#   utils/setup.sh fuzz      runs fuzz targets in one of clang, with libFuzzer
#   utils/setup.sh threads   runs what is parallel under ThreadSanitizer, of clang
#
# Installing takes root or sudo. The build goes to ./build, or to $QBACKEND_BUILD;
# those with sanitizers to the same with -sanitize, -fuzz or -threads at the end.

set -euo pipefail

usage() {
  sed -n '4,14s/^# \{0,1\}//p' "$0"
  exit 2
}
[ $# -eq 1 ] || usage
case "$1" in example | build | test | sanitize | fuzz | threads) ;; *) usage ;; esac

root=$(cd "$(dirname "$0")/.." && pwd)
build=${QBACKEND_BUILD:-$root/build}

# What building takes, and what the tests take besides. clang takes half the time of
# g++: it instantiates the templates of precompiled headers once, not for each file.
packages=(clang-22 cmake ninja-build ccache pkg-config libmlir-22-dev mlir-22-tools
  llvm-22-dev zlib1g-dev libzip-dev libzstd-dev rapidjson-dev python3 python3-numpy)
compiler=(-DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22)
python_packages=(python3-dev pybind11-dev)
test_packages=(g++ llvm-22-tools libgtest-dev python3-pytest python3-pip python3-setuptools
  python3-wheel python3-psutil mypy z3 mkdocs mkdocs-material
  python3-distributed python3-mpi4py openmpi-bin python3-joblib parallel)
clang_packages=(libclang-rt-22-dev)
options=()
targets=()
# What building takes.
minutes=
case "$1" in
example)
  minutes="7 to 14"
  targets=(qbackend-opt qbackend-run)
  ;;
build)
  minutes="10 to 20"
  targets=(qbackend-programs)
  ;;
test) minutes="15 to 30" ;;
sanitize)
  # Of g++, so that both compilers have built what is tested.
  build=$build-sanitize
  compiler=(-DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++)
  options=(-DQBACKEND_SANITIZE=ON)
  ;;
fuzz)
  build=$build-fuzz
  options=(-DQBACKEND_SANITIZE=ON)
  targets=(fuzz-targets)
  ;;
threads)
  build=$build-threads
  options=(-DQBACKEND_SANITIZE=thread)
  targets=(thread-targets)
  ;;
esac
case "$1" in
example) ;;
build) packages+=("${python_packages[@]}") ;;
*) packages+=("${python_packages[@]}" "${test_packages[@]}") ;;
esac
case "$1" in
fuzz | threads) packages+=("${clang_packages[@]}") ;;
esac

# Runs a command that takes minutes: on a terminal with its own progress, else
# with a line a minute, and with all it has printed if it fails.
run() {
  if [ -t 1 ]; then
    "$@"
    return
  fi
  local log seconds=0 status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 &
  local process=$!
  while kill -0 "$process" 2>/dev/null; do
    sleep 1
    seconds=$((seconds + 1))
    [ $((seconds % 60)) -ne 0 ] ||
      echo "   $((seconds / 60)) min: $(tail -n 1 "$log" | cut -c 1-70)"
  done
  wait "$process" || status=$?
  [ "$status" -eq 0 ] || cat "$log" >&2
  rm -f "$log"
  return "$status"
}

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    sudo=(sudo)
    if ! command -v sudo >/dev/null; then
      echo "Packages are missing, and there is no sudo. Ask an administrator for:" >&2
      echo "apt-get install --no-install-recommends ${missing[*]}" >&2
      exit 1
    fi
  fi
  echo "== Installing ${missing[*]}"
  run "${sudo[@]}" apt-get update -q
  run "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
    --no-install-recommends "${missing[@]}"
fi

first=
if [ -n "$minutes" ] && [ ! -e "$build/build.ninja" ]; then
  first=", which takes about $minutes minutes on two cores the first time"
fi
echo "== Building in $build$first"
# What another clone has compiled needs no second time.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
cmake -G Ninja -S "$root" -B "$build" "${compiler[@]}" "${options[@]}" >/dev/null
# On a terminal ninja keeps to one line.
run ninja -C "$build" "${targets[@]}"

if [ "$1" = build ]; then
  echo "Programs are in $build/bin; Python finds the package with PYTHONPATH=$build/python"
elif [ "$1" = example ]; then
  QBACKEND_BUILD=$build "$root/examples/run.sh" resnet8
elif [ "$1" = fuzz ]; then
  echo "== Running all fuzz targets"
  /usr/bin/python3 "$root/test/Fuzz/targets.py" --bin "$build/bin" --seconds 20 \
    --keep "$build/found"
elif [ "$1" = threads ]; then
  echo "== Running what is parallel"
  /usr/bin/python3 "$root/test/Threads/parallel.py" --bin "$build/bin"
else
  echo "== Running all tests"
  ninja -C "$build" --quiet check-qbackend
fi

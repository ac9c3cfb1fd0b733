#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# From a Debian package, or a wheel, to the first result, in a bare Debian 12: installs
# each in a chroot of its own, quantizes a network, and says how many seconds each step
# took. Nothing is compiled there.
#
#   test/Package/bare.sh WORK qbackend.deb qbackend.whl
#
# WORK gets the bare system of debootstrap (root only) and copies of it; what is there
# is used again. Debian's mirrors are needed. The deb is tried by qbackend-opt and
# qbackend-run, the wheel by Python; both have to end within 60 seconds, without the time
# that downloading takes, which is told apart.

set -euo pipefail
[ $# -eq 3 ] || { sed -n '4,16s/^# \{0,1\}//p' "$0"; exit 2; }
work=$1 deb=$(realpath "$2") wheel=$(realpath "$3")
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$work"

if [ ! -d "$work/bare/var/lib/apt/lists" ]; then
  debootstrap --variant=minbase bookworm "$work/bare" >/dev/null
fi
# Packages come from where this machine has them.
cp -r /etc/apt/sources.list* "$work/bare/etc/apt/"
chroot "$work/bare" apt-get update -qq

# Arguments: a name, and the packages to install before and by apt. Prints seconds.
prepare() {
  rm -rf "${work:?}/$1"
  cp -a "$work/bare" "$work/$1"
  mkdir -p "$work/$1/try"
  cp -r "$root/examples/first" "$work/$1/try/first"
}

# Arguments: a name of a chroot, and a command in it. Its seconds are added to `total`.
total=0
step() {
  local start=$EPOCHREALTIME seconds
  chroot "$work/$1" env DEBIAN_FRONTEND=noninteractive bash -ec "cd /try; $2" \
    >"$work/$1.log" 2>&1 || { tail -n 20 "$work/$1.log" >&2; exit 1; }
  seconds=$(echo "$EPOCHREALTIME $start" | awk '{ printf "%.1f", $1 - $2 }')
  echo "  $seconds s  $3"
  [ "${4:-counts}" = download ] ||
    total=$(echo "$total $seconds" | awk '{ printf "%.1f", $1 + $2 }')
}

# Argument: a name. Fails if its steps took longer than a minute.
finish() {
  echo "$1: $total s to the first result, downloads left out"
  awk -v t="$total" 'BEGIN { exit t > 60 }'
  total=0
}

install='apt-get install -y -qq --no-install-recommends'
prepare deb
cp "$deb" "$work/deb/try/qbackend.deb"
step deb "$install --download-only ./qbackend.deb" "downloading what it depends on" download
step deb "$install ./qbackend.deb" "apt-get install ./qbackend.deb"
step deb "qbackend-opt --apply-backend=qnnpack data=first/samples.npz first/net.onnx -o net.int8.mlir
  grep -q qnnpack.linear net.int8.mlir" "qbackend-opt: ONNX to int8"
step deb "qbackend-run first/net.mlir --compare=net.int8.mlir --input=first/samples.npz |
  tee result; grep -q SQNR result" "qbackend-run: both compared"
sed -n 's/^output/    output/p' "$work/deb/try/result"
finish deb

prepare wheel
cp "$wheel" "$work/wheel/try/"
packages='python3-numpy python3-pip libmlir-22 libzip4'
step wheel "$install --download-only $packages" "downloading $packages" download
step wheel "$install $packages" "apt-get install $packages"
step wheel "pip install -q --no-index --no-deps --break-system-packages ./*.whl" "pip install"
step wheel "python3 -c '
import numpy, qbackend
x = numpy.load(\"first/samples.npz\")
model = qbackend.load(\"first/net.pt2\").calibrate(x)
print(model.quantize(\"qnnpack\").compare(model, x)[0])' | tee result; grep -q SQNR result" \
  "Python: .pt2 calibrated, quantized, compared"
sed -n 's/^output/    output/p' "$work/wheel/try/result"
finish wheel

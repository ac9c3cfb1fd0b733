#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles one of the trained networks ahead of time, links it with main.c and
# runs it on a test image. Nothing of MLIR or of this project is in the program.
#
#   examples/aot/run.sh [resnet8|mbv2tiny|lenet5] [IMAGE]

set -euo pipefail

network=${1:-resnet8}
image=${2:-0}
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
export QBACKEND_BUILD=${QBACKEND_BUILD:-$root/build}
out=$QBACKEND_BUILD/examples/aot/$network
python=/usr/bin/python3

case "$network" in
lenet5) data=$root/examples/data/mnist_digits.npz ;;
resnet8 | mbv2tiny) data=$root/examples/data/fashion_mnist.npz ;;
*)
  echo "no network '$network'; there are resnet8, mbv2tiny and lenet5" >&2
  exit 2
  ;;
esac

mkdir -p "$out"
echo "== Quantizing and compiling $network: $out/network.o, network.h"
"$python" "$root/examples/export.py" "$root/examples/networks/$network.npz" \
  "$network" --spelling linalg -o "$out/$network.mlir"
"$python" "$root/utils/compile-to-object.py" "$out/$network.mlir" \
  --apply-backend "qnnpack data=$data:calib_images input-scale=1/255" \
  -o "$out/network"

echo "== Linking it with main.c: $out/main"
cc -O2 -Wall -Werror -I "$out" "$here/main.c" "$out/network.o" -o "$out/main"

echo "== Running it on test image $image"
"$python" - "$data" "$image" "$out/image.pgm" <<'PYTHON'
import sys
import numpy as np
data, index, path = sys.argv[1:]
arrays = np.load(data)
pixels = arrays["test_images"][int(index), 0]
with open(path, "wb") as file:
    file.write(b"P5 %d %d 255\n" % pixels.shape[::-1] + pixels.tobytes())
print("label", arrays["test_labels"][int(index)])
PYTHON
"$out/main" "$out/image.pgm" | head -n 1

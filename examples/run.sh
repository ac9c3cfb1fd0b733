#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Quantizes one of the trained networks for qnnpack and compares it with its
# real-valued form on 1000 test images.
#
#   examples/run.sh [resnet8|mbv2tiny|lenet5] [QCONFIG]

set -euo pipefail

network=${1:-resnet8}
qconfig=${2:-default}
here=$(cd "$(dirname "$0")" && pwd)
build=${QBACKEND_BUILD:-$here/../build}
out=$build/examples
python=/usr/bin/python3

case "$network" in
lenet5) data=$here/data/mnist_digits.npz ;;
resnet8 | mbv2tiny) data=$here/data/fashion_mnist.npz ;;
*)
  echo "no network '$network'; there are resnet8, mbv2tiny and lenet5" >&2
  exit 2
  ;;
esac

mkdir -p "$out"
echo "== Writing $network as torch-mlir does: $out/$network.mlir"
"$python" "$here/export.py" "$here/networks/$network.npz" "$network" \
  --spelling linalg -o "$out/$network.mlir"

echo "== Quantizing it for qnnpack, calibrated on 200 images"
"$build/bin/qbackend-opt" --apply-backend=qnnpack qconfig="$qconfig" \
  data="$data:calib_images" input-scale=1/255 \
  "$out/$network.mlir" -o "$out/$network.qnnpack.mlir"

echo "== Running both on 1000 test images"
"$build/bin/qbackend-run" "$out/$network.mlir" \
  --compare="$out/$network.qnnpack.mlir" \
  --input="$data:test_images" --input-scale=1/255 --labels="$data:test_labels"

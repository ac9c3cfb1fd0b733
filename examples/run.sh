#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Quantizes one of the trained networks for qnnpack, compares it with its float form
# on 1000 test images, and says what was gained.
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
# Arguments: what to report.
compare() {
  "$build/bin/qbackend-run" "$out/$network.mlir" \
    --compare="$out/$network.qnnpack.mlir" \
    --input="$data:test_images" --input-scale=1/255 "$@"
}
results=$(compare --labels="$data:test_labels")
echo "$results"
cost=$(compare --report=cost --profile --samples=100)

# Argument: how the row of the cost report begins. Prints both of its numbers.
row() { sed -nE "s/^$1 +([0-9.]+) +([0-9.]+)$/\1 \2/p" <<<"$cost"; }
read -r float_bytes bytes <<<"$(row 'bytes of parameters')"
read -r float_time time <<<"$(row 'microseconds, measured')"
read -r float_accuracy accuracy <<<"$(
  sed -nE 's/.*accuracy ([0-9.]+) and ([0-9.]+)$/\1 \2/p' <<<"$results")"
awk -v fb="$float_bytes" -v b="$bytes" -v ft="$float_time" -v t="$time" \
  -v fa="$float_accuracy" -v a="$accuracy" 'BEGIN {
  printf "\n== Gained, float -> quantized\n"
  printf "   parameters  %.0f KB -> %.0f KB\n", fb / 1e3, b / 1e3
  printf "   one image   %.3f ms -> %.3f ms, %.0f times as fast (one thread)\n", \
    ft / 1e3, t / 1e3, ft / t
  printf "   accuracy    %.1f %% -> %.1f %%\n", 100 * fa, 100 * a
}'
echo "   Next: a network of your own, docs/Importing.md; what each layer lost,
   $build/bin/qbackend-run $out/$network.mlir --layers \\
     --compare=$out/$network.qnnpack.mlir --input=$data:test_images --input-scale=1/255"

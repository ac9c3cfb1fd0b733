# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear layers whose integers tell a real bias from an integer one.

usage: real_bias.py --bin DIR --work DIR

One number in, 300 out: the step of the products is nearly that of the result, so
that rounding the bias to it shows. Computed here from the formulas of PyTorch: int8
weights with a scale for each output, integers of the input, and
y = rint((acc + bias) / scale) with the bias a float, or rint(bias / (sx * sw)).
Numbers within 1e-3 of a tie may be rounded either way.
"""

import argparse
import json
import pathlib
import re
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from tools import run  # noqa: E402

OUTPUTS, SAMPLES = 300, 80
X_SCALE, X_ZERO = 2 / 255, 127
Y_SCALE, Y_ZERO = 3 / 255, 120


def write_network(path, weight, bias):
    def tensor(values):
        return "[" + ", ".join(f"{value:.9e}" for value in values) + "]"
    n = OUTPUTS
    path.write_text(f"""
func.func @main(%x: tensor<{SAMPLES}x1xf32> loc("x")) -> tensor<{SAMPLES}x{n}xf32> {{
  %w = arith.constant dense<[{tensor(weight)}]> : tensor<1x{n}xf32>
  %b = arith.constant dense<{tensor(bias)}> : tensor<{n}xf32>
  %e = tensor.empty() : tensor<{SAMPLES}x{n}xf32>
  %f = linalg.broadcast ins(%b : tensor<{n}xf32>) outs(%e : tensor<{SAMPLES}x{n}xf32>) dimensions = [0]
  %y = linalg.matmul ins(%x, %w : tensor<{SAMPLES}x1xf32>, tensor<1x{n}xf32>) outs(%f : tensor<{SAMPLES}x{n}xf32>) -> tensor<{SAMPLES}x{n}xf32> loc("y")
  return %y : tensor<{SAMPLES}x{n}xf32>
}}
""")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    args = parser.parse_args()
    random = np.random.default_rng(14)
    weight = random.uniform(0.2, 1, OUTPUTS).astype(np.float32)
    bias = random.uniform(-0.3, 0.3, OUTPUTS).astype(np.float32)
    x = random.uniform(-1, 1, (SAMPLES, 1)).astype(np.float32)
    network, table = args.work / "net.mlir", args.work / "table.json"
    write_network(network, weight, bias)
    np.save(args.work / "x.npy", x)
    table.write_text(json.dumps({"version": 2, "network": "", "entries": [
        {"name": "x", "scale": X_SCALE, "zero_point": X_ZERO},
        {"name": "y", "scale": Y_SCALE, "zero_point": Y_ZERO}]}))

    f32 = np.float32
    xq = np.clip(np.rint(x * f32(1 / f32(X_SCALE))) + X_ZERO, 0, 255) - X_ZERO

    def expect(real, per_channel):
        largest = weight if per_channel else np.full_like(weight, weight.max())
        scale = (largest / f32(127.5)).astype(np.float64)
        wq = np.clip(np.rint(weight / scale), -128, 127)
        product = scale * f32(X_SCALE)
        b = bias if real else np.rint(bias / product) * product
        return (xq * wq * product + b) / f32(Y_SCALE) + Y_ZERO

    def check(backend, form):
        module = args.work / f"{backend}.{form}.mlir"
        run(args.bin / "qbackend-opt", network, "-o", module,
            f"--apply-backend={backend} lower-to={form} calibration={table}")
        integers = re.search(r"quant.scast .* : tensor<300xi32>|"
                             r"qnnpack.linear .*tensor<300x", module.read_text())
        run(args.bin / "qbackend-run", module, f"--input={args.work / 'x.npy'}",
            "-o", args.work / "y.npz")
        (y,) = np.load(args.work / "y.npz").values()
        found = np.rint(y / f32(Y_SCALE)) + Y_ZERO
        return not integers, found

    def agrees(found, exact):
        """Whether `found` is `exact` rounded, or at a tie one of its neighbours."""
        return np.abs(found - np.clip(exact, 0, 255)) <= 0.5 + 1e-3

    for backend, form, per_channel in [
            ("onednn", "reference", True), ("onednn", "qnnpack", True),
            ("qnnpack_pt2e", "reference", False), ("qnnpack", "reference", False)]:
        real, found = check(backend, form)
        right = agrees(found, expect(real, per_channel))
        other = agrees(found, expect(not real, per_channel))
        if not right.all() or other.all():
            sys.exit(f"{backend}, {form}: {(~right).sum()} wrong, "
                     f"{(~other).sum()} tell the biases apart")
        print(f"{backend}: {form} has {'real' if real else 'integer'} biases, "
              f"{right.sum()} integers equal"
              + ("" if real else f", {(~other).sum()} others than with real ones"))


if __name__ == "__main__":
    main()

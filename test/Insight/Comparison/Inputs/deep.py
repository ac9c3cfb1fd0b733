# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a chain of depthwise layers with many channels, samples, and what checks
the page of its report.

usage: deep.py LAYERS FOLDER
"""

import pathlib
import sys

import numpy as np

CHANNELS = 500
IMAGE = f"tensor<1x2x2x{CHANNELS}xf32>"
KERNEL = f"tensor<1x1x{CHANNELS}x1xf32>"
BIAS = f"tensor<{CHANNELS}xf32>"

CHECK = """\
import json, re, sys
text = open(sys.argv[1], encoding="utf-8").read()
data = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1]
operators = json.loads(data)["operators"]
assert len(operators) == {layers} + 1, len(operators)
assert all(len(op["channels"]) > 100 for op in operators[1:])
assert len(data) < 2e6 / 100 * len(operators), len(data)
# Numbers are no longer than what they say.
numbers = re.findall(r"[-0-9.]+(?:e[-+]?[0-9]+)?", re.sub(r'"[^"]*"', "", data))
assert max(map(len, numbers)) <= 15, max(numbers, key=len)
"""


def constant(array):
    return f'dense<"0x{array.astype(np.float32).tobytes().hex().upper()}">'


def main():
    layers, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    rng = np.random.default_rng(0)
    lines = [
        f'func.func @main(%x: {IMAGE} loc("x")) -> {IMAGE} {{',
        '  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : '
        "() -> tensor<1xf32>",
    ]
    value = "%x"
    for i in range(layers):
        weight = rng.normal(0, 1, CHANNELS)
        bias = rng.normal(0, 0.1, CHANNELS)
        lines += [
            f'  %w{i} = "tosa.const"() <{{values = {constant(weight)} : {KERNEL}}}> : '
            f"() -> {KERNEL}",
            f'  %b{i} = "tosa.const"() <{{values = {constant(bias)} : {BIAS}}}> : '
            f"() -> {BIAS}",
            f"  %c{i} = tosa.depthwise_conv2d {value}, %w{i}, %b{i}, %zp, %zp {{acc_type "
            "= f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = "
            f"array<i64: 1, 1>}} : ({IMAGE}, {KERNEL}, {BIAS}, tensor<1xf32>, "
            f'tensor<1xf32>) -> {IMAGE} loc("stage{i // 4}.block{i % 4}.depthwise")',
        ]
        value = f"%c{i}"
    lines += [f"  return {value} : {IMAGE}", "}"]
    (folder / "net.mlir").write_text("\n".join(lines) + "\n")
    x = rng.normal(0, 1, (4, 2, 2, CHANNELS)).astype(np.float32)
    np.savez(folder / "x.npz", x=x)
    (folder / "check.py").write_text(CHECK.format(layers=layers))


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scales of weights with one for each output channel, in every kind of layer.

    channels.py --bin DIR --work DIR

For each spelling the scales and the integers of the reference form have to be
those of the formula, `max|w| / 127.5` over all weights that an output channel
has, in the order of the channels of the result; and those with fake
quantization in front are the same.
"""

import argparse
import pathlib
import sys
import re

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from tools import run  # noqa: E402


f32 = np.float32


def literal(data):
    raw = np.ascontiguousarray(data).tobytes().hex().upper()
    shape = "".join(f"{d}x" for d in data.shape)
    return f'dense<"0x{raw}"> : tensor<{shape}f32>'


def linalg(op, x, w, y, attributes=""):
    """A named op on a constant filter."""
    def build(weight):
        return f"""func.func @main(%x: tensor<{x}xf32>) -> tensor<{y}xf32> {{
  %w = arith.constant {literal(weight)}
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{y}xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<{y}xf32>) -> tensor<{y}xf32>
  %y = linalg.{op} {attributes} ins(%x, %w : tensor<{x}xf32>, tensor<{w}xf32>) outs(%i : tensor<{y}xf32>) -> tensor<{y}xf32>
  return %y : tensor<{y}xf32>
}}
"""
    return build


def tosa(op, x, w, y, bias, attributes):
    def build(weight):
        return f"""func.func @main(%x: tensor<{x}xf32>) -> tensor<{y}xf32> {{
  %w = "tosa.const"() <{{values = {literal(weight)}}}> : () -> tensor<{w}xf32>
  %b = "tosa.const"() <{{values = dense<0.0> : tensor<{bias}xf32>}}> : () -> tensor<{bias}xf32>
  %z = "tosa.const"() <{{values = dense<0.0> : tensor<1xf32>}}> : () -> tensor<1xf32>
  %y = tosa.{op} %x, %w, %b, %z, %z {{acc_type = f32, {attributes}}} : (tensor<{x}xf32>, tensor<{w}xf32>, tensor<{bias}xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<{y}xf32>
  return %y : tensor<{y}xf32>
}}
"""
    return build


def grouped(weight):
    """Torch-MLIR's groups: a dimension of their own."""
    groups = "[[0], [1, 2], [3], [4]]"
    split, whole = "tensor<1x2x3x4x4xf32>", "tensor<1x6x4x4xf32>"
    return f"""func.func @main(%x: tensor<1x4x5x5xf32>) -> {whole} {{
  %w = arith.constant {literal(weight)}
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {split}
  %i = linalg.fill ins(%z : f32) outs(%e : {split}) -> {split}
  %s = tensor.expand_shape %x {groups} output_shape [1, 2, 2, 5, 5] : tensor<1x4x5x5xf32> into tensor<1x2x2x5x5xf32>
  %y = linalg.conv_2d_ngchw_gfchw ins(%s, %w : tensor<1x2x2x5x5xf32>, tensor<2x3x2x2x2xf32>) outs(%i : {split}) -> {split}
  %r = tensor.collapse_shape %y {groups} : {split} into {whole}
  return %r : {whole}
}}
"""


PLAIN = "dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>"
TRANSPOSED = "out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>"

# Name, shape of the weight, axes of its output channels, code.
CASES = [
    ("conv1d", (6, 3, 2), [0],
     linalg("conv_1d_ncw_fcw", "1x3x7", "6x3x2", "1x6x6",
            "{dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}")),
    ("conv2d", (6, 3, 2, 2), [0],
     linalg("conv_2d_nchw_fchw", "1x3x5x5", "6x3x2x2", "1x6x4x4")),
    ("conv2d channels last", (2, 2, 3, 6), [3],
     linalg("conv_2d_nhwc_hwcf", "1x5x5x3", "2x2x3x6", "1x4x4x6")),
    ("conv3d", (2, 2, 2, 3, 6), [4],
     linalg("conv_3d_ndhwc_dhwcf", "1x4x5x5x3", "2x2x2x3x6", "1x3x4x4x6")),
    ("grouped", (2, 3, 2, 2, 2), [0, 1], grouped),
    ("depthwise", (6, 2, 2), [0],
     linalg("depthwise_conv_2d_nchw_chw", "1x6x5x5", "6x2x2", "1x6x4x4")),
    ("depthwise channels last", (2, 2, 6), [2],
     linalg("depthwise_conv_2d_nhwc_hwc", "1x5x5x6", "2x2x6", "1x4x4x6")),
    ("depthwise with a multiplier", (2, 2, 3, 2), [2, 3],
     tosa("depthwise_conv2d", "1x5x5x3", "2x2x3x2", "1x4x4x6", 6, PLAIN)),
    ("tosa conv2d", (6, 2, 2, 3), [0],
     tosa("conv2d", "1x5x5x3", "6x2x2x3", "1x4x4x6", 6, PLAIN)),
    ("transposed", (6, 2, 2, 3), [0],
     tosa("transpose_conv2d", "1x4x4x3", "6x2x2x3", "1x8x8x6", 6, TRANSPOSED)),
    ("linear", (3, 6), [1], linalg("matmul", "5x3", "3x6", "5x6")),
]


def read_weight(path):
    """Scales, and the integers by output channel, in the kernels' order."""
    text = path.read_text()
    found = re.search(
        r"quant.scast (%\S+) : tensor<([0-9x]+)xi8> to "
        r"tensor<[0-9x]+x!quant.uniform<i8:f32:0, \{([^}]*)\}>>", text)
    assert found, "no weight with a scale for each channel:\n" + text[:2000]
    shape = [int(d) for d in found.group(2).split("x")]
    # Scales without a zero point.
    scales = [float(part) for part in found.group(3).split(",")]
    raw = re.search(re.escape(found.group(1)) +
                    r' = arith.constant dense<"0x([0-9A-F]+)">', text).group(1)
    integers = np.frombuffer(bytes.fromhex(raw), np.int8).reshape(shape)
    return np.array(scales), integers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(11)
    for name, shape, axes, build in CASES:
        weight = random.normal(0, 1, shape).astype(f32)
        # Each channel has a range of its own.
        sizes = [shape[axis] for axis in axes]
        factors = random.uniform(0.5, 4, sizes).astype(f32)
        weight *= factors.reshape([shape[i] if i in axes else 1
                                   for i in range(len(shape))])
        rows = np.moveaxis(weight, axes, range(len(axes))).reshape(
            int(np.prod(sizes)), -1)
        scales = np.abs(rows).max(axis=1) / f32(127.5)
        steps = np.rint(rows * (f32(1) / scales)[:, None])
        expected = np.clip(steps, -128, 127).astype(np.int8)

        module, plain = args.work / "in.mlir", args.work / "out.mlir"
        fake, again = args.work / "fake.mlir", args.work / "again.mlir"
        module.write_text(build(weight))

        def apply(source, output, *keys):
            run(f"{args.bin}/qbackend-opt", "--apply-backend=qnnpack",
                "qconfig=minmax_per_channel", *keys, source, "-o", output,
                "--mlir-print-elementsattrs-with-hex-if-larger=1")

        apply(module, plain, "lower-to=reference")
        apply(module, fake, "mode=fake-quant")
        apply(fake, again, "lower-to=reference")
        for path in (plain, again):
            found, integers = read_weight(path)
            assert (found.astype(f32) == scales).all(), (name, found, scales)
            # Within a channel the order is the kernels'.
            for row, values in zip(integers.reshape(len(scales), -1), expected):
                assert (np.sort(row) == np.sort(values)).all(), (name, path)
        print(f"{name}: {len(scales)} channels")
    print("PASS")


if __name__ == "__main__":
    main()

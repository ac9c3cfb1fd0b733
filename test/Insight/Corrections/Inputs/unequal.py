# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes networks that need corrections, and samples for them.

usage: unequal.py KIND FOLDER

KIND is `channels`: convolutions whose channels differ by 100 to 1, with weights
in between that undo it; `means`: layers of inputs with a mean far from 0, so that
a weight that is rounded moves the result's mean; `biases`: channels that lie far
from 0, each somewhere else.
"""

import pathlib
import sys

import numpy as np

PREAMBLE = """\
#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (c)>
func.func @main(%x: tensor<1x4x8x8xf32>) -> tensor<1x8x8x8xf32> {
  %zero = arith.constant 0.0 : f32
"""


def constant(array):
    shape = "x".join(str(extent) for extent in array.shape)
    data = np.ascontiguousarray(array, np.float32).tobytes().hex().upper()
    return f'dense<"0x{data}"> : tensor<{shape}xf32>'


class Writer:
    def __init__(self):
        self.lines = []
        self.count = 0

    def conv(self, name, value, weight, bias, relu):
        """A 1x1 or padded 3x3 convolution; depthwise if the weight has rank 3."""
        i, self.count = self.count, self.count + 1
        channels, kernel = weight.shape[0], weight.shape[-1]
        is_depthwise = weight.ndim == 3
        inputs = channels if is_depthwise else weight.shape[1]
        self.lines += [
            f"  %w{i} = arith.constant {constant(weight)}",
            f"  %b{i} = arith.constant {constant(bias)}",
            f"  %e{i} = tensor.empty() : tensor<1x{channels}x8x8xf32>",
            f"  %i{i} = linalg.broadcast ins(%b{i} : tensor<{channels}xf32>) "
            f"outs(%e{i} : tensor<1x{channels}x8x8xf32>) dimensions = [0, 2, 3]",
        ]
        source, extent = value, 8
        if kernel == 3:
            extent = 10
            self.lines += [
                f"  %p{i} = tensor.pad {value} low[0, 0, 1, 1] high[0, 0, 1, 1] {{",
                "  ^bb0(%a: index, %b: index, %c: index, %d: index):",
                "    tensor.yield %zero : f32",
                f"  }} : tensor<1x{inputs}x8x8xf32> to tensor<1x{inputs}x10x10xf32>",
            ]
            source = f"%p{i}"
        op = "depthwise_conv_2d_nchw_chw" if is_depthwise else "conv_2d_nchw_fchw"
        shape = "x".join(str(extent) for extent in weight.shape)
        self.lines.append(
            f"  %r{i} = linalg.{op} {{dilations = dense<1> : tensor<2xi64>, "
            f"strides = dense<1> : tensor<2xi64>}} ins({source}, %w{i} : "
            f"tensor<1x{inputs}x{extent}x{extent}xf32>, tensor<{shape}xf32>) "
            f"outs(%i{i} : tensor<1x{channels}x8x8xf32>) -> "
            f'tensor<1x{channels}x8x8xf32> loc("{name}")'
        )
        if not relu:
            return f"%r{i}"
        self.lines += [
            f"  %v{i} = linalg.generic {{indexing_maps = [#id, #id], iterator_types = "
            '["parallel", "parallel", "parallel", "parallel"]} '
            f"ins(%r{i} : tensor<1x{channels}x8x8xf32>) "
            f"outs(%e{i} : tensor<1x{channels}x8x8xf32>) {{",
            "  ^bb0(%in: f32, %out: f32):",
            "    %m = arith.maximumf %in, %zero : f32",
            "    linalg.yield %m : f32",
            f"  }} -> tensor<1x{channels}x8x8xf32>",
        ]
        return f"%v{i}"

    def text(self, value):
        return PREAMBLE + "\n".join(self.lines) + (
            f"\n  return {value} : tensor<1x8x8x8xf32>\n}}\n"
        )


def channels(rng, writer):
    """Three layers, the middle one depthwise."""
    first = 100.0 ** rng.permutation(np.linspace(0, 1, 16))
    second = 100.0 ** rng.permutation(np.linspace(0, 1, 16))
    w1 = rng.normal(0, 0.5, (16, 4, 3, 3)) * first[:, None, None, None]
    b1 = rng.normal(0, 0.3, 16) * first
    w2 = rng.normal(0, 0.3, (16, 3, 3)) * (second / first)[:, None, None]
    b2 = rng.normal(0, 0.3, 16) * second
    w3 = rng.normal(0, 0.3, (8, 16, 1, 1)) / second[None, :, None, None]
    value = writer.conv("first", "%x", w1, b1, relu=True)
    value = writer.conv("second", value, w2, b2, relu=True)
    return writer.conv("third", value, w3, rng.normal(0, 0.3, 8), relu=False)


def means(rng, writer):
    """One large number in each weight, so that all others are rounded coarsely."""
    w1 = rng.normal(0, 0.02, (16, 4, 3, 3))
    w1[0, 0, 0, 0] = 2.0
    w2 = rng.normal(0, 0.02, (8, 16, 3, 3))
    w2[0, 0, 0, 0] = 2.0
    value = writer.conv("first", "%x", w1, rng.uniform(0.5, 1, 16), relu=True)
    return writer.conv("second", value, w2, rng.normal(0, 0.1, 8), relu=False)


def biases(rng, writer):
    """Behind a relu, of which no channel comes near 0, and without one."""
    w1 = rng.normal(0, 0.1, (16, 4, 1, 1))
    w2 = rng.normal(0, 0.1, (16, 16, 1, 1))
    w3 = rng.normal(0, 0.1, (8, 16, 1, 1))
    value = writer.conv("first", "%x", w1, rng.uniform(2, 40, 16), relu=True)
    value = writer.conv("second", value, w2, rng.uniform(-40, 40, 16), relu=False)
    return writer.conv("third", value, w3, -w3.sum((1, 2, 3)) * 20, relu=False)


def main():
    kind, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(7)
    writer = Writer()
    value = {"channels": channels, "means": means, "biases": biases}[kind](rng, writer)
    (folder / "net.mlir").write_text(writer.text(value))
    mean = 1.0 if kind == "means" else 0.0
    for name, count in (("calibration", 24), ("test", 24)):
        np.save(
            folder / f"{name}.npy",
            rng.normal(mean, 0.3, (count, 4, 8, 8)).astype(np.float32),
        )


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a MobileNetV2 of Keras as MLIR, for reports on a network of real size.

    mobilenet_v2.py WEIGHTS.npz -o net.mlir

WEIGHTS has each array of the Keras model as uint8, with its scale and its
minimum (`NAME#scale`, `NAME#min`), and 16 images in `ref/calib` and
`ref/images`. Batch norm is folded.
"""

import argparse
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples"))
import export  # noqa: E402  (found by the line before)

KERAS_EPS = 1e-3


class MobileNet(export.Tosa):
    """Convolutions whose padding is behind the image where they stride."""

    def __init__(self, arrays):
        super().__init__({}, 1)
        self.arrays = arrays
        self.input = export.Value("%x", (1, 3, 224, 224))

    def array(self, name):
        scale, least = self.arrays[f"{name}#scale"], self.arrays[f"{name}#min"]
        return self.arrays[name].astype(np.float64) * float(scale) + float(least)

    def layer(self, scope, norm, x, stride=1, depthwise=False, relu6=True):
        suffix = "depthwise_kernel" if depthwise else "kernel"
        kernel = self.array(f"{scope}/{suffix}")
        factor = self.array(f"{norm}/gamma") / np.sqrt(
            self.array(f"{norm}/moving_variance") + KERAS_EPS
        )
        # HWIO to OIHW; of a depthwise one HWIM, with M = 1.
        weight = kernel.transpose((2, 3, 0, 1) if depthwise else (3, 2, 0, 1))
        weight = weight * factor.reshape(-1, 1, 1, 1)
        bias = self.array(f"{norm}/beta") - self.array(f"{norm}/moving_mean") * factor
        self.weights[f"{scope}.weight"] = weight.astype(np.float32)
        self.weights[f"{scope}.bias"] = bias.astype(np.float32)
        size = weight.shape[2]
        if stride == 2:
            self.scope = scope
            x = self.pad_behind(x)
        x = self.conv(
            scope, x, stride, pad=1 if size == 3 and stride == 1 else 0,
            depthwise=depthwise, bias=True,
        )
        return self.relu6(f"{scope}_relu", x) if relu6 else x

    def pad_behind(self, x):
        shape = (*x.shape[:2], x.shape[2] + 1, x.shape[3] + 1)
        zero = self.splat("0.000000e+00", (1,))
        pads = self.sizes((0, 0, 0, 0, 0, 1, 0, 1))
        return self.op(
            f"tosa.pad {x.name}, {pads.name}, {zero.name} : "
            f"({x.type}, {pads.type}, {zero.type}) -> {export.tensor(shape)}",
            shape,
        )


def mobilenet_v2(net, blocks):
    x = net.layer("Conv1", "bn_Conv1", net.input, stride=2)
    strides = {1: 2, 3: 2, 6: 2, 13: 2}
    for block in range(blocks):
        name = f"block_{block}" if block else "expanded_conv"
        y = x
        if block:
            y = net.layer(f"{name}_expand", f"{name}_expand_BN", y)
        stride = strides.get(block, 1)
        y = net.layer(f"{name}_depthwise", f"{name}_depthwise_BN", y, stride, True)
        y = net.layer(f"{name}_project", f"{name}_project_BN", y, relu6=False)
        x = net.add(f"{name}_add", x, y) if x.shape == y.shape else y
    x = net.layer("Conv_1", "Conv_1_bn", x)
    x = net.flatten("flatten", net.global_average("avg", x))
    for number in (1, 2, 3):
        name = f"dense_{number}"
        kernel = net.array(f"{name}/kernel").T
        net.weights[f"{name}.weight"] = kernel.astype(np.float32)
        net.weights[f"{name}.bias"] = net.array(f"{name}/bias").astype(np.float32)
        x = net.linear(name, x)
        if number < 3:
            x = net.relu(f"{name}_relu", x)
    return x


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weights")
    parser.add_argument("-o", dest="output", required=True)
    options = parser.parse_args()
    with np.load(options.weights) as weights:
        net = MobileNet(dict(weights))
    text = net.module(mobilenet_v2(net, 17))
    pathlib.Path(options.output).write_text(text)


if __name__ == "__main__":
    main()

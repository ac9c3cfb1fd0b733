#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a quantized network of known shape, with weights of a seed, as MLIR.

    shapes.py ds_cnn -o ds_cnn.mlir

What a network takes of a microcontroller depends on its shapes, not on what it has
learnt. These are those of MLPerf Tiny's four benchmarks: keyword spotting (DS-CNN),
visual wake words (MobileNetV1 of width 0.25), image classification (ResNet-8) and
anomaly detection (an autoencoder of linear layers); a small MobileNetV2; and the
network for MNIST that BakeNN publishes figures of. There are single layers, too.
Activations have 8 bits with a sign,
weights a scale for each output channel. Scales are such that no layer saturates.
"""

import argparse
import pathlib

import numpy as np


class Network:
    """Prints ops one by one; what is called last is the network's result."""

    def __init__(self, name, *shape):
        self.random = np.random.default_rng(list(name.encode()))
        self.lines = []
        self.count = 0
        self.shape, self.scale = (1, *shape), 1 / 128
        # The root mean square of what is (q - zero point): of any byte.
        self.rms = 148.0
        self.value = None
        self.input = self.bytes()
        # A ReLU is where the range of an activation begins.
        self.zero_point = -128
        self.value = self.op(f"quant.scast %x : {self.input} to {self.type()}", "x")

    def op(self, text, layer):
        self.count += 1
        self.lines.append(f'  %{self.count} = {text} loc("{layer}")')
        return f"%{self.count}"

    def bytes(self):
        return f"tensor<{'x'.join(map(str, self.shape))}xi8>"

    def type(self):
        sizes = "x".join(map(str, self.shape))
        return (
            f"tensor<{sizes}x!quant.uniform<i8:f32, {self.scale:.6e}:"
            f"{self.zero_point}>>"
        )

    def weight(self, layer, *shape):
        """A weight whose rows differ in scale, its type and a bias."""
        data = self.random.integers(-127, 128, shape, dtype=np.int8)
        scales = 0.01 * (1 + self.random.random(shape[0]))
        sizes = "x".join(map(str, shape))
        listed = ", ".join(f"{scale:.6e}" for scale in scales)
        stored = f"tensor<{sizes}xi8>"
        kind = f"tensor<{sizes}x!quant.uniform<i8:f32:0, {{{listed}}}>>"
        constant = self.op(
            f'arith.constant dense<"0x{data.tobytes().hex()}"> : {stored}', layer
        )
        weight = self.op(f"quant.scast {constant} : {stored} to {kind}", layer)
        bias = self.random.integers(-500, 500, shape[0], dtype=np.int32)
        bias = self.op(
            f'arith.constant dense<"0x{bias.tobytes().hex()}"> : '
            f"tensor<{shape[0]}xi32>",
            layer,
        )
        products = 73 * self.rms * np.sqrt(np.prod(shape[1:]))
        spread = products * 0.015 * self.scale
        return weight, kind, bias, spread

    def become(self, shape, spread, relu):
        before = self.type()
        self.shape = tuple(map(int, shape))
        # Sums are about 50; a ReLU makes half of them 0.
        self.scale = spread / 50
        self.rms = 35.0 if relu else 50.0
        self.zero_point = -128 if relu else 0
        return before

    def conv(self, layer, out, kernel, stride=1, pad=None, depthwise=False, relu=True):
        height, width = (kernel, kernel) if isinstance(kernel, int) else kernel
        top, bottom, left, right = pad or [(kernel - 1) // 2, kernel // 2] * 2
        if stride == 2 and pad is None and kernel == 3 and self.shape[1] % 2 == 0:
            top, bottom, left, right = 0, 1, 0, 1
        _, rows, columns, channels = self.shape
        out = channels if depthwise else out
        weight, kind, bias, spread = self.weight(
            layer, out, height, width, 1 if depthwise else channels
        )
        shape = (
            1,
            (rows + top + bottom - height) // stride + 1,
            (columns + left + right - width) // stride + 1,
            out,
        )
        before = self.become(shape, spread, relu)
        self.value = self.op(
            f"qnnpack.conv2d {self.value}, {weight}, {bias} "
            f"{{stride = array<i64: {stride}, {stride}>, "
            f"padding = array<i64: {top}, {bottom}, {left}, {right}>, "
            f"dilation = array<i64: 1, 1>, "
            f"groups = {channels if depthwise else 1} : i64}} : {before}, {kind}, "
            f"tensor<{out}xi32> -> {self.type()}",
            layer,
        )

    def separable(self, layer, out, stride=1):
        self.conv(f"{layer}.depthwise", None, 3, stride, depthwise=True)
        self.conv(f"{layer}.pointwise", out, 1)

    def linear(self, layer, out, relu=False):
        weight, kind, bias, spread = self.weight(layer, out, self.shape[1])
        before = self.become((1, out), spread, relu)
        self.value = self.op(
            f"qnnpack.linear {self.value}, {weight}, {bias} : {before}, {kind}, "
            f"tensor<{out}xi32> -> {self.type()}",
            layer,
        )

    def pool(self, layer, size):
        _, rows, columns, channels = self.shape
        before = self.type()
        self.shape = (1, rows // size, columns // size, channels)
        self.value = self.op(
            f"qnnpack.max_pool2d {self.value} {{kernel = array<i64: {size}, {size}>, "
            f"stride = array<i64: {size}, {size}>, padding = array<i64: 0, 0, 0, 0>, "
            f"dilation = array<i64: 1, 1>}} : {before} -> {self.type()}",
            layer,
        )

    def average(self, layer):
        before = self.type()
        self.shape = (1, 1, 1, self.shape[3])
        # The mean of what a ReLU leaves of sums of about 50.
        self.rms = 20.0
        self.value = self.op(
            f"qnnpack.adaptive_avg_pool2d {self.value} : {before} -> {self.type()}",
            layer,
        )
        self.flatten(layer)

    def flatten(self, layer):
        before = self.type()
        self.shape = (1, int(np.prod(self.shape)))
        self.value = self.op(
            f"qnnpack.reshape {self.value} : {before} -> {self.type()}", layer
        )

    def save(self):
        return self.value, self.shape, self.scale, self.zero_point, self.rms

    def restore(self, saved):
        self.value, self.shape, self.scale, self.zero_point, self.rms = saved

    def add(self, layer, other, relu=True):
        value, shape, scale, _, _ = other
        mine, my_type = self.value, self.type()
        my_shape, my_scale = self.shape, self.scale
        self.restore(other)
        types = f"{my_type}, {self.type()}"
        assert shape == my_shape
        self.scale = (my_scale**2 + scale**2) ** 0.5
        self.zero_point = -128 if relu else 0
        self.rms = 35.0 if relu else 50.0
        self.value = self.op(
            f"qnnpack.add {mine}, {value} : {types} -> {self.type()}", layer
        )

    def module(self):
        last = self.op(
            f"quant.scast {self.value} : {self.type()} to {self.bytes()}", "y"
        )
        return "\n".join(
            [f"func.func @main(%x: {self.input}) -> {self.bytes()} {{"]
            + self.lines
            + [f"  return {last} : {self.bytes()}", "}", ""]
        )


def ds_cnn(net):
    net.conv("conv", 64, (10, 4), 2, pad=[4, 5, 1, 1])
    for i in range(4):
        net.separable(f"block{i}", 64)
    net.average("pool")
    net.linear("fc", 12)


def mobilenet_v1(net):
    net.conv("conv", 8, 3, 2)
    sizes = [(16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2)]
    sizes += [(128, 1)] * 5 + [(256, 2), (256, 1)]
    for i, (out, stride) in enumerate(sizes):
        net.separable(f"block{i}", out, stride)
    net.average("pool")
    net.linear("fc", 2)


def resnet8(net):
    net.conv("conv", 16, 3)
    for i, (out, stride) in enumerate([(16, 1), (32, 2), (64, 2)]):
        before = net.save()
        net.conv(f"block{i}.conv1", out, 3, stride)
        net.conv(f"block{i}.conv2", out, 3, relu=False)
        if stride != 1:
            after = net.save()
            net.restore(before)
            net.conv(f"block{i}.shortcut", out, 1, stride, relu=False)
            before = net.save()
            net.restore(after)
        net.add(f"block{i}.add", before)
    net.average("pool")
    net.linear("fc", 10)


def autoencoder(net):
    for i, out in enumerate([128] * 4 + [8] + [128] * 4):
        net.linear(f"fc{i}", out, relu=True)
    net.linear("fc9", 640)


def mobilenet_v2(net):
    net.conv("conv", 8, 3, 2)
    for i, (out, stride) in enumerate([(8, 1), (16, 2), (16, 1), (24, 2), (24, 1)]):
        before = net.save()
        wide = 4 * net.shape[3]
        net.conv(f"block{i}.expand", wide, 1)
        net.conv(f"block{i}.depthwise", None, 3, stride, depthwise=True)
        net.conv(f"block{i}.project", out, 1, relu=False)
        if stride == 1 and before[1] == net.shape:
            net.add(f"block{i}.add", before, relu=False)
    net.conv("last", 96, 1)
    net.average("pool")
    net.linear("fc", 10)


def mnist(net):
    net.conv("conv1", 4, 3)
    net.pool("pool1", 2)
    net.conv("conv2", 8, 3)
    net.pool("pool2", 2)
    net.flatten("flatten")
    net.linear("fc", 10)


def conv_3x3(net):
    net.conv("conv", 16, 3, relu=False)


def depthwise_3x3(net):
    net.conv("conv", None, 3, depthwise=True, relu=False)


def conv_1x1(net):
    net.conv("conv", 16, 1, relu=False)


#: By name: what builds it, and the shape of its input.
SHAPES = {
    "ds_cnn": (ds_cnn, (49, 10, 1)),
    "mobilenet_v1": (mobilenet_v1, (96, 96, 3)),
    "resnet8_rgb": (resnet8, (32, 32, 3)),
    "autoencoder": (autoencoder, (640,)),
    "mobilenet_v2": (mobilenet_v2, (32, 32, 3)),
    "mnist": (mnist, (28, 28, 1)),
}
#: Single layers, which others publish figures of, or were counted with.
LAYERS = {
    "conv_3x3": (conv_3x3, (28, 28, 16)),
    "depthwise_3x3": (depthwise_3x3, (14, 14, 64)),
    "conv_1x1": (conv_1x1, (14, 14, 64)),
}


def write(name):
    build, shape = {**SHAPES, **LAYERS}[name]
    net = Network(name, *shape)
    build(net)
    return net.module()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("name", choices=[*SHAPES, *LAYERS])
    parser.add_argument("-o", dest="output", type=pathlib.Path, required=True)
    args = parser.parse_args()
    args.output.write_text(write(args.name))


if __name__ == "__main__":
    main()

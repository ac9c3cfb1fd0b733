# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single qnnpack ops in many shapes, to find those that are slow.

An op that multiplies is named by its window, channels and size; what it does is
counted in products, of another one in bytes that it reads and writes.
"""

import math
import pathlib
from typing import Callable, NamedTuple

import numpy as np

INPUT = "!quant.uniform<u8:f32, 0.02:114>"
RESULT = "!quant.uniform<u8:f32, 0.02:100>"
WEIGHT = "!quant.uniform<i8:f32, {:.9e}>"

Shape = tuple[int, ...]


class Operator(NamedTuple):
    """The text of a module, and how much its function does."""

    text: str
    products: int
    bytes: int


def tensor(shape: Shape, element: str) -> str:
    return f"tensor<{''.join(f'{extent}x' for extent in shape)}{element}>"


def function(shape: Shape, result: str, body: str, products: int = 0,
             size: int = 0, element: str = INPUT) -> Operator:
    return Operator(f"func.func @main(%x: {tensor(shape, element)}) -> {result} {{\n"
                    f"{body}\n  return %y : {result}\n}}\n", products,
                    size or math.prod(shape))


def constant(name: str, shape: Shape, element: str) -> str:
    random = np.random.default_rng(len(name) + math.prod(shape))
    if element == "f32":
        data = random.uniform(0.5, 1.5, shape).astype(np.float32)
    elif element == "i32":
        data = random.integers(-2000, 2000, shape).astype(np.int32)
    else:
        data = random.integers(-127, 128, shape).astype(np.int8)
    return (f'  {name} = arith.constant dense<"0x{data.tobytes().hex().upper()}"> : '
            f"{tensor(shape, element)}\n")


def weight(shape: Shape) -> tuple[str, str]:
    """The lines that make %w, and its type."""
    scale = float(np.float32(40 / (74 * 75 * np.sqrt(math.prod(shape[1:])))))
    kind = tensor(shape, WEIGHT.format(scale))
    return (constant("%c", shape, "i8") +
            f"  %w = quant.scast %c : {tensor(shape, 'i8')} to {kind}\n", kind)


def array(values: Shape) -> str:
    return f"array<i64: {', '.join(map(str, values))}>"


def convolution(size: int, channels: int, out: int, kernel: int, stride: int = 1,
                groups: int = 1, dilation: int = 1, rank: int = 2,
                batch: int = 1) -> Operator:
    pad = dilation * (kernel // 2)
    shape = (batch,) + (size,) * rank + (channels,)
    after = (size + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1
    result = (batch,) + (after,) * rank + (out,)
    lines, kind = weight((out,) + (kernel,) * rank + (channels // groups,))
    lines += constant("%b", (out,), "i32")
    lines += (f"  %y = qnnpack.conv{rank}d %x, %w, %b {{stride = "
              f"{array((stride,) * rank)}, padding = {array((pad,) * 2 * rank)}, "
              f"dilation = {array((dilation,) * rank)}, groups = {groups} : i64}} : "
              f"{tensor(shape, INPUT)}, {kind}, tensor<{out}xi32> -> "
              f"{tensor(result, RESULT)}")
    return function(shape, tensor(result, RESULT), lines,
                    math.prod(result) * kernel**rank * channels // groups)


def transposed(size: int, channels: int, out: int, kernel: int, stride: int,
               groups: int = 1) -> Operator:
    pad = (kernel - stride + 1) // 2
    after = (size - 1) * stride - 2 * pad + kernel
    shape, result = (1, size, size, channels), (1, after, after, out)
    lines, kind = weight((out, kernel, kernel, channels // groups))
    lines += (f"  %y = qnnpack.conv_transpose2d %x, %w {{stride = "
              f"{array((stride, stride))}, padding = {array((pad,) * 4)}, "
              f"output_padding = {array((0, 0))}, dilation = {array((1, 1))}, "
              f"groups = {groups} : i64}} : {tensor(shape, INPUT)}, {kind} -> "
              f"{tensor(result, RESULT)}")
    return function(shape, tensor(result, RESULT), lines,
                    size**2 * kernel**2 * channels // groups * out)


def linear(rows: int, channels: int, out: int, dynamic: bool = False) -> Operator:
    element, after = ("f32", "f32") if dynamic else (INPUT, RESULT)
    lines, kind = weight((out, channels))
    bias = "f32" if dynamic else "i32"
    lines += constant("%b", (out,), bias)
    result = tensor((rows, out), after)
    lines += (f"  %y = qnnpack.linear{'_dynamic' if dynamic else ''} %x, %w, %b : "
              f"{tensor((rows, channels), element)}, {kind}, "
              f"tensor<{out}x{bias}> -> {result}")
    return function((rows, channels), result, lines, rows * channels * out,
                    element=element)


def unary(op: str, shape: Shape, after: Shape = (), attributes: str = "",
          element: str = INPUT, to: str = INPUT, operands: str = "%x",
          constants: str = "", types: str = "", reads: int = 1) -> Operator:
    after = after or shape
    result = tensor(after, to)
    body = (f"{constants}  %y = qnnpack.{op} {operands} {attributes}: "
            f"{', '.join([tensor(shape, element)] * reads)}{types} -> {result}")
    size = sum(math.prod(s) * (4 if e == "f32" else 1)
               for s, e in [(shape, element)] * reads + [(after, to)])
    return function(shape, result, body, size=size, element=element)


def binary(op: str, left: Shape, right: Shape) -> Operator:
    """An op on two shapes that broadcast; the one of %x is the larger."""
    shape = max(left, right, key=math.prod)
    small = min(left, right, key=math.prod)
    lines = (constant("%c", small, "i8") +
             f"  %s = quant.scast %c : {tensor(small, 'i8')} to {tensor(small, INPUT)}\n")
    names = {shape: "%x", small: "%s"}
    lines += (f"  %y = qnnpack.{op} {names[left]}, {names[right]} : {tensor(left, INPUT)}, "
              f"{tensor(right, INPUT)} -> {tensor(shape, RESULT)}")
    return function(shape, tensor(shape, RESULT), lines, size=2 * math.prod(shape))


def pool(op: str, size: int, channels: int, kernel: int, stride: int,
         pad: int) -> Operator:
    after = (size + 2 * pad - kernel) // stride + 1
    dilation = f", dilation = {array((1, 1))}" if op == "max_pool2d" else ""
    return unary(op, (1, size, size, channels), (1, after, after, channels),
                 f"{{kernel = {array((kernel, kernel))}, stride = "
                 f"{array((stride, stride))}, padding = {array((pad,) * 4)}"
                 f"{dilation}}} ")


def norm(op: str, shape: Shape, channels: int, attributes: str) -> Operator:
    kind = f"tensor<{channels}xf32>"
    return unary(op, shape, (), f"{{{attributes}eps = 1.0e-5 : f64}} ",
                 operands="%x, %g, %b", to=RESULT, types=f", {kind}, {kind}",
                 constants=constant("%g", (channels,), "f32") +
                 constant("%b", (channels,), "f32"))


IMAGE = (1, 56, 56, 64)
THIRD = "!quant.uniform<u8:f32, 0.00390625>"
OPERATORS: dict[str, Callable[[], Operator]] = {
    "1x1, 16 to 16 at 56": lambda: convolution(56, 16, 16, 1),
    "1x1, 24 to 24 at 56": lambda: convolution(56, 24, 24, 1),
    "1x1, 3 to 7 at 56": lambda: convolution(56, 3, 7, 1),
    "1x1, 100 to 100 at 14": lambda: convolution(14, 100, 100, 1),
    "1x1, 256 to 512 at 14, stride 2": lambda: convolution(14, 256, 512, 1, 2),
    "1x1, 64 to 1 at 56": lambda: convolution(56, 64, 1, 1),
    "1x1, 960 to 240 at 1": lambda: convolution(1, 960, 240, 1),
    "3x3, 3 to 16 at 224, stride 2": lambda: convolution(224, 3, 16, 3, 2),
    "3x3, 1 to 32 at 28": lambda: convolution(28, 1, 32, 3),
    "3x3, 64 to 3 at 112": lambda: convolution(112, 64, 3, 3),
    "3x3, 13 to 19 at 28": lambda: convolution(28, 13, 19, 3),
    "3x3, 64 at 28, dilation 2": lambda: convolution(28, 64, 64, 3, 1, 1, 2),
    "5x5, 32 at 28": lambda: convolution(28, 32, 32, 5),
    "3x3, 64 at 28, 2 groups": lambda: convolution(28, 64, 64, 3, 1, 2),
    "3x3, 128 at 28, 32 groups": lambda: convolution(28, 128, 128, 3, 1, 32),
    "3x3, 64 at 28, 32 groups": lambda: convolution(28, 64, 64, 3, 1, 32),
    "1x1, 240 at 28, 3 groups": lambda: convolution(28, 240, 240, 1, 1, 3),
    "depthwise 3x3, 32 at 112": lambda: convolution(112, 32, 32, 3, 1, 32),
    "depthwise 3x3, 144 at 56, stride 2": lambda: convolution(56, 144, 144, 3, 2, 144),
    "depthwise 5x5, 120 at 28": lambda: convolution(28, 120, 120, 5, 1, 120),
    "depthwise 7x7, 96 at 56": lambda: convolution(56, 96, 96, 7, 1, 96),
    "depthwise 3x3, 5 at 56": lambda: convolution(56, 5, 5, 3, 1, 5),
    "depthwise 3x3, 32 to 64 at 56": lambda: convolution(56, 32, 64, 3, 1, 32),
    "depthwise 3x3, 3 to 12 at 56": lambda: convolution(56, 3, 12, 3, 1, 3),
    "1-d 9, 64 at 1024": lambda: convolution(1024, 64, 64, 9, rank=1),
    "1-d 3, depthwise 64 at 1024": lambda: convolution(1024, 64, 64, 3, 1, 64, rank=1),
    "3-d 3, 16 to 32 at 16": lambda: convolution(16, 16, 32, 3, rank=3),
    "3-d 1, 64 to 64 at 12": lambda: convolution(12, 64, 64, 1, rank=3),
    "3-d 3, 3 to 16 at 24": lambda: convolution(24, 3, 16, 3, rank=3),
    "transposed 2x2, 64 to 32 at 28, stride 2": lambda: transposed(28, 64, 32, 2, 2),
    "transposed 4x4, 64 to 32 at 28, stride 2": lambda: transposed(28, 64, 32, 4, 2),
    "transposed 3x3, 64 to 64 at 28, stride 1": lambda: transposed(28, 64, 64, 3, 1),
    "transposed 4x4, depthwise 32 at 28, stride 2":
        lambda: transposed(28, 32, 32, 4, 2, 32),
    "linear, 1 x 2048 to 1000": lambda: linear(1, 2048, 1000),
    "linear, 128 x 768 to 3072": lambda: linear(128, 768, 3072),
    "linear, 64 x 10 to 10": lambda: linear(64, 10, 10),
    "linear, 16 x 512 to 512": lambda: linear(16, 512, 512),
    "dynamic linear, 1 x 1024 to 1024": lambda: linear(1, 1024, 1024, True),
    "dynamic linear, 128 x 768 to 768": lambda: linear(128, 768, 768, True),
    "max pool 3x3, 64 at 112, stride 2": lambda: pool("max_pool2d", 112, 64, 3, 2, 1),
    "max pool 2x2, 16 at 56, stride 2": lambda: pool("max_pool2d", 56, 16, 2, 2, 0),
    "max pool 3x3, 3 at 56, stride 1": lambda: pool("max_pool2d", 56, 3, 3, 1, 1),
    "max pool 5x5, 256 at 20, stride 1": lambda: pool("max_pool2d", 20, 256, 5, 1, 2),
    "avg pool 3x3, 64 at 56, stride 1": lambda: pool("avg_pool2d", 56, 64, 3, 1, 1),
    "avg pool 2x2, 64 at 56, stride 2": lambda: pool("avg_pool2d", 56, 64, 2, 2, 0),
    "global pool, 2048 at 7": lambda: unary(
        "adaptive_avg_pool2d", (1, 7, 7, 2048), (1, 1, 1, 2048)),
    "adaptive pool, 64 at 56 to 7": lambda: unary(
        "adaptive_avg_pool2d", IMAGE, (1, 7, 7, 64)),
    "mean, 64 at 56": lambda: unary("mean", IMAGE, (1, 64)),
    "add, 64 at 56": lambda: unary("add", IMAGE, operands="%x, %x", reads=2, to=RESULT),
    "mul, 64 at 56": lambda: unary("mul", IMAGE, operands="%x, %x", reads=2, to=RESULT),
    "mul by channels, 96 at 56": lambda: binary("mul", (1, 56, 56, 96), (1, 1, 1, 96)),
    "channels by mul, 96 at 56": lambda: binary("mul", (1, 1, 1, 96), (1, 56, 56, 96)),
    "add of channels, 96 at 56": lambda: binary("add", (1, 56, 56, 96), (1, 1, 1, 96)),
    "mul by pixels, 96 at 56": lambda: binary("mul", (1, 56, 56, 96), (1, 56, 56, 1)),
    "cat, 64 at 56": lambda: unary("cat", IMAGE, (1, 56, 56, 128), "{axis = 3 : i64} ",
                                   operands="%x, %x", reads=2),
    "cat of scales, 64 at 56": lambda: unary(
        "cat", IMAGE, (1, 56, 56, 128), "{axis = 3 : i64} ", operands="%x, %x",
        reads=2, to=RESULT),
    "add scalar, 64 at 56": lambda: unary(
        "add_scalar", IMAGE, operands="%x, 0.28",
        to="!quant.uniform<u8:f32, 0.02:100>"),
    "requantize, 64 at 56": lambda: unary("requantize", IMAGE, to=RESULT),
    "relu, 64 at 56": lambda: unary("relu", IMAGE),
    "clamp, 64 at 56": lambda: unary(
        "clamp", IMAGE, attributes="{min = 0.0 : f32, max = 1.0 : f32} "),
    "sigmoid, 64 at 56": lambda: unary("sigmoid", IMAGE, to=THIRD),
    "tanh, 64 at 56": lambda: unary(
        "tanh", IMAGE, to="!quant.uniform<u8:f32, 0.0078125:128>"),
    "hardswish, 64 at 56": lambda: unary("hardswish", IMAGE, to=RESULT),
    "leaky relu, 64 at 56": lambda: unary(
        "leaky_relu", IMAGE, attributes="{negative_slope = 0.01 : f32} ", to=RESULT),
    "softmax, 128 x 1000": lambda: unary(
        "softmax", (128, 1000), attributes="{axis = 1 : i64} ", to=THIRD),
    "softmax, 64 at 56": lambda: unary(
        "softmax", IMAGE, attributes="{axis = 3 : i64} ", to=THIRD),
    "softmax of 128 x 1000, axis 0": lambda: unary(
        "softmax", (128, 1000), attributes="{axis = 0 : i64} ", to=THIRD),
    "layer norm, 128 x 768": lambda: norm(
        "layer_norm", (128, 768), 768, f"normalized_shape = {array((768,))}, "),
    "group norm of 8, 64 at 56": lambda: norm(
        "group_norm", IMAGE, 64, "num_groups = 8 : i64, "),
    "instance norm, 64 at 56": lambda: norm("instance_norm", IMAGE, 64, ""),
    "quantize, 64 at 56": lambda: unary("quantize", IMAGE, element="f32"),
    "dequantize, 64 at 56": lambda: unary("dequantize", IMAGE, to="f32"),
    "transpose, 64 at 56": lambda: unary(
        "transpose", IMAGE, (1, 64, 56, 56),
        f"{{permutation = {array((0, 3, 1, 2))}}} "),
    "transpose, 56 x 56 of 64": lambda: unary(
        "transpose", (1, 64, 56, 56), IMAGE,
        f"{{permutation = {array((0, 2, 3, 1))}}} "),
    "pad, 64 at 56": lambda: unary(
        "pad", IMAGE, (1, 58, 58, 64), f"{{low = {array((0, 1, 1, 0))}, high = "
        f"{array((0, 1, 1, 0))}, value = 0.0 : f32}} "),
    "slice, 64 at 56": lambda: unary(
        "slice", IMAGE, (1, 56, 56, 32), f"{{offsets = {array((0, 0, 0, 32))}, "
        f"strides = {array((1, 1, 1, 1))}}} "),
    "channel shuffle, 64 at 56": lambda: unary(
        "channel_shuffle", IMAGE, attributes="{groups = 2 : i64} "),
    "channel shuffle, 116 at 28": lambda: unary(
        "channel_shuffle", (1, 28, 28, 116), attributes="{groups = 2 : i64} "),
    "channel shuffle of 3, 240 at 28": lambda: unary(
        "channel_shuffle", (1, 28, 28, 240), attributes="{groups = 3 : i64} "),
    "nearest, 64 at 56 to 112": lambda: unary(
        "upsample_nearest2d", IMAGE, (1, 112, 112, 64)),
    "bilinear, 64 at 28 to 56": lambda: unary(
        "upsample_bilinear2d", (1, 28, 28, 64), (1, 56, 56, 64)),
}


def write(name: str, path: pathlib.Path) -> Operator:
    """Writes the op of that name."""
    operator = OPERATORS[name]()
    path.write_text(operator.text)
    return operator

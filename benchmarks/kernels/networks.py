# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks and layers of qnnpack ops with random weights, to be timed.

Shapes are those of torchvision's networks at 224 x 224. Scales are such that the
integers use their range: the time doesn't depend on them, but results should not
be all the same.
"""

import pathlib
from typing import Callable, NamedTuple, Optional, TextIO

import numpy as np

SCALE = 0.02


class Value(NamedTuple):
    """An image of unsigned bytes."""

    name: str
    shape: tuple[int, ...]
    zero: int

    @property
    def type(self) -> str:
        dims = "x".join(map(str, self.shape))
        return f"tensor<{dims}x!quant.uniform<u8:f32, {SCALE}:{self.zero}>>"


class Layer(NamedTuple):
    """What another engine needs to know of an op: names are those of values."""

    kind: str  # conv, deconv, add, cat, max_pool, mean or linear
    inputs: tuple[Value, ...]
    result: Value
    relu: bool = False
    weight: Optional[np.ndarray] = None  # [out, height, width, in / groups]
    scale: float = 0.0  # of the weight
    bias: Optional[np.ndarray] = None  # in units of both scales
    stride: int = 1
    padding: tuple[int, int] = (0, 0)  # on both sides, of rows and columns
    dilation: int = 1
    groups: int = 1
    window: int = 0  # of a pool


class Network:
    """The lines of a function, its weights, and how many products it has."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.random = np.random.default_rng(1)
        self.lines: list[str] = []
        self.resources: list[str] = []
        self.layers: list[Layer] = []
        self.products = 0
        self.input = Value("%input", shape, 114)

    def emit(self, text: str) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def constant(self, data: np.ndarray, element: str) -> str:
        key = f"weight{len(self.resources)}"
        raw = (4).to_bytes(4, "little") + np.ascontiguousarray(data).tobytes()
        self.resources.append(f'      {key}: "0x{raw.hex().upper()}"')
        dims = "x".join(map(str, data.shape))
        return self.emit(f"arith.constant dense_resource<{key}> : "
                         f"tensor<{dims}x{element}>")

    def add_layer(self, kind: str, inputs: tuple[Value, ...], result: Value,
                  **numbers) -> Value:
        self.layers.append(Layer(kind, inputs, result, **numbers))
        return result

    def weight(self, shape: tuple[int, ...]) -> tuple[str, str, dict]:
        reduction = int(np.prod(shape[1:]))
        # As those of a network are: normal, with one scale for the largest. What is
        # added in 16 bits depends on it.
        data = self.random.standard_normal(shape)
        data = np.rint(data / np.abs(data).max() * 127).astype(np.int8)
        scale = float(np.float32(40 / (74 * data.std() * np.sqrt(reduction))))
        dims = "x".join(map(str, shape))
        kind = f"tensor<{dims}x!quant.uniform<i8:f32, {scale:.9e}>>"
        name = self.emit(f"quant.scast {self.constant(data, 'i8')} : "
                         f"tensor<{dims}xi8> to {kind}")
        return name, kind, {"weight": data, "scale": scale}

    def bias(self, size: int) -> tuple[str, np.ndarray]:
        data = self.random.integers(-2000, 2000, size).astype(np.int32)
        return self.constant(data, "i32"), data

    def conv(self, x: Value, out: int, kernel: "int | tuple[int, int]",
             stride: int = 1, groups: int = 1, act: str = "relu",
             dilation: int = 1) -> Value:
        """`act` is relu, relu6 or nothing. The upper limit of relu6 is that of bytes,
        as calibration chooses it: the same network for engines that have only relu."""
        kernel = kernel if isinstance(kernel, tuple) else (kernel, kernel)
        pad = tuple(dilation * (extent // 2) for extent in kernel)
        weight, kind, numbers = self.weight((out, *kernel, x.shape[3] // groups))
        bias, numbers["bias"] = self.bias(out)
        size = [(x.shape[1 + i] + 2 * pad[i] - dilation * (kernel[i] - 1) - 1)
                // stride + 1 for i in (0, 1)]
        result = Value("", (x.shape[0], *size, out), 0 if act else 100)
        self.products += int(np.prod(result.shape)) * int(np.prod(kernel)) * (
            x.shape[3] // groups)
        name = self.emit(
            f"qnnpack.conv2d {x.name}, {weight}, {bias} "
            f"{{stride = array<i64: {stride}, {stride}>, padding = "
            f"array<i64: {pad[0]}, {pad[0]}, {pad[1]}, {pad[1]}>, dilation = "
            f"array<i64: {dilation}, {dilation}>, groups = {groups} : i64{', relu' if act == 'relu' else ''}}} : "
            f"{x.type}, {kind}, tensor<{out}xi32> -> {result.type}")
        if act == "relu6":
            name = self.emit(f"qnnpack.clamp {name} {{min = 0.0 : f32, max = "
                             f"{255 * SCALE} : f32}} : {result.type} -> {result.type}")
        return self.add_layer("conv", (x,), result._replace(name=name), stride=stride,
                              padding=pad, groups=groups, relu=bool(act),
                              dilation=dilation, **numbers)

    def deconv(self, x: Value, out: int, zero: int) -> Value:
        """A transposed convolution that doubles the extents."""
        weight, kind, numbers = self.weight((out, 2, 2, x.shape[3]))
        bias, numbers["bias"] = self.bias(out)
        n, h, w, c = x.shape
        result = Value("", (n, 2 * h, 2 * w, out), zero)
        self.products += int(np.prod(result.shape)) * c
        return self.add_layer("deconv", (x,), result._replace(name=self.emit(
            f"qnnpack.conv_transpose2d {x.name}, {weight}, {bias} {{stride = "
            "array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, output_padding = "
            "array<i64: 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : "
            f"{x.type}, {kind}, tensor<{out}xi32> -> {result.type}")), stride=2, **numbers)

    def cat(self, a: Value, b: Value) -> Value:
        """Of channels."""
        result = a._replace(shape=(*a.shape[:3], a.shape[3] + b.shape[3]))
        return self.add_layer("cat", (a, b), result._replace(name=self.emit(
            f"qnnpack.cat {a.name}, {b.name} {{axis = 3 : i64}} : {a.type}, {b.type} -> "
            f"{result.type}")))

    def add(self, a: Value, b: Value, relu: bool) -> Value:
        result = Value("", a.shape, 0 if relu else 120)
        result = result._replace(name=self.emit(
            f"qnnpack.add {a.name}, {b.name} {{{'relu' if relu else ''}}} : "
            f"{a.type}, {b.type} -> {result.type}"))
        return self.add_layer("add", (a, b), result, relu=relu)

    def max_pool(self, x: Value, window: int = 3) -> Value:
        pad = window // 3
        size = (x.shape[1] + 2 * pad - window) // 2 + 1
        result = x._replace(shape=(x.shape[0], size, size, x.shape[3]))
        result = result._replace(name=self.emit(
            f"qnnpack.max_pool2d {x.name} {{kernel = array<i64: {window}, {window}>, "
            f"stride = array<i64: 2, 2>, padding = array<i64: {pad}, {pad}, {pad}, "
            f"{pad}>, dilation = array<i64: 1, 1>}} : {x.type} -> {result.type}"))
        return self.add_layer("max_pool", (x,), result, padding=(pad, pad),
                              window=window)

    def classifier(self, x: Value, classes: int = 1000) -> Value:
        mean = x._replace(shape=(x.shape[0], 1, 1, x.shape[3]))
        mean = mean._replace(name=self.emit(
            f"qnnpack.adaptive_avg_pool2d {x.name} : {x.type} -> {mean.type}"))
        row = mean._replace(shape=(x.shape[0], x.shape[3]))
        row = row._replace(name=self.emit(
            f"qnnpack.reshape {mean.name} : {mean.type} -> {row.type}"))
        self.add_layer("mean", (x,), row)
        weight, kind, numbers = self.weight((classes, x.shape[3]))
        bias, numbers["bias"] = self.bias(classes)
        self.products += classes * x.shape[3] * x.shape[0]
        result = Value("", (x.shape[0], classes), 128)
        result = result._replace(name=self.emit(
            f"qnnpack.linear {row.name}, {weight}, {bias} : {row.type}, "
            f"{kind}, tensor<{classes}xi32> -> {result.type}"))
        return self.add_layer("linear", (row,), result, **numbers)

    def write(self, result: Value, file: TextIO) -> None:
        file.write(f"func.func @main({self.input.name}: {self.input.type}) -> "
                   f"{result.type} {{\n")
        file.write("\n".join(self.lines))
        file.write(f"\n  return {result.name} : {result.type}\n}}\n")
        file.write("{-#\n  dialect_resources: {\n    builtin: {\n")
        file.write(",\n".join(self.resources))
        file.write("\n    }\n  }\n#-}\n")


def resnet(batch: int, blocks: tuple[int, ...],
           bottleneck: bool) -> tuple[Network, Value]:
    net = Network((batch, 224, 224, 3))
    x = net.max_pool(net.conv(net.input, 64, 7, stride=2))
    for stage, count in enumerate(blocks):
        for block in range(count):
            stride = 2 if block == 0 and stage > 0 else 1
            width = 64 << stage
            if bottleneck:
                y = net.conv(x, width, 1)
                y = net.conv(y, width, 3, stride)
                y = net.conv(y, 4 * width, 1, act="")
            else:
                y = net.conv(x, width, 3, stride)
                y = net.conv(y, width, 3, act="")
            if stride != 1 or x.shape != y.shape:
                x = net.conv(x, y.shape[3], 1, stride, act="")
            x = net.add(y, x, relu=True)
    return net, net.classifier(x)


def mobilenet_v2(batch: int) -> tuple[Network, Value]:
    net = Network((batch, 224, 224, 3))
    x = net.conv(net.input, 32, 3, stride=2, act="relu6")
    for expansion, out, count, first in [
            (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
            (6, 160, 3, 2), (6, 320, 1, 1)]:
        for block in range(count):
            y, inner = x, x.shape[3] * expansion
            if expansion != 1:
                y = net.conv(y, inner, 1, act="relu6")
            y = net.conv(y, inner, 3, first if block == 0 else 1, groups=inner,
                         act="relu6")
            y = net.conv(y, out, 1, act="")
            x = net.add(y, x, relu=False) if y.shape == x.shape else y
    return net, net.classifier(net.conv(x, 1280, 1, act="relu6"))


def resnet8(batch: int) -> tuple[Network, Value]:
    """The one of examples/networks."""
    net = Network((batch, 28, 28, 1))
    x = net.conv(net.input, 16, 3)
    for width, stride in ((16, 1), (32, 2), (64, 2)):
        y = net.conv(net.conv(x, width, 3, stride), width, 3, act="")
        x = net.add(y, x if stride == 1 else net.conv(x, width, 1, stride, act=""),
                    relu=True)
    return net, net.classifier(x, 10)


def mbv2tiny(batch: int) -> tuple[Network, Value]:
    """The one of examples/networks."""
    net = Network((batch, 28, 28, 1))
    x = net.conv(net.input, 16, 3, stride=2, act="relu6")
    for out, stride in ((16, 1), (24, 2), (24, 1), (40, 2), (40, 1)):
        inner = 4 * x.shape[3]
        y = net.conv(x, inner, 1, act="relu6")
        y = net.conv(y, inner, 3, stride, groups=inner, act="relu6")
        y = net.conv(y, out, 1, act="")
        x = net.add(y, x, relu=False) if y.shape == x.shape else y
    return net, net.classifier(net.conv(x, 128, 1, act="relu6"), 10)


def tcn(batch: int) -> tuple[Network, Value]:
    """Eight residual blocks over 1,000 steps of 40 channels; each sees twice as far."""
    net = Network((batch, 1, 1000, 40))
    x = net.conv(net.input, 64, 1)
    for block in range(8):
        y = net.conv(x, 64, (1, 3), dilation=1 << block)
        x = net.add(net.conv(y, 64, 1, act=""), x, relu=True)
    return net, net.classifier(x, 12)


def unet(batch: int) -> tuple[Network, Value]:
    """Four scales of an image of 128 x 128, with two classes for each pixel."""
    net = Network((batch, 128, 128, 3))
    x, skipped = net.input, []
    for width in (32, 64, 128):
        x = net.conv(net.conv(x, width, 3), width, 3)
        skipped.append(x)
        x = net.max_pool(x, 2)
    x = net.conv(net.conv(x, 256, 3), 256, 3)
    for width in (128, 64, 32):
        # With the qparams of what it is joined with.
        skip = skipped.pop()
        x = net.cat(net.deconv(x, width, skip.zero), skip)
        x = net.conv(net.conv(x, width, 3), width, 3)
    return net, net.conv(x, 2, 1, act="")


def layer(size: int, channels: int, out: int, kernel: int, stride: int = 1,
          groups: int = 1) -> tuple[Network, Value]:
    net = Network((1, size, size, channels))
    return net, net.conv(net.input, out, kernel, stride, groups)


NETWORKS: dict[str, Callable[[int], tuple[Network, Value]]] = {
    "mobilenet_v2": mobilenet_v2,
    "resnet18": lambda batch: resnet(batch, (2, 2, 2, 2), bottleneck=False),
    "resnet50": lambda batch: resnet(batch, (3, 4, 6, 3), bottleneck=True),
    "resnet8": resnet8,
    "mbv2tiny": mbv2tiny,
    "tcn": tcn,
    "unet": unet,
}
# Size, channels, outputs, window, stride, groups.
LAYERS: dict[str, tuple[int, ...]] = {
    "stem 7x7, 3 to 64 at 224, stride 2": (224, 3, 64, 7, 2),
    "1x1, 64 to 256 at 56": (56, 64, 256, 1),
    "1x1, 256 to 1024 at 14": (14, 256, 1024, 1),
    "1x1, 512 to 2048 at 7": (7, 512, 2048, 1),
    "3x3, 64 at 56": (56, 64, 64, 3),
    "3x3, 128 at 28": (28, 128, 128, 3),
    "3x3, 256 at 14": (14, 256, 256, 3),
    "3x3, 512 at 7": (7, 512, 512, 3),
    "depthwise 3x3, 144 at 56": (56, 144, 144, 3, 1, 144),
    "depthwise 3x3, 384 at 14": (14, 384, 384, 3, 1, 384),
    "depthwise 3x3, 960 at 7": (7, 960, 960, 3, 1, 960),
}


def make(name: str) -> tuple[Network, Value]:
    """The network or layer of that name; resnet50@16 has batches of 16."""
    if name in LAYERS:
        return layer(*LAYERS[name])
    network, _, batch = name.partition("@")
    return NETWORKS[network](int(batch or 1))


def write(name: str, path: pathlib.Path) -> Network:
    net, result = make(name)
    with path.open("w") as file:
        net.write(result, file)
    return net

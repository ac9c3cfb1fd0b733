# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of test/TFLite/networks.py in f32: the same ops and shapes, before any
converter has quantized them."""

import math
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "test/TFLite"))
import networks  # noqa: E402
from networks import Value  # noqa: E402

POOL = "kernel = {}, pad = {}, stride = {}"


def array(numbers) -> str:
    return "array<i64: " + ", ".join(map(str, numbers)) + ">"


class FloatBuilder(networks.Builder):
    """Writes a network in f32. The data of values are shapes."""

    def __init__(self, shape):
        super().__init__(0, shape, count=1)

    @staticmethod
    def spell(value):
        sizes = "".join(f"{n}x" for n in (1, *value.data.shape[1:]))
        return f"tensor<{sizes}f32>"

    def number(self, data):
        data = np.asarray(data, "<f4")
        name, kind = self.name(), f"tensor<{''.join(f'{n}x' for n in data.shape)}f32>"
        values = (f'"0x{data.tobytes().hex().upper()}"' if data.size > 1
                  else f"{float(data.flat[0]):.6e}")
        self.lines.append(f'{name} = "tosa.const"() <{{values = dense<{values}> : '
                          f"{kind}}}> : () -> {kind}")
        return name, kind

    def emit(self, name, operands, shape, attributes=""):
        pairs = [(o.name, self.spell(o)) if isinstance(o, Value) else o for o in operands]
        value = Value(self.name(), np.zeros((1, *shape), "i1"))
        self.lines.append(
            f"{value.name} = tosa.{name} {', '.join(n for n, _ in pairs)} {attributes}: "
            f"({', '.join(t for _, t in pairs)}) -> {self.spell(value)}")
        return value

    def activate(self, x, activation):
        if not activation:
            return x
        most = 6.0 if activation == "relu6" else 3.4028234e38
        return self.emit("clamp", [x], x.data.shape[1:],
                         f"{{max_val = {most:.9e} : f32, min_val = 0.0 : f32}} ")

    def layer(self, name, x, weight, shape, out, attributes, activation):
        fan = weight.size / out
        zero = self.number([0.0])
        operands = [x, self.number(weight / math.sqrt(fan)),
                    self.number(self.random.normal(0, 0.1, out)), zero, zero]
        return self.activate(self.emit(name, operands, (*shape, out), attributes),
                             activation)

    def conv(self, x, out, kernel=(3, 3), stride=(1, 1), pad=(1, 1, 1, 1),
             activation=None, dilation=(1, 1)):
        weight = self.random.normal(0, 1, (out, *kernel, x.data.shape[3]))
        return self.layer("conv2d", x, weight,
                          self.count_windows(x, kernel, stride, pad, dilation), out,
                          self.spell_geometry(pad, stride, dilation), activation)

    def depthwise(self, x, kernel=(3, 3), stride=(1, 1), pad=(1, 1, 1, 1), multiplier=1,
                  activation=None):
        channels = x.data.shape[3]
        weight = self.random.normal(0, 1, (*kernel, channels, multiplier))
        return self.layer("depthwise_conv2d", x, weight,
                          self.count_windows(x, kernel, stride, pad, (1, 1)),
                          channels * multiplier, self.spell_geometry(pad, stride, (1, 1)),
                          activation)

    def transposed(self, x, out, kernel=(3, 3), stride=(2, 2), out_pad=(0, -1, 0, -1),
                   activation=None):
        _, height, width, channels = x.data.shape
        weight = self.random.normal(0, 1, (out, *kernel, channels))
        shape = [(size - 1) * s + k + first + last for size, s, k, first, last in zip(
            (height, width), stride, kernel, out_pad[::2], out_pad[1::2])]
        return self.layer("transpose_conv2d", x, weight, shape, out,
                          f"{{acc_type = f32, out_pad = {array(out_pad)}, stride = "
                          f"{array(stride)}}} ", activation)

    @staticmethod
    def count_windows(x, kernel, stride, pad, dilation):
        return [(size + first + last - 1 - (k - 1) * d) // s + 1
                for size, k, s, d, first, last in zip(x.data.shape[1:3], kernel, stride,
                                                      dilation, pad[::2], pad[1::2])]

    @staticmethod
    def spell_geometry(pad, stride, dilation):
        return (f"{{acc_type = f32, dilation = {array(dilation)}, pad = {array(pad)}, "
                f"stride = {array(stride)}}} ")

    def reshape(self, x, shape):
        return self.emit("reshape", [x, self.shape((1, *shape))], shape)

    def matmul(self, x, out, activation=None):
        _, rows, inputs = x.data.shape
        weight = self.random.normal(0, 1, (1, inputs, out)) / math.sqrt(inputs)
        zero = self.number([0.0])
        return self.activate(self.emit("matmul", [x, self.number(weight), zero, zero],
                                       (rows, out)), activation)

    def arithmetic(self, name, a, b, activation=None):
        return self.activate(self.emit(name, [a, b], a.data.shape[1:]), activation)

    def mul(self, a, b):
        shape = np.broadcast_shapes(a.data.shape, b.data.shape)[1:]
        return self.emit("mul", [a, b, self.constant([0], 8)], shape)

    def max_pool(self, x, kernel=(2, 2), stride=(2, 2), pad=(0, 0, 0, 0)):
        shape = self.count_windows(x, kernel, stride, pad, (1, 1))
        pool = POOL.format(array(kernel), array(pad), array(stride))
        return self.emit("max_pool2d", [x], (*shape, x.data.shape[3]), f"{{{pool}}} ")

    def avg_pool(self, x, kernel, stride, pad=(0, 0, 0, 0)):
        shape = self.count_windows(x, kernel, stride, pad, (1, 1))
        pool, zero = POOL.format(array(kernel), array(pad), array(stride)), self.number([0])
        return self.emit("avg_pool2d", [x, zero, zero], (*shape, x.data.shape[3]),
                         f"{{acc_type = f32, {pool}}} ")

    def slice(self, x, sizes):
        shape = (*sizes, x.data.shape[3])
        return self.emit("slice", [x, self.shape((0, 0, 0, 0)), self.shape((1, *shape))],
                         shape)

    def table(self, x, function, zero=0):
        """The tables of the networks are sigmoids, but for those of the softmax."""
        return self.emit("sigmoid", [x], x.data.shape[1:])

    def concat(self, values, axis=3):
        shape = np.concatenate([v.data for v in values], axis).shape[1:]
        return self.emit("concat", values, shape, f"{{axis = {axis} : i32}} ")

    def same_zero(self, x, zero):
        return x

    def pad(self, x, pads):
        flat = [n for pair in ((0, 0), *pads) for n in pair]
        shape = [size + sum(pair) for size, pair in zip(x.data.shape[1:], pads)]
        return self.emit("pad", [x, self.shape(flat), self.number([0.0])], shape)

    def resize(self, x, factor):
        _, height, width, channels = x.data.shape
        return self.emit("resize", [
            x, self.shape((2 * factor, 2, 2 * factor, 2)),
            self.shape((1 - factor, 1 - factor)), self.shape((factor - 1, factor - 1))],
            (height * factor, width * factor, channels), "{mode = NEAREST_NEIGHBOR} ")

    def mean(self, x):
        _, height, width, channels = x.data.shape
        rows = self.emit("reduce_sum", [x], (1, width, channels), "{axis = 1 : i32} ")
        sums = self.emit("reduce_sum", [rows], (1, 1, channels), "{axis = 2 : i32} ")
        scale = self.number(np.full((1, 1, 1, 1), 1 / (height * width)))
        return self.emit("mul", [sums, scale, self.constant([0], 8)], (1, 1, channels))

    def softmax(self, x):
        shape = x.data.shape[1:]
        top = self.emit("reduce_max", [x], (1,), "{axis = 1 : i32} ")
        power = self.emit("exp", [self.emit("sub", [x, top], shape)], shape)
        total = self.emit("reduce_sum", [power], (1,), "{axis = 1 : i32} ")
        return self.mul(power, self.emit("reciprocal", [total], (1,)))

    def text(self, result):
        body = "\n".join(f"  {line}" for line in self.lines)
        return (f"func.func @main(%x: {self.spell(self.input)}) -> "
                f"{self.spell(result)} {{\n{body}\n  return {result.name} : "
                f"{self.spell(result)}\n}}\n")


def softmax_head(b):
    return b.softmax(b.fully_connected(b.conv(b.input, 8, activation="relu"), 10))


def build(name: str, shape) -> str:
    builder = FloatBuilder(shape)
    function = {"softmax_head": softmax_head}.get(name, networks.NETWORKS[name][0])
    return builder.text(function(builder))

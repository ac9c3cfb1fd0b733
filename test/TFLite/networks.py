# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks as TFLite's legalization spells them in TOSA 1.0: text, and the integers
that tosa.py gives for them.

A network is built on samples, so that its scales fit the numbers that it has, as those
of a calibrated network do. Values are names of the text with their integers.
"""

import dataclasses
import math

import numpy as np

import tosa

i64 = np.int64


def quantize_multiplier(scale):
    """The 31-bit multiplier and the shift of TFLite's TOSA legalization."""
    mantissa, exponent = math.frexp(scale)
    multiplier, shift = round(mantissa * 2**31), 31 - exponent
    if multiplier == 2**31:
        multiplier, shift = multiplier // 2, shift - 1
    if shift > 62:
        multiplier, shift = multiplier >> min(31, shift - 62), 62
    return multiplier, shift


@dataclasses.dataclass
class Value:
    name: str
    data: np.ndarray
    zero: int = 0
    scale: float = 1.0
    bits: int = 8
    batch: str = "1"

    @property
    def type(self):
        return "tensor<" + "".join(f"{n}x" for n in (self.batch, *self.data.shape[1:])) \
            + f"i{self.bits}>"


class Builder:
    """Writes the text of a function, and computes it on `count` samples."""

    def __init__(self, seed, shape, count=8, double=True, per_channel=True, batch="1"):
        self.random = np.random.default_rng(seed)
        self.double, self.per_channel, self.batch = double, per_channel, batch
        self.scale16 = False  # multipliers of 16 bits for sums of 32, too
        self.lines, self.count = [], 0
        # Of all, and of transposed convolutions.
        self.macs = self.transposed_macs = 0
        data = self.random.integers(-128, 128, (count, *shape)).astype(i64)
        self.input = Value("%x", data, int(self.random.integers(-20, 20)), batch=batch)

    def name(self):
        self.count += 1
        return f"%{self.count}"

    def constant(self, data, bits, shape=None):
        data = np.asarray(data)
        shape = data.shape if shape is None else shape
        name = self.name()
        kind = "tensor<" + "".join(f"{n}x" for n in shape) + f"i{bits}>"
        if (data == data.flat[0]).all():
            values = str(int(data.flat[0]))
        elif bits == 48:  # which no bytes are for
            values = str(data.tolist())
        else:
            values = f'"0x{data.astype(f"<i{bits // 8}").tobytes().hex().upper()}"'
        self.lines.append(
            f'{name} = "tosa.const"() <{{values = dense<{values}> : {kind}}}> : () -> '
            f"{kind}")
        return name, kind

    def shape(self, sizes):
        name = self.name()
        rank = len(sizes)
        values = ", ".join(map(str, sizes))
        self.lines.append(f"{name} = tosa.const_shape {{values = dense<[{values}]> : "
                          f"tensor<{rank}xindex>}} : () -> !tosa.shape<{rank}>")
        return name, f"!tosa.shape<{rank}>"

    def op(self, name, operands, attributes, data, bits=8, zero=0, scale=1.0):
        """`operands` are values, or names with types."""
        pairs = [(o.name, o.type) if isinstance(o, Value) else o for o in operands]
        value = Value(self.name(), np.asarray(data, i64), zero, scale, bits, self.batch)
        text = ", ".join(n for n, _ in pairs)
        types = ", ".join(t for _, t in pairs)
        self.lines.append(f"{value.name} = tosa.{name} {text} {attributes}: ({types}) -> "
                          f"{value.type}")
        return value

    def rescale(self, x, scales, zero=0, bits=8, double=None, input_zero=0,
                unsigned=(False, False)):
        """`x` with one scale, or one for each channel. `unsigned`: what is read, and
        what is written."""
        double = self.double if double is None else double
        scales = np.atleast_1d(scales)
        points = [quantize_multiplier(float(s)) for s in scales]
        multipliers = np.array([m for m, _ in points], i64)
        shifts = np.array([s for _, s in points], i64)
        scale32 = x.bits != 48 and not (self.scale16 and x.bits == 32)
        if not scale32:
            double = False
            multipliers, shifts = (multipliers + (1 << 15)) >> 16, shifts - 16
            multipliers = np.minimum(multipliers, 32767)
        data = tosa.rescale(x.data, multipliers, shifts, input_zero, zero, bits, double,
                            32 if scale32 else 48, unsigned[1])
        operands = [x, self.constant(multipliers, 32 if scale32 else 16),
                    self.constant(shifts, 8), self.constant([input_zero], x.bits),
                    self.constant([zero], bits)]
        attributes = (
            f"{{input_unsigned = {str(unsigned[0]).lower()}, output_unsigned = "
            f"{str(unsigned[1]).lower()}, per_channel = "
            f"{'true' if scales.size > 1 else 'false'}, rounding_mode = "
            f"{'DOUBLE' if double else 'SINGLE'}_ROUND, scale32 = "
            f"{'true' if scale32 else 'false'}}} ")
        return self.op("rescale", operands, attributes, data, bits, zero)

    def clamp(self, x, lo, hi=None):
        hi = 2**(x.bits - 1) - 1 if hi is None else hi
        return self.op("clamp", [x], f"{{max_val = {hi} : i{x.bits}, min_val = {lo} : "
                       f"i{x.bits}}} ", np.clip(x.data, lo, hi), x.bits, x.zero)

    def finish(self, sums, activation, bits=8, scale=None):
        """Bytes of sums, with scales by what the sums are, or `scale`, and a clamp."""
        self.sums = sums.data
        channels = sums.data.shape[-1]
        spread = np.abs(sums.data).reshape(-1, channels).max(0) + 1.0
        if self.per_channel:
            scales = 100.0 / spread * self.random.uniform(0.5, 1.2, channels)
        else:
            scales = np.array([100.0 / spread.max()])
        scales = np.minimum(scales, 0.9) * (1.0 if bits == 8 else 200.0)
        scales = scales if scale is None else np.array([scale])
        zero = 0 if bits == 16 else -128 if activation else int(
            self.random.integers(-30, 30))
        y = self.rescale(sums, scales, zero, bits)
        if activation == "relu6":
            return self.clamp(y, zero, int(self.random.integers(40, 120))
                              * (1 if bits == 8 else 200))
        return self.clamp(y, zero) if activation == "relu" and zero > -128 else y

    def weights(self, shape, out_axis):
        w = self.random.normal(0, 40, shape)
        return np.clip(np.rint(w), -127, 127).astype(i64)

    def conv(self, x, out, kernel=(3, 3), stride=(1, 1), pad=(1, 1, 1, 1),
             activation=None, dilation=(1, 1), scale=None):
        channels = x.data.shape[3]
        w = self.weights((out, *kernel, channels), 0)
        b = self.random.integers(-3000, 3000, out)
        bits = 48 if x.bits == 16 else 32
        if bits == 48:
            b = b * 500
        data = tosa.conv2d(x.data, w, b, x.zero, 0, pad, stride, dilation, bits)
        self.macs += data[0].size * w[0].size
        sums = self.op(
            "conv2d", [x, self.constant(w, 8), self.constant(b, bits),
                       self.constant([x.zero], x.bits), self.constant([0], 8)],
            self.geometry(pad, stride, dilation, bits), data, bits)
        return self.finish(sums, activation, x.bits, scale)

    @staticmethod
    def geometry(pad, stride, dilation, bits=32):
        def array(numbers):
            return "array<i64: " + ", ".join(map(str, numbers)) + ">"
        return (f"{{acc_type = i{bits}, dilation = {array(dilation)}, pad = {array(pad)}, "
                f"stride = {array(stride)}}} ")

    def depthwise(self, x, kernel=(3, 3), stride=(1, 1), pad=(1, 1, 1, 1), multiplier=1,
                  activation=None):
        channels = x.data.shape[3]
        w = self.weights((*kernel, channels, multiplier), 2)
        b = self.random.integers(-2000, 2000, channels * multiplier)
        bits = 48 if x.bits == 16 else 32
        data = tosa.depthwise_conv2d(x.data, w, b, x.zero, 0, pad, stride, (1, 1), bits)
        self.macs += data[0].size * kernel[0] * kernel[1]
        sums = self.op("depthwise_conv2d",
                       [x, self.constant(w, 8), self.constant(b, bits),
                        self.constant([x.zero], x.bits), self.constant([0], 8)],
                       self.geometry(pad, stride, (1, 1), bits), data, bits)
        return self.finish(sums, activation, x.bits)

    def transposed(self, x, out, kernel=(3, 3), stride=(2, 2), out_pad=(0, -1, 0, -1),
                   activation=None):
        w = self.weights((out, *kernel, x.data.shape[3]), 0)
        b = self.random.integers(-2000, 2000, out)
        bits = 48 if x.bits == 16 else 32
        data = tosa.transpose_conv2d(x.data, w, b, x.zero, 0, out_pad, stride, bits)
        macs = x.data[0].size * out * kernel[0] * kernel[1]
        self.macs += macs
        self.transposed_macs += macs
        pads = "array<i64: " + ", ".join(map(str, out_pad)) + ">"
        strides = "array<i64: " + ", ".join(map(str, stride)) + ">"
        sums = self.op("transpose_conv2d",
                       [x, self.constant(w, 8), self.constant(b, bits),
                        self.constant([x.zero], x.bits), self.constant([0], 8)],
                       f"{{acc_type = i{bits}, out_pad = {pads}, stride = {strides}}} ",
                       data, bits)
        return self.finish(sums, activation, x.bits)

    def reshape(self, x, shape):
        first = 1 if self.batch == "1" else -1
        return self.op("reshape", [x, self.shape((first, *shape))], "",
                       x.data.reshape(-1, *shape), x.bits, x.zero)

    def fully_connected(self, x, out, activation=None):
        """As a 1x1 convolution of one pixel."""
        pixel = self.reshape(x, (1, 1, math.prod(x.data.shape[1:])))
        y = self.conv(pixel, out, (1, 1), pad=(0, 0, 0, 0), activation=activation)
        return self.reshape(y, (out,))

    def matmul(self, x, out, activation=None):
        """[1, rows, in] by a constant."""
        w = self.weights((1, x.data.shape[2], out), 2)
        data = tosa.matmul(x.data, w, x.zero, 0)
        self.macs += data[0].size * x.data.shape[2]
        sums = self.op("matmul", [x, self.constant(w, 8), self.constant([x.zero], 8),
                                  self.constant([0], 8)], "", data, 32)
        return self.finish(sums, activation)

    def widen(self, x, scale):
        return self.rescale(x, scale, 0, 32, input_zero=x.zero)

    def arithmetic(self, name, a, b, activation=None):
        """add, or sub: TFLite shifts both to the left by 20 bits first."""
        sa, sb = self.random.uniform(0.5, 1, 2)
        largest = 2 * max(sa, sb)
        lhs = self.widen(a, 2.0**20 * sa / largest)
        rhs = self.widen(b, 2.0**20 * sb / largest)
        data = lhs.data + rhs.data if name == "add" else lhs.data - rhs.data
        sums = self.op(name, [lhs, rhs], "", data, 32)
        zero = int(self.random.integers(-20, 20))
        y = self.rescale(sums, largest / 2.0**20 * 0.6, zero)
        return self.clamp(y, zero) if activation else y

    def mul(self, a, b):
        lhs, rhs = self.widen(a, 1.0), self.widen(b, 1.0)
        product = self.op("mul", [lhs, rhs, self.constant([0], 8)], "",
                          lhs.data * rhs.data, 32)
        return self.rescale(product, 1 / 150.0, int(self.random.integers(-20, 20)))

    def max_pool(self, x, kernel=(2, 2), stride=(2, 2), pad=(0, 0, 0, 0)):
        return self.pool("max_pool2d", [x], x, kernel, stride, pad,
                         tosa.max_pool2d(x.data, kernel, stride, pad))

    def avg_pool(self, x, kernel, stride, pad=(0, 0, 0, 0)):
        zero = self.constant([x.zero], 8)
        return self.pool("avg_pool2d", [x, zero, zero], x, kernel, stride, pad,
                         tosa.avg_pool2d(x.data, kernel, stride, pad, x.zero, x.zero),
                         "acc_type = i32, ")

    def pool(self, name, operands, x, kernel, stride, pad, data, extra=""):
        def array(numbers):
            return "array<i64: " + ", ".join(map(str, numbers)) + ">"
        return self.op(name, operands, f"{{{extra}kernel = {array(kernel)}, pad = "
                       f"{array(pad)}, stride = {array(stride)}}} ", data, 8, x.zero)

    def slice(self, x, sizes):
        """The first pixels."""
        height, width = sizes
        data = x.data[:, :height, :width]
        return self.op("slice", [x, self.shape((0, 0, 0, 0)),
                                 self.shape((1, *data.shape[1:]))], "", data, 8, x.zero)

    def table(self, x, function, zero=0):
        entries = np.clip(np.rint([function(q - x.zero) for q in range(-128, 128)]),
                          -128, 127).astype(i64)
        y = self.op("table", [x, self.constant(entries, 8)], "",
                    tosa.table8(x.data, entries), 8, zero)
        return y

    def concat(self, values, axis=3):
        return self.op("concat", values, f"{{axis = {axis} : i32}} ",
                       np.concatenate([v.data for v in values], axis), 8,
                       values[0].zero)

    def same_zero(self, x, zero):
        """What concat needs: the same numbers with another zero point."""
        return self.rescale(x, 0.9, zero, input_zero=x.zero)

    def pad(self, x, pads):
        flat = [n for pair in ((0, 0), *pads) for n in pair]
        return self.op("pad", [x, self.shape(flat), self.constant([x.zero], 8)], "",
                       np.pad(x.data, ((0, 0), *pads), constant_values=x.zero), 8, x.zero)

    def resize(self, x, factor):
        """Centers of pixels are half way."""
        return self.op("resize", [
            x, self.shape((2 * factor, 2, 2 * factor, 2)),
            self.shape((1 - factor, 1 - factor)), self.shape((factor - 1, factor - 1))],
            "{mode = NEAREST_NEIGHBOR} ",
            tosa.resize_nearest(x.data, 2 * factor, 2, 1 - factor, factor - 1), 8, x.zero)

    def mean(self, x):
        """Over the image: a sum in i32, and a rescale."""
        wide = self.widen(x, 1.0)
        rows = self.op("reduce_sum", [wide], "{axis = 1 : i32} ",
                       wide.data.sum(1, keepdims=True), 32)
        sums = self.op("reduce_sum", [rows], "{axis = 2 : i32} ",
                       rows.data.sum(2, keepdims=True), 32)
        count = x.data.shape[1] * x.data.shape[2]
        return self.rescale(sums, 1.5 / count, int(self.random.integers(-20, 20)))

    def integers(self, number, rank, bits=32):
        return self.constant(np.full([1] * rank, number, i64), bits)

    def wide(self, name, a, b, attributes="", bits=32):
        """An elementwise op on i32, `b` a value or a number."""
        other = np.asarray(b.data if isinstance(b, Value) else b, i64)
        rounds = "round = true" in attributes
        data = {"add": lambda: a.data + other, "sub": lambda: a.data - other,
                "mul": lambda: tosa.mul(a.data, other, 0),
                "greater_equal": lambda: (a.data >= other).astype(i64),
                "logical_left_shift": lambda: tosa.logical_left_shift(a.data, other),
                "arithmetic_right_shift":
                    lambda: tosa.arithmetic_right_shift(a.data, other, rounds)}[name]()
        operands = [a, b if isinstance(b, Value) else self.integers(b, a.data.ndim)]
        if name == "mul":
            operands.append(self.constant([0], 8))
        return self.op(name, operands, attributes, tosa.accumulators(data), bits)

    def table16(self, x, function):
        """`function` of [-1, 1] to [-1, 1], 15 bits each."""
        entries = np.clip(np.rint([32768 * function(i / 256)
                                   for i in range(-256, 257)]), -32768, 32767)
        return self.op("table", [x, self.constant(entries.astype(i64), 16)], "",
                       tosa.table16(x.data, entries.astype(i64)), 32)

    def resize_bilinear(self, x, factor):
        """Centers of pixels are half way; squares of the numerator are scaled back."""
        data = tosa.resize_bilinear(x.data, 2 * factor, 2, 1 - factor, factor - 1)
        sums = self.op("resize", [
            x, self.shape((2 * factor, 2, 2 * factor, 2)),
            self.shape((1 - factor, 1 - factor)), self.shape((factor - 1, factor - 1))],
            "{mode = BILINEAR} ", data, 32)
        return self.rescale(sums, 1 / (2 * factor)**2, x.zero,
                            input_zero=0) if x.zero == 0 else self.rescale(
                                sums, 1 / (2 * factor)**2, 0)

    def prelu(self, x, alphas):
        """x for x >= 0, alpha x else: both are rescaled, and one is chosen."""
        wide = self.widen(x, 1.0)
        scaled = self.op("mul", [wide, self.constant(np.asarray(alphas, i64).reshape(
            1, 1, 1, -1), 32), self.constant([0], 8)], "", wide.data * alphas, 32)
        zero = int(self.random.integers(-20, 20))
        positive = self.rescale(wide, 0.7, zero)
        negative = self.rescale(scaled, 0.7 / 128, zero)
        isPositive = self.wide("greater_equal", wide, 0, bits=1)
        return self.op("select", [isPositive, positive, negative], "",
                       np.where(isPositive.data, positive.data, negative.data), 8, zero)

    def text(self, *results):
        names = ", ".join(r.name for r in results)
        types = ", ".join(r.type for r in results)
        body = "\n".join(f"  {line}" for line in self.lines)
        return (f"func.func @main(%x: {self.input.type}) -> ({types}) {{\n{body}\n"
                f"  return {names} : {types}\n}}\n")


def mobilenet_v1(b):
    x = b.conv(b.input, 8, stride=(2, 2), pad=(0, 1, 0, 1), activation="relu6")
    for out, stride in ((16, 1), (32, 2)):
        pad = (0, 1, 0, 1) if stride == 2 else (1, 1, 1, 1)
        x = b.depthwise(x, stride=(stride, stride), pad=pad, activation="relu6")
        x = b.conv(x, out, (1, 1), pad=(0, 0, 0, 0), activation="relu6")
    size = x.data.shape[1]
    x = b.avg_pool(x, (size, size), (1, 1))
    return b.fully_connected(x, 10)


def mobilenet_v2(b):
    x = b.conv(b.input, 8, stride=(2, 2), pad=(0, 1, 0, 1), activation="relu6")
    for _ in range(2):
        y = b.conv(x, 24, (1, 1), pad=(0, 0, 0, 0), activation="relu6")
        y = b.depthwise(y, activation="relu6")
        y = b.conv(y, 8, (1, 1), pad=(0, 0, 0, 0))
        x = b.arithmetic("add", x, y)
    return x


def squeeze_excite(b):
    x = b.conv(b.input, 16, activation="relu")
    s = b.mean(x)
    s = b.conv(s, 4, (1, 1), pad=(0, 0, 0, 0), activation="relu")
    s = b.conv(s, 16, (1, 1), pad=(0, 0, 0, 0))
    s = b.table(s, lambda q: 256 / (1 + math.exp(-q / 20)) - 128)
    return b.conv(b.mul(x, s), 8, (1, 1), pad=(0, 0, 0, 0))


def residual(b):
    x = b.conv(b.input, 16, activation="relu")
    y = b.conv(b.conv(x, 16, activation="relu"), 16)
    x = b.arithmetic("add", y, x, "relu")
    y = b.conv(x, 32, stride=(2, 2), pad=(0, 1, 0, 1), activation="relu")
    y = b.conv(y, 32)
    inner = b.slice(x, [n - 1 for n in x.data.shape[1:3]])
    z = b.conv(inner, 32, (1, 1), (2, 2), (0, 0, 0, 0))
    y = b.arithmetic("sub", y, z)
    return b.conv(b.pad(y, ((1, 1), (1, 1), (0, 0))), 8, pad=(0, 0, 0, 0))


def inception(b):
    x = b.conv(b.input, 16, activation="relu")
    one = b.conv(x, 8, (1, 1), pad=(0, 0, 0, 0), activation="relu")
    three = b.conv(b.conv(x, 4, (1, 1), pad=(0, 0, 0, 0)), 8, activation="relu")
    five = b.conv(b.conv(x, 4, (1, 1), pad=(0, 0, 0, 0)), 4, (5, 5), pad=(2, 2, 2, 2),
                  activation="relu")
    pooled = b.conv(b.max_pool(x, (3, 3), (1, 1), (1, 1, 1, 1)), 4, (1, 1),
                    pad=(0, 0, 0, 0), activation="relu")
    x = b.concat([one, three, five, b.same_zero(pooled, one.zero)])
    x = b.avg_pool(x, (3, 3), (1, 1), (1, 1, 1, 1))
    return b.conv(x, 8, (3, 3), dilation=(2, 2), pad=(2, 2, 2, 2))


def unet(b):
    x = b.conv(b.input, 8, activation="relu")
    down = b.conv(b.max_pool(x), 16, activation="relu")
    low = b.conv(b.max_pool(down), 16, activation="relu")
    up = b.transposed(low, 16, activation="relu")
    y = b.conv(b.concat([up, down]), 8, activation="relu")
    y = b.concat([b.resize(y, 2), x])
    return b.conv(y, 4, (1, 1), pad=(0, 0, 0, 0))


def keyword_spotting(b):
    """Depthwise in one dimension, over time."""
    x = b.conv(b.input, 16, (5, 1), pad=(2, 2, 0, 0), activation="relu")
    for _ in range(2):
        x = b.depthwise(x, (5, 1), pad=(2, 2, 0, 0), activation="relu")
        x = b.conv(x, 16, (1, 1), pad=(0, 0, 0, 0), activation="relu")
    x = b.depthwise(x, (3, 1), pad=(1, 1, 0, 0), multiplier=2)
    return b.fully_connected(b.avg_pool(x, (x.data.shape[1], 1), (1, 1)), 12)


def softmax_head(b):
    """The exponential by a table of the distance to the largest, and the sum's
    reciprocal by another."""
    x = b.fully_connected(b.conv(b.input, 8, activation="relu"), 10)
    largest = b.op("reduce_max", [x], "{axis = 1 : i32} ",
                   x.data.max(1, keepdims=True), 8, x.zero)
    wide = b.rescale(x, 1.0, 0, 32, input_zero=x.zero)
    top = b.rescale(largest, 1.0, 0, 32, input_zero=x.zero)
    distance = b.op("sub", [wide, top], "", wide.data - top.data, 32)
    distance = b.rescale(distance, 1.0, 127)
    e = b.table(distance, lambda q: 127 * math.exp(q / 24))
    wide = b.rescale(e, 1.0, 0, 32)
    total = b.op("reduce_sum", [wide], "{axis = 1 : i32} ",
                 wide.data.sum(1, keepdims=True), 32)
    r = b.table(b.rescale(total, 0.1, -128), lambda q: 3810 / (q + 12) - 128,
                zero=-128)
    return b.mul(e, r)


def mlp(b):
    x = b.reshape(b.input, (8, 16))
    x = b.matmul(x, 24, "relu")
    return b.matmul(x, 10)


def int16x8(b):
    x = b.rescale(b.input, 200.0, 0, 16, input_zero=b.input.zero)
    x = b.conv(x, 8, activation="relu")
    x = b.depthwise(x, activation="relu6")
    x = b.depthwise(x, multiplier=2)
    x = b.conv(x, 12, (1, 1), pad=(0, 0, 0, 0))
    return b.fully_connected(x, 5)


def int16x8_edges(b):
    """Inputs and results reach both limits, and one sum in 128 is a tie."""
    x = b.rescale(b.input, 330.0, 0, 16, input_zero=b.input.zero)
    y = b.conv(x, 20, scale=2.0**-7)
    for data in (x.data, y.data):
        assert data.min() == -32768 and data.max() == 32767
    assert (b.sums % 128 == 64).any()
    return y


def int16x8_transposed(b):
    """Strides on each axis; weights of -128 and 127, and rows that are cut off."""
    x = b.rescale(b.input, 200.0, 0, 16, input_zero=b.input.zero)
    x = b.transposed(x, 5, activation="relu")
    b.weights = lambda shape, _: b.random.choice([-128, 127], shape).astype(i64)
    x = b.transposed(x, 9, (4, 2), (3, 1), (-1, 1, 0, 0))
    return b.transposed(x, 3, (2, 3), (1, 1), (0, 0, -1, -1))


def scale16(b):
    """32-bit sums with multipliers of 16 bits, which round once."""
    b.scale16 = True
    x = b.conv(b.input, 12, activation="relu")
    y = b.depthwise(x, multiplier=2, activation="relu6")
    y = b.conv(y, 12, (1, 1), pad=(0, 0, 0, 0))
    return b.fully_connected(b.arithmetic("add", x, y), 6)


def unsigned_edges(b):
    """Bytes without a sign come in and go out, by a rescale each."""
    data = b.input.data
    b.input.data = data + 128
    x = b.rescale(b.input, 1.0, 0, input_zero=128, unsigned=(True, False))
    assert (x.data == data).all()
    x = b.depthwise(b.conv(x, 8, stride=(2, 1)), multiplier=3)
    return b.rescale(x, 1.0, 128, input_zero=0, unsigned=(False, True))


def activations(b):
    """A PReLU, a hard swish by table, a clamp by itself, and padding by a pad."""
    x = b.conv(b.input, 8)
    x = b.prelu(x, b.random.integers(-60, 120, 8))
    x = b.table(x, lambda q: q * min(max(q / 40 + 0.5, 0), 1))
    x = b.conv(b.pad(b.clamp(x, -30, 90), ((0, 1), (2, 1), (0, 0))), 8,
               stride=(2, 2), pad=(1, 1, 0, 0), activation="relu6")
    x = b.avg_pool(x, (3, 3), (2, 2), (1, 1, 0, 0))
    return b.conv(x, 4, (1, 1), pad=(0, 0, 0, 0))


def resized(b):
    x = b.conv(b.input, 8, activation="relu")
    x = b.resize_bilinear(x, 2)
    return b.conv(b.resize(x, 3), 4, stride=(3, 3), pad=(0, 0, 0, 0))


def small_scales(b):
    """Scales from those of tiny sums to those above 1, shifts of 2 to 62."""
    x = b.conv(b.input, 6, (1, 1), pad=(0, 0, 0, 0))
    b.finish = lambda sums, activation, bits=8, scale=None: b.rescale(
        sums, 2.0 ** b.random.uniform(-33, 2, sums.data.shape[-1]), 5)
    x = b.conv(x, 40, (1, 1), pad=(0, 0, 0, 0))
    x = b.rescale(x, 2.0**-4, -3, input_zero=5)
    return b.rescale(b.rescale(x, 2.0**25 * 0.7, 0, 32, input_zero=-3), 2.0**-23, 1)


def softmax16(b):
    """The 16-bit softmax: exponentials and a reciprocal by tables of 513 entries,
    with the sum's leading zeros taken out and back."""
    x = b.rescale(b.input, 330.0, 0, 16, input_zero=b.input.zero)
    x = b.fully_connected(b.conv(x, 8, activation="relu"), 10)
    wide = b.rescale(x, 1.0, 0, 32)
    top = b.op("reduce_max", [wide], "{axis = 1 : i32} ",
               wide.data.max(1, keepdims=True), 32)
    near = b.rescale(b.wide("sub", wide, top), 0.8, 0, 32, double=True)
    near = b.rescale(b.wide("add", near, 32767), 1.0, 0, 16)
    e = b.wide("arithmetic_right_shift",
               b.table16(near, lambda t: math.exp(5 * (t - 1))), 7, "{round = true} ")
    total = b.op("reduce_sum", [e], "{axis = 1 : i32} ", e.data.sum(1, keepdims=True),
                 32)
    zeros = b.op("clz", [total], "", tosa.clz(total.data), 32)
    shifted = b.wide("logical_left_shift", total, b.wide("sub", zeros, 1))
    share = b.wide("arithmetic_right_shift", b.wide("sub", shifted, 1 << 30), 14,
                   "{round = true} ")
    share = b.rescale(b.wide("sub", share, 32768), 1.0, 0, 16)
    reciprocal = b.wide("arithmetic_right_shift",
                        b.table16(share, lambda t: 2 / (3 + t)), 7, "{round = true} ")
    product = b.wide("mul", e, reciprocal)
    back = b.op("sub", [b.integers(31, 2), zeros], "", 31 - zeros.data, 32)
    y = b.wide("arithmetic_right_shift", product, back, "{round = true} ")
    return b.rescale(y, 1.0, 0, 16)


def arithmetic16(b):
    """What of 16 bits is no convolution."""
    x = b.rescale(b.input, 200.0, 0, 16, input_zero=b.input.zero)
    y = b.conv(x, 4, activation="relu")
    lhs, rhs = b.rescale(x, 2.0**15 * 0.4, 0, 32), b.rescale(y, 2.0**15 * 0.5, 0, 32)
    z = b.rescale(b.wide("add", lhs, rhs), 2.0**-15, 0, 16)
    product = b.wide("mul", b.rescale(z, 1.0, 0, 32), b.rescale(x, 1.0, 0, 32))
    z = b.rescale(product, 1 / 30000, 0, 16)
    z = b.clamp(b.op("concat", [z, y], "{axis = 3 : i32} ",
                     np.concatenate([z.data, y.data], 3), 16), -9000)
    t = b.table16(z, lambda t: math.tanh(3 * t))
    return b.conv(b.rescale(t, 1 / 128, 0, 16), 5, (1, 1), pad=(0, 0, 0, 0))


# name: function, shape of the input, rounds twice, multipliers per channel
NETWORKS = {
    "mobilenet_v1": (mobilenet_v1, (16, 16, 3), True, True),
    "mobilenet_v2": (mobilenet_v2, (16, 16, 3), True, True),
    "squeeze_excite": (squeeze_excite, (8, 8, 4), True, False),
    "residual": (residual, (8, 8, 4), False, True),
    "inception": (inception, (9, 9, 6), True, True),
    "unet": (unet, (8, 8, 3), False, False),
    "keyword_spotting": (keyword_spotting, (20, 1, 10), True, True),
    "softmax_head": (softmax_head, (6, 6, 4), True, True),
    "mlp": (mlp, (8, 16), False, False),
    "int16x8": (int16x8, (8, 8, 3), False, True),
}
# Not among the ten.
MORE = {
    "int16x8_edges": (int16x8_edges, (8, 8, 3), False, True),
    "int16x8_transposed": (int16x8_transposed, (3, 4, 3), False, True),
    "scale16": (scale16, (8, 8, 3), False, True),
    "unsigned_edges": (unsigned_edges, (7, 6, 3), True, True),
    "activations": (activations, (8, 8, 4), True, True),
    "resized": (resized, (4, 5, 3), True, False),
    "small_scales": (small_scales, (4, 4, 6), True, True),
    "softmax16": (softmax16, (6, 6, 4), False, True),
    "arithmetic16": (arithmetic16, (6, 6, 4), False, True),
}


@dataclasses.dataclass
class Network:
    """The text of a network, its input and the integers of its result, and its
    multiply-accumulates."""

    text: str
    inputs: np.ndarray
    results: np.ndarray
    macs: int
    transposed_macs: int


def build(name, seed=0, count=8, batch="1"):
    function, shape, double, per_channel = {**NETWORKS, **MORE}[name]
    b = Builder(seed, shape, count, double, per_channel, batch)
    result = function(b)
    # Types have no sign.
    results = result.data.astype(f"i{result.bits // 8}")
    return Network(b.text(result), b.input.data.astype(np.int8), results.astype(i64),
                   b.macs, b.transposed_macs)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers through generated kernels: the integers of the formulas, on any target.

    kernels.py --bin DIR --work DIR [--random FIRST:LAST]

With --random, layers are drawn instead: 20 for each seed.

Each case is a layer with random weights, with what may be in its kernel behind
it, on one image, on two, and on a batch that is only known when it runs. The results of linalg and of the kernels of each target that this machine has
are compared with docs/Numerics.md in NumPy. Layers that are large enough to be cut
into parts run on five threads.
"""

import argparse
import pathlib
import subprocess
import sys

import numpy as np

from formulas import choose_dynamic

f32 = np.float32
TARGETS = ["amx", "avx512vnni", "avxvnni", "avx512", "avx2", "ssse3", "sse2", "i8mm",
           "dotprod", "portable", "scalar"]


def quantized(tensor):
    kind = "i8" if tensor.signed else "u8"
    if np.ndim(tensor.scale):
        pairs = ",".join(f"{s:.17e}:{z}" for s, z in zip(tensor.scale, tensor.zero))
        return f"!quant.uniform<{kind}:f32:0, {{{pairs}}}>"
    return f"!quant.uniform<{kind}:f32, {tensor.scale:.17e}:{tensor.zero}>"


class Tensor:
    """Integers with their parameters."""

    def __init__(self, data, scale, zero, signed=False):
        self.data, self.scale, self.zero, self.signed = data, scale, zero, signed

    @property
    def limits(self):
        return (-128, 127) if self.signed else (0, 255)

    @property
    def type(self):
        return f"tensor<{'x'.join(map(str, self.data.shape))}x{quantized(self)}>"

    @property
    def bytes(self):
        return self.data.astype(np.int8 if self.signed else np.uint8)


def plain(tensor):
    """The type of its bytes."""
    return f"tensor<{'x'.join(map(str, tensor.data.shape))}xi8>"


def draw_weights(random, kind, shape):
    """Of the last three kinds, four weights of a sign may add up to 128 and more,
    which is what 16 bits hold of products with 255."""
    if kind == "any":
        return random.integers(-128, 128, shape)
    if kind == "small":
        return random.integers(-20, 21, shape)
    if kind == "limit":
        return 32 * random.choice([-1, 1, 1, 1], shape)
    if kind == "normal":
        return np.clip(np.rint(27 * random.normal(size=shape)), -128, 127).astype(int)
    return np.where(random.random(shape) < 0.04, random.choice([-128, 127], shape),
                    random.integers(-6, 7, shape))


class Reals:
    def __init__(self, data):
        self.data = self.bytes = data.astype(f32)

    @property
    def type(self):
        return f"tensor<{'x'.join(map(str, self.data.shape))}xf32>"


def wrap(values):
    return values.astype(np.int64).astype(np.uint32).astype(np.int32)


def sums(x, w, stride, padding, dilation, groups):
    """Of an NHWC image, in 64 bits; the weight is [out, height, width, in]."""
    image = np.pad(x.data.astype(np.int64) - x.zero,
                   [(0, 0), tuple(padding[:2]), tuple(padding[2:]), (0, 0)])
    zeros = np.reshape(w.zero, (-1, 1, 1, 1))
    weight = w.data.astype(np.int64) - zeros
    out, height, width, inner = weight.shape
    rows = (image.shape[1] - dilation[0] * (height - 1) - 1) // stride[0] + 1
    columns = (image.shape[2] - dilation[1] * (width - 1) - 1) // stride[1] + 1
    result = np.zeros((image.shape[0], rows, columns, out), np.int64)
    for g in range(groups):
        outputs = slice(g * out // groups, (g + 1) * out // groups)
        channels = image[..., g * inner:(g + 1) * inner]
        for ky in range(height):
            for kx in range(width):
                taps = channels[:, ky * dilation[0]:, kx * dilation[1]:]
                taps = taps[:, :(rows - 1) * stride[0] + 1:stride[0],
                            :(columns - 1) * stride[1] + 1:stride[1]]
                result[..., outputs] += taps @ weight[outputs, ky, kx].T
    return result


def requantize(acc, x, w, y, lo, hi):
    sw = np.asarray(w.scale, np.float64)
    if y.signed:
        m = (f32(x.scale) * sw.astype(f32)).astype(f32) / f32(y.scale)
    else:
        m = (sw.astype(f32) * f32(x.scale)).astype(f32) * f32(f32(1) / f32(y.scale))
    product = acc.astype(f32) * m.astype(f32)
    if y.signed:
        product = np.minimum(product, f32(hi - y.zero))
    whole = np.rint(product.astype(np.float64))
    whole = np.where(np.abs(whole) < 2.0**31, whole, -2.0**31)
    return np.clip(np.clip(whole, -32768, 32767) + y.zero, lo, hi).astype(np.int64)


def addition(a, b, y, lo, hi):
    ra, rb = f32(a.scale) / f32(y.scale), f32(b.scale) / f32(y.scale)
    exponent = int(np.floor(np.log2(max(ra, rb))))
    shift = (20 if y.signed else 21) - exponent
    ma, mb = (int(np.rint(np.float64(r) * 2.0**shift)) for r in (ra, rb))
    acc = (a.data.astype(np.int64) - a.zero) * ma + (
        b.data.astype(np.int64) - b.zero) * mb
    if y.signed:
        rounded = (acc + (1 << (shift - 1))) >> shift
    else:
        rounded = np.sign(acc) * ((np.abs(acc) + (1 << (shift - 1))) >> shift)
    return np.clip(rounded + y.zero, lo, hi)


class Network:
    """A function with a result for each case."""

    def __init__(self, batch, seed):
        self.batch, self.random = batch, np.random.default_rng(seed)
        self.dynamic = batch == 3
        self.inputs, self.expected, self.lines, self.types = {}, [], [], []
        self.names = []

    def value(self):
        return f"%v{len(self.lines)}"

    def emit(self, text):
        name = self.value()
        self.lines.append(f"  {name} = {text}")
        return name

    def argument(self, shape, scale, zero, signed):
        lo, hi = (-128, 127) if signed else (0, 255)
        data = self.random.integers(lo, hi + 1, (self.batch, *shape))
        name = f"x{len(self.inputs)}"
        tensor = Tensor(data, scale, zero, signed)
        self.inputs[name] = tensor
        return f"%{name}", tensor

    def constant(self, data, element):
        raw = np.ascontiguousarray(data).tobytes().hex().upper()
        shape = "x".join(map(str, data.shape))
        return self.emit(f'arith.constant dense<"0x{raw}"> : tensor<{shape}x{element}>')

    def case(self, name, shape, out, kernel, stride=(1, 1), padding=(0, 0, 0, 0),
             dilation=(1, 1), groups=1, signed=False, channels=False, relu=False,
             weight_zero=0, clamp=False, residual=False, after=False, bias=True,
             spread=60.0, zero=None, weights="any"):
        """`spread` is how many steps of the result a sum is off zero. With `weights`
        of another kind, half of the input is as large as it can be."""
        random = self.random
        zero = (-3 if signed else 117) if zero is None else zero
        x_name, x = self.argument(shape, 0.02, zero, signed)
        inner = shape[-1] // groups
        data = draw_weights(random, weights, (out, *kernel, inner))
        if weights != "any":
            x.data = np.where(random.random(x.data.shape) < 0.5, x.limits[1], x.data)
        if weight_zero:
            data = np.clip(data, -100, 100)
        per_sum = 74.0 * max(data.std(), 1.0) * np.sqrt(inner * kernel[0] * kernel[1])
        sw = float(f32(spread / per_sum * 0.5 / 0.02))
        scale = ([float(f32(sw * f)) for f in random.uniform(0.5, 2, out)]
                 if channels else sw)
        w = Tensor(data, scale, [weight_zero] * out if channels else weight_zero,
                   signed=True)
        y = Tensor(np.zeros(0), 0.5, 5 if signed else 130, signed)
        lo, hi = y.limits
        raw = self.constant(data.astype(np.int8), "i8")
        weight = self.emit(f"quant.scast {raw} : "
                           f"tensor<{'x'.join(map(str, data.shape))}xi8> to {w.type}")
        acc = sums(x, w, stride, padding, dilation, groups)
        operands, types = [x_name, weight], [x.type, w.type]
        if bias:
            numbers = random.integers(-3000, 3000, out).astype(np.int32)
            acc += numbers
            operands.append(self.constant(numbers, "i32"))
            types.append(f"tensor<{out}xi32>")

        def array(values):
            return f"array<i64: {', '.join(map(str, values))}>"
        y.data = requantize(wrap(acc), x, w, y, y.zero if relu else lo, hi)
        result = self.emit(
            f"qnnpack.conv2d {', '.join(operands)} {{stride = {array(stride)}, "
            f"padding = {array(padding)}, dilation = {array(dilation)}, groups = "
            f"{groups} : i64{', relu' if relu else ''}}} : {', '.join(types)} -> "
            f"{y.type}")
        if clamp:
            result = self.emit(f"qnnpack.clamp {result} {{min = -20.0 : f32, max = "
                               f"25.0 : f32}} : {y.type} -> {y.type}")
            y.data = np.clip(y.data, max(lo, y.zero - 40), min(hi, y.zero + 50))
        if residual:
            other_name, other = self.argument(y.data.shape[1:], 0.25, zero, signed)
            z = Tensor(np.zeros(0), 0.75, -7 if signed else 100, signed)
            z.data = addition(y, other, z, z.zero if residual == "relu" else lo, hi)
            pair = [(result, y), (other_name, other)]
            if residual == "second":
                pair.reverse()
            result = self.emit(
                f"qnnpack.add {pair[0][0]}, {pair[1][0]} "
                f"{{{'relu' if residual == 'relu' else ''}}} : {pair[0][1].type}, "
                f"{pair[1][1].type} -> {z.type}")
            y = z
        if after:
            result = self.emit(f"qnnpack.relu {result} : {y.type} -> {y.type}")
            y.data = np.maximum(y.data, y.zero)
        self.finish(name, result, y)

    def linear(self, name, shape, out, signed=False, weights="any"):
        x_name, x = self.argument(shape, 0.02, 1, signed)
        data = draw_weights(self.random, weights, (out, shape[-1]))
        w = Tensor(data, float(f32(0.3 / shape[-1])), 0, signed=True)
        raw = self.constant(data.astype(np.int8), "i8")
        weight = self.emit(f"quant.scast {raw} : tensor<{out}x{shape[-1]}xi8> to "
                           f"{w.type}")
        y = Tensor(np.zeros(0), 0.5, 5, signed)
        acc = (x.data - x.zero) @ data.T
        y.data = requantize(wrap(acc), x, w, y, *y.limits)
        self.finish(name, self.emit(f"qnnpack.linear {x_name}, {weight} : {x.type}, "
                                    f"{w.type} -> {y.type}"), y)

    def dynamic_linear(self, name, shape, out, relu=False, weight_zero=0, bias=True,
                       weights="any"):
        """One range for all of the input; samples of a dynamic batch run alone."""
        random = self.random
        x = Reals(random.normal(0.3, 2, (self.batch, *shape)))
        x_name = f"x{len(self.inputs)}"
        self.inputs[x_name] = x
        runs = x.data if self.dynamic else [x.data]
        pairs = [choose_dynamic(run.min(), run.max()) for run in runs]
        scale, zero = (np.reshape(column, (-1, *(1 for _ in shape)))
                       for column in zip(*pairs))
        scale = scale.astype(f32)
        q = np.rint((x.data * (f32(1) / scale)).astype(np.float64)) + zero
        data = np.clip(draw_weights(random, weights, (out, shape[-1])), -100, 100)
        w = Tensor(data, random.uniform(0.001, 0.01, out).astype(f32),
                   [weight_zero] * out, signed=True)
        acc = (np.clip(q, 0, 255).astype(np.int64) - zero) @ (data - weight_zero).T
        y = wrap(acc).astype(f32) * (w.scale * scale)
        raw = self.constant(data.astype(np.int8), "i8")
        weight = self.emit(f"quant.scast {raw} : tensor<{out}x{shape[-1]}xi8> to "
                           f"{w.type}")
        operands, types = f"%{x_name}, {weight}", f"{x.type}, {w.type}"
        if bias:
            numbers = random.normal(size=out).astype(f32)
            operands += f", {self.constant(numbers, 'f32')}"
            types += f", tensor<{out}xf32>"
            y = y + numbers
        # Without a bias the engine adds 0.
        y = Reals(np.where(relu & (y < 0), f32(0), y + f32(0)))
        attributes = " {relu}" if relu else ""
        self.finish(name, self.emit(f"qnnpack.linear_dynamic {operands}{attributes} : "
                                    f"{types} -> {y.type}"), y)

    def table(self, name, shape, signed):
        """A byte for each byte, as linalg and TOSA write it."""
        x_name, x = self.argument(shape, 0.1, 0, signed)
        first, second = self.random.integers(-128, 128, (2, 256))
        given = self.emit(f"quant.scast {x_name} : {x.type} to {plain(x)}")
        rank = x.data.ndim
        dims = ", ".join(f"d{i}" for i in range(rank))
        identity = f"affine_map<({dims}) -> ({dims})>"
        loops = ", ".join(['"parallel"'] * rank)
        # What is written to is of the shape of what is read, also if that is dynamic.
        entries = self.constant(first.astype(np.int8), "i8")
        looked = self.emit(
            f"linalg.generic {{indexing_maps = [{identity}, {identity}], "
            f"iterator_types = [{loops}]}} ins({given} : {plain(x)}) "
            f"outs({given} : {plain(x)}) {{\n"
            f"  ^bb0(%byte: i8, %out: i8):\n"
            f"    %at = arith.index_castui %byte : i8 to index\n"
            f"    %entry = tensor.extract {entries}[%at] : tensor<256xi8>\n"
            f"    linalg.yield %entry : i8\n  }} -> {plain(x)}")
        entries = self.constant(second.astype(np.int8), "i8")
        looked = self.emit(f"tosa.table {looked}, {entries} : "
                           f"({plain(x)}, tensor<256xi8>) -> {plain(x)}")
        bytes_ = first.astype(np.int8)[x.bytes.view(np.uint8)]
        y = Tensor(second[bytes_.astype(np.int64) + 128], 0.1, 0, signed=True)
        self.finish(name, self.emit(f"quant.scast {looked} : {plain(x)} to {y.type}"),
                    y)

    def line(self, name, shape, out, kernel, stride, padding, dilation):
        x_name, x = self.argument(shape, 0.02, 9, False)
        data = self.random.integers(-128, 128, (out, kernel, shape[-1]))
        w = Tensor(data, float(f32(0.05 / shape[-1])), 0, signed=True)
        raw = self.constant(data.astype(np.int8), "i8")
        weight = self.emit(f"quant.scast {raw} : tensor<{out}x{kernel}x{shape[-1]}xi8>"
                           f" to {w.type}")
        image = Tensor(x.data[:, None], x.scale, x.zero)
        acc = sums(image, Tensor(data[:, None], w.scale, 0), (1, stride),
                   (0, 0, *padding), (1, dilation), 1)[:, 0]
        y = Tensor(np.zeros(0), 0.5, 5)
        y.data = requantize(wrap(acc), x, w, y, *y.limits)
        self.finish(name, self.emit(
            f"qnnpack.conv1d {x_name}, {weight} {{stride = array<i64: {stride}>, "
            f"padding = array<i64: {padding[0]}, {padding[1]}>, dilation = "
            f"array<i64: {dilation}>, groups = 1 : i64}} : {x.type}, {w.type} -> "
            f"{y.type}"), y)

    def layer(self, name, op, x, weight, attributes, acc, signed):
        """A layer without a bias, of any rank, whose sums are `acc`."""
        x_name, x = x
        scale = float(f32(0.25 / np.sqrt(np.prod(weight.shape[1:]))))
        w = Tensor(weight, scale, 0, signed=True)
        dims = "x".join(map(str, weight.shape))
        raw = self.constant(weight.astype(np.int8), "i8")
        cast = self.emit(f"quant.scast {raw} : tensor<{dims}xi8> to {w.type}")
        y = Tensor(np.zeros(0), 0.5, 5, signed)
        y.data = requantize(wrap(acc), x, w, y, *y.limits)
        fields = ", ".join(
            f"{key} = array<i64: {', '.join(map(str, values))}>"
            if isinstance(values, tuple) else f"{key} = {values} : i64"
            for key, values in attributes.items())
        self.finish(name, self.emit(f"qnnpack.{op} {x_name}, {cast} {{{fields}}} : "
                                    f"{x.type}, {w.type} -> {y.type}"), y)

    def transposed(self, name, shape, out, kernel, stride, padding, added=(0, 0),
                   dilation=(1, 1), groups=1, signed=False):
        axes = len(kernel)
        x = self.argument(shape, 0.02, -9 if signed else 9, signed)
        weight = self.random.integers(-128, 128, (out, *kernel, shape[-1] // groups))
        flat = [(x[1].data - x[1].zero), weight]
        if axes == 1:
            flat = [flat[0][:, None], weight[:, None]]
        image, taps = flat
        ones = (1,) * (2 - axes)
        s, d = ones + stride, ones + dilation
        lows = [0] * (2 - axes) + list(padding[::2])
        highs = [0] * (2 - axes) + list(padding[1::2])
        grown = [0] * (2 - axes) + list(added[:axes])
        size = [(image.shape[1 + i] - 1) * s[i] + d[i] * (taps.shape[1 + i] - 1) + 1
                + grown[i] for i in range(2)]
        acc = np.zeros((len(image), *size, out), np.int64)
        into, of = shape[-1] // groups, out // groups
        for g in range(groups):
            for ky in range(taps.shape[1]):
                for kx in range(taps.shape[2]):
                    rows = slice(ky * d[0], ky * d[0] + (image.shape[1] - 1) * s[0] + 1,
                                 s[0])
                    columns = slice(kx * d[1],
                                    kx * d[1] + (image.shape[2] - 1) * s[1] + 1, s[1])
                    o = slice(g * of, (g + 1) * of)
                    acc[:, rows, columns, o] += (
                        image[..., g * into:(g + 1) * into] @ taps[o, ky, kx].T)
        acc = acc[:, lows[0]:size[0] - highs[0], lows[1]:size[1] - highs[1]]
        if axes == 1:
            acc = acc[:, 0]
        self.layer(name, f"conv_transpose{axes}d", x, weight, {
            "stride": stride, "padding": padding, "output_padding": added[:axes],
            "dilation": dilation, "groups": groups}, acc, signed)

    def volume(self, name, shape, out, kernel, stride=(1, 1, 1), padding=(0,) * 6,
               dilation=(1, 1, 1), groups=1):
        x = self.argument(shape, 0.02, 9, False)
        weight = self.random.integers(-128, 128, (out, *kernel, shape[-1] // groups))
        depth = np.pad(x[1].data, [(0, 0), tuple(padding[:2])] + [(0, 0)] * 3,
                       constant_values=x[1].zero)
        images = (depth.shape[1] - dilation[0] * (kernel[0] - 1) - 1) // stride[0] + 1
        acc = np.stack([sum(
            sums(Tensor(depth[:, z * stride[0] + k * dilation[0]], 0, x[1].zero),
                 Tensor(weight[:, k], 0, 0), stride[1:], padding[2:], dilation[1:],
                 groups) for k in range(kernel[0])) for z in range(images)], axis=1)
        self.layer(name, "conv3d", x, weight, {
            "stride": stride, "padding": padding, "dilation": dilation,
            "groups": groups}, acc, signed=False)

    def finish(self, name, value, result):
        self.names.append((name, value))
        self.types.append(result.type)
        self.expected.append(result.bytes)

    def write(self, path):
        arguments = ", ".join(f"%{n}: {t.type} loc(\"{n}\")"
                              for n, t in self.inputs.items())
        results = ", ".join(value for _, value in self.names)
        types = ", ".join(self.types)
        text = "\n".join([
            f"func.func @main({arguments}) -> ({types}) {{", *self.lines,
            f"  return {results} : {types}", "}", ""])
        if self.dynamic:
            # No layer has so few outputs: these are images and rows.
            text = text.replace(f"tensor<{self.batch}x", "tensor<?x")
        path.write_text(text)
        np.savez(path.with_suffix(".npz"),
                 **{n: t.bytes for n, t in self.inputs.items()})


def build(batch, seed):
    n = Network(batch, seed)
    for signed in (False, True):
        s = "signed " if signed else ""
        n.case(s + "1x1", (5, 7, 64), 64, (1, 1), signed=signed)
        n.case(s + "1x1 of odd channels", (3, 5, 7), 37, (1, 1), signed=signed,
               channels=True)
        n.case(s + "1x1 of three channels", (6, 5, 3), 4, (1, 1), signed=signed)
        n.case(s + "1x1 with stride", (9, 7, 20), 24, (1, 1), stride=(2, 3),
               signed=signed)
        n.case(s + "3x3 of a stem", (15, 13, 3), 32, (3, 3), stride=(2, 2),
               padding=(1, 1, 1, 1), signed=signed, relu=True)
        n.case(s + "3x3", (9, 14, 16), 80, (3, 3), padding=(1, 1, 1, 1),
               signed=signed, channels=not signed)
        n.case(s + "5x2, dilated, padded unevenly", (11, 12, 6), 10, (5, 2),
               padding=(3, 0, 1, 2), dilation=(2, 3), signed=signed, clamp=True)
        n.case(s + "groups", (6, 6, 24), 48, (3, 3), padding=(1, 1, 1, 1), groups=3,
               signed=signed)
        n.case(s + "small groups", (6, 6, 6), 6, (3, 3), groups=3, signed=signed)
        n.case(s + "depthwise", (7, 9, 40), 40, (3, 3), padding=(1, 1, 1, 1),
               groups=40, signed=signed, clamp=True)
        n.case(s + "depthwise 5x5 with stride", (11, 10, 16), 16, (5, 5),
               stride=(2, 2), padding=(2, 2, 2, 2), groups=16, signed=signed)
        n.case(s + "depthwise 1x7, dilated", (5, 19, 33), 33, (1, 7),
               dilation=(1, 3), groups=33, signed=signed, residual=True)
        # Blocks of four vectors, whose bytes are packed: whole ones, those with one
        # or two vectors behind them, and one that overlaps another.
        n.case(s + "depthwise of 64", (6, 9, 64), 64, (3, 3), padding=(1, 1, 1, 1),
               groups=64, signed=signed, channels=True, relu=True)
        n.case(s + "depthwise of 144 with stride", (7, 10, 144), 144, (3, 3),
               stride=(1, 2), padding=(1, 0, 2, 1), groups=144, signed=signed,
               clamp=True)
        n.case(s + "depthwise 5x5 of 100", (7, 8, 100), 100, (5, 5), groups=100,
               signed=signed)
        n.case(s + "depthwise of 80, dilated", (7, 17, 80), 80, (2, 3),
               dilation=(2, 3), groups=80, signed=signed, clamp=True, relu=True)
        n.case(s + "1x1 to 60, clamped", (5, 7, 8), 60, (1, 1), signed=signed,
               clamp=True, channels=True)
        n.case(s + "1x1 to 150 in groups", (5, 7, 16), 300, (1, 1), signed=signed,
               groups=2, relu=True)
        n.case(s + "depthwise with a multiplier", (5, 5, 8), 16, (3, 3), groups=8,
               signed=signed)
        n.case(s + "residual", (6, 5, 32), 48, (1, 1), signed=signed, residual=True)
        n.case(s + "second residual, relu", (6, 5, 8), 17, (3, 3), signed=signed,
               residual="second", after=True)
        n.case(s + "clamp, residual with relu", (6, 5, 8), 18, (1, 1),
               signed=signed, clamp=True, residual="relu")
        # Rows of tiles that overlap, steps of fewer bytes, vectors that aren't full.
        n.case(s + "1x1 of many pixels", (7, 11, 48), 100, (1, 1), signed=signed,
               residual=True)
        n.case(s + "3x3, rows of 17", (3, 17, 32), 24, (3, 3), padding=(1, 1, 1, 1),
               signed=signed)
        n.case(s + "3x3, wide, with stride", (9, 39, 64), 33, (3, 3), stride=(2, 2),
               padding=(0, 1, 1, 0), signed=signed, channels=True)
        n.case(s + "dilated, in groups", (9, 9, 128), 80, (2, 3), dilation=(2, 3),
               padding=(1, 1, 2, 0), groups=2, signed=signed)
        # Products that are added in 16 bits.
        n.case(s + "small weights", (6, 13, 36), 40, (3, 3), padding=(1, 1, 1, 1),
               signed=signed, weights="small", residual=True)
        n.case(s + "weights of 32", (5, 7, 48), 24, (1, 1), signed=signed,
               weights="limit")
        n.case(s + "large weights here and there", (9, 8, 20), 33, (3, 2),
               stride=(2, 1), dilation=(1, 2), padding=(1, 0, 2, 1), signed=signed,
               channels=True, weights="sparse")
        n.case(s + "normal weights in groups", (6, 6, 160), 176, (3, 3), groups=2,
               signed=signed, weights="normal", relu=True)
        n.linear(s + "linear", (100,), 30, signed)
        n.linear(s + "linear, normal weights", (3, 260), 50, signed, "normal")
        n.dynamic_linear(s + "dynamic linear, normal weights", (3, 260), 50,
                         relu=signed, weights="normal")
        n.linear(s + "linear of rows", (3, 4, 9), 1000, signed)
        n.dynamic_linear(s + "dynamic linear", (67,), 21 if signed else 64,
                         relu=signed, bias=not signed)
        n.dynamic_linear(s + "dynamic linear of rows", (13, 128), 40, relu=not signed,
                         weight_zero=-9 if signed else 0)
        n.table(s + "table", (700,), signed)
        n.table(s + "table of rows", (3, 5, 37), signed)
        n.transposed(s + "transposed 2x2", (5, 4, 12), 20, (2, 2), (2, 2), (0,) * 4,
                     signed=signed)
        n.transposed(s + "transposed 4x3, padded", (5, 6, 8), 5, (4, 3), (2, 2),
                     (1, 1, 1, 0), signed=signed)
    n.volume("3-d", (5, 6, 7, 6), 18, (3, 3, 3), padding=(1,) * 6)
    n.case("four channels a group", (6, 7, 64), 64, (3, 3), padding=(1, 1, 1, 1),
           groups=16, residual=True)
    n.case("depthwise, 3 to 12", (6, 7, 3), 12, (3, 3), groups=3, channels=True)
    n.transposed("transposed, all of it", (4, 5, 12), 24, (5, 3), (3, 2), (2, 1, 3, 0),
                 (2, 1), (1, 2), groups=3)
    n.transposed("transposed, depthwise", (4, 5, 16), 16, (4, 4), (2, 2), (1,) * 4,
                 groups=16)
    n.transposed("transposed 1x1 of stride 2", (3, 4, 5), 7, (1, 1), (2, 2), (0,) * 4,
                 (1, 1))
    n.transposed("transposed, cut to its middle", (6, 6, 4), 5, (3, 3), (1, 1),
                 (4, 3, 3, 4))
    n.transposed("transposed line", (9, 10), 17, (5,), (2,), (2, 1), (1,), (1,))
    n.volume("3-d, all of it", (7, 6, 9, 12), 6, (2, 3, 1), (2, 1, 2),
             (1, 2, 0, 1, 2, 0), (3, 1, 1), groups=3)
    n.volume("3-d of one image deep", (3, 5, 4, 8), 20, (1, 1, 1))
    n.volume("3-d, depthwise", (5, 5, 4, 16), 16, (3, 3, 3), padding=(1,) * 6,
             groups=16)
    n.case("weight zero point", (4, 4, 8), 8, (3, 3), weight_zero=5)
    n.case("weight zero point beyond a byte", (4, 4, 8), 8, (3, 3), weight_zero=100)
    n.case("no bias, zero point 255", (4, 4, 8), 9, (2, 2), bias=False, zero=255,
           padding=(1, 0, 0, 1))
    n.case("products of 2^31", (4, 4, 8), 20, (1, 1), spread=2.0**31)
    n.case("products of 2^31, packed", (4, 4, 8), 64, (1, 1), spread=2.0**31,
           clamp=True)
    n.case("depthwise products of 2^31, packed", (4, 4, 64), 64, (3, 3), groups=64,
           spread=2.0**31)
    n.case("signed products of 2^27", (4, 4, 8), 20, (1, 1), signed=True,
           spread=2.0**18)
    n.line("conv1d", (21, 12), 20, 5, 2, (2, 1), 1)
    n.line("dilated conv1d", (21, 12), 33, 3, 1, (0, 4), 3)
    return n


def build_large(batch, seed):
    """Layers that threads share, by each of the loops that are cut: of 2^22 products
    and more for an image, a tenth if depthwise."""
    n = Network(batch, seed)
    n.case("rows", (21, 20, 64), 80, (3, 3), padding=(1, 1, 1, 1), residual=True)
    n.case("rows with stride", (63, 61, 3), 64, (7, 7), stride=(2, 2),
           padding=(3, 3, 3, 3), signed=True)
    n.case("tiles of a row", (37, 11, 128), 96, (1, 1), residual="relu", clamp=True)
    n.case("few pixels", (5, 5, 256), 200, (3, 3), padding=(1, 1, 1, 1),
           channels=True)
    n.case("groups", (6, 6, 320), 320, (3, 3), padding=(1, 1, 1, 1), groups=2)
    n.case("many groups", (5, 5, 480), 480, (3, 3), padding=(1, 1, 1, 1), groups=8,
           signed=True)
    n.case("depthwise", (29, 30, 70), 70, (3, 3), padding=(1, 1, 1, 1), groups=70)
    n.case("rows of three tiles", (23, 41, 64), 33, (2, 2), signed=True)
    n.case("rows of two tiles, the last one shared", (31, 19, 32), 64, (2, 2))
    for weights in ("small", "normal"):
        n.case(f"rows, {weights} weights", (21, 20, 64), 80, (3, 3),
               padding=(1, 1, 1, 1), residual=True, weights=weights)
    n.case("tiles of a row, large weights here and there", (37, 11, 128), 96, (1, 1),
           signed=True, weights="sparse")
    n.linear("linear", (2100,), 2030, signed=True)
    n.dynamic_linear("dynamic linear", (40, 520), 250)
    n.dynamic_linear("dynamic linear, normal weights", (40, 520), 250,
                     weights="normal")
    return n


def build_lookups(batch, seed):
    """Layers whose code is made for the vectors and instructions of a processor."""
    n = Network(batch, seed)
    for signed in (False, True):
        n.table("table", (1000,), signed)
        n.table("table of rows", (3, 5, 37), signed)
        n.table("table of few", (11,), signed)
        n.dynamic_linear("dynamic linear", (9, 70), 33, relu=signed)
    return n


def draw(seed):
    """Layers of any shape, on one image."""
    n = Network(1, seed)
    random = n.random

    def some(*values):
        return values[random.integers(len(values))]

    def up_to(limit):
        return int(random.integers(1, limit + 1))

    while len(n.names) < 20:
        signed = bool(random.integers(2))
        kernel = (up_to(5), up_to(5)) if random.integers(2) else some((1, 1), (3, 3))
        dilation = (up_to(3), up_to(3)) if random.integers(4) == 0 else (1, 1)
        padding = tuple(int(v) for v in random.integers(0, 3, 4))
        size = [up_to(some(4, 12, 40)) for _ in range(2)]
        if any(s + sum(padding[2 * i:2 * i + 2]) < dilation[i] * (kernel[i] - 1) + 1
               for i, s in enumerate(size)):
            continue
        kind = some("dense", "dense", "groups", "small groups", "depthwise", "linear",
                    "transposed", "3-d")
        if kind == "linear":
            n.linear(f"{seed} linear", (up_to(200),), up_to(100), signed)
            n.dynamic_linear(f"{seed} dynamic linear", (up_to(9), up_to(200)),
                             up_to(100), relu=signed)
            continue
        groups = up_to(4) if kind == "groups" else 1
        channels = groups * some(up_to(20), up_to(150), 32, 64, 96)
        out = groups * up_to(some(20, 80))
        if kind == "small groups":
            groups = some(2, 3, 4, 6, 8, 16, 30)
            channels, out = groups * up_to(9), groups * up_to(9)
        if kind in ("transposed", "3-d"):
            groups = some(1, 1, 2, 4)
            channels, out = groups * up_to(20), groups * up_to(20)
        if kind == "transposed":
            stride = (up_to(3), up_to(3))
            after = [(s - 1) * t + d * (k - 1) + 1 for s, t, d, k in
                     zip(size, stride, dilation, kernel)]
            if min(after[0] - sum(padding[:2]), after[1] - sum(padding[2:])) < 1:
                continue
            n.transposed(f"{seed} {kind} {size} {kernel}", (*size, channels), out,
                         kernel, stride, padding, (0, 0), dilation, groups, signed)
            continue
        if kind == "3-d":
            n.volume(f"{seed} {kind} {size} {kernel}", (5, *size, channels), out,
                     (up_to(3), *kernel), (up_to(2), up_to(3), up_to(3)),
                     (1, 0, *padding), (up_to(2), *dilation), groups)
            continue
        if kind == "depthwise":
            groups = out = channels
        n.case(f"{seed} {kind} {size} {kernel}", (*size, channels), out, kernel,
               stride=(up_to(3), up_to(3)), padding=padding, dilation=dilation,
               groups=groups, signed=signed, channels=bool(random.integers(2)),
               relu=bool(random.integers(2)), clamp=random.integers(4) == 0,
               residual=some(False, False, True, "relu", "second"),
               after=random.integers(4) == 0, bias=random.integers(4) != 0,
               weight_zero=0 if signed else some(0, 0, 0, 5),
               weights=some("any", "small", "limit", "normal", "sparse"),
               zero=int(random.integers(-128, 128) + (0 if signed else 128)))
    return n


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--random", metavar="FIRST:LAST")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    failures, ran, layers = 0, set(), 0
    networks = [(batch, build(batch, 5 + batch), 1) for batch in (1, 2, 3)]
    networks += [(batch, build_large(batch, batch), 5) for batch in (1, 3)]
    if args.random:
        networks = [(1, draw(seed), 1)
                    for seed in range(*map(int, args.random.split(":")))]
    for batch, network, threads in networks:
        layers += len(network.names) if batch == 1 else 0
        module = args.work / f"batch{batch}.mlir"
        network.write(module)
        portable = args.work / "linalg.mlir"
        subprocess.run([f"{args.bin}/qbackend-opt", module,
                        "--convert-qnnpack-to-linalg", "-o", portable], check=True)
        # Compiling is what takes time: each target on one image, the rest once.
        targets = ["linalg", "default", *TARGETS] if batch == 1 else ["default"]
        for target in targets:
            option = [] if target in ("linalg", "default") else [f"--target={target}"]
            output = args.work / "out.npz"
            done = subprocess.run(
                [f"{args.bin}/qbackend-run", portable if target == "linalg" else module,
                 f"--input={module.with_suffix('.npz')}", "-o", output,
                 f"--num-threads={threads}", *option],
                capture_output=True, text=True)
            if done.returncode != 0 and f"target '{target}' needs" in done.stderr:
                continue
            if done.returncode != 0:
                sys.exit(f"{target}: {done.stderr[:2000]}")
            ran.add(target)
            found = np.load(output)
            for i, (name, _) in enumerate(network.names):
                expected = network.expected[i]
                bytes_found = found[f"output{i}"].view(expected.dtype)
                wrong = int((bytes_found.reshape(expected.shape) != expected).sum())
                if wrong:
                    failures += 1
                    print(f"FAILED: batch {batch}, {target}, {name}: {wrong} of "
                          f"{expected.size}")
    print(f"{layers} layers on {', '.join(sorted(ran))}")
    assert {"default", "linalg", "scalar"} <= ran
    print("PASS" if failures == 0 else "FAIL")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

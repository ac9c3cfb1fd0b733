#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares lowered kernels with their formulas on random shapes and values.

    formulas.py --build DIR [--seed N] [--count N]

What the golden vectors do not reach: odd shapes, products of 2^31 and more,
zero points at both ends, pools in every mode, `mathematical`, weights that are
arguments, and a dynamic batch. The formulas are those of docs/Numerics.md,
written with NumPy on whole arrays; the kernels run as in replay_golden.py.
"""

import argparse
import itertools
import os
import pathlib
import re
import sys

import numpy as np

import replay_golden as replay

f32 = np.float32



def tensor(array, **parameters):
    """A tensor of a golden file."""
    names = {np.uint8: "u8", np.int8: "s8", np.float32: "f32"}
    return {"dtype": names[array.dtype.type], "shape": list(array.shape),
            "data": array.ravel().tolist(), **parameters}


# --- Formulas -----------------------------------------------------------------


def convert(value):
    """rne(value) as int32, with -2^31 for what doesn't fit."""
    rounded = np.rint(value.astype(np.float64))
    fits = np.abs(rounded) < 2**31
    return np.where(fits, rounded, -(2**31)).astype(np.int64)


def requantize(acc, multiplier, zero_point, lo, hi, saturate):
    product = acc.astype(np.int32).astype(f32) * multiplier
    if saturate:
        product = np.minimum(product, f32(hi - zero_point))
    rounded = np.clip(convert(product), -32768, 32767)
    return np.clip(rounded + zero_point, lo, hi)


def add_taps(x, w, groups, kernel, region, sums):
    """sums[region(tap)] += x[region(tap)] * w[tap], group by group. `w` is
    [out, in / groups, taps...]."""
    inputs, outputs = w.shape[1], w.shape[0] // groups
    for tap in itertools.product(*map(range, kernel)):
        source, target = region(tap)
        for g in range(groups):
            i = slice(g * inputs, (g + 1) * inputs)
            o = slice(g * outputs, (g + 1) * outputs)
            sums[(slice(None), o) + target] += np.einsum(
                "ni...,oi->no...", x[(slice(None), i) + source],
                w[(o, slice(None)) + tap])


def convolve(x, w, stride, padding, dilation, groups):
    kernel = w.shape[2:]
    x = np.pad(x, [(0, 0), (0, 0)] + [(p, p) for p in padding])
    sizes = [(n - d * (k - 1) - 1) // s + 1
             for n, k, s, d in zip(x.shape[2:], kernel, stride, dilation)]

    def region(tap):
        source = tuple(slice(k * d, k * d + (n - 1) * s + 1, s)
                       for k, d, n, s in zip(tap, dilation, sizes, stride))
        return source, (slice(None),) * len(sizes)

    sums = np.zeros([x.shape[0], w.shape[0]] + sizes, np.int64)
    add_taps(x, w, groups, kernel, region, sums)
    return sums


def convolve_transposed(x, w, stride, padding, output_padding, dilation,
                        groups):
    kernel = w.shape[2:]
    sizes = [(n - 1) * s + d * (k - 1) + extra + 1 for n, k, s, d, extra in
             zip(x.shape[2:], kernel, stride, dilation, output_padding)]

    def region(tap):
        target = tuple(slice(k * d, k * d + (n - 1) * s + 1, s)
                       for k, d, n, s in zip(tap, dilation, x.shape[2:], stride))
        return (slice(None),) * len(sizes), target

    sums = np.zeros([x.shape[0], w.shape[0]] + sizes, np.int64)
    add_taps(x, w, groups, kernel, region, sums)
    cut = tuple(slice(p, n - p) for p, n in zip(padding, sizes))
    return sums[(slice(None), slice(None)) + cut]


def choose_dynamic(least, largest):
    """Scale and zero point of an input of linear_dynamic."""
    low, high = min(f32(least), f32(0)), max(f32(largest), f32(0))
    small = f32(6.1e-5)
    scale = (float(high) - float(low)) / 255
    with np.errstate(over="ignore", divide="ignore", under="ignore"):
        if f32(scale) == 0 or np.isinf(f32(1) / f32(scale)):
            scale = 0.1
    if scale < float(small):
        amplifier = small / f32(scale)
        scale = float(small)
        if low == 0:
            high = small * f32(255)
        elif high == 0:
            low = -small * f32(255)
        else:
            low, high = low * amplifier, high * amplifier
    low, high = float(low) / scale, float(high) / scale
    zero_point = -low if -abs(low) < 255 - abs(high) else 255 - high
    return scale, int(np.rint(np.clip(zero_point, 0, 255)))


def inside(positions, size):
    return [p for p in positions if 0 <= p < size]


def max_pool(x, rows, columns, edge, lowest):
    height, width = x.shape[2:]
    if edge:
        rows = np.clip(rows, 0, height - 1)
        columns = np.clip(columns, 0, width - 1)
    rows, columns = inside(rows, height), inside(columns, width)
    if not rows or not columns:
        return lowest
    return x[:, :, rows][:, :, :, columns].max((2, 3))


# --- Random cases ---------------------------------------------------------------


class Generator:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def integer(self, low, high):
        return int(self.random.integers(low, high + 1))

    def chance(self, probability):
        return bool(self.random.random() < probability)

    def scale(self, low=-3, high=0):
        """A double; half of them are f32 numbers."""
        scale = 10 ** self.random.uniform(low, high)
        return float(f32(scale)) if self.chance(0.5) else float(scale)

    def zero_point(self, low, high):
        return [low, high, self.integer(low, high)][self.integer(0, 2)]

    def quantized(self, shape, signed):
        low, high = (-128, 127) if signed else (0, 255)
        dtype = np.int8 if signed else np.uint8
        return self.random.integers(low, high + 1, shape).astype(dtype)

    def weight_scales(self, outputs, per_channel, with_zero_points):
        """Scales and zero points of each output, and the tensor's fields."""
        count = outputs if per_channel else 1
        scales = np.array([self.scale(-4, -1) for _ in range(count)])
        zeros = self.random.integers(-128, 128, count) * with_zero_points
        fields = {"scale": scales[0], "zero_point": int(zeros[0])}
        if per_channel:
            fields = {"scales": scales.tolist(), "zero_points": zeros.tolist(),
                      "axis": 0}
        return np.resize(scales, outputs), np.resize(zeros, outputs), fields

    def weighted(self, op, axes, signed, transposed=False):
        groups = [1, 1, 2, 3][self.integer(0, 3)] if axes else 1
        inputs, outputs = self.integer(1, 5), self.integer(1, 4)
        if groups > 1 and self.chance(0.5):
            inputs = outputs = 1
        limit = 3 if axes == 3 else 4
        kernel, stride, dilation, padding, size = (
            [self.integer(low, high) for _ in range(axes)]
            for low, high in ((1, limit), (1, 4), (1, 3), (0, 3), (1, 6)))
        for i in range(axes):  # at least one window, or one pixel
            if transposed:
                covered = (size[i] - 1) * stride[i] + \
                    dilation[i] * (kernel[i] - 1) + 1
                padding[i] = min(padding[i], (covered - 1) // 2)
            else:
                size[i] = max(size[i], dilation[i] * (kernel[i] - 1) + 1
                              - 2 * padding[i])
        channels, total = groups * inputs, groups * outputs
        shape = [self.integer(1, 3)] + ([channels] if axes else []) + size
        if not axes:
            shape += [self.integer(1, 3)] * self.integer(0, 1) + [channels]
        x = self.quantized(shape, signed)
        w = self.quantized([total, inputs] + kernel, True)

        low, high = (-128, 127) if signed else (0, 255)
        zx, zy = (self.zero_point(low, high) for _ in range(2))
        refused = transposed and (groups > 1 or signed)
        sw, zw, fields = self.weight_scales(
            total, self.chance(0.5) and not refused,
            not signed and self.chance(0.5))
        sx, sy = self.scale(), self.scale(-3, 1)
        if signed:
            # XNNPACK's limit is 2^8.
            sy = max(sy, float(f32(sx * sw.max() / 255)))
        elif self.chance(0.4):
            sx = self.scale(3, 6)  # products of 2^31 and more
        s = sw.astype(f32)
        m = f32(sx) * s / f32(sy) if signed else \
            s * f32(sx) * (f32(1) / f32(sy))
        bias = None
        integers = np.zeros(total, np.int64)
        if self.chance(0.7):
            bias = (self.random.normal(size=total) * sw * sx * 1000).astype(f32)
            if self.chance(0.2):
                bias *= f32(1e6)
            inverse = f32(1) / (sw * sx).astype(f32)
            integers = np.clip(np.rint((bias * inverse).astype(np.float64)),
                               -2**31, 2**31 - 1).astype(np.int64)

        relu = not transposed and zy < high and self.chance(0.3)
        mathematical = self.chance(0.5)
        column = [-1] + [1] * axes
        centered = x.astype(np.int64) - zx
        weight = w.astype(np.int64) - zw.reshape(column + [1])
        attributes = {"stride": stride, "padding": padding,
                      "dilation": dilation, "groups": groups, "relu": relu}
        if not axes:
            acc, column = np.einsum("...i,oi->...o", centered, weight), [-1]
        elif transposed:
            extra = [self.integer(0, max(s, d) - 1)
                     for s, d in zip(stride, dilation)]
            attributes["output_padding"] = extra
            acc = convolve_transposed(centered, weight, stride, padding, extra,
                                      dilation, groups)
            # [in, out / groups, taps...] of the golden files
            w = w.reshape([groups, outputs, inputs] + kernel).swapaxes(1, 2)
            w = w.reshape([channels, outputs] + kernel)
            if "axis" in fields:
                fields["axis"] = 1
        else:
            acc = convolve(centered, weight, stride, padding, dilation, groups)
        acc = acc + integers.reshape(column)
        acc = (acc + 2**31) % 2**32 - 2**31
        y = requantize(acc, m.reshape(column), zy, zy if relu else low, high,
                       saturate=signed or mathematical).astype(x.dtype)
        tensors = {"x": tensor(x, scale=sx, zero_point=zx),
                   "w": tensor(w, **fields)}
        if bias is not None:
            tensors["bias"] = tensor(bias)
        return self.case(op, tensors, attributes,
                         tensor(y, scale=sy, zero_point=zy), mathematical)

    def dynamic(self, op):
        rows, depth, outputs = (self.integer(1, n) for n in (3, 20, 7))
        magnitude = 10 ** self.random.uniform(-45, 30) if self.chance(0.5) \
            else 10 ** self.random.uniform(-4, 2)
        x = self.random.normal(size=[rows, depth]) * magnitude
        x = [np.abs(x), -np.abs(x), 0 * x, x, x][self.integer(0, 4)].astype(f32)
        w = self.quantized([outputs, depth], True)
        sw, zw, fields = self.weight_scales(outputs, self.chance(0.5),
                                            self.chance(0.5))
        scale, zero_point = choose_dynamic(x.min(), x.max())
        q = np.rint((x * (f32(1) / f32(scale))).astype(np.float64)) + zero_point
        q = np.clip(q, 0, 255).astype(np.int64)
        acc = np.einsum("ni,oi->no", q - zero_point,
                        w.astype(np.int64) - zw[:, None])
        bias = (self.random.normal(size=outputs) * magnitude).astype(f32)
        y = acc.astype(f32) * (sw.astype(f32) * f32(scale)) + bias
        relu = self.chance(0.3)
        y = np.where(relu & (y < 0), f32(0), y)
        tensors = {"x": tensor(x), "w": tensor(w, **fields),
                   "bias": tensor(bias)}
        return self.case(op, tensors, {"relu": relu}, tensor(y), False)

    def pool(self, op):
        signed, ceil, mathematical = (self.chance(0.5) for _ in range(3))
        low, high = (-128, 127) if signed else (0, 255)
        kernel, stride, dilation, size = (
            [self.integer(1, n) for _ in range(2)] for n in (4, 4, 3, 8))
        if self.chance(0.5):  # the dilation can step over the image
            size = [self.integer(1, 2) for _ in range(2)]
        if op == "avg_pool2d":
            dilation = [1, 1]
        padding = [self.integer(0, k // 2) for k in kernel]
        windows = []
        for i in range(2):
            extent = dilation[i] * (kernel[i] - 1) + 1
            size[i] = max(size[i], extent - 2 * padding[i], 1)
            room = size[i] + 2 * padding[i] - extent
            count = (room + (stride[i] - 1) * ceil) // stride[i] + 1
            if ceil and (count - 1) * stride[i] >= size[i] + padding[i]:
                count -= 1
            windows.append([
                [o * stride[i] - padding[i] + k * dilation[i]
                 for k in range(kernel[i])] for o in range(count)])
        # Of channels last, ATen has one formula for eight each, one for the rest.
        last = op == "avg_pool2d" and self.chance(0.5)
        channels = self.integer(1, 19 if last else 4)
        x = self.quantized([self.integer(1, 2), channels] + size, signed)
        scale, zero_point = self.scale(), self.zero_point(low, high)
        attributes = {"kernel": kernel, "stride": stride, "padding": padding,
                      "ceil_mode": ceil, "dilation": dilation,
                      "count_include_pad": self.chance(0.5)}
        if last:
            attributes["memory_format"] = "channels_last"
        if self.chance(0.3):
            attributes["divisor_override"] = self.integer(1, 9)
        # Otherwise the kernel is QNNPACK's.
        aten = ceil or signed or mathematical

        def average(rows, columns):
            height, width = x.shape[2:]
            ends = [min(window[0] + len(window), n + p) - window[0]
                    for window, n, p in zip((rows, columns), x.shape[2:],
                                            padding)]
            rows, columns = inside(rows, height), inside(columns, width)
            taps = x[:, :, rows][:, :, :, columns].astype(np.int64)
            count = len(rows) * len(columns)
            acc = (taps.sum((2, 3)) - zero_point * count).astype(f32)
            if not aten:
                divisor = f32(scale) * f32(kernel[0] * kernel[1])
                return convert(acc * (f32(scale) / divisor)) + zero_point
            if attributes["count_include_pad"]:
                count = ends[0] * ends[1]
            divisor = attributes.get("divisor_override", count)
            m = f32(1) / f32(divisor)
            if not last:
                return np.rint(acc * m + f32(zero_point))
            by = np.full(channels, f32(1) / (f32(1) / m), f32)
            by[:channels // 8 * 8] = m
            return np.rint(acc * by) + zero_point

        y = np.zeros(list(x.shape[:2]) + [len(w) for w in windows], np.int64)
        for i, rows in enumerate(windows[0]):
            for j, columns in enumerate(windows[1]):
                y[:, :, i, j] = average(rows, columns) if op == "avg_pool2d" \
                    else max_pool(x, rows, columns, not aten, low)
        parameters = {"scale": scale, "zero_point": zero_point}
        y = np.clip(y, low, high).astype(x.dtype)
        return self.case(op, {"x": tensor(x, **parameters)}, attributes,
                         tensor(y, **parameters), mathematical)

    def case(self, op, tensors, attributes, expected, mathematical):
        """The op, with a weight and a bias that may be arguments and with a
        batch that may be dynamic."""
        case = replay.BUILDERS[op]({"inputs": tensors, "expected": expected},
                                   attributes)
        if mathematical:
            case.attributes.append("mathematical")
        case.text = f"{op} {attributes}"
        for operand in case.operands[1:]:
            if self.chance(0.3):
                operand.constant = False
        if self.chance(0.5) and case.operands[0].data.ndim > 1:
            case.__class__ = DynamicCase
        return case


class DynamicCase(replay.Case):
    """A case whose function has a dynamic batch."""

    @staticmethod
    def dynamic(text):
        return re.sub(r"^tensor<\d+x", "tensor<?x", text)

    def function(self, name):
        text = super().function(name)
        for kind in (self.operands[0].type(), self.result.type()):
            text = text.replace(kind, self.dynamic(kind))
        return text

    def call(self, name):
        x, y = self.operands[0].type(), self.result.type()
        dynamic_x, dynamic_y = self.dynamic(x), self.dynamic(y)
        lines = []
        for line in super().call(name).split("\n"):
            match = re.match(r"  (%\w+) = func.call @\w+\((%\w+)", line)
            if not match:
                lines.append(line)
                continue
            result, argument = match.groups()
            lines.append(f"  {argument}_d = tensor.cast {argument} : {x} to "
                         f"{dynamic_x}")
            line = line.replace(f"({argument}", f"({argument}_d", 1)
            line = line.replace(f"  {result} =", f"  {result}_d =", 1)
            line = line.replace(f"({x}", f"({dynamic_x}", 1)
            lines.append(line.replace(f"-> {y}", f"-> {dynamic_y}"))
            lines.append(f"  {result} = tensor.cast {result}_d : {dynamic_y} "
                         f"to {y}")
        return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.environ.get("QBACKEND_BUILD"),
                        help="build directory (default: $QBACKEND_BUILD)")
    parser.add_argument("--llvm", default="/usr/lib/llvm-22",
                        help="prefix of the LLVM installation")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=20,
                        help="cases for each op; three times as many pools")
    options = parser.parse_args()
    if options.build is None:
        parser.error("name the build directory with --build or QBACKEND_BUILD")
    tools = replay.find_tools(options.build, options.llvm)
    generator = Generator(options.seed)
    families = {
        "conv1d": lambda op: generator.weighted(op, 1, False),
        "conv2d": lambda op: generator.weighted(op, 2, False),
        "conv2d_qint8": lambda op: generator.weighted(op, 2, True),
        "conv3d": lambda op: generator.weighted(op, 3, False),
        "conv_transpose1d":
            lambda op: generator.weighted(op, 1, False, transposed=True),
        "conv_transpose2d":
            lambda op: generator.weighted(op, 2, False, transposed=True),
        "conv_transpose2d_qint8":
            lambda op: generator.weighted(op, 2, True, transposed=True),
        "linear": lambda op: generator.weighted(op, 0, False),
        "linear_qint8": lambda op: generator.weighted(op, 0, True),
        "linear_dynamic": generator.dynamic,
        "max_pool2d": generator.pool,
        "avg_pool2d": generator.pool,
    }
    wrong = elements = 0
    for op, make in families.items():
        count = options.count * (3 if "pool" in op else 1)
        cases = [make(op) for _ in range(count)]
        for case, numbers in zip(cases, replay.replay(cases, tools)):
            different = replay.compare(case, numbers)
            elements += case.result.data.size
            wrong += different
            if different:
                print(f"{case.text}: {different} of {case.result.data.size} "
                      f"elements differ; --seed={options.seed}")
    print(f"{wrong} of {elements} elements differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

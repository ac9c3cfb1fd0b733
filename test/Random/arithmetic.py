# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arithmetic of docs/Numerics.md on whole arrays, with NumPy.

An independent reading of it: no code of the project is used.
"""

import ctypes
import dataclasses
import itertools
import math
import re

import numpy as np

f32 = np.float32
WIDE = np.longdouble  # Holds the product of two f32, and nearly all sums of three.
_MATH = ctypes.CDLL("libm.so.6")
for _name in ("expf", "tanhf"):
    getattr(_MATH, _name).restype = ctypes.c_float
    getattr(_MATH, _name).argtypes = [ctypes.c_float]


@dataclasses.dataclass
class Tensor:
    """Integers, and what they stand for; `scale` of each channel for a weight."""

    data: np.ndarray
    scale: float
    zero: int
    signed: bool
    # Whether PyTorch has it with its channels last in memory.
    last: bool = False

    @property
    def limits(self):
        return (-128, 127) if self.signed else (0, 255)

    @property
    def real(self):
        return f32(self.scale) * (self.data - self.zero).astype(f32)

    def like(self, data):
        return dataclasses.replace(self, data=data)

    def quantize(self, x):
        """`x` in the parameters of this one."""
        return Tensor(quantize(x, self), self.scale, self.zero, self.signed)

    def has_parameters_of(self, other):
        return (self.scale, self.zero, self.signed) == \
            (other.scale, other.zero, other.signed)


def quantize(x, to):
    with np.errstate(all="ignore"):
        product = (np.asarray(x, f32) * (f32(1) / f32(to.scale))).astype(np.float64)
        rounded = np.rint(product)
        low, high = to.limits
        # On x86 what does not fit 64 bits is the smallest integer.
        whole = np.where(rounded < 2.0**63, np.clip(rounded, -2.0**40, 2.0**40),
                         -2.0**40)
        whole = np.where(np.isnan(rounded), -2.0**40, whole)
    return np.clip(whole.astype(np.int64) + to.zero, low, high)


def convert(value):
    """To int32, with -2^31 for what doesn't fit."""
    rounded = np.rint(np.asarray(value, np.float64))
    return np.where(np.abs(rounded) < 2.0**31, rounded, -2.0**31).astype(np.int64)


def fma(a, b, c):
    return (WIDE(1) * a * b + c).astype(f32)


def requantize(x, to):
    return dataclasses.replace(to.quantize(x.real), last=x.last)


def with_sign(x, signed):
    """The same numbers in the storage of the other sign."""
    if x.signed == signed:
        return x
    shift = -128 if signed else 128
    return Tensor(x.data + shift, x.scale, x.zero + shift, signed, x.last)


def integers(text):
    return [int(n) for n in re.findall(r"-?\d+", text)]


class Kind:
    """`#qbackend.conv2d<stride = [1, 1], ...>`."""

    def __init__(self, text):
        self.name = re.match(r"#qbackend\.(\w+)", text)[1]
        self.text = text

    def ints(self, key):
        found = re.search(rf"\b{key} = (\[[^]]*\]|-?\d+)", self.text)
        return integers(found[1]) if found else None

    def number(self, key):
        found = re.search(rf"\b{key} = ([^,>]+)", self.text)
        return float(found[1]) if found else None

    def has(self, text):
        return text in self.text


#===------------------------------------------------------------------------===#
# Weighted
#===------------------------------------------------------------------------===#


def sums(x, weight, kind):
    """Of images with channels last; `weight` is [out, taps..., in / groups]."""
    stride, dilation = kind.ints("stride"), kind.ints("dilation")
    padding, groups = kind.ints("padding"), kind.ints("groups")[0]
    taps = weight.shape[1:-1]
    pairs = list(zip(padding[::2], padding[1::2]))
    image = np.pad(x.data - x.zero, [(0, 0), *pairs, (0, 0)])
    extents = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in
               zip(image.shape[1:-1], taps, stride, dilation)]
    total = np.zeros((image.shape[0], *extents, weight.shape[0]), np.int64)
    inner, outer = weight.shape[-1], weight.shape[0] // groups
    for tap in itertools.product(*map(range, taps)):
        window = image[(slice(None), *[
            slice(t * d, t * d + (n - 1) * s + 1, s)
            for t, d, n, s in zip(tap, dilation, extents, stride)])]
        for g in range(groups):
            out = slice(g * outer, (g + 1) * outer)
            total[..., out] += window[..., g * inner:(g + 1) * inner] @ \
                weight[(out, *tap)].T
    return total


def sums_transposed(x, weight, kind):
    stride, dilation = kind.ints("stride"), kind.ints("dilation")
    padding, groups = kind.ints("padding"), kind.ints("groups")[0]
    extra, taps = kind.ints("output_padding"), weight.shape[1:-1]
    image = x.data - x.zero
    full = [(n - 1) * s + d * (k - 1) + e + 1 for n, k, s, d, e in
            zip(image.shape[1:-1], taps, stride, dilation, extra)]
    total = np.zeros((image.shape[0], *full, weight.shape[0]), np.int64)
    inner, outer = weight.shape[-1], weight.shape[0] // groups
    for tap in itertools.product(*map(range, taps)):
        place = (slice(None), *[
            slice(t * d, t * d + (n - 1) * s + 1, s)
            for t, d, n, s in zip(tap, dilation, image.shape[1:-1], stride)])
        for g in range(groups):
            out = slice(g * outer, (g + 1) * outer)
            total[(*place, out)] += image[..., g * inner:(g + 1) * inner] @ \
                weight[(out, *tap)].T
    crop = [slice(before, n - after) for before, after, n in
            zip(padding[::2], padding[1::2], full)]
    return total[(slice(None), *crop)]


def weighted(x, y, kind, weight, bias, relu):
    """`weight` has a scale for each output channel, or one."""
    centered = weight.data - np.reshape(
        weight.zero, (-1, *[1] * (weight.data.ndim - 1)))
    if kind.name == "linear":
        total = (x.data - x.zero) @ centered.T
    elif kind.name.startswith("conv_transpose"):
        total = sums_transposed(x, centered, kind)
    else:
        total = sums(x, centered, kind)
    if bias is not None:
        total = total + bias
    total = (total + 2**31) % 2**32 - 2**31
    scale = np.asarray(weight.scale, np.float64).astype(f32)
    low, high = y.limits
    with np.errstate(all="ignore"):
        if y.signed:
            m = (f32(x.scale) * scale) / f32(y.scale)
        else:
            m = (scale * f32(x.scale)) * (f32(1) / f32(y.scale))
        product = total.astype(f32) * m.astype(f32)
    if y.signed:
        product = np.minimum(product, f32(high - y.zero))
    result = np.clip(convert(product), -32768, 32767) + y.zero
    return y.like(np.clip(result, y.zero if relu else low, high))


def quantize_weight(real, kind):
    """The integers of a weight, by its type."""
    axis = 0 if kind.axis is None else kind.axis
    shape = [1] * real.ndim
    shape[axis] = -1
    signed = kind.dtype[0] == "s"
    low, high = (-128, 127) if signed else (0, 255)
    inverse = f32(1) / np.asarray(kind.scales).astype(f32)
    zeros = np.asarray(kind.zero_points)
    data = np.rint((real.astype(f32) * inverse.reshape(shape)).astype(np.float64))
    data = np.clip(data.astype(np.int64) + zeros.reshape(shape), low, high)
    scales = np.asarray(kind.scales) if kind.axis is not None else kind.scales[0]
    zero = zeros if kind.axis is not None else kind.zero_points[0]
    return Tensor(data, scales, zero, signed)


def quantize_bias(real, x, weight):
    product = (np.asarray(weight.scale, np.float64) * x.scale).astype(f32)
    with np.errstate(all="ignore"):
        whole = np.rint((real.astype(f32) * (f32(1) / product)).astype(np.float64))
    return np.clip(whole, -2.0**31, 2.0**31 - 1).astype(np.int64)


#===------------------------------------------------------------------------===#
# Of two tensors, or a number
#===------------------------------------------------------------------------===#


def add(a, b, y, relu):
    low, high = y.limits
    low = y.zero if relu else low
    if a.data.shape != b.data.shape and not y.signed:
        return y.like(np.clip(quantize(a.real + b.real, y), low, high))
    ra, rb = f32(a.scale) / f32(y.scale), f32(b.scale) / f32(y.scale)
    exponent = math.floor(math.log2(max(ra, rb)))
    shift = (20 if y.signed else 21) - exponent
    ma, mb = (int(np.rint(np.float64(r) * 2.0**shift)) for r in (ra, rb))
    total = (a.data - a.zero) * ma + (b.data - b.zero) * mb
    if y.signed:
        rounded = (total + (1 << (shift - 1))) >> shift
    else:
        rounded = np.sign(total) * ((np.abs(total) + (1 << (shift - 1))) >> shift)
    return y.like(np.clip(rounded + y.zero, low, high))


def mul(a, b, y, relu):
    total = (a.data - a.zero) * (b.data - b.zero)
    with np.errstate(all="ignore"):
        if y.signed and y.zero != 127:
            m = (f32(a.scale) * f32(b.scale)) / f32(y.scale)
        else:
            m = f32(a.scale * b.scale) * (f32(1) / f32(y.scale))
        low, high = y.limits
        product = total.astype(f32) * f32(m)
    return y.like(np.clip(convert(product) + y.zero, y.zero if relu else low, high))


def add_scalar(x, number):
    low, high = x.limits
    zero = x.zero - int(np.rint(number / x.scale))
    if low <= zero <= high:
        return Tensor(x.data, x.scale, zero, x.signed)
    if zero < low:
        scale, new = (high - zero) / (high - low) * x.scale, low
    else:
        scale, new = (zero - low) / (high - low) * x.scale, high
    m = f32(x.scale) * (f32(1) / f32(scale))
    data = np.rint(((x.data - zero).astype(f32) * m).astype(np.float64))
    return Tensor(np.clip(data.astype(np.int64) + new, low, high), scale, new,
                  x.signed)


def mul_scalar(x, number):
    low, high = x.limits
    if number > 0:
        return Tensor(x.data, x.scale * number, x.zero, x.signed)
    if number < 0:
        return Tensor(low + high - x.data, x.scale * -number, low + high - x.zero,
                      x.signed)
    return Tensor(np.zeros_like(x.data), 1.0, 0, x.signed)


def cat(inputs, y, kind, relu):
    parts = [x.data if x.has_parameters_of(y) else quantize(x.real, y) for x in inputs]
    data = np.concatenate(parts, kind.ints("axis")[0])
    return y.like(np.maximum(data, y.zero) if relu else data)


#===------------------------------------------------------------------------===#
# Pools, norms
#===------------------------------------------------------------------------===#


def places(x, kind, shape):
    """For each dimension of an image: axis, extent, where each window has its taps
    [out, taps], and how far the padded image goes."""
    numbers = zip(kind.ints("kernel"), kind.ints("stride"), kind.ints("padding")[::2],
                  kind.ints("padding")[1::2],
                  kind.ints("dilation") or [1] * len(kind.ints("kernel")))
    for axis, (k, s, low, high, d) in enumerate(numbers, 1):
        extent = x.data.shape[axis]
        yield axis, extent, (np.arange(shape[axis])[:, None] * s - low
                             + np.arange(k) * d), extent + high


def gather(data, axis, place, extent, fill):
    """The taps of each window, at the end; `fill` outside of the image, or None for
    the nearest pixel."""
    taken = data.take(np.clip(place, 0, extent - 1).reshape(-1), axis)
    taken = taken.reshape(*data.shape[:axis], *place.shape, *data.shape[axis + 1:])
    taken = np.moveaxis(taken, axis + 1, -1)
    if fill is None:
        return taken
    inside = (place >= 0) & (place < extent)
    wide = [1] * taken.ndim
    wide[axis], wide[-1] = inside.shape
    return np.where(inside.reshape(wide), taken, fill)


def max_pool(x, kind, shape):
    padding = kind.ints("padding")
    dimensions = list(places(x, kind, shape))
    dilated = any(d > 1 for d in kind.ints("dilation"))
    floor = all(place[-1, -1] < end and place[-1, -1] + s >= end
                for (_, _, place, end), s in zip(dimensions, kind.ints("stride")))
    # QNNPACK's, which has the padding of both sides alike.
    edge = floor and not x.signed and not (
        dilated and padding[::2] != padding[1::2])
    data = x.data
    for axis, extent, place, _ in dimensions:
        data = gather(data, axis, place, extent,
                      None if edge else x.limits[0]).max(-1)
    return x.like(data)


def divide(total, count, x):
    """QNNPACK's average of `count` integers."""
    m = f32(x.scale) / (f32(x.scale) * f32(count))
    result = convert(total.astype(f32) * f32(m)) + x.zero
    return x.like(np.clip(result, *x.limits))


def average(total, m, first, x):
    """ATen's average of sums less the zero points. Of channels that are last in
    memory the `first` are multiplied by `m`, the others by what it is after two
    divisions."""
    m = f32(m)
    if not x.last:
        real = total.astype(f32) * m + f32(x.zero)
    else:
        rest = f32(1) / (f32(1) / m)
        by = np.where(np.arange(x.data.shape[-1]) < first, m, rest)
        real = np.rint((total.astype(f32) * by).astype(np.float64)) + x.zero
    rounded = np.rint(real.astype(np.float64)).astype(np.int64)
    return x.like(np.clip(rounded, *x.limits))


def avg_pool(x, kind, shape):
    total, taps = x.data - x.zero, np.ones((1,) * x.data.ndim, int)
    excluding = kind.has("count_exclude_pad = true")
    for axis, extent, place, end in places(x, kind, shape):
        total = gather(total, axis, place, extent, 0).sum(-1)
        count = (place >= 0) & (place < extent) if excluding else place < end
        wide = [1] * x.data.ndim
        wide[axis] = -1
        taps = taps * count.sum(1).reshape(wide)
    if not x.signed and not kind.has("ceil_mode = true"):
        return divide(total, int(np.prod(kind.ints("kernel"))), x)
    override = kind.ints("divisor_override")
    return average(total, f32(1) / (override[0] if override else taps).astype(f32),
                   x.data.shape[-1] // 8 * 8, x)


def adaptive_avg_pool(x, kind, shape):
    sizes, extents = kind.ints("output_size"), x.data.shape[1:-1]
    if tuple(sizes) == extents:
        return x
    if any(n % size for n, size in zip(extents, sizes)):
        return None
    split = [part for n, size in zip(extents, sizes) for part in (size, n // size)]
    shape = (x.data.shape[0], *split, x.data.shape[-1])
    axes = tuple(range(2, 2 + 2 * len(sizes), 2))
    count = [n // size for n, size in zip(extents, sizes)]
    if not x.signed:
        total = (x.data - x.zero).reshape(shape).sum(axes)
        return divide(total, int(np.prod(count)), x)
    if x.last:
        total = (x.data - x.zero).reshape(shape).sum(axes)
        return average(total, f32(1) / f32(np.prod(count)), 0, x)
    m = (f32(1) / f32(count[0] if len(count) > 1 else 1)) / f32(count[-1])
    real = x.data.reshape(shape).sum(axes).astype(f32) * m
    return x.like(np.clip(np.rint(real.astype(np.float64)).astype(np.int64), *x.limits))


def mean(x, kind):
    axes = tuple(kind.ints("axes"))
    total = (x.data - x.zero).sum(axes, keepdims=kind.has("keepdim = true"))
    return divide(total, int(np.prod([x.data.shape[a] for a in axes])), x)


def moments(x, axes):
    count = int(np.prod([x.data.shape[a] for a in axes]))
    mu = x.data.sum(axes, keepdims=True).astype(f32) / f32(count)
    squares = (x.data**2).sum(axes, keepdims=True).astype(f32) / f32(count)
    return mu - f32(x.zero), np.maximum(fma(-mu, mu, squares), f32(0))


def inverse_deviation(x, var, eps):
    s = f32(x.scale)
    # eps is a double.
    root = np.sqrt(((var * s) * s).astype(np.float64) + eps)
    return (np.float64(s) / root).astype(f32)


def layer_norm(x, y, kind, gamma, beta):
    axes = tuple(kind.ints("axes"))
    c, var = moments(x, axes)
    k = inverse_deviation(x, var, kind.number("eps"))
    d = (x.data - x.zero).astype(f32)
    return y.quantize(fma((d - c) * k, gamma, beta))


def channel_norm(x, y, kind, gamma, beta, groups):
    """Instance and group norms of images."""
    axis = kind.ints("axis")[0] % x.data.ndim
    moved = np.moveaxis(x.data, axis, 1)
    n, channels = moved.shape[:2]
    shape = (n, groups or channels, channels // (groups or channels), -1)
    part = x.like(moved.reshape(shape))
    c, var = moments(part, (2, 3))
    k = inverse_deviation(x, var, kind.number("eps"))
    each = (1, shape[1], shape[2], 1)
    d = (part.data - x.zero).astype(f32)
    result = y.quantize(fma(d - c, k * np.reshape(gamma, each).astype(f32),
                            np.reshape(beta, each).astype(f32)))
    return result.like(np.moveaxis(result.data.reshape(moved.shape), 1, axis))


def batch_norm(x, y, kind, parameters, relu):
    gamma, beta, mu, var = (parameters[role].astype(f32) for role in
                            ("weight", "bias", "running_mean", "running_var"))
    r = f32(1) / np.sqrt(var + f32(kind.number("eps")))
    a = ((r * gamma).astype(np.float64) * (x.scale / y.scale)).astype(f32)
    b = ((beta - (mu * r) * gamma).astype(np.float64) / y.scale).astype(f32)
    shape = [1] * x.data.ndim
    shape[kind.ints("axis")[0]] = -1
    d = (x.data - x.zero).astype(f32)
    rounded = convert(fma(a.reshape(shape), d, b.reshape(shape))) + y.zero
    low, high = y.limits
    return y.like(np.clip(rounded, y.zero if relu else low, high))


#===------------------------------------------------------------------------===#
# Functions of one element
#===------------------------------------------------------------------------===#


def each(function, values):
    return np.array([function(float(v)) for v in values], f32)


def clamp(x, low, high):
    bottom, top = (f32(x.scale) * f32(end - x.zero) for end in x.limits)
    ends = quantize(np.clip([low, high], bottom, top), x)
    return x.like(np.clip(x.data, *ends))


def sigmoid(v):
    return f32(1) / (f32(1) + each(_MATH.expf, -v))


def elu(alpha):
    return lambda v: np.where(v > 0, v, (each(_MATH.expf, v) - f32(1)) * f32(alpha))


def by_table(x, y, function):
    """`function` takes all reals that `x` can be."""
    low, high = x.limits
    every = np.arange(low, high + 1)
    with np.errstate(all="ignore"):
        table = quantize(function(f32(x.scale) * (every - x.zero).astype(f32)), y)
    return y.like(table[x.data - low])


def tanh(x, y):
    if y.signed:
        return by_table(x, y, lambda v: each(_MATH.tanhf, v))
    low, high = x.limits
    v = f32(x.scale) * (np.arange(low, high + 1) - x.zero).astype(f32)
    table = [f32(128 * math.tanh(float(e)) + 128) for e in v]
    table = np.rint(np.clip(table, 0, 255)).astype(np.int64)
    return y.like(table[x.data - low])


def hardswish(x, y):
    def function(v):
        return (v * np.clip(v + f32(3), f32(0), f32(6))) / f32(6)

    if y.signed:
        return by_table(x, y, function)
    low, high = x.limits
    v = function(f32(x.scale) * (np.arange(low, high + 1) - x.zero).astype(f32))
    table = (f32(1) / f32(y.scale)) * v + f32(y.zero)
    return y.like(np.rint(np.clip(table, 0, 255)).astype(np.int64)[x.data - low])


def prelu(x, y, kind, weight):
    # The kernel refuses it (QB108): other storage, or a scale for each channel.
    if weight.signed != y.signed or np.ndim(weight.scale):
        return None
    shape = [1] * x.data.ndim
    if weight.data.size > 1:
        shape[kind.ints("axis")[0]] = -1
    slope = weight.data.reshape(shape) - weight.zero
    top = Tensor(None, weight.scale, weight.zero, weight.signed)
    one = int(quantize(f32(1), top)) - weight.zero
    d = x.data - x.zero
    total = np.maximum(d, 0) * one + np.minimum(d, 0) * slope
    m = f32(f32(x.scale) * f32(weight.scale)) * (f32(1) / f32(y.scale))
    return y.like(np.clip(convert(total.astype(f32) * m) + y.zero, *y.limits))


def softmax(x, y, kind):
    axis = kind.ints("axis")[0]
    n = x.data.shape[axis]
    k = min((2**32 - 1) // n, 8388607)
    table = np.array([int(np.rint(k * math.exp((i - 255) * float(f32(x.scale)))))
                      for i in range(256)])
    largest = x.data.max(axis, keepdims=True)
    e = table[x.data + 255 - largest]
    total = e.sum(axis, keepdims=True)
    return y.like(np.minimum(255, ((e << 8) + (total >> 1)) // total) + y.limits[0])

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What integer ops of TOSA 1.0 compute, in NumPy: the specification's formulas, on
int64 arrays, with its REQUIREs as assertions. No code of the project is used."""

import itertools

import numpy as np

i64 = np.int64


def limits(bits, unsigned=False):
    return (0, 2**bits - 1) if unsigned else (-2**(bits - 1), 2**(bits - 1) - 1)


def apply_scale(value, multiplier, shift, double, bits=32):
    """apply_scale_32, and with 48 `bits` apply_scale_16."""
    value, multiplier, shift = (np.asarray(a, i64) for a in (value, multiplier, shift))
    assert (multiplier >= 0).all() and (shift >= 2).all() and (shift <= 62).all()
    if bits == 32:
        assert (np.abs(value) <= i64(1) << (shift - 1)).all()
    rounding = i64(1) << (shift - 1)
    if double:
        twice = np.where(value >= 0, i64(1 << 30), -i64(1 << 30))
        rounding = rounding + np.where(shift > 31, twice, 0)
    return (value * multiplier + rounding) >> shift


def rescale(x, multiplier, shift, input_zp=0, output_zp=0, bits=8, double=True,
            input_bits=32, unsigned=False):
    lo, hi = limits(bits, unsigned)
    scaled = apply_scale(x - input_zp, multiplier, shift, double, input_bits)
    return np.clip(scaled + output_zp, lo, hi)


def windows(x, kernel, stride, pad, dilation, fill):
    """[n, oh, ow, kh, kw, c] of an image [n, h, w, c]."""
    top, bottom, left, right = pad
    x = np.pad(x, ((0, 0), (top, bottom), (left, right), (0, 0)), constant_values=fill)
    sizes = []
    for axis in (0, 1):
        size = x.shape[1 + axis] - 1 - (kernel[axis] - 1) * dilation[axis]
        assert size % stride[axis] == 0, "TOSA: windows cover the image exactly"
        sizes.append(size // stride[axis] + 1)
    rows = np.arange(sizes[0])[:, None] * stride[0] + np.arange(kernel[0]) * dilation[0]
    columns = (np.arange(sizes[1])[:, None] * stride[1]
               + np.arange(kernel[1]) * dilation[1])
    return x[:, rows[:, None, :, None], columns[None, :, None, :], :]


def accumulators(sums, bits=32):
    lo, hi = limits(bits)
    assert sums.min() >= lo and sums.max() <= hi, "TOSA: sums don't overflow"
    return sums


def conv2d(x, w, b, xz, wz, pad, stride, dilation, bits=32):
    taken = windows(x - xz, w.shape[1:3], stride, pad, dilation, 0)
    return accumulators(np.einsum("nyxijc,oijc->nyxo", taken, w - wz, optimize=True)
                        + b, bits)


def depthwise_conv2d(x, w, b, xz, wz, pad, stride, dilation, bits=32):
    taken = windows(x - xz, w.shape[:2], stride, pad, dilation, 0)
    sums = np.einsum("nyxijc,ijcm->nyxcm", taken, w - wz)
    return accumulators(sums.reshape(*sums.shape[:3], -1) + b, bits)


def transpose_conv2d(x, w, b, xz, wz, out_pad, stride, bits=32):
    n, height, width, _ = x.shape
    out, kh, kw, _ = w.shape
    top, bottom, left, right = out_pad
    full = np.zeros((n, (height - 1) * stride[0] + kh + max(top, 0) + max(bottom, 0),
                     (width - 1) * stride[1] + kw + max(left, 0) + max(right, 0), out),
                    i64)
    for iy, ix, ky, kx in itertools.product(range(height), range(width), range(kh),
                                            range(kw)):
        full[:, iy * stride[0] + ky + max(top, 0),
             ix * stride[1] + kx + max(left, 0)] += \
            (x[:, iy, ix] - xz) @ (w[:, ky, kx] - wz).T
    rows = slice(max(-top, 0), full.shape[1] - max(-bottom, 0))
    columns = slice(max(-left, 0), full.shape[2] - max(-right, 0))
    return accumulators(full[:, rows, columns] + b, bits)


def matmul(a, b, az, bz):
    return accumulators((a - az) @ (b - bz))


def max_pool2d(x, kernel, stride, pad):
    return windows(x, kernel, stride, pad, (1, 1), -128).max((3, 4))


def reciprocal_scale(value):
    k = int(value - 1).bit_length()
    return (((1 << 30) + 1) << k) // value, 30 + k


def avg_pool2d(x, kernel, stride, pad, xz, yz):
    sums = windows(x - xz, kernel, stride, pad, (1, 1), 0).sum((3, 4))
    counts = windows(np.ones_like(x), kernel, stride, pad, (1, 1), 0).sum((3, 4))
    result = np.zeros_like(sums)
    for count in np.unique(counts):
        scaled = apply_scale(sums, *reciprocal_scale(int(count)), False)
        result = np.where(counts == count, scaled, result)
    return np.clip(result + yz, -128, 127)


def table8(x, table):
    return table[x + 128]


def resize_nearest(x, numerator, denominator, offset, border):
    """Both axes alike."""
    for axis in (1, 2):
        size = x.shape[axis]
        last = (size - 1) * numerator - offset + border
        assert last % denominator == 0, "TOSA: sizes fit"
        y = np.arange(last // denominator + 1) * denominator + offset
        pixel = y // numerator
        pixel += 2 * (y - pixel * numerator) >= numerator
        x = np.take(x, np.clip(pixel, 0, size - 1), axis)
    return x


def table16(x, table):
    """Between entries of 9 bits by the 7 that are left: 23 bits."""
    assert (np.abs(np.diff(table)) < 2**15).all()
    index, fraction = (x + 32768) >> 7, x & 0x7F
    return (table[index] << 7) + (table[index + 1] - table[index]) * fraction


def mul(a, b, shift=0):
    product = a * b
    return accumulators((product + (1 << shift >> 1)) >> shift)


def arithmetic_right_shift(a, b, rounds):
    a, b = np.broadcast_arrays(a, b)
    assert (b >= 0).all() and (b <= 31).all()
    up = (a >> np.maximum(b - 1, 0)) & 1
    return (a >> b) + np.where(rounds & (b > 0), up, 0)


def logical_left_shift(a, b):
    assert (b >= 0).all() and (b <= 31).all()
    return ((a << b) + 2**31) % 2**32 - 2**31


def clz(a):
    assert (a >= 0).all()
    return np.array([32 - int(v).bit_length() for v in a.flat], i64).reshape(a.shape)


def resize_bilinear(x, numerator, denominator, offset, border):
    """Both axes alike; the sum of four pixels' shares in squares of `numerator`."""
    for axis in (1, 2):
        size = x.shape[axis]
        last = (size - 1) * numerator - offset + border
        assert last % denominator == 0, "TOSA: sizes fit"
        y = np.arange(last // denominator + 1) * denominator + offset
        pixel = y // numerator
        share = (y - pixel * numerator).reshape([-1 if a == axis else 1
                                                 for a in range(4)])
        x = (np.take(x, np.clip(pixel, 0, size - 1), axis) * (numerator - share)
             + np.take(x, np.clip(pixel + 1, 0, size - 1), axis) * share)
    return accumulators(x)

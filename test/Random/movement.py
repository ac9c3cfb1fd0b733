# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What moves or resizes elements in docs/Numerics.md, with NumPy."""

import numpy as np

from arithmetic import f32, quantize


def pixel_shuffle(data, factor):
    n, h, w, c = data.shape
    data = data.reshape(n, h, w, c // factor**2, factor, factor)
    return data.transpose(0, 1, 4, 2, 5, 3).reshape(
        n, h * factor, w * factor, c // factor**2)


def pixel_unshuffle(data, factor):
    n, h, w, c = data.shape
    data = data.reshape(n, h // factor, factor, w // factor, factor, c)
    return data.transpose(0, 1, 3, 5, 2, 4).reshape(
        n, h // factor, w // factor, c * factor**2)


def channel_shuffle(data, axis, groups):
    data = np.moveaxis(data, axis, 0)
    split = data.reshape(groups, -1, *data.shape[1:]).swapaxes(0, 1)
    return np.moveaxis(split.reshape(data.shape), 0, axis)


def nearest(x, shape):
    data = x.data
    for axis in (1, 2):
        source, extent = data.shape[axis], shape[axis]
        ratio = f32(source) / f32(extent)
        place = np.floor(np.arange(extent).astype(f32) * ratio).astype(int)
        data = data.take(np.minimum(place, source - 1), axis)
    return x.like(data)


def bilinear(x, shape):
    parts = []
    for axis in (1, 2):
        source, extent = x.data.shape[axis], shape[axis]
        scale = f32(source) / f32(extent)
        place = (np.arange(extent).astype(f32) + f32(0.5)) * scale - f32(0.5)
        place = np.maximum(place, f32(0)).astype(f32)
        first = np.floor(place).astype(int)
        second = np.minimum(first + 1, source - 1)
        far = place - first.astype(f32)
        parts.append((first, second, (f32(1) - far).astype(f32), far.astype(f32)))
    (h0, h1, near_h, far_h), (w0, w1, near_w, far_w) = parts
    data = x.data.astype(f32)

    def row(index):
        picked = data.take(index, 1)
        return near_w.reshape(1, 1, -1, 1) * picked.take(w0, 2) + \
            far_w.reshape(1, 1, -1, 1) * picked.take(w1, 2)

    value = near_h.reshape(1, -1, 1, 1) * row(h0) + \
        far_h.reshape(1, -1, 1, 1) * row(h1)
    rounded = np.rint((value - f32(x.zero)).astype(np.float64)).astype(np.int64)
    return x.like(np.clip(rounded + x.zero, *x.limits))


def move(x, kind, shape):
    """Kinds that compute nothing; None for others."""
    name, data = kind.name, x.data
    if name in ("reshape", "flatten"):
        permutation = kind.ints("permutation")
        return x.like((data.transpose(permutation) if permutation else data)
                      .reshape(shape))
    if name == "transpose":
        return x.like(data.transpose(kind.ints("permutation")))
    if name == "narrow":
        return x.like(data[tuple(
            slice(o, o + (n - 1) * s + 1, s) for o, n, s in
            zip(kind.ints("offsets"), kind.ints("sizes"), kind.ints("strides")))])
    if name == "pad":
        value = int(quantize(f32(kind.number("value")), x))
        return x.like(np.pad(data, list(zip(kind.ints("low"), kind.ints("high"))),
                             constant_values=value))
    if name == "pixel_shuffle":
        return x.like(pixel_shuffle(data, kind.ints("upscale_factor")[0]))
    if name == "repeat":
        return x.like(np.tile(data, kind.ints("multiples")))
    if name == "pixel_unshuffle":
        return x.like(pixel_unshuffle(data, kind.ints("downscale_factor")[0]))
    if name == "channel_shuffle":
        return x.like(channel_shuffle(data, kind.ints("axis")[0],
                                      kind.ints("groups")[0]))
    if name == "interpolate" and not kind.has("align_corners"):
        return (bilinear if kind.has("bilinear") else nearest)(x, shape)
    return None

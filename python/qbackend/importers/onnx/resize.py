# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resize and Upsample: positions by ONNX's formulas."""

from __future__ import annotations

from typing import List, Optional

import numpy as np

from .. import dims, resize
from ..aten.resize import grid_sampler
from ..builder import Value
from ..elements import F32, Array
from ..errors import ImportFailure
from .table import Context, extents_of, known, op


def _positions(mode: str, size: int, extent: int, scale: float) -> Array:
    here = np.arange(size, dtype=np.float32)
    step = np.float32(scale)
    half = np.float32(0.5)
    if mode == "half_pixel":
        return (here + half) / step - half
    if mode == "pytorch_half_pixel":
        return (here + half) / step - half if size > 1 else here * 0
    if mode == "half_pixel_symmetric":
        adjusted = np.float32(size / (scale * extent))
        centre = np.float32(extent / 2)
        offset = centre * (1 - adjusted)
        return offset + (here + half) / step - half
    if mode == "align_corners":
        if size == 1:
            return here * 0
        return here * np.float32((extent - 1) / (size - 1))
    if mode == "asymmetric":
        return here / step
    raise ImportFailure(f"the coordinate transformation {mode!r}")


def _rounded(mode: str, x: Array) -> Array:
    if mode == "floor":
        return np.floor(x)
    if mode == "ceil":
        return np.ceil(x)
    if mode == "round_prefer_floor":
        return np.ceil(x - np.float32(0.5))
    if mode == "round_prefer_ceil":
        return np.floor(x + np.float32(0.5))
    raise ImportFailure(f"the rounding {mode!r}")


def _resized(o: Context, x: Value, sizes: List[int], scales: List[float],
             axes: List[int]) -> Value:
    kind = o.get("mode", "nearest")
    # Before these attributes, Resize was Upsample.
    old = o.kind == "Upsample" or o.opset < 11
    transformation = o.get("coordinate_transformation_mode",
                           "asymmetric" if old else "half_pixel")
    rounding = o.get("nearest_mode", "floor" if old else "round_prefer_floor")
    if o.get("exclude_outside", 0) or o.get("antialias", 0):
        raise ImportFailure("exclude_outside and antialias are not supported")
    taps: List[Optional[resize.Taps]] = [None] * x.rank
    for axis, size, scale in zip(axes, sizes, scales):
        if x.shape[axis] == size:
            continue
        extent = dims.static(x.shape[axis], "the size of an image that is resized")
        if size < 1 or scale <= 0:
            raise ImportFailure(f"a resize to {size} by {scale}")
        places = _positions(transformation, size, extent, scale)
        if kind == "nearest":
            taps[axis] = resize.nearest(_rounded(rounding, places), extent)
        elif kind in ("linear", "bilinear"):
            taps[axis] = resize.linear(np.clip(places, 0, extent - 1), extent)
        elif kind == "cubic":
            taps[axis] = resize.cubic(places, extent,
                                      float(o.get("cubic_coeff_a", -0.75)))
        else:
            raise ImportFailure(f"the interpolation {kind!r}")
    if all(tap is None for tap in taps):
        return x
    if "linear" in kind and not x.element.is_float:
        # Integers have no parts; what comes is cut off, as by NumPy's astype.
        y = resize.interpolate(o.g, o.g.cast(x, F32), taps)
        return o.g.cast(y, x.element)
    return resize.interpolate(o.g, x, taps)


@op("Resize", "antialias axes coordinate_transformation_mode cubic_coeff_a "
    "exclude_outside extrapolation_value keep_aspect_ratio_policy mode "
    "nearest_mode", symbolic=True)
def resize_(o: Context, x: Value, roi: Optional[Value] = None,
            scales: Optional[Value] = None,
            sizes: Optional[Value] = None) -> Value:
    if o.opset < 11:
        # The scales come second.
        roi, scales = None, roi
    axes = [x.axis(a) for a in o.ints("axes") or range(x.rank)]
    policy = o.get("keep_aspect_ratio_policy", "stretch")
    if policy not in ("stretch", "not_larger", "not_smaller"):
        raise ImportFailure(f"a resize that keeps the aspect ratio by {policy!r}")
    factors = known(scales, "scales")
    if factors is not None and factors.size:
        numbers = [float(f) for f in factors.reshape(-1)]
        chosen = [(a, f) for a, f in zip(axes, numbers) if f != 1]
        wanted = [int(np.floor(dims.static(x.shape[a], "an image") * f))
                  for a, f in chosen]
        return _resized(o, x, wanted, [f for _, f in chosen],
                        [a for a, _ in chosen])
    if sizes is None:
        raise ImportFailure("a resize without sizes and scales")
    extents = extents_of(sizes, "sizes")
    if policy != "stretch":
        chosen_ratio = (min if policy == "not_larger" else max)(
            dims.static(e, "the size of a resize")
            / dims.static(x.shape[a], "an image") for a, e in zip(axes, extents))
        wanted = [int(np.floor(chosen_ratio * x.shape[a] + 0.5))  # type: ignore
                  for a in axes]
        return _resized(o, x, wanted, [chosen_ratio] * len(axes), axes)
    pairs = [(a, e) for a, e in zip(axes, extents) if e != x.shape[a]]
    wanted = [dims.static(e, "the size of a resize") for _, e in pairs]
    return _resized(o, x, wanted, [
        e / dims.static(x.shape[a], "an image")
        for (a, _), e in zip(pairs, wanted)], [a for a, _ in pairs])


@op("Upsample", "mode scales height_scale width_scale")
def upsample(o: Context, x: Value, scales: Optional[Value] = None) -> Value:
    factors = known(scales, "scales")
    numbers = [float(f) for f in (factors.reshape(-1) if factors is not None
                                  else o.get("scales", []))]
    if len(numbers) != x.rank:
        raise ImportFailure(f"{len(numbers)} scales of {x.rank} dimensions")
    wanted = [dims.static(e, "an image") if f == 1 and isinstance(e, int) else
              0 if f == 1 else int(np.floor(dims.static(e, "an image") * f))
              for e, f in zip(x.shape, numbers)]
    chosen = [i for i, f in enumerate(numbers) if f != 1]
    return _resized(o, x, [wanted[i] for i in chosen],
                    [numbers[i] for i in chosen], chosen)


_INTERPOLATIONS = {"linear": 0, "bilinear": 0, "nearest": 1}
_PADDINGS = {"zeros": 0, "border": 1, "reflection": 2}


@op("GridSample", "align_corners mode padding_mode")
def grid_sample(o: Context, x: Value, grid: Value) -> Value:
    mode, padding = o.get("mode", "linear"), o.get("padding_mode", "zeros")
    if mode not in _INTERPOLATIONS or padding not in _PADDINGS:
        raise ImportFailure(f"samples of mode {mode!r} with the padding "
                            f"{padding!r}")
    return grid_sampler(o.g, x, grid, _INTERPOLATIONS[mode], _PADDINGS[padding],
                        bool(o.get("align_corners", 0)))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interpolation, as PyTorch chooses positions."""

from __future__ import annotations

from typing import Any, Callable, List, Optional

import numpy as np

from .. import dims, movement, resize
from ..builder import Builder, Value
from ..elements import INDEX
from ..errors import ImportFailure
from ..resize import Taps
from ..scalars import Scalar, TextBody
from .table import op

_Taps = Callable[[int, int, Optional[float]], Taps]


def _resized(g: Builder, x: Value, spatial: int, output_size: Any,
             scale_factors: Any, taps: _Taps) -> Value:
    """By one of a size and factors; factors alone say how far positions are
    apart."""
    extents = [dims.static(e, "the size of an image that is interpolated")
               for e in x.shape[2:]]
    if len(extents) != spatial:
        raise ImportFailure(f"interpolation of shape {dims.text(x.shape)}")
    factors: List[Optional[float]] = [None] * spatial
    if output_size is not None:
        sizes = [dims.static(e, "the size of an interpolation")
                 for e in output_size]
        if scale_factors is not None:
            factors = [float(f) for f in scale_factors]
    elif scale_factors is not None:
        factors = [float(f) for f in scale_factors]
        sizes = [int(np.floor(n * f))  # type: ignore[operator]
                 for n, f in zip(extents, factors)]
    else:
        raise ImportFailure("an interpolation without a size")
    if len(sizes) != spatial or len(factors) != spatial or min(sizes) < 1:
        raise ImportFailure(f"an interpolation to {sizes}")
    return resize.interpolate(g, x, [None, None, *(
        taps(n, size, f) for n, size, f in zip(extents, sizes, factors))])


def _nearest(exact: bool) -> _Taps:
    def taps(extent: int, size: int, factor: Optional[float]) -> Taps:
        step = resize.torch_steps(extent, size, factor, False)
        here = np.arange(size, dtype=np.float32)
        if exact:
            here = here + np.float32(0.5)
        return resize.nearest(np.floor(here * step), extent)

    return taps


def _linear(align_corners: bool) -> _Taps:
    return lambda extent, size, factor: resize.linear(
        resize.torch_positions(extent, size, factor, align_corners), extent)


def _cubic(align_corners: bool) -> _Taps:
    return lambda extent, size, factor: resize.cubic(
        resize.torch_positions(extent, size, factor, align_corners, False),
        extent, -0.75)


def _add_nearest(name: str, exact: bool, n: int) -> None:
    def vec(g: Builder, input: Value, output_size: Any = None,
            scale_factors: Any = None) -> Value:
        return _resized(g, input, n, output_size, scale_factors, _nearest(exact))

    def plain(g: Builder, self: Value, output_size: Any, scales: Any = None,
              scales_d: Any = None, scales_h: Any = None,
              scales_w: Any = None) -> Value:
        return _resized(g, self, n, output_size, _scales(
            n, scales, scales_d, scales_h, scales_w), _nearest(exact))

    op(f"{name}{n}d.vec")(vec)
    op(f"{name}{n}d")(plain)


def _scales(n: int, scales: Any, *rest: Any) -> Optional[List[float]]:
    found = ([scales] if scales is not None else list(rest))[-n:]
    return None if any(f is None for f in found) else found


def _add_aligned(name: str, n: int, taps: Callable[[bool], _Taps]) -> None:
    def vec(g: Builder, input: Value, output_size: Any = None,
            align_corners: bool = False, scale_factors: Any = None) -> Value:
        return _resized(g, input, n, output_size, scale_factors,
                        taps(align_corners))

    def plain(g: Builder, self: Value, output_size: Any, align_corners: bool,
              scales: Any = None, scales_d: Any = None, scales_h: Any = None,
              scales_w: Any = None) -> Value:
        return _resized(g, self, n, output_size, _scales(
            n, scales, scales_d, scales_h, scales_w), taps(align_corners))

    op(f"{name}.vec")(vec)
    op(name)(plain)


def _reflected(place: Scalar, low: float, high: float) -> Scalar:
    """Into [low, high], back and forth."""
    span = high - low
    if span == 0:
        return place * 0.0 + low
    away = (place - low).abs()
    rest = away.op("rem", span)
    odd = (away / span).unary("floor").op("rem", 2.0).compare("eq", 1.0)
    return odd.select(high - rest, rest + low)


@op("grid_sampler", "grid_sampler_2d")
def grid_sampler(g: Builder, input: Value, grid: Value, interpolation_mode: int,
                 padding_mode: int, align_corners: bool) -> Value:
    """Pixels at the positions of grid, [N, H, W, 2], x first, from -1 to 1.
    Modes: bilinear 0, nearest 1; zeros 0, border 1, reflection 2."""
    if input.rank != 4 or grid.rank != 4 or interpolation_mode not in (0, 1):
        raise ImportFailure(f"grid_sampler of {input.rank} dimensions in mode "
                            f"{interpolation_mode}")
    h, w = (dims.static(e, "the size of a sampled image")
            for e in input.shape[2:])
    xs, ys = (movement.select(g, grid, -1, i) for i in range(2))

    def positions(size: int, v: Scalar) -> Scalar:
        place = ((v + 1.0) * ((size - 1) / 2) if align_corners
                 else ((v + 1.0) * float(size) - 1.0) / 2.0)
        if padding_mode == 2:
            place = (_reflected(place, 0.0, size - 1.0) if align_corners
                     else _reflected(place, -0.5, size - 0.5))
        if padding_mode in (1, 2):
            place = place.max(0.0).min(size - 1.0)
        return place

    g.name(input)

    def body(text: TextBody, x: Scalar, y: Scalar, out: Scalar) -> Scalar:
        n, c = text.position(0), text.position(1)
        px, py = positions(w, x), positions(h, y)

        def read(row: Scalar, column: Scalar) -> Scalar:
            """One pixel, 0 outside of the image."""
            inside = (row >= 0.0).op("and", row < float(h)).op(
                "and", (column >= 0.0).op("and", column < float(w)))
            at = [v.max(0.0).min(float(size - 1)).cast(INDEX)
                  for v, size in ((row, h), (column, w))]
            value = text.extract(input.name or "", input.type, input.element,
                                 [n, c, *at])
            return inside.select(value, text.number(0.0, input.element))

        if interpolation_mode == 1:
            return read(py.unary("roundeven"), px.unary("roundeven"))
        top, left = py.unary("floor"), px.unary("floor")
        b, r = py - top, px - left
        return (read(top, left) * ((1.0 - b) * (1.0 - r))
                + read(top, left + 1.0) * ((1.0 - b) * r)
                + read(top + 1.0, left) * (b * (1.0 - r))
                + read(top + 1.0, left + 1.0) * (b * r))

    shape = (*input.shape[:2], *grid.shape[1:3])
    return g.generic([(xs, ["d0", "d2", "d3"]), (ys, ["d0", "d2", "d3"])],
                     g.empty(shape, input.element, [input, grid]), body)


for _n in (1, 2, 3):
    _add_nearest("upsample_nearest", False, _n)
    _add_nearest("_upsample_nearest_exact", True, _n)
_add_aligned("upsample_linear1d", 1, _linear)
_add_aligned("upsample_bilinear2d", 2, _linear)
_add_aligned("upsample_trilinear3d", 3, _linear)
_add_aligned("upsample_bicubic2d", 2, _cubic)

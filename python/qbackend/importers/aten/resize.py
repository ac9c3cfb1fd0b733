# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interpolation, as PyTorch chooses positions."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

import numpy as np

from .. import dims, resize
from ..builder import Builder, Value
from ..errors import ImportFailure
from ..resize import Taps
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


for _n in (1, 2, 3):
    _add_nearest("upsample_nearest", False, _n)
    _add_nearest("_upsample_nearest_exact", True, _n)
_add_aligned("upsample_linear1d", 1, _linear)
_add_aligned("upsample_bilinear2d", 2, _linear)
_add_aligned("upsample_trilinear3d", 3, _linear)
_add_aligned("upsample_bicubic2d", 2, _cubic)

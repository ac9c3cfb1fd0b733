# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interpolation: each position of the result is a weighted sum of positions of
the image, dimension by dimension. The positions are known, so are computed here.
"""

from __future__ import annotations

import dataclasses
from typing import List, Optional, Sequence

import numpy as np

from . import dims
from .builder import Builder, Read, Value
from .elements import I64, INDEX, Array
from .errors import ImportFailure
from .scalars import Scalar, TextBody


@dataclasses.dataclass
class Taps:
    """Of one dimension: row k of `places` and `weights` is the k-th element that
    each position reads, and its part. No weights: one element, whole."""

    places: Array
    weights: Optional[Array] = None


def nearest(positions: Array, extent: int) -> Taps:
    """`positions` are floats that have been rounded as wanted."""
    return Taps(positions.astype(np.int64).clip(0, extent - 1)[None])


def linear(positions: Array, extent: int) -> Taps:
    """Between the two neighbours, which end at the border."""
    low = np.floor(positions)
    part = (positions - low).astype(np.float32)
    places = np.stack([low, low + 1]).astype(np.int64).clip(0, extent - 1)
    return Taps(places, np.stack([np.float32(1) - part, part]))


def cubic(positions: Array, extent: int, a: float) -> Taps:
    """Four neighbours, weighted by Keys' kernel."""
    low = np.floor(positions)
    part = (positions - low).astype(np.float32)

    def near(x: Array) -> Array:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: Array) -> Array:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    weights = np.stack([far(part + 1), near(part), near(1 - part), far(2 - part)])
    places = np.stack([low - 1, low, low + 1, low + 2])
    return Taps(places.astype(np.int64).clip(0, extent - 1),
                weights.astype(np.float32))


def torch_steps(extent: int, size: int, factor: Optional[float],
                align_corners: bool) -> np.float32:
    """How far positions are apart in the image, as PyTorch rounds it."""
    if align_corners:
        return np.float32((extent - 1) / (size - 1) if size > 1 else 0)
    if factor is not None and factor > 0:
        return np.float32(1.0 / factor)
    return np.float32(extent) / np.float32(size)


def torch_positions(extent: int, size: int, factor: Optional[float],
                    align_corners: bool, clamped: bool = True) -> Array:
    step = torch_steps(extent, size, factor, align_corners)
    here = np.arange(size, dtype=np.float32)
    if align_corners:
        return here * step
    positions = (here + np.float32(0.5)) * step - np.float32(0.5)
    return np.maximum(positions, np.float32(0)) if clamped else positions


def interpolate(g: Builder, x: Value, taps: Sequence[Optional[Taps]]) -> Value:
    """`taps[i]` is of dimension i; None: it stays."""
    if not x.element.is_float and any(t and t.weights is not None for t in taps):
        raise ImportFailure(f"sums of parts of {x.element} are not supported")
    shape: List[dims.Extent] = []
    reads: List[Read] = []
    places: List[List[int]] = []
    weights: List[List[int]] = []
    for i, tap in enumerate(taps):
        shape.append(x.shape[i] if tap is None else tap.places.shape[1])
        places.append([])
        weights.append([])
        if tap is None:
            continue
        for row in tap.places:
            places[i].append(len(reads))
            reads.append((g.constant(row, I64), [f"d{i}"]))
        for row in [] if tap.weights is None else tap.weights:
            weights[i].append(len(reads))
            reads.append((g.constant(row, x.element), [f"d{i}"]))
    g.name(x)

    def body(text: TextBody, *values: Scalar) -> Scalar:
        def read(at: List[Scalar]) -> Scalar:
            i = len(at)
            if i == x.rank:
                return text.extract(x.name or "", x.type, x.element, at)
            if not places[i]:
                return read([*at, text.position(i)])
            parts = [read([*at, values[k].cast(INDEX)]) for k in places[i]]
            if not weights[i]:
                return parts[0]
            total = parts[0] * values[weights[i][0]]
            for part, k in zip(parts[1:], weights[i][1:]):
                total = total + part * values[k]
            return total

        return read([])

    if not dims.all_static([s for s, t in zip(shape, taps) if t is not None]):
        raise ImportFailure("the size of an interpolation is dynamic")
    return g.generic(reads, g.empty(shape, x.element, [x]), body)

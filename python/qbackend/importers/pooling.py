# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pools: windows over the last dimensions of [N, C, ...]."""

from __future__ import annotations

from typing import Callable, List, Optional, Sequence, Tuple

import numpy as np

from . import dims, movement
from .builder import Builder, Value, identity, sliding
from .convolution import named
from .dims import Extent
from .elements import I64, Array
from .errors import ImportFailure
from .scalars import Scalar, TextBody

_NAMED = {("max", 1): "pooling_ncw_max", ("max", 2): "pooling_nchw_max",
          ("add", 1): "pooling_ncw_sum", ("add", 2): "pooling_nchw_sum"}


def with_batch(g: Builder, x: Value, spatial: int,
               pool: Callable[[Value], Value]) -> Value:
    """Images without a batch get one of 1."""
    if x.rank == spatial + 2:
        return pool(x)
    if x.rank != spatial + 1:
        raise ImportFailure(f"a pool of {spatial} dimensions of a tensor of shape "
                            f"{dims.text(x.shape)}")
    y = pool(movement.unsqueeze(g, x, 0))
    return movement.reshape(g, y, y.shape[1:])


def window_count(extent: Extent, kernel: int, stride: int, low: int, high: int,
                 dilation: int, ceil_mode: bool) -> Tuple[Extent, int]:
    """How many windows there are, and what is missing at the end for the last
    one. With `ceil_mode` a last window that starts beyond the elements and the
    padding before them is dropped."""
    if kernel < 1 or stride < 1 or dilation < 1:
        raise ImportFailure(f"a pool with kernel {kernel}, stride {stride} and "
                            f"dilation {dilation}, expected at least 1")
    rest = extent + (low + high - dilation * (kernel - 1) - 1)
    if not ceil_mode:
        count = dims.floordiv(rest, stride) + 1
    else:
        whole = dims.static(rest, "the extent of a pool in ceil mode")
        length = dims.static(extent, "the extent of a pool")
        count = -(-whole // stride) + 1
        if (count - 1) * stride >= length + low:
            count -= 1
    if isinstance(count, int) and count < 1:
        raise ImportFailure(
            f"a window of {dilation * (kernel - 1) + 1} doesn't fit into {extent} "
            f"elements with a padding of {low} and {high}")
    if not isinstance(count, int) or not isinstance(rest, int):
        return count, 0
    return count, max((count - 1) * stride - rest, 0)


def _windows(g: Builder, x: Value, kind: str, start: float,
             kernel: Sequence[int], strides: Sequence[int],
             dilations: Sequence[int], counts: Sequence[Extent]) -> Value:
    """The sum or maximum of each window of a padded image."""
    spatial = len(kernel)
    shape = (*x.shape[:2], *counts)
    init = g.filled(shape, start, x.element, [x])
    window = g.empty(kernel, x.element)
    # The named maxima are signed.
    if (kind, spatial) in _NAMED and x.element.kind != "u":
        return named(g, _NAMED[kind, spatial], x, window, init, strides, dilations)
    n = x.rank
    taps = [f"d{n + i}" for i in range(spatial)]
    return g.generic([(x, ["d0", "d1", *sliding(2, n, strides, dilations)]),
                      (window, taps)], init,
                     lambda text, a, w, out: out.op(kind, a), identity(n),
                     n + spatial)


def max_pool(g: Builder, x: Value, kernel: Sequence[int],
             strides: Sequence[int], low: Sequence[int], high: Sequence[int],
             dilations: Sequence[int], ceil_mode: bool) -> Value:
    counts: List[Extent] = []
    behind = []
    for i in range(len(kernel)):
        count, missing = window_count(
            x.shape[2 + i], kernel[i], strides[i], low[i], high[i], dilations[i],
            ceil_mode)
        counts.append(count)
        behind.append(high[i] + missing)
    least = -np.inf if x.element.is_float else int(np.iinfo(x.element.dtype).min)
    x = movement.pad(g, x, [0, 0, *low], [0, 0, *behind], least)
    return _windows(g, x, "max", least, kernel, strides, dilations, counts)


def max_pool_indices(g: Builder, x: Value, y: Value, kernel: Sequence[int],
                     strides: Sequence[int], low: Sequence[int],
                     dilations: Sequence[int]) -> Value:
    """Where the maxima `y` are in the flattened image, the first of equal ones."""
    spatial = len(kernel)
    n = x.rank
    extents = [dims.static(e, "the extent of a pool with indices")
               for e in x.shape[2:]]
    g.name(x)
    window = g.empty(kernel, x.element)

    def body(text: TextBody, top: Scalar, w: Scalar, best: Scalar) -> Scalar:
        inside: Optional[Scalar] = None
        safe = []
        flat: Optional[Scalar] = None
        for i in range(spatial):
            place = (text.position(2 + i) * strides[i]
                     + text.position(n + i) * dilations[i]) - low[i]
            ok = (place >= 0).op("and", place < extents[i])
            inside = ok if inside is None else inside.op("and", ok)
            place = place.max(0).min(extents[i] - 1)
            safe.append(place)
            flat = place if flat is None else flat * extents[i] + place
        assert inside is not None and flat is not None
        v = text.extract(x.name or "", x.type, x.element,
                         [text.position(0), text.position(1), *safe])
        here = flat.cast(I64)
        hit = inside.op("and", v.compare("eq", top)).op("and", here < best)
        return hit.select(here, best)

    init = g.filled(y.shape, np.iinfo(np.int64).max, I64)
    taps = [f"d{n + i}" for i in range(spatial)]
    return g.generic([(y, identity(n)), (window, taps)], init, body, identity(n),
                     n + spatial)


def avg_pool(g: Builder, x: Value, kernel: Sequence[int], strides: Sequence[int],
             low: Sequence[int], high: Sequence[int], ceil_mode: bool,
             count_padding: bool, divisor: Optional[int] = None,
             dilations: Optional[Sequence[int]] = None) -> Value:
    """The elements of a window by their number: all in the padded image, or
    those of the image only."""
    spatial = len(kernel)
    dilations = dilations or [1] * spatial
    counts: List[Extent] = []
    behind, uneven = [], False
    for i in range(spatial):
        count, missing = window_count(
            x.shape[2 + i], kernel[i], strides[i], low[i], high[i], dilations[i],
            ceil_mode)
        counts.append(count)
        behind.append(high[i] + missing)
        uneven = uneven or missing > 0
    if not count_padding:
        uneven = uneven or any(low) or any(high)
    total = _windows(
        g, movement.pad(g, x, [0, 0, *low], [0, 0, *behind], 0), "add", 0.0,
        kernel, strides, dilations, counts)
    if divisor is not None:
        if divisor == 0:
            raise ImportFailure("an average pool divides by 0")
        number = float(divisor)
        return g.map([total], lambda v: v / number)
    if not uneven:
        number = float(np.prod(kernel))
        return g.map([total], lambda v: v / number)
    numbers = _tap_counts(x, kernel, strides, low, high, counts, dilations,
                          count_padding)
    return _by_position(g, total, numbers)


def _tap_counts(x: Value, kernel: Sequence[int], strides: Sequence[int],
                low: Sequence[int], high: Sequence[int],
                counts: Sequence[Extent], dilations: Sequence[int],
                count_padding: bool) -> List[Array]:
    """For each dimension, how many elements each window has."""
    result = []
    for i in range(len(kernel)):
        extent = dims.static(x.shape[2 + i], "the extent of an average pool")
        first = np.arange(dims.static(counts[i], "windows")) * strides[i] - low[i]
        taps = first[:, None] + np.arange(kernel[i]) * dilations[i]
        begin, end = (-low[i], extent + high[i]) if count_padding else (0, extent)
        result.append(((taps >= begin) & (taps < end)).sum(1))
    return result


def _by_position(g: Builder, total: Value,
                 numbers: Sequence[Array]) -> Value:
    """`total` by the product of what each dimension counts."""
    reads = [(total, identity(total.rank))]
    for i, counted in enumerate(numbers):
        if (counted != 1).any():
            reads.append((g.constant(counted.astype(np.float32), total.element),
                          [f"d{2 + i}"]))

    def body(text: TextBody, sum_: Scalar, *rest: Scalar) -> Scalar:
        divisor = rest[0]
        for factor in rest[1:-1]:
            divisor = divisor * factor
        return sum_ / divisor if len(rest) > 1 else sum_

    return g.generic(reads, g.empty(total.shape, total.element, [total]), body)


def adaptive_pool(g: Builder, x: Value, sizes: Sequence[Optional[Extent]],
                  kind: str) -> Value:
    """avg or max of windows floor(i n / o) to ceil((i + 1) n / o)."""
    spatial = len(sizes)
    wanted = [x.shape[2 + i] if s is None else s for i, s in enumerate(sizes)]
    if all(size == 1 for size in wanted) and kind == "avg" and not (
            dims.all_static(x.shape[2:])):
        from .reductions import mean
        return mean(g, x, list(range(2, x.rank)), True)
    inputs = [dims.static(e, "the extent of an adaptive pool")
              for e in x.shape[2:]]
    outputs = [dims.static(e, "the size of an adaptive pool") for e in wanted]
    if any(o < 1 for o in outputs):
        raise ImportFailure(f"an adaptive pool to {outputs}")
    if all(n % o == 0 for n, o in zip(inputs, outputs)):
        kernel = [n // o for n, o in zip(inputs, outputs)]
        none, one = [0] * spatial, [1] * spatial
        if kind == "max":
            return max_pool(g, x, kernel, kernel, none, none, one, False)
        return avg_pool(g, x, kernel, kernel, none, none, False, True)
    return _uneven(g, x, inputs, outputs, kind)


def _uneven(g: Builder, x: Value, inputs: Sequence[int],
            outputs: Sequence[int], kind: str) -> Value:
    spatial, n = len(inputs), x.rank
    most = [int(max((-(-(i + 1) * e // o)) - i * e // o for i in range(o)))
            for e, o in zip(inputs, outputs)]
    g.name(x)
    shape = (*x.shape[:2], *outputs)
    start = 0.0 if kind == "avg" else -np.inf
    window = g.empty(most, x.element)

    def bounds(text: TextBody, i: int) -> Tuple[Scalar, Scalar]:
        at = text.position(2 + i) * inputs[i]
        begin = at.op("floordiv", outputs[i])
        end = (at + (inputs[i] + outputs[i] - 1)).op("floordiv", outputs[i])
        return begin, end

    def body(text: TextBody, w: Scalar, out: Scalar) -> Scalar:
        inside: Optional[Scalar] = None
        places = [text.position(0), text.position(1)]
        for i in range(spatial):
            begin, end = bounds(text, i)
            place = begin + text.position(n + i)
            ok = place < end
            inside = ok if inside is None else inside.op("and", ok)
            places.append(place.min(inputs[i] - 1))
        assert inside is not None
        v = text.extract(x.name or "", x.type, x.element, places)
        v = inside.select(v, text.number(start, x.element))
        return out + v if kind == "avg" else out.max(v)

    taps = [f"d{n + i}" for i in range(spatial)]
    total = g.generic([(window, taps)], g.filled(shape, start, x.element, [x]), body,
                      identity(n), n + spatial)
    if kind == "max":
        return total
    numbers = []
    for e, o in zip(inputs, outputs):
        i = np.arange(o)
        numbers.append(-(-(i + 1) * e // o) - i * e // o)
    return _by_position(g, total, numbers)

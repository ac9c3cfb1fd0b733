# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Means, variances, softmax, norms along dimensions; and what orders elements."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from . import dims, movement
from .builder import Builder, Value, identity
from .elements import I64, INDEX
from .errors import ImportFailure
from .scalars import Scalar, TextBody


def count_of(x: Value, axes: Sequence[int]) -> dims.Extent:
    return dims.product(x.shape[x.axis(a)] for a in axes)


def divided(g: Builder, x: Value, count: dims.Extent) -> Value:
    """`x / count`, which may be known when the network runs only."""
    if isinstance(count, int):
        number = float(count)
        return g.map([x], lambda v: v / number)
    name = g.extent(count)

    def body(text: TextBody, v: Scalar, out: Scalar) -> Scalar:
        return v / text.captured(name, INDEX).cast(x.element)

    return g.generic([(x, identity(x.rank))],
                     g.empty(x.shape, x.element, [x]), body)


def all_axes(x: Value, axes: Optional[Sequence[int]]) -> List[int]:
    return list(range(x.rank)) if not axes else [x.axis(a) for a in axes]


def mean(g: Builder, x: Value, axes: Optional[Sequence[int]],
         keepdim: bool) -> Value:
    chosen = all_axes(x, axes)
    total = g.reduce(x, chosen, "add", keepdim)
    return divided(g, total, count_of(x, chosen))


def variance(g: Builder, x: Value, axes: Sequence[int], correction: float,
             keepdim: bool) -> Value:
    """sum((x - mean)^2) / max(n - correction, 0)"""
    centre = mean(g, x, axes, True)
    deviation = g.map([x, centre], lambda v, m: v - m)
    squares = g.map([deviation], lambda v: v * v)
    total = g.reduce(squares, axes, "add", keepdim)
    count = count_of(x, axes)
    if correction == 0:
        return divided(g, total, count)
    known = dims.static(count, "what a variance with a correction is taken of")
    number = max(known - correction, 0.0)
    return g.map([total], lambda v: v / number)


def softmax(g: Builder, x: Value, axis: int, log: bool = False) -> Value:
    if not x.rank:
        return g.full((), 0.0 if log else 1.0, x.element)
    axes = [x.axis(axis)]
    top = g.reduce(x, axes, "max", True)
    if not log:
        powers = g.map([x, top], lambda v, m: (v - m).exp())
        return g.map([powers, g.reduce(powers, axes, "add", True)],
                     lambda v, s: v / s)
    shifted = g.map([x, top], lambda v, m: v - m)
    total = g.reduce(g.map([shifted], lambda v: v.exp()), axes, "add", True)
    return g.map([shifted, total], lambda v, s: v - s.unary("log"))


def logsumexp(g: Builder, x: Value, axes: Sequence[int],
              keepdim: bool) -> Value:
    top = g.reduce(x, axes, "max", True)
    finite = g.map([top], lambda m: (m.abs() < float("inf")).select(
        m, m.body.number(0, m.element)))
    powers = g.map([x, finite], lambda v, m: (v - m).exp())
    total = g.reduce(powers, axes, "add", True)
    y = g.map([total, finite], lambda s, m: s.unary("log") + m)
    return y if keepdim else movement.squeeze(g, y, all_axes(x, axes))


def vector_norm(g: Builder, x: Value, order: float, axes: Sequence[int],
                keepdim: bool) -> Value:
    """(sum |x|^p)^(1/p)"""
    if order == float("inf") or order == float("-inf"):
        return g.reduce(g.map([x], lambda v: v.abs()), axes,
                        "max" if order > 0 else "min", keepdim)
    if order == 0:
        count = g.map([x], lambda v: v.compare("ne", 0).cast(x.element))
        return g.reduce(count, axes, "add", keepdim)
    if order == 1:
        return g.reduce(g.map([x], lambda v: v.abs()), axes, "add", keepdim)
    if order == 2:
        total = g.reduce(g.map([x], lambda v: v * v), axes, "add", keepdim)
        return g.map([total], lambda v: v.unary("sqrt"))
    total = g.reduce(g.map([x], lambda v: v.abs().pow(order)), axes, "add",
                     keepdim)
    return g.map([total], lambda v: v.pow(1 / order))


def normalized(g: Builder, x: Value, axes: Sequence[int], eps: float) -> Value:
    """(x - mean) / sqrt(var + eps), biased, along `axes`."""
    centre = mean(g, x, axes, True)
    deviation = g.map([x, centre], lambda v, m: v - m)
    squares = g.map([deviation], lambda v: v * v)
    spread = mean(g, squares, axes, True)
    factor = g.map([spread], lambda v: (v + eps).unary("rsqrt"))
    return g.map([deviation, factor], lambda d, f: d * f)


def scaled(g: Builder, x: Value, weight: Optional[Value], bias: Optional[Value],
           axis: Optional[int] = None) -> Value:
    """`x * weight + bias`; along `axis`, or the last dimensions."""
    def along(p: Value) -> Value:
        if axis is None:
            return p
        return movement.reshape(g, p, (*p.shape, *[1] * (x.rank - axis - 1)))

    if weight is not None:
        x = g.map([x, along(weight)], lambda v, w: v * w)
    if bias is not None:
        x = g.map([x, along(bias)], lambda v, b: v + b)
    return x


def layer_norm(g: Builder, x: Value, count: int, weight: Optional[Value],
               bias: Optional[Value], eps: float) -> Value:
    if not 0 < count <= x.rank:
        raise ImportFailure(f"a layer norm of {count} dimensions of "
                            f"{dims.text(x.shape)}")
    axes = list(range(x.rank - count, x.rank))
    return scaled(g, normalized(g, x, axes, eps), weight, bias)


def rms_norm(g: Builder, x: Value, count: int, weight: Optional[Value],
             eps: float) -> Value:
    axes = list(range(x.rank - count, x.rank))
    squares = mean(g, g.map([x], lambda v: v * v), axes, True)
    factor = g.map([squares], lambda v: (v + eps).unary("rsqrt"))
    return scaled(g, g.map([x, factor], lambda v, f: v * f), weight, None)


def group_norm(g: Builder, x: Value, groups: int, weight: Optional[Value],
               bias: Optional[Value], eps: float) -> Value:
    channels = dims.static(x.shape[1], "the number of channels")
    if groups < 1 or channels % groups:
        raise ImportFailure(f"{groups} groups of {channels} channels")
    wide = movement.reshape(g, x, (x.shape[0], groups, channels // groups,
                                   *x.shape[2:]))
    y = normalized(g, wide, list(range(2, wide.rank)), eps)
    return scaled(g, movement.reshape(g, y, x.shape), weight, bias, 1)


def instance_norm(g: Builder, x: Value, weight: Optional[Value],
                  bias: Optional[Value], eps: float) -> Value:
    y = normalized(g, x, list(range(2, x.rank)), eps)
    return scaled(g, y, weight, bias, 1)


def batch_norm(g: Builder, x: Value, weight: Optional[Value],
               bias: Optional[Value], mean_: Value, var: Value,
               eps: float) -> Value:
    """In evaluation: one op, with the parameters along dimension 1."""
    parameters = [weight, bias, mean_, var]
    axis = "d1" if x.rank > 1 else "d0"
    values = [x] + [p for p in parameters if p is not None]
    reads = [(v, identity(x.rank) if v is x else [axis]) for v in values]

    def body(text: TextBody, v: Scalar, *rest: Scalar) -> Scalar:
        given = list(rest[:-1])
        w = given.pop(0) if weight is not None else None
        b = given.pop(0) if bias is not None else None
        m, s = given
        y = (v - m) * (s + eps).unary("rsqrt")
        y = y if w is None else y * w
        return y if b is None else y + b

    return g.generic(reads, g.empty(x.shape, x.element, [x]), body)


def batch_statistics(g: Builder, x: Value) -> Tuple[Value, Value]:
    """Mean and biased variance of each channel."""
    axes = [i for i in range(x.rank) if i != 1]
    return mean(g, x, axes, False), variance(g, x, axes, 0, False)


# Order.


def _length(x: Value, axis: int, what: str) -> int:
    length = dims.static(x.shape[axis], f"the dimension of {what}")
    if length > 4096:
        raise ImportFailure(f"{what} of {length} elements: at most 4096 are "
                            "supported")
    return length


def cumsum(g: Builder, x: Value, axis: int, kind: str = "add") -> Value:
    """Each element is the sum (product) of those up to it."""
    if not x.rank:
        return x
    axis = x.axis(axis)
    if x.data is not None and g.foldable([x], x.shape):
        function: Any = np.cumsum if kind == "add" else np.cumprod
        return g.constant(function(x.data, axis, dtype=x.element.dtype),
                          x.element)
    _length(x, axis, "a cumulative sum")
    read = identity(x.rank)
    read[axis] = f"d{x.rank}"

    def body(text: TextBody, v: Scalar, total: Scalar) -> Scalar:
        here = text.position(x.rank) <= text.position(axis)
        return here.select(total.op(kind, v), total)

    return g.generic([(x, read)], g.filled(
        x.shape, 0 if kind == "add" else 1, x.element), body,
                     identity(x.rank), x.rank + 1)


def ranks(g: Builder, x: Value, axis: int, largest: bool) -> Value:
    """Where each element comes in the order, as `index` integers: how many are
    before it. Equal ones keep their order."""
    _length(x, axis, "a sort")
    here, there = identity(x.rank), identity(x.rank)
    there[axis] = f"d{x.rank}"

    def body(text: TextBody, a: Scalar, b: Scalar, count: Scalar) -> Scalar:
        before = (b > a) if largest else (b < a)
        earlier = text.position(x.rank) < text.position(axis)
        tie = b.compare("eq", a).op("and", earlier)
        return count + before.op("or", tie).cast(I64)

    return g.generic([(x, here), (x, there)], g.filled(x.shape, 0, I64), body,
                     identity(x.rank), x.rank + 1)


def sort(g: Builder, x: Value, axis: int, largest: bool,
         count: Optional[int] = None) -> Tuple[Value, Value]:
    """The first `count` values in order, and where they were."""
    if not x.rank:
        return x, g.full((), 0, I64)
    axis = x.axis(axis)
    length = dims.static(x.shape[axis], "the dimension of a sort")
    count = length if count is None else count
    if not 0 <= count <= length:
        raise ImportFailure(f"the first {count} of {length} elements")
    order = ranks(g, x, axis, largest)
    shape = (*x.shape[:axis], count, *x.shape[axis + 1:])
    read = identity(x.rank)
    read[axis] = f"d{x.rank}"

    def chosen(place: bool) -> Value:
        element = I64 if place else x.element

        def body(text: TextBody, v: Scalar, rank: Scalar, out: Scalar) -> Scalar:
            mine = rank.compare("eq", text.position(axis).cast(I64))
            value = text.position(x.rank).cast(I64) if place else v
            return mine.select(value, out)

        return g.generic([(x, read), (order, read)],
                         g.filled(shape, 0, element, [x]), body, identity(x.rank),
                         x.rank + 1)

    return chosen(False), chosen(True)


def arg_extreme(g: Builder, x: Value, axis: Optional[int], largest: bool,
                keepdim: bool) -> Value:
    """Where the first of the largest (smallest) elements is, as i64."""
    if axis is None:
        flat = movement.flatten(g, x, 0, -1)
        y = arg_extreme(g, flat, 0, largest, False)
        return movement.reshape(g, y, [1] * x.rank) if keepdim else y
    if not x.rank:
        return g.full((), 0, I64)
    along = axis = x.axis(axis)
    top = g.reduce(x, [axis], "max" if largest else "min", True)
    shape = top.shape if keepdim else (*x.shape[:axis], *x.shape[axis + 1:])
    out = [f"d{i}" for i in range(x.rank) if i != axis]
    if keepdim:
        out.insert(axis, "0")

    def body(text: TextBody, v: Scalar, m: Scalar, best: Scalar) -> Scalar:
        here = text.position(along).cast(I64)
        hit = v.compare("eq", m)
        if v.element.is_float:
            hit = hit.op("or", v.compare("ne", v))
        return hit.op("and", here < best).select(here, best)

    read = identity(x.rank)
    kept = [f"d{i}" if i != axis else "0" for i in range(x.rank)]
    init = g.filled(shape, np.iinfo(np.int64).max, I64)
    return g.generic([(x, read), (top, kept)], init, body, out, x.rank)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that come from numbers. Known ones are constants."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Union

import numpy as np

from .. import dims, movement
from ..builder import Builder, Value, identity
from ..dims import Dim, Extent
from ..elements import BOOL, F32, I64, INDEX, Element, converted
from ..errors import ImportFailure
from ..program import DType
from ..scalars import Number, Scalar, TextBody
from .table import op


def _element(dtype: Optional[DType], *numbers: Any) -> Element:
    if dtype is not None:
        return dtype.element
    if any(isinstance(n, float) for n in numbers):
        return F32
    return BOOL if numbers and all(isinstance(n, bool) for n in numbers) else I64


@op("full")
def full(g: Builder, size: Sequence[Extent], fill_value: Number,
         dtype: Optional[DType] = None) -> Value:
    return g.full(size, fill_value, _element(dtype, fill_value))


@op("zeros", "empty.memory_format")
def zeros(g: Builder, size: Sequence[Extent],
          dtype: Optional[DType] = None) -> Value:
    return g.full(size, 0, dtype.element if dtype else F32)


@op("ones")
def ones(g: Builder, size: Sequence[Extent],
         dtype: Optional[DType] = None) -> Value:
    return g.full(size, 1, dtype.element if dtype else F32)


@op("zeros_like", "empty_like")
def zeros_like(g: Builder, self: Value, dtype: Optional[DType] = None) -> Value:
    return g.full(self.shape, 0, dtype.element if dtype else self.element)


@op("ones_like")
def ones_like(g: Builder, self: Value, dtype: Optional[DType] = None) -> Value:
    return g.full(self.shape, 1, dtype.element if dtype else self.element)


@op("full_like")
def full_like(g: Builder, self: Value, fill_value: Number,
              dtype: Optional[DType] = None) -> Value:
    return g.full(self.shape, fill_value, dtype.element if dtype else self.element)


@op("new_full")
def new_full(g: Builder, self: Value, size: Sequence[Extent], fill_value: Number,
             dtype: Optional[DType] = None) -> Value:
    return g.full(size, fill_value, dtype.element if dtype else self.element)


@op("new_zeros", "new_empty")
def new_zeros(g: Builder, self: Value, size: Sequence[Extent],
              dtype: Optional[DType] = None) -> Value:
    return g.full(size, 0, dtype.element if dtype else self.element)


@op("new_ones")
def new_ones(g: Builder, self: Value, size: Sequence[Extent],
             dtype: Optional[DType] = None) -> Value:
    return g.full(size, 1, dtype.element if dtype else self.element)


@op("fill.Scalar", "fill.Tensor")
def fill(g: Builder, self: Value, value: Union[Value, Number]) -> Value:
    if isinstance(value, Value):
        return g.spread(g.cast(value, self.element), self.shape)
    return g.full(self.shape, value, self.element)


@op("zero")
def zero(g: Builder, self: Value) -> Value:
    return g.full(self.shape, 0, self.element)


@op("scalar_tensor")
def scalar_tensor(g: Builder, s: Union[Number, Dim],
                  dtype: Optional[DType] = None) -> Value:
    element = dtype.element if dtype else F32
    if isinstance(s, Dim):
        return g.cast(g.extent_value(s), element)
    return g.full((), s, element)


@op("arange", "arange.start", "arange.start_step")
def arange(g: Builder, end: Union[Number, Dim], start: Union[Number, Dim] = 0,
           step: Number = 1, dtype: Optional[DType] = None) -> Value:
    element = _element(dtype, *(n for n in (start, end, step)
                                if not isinstance(n, Dim)))
    if isinstance(start, Dim) or isinstance(end, Dim):
        return _dynamic_range(g, end, start, step, element)
    if step == 0 or not np.isfinite([start, end, step]).all():
        raise ImportFailure(f"a range from {start} to {end} by {step}")
    count = max(int(np.ceil((end - start) / step)), 0)
    if count > 1 << 24:
        raise ImportFailure(f"a range of {count} numbers")
    return g.constant(converted(np.arange(count) * step + start, element), element)


def _dynamic_range(g: Builder, end: Any, start: Any, step: Number,
                   element: Element) -> Value:
    if not isinstance(step, int) or step < 1 or isinstance(
            start, float) or isinstance(end, float):
        raise ImportFailure(f"a range from {start} to {end} by {step}, of which "
                            "an end is dynamic")
    first = g.extent(start)
    count = dims.divided(end - start, step)
    if count is None:
        count = dims.floordiv(end - start + (step - 1), step)
    result = g.generic([], g.empty((count,), element), lambda text, out: (
        (text.position(0) if step == 1 else text.position(0) * step)
        + text.captured(first, INDEX)).cast(element))
    g.ranges[result] = start, step
    return result


@op("linspace")
def linspace(g: Builder, start: Number, end: Number, steps: int,
             dtype: Optional[DType] = None) -> Value:
    if not 0 <= steps <= 1 << 24:
        raise ImportFailure(f"linspace of {steps} numbers")
    values = np.linspace(np.float32(start), np.float32(end), steps,
                         dtype=np.float32)
    return g.constant(values, dtype.element if dtype else F32)


@op("eye", "eye.m")
def eye(g: Builder, n: int, m: Optional[int] = None,
        dtype: Optional[DType] = None) -> Value:
    m = n if m is None else m
    if not 0 <= n * m <= 1 << 24:
        raise ImportFailure(f"eye of {n} by {m}")
    return g.constant(converted(np.eye(n, m), dtype.element if dtype else F32),
                      dtype.element if dtype else F32)


def _triangle(g: Builder, x: Value, diagonal: Extent, lower: bool) -> Value:
    rows, columns = x.shape[-2:]
    if not (isinstance(rows, int) and isinstance(columns, int) and isinstance(
            diagonal, int)) or rows * columns > 1 << 20:
        edge = g.extent(diagonal)

        def body(text: TextBody, v: Scalar, out: Scalar) -> Scalar:
            behind = text.position(x.rank - 1) - text.position(x.rank - 2)
            kept = behind.compare("le" if lower else "ge",
                                  text.captured(edge, INDEX))
            return kept.select(v, text.number(0, v.element))

        return g.generic([(x, identity(x.rank))],
                         g.empty(x.shape, x.element, [x]), body)
    ones_ = np.ones((rows, columns), bool)
    mask = np.tril(ones_, diagonal) if lower else np.triu(ones_, diagonal)
    return g.map([x, g.constant(mask)], lambda v, keep: keep.select(
        v, v.body.number(0, v.element)))


@op("tril")
def tril(g: Builder, self: Value, diagonal: Extent = 0) -> Value:
    return _triangle(g, self, diagonal, True)


@op("triu")
def triu(g: Builder, self: Value, diagonal: Extent = 0) -> Value:
    return _triangle(g, self, diagonal, False)


@op("one_hot")
def one_hot(g: Builder, self: Value, num_classes: int = -1) -> Value:
    if num_classes < 1:
        raise ImportFailure("one_hot without the number of classes")
    classes = g.constant(np.arange(num_classes))
    return g.map([movement.unsqueeze(g, self, -1), classes],
                 lambda x, c: x.compare("eq", c).cast(I64))


@op("meshgrid.indexing", "meshgrid")
def meshgrid(g: Builder, tensors: Sequence[Value],
             indexing: str = "ij") -> Any:
    values = [movement.reshape(g, t, (t.size,)) for t in tensors]
    order = list(range(len(values)))
    if indexing == "xy" and len(values) > 1:
        order[0], order[1] = 1, 0
    shape = [values[i].shape[0] for i in order]
    result = []
    for k, v in enumerate(values):
        wide: List[Extent] = [1] * len(values)
        wide[order.index(k)] = v.shape[0]
        result.append(g.spread(movement.reshape(g, v, wide), shape))
    return result

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What reads and writes by integers that are tensors."""

from __future__ import annotations

from typing import List, Optional, Sequence

import numpy as np

from .. import dims, movement
from ..builder import Builder, Read, Value, access, broadcast, identity
from ..dims import Extent
from ..elements import BOOL, I64, INDEX, Array
from ..errors import ImportFailure
from ..scalars import Number, Scalar, TextBody
from .table import op


@op("embedding")
def embedding(g: Builder, weight: Value, indices: Value, padding_idx: int = -1,
              scale_grad_by_freq: bool = False, sparse: bool = False) -> Value:
    """Rows of the table. `padding_idx` matters to gradients only."""
    if weight.rank != 2:
        raise ImportFailure("an embedding table of shape "
                            f"{dims.text(weight.shape)}")
    g.name(weight)
    rank = indices.rank

    def body(text: TextBody, row: Scalar, out: Scalar) -> Scalar:
        return text.extract(weight.name or "", weight.type, weight.element,
                            [row.cast(INDEX), text.position(rank)])

    init = g.empty((*indices.shape, weight.shape[1]), weight.element, [indices])
    return g.generic([(indices, [f"d{i}" for i in range(rank)])], init, body)


@op("index_select")
def index_select(g: Builder, self: Value, dim: int, index: Value) -> Value:
    return movement.take(g, self, dim, index)


@op("gather")
def gather(g: Builder, self: Value, dim: int, index: Value,
           sparse_grad: bool = False) -> Value:
    axis = self.axis(dim)
    if index.rank != self.rank:
        raise ImportFailure(f"gather of {dims.text(self.shape)} by "
                            f"{dims.text(index.shape)}")
    g.name(self)

    def body(text: TextBody, place: Scalar, out: Scalar) -> Scalar:
        places = [text.position(i) for i in range(self.rank)]
        places[axis] = place.cast(INDEX)
        return text.extract(self.name or "", self.type, self.element, places)

    return g.generic([(index, identity(index.rank))],
                     g.empty(index.shape, self.element), body)


def _places(g: Builder, x: Value, indices: Sequence[Optional[Value]]
            ) -> "tuple[list[Optional[Value]], int, dims.Shape]":
    """Integers for each dimension, or None; where their dimensions come in the
    result; and their common shape."""
    if len(indices) > x.rank:
        raise ImportFailure(f"{len(indices)} indices of {x.rank} dimensions")
    full: List[Optional[Value]] = []
    for index in indices:
        if index is not None and index.element in (BOOL,):
            if index.data is None:
                raise ImportFailure("an index of truth values that aren't known: "
                                    "the size of the result depends on them")
            full += [g.constant(places.astype(np.int64))
                     for places in np.nonzero(index.data)]
        else:
            full.append(index)
    full += [None] * (x.rank - len(full))
    used = [i for i, index in enumerate(full) if index is not None]
    if not used:
        raise ImportFailure("an index of nothing")
    shape = broadcast(*(index.shape for index in full if index is not None))
    together = used == list(range(used[0], used[-1] + 1))
    return full, used[0] if together else 0, shape


@op("index.Tensor", "_unsafe_index.Tensor")
def index_tensor(g: Builder, self: Value,
                 indices: Sequence[Optional[Value]]) -> Value:
    full, first, common = _places(g, self, indices)
    used = [i for i, index in enumerate(full) if index is not None]
    if len(used) == 1:
        index = full[used[0]]
        assert index is not None
        return movement.take(g, self, used[0], index)
    rest = [e for i, e in enumerate(self.shape) if full[i] is None]
    before = len([i for i in range(used[0]) if full[i] is None]) if first else 0
    shape: List[Extent] = [*rest[:before], *common, *rest[before:]]
    reads: List[Read] = []
    for i in used:
        index = full[i]
        assert index is not None
        reads.append((index, [
            a if a == "0" else f"d{int(a[1:]) + before}"
            for a in access(index, common)]))
    g.name(self)

    def body(text: TextBody, *values: Scalar) -> Scalar:
        given, kept = iter(values[:-1]), 0
        places = []
        for i, index in enumerate(full):
            if index is not None:
                places.append(movement.in_range(
                    g, next(given).cast(INDEX), self.shape[i], False))
                continue
            at = kept if kept < before else kept + len(common)
            places.append(text.position(at))
            kept += 1
        return text.extract(self.name or "", self.type, self.element, places)

    return g.generic(reads, g.empty(shape, self.element), body)


@op("index_put", "_unsafe_index_put")
def index_put(g: Builder, self: Value, indices: Sequence[Optional[Value]],
              values: Value, accumulate: bool = False) -> Value:
    """Known indices only: each element of the result is one of `self`, or of
    `values`, whose last write wins; sums are taken one after the other."""
    if len(indices) == 1 and indices[0] is not None and (
            indices[0].element == BOOL) and values.size == 1 and not accumulate:
        mask = indices[0]
        mask = movement.reshape(g, mask, (
            *mask.shape, *[1] * (self.rank - mask.rank)))
        one = movement.reshape(g, g.cast(values, self.element), ())
        return g.map([self, mask, one], lambda x, m, v: m.select(v, x))
    full, first, common = _places(g, self, indices)
    shape = [dims.static(e, "the shape of index_put") for e in self.shape]
    used = [i for i, index in enumerate(full) if index is not None]
    arrays = []
    for i in used:
        index = full[i]
        assert index is not None
        if index.data is None:
            raise ImportFailure("index_put at places that aren't known")
        known = np.broadcast_to(index.data, dims.integers(common))
        arrays.append(np.where(known < 0, known + shape[i], known))
        if known.size and (arrays[-1].min() < 0 or arrays[-1].max() >= shape[i]):
            raise ImportFailure("index_put outside of its tensor")
    key = [slice(None)] * self.rank
    for i, array in zip(used, arrays):
        key[i] = array  # type: ignore[call-overload]
    numbers = np.arange(int(np.prod(shape))).reshape(shape)[tuple(key)]
    written = g.spread(g.cast(values, self.element), numbers.shape)
    count = numbers.size
    flat = movement.reshape(g, self, (int(np.prod(shape)),))
    source = movement.reshape(g, written, (count,))
    targets = numbers.reshape(-1)
    rounds: List[Array] = []
    if accumulate:
        left = np.arange(count)
        while left.size:
            _, where = np.unique(targets[left], return_index=True)
            rounds.append(left[where])
            left = np.delete(left, where)
    else:
        rounds.append(np.arange(count))
    if len(rounds) > 64:
        raise ImportFailure("index_put adds more than 64 times to one element")
    for chosen in rounds:
        table = np.full(int(np.prod(shape)), -1, np.int64)
        table[targets[chosen]] = chosen
        flat = _replaced(g, flat, source, table, accumulate)
    return movement.reshape(g, flat, self.shape)


def _replaced(g: Builder, x: Value, source: Value, table: Array,
              accumulate: bool) -> Value:
    """Where `table` isn't -1, x becomes that element of `source`, or its sum."""
    if not source.size:
        return x
    g.name(source)

    def body(text: TextBody, v: Scalar, place: Scalar, out: Scalar) -> Scalar:
        new = text.extract(source.name or "", source.type, source.element,
                           [place.max(0).cast(INDEX)])
        return (place >= 0).select(v + new if accumulate else new, v)

    return g.generic([(x, ["d0"]), (g.constant(table, I64), ["d0"])],
                     g.empty(x.shape, x.element), body)


def _scattered(g: Builder, self: Value, dim: int, index: Value,
               source: Value, add: bool) -> Value:
    """Each element of the result looks for the indices that name it, along
    `dim`; the last one wins."""
    axis = self.axis(dim)
    if index.rank != self.rank:
        raise ImportFailure(f"a scatter into {dims.text(self.shape)} by "
                            f"{dims.text(index.shape)}")
    wide = list(index.shape)
    wide[axis] = self.shape[axis]
    offsets: List[Extent] = [0] * self.rank
    part = movement.extract(g, self, offsets, wide)
    source = movement.extract(g, g.cast(source, self.element), offsets, index.shape)
    read = identity(self.rank)
    read[axis] = f"d{self.rank}"

    def body(text: TextBody, place: Scalar, new: Scalar, out: Scalar) -> Scalar:
        here = place.cast(INDEX).compare("eq", text.position(axis))
        return here.select(out + new if add else new, out)

    # The destination is the tensor itself: it is what the loop starts from.
    result = g.generic([(index, read), (source, read)], part, body,
                       identity(self.rank), self.rank + 1)
    if tuple(wide) == self.shape:
        return result
    return movement.insert(g, result, self, offsets)


@op("scatter.src")
def scatter(g: Builder, self: Value, dim: int, index: Value,
            src: Value) -> Value:
    return _scattered(g, self, dim, index, src, False)


@op("scatter.value")
def scatter_value(g: Builder, self: Value, dim: int, index: Value,
                  value: Number) -> Value:
    return _scattered(g, self, dim, index, g.full(index.shape, value, self.element),
                      False)


@op("scatter_add")
def scatter_add(g: Builder, self: Value, dim: int, index: Value,
                src: Value) -> Value:
    return _scattered(g, self, dim, index, src, True)


@op("index_add")
def index_add(g: Builder, self: Value, dim: int, index: Value, source: Value,
              alpha: Number = 1) -> Value:
    axis = self.axis(dim)
    wide = movement.reshape(g, index, (
        index.size, *[1] * (self.rank - axis - 1)))
    added = source if alpha == 1 else g.map([source], lambda v: v * alpha)
    return _scattered(g, self, dim, g.spread(wide, source.shape), added, True)


@op("take_along_dim")
def take_along_dim(g: Builder, self: Value, indices: Value,
                   dim: Optional[int] = None) -> Value:
    if dim is None:
        self = movement.flatten(g, self, 0, -1)
        return gather(g, self, 0, movement.flatten(g, indices, 0, -1))
    axis = self.axis(dim)
    shape = list(broadcast(
        [1 if i == axis else e for i, e in enumerate(self.shape)],
        [1 if i == axis else e for i, e in enumerate(indices.shape)]))
    x, index = list(shape), list(shape)
    x[axis], index[axis] = self.shape[axis], indices.shape[axis]
    return gather(g, g.spread(self, x), axis, g.spread(indices, index))

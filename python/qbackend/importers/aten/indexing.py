# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What reads and writes by integers that are tensors."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from .. import dims, movement
from ..builder import (
    Builder,
    Read,
    Value,
    access,
    broadcast,
    identity,
    start_of,
    tensor_type,
)
from ..dims import Extent
from ..elements import BOOL, I64, INDEX, Array
from ..errors import ImportFailure
from ..reductions import mean
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


def _bag_of_one_size(g: Builder, indices: Value, offsets: Value) -> Optional[int]:
    """How many rows each bag has, if that is known and the same."""
    found = g.ranges.get(offsets)
    if offsets.data is not None and offsets.size != 0:
        if offsets.data.size > 1 and not any(offsets.data.strides):
            return None  # all are one number
        first = offsets.data.reshape(-1)
        step = int(first[1]) if first.size > 1 else indices.size
        if isinstance(step, int) and np.array_equal(
                first, np.arange(first.size) * step):
            found = 0, step
    if found is None or found[0] != 0 or found[1] < 1:
        return None
    bags = dims.divided(indices.size, found[1])
    return found[1] if bags == offsets.size else None


@op("embedding_bag", "_embedding_bag", "_embedding_bag_forward_only")
def embedding_bag(g: Builder, weight: Value, indices: Value, offsets: Value,
                  scale_grad_by_freq: bool = False, mode: int = 0,
                  sparse: bool = False,
                  per_sample_weights: Optional[Value] = None,
                  include_last_offset: bool = False,
                  padding_idx: Optional[int] = None) -> Any:
    """Sums (mode 0), means (1) or maxima (2) of rows, from each offset to the
    next; a bag without rows is 0. A negative `padding_idx` is none."""
    if mode not in (0, 1, 2) or indices.rank != 1 or offsets.rank != 1:
        raise ImportFailure(f"an embedding bag of mode {mode}, indices of shape "
                            f"{dims.text(indices.shape)} and offsets of shape "
                            f"{dims.text(offsets.shape)}")
    kind = "max" if mode == 2 else "add"
    if padding_idx is not None and padding_idx < 0:
        padding_idx = None
    size = _bag_of_one_size(g, indices, offsets)
    if size and padding_idx is None and not include_last_offset:
        bags = (offsets.shape[0], size)
        rows = embedding(g, weight, movement.reshape(g, indices, bags))
        if per_sample_weights is not None:
            factors = movement.reshape(g, per_sample_weights, (*bags, 1))
            rows = g.map([rows, factors], lambda v, w: v * w)
        y = mean(g, rows, [1], False) if mode == 1 else g.reduce(rows, [1], kind)
        return y, None, None, None
    return _bags(g, weight, indices, offsets, kind, mode == 1, per_sample_weights,
                 include_last_offset, padding_idx), None, None, None


@op("embedding_bag.padding_idx")
def embedding_bag_with_padding(
        g: Builder, weight: Value, indices: Value, offsets: Value,
        scale_grad_by_freq: bool = False, mode: int = 0, sparse: bool = False,
        per_sample_weights: Optional[Value] = None,
        include_last_offset: bool = False,
        padding_idx: Optional[int] = None) -> Any:
    """A negative `padding_idx` counts from behind."""
    if padding_idx is not None and padding_idx < 0:
        padding_idx += dims.static(weight.shape[0], "the rows of an embedding bag")
    return embedding_bag(g, weight, indices, offsets, scale_grad_by_freq, mode, sparse,
                         per_sample_weights, include_last_offset, padding_idx)


def _bags(g: Builder, weight: Value, indices: Value, offsets: Value, kind: str,
          is_mean: bool, factors: Optional[Value], ends_are_given: bool,
          padding: Optional[int]) -> Value:
    bags = offsets.shape[0] - (1 if ends_are_given else 0)
    name, table = g.name(offsets), g.name(weight)
    whole, last = g.extent(indices.shape[0]), g.extent(offsets.shape[0] - 1)
    given = [] if factors is None else [factors]
    given = [indices, *given]

    def is_in(text: TextBody, bag: int, at: int, row: Scalar) -> Scalar:
        place, end = text.position(at), text.captured(last, INDEX)
        begin = text.extract(name, offsets.type, offsets.element,
                             [text.position(bag)])
        following = text.position(bag) + 1
        after = text.extract(name, offsets.type, offsets.element,
                             [following.min(end)]).cast(INDEX)
        if not ends_are_given:
            after = (following <= end).select(after, text.captured(whole, INDEX))
        inside = (place >= begin.cast(INDEX)).op("and", place < after)
        return inside if padding is None else inside.op(
            "and", row.compare("ne", padding))

    def body(text: TextBody, row: Scalar, *rest: Scalar) -> Scalar:
        v = text.extract(table, weight.type, weight.element,
                         [row.cast(INDEX), text.position(1)])
        v = v if factors is None else v * rest[0]
        sum_ = rest[-1]
        return is_in(text, 0, 2, row).select(sum_.op(kind, v), sum_)

    shape = (bags, weight.shape[1])
    y = g.generic([(v, ["d2"]) for v in given],
                  g.filled(shape, start_of(kind, weight.element), weight.element),
                  body, identity(2), 3)
    if kind == "add" and not is_mean:
        return y
    count = g.generic(
        [(indices, ["d1"])], g.filled((bags,), 0, I64),
        lambda text, row, n: is_in(text, 0, 1, row).select(n + 1, n),
        identity(1), 2)
    count = movement.unsqueeze(g, count, 1)
    if is_mean:
        return g.map([y, count], lambda v, n: v / n.max(1).cast(v.element))
    return g.map([y, count], lambda v, n: (n > 0).select(
        v, v.body.number(0.0, v.element)))


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
                     g.empty(index.shape, self.element, [index]), body)


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
    return put(g, self, indices, values, "add" if accumulate else None)


def put(g: Builder, self: Value, indices: Sequence[Optional[Value]],
        values: Value, kind: Optional[str]) -> Value:
    """`kind`: what becomes of an element and what is written there.

    At known places, each element of the result is one of `self`, or of
    `values`, whose last write wins; sums are taken one after the other. Other
    places, and those of a large tensor, are written in turn."""
    if len(indices) == 1 and indices[0] is not None and (
            indices[0].element == BOOL) and values.size == 1 and kind is None:
        mask = indices[0]
        mask = movement.reshape(g, mask, (
            *mask.shape, *[1] * (self.rank - mask.rank)))
        one = movement.reshape(g, g.cast(values, self.element), ())
        return g.map([self, mask, one], lambda x, m, v: m.select(v, x))
    full, first, common = _places(g, self, indices)
    used = [i for i, index in enumerate(full) if index is not None]
    size = dims.product(self.shape)
    if not isinstance(size, int) or size > 1 << 20 or any(
            index is not None and index.data is None for index in full):
        return _put_in_turn(g, self, full, first, common, values, kind)
    shape = dims.integers(self.shape)
    arrays = []
    for i in used:
        index = full[i]
        assert index is not None and index.data is not None
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
    if kind is not None:
        left = np.arange(count)
        while left.size:
            _, where = np.unique(targets[left], return_index=True)
            rounds.append(left[where])
            left = np.delete(left, where)
    else:
        rounds.append(np.arange(count))
    if len(rounds) > 64:
        raise ImportFailure("index_put writes more than 64 times to one element")
    for chosen in rounds:
        table = np.full(int(np.prod(shape)), -1, np.int64)
        table[targets[chosen]] = chosen
        flat = _replaced(g, flat, source, table, kind)
    return movement.reshape(g, flat, self.shape)


def _put_in_turn(g: Builder, self: Value, full: Sequence[Optional[Value]],
                 first: int, common: dims.Shape, values: Value,
                 kind: Optional[str]) -> Value:
    """A loop over the places, each of which is a slice of `self`: a dimension
    with an index has 1 element of it, one without all."""
    used = [i for i, index in enumerate(full) if index is not None]
    rest = [e for i, e in enumerate(self.shape) if i not in used]
    before = len([i for i in range(used[0]) if full[i] is None]) if first else 0
    count = dims.product(common)
    if count == 0:
        return self
    # One dimension for all places.
    values = movement.reshape(
        g, g.spread(g.cast(values, self.element),
                    [*rest[:before], *common, *rest[before:]]),
        [*rest[:before], count, *rest[before:]])
    columns = [g.name(movement.reshape(g, g.spread(g.cast(index, I64), common),
                                       (count,)))
               for index in full if index is not None]
    start, source = g.name(self), g.name(values)
    ends = [g.extent(0), g.extent(count), g.extent(1)]
    sizes = [g.extent(e) for e in self.shape]
    row = Value(tuple(rest), self.element)
    place, target = g.fresh(), Value(self.shape, self.element, g.fresh())
    if count == 1:
        # MLIR unrolls a loop of one turn to a slice that it calls out of bounds.
        place, target.name = ends[0], start
    column = tensor_type((count,), I64)

    def slice_text(x: Value, offsets: Sequence[Tuple[int, str]]) -> str:
        """Of one element in these dimensions, without them."""
        at = dict(offsets)
        # A known offset is no operand: what is checked is what is there.
        where = ", ".join("0" if at.get(i, ends[0]) == ends[0] else at[i]
                          for i in range(x.rank))
        extents = ", ".join("1" if i in at else str(e) if isinstance(e, int)
                            else g.extent(e) for i, e in enumerate(x.shape))
        return f"[{where}] [{extents}] [{', '.join(['1'] * x.rank)}]"

    outside, g.lines = g.lines, []
    try:
        at: List[Tuple[int, str]] = []
        for axis, name in zip(used, columns):
            text = TextBody(g.scalar, g.fresh, g.location)
            found = text.emit(f"tensor.extract {name}[{place}] : {column}", I64)
            wide = found.cast(INDEX)
            size = text.captured(sizes[axis], INDEX)
            inside = (wide < 0).select(wide + size, wide)
            g.lines += text.lines
            at.append((axis, inside.value))
        new = g.op(f"tensor.extract_slice {source}"
                   f"{slice_text(values, [(before, place)])} : {values.type} to "
                   f"{row.type}", row.shape, row.element)
        if kind is not None:
            combine = kind
            old = g.op(f"tensor.extract_slice {target.name}"
                       f"{slice_text(target, at)} : {target.type} to {row.type}",
                       row.shape, row.element)
            new = g.map([old, new], lambda a, b: a.op(combine, b))
        written = g.op(f"tensor.insert_slice {g.name(new)} into {target.name}"
                   f"{slice_text(target, at)} : {row.type} into {target.type}",
                   self.shape, self.element)
        inner = g.lines
    finally:
        g.lines = outside
    if count == 1:
        g.lines += inner
        return written
    result = g.op(f"scf.for {place} = {ends[0]} to {ends[1]} step {ends[2]} "
                  f"iter_args({target.name} = {start}) -> ({target.type}) {{",
                  self.shape, self.element)
    head = g.lines.pop()
    g.lines += [head[:head.index("{") + 1], *inner,
                f"scf.yield {written.name} : {written.type}{g.location}",
                f"}}{g.location}"]
    return result


def _replaced(g: Builder, x: Value, source: Value, table: Array,
              kind: Optional[str]) -> Value:
    """Where `table` isn't -1, x becomes that element of `source`, or of both."""
    if not source.size:
        return x
    g.name(source)

    def body(text: TextBody, v: Scalar, place: Scalar, out: Scalar) -> Scalar:
        new = text.extract(source.name or "", source.type, source.element,
                           [place.max(0).cast(INDEX)])
        return (place >= 0).select(v.op(kind, new) if kind else new, v)

    return g.generic([(x, ["d0"]), (g.constant(table, I64), ["d0"])],
                     g.empty(x.shape, x.element, [x]), body)


def _scattered(g: Builder, self: Value, dim: int, index: Value,
               source: Value, kind: Optional[str]) -> Value:
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
        return here.select(out.op(kind, new) if kind else new, out)

    # The destination is the tensor itself: it is what the loop starts from.
    result = g.generic([(index, read), (source, read)], part, body,
                       identity(self.rank), self.rank + 1)
    if tuple(wide) == self.shape:
        return result
    return movement.insert(g, result, self, offsets)


@op("scatter.src")
def scatter(g: Builder, self: Value, dim: int, index: Value,
            src: Value) -> Value:
    return _scattered(g, self, dim, index, src, None)


_REDUCTIONS = {"sum": "add", "add": "add", "prod": "mul", "multiply": "mul",
               "mul": "mul", "amax": "max", "max": "max", "amin": "min", "min": "min"}


@op("scatter_reduce.two", "scatter.reduce")
def scatter_reduce(g: Builder, self: Value, dim: int, index: Value, src: Value,
                   reduce: str, include_self: bool = True) -> Value:
    if reduce not in _REDUCTIONS or not include_self:
        raise ImportFailure(f"a scatter with the reduction {reduce!r}"
                            + ("" if include_self else " without the tensor itself"))
    return _scattered(g, self, dim, index, src, _REDUCTIONS[reduce])


@op("scatter.value")
def scatter_value(g: Builder, self: Value, dim: int, index: Value,
                  value: Number) -> Value:
    return _scattered(g, self, dim, index, g.full(index.shape, value, self.element),
                      None)


@op("scatter_add")
def scatter_add(g: Builder, self: Value, dim: int, index: Value,
                src: Value) -> Value:
    return _scattered(g, self, dim, index, src, "add")


@op("index_add")
def index_add(g: Builder, self: Value, dim: int, index: Value, source: Value,
              alpha: Number = 1) -> Value:
    axis = self.axis(dim)
    wide = movement.reshape(g, index, (
        index.size, *[1] * (self.rank - axis - 1)))
    added = source if alpha == 1 else g.map([source], lambda v: v * alpha)
    return _scattered(g, self, dim, g.spread(wide, source.shape), added, "add")


@op("index_copy")
def index_copy(g: Builder, self: Value, dim: int, index: Value,
               source: Value) -> Value:
    places: List[Optional[Value]] = [None] * self.axis(dim)
    return index_put(g, self, [*places, index], source)


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

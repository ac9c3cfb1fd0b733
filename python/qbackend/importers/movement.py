# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What only moves elements."""

from __future__ import annotations

from typing import List, Optional, Sequence, Tuple

import numpy as np

from . import dims
from .builder import Builder, Value, integers, tensor_type
from .dims import Dim, Extent, Shape
from .elements import I64, INDEX, Array
from .errors import ImportFailure
from .scalars import Number, Scalar, TextBody


def _moved(g: Builder, value: Value, data: Array) -> Optional[Value]:
    """`data`, a view of a constant's elements, if it is to be evaluated."""
    assert value.data is not None
    if value.parameter and data.size > 1 << 13:
        return None
    result = g.constant(data, value.element)
    return result


def reshape(g: Builder, x: Value, shape: Sequence[Extent],
            like: Sequence[Value] = ()) -> Value:
    """Dynamic extents that `x` hasn't are those of `like`."""
    shape = tuple(shape)
    if shape == x.shape:
        return x
    if x.size != dims.product(shape):
        raise ImportFailure(f"a tensor of shape {dims.text(x.shape)} can't have "
                            f"the shape {dims.text(shape)}")
    if x.data is not None and dims.all_static(shape):
        folded = _moved(g, x, x.data.reshape(shape))
        if folded:
            return folded
    groups = _groups(x.shape, shape)
    middle = tuple(dims.product(x.shape[i] for i in source)
                   for source, _ in groups)
    if len(middle) != x.rank:
        x = _collapse(g, x, middle, [source for source, _ in groups])
    if any(len([i for i in target if isinstance(shape[i], Dim)]) > 1
           for _, target in groups if len(target) > 1):
        # Several sizes that aren't known can't be expanded from one.
        return _loose(g, x, shape)
    if len(middle) != len(shape):
        into = [target for _, target in groups]
        sizes = integers([extent if isinstance(extent, int)
                          else g.extent_of(extent, [x, *like])
                          for extent in shape])
        x = g.op(f"tensor.expand_shape {g.name(x)} {_grouping(into)} output_shape "
                 f"[{sizes}] : {x.type} into {tensor_type(shape, x.element)}",
                 shape, x.element)
    return x


def _collapse(g: Builder, x: Value, shape: Shape,
              groups: Sequence[Sequence[int]]) -> Value:
    return g.op(f"tensor.collapse_shape {g.name(x)} {_grouping(groups)} : "
                f"{x.type} into {tensor_type(shape, x.element)}", shape, x.element)


def _grouping(groups: Sequence[Sequence[int]]) -> str:
    return "[" + ", ".join(f"[{integers(group)}]" for group in groups) + "]"


_Group = Tuple[List[int], List[int]]


def _groups(source: Shape, target: Shape) -> List[_Group]:
    """Neighbouring dimensions of both that have the same number of elements, as
    few in a group as there can be. One group of all if nothing else is known."""
    if not source or not target:
        return []
    everything: List[_Group] = [(list(range(len(source))),
                                 list(range(len(target))))]
    if 0 in source:
        return everything
    groups: List[_Group] = []
    i = j = 0
    while i < len(source) and j < len(target):
        a, b = [i], [j]
        p, q = source[i], target[j]
        while p != q:
            more_source = (p < q if isinstance(p, int) and isinstance(q, int)
                           else dims.divided(q, p) is not None)
            if more_source:
                if a[-1] + 1 == len(source):
                    return everything
                a.append(a[-1] + 1)
                p = p * source[a[-1]]
            else:
                if b[-1] + 1 == len(target):
                    return everything
                b.append(b[-1] + 1)
                q = q * target[b[-1]]
        groups.append((a, b))
        i, j = a[-1] + 1, b[-1] + 1
    groups[-1][0].extend(range(i, len(source)))
    groups[-1][1].extend(range(j, len(target)))
    if dims.product(source[k] for k in groups[-1][0]) != dims.product(
            target[k] for k in groups[-1][1]):
        return everything
    return groups


def view_shape(x: Value, sizes: Sequence[Extent]) -> Shape:
    """`sizes` with its -1, if it has one, computed."""
    unknown = [i for i, size in enumerate(sizes) if size == -1]
    if len(unknown) > 1:
        raise ImportFailure(f"the sizes {dims.text(sizes)} have -1 twice")
    result = list(sizes)
    if unknown:
        rest = dims.product(size for size in sizes if size != -1)
        exact = dims.divided(x.size, rest)
        if exact is None:
            if rest == 0 or dims.all_static([x.size, rest]):
                raise ImportFailure(
                    f"a tensor of shape {dims.text(x.shape)} can't have the sizes "
                    f"{dims.text(sizes)}")
            exact = dims.floordiv(x.size, rest)
        result[unknown[0]] = exact
    return tuple(result)


def view(g: Builder, x: Value, sizes: Sequence[Extent]) -> Value:
    shape = view_shape(x, sizes)
    if x.size != dims.product(shape) and not dims.all_static(
            [x.size, dims.product(shape)]):
        # Equal only for reasons that polynomials don't tell.
        return _loose(g, x, shape)
    return reshape(g, x, shape)


def _loose(g: Builder, x: Value, shape: Shape) -> Value:
    names = [g.extent(extent) for extent in shape]
    sizes = g.op(f"tensor.from_elements {', '.join(names)} : "
                 f"tensor<{len(shape)}xindex>", (len(shape),), INDEX)
    kind = tensor_type(shape, x.element)
    return g.op(f"tensor.reshape {g.name(x)}({sizes.name}) : ({x.type}, "
                f"{sizes.type}) -> {kind}", shape, x.element)


def flatten(g: Builder, x: Value, start: int, end: int) -> Value:
    if not x.rank:
        return reshape(g, x, (1,))
    start, end = x.axis(start), x.axis(end)
    middle = dims.product(x.shape[start:end + 1])
    return reshape(g, x, (*x.shape[:start], middle, *x.shape[end + 1:]))


def unsqueeze(g: Builder, x: Value, axis: int) -> Value:
    if not -x.rank - 1 <= axis <= x.rank:
        raise ImportFailure(f"dim {axis} can't be inserted into rank {x.rank}")
    axis %= x.rank + 1
    return reshape(g, x, (*x.shape[:axis], 1, *x.shape[axis:]))


def squeeze(g: Builder, x: Value, axes: Optional[Sequence[int]] = None) -> Value:
    chosen = range(x.rank) if axes is None else [x.axis(a) for a in axes]
    return reshape(g, x, [e for i, e in enumerate(x.shape)
                          if i not in chosen or e != 1])


def transpose(g: Builder, x: Value, permutation: Sequence[int]) -> Value:
    permutation = [x.axis(a) for a in permutation] if x.rank else []
    if sorted(permutation) != list(range(x.rank)):
        raise ImportFailure(f"{permutation} is no permutation of "
                            f"{x.rank} dimensions")
    if permutation == list(range(x.rank)):
        return x
    shape = tuple(x.shape[i] for i in permutation)
    if x.data is not None:
        folded = _moved(g, x, x.data.transpose(permutation))
        if folded:
            return folded
    init = g.empty(shape, x.element, [x])
    return g.op(f"linalg.transpose ins({g.typed(x)}) outs({g.typed(init)}) "
                f"permutation = [{integers(permutation)}]", shape, x.element)


def swap(g: Builder, x: Value, a: int, b: int) -> Value:
    order = list(range(x.rank))
    a, b = x.axis(a), x.axis(b)
    if order:
        order[a], order[b] = order[b], order[a]
    return transpose(g, x, order)


def clamped(position: Extent, extent: Extent) -> Extent:
    """A start or an end, which may count from the end, inside of `extent`. One
    that is dynamic is taken to be large enough, as sizes that programs state do;
    the bounds are checked when the network runs."""
    if isinstance(position, int) and isinstance(extent, int):
        if position < 0:
            position += extent
        return min(max(position, 0), extent)
    if isinstance(position, int):
        if position < 0:
            return extent + position
        return extent if position >= 1 << 31 else position
    return position


def slice_axis(g: Builder, x: Value, axis: int, start: Extent, end: Extent,
               step: int = 1) -> Value:
    """As Python's slices, for positive steps."""
    axis = x.axis(axis)
    if step < 1:
        raise ImportFailure(f"the step of a slice is {step}, expected at least 1")
    extent = x.shape[axis]
    first, last = clamped(start, extent), clamped(end, extent)
    size = last - first
    if isinstance(size, int):
        size = max(size, 0)
    if step > 1:
        size = dims.floordiv(size + (step - 1), step)
    offsets: List[Extent] = [0] * x.rank
    sizes, steps = list(x.shape), [1] * x.rank
    offsets[axis], sizes[axis], steps[axis] = first, size, step
    return extract(g, x, offsets, sizes, steps)


def extract(g: Builder, x: Value, offsets: Sequence[Extent],
            sizes: Sequence[Extent],
            steps: Optional[Sequence[int]] = None) -> Value:
    steps = steps or [1] * x.rank
    shape = tuple(sizes)
    if shape == x.shape and not any(o != 0 for o in offsets):
        return x
    if 0 in shape:
        # It may be at the end, where MLIR takes no offset.
        return g.full(shape, 0, x.element)
    if x.data is not None and dims.all_static([*offsets, *sizes]):
        where = tuple(slice(o, o + (n - 1) * s + 1 if n else o, s)
                      for o, n, s in zip(offsets, sizes, steps))
        folded = _moved(g, x, x.data[where])
        if folded:
            return folded
    return g.op(
        f"tensor.extract_slice {g.name(x)}[{_mixed(g, offsets)}] "
        f"[{_mixed(g, sizes, [x])}] [{integers(steps)}] : {x.type} to "
        f"{tensor_type(shape, x.element)}", shape, x.element)


def _mixed(g: Builder, extents: Sequence[Extent],
           like: Sequence[Value] = ()) -> str:
    return ", ".join(str(e) if isinstance(e, int) else g.extent_of(e, like)
                     for e in extents)


def insert(g: Builder, x: Value, into: Value, offsets: Sequence[Extent],
           steps: Optional[Sequence[int]] = None) -> Value:
    """`into` with `x`, of the same rank, at `offsets`."""
    steps = steps or [1] * x.rank
    if 0 in x.shape:
        return into
    if g.foldable([x, into], into.shape) and dims.all_static(offsets):
        assert x.data is not None and into.data is not None
        data = into.data.copy()
        data[tuple(slice(o, o + (n - 1) * s + 1 if n else o, s) for o, n, s in
                   zip(offsets, x.data.shape, steps))] = x.data
        return g.constant(data, into.element)
    return g.op(
        f"tensor.insert_slice {g.name(x)} into {g.name(into)}"
        f"[{_mixed(g, offsets)}] [{_mixed(g, x.shape, [x])}] [{integers(steps)}] : "
        f"{x.type} into {into.type}", into.shape, into.element)


def select(g: Builder, x: Value, axis: int, index: Extent) -> Value:
    axis = x.axis(axis)
    extent = x.shape[axis]
    if isinstance(index, int) and index < 0:
        index = extent + index
    if isinstance(index, int) and isinstance(extent, int) and not (
            0 <= index < extent):
        raise ImportFailure(f"index {index} is outside of dim {axis} of shape "
                            f"{dims.text(x.shape)}")
    offsets: List[Extent] = [0] * x.rank
    sizes = list(x.shape)
    offsets[axis], sizes[axis] = index, 1
    row = extract(g, x, offsets, sizes)
    return reshape(g, row, (*x.shape[:axis], *x.shape[axis + 1:]))


def diagonal(g: Builder, x: Value, offset: int, dim1: int, dim2: int,
             new: Optional[Value] = None) -> Value:
    """The elements [i, i + offset] of two dimensions, which become the last; or,
    with `new` for them, `x`."""
    a, b = x.axis(dim1), x.axis(dim2)
    order = [*(i for i in range(x.rank) if i not in (a, b)), a, b]
    turned = transpose(g, x, order)
    rows, columns = (dims.static(e, "a dimension of a diagonal")
                     for e in turned.shape[-2:])
    flat = reshape(g, turned, (*turned.shape[:-2], rows * columns))
    first = max(-offset, 0)
    count = max(min(rows - first, columns - max(offset, 0)), 0)
    begin = first * columns + max(offset, 0)
    end = begin + (count - 1) * (columns + 1) + 1 if count else begin
    if new is None:
        return slice_axis(g, flat, flat.rank - 1, begin, end, columns + 1)
    rest: List[Extent] = [0] * (flat.rank - 1)
    flat = insert(g, new, flat, [*rest, begin], [1] * len(rest) + [columns + 1])
    return transpose(g, reshape(g, flat, turned.shape),
                     [order.index(i) for i in range(x.rank)])


def concat(g: Builder, values: Sequence[Value], axis: int) -> Value:
    if not values:
        raise ImportFailure("nothing is concatenated")
    axis = values[0].axis(axis)
    for value in values:
        if value.rank != values[0].rank or any(
                a != b for i, (a, b) in enumerate(
                    zip(value.shape, values[0].shape)) if i != axis):
            raise ImportFailure(
                f"tensors of shapes {', '.join(dims.text(v.shape) for v in values)}"
                f" can't be concatenated along dim {axis}")
    values = [v for v in values if v.shape[axis] != 0] or values[:1]
    if len(values) == 1:
        return values[0]
    total: Extent = 0
    for value in values:
        total = total + value.shape[axis]
    shape = (*values[0].shape[:axis], total, *values[0].shape[axis + 1:])
    if g.foldable(values, shape):
        return g.constant(np.concatenate([v.data for v in values], axis),
                          values[0].element)
    names = ", ".join(g.name(v) for v in values)
    kinds = ", ".join(v.type for v in values)
    return g.op(f"tensor.concat dim({axis}) {names} : ({kinds}) -> "
                f"{tensor_type(shape, values[0].element)}", shape,
                values[0].element)


def stack(g: Builder, values: Sequence[Value], axis: int) -> Value:
    return concat(g, [unsqueeze(g, v, axis) for v in values],
                  axis if axis >= 0 else axis + values[0].rank + 1)


def pad(g: Builder, x: Value, low: Sequence[int], high: Sequence[int],
        number: Number) -> Value:
    """Negative amounts crop."""
    if any(n < 0 for n in (*low, *high)):
        offsets = [max(-n, 0) for n in low]
        sizes = [e - o - max(-n, 0) for e, o, n in zip(x.shape, offsets, high)]
        x = extract(g, x, offsets, sizes)
        low, high = [max(n, 0) for n in low], [max(n, 0) for n in high]
    if not any(low) and not any(high):
        return x
    shape = tuple(a + e + b for a, e, b in zip(low, x.shape, high))
    if x.data is not None and g.foldable([x], shape):
        return g.constant(np.pad(x.data, list(zip(low, high)),
                                 constant_values=number), x.element)
    g.name(x)
    names = ", ".join(f"{g.fresh()}: index" for _ in range(x.rank))
    scalar = g.scalar(number, x.element)
    value = g.op(f"tensor.pad {x.name} low[{integers(low)}] "
                 f"high[{integers(high)}] {{", shape, x.element)
    # The op goes on: its location comes at its end.
    first = g.lines.pop()
    head, tail = first[:first.index("{") + 1], first[first.index("{") + 1:]
    g.lines += [head, f"^bb0({names}):",
                f"tensor.yield {scalar} : {x.element.name}{tail}",
                f"}} : {x.type} to {value.type}{tail}"]
    return value


def take(g: Builder, x: Value, axis: int, index: Value) -> Value:
    """Rows of `x` along `axis` by integers, of any shape; known ones that are
    negative count from the end."""
    axis = x.axis(axis)
    shape = (*x.shape[:axis], *index.shape, *x.shape[axis + 1:])
    extent = x.shape[axis]
    if index.data is not None and isinstance(extent, int):
        known = np.where(index.data < 0, index.data + extent, index.data)
        if known.size and not (0 <= known.min() and known.max() < extent):
            raise ImportFailure(
                f"an index is outside of dim {axis} of shape "
                f"{dims.text(x.shape)}")
        if x.data is not None and g.foldable([x], shape):
            return g.constant(np.take(x.data, known, axis), x.element)
        index = g.constant(known.astype(np.int64), I64)
        pieces = _pieces(g, x, axis, known)
        if pieces:
            return pieces
    last = axis + index.rank
    reads = [(index, [f"d{axis + i}" for i in range(index.rank)])]

    def body(text: TextBody, place: Scalar, out: Scalar) -> Scalar:
        places = [text.position(i) for i in range(axis)]
        places.append(in_range(g, place.cast(INDEX), extent,
                               index.data is not None))
        places += [text.position(last + i) for i in range(x.rank - axis - 1)]
        return text.extract(x.name or "", x.type, x.element, places)

    g.name(x)
    return g.generic(reads, g.empty(shape, x.element, [x, index]), body)


def _pieces(g: Builder, x: Value, axis: int,
            known: Array) -> Optional[Value]:
    """Indices in steady steps are slices; few others, too."""
    if known.ndim != 1 or not known.size:
        return None
    steps = np.diff(known)
    if known.size > 1 and (steps[0] < 1 or (steps != steps[0]).any()):
        return None
    step = int(steps[0]) if known.size > 1 else 1
    return slice_axis(g, x, axis, int(known[0]), int(known[-1]) + 1, step)


def in_range(g: Builder, place: Scalar, extent: Extent,
             known: bool) -> Scalar:
    """An index that counts from the end where it is negative."""
    if known:
        return place
    text = place.body
    assert isinstance(text, TextBody)
    size = text.captured(g.extent(extent), INDEX)
    return (place < 0).select(place + size, place)


def flip(g: Builder, x: Value, axes: Sequence[int]) -> Value:
    axes = [x.axis(a) for a in axes]
    if x.data is not None:
        folded = _moved(g, x, np.flip(x.data, tuple(axes)))
        if folded:
            return folded
    g.name(x)

    def body(text: TextBody, out: Scalar) -> Scalar:
        places = []
        for i, extent in enumerate(x.shape):
            place = text.position(i)
            if i in axes:
                end = text.captured(g.extent(extent - 1), INDEX)
                place = end - place
            places.append(place)
        return text.extract(x.name or "", x.type, x.element, places)

    return g.generic([], g.empty(x.shape, x.element, [x]), body)


def repeat(g: Builder, x: Value, multiples: Sequence[Extent]) -> Value:
    """torch.Tensor.repeat: NumPy's tile."""
    if len(multiples) < x.rank:
        raise ImportFailure(f"{len(multiples)} repeats of {x.rank} dimensions")
    x = reshape(g, x, (*[1] * (len(multiples) - x.rank), *x.shape))
    wide: List[Extent] = []
    spread: List[Extent] = []
    for multiple, extent in zip(multiples, x.shape):
        wide += [1, extent]
        spread += [multiple, extent]
    if all(m == 1 or e == 1 for m, e in zip(multiples, x.shape)):
        return g.spread(x, [m * e for m, e in zip(multiples, x.shape)])
    y = g.spread(reshape(g, x, wide), spread)
    return reshape(g, y, [m * e for m, e in zip(multiples, x.shape)])


def roll(g: Builder, x: Value, shifts: Sequence[int],
         axes: Sequence[int]) -> Value:
    if not axes:
        shape = x.shape
        return reshape(g, roll(g, flatten(g, x, 0, -1), shifts, [0]), shape)
    for shift, axis in zip(shifts, axes):
        extent = dims.static(x.shape[x.axis(axis)], "the extent of a roll")
        cut = -shift % extent if extent else 0
        if cut:
            x = concat(g, [slice_axis(g, x, axis, cut, extent),
                           slice_axis(g, x, axis, 0, cut)], axis)
    return x


def split(g: Builder, x: Value, sizes: Sequence[Extent],
          axis: int) -> List[Value]:
    axis = x.axis(axis)
    total: Extent = 0
    parts = []
    for size in sizes:
        offsets: List[Extent] = [0] * x.rank
        shape = list(x.shape)
        offsets[axis], shape[axis] = total, size
        parts.append(extract(g, x, offsets, shape))
        total = total + size
    if total != x.shape[axis]:
        raise ImportFailure(f"parts of {dims.text(sizes)} don't make up dim "
                            f"{axis} of shape {dims.text(x.shape)}")
    return parts


def even_sizes(extent: Extent, size: int) -> List[Extent]:
    """`extent` in parts of `size`, and what is left."""
    whole = dims.static(extent, "the dimension that is split")
    if size < 1:
        raise ImportFailure(f"parts of {size} elements")
    return [min(size, whole - i) for i in range(0, whole, size)] or [0]


def pad_by_index(g: Builder, x: Value, low: Sequence[int], high: Sequence[int],
                 mode: str) -> Value:
    """reflect, replicate (edge) and circular (wrap)."""
    for axis, (a, b) in enumerate(zip(low, high)):
        if not a and not b:
            continue
        extent = dims.static(x.shape[axis], "a dimension that is padded")
        crop_low, crop_high = max(-a, 0), max(-b, 0)
        if crop_low or crop_high:
            x = slice_axis(g, x, axis, crop_low, extent - crop_high)
            extent -= crop_low + crop_high
            a, b = max(a, 0), max(b, 0)
        most = {"reflect": extent - 1, "circular": extent}.get(mode, 1 << 31)
        if max(a, b) > most or extent == 0:
            raise ImportFailure(f"'{mode}' padding of {max(a, b)} is too much for "
                                f"dim {axis} of shape {dims.text(x.shape)}")
        positions = np.arange(-a, extent + b)
        if mode == "reflect":
            positions = np.abs(positions)
            positions = np.where(positions >= extent,
                                 2 * (extent - 1) - positions, positions)
        elif mode == "replicate":
            positions = positions.clip(0, extent - 1)
        else:
            positions = positions % extent
        x = take(g, x, axis, g.constant(positions.astype(np.int64), I64))
    return x

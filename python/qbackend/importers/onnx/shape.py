# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What changes shapes, cuts, joins and reads by indices."""

from __future__ import annotations

from typing import Any, List, Optional

import numpy as np

from .. import dims, movement
from ..aten import indexing
from ..aten.creation import arange
from ..builder import Value, broadcast
from ..dims import Extent
from ..elements import F32, I64, INDEX
from ..errors import ImportFailure
from ..scalars import Scalar, TextBody
from .elementwise import tensor
from .table import Context, Extents, extents_of, known, known_ints, op, shaped


@op("Shape", "start end")
def shape(o: Context, x: Value) -> Value:
    extents = list(x.shape)[slice(o.attributes.get("start"),
                                  o.attributes.get("end"))]
    return shaped(o.g, extents, 1)


@op("Size")
def size(o: Context, x: Value) -> Value:
    return shaped(o.g, [x.size], 0)


@op("Constant", "value value_float value_floats value_int value_ints "
    "value_string value_strings sparse_value")
def constant(o: Context) -> Value:
    for name, value in o.attributes.items():
        if name == "value":
            return o.g.constant(value.data, value.element)
        if name in ("value_float", "value_floats"):
            return o.g.constant(np.asarray(value, np.float32))
        if name in ("value_int", "value_ints"):
            return o.g.constant(np.asarray(value, np.int64))
    raise ImportFailure("a constant that is no tensor")


@op("ConstantOfShape", "value", symbolic=True)
def constant_of_shape(o: Context, sizes: Value) -> Value:
    value = o.attributes.get("value")
    number = 0.0 if value is None else value.data.reshape(-1)[0].item()
    element = F32 if value is None else value.element
    return o.g.full(extents_of(sizes, "shape"), number, element)


@op("Reshape", "allowzero", symbolic=True)
def reshape(o: Context, x: Value, sizes: Value) -> Value:
    wanted = extents_of(sizes, "shape")
    if isinstance(x, Extents):
        if len(wanted) == 1:
            return shaped(o.g, x.values, 1)
        if not wanted:
            return shaped(o.g, x.values, 0)
    x = tensor(x)
    if not o.get("allowzero", 0):
        for i, extent in enumerate(wanted):
            if extent == 0:
                if i >= x.rank:
                    raise ImportFailure("a 0 in the shape copies a dimension that "
                                        "isn't there")
                wanted[i] = x.shape[i]
    return movement.view(o.g, x, wanted)


@op("Flatten", "axis")
def flatten(o: Context, x: Value) -> Value:
    axis = o.get("axis", 1)
    axis = axis + x.rank if axis < 0 else axis
    if not 0 <= axis <= x.rank:
        raise ImportFailure(f"axis {axis} of {x.rank} dimensions")
    return movement.reshape(o.g, x, (dims.product(x.shape[:axis]),
                                     dims.product(x.shape[axis:])))


@op("Transpose", "perm")
def transpose(o: Context, x: Value) -> Value:
    return movement.transpose(o.g, x, o.ints("perm") or list(
        reversed(range(x.rank))))


def axes_of(o: Context, given: Optional[Value], since: int) -> Optional[
        List[int]]:
    """An attribute in older opsets, an input since."""
    return known_ints(given, "axes") if o.opset >= since else o.ints("axes")


@op("Squeeze", "axes", symbolic=True)
def squeeze(o: Context, x: Value, axes: Optional[Value] = None) -> Value:
    chosen = axes_of(o, axes, 13)
    if isinstance(x, Extents) and len(x.values) == 1:
        return shaped(o.g, x.values, 0)
    for a in chosen or []:
        if isinstance(x.shape[x.axis(a)], int) and x.shape[x.axis(a)] != 1:
            raise ImportFailure(f"dim {a} of shape {dims.text(x.shape)} is not 1")
    return x if isinstance(x, Extents) else movement.squeeze(o.g, x, chosen)


@op("Unsqueeze", "axes", symbolic=True)
def unsqueeze(o: Context, x: Value, axes: Optional[Value] = None) -> Value:
    chosen = axes_of(o, axes, 13) or []
    if isinstance(x, Extents):
        if x.rank == 0 and len(chosen) == 1:
            return shaped(o.g, x.values, 1)
        x = x.tensor()
    rank = x.rank + len(chosen)
    places = {a % rank for a in chosen if -rank <= a < rank}
    if len(places) != len(chosen):
        raise ImportFailure(f"the axes {chosen} are not {len(chosen)} of {rank}")
    rest = iter(x.shape)
    return movement.reshape(o.g, x, [1 if i in places else next(rest)
                                     for i in range(rank)])


@op("Expand", symbolic=True)
def expand(o: Context, x: Value, sizes: Value) -> Value:
    x = tensor(x)
    return o.g.spread(x, broadcast(x.shape, extents_of(sizes, "shape")))


@op("Concat", "axis", symbolic=True)
def concat(o: Context, *values: Value) -> Value:
    if any(isinstance(v, Extents) for v in values) and all(
            v.rank == 1 and (isinstance(v, Extents) or v.data is not None)
            for v in values):
        return shaped(o.g, [e for v in values for e in extents_of(v, "part")], 1)
    return movement.concat(o.g, [tensor(v) for v in values], o.get("axis", 0))


@op("Split", "axis split num_outputs")
def split(o: Context, x: Value, sizes: Optional[Value] = None) -> Any:
    axis = x.axis(o.get("axis", 0))
    parts = known_ints(sizes, "sizes") if o.opset >= 13 else o.ints("split")
    if parts is None:
        count = o.get("num_outputs", o.results)
        extent = dims.static(x.shape[axis], "the dimension that is split")
        if count < 1:
            raise ImportFailure(f"a split into {count}")
        each = -(-extent // count)
        parts = [max(min(each, extent - i * each), 0) for i in range(count)]
    return tuple(movement.split(o.g, x, parts, axis))


@op("Slice", "starts ends axes", symbolic=True)
def slice_(o: Context, x: Value, starts: Optional[Value] = None,
           ends: Optional[Value] = None, axes: Optional[Value] = None,
           steps: Optional[Value] = None) -> Value:
    if o.opset < 10:
        first: List[Extent] = list(o.ints("starts") or [])
        last: List[Extent] = list(o.ints("ends") or [])
        chosen = o.ints("axes") or list(range(len(first)))
        strides = [1] * len(first)
    else:
        if starts is None or ends is None:
            raise ImportFailure("a slice without an end")
        first, last = extents_of(starts, "starts"), extents_of(ends, "ends")
        chosen = known_ints(axes, "axes") or list(range(len(first)))
        strides = known_ints(steps, "steps") or [1] * len(first)
    if not len(first) == len(last) == len(chosen) == len(strides):
        raise ImportFailure("starts, ends, axes and steps of other lengths")
    if isinstance(x, Extents) and x.rank == 1:
        if dims.all_static([*first, *last]):
            values = x.values
            for a, b, s in zip(first, last, strides):
                values = values[slice(a, b, s)]
            return shaped(o.g, values, 1)
    x = tensor(x)
    for start, end, axis, step in zip(first, last, chosen, strides):
        if step < 0:
            extent = dims.static(x.shape[x.axis(axis)], "what is cut backwards")
            rows = np.arange(extent)[slice(
                dims.static(start, "a start"),
                None if end < -extent else end, step)]  # type: ignore[operator]
            if rows.size == extent and step == -1:
                x = movement.flip(o.g, x, [axis])
            else:
                x = movement.take(o.g, x, axis, o.g.constant(rows))
            continue
        x = movement.slice_axis(o.g, x, axis, start, end, step)
    return x


@op("Gather", "axis", symbolic=True)
def gather(o: Context, x: Value, indices: Value) -> Value:
    axis = o.get("axis", 0)
    if isinstance(x, Extents) and indices.data is not None and indices.rank < 2:
        values = [x.values[int(i)] for i in indices.data.reshape(-1)]
        return shaped(o.g, values, indices.rank)
    x, indices = tensor(x), tensor(indices)
    if axis == 0 and x.rank == 2 and indices.data is None:
        return indexing.embedding(o.g, x, indices)
    if indices.rank == 0 and indices.data is not None:
        return movement.select(o.g, x, axis, int(indices.data))
    return movement.take(o.g, x, axis, indices)


def _from_front(o: Context, indices: Value, extent: Extent) -> Value:
    """Negative ones count from behind."""
    if not isinstance(extent, int):
        return indices
    size_ = extent
    return o.g.map([indices], lambda i: (i < 0).select(i + size_, i))


@op("GatherElements", "axis")
def gather_elements(o: Context, x: Value, indices: Value) -> Value:
    axis = x.axis(o.get("axis", 0))
    return indexing.gather(o.g, x, axis, _from_front(o, indices, x.shape[axis]))


@op("ScatterElements", "axis reduction")
def scatter_elements(o: Context, x: Value, indices: Value, updates: Value
                     ) -> Value:
    axis = x.axis(o.get("axis", 0))
    indices = _from_front(o, indices, x.shape[axis])
    reduction = o.get("reduction", "none")
    if reduction == "none":
        return indexing.scatter(o.g, x, axis, indices, updates)
    return indexing.scatter_reduce(o.g, x, axis, indices, updates, reduction)


op("Scatter", "axis")(scatter_elements)


@op("GatherND", "batch_dims")
def gather_nd(o: Context, x: Value, indices: Value) -> Value:
    batches = o.get("batch_dims", 0)
    depth = dims.static(indices.shape[-1], "the depth of GatherND")
    columns: List[Optional[Value]] = []
    for i in range(batches):
        # What is read of a batch comes from it.
        here = arange(o.g, indices.shape[i])  # type: ignore[arg-type]
        columns.append(movement.reshape(o.g, here, [
            indices.shape[i] if k == i else 1 for k in range(indices.rank - 1)]))
    columns += [movement.select(o.g, indices, -1, i) for i in range(depth)]
    return indexing.index_tensor(o.g, x, columns)


@op("ScatterND", "reduction")
def scatter_nd(o: Context, x: Value, indices: Value, updates: Value) -> Value:
    reduction = o.get("reduction", "none")
    if reduction not in ("none", "add", "mul", "max", "min"):
        raise ImportFailure(f"ScatterND with the reduction {reduction!r}")
    depth = dims.static(indices.shape[-1], "the depth of ScatterND")
    columns: List[Optional[Value]] = [
        movement.select(o.g, indices, -1, i) for i in range(depth)]
    return indexing.put(o.g, x, columns, updates,
                        None if reduction == "none" else reduction)


@op("Compress", "axis")
def compress(o: Context, x: Value, condition: Value) -> Value:
    data = known(condition, "condition: the size of the result depends on it; the "
                 "condition")
    assert data is not None
    chosen = o.g.constant(np.flatnonzero(data).astype(np.int64))
    if "axis" not in o.attributes:
        return movement.take(o.g, movement.flatten(o.g, x, 0, -1), 0, chosen)
    return movement.take(o.g, x, o.get("axis", 0), chosen)


@op("ReverseSequence", "batch_axis time_axis")
def reverse_sequence(o: Context, x: Value, lengths: Value) -> Value:
    """The first elements of each batch in reverse, as many as it has."""
    batch, time = o.get("batch_axis", 1), o.get("time_axis", 0)
    o.g.name(x)

    def body(text: TextBody, length: Scalar, out: Scalar) -> Scalar:
        places = [text.position(i) for i in range(x.rank)]
        end = length.cast(INDEX)
        here = places[time]
        places[time] = (here < end).select(end - here - 1, here)
        return text.extract(x.name or "", x.type, x.element, places)

    return o.g.generic([(lengths, [f"d{batch}"])],
                       o.g.empty(x.shape, x.element, [x]), body)


@op("CenterCropPad", "axes")
def center_crop_pad(o: Context, x: Value, sizes: Value) -> Value:
    wanted = known_ints(sizes, "shape") or []
    for axis, size_ in zip(o.ints("axes") or range(x.rank), wanted):
        axis = x.axis(axis)
        extent = dims.static(x.shape[axis], "what is cropped")
        low, high = [0] * x.rank, [0] * x.rank
        if size_ >= extent:
            low[axis] = (size_ - extent) // 2
        else:
            low[axis] = -((extent - size_) // 2)
        high[axis] = size_ - extent - low[axis]
        x = movement.pad(o.g, x, low, high, 0)
    return x


#: Of cos(2 pi k n / N), from k = 0 on.
_WINDOWS = {"HannWindow": (0.5, -0.5), "HammingWindow": (25 / 46, -21 / 46),
            "BlackmanWindow": (0.42, -0.5, 0.08)}


def _window(o: Context, size: Value) -> Value:
    from .model import element_of

    count = (known_ints(size, "size") or [0])[0]
    if not 0 < count <= 1 << 24:
        raise ImportFailure(f"a window of {count} elements")
    step = 2 * np.pi / (count if o.get("periodic", 1) else max(count - 1, 1))
    y = sum(c * np.cos(k * step * np.arange(count))
            for k, c in enumerate(_WINDOWS[o.kind]))
    return o.g.constant(y, element_of(o.get("output_datatype", 1), "the window"))


op(" ".join(_WINDOWS), "output_datatype periodic")(_window)


@op("Pad", "mode pads value")
def pad(o: Context, x: Value, pads: Optional[Value] = None,
        value: Optional[Value] = None, axes: Optional[Value] = None) -> Value:
    number: Any = 0
    if o.opset < 11:
        amounts = o.ints("pads")
        number = o.get("value", 0.0)
    else:
        amounts = known_ints(pads, "pads")
        data = known(value, "value")
        if data is not None and data.size:
            number = data.reshape(-1)[0].item()
    chosen = known_ints(axes, "axes") or list(range(x.rank))
    if amounts is None or len(amounts) != 2 * len(chosen):
        raise ImportFailure(f"pads {amounts} of {len(chosen)} dimensions")
    low, high = [0] * x.rank, [0] * x.rank
    for i, axis in enumerate(chosen):
        low[x.axis(axis)] = amounts[i]
        high[x.axis(axis)] = amounts[i + len(chosen)]
    mode = o.get("mode", "constant")
    if mode == "constant":
        return movement.pad(o.g, x, low, high, number)
    names = {"reflect": "reflect", "edge": "replicate", "wrap": "circular"}
    if mode not in names:
        raise ImportFailure(f"padding of mode {mode!r}")
    return movement.pad_by_index(o.g, x, low, high, names[mode])


@op("Tile", symbolic=True)
def tile(o: Context, x: Value, repeats: Value) -> Value:
    return movement.repeat(o.g, tensor(x), extents_of(repeats, "repeats"))


@op("Range", symbolic=True)
def range_(o: Context, start: Value, limit: Value, delta: Value) -> Value:
    if any(v.element.is_float for v in (start, limit, delta)):
        numbers = [known(v, "end").reshape(-1)[0].item()  # type: ignore[union-attr]
                   for v in (start, limit, delta)]
        count = max(int(np.ceil((numbers[1] - numbers[0]) / numbers[2])), 0)
        if count > 1 << 24:
            raise ImportFailure(f"a range of {count} numbers")
        return o.g.constant(np.arange(count) * numbers[2] + numbers[0],
                            start.element)
    first, = extents_of(start, "start")
    last, = extents_of(limit, "limit")
    step, = extents_of(delta, "delta")
    y = arange(o.g, last, first, dims.static(step, "a step"))
    return o.g.cast(y, start.element)


@op("DepthToSpace", "blocksize mode")
def depth_to_space(o: Context, x: Value) -> Value:
    from ..aten.shape import pixel_shuffle

    r = o.get("blocksize", 0)
    if r < 1 or x.rank != 4:
        raise ImportFailure(f"DepthToSpace by {r}")
    if o.get("mode", "DCR") == "CRD":
        return pixel_shuffle(o.g, x, r)
    n, c, h, w = x.shape
    channels = dims.floordiv(c, r * r)
    y = movement.reshape(o.g, x, (n, r, r, channels, h, w))
    y = movement.transpose(o.g, y, [0, 3, 4, 1, 5, 2])
    return movement.reshape(o.g, y, (n, channels, h * r, w * r))


@op("SpaceToDepth", "blocksize")
def space_to_depth(o: Context, x: Value) -> Value:
    r = o.get("blocksize", 0)
    if r < 1 or x.rank != 4:
        raise ImportFailure(f"SpaceToDepth by {r}")
    n, c, h, w = x.shape
    rows, columns = dims.floordiv(h, r), dims.floordiv(w, r)
    y = movement.reshape(o.g, x, (n, c, rows, r, columns, r))
    y = movement.transpose(o.g, y, [0, 3, 5, 1, 2, 4])
    return movement.reshape(o.g, y, (n, c * r * r, rows, columns))


@op("Trilu", "upper")
def trilu(o: Context, x: Value, k: Optional[Value] = None) -> Value:
    from ..aten import creation

    data = known(k, "k")
    diagonal = 0 if data is None else int(data.reshape(-1)[0])
    if o.get("upper", 1):
        return creation.triu(o.g, x, diagonal)
    return creation.tril(o.g, x, diagonal)


@op("OneHot", "axis")
def one_hot(o: Context, indices: Value, depth: Value, values: Value) -> Value:
    data = known(depth, "depth")
    assert data is not None
    count = int(data.reshape(-1)[0])
    if not 0 < count <= 1 << 24:
        raise ImportFailure(f"OneHot of {count} classes")
    axis = o.get("axis", -1)
    wide = movement.unsqueeze(o.g, indices, axis)
    axis = axis + wide.rank if axis < 0 else axis
    classes = o.g.constant(np.arange(count).reshape(
        [count] + [1] * (wide.rank - axis - 1)))
    off, on = (movement.select(o.g, values, 0, i) for i in range(2))
    whole = o.g.map([wide], lambda i: (i < 0).select(i + count, i))
    return o.g.map([o.g.cast(whole, I64), classes, on, off],
                   lambda i, c, a, b: i.compare("eq", c).select(a, b))


@op("EyeLike", "dtype k")
def eye_like(o: Context, x: Value) -> Value:
    from .model import element_of

    code = o.attributes.get("dtype")
    rows, columns = (dims.static(e, "the shape of EyeLike") for e in x.shape)
    return o.g.constant(np.eye(rows, columns, o.get("k", 0)),
                        x.element if code is None else element_of(code, "it"))


@op("NonZero")
def non_zero(o: Context, x: Value) -> Value:
    data = known(x, "input: the size of the result depends on it; the input")
    assert data is not None
    return o.g.constant(np.stack(np.nonzero(data)).astype(np.int64))

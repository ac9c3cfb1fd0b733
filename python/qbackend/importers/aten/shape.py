# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What changes shapes, cuts and joins; and which of it shares memory."""

from __future__ import annotations

import math
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from .. import dims, movement
from ..builder import Builder, Value
from ..dims import Extent
from ..errors import ImportFailure
from ..scalars import Number
from .table import op


@op("view", "reshape", "_unsafe_view", "_reshape_alias")
def view(g: Builder, self: Value, size: Optional[Sequence[Extent]] = None,
         shape: Optional[Sequence[Extent]] = None,
         stride: Optional[Sequence[Extent]] = None) -> Value:
    sizes = size if size is not None else shape
    if sizes is None:
        raise ImportFailure("a reshape without a shape")
    return movement.view(g, self, sizes)


@op("view_as", "reshape_as")
def view_as(g: Builder, self: Value, other: Value) -> Value:
    return movement.view(g, self, other.shape)


@op("flatten.using_ints")
def flatten(g: Builder, self: Value, start_dim: int = 0,
            end_dim: int = -1) -> Value:
    return movement.flatten(g, self, start_dim, end_dim)


@op("ravel")
def ravel(g: Builder, self: Value) -> Value:
    return movement.flatten(g, self, 0, -1)


@op("unflatten.int")
def unflatten(g: Builder, self: Value, dim: int,
              sizes: Sequence[Extent]) -> Value:
    axis = self.axis(dim)
    part = Value((self.shape[axis],), self.element)
    into = movement.view_shape(part, sizes)
    return movement.reshape(g, self, (*self.shape[:axis], *into,
                                      *self.shape[axis + 1:]))


@op("permute")
def permute(g: Builder, self: Value, dims: Sequence[int]) -> Value:
    return movement.transpose(g, self, dims)


@op("swapaxes")
def swapaxes(g: Builder, self: Value, axis0: int, axis1: int) -> Value:
    return movement.swap(g, self, axis0, axis1)


@op("transpose.int", "swapdims")
def transpose(g: Builder, self: Value, dim0: int, dim1: int) -> Value:
    return movement.swap(g, self, dim0, dim1)


@op("t", "numpy_T", "mT", "adjoint", "mH", "matrix_H")
def t(g: Builder, self: Value) -> Value:
    return self if self.rank < 2 else movement.swap(g, self, -2, -1)


@op("movedim.int", "moveaxis.int")
def movedim(g: Builder, self: Value, source: int, destination: int) -> Value:
    return movedims(g, self, [source], [destination])


@op("movedim.intlist", "moveaxis.intlist")
def movedims(g: Builder, self: Value, source: Sequence[int],
             destination: Sequence[int]) -> Value:
    moved = {self.axis(d): self.axis(s) for s, d in zip(source, destination)}
    rest = iter(i for i in range(self.rank) if i not in moved.values())
    return movement.transpose(g, self, [
        moved[i] if i in moved else next(rest) for i in range(self.rank)])


@op("unsqueeze")
def unsqueeze(g: Builder, self: Value, dim: int) -> Value:
    return movement.unsqueeze(g, self, dim)


@op("squeeze", "squeeze.dim", "squeeze.dims")
def squeeze(g: Builder, self: Value,
            dim: Union[int, Sequence[int], None] = None) -> Value:
    axes = [dim] if isinstance(dim, int) else dim
    return movement.squeeze(g, self, axes)


@op("expand")
def expand(g: Builder, self: Value, size: Sequence[Extent]) -> Value:
    first = len(size) - self.rank
    if first < 0:
        raise ImportFailure(f"expand to {dims.text(size)} of a tensor of shape "
                            f"{dims.text(self.shape)}")
    shape = [self.shape[i - first] if e == -1 and i >= first else e
             for i, e in enumerate(size)]
    for i, extent in enumerate(self.shape):
        if extent not in (1, shape[i + first]):
            raise ImportFailure(f"expand to {dims.text(size)} of a tensor of shape "
                                f"{dims.text(self.shape)}")
    return g.spread(self, shape)


@op("expand_as")
def expand_as(g: Builder, self: Value, other: Value) -> Value:
    return expand(g, self, other.shape)


@op("broadcast_to")
def broadcast_to(g: Builder, self: Value, size: Sequence[Extent]) -> Value:
    return expand(g, self, size)


@op("repeat", "tile")
def repeat(g: Builder, self: Value, repeats: Optional[Sequence[Extent]] = None,
           dims: Optional[Sequence[Extent]] = None) -> Value:
    multiples = list(repeats if repeats is not None else dims or [])
    if dims is not None:
        multiples = [*[1] * (self.rank - len(multiples)), *multiples]
    return movement.repeat(g, self, multiples)


@op("repeat_interleave.self_int")
def repeat_interleave(g: Builder, self: Value, repeats: int,
                      dim: Optional[int] = None,
                      output_size: Optional[int] = None) -> Value:
    if dim is None:
        self, dim = movement.flatten(g, self, 0, -1), 0
    axis = self.axis(dim)
    wide = movement.unsqueeze(g, self, axis + 1)
    shape = list(wide.shape)
    shape[axis + 1] = repeats
    return movement.reshape(g, g.spread(wide, shape), (
        *self.shape[:axis], self.shape[axis] * repeats, *self.shape[axis + 1:]))


@op("slice.Tensor")
def slice_(g: Builder, self: Value, dim: int = 0, start: Optional[Extent] = None,
           end: Optional[Extent] = None, step: int = 1) -> Value:
    return movement.slice_axis(g, self, dim, 0 if start is None else start,
                               (1 << 63) - 1 if end is None else end, step)


@op("narrow")
def narrow(g: Builder, self: Value, dim: int, start: Extent,
           length: Extent) -> Value:
    if isinstance(start, int) and start < 0:
        start = self.shape[self.axis(dim)] + start
    return movement.slice_axis(g, self, dim, start, start + length)


@op("select.int")
def select(g: Builder, self: Value, dim: int, index: Extent) -> Value:
    return movement.select(g, self, dim, index)


@op("split.Tensor", "unsafe_split.Tensor")
def split(g: Builder, self: Value, split_size: int, dim: int = 0) -> List[Value]:
    axis = self.axis(dim)
    return movement.split(g, self, movement.even_sizes(self.shape[axis],
                                                       split_size), axis)


@op("split_with_sizes", "split.sizes", "unsafe_split_with_sizes")
def split_with_sizes(g: Builder, self: Value,
                     split_sizes: Optional[Sequence[Extent]] = None, dim: int = 0,
                     split_size: Optional[Sequence[Extent]] = None) -> List[Value]:
    sizes = split_sizes if split_sizes is not None else split_size or []
    return movement.split(g, self, sizes, dim)


@op("chunk", "unsafe_chunk")
def chunk(g: Builder, self: Value, chunks: int, dim: int = 0) -> List[Value]:
    axis = self.axis(dim)
    extent = dims.static(self.shape[axis], "the dimension that is split")
    if chunks < 1:
        raise ImportFailure(f"{chunks} chunks")
    return movement.split(g, self, movement.even_sizes(
        extent, max(-(-extent // chunks), 1)), axis)


@op("tensor_split.sections")
def tensor_split(g: Builder, self: Value, sections: int,
                 dim: int = 0) -> List[Value]:
    axis = self.axis(dim)
    extent = dims.static(self.shape[axis], "the dimension that is split")
    if sections < 1:
        raise ImportFailure(f"{sections} sections")
    small, more = divmod(extent, sections)
    return movement.split(g, self, [small + (i < more) for i in range(sections)],
                          axis)


@op("tensor_split.indices")
def tensor_split_at(g: Builder, self: Value, indices: Sequence[int],
                    dim: int = 0) -> List[Value]:
    ends = [*indices, (1 << 63) - 1]
    return [movement.slice_axis(g, self, dim, start, end)
            for start, end in zip([0, *indices], ends)]


@op("hsplit.int")
def hsplit(g: Builder, self: Value, sections: int) -> List[Value]:
    return tensor_split(g, self, sections, 0 if self.rank == 1 else 1)


@op("diagonal")
def diagonal(g: Builder, self: Value, offset: int = 0, dim1: int = 0,
             dim2: int = 1) -> Value:
    return movement.diagonal(g, self, offset, dim1, dim2)


@op("rot90")
def rot90(g: Builder, self: Value, k: int = 1,
          dims: Sequence[int] = (0, 1)) -> Value:
    a, b = dims
    for _ in range(k % 4):
        self = movement.flip(g, movement.swap(g, self, a, b), [a])
    return self


@op("unbind.int")
def unbind(g: Builder, self: Value, dim: int = 0) -> List[Value]:
    axis = self.axis(dim)
    count = dims.static(self.shape[axis], "the dimension that is taken apart")
    return [movement.select(g, self, axis, i) for i in range(count)]


@op("cat", "concat", "concatenate")
def cat(g: Builder, tensors: Sequence[Value], dim: int = 0) -> Value:
    from .table import result_element

    values = [v for v in tensors if v.shape != (0,)] or list(tensors)[:1]
    if not values:
        raise ImportFailure("nothing is concatenated")
    element = result_element(*values)
    return movement.concat(g, [g.cast(v, element) for v in values], dim)


@op("stack")
def stack(g: Builder, tensors: Sequence[Value], dim: int = 0) -> Value:
    return movement.stack(g, tensors, dim)


@op("hstack", "column_stack")
def hstack(g: Builder, tensors: Sequence[Value]) -> Value:
    return movement.concat(g, tensors, min(tensors[0].rank - 1, 1))


@op("flip")
def flip(g: Builder, self: Value, dims: Sequence[int]) -> Value:
    return movement.flip(g, self, dims)


@op("roll")
def roll(g: Builder, self: Value, shifts: Union[int, Sequence[int]],
         dims: Union[int, Sequence[int]] = ()) -> Value:
    return movement.roll(g, self, [shifts] if isinstance(shifts, int) else shifts,
                         [dims] if isinstance(dims, int) else dims)


@op("unfold")
def unfold(g: Builder, self: Value, dimension: int, size: int,
           step: int) -> Value:
    axis = self.axis(dimension)
    extent = dims.static(self.shape[axis], "the dimension that is unfolded")
    if step < 1 or size > extent or size < 0:
        raise ImportFailure(f"windows of {size} in steps of {step} of {extent}")
    places = np.arange(0, extent - size + 1, step)[:, None] + np.arange(size)
    y = movement.take(g, self, axis, g.constant(places.astype(np.int64)))
    order = [i for i in range(y.rank) if i != axis + 1] + [axis + 1]
    return movement.transpose(g, y, order)


def _pads(rank: int, pad: Sequence[int]) -> Tuple[List[int], List[int]]:
    """Pairs from the last dimension on."""
    if len(pad) % 2 or len(pad) > 2 * rank:
        raise ImportFailure(f"padding {list(pad)} of {rank} dimensions")
    low, high = [0] * rank, [0] * rank
    for i in range(len(pad) // 2):
        low[rank - 1 - i], high[rank - 1 - i] = pad[2 * i], pad[2 * i + 1]
    return low, high


@op("constant_pad_nd")
def constant_pad_nd(g: Builder, self: Value, pad: Sequence[int],
                    value: Number = 0) -> Value:
    low, high = _pads(self.rank, pad)
    return movement.pad(g, self, low, high, value)


@op("pad")
def pad(g: Builder, self: Value, pad: Sequence[int], mode: str = "constant",
        value: Optional[Number] = None) -> Value:
    low, high = _pads(self.rank, pad)
    if mode == "constant":
        return movement.pad(g, self, low, high, value or 0)
    if mode not in ("reflect", "replicate", "circular"):
        raise ImportFailure(f"padding of mode {mode!r}")
    return movement.pad_by_index(g, self, low, high, mode)


def _add_pad(mode: str) -> None:
    def operator(g: Builder, self: Value, padding: Sequence[int]) -> Value:
        low, high = _pads(self.rank, padding)
        return movement.pad_by_index(g, self, low, high, mode.replace(
            "reflection", "reflect").replace("replication", "replicate"))

    op(*(f"{mode}_pad{n}d" for n in (1, 2, 3)))(operator)


_add_pad("reflection")
_add_pad("replication")


@op("pixel_shuffle")
def pixel_shuffle(g: Builder, self: Value, upscale_factor: int) -> Value:
    r = upscale_factor
    *batch, c, h, w = self.shape
    channels = dims.divided(c, r * r)
    if channels is None:
        raise ImportFailure(f"pixel_shuffle by {r} of {c} channels")
    x = movement.reshape(g, self, (*batch, channels, r, r, h, w))
    n = len(batch)
    x = movement.transpose(g, x, [*range(n), n, n + 3, n + 1, n + 4, n + 2])
    return movement.reshape(g, x, (*batch, channels, h * r, w * r))


@op("pixel_unshuffle")
def pixel_unshuffle(g: Builder, self: Value, downscale_factor: int) -> Value:
    r = downscale_factor
    *batch, c, h, w = self.shape
    rows, columns = dims.divided(h, r), dims.divided(w, r)
    if rows is None or columns is None:
        raise ImportFailure(f"pixel_unshuffle by {r} of {h} x {w}")
    x = movement.reshape(g, self, (*batch, c, rows, r, columns, r))
    n = len(batch)
    x = movement.transpose(g, x, [*range(n), n, n + 2, n + 4, n + 1, n + 3])
    return movement.reshape(g, x, (*batch, c * r * r, rows, columns))


@op("channel_shuffle", "native_channel_shuffle")
def channel_shuffle(g: Builder, self: Value, groups: int) -> Value:
    n, c, *rest = self.shape
    each = dims.divided(c, groups)
    if each is None:
        raise ImportFailure(f"channel_shuffle of {c} channels in {groups} groups")
    x = movement.reshape(g, self, (n, groups, each, *rest))
    x = movement.swap(g, x, 1, 2)
    return movement.reshape(g, x, self.shape)


@op("clone", "contiguous", "detach", "detach_", "alias", "lift_fresh_copy",
    "lift_fresh", "lift", "real", "view.dtype", "_conj", "resolve_conj", "resolve_neg",
    "conj", "_assert_tensor_metadata", "requires_grad_")
def same(g: Builder, self: Value, dtype: Any = None) -> Value:
    if dtype is not None and dtype.element != self.element:
        raise ImportFailure("bytes that are seen as another type")
    return self


@op("sym_size.int")
def sym_size(g: Builder, self: Value, dim: int) -> Extent:
    return self.shape[self.axis(dim)]


@op("sym_numel")
def sym_numel(g: Builder, self: Value) -> Extent:
    return self.size


@op("copy")
def copy(g: Builder, self: Value, src: Value,
         non_blocking: bool = False) -> Value:
    return g.spread(g.cast(src, self.element), self.shape)


@op("slice_scatter")
def slice_scatter(g: Builder, self: Value, src: Value, dim: int = 0,
                  start: Optional[int] = None, end: Optional[int] = None,
                  step: int = 1) -> Value:
    axis = self.axis(dim)
    extent = dims.static(self.shape[axis], "the dimension of a slice_scatter")
    first, _, _ = slice(start, end, step).indices(extent)
    offsets: List[Extent] = [0] * self.rank
    steps = [1] * self.rank
    offsets[axis], steps[axis] = first, step
    part = slice_(g, self, dim, start, end, step)
    return movement.insert(g, g.spread(g.cast(src, self.element), part.shape),
                           self, offsets, steps)


@op("select_scatter")
def select_scatter(g: Builder, self: Value, src: Value, dim: int,
                   index: int) -> Value:
    axis = self.axis(dim)
    if index < 0:
        index += dims.static(self.shape[axis], "the dimension of a scatter")
    offsets: List[Extent] = [0] * self.rank
    offsets[axis] = index
    return movement.insert(g, movement.unsqueeze(
        g, g.cast(src, self.element), axis), self, offsets)


@op("diagonal_scatter")
def diagonal_scatter(g: Builder, self: Value, src: Value, offset: int = 0,
                     dim1: int = 0, dim2: int = 1) -> Value:
    return movement.diagonal(g, self, offset, dim1, dim2,
                             g.cast(src, self.element))


@op("as_strided")
def as_strided(g: Builder, self: Value, size: Sequence[int],
               stride: Sequence[int],
               storage_offset: Optional[int] = None) -> Value:
    """Of a tensor that lies in memory as its shape says."""
    count = dims.static(self.size, "the size of as_strided")
    places = np.full(size, storage_offset or 0, np.int64)
    if any(s < 0 for s in (*size, *stride)) or math.prod(size) > 1 << 24:
        raise ImportFailure(f"as_strided to {list(size)} by {list(stride)}")
    for i, (n, s) in enumerate(zip(size, stride)):
        places += (np.arange(n) * s).reshape([n] + [1] * (len(size) - i - 1))
    if places.size and places.max() >= count:
        raise ImportFailure("as_strided leaves its tensor")
    return movement.take(g, movement.reshape(g, self, (count,)), 0,
                         g.constant(places))

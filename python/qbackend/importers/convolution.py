# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions, in the forms of torch-mlir."""

from __future__ import annotations

from typing import List, Optional, Sequence, Tuple

from . import dims, movement
from .builder import Builder, Value, identity, sliding
from .elements import INDEX
from .errors import ImportFailure
from .scalars import Scalar, TextBody

_NAMED = {1: "conv_1d_ncw_fcw", 2: "conv_2d_nchw_fchw", 3: "conv_3d_ncdhw_fcdhw"}
_DEPTHWISE = {1: "depthwise_conv_1d_ncw_cw", 2: "depthwise_conv_2d_nchw_chw"}


def named(g: Builder, op: str, x: Value, weight: Value, init: Value,
          strides: Sequence[int], dilations: Sequence[int]) -> Value:
    """An op of linalg that slides `weight`, or a window of its shape, over x."""
    def vector(values: Sequence[int]) -> str:
        return f"dense<{list(values)}> : vector<{len(values)}xi64>"

    return g.op(
        f"linalg.{op} {{dilations = {vector(dilations)}, strides = "
        f"{vector(strides)}}} ins({g.typed(x, weight)}) outs({g.typed(init)}) -> "
        f"{init.type}", init.shape, init.element)


def _check(x: Value, weight: Value, bias: Optional[Value], channels: dims.Extent,
           features: dims.Extent, groups: int) -> None:
    if weight.rank != x.rank or groups < 1 or x.rank < 3 or x.rank > 5:
        raise ImportFailure(
            f"a convolution of {groups} groups has a weight of shape "
            f"{dims.text(weight.shape)} and an input of shape {dims.text(x.shape)}")
    if x.shape[1] != channels or dims.mod(features, groups) != 0:
        raise ImportFailure(
            f"a convolution of {groups} groups with a weight of shape "
            f"{dims.text(weight.shape)} has an input of {x.shape[1]} channels, "
            f"expected {channels}")
    if bias is not None and bias.shape != (features,):
        raise ImportFailure(f"a bias of shape {dims.text(bias.shape)}, expected "
                            f"{dims.text((features,))}")


def conv(g: Builder, x: Value, weight: Value, bias: Optional[Value],
         strides: Sequence[int], low: Sequence[int], high: Sequence[int],
         dilations: Sequence[int], groups: int) -> Value:
    """x is [N, C, ...], weight [F, C / groups, ...]."""
    if x.rank == weight.rank - 1:
        y = conv(g, movement.unsqueeze(g, x, 0), weight, bias, strides, low, high,
                 dilations, groups)
        return movement.reshape(g, y, y.shape[1:])
    _check(x, weight, bias, weight.shape[1] * groups, weight.shape[0], groups)
    spatial = x.rank - 2
    x = movement.pad(g, x, [0, 0, *low], [0, 0, *high], 0)
    shape: List[dims.Extent] = [x.shape[0], weight.shape[0]]
    for i in range(spatial):
        kernel = dims.static(weight.shape[2 + i], "a kernel")
        if strides[i] < 1 or dilations[i] < 1:
            raise ImportFailure(f"a stride of {strides[i]} and a dilation of "
                                f"{dilations[i]}, expected at least 1")
        reach = dilations[i] * (kernel - 1) + 1
        out = dims.floordiv(x.shape[2 + i] - reach, strides[i]) + 1
        if isinstance(out, int) and out < 1:
            raise ImportFailure(
                f"a window of {reach} doesn't fit into {x.shape[2 + i]} elements")
        shape.append(out)
    init = _start(g, shape, bias, x)
    if groups == 1:
        return named(g, _NAMED[spatial], x, weight, init, strides, dilations)
    channels = dims.static(x.shape[1], "the number of channels")
    features = dims.static(weight.shape[0], "the number of features")
    if groups == channels == features and spatial in _DEPTHWISE:
        flat = movement.reshape(g, weight, (features, *weight.shape[2:]))
        return named(g, _DEPTHWISE[spatial], x, flat, init, strides, dilations)
    y = _grouped(g, x, weight, init, strides, dilations, groups)
    return movement.reshape(g, y, shape)


def _start(g: Builder, shape: Sequence[dims.Extent], bias: Optional[Value],
           x: Value) -> Value:
    if bias is None:
        return g.filled(shape, 0, x.element, [x])
    init = g.empty(shape, x.element, [x])
    added = ", ".join(str(i) for i in range(len(shape)) if i != 1)
    return g.op(f"linalg.broadcast ins({g.typed(bias)}) outs({g.typed(init)}) "
                f"dimensions = [{added}]", shape, x.element)


def _grouped(g: Builder, x: Value, weight: Value, init: Value,
             strides: Sequence[int], dilations: Sequence[int],
             groups: int) -> Value:
    """With the groups as a dimension of their own."""
    def wide(value: Value, axis: int) -> Value:
        shape = value.shape
        return movement.reshape(g, value, (
            *shape[:axis], groups, dims.floordiv(shape[axis], groups),
            *shape[axis + 1:]))

    x, weight, init = wide(x, 1), wide(weight, 0), wide(init, 1)
    spatial = len(strides)
    if spatial == 2:
        return named(g, "conv_2d_ngchw_gfchw", x, weight, init, strides, dilations)
    n = init.rank
    taps = [f"d{n + 1 + i}" for i in range(spatial)]
    return g.generic(
        [(x, ["d0", "d1", f"d{n}", *sliding(3, n + 1, strides, dilations)]),
         (weight, ["d1", "d2", f"d{n}", *taps])], init,
        lambda text, a, b, out: out + a * b, identity(n), n + 1 + spatial)


def conv_transpose(g: Builder, x: Value, weight: Value, bias: Optional[Value],
                   strides: Sequence[int], low: Sequence[int],
                   high: Sequence[int], output_padding: Sequence[int],
                   dilations: Sequence[int], groups: int) -> Value:
    """x is [N, C, ...], weight [C, F / groups, ...]: a convolution with the
    filters turned around, of the image with zeros between its elements."""
    if x.rank == weight.rank - 1:
        y = conv_transpose(g, movement.unsqueeze(g, x, 0), weight, bias, strides,
                           low, high, output_padding, dilations, groups)
        return movement.reshape(g, y, y.shape[1:])
    _check(x, weight, bias, weight.shape[0], weight.shape[1] * groups, groups)
    spatial = x.rank - 2
    shape = list(x.shape)
    offsets, steps = [0] * x.rank, [1] * x.rank
    crops: List[Tuple[int, int]] = []
    for i in range(spatial):
        kernel = dims.static(weight.shape[2 + i], "a kernel")
        reach = dilations[i] * (kernel - 1)
        before, after = reach - low[i], reach - high[i] + output_padding[i]
        crops.append((max(-before, 0), max(-after, 0)))
        before, after = max(before, 0), max(after, 0)
        shape[2 + i] = (x.shape[2 + i] - 1) * strides[i] + 1 + before + after
        offsets[2 + i], steps[2 + i] = before, strides[i]
    if tuple(shape) != x.shape:
        x = movement.insert(g, x, g.filled(shape, 0, x.element, [x]), offsets, steps)
    for i, (before, after) in enumerate(crops):
        if before or after:
            x = movement.slice_axis(g, x, 2 + i, before, x.shape[2 + i] - after)
    none = [0] * spatial
    return conv(g, x, _turned(g, weight, groups), bias, [1] * spatial, none, none,
                dilations, groups)


def _turned(g: Builder, weight: Value, groups: int) -> Value:
    """[C, F / groups, ...] to [F, C / groups, ...], the taps in reverse."""
    inputs = dims.static(weight.shape[0], "the number of channels") // groups
    features = dims.static(weight.shape[1], "the number of features")
    kernel = weight.shape[2:]
    g.name(weight)
    shape = (groups, features, inputs, *kernel)
    plain = (features, inputs, *kernel)

    def body(text: TextBody, out: Scalar) -> Scalar:
        at = [text.position(d) for d in range(len(plain) + (groups > 1))]
        group = at.pop(0) if groups > 1 else None
        row = at[1]
        if group is not None:
            row = group * inputs + row
        taps = [text.number(dims.static(k, "a kernel") - 1, INDEX) - t
                for k, t in zip(kernel, at[2:])]
        return text.extract(weight.name or "", weight.type, weight.element,
                            [row, at[0], *taps])

    y = g.generic([], g.empty(shape if groups > 1 else plain, weight.element),
                  body)
    return movement.reshape(g, y, (groups * features, inputs, *kernel))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, softmax and order of ONNX."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

from .. import dims, movement, reductions
from ..builder import Builder, Value
from ..errors import ImportFailure
from .shape import axes_of
from .table import Context, known_ints, op

_Reduce = Callable[[Builder, Value, Sequence[int], bool], Value]


def _add_reduction(name: str, since: int, function: _Reduce) -> None:
    """`since`: the opset whose axes are an input."""
    def operator(o: Context, x: Value, axes: Optional[Value] = None) -> Value:
        chosen = axes_of(o, axes, since)
        if not chosen:
            if o.get("noop_with_empty_axes", 0):
                return x
            chosen = list(range(x.rank))
        return function(o.g, x, [x.axis(a) for a in chosen],
                        bool(o.get("keepdims", 1)))

    op(name, "axes keepdims noop_with_empty_axes")(operator)


def _square(g: Builder, x: Value) -> Value:
    return g.map([x], lambda v: v * v)


_add_reduction("ReduceMean", 18, reductions.mean)
_add_reduction("ReduceSum", 13, lambda g, x, a, k: g.reduce(x, a, "add", k))
_add_reduction("ReduceMax", 18, lambda g, x, a, k: g.reduce(x, a, "max", k))
_add_reduction("ReduceMin", 18, lambda g, x, a, k: g.reduce(x, a, "min", k))
_add_reduction("ReduceProd", 18, lambda g, x, a, k: g.reduce(x, a, "mul", k))
_add_reduction("ReduceL1", 18,
               lambda g, x, a, k: reductions.vector_norm(g, x, 1, a, k))
_add_reduction("ReduceL2", 18,
               lambda g, x, a, k: reductions.vector_norm(g, x, 2, a, k))
_add_reduction("ReduceSumSquare", 18,
               lambda g, x, a, k: g.reduce(_square(g, x), a, "add", k))
_add_reduction("ReduceLogSumExp", 18, reductions.logsumexp)
_add_reduction("ReduceLogSum", 18, lambda g, x, a, k: g.map(
    [g.reduce(x, a, "add", k)], lambda v: v.unary("log")))


def _softmax(log: bool) -> Callable[[Context, Value], Value]:
    def operator(o: Context, x: Value) -> Value:
        if o.opset >= 13:
            return reductions.softmax(o.g, x, o.get("axis", -1), log)
        # Before, of a matrix: the axis and all behind it.
        axis = x.axis(o.get("axis", 1))
        if axis == x.rank - 1:
            return reductions.softmax(o.g, x, axis, log)
        flat = movement.reshape(o.g, x, (dims.product(x.shape[:axis]),
                                         dims.product(x.shape[axis:])))
        return movement.reshape(o.g, reductions.softmax(o.g, flat, 1, log),
                                x.shape)

    return operator


op("Softmax", "axis")(_softmax(False))
op("LogSoftmax", "axis")(_softmax(True))


def _arg(largest: bool) -> Callable[[Context, Value], Value]:
    def operator(o: Context, x: Value) -> Value:
        if o.get("select_last_index", 0):
            raise ImportFailure("the last of equal elements")
        return reductions.arg_extreme(o.g, x, o.get("axis", 0), largest,
                                      bool(o.get("keepdims", 1)))

    return operator


op("ArgMax", "axis keepdims select_last_index")(_arg(True))
op("ArgMin", "axis keepdims select_last_index")(_arg(False))


@op("TopK", "axis largest sorted k")
def top_k(o: Context, x: Value, k: Optional[Value] = None) -> Any:
    count = known_ints(k, "k") or [o.get("k", 0)]
    return reductions.sort(o.g, x, o.get("axis", -1), bool(o.get("largest", 1)),
                           count[0])


@op("CumSum", "exclusive reverse")
def cum_sum(o: Context, x: Value, axis: Value) -> Value:
    place = (known_ints(axis, "axis") or [0])[0]
    if o.get("reverse", 0):
        x = movement.flip(o.g, x, [place])
    y = reductions.cumsum(o.g, x, place)
    if o.get("exclusive", 0):
        y = o.g.map([y, x], lambda s, v: s - v)
    return movement.flip(o.g, y, [place]) if o.get("reverse", 0) else y

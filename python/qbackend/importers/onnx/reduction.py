# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions, softmax and order of ONNX."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

from .. import dims, movement, reductions
from ..builder import Builder, Read, Value, identity
from ..elements import I64, INDEX
from ..errors import ImportFailure
from ..scalars import Scalar, TextBody
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
        axis, keepdims = o.get("axis", 0), bool(o.get("keepdims", 1))
        if not o.get("select_last_index", 0):
            return reductions.arg_extreme(o.g, x, axis, largest, keepdims)
        last = dims.static(x.shape[x.axis(axis)], "what a place is counted in") - 1
        y = reductions.arg_extreme(o.g, movement.flip(o.g, x, [axis]), axis,
                                   largest, keepdims)
        return o.g.map([y], lambda i: last - i)

    return operator


op("ArgMax", "axis keepdims select_last_index")(_arg(True))
op("ArgMin", "axis keepdims select_last_index")(_arg(False))


def _hardmax(o: Context, x: Value) -> Value:
    """1 at the first maximum, 0 elsewhere."""
    axis = x.axis(o.get("axis", -1 if o.opset >= 13 else 1))
    shape = x.shape
    if o.opset < 13 and axis != x.rank - 1:
        x = movement.reshape(o.g, x, (dims.product(shape[:axis]),
                                      dims.product(shape[axis:])))
        axis = 1
    top = reductions.arg_extreme(o.g, x, axis, True, True)

    def body(text: TextBody, place: Scalar, out: Scalar) -> Scalar:
        return text.position(axis).cast(I64).compare("eq", place).cast(x.element)

    read = identity(x.rank)
    read[axis] = "0"
    y = o.g.generic([(top, read)], o.g.empty(x.shape, x.element, [x]), body)
    return movement.reshape(o.g, y, shape)


op("Hardmax", "axis")(_hardmax)


def _loss(o: Context, x: Value, target: Value, weight: Optional[Value]) -> Value:
    """-weight * x at the target's class, 0 where it is the one to ignore."""
    ignored = o.attributes.get("ignore_index")
    o.g.name(x)
    if weight is not None:
        o.g.name(weight)

    def factor(text: TextBody, class_: Scalar) -> "tuple[Scalar, Scalar]":
        skipped = class_.compare("eq", -1 if ignored is None else ignored)
        row = class_.cast(I64)
        if ignored is not None:
            row = skipped.select(text.number(0, I64), row)
        place = row.cast(INDEX)
        w = text.number(1.0, x.element) if weight is None else text.extract(
            weight.name or "", weight.type, weight.element, [place])
        if ignored is not None:
            w = skipped.select(text.number(0.0, x.element), w)
        return w, place

    def body(text: TextBody, class_: Scalar, out: Scalar) -> Scalar:
        w, place = factor(text, class_)
        places = [text.position(i) for i in range(target.rank)]
        v = text.extract(x.name or "", x.type, x.element,
                         [places[0], place, *places[1:]])
        return (0.0 - v) * w

    reads: List[Read] = [(target, identity(target.rank))]
    init = o.g.empty(target.shape, x.element, [target])
    loss = o.g.generic(reads, init, body)
    reduction = o.get("reduction", "mean")
    if reduction == "none":
        return loss
    axes = list(range(target.rank))
    total = o.g.reduce(loss, axes, "add")
    if reduction == "sum":
        return total
    if reduction != "mean":
        raise ImportFailure(f"the reduction {reduction!r}")
    weights = o.g.generic(reads, init, lambda text, class_, out:
                          factor(text, class_)[0])
    return o.g.map([total, o.g.reduce(weights, axes, "add")], lambda a, b: a / b)


@op("NegativeLogLikelihoodLoss", "ignore_index reduction")
def negative_log_likelihood(o: Context, x: Value, target: Value,
                            weight: Optional[Value] = None) -> Value:
    return _loss(o, x, target, weight)


@op("SoftmaxCrossEntropyLoss", "ignore_index reduction")
def softmax_cross_entropy(o: Context, x: Value, target: Value,
                          weight: Optional[Value] = None) -> Any:
    logarithms = reductions.softmax(o.g, x, 1, True)
    return _loss(o, logarithms, target, weight), logarithms


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

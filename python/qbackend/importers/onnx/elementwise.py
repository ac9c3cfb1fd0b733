# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic, comparisons and activations of ONNX."""

from __future__ import annotations

import math
from typing import Callable, Dict, Optional

import numpy as np

from .. import dims, movement
from ..aten.elementwise import (
    remainder_of,
    shift_of,
    sigmoid_of,
    sign_of,
    softplus_of,
)
from ..builder import Value
from ..dims import Extent
from ..elements import BOOL, F64, Element
from ..errors import ImportFailure
from ..scalars import Scalar
from .model import element_of
from .table import Context, Extents, extents_of, known, op, shaped


def _add_unary(name: str, function: Callable[[Scalar], Scalar],
               element: Optional[Element] = None) -> None:
    def operator(o: Context, x: Value) -> Value:
        return o.g.map([x], function, element)

    op(name)(operator)


for _name, _function in {
        **{name: (lambda n: lambda x: x.unary(n))(name.lower()) for name in (
            "Exp", "Log", "Sqrt", "Erf", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan",
            "Sinh", "Cosh", "Asinh", "Acosh", "Atanh", "Tanh", "Floor", "Ceil")},
        "Round": lambda x: x.unary("roundeven"),
        "Neg": lambda x: -x, "Abs": lambda x: x.abs(),
        "Reciprocal": lambda x: 1.0 / x, "Sign": sign_of,
        "Relu": lambda x: x.max(0), "Sigmoid": sigmoid_of,
        "Softplus": softplus_of, "Softsign": lambda x: x / (x.abs() + 1.0),
        "HardSwish": lambda x: x * (x + 3.0).max(0.0).min(6.0) / 6.0,
        "Mish": lambda x: x * softplus_of(x).unary("tanh"),
}.items():
    _add_unary(_name, _function)
_add_unary("Not", lambda x: x.compare("eq", 0), BOOL)
_add_unary("IsNaN", lambda x: x.compare("ne", x), BOOL)


@op("IsInf", "detect_negative detect_positive")
def is_inf(o: Context, x: Value) -> Value:
    signs = [sign for sign, name in ((-1, "negative"), (1, "positive"))
             if o.get(f"detect_{name}", 1)]
    if len(signs) < 2:
        edge = signs[0] * math.inf if signs else math.nan
        return o.g.map([x], lambda v: v.compare("eq", edge), BOOL)
    return o.g.map([x], lambda v: v.abs().compare("eq", math.inf), BOOL)


_INTEGERS: Dict[str, Callable[[Extent, Extent], Extent]] = {
    "Add": lambda a, b: a + b, "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b, "Div": dims.floordiv, "Mod": dims.mod,
    "Max": dims.largest, "Min": dims.smallest}


def _symbolic(o: Context, kind: str, a: Value, b: Value) -> Optional[Value]:
    """Arithmetic on extents, if both are integers that may be."""
    if not (isinstance(a, Extents) or isinstance(b, Extents)):
        return None
    if any(v.rank > 1 or not isinstance(v, Extents) and v.data is None
           or v.element.is_float for v in (a, b)):
        return None
    x, y = extents_of(a, "operand"), extents_of(b, "operand")
    count = max(len(x), len(y))
    if len(x) not in (1, count) or len(y) not in (1, count):
        return None
    x, y = x * (count // len(x)), y * (count // len(y))
    return shaped(o.g, [_INTEGERS[kind](p, q) for p, q in zip(x, y)],
                  max(a.rank, b.rank))


def tensor(value: Value) -> Value:
    return value.tensor() if isinstance(value, Extents) else value


def _add_arithmetic(name: str, function: Callable[[Scalar, Scalar], Scalar]
                    ) -> None:
    def operator(o: Context, a: Value, b: Value) -> Value:
        found = _symbolic(o, name, a, b)
        if found is not None:
            return found
        return o.g.map([tensor(a), tensor(b)], function)

    op(name, symbolic=True)(operator)


_add_arithmetic("Add", lambda a, b: a + b)
_add_arithmetic("Sub", lambda a, b: a - b)
_add_arithmetic("Mul", lambda a, b: a * b)
_add_arithmetic("Div", lambda a, b: a / b)


@op("Mod", "fmod")
def mod(o: Context, a: Value, b: Value) -> Value:
    if o.get("fmod", 0):
        return o.g.map([a, b], lambda x, y: x.op("rem", y))
    return o.g.map([a, b], remainder_of)


@op("Pow")
def power(o: Context, a: Value, b: Value) -> Value:
    from ..aten.elementwise import power as fixed

    if b.data is not None and b.size == 1:
        number = b.data.reshape(-1)[0].item()
        if isinstance(number, int) and a.element.is_float:
            number = float(number)
        y = o.g.map([a], lambda x: fixed(x, number))
        return o.g.spread(y, a.shape if b.rank <= a.rank else b.shape)
    if a.element.is_float:
        return o.g.map([a, o.g.cast(b, a.element)], lambda x, y: x.pow(y))
    wide = o.g.map([o.g.cast(a, F64), o.g.cast(b, F64)], lambda x, y: x.pow(y))
    return o.g.map([wide], lambda x: x.unary("trunc").cast(a.element))


def _add_many(name: str, function: Callable[[Scalar, Scalar], Scalar]) -> None:
    def operator(o: Context, *values: Value) -> Value:
        if len(values) == 2:
            found = _symbolic(o, name, *values) if name in _INTEGERS else None
            if found is not None:
                return found
        result = tensor(values[0])
        for value in values[1:]:
            result = o.g.map([result, tensor(value)], function)
        if name == "Mean":
            count = float(len(values))
            result = o.g.map([result], lambda x: x / count)
        return result

    op(name, symbolic=True)(operator)


_add_many("Max", lambda a, b: a.max(b))
_add_many("Min", lambda a, b: a.min(b))
_add_many("Sum", lambda a, b: a + b)
_add_many("Mean", lambda a, b: a + b)


def _add_comparison(name: str, predicate: str) -> None:
    def operator(o: Context, a: Value, b: Value) -> Value:
        return o.g.map([a, b], lambda x, y: x.compare(predicate, y), BOOL)

    op(name)(operator)


@op("Equal", symbolic=True)
def equal(o: Context, a: Value, b: Value) -> Value:
    """Of shapes, as far as it is known: no extent is negative or 0."""
    if isinstance(a, Extents) or isinstance(b, Extents):
        if all(isinstance(v, Extents) or v.data is not None and v.rank < 2
               for v in (a, b)):
            x, y = extents_of(a, "operand"), extents_of(b, "operand")
            count = max(len(x), len(y))
            pairs = list(zip(x * (count // len(x)), y * (count // len(y))))
            if all(p == q or isinstance(p, int) and (isinstance(q, int) or p <= 0)
                   or isinstance(q, int) and q <= 0 for p, q in pairs):
                truth = np.array([p == q for p, q in pairs])
                return o.g.constant(truth if max(a.rank, b.rank) else
                                    truth.reshape(()))
    return o.g.map([tensor(a), tensor(b)], lambda x, y: x.compare("eq", y), BOOL)


for _name, _predicate in (("Greater", "gt"), ("Less", "lt"),
                          ("GreaterOrEqual", "ge"), ("LessOrEqual", "le")):
    _add_comparison(_name, _predicate)


def _add_logic(name: str, kind: str) -> None:
    def operator(o: Context, a: Value, b: Value) -> Value:
        return o.g.map([a, b], lambda x, y: x.op(kind, y))

    op(name)(operator)


for _name in ("And", "Or", "Xor"):
    _add_logic(_name, _name.lower())
    _add_logic("Bitwise" + _name, _name.lower())


_add_unary("BitwiseNot", lambda x: -x - 1)


@op("BitShift", "direction")
def bit_shift(o: Context, x: Value, by: Value) -> Value:
    direction = o.get("direction", "")
    if direction not in ("LEFT", "RIGHT"):
        raise ImportFailure(f"a shift to {direction!r}")
    return o.g.map([x, by], lambda a, b: shift_of(a, b, direction == "LEFT"))


@op("Where", symbolic=True)
def where(o: Context, condition: Value, x: Value, y: Value) -> Value:
    if (isinstance(x, Extents) or isinstance(y, Extents)) and (
            condition.data is not None and condition.rank < 2):
        if all(isinstance(v, Extents) or v.data is not None and v.rank < 2
               and not v.element.is_float for v in (x, y)):
            p, q = extents_of(x, "operand"), extents_of(y, "operand")
            truth = condition.data.reshape(-1)
            count = max(len(p), len(q), truth.size)
            if all(count % n == 0 for n in (len(p), len(q), truth.size)):
                chosen = zip(np.tile(truth, count // truth.size),
                             p * (count // len(p)), q * (count // len(q)))
                return shaped(o.g, [a if c else b for c, a, b in chosen],
                              max(condition.rank, x.rank, y.rank))
    condition, x, y = tensor(condition), tensor(x), tensor(y)
    return o.g.map([condition, x, y], lambda c, a, b: c.cast(BOOL).select(a, b))


@op("Clip", "min max")
def clip(o: Context, x: Value, low: Optional[Value] = None,
         high: Optional[Value] = None) -> Value:
    if o.opset < 11:
        lo, hi = o.attributes.get("min"), o.attributes.get("max")
        y = x if lo is None else o.g.map([x], lambda v: v.max(lo))
        return y if hi is None else o.g.map([y], lambda v: v.min(hi))
    bounds = [b for b in (low, high) if b is not None]
    numbers = [b.data.reshape(-1)[0].item() if b.data is not None and b.size == 1
               else None for b in bounds]
    if bounds and None not in numbers:
        given = list(numbers)
        lo = given.pop(0) if low is not None else None
        hi = given.pop(0) if high is not None else None

        def body(v: Scalar) -> Scalar:
            v = v if lo is None else v.max(lo)
            return v if hi is None else v.min(hi)

        return o.g.map([x], body)

    def computed(v: Scalar, *rest: Scalar) -> Scalar:
        ends = list(rest)
        v = v if low is None else v.max(ends.pop(0))
        return v if high is None else v.min(ends.pop(0))

    return o.g.map([x, *(movement.reshape(o.g, b, ()) for b in bounds)], computed)


@op("LeakyRelu", "alpha")
def leaky_relu(o: Context, x: Value) -> Value:
    slope = o.get("alpha", 0.01)
    return o.g.map([x], lambda v: (v > 0.0).select(v, v * slope))


@op("PRelu")
def prelu(o: Context, x: Value, slope: Value) -> Value:
    return o.g.map([x, slope], lambda v, w: (v > 0.0).select(v, v * w))


@op("HardSigmoid", "alpha beta")
def hard_sigmoid(o: Context, x: Value) -> Value:
    a, b = o.get("alpha", 0.2), o.get("beta", 0.5)
    return o.g.map([x], lambda v: (v * a + b).max(0.0).min(1.0))


@op("Elu", "alpha")
def elu(o: Context, x: Value) -> Value:
    a = o.get("alpha", 1.0)
    return o.g.map([x], lambda v: (v > 0.0).select(v, v.unary("expm1") * a))


@op("Celu", "alpha")
def celu(o: Context, x: Value) -> Value:
    a = o.get("alpha", 1.0)
    return o.g.map([x], lambda v: v.max(0.0) + (
        (v / a).unary("expm1") * a).min(0.0))


@op("Selu", "alpha gamma")
def selu(o: Context, x: Value) -> Value:
    a, c = o.get("alpha", 1.67326319217681884765625), o.get(
        "gamma", 1.05070102214813232421875)
    return o.g.map([x], lambda v: (v > 0.0).select(
        v * c, v.unary("expm1") * (a * c)))


@op("ThresholdedRelu", "alpha")
def thresholded_relu(o: Context, x: Value) -> Value:
    a = o.get("alpha", 1.0)
    return o.g.map([x], lambda v: (v > a).select(
        v, v.body.number(0.0, v.element)))


@op("Shrink", "bias lambd")
def shrink(o: Context, x: Value) -> Value:
    bias, edge = o.get("bias", 0.0), o.get("lambd", 0.5)
    if not x.element.is_float:
        wide = o.g.cast(x, F64)
        return o.g.cast(shrink(o, wide), x.element)
    return o.g.map([x], lambda v: (v < -edge).select(v + bias, (v > edge).select(
        v - bias, v.body.number(0.0, v.element))))


def gelu(o: Context, x: Value) -> Value:
    from ..aten.elementwise import gelu as torch_gelu

    approximate = o.get("approximate", "none")
    return torch_gelu(o.g, x, approximate)


op("Gelu", "approximate")(gelu)
op("Gelu", "", "com.microsoft")(gelu)


@op("FastGelu", "", "com.microsoft")
def fast_gelu(o: Context, x: Value, bias: Optional[Value] = None) -> Value:
    from ..aten.elementwise import gelu as torch_gelu

    if bias is not None:
        x = o.g.map([x, bias], lambda a, b: a + b)
    return torch_gelu(o.g, x, "tanh")


@op("Cast", "to saturate round_mode", symbolic=True)
def cast(o: Context, x: Value) -> Value:
    element = element_of(o.get("to", 0), "the result")
    if isinstance(x, Extents) and not element.is_float and element.bits >= 32:
        return x
    return o.g.cast(tensor(x), element)


@op("CastLike", "saturate")
def cast_like(o: Context, x: Value, like: Value) -> Value:
    return o.g.cast(x, like.element)


@op("Identity", symbolic=True)
def identity(o: Context, x: Value) -> Value:
    return x


@op("Dropout", "ratio seed is_test")
def dropout(o: Context, x: Value, ratio: Optional[Value] = None,
            training: Optional[Value] = None) -> object:
    if training is not None:
        data = known(training, "training mode")
        if data is not None and data.any():
            # Of ratio 0, as PyTorch writes that of attention, it drops nothing.
            dropped = known(ratio, "ratio")
            if dropped is None or dropped.any():
                raise ImportFailure("a dropout in training")
    return x, o.g.full(x.shape, True, BOOL)

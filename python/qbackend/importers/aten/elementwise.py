# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic, comparisons and activations."""

from __future__ import annotations

import math
from typing import Any, Callable, Optional, Union

import numpy as np

from .. import movement
from ..builder import Builder, Value
from ..elements import BOOL, F32, Element
from ..errors import ImportFailure
from ..program import DType
from ..scalars import Number, Scalar
from .table import OPERATORS, combine, op, as_float, result_element

Operand = Union[Value, int, float, bool]


def sigmoid_of(x: Scalar) -> Scalar:
    return 1.0 / ((-x).exp() + 1.0)


def softplus_of(x: Scalar) -> Scalar:
    """log(1 + exp(x)) without overflow."""
    return x.max(0.0) + (-x.abs()).exp().unary("log1p")


def floor_div(a: Scalar, b: Scalar) -> Scalar:
    return a.op("floordiv", b)


def remainder_of(a: Scalar, b: Scalar) -> Scalar:
    """Of the sign of the divisor."""
    rest = a.op("rem", b)
    other = (rest < 0).compare("ne", b < 0).op("and", rest.compare("ne", 0))
    return other.select(rest + b, rest)


def sign_of(x: Scalar) -> Scalar:
    one, zero = x.body.number(1, x.element), x.body.number(0, x.element)
    return (x > 0).select(one, (x < 0).select(zero - one, zero))


_UNARY: dict[str, Callable[[Scalar], Scalar]] = {
    **{name: (lambda name: lambda x: x.unary(name))(name) for name in (
        "exp", "exp2", "expm1", "log", "log1p", "log2", "sqrt", "rsqrt", "tanh",
        "erf", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
        "asinh", "acosh", "atanh")},
    "sigmoid": sigmoid_of,
    "silu": lambda x: x * sigmoid_of(x),
    "mish": lambda x: x * softplus_of(x).unary("tanh"),
    "log_sigmoid": lambda x: x.min(0.0) - (-x.abs()).exp().unary("log1p"),
    "hardsigmoid": lambda x: (x + 3.0).max(0.0).min(6.0) / 6.0,
    "hardswish": lambda x: x * (x + 3.0).max(0.0).min(6.0) / 6.0,
    "softsign": lambda x: x / (x.abs() + 1.0),
    "tanhshrink": lambda x: x - x.unary("tanh"),
    "reciprocal": lambda x: 1.0 / x,
    "log10": lambda x: x.unary("log") * (1 / math.log(10)),
    "erfc": lambda x: 1.0 - x.unary("erf"),
    "selu": lambda x: (x > 0).select(
        x * 1.0507009873554805,
        x.unary("expm1") * (1.0507009873554805 * 1.6732632423543772)),
}
#: Those that take integers as they are.
_ANY: dict[str, Callable[[Scalar], Scalar]] = {
    "relu": lambda x: x.max(0), "relu6": lambda x: x.max(0).min(6),
    "abs": lambda x: x.abs(), "neg": lambda x: -x, "square": lambda x: x * x,
    "sign": sign_of, "sgn": sign_of,
    "floor": lambda x: x.unary("floor") if x.element.is_float else x,
    "ceil": lambda x: x.unary("ceil") if x.element.is_float else x,
    "trunc": lambda x: x.unary("trunc") if x.element.is_float else x,
    "fix": lambda x: x.unary("trunc") if x.element.is_float else x,
    "round": lambda x: x.unary("roundeven") if x.element.is_float else x,
    "positive": lambda x: x,
}
_TRUTH: dict[str, Callable[[Scalar], Scalar]] = {
    "logical_not": lambda x: x.compare("eq", 0),
    "isnan": lambda x: x.compare("ne", x),
    "isinf": lambda x: x.abs().compare("eq", math.inf),
    "isfinite": lambda x: x.abs() < math.inf,
}


def _add_unary(name: str, function: Callable[[Scalar], Scalar],
               prepare: Callable[[Builder, Value], Value],
               element: Optional[Element]) -> None:
    def operator(g: Builder, self: Value) -> Value:
        return g.map([prepare(g, self)], function, element)

    op(name)(operator)


for _name, _function in _UNARY.items():
    _add_unary(_name, _function, as_float, None)
for _name, _function in _ANY.items():
    _add_unary(_name, _function, lambda g, x: x, None)
for _name, _function in _TRUTH.items():
    _add_unary(_name, _function,
               as_float if _name.startswith("is") else lambda g, x: x, BOOL)
OPERATORS["arctan.default"] = OPERATORS["atan.default"]
OPERATORS["special_erf.default"] = OPERATORS["erf.default"]
OPERATORS["special_expit.default"] = OPERATORS["sigmoid.default"]


@op("add.Tensor", "add.Scalar")
def add(g: Builder, self: Operand, other: Operand, alpha: Number = 1) -> Value:
    return combine(g, [self, other], lambda a, b: a + (
        b if alpha == 1 else b * alpha))


@op("sub.Tensor", "sub.Scalar")
def sub(g: Builder, self: Operand, other: Operand, alpha: Number = 1) -> Value:
    return combine(g, [self, other], lambda a, b: a - (
        b if alpha == 1 else b * alpha))


@op("rsub.Tensor", "rsub.Scalar")
def rsub(g: Builder, self: Operand, other: Operand, alpha: Number = 1) -> Value:
    return sub(g, other, self, alpha)


@op("mul.Tensor", "mul.Scalar")
def mul(g: Builder, self: Operand, other: Operand) -> Value:
    return combine(g, [self, other], lambda a, b: a * b)


@op("div.Tensor", "div.Scalar", "true_divide.Tensor")
def div(g: Builder, self: Operand, other: Operand) -> Value:
    kind = result_element(self, other)
    return combine(g, [self, other], lambda a, b: a / b, None,
                   kind if kind.is_float else F32)


@op("div.Tensor_mode", "div.Scalar_mode")
def div_mode(g: Builder, self: Operand, other: Operand,
             rounding_mode: Optional[str]) -> Value:
    if rounding_mode is None:
        return div(g, self, other)
    if rounding_mode == "floor":
        return combine(g, [self, other], floor_div)
    if rounding_mode != "trunc":
        raise ImportFailure(f"the rounding mode {rounding_mode!r}")
    return combine(g, [self, other], lambda a, b: (a / b).unary("trunc")
                   if a.element.is_float else a / b)


@op("floor_divide", "floor_divide.Scalar")
def floor_divide(g: Builder, self: Operand, other: Operand) -> Value:
    return combine(g, [self, other], floor_div)


@op("remainder.Tensor", "remainder.Scalar")
def remainder(g: Builder, self: Operand, other: Operand) -> Value:
    return combine(g, [self, other], remainder_of)


@op("fmod.Tensor", "fmod.Scalar")
def fmod(g: Builder, self: Operand, other: Operand) -> Value:
    return combine(g, [self, other], lambda a, b: a.op("rem", b))


@op("maximum", "max.other")
def maximum(g: Builder, self: Value, other: Value) -> Value:
    return combine(g, [self, other], lambda a, b: a.max(b))


@op("minimum", "min.other")
def minimum(g: Builder, self: Value, other: Value) -> Value:
    return combine(g, [self, other], lambda a, b: a.min(b))


@op("atan2")
def atan2(g: Builder, self: Value, other: Value) -> Value:
    return combine(g, [self, other], lambda a, b: a.op("atan2", b))


def power(x: Scalar, exponent: Number) -> Scalar:
    """A fixed exponent; small whole ones are products."""
    if exponent == 0:
        return x.body.number(1, x.element)
    if exponent == 1:
        return x
    if exponent in (2, 3, 4):
        square = x * x
        return square if exponent == 2 else square * (
            x if exponent == 3 else square)
    if exponent == 0.5:
        return x.unary("sqrt")
    if exponent == -0.5:
        return x.unary("rsqrt")
    if exponent == -1:
        return 1.0 / x
    if exponent == -2:
        return 1.0 / (x * x)
    if not x.element.is_float:
        if isinstance(exponent, float) or not 0 <= exponent < 64:
            raise ImportFailure(f"integers to the power of {exponent}")
        result = x
        for _ in range(int(exponent) - 1):
            result = result * x
        return result
    return x.pow(exponent)


@op("pow.Tensor_Scalar")
def pow_scalar(g: Builder, self: Value, exponent: Number) -> Value:
    kind = result_element(self, exponent)
    return combine(g, [self], lambda x: power(x, exponent), None, kind)


@op("pow.Tensor_Tensor")
def pow_tensor(g: Builder, self: Value, exponent: Value) -> Value:
    if exponent.data is not None and exponent.size == 1:
        number = exponent.data.reshape(-1)[0].item()
        return g.spread(pow_scalar(g, self, number), self.shape)
    return combine(g, [self, exponent], lambda a, b: a.pow(b))


@op("pow.Scalar")
def pow_base(g: Builder, self: Number, exponent: Value) -> Value:
    return combine(g, [self, as_float(g, exponent)], lambda a, b: a.pow(b))


def _add_comparison(predicate: str) -> None:
    def operator(g: Builder, self: Operand, other: Operand) -> Value:
        return combine(g, [self, other],
                       lambda a, b: a.compare(predicate, b), BOOL)

    op(f"{predicate}.Tensor", f"{predicate}.Scalar")(operator)


for _name in ("gt", "ge", "lt", "le", "eq", "ne"):
    _add_comparison(_name)


def _add_logic(name: str) -> None:
    def bitwise(g: Builder, self: Operand, other: Operand) -> Value:
        return combine(g, [self, other], lambda a, b: a.op(name, b))

    def logical(g: Builder, self: Value, other: Value) -> Value:
        return g.map([self, other],
                     lambda a, b: a.cast(BOOL).op(name, b.cast(BOOL)))

    op(f"bitwise_{name}.Tensor", f"bitwise_{name}.Scalar", f"__{name}__.Tensor",
       f"__{name}__.Scalar")(bitwise)
    op(f"logical_{name}")(logical)


for _name in ("and", "or", "xor"):
    _add_logic(_name)


def shift_of(x: Scalar, by: Scalar, left: bool) -> Scalar:
    """By all bits and more, nothing is left but the sign; as by less than none."""
    last = x.element.bits - 1
    if by.element.kind == "i":
        by = (by < 0).select(by.body.number(x.element.bits, by.element), by)
    if left:
        return (by <= last).select(x.op("shl", by.min(last)),
                                   x.body.number(0, x.element))
    if x.element.kind == "i":
        return x.op("shr", by.min(last))
    return (by <= last).select(x.op("shr", by.min(last)),
                               x.body.number(0, x.element))


def _add_shift(name: str, left: bool) -> None:
    def operator(g: Builder, self: Operand, other: Operand) -> Value:
        return combine(g, [self, other], lambda a, b: shift_of(a, b, left))

    op(f"bitwise_{name}.Tensor", f"bitwise_{name}.Tensor_Scalar",
       f"__{name[0]}shift__.Tensor", f"__{name[0]}shift__.Scalar")(operator)


_add_shift("left_shift", True)
_add_shift("right_shift", False)


@op("bitwise_not")
def bitwise_not(g: Builder, self: Value) -> Value:
    return g.map([self], lambda x: x.compare("eq", 0) if x.element == BOOL
                 else -x - 1)


@op("where.self", "where.ScalarOther", "where.ScalarSelf", "where.Scalar")
def where(g: Builder, condition: Value, self: Operand, other: Operand) -> Value:
    kind = result_element(self, other)
    a, b = (o if isinstance(o, Value) else g.full((), o, kind)
            for o in (self, other))
    return g.map([condition, a, b], lambda c, x, y: c.cast(BOOL).select(
        x.cast(kind), y.cast(kind)))


@op("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(g: Builder, self: Value, mask: Value, value: Operand) -> Value:
    fill = value if isinstance(value, Value) else g.full((), value, self.element)
    return g.map([self, mask, fill], lambda x, m, v: m.cast(BOOL).select(
        v.cast(self.element), x))


@op("clamp", "clamp.Tensor", "clip")
def clamp(g: Builder, self: Value, min: Optional[Operand] = None,
          max: Optional[Operand] = None) -> Value:
    bounds = [b for b in (min, max) if b is not None]

    def body(x: Scalar, *rest: Scalar) -> Scalar:
        given = list(rest)
        x = x if min is None else x.max(given.pop(0))
        return x if max is None else x.min(given.pop(0))

    return combine(g, [self, *bounds], body)


@op("clamp_min", "clamp_min.Tensor")
def clamp_min(g: Builder, self: Value, min: Operand) -> Value:
    return clamp(g, self, min)


@op("clamp_max", "clamp_max.Tensor")
def clamp_max(g: Builder, self: Value, max: Operand) -> Value:
    return clamp(g, self, None, max)


@op("hardtanh")
def hardtanh(g: Builder, self: Value, min_val: Number = -1,
             max_val: Number = 1) -> Value:
    return clamp(g, self, min_val, max_val)


@op("leaky_relu")
def leaky_relu(g: Builder, self: Value, negative_slope: Number = 0.01) -> Value:
    slope = float(negative_slope)
    return g.map([self], lambda x: (x > 0.0).select(x, x * slope))


@op("prelu", "_prelu_kernel")
def prelu(g: Builder, self: Value, weight: Value) -> Value:
    if weight.rank == 1 and weight.shape[0] == 1:
        weight = movement.reshape(g, weight, ())
    elif weight.rank == 1 and self.rank > 1:
        weight = movement.reshape(g, weight, (
            *weight.shape, *[1] * (self.rank - 2)))
    return g.map([self, weight], lambda x, w: (x > 0.0).select(x, x * w))


@op("elu")
def elu(g: Builder, self: Value, alpha: Number = 1, scale: Number = 1,
        input_scale: Number = 1) -> Value:
    def body(x: Scalar) -> Scalar:
        inner = x if input_scale == 1 else x * float(input_scale)
        negative = inner.unary("expm1") * float(alpha * scale)
        return (x > 0.0).select(x if scale == 1 else x * float(scale), negative)

    return g.map([self], body)


@op("celu")
def celu(g: Builder, self: Value, alpha: Number = 1) -> Value:
    a = float(alpha)
    return g.map([self], lambda x: x.max(0.0) + ((x / a).unary("expm1") * a).min(
        0.0))


@op("gelu")
def gelu(g: Builder, self: Value, approximate: str = "none") -> Value:
    if approximate == "none":
        return g.map([self], lambda x: x * (
            (x * 0.7071067811865476).unary("erf") + 1.0) * 0.5)
    if approximate != "tanh":
        raise ImportFailure(f"gelu approximated by {approximate!r}")
    return g.map([self], lambda x: x * 0.5 * (
        ((x + x * x * x * 0.044715) * 0.7978845608028654).unary("tanh") + 1.0))


@op("softplus")
def softplus(g: Builder, self: Value, beta: Number = 1,
             threshold: Number = 20) -> Value:
    b = float(beta)
    return g.map([self], lambda x: (x * b > float(threshold)).select(
        x, softplus_of(x * b) / b))


@op("logit")
def logit(g: Builder, self: Value, eps: Optional[float] = None) -> Value:
    def body(x: Scalar) -> Scalar:
        if eps is not None:
            x = x.max(eps).min(1 - eps)
        return (x / (1.0 - x)).unary("log")

    return g.map([self], body)


@op("hardshrink")
def hardshrink(g: Builder, self: Value, lambd: Number = 0.5) -> Value:
    edge = float(lambd)
    return g.map([self], lambda x: (x.abs() > edge).select(
        x, x.body.number(0.0, x.element)))


@op("softshrink")
def softshrink(g: Builder, self: Value, lambd: Number = 0.5) -> Value:
    edge = float(lambd)
    return g.map([self], lambda x: (x - edge).max(0.0) + (x + edge).min(0.0))


@op("threshold")
def threshold(g: Builder, self: Value, threshold: Number,
              value: Number) -> Value:
    return g.map([self], lambda x: (x > threshold).select(
        x, x.body.number(value, x.element)))


@op("glu")
def glu(g: Builder, self: Value, dim: int = -1) -> Value:
    axis = self.axis(dim)
    size = self.shape[axis]
    if not isinstance(size, int) or size % 2:
        raise ImportFailure(f"glu of {size} elements")
    a, b = movement.split(g, self, [size // 2, size // 2], axis)
    return g.map([a, b], lambda x, y: x * sigmoid_of(y))


@op("lerp.Scalar", "lerp.Tensor")
def lerp(g: Builder, self: Value, end: Value, weight: Operand) -> Value:
    return combine(g, [self, end, weight], lambda a, b, w: a + w * (b - a))


@op("addcmul")
def addcmul(g: Builder, self: Value, tensor1: Value, tensor2: Value,
            value: Number = 1) -> Value:
    return combine(g, [self, tensor1, tensor2], lambda c, a, b: c + (
        a * b if value == 1 else a * b * value))


@op("addcdiv")
def addcdiv(g: Builder, self: Value, tensor1: Value, tensor2: Value,
            value: Number = 1) -> Value:
    return combine(g, [self, tensor1, tensor2], lambda c, a, b: c + (
        a / b if value == 1 else a / b * value))


@op("nan_to_num")
def nan_to_num(g: Builder, self: Value, nan: Optional[float] = None,
               posinf: Optional[float] = None,
               neginf: Optional[float] = None) -> Value:
    if not self.element.is_float:
        return self
    largest = float(np.finfo(self.element.dtype).max)
    high = largest if posinf is None else posinf
    low = -largest if neginf is None else neginf

    def body(x: Scalar) -> Scalar:
        def number(v: float) -> Scalar:
            return x.body.number(v, x.element)

        y = x.compare("eq", math.inf).select(number(high), x)
        y = x.compare("eq", -math.inf).select(number(low), y)
        return x.compare("ne", x).select(number(nan or 0.0), y)

    return g.map([self], body)


# What is computed when the network is trained only, and conversions.


@op("dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout")
def dropout(g: Builder, input: Optional[Value] = None, p: float = 0.5,
            train: bool = False, self: Optional[Value] = None) -> Value:
    if train and p:
        raise ImportFailure("a dropout in training: export the model after eval()")
    # In place it is called self.
    value = input if input is not None else self
    assert value is not None
    return value


@op("native_dropout")
def native_dropout(g: Builder, input: Value, p: float,
                   train: Optional[bool]) -> Any:
    dropout(g, input, p, bool(train))
    return input, g.full(input.shape, True, BOOL)


@op("rrelu")
def rrelu(g: Builder, self: Value, lower: Number = 0.125, upper: Number = 1 / 3,
          training: bool = False) -> Value:
    if training:
        raise ImportFailure("rrelu in training: export the model after eval()")
    return leaky_relu(g, self, (lower + upper) / 2)


@op("to.dtype", "to.dtype_layout", "_to_copy", "to.device", "to.other")
def to(g: Builder, self: Value, dtype: Optional[DType] = None,
       other: Optional[Value] = None) -> Value:
    if other is not None:
        return g.cast(self, other.element)
    return self if dtype is None else g.cast(self, dtype.element)


@op("type_as")
def type_as(g: Builder, self: Value, other: Value) -> Value:
    return g.cast(self, other.element)

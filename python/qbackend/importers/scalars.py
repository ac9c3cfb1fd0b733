# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is computed for one element: written as the body of a
`linalg.generic`, or evaluated at once on arrays where all operands are constant.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Sequence, Union

import numpy as np

from .elements import BF16, BOOL, F32, I64, INDEX, Array, Element, converted, promoted
from .errors import ImportFailure

Number = Union[int, float, bool]
Operand = Union["Scalar", Number]

_REAL = {"add": "arith.addf", "sub": "arith.subf", "mul": "arith.mulf",
         "div": "arith.divf", "max": "arith.maximumf", "min": "arith.minimumf",
         "rem": "arith.remf", "pow": "math.powf", "atan2": "math.atan2"}
_SIGNED = {"add": "arith.addi", "sub": "arith.subi", "mul": "arith.muli",
           "div": "arith.divsi", "floordiv": "arith.floordivsi",
           "rem": "arith.remsi", "max": "arith.maxsi", "min": "arith.minsi",
           "and": "arith.andi", "or": "arith.ori", "xor": "arith.xori",
           "shl": "arith.shli", "shr": "arith.shrsi"}
_UNSIGNED = {**_SIGNED, "div": "arith.divui", "floordiv": "arith.divui",
             "rem": "arith.remui", "max": "arith.maxui", "min": "arith.minui",
             "shr": "arith.shrui"}
_UNARY = {name: f"math.{name}" for name in (
    "exp", "exp2", "expm1", "log", "log1p", "log2", "sqrt", "rsqrt", "tanh", "erf",
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh",
    "atanh", "floor", "ceil", "trunc", "roundeven")}

_NUMPY_BINARY: Dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply,
    "max": np.maximum, "min": np.minimum, "rem": np.fmod, "pow": np.power,
    "atan2": np.arctan2, "floordiv": np.floor_divide, "and": np.bitwise_and,
    "or": np.bitwise_or, "xor": np.bitwise_xor, "shl": np.left_shift,
    "shr": np.right_shift}
_NUMPY_COMPARE: Dict[str, Callable[[Array, Array], Array]] = {
    "gt": np.greater, "ge": np.greater_equal, "lt": np.less,
    "le": np.less_equal, "eq": np.equal, "ne": np.not_equal}
_NUMPY_UNARY: Dict[str, Callable[[Array], Array]] = {
    "rsqrt": lambda x: 1 / np.sqrt(x), "roundeven": np.rint,
    "erf": lambda x: np.vectorize(math.erf, otypes=[x.dtype])(x),
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh}


def real_text(value: float, element: Element) -> str:
    """A number that parses as just this one."""
    if element == BF16:
        bits = int(np.float32(value).view(np.uint32)) >> 16
        return f"0x{bits:04X}" if not math.isfinite(value) else f"{value:.9e}"
    with np.errstate(over="ignore"):
        typed = np.dtype(element.dtype).type(value)
    if not np.isfinite(typed):
        return f"0x{int(typed.view(f'uint{element.bits}')):0{element.bits // 4}X}"
    return f"{float(typed):.{17 if element.bits == 64 else 9}e}"


def number_text(value: Any, element: Element) -> str:
    if element.is_float:
        return real_text(float(value), element)
    if element.kind == "b":
        return "true" if value else "false"
    value = int(value)
    if element.kind == "u" and value >= 1 << (element.bits - 1):
        value -= 1 << element.bits
    return str(value)


class Scalar:
    """A value in a body: an SSA name, or an array. Python's operators compute in
    the wider type of both sides; a number takes that of the other side."""

    __slots__ = ("body", "value", "element")

    def __init__(self, body: "Body", value: Any, element: Element):
        self.body, self.value, self.element = body, value, element

    def _binary(self, op: str, other: Operand, swap: bool = False) -> "Scalar":
        x = other if isinstance(other, Scalar) else self.body.number(
            other, self.element)
        kind = promoted(self.element, x.element)
        a, b = self.cast(kind), x.cast(kind)
        return self.body.binary(op, b, a) if swap else self.body.binary(op, a, b)

    def __add__(self, other: Operand) -> "Scalar":
        return self._binary("add", other)

    def __radd__(self, other: Operand) -> "Scalar":
        return self._binary("add", other, True)

    def __sub__(self, other: Operand) -> "Scalar":
        return self._binary("sub", other)

    def __rsub__(self, other: Operand) -> "Scalar":
        return self._binary("sub", other, True)

    def __mul__(self, other: Operand) -> "Scalar":
        return self._binary("mul", other)

    def __rmul__(self, other: Operand) -> "Scalar":
        return self._binary("mul", other, True)

    def __truediv__(self, other: Operand) -> "Scalar":
        return self._binary("div", other)

    def __rtruediv__(self, other: Operand) -> "Scalar":
        return self._binary("div", other, True)

    def op(self, name: str, other: Operand) -> "Scalar":
        """A binary operation that has no operator in Python."""
        return self._binary(name, other)

    def max(self, other: Operand) -> "Scalar":
        return self._binary("max", other)

    def min(self, other: Operand) -> "Scalar":
        return self._binary("min", other)

    def pow(self, other: Operand) -> "Scalar":
        return self._binary("pow", other)

    def __neg__(self) -> "Scalar":
        if self.element.is_float:
            return self.body.unary("neg", self)
        return self.body.number(0, self.element) - self

    def abs(self) -> "Scalar":
        if self.element.kind in "ub":
            return self
        return self.body.unary("abs", self)

    def unary(self, name: str) -> "Scalar":
        return self.body.unary(name, self)

    def exp(self) -> "Scalar":
        return self.unary("exp")

    def compare(self, predicate: str, other: Operand) -> "Scalar":
        x = other if isinstance(other, Scalar) else self.body.number(
            other, self.element)
        kind = promoted(self.element, x.element)
        return self.body.compare(predicate, self.cast(kind), x.cast(kind))

    def __gt__(self, other: Operand) -> "Scalar":
        return self.compare("gt", other)

    def __ge__(self, other: Operand) -> "Scalar":
        return self.compare("ge", other)

    def __lt__(self, other: Operand) -> "Scalar":
        return self.compare("lt", other)

    def __le__(self, other: Operand) -> "Scalar":
        return self.compare("le", other)

    def select(self, yes: "Scalar", no: "Scalar") -> "Scalar":
        kind = promoted(yes.element, no.element)
        return self.body.select(self, yes.cast(kind), no.cast(kind))

    def cast(self, element: Element) -> "Scalar":
        return self if element == self.element else self.body.cast(self, element)


class Body:
    """Where scalars come from."""

    def number(self, value: Number, element: Element) -> Scalar:
        raise NotImplementedError

    def binary(self, op: str, a: Scalar, b: Scalar) -> Scalar:
        raise NotImplementedError

    def unary(self, op: str, a: Scalar) -> Scalar:
        raise NotImplementedError

    def compare(self, predicate: str, a: Scalar, b: Scalar) -> Scalar:
        raise NotImplementedError

    def select(self, condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
        raise NotImplementedError

    def cast(self, a: Scalar, element: Element) -> Scalar:
        raise NotImplementedError


class ArrayBody(Body):
    """Evaluates."""

    def number(self, value: Number, element: Element) -> Scalar:
        return Scalar(self, converted(np.asarray(value), element), element)

    def _result(self, array: Array, element: Element) -> Scalar:
        return Scalar(self, converted(np.asarray(array), element), element)

    def binary(self, op: str, a: Scalar, b: Scalar) -> Scalar:
        if op == "div":
            function: Any = np.divide
            if not a.element.is_float:
                if not np.all(b.value):
                    raise ImportFailure("an integer constant is divided by 0")
                function = lambda x, y: np.trunc(np.divide(x, y))
        else:
            function = _NUMPY_BINARY[op]
        if a.element.kind == "b" and op in ("add", "mul"):
            function = np.logical_or if op == "add" else np.logical_and
        with np.errstate(all="ignore"):
            return self._result(function(a.value, b.value), a.element)

    def unary(self, op: str, a: Scalar) -> Scalar:
        function: Any
        if op in ("neg", "abs"):
            function = np.negative if op == "neg" else np.abs
        else:
            function = _NUMPY_UNARY.get(op) or getattr(np, op)
        with np.errstate(all="ignore"):
            return self._result(function(a.value), a.element)

    def compare(self, predicate: str, a: Scalar, b: Scalar) -> Scalar:
        return self._result(_NUMPY_COMPARE[predicate](a.value, b.value), BOOL)

    def select(self, condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
        return self._result(np.where(condition.value, yes.value, no.value),
                            yes.element)

    def cast(self, a: Scalar, element: Element) -> Scalar:
        if element.kind == "b":
            return self._result(a.value != 0, element)
        return self._result(a.value, element)


class TextBody(Body):
    """Writes. `constant` gives the name of a scalar constant outside of the
    body, `fresh` a new name."""

    def __init__(self, constant: Callable[[Number, Element], str],
                 fresh: Callable[[], str], location: str):
        self.constant, self.fresh, self.location = constant, fresh, location
        self.lines: List[str] = []

    def emit(self, text: str, element: Element) -> Scalar:
        name = self.fresh()
        self.lines.append(f"{name} = {text}{self.location}")
        return Scalar(self, name, element)

    def number(self, value: Number, element: Element) -> Scalar:
        return Scalar(self, self.constant(value, element), element)

    def binary(self, op: str, a: Scalar, b: Scalar) -> Scalar:
        kind = a.element.kind
        if kind == "b":
            op = {"add": "or", "max": "or", "mul": "and", "min": "and"}.get(op, op)
        table = _REAL if kind == "f" else (_SIGNED if kind in "ix" else _UNSIGNED)
        if kind == "f" and op == "floordiv":
            return self.binary("div", a, b).unary("floor")
        if op not in table:
            raise ImportFailure(f"'{op}' of {a.element} is not supported")
        return self.emit(f"{table[op]} {a.value}, {b.value} : {a.element.name}",
                         a.element)

    def unary(self, op: str, a: Scalar) -> Scalar:
        if op == "abs":
            name = "math.absf" if a.element.is_float else "math.absi"
        elif op == "neg":
            name = "arith.negf"
        else:
            name = _UNARY[op]
            if not a.element.is_float:
                raise ImportFailure(f"'{op}' of {a.element} is not supported")
        return self.emit(f"{name} {a.value} : {a.element.name}", a.element)

    def compare(self, predicate: str, a: Scalar, b: Scalar) -> Scalar:
        kind = a.element
        if kind.is_float:
            text = ("une" if predicate == "ne" else "o" + predicate)
            return self.emit(f"arith.cmpf {text}, {a.value}, {b.value} : "
                             f"{kind.name}", BOOL)
        if predicate not in ("eq", "ne"):
            predicate = ("s" if kind.kind in "ix" else "u") + predicate
        return self.emit(f"arith.cmpi {predicate}, {a.value}, {b.value} : "
                         f"{kind.name}", BOOL)

    def select(self, condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
        return self.emit(f"arith.select {condition.value}, {yes.value}, "
                         f"{no.value} : {yes.element.name}", yes.element)

    def cast(self, a: Scalar, element: Element) -> Scalar:
        source = a.element
        if element.kind == "b":
            return self.compare("ne", a, self.number(0, source))
        if source.is_float and element.is_float:
            if source.bits == element.bits:
                return self.cast(self.cast(a, F32), element)
            op = "arith.extf" if element.bits > source.bits else "arith.truncf"
        elif source.is_float and element.kind == "x":
            return self.cast(self.cast(a, I64), element)
        elif source.is_float:
            op = "arith.fptosi" if element.kind == "i" else "arith.fptoui"
        elif element.is_float:
            if source.kind == "x":
                return self.cast(self.cast(a, I64), element)
            op = "arith.sitofp" if source.kind == "i" else "arith.uitofp"
        elif "x" in (source.kind, element.kind):
            if element.kind == "x" and source.kind in "ub" and source.bits < 64:
                op = "arith.index_castui"
            else:
                op = "arith.index_cast"
        elif source.bits == element.bits:
            return Scalar(self, a.value, element)
        elif source.bits > element.bits:
            op = "arith.trunci"
        else:
            op = "arith.extsi" if source.kind == "i" else "arith.extui"
        return self.emit(f"{op} {a.value} : {source.name} to {element.name}",
                         element)

    # Only where nothing is evaluated: positions, and elements of other tensors.

    def position(self, dimension: int) -> Scalar:
        return self.emit(f"linalg.index {dimension} : index", INDEX)

    def extract(self, tensor: str, kind: str, element: Element,
                places: Sequence[Scalar]) -> Scalar:
        where = ", ".join(place.value for place in places)
        return self.emit(f"tensor.extract {tensor}[{where}] : {kind}", element)

    def captured(self, name: str, element: Element) -> Scalar:
        return Scalar(self, name, element)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of operators. A function's parameters, after the builder, are the
operator's arguments by the names of its schema; those that an archive leaves out
have the schema's default."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, TypeVar, Union

from ..builder import Builder, Value
from ..dims import Dim, Extent
from ..elements import BOOL, F32, I64, Element, promoted
from ..errors import ImportFailure
from ..scalars import Number, Scalar

#: What an operator gives: a tensor, several, or a list that is one result.
Result = Union[Value, Tuple[Value, ...], List[Value], Extent, None]
_F = TypeVar("_F", bound=Callable[..., Any])


@dataclasses.dataclass
class Operator:
    function: Callable[..., Result]
    #: By name: the default (`empty` if there is none), and the type's text.
    parameters: Dict[str, inspect.Parameter]
    #: Writes its result into its first argument.
    in_place: bool = False


OPERATORS: Dict[str, Operator] = {}


def op(*names: str) -> Callable[[_F], _F]:
    """Adds a function for the operators `names`, as `add.Tensor`; an overload
    `.default` can be left out."""
    def add(function: _F) -> _F:
        parameters = dict(list(inspect.signature(function).parameters.items())[1:])
        for name in names:
            full = name if "." in name else name + ".default"
            if full in OPERATORS:
                raise KeyError(full)
            OPERATORS[full] = Operator(function, parameters)
        return function

    return add


def find(target: str) -> Optional[Operator]:
    """The operator `torch.ops.aten.add_.Tensor`. `add_` is `add` in place, and
    `view_copy` is `view`."""
    for prefix in ("torch.ops.aten.", "torch.ops.quantized_decomposed."):
        if target.startswith(prefix):
            name = target[len(prefix):]
            if prefix.endswith("decomposed."):
                name = "quantized_decomposed::" + name
            break
    else:
        return None
    if name in OPERATORS:
        return OPERATORS[name]
    base, _, overload = name.partition(".")
    if base.endswith("_copy"):
        return OPERATORS.get(f"{base[:-5]}.{overload}")
    if base.endswith("_") and not base.endswith("__"):
        plain = OPERATORS.get(f"{base[:-1]}.{overload}")
        if plain is not None:
            return dataclasses.replace(plain, in_place=True)
    return None


def bind(operator: Operator, arguments: Sequence[Tuple[str, Any]],
         what: str) -> Dict[str, Any]:
    """The arguments by name, with names, types and defaults checked."""
    values: Dict[str, Any] = {}
    for name, value in arguments:
        parameter = operator.parameters.get(name)
        if parameter is None:
            if value is None or name in _IGNORED:
                continue
            raise ImportFailure(f"'{what}' has no argument '{name}', expected one "
                                f"of {', '.join(operator.parameters)}")
        kind = str(parameter.annotation)
        if kind == "Value" and not isinstance(value, Value):
            raise ImportFailure(f"'{name}' of '{what}' is {value!r}, expected a "
                                "tensor")
        if kind == "Optional[Value]" and not (
                value is None or isinstance(value, Value)):
            raise ImportFailure(f"'{name}' of '{what}' is {value!r}, expected a "
                                "tensor or None")
        if kind == "Sequence[Value]" and not (isinstance(value, list) and all(
                isinstance(v, Value) for v in value)):
            raise ImportFailure(f"'{name}' of '{what}' is no list of tensors")
        values[name] = value
    for name, parameter in operator.parameters.items():
        if name not in values and parameter.default is parameter.empty:
            raise ImportFailure(f"'{what}' lacks its argument '{name}'")
    return values


#: Arguments of many operators that say how, not what.
_IGNORED = {"layout", "device", "pin_memory", "memory_format", "non_blocking",
            "copy", "generator", "implicit", "requires_grad"}


def spread(values: Any, count: int, what: str = "a list") -> List[int]:
    """A list for `count` dimensions, of which one entry stands for all."""
    values = [values] if isinstance(values, int) else list(values)
    if len(values) == 1:
        values = values * count
    if len(values) != count or not all(isinstance(v, int) for v in values):
        raise ImportFailure(f"{what} is {values}, expected {count} integers")
    return values


def category(number: Number) -> int:
    return 0 if isinstance(number, bool) else 1 if isinstance(number, int) else 2


def result_element(*operands: Union[Value, Number]) -> Element:
    """PyTorch's promotion: numbers, and tensors without dimensions, widen only
    to another category."""
    def rank(element: Element) -> int:
        return {"b": 0, "f": 2}.get(element.kind, 1)

    tensors = [o for o in operands if isinstance(o, Value) and o.rank]
    zeros = [o for o in operands if isinstance(o, Value) and not o.rank]
    numbers = [o for o in operands if not isinstance(o, Value)]
    current: Optional[Element] = None
    for group in (tensors, zeros):
        found: Optional[Element] = None
        for value in group:
            found = value.element if found is None else promoted(
                found, value.element)
        if found is not None and (current is None or rank(found) > rank(current)):
            current = found
    for number in numbers:
        wanted = category(number)
        if current is None or wanted > rank(current):
            current = (BOOL, I64, F32)[wanted]
    assert current is not None
    return current


def combine(g: Builder, given_operands: Sequence[Union[Value, Number, Dim]],
            body: Callable[..., Scalar], element: Optional[Element] = None,
            kind: Optional[Element] = None) -> Value:
    """`body` of tensors and numbers in the type `kind`, or that of promotion."""
    operands = [g.extent_value(o) if isinstance(o, Dim) else o
                for o in given_operands]
    wide_kind = kind or result_element(*operands)
    tensors = [o for o in operands if isinstance(o, Value)]
    if not tensors:
        tensors = [g.full((), operands[0], wide_kind)]  # type: ignore[arg-type]
        operands = [tensors[0], *operands[1:]]

    def apply(*values: Scalar) -> Scalar:
        given = list(values)
        first = values[0]
        wide = [given.pop(0).cast(wide_kind) if isinstance(o, Value)
                else first.body.number(o, wide_kind) for o in operands]
        return body(*wide)

    return g.map(tensors, apply, element)


def as_float(g: Builder, x: Value) -> Value:
    """Integers as f32."""
    return x if x.element.is_float else g.cast(x, F32)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of ONNX's operators. A function takes the node and its inputs, which
are None where they are left out."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, TypeVar

from .. import dims
from ..builder import Builder, Value
from ..dims import Extent
from ..elements import I64
from ..errors import ImportFailure

_F = TypeVar("_F", bound=Callable[..., Any])


class Extents(Value):
    """Integers of which some are known when the network runs only: a shape, or
    one extent of it (rank 0)."""

    def __init__(self, g: Builder, values: Sequence[Extent], rank: int):
        super().__init__((len(values),) if rank else (), I64)
        self.g, self.values = g, list(values)

    def tensor(self) -> Value:
        """As a tensor, which is computed."""
        from .. import movement

        parts = [movement.unsqueeze(self.g, self.g.extent_value(v), 0)
                 for v in self.values]
        vector = movement.concat(self.g, parts, 0)
        return movement.reshape(self.g, vector, self.shape)


def shaped(g: Builder, values: Sequence[Extent], rank: int) -> Value:
    """A constant if all are known."""
    if dims.all_static(values):
        import numpy as np

        data = np.asarray(list(values), np.int64)
        return g.constant(data if rank else data.reshape(()), I64)
    return Extents(g, values, rank)


@dataclasses.dataclass
class Context:
    """A node that is imported."""

    g: Builder
    opset: int
    kind: str
    attributes: Dict[str, Any]
    #: How many results are asked for.
    results: int
    graph: Any = None

    def get(self, name: str, default: Any) -> Any:
        value = self.attributes.get(name, default)
        kinds = {int: (int,), float: (float, int), str: (str,),
                 list: (list, tuple)}.get(type(default))
        if value is not default and kinds and not isinstance(value, kinds):
            raise ImportFailure(f"its attribute '{name}' is {value!r}, expected "
                                f"{type(default).__name__}")
        return value

    def ints(self, name: str) -> Optional[List[int]]:
        value = self.attributes.get(name)
        if value is None:
            return None
        if isinstance(value, int):
            value = [value]
        if not isinstance(value, list) or not all(
                isinstance(v, int) for v in value):
            raise ImportFailure(f"its attribute '{name}' is {value!r}, expected "
                                "integers")
        return value


@dataclasses.dataclass
class Operator:
    function: Callable[..., Any]
    attributes: List[str]
    #: How many inputs there may be; most is None for any number.
    least: int
    most: Optional[int]
    #: Whether it takes `Extents`, not only tensors.
    symbolic: bool


OPERATORS: Dict[Tuple[str, str], Operator] = {}


def op(names: str, attributes: str = "", domain: str = "",
       symbolic: bool = False) -> Callable[[_F], _F]:
    """Adds a function for operators, with the attributes that they have."""
    def add(function: _F) -> _F:
        parameters = list(inspect.signature(function).parameters.values())[1:]
        most: Optional[int] = len(parameters)
        if any(p.kind == p.VAR_POSITIONAL for p in parameters):
            most = None
        least = len([p for p in parameters if p.default is p.empty
                     and p.kind == p.POSITIONAL_OR_KEYWORD
                     and "Optional" not in str(p.annotation)])
        for name in names.split():
            OPERATORS[domain, name] = Operator(
                function, attributes.split(), least, most, symbolic)
        return function

    return add


def known(value: Optional[Value], what: str) -> Optional[Any]:
    """The elements of a constant, None of what is left out."""
    if value is None:
        return None
    if value.data is None:
        raise ImportFailure(f"its {what} is computed, expected a constant")
    return value.data


def known_ints(value: Optional[Value], what: str) -> Optional[List[int]]:
    data = known(value, what)
    return None if data is None else [int(v) for v in data.reshape(-1)]


def extents_of(value: Value, what: str) -> List[Extent]:
    """Integers, of which some may be dynamic."""
    if isinstance(value, Extents):
        return list(value.values)
    found = known_ints(value, what)
    assert found is not None
    return list(found)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The other forms of a configuration: JSON, and the objects of PyTorch.

Classes have `to_json`, `from_torch` and so on as methods. How it is done stands
in interchange.py, to_torch.py and from_torch.py, which import the classes; so
the classes reach them by name, and the package imports them last.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple, Type, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])
_T = TypeVar("_T", bound="TorchForm")
_J = TypeVar("_J", bound="JsonForm")

_converters: Dict[Tuple[str, type], Callable[..., Any]] = {}


def converts(form: str, *classes: type) -> Callable[[_F], _F]:
    """Makes the decorated function the method `form`, "from_json" for example,
    of these classes."""

    def register(function: _F) -> _F:
        for cls in classes:
            _converters[form, cls] = function
        return function

    return register


def convert(form: str, cls: type, *args: Any) -> Any:
    """What the method `form` of `cls` returns for these arguments."""
    return next(
        _converters[form, base] for base in cls.__mro__ if (form, base) in _converters
    )(*args)


class TorchForm:
    """What PyTorch has an object for."""

    def to_torch(self, missing: Optional[List[str]] = None) -> Any:
        """PyTorch's object. What the installed version has no name or no field for
        is left out and appended to `missing`; without such a list it is a
        ValueError."""
        return convert("to_torch", type(self), self, missing)

    @classmethod
    def from_torch(cls: Type[_T], value: Any) -> _T:
        """What PyTorch's object `value` says."""
        result: _T = convert("from_torch", cls, value)
        return result


class JsonForm(TorchForm):
    """What is an interchange document as well, which docs/Python.md describes."""

    def to_json(self) -> str:
        text: str = convert("to_json", type(self), self)
        return text

    @classmethod
    def from_json(cls: Type[_J], text: str) -> _J:
        result: _J = convert("from_json", cls, text)
        return result

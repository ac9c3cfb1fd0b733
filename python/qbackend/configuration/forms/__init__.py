# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The other forms of a configuration: JSON, and the objects of PyTorch.

Classes have `to_json`, `from_torch` and so on as methods. How it is done stands
in interchange.py, to_torch.py and from_torch.py, which import the classes; so
the classes reach them by name, and the package imports them last.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])

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
    return _converters[form, cls](*args)

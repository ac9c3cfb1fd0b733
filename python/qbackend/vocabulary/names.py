# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of PyTorch's modules, functions and methods.

A configuration says which operators it means by naming them. Here a name is a
string, `torch.nn.Conv2d`, whether PyTorch is installed or not.
"""

from __future__ import annotations

import difflib
import importlib
import re
import sys
from typing import Any, Callable, Iterator, List, Optional, Tuple

from .moved import missing, why_missing
from .torch_names import NAMES

__all__ = ["MatchAllNode", "ModuleCall", "Namespace", "TorchName", "name_of"]

# Older homes of the same classes.
_MOVED_MODULES = [
    ("torch.nn.intrinsic", "torch.ao.nn.intrinsic"),
    ("torch.nn.qat", "torch.ao.nn.qat"),
    ("torch.nn.quantizable", "torch.ao.nn.quantizable"),
    ("torch.nn.quantized._reference", "torch.ao.nn.quantized.reference"),
    ("torch.quantization", "torch.ao.quantization"),
]
# Short for modules, in tables of names.
_SHORT_MODULES = {
    "nn": "torch.nn",
    "F": "torch.nn.functional",
    "nni": "torch.ao.nn.intrinsic",
    "nniq": "torch.ao.nn.intrinsic.quantized",
    "nniqd": "torch.ao.nn.intrinsic.quantized.dynamic",
    "nniqat": "torch.ao.nn.intrinsic.qat",
    "nnq": "torch.ao.nn.quantized",
    "nnqd": "torch.ao.nn.quantized.dynamic",
    "nnqr": "torch.ao.nn.quantized.reference",
    "nnqat": "torch.ao.nn.qat",
    "nnqatd": "torch.ao.nn.qat.dynamic",
    "linear": "torch.nn.modules.linear",
    "ops": "torch.ops.quantized",
    "quantizable": "torch.ao.nn.quantizable",
    "sparse": "torch.ao.nn.sparse.quantized",
    "sparsed": "torch.ao.nn.sparse.quantized.dynamic",
    "stubs": "torch.ao.quantization.stubs",
}
# Functions that are one object under two names; the functional one is used.
_ONE_OBJECT = frozenset(
    """adaptive_avg_pool1d avg_pool1d bilinear celu_ channel_shuffle conv1d
    conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d
    cosine_similarity hardshrink native_channel_shuffle pairwise_distance pdist
    pixel_shuffle pixel_unshuffle prelu relu_ rrelu_ selu_ threshold_
    """.split()
)
# Where the public name of an object is looked for, in this order.
_SEARCHED = [*NAMES, *(old for old, _ in _MOVED_MODULES)]
_SEARCHED += ["torch.nn.intrinsic.qat", "torch.nn.qat.dynamic", "operator"]
_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


class TorchName(str):
    """The name of a module class, function or method of PyTorch.

    Equal to, and hashed as, the string: `nn.Conv2d == "torch.nn.Conv2d"`. A
    name without a dot is that of a tensor method: `relu` is `x.relu()`.
    """

    __slots__ = ()

    def __new__(cls, name: str) -> TorchName:
        if isinstance(name, TorchName):
            return name
        if name.startswith("method:"):
            name = name[len("method:") :]
            if "." in name:
                raise ValueError(f"'{name}' is no method name: it has a dot")
        if not _DOTTED.fullmatch(name):
            raise ValueError(
                f"'{name}' is not the name of an operator: expected a dotted "
                "name such as torch.nn.Conv2d, or that of a tensor method"
            )
        return super().__new__(cls, _canonical(name))

    def __repr__(self) -> str:
        return repr(str(self)) if self.is_method else str(self)

    def __str__(self) -> str:
        return str.__str__(self)

    def __call__(self, *args: Any) -> ModuleCall:
        """Calls a module class as a fuser method does; nothing is computed."""
        return ModuleCall(self, args)

    def __mro_entries__(self, bases: Tuple[Any, ...]) -> Tuple[type, ...]:
        raise TypeError(
            f"{self} is a name here and no class: a network is written with PyTorch, "
            "and qbackend.load() reads what torch.export.save() wrote of it (see "
            "docs/MovingOffTorchAo.md)"
        )

    def __reduce__(self) -> Tuple[Any, Tuple[Any, ...]]:
        return (TorchName, (str(self),))

    @property
    def is_method(self) -> bool:
        return "." not in self and self != "MatchAllNode"

    def to_json(self) -> str:
        """The name as the interchange document spells it: `method:relu`."""
        return f"method:{self}" if self.is_method else str(self)

    def to_torch(self) -> Any:
        """PyTorch's object of this name. ValueError if the installed version
        has none."""
        found = _resolve(self)
        if found is None:
            import torch

            raise ValueError(f"PyTorch {torch.__version__} has no {self}")
        return found


class ModuleCall:
    """What a call of a module class stands for: the class and its arguments.

    Lets `lambda is_qat, conv, relu: nni.ConvReLU2d(conv, relu)` be understood
    without PyTorch.
    """

    def __init__(self, name: TorchName, args: Tuple[Any, ...]) -> None:
        self.name = name
        self.args = args

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(map(repr, self.args))})"


def _canonical(name: str) -> str:
    for old, new in _MOVED_MODULES:
        if name.startswith(old + "."):
            return new + name[len(old) :]
    module, _, last = name.rpartition(".")
    if module == "torch" and last in _ONE_OBJECT:
        return f"torch.nn.functional.{last}"
    return name


MatchAllNode = TorchName("MatchAllNode")


def named(short: str) -> TorchName:
    """`F.relu` is torch.nn.functional.relu; a name without a dot is a method's."""
    module, _, name = short.rpartition(".")
    if not module:
        return TorchName(name)
    return TorchName(f"{_SHORT_MODULES.get(module, module)}.{name}")


def name_of(value: Any) -> TorchName:
    """The name of `value`: a name, or an object of PyTorch or of the user's own
    modules. TypeError if it has none."""
    if isinstance(value, str):
        return TorchName(value)
    if isinstance(value, OpPacket):
        return TorchName(value.path)
    if isinstance(value, ModuleCall):
        raise TypeError(f"found an instance of {value.name}, expected the class")
    schema = getattr(value, "_schema", None)
    if schema is not None and hasattr(value, "_overloadname"):
        path = schema.name.replace("::", ".")
        return TorchName(f"torch.ops.{path}.{value._overloadname or 'default'}")
    if hasattr(value, "_qualified_op_name"):
        return TorchName("torch.ops." + value._qualified_op_name.replace("::", "."))
    name = getattr(value, "__name__", None)
    if name is None:
        if any(c.__module__ == "torch.nn.modules.module" for c in type(value).__mro__):
            raise TypeError(
                f"found an instance of {type(value).__name__}, expected the class"
            )
        raise TypeError(
            f"{value!r} of type {type(value).__name__} names no operator: expected "
            "a module class, a function, or a name such as 'torch.nn.Conv2d'"
        )
    module = getattr(value, "__module__", None) or ""
    if name == "MatchAllNode" and module.startswith("torch.ao.quantization"):
        return MatchAllNode
    for place in _SEARCHED:
        if getattr(_import(place), name, None) is value:
            return TorchName(f"{place}.{name}")
    qualified = getattr(value, "__qualname__", name)
    if "<" in qualified or not module:
        raise TypeError(
            f"{qualified} can't be named from outside: define it at the top level "
            "of a module"
        )
    return TorchName(f"{module}.{qualified}")


def _import(module: str) -> Optional[Any]:
    """The module, unless it belongs to a package that nobody has imported: then
    an object can't come from it."""
    if module.partition(".")[0] not in sys.modules:
        return None
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def spellings(name: str) -> Iterator[str]:
    """The name and those it had in older versions."""
    yield name
    for old, new in _MOVED_MODULES:
        if name.startswith(new + "."):
            yield old + name[len(new) :]


def _resolve(name: str) -> Optional[Any]:
    if name == "MatchAllNode":
        utils = importlib.import_module("torch.ao.quantization.utils")
        return getattr(utils, "MatchAllNode", None)
    if "." not in name:
        return str(name)
    for spelling in spellings(name):
        path = spelling.split(".")
        for depth in range(len(path) - 1, 0, -1):
            try:
                found: Any = importlib.import_module(".".join(path[:depth]))
            except ImportError:
                continue
            for part in path[depth:]:
                found = getattr(found, part, None)
                if found is None:
                    break
            if found is not None:
                return found
    return None


class Namespace:
    """The known names of one module of PyTorch."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.names: List[str] = NAMES[path].split()

    def get(self, name: str) -> TorchName:
        """The attribute `name`; AttributeError suggests what was meant."""
        if name in self.names:
            return TorchName(f"{self.path}.{name}")
        if why_missing(name):
            raise AttributeError(missing(f"{self.path}.{name}"))
        close = difflib.get_close_matches(name, self.names, 1)
        hint = f"did you mean {close[0]}?" if close else "unknown to this version;"
        raise AttributeError(
            f"no {self.path}.{name}: {hint} a name that isn't listed is written as "
            f"TorchName('{self.path}.{name}')"
        )


def namespace(path: str) -> Tuple[Callable[[str], TorchName], Callable[[], List[str]]]:
    """The `__getattr__` and the `__dir__` of a module that has the names of `path`."""
    found = Namespace(path)
    return found.get, lambda: found.names


class OpPacket:
    """`torch.ops.aten.add`, an operator with all its overloads."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __getattr__(self, name: str) -> TorchName:
        if name.startswith("_"):
            raise AttributeError(name)
        return TorchName(f"{self.path}.{name}")

    def __repr__(self) -> str:
        return self.path


class OpNamespace:
    """`torch.ops.aten`. Its operators are not listed here."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __getattr__(self, name: str) -> OpPacket:
        if name.startswith("_"):
            raise AttributeError(name)
        return OpPacket(f"{self.path}.{name}")


class Ops:
    """`torch.ops`."""

    def __getattr__(self, name: str) -> OpNamespace:
        if name.startswith("_"):
            raise AttributeError(name)
        return OpNamespace(f"torch.ops.{name}")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types and quantization schemes, under PyTorch's names.

Each is one object of its name. Wherever a configuration takes one, PyTorch's
own object and the name as a string are taken too.
"""

from __future__ import annotations

import difflib
from typing import Any, Dict, Optional, Tuple, Type, TypeVar, Union

__all__ = ["DType", "QScheme", "DTypeLike", "QSchemeLike"]

_N = TypeVar("_N", bound="_Named")


class _Named:
    """An object that is its name: one for each name, equal only to itself."""

    __slots__ = ("name",)
    _instances: Dict[str, Any]
    _aliases: Dict[str, str]
    _kind: str

    name: str

    def __init__(self, name: str) -> None:
        self.name = name
        self._instances[name] = self

    def __repr__(self) -> str:
        return f"qbackend.{self.name}"

    def __str__(self) -> str:
        return f"qbackend.{self.name}"

    # Copies and pickles are the same object.
    def __reduce__(self) -> Tuple[Any, Tuple[Any, ...]]:
        return (_restore, (type(self), self.name))

    @classmethod
    def of(cls: Type[_N], value: Any) -> _N:
        """The object that `value` means: one of these, PyTorch's, or a name
        with or without `torch.`. TypeError or ValueError if there is none."""
        if isinstance(value, cls):
            return value
        if isinstance(value, str):
            name = value
        elif type(value).__module__ == "torch":
            name = str(value)
        else:
            raise TypeError(
                f"expected a {cls._kind} such as {next(iter(cls._instances))}, "
                f"found {value!r} of type {type(value).__name__}"
            )
        for prefix in ("torch.", "qbackend."):
            if name.startswith(prefix):
                name = name[len(prefix) :]
        name = cls._aliases.get(name, name)
        if name not in cls._instances:
            close = difflib.get_close_matches(name, cls._instances, 1)
            hint = (
                f"did you mean {close[0]}?"
                if close
                else "expected one of " + ", ".join(cls._instances)
            )
            raise ValueError(f"no {cls._kind} '{value}': {hint}")
        found: _N = cls._instances[name]
        return found

    @classmethod
    def maybe(cls: Type[_N], value: Any) -> Optional[_N]:
        """`of`, but None stays None."""
        return None if value is None else cls.of(value)


def _restore(cls: Type[_N], name: str) -> _N:
    return cls.of(name)


class DType(_Named):
    """An element type: `qbackend.quint8` is PyTorch's `torch.quint8`."""

    __slots__ = ()
    _instances: Dict[str, DType] = {}
    _aliases = {
        "float": "float32",
        "double": "float64",
        "half": "float16",
        "short": "int16",
        "int": "int32",
        "long": "int64",
    }
    _kind = "dtype"

    @property
    def quantized_range(self) -> Optional[Tuple[int, int]]:
        """The integers of a quantized or integer type; None for the others."""
        return _RANGES.get(self.name)

    def to_torch(self) -> Any:
        """`torch.dtype` of this name; ValueError if this PyTorch has none."""
        return _from_torch_module(self)


class QScheme(_Named):
    """A quantization scheme: PyTorch's `torch.qscheme`."""

    __slots__ = ()
    _instances: Dict[str, QScheme] = {}
    _aliases: Dict[str, str] = {}
    _kind = "qscheme"

    @property
    def is_per_channel(self) -> bool:
        return self.name.startswith("per_channel")

    @property
    def is_symmetric(self) -> bool:
        return self.name.endswith("_symmetric")

    def to_torch(self) -> Any:
        """`torch.qscheme` of this name; ValueError if this PyTorch has none."""
        return _from_torch_module(self)


def _from_torch_module(value: Union[DType, QScheme]) -> Any:
    import torch

    found = getattr(torch, value.name, None)
    if found is None:
        raise ValueError(f"PyTorch {torch.__version__} has no torch.{value.name}")
    return found


DTypeLike = Any  # DType, torch.dtype or str
QSchemeLike = Any  # QScheme, torch.qscheme or str

_RANGES = {
    "quint8": (0, 255),
    "qint8": (-128, 127),
    "quint4x2": (0, 15),
    "quint2x4": (0, 3),
    "qint32": (-(2**31), 2**31 - 1),
    "int4": (-8, 7),
    "uint8": (0, 255),
    "int8": (-128, 127),
    "uint16": (0, 2**16 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
}

quint8 = DType("quint8")
qint8 = DType("qint8")
qint32 = DType("qint32")
quint4x2 = DType("quint4x2")
quint2x4 = DType("quint2x4")
int4 = DType("int4")
uint8 = DType("uint8")
int8 = DType("int8")
uint16 = DType("uint16")
int16 = DType("int16")
int32 = DType("int32")
int64 = DType("int64")
float16 = DType("float16")
bfloat16 = DType("bfloat16")
float32 = DType("float32")
float64 = DType("float64")
float8_e4m3fn = DType("float8_e4m3fn")
float8_e5m2 = DType("float8_e5m2")

per_tensor_affine = QScheme("per_tensor_affine")
per_tensor_symmetric = QScheme("per_tensor_symmetric")
per_channel_affine = QScheme("per_channel_affine")
per_channel_symmetric = QScheme("per_channel_symmetric")
per_channel_affine_float_qparams = QScheme("per_channel_affine_float_qparams")

__all__ += list(DType._instances) + list(QScheme._instances)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of elements: their names in MLIR and what NumPy holds them in."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Sequence

import numpy as np

from .errors import ImportFailure

# What arrays of all versions of NumPy can have.
MAX_RANK = 32
MAX_BYTES = (1 << 63) - 1

Array = Any  # numpy.ndarray; NumPy 1.24's stubs don't know their own scalars.


@dataclasses.dataclass(frozen=True)
class Element:
    """`kind` is f (float), i (signed), u (unsigned), b (truth) or x (index).
    bf16 is in arrays of float32, of which it has the upper half."""

    name: str
    kind: str
    bits: int
    dtype: str

    @property
    def is_float(self) -> bool:
        return self.kind == "f"

    def __str__(self) -> str:
        return self.name if self.kind != "u" else "u" + self.name


F16 = Element("f16", "f", 16, "float16")
BF16 = Element("bf16", "f", 16, "float32")
F32 = Element("f32", "f", 32, "float32")
F64 = Element("f64", "f", 64, "float64")
BOOL = Element("i1", "b", 1, "bool")
I8 = Element("i8", "i", 8, "int8")
I16 = Element("i16", "i", 16, "int16")
I32 = Element("i32", "i", 32, "int32")
I64 = Element("i64", "i", 64, "int64")
U8 = Element("i8", "u", 8, "uint8")
U16 = Element("i16", "u", 16, "uint16")
U32 = Element("i32", "u", 32, "uint32")
U64 = Element("i64", "u", 64, "uint64")
INDEX = Element("index", "x", 64, "int64")

#: Operators on these are computed in float32, and rounded once.
HALVES = (F16, BF16)

_BY_DTYPE: Dict[str, Element] = {
    e.dtype: e for e in (F16, F32, F64, BOOL, I8, I16, I32, I64, U8, U16, U32, U64)
}


def check_shape(shape: Sequence[int], element: Element, what: str) -> None:
    """Refuses what no array can have, were it empty."""
    if len(shape) > MAX_RANK:
        raise ImportFailure(f"{what} has {len(shape)} dimensions, expected at most "
                            f"{MAX_RANK}")
    size = np.dtype(element.dtype).itemsize
    for n in shape:
        size *= n or 1
    if size > MAX_BYTES:
        raise ImportFailure(f"{what} has the shape {list(shape)}, expected at most "
                            f"{MAX_BYTES} bytes")


def of_array(array: Array) -> Element:
    return _BY_DTYPE[array.dtype.name]


def round_bfloat16(array: Array) -> Array:
    """float32 rounded to the nearest bf16, ties to even."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    even = ((bits >> 16) & 1) + np.uint32(0x7FFF)
    rounded = np.where(np.isnan(array), bits | 0x400000, bits + even) & 0xFFFF0000
    return rounded.astype(np.uint32).view(np.float32)


def widen_bfloat16(bits: Array) -> Array:
    """The float32 whose upper half the uint16 are."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def read_bfloat16(data: memoryview) -> Array:
    """As float32, or, of so many that nothing is evaluated, as they are."""
    bits = np.frombuffer(data, "<u2")
    return bits if bits.size > 1 << 13 else widen_bfloat16(bits)


def converted(array: Array, element: Element) -> Array:
    """The array as values of `element`; floats are truncated to integers."""
    if element == BF16:
        return round_bfloat16(array.astype(np.float32))
    with np.errstate(all="ignore"):
        return array.astype(element.dtype)


def promoted(a: Element, b: Element) -> Element:
    """The type that PyTorch computes tensors of the two in."""
    if a == b:
        return a
    if a.is_float or b.is_float:
        if not a.is_float:
            return b
        if not b.is_float:
            return a
        if a.bits == b.bits:
            return F32  # f16 with bf16
        return a if a.bits > b.bits else b
    if a.kind == "b":
        return b
    if b.kind == "b":
        return a
    if a.kind == b.kind:
        return a if a.bits > b.bits else b
    signed, unsigned = (a, b) if a.kind == "i" else (b, a)
    if signed.bits > unsigned.bits:
        return signed
    return {8: I16, 16: I32}.get(unsigned.bits, I64)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The wire format of protocol buffers: fields of a message in a buffer. Lengths
are those of the buffer at most, and nothing is copied."""

from __future__ import annotations

import struct
from typing import Iterator, List, Tuple, Union

from ..errors import ImportFailure

#: A number of the wire, or the bytes of what has a length.
Field = Union[int, memoryview]


def _varint(data: memoryview, at: int) -> Tuple[int, int]:
    result = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ImportFailure("the file is damaged: a number doesn't end")
        byte = data[at]
        at += 1
        result |= (byte & 127) << shift
        if byte < 128:
            return result & (1 << 64) - 1, at
        shift += 7


def fields(data: memoryview) -> Iterator[Tuple[int, int, Field]]:
    """Number, wire type and content of each field. Fixed ones are integers."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, kind = key >> 3, key & 7
        if number == 0:
            raise ImportFailure("the file is damaged: a field without a number")
        if kind == 0:
            value, at = _varint(data, at)
            yield number, kind, value
            continue
        if kind == 2:
            size, at = _varint(data, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise ImportFailure(f"the file is damaged: a field of type {kind}")
        if size > len(data) - at:
            raise ImportFailure("the file is damaged: a field is longer than what "
                                "is left")
        piece = data[at:at + size]
        at += size
        yield number, kind, (piece if kind == 2
                             else int.from_bytes(piece, "little"))


def signed(value: Field) -> int:
    number = integer(value)
    return number - (1 << 64) if number >= 1 << 63 else number


def integer(value: Field) -> int:
    if not isinstance(value, int):
        raise ImportFailure("the file is damaged: bytes in place of a number")
    return value


def message(value: Field) -> memoryview:
    if isinstance(value, int):
        raise ImportFailure("the file is damaged: a number in place of a message")
    return value


def text(value: Field) -> str:
    try:
        return str(message(value), "utf-8")
    except UnicodeDecodeError as error:
        raise ImportFailure(f"a name is not UTF-8: {error}") from None


def read_float(value: Field) -> float:
    return float(struct.unpack("<f", integer(value).to_bytes(8, "little")[:4])[0])


def integers(kind: int, value: Field) -> List[int]:
    """Repeated integers, one or packed."""
    if kind != 2:
        return [signed(value)]
    data, at, result = message(value), 0, []
    while at < len(data):
        number, at = _varint(data, at)
        result.append(signed(number))
    return result


def read_floats(kind: int, value: Field) -> List[float]:
    """Repeated floats, one or packed."""
    if kind == 5:
        return [read_float(value)]
    data = message(value)
    if len(data) % 4:
        raise ImportFailure("the file is damaged: a list of floats")
    return list(struct.unpack(f"<{len(data) // 4}f", data))

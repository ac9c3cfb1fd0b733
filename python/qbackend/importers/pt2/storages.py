# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that `torch.save` wrote, as arrays. Their pickle is read by a machine
that knows the few globals of tensors and calls nothing."""

from __future__ import annotations

import dataclasses
import struct
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .. import elements
from ..archive import Archive
from ..elements import Array, Element
from ..errors import ImportFailure

_STORAGES = {
    "FloatStorage": elements.F32, "DoubleStorage": elements.F64,
    "HalfStorage": elements.F16, "BFloat16Storage": elements.BF16,
    "ByteStorage": elements.U8, "CharStorage": elements.I8,
    "ShortStorage": elements.I16, "IntStorage": elements.I32,
    "LongStorage": elements.I64, "BoolStorage": elements.BOOL,
}
_DTYPES = {"uint16": elements.U16, "uint32": elements.U32, "uint64": elements.U64}


@dataclasses.dataclass
class Tensor:
    """A weight: a view of a storage. Two of one storage at one place are one
    weight (`key`)."""

    data: Array
    element: Element
    key: Tuple[Any, ...]


def storage_elements(data: memoryview, element: Element) -> Array:
    """The bytes, little-endian, as a flat array."""
    if element == elements.BF16:
        return elements.read_bfloat16(data)
    if element == elements.BOOL:
        return np.frombuffer(data, np.uint8) != 0
    return np.frombuffer(data, np.dtype(element.dtype).newbyteorder("<"))


def strided(flat: Array, offset: int, sizes: Sequence[int],
            strides: Sequence[int], what: str) -> Array:
    """The elements that sizes and strides, in elements, choose; checked."""
    numbers = [offset, *sizes, *strides]
    if not all(isinstance(n, int) and not isinstance(n, bool) and
               0 <= n < 1 << 62 for n in numbers) or len(sizes) != len(strides):
        raise ImportFailure(f"{what} has sizes {list(sizes)}, strides "
                            f"{list(strides)} and offset {offset}")
    elements.check_shape(sizes, elements.of_array(flat), what)
    if 0 in sizes:
        return np.zeros(sizes, flat.dtype)
    last = offset + sum((n - 1) * s for n, s in zip(sizes, strides))
    if last >= flat.size:
        raise ImportFailure(
            f"{what} has sizes {list(sizes)}, strides {list(strides)} and offset "
            f"{offset}, which leave its storage of {flat.size} elements")
    total = 1
    for n in sizes:
        total *= n
    if total > max(flat.size, 1) and 0 not in strides:
        raise ImportFailure(f"{what} has more elements than its storage")
    return np.lib.stride_tricks.as_strided(
        flat[offset:], sizes, [s * flat.itemsize for s in strides],
        writeable=False)


class _Global:
    def __init__(self, name: str):
        self.name = name


@dataclasses.dataclass
class _Storage:
    element: Optional[Element]
    key: str
    count: int


_ALLOWED = {
    "torch._utils _rebuild_tensor_v2", "torch._utils _rebuild_tensor_v3",
    "torch._utils _rebuild_parameter",
    "torch._utils _rebuild_parameter_with_state", "collections OrderedDict",
    "torch._tensor _rebuild_from_type_v2", "torch Tensor",
    "torch.storage UntypedStorage", "torch.serialization _get_layout",
    *(f"torch {name}" for name in (*_STORAGES, *_DTYPES)),
}
_MARK = object()
_MOST_OBJECTS = 1 << 22


class TensorFile:
    """What a file of `torch.save` has, FQN to tensor; read when asked for."""

    def __init__(self, buffer: memoryview, what: str):
        self.what = what
        self.archive = Archive(buffer, what)
        pickles = [n for n in self.archive.names()
                   if n.endswith("/data.pkl") and n.count("/") == 1]
        if len(pickles) != 1:
            raise ImportFailure(f"{what} has {len(pickles)} entries data.pkl in a "
                                "folder, expected one")
        self.root = pickles[0][:-len("data.pkl")]
        order = self.archive.optional_text(self.root + "byteorder")
        if order is not None and order.strip() != "little":
            raise ImportFailure(f"{what} is in byte order '{order.strip()}', "
                                "expected little")
        self._flat: Dict[Tuple[str, Optional[Element]], Array] = {}
        program = self.archive.read(pickles[0])
        top = _run(bytes(program), what)
        if not isinstance(top, dict):
            raise ImportFailure(f"{what} doesn't hold a dictionary")
        self.tensors: Dict[str, _Rebuilt] = {}
        for name, value in top.items():
            if not isinstance(name, str):
                raise ImportFailure(f"a key of {what} is no string")
            if isinstance(value, _Rebuilt):
                self.tensors[name] = value

    def get(self, name: str) -> Optional[Tensor]:
        made = self.tensors.get(name)
        if made is None:
            return None
        where = f"'{name}' of {self.what}"
        element = made.element or made.storage.element
        if element is None:
            raise ImportFailure(f"{where} has no type")
        flat = self._storage(made.storage, element)
        data = strided(flat, made.offset, made.sizes, made.strides, where)
        return Tensor(data, element, (self.what, made.storage.key, made.offset,
                                      made.sizes, made.strides, element))

    def _storage(self, storage: _Storage, element: Element) -> Array:
        key = (storage.key, element)
        if key not in self._flat:
            data = self.archive.read(f"{self.root}data/{storage.key}")
            size = 2 if element == elements.BF16 else element.bits // 8 or 1
            typed = storage.element is not None
            count = storage.count * (size if typed else 1)
            if len(data) != count:
                raise ImportFailure(
                    f"storage {storage.key} of {self.what} has {len(data)} bytes, "
                    f"expected {count}")
            self._flat[key] = storage_elements(data[:len(data) // size * size],
                                               element)
        return self._flat[key]


@dataclasses.dataclass
class _Rebuilt:
    storage: _Storage
    offset: int
    sizes: Tuple[int, ...]
    strides: Tuple[int, ...]
    element: Optional[Element] = None


def _call(function: Any, arguments: Any, what: str) -> Any:
    """The few calls that mean tensors, none of which is made."""
    if not isinstance(function, _Global) or not isinstance(arguments, tuple):
        raise ImportFailure(f"the pickle of {what} calls what is no function")
    name = function.name.split(" ")[1]
    if name == "OrderedDict" and not arguments:
        return {}
    if name in ("_rebuild_tensor_v2", "_rebuild_tensor_v3"):
        if len(arguments) >= 6 and isinstance(arguments[0], _Storage) and all(
                isinstance(a, tuple) for a in arguments[2:4]):
            element = None
            if name == "_rebuild_tensor_v3":
                kind = arguments[6] if len(arguments) > 6 else None
                if not isinstance(kind, Element):
                    raise ImportFailure(f"a tensor of {what} has no known type")
                element = kind
            return _Rebuilt(arguments[0], arguments[1], arguments[2],
                            arguments[3], element)
    elif name in ("_rebuild_parameter", "_rebuild_parameter_with_state"):
        if arguments and isinstance(arguments[0], _Rebuilt):
            return arguments[0]
    elif name == "_rebuild_from_type_v2":
        # A tensor with attributes, as an `nn.Buffer` is.
        if len(arguments) == 4 and isinstance(arguments[1], _Global) and \
                arguments[1].name == "torch Tensor":
            return _call(arguments[0], arguments[2], what)
    raise ImportFailure(f"the pickle of {what} calls '{function.name}' with "
                        "other arguments than a tensor has")


def _persistent(identity: Any, what: str) -> _Storage:
    if (not isinstance(identity, tuple) or len(identity) != 5
            or identity[0] != "storage"):
        raise ImportFailure(f"the pickle of {what} refers to what is no storage")
    _, kind, key, _, count = identity
    if isinstance(kind, Element):
        element: Optional[Element] = kind
    elif isinstance(kind, _Global) and kind.name.endswith("UntypedStorage"):
        element = None
    else:
        raise ImportFailure(f"a storage of {what} has an unknown type")
    if not isinstance(key, str) or not key.isascii() or not key.isdigit():
        raise ImportFailure(f"a storage of {what} is called {key!r}, expected "
                            "digits")
    if not isinstance(count, int) or not 0 <= count < 1 << 62:
        raise ImportFailure(f"storage {key} of {what} has {count!r} elements")
    return _Storage(element, key, count)


def _global(name: str, what: str) -> Any:
    if name not in _ALLOWED:
        raise ImportFailure(f"the pickle of {what} names '{name}', which is no "
                            "part of a tensor; nothing of it was run")
    last = name.split(" ")[1]
    return _STORAGES.get(last) or _DTYPES.get(last) or _Global(name)


def _run(data: bytes, what: str) -> Any:
    """The object that a pickle of protocol 2 describes."""
    try:
        return _Machine(data, what).run()
    except ImportFailure:
        raise
    except (IndexError, struct.error, UnicodeDecodeError, KeyError, TypeError,
            ValueError, AttributeError) as error:
        raise ImportFailure(
            f"the pickle of {what} is broken ({type(error).__name__})") from None


class _Machine:
    def __init__(self, data: bytes, what: str):
        self.data, self.what, self.at = data, what, 0
        self.stack: List[Any] = []
        self.memo: Dict[int, Any] = {}

    def take(self, count: int) -> bytes:
        piece = self.data[self.at:self.at + count]
        if len(piece) != count:
            raise ImportFailure(f"the pickle of {self.what} stops in the middle")
        self.at += count
        return piece

    def line(self) -> str:
        end = self.data.index(b"\n", self.at)
        text = self.data[self.at:end].decode("utf-8")
        self.at = end + 1
        return text

    def marked(self) -> List[Any]:
        for i in range(len(self.stack) - 1, -1, -1):
            if self.stack[i] is _MARK:
                items = self.stack[i + 1:]
                del self.stack[i:]
                return items
        raise ImportFailure(f"the pickle of {self.what} has no mark")

    def number(self, form: str) -> int:
        return int(struct.unpack(form, self.take(struct.calcsize(form)))[0])

    def run(self) -> Any:
        push = self.stack.append
        for _ in range(_MOST_OBJECTS):
            code = self.take(1)
            if code == b"\x80":
                if self.number("<B") > 4:
                    raise ImportFailure(f"the pickle of {self.what} is of a newer "
                                        "protocol")
            elif code == b".":
                return self.stack.pop()
            elif code == b"(":
                push(_MARK)
            elif code == b"}":
                push({})
            elif code == b"]":
                push([])
            elif code == b")":
                push(())
            elif code == b"X":
                push(self.take(self.number("<I")).decode("utf-8"))
            elif code == b"\x8c":
                push(self.take(self.number("<B")).decode("utf-8"))
            elif code in b"qr":
                form = "<B" if code == b"q" else "<I"
                self.memo[self.number(form)] = self.stack[-1]
            elif code == b"\x94":
                self.memo[len(self.memo)] = self.stack[-1]
            elif code in b"hj":
                push(self.memo[self.number("<B" if code == b"h" else "<I")])
            elif code == b"c":
                module = self.line()
                push(_global(f"{module} {self.line()}", self.what))
            elif code in b"JKM":
                push(self.number({b"J": "<i", b"K": "<B", b"M": "<H"}[code]))
            elif code == b"\x8a":
                push(int.from_bytes(self.take(self.number("<B")), "little",
                                    signed=True))
            elif code == b"G":
                push(struct.unpack(">d", self.take(8))[0])
            elif code in b"\x88\x89":
                push(code == b"\x88")
            elif code == b"N":
                push(None)
            elif code == b"t":
                push(tuple(self.marked()))
            elif code in b"\x85\x86\x87":
                count = code[0] - 0x84
                items = self.stack[-count:]
                if len(items) < count:
                    raise IndexError
                del self.stack[-count:]
                push(tuple(items))
            elif code == b"R":
                arguments = self.stack.pop()
                push(_call(self.stack.pop(), arguments, self.what))
            elif code == b"Q":
                push(_persistent(self.stack.pop(), self.what))
            elif code == b"s":
                value, key = self.stack.pop(), self.stack.pop()
                self._set([key, value])
            elif code == b"u":
                self._set(self.marked())
            elif code == b"b":
                # State of an OrderedDict: nothing that tensors need.
                self.stack.pop()
            else:
                raise ImportFailure(f"the pickle of {self.what} has the opcode "
                                    f"{code!r}, which no tensor needs")
        raise ImportFailure(f"the pickle of {self.what} has more than "
                            f"{_MOST_OBJECTS} steps")

    def _set(self, items: List[Any]) -> None:
        target = self.stack[-1]
        if not isinstance(target, dict) or len(items) % 2:
            raise ImportFailure(f"the pickle of {self.what} sets an item of what "
                                "is no dictionary")
        for key, value in zip(items[::2], items[1::2]):
            target[key] = value

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Zip archives as PyTorch writes them, read without trust: nothing is extracted,
nothing is decompressed without a limit, and every size is compared with that of
the file before memory is taken."""

from __future__ import annotations

import io
import mmap
import os
import stat
import zipfile
import zlib
from typing import Any, Dict, List, Optional, Union

from ..files import read_rest
from .elements import Array
from .errors import ImportFailure

#: Compressed entries are small (a program); PyTorch stores its entries.
_MOST_INFLATED = 1 << 28
_MOST_RATIO = 100
_MOST_ENTRIES = 1 << 17

Bytes = Union[bytes, memoryview, mmap.mmap]


def mapped(path: Union[str, "os.PathLike[str]"]) -> memoryview:
    """The file, not read before it is used; a pipe or the like is read at once."""
    with open(path, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            return memoryview(read_rest(file))
        if not status.st_size:
            raise ImportFailure("the file is empty")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


class _View(io.RawIOBase):
    """A buffer as a file: zipfile reads the directory through it."""

    def __init__(self, buffer: memoryview):
        self.buffer, self.place = buffer, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        base = (0, self.place, len(self.buffer))[whence]
        if base + offset < 0:
            raise OSError("a position before the start")
        self.place = base + offset
        return self.place

    def tell(self) -> int:
        return self.place

    def read(self, size: int = -1) -> bytes:
        end = len(self.buffer) if size < 0 else self.place + size
        data = bytes(self.buffer[self.place:end])
        self.place += len(data)
        return data


class Budget:
    """How many bytes of weights a file may become. Strides of 0, and weights that
    share their bytes, make much of little."""

    def __init__(self, size: int):
        self.size, self.taken = size, 0

    def take(self, name: str, array: Array) -> None:
        if not any(array.strides):
            return  # written as one number
        self.taken += array.nbytes
        if self.taken > 4 * self.size + (1 << 22):
            raise ImportFailure(
                f"with the weight '{name[:200]}' of {array.nbytes} bytes, the weights "
                f"have {self.taken}, which a file of {self.size} repeats; expected at "
                "most 4 times the file and 4 MiB")


class Archive:
    """The entries of a zip file in memory. `what` names it in errors."""

    def __init__(self, buffer: memoryview, what: str):
        self.buffer, self.what = buffer, what
        try:
            # zipfile is typed for whole files; these methods are all it needs.
            view: Any = _View(buffer)
            directory = zipfile.ZipFile(view)
            entries = directory.infolist()
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError,
                OverflowError) as error:
            raise ImportFailure(f"{what} is no zip archive: {error}") from None
        if len(entries) > _MOST_ENTRIES:
            raise ImportFailure(f"{what} has {len(entries)} entries, at most "
                                f"{_MOST_ENTRIES} are read")
        self.entries: Dict[str, zipfile.ZipInfo] = {}
        for entry in entries:
            name = entry.filename
            # zipfile cuts names at a null.
            if name in self.entries or entry.orig_filename != name:
                raise ImportFailure(f"{what} has two entries '{name}'")
            if (name.startswith("/") or "\\" in name
                    or ".." in name.split("/") or ":" in name.split("/")[0]):
                raise ImportFailure(
                    f"{what} has an entry '{name}' that leaves its folder")
            self.entries[name] = entry

    def names(self) -> List[str]:
        return list(self.entries)

    def read(self, name: str) -> memoryview:
        """The content, checked. A stored entry is a view of the archive."""
        entry = self.entries.get(name)
        if entry is None:
            raise ImportFailure(f"{self.what} has no entry '{name}'")
        if entry.flag_bits & 1:
            raise ImportFailure(f"'{name}' of {self.what} is encrypted")
        data = self._stored(entry)
        if entry.compress_type == zipfile.ZIP_DEFLATED:
            data = self._inflated(entry, data)
        elif entry.compress_type != zipfile.ZIP_STORED:
            raise ImportFailure(f"'{name}' of {self.what} is compressed in an "
                                "unknown way")
        if len(data) != entry.file_size or zlib.crc32(data) != entry.CRC:
            raise ImportFailure(f"'{name}' of {self.what} is damaged: its "
                                "checksum is another")
        return data

    def _stored(self, entry: zipfile.ZipInfo) -> memoryview:
        start = entry.header_offset
        head = bytes(self.buffer[start:start + 30]) if start >= 0 else b""
        if len(head) < 30 or head[:4] != b"PK\x03\x04":
            raise ImportFailure(f"'{entry.filename}' of {self.what} has no header")
        start += 30 + int.from_bytes(head[26:28], "little") + int.from_bytes(
            head[28:30], "little")
        data = self.buffer[start:start + entry.compress_size]
        if len(data) != entry.compress_size:
            raise ImportFailure(f"'{entry.filename}' of {self.what} reaches beyond "
                                "its end")
        return data

    def _inflated(self, entry: zipfile.ZipInfo, data: memoryview) -> memoryview:
        size = entry.file_size
        if size > _MOST_INFLATED or size > _MOST_RATIO * max(len(data), 1 << 10):
            raise ImportFailure(
                f"'{entry.filename}' of {self.what} has {size} bytes in "
                f"{len(data)}, which is no weight and no program")
        inflater = zlib.decompressobj(-15)
        try:
            return memoryview(inflater.decompress(data, size + 1))
        except zlib.error as error:
            raise ImportFailure(
                f"'{entry.filename}' of {self.what}: {error}") from None

    def text(self, name: str, limit: int = 1 << 16) -> str:
        """A short text; None of what isn't UTF-8."""
        data = self.read(name)
        if len(data) > limit:
            raise ImportFailure(f"'{name}' of {self.what} has {len(data)} bytes, "
                                f"at most {limit} are read")
        try:
            return str(bytes(data), "utf-8")
        except UnicodeDecodeError as error:
            raise ImportFailure(f"'{name}' of {self.what} is not UTF-8: "
                                f"{error}") from None

    def optional_text(self, name: str) -> Optional[str]:
        return self.text(name) if name in self.entries else None

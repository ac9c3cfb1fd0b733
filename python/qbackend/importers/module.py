# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an import gives: a module, as text or as bytecode."""

from __future__ import annotations

import os
import sys
import tempfile
from typing import IO, Any, Callable, Dict, List, Sequence, Union

import numpy as np

from .._library import native
from .builder import Builder, Value
from .elements import Array

#: What vector instructions of any width take.
_ALIGNMENT = 64
_PIECE = 1 << 22


class ImportedModule:
    """A network in MLIR. `bytes(module)` is its bytecode, which
    `qbackend.apply_backend` takes as it does text."""

    def __init__(self, lines: List[str], resources: Dict[str, Array]):
        self._lines, self._resources = lines, resources

    def __bytes__(self) -> bytes:
        return self.bytecode()

    def text(self) -> str:
        """The module with the weights in it, as hexadecimal digits."""
        pieces: List[bytes] = []
        self._write_text(pieces.append)
        return b"".join(pieces).decode()

    def bytecode(self) -> bytes:
        result: bytes = native().to_bytecode(
            "\n".join(self._lines).encode(),
            [(name, _bytes_of(data))
             for name, data in self._resources.items()])
        return result

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Text if the name ends in `.mlir`, else bytecode; `-` is standard
        output. The file is there whole or not at all."""
        name = os.fspath(path)
        if name == "-":
            self._write_text(sys.stdout.buffer.write)
            sys.stdout.buffer.flush()
            return
        if os.path.exists(name) and not os.path.isfile(name):
            # A pipe or a device: there is nothing to rename onto.
            with open(name, "wb") as device:
                self._write(name, device)
            return
        folder = os.path.dirname(name) or "."
        handle, temporary = tempfile.mkstemp(
            dir=folder, prefix="." + os.path.basename(name)[:100] + ".")
        try:
            with os.fdopen(handle, "wb") as file:
                self._write(name, file)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
            os.replace(temporary, name)
        except BaseException:
            os.unlink(temporary)
            raise

    def _write(self, name: str, file: IO[bytes]) -> None:
        if name.endswith(".mlir"):
            self._write_text(file.write)
        else:
            file.write(self.bytecode())

    def _write_text(self, write: Callable[[bytes], Any]) -> None:
        write(("\n".join(self._lines) + "\n").encode())
        if not self._resources:
            return
        write(b"{-#\n  dialect_resources: {\n    builtin: {\n")
        head = _ALIGNMENT.to_bytes(4, "little").hex().upper().encode()
        for i, (name, data) in enumerate(self._resources.items()):
            write(b",\n" if i else b"")
            write(f'      {name}: "0x'.encode() + head)
            view = _bytes_of(data)
            for at in range(0, len(view), _PIECE):
                write(view[at:at + _PIECE].hex().upper().encode())
            write(b'"')
        write(b"\n    }\n  }\n#-}\n")


def _bytes_of(array: Array) -> memoryview:
    data: Any = np.ascontiguousarray(array)
    return memoryview(data).cast("B")


def finished(g: Builder, results: Sequence[Value]) -> ImportedModule:
    return ImportedModule(g.module(results), g.resources)

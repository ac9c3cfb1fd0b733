# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an import gives: a module, as text or as bytecode."""

from __future__ import annotations

import os
import sys
from typing import IO, Any, Callable, Dict, List, Sequence

import numpy as np

from .._library import native
from ..files import Path, write_file
from ..model.model import Model
from .builder import Builder, Value
from .elements import Array

#: What vector instructions of any width take.
_ALIGNMENT = 64
_PIECE = 1 << 22


class ImportedModule(Model):
    """A network of another format. `bytes(module)` is its bytecode, which
    `qbackend.apply_backend` takes as it does text."""

    def __init__(self, lines: List[str], resources: Dict[str, Array]):
        super().__init__("")
        self._lines, self._resources = lines, resources

    def _bytes(self) -> bytes:
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

    def save(self, path: Path) -> None:
        """As of a Model; bytecode also for other names, and `-` is text to standard
        output. The weights are copied from the file that they are in."""
        name = os.fspath(path)
        if name == "-":
            self._write_text(sys.stdout.buffer.write)
            sys.stdout.buffer.flush()
        elif name.endswith(".o"):
            super().save(path)
        else:
            write_file(name, lambda file: self._write(name, file))

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

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an import gives: a module, as text or as bytecode."""

from __future__ import annotations

import io
import os
import re
import sys
from typing import IO, Any, Callable, Dict, List, Sequence

import numpy as np

from .._library import native
from ..diagnostics import CompilerError
from ..files import Path, write_file
from ..model.model import Model
from .builder import Builder, Value
from .elements import Array
from .errors import ImportFailure

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
        file = io.BytesIO()
        self._write_bytecode(file.write)
        return file.getvalue()

    def _write_bytecode(self, write: Callable[[memoryview], Any],
                        with_weights: bool = True) -> None:
        """A module that isn't valid is an ImportFailure, with what was imported."""
        weights = self._resources.items() if with_weights else ()
        try:
            native().write_bytecode("\n".join(self._lines).encode(), [
                (name, _bytes_of(data)) for name, data in weights], write)
        except CompilerError as error:
            raise ImportFailure(self._fault(error)) from error

    def _fault(self, error: CompilerError) -> str:
        """Without locations, a diagnostic has the line of the text; the location
        of an op is at its end."""
        plain = [re.sub(r" loc\(#loc\d+\)$", "", line) for line in self._lines]
        found = error.diagnostics[0]
        try:
            native().write_bytecode("\n".join(plain).encode(), [], len)
        except CompilerError as other:
            found = other.diagnostics[0]
        name = ""
        for line in self._lines[max(found.line - 1, 0):]:
            match = re.search(r" loc\((#loc\d+)\)$", line)
            if match:
                name = next((line for line in self._lines
                             if line.startswith(f"{match[1]} = ")), "")
                break
        place = re.match(r'#loc\d+ = loc\("((?:[^"\\]|\\.)*)"', name)
        return (f"'{place[1] if place else 'the module'}' became what is not valid: "
                f"{found.message} (a fault of this importer; please report it)")

    def save(self, path: Path) -> None:
        """As of a Model; bytecode for a name without a suffix, and `-` is text to
        standard output. The weights are copied from the file that they are in."""
        name = os.fspath(path)
        if name == "-":
            self._write_text(sys.stdout.buffer.write)
            sys.stdout.buffer.flush()
        elif os.path.splitext(name)[1] in ("", ".mlir", ".mlirbc"):
            write_file(name, lambda file: self._write(name, file))
        else:
            super().save(path)

    def _write(self, name: str, file: IO[bytes]) -> None:
        if name.endswith(".mlir"):
            self._write_text(file.write)
        else:
            self._write_bytecode(file.write)

    def _write_text(self, write: Callable[[bytes], Any]) -> None:
        self._write_bytecode(len, with_weights=False)
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

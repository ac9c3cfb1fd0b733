# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compiler has to say, as objects and as exceptions."""

from __future__ import annotations

import dataclasses
import logging
import warnings
from typing import Any, List, Sequence, Tuple

__all__ = ["CompilerError", "Diagnostic"]

_logger = logging.getLogger("qbackend")


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """An error, a warning or a remark, with the notes that belong to it."""

    severity: str
    message: str
    #: A file, or the name of what it is about; empty if there is no place.
    file: str = ""
    #: They count from 1; 0: unknown.
    line: int = 0
    column: int = 0
    notes: Tuple["Diagnostic", ...] = ()

    @property
    def place(self) -> str:
        """`file:line:column` as far as it is known."""
        if not self.line:
            return self.file
        return f"{self.file}:{self.line}:{self.column}"

    def __str__(self) -> str:
        place = f"{self.place}: " if self.place else ""
        lines = [f"{place}{self.severity}: {self.message}", *map(str, self.notes)]
        return "\n".join(lines)


class CompilerError(ValueError):
    """The compiler refuses something. The text has all errors; `diagnostics` has
    them as objects, with what else was said before."""

    def __init__(self, diagnostics: Sequence[Diagnostic]):
        self.diagnostics: List[Diagnostic] = list(diagnostics)
        errors = [d for d in self.diagnostics if d.severity == "error"]
        super().__init__("\n".join(map(str, errors)))

    def __reduce__(self) -> Any:
        return type(self), (self.diagnostics,)


def of_native(entries: Sequence[Tuple[Any, ...]]) -> List[Diagnostic]:
    """What `_native` tells, as objects."""
    return [
        Diagnostic(severity, message, file or "", line, column, tuple(of_native(notes)))
        for severity, message, file, line, column, notes in entries
    ]


def failure(entries: Sequence[Tuple[Any, ...]]) -> CompilerError:
    """What `_native` raises."""
    return CompilerError(of_native(entries))


def tell(diagnostics: Sequence[Diagnostic], stacklevel: int) -> None:
    """Warnings become Python's, seen `stacklevel` calls above the caller; what
    else was said is logged."""
    for diagnostic in diagnostics:
        if diagnostic.severity == "warning":
            warnings.warn(str(diagnostic), stacklevel=stacklevel + 1)
        else:
            _logger.info("%s", diagnostic)

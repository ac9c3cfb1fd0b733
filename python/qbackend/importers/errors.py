# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is raised for a file that can't be imported."""

from __future__ import annotations

from typing import Dict, List, Tuple

from ..diagnostics import Diagnostic


class ImportFailure(ValueError):
    """The file is broken, or holds what no MLIR is written for. The text says
    what was found and where."""

    @property
    def diagnostics(self) -> List[Diagnostic]:
        """The same as objects, as a CompilerError has them."""
        return [Diagnostic("error", str(self))]


class UnsupportedOperators(ImportFailure):
    """The operators of a network that aren't in the table, all of them.

    `operators` has for each what is missing, how many there are, and the module
    path (or node name) of the first.
    """

    def __init__(self, operators: Dict[str, Tuple[int, str]], hint: str = ""):
        self.operators = operators
        lines: List[str] = []
        for name, (count, first) in sorted(operators.items()):
            times = "once" if count == 1 else f"{count} times, first"
            lines.append(f"  {name} ({times} at '{first}')")
        kinds = "operator is" if len(lines) == 1 else f"{len(lines)} operators are"
        super().__init__(f"{kinds} not supported:\n" + "\n".join(lines)
                         + (f"\n{hint}" if hint else ""))

    @property
    def diagnostics(self) -> List[Diagnostic]:
        """One for each operator, at the first of its places."""
        return [
            Diagnostic(
                "error",
                f"{name} is not supported; there {'is' if count == 1 else 'are'} "
                f"{count}",
                first,
            )
            for name, (count, first) in sorted(self.operators.items())
        ]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is raised for a file that can't be imported."""

from __future__ import annotations

from typing import Dict, List, Tuple


class ImportFailure(ValueError):
    """The file is broken, or holds what no MLIR is written for. The text says
    what was found and where."""


class UnsupportedOperators(ImportFailure):
    """The operators of a network that aren't in the table, all of them.

    `operators` has for each what is missing, how many there are, and the module
    path (or node name) of the first.
    """

    def __init__(self, operators: Dict[str, Tuple[int, str]]):
        self.operators = operators
        lines: List[str] = []
        for name, (count, first) in sorted(operators.items()):
            times = "once" if count == 1 else f"{count} times, first"
            lines.append(f"  {name} ({times} at '{first}')")
        kinds = "operator is" if len(lines) == 1 else f"{len(lines)} operators are"
        super().__init__(f"{kinds} not supported:\n" + "\n".join(lines))

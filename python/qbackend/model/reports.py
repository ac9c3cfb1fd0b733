# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is known of a quantized network, as objects that print as tables."""

from __future__ import annotations

import dataclasses
import html
import math
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

__all__ = ["Accuracy", "Difference", "Explanation", "Explanations", "Summary"]

QUANTIZED = "quantized"


@dataclasses.dataclass(frozen=True)
class Explanation:
    """What became of an operator, or what else is to be said about it."""

    #: What was matched: "conv2d+relu", or the name of an op of MLIR.
    operator: str
    #: The module path that it came with; empty if it has none.
    name: str
    #: "quantized", "already integer", "reference form", "float", "not
    #: recognised", or "remark": what else is to be said.
    verdict: str
    #: The section of docs/Diagnostics.md; empty if there is nothing to say.
    code: str
    reason: str
    #: What to change.
    remedy: str
    #: `file:line:column`, or empty.
    place: str
    #: Places in the configuration that decided it.
    where: str
    #: Multiply-accumulates; a dynamic extent counts as 1.
    macs: int

    @property
    def is_quantized(self) -> bool:
        return self.verdict in (QUANTIZED, "already integer")


_COLUMNS = ("operator", "name", "verdict", "code", "reason", "remedy", "place")


class Explanations(List[Explanation]):
    """A list that is a table when it is printed, also in a notebook."""

    def missed(self) -> "Explanations":
        """Those of operators that stay float."""
        return Explanations(
            e for e in self if not e.is_quantized and e.verdict != "remark"
        )

    def rows(self) -> List[Tuple[str, ...]]:
        return [tuple(str(getattr(e, column)) for column in _COLUMNS) for e in self]

    def __str__(self) -> str:
        return text_table(_COLUMNS, self.rows())

    def _repr_html_(self) -> str:
        return html_table(_COLUMNS, self.rows())


@dataclasses.dataclass(frozen=True)
class Summary:
    """Sizes and operations, before and after. A dynamic extent counts as 1."""

    #: Bytes of the constant tensors, each counted once.
    bytes_before: int
    bytes_after: int
    #: How many operators there are by verdict.
    operators: Dict[str, int]
    #: Multiply-accumulates in integers, and in floats.
    integer_macs: int
    real_macs: int

    @property
    def quantized_percent(self) -> float:
        """The share of multiply-accumulates that are integer; of operators if there
        are none."""
        total = self.integer_macs + self.real_macs
        if total:
            return 100.0 * self.integer_macs / total
        count = sum(self.operators.values())
        done = sum(self.operators.get(v, 0) for v in (QUANTIZED, "already integer"))
        return 100.0 * done / count if count else 0.0

    def rows(self) -> List[Tuple[str, str]]:
        return [
            ("bytes of constants before", str(self.bytes_before)),
            ("bytes of constants after", str(self.bytes_after)),
            *((f"operators {v}", str(n)) for v, n in self.operators.items()),
            ("integer MACs", str(self.integer_macs)),
            ("float MACs", str(self.real_macs)),
            ("quantized", f"{self.quantized_percent:.1f} %"),
        ]

    def __str__(self) -> str:
        width = max(len(label) for label, _ in self.rows())
        return "\n".join(f"{label.ljust(width)}  {n}" for label, n in self.rows())

    def _repr_html_(self) -> str:
        return html_table(("", ""), self.rows())


@dataclasses.dataclass(frozen=True)
class Accuracy:
    """How many samples get the right class. A number between 0 and 1 as `float`."""

    correct: int
    samples: int

    def __float__(self) -> float:
        return self.correct / self.samples

    def __str__(self) -> str:
        return f"{float(self):.4f} ({self.correct} of {self.samples})"


@dataclasses.dataclass(frozen=True)
class Difference:
    """How a result differs from that of another network on the same samples."""

    name: str
    #: 10 log10(sum a^2 / sum (a - b)^2) in dB; infinite if nothing differs.
    sqnr: float
    cosine: float
    max_difference: float
    #: How many of the elements differ at all.
    different: int
    elements: int
    #: In what share of the samples the largest score is the same class; None if
    #: the result is no row of scores for each sample.
    top1_agreement: Optional[float] = None

    def __str__(self) -> str:
        agreement = (
            ""
            if self.top1_agreement is None
            else f", top-1 agreement {self.top1_agreement:.4f}"
        )
        return (
            f"{self.name}: SQNR {self.sqnr:.2f} dB, cosine {self.cosine:.6f}, max "
            f"difference {self.max_difference:.6g}, {self.different} of "
            f"{self.elements} elements differ{agreement}"
        )


def difference_of(entry: Dict[str, Any]) -> Difference:
    """A comparison of `_native`, whose JSON has no infinity."""
    values = dict(entry)
    if values["sqnr"] is None:
        values["sqnr"] = math.inf if values["different"] == 0 else -math.inf
    return Difference(**values)


def sqnr_of(value: Union[None, float, str]) -> float:
    """JSON has no infinity: null if nothing differs, "-inf" without a signal."""
    return math.inf if value is None else float(value)


def explanation_of(entry: Dict[str, Any]) -> Explanation:
    values = dict(entry)
    file, line, column = (values.pop(key) for key in ("file", "line", "column"))
    place = f"{file}:{line}:{column}" if line else file
    return Explanation(place=place, **values)


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their cells; without a header if it is empty."""
    lines = [*([header] if any(header) else []), *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
        for line in lines
    )


def html_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def cells(tag: str, row: Sequence[str]) -> str:
        return "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row)

    head = f"<tr>{cells('th', header)}</tr>" if any(header) else ""
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f"<table>{head}{body}</table>"

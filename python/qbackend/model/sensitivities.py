# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What it costs to quantize each operator of a network, and the mapping that `tune`
found, as objects that print as tables."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, Optional, Tuple

from .reports import html_table, sqnr_of, text_table

__all__ = [
    "ChangeScore",
    "OperatorSensitivity",
    "Score",
    "Sensitivity",
    "Tuned",
]


@dataclasses.dataclass(frozen=True)
class Score:
    """How good the results of a network are."""

    #: Against the float network, in dB, of the worst result.
    sqnr: float
    #: The share of right classes; None without labels.
    accuracy: Optional[float] = None

    def __str__(self) -> str:
        accuracy = "" if self.accuracy is None else f", {self.accuracy:.4f}"
        return f"{self.sqnr:.2f} dB{accuracy}"


@dataclasses.dataclass(frozen=True)
class OperatorSensitivity:
    """What it costs to quantize one operator."""

    name: str
    kind: str
    #: With nothing quantized but this one; with all quantized but this one.
    alone: Score
    without: Score


@dataclasses.dataclass(frozen=True)
class ChangeScore:
    """What a change of all operators gives, with all of them quantized."""

    #: "none", "per-channel weights", "observer mse", "bias-correction", ...
    name: str
    #: None if it isn't possible, and why not.
    score: Optional[Score]
    problem: str = ""


_SENSITIVITY_COLUMNS = ("operator", "kind", "alone quantized", "all but it quantized")


@dataclasses.dataclass(frozen=True)
class Sensitivity:
    """What it costs to quantize each operator. A table when it is printed."""

    #: The one that costs most when quantized alone comes first.
    operators: List[OperatorSensitivity]
    #: With the first k of these float, for k = 0 and so on.
    curve: List[Score]
    #: Empty unless they were asked for; the first one is none.
    changes: List[ChangeScore]

    def rows(self) -> List[Tuple[str, ...]]:
        return [
            (op.name, op.kind, str(op.alone), str(op.without)) for op in self.operators
        ]

    def __str__(self) -> str:
        curve = [(str(k), str(score)) for k, score in enumerate(self.curve)]
        tables = [
            text_table(_SENSITIVITY_COLUMNS, self.rows()),
            text_table(("float", "score"), curve),
        ]
        if self.changes:
            rows = [
                (c.name, str(c.score) if c.score else f"not possible: {c.problem}")
                for c in self.changes
            ]
            tables.append(text_table(("change of all", "all quantized"), rows))
        return "\n\n".join(tables)

    def _repr_html_(self) -> str:
        return html_table(_SENSITIVITY_COLUMNS, self.rows())


def score_of(entry: Dict[str, Any]) -> Score:
    return Score(sqnr_of(entry["sqnr"]), entry.get("accuracy"))


def sensitivity_of(values: Dict[str, Any]) -> Sensitivity:
    return Sensitivity(
        [
            OperatorSensitivity(
                op["name"], op["kind"], score_of(op["alone"]), score_of(op["without"])
            )
            for op in values["operators"]
        ],
        [score_of(entry) for entry in values["curve"]],
        [
            ChangeScore(
                change["name"],
                score_of(change["score"]) if "score" in change else None,
                change.get("problem", ""),
            )
            for change in values.get("changes", [])
        ],
    )


@dataclasses.dataclass(frozen=True)
class Tuned:
    """What `Model.tune` found."""

    #: The file with the mapping, which `quantize(qconfig=...)` takes.
    path: str
    #: Whether all that was asked for is held; without the time of a call.
    is_held: bool
    is_kept: bool
    #: Whether the search has ended by itself.
    is_complete: bool
    #: Whether there is a file: not if it was stopped before its first result.
    is_written: bool
    #: Of the float network, and of the mapping.
    real: Score
    score: Score
    #: How many of the operators stay float.
    real_valued: int
    operators: int
    #: The multiply-accumulates of those, of all; 0 of 0 if none stays float.
    real_macs: int
    macs: int
    #: How many samples the scores are of, which the search didn't see; 0: too few to
    #: hold some back, the scores are of those it saw.
    held_back: int
    #: The time of a call, and that with all operators in integers; with a target.
    seconds: Optional[float]
    integer_seconds: Optional[float]
    #: What was tried, a line for each step.
    log: str = dataclasses.field(repr=False)

    def __str__(self) -> str:
        time = "" if self.seconds is None else f", {self.seconds * 1e3:.3f} ms a call"
        where = f" on {self.held_back} samples held back" if self.held_back else ""
        held = "held" if self.is_held else "not held"
        if self.is_held and self.real_valued == self.operators:
            held += ", but nothing is quantized"
        return (
            f"{held}: {self.score}{where}, {self.real_valued} of {self.operators} "
            f"operators float{time}; '{self.path}'"
        )


def tuned_of(values: Dict[str, Any], path: str) -> Tuned:
    values = dict(values, path=path)
    for key in ("real", "score"):
        values[key] = score_of(values[key])
    return Tuned(**values)

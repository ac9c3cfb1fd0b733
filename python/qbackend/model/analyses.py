# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What quantization did to the operators of a network, what is wrong, what they cost
to run, and the network after each pass, as objects that print as tables."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from ..files import Path, write_file
from .reports import Difference, difference_of, html_table, sqnr_of, text_table

__all__ = [
    "Cost",
    "Diagnosis",
    "Fault",
    "LayerReport",
    "LayerError",
    "OperatorCost",
    "QuantizedRange",
    "RealIsland",
    "Signal",
    "Stage",
    "StageOp",
    "Stages",
]


def _decibels(value: float) -> str:
    return f"{value:.1f}"


class _Page:
    """What can be looked at in a browser."""

    _page: str

    def save(self, path: Path) -> None:
        """Writes a page for a browser, which needs no network. The file is there
        whole or not at all."""
        page = self._page.encode()
        write_file(path, lambda file: file.write(page))


# Layers ---------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Signal:
    """How far numbers are from the exact ones."""

    #: 10 log10(sum x^2 / sum (x - y)^2) in dB; infinite if nothing differs.
    sqnr: float
    cosine: float
    max_difference: float


@dataclasses.dataclass(frozen=True)
class QuantizedRange:
    """The integers of a result, and the numbers that they reach from and to."""

    #: As MLIR has it: "ui8".
    dtype: str
    scale: float
    zero_point: int
    lowest: float
    highest: float


@dataclasses.dataclass(frozen=True)
class LayerError:
    """One operator of the float network, or one of its inputs."""

    name: str
    #: "conv2d+relu"; "input" of an input.
    kind: str
    #: What computes it in the other network; empty if it wasn't found there.
    kernel: str
    #: How an entry of a qconfig mapping selects it: `module_name "conv1"`.
    selector: str
    #: Numbers of the operators, in the order of the code, whose results it reads.
    inputs: Tuple[int, ...]
    #: -1 of a dimension that is dynamic.
    shape: Tuple[int, ...]
    macs: int
    #: Of its result if nothing else is quantized; with all before it; and what
    #: rounding its inputs has no part in. None if it wasn't found.
    local: Optional[Signal]
    cumulative: Optional[Signal]
    own: Optional[Signal]
    #: Parts of its own squared error.
    weight_percent: float
    bias_percent: float
    clip_percent: float
    round_percent: float
    #: None if its result is float.
    range: Optional[QuantizedRange]
    #: Noise over signal that it causes: what is ranked by.
    score: float
    #: "weight", "clipping", ...; empty if there is nothing to say.
    cause: str
    reason: str
    #: An entry of a qconfig mapping or of a calibration table; may be empty.
    suggestion: str


_LAYER_COLUMNS = (
    ("operator", "kind", "local dB", "cumulative dB")
    + ("weight%", "bias%", "clip%", "round%")
    + ("cause", "suggestion")
)


@dataclasses.dataclass(frozen=True)
class LayerReport(_Page):
    """How a quantized network differs from the float one, operator by operator.
    A table when it is printed, also in a notebook."""

    #: Of the results.
    outputs: List[Difference]
    #: In what share of the samples the float and the quantized network have
    #: the right class, for each result that is a row of scores; with labels.
    accuracies: List[Optional[Tuple[float, float]]]
    #: The worst first.
    layers: List[LayerError]
    #: Names of the operators that the other network doesn't have.
    missing: List[str]
    _page: str = dataclasses.field(repr=False)

    def __iter__(self) -> Iterator[LayerError]:
        return iter(self.layers)

    def __len__(self) -> int:
        return len(self.layers)

    def __getitem__(self, name: str) -> LayerError:
        """The operator `name`."""
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise KeyError(f"no operator '{name}'; there are {self._names()}")

    def _names(self) -> str:
        return ", ".join(layer.name for layer in self.layers)

    def rows(self) -> List[Tuple[str, ...]]:
        def sqnr(signal: Optional[Signal]) -> str:
            return "" if signal is None else _decibels(signal.sqnr)

        return [
            (layer.name, layer.kind, sqnr(layer.local), sqnr(layer.cumulative))
            + tuple(
                f"{part:.0f}"
                for part in (
                    layer.weight_percent,
                    layer.bias_percent,
                    layer.clip_percent,
                    layer.round_percent,
                )
            )
            + (layer.cause, layer.suggestion)
            for layer in self.layers
        ]

    def __str__(self) -> str:
        outputs = "\n".join(map(str, self.outputs))
        return f"{outputs}\n{text_table(_LAYER_COLUMNS, self.rows())}"

    def _repr_html_(self) -> str:
        return html_table(_LAYER_COLUMNS, self.rows())


def layer_report_of(values: Dict[str, Any], page: str) -> LayerReport:
    operators = [_layer_of(entry) for entry in values["operators"]]
    ranking = values["ranking"]
    # Of inputs that nothing differs of there is nothing to find.
    ranked = set(ranking)
    ranking += [
        i for i, op in enumerate(operators) if i not in ranked and op.cumulative
    ]
    accuracies = [entry.pop("accuracy", None) for entry in values["outputs"]]
    return LayerReport(
        [difference_of(entry) for entry in values["outputs"]],
        [None if found is None else (found[0], found[1]) for found in accuracies],
        [operators[i] for i in ranking],
        values["missing"],
        page,
    )


def _layer_of(entry: Dict[str, Any]) -> LayerError:
    values = dict(entry)
    for key in ("local", "cumulative", "own"):
        signal = values[key]
        if signal is not None:
            values[key] = Signal(**{**signal, "sqnr": sqnr_of(signal["sqnr"])})
    if values["range"] is not None:
        values["range"] = QuantizedRange(**values["range"])
    if values["score"] is None:
        values["score"] = math.inf
    for key in ("inputs", "shape"):
        values[key] = tuple(values[key])
    return LayerError(**values)


# What is wrong --------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Fault:
    """What is wrong with an operator, or could be better, and what mends it."""

    operator: str
    kind: str
    cause: str
    reason: str
    #: Entries of a qconfig mapping; empty if nothing that was tried helps.
    suggestion: str
    #: What it gives in dB; None if it is not for the operator to mend.
    gain: Optional[float]
    #: The multiply-accumulates that it makes float.
    float_macs: int

    def __str__(self) -> str:
        text = f"{self.operator} ({self.kind}): {self.reason}"
        if self.suggestion:
            text += "".join(f"\n   {line}" for line in self.suggestion.splitlines())
            text += "" if self.gain is None else f"\n   tried: {self.gain:+.2f} dB"
            text += f", {self.float_macs} MACs in float" if self.float_macs else ""
        return text


@dataclasses.dataclass(frozen=True)
class Diagnosis:
    """Whether anything is wrong with a quantized network, and what mends it. True if
    something is."""

    is_wrong: bool
    #: Of the results.
    outputs: List[Difference]
    #: Of the worst result in dB: as it is, and calibrated on the samples at hand.
    sqnr: float
    calibrated_sqnr: float
    #: Whether the ranges are those of other data.
    is_calibration_wrong: bool
    #: The culprit first; and what is no fault.
    faults: List[Fault]
    improvements: List[Fault]
    #: With all that helps together, and what of it stays float.
    mended_sqnr: float
    float_operators: List[str]
    #: The text of a file for `qconfig=`; empty if no mapping helps.
    mapping: str = dataclasses.field(repr=False)

    def __bool__(self) -> bool:
        return self.is_wrong

    def __str__(self) -> str:
        lines = [str(output) for output in self.outputs]
        lines.append("wrong:" if self.is_wrong else "nothing is wrong")
        if self.is_calibration_wrong:
            lines.append(
                f"calibration: that of these samples gives {self.calibrated_sqnr:.2f} "
                "dB; calibrate again, with samples like these"
            )
        for title, found in (
            ("", self.faults),
            ("could be better:", self.improvements),
        ):
            if found and title:
                lines.append(title)
            lines += [f"{i}. {fault}" for i, fault in enumerate(found, 1)]
        if self.mapping:
            kept = ", ".join(self.float_operators)
            lines.append(
                f"all that helps together: SQNR {self.mended_sqnr:.2f} dB"
                + (f"; float: {kept}" if kept else "")
            )
        return "\n".join(lines)

    def save(self, path: Path) -> None:
        """Writes the mapping, which `quantize(qconfig=path)` takes; a ValueError if no
        mapping helps."""
        if not self.mapping:
            raise ValueError("no mapping mends anything")
        text = self.mapping.encode()
        write_file(path, lambda file: file.write(text))


def diagnosis_of(values: Dict[str, Any]) -> Diagnosis:
    values = dict(values)
    for output in values["outputs"]:
        output.pop("accuracy", None)
    values["outputs"] = [difference_of(entry) for entry in values["outputs"]]
    for key in ("sqnr", "calibrated_sqnr", "mended_sqnr"):
        values[key] = sqnr_of(values[key])
    for key in ("faults", "improvements"):
        for entry in values[key]:
            del entry["score"]
            entry.setdefault("gain", None)
        values[key] = [Fault(**entry) for entry in values[key]]
    return Diagnosis(**values)


# Cost -----------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class OperatorCost:
    """One operator. A dynamic extent counts as 1."""

    name: str
    kind: str
    #: Multiply-accumulates, and other operations.
    integer_macs: int
    real_macs: int
    operations: int
    #: Of activations, and of constants.
    read_bytes: int
    written_bytes: int
    parameter_bytes: int
    #: Between floats and integers, or integers of other parameters.
    is_conversion: bool
    #: Whether it computes on floats.
    is_real: bool
    predicted_seconds: float
    #: Mean over the samples; None if there were none.
    measured_seconds: Optional[float]

    @property
    def bytes_moved(self) -> int:
        return self.read_bytes + self.written_bytes + self.parameter_bytes


@dataclasses.dataclass(frozen=True)
class RealIsland:
    """Float operators side by side, with integers on some side of them."""

    operators: Tuple[OperatorCost, ...]
    conversions: Tuple[OperatorCost, ...]
    predicted_seconds: float


_COST_COLUMNS = ("operator", "kind", "integer MACs", "float MACs") + (
    "bytes",
    "predicted us",
    "measured us",
)


@dataclasses.dataclass(frozen=True)
class Cost:
    """What a network costs to run. A table when it is printed, the slowest operator
    first."""

    #: In the order of the code.
    operators: List[OperatorCost]
    #: The most expensive one first.
    islands: List[RealIsland]
    #: The most bytes of activations that are needed at once, and the operator that
    #: runs then.
    live_bytes: int
    live_at: str
    #: Of all constants.
    parameter_bytes: int

    def _sum(self, key: str) -> int:
        return sum(getattr(op, key) for op in self.operators)

    @property
    def integer_macs(self) -> int:
        return self._sum("integer_macs")

    @property
    def real_macs(self) -> int:
        return self._sum("real_macs")

    @property
    def bytes_moved(self) -> int:
        return self._sum("bytes_moved")

    @property
    def conversions(self) -> int:
        return self._sum("is_conversion")

    @property
    def predicted_seconds(self) -> float:
        return sum(op.predicted_seconds for op in self.operators)

    @property
    def measured_seconds(self) -> Optional[float]:
        times = [op.measured_seconds for op in self.operators]
        known = [time for time in times if time is not None]
        return sum(known) if known else None

    def rows(self) -> List[Tuple[str, ...]]:
        def time(op: OperatorCost) -> float:
            known = op.measured_seconds
            return op.predicted_seconds if known is None else known

        return [
            (op.name, op.kind, str(op.integer_macs), str(op.real_macs))
            + (str(op.bytes_moved), _microseconds(op.predicted_seconds))
            + (_microseconds(op.measured_seconds),)
            for op in sorted(self.operators, key=time, reverse=True)
        ]

    def __str__(self) -> str:
        totals = [
            ("multiply-accumulates of integers", str(self.integer_macs)),
            ("multiply-accumulates of floats", str(self.real_macs)),
            ("bytes moved", str(self.bytes_moved)),
            ("bytes of parameters", str(self.parameter_bytes)),
            ("bytes of activations at once", f"{self.live_bytes} at {self.live_at}"),
            ("conversions", str(self.conversions)),
            ("float islands", str(len(self.islands))),
            ("microseconds, predicted", _microseconds(self.predicted_seconds)),
            ("microseconds, measured", _microseconds(self.measured_seconds)),
        ]
        return (
            f"{text_table(('', ''), totals)}\n\n"
            f"{text_table(_COST_COLUMNS, self.rows())}"
        )

    def _repr_html_(self) -> str:
        return html_table(_COST_COLUMNS, self.rows())


def _microseconds(seconds: Optional[float]) -> str:
    return "-" if seconds is None else f"{seconds * 1e6:.1f}"


def cost_of(values: Dict[str, Any]) -> Cost:
    operators = [OperatorCost(**entry) for entry in values["operators"]]

    def chosen(numbers: Sequence[int]) -> Tuple[OperatorCost, ...]:
        return tuple(operators[i] for i in numbers)

    return Cost(
        operators,
        [
            RealIsland(
                chosen(island["operators"]),
                chosen(island["conversions"]),
                island["predicted_seconds"],
            )
            for island in values["islands"]
        ],
        values["live_bytes"],
        operators[values["live_at"]].name if operators else "",
        values["parameter_bytes"],
    )


# Stages ---------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class StageOp:
    """One op of a function."""

    #: As MLIR prints it, without large constants.
    text: str
    #: "conv2d+relu", "qnnpack.add".
    kind: str
    #: What it was made of: names and places of the code that came in.
    origins: Tuple[str, ...]
    #: Numbers of the ops that give its operands.
    operands: Tuple[int, ...]
    is_constant: bool


@dataclasses.dataclass(frozen=True)
class Stage:
    """The network as a pass left it."""

    #: The flag of the pass, and what it does in a phrase.
    name: str
    summary: str
    ops: Tuple[StageOp, ...]


@dataclasses.dataclass(frozen=True)
class Stages(_Page):
    """The network after each pass that changed it."""

    stages: List[Stage]
    _page: str = dataclasses.field(repr=False)

    def __iter__(self) -> Iterator[Stage]:
        return iter(self.stages)

    def __len__(self) -> int:
        return len(self.stages)

    def __str__(self) -> str:
        return "\n".join(
            f"{stage.name}: {stage.summary} ({len(stage.ops)} ops)"
            for stage in self.stages
        )


def stages_of(values: List[Dict[str, Any]], page: str) -> Stages:
    def op_of(entry: Dict[str, Any]) -> StageOp:
        lists = {key: tuple(entry[key]) for key in ("origins", "operands")}
        return StageOp(**{**entry, **lists})

    return Stages(
        [
            Stage(entry["pass"], entry["summary"], tuple(map(op_of, entry["ops"])))
            for entry in values
        ],
        page,
    )

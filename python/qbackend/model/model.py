# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks: loaded, calibrated, quantized, run, compared, saved."""

from __future__ import annotations

import dataclasses
import json
import os
from numbers import Integral
from typing import (
    Any,
    Dict,
    List,
    Optional,
    Sequence,
    SupportsBytes,
    Tuple,
    Union,
)

import numpy as np

from .._library import native
from ..configuration.pass_options import named_files, pass_options
from ..configuration.qconfig_mapping import QConfigMapping
from ..diagnostics import of_native, tell
from ..files import Path
from . import parts
from .analysis import Analyzed, Backend, QConfigLike, run_texts
from .cluster import Executor, cluster_of
from .exporters import FORMATS
from .reports import (
    Accuracy,
    Difference,
    Explanations,
    Summary,
    difference_of,
    explanation_of,
)
from .samples import (
    Array,
    Input,
    Progress,
    ProgressReport,
    Samples,
    Scale,
    count_of,
    list_of,
    numbers_text,
    scale_text,
    string_of,
    thread_count,
    to_array,
    to_classes,
)
from .sandbox import Remote

__all__ = ["Model", "QuantizedModel"]


#: A batch for observers of arrays that have all samples.
_BATCH_SAMPLES = 20


class Model(Analyzed):
    """A network, float or quantized: MLIR as text or bytecode of any stage,
    or what has `bytes` that are. `entry` is the function that is the network, by
    default `main`, `forward`, or the only public one; `name` is what places in the
    text are said to be in.

    Nothing changes a model but `calibrate`, which keeps what it has seen for
    `quantize`. Methods raise a CompilerError, a ValueError with `diagnostics`, for
    what the compiler refuses, and take Ctrl-C at any time.
    """

    def __init__(
        self,
        source: Union[str, bytes, SupportsBytes],
        entry: str = "",
        name: str = "",
    ):
        #: Until it is loaded.
        self._source: Union[str, bytes, SupportsBytes, None] = source
        self._entry, self._name = string_of("entry", entry), string_of("name", name)
        self._native: Any = None
        self._description: Optional[Dict[str, Any]] = None
        self._table: Optional[str] = None
        self._calibrated_for: Tuple[Backend, QConfigLike] = ("qnnpack", None)
        self._calibrated_sharing = "groups"
        self._made_for: Optional[Tuple[Backend, QConfigLike]] = None

    @classmethod
    def _of(cls, made: Any) -> Any:
        """The model of an object of the compiler's."""
        self = cls.__new__(cls)
        Model.__init__(self, b"")
        self._source, self._native = None, made
        return self

    def _bytes(self) -> bytes:
        """The module for the compiler."""
        source = self._source
        if isinstance(source, str):
            return source.encode()
        if isinstance(source, (bytes, bytearray, memoryview)) or hasattr(
            source, "__bytes__"
        ):
            return bytes(source)  # type: ignore[arg-type]
        raise TypeError(
            f"found a {type(source).__name__}, expected MLIR as text or bytecode; "
            "qbackend.load reads a file"
        )

    def _loaded(self) -> Any:
        if self._native is None:
            module = self._bytes()
            self._native = native().Model.load(module, self._name, self._entry)
            self._source = None
        return self._native

    def _describe(self) -> Dict[str, Any]:
        if self._description is None:
            self._description = json.loads(self._loaded().describe())
        return self._description

    # What it is -----------------------------------------------------------

    @property
    def inputs(self) -> List[Input]:
        """What the network takes, in order."""
        return [
            _input(i["name"], i, i["holds_samples"]) for i in self._describe()["inputs"]
        ]

    @property
    def entry(self) -> str:
        """The function that is the network."""
        entry: str = self._describe()["entry"]
        return entry

    @property
    def outputs(self) -> List[Input]:
        """What the network gives, in order."""
        return [
            _input(f"output{i}", output, True)
            for i, output in enumerate(self._describe()["outputs"])
        ]

    def text(self) -> str:
        """The module as text, with the places of operators."""
        text: str = self._loaded().text()
        return text

    def bytecode(self) -> bytes:
        """The module as MLIR bytecode."""
        result: bytes = self._loaded().bytecode()
        return result

    def __bytes__(self) -> bytes:
        return self.bytecode()

    def __repr__(self) -> str:
        sides = [
            ", ".join(value.describe() for value in values) or "nothing"
            for values in (self.inputs, self.outputs)
        ]
        return f"<{type(self).__name__} from {sides[0]} to {sides[1]}>"

    #: What a pickle has beside the module.
    _PICKLED: Tuple[str, ...] = (
        *("_entry", "_table", "_calibrated_for", "_calibrated_sharing", "_made_for"),
    )

    def __getstate__(self) -> Dict[str, Any]:
        state = {name: getattr(self, name) for name in self._PICKLED}
        return {**state, "_source": self._sent().bytecode}

    def __copy__(self) -> "Model":
        made = type(self).__new__(type(self))
        vars(made).update(vars(self))
        return made

    def __setstate__(self, state: Dict[str, Any]) -> None:
        Model.__init__(self, b"")
        vars(self).update(state)

    def _sent(self) -> parts.Sent:
        return parts.Sent(self._loaded(), self.bytecode(), self._entry)

    def save(self, path: Path) -> None:
        """Writes the network: MLIR as text (`.mlir`) or bytecode (`.mlirbc`), or an
        object file for this machine with a C header beside it (`.o`), see
        docs/Pipeline.md. A file is there whole or not at all."""
        name = os.fsdecode(path)
        suffix = os.path.splitext(name)[1]
        if suffix not in FORMATS:
            raise ValueError(
                f"'{name}' ends in '{suffix}', expected one of {', '.join(FORMATS)}"
            )
        if suffix in (".o", ".onnx") and isinstance(self._loaded(), Remote):
            raise ValueError(
                f"'{name}' would be compiled outside of the model's sandbox; save it as "
                ".mlirbc, and load that without sandbox=True if it is to be trusted"
            )
        if not os.path.isdir(os.path.dirname(name) or "."):
            raise FileNotFoundError(f"the folder of '{name}' isn't there")
        FORMATS[suffix](self, name)

    # Running --------------------------------------------------------------

    def run(
        self,
        *arrays: Any,
        input_scale: Scale = None,
        threads: int = 0,
        sample_arguments: Optional[Sequence[int]] = None,
        contract: bool = False,
        **named: Any,
    ) -> Any:
        """The results for samples: an array for each input in order, or by name,
        whose leading dimension counts them. One array, or a tuple of several.

        The network runs on batches of the size that it was exported with, on
        `threads` threads (0: one for each core), without Python's lock. An array
        of the input's type is read where it is. `input_scale` is what integers for
        a float input are multiplied by: "1/255" for images. With `contract`,
        products of floats aren't rounded before they are added: faster, with
        last bits that depend on the processor; integers don't.
        """
        inputs = self.inputs
        given = list(arrays)
        for entry in inputs[len(given) :]:
            if entry.name not in named:
                raise TypeError(
                    f"no array for {entry.describe()}; the network takes "
                    + (", ".join(i.describe() for i in inputs))
                )
            given.append(named.pop(entry.name))
        if named or len(given) > len(inputs):
            extra = ", ".join(named) or f"{len(given)} arrays"
            raise TypeError(
                f"found {extra}, the network takes "
                + (", ".join(i.describe() for i in inputs) or "nothing")
            )
        results = self._run(
            [to_array(a, f"'{i.name}'") for i, a in zip(inputs, given)],
            input_scale,
            threads,
            sample_arguments,
            contract,
        )
        return results[0] if len(results) == 1 else tuple(results)

    __call__ = run

    def _run(
        self,
        arrays: List[Array],
        input_scale: Scale,
        threads: int,
        sample_arguments: Optional[Sequence[int]],
        contract: bool = False,
    ) -> List[Array]:
        results: List[Array] = self._loaded().run(
            arrays,
            scale_text(input_scale),
            numbers_text(sample_arguments),
            thread_count(threads),
            contract,
        )
        return results

    def evaluate(
        self,
        data: Any,
        labels: Any = None,
        *,
        input_scale: Scale = None,
        threads: int = 0,
        progress: Progress = False,
        executor: Executor = None,
    ) -> Accuracy:
        """The share of samples whose largest score, of the first result, is that of
        the right class. `data` as in `calibrate`; without `labels`, each of its items
        is a tuple with them at the end, as a loader of PyTorch gives them. With
        `executor`, on its workers (docs/Cluster.md)."""
        samples = parts.source_of(data, self.inputs, executor, labels is None)
        report = ProgressReport("evaluating", progress, samples.size())
        expected = None if labels is None else to_classes(labels)
        if executor is not None:
            arguments = [scale_text(input_scale), "", thread_count(threads), False]
            return Accuracy(
                *parts.evaluate(
                    cluster_of(executor),
                    self._sent(),
                    arguments,
                    samples,
                    expected,
                    report,
                )
            )
        correct = total = 0
        for batch in samples.blocks():
            scores = self._run(batch.arrays, input_scale, threads, None)[0]
            right = batch.labels
            if expected is not None:
                right = expected[total : total + len(scores)]
                if len(right) != len(scores):
                    break
            correct += parts.count_right(scores, right)
            total += len(scores)
            report.advance(len(scores))
        else:
            report.finish()
            if total == 0:
                raise ValueError("the data has no samples; give at least one")
            if expected is None or len(expected) == total:
                return Accuracy(correct, total)
        raise ValueError(f"there are {len(expected)} labels, and not as many samples")

    def compare(
        self,
        other: "Model",
        data: Any,
        *,
        input_scale: Scale = None,
        threads: int = 0,
        progress: Progress = False,
    ) -> List[Difference]:
        """How each result differs from that of `other`, which is taken for right, on
        `data` as in `calibrate`. The results of all samples are held in memory."""
        if not isinstance(other, Model):
            raise TypeError(
                f"found a {type(other).__name__} to compare with, expected a Model"
            )
        samples = Samples(data, self.inputs)
        report = ProgressReport("comparing", progress, samples.size())
        results: Tuple[List[List[Array]], List[List[Array]]] = ([], [])
        for batch in samples.blocks():
            for model, found in zip((other, self), results):
                found.append(model._run(batch.arrays, input_scale, threads, None))
            report.advance(batch.count)
        report.finish()
        if not results[0]:
            raise ValueError("the data has no samples; give at least one")
        base, mine = ([np.concatenate(r) for r in zip(*found)] for found in results)
        return [difference_of(d) for d in json.loads(native().compare(base, mine))]

    # Quantizing -----------------------------------------------------------

    def calibrate(
        self,
        data: Any,
        progress: Progress = False,
        *,
        samples: Optional[int] = None,
        backend: Backend = "qnnpack",
        qconfig: QConfigLike = None,
        input_scale: Scale = None,
        sample_arguments: Optional[Sequence[int]] = None,
        batch_size: Optional[int] = None,
        non_finite: str = "error",
        threads: int = 0,
        sharing: str = "groups",
        statistics: str = "ordered",
        for_corrections: bool = False,
        source: str = "memory",
        executor: Executor = None,
    ) -> "Model":
        """Runs the float network on samples and keeps what its tensors hold.

        `data` is an array for a network of one input, a dictionary of arrays by the
        names of inputs, a tuple of arrays in their order, or an iterable of any of
        these: a list, a generator, a DataLoader of PyTorch. Arrays count samples
        with their leading dimension, or are one sample without it. What follows
        the inputs in a tuple, labels, is left out. Samples are taken as they are
        needed: memory doesn't depend on how many there are.

        The observers are those of `backend` and `qconfig`; `quantize` takes them too
        unless it is told others, which get as much as these have recorded.
        Observers that average see the batches as they come: each item of an iterable is
        one, as in a loop of PyTorch, and every 20 samples of whole arrays. With
        `batch_size`, every so many samples are one, however they come. `non_finite` can
        be "ignore"; `sharing` "fx", as `quantize` has it then, too: averages are of the
        values that share an observer. `progress` shows a line, or is a function of what
        is done and the total. Returns the model.

        `statistics` are "ordered", PyTorch's, or "mergeable": histograms are then
        counts on a grid, and averages follow from the range of each batch, so that
        parts of the samples give the same table in any order. With `executor`, parts
        run on its workers (docs/Cluster.md), which takes mergeable ones where observers
        depend on the order. With `for_corrections`, sums over what layers read are
        kept, so that `quantize(corrections=...)` needs no samples. `source` is what
        the table calls the data: tables merge if no sample of one source is in two.
        """
        if non_finite not in ("error", "ignore"):
            raise ValueError(f"non_finite is {non_finite!r}, expected error or ignore")
        if batch_size is not None:
            batch_size = count_of("batch_size", batch_size, 1)
        if samples is not None:
            samples = count_of("samples", samples, 1)
        backend, qconfig = named_files(backend, qconfig)
        inputs = self._sample_inputs(sample_arguments)
        given = parts.source_of(data, inputs, executor)
        total = given.size()
        batch = batch_size or (_BATCH_SAMPLES if given.is_one else None)
        if samples is not None:
            total = samples if total is None else min(total, samples)
        texts = self._configuration(backend, qconfig)
        texts.update(
            run_texts(input_scale, sample_arguments),
            source=str(source),
            sharing=sharing,
            statistics=statistics,
        )
        numbers: Dict[str, Optional[float]] = {
            "batch_size": batch or -1,
            "ignore_non_finite": non_finite == "ignore",
            "threads": thread_count(threads),
            "for_corrections": bool(for_corrections),
        }
        report = ProgressReport("calibrating", progress, total)
        if executor is not None:
            workers, sent = cluster_of(executor), self._sent()
            self._table = parts.calibrate(
                workers, sent, texts, numbers, given, batch, samples, report
            )
        else:
            loaded = self._loaded()
            if isinstance(loaded, Remote):
                arguments = [loaded, texts, numbers]
                run = loaded.sandbox.ask(None, "Calibration", arguments)
            else:
                run = native().Calibration(loaded, texts, numbers)
            parts.add_samples(run, given, batch, samples, report)
            self._table = run.table()
        self._calibrated_for = (backend, qconfig)
        self._calibrated_sharing = sharing
        return self

    @property
    def calibration(self) -> Optional[str]:
        """What `calibrate` has seen, as a calibration table (docs/Calibration.md);
        None before. It can be set, to a table of another run."""
        return self._table

    @calibration.setter
    def calibration(self, table: Optional[str]) -> None:
        if table is not None and not table.lstrip().startswith("{"):
            raise ValueError("expected the text of a calibration table, a JSON object")
        self._table = table and table.lstrip()
        self._calibrated_sharing = "groups"

    def quantize(
        self,
        backend: Optional[Backend] = None,
        qconfig: QConfigLike = None,
        keep_float: Sequence[str] = (),
        *,
        equalization: Union[str, QConfigMapping, Dict[str, Any], None] = None,
        prepare_custom_config: Any = None,
        **options: Any,
    ) -> "QuantizedModel":
        """The network in integers, by what `calibrate` has seen. The model itself
        stays as it is.

        `backend` is the name of a built-in one, the path of a file or a
        BackendConfig; `qconfig` the name of one of its mappings, a QConfigMapping,
        its dictionary or its JSON document. By default they are those of
        `calibrate`. `keep_float` are names of operators, or of modules with all in
        them, that stay float. Other keys are those of docs/Pipeline.md, with
        underscores: `lower_to="linalg"`, `require_quantized=95`. The compiler's
        warnings are Python's.
        """
        kept = list_of("keep_float", keep_float, str, "names")
        if backend is None:
            backend, calibrated = self._calibrated_for
            qconfig = calibrated if qconfig is None else qconfig
        backend, qconfig = named_files(backend, qconfig)
        module = self._module(backend, qconfig)
        if kept:
            options["keep_float"] = ",".join(kept)
        if self._entry:
            options.setdefault("entry", self._entry)
        table = "" if "calibration" in options else self._table or ""
        if table and self._calibrated_sharing != "groups":
            options.setdefault("sharing", self._calibrated_sharing)
        configuration, text = pass_options(
            module,
            backend,
            qconfig,
            prepare_custom_config=prepare_custom_config,
            equalization=equalization,
            options=options,
        )
        made, said = self._loaded().quantize(configuration, text, table)
        result: QuantizedModel = QuantizedModel._of(made)
        result._bytes_before = self._describe()["constant_bytes"]
        result._made_for = (backend, qconfig)
        tell(of_native(said), stacklevel=2)
        return result

    def _module(self, *names: Any) -> bytes:
        """The module as text, if one of `names` is to be looked up in it."""
        if any(isinstance(name, str) and name.startswith("@") for name in names):
            return self.text().encode()
        return b""

    def _sample_inputs(self, sample_arguments: Optional[Sequence[int]]) -> List[Input]:
        inputs = self.inputs
        if sample_arguments is None:
            return inputs
        for number in list_of("sample_arguments", sample_arguments, Integral, "numbers"):
            if not 0 <= number < len(inputs):
                raise ValueError(
                    f"sample_arguments has {number}, the inputs are 0 to "
                    f"{len(inputs) - 1}"
                )
        return [
            dataclasses.replace(i, holds_samples=number in sample_arguments)
            for number, i in enumerate(inputs)
        ]


class QuantizedModel(Model):
    """What `Model.quantize` gives: a network in integers."""

    _bytes_before = 0
    #: Of a pickled one, what `explain` tells.
    _explained: Optional[str] = None

    _PICKLED = (*Model._PICKLED, "_bytes_before")

    def __getstate__(self) -> Dict[str, Any]:
        return {**super().__getstate__(), "_explained": self._explain()}

    def _explain(self) -> str:
        if self._explained is None:
            self._explained = self._loaded().explain()
        return self._explained

    def explain(self) -> Explanations:
        """What became of each operator, in the order of the code; and what else is
        to be said. A table when it is printed, or in a notebook."""
        return Explanations(
            explanation_of(entry) for entry in json.loads(self._explain())
        )

    def summary(self) -> Summary:
        """How much was quantized, and what it saves."""
        operators: Dict[str, int] = {}
        integer = real = 0
        for row in self.explain():
            if row.verdict == "remark":
                continue
            operators[row.verdict] = operators.get(row.verdict, 0) + 1
            if row.is_quantized:
                integer += row.macs
            else:
                real += row.macs
        return Summary(
            self._bytes_before,
            self._describe()["constant_bytes"],
            operators,
            integer,
            real,
        )


def _input(name: str, entry: Dict[str, Any], holds_samples: bool) -> Input:
    return Input(
        name,
        entry["type"],
        tuple(entry["shape"]),
        holds_samples,
        entry.get("scale"),
        entry.get("zero_point"),
    )

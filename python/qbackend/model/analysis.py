# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a network can be asked about itself: errors of layers, sensitivity, cost, a
mapping that keeps its accuracy, one operator, all stages."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import zipfile
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from ..configuration.backend_config import BackendConfig
from ..configuration.pass_options import named_files, pass_options
from ..configuration.qconfig_mapping import QConfigMapping
from ..diagnostics import of_native, tell
from ..files import Path, temporary_folder
from . import parts
from .analyses import (
    Cost,
    Diagnosis,
    LayerReport,
    Stages,
    cost_of,
    diagnosis_of,
    layer_report_of,
    stages_of,
)
from .cluster import Executor, cluster_of
from .samples import (
    Array,
    Input,
    Progress,
    ProgressReport,
    Samples,
    Scale,
    numbers_text,
    scale_text,
    thread_count,
    to_classes,
)
from .sensitivities import Sensitivity, Tuned, sensitivity_of, tuned_of

Backend = Union[Path, BackendConfig]
QConfigLike = Union[Path, QConfigMapping, Dict[str, Any], None]


class Analyzed:
    """The part of a Model that says what it does. Samples are as in `calibrate`; all
    of them are held in memory."""

    _entry: str
    _table: Optional[str]
    _calibrated_for: Tuple[Backend, QConfigLike]
    _calibrated_sharing: str
    #: What `quantize` made it for; None of other networks.
    _made_for: Optional[Tuple[Backend, QConfigLike]]

    @property
    def inputs(self) -> List[Input]:
        raise NotImplementedError

    def _loaded(self) -> Any:
        raise NotImplementedError

    def _sent(self) -> parts.Sent:
        raise NotImplementedError

    def _sample_inputs(self, sample_arguments: Optional[Sequence[int]]) -> List[Input]:
        raise NotImplementedError

    def _module(self, *names: Any) -> bytes:
        raise NotImplementedError

    def compare_layers(
        self,
        other: "Analyzed",
        data: Any,
        labels: Any = None,
        *,
        backend: Optional[Backend] = None,
        qconfig: QConfigLike = None,
        input_scale: Scale = None,
        sample_arguments: Optional[Sequence[int]] = None,
        threads: int = 0,
        title: str = "",
        progress: Progress = False,
        executor: Executor = None,
    ) -> LayerReport:
        """The error of each operator against `other`, float or of integers as this
        one, which is taken for right: where it is, what causes it, what to change
        (docs/Reports.md). Without `labels` there is no accuracy. `backend` and
        `qconfig` say how the operators of `other` are fused; by default those that
        this network was quantized for, else those that `other` was calibrated for.
        `save` of the result writes a page, which calls the network `title`. With `executor`, parts of the samples
        run on its workers (docs/Cluster.md), and `progress` is of parts."""
        if not isinstance(other, Analyzed):
            raise TypeError(
                f"found a {type(other).__name__} to compare with, expected a Model"
            )
        if backend is None and self._made_for is not None:
            backend, made = self._made_for
            qconfig = made if qconfig is None else qconfig
        texts = other._configuration(backend, qconfig)
        with other._files(data, labels, None, sample_arguments) as paths:
            texts.update(run_texts(input_scale, sample_arguments), title=title)
            inputs = other._sample_inputs(sample_arguments)
            analysis = parts.Analysis(
                "compare_operators",
                texts,
                paths,
                {"threads": thread_count(threads)},
                batches=parts.count_batches(paths["samples"], inputs),
            )
            found = other._analyze(analysis, progress, executor, self)
        text, page = _told(found)
        return layer_report_of(json.loads(text), page)

    def doctor(
        self,
        data: Any,
        labels: Any = None,
        *,
        quantized: Optional["Analyzed"] = None,
        calibration_data: Any = None,
        backend: Optional[Backend] = None,
        qconfig: QConfigLike = None,
        input_scale: Scale = None,
        sample_arguments: Optional[Sequence[int]] = None,
        threads: int = 0,
    ) -> Diagnosis:
        """Whether anything is wrong with this float network when it is quantized, or
        with `quantized`, its quantized form, on `data`; what, and what mends it, each
        suggestion tried (docs/Reports.md). Ranges are those of `calibration_data`,
        else those of `calibrate`, else of `data`. `save` of the result writes the
        mapping that mends it, which `quantize` takes as `qconfig`."""
        if quantized is not None and not isinstance(quantized, Analyzed):
            raise TypeError(
                f"quantized is a {type(quantized).__name__}, expected a Model"
            )
        if quantized is not None and backend is None and quantized._made_for:
            backend, made = quantized._made_for
            qconfig = made if qconfig is None else qconfig
        texts = self._configuration(backend, qconfig)
        if calibration_data is None:
            texts["table"] = self._table_of_groups()
        with self._files(data, labels, calibration_data, sample_arguments) as paths:
            texts.update(paths, **run_texts(input_scale, sample_arguments))
            found = self._loaded().report(
                "diagnose",
                None if quantized is None else quantized._loaded(),
                texts,
                {"threads": thread_count(threads)},
            )
        return diagnosis_of(json.loads(_told(found)[0]))

    def sensitivity(
        self,
        data: Any,
        labels: Any = None,
        *,
        changes: bool = False,
        backend: Optional[Backend] = None,
        qconfig: QConfigLike = None,
        input_scale: Scale = None,
        sample_arguments: Optional[Sequence[int]] = None,
        threads: int = 0,
        progress: Progress = False,
        executor: Executor = None,
    ) -> Sensitivity:
        """What it costs to quantize each operator of this float network, alone
        and with all others (docs/Tuning.md). Ranges are those of `calibrate`, else of
        `data`. With n operators the network runs 3 n - 1 times. With `changes`, also
        what per-channel weights, other observers and each correction give, one at a
        time; those that take samples are left out where a table lacks what they take.
        With `executor`, all of it is measured on its workers (docs/Cluster.md), and
        `progress` is of parts of that."""
        texts = self._configuration(backend, qconfig)
        texts["table"] = self._table_of_groups()
        texts.update(run_texts(input_scale, sample_arguments))
        with self._files(data, labels, None, sample_arguments) as paths:
            numbers: Dict[str, Optional[float]] = {
                "threads": thread_count(threads),
                "changes": changes,
            }
            analysis = parts.Analysis("find_sensitivity", texts, paths, numbers)
            found = self._analyze(analysis, progress, executor)
        return sensitivity_of(json.loads(_told(found)[0]))

    def tune(
        self,
        data: Any,
        path: Path,
        labels: Any = None,
        *,
        keep_sqnr: Optional[float] = None,
        keep_accuracy: Optional[float] = None,
        max_seconds: Optional[float] = None,
        target_latency: Optional[float] = None,
        calibration_data: Any = None,
        resume: bool = False,
        backend: Optional[Backend] = None,
        qconfig: QConfigLike = None,
        input_scale: Scale = None,
        sample_arguments: Optional[Sequence[int]] = None,
        threads: int = 0,
        progress: Progress = False,
        executor: Executor = None,
    ) -> Tuned:
        """Writes to `path`, which ends with .mlir, a small change of the qconfig
        mapping that keeps an SQNR of `keep_sqnr` dB on `data`, an accuracy at most
        `keep_accuracy` points of a hundred below the float network's, or both
        (docs/Tuning.md). It searches on three of four samples, and what is held
        holds on the others, too. The file is the best so far at any time; `quantize`
        takes it as `qconfig`.

        `target_latency` is what a call may take, and `max_seconds` when to stop, in
        seconds. Ranges are those of `calibration_data`, on which corrections run too,
        else those of `calibrate`, else of `data`. `resume` goes on from what a search
        on the same data that was stopped left beside `path`. With `executor`, changes
        and sets of operators are measured on its workers (docs/Cluster.md), and
        `progress` is of parts of that; times of calls are those of this machine.
        """
        name = os.fsdecode(path)
        if not name.endswith(".mlir"):
            raise ValueError(
                f"path is '{name}', expected a name that ends with .mlir, which "
                "quantize takes for a file"
            )
        if not os.path.isdir(os.path.dirname(name) or "."):
            raise FileNotFoundError(f"the folder of '{name}' isn't there")
        for key, value in (
            ("max_seconds", max_seconds),
            ("target_latency", target_latency),
        ):
            if value is not None and not value > 0:
                raise ValueError(f"{key} is {value}, expected seconds above 0")
        if keep_sqnr is None and keep_accuracy is None:
            raise ValueError(
                "say what is to be kept: keep_sqnr=30 (dB) or keep_accuracy=0.2 "
                "(points)"
            )
        if keep_accuracy is not None and labels is None:
            raise ValueError("keep_accuracy needs the right classes: pass labels")
        if executor is not None and max_seconds is not None:
            raise ValueError(
                "max_seconds has no effect on workers; leave it out, or executor"
            )
        texts = self._configuration(backend, qconfig)
        if calibration_data is None:
            texts["table"] = self._table_of_groups()
        with self._files(data, labels, calibration_data, sample_arguments) as paths:
            texts.update(run_texts(input_scale, sample_arguments))
            numbers: Dict[str, Optional[float]] = {
                "threads": thread_count(threads),
                "keep_sqnr": keep_sqnr,
                "keep_accuracy": keep_accuracy,
            }
            if executor is not None:
                # Nothing that is measured there depends on times.
                asked = parts.Analysis("tune", texts, paths, numbers)
                texts["parts"] = self._measure(asked, progress, executor)
            texts["path"] = name
            numbers.update(
                max_seconds=max_seconds, target_seconds=target_latency, resume=resume
            )
            found = self._analyze(parts.Analysis("tune", texts, paths, numbers))
        return tuned_of(json.loads(_told(found)[0]), name)

    def cost(
        self,
        data: Any = None,
        *,
        input_scale: Scale = None,
        sample_arguments: Optional[Sequence[int]] = None,
    ) -> Cost:
        """What the network, float or quantized, costs to run: arithmetic, bytes,
        conversions, memory, and the predicted time of each operator; on `data`, of
        two samples or more, the measured time too (docs/Reports.md)."""
        if data is None:
            return cost_of(json.loads(self._report("find_cost", {})[0]))
        with self._files(data, None, None, sample_arguments) as paths:
            texts = {**paths, **run_texts(input_scale, sample_arguments)}
            return cost_of(json.loads(self._report("find_cost", texts)[0]))

    def explain_operator(
        self,
        name: str,
        backend: Optional[Backend] = None,
        qconfig: QConfigLike = None,
        **options: Any,
    ) -> str:
        """All about one operator of this float network, as text: where it was
        recognised, its pattern, its qconfig and where that came from, its observers
        and who shares them, ranges, its kernel, remarks. Other keys are those of
        `quantize`. Ranges and the kernel need `calibrate` before."""
        with self._table_file({"explain": name, **options}) as keys:
            texts = self._configuration(backend, qconfig, keys)
            return self._report("explain_operator", texts)[0]

    def stages(
        self,
        backend: Optional[Backend] = None,
        qconfig: QConfigLike = None,
        title: str = "",
        **options: Any,
    ) -> Stages:
        """The network after each pass of `quantize` that changed it. Other keys are
        those of `quantize`. `save` of the result writes a page, which calls the
        network `title`."""
        with self._table_file(options) as keys:
            texts = self._configuration(backend, qconfig, keys)
            text, page = self._report("record_stages", {**texts, "title": title})
        return stages_of(json.loads(text), page)

    def _report(self, kind: str, texts: Dict[str, str]) -> Tuple[str, str]:
        return _told(self._loaded().report(kind, None, texts, {}), stacklevel=4)

    def _measure(
        self,
        analysis: parts.Analysis,
        progress: Progress,
        executor: Executor,
    ) -> str:
        report = ProgressReport("measuring", progress, None, "parts")
        return parts.measure(cluster_of(executor), self._sent(), analysis, report)

    def _analyze(
        self,
        analysis: parts.Analysis,
        progress: Progress = False,
        executor: Executor = None,
        other: Optional["Analyzed"] = None,
    ) -> Tuple[str, Optional[str], List[Any]]:
        """What the compiler finds, by parts on workers if there are some."""
        if executor is not None:
            sent = None if other is None else other._sent()
            known = self._measure(
                dataclasses.replace(analysis, other=sent), progress, executor
            )
            texts = {**analysis.texts, "parts": known}
            analysis = dataclasses.replace(analysis, texts=texts)
        loaded = None if other is None else other._loaded()
        found: Tuple[str, Optional[str], List[Any]] = analysis.ask(
            self._loaded(), loaded
        )
        return found

    def _configuration(
        self,
        backend: Optional[Backend],
        qconfig: QConfigLike,
        options: Optional[Dict[str, Any]] = None,
    ) -> Dict[str, str]:
        """The texts that say how the network is quantized; those of `quantize` for
        its keys, if there are any."""
        if backend is None:
            backend, calibrated = self._calibrated_for
            qconfig = calibrated if qconfig is None else qconfig
        backend, qconfig = named_files(backend, qconfig)
        if self._entry and options is not None:
            options.setdefault("entry", self._entry)
        configuration, text = pass_options(
            self._module(backend, qconfig), backend, qconfig, options=options or {}
        )
        if options is not None:
            return {"configuration": configuration, "options": text}
        name = backend if isinstance(backend, str) else f"@{backend.name}"
        mapping = ""
        if isinstance(qconfig, str) and not qconfig.lstrip().startswith("{"):
            mapping = qconfig
        elif qconfig is not None:
            mapping = "@python_qconfig"
        return {
            "backend": name,
            "qconfig": mapping,
            "configuration": configuration,
        }

    def _table_of_groups(self) -> str:
        """The ranges of `calibrate` for what has no option `sharing`."""
        if self._table and self._calibrated_sharing != "groups":
            raise ValueError(
                "the ranges are those of calibrate with "
                f"sharing='{self._calibrated_sharing}', expected sharing='groups': "
                "calibrate again with that"
            )
        return self._table or ""

    @contextlib.contextmanager
    def _table_file(self, options: Dict[str, Any]) -> Iterator[Dict[str, Any]]:
        """`options` with the ranges of `calibrate`, unless they have some."""
        if self._table is None or "calibration" in options or "data" in options:
            yield dict(options)
            return
        if self._calibrated_sharing != "groups":
            options = {"sharing": self._calibrated_sharing, **options}
        with temporary_folder() as folder:
            path = os.path.join(folder, "table.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(self._table)
            yield dict(options, calibration=path)

    @contextlib.contextmanager
    def _files(
        self,
        data: Any,
        labels: Any,
        calibration_data: Any,
        sample_arguments: Optional[Sequence[int]],
    ) -> Iterator[Dict[str, str]]:
        """Files that the compiler reads several times, and their paths by name."""
        with temporary_folder() as folder:
            paths = {"samples": os.path.join(folder, "samples.npz")}
            inputs = self._sample_inputs(sample_arguments)
            count = _write_samples(data, inputs, paths["samples"])
            if labels is not None:
                classes = to_classes(labels)
                if len(classes) != count:
                    raise ValueError(
                        f"there are {len(classes)} labels for {count} samples"
                    )
                paths["labels"] = os.path.join(folder, "labels.npy")
                np.save(paths["labels"], classes)
            if calibration_data is not None:
                paths["calibration_samples"] = os.path.join(folder, "calibration.npz")
                _write_samples(calibration_data, inputs, paths["calibration_samples"])
            yield paths


def _write_samples(data: Any, inputs: List[Input], path: str) -> int:
    """Writes the arrays by the names of inputs; returns how many samples there are."""
    blocks: List[List[Array]] = []
    count = 0
    for batch in Samples(data, inputs).blocks():
        blocks.append(batch.arrays)
        count += batch.count
    if count == 0:
        raise ValueError("the data has no samples; give at least one")
    with zipfile.ZipFile(path, "w") as file:
        for i, entry in enumerate(inputs):
            array = blocks[0][i]
            if entry.holds_samples and len(blocks) > 1:
                array = np.concatenate([arrays[i] for arrays in blocks])
            with file.open(f"{entry.name}.npy", "w", force_zip64=True) as member:
                np.save(member, array, allow_pickle=False)
    return count


def _told(
    found: Tuple[str, Optional[str], List[Any]], stacklevel: int = 3
) -> Tuple[str, str]:
    """What `_native` found, and its page; warnings are Python's."""
    text, page, said = found
    tell(of_native(said), stacklevel=stacklevel)
    return text, page or ""


def run_texts(
    input_scale: Scale, sample_arguments: Optional[Sequence[int]]
) -> Dict[str, str]:
    return {
        "input_scale": scale_text(input_scale),
        "sample_arguments": numbers_text(sample_arguments),
    }

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is done in parts on the workers of an executor: calibration, evaluation and
errors of layers by samples, sensitivity and tuning by what is measured. Each has the
function that a worker runs beside the one that puts its results together, to those of
one machine."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from .._library import native
from ..files import Path, temporary_folder
from .cluster import (
    Answer,
    Cluster,
    Digest,
    Task,
    Work,
    answer_by,
    content_of,
    gather,
    model_of,
    offered,
)
from .samples import Array, Batch, Input, ProgressReport, Samples
from .sandbox import Remote

__all__: List[str] = []

#: Samples of a part if nobody knows how many there are.
_PART_SAMPLES = 256


class Sent:
    """A model as workers get it."""

    def __init__(self, loaded: Any, bytecode: bytes, entry: str):
        if isinstance(loaded, Remote):
            raise ValueError(
                "workers would run the model outside of its sandbox; load it without "
                "sandbox=True if it is to be trusted, or leave out executor="
            )
        self.bytecode, self.entry = bytecode, entry


def _cut(
    source: Samples,
    parts: int,
    batch: Optional[int],
    limit: Optional[int] = None,
) -> Iterator[Tuple[int, List[Batch]]]:
    """The first sample of each of about `parts` parts, and its batches. Parts are cut
    between batches of `batch` samples; None: between items."""
    total = source.size()
    if limit is not None:
        total = limit if total is None else min(total, limit)
    step = 1
    if batch is not None:
        unit = source.unit()
        step = batch * unit // math.gcd(batch, unit)
    size = math.ceil(_PART_SAMPLES / step) * step
    if total:
        size = math.ceil(math.ceil(total / step) / parts) * step
    first = count = 0
    held: List[Batch] = []
    for piece in source.items() if batch is None else source.blocks():
        if limit is not None and first + count + piece.count > limit:
            piece = source.rows(piece, 0, limit - first - count)
        while batch is not None and count + piece.count > size:
            taken = size - count
            yield first, [*held, source.rows(piece, 0, taken)]
            piece = source.rows(piece, taken, piece.count)
            first, count, held = first + size, 0, []
        if piece.count:
            held.append(piece)
            count += piece.count
        if count >= size:
            yield first, held
            first, count, held = first + count, 0, []
        if limit is not None and first + count >= limit:
            break
    if held:
        yield first, held
    elif first == 0:
        raise ValueError("the data has no samples; give at least one")


class FileSamples(Samples):
    """The samples of an .npy or .npz file, which workers read themselves."""

    def __init__(self, path: Path, inputs: Sequence[Input], has_labels: bool = False):
        self.path = os.fspath(path)
        if has_labels:
            raise TypeError(f"'{self.path}' has no labels: pass labels=")
        content = np.load(self.path)
        super().__init__(
            dict(content) if hasattr(content, "files") else content, inputs
        )
        self.digest = _file_digest(self.path)


def source_of(
    data: Any, inputs: Sequence[Input], executor: Any, has_labels: bool = False
) -> Samples:
    """The samples of `data`; of a path too, where there are workers to read it."""
    if executor is not None and isinstance(data, (str, os.PathLike)):
        return FileSamples(data, inputs, has_labels)
    return Samples(data, inputs, has_labels)


@dataclasses.dataclass(frozen=True)
class _Rows:
    """Samples of a file as they go to a worker."""

    path: Path
    #: Of the file's bytes.
    digest: Digest
    inputs: Tuple[Input, ...]
    first: int
    last: int


#: Of files that this process has read, by path, size and time of change.
_digests: Dict[Tuple[Any, int, int], Digest] = {}


def _file_digest(path: Any) -> Digest:
    found = os.stat(path)
    key = (path, found.st_size, found.st_mtime_ns)
    if key not in _digests:
        state = hashlib.sha256()
        with open(path, "rb") as file:
            for block in iter(lambda: file.read(1 << 20), b""):
                state.update(block)
        _digests[key] = state.hexdigest()
    return _digests[key]


def _sent(source: Samples, first: int, batches: Sequence[Batch]) -> Any:
    """The arrays, counts and labels of batches, or where they are."""
    if isinstance(source, FileSamples):
        last = first + _count(batches)
        inputs = tuple(source.inputs)
        return [_Rows(source.path, source.digest, inputs, first, last)]
    return [(batch.arrays, batch.count, batch.labels) for batch in batches]


def _received(task: Task) -> Iterator[Batch]:
    for part in task.arrays:
        if not isinstance(part, _Rows):
            yield Batch(*part)
            continue
        file = FileSamples(part.path, part.inputs)
        if file.digest != part.digest:
            raise ValueError(
                f"'{part.path}' is another file where the worker is; all machines need "
                "the same one at this path"
            )
        for batch in file:
            yield file.rows(batch, part.first, part.last)


def _count(batches: Sequence[Batch]) -> int:
    return sum(batch.count for batch in batches)


# Calibration ------------------------------------------------------------------


def add_samples(
    run: Any,
    source: Samples,
    batch: Optional[int],
    limit: Optional[int],
    report: ProgressReport,
) -> None:
    """Has a calibration of this process see the samples. Each item is a batch, unless
    `batch` says how many samples are one."""
    done = 0
    for piece in source.items() if batch is None else source.blocks():
        if limit is not None and done + piece.count > limit:
            piece = source.rows(piece, 0, limit - done)
        run.add(piece.arrays)
        done += piece.count
        report.advance(piece.count)
        if done == limit:
            break
    report.finish()
    if done == 0:
        raise ValueError("the data has no samples; give at least one")


def _calibrate(model: Any, task: Task) -> Tuple[str, int]:
    options = task.options
    numbers = dict(options["numbers"], total=-1, first=options["first"])
    run = native().Calibration(model, options["texts"], numbers)
    count = 0
    for batch in _received(task):
        run.add(batch.arrays)
        count += batch.count
    return run.table(), count


def calibrate(
    cluster: Cluster,
    model: Sent,
    texts: Dict[str, str],
    numbers: Dict[str, Optional[float]],
    source: Samples,
    batch: Optional[int],
    limit: Optional[int],
    report: ProgressReport,
) -> str:
    """The table of all samples. `numbers` are without those of the part."""
    seen: List[int] = []

    def tasks(contents: Tuple[Digest, ...], parts: int) -> Iterator[Task]:
        for number, (first, batches) in enumerate(_cut(source, parts, batch, limit)):
            seen.append(_count(batches))
            yield Task(
                "calibrate",
                number,
                seen[-1],
                contents,
                model.entry,
                {"texts": texts, "numbers": numbers, "first": first},
                _sent(source, first, batches),
                native().__version__,
            )

    with offered([model.bytecode]) as contents:
        tables = gather(cluster, report, answer, lambda parts: tasks(contents, parts))
    report.finish()
    names = [f"part {number}" for number in range(len(tables))]
    table: str = native().merge_tables(tables, names)
    counted = sum(entry["count"] for entry in json.loads(table)["samples"])
    if counted != sum(seen):
        raise RuntimeError(f"the tables are of {counted} of {sum(seen)} samples")
    return table


# Evaluation -------------------------------------------------------------------


def count_right(scores: Array, labels: Array) -> int:
    """How many samples have the largest score where their label is."""
    if scores.ndim < 2:
        raise ValueError(
            f"the first result has the shape {scores.shape}, expected a row of "
            "scores for each sample"
        )
    found = scores.reshape(scores.shape[0], -1).argmax(axis=1)
    return int((found == labels).sum())


def _evaluate(model: Any, task: Task) -> Tuple[str, int]:
    correct = count = 0
    for batch in _received(task):
        right = batch.labels
        if right is None:
            right = task.options["labels"][count : count + batch.count]
        scores = model.run(batch.arrays, *task.options["arguments"])[0]
        correct += count_right(scores, right)
        count += batch.count
    return json.dumps(correct), count


def evaluate(
    cluster: Cluster,
    model: Sent,
    arguments: List[Any],
    source: Samples,
    labels: Optional[Array],
    report: ProgressReport,
) -> Tuple[int, int]:
    """How many samples get the right class, and how many there are. `arguments` are
    those of a run behind the arrays; without `labels`, the samples have them."""
    total = 0

    def tasks(contents: Tuple[Digest, ...], parts: int) -> Iterator[Task]:
        nonlocal total
        for number, (first, batches) in enumerate(_cut(source, parts, 1)):
            count = _count(batches)
            total = first + count
            if labels is not None and total > len(labels):
                raise ValueError(
                    f"there are {len(labels)} labels, and not as many samples"
                )
            yield Task(
                "evaluate",
                number,
                count,
                contents,
                model.entry,
                {
                    "arguments": arguments,
                    "labels": None if labels is None else labels[first:total],
                },
                _sent(source, first, batches),
                native().__version__,
            )

    with offered([model.bytecode]) as contents:
        found = gather(cluster, report, answer, lambda parts: tasks(contents, parts))
    report.finish()
    if labels is not None and total != len(labels):
        raise ValueError(f"there are {len(labels)} labels, and not as many samples")
    return sum(map(json.loads, found)), total


# Analyses -----------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Analysis:
    """A report that a model is asked for."""

    #: "compare_operators", "find_sensitivity" or "tune".
    kind: str
    #: With files by their paths.
    texts: Dict[str, str]
    paths: Dict[str, str]
    #: But for those of the part.
    numbers: Dict[str, Optional[float]]
    #: Of `compare_operators`: the quantized network, and how many batches of
    #: samples there are, each of which is in one part.
    other: Optional[Sent] = None
    batches: Optional[int] = None

    def ask(self, model: Any, other: Any, shard: int = 0, shards: int = 0) -> Any:
        texts = {**self.texts, **self.paths}
        numbers = dict(self.numbers, shard=shard, shards=shards)
        return model.report(self.kind, other, texts, numbers)


def _analyze(model: Any, task: Task) -> Tuple[str, int]:
    options = task.options
    analysis: Analysis = options["analysis"]
    other = None
    with temporary_folder() as folder:
        paths = {}
        for (name, file), digest in zip(options["files"], task.contents[1:]):
            paths[name] = os.path.join(folder, file)
            with open(paths[name], "wb") as written:
                written.write(content_of(digest))
        if len(task.contents) > 1 + len(paths):
            other = model_of(task.contents[-1], options["other_entry"])
        analysis = dataclasses.replace(analysis, paths=paths)
        text, _, _ = analysis.ask(model, other, options["shard"], options["shards"])
    return text, 0


#: What follows from the first part of the work is known when that is done: which
#: operators are float in the curve, which sets a search tries next.
_ROUNDS = {"compare_operators": 1, "find_sensitivity": 2}


def measure(
    cluster: Cluster, model: Sent, analysis: Analysis, report: ProgressReport
) -> str:
    """What all parts of an analysis have found, as `texts["parts"]` has it."""
    # Where files are here is nothing to workers.
    files = [(name, os.path.basename(path)) for name, path in analysis.paths.items()]
    bytes_of = [_read(path) for path in analysis.paths.values()]
    sent = dataclasses.replace(analysis, paths={}, other=None)
    other = analysis.other
    more = [] if other is None else [other.bytecode]
    known = ""
    rounds = 0
    with offered([model.bytecode, *bytes_of, *more]) as contents:
        while rounds != _ROUNDS.get(analysis.kind):

            def tasks(shards: int, known: str = known) -> Iterator[Task]:
                texts = {**analysis.texts, "parts": known}
                if analysis.batches is not None:
                    shards = min(shards, analysis.batches)
                for number in range(shards):
                    yield Task(
                        "analyze",
                        number,
                        0,
                        contents,
                        model.entry,
                        {
                            "analysis": dataclasses.replace(sent, texts=texts),
                            "files": files,
                            "other_entry": "" if other is None else other.entry,
                            "shard": number,
                            "shards": shards,
                        },
                        None,
                        native().__version__,
                    )

            found = gather(cluster, report, answer, tasks)
            names = [f"part {number} of round {rounds}" for number in range(len(found))]
            if known:
                found, names = [known, *found], ["the rounds before", *names]
            known = native().merge_tables(found, names)
            rounds += 1
            if json.loads(known)["results"].get("complete"):
                break
    report.finish()
    return known


def count_batches(path: Path, inputs: Sequence[Input]) -> int:
    """How many calls of a network of `inputs` the samples of an .npz file are."""
    with np.load(path) as file:
        for entry in inputs:
            if entry.holds_samples:
                batch = max(entry.shape[0], 1)
                samples = int(file[entry.name].shape[0])
                return max(samples // batch, 1)
    return 1


def _read(path: Path) -> bytes:
    with open(path, "rb") as file:
        return file.read()


#: By kind of task.
_WORKS: Dict[str, Work] = {
    "calibrate": _calibrate,
    "evaluate": _evaluate,
    "analyze": _analyze,
}


def answer(task: Task) -> Answer:
    """Does a task, in a worker."""
    return answer_by(_WORKS, task)

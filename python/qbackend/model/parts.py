# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is done in parts on the workers of an executor: calibration and evaluation on
samples, sensitivity on operators. Each has the function that a worker runs beside the
one that puts its results together, to those of one machine."""

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


def _calibrate(model: Any, task: Task) -> Tuple[str, int]:
    options = task.options
    run = native().Calibration(model, *options["arguments"], -1, options["first"])
    count = 0
    for batch in _received(task):
        run.add(batch.arrays)
        count += batch.count
    return run.table(), count


def calibrate(
    cluster: Cluster,
    model: Sent,
    arguments: List[Any],
    source: Samples,
    batch: Optional[int],
    limit: Optional[int],
    report: ProgressReport,
) -> str:
    """The table of all samples. `arguments` are those of a calibration behind the
    model, but for the part."""
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
                {"arguments": arguments, "first": first},
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


# Sensitivity ------------------------------------------------------------------


def _sensitivity(model: Any, task: Task) -> Tuple[str, int]:
    options = task.options
    texts = dict(options["texts"])
    with temporary_folder() as folder:
        for (name, file), digest in zip(options["files"], task.contents[1:]):
            texts[name] = os.path.join(folder, file)
            with open(texts[name], "wb") as written:
                written.write(content_of(digest))
        text, _, _ = model.find_sensitivity(
            texts, options["threads"], False, options["shard"], options["shards"]
        )
    return text, 0


def measure_scores(
    cluster: Cluster,
    model: Sent,
    texts: Dict[str, str],
    paths: Dict[str, str],
    threads: int,
) -> str:
    """The scores that a sensitivity asks for, as `texts["scores"]` has them. Two
    rounds: which operators are float in the curve follows from the first one."""
    files = [(name, os.path.basename(path)) for name, path in paths.items()]
    bytes_of = [_read(path) for path in paths.values()]
    known: Dict[str, Any] = {}
    head: Tuple[str, ...] = ()
    scores = ""
    with offered([model.bytecode, *bytes_of]) as contents:
        for _ in range(2):

            def tasks(parts: int, scores: str = scores) -> Iterator[Task]:
                for number in range(parts):
                    yield Task(
                        "sensitivity",
                        number,
                        0,
                        contents,
                        model.entry,
                        {
                            "texts": {**texts, "scores": scores},
                            "files": files,
                            "threads": threads,
                            "shard": number,
                            "shards": parts,
                        },
                        None,
                        native().__version__,
                    )

            report = ProgressReport("measuring", False, None)
            for part in map(json.loads, gather(cluster, report, answer, tasks)):
                twice = known.keys() & part["scores"].keys()
                if twice:
                    raise RuntimeError(f"two parts have measured {min(twice)}")
                if head and head != (part["tool"], part["of"]):
                    raise RuntimeError("parts are of different networks or ranges")
                head = (part["tool"], part["of"])
                known.update(part["scores"])
            scores = json.dumps({"tool": head[0], "of": head[1], "scores": known})
    return scores


def _read(path: Path) -> bytes:
    with open(path, "rb") as file:
        return file.read()


#: By kind of task.
_WORKS: Dict[str, Work] = {
    "calibrate": _calibrate,
    "evaluate": _evaluate,
    "sensitivity": _sensitivity,
}


def answer(task: Task) -> Answer:
    """Does a task, in a worker."""
    return answer_by(_WORKS, task)

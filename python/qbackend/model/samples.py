# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples in whatever form a user has them: arrays, dictionaries, iterables,
generators, a loader of PyTorch. They are taken one by one, and never all of them
are in memory here."""

from __future__ import annotations

import dataclasses
import math
import operator
import sys
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

#: A NumPy array of any type; NumPy's own stubs say more than old ones can.
Array = Any
Progress = Union[bool, Callable[[int, Optional[int]], Any]]
#: What integers for a float input are multiplied by: "1/255".
Scale = Union[str, float, None]

#: How many samples go to the compiler at once, and at most how many bytes.
_BLOCK_SAMPLES = 64
_BLOCK_BYTES = 1 << 26


@dataclasses.dataclass(frozen=True)
class Input:
    """What a network takes, or gives."""

    name: str
    dtype: str
    #: -1 is an extent that each call chooses.
    shape: Tuple[int, ...]
    #: Whether the leading extent counts samples; otherwise each call takes the
    #: same array.
    holds_samples: bool = True
    #: What integers stand for: (i - zero_point) * scale; None: themselves.
    scale: Optional[float] = None
    zero_point: Optional[int] = None

    def describe(self) -> str:
        extents = ["N" if e < 0 else str(e) for e in self.shape]
        if self.holds_samples and extents:
            extents[0] = "N"
        return f"'{self.name}' {self.dtype} {'x'.join(extents) or 'scalar'}"


def to_array(value: Any, what: str) -> Array:
    """`value` as a contiguous array in the machine's byte order, without a copy
    where it is one. Tensors of PyTorch may be on a device and have gradients."""
    if hasattr(value, "detach"):
        value = value.detach()
        if hasattr(value, "cpu"):
            value = value.cpu()
        if hasattr(value, "numpy"):
            value = value.numpy()
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{what} is no array: {error}") from None
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        raise TypeError(
            f"{what} is {_describe(value, array)}, expected an array of numbers"
        )
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    # ascontiguousarray makes a vector of a scalar.
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def _describe(value: Any, array: Array) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {array.dtype}"
    return f"a {type(value).__name__}"


def scale_text(scale: Scale) -> str:
    """As the compiler takes it; empty: not given."""
    return "" if scale is None else str(scale)


def numbers_text(numbers: Optional[Sequence[int]]) -> str:
    """As the compiler takes them; empty: not given."""
    return "" if numbers is None else ",".join(map(str, numbers))


def thread_count(threads: int) -> int:
    """0 is one for each core."""
    return count_of("threads", threads, 0, 1 << 31)


def string_of(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}, expected a string")
    return value


def list_of(name: str, values: Any, kind: type, what: str) -> List[Any]:
    """`values` as a list of `kind`."""
    try:
        items = None if isinstance(values, (str, bytes)) else list(values)
    except TypeError:
        items = None
    if items is None or not all(isinstance(item, kind) for item in items):
        raise TypeError(f"{name} is {values!r}, expected a list of {what}")
    return items


def count_of(name: str, value: Any, least: int, end: int = 1 << 63) -> int:
    """`value` as an integer from `least` to below `end`."""
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, expected an integer") from None
    if not least <= count < end:
        wanted = f"{least} or more" if count < least else f"less than {end}"
        raise ValueError(f"{name} is {count}, expected {wanted}")
    return count


def to_classes(labels: Any) -> Array:
    """The numbers of classes as a vector."""
    array = to_array(labels, "labels")
    if array.dtype.kind not in "iu":
        raise TypeError(f"labels are {array.dtype}, expected integers")
    return array.reshape(-1)


def is_array(value: Any) -> bool:
    """Whether `value` is one array, and no collection of them."""
    return isinstance(value, (np.ndarray, np.generic)) or (
        hasattr(value, "__array__") and not isinstance(value, (str, bytes))
    )


@dataclasses.dataclass
class Batch:
    """An array for each input, and the labels that came with them."""

    arrays: List[Array]
    count: int
    labels: Optional[Array] = None


class Samples:
    """The samples of `data` for `inputs`, as batches. Items are tuples with labels
    at the end if that is said; otherwise what follows the inputs is left out."""

    def __init__(self, data: Any, inputs: Sequence[Input], has_labels: bool = False):
        self.inputs = list(inputs)
        self._has_labels = has_labels
        if not self.inputs:
            raise ValueError("the network takes no inputs, so that it has no samples")
        if isinstance(data, (str, bytes)) or data is None:
            raise TypeError(
                f"data is {data!r}, expected arrays or an iterable of them; "
                "numpy.load reads a file"
            )
        self._items: Any = data
        if (
            is_array(data)
            or isinstance(data, dict)
            or _is_mapping(data)
            or (
                isinstance(data, tuple)
                and len(data) == len(self.inputs) > 1
                and all(is_array(value) for value in data)
            )
        ):
            self._items = [data]
        #: Whether they are in one item, and no batches of a user's.
        self.is_one = self._items is not data
        try:
            iter(self._items)
        except TypeError:
            raise TypeError(
                f"data is a {type(data).__name__}, expected arrays, dictionaries or "
                "an iterable of them"
            ) from None

    def __iter__(self) -> Iterator[Batch]:
        """The batches as they come."""
        for number, item in enumerate(self._items):
            yield self._batch(item, self._call(number))

    def _call(self, number: int) -> str:
        return "the data" if self.is_one else f"item {number} of the data"

    def size(self) -> Optional[int]:
        """How many samples there are, if that is known before."""
        items = self._items
        try:
            if hasattr(items, "dataset"):
                # Of a loader, len counts batches.
                return len(items.dataset)
            # An item of a list may be a batch; they are taken for alike.
            if isinstance(items, list) and items:
                return self._batch(items[0], self._call(0)).count * len(items)
            return len(items)
        except TypeError:
            return None

    def unit(self) -> int:
        """How many samples the network takes at once."""
        unit = 1
        for entry in self.inputs:
            if entry.holds_samples and entry.shape and entry.shape[0] > 0:
                unit = entry.shape[0]
        return unit

    def items(self) -> Iterator[Batch]:
        """The batches as they come, each of whole batches of the network."""
        unit = self.unit()
        for number, batch in enumerate(self):
            if batch.count % unit:
                raise ValueError(
                    f"{self._call(number)} has {batch.count} samples, and the network "
                    f"takes {unit} at once: batch_size={unit} regroups them"
                )
            yield batch

    def blocks(self) -> Iterator[Batch]:
        """The samples in pieces that are neither large nor small, each of whole
        batches of the network."""
        unit = self.unit()
        held: List[Batch] = []
        count = 0
        for batch in self:
            held.append(batch)
            count += batch.count
            size = sum(a.nbytes for b in held for a in b.arrays)
            wanted = max(1, min(_BLOCK_SAMPLES, count * _BLOCK_BYTES // max(1, size)))
            wanted = math.ceil(wanted / unit) * unit
            if count < wanted:
                continue
            joined = self._joined(held)
            first = 0
            while count - first >= wanted:
                yield self.rows(joined, first, first + wanted)
                first += wanted
            held = [self.rows(joined, first, count)] if first < count else []
            count -= first
        if held:
            yield self._joined(held)

    def rows(self, batch: Batch, first: int, last: int) -> Batch:
        """Samples `first` to `last` of a batch."""
        arrays = [
            array[first:last] if entry.holds_samples else array
            for entry, array in zip(self.inputs, batch.arrays)
        ]
        labels = None if batch.labels is None else batch.labels[first:last]
        return Batch(arrays, last - first, labels)

    def _joined(self, batches: List[Batch]) -> Batch:
        if len(batches) == 1:
            return batches[0]
        arrays = []
        for i, entry in enumerate(self.inputs):
            parts = [batch.arrays[i] for batch in batches]
            if not entry.holds_samples:
                arrays.append(parts[0])
                continue
            shapes = {part.shape[1:] for part in parts}
            if len(shapes) > 1:
                raise ValueError(
                    f"samples of '{entry.name}' have the shapes "
                    + ", ".join("x".join(map(str, s)) for s in sorted(shapes))
                    + "; expected one shape"
                )
            arrays.append(np.concatenate(parts))
        labels = None
        if self._has_labels:
            labels = np.concatenate([batch.labels for batch in batches])
        return Batch(arrays, sum(batch.count for batch in batches), labels)

    def _batch(self, item: Any, what: str) -> Batch:
        """The arrays of `item`, each with the dimension of the samples."""
        labels: Any = None
        if isinstance(item, dict) or _is_mapping(item):
            found = self._by_name(dict(item), what)
        elif isinstance(item, (tuple, list)) and not all(
            isinstance(value, (int, float)) for value in item
        ):
            if len(item) < len(self.inputs):
                raise ValueError(
                    f"{what} has {len(item)} arrays, the network takes "
                    f"{len(self.inputs)}: {self._names()}"
                )
            found = list(item[: len(self.inputs)])
            if len(item) > len(self.inputs):
                labels = item[len(self.inputs)]
        elif len(self.inputs) > 1:
            raise ValueError(
                f"{what} is one array, the network takes {len(self.inputs)}: "
                f"{self._names()}; give a dictionary or a tuple"
            )
        else:
            found = [item]
        arrays, count = [], None
        for entry, value in zip(self.inputs, found):
            array = to_array(value, f"'{entry.name}' in {what}")
            rank = len(entry.shape)
            if entry.holds_samples:
                if array.ndim == rank - 1:
                    array = array[np.newaxis]
                if array.ndim != rank or any(
                    wanted >= 0 and wanted != extent
                    for wanted, extent in zip(entry.shape[1:], array.shape[1:])
                ):
                    raise ValueError(
                        f"'{entry.name}' in {what} is {array.dtype} "
                        f"{'x'.join(map(str, array.shape)) or 'scalar'}; expected "
                        f"{entry.describe().partition(' ')[2]}"
                    )
                if count is not None and array.shape[0] != count:
                    raise ValueError(
                        f"'{entry.name}' has {array.shape[0]} samples in {what}, the "
                        f"inputs before it have {count}"
                    )
                count = array.shape[0]
            arrays.append(array)
        count = 1 if count is None else count
        if not self._has_labels:
            return Batch(arrays, count)
        if labels is None:
            raise ValueError(
                f"{what} has no labels: pass labels=, or items (x, labels)"
            )
        classes = to_classes(labels)
        if len(classes) != count:
            raise ValueError(f"{what} has {len(classes)} labels for {count} samples")
        return Batch(arrays, count, classes)

    def _by_name(self, values: Dict[Any, Any], what: str) -> List[Any]:
        names = [entry.name for entry in self.inputs]
        missing = [name for name in names if name not in values]
        if missing:
            raise ValueError(
                f"{what} has no array '{missing[0]}'; it has "
                f"{', '.join(map(str, values)) or 'none'}, the network takes "
                f"{self._names()}"
            )
        return [values[name] for name in names]

    def _names(self) -> str:
        return ", ".join(entry.describe() for entry in self.inputs)


def _is_mapping(value: Any) -> bool:
    """What numpy.load gives for an .npz, or a tokenizer for a text."""
    return hasattr(value, "keys") and hasattr(value, "__getitem__")


class ProgressReport:
    """Tells how far a run is: on standard error, or to a function of the user's,
    which gets what is done and the total, or None."""

    def __init__(
        self,
        label: str,
        progress: Progress,
        total: Optional[int],
        unit: str = "samples",
    ):
        self._label, self._total, self._unit = label, total, unit
        self._tell = progress if callable(progress) else None
        self._shows = bool(progress) and not callable(progress)
        self._done, self._drawn = 0, 0.0
        self._start = time.monotonic()

    def advance(self, count: int) -> None:
        self._done += count
        if self._tell is not None:
            self._tell(self._done, self._total)
        elif self._shows and time.monotonic() - self._drawn > 0.1:
            self._draw("")

    def finish(self) -> None:
        if self._shows:
            self._draw("\n")

    def _draw(self, end: str) -> None:
        if not end and not sys.stderr.isatty():
            return
        self._drawn = time.monotonic()
        seconds = max(self._drawn - self._start, 1e-9)
        total = f"/{self._total}" if self._total is not None else ""
        begin = "\r" if sys.stderr.isatty() else ""
        sys.stderr.write(
            f"{begin}{self._label} {self._done}{total} {self._unit}, "
            f"{self._done / seconds:.1f}/s  {end}"
        )
        sys.stderr.flush()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an observer does when it is called: it records arrays, and has a scale and
a zero point. The compiler computes them, by the code that calibrates networks.

An array is anything that NumPy takes; what comes back are NumPy arrays of f32,
with one element where PyTorch's tensors have one. Whoever gives tensors of PyTorch
gets tensors.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any, Dict, Optional, Tuple

from .._library import native
from ..vocabulary.dtypes import DType, QScheme, per_channel_affine_float_qparams

#: The name of an observer's entry in its own calibration table.
ENTRY = "observer"


def numpy() -> Any:
    """The module `numpy`, which only what computes needs."""
    import numpy

    return numpy


def is_tensor(values: Any) -> bool:
    """Whether `values` is a tensor of PyTorch, which isn't loaded to ask."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(values, torch.Tensor)


def as_given(array: Any, of_tensor: bool) -> Any:
    """`array` for whoever gave a tensor or not; the tensor shares its memory. What
    was unpickled may give an array, where PyTorch isn't loaded."""
    torch = sys.modules.get("torch") if of_tensor else None
    return array if torch is None else torch.from_numpy(array)


def as_array(values: Any) -> Any:
    """`values` as a contiguous array of f32; of PyTorch's tensors, detached."""
    if is_tensor(values):
        values = values.detach().cpu()
    elif hasattr(values, "detach"):
        values = values.detach()
    np = numpy()
    # ascontiguousarray makes a number a vector.
    return np.asarray(values, dtype=np.float32, order="C")


def quantized_range(
    dtype: DType, custom: Optional[Tuple[int, int]], reduce_range: bool
) -> Tuple[int, int]:
    """The integers that an observer quantizes to: those given or those of the
    type, both halved if the range is reduced. As PyTorch does, types without
    integers have 4 bits."""
    low, high = custom or dtype.quantized_range or (0, 15)
    if reduce_range and (custom or high - low == 255):
        return low // 2, high // 2
    return low, high


def fake_quantize(
    values: Any,
    scale: Any,
    zero_point: Any,
    quant_min: int,
    quant_max: int,
    axis: int = -1,
) -> Any:
    """The floats that `values` become, as PyTorch's
    `fake_quantize_per_tensor_affine`; with several scales, one for each element
    of `axis`, as `fake_quantize_per_channel_affine`."""
    np = numpy()
    array = as_array(values)
    result = np.empty_like(array)
    zero_points = np.asarray(zero_point)
    native().fake_quantize(
        array,
        result,
        np.asarray(scale, dtype=np.float64).ravel().tolist(),
        zero_points.astype(np.float64).ravel().tolist(),
        axis % array.ndim if array.ndim else 0,
        quant_min,
        quant_max,
        zero_points.dtype.kind == "f",
    )
    return result


class Recorder:
    """Statistics of the values that an observer saw, and its parameters.

    `spec` describes the observer as in an interchange document, without
    `ch_axis`: that is `axis` here, counted from the end if it is negative, and
    None for an observer of whole tensors.
    """

    def __init__(self, spec: Dict[str, Any], axis: Optional[int]) -> None:
        self.spec = spec
        self.axis = axis
        self._observer: Any = native().Observer(json.dumps(spec))
        # What was read back since the last change.
        self._entry: Optional[Dict[str, Any]] = None

    def record(self, values: Any) -> None:
        """Records a batch. Values that are not finite are left out with a
        warning; PyTorch lets a NaN spoil the range."""
        array = as_array(values)
        if array.size == 0:
            return
        np = numpy()
        if not np.isfinite(array).all():
            count = array.size - int(np.isfinite(array).sum())
            warnings.warn(
                f"{self.spec['observer']} leaves out {count} of {array.size} values "
                "that are not finite",
                stacklevel=4,
            )
        if self.axis is not None:
            if not -array.ndim <= self.axis < array.ndim:
                raise ValueError(
                    f"{self.spec['observer']} has ch_axis {self.axis}, expected one "
                    f"of the {array.ndim} axes of the array"
                )
            array = np.ascontiguousarray(np.moveaxis(array, self.axis, 0))
        self._observer.record(array)
        self._entry = None

    def reset(self) -> None:
        self._observer.reset()
        self._entry = None

    def to_table(self, name: str) -> str:
        """What was recorded as a calibration table with one entry."""
        text: str = self._observer.to_table(name)
        return text

    def from_table(self, table: str, name: str) -> None:
        """Goes on from an entry of a calibration table."""
        self._observer.from_table(table, name)
        self._entry = None

    @property
    def entry(self) -> Dict[str, Any]:
        """The entry of the table: docs/Calibration.md."""
        if self._entry is None:
            self._entry = json.loads(self.to_table(ENTRY))["entries"][0]
        return self._entry

    @property
    def _is_average(self) -> bool:
        return str(self.spec["observer"]).startswith("MovingAverage")

    def range(self) -> Tuple[Any, Any]:
        """The range so far: numbers as arrays without an axis, infinite before the
        first batch; vectors, empty before it, of an observer of channels."""
        np = numpy()
        entry = self.entry
        if self.axis is None:
            fields = ("average_min", "average_max") if self._is_average else ()
            if fields and fields[0] in entry:
                low, high = (entry[field][0] for field in fields)
            else:
                low, high = entry.get("min", np.inf), entry.get("max", -np.inf)
            return np.array(low, dtype=np.float32), np.array(high, dtype=np.float32)
        prefix = "average" if self._is_average else "channel"
        low, high = (
            np.array(entry.get(f"{prefix}_{end}", []), dtype=np.float32)
            for end in ("min", "max")
        )
        # Channels that saw nothing are printed so.
        unseen = low > high
        low[unseen], high[unseen] = np.inf, -np.inf
        return low, high

    def histogram(self, bins: int) -> Any:
        np = numpy()
        counts = self.entry.get("histogram")
        return np.array(counts or [0.0] * bins, dtype=np.float32)

    def set_range(self, low: Any, high: Any, histogram: Any = None) -> None:
        """Goes on as if this had been recorded."""
        np = numpy()
        low, high = as_array(low), as_array(high)
        table = json.loads(self.to_table(ENTRY))
        before = table["entries"][0]
        entry = {"name": ENTRY, "kind": before["kind"], "batches": 1}
        if low.size:
            entry["min"], entry["max"] = float(low.min()), float(high.max())
        if self.axis is not None and low.size:
            entry["channel_min"] = low.ravel().tolist()
            entry["channel_max"] = high.ravel().tolist()
        if self._is_average and low.size:
            entry["average_min"] = low.ravel().tolist()
            entry["average_max"] = high.ravel().tolist()
        if histogram is not None:
            entry["histogram"] = np.asarray(histogram, np.float64).tolist()
        elif "histogram" in before and low.size:
            entry["histogram"] = before["histogram"]
        table["entries"] = [entry]
        self.from_table(json.dumps(table), ENTRY)

    def qparams(self) -> Tuple[Any, Any]:
        """Scales and zero points, one or one for each channel."""
        np = numpy()
        found = json.loads(self._observer.params())
        is_real = self.spec.get("qscheme") == per_channel_affine_float_qparams.name
        return (
            np.array(found["scale"], dtype=np.float32),
            np.array(found["zero_point"], dtype=np.float32 if is_real else np.int64),
        )


def choose_qparams(
    low: Any, high: Any, quant_min: int, quant_max: int, scheme: QScheme
) -> Tuple[Any, Any]:
    """The parameters of PyTorch's fused fake quantizer for these ranges, which are
    not those of its observer."""
    np = numpy()
    pairs = [
        native().choose_params(
            float(a), float(b), quant_min, quant_max, scheme.is_symmetric
        )
        for a, b in zip(np.atleast_1d(low), np.atleast_1d(high))
    ]
    return (
        np.array([scale for scale, _ in pairs], dtype=np.float32),
        np.array([zero_point for _, zero_point in pairs], dtype=np.int32),
    )

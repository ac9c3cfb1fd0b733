# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's observers, and three more.

A configuration holds classes, or factories with some arguments; the compiler does
what they describe. An instance can be called with arrays: recorder.py. Classes,
arguments and defaults are those of PyTorch 2.x. The compiler's table, include/
qbackend/Calibration/ObserverKinds.h, has the same, which
test/Python/test_observer_kinds.py compares.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, ClassVar, Dict, List, Optional, Tuple, Type

from ..vocabulary import dtypes
from ..vocabulary.dtypes import DType, QScheme
from .observer_base import (
    EPS,
    SYMMETRIC_EPS as SYMMETRIC_EPS,
    Describable as Describable,
    ObserverBase,
    ObserverFactory,
    ObserverLike as ObserverLike,
    UniformQuantizationObserverBase,
    is_observer as is_observer,
)
from .recorder import as_array, is_tensor, numpy

__all__ = [
    "EntropyObserver",
    "FixedQParamsObserver",
    "HistogramObserver",
    "MSEObserver",
    "MinMaxObserver",
    "MovingAverageMinMaxObserver",
    "MovingAveragePerChannelMinMaxObserver",
    "NoopObserver",
    "ObserverBase",
    "ObserverFactory",
    "PerChannelMinMaxObserver",
    "PercentileObserver",
    "PlaceholderObserver",
    "RecordingObserver",
    "ReuseInputObserver",
    "UniformQuantizationObserverBase",
    "default_affine_fixed_qparams_observer",
    "default_debug_observer",
    "default_dynamic_quant_observer",
    "default_fixed_qparams_range_0to1_observer",
    "default_fixed_qparams_range_neg1to1_observer",
    "default_float_qparams_observer",
    "default_float_qparams_observer_4bit",
    "default_histogram_observer",
    "default_observer",
    "default_per_channel_weight_observer",
    "default_placeholder_observer",
    "default_reuse_input_observer",
    "default_symmetric_fixed_qparams_observer",
    "default_weight_observer",
    "per_channel_weight_observer_range_neg_127_to_127",
    "weight_observer_range_neg_127_to_127",
]


@dataclass(eq=False)
class MinMaxObserver(UniformQuantizationObserverBase):
    """The smallest and largest value seen."""

    _per_channel: ClassVar[Optional[bool]] = False

    dtype: DType = dtypes.quint8
    qscheme: QScheme = dtypes.per_tensor_affine
    reduce_range: bool = False
    quant_min: Optional[int] = None
    quant_max: Optional[int] = None
    factory_kwargs: Any = field(default=None, compare=False, repr=False)
    eps: float = EPS
    is_dynamic: bool = False


@dataclass(eq=False)
class MovingAverageMinMaxObserver(UniformQuantizationObserverBase):
    """Moving averages of the smallest and largest value of a batch."""

    _per_channel: ClassVar[Optional[bool]] = False

    averaging_constant: float = 0.01
    dtype: DType = dtypes.quint8
    qscheme: QScheme = dtypes.per_tensor_affine
    reduce_range: bool = False
    quant_min: Optional[int] = None
    quant_max: Optional[int] = None
    eps: float = EPS
    is_dynamic: bool = False
    factory_kwargs: Any = field(default=None, compare=False, repr=False)


@dataclass(eq=False)
class PerChannelMinMaxObserver(UniformQuantizationObserverBase):
    """The smallest and largest value of each index of the axis `ch_axis`."""

    _per_channel: ClassVar[Optional[bool]] = True

    ch_axis: int = 0
    dtype: DType = dtypes.quint8
    qscheme: QScheme = dtypes.per_channel_affine
    reduce_range: bool = False
    quant_min: Optional[int] = None
    quant_max: Optional[int] = None
    factory_kwargs: Any = field(default=None, compare=False, repr=False)
    eps: float = EPS
    is_dynamic: bool = False


@dataclass(eq=False)
class MovingAveragePerChannelMinMaxObserver(UniformQuantizationObserverBase):
    """Moving averages for each index of the axis `ch_axis`."""

    _per_channel: ClassVar[Optional[bool]] = True

    averaging_constant: float = 0.01
    ch_axis: int = 0
    dtype: DType = dtypes.quint8
    qscheme: QScheme = dtypes.per_channel_affine
    reduce_range: bool = False
    quant_min: Optional[int] = None
    quant_max: Optional[int] = None
    eps: float = EPS
    is_dynamic: bool = False
    factory_kwargs: Any = field(default=None, compare=False, repr=False)


@dataclass(eq=False)
class HistogramObserver(UniformQuantizationObserverBase):
    """A histogram; the range is that of the least squared error."""

    _per_channel: ClassVar[Optional[bool]] = False

    bins: int = 2048
    dtype: DType = dtypes.quint8
    qscheme: QScheme = dtypes.per_tensor_affine
    reduce_range: bool = False
    quant_min: Optional[int] = None
    quant_max: Optional[int] = None
    factory_kwargs: Any = field(default=None, compare=False, repr=False)
    eps: float = EPS
    is_dynamic: bool = False
    # Of 1.13; later versions take it and don't use it.
    upsample_rate: int = field(default=128, compare=False, repr=False)

    def _resolve(self) -> None:
        super()._resolve()
        #: The integers that the search weighs a range by: all of the type's, or of
        #: the byte that stores two of 4 bits.
        low, high = self.dtype.quantized_range or (0, 15)
        self.dst_nbins = max(high - low + 1, 256)

    @property
    def histogram(self) -> Any:
        """How many values were in each of the bins of [min_val, max_val]."""
        return self._give(self._recorder.histogram(self.bins))

    def state_dict(self) -> Dict[str, Any]:
        return {**super().state_dict(), "histogram": self.histogram}


@dataclass(eq=False)
class FixedQParamsObserver(ObserverBase):
    """A scale and a zero point that are known beforehand."""

    scale: float
    zero_point: int
    dtype: DType = dtypes.quint8
    qscheme: QScheme = dtypes.per_tensor_affine
    quant_min: Optional[int] = 0
    quant_max: Optional[int] = 255
    is_dynamic: bool = False

    def calculate_qparams(self, **kwargs: Any) -> Tuple[Any, Any]:
        np = numpy()
        return (
            self._give(np.array([self.scale], dtype=np.float32)),
            self._give(np.array([self.zero_point], dtype=np.int64)),
        )

    def state_dict(self) -> Dict[str, Any]:
        np = numpy()
        scale, zero_point = self.calculate_qparams()
        zero_point = self._give(np.asarray(zero_point, dtype=np.int32))
        return {"scale": scale, "zero_point": zero_point}

    def load_state_dict(self, state: Dict[str, Any]) -> None:
        self._gives_tensors = is_tensor(state["scale"])
        self.scale = float(as_array(state["scale"]).reshape(()))
        self.zero_point = int(as_array(state["zero_point"]).reshape(()))
        self._given.update(scale=self.scale, zero_point=self.zero_point)


@dataclass(eq=False)
class PlaceholderObserver(ObserverBase):
    """Carries a dtype and nothing else."""

    dtype: DType = dtypes.float32
    custom_op_name: str = ""
    compute_dtype: Optional[DType] = field(default=None, compare=False, repr=False)
    quant_min: Optional[int] = None
    quant_max: Optional[int] = None
    qscheme: Optional[QScheme] = None
    eps: Optional[float] = None
    is_dynamic: bool = False

    def _normalize(self) -> None:
        self.qscheme = self.qscheme or dtypes.per_tensor_affine
        self.eps = EPS if self.eps is None else self.eps
        # The whole range of the type is what it has without one.
        if (self.quant_min, self.quant_max) == self.dtype.quantized_range:
            self.quant_min = self.quant_max = None
        if self.compute_dtype is not None:
            warnings.warn(
                "compute_dtype is deprecated, write is_dynamic=True", stacklevel=5
            )
            self.is_dynamic = True


@dataclass(eq=False)
class NoopObserver(ObserverBase):
    """Does nothing; carries a dtype."""

    dtype: DType = dtypes.float16
    custom_op_name: str = ""


@dataclass(eq=False)
class RecordingObserver(ObserverBase):
    """Keeps the tensors, for debugging."""

    dtype: DType = dtypes.quint8

    def _resolve(self) -> None:
        self.tensor_val: List[Any] = []

    def forward(self, x_orig: Any) -> Any:
        # A tensor's copy is one.
        copy = x_orig.detach().clone() if is_tensor(x_orig) else numpy().array(x_orig)
        self.tensor_val.append(copy)
        return x_orig

    def get_tensor_value(self) -> List[Any]:
        """Copies of the arrays, in order."""
        return self.tensor_val


@dataclass(eq=False)
class ReuseInputObserver(ObserverBase):
    """Takes the observer of the operator's input."""

    dtype: ClassVar[DType] = dtypes.quint8


@dataclass(eq=False)
class PercentileObserver(UniformQuantizationObserverBase):
    """Keeps `percentile` per cent of the values, and cuts off half of the others
    at each end. Not PyTorch's."""

    _per_channel: ClassVar[Optional[bool]] = False
    in_torch: ClassVar[bool] = False

    percentile: float = 99.99
    dtype: DType = dtypes.quint8
    qscheme: QScheme = dtypes.per_tensor_affine
    reduce_range: bool = False
    quant_min: Optional[int] = None
    quant_max: Optional[int] = None
    eps: float = EPS

    def _normalize(self) -> None:
        if not 50 < self.percentile <= 100:
            raise ValueError(
                f"PercentileObserver has percentile {self.percentile}, expected more "
                "than 50 and at most 100"
            )


@dataclass(eq=False)
class EntropyObserver(UniformQuantizationObserverBase):
    """The range whose distribution quantization changes least. Not PyTorch's."""

    _per_channel: ClassVar[Optional[bool]] = False
    in_torch: ClassVar[bool] = False

    dtype: DType = dtypes.quint8
    qscheme: QScheme = dtypes.per_tensor_affine
    reduce_range: bool = False
    quant_min: Optional[int] = None
    quant_max: Optional[int] = None
    eps: float = EPS


@dataclass(eq=False)
class MSEObserver(UniformQuantizationObserverBase):
    """The range of the least squared error. Not PyTorch's."""

    _per_channel: ClassVar[Optional[bool]] = False
    in_torch: ClassVar[bool] = False

    dtype: DType = dtypes.quint8
    qscheme: QScheme = dtypes.per_tensor_affine
    reduce_range: bool = False
    quant_min: Optional[int] = None
    quant_max: Optional[int] = None
    eps: float = EPS


_CLASSES: Tuple[Type[ObserverBase], ...] = (
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    PerChannelMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    HistogramObserver,
    FixedQParamsObserver,
    PlaceholderObserver,
    NoopObserver,
    RecordingObserver,
    ReuseInputObserver,
    PercentileObserver,
    EntropyObserver,
    MSEObserver,
)
#: All observers by name.
OBSERVERS: Dict[str, Type[ObserverBase]] = {cls.__name__: cls for cls in _CLASSES}
# As in PyTorch, where they inherit; here the order of arguments is their own.
MinMaxObserver.register(MovingAverageMinMaxObserver)
PerChannelMinMaxObserver.register(MovingAveragePerChannelMinMaxObserver)

default_observer = MinMaxObserver.with_args(quant_min=0, quant_max=127)
default_placeholder_observer = PlaceholderObserver
default_debug_observer = RecordingObserver
default_reuse_input_observer = ReuseInputObserver
default_histogram_observer = HistogramObserver.with_args(quant_min=0, quant_max=127)
default_weight_observer = MinMaxObserver.with_args(
    dtype=dtypes.qint8, qscheme=dtypes.per_tensor_symmetric
)
weight_observer_range_neg_127_to_127 = default_weight_observer.with_args(
    quant_min=-127, quant_max=127, eps=SYMMETRIC_EPS
)
default_per_channel_weight_observer = PerChannelMinMaxObserver.with_args(
    dtype=dtypes.qint8, qscheme=dtypes.per_channel_symmetric
)
per_channel_weight_observer_range_neg_127_to_127 = (
    default_per_channel_weight_observer.with_args(
        quant_min=-127, quant_max=127, eps=SYMMETRIC_EPS
    )
)
default_dynamic_quant_observer = PlaceholderObserver.with_args(
    dtype=dtypes.quint8, quant_min=0, quant_max=255, is_dynamic=True
)
default_float_qparams_observer = PerChannelMinMaxObserver.with_args(
    dtype=dtypes.quint8,
    qscheme=dtypes.per_channel_affine_float_qparams,
    ch_axis=0,
)
default_float_qparams_observer_4bit = default_float_qparams_observer.with_args(
    dtype=dtypes.quint4x2
)
default_fixed_qparams_range_neg1to1_observer = FixedQParamsObserver.with_args(
    scale=2.0 / 256.0,
    zero_point=128,
    dtype=dtypes.quint8,
    quant_min=0,
    quant_max=255,
)
default_fixed_qparams_range_0to1_observer = FixedQParamsObserver.with_args(
    scale=1.0 / 256.0,
    zero_point=0,
    dtype=dtypes.quint8,
    quant_min=0,
    quant_max=255,
)
default_symmetric_fixed_qparams_observer = default_fixed_qparams_range_neg1to1_observer
default_affine_fixed_qparams_observer = default_fixed_qparams_range_0to1_observer

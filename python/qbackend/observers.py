# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's observers, as descriptions of what to observe with.

Nothing is observed here: the compiler does that. Classes, arguments and
defaults are those of PyTorch 2.x, and three more; an instance holds its
arguments, checked. The compiler's table, include/qbackend/Calibration/
ObserverKinds.h, has the same, which test/Python/test_observer_kinds.py compares.
"""

from __future__ import annotations

import dataclasses
import warnings
from dataclasses import dataclass, field
from typing import Any, Callable, ClassVar, Dict, List, Optional, Type, Union

from . import dtypes
from .dtypes import DType, QScheme
from .names import TorchName

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

EPS = 2.0**-23  # torch.finfo(torch.float32).eps
SYMMETRIC_EPS = 2.0**-12  # what XNNPACK's kernels need


class Describable:
    """A class whose `with_args` makes a factory: observers, fake quantizers."""

    @classmethod
    def with_args(cls, **kwargs: Any) -> ObserverFactory:
        """A factory of this class with these arguments; chainable."""
        return ObserverFactory(cls).with_args(**kwargs)

    @classmethod
    def with_callable_args(cls, **kwargs: Callable[[], Any]) -> ObserverFactory:
        """Like `with_args`, each argument computed when it is needed."""
        return ObserverFactory(cls).with_callable_args(**kwargs)

    @classmethod
    def argument_names(cls) -> Optional[List[str]]:
        """Names of the arguments; None if they depend on other arguments."""
        return None


class ObserverFactory:
    """An observer class with some of its arguments: PyTorch's partial wrapper.

    Equal to another one that makes equal observers, whether an argument is
    spelled out or left at its default.
    """

    def __init__(
        self,
        observer: Type[Describable],
        arguments: Optional[Dict[str, Any]] = None,
        callable_arguments: Optional[Dict[str, Callable[[], Any]]] = None,
    ) -> None:
        self.observer = observer
        self.arguments: Dict[str, Any] = dict(arguments or {})
        self.callable_arguments = dict(callable_arguments or {})

    def with_args(self, **kwargs: Any) -> ObserverFactory:
        self._check(kwargs)
        return ObserverFactory(
            self.observer, {**self.arguments, **kwargs}, self.callable_arguments
        )

    def with_callable_args(self, **kwargs: Callable[[], Any]) -> ObserverFactory:
        self._check(kwargs)
        return ObserverFactory(
            self.observer, self.arguments, {**self.callable_arguments, **kwargs}
        )

    def _check(self, kwargs: Dict[str, Any]) -> None:
        known = self.observer.argument_names()
        unknown = [name for name in kwargs if known is not None and name not in known]
        if unknown:
            raise TypeError(
                f"{self.observer.__name__} has no argument '{unknown[0]}'; it has "
                + ", ".join(known or [])
            )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        computed = {
            name: value()
            for name, value in self.callable_arguments.items()
            if name not in kwargs
        }
        return self.observer(*args, **{**self.arguments, **computed, **kwargs})

    def __eq__(self, other: object) -> bool:
        if isinstance(other, type) and issubclass(other, Describable):
            other = ObserverFactory(other)
        if not isinstance(other, ObserverFactory):
            return NotImplemented
        return self.observer is other.observer and bool(self() == other())

    def __hash__(self) -> int:
        return hash(self.observer)

    def __repr__(self) -> str:
        arguments = {**self.arguments, **self.callable_arguments}
        text = ", ".join(
            f"{name}={value.__name__ if isinstance(value, type) else repr(value)}"
            for name, value in arguments.items()
        )
        return f"{self.observer.__name__}.with_args({text})"


#: What a QConfig holds: a class, a factory, or `nn.Identity` for nothing.
ObserverLike = Union[Type[Describable], ObserverFactory, TorchName]


@dataclass
class ObserverBase(Describable):
    """Base of all observers."""

    # Whether the scheme must be per channel; None: there is none to check.
    _per_channel: ClassVar[Optional[bool]] = None
    #: Whether PyTorch has the class.
    in_torch: ClassVar[bool] = True

    @classmethod
    def argument_names(cls) -> Optional[List[str]]:
        return [f.name for f in dataclasses.fields(cls)]

    def __post_init__(self) -> None:
        values = self.__dict__
        if "dtype" in values:
            values["dtype"] = DType.of(values["dtype"])
        if values.get("qscheme") is not None:
            values["qscheme"] = QScheme.of(values["qscheme"])
            self._check_scheme(values["qscheme"])
        self._check_range(values.get("quant_min"), values.get("quant_max"))

    def _check_scheme(self, scheme: QScheme) -> None:
        if self._per_channel is None or scheme.is_per_channel == self._per_channel:
            return
        wanted = [
            name
            for name, value in QScheme._instances.items()
            if value.is_per_channel == self._per_channel
        ]
        raise NotImplementedError(
            f"{type(self).__name__} has qscheme {scheme.name}, expected "
            + " or ".join(wanted)
        )

    def _check_range(self, low: Optional[int], high: Optional[int]) -> None:
        name = type(self).__name__
        if low is None or high is None:
            if low is not high:
                # As in PyTorch, which says nothing.
                warnings.warn(
                    f"{name} has quant_min {low} and quant_max {high}: one without "
                    "the other has no effect",
                    stacklevel=5,
                )
                self.__dict__.update(quant_min=None, quant_max=None)
            return
        if low >= high:
            raise AssertionError(
                f"{name} has quant_min {low}, expected less than quant_max {high}"
            )
        if not low <= 0 <= high and self._per_channel is not None:
            raise AssertionError(
                f"{name} has the range [{low}, {high}], expected one with 0 in it"
            )


@dataclass
class MinMaxObserver(ObserverBase):
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


@dataclass
class MovingAverageMinMaxObserver(ObserverBase):
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


@dataclass
class PerChannelMinMaxObserver(ObserverBase):
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


@dataclass
class MovingAveragePerChannelMinMaxObserver(ObserverBase):
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


@dataclass
class HistogramObserver(ObserverBase):
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


@dataclass
class FixedQParamsObserver(ObserverBase):
    """A scale and a zero point that are known beforehand."""

    scale: float
    zero_point: int
    dtype: DType = dtypes.quint8
    qscheme: QScheme = dtypes.per_tensor_affine
    quant_min: Optional[int] = 0
    quant_max: Optional[int] = 255
    is_dynamic: bool = False


@dataclass
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

    def __post_init__(self) -> None:
        super().__post_init__()
        self.qscheme = self.qscheme or dtypes.per_tensor_affine
        self.eps = EPS if self.eps is None else self.eps
        # The whole range of the type is what it has without one.
        if (self.quant_min, self.quant_max) == self.dtype.quantized_range:
            self.quant_min = self.quant_max = None
        if self.compute_dtype is not None:
            warnings.warn(
                "compute_dtype is deprecated, write is_dynamic=True", stacklevel=3
            )
            self.is_dynamic = True


@dataclass
class NoopObserver(ObserverBase):
    """Does nothing; carries a dtype."""

    dtype: DType = dtypes.float16
    custom_op_name: str = ""


@dataclass
class RecordingObserver(ObserverBase):
    """Keeps the tensors, for debugging."""

    dtype: DType = dtypes.quint8


@dataclass
class ReuseInputObserver(ObserverBase):
    """Takes the observer of the operator's input."""

    dtype: ClassVar[DType] = dtypes.quint8


@dataclass
class PercentileObserver(ObserverBase):
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

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 50 < self.percentile <= 100:
            raise ValueError(
                f"PercentileObserver has percentile {self.percentile}, expected more "
                "than 50 and at most 100"
            )


@dataclass
class EntropyObserver(ObserverBase):
    """The range whose distribution quantization changes least. Not PyTorch's."""

    _per_channel: ClassVar[Optional[bool]] = False
    in_torch: ClassVar[bool] = False

    dtype: DType = dtypes.quint8
    qscheme: QScheme = dtypes.per_tensor_affine
    reduce_range: bool = False
    quant_min: Optional[int] = None
    quant_max: Optional[int] = None
    eps: float = EPS


@dataclass
class MSEObserver(ObserverBase):
    """The range of the least squared error. Not PyTorch's."""

    _per_channel: ClassVar[Optional[bool]] = False
    in_torch: ClassVar[bool] = False

    dtype: DType = dtypes.quint8
    qscheme: QScheme = dtypes.per_tensor_affine
    reduce_range: bool = False
    quant_min: Optional[int] = None
    quant_max: Optional[int] = None
    eps: float = EPS


#: All observers by name.
OBSERVERS: Dict[str, Type[ObserverBase]] = {
    cls.__name__: cls for cls in ObserverBase.__subclasses__()
}

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

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's fake quantizers: an observer, and rounding while training.

For the compiler, which doesn't train, one in a configuration means its observer.
Gradients are PyTorch's business: a tensor is rounded by PyTorch's own operator.
"""

from __future__ import annotations

import sys
from typing import Any, Dict, List, Optional, Tuple, Type

from ..vocabulary import dtypes
from ..vocabulary.dtypes import DType, QScheme, per_channel_affine_float_qparams
from .observers import (
    SYMMETRIC_EPS,
    Describable,
    FixedQParamsObserver,
    HistogramObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    ObserverBase,
    ObserverFactory,
    ObserverLike,
    UniformQuantizationObserverBase,
    default_fixed_qparams_range_0to1_observer,
    default_fixed_qparams_range_neg1to1_observer,
)
from .recorder import ENTRY, as_given, choose_qparams, fake_quantize, is_tensor, numpy

__all__ = [
    "FakeQuantize",
    "FakeQuantizeBase",
    "FixedQParamsFakeQuantize",
    "FusedMovingAvgObsFakeQuantize",
    "default_affine_fixed_qparams_fake_quant",
    "default_dynamic_fake_quant",
    "default_embedding_fake_quant",
    "default_embedding_fake_quant_4bit",
    "default_fake_quant",
    "default_fixed_qparams_range_0to1_fake_quant",
    "default_fixed_qparams_range_neg1to1_fake_quant",
    "default_fused_act_fake_quant",
    "default_fused_per_channel_wt_fake_quant",
    "default_fused_wt_fake_quant",
    "default_histogram_fake_quant",
    "default_per_channel_weight_fake_quant",
    "default_symmetric_fixed_qparams_fake_quant",
    "default_weight_fake_quant",
    "disable_fake_quant",
    "disable_observer",
    "enable_fake_quant",
    "enable_observer",
    "fused_per_channel_wt_fake_quant_range_neg_127_to_127",
    "fused_wt_fake_quant_range_neg_127_to_127",
]


#: What names of the observer's buffers begin with.
_OBSERVER = "activation_post_process."


class FakeQuantizeBase(Describable):
    """Base of the fake quantizers. `activation_post_process` is the observer.

    Calling one with an array records it and returns what it becomes when it is
    quantized; each of the two can be turned off. `scale` and `zero_point` are those
    of the last call that recorded.
    """

    activation_post_process: ObserverBase
    #: Of the two switches, as PyTorch has them.
    _flag_dtype = "uint8"

    def _start(self, observer: ObserverBase) -> None:
        self.activation_post_process = observer
        # Arrays that can be written to, made when they are asked for: a
        # configuration needs no NumPy.
        self._buffers: Dict[str, Any] = {}

    @property
    def _gives_tensors(self) -> bool:
        """Whether tensors are rounded, so that tensors come back, also from the
        observer."""
        return self.activation_post_process._gives_tensors

    @_gives_tensors.setter
    def _gives_tensors(self, gives: bool) -> None:
        self.activation_post_process._gives_tensors = gives

    @property
    def dtype(self) -> DType:
        found: DType = getattr(self.activation_post_process, "dtype")
        return found

    @property
    def qscheme(self) -> Optional[QScheme]:
        return getattr(self.activation_post_process, "qscheme", None)

    @property
    def ch_axis(self) -> int:
        """The axis of the channels, -1 if there are none."""
        return getattr(self.activation_post_process, "ch_axis", -1)

    @property
    def is_per_channel(self) -> bool:
        return self.qscheme is not None and self.qscheme.is_per_channel

    @property
    def is_symmetric_quant(self) -> bool:
        return self.qscheme is not None and self.qscheme.is_symmetric

    @property
    def is_dynamic(self) -> bool:
        return bool(getattr(self.activation_post_process, "is_dynamic", False))

    @property
    def quant_min(self) -> int:
        """The least integer that is quantized to."""
        found: int = getattr(self.activation_post_process, "quant_min")
        return found

    @property
    def quant_max(self) -> int:
        found: int = getattr(self.activation_post_process, "quant_max")
        return found

    def _buffer(self, name: str, value: int, dtype: str) -> Any:
        if name not in self._buffers:
            self._buffers[name] = numpy().array([value], dtype=dtype)
        return as_given(self._buffers[name], self._gives_tensors)

    @property
    def scale(self) -> Any:
        return self._buffer("scale", 1, "float32")

    @property
    def zero_point(self) -> Any:
        is_real = self.qscheme is per_channel_affine_float_qparams
        return self._buffer("zero_point", 0, "float32" if is_real else "int32")

    @property
    def fake_quant_enabled(self) -> Any:
        """An array of one 1 or 0, which can be set, as PyTorch has a tensor."""
        return self._buffer("fake_quant_enabled", 1, self._flag_dtype)

    @property
    def observer_enabled(self) -> Any:
        return self._buffer("observer_enabled", 1, self._flag_dtype)

    def enable_fake_quant(self, enabled: bool = True) -> None:
        self.fake_quant_enabled[0] = bool(enabled)

    def disable_fake_quant(self) -> None:
        self.enable_fake_quant(False)

    def enable_observer(self, enabled: bool = True) -> None:
        self.observer_enabled[0] = bool(enabled)

    def disable_observer(self) -> None:
        self.enable_observer(False)

    def calculate_qparams(self, **kwargs: Any) -> Any:
        """Those of the observer."""
        return self.activation_post_process.calculate_qparams(**kwargs)

    def __call__(self, X: Any) -> Any:
        return self.forward(X)

    def forward(self, X: Any) -> Any:
        """Records the array if that is on; returns what it becomes, or itself if
        that is off."""
        self._gives_tensors = is_tensor(X)
        if self.observer_enabled[0]:
            self.activation_post_process(X)
            self._update()
        if not self.fake_quant_enabled[0]:
            return X
        if self._gives_tensors:
            torch = sys.modules["torch"]
            limits = (self.quant_min, self.quant_max)
            if self.is_per_channel:
                return torch.fake_quantize_per_channel_affine(
                    X, self.scale, self.zero_point, self.ch_axis, *limits
                )
            return torch.fake_quantize_per_tensor_affine(
                X, self.scale, self.zero_point, *limits
            )
        return fake_quantize(
            X,
            self.scale,
            self.zero_point,
            self.quant_min,
            self.quant_max,
            self.ch_axis,
        )

    def _parameters(self) -> Tuple[Any, Any]:
        scale, zero_point = self.calculate_qparams()
        return scale, zero_point

    def _update(self) -> None:
        np = numpy()
        scale, zero_point = map(np.asarray, self._parameters())
        if zero_point.dtype.kind != "f":
            zero_point = zero_point.astype(np.int32)
        self._buffers.update(scale=scale, zero_point=zero_point)

    def to_table(self, name: str = ENTRY) -> str:
        """What the observer recorded, as a calibration table."""
        text: str = getattr(self.activation_post_process, "to_table")(name)
        return text

    def from_table(self, table: str, name: str = ENTRY) -> None:
        """Goes on from the entry `name` of a calibration table."""
        getattr(self.activation_post_process, "from_table")(table, name)
        self._update()

    def _own_state(self) -> Dict[str, Any]:
        return {
            "fake_quant_enabled": self.fake_quant_enabled,
            "observer_enabled": self.observer_enabled,
            "scale": self.scale,
            "zero_point": self.zero_point,
        }

    def state_dict(self) -> Dict[str, Any]:
        """PyTorch's buffers, with those of the observer."""
        inside = self.activation_post_process.state_dict()
        return {
            **self._own_state(),
            **{_OBSERVER + name: value for name, value in inside.items()},
        }

    def load_state_dict(self, state: Dict[str, Any]) -> None:
        """Goes on from PyTorch's buffers. ValueError if one is missing."""
        missing = [name for name in self.state_dict() if name not in state]
        if missing:
            raise ValueError(
                f"the state of a {type(self).__name__} has no {', '.join(missing)}"
            )
        np = numpy()
        for name, before in self._own_state().items():
            value = state[name]
            self._gives_tensors = is_tensor(value)
            if self._gives_tensors:
                value = value.detach().cpu()
            self._buffers[name] = np.array(value, dtype=np.asarray(before).dtype)
        self.activation_post_process.load_state_dict(
            {
                name[len(_OBSERVER) :]: value
                for name, value in state.items()
                if name.startswith(_OBSERVER)
            }
        )

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        assert isinstance(other, FakeQuantizeBase)
        return self.activation_post_process == other.activation_post_process

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.activation_post_process!r})"


class FakeQuantize(FakeQuantizeBase):
    """Rounds by the parameters that `observer` finds."""

    def __init__(
        self,
        observer: ObserverLike = MovingAverageMinMaxObserver,
        quant_min: Optional[int] = None,
        quant_max: Optional[int] = None,
        is_dynamic: bool = False,
        **observer_kwargs: Any,
    ) -> None:
        factory = (
            observer
            if isinstance(observer, ObserverFactory)
            else ObserverFactory(_observer_class(observer))
        )
        arguments: Dict[str, Any] = dict(observer_kwargs)
        if quant_min is not None and quant_max is not None:
            arguments.update(quant_min=quant_min, quant_max=quant_max)
        if is_dynamic:
            arguments["is_dynamic"] = True
        self._start(factory.with_args(**arguments)())
        if quant_min is not None and quant_max is not None:
            self._check_storable(quant_min, quant_max)

    def _check_storable(self, quant_min: int, quant_max: int) -> None:
        limits = self.dtype.quantized_range
        if limits is None or (limits[0] <= quant_min and quant_max <= limits[1]):
            return
        raise AssertionError(
            f"{type(self).__name__} has the range [{quant_min}, {quant_max}], "
            f"expected one inside [{limits[0]}, {limits[1]}], that of {self.dtype}"
        )


class FixedQParamsFakeQuantize(FakeQuantizeBase):
    """Rounds by fixed parameters."""

    def __init__(self, observer: ObserverLike) -> None:
        made = observer() if isinstance(observer, ObserverFactory) else None
        if not isinstance(made, FixedQParamsObserver):
            raise AssertionError(
                f"FixedQParamsFakeQuantize has observer {observer!r}, expected "
                "FixedQParamsObserver.with_args(scale=..., zero_point=...)"
            )
        self._start(made)

    @property
    def scale(self) -> Any:
        return self.calculate_qparams()[0]

    @property
    def zero_point(self) -> Any:
        np = numpy()
        zero_point = np.asarray(self.calculate_qparams()[1], dtype=np.int32)
        return as_given(zero_point, self._gives_tensors)

    @classmethod
    def argument_names(cls) -> Optional[List[str]]:
        return ["observer"]


class FusedMovingAvgObsFakeQuantize(FakeQuantize):
    """A moving average and the rounding in one operator of PyTorch, which has its
    own formula for scale and zero point. `calculate_qparams` has the observer's."""

    _flag_dtype = "int64"

    def __init__(
        self,
        observer: ObserverLike = MovingAverageMinMaxObserver,
        quant_min: int = 0,
        quant_max: int = 255,
        is_dynamic: bool = False,
        **observer_kwargs: Any,
    ) -> None:
        super().__init__(observer, quant_min, quant_max, is_dynamic, **observer_kwargs)
        if not isinstance(
            self.activation_post_process,
            (MovingAverageMinMaxObserver, MovingAveragePerChannelMinMaxObserver),
        ):
            raise AssertionError(
                "FusedMovingAvgObsFakeQuantize has observer "
                f"{type(self.activation_post_process).__name__}, expected "
                "MovingAverageMinMaxObserver or MovingAveragePerChannelMinMaxObserver"
            )

    def _parameters(self) -> Tuple[Any, Any]:
        observer = self.activation_post_process
        assert isinstance(observer, UniformQuantizationObserverBase)
        return choose_qparams(
            observer.min_val,
            observer.max_val,
            self.quant_min,
            self.quant_max,
            observer.qscheme,
        )


def enable_fake_quant(mod: Any) -> None:
    """Turns rounding on, if `mod` is a fake quantizer."""
    if isinstance(mod, FakeQuantizeBase):
        mod.enable_fake_quant()


def disable_fake_quant(mod: Any) -> None:
    """Turns rounding off, if `mod` is a fake quantizer."""
    if isinstance(mod, FakeQuantizeBase):
        mod.disable_fake_quant()


def enable_observer(mod: Any) -> None:
    """Turns recording on, if `mod` is a fake quantizer."""
    if isinstance(mod, FakeQuantizeBase):
        mod.enable_observer()


def disable_observer(mod: Any) -> None:
    """Turns recording off, if `mod` is a fake quantizer."""
    if isinstance(mod, FakeQuantizeBase):
        mod.disable_observer()


def _observer_class(observer: Any) -> Type[Describable]:
    if isinstance(observer, type) and issubclass(observer, ObserverBase):
        return observer
    raise TypeError(
        f"found observer {observer!r}, expected an observer class of qbackend or "
        "one with arguments, MinMaxObserver.with_args(...)"
    )


#: All fake quantizers by name.
FAKE_QUANTIZERS: Dict[str, Type[FakeQuantizeBase]] = {
    cls.__name__: cls
    for cls in (FakeQuantize, FusedMovingAvgObsFakeQuantize, FixedQParamsFakeQuantize)
}

default_fake_quant = FakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver,
    quant_min=0,
    quant_max=255,
    dtype=dtypes.quint8,
    qscheme=dtypes.per_tensor_affine,
    reduce_range=True,
)
default_weight_fake_quant = FakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver,
    quant_min=-128,
    quant_max=127,
    dtype=dtypes.qint8,
    qscheme=dtypes.per_tensor_symmetric,
    reduce_range=False,
)
default_dynamic_fake_quant = FakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver,
    quant_min=0,
    quant_max=255,
    is_dynamic=True,
    dtype=dtypes.quint8,
    averaging_constant=1,
)
default_fixed_qparams_range_neg1to1_fake_quant = FixedQParamsFakeQuantize.with_args(
    observer=default_fixed_qparams_range_neg1to1_observer
)
default_fixed_qparams_range_0to1_fake_quant = FixedQParamsFakeQuantize.with_args(
    observer=default_fixed_qparams_range_0to1_observer
)
default_symmetric_fixed_qparams_fake_quant = (
    default_fixed_qparams_range_neg1to1_fake_quant
)
default_affine_fixed_qparams_fake_quant = default_fixed_qparams_range_0to1_fake_quant
default_per_channel_weight_fake_quant = FakeQuantize.with_args(
    observer=MovingAveragePerChannelMinMaxObserver,
    quant_min=-128,
    quant_max=127,
    dtype=dtypes.qint8,
    qscheme=dtypes.per_channel_symmetric,
    reduce_range=False,
    ch_axis=0,
)
default_embedding_fake_quant = FakeQuantize.with_args(
    observer=MovingAveragePerChannelMinMaxObserver,
    qscheme=dtypes.per_channel_affine_float_qparams,
    dtype=dtypes.quint8,
    quant_min=0,
    quant_max=255,
    ch_axis=0,
    averaging_constant=1,
)
default_embedding_fake_quant_4bit = FakeQuantize.with_args(
    observer=MovingAveragePerChannelMinMaxObserver,
    qscheme=dtypes.per_channel_affine_float_qparams,
    ch_axis=0,
    dtype=dtypes.quint4x2,
    averaging_constant=1,
)
default_histogram_fake_quant = FakeQuantize.with_args(
    observer=HistogramObserver,
    quant_min=0,
    quant_max=255,
    dtype=dtypes.quint8,
    qscheme=dtypes.per_tensor_affine,
    reduce_range=True,
)
default_fused_act_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver,
    quant_min=0,
    quant_max=255,
    dtype=dtypes.quint8,
)
default_fused_wt_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver,
    quant_min=-128,
    quant_max=127,
    dtype=dtypes.qint8,
    qscheme=dtypes.per_tensor_symmetric,
)
default_fused_per_channel_wt_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(
    observer=MovingAveragePerChannelMinMaxObserver,
    quant_min=-128,
    quant_max=127,
    dtype=dtypes.qint8,
    qscheme=dtypes.per_channel_symmetric,
)
fused_wt_fake_quant_range_neg_127_to_127 = default_fused_wt_fake_quant.with_args(
    quant_min=-127, quant_max=127, eps=SYMMETRIC_EPS
)
fused_per_channel_wt_fake_quant_range_neg_127_to_127 = (
    default_fused_per_channel_wt_fake_quant.with_args(
        quant_min=-127, quant_max=127, eps=SYMMETRIC_EPS
    )
)

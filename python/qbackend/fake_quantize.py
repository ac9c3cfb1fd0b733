# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's fake quantizers: an observer, and rounding while training.

For the compiler, which doesn't train, one means its observer.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Type

from . import dtypes
from .dtypes import DType, QScheme
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
    default_fixed_qparams_range_0to1_observer,
    default_fixed_qparams_range_neg1to1_observer,
)

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
    "fused_per_channel_wt_fake_quant_range_neg_127_to_127",
    "fused_wt_fake_quant_range_neg_127_to_127",
]


class FakeQuantizeBase(Describable):
    """Base of the fake quantizers. `activation_post_process` is the observer."""

    activation_post_process: ObserverBase

    @property
    def dtype(self) -> DType:
        found: DType = getattr(self.activation_post_process, "dtype")
        return found

    @property
    def qscheme(self) -> Optional[QScheme]:
        return getattr(self.activation_post_process, "qscheme", None)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self.__dict__ == other.__dict__

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
        self.activation_post_process = factory.with_args(**arguments)()
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
        self.activation_post_process = made

    @classmethod
    def argument_names(cls) -> Optional[List[str]]:
        return ["observer"]


class FusedMovingAvgObsFakeQuantize(FakeQuantize):
    """A moving average and the rounding in one operator of PyTorch."""

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

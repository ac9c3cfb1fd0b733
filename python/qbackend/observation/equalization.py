# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's input-weight equalization: what observes the columns of a layer's input
and weight, and the scale that makes their ranges alike
(`torch.ao.quantization.fx._equalize`).

With ranges x and w of a column, the input is multiplied and the weight divided by
sqrt((w.max - w.min) / (x.max - x.min)).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, ClassVar, Dict, NamedTuple, Optional, Tuple, cast

from ..vocabulary import dtypes
from ..vocabulary.dtypes import DType, QScheme
from ..vocabulary.names import TorchName
from .observers import ObserverBase, ObserverFactory, PerChannelMinMaxObserver
from .recorder import as_array, numpy

__all__ = [
    "EqualizationQConfig",
    "calculate_equalization_scale",
    "default_equalization_qconfig",
    "input_equalization_observer",
    "weight_equalization_observer",
]

_PER_CHANNEL: Dict[QScheme, QScheme] = {
    dtypes.per_tensor_affine: dtypes.per_channel_affine,
    dtypes.per_tensor_symmetric: dtypes.per_channel_symmetric,
}


@dataclass(eq=False)
class _ColumnObserver(ObserverBase):
    """The range of each index of axis 1, that of input channels."""

    in_torch: ClassVar[bool] = True

    dtype: DType = dtypes.quint8
    qscheme: QScheme = dtypes.per_tensor_affine
    quant_min: Optional[int] = None
    quant_max: Optional[int] = None
    factory_kwargs: Any = field(default=None, compare=False, repr=False)

    def _resolve(self) -> None:
        #: 1 until it is set.
        self.equalization_scale: Any = 1
        self._columns = PerChannelMinMaxObserver(
            ch_axis=1,
            dtype=self.dtype,
            qscheme=_PER_CHANNEL.get(self.qscheme, self.qscheme),
            quant_min=self.quant_min,
            quant_max=self.quant_max,
        )

    def forward(self, x_orig: Any) -> Any:
        rank = numpy().ndim(x_orig)
        if not 2 <= rank <= 5:
            raise ValueError(
                f"{type(self).__name__.lstrip('_')} only supports Linear and Conv "
                f"layers: found an array of rank {rank}, expected 2 to 5"
            )
        return self._columns(x_orig)

    def _is_unscaled(self) -> bool:
        return bool(numpy().all(numpy().asarray(self.equalization_scale) == 1))


@dataclass(eq=False)
class _InputEqualizationObserver(_ColumnObserver):
    """The ranges of the columns of a layer's input."""

    def _normalize(self) -> None:
        if self.qscheme not in _PER_CHANNEL:
            raise TypeError(
                f"Input qscheme must be per-tensor: found {self.qscheme.name}"
            )

    def _resolve(self) -> None:
        super()._resolve()
        self.equalization_shape: Tuple[int, ...] = ()

    @property
    def input_obs(self) -> PerChannelMinMaxObserver:
        return self._columns

    def forward(self, x_orig: Any) -> Any:
        result = super().forward(x_orig)
        shape = numpy().shape(x_orig)
        self.equalization_shape = (1, shape[1], *[1] * (len(shape) - 2))
        return result

    def get_input_minmax(self) -> Tuple[Any, Any]:
        return self._columns.min_val, self._columns.max_val

    def set_equalization_scale(self, equalization_scale: Any) -> None:
        """Sets the scale, in a shape that multiplies the input; a single 1 is
        none."""
        scale = as_array(equalization_scale)
        if scale.size == 1 and scale.reshape(()) == 1:
            return
        self.equalization_scale = scale.reshape(self.equalization_shape)

    def calculate_scaled_minmax(self) -> Tuple[Any, Any]:
        """The range of all of the input after scaling; Nones, with a warning, if
        there is no scale."""
        if self._is_unscaled():
            warnings.warn(
                "Must call calculate_equalization_scale before calling "
                "calculate_scaled_minmax. Will not scale the next quantization "
                "observer.",
                stacklevel=2,
            )
            return None, None
        low, high = map(as_array, self.get_input_minmax())
        scale = self.equalization_scale.reshape(low.shape)
        return (low * scale).min(), (high * scale).max()


@dataclass(eq=False)
class _WeightEqualizationObserver(_ColumnObserver):
    """The ranges of the columns of a weight."""

    dtype: DType = dtypes.qint8

    ch_axis: ClassVar[int] = 1

    @property
    def weight_col_obs(self) -> PerChannelMinMaxObserver:
        return self._columns

    def get_weight_col_minmax(self) -> Tuple[Any, Any]:
        return self._columns.min_val, self._columns.max_val

    def set_equalization_scale(self, equalization_scale: Any) -> None:
        self.equalization_scale = equalization_scale


def calculate_equalization_scale(
    input_obs: _InputEqualizationObserver, weight_obs: _WeightEqualizationObserver
) -> Any:
    """The scale of each column; 1 where it would be 0 or no number, and, with a
    warning, 1 alone if an observer saw nothing. ValueError if the columns are not
    as many."""
    np = numpy()
    low, high = map(as_array, input_obs.get_input_minmax())
    weight_low, weight_high = map(as_array, weight_obs.get_weight_col_minmax())
    if low.size == 0 or weight_low.size == 0:
        warnings.warn(
            "Must run observer before calling calculate_equalization_scale. Returning "
            "default equalization scale 1.",
            stacklevel=2,
        )
        return np.array(1)
    if low.shape != weight_low.shape:
        raise ValueError(
            "Input and Weight must have the same column dimension. Found "
            f"{low.shape} and {weight_low.shape} shapes instead."
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.sqrt((weight_high - weight_low) / (high - low))
    return np.where(np.isfinite(scale) & (scale != 0), scale, np.float32(1))


class _Fields(NamedTuple):
    input_activation: Any
    weight: Any


class EqualizationQConfig(_Fields):
    """What to observe the columns of inputs and weights with."""

    __slots__ = ()

    def __new__(
        cls,
        input_activation: Any = TorchName("torch.nn.Identity"),
        weight: Any = TorchName("torch.nn.Identity"),
    ) -> EqualizationQConfig:
        for value in (input_activation, weight):
            if isinstance(value, ObserverBase):
                raise ValueError(
                    "EqualizationQConfig received observer instance "
                    f"{type(value).__name__}, please pass observer class instead. Use "
                    "MyObserver.with_args(x=1) to override arguments to constructor "
                    "if needed"
                )
        return cast(EqualizationQConfig, super().__new__(cls, input_activation, weight))


input_equalization_observer: ObserverFactory = _InputEqualizationObserver.with_args(
    dtype=dtypes.quint8, qscheme=dtypes.per_tensor_symmetric
)
weight_equalization_observer: ObserverFactory = _WeightEqualizationObserver.with_args(
    dtype=dtypes.qint8, qscheme=dtypes.per_channel_symmetric
)
default_equalization_qconfig = EqualizationQConfig(
    input_activation=input_equalization_observer, weight=weight_equalization_observer
)

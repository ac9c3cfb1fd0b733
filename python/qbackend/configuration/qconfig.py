# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""QConfig, and PyTorch's named ones."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, Optional, cast

from ..observation.fake_quantize import (
    FakeQuantize,
    FakeQuantizeBase,
    FusedMovingAvgObsFakeQuantize,
    default_dynamic_fake_quant,
    default_embedding_fake_quant,
    default_embedding_fake_quant_4bit,
    default_fake_quant,
    default_fused_act_fake_quant,
    default_fused_per_channel_wt_fake_quant,
    default_fused_wt_fake_quant,
    default_per_channel_weight_fake_quant,
    default_weight_fake_quant,
    fused_per_channel_wt_fake_quant_range_neg_127_to_127,
    fused_wt_fake_quant_range_neg_127_to_127,
)
from ..observation.observers import (
    SYMMETRIC_EPS,
    Describable,
    HistogramObserver,
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    NoopObserver,
    ObserverBase,
    ObserverFactory,
    ObserverLike,
    PlaceholderObserver,
    ReuseInputObserver,
    default_debug_observer,
    default_dynamic_quant_observer,
    default_float_qparams_observer,
    default_float_qparams_observer_4bit,
    default_observer,
    default_per_channel_weight_observer,
    default_placeholder_observer,
    default_reuse_input_observer,
    default_weight_observer,
    per_channel_weight_observer_range_neg_127_to_127,
    weight_observer_range_neg_127_to_127,
)
from ..vocabulary import dtypes
from ..vocabulary.names import ModuleCall, TorchName
from .forms import convert

__all__ = [
    "QConfig",
    "QConfigAny",
    "QConfigDynamic",
    "default_activation_only_qconfig",
    "default_debug_qconfig",
    "default_dynamic_qat_qconfig",
    "default_dynamic_qconfig",
    "default_embedding_qat_qconfig",
    "default_embedding_qat_qconfig_4bit",
    "default_per_channel_qconfig",
    "default_per_channel_symmetric_qnnpack_qat_qconfig",
    "default_per_channel_symmetric_qnnpack_qconfig",
    "default_qat_qconfig",
    "default_qat_qconfig_v2",
    "default_qconfig",
    "default_quint8_weight_qconfig",
    "default_reuse_input_qconfig",
    "default_symmetric_qnnpack_qat_qconfig",
    "default_symmetric_qnnpack_qconfig",
    "default_weight_only_qconfig",
    "float16_dynamic_qconfig",
    "float16_static_qconfig",
    "float_qparams_weight_only_qconfig",
    "float_qparams_weight_only_qconfig_4bit",
    "get_default_qat_qconfig",
    "get_default_qconfig",
    "per_channel_dynamic_qconfig",
    "qconfig_equals",
]

IDENTITY = TorchName("torch.nn.Identity")


class _QConfigFields(NamedTuple):
    activation: ObserverLike
    weight: ObserverLike


class QConfig(_QConfigFields):
    """What to observe activations and weights with: two observer classes, with
    or without arguments (`MinMaxObserver.with_args(dtype=qint8)`).

    Equal to a QConfig whose observers would be equal.
    """

    __slots__ = ()

    def __new__(cls, activation: Any, weight: Any) -> QConfig:
        return cast(
            QConfig,
            super().__new__(
                cls, _checked("activation", activation), _checked("weight", weight)
            ),
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, QConfig):
            return NotImplemented
        return _same(self.activation, other.activation) and _same(
            self.weight, other.weight
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((_class_of(self.activation), _class_of(self.weight)))

    def __repr__(self) -> str:
        return (
            f"QConfig(activation={_text(self.activation)}, "
            f"weight={_text(self.weight)})"
        )

    def to_torch(self, missing: Optional[list[str]] = None) -> Any:
        """`torch.ao.quantization.QConfig` with the same observers.

        What the installed version can't express is appended to `missing`;
        without such a list it is a ValueError.
        """
        return convert("to_torch", QConfig, self, missing)

    @classmethod
    def from_torch(cls, qconfig: Any) -> QConfig:
        """The same as PyTorch's `qconfig`; ValueError if it has an observer that
        is none of PyTorch's."""
        result: QConfig = convert("from_torch", QConfig, qconfig)
        return result


#: A QConfig, or None: don't quantize.
QConfigAny = Optional[QConfig]


def QConfigDynamic(activation: Any = IDENTITY, weight: Any = IDENTITY) -> QConfig:
    """PyTorch's old name for a QConfig with a dynamic activation."""
    warnings.warn("QConfigDynamic is deprecated, write QConfig", stacklevel=2)
    return QConfig(activation, weight)


def _checked(role: str, value: Any) -> ObserverLike:
    if isinstance(value, (ObserverBase, FakeQuantizeBase, ModuleCall)):
        name = getattr(value, "name", type(value).__name__)
        raise ValueError(
            f"QConfig received an instance of {name} as {role}, expected the class: "
            f"{name} or {name}.with_args(...)"
        )
    if isinstance(value, ObserverFactory) or value == IDENTITY:
        return value  # type: ignore[no-any-return]
    if isinstance(value, type) and issubclass(value, Describable):
        return value
    if getattr(value, "__module__", "").startswith("torch."):
        result: ObserverLike = convert("from_torch", Describable, value)
        return result
    # As in PyTorch, which finds out when a network is prepared.
    warnings.warn(
        f"QConfig received {value!r} as {role}, expected an observer class of qbackend "
        "or nn.Identity: a mapping can hold it, but nothing can be quantized with it",
        stacklevel=4,
    )
    return cast(ObserverLike, value)


def _class_of(observer: ObserverLike) -> Any:
    return observer.observer if isinstance(observer, ObserverFactory) else observer


def _same(left: ObserverLike, right: ObserverLike) -> bool:
    if isinstance(left, type):
        left = ObserverFactory(left)
    return left == right


def _text(observer: ObserverLike) -> str:
    return observer.__name__ if isinstance(observer, type) else repr(observer)


def qconfig_equals(q1: QConfigAny, q2: QConfigAny) -> bool:
    """Whether both are None or equal."""
    return q1 == q2


def activation_is_memoryless(qconfig: QConfig) -> bool:
    """Whether each batch is observed by itself: an average that is all of the
    last one."""
    made = qconfig.activation()
    made = getattr(made, "activation_post_process", made)
    return bool(getattr(made, "averaging_constant", None) == 1)


def is_reuse_input_qconfig(qconfig: QConfigAny) -> bool:
    """Whether the output has the observer of the input."""
    return (
        qconfig is not None
        and isinstance(qconfig.activation(), ReuseInputObserver)
        and isinstance(qconfig.weight(), NoopObserver)
    )


default_qconfig = QConfig(activation=default_observer, weight=default_weight_observer)
default_debug_qconfig = QConfig(
    activation=default_debug_observer, weight=default_weight_observer
)
default_per_channel_qconfig = QConfig(
    activation=default_observer, weight=default_per_channel_weight_observer
)
default_dynamic_qconfig = QConfig(
    activation=default_dynamic_quant_observer, weight=default_weight_observer
)
per_channel_dynamic_qconfig = QConfig(
    activation=default_dynamic_quant_observer,
    weight=default_per_channel_weight_observer,
)
float16_dynamic_qconfig = QConfig(
    activation=PlaceholderObserver.with_args(dtype=dtypes.float16, is_dynamic=True),
    weight=PlaceholderObserver.with_args(dtype=dtypes.float16),
)
float16_static_qconfig = QConfig(
    activation=PlaceholderObserver.with_args(dtype=dtypes.float16),
    weight=PlaceholderObserver.with_args(dtype=dtypes.float16),
)
float_qparams_weight_only_qconfig = QConfig(
    activation=default_placeholder_observer, weight=default_float_qparams_observer
)
float_qparams_weight_only_qconfig_4bit = QConfig(
    activation=default_placeholder_observer,
    weight=default_float_qparams_observer_4bit,
)
default_quint8_weight_qconfig = QConfig(
    activation=HistogramObserver, weight=MinMaxObserver
)
default_qat_qconfig = QConfig(
    activation=default_fake_quant, weight=default_weight_fake_quant
)
default_dynamic_qat_qconfig = QConfig(
    activation=default_dynamic_fake_quant, weight=default_weight_fake_quant
)
default_weight_only_qconfig = QConfig(
    activation=IDENTITY, weight=default_weight_fake_quant
)
default_activation_only_qconfig = QConfig(
    activation=default_fake_quant, weight=IDENTITY
)
default_qat_qconfig_v2 = QConfig(
    activation=default_fused_act_fake_quant, weight=default_fused_wt_fake_quant
)
default_reuse_input_qconfig = QConfig(
    activation=default_reuse_input_observer, weight=NoopObserver
)

_histogram_qint8 = HistogramObserver.with_args(
    dtype=dtypes.qint8, reduce_range=False, eps=SYMMETRIC_EPS
)
default_symmetric_qnnpack_qconfig = QConfig(
    activation=_histogram_qint8, weight=weight_observer_range_neg_127_to_127
)
default_per_channel_symmetric_qnnpack_qconfig = QConfig(
    activation=_histogram_qint8,
    weight=per_channel_weight_observer_range_neg_127_to_127,
)
_fused_qint8 = FusedMovingAvgObsFakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver,
    quant_min=-128,
    quant_max=127,
    dtype=dtypes.qint8,
    reduce_range=False,
    eps=SYMMETRIC_EPS,
)
default_symmetric_qnnpack_qat_qconfig = QConfig(
    activation=_fused_qint8, weight=fused_wt_fake_quant_range_neg_127_to_127
)
default_per_channel_symmetric_qnnpack_qat_qconfig = QConfig(
    activation=_fused_qint8,
    weight=fused_per_channel_wt_fake_quant_range_neg_127_to_127,
)
default_embedding_qat_qconfig = QConfig(
    activation=NoopObserver.with_args(dtype=dtypes.float32),
    weight=default_embedding_fake_quant,
)
default_embedding_qat_qconfig_4bit = QConfig(
    activation=NoopObserver.with_args(dtype=dtypes.float32),
    weight=default_embedding_fake_quant_4bit,
)

# Backends with a default, and whether theirs halves the activations' range.
_REDUCES_RANGE = {"fbgemm": True, "x86": True, "qnnpack": False, "onednn": False}


def _check_backend(backend: str, version: int, versions: range) -> None:
    if backend not in _REDUCES_RANGE:
        raise AssertionError(
            f"no default qconfig for backend '{backend}', expected one of "
            + ", ".join(_REDUCES_RANGE)
        )
    if version not in versions:
        raise AssertionError(
            f"version {version} of the default qconfig is unknown, expected "
            + " or ".join(map(str, versions))
        )


def get_default_qconfig(backend: str = "x86", version: int = 0) -> QConfig:
    """PyTorch's QConfig for calibration: `x86`, `fbgemm`, `qnnpack`, `onednn`."""
    _check_backend(backend, version, range(1))
    return QConfig(
        activation=HistogramObserver.with_args(reduce_range=_REDUCES_RANGE[backend]),
        weight=(
            default_weight_observer
            if backend == "qnnpack"
            else default_per_channel_weight_observer
        ),
    )


def get_default_qat_qconfig(backend: str = "x86", version: int = 1) -> QConfig:
    """PyTorch's QConfig for training; version 1 has the fused operators."""
    _check_backend(backend, version, range(2))
    per_tensor = backend == "qnnpack"
    activation = (FusedMovingAvgObsFakeQuantize if version else FakeQuantize).with_args(
        observer=MovingAverageMinMaxObserver,
        quant_min=0,
        quant_max=255,
        reduce_range=_REDUCES_RANGE[backend],
    )
    if version:
        weight = (
            default_fused_wt_fake_quant
            if per_tensor
            else default_fused_per_channel_wt_fake_quant
        )
    else:
        weight = (
            default_weight_fake_quant
            if per_tensor
            else default_per_channel_weight_fake_quant
        )
    return QConfig(activation=activation, weight=weight)

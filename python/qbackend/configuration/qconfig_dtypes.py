# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a QConfig makes of activations and weights, and ranges of integers: the
functions of `torch.ao.quantization.utils` that are about configurations."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

from ..observation.recorder import Recorder, as_array, numpy, quantized_range
from ..vocabulary import dtypes
from ..vocabulary.dtypes import DType, DTypeLike, QScheme, QSchemeLike
from ..vocabulary.quant_type import QuantType
from .qconfig import QConfig

__all__ = [
    "activation_dtype",
    "activation_is_dynamically_quantized",
    "activation_is_int32_quantized",
    "activation_is_int8_quantized",
    "activation_is_statically_quantized",
    "calculate_qmin_qmax",
    "check_min_max_valid",
    "determine_qparams",
    "get_combined_dict",
    "get_qconfig_dtypes",
    "get_quant_type",
    "is_per_channel",
    "is_per_tensor",
    "op_is_int8_dynamically_quantized",
    "validate_qmin_qmax",
    "weight_dtype",
    "weight_is_quantized",
    "weight_is_statically_quantized",
]

_BYTES = (dtypes.quint8, dtypes.qint8, dtypes.uint8, dtypes.int8)
_STATIC = (
    *_BYTES,
    dtypes.float16,
    dtypes.qint32,
    dtypes.int16,
    dtypes.int32,
    dtypes.float8_e5m2,
    dtypes.float8_e4m3fn,
)
_WEIGHTS = (*_STATIC, dtypes.quint4x2)


def is_per_tensor(qscheme: QSchemeLike) -> bool:
    """Whether there is one scale for all of a tensor."""
    return not is_per_channel(qscheme)


def is_per_channel(qscheme: QSchemeLike) -> bool:
    """Whether there is one for each channel."""
    return QScheme.of(qscheme).is_per_channel


def activation_dtype(qconfig: QConfig) -> DType:
    """The type of activations."""
    found: DType = getattr(qconfig.activation(), "dtype")
    return found


def weight_dtype(qconfig: QConfig) -> DType:
    """The type of weights."""
    found: DType = getattr(qconfig.weight(), "dtype")
    return found


def _is_dynamic(qconfig: QConfig) -> bool:
    return bool(getattr(qconfig.activation(), "is_dynamic", False))


def activation_is_statically_quantized(qconfig: QConfig) -> bool:
    """Whether the range of activations is known beforehand, or they are rounded
    to 16 bits."""
    return activation_dtype(qconfig) in _STATIC and not _is_dynamic(qconfig)


def activation_is_dynamically_quantized(qconfig: QConfig) -> bool:
    """Whether the range of activations is taken as they come."""
    return _is_dynamic(qconfig)


def activation_is_int8_quantized(qconfig: QConfig) -> bool:
    return activation_dtype(qconfig) in _BYTES


def activation_is_int32_quantized(qconfig: QConfig) -> bool:
    return activation_dtype(qconfig) in (dtypes.qint32, dtypes.int32)


def weight_is_quantized(qconfig: QConfig) -> bool:
    """Whether weights are of fewer bits than 32."""
    return weight_dtype(qconfig) in _WEIGHTS


def weight_is_statically_quantized(qconfig: QConfig) -> bool:
    return weight_dtype(qconfig) in (*_BYTES, dtypes.float16)


def op_is_int8_dynamically_quantized(qconfig: QConfig) -> bool:
    """Whether activations as they come and weights are bytes."""
    return (
        activation_dtype(qconfig) in (dtypes.quint8, dtypes.uint8)
        and weight_dtype(qconfig) in (dtypes.qint8, dtypes.int8)
        and _is_dynamic(qconfig)
    )


def get_qconfig_dtypes(qconfig: Optional[QConfig]) -> Tuple[DType, DType, bool]:
    """The types of activations and weights, and whether the former are dynamic."""
    if qconfig is None:
        raise AssertionError("qconfig is None, expected a QConfig")
    return activation_dtype(qconfig), weight_dtype(qconfig), _is_dynamic(qconfig)


def get_quant_type(qconfig: Optional[QConfig]) -> QuantType:
    """When values become integers. Exception if they don't."""
    activation, weight, is_dynamic = get_qconfig_dtypes(qconfig)
    if weight in (*_BYTES, dtypes.float16, dtypes.quint4x2):
        if is_dynamic:
            return QuantType.DYNAMIC
        if activation in _STATIC:
            return QuantType.STATIC
        return QuantType.WEIGHT_ONLY
    if weight is dtypes.float16 or activation is dtypes.float16:
        return QuantType.DYNAMIC if is_dynamic else QuantType.STATIC
    raise Exception(
        f"Unrecognized dtype combination in get_quant_type: activation({activation}), "
        f"weight({weight})"
    )


def validate_qmin_qmax(quant_min: int, quant_max: int) -> None:
    """AssertionError unless the range has 0 in it and is not empty."""
    if not quant_min <= 0 <= quant_max:
        raise AssertionError(
            "Used-specified quantization range must include 0: found "
            f"[{quant_min}, {quant_max}]"
        )
    if quant_min >= quant_max:
        raise AssertionError(
            f"qmin must be less than qmax: found {quant_min} and {quant_max}"
        )


def calculate_qmin_qmax(
    quant_min: Optional[int],
    quant_max: Optional[int],
    has_customized_qrange: bool,
    dtype: DTypeLike,
    reduce_range: bool,
) -> Tuple[int, int]:
    """The integers that an observer quantizes to. AssertionError if there are
    more than the type has."""
    dtype = DType.of(dtype)
    custom: Optional[Tuple[int, int]] = None
    if has_customized_qrange:
        custom = (0, 255)
        if quant_min is not None and quant_max is not None:
            custom = (quant_min, quant_max)
        bits = {"qint8": 8, "int8": 8, "qint32": 32, "int32": 32}.get(dtype.name)
        count = custom[1] - custom[0] + 1
        if bits is not None and not 0 < count <= 2**bits:
            raise AssertionError(
                "quantization range should be positive and not exceed the maximum bit "
                f"range (={2**bits}): found {count}"
            )
    return quantized_range(dtype, custom, reduce_range)


def check_min_max_valid(min_val: Any, max_val: Any) -> bool:
    """Whether something was observed. AssertionError if the least value is
    greater than the greatest."""
    np = numpy()
    low, high = np.asarray(min_val), np.asarray(max_val)
    if low.size == 0 or high.size == 0:
        return False
    if np.any(np.isposinf(low) & np.isneginf(high)):
        return False
    if not np.all(low <= high):
        raise AssertionError(f"min {low} should be less than max {high}")
    return True


def determine_qparams(
    min_val: Any,
    max_val: Any,
    quant_min: int,
    quant_max: int,
    dtype: DTypeLike,
    eps: Any,
    has_customized_qrange: bool,
    qscheme: QSchemeLike = dtypes.per_tensor_affine,
) -> Tuple[Any, Any]:
    """Scale and zero point of a range, or of each channel's, by the formula of
    the observers."""
    np = numpy()
    if not check_min_max_valid(min_val, max_val):
        return np.array([1.0]), np.array([0])
    dtype, qscheme = DType.of(dtype), QScheme.of(qscheme)
    by_channel = is_per_channel(qscheme)
    spec: Dict[str, Any] = {
        "observer": "PerChannelMinMaxObserver" if by_channel else "MinMaxObserver",
        "dtype": dtype.name,
        "qscheme": qscheme.name,
        "eps": float(np.asarray(eps).reshape(-1)[0]),
    }
    whole = quantized_range(dtype, None, False)
    if has_customized_qrange:
        spec["quant_min"], spec["quant_max"] = quant_min, quant_max
    elif (quant_min, quant_max) != whole:
        spec["reduce_range"] = True
    recorder = Recorder(spec, 0 if by_channel else None)
    recorder.set_range(as_array(min_val), as_array(max_val))
    scale, zero_point = recorder.qparams()
    return scale.astype(np.float64), zero_point


def get_combined_dict(
    default_dict: Dict[Any, Any], additional_dict: Dict[Any, Any]
) -> Dict[Any, Any]:
    """A copy with the additional entries in place of those of the same key."""
    return {**default_dict, **additional_dict}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`quantized_decomposed`: what PT2E writes between float operators; and the fake
quantizers of FX."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .. import movement, quantization
from ..builder import Builder, Value
from ..elements import F32, F64, HALVES, I8, I16, I32, I64, U8, U16, Element
from ..errors import ImportFailure
from ..program import DType
from .table import op


def _stored(dtype: DType) -> Element:
    if dtype.element.kind not in "iu" or dtype.element.bits > 32:
        raise ImportFailure(f"a quantization to {dtype.element}")
    return dtype.element


def _check(scale: float, what: str) -> None:
    if not 0 < scale < float("inf"):
        raise ImportFailure(f"{what} has the scale {scale}, expected a positive "
                            "number")


@op("quantized_decomposed::quantize_per_tensor")
def quantize_per_tensor(g: Builder, input: Value, scale: float, zero_point: int,
                        quant_min: int, quant_max: int, dtype: DType) -> Value:
    _check(scale, "quantize_per_tensor")
    return quantization.quantize(g, g.cast(input, F32), scale, zero_point,
                                 quant_min, quant_max, _stored(dtype), False)


@op("quantized_decomposed::dequantize_per_tensor")
def dequantize_per_tensor(g: Builder, input: Value, scale: float,
                          zero_point: int, quant_min: int, quant_max: int,
                          dtype: DType,
                          out_dtype: Optional[DType] = None) -> Value:
    _check(scale, "dequantize_per_tensor")
    y = quantization.dequantize(g, input, scale, zero_point)
    return y if out_dtype is None else g.cast(y, out_dtype.element)


def _limit(value: Any) -> int:
    if isinstance(value, Value):
        if value.data is None or value.size != 1:
            raise ImportFailure("a limit of a quantization isn't known")
        return int(value.data.reshape(-1)[0])
    return int(value)


@op("quantized_decomposed::quantize_per_tensor.tensor",
    "quantized_decomposed::quantize_per_tensor.tensor2")
def quantize_per_tensor_tensor(g: Builder, input: Value, scale: Value,
                               zero_point: Value, quant_min: Any, quant_max: Any,
                               dtype: DType) -> Value:
    return quantization.quantize_dynamic(
        g, input, scale, zero_point, _limit(quant_min), _limit(quant_max),
        _stored(dtype), False)


@op("quantized_decomposed::dequantize_per_tensor.tensor",
    "quantized_decomposed::dequantize_per_tensor.tensor2")
def dequantize_per_tensor_tensor(g: Builder, input: Value, scale: Value,
                                 zero_point: Value, quant_min: Any,
                                 quant_max: Any, dtype: DType,
                                 out_dtype: Optional[DType] = None) -> Value:
    y = quantization.dequantize_dynamic(g, input, scale, zero_point)
    return y if out_dtype is None else g.cast(y, out_dtype.element)


@op("quantized_decomposed::quantize_per_channel")
def quantize_per_channel(g: Builder, input: Value, scales: Value,
                         zero_points: Optional[Value], axis: int, quant_min: int,
                         quant_max: int, dtype: DType) -> Value:
    return quantization.quantize_per_channel(
        g, input, scales, zero_points, axis, quant_min, quant_max, _stored(dtype),
        False)


@op("quantized_decomposed::dequantize_per_channel")
def dequantize_per_channel(g: Builder, input: Value, scales: Value,
                           zero_points: Optional[Value], axis: int,
                           quant_min: int, quant_max: int, dtype: DType,
                           out_dtype: Optional[DType] = None) -> Value:
    return quantization.dequantize_per_channel(
        g, input, g.cast(scales, F32), zero_points, axis)


def _range(g: Builder, x: Value) -> "tuple[Value, Value]":
    axes = list(range(x.rank))
    return g.reduce(x, axes, "min"), g.reduce(x, axes, "max")


@op("quantized_decomposed::choose_qparams.tensor")
def choose_qparams(g: Builder, input: Value, quant_min: int, quant_max: int,
                   eps: float, dtype: DType) -> Any:
    """The range with 0 in it by the number of steps, at least eps."""
    low, high = _range(g, input)
    low = g.map([low], lambda v: v.min(0.0))
    high = g.map([high], lambda v: v.max(0.0))
    steps = float(quant_max - quant_min)
    scale = g.map([low, high], lambda l, h: ((h - l) / steps).max(float(eps)))
    zero = g.map([low, scale], lambda l, s: (
        float(quant_min) - (l / s).unary("roundeven")).max(
            float(quant_min)).min(float(quant_max)).cast(I64))
    return (movement.reshape(g, g.cast(scale, F64), (1,)),
            movement.reshape(g, zero, (1,)))


@op("quantized_decomposed::choose_qparams_symmetric.tensor")
def choose_qparams_symmetric(g: Builder, input: Value, quant_min: int,
                             quant_max: int, eps: float, dtype: DType) -> Any:
    low, high = _range(g, input)
    half = (quant_max - quant_min) / 2
    scale = g.map([low, high], lambda l, h: (
        (-(l.min(0.0))).max(h.max(0.0)) / half).max(float(eps)))
    zero = 128 if dtype.element.kind == "u" else 0
    return (movement.reshape(g, g.cast(scale, F64), (1,)),
            g.full((1,), zero, I64))


@op("quantized_decomposed::choose_qparams_per_token",
    "quantized_decomposed::_choose_qparams_per_token_asymmetric_impl",
    "quantized_decomposed::choose_qparams_per_token_asymmetric")
def choose_qparams_per_token(g: Builder, input: Value, dtype: DType) -> Any:
    raise ImportFailure("scales that are computed for each token are not "
                        "supported")


@op("quantized_decomposed::convert_element_type.no_fuse")
def convert_element_type(g: Builder, input: Value, dtype: DType) -> Value:
    return g.cast(input, dtype.element)


# Fake quantizers: quantize and dequantize in one.


def _element_for(quant_min: int, quant_max: int) -> Element:
    for element in (U8, I8, U16, I16, I32):
        info = np.iinfo(element.dtype)
        if info.min <= quant_min <= quant_max <= info.max:
            return element
    raise ImportFailure(f"a fake quantizer from {quant_min} to {quant_max}")


@op("fake_quantize_per_tensor_affine",
    "fake_quantize_per_tensor_affine.tensor_qparams")
def fake_quantize(g: Builder, self: Value, scale: Any, zero_point: Any,
                  quant_min: int, quant_max: int) -> Value:
    if self.element in HALVES:
        wide = fake_quantize(g, g.cast(self, F32), scale, zero_point, quant_min,
                             quant_max)
        return g.cast(wide, self.element)
    element = _element_for(quant_min, quant_max)
    numbers = [v.data.reshape(-1)[0].item() if isinstance(v, Value) and (
        v.data is not None and v.size == 1) else v for v in (scale, zero_point)]
    if any(isinstance(v, Value) for v in numbers):
        q = quantization.quantize_dynamic(g, self, scale, zero_point, quant_min,
                                          quant_max, element, False)
        return quantization.dequantize_dynamic(g, q, scale, zero_point)
    _check(numbers[0], "a fake quantizer")
    # The inverse is that of the f32.
    number = float(np.float32(1) / np.float32(numbers[0]))
    q = quantization.quantize(g, self, 1.0 / number, int(numbers[1]), quant_min,
                              quant_max, element, False)
    return quantization.dequantize(g, q, numbers[0], int(numbers[1]))


@op("fake_quantize_per_channel_affine")
def fake_quantize_per_channel(g: Builder, self: Value, scale: Value,
                              zero_point: Value, axis: int, quant_min: int,
                              quant_max: int) -> Value:
    if zero_point.element.is_float:
        raise ImportFailure("a fake quantizer with float zero points")
    if self.element in HALVES:
        wide = fake_quantize_per_channel(g, g.cast(self, F32), scale, zero_point,
                                         axis, quant_min, quant_max)
        return g.cast(wide, self.element)
    zeros: Optional[Value] = zero_point
    if zero_point.data is not None and not zero_point.data.any():
        zeros = None
    q = quantization.quantize_per_channel(
        g, self, scale, zeros, axis, quant_min, quant_max,
        _element_for(quant_min, quant_max), False)
    return quantization.dequantize_per_channel(g, q, scale, zeros, axis)


@op("fake_quantize_per_tensor_affine_cachemask")
def fake_quantize_mask(g: Builder, self: Value, scale: float, zero_point: int,
                       quant_min: int, quant_max: int) -> Any:
    return fake_quantize(g, self, scale, zero_point, quant_min, quant_max), None


@op("_fake_quantize_per_tensor_affine_cachemask_tensor_qparams")
def fake_quantize_switched(g: Builder, self: Value, scale: Value,
                           zero_point: Value, fake_quant_enabled: Value,
                           quant_min: int, quant_max: int) -> Any:
    if not _is_on(fake_quant_enabled):
        return self, None
    return fake_quantize(g, self, scale, zero_point, quant_min, quant_max), None


@op("fake_quantize_per_channel_affine_cachemask")
def fake_quantize_per_channel_mask(g: Builder, self: Value, scale: Value,
                                   zero_point: Value, axis: int, quant_min: int,
                                   quant_max: int) -> Any:
    return fake_quantize_per_channel(g, self, scale, zero_point, axis, quant_min,
                                     quant_max), None


def _is_on(switch: Value) -> bool:
    if switch.data is None:
        raise ImportFailure("whether it is on is computed, expected a constant")
    return bool(switch.data.any())


@op("fused_moving_avg_obs_fake_quant")
def fused_fake_quantize(g: Builder, self: Value, observer_on: Value,
                        fake_quant_on: Value, running_min: Value,
                        running_max: Value, scale: Value, zero_point: Value,
                        averaging_const: float, quant_min: int, quant_max: int,
                        ch_axis: int, per_row_fake_quant: bool = False,
                        symmetric_quant: bool = False) -> Value:
    """What training leaves: an observer that is on would change the scale with
    each call."""
    if _is_on(observer_on):
        raise ImportFailure(
            "its observer is on: the scale depends on the calls before. Export "
            "after model.eval() and "
            "model.apply(torch.ao.quantization.disable_observer)")
    if not _is_on(fake_quant_on):
        return self
    if per_row_fake_quant:
        return fake_quantize_per_channel(g, self, scale, zero_point, ch_axis,
                                         quant_min, quant_max)
    return fake_quantize(g, self, scale, zero_point, quant_min, quant_max)


@op("_fused_moving_avg_obs_fq_helper_functional",
    "_fused_moving_avg_obs_fq_helper")
def fused_fake_quantize_mask(g: Builder, self: Value, observer_on: Value,
                             fake_quant_on: Value, running_min: Value,
                             running_max: Value, scale: Value, zero_point: Value,
                             averaging_const: float, quant_min: int,
                             quant_max: int, ch_axis: int,
                             per_row_fake_quant: bool = False,
                             symmetric_quant: bool = False) -> Any:
    y = fused_fake_quantize(
        g, self, observer_on, fake_quant_on, running_min, running_max, scale,
        zero_point, averaging_const, quant_min, quant_max, ch_axis,
        per_row_fake_quant, symmetric_quant)
    # What is learned stays.
    return y, None, running_min, running_max, scale, zero_point

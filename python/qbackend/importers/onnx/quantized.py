# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantized ONNX: QuantizeLinear and DequantizeLinear; the operators on integers
as float ones between them, but for those whose results are 32-bit sums."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

import numpy as np

from .. import dims, movement, products, quantization, reductions
from ..aten.elementwise import sigmoid_of
from ..builder import Value
from ..elements import F32, I32, U8, Element
from ..errors import ImportFailure
from .layers import average_pool, conv_of
from .model import element_of
from .table import Context, known, op

_QUANTIZED = ("", "com.microsoft")


def _limits(element: Element) -> Tuple[int, int]:
    if element.kind not in "iu" or element.bits > 16:
        raise ImportFailure(f"a quantization to {element}")
    info = np.iinfo(element.dtype)
    return int(info.min), int(info.max)


def _number(value: Optional[Value]) -> Optional[float]:
    """Of one element that is known."""
    if value is None or value.data is None or value.size != 1:
        return None
    return float(value.data.reshape(-1)[0])


def _check(o: Context) -> None:
    if o.get("block_size", 0):
        raise ImportFailure("a scale for each block is not supported")


def quantize_of(o: Context, x: Value, scale: Value,
                zero_point: Optional[Value], element: Element,
                axis: int) -> Value:
    low, high = _limits(element)
    x = o.g.cast(x, F32)
    if scale.rank == 0 or scale.size == 1:
        s = _number(scale)
        z = 0.0 if zero_point is None else _number(zero_point)
        if s is None or z is None:
            zero = zero_point if zero_point is not None else o.g.full(
                (), 0, element)
            return quantization.quantize_dynamic(o.g, x, scale, zero, low, high,
                                                 element, True)
        if not 0 < s < float("inf"):
            raise ImportFailure(f"a scale of {s}, expected a positive number")
        return quantization.quantize(o.g, x, s, int(z), low, high, element, True)
    return quantization.quantize_per_channel(
        o.g, x, o.g.cast(scale, F32), zero_point, axis, low, high, element, True)


def dequantize_of(o: Context, q: Value, scale: Value,
                  zero_point: Optional[Value], axis: int) -> Value:
    if scale.rank == 0 or scale.size == 1:
        s = _number(scale)
        z = 0.0 if zero_point is None else _number(zero_point)
        if s is None or z is None:
            zero = zero_point if zero_point is not None else o.g.full(
                (), 0, I32)
            return quantization.dequantize_dynamic(o.g, q, scale, zero)
        return quantization.dequantize(o.g, q, s, int(z))
    zero_point = None if zero_point is not None and (
        zero_point.data is not None and not zero_point.data.any()) else zero_point
    return quantization.dequantize_per_channel(o.g, q, o.g.cast(scale, F32),
                                               zero_point, axis)


def _quantize(o: Context, x: Value, scale: Value,
              zero_point: Optional[Value] = None) -> Value:
    _check(o)
    code = o.attributes.get("output_dtype") or 0
    element = zero_point.element if zero_point is not None else (
        element_of(code, "the result") if code else U8)
    return quantize_of(o, x, scale, zero_point, element, o.get("axis", 1))


def _dequantize(o: Context, q: Value, scale: Value,
                zero_point: Optional[Value] = None) -> Value:
    _check(o)
    if zero_point is not None and zero_point.element != q.element:
        raise ImportFailure(f"its zero point is {zero_point.element}, its input "
                            f"{q.element}; both have to be of one type")
    return dequantize_of(o, q, scale, zero_point, o.get("axis", 1))


for _domain in _QUANTIZED:
    op("QuantizeLinear", "axis block_size output_dtype saturate precision",
       _domain)(_quantize)
    op("DequantizeLinear", "axis block_size output_dtype", _domain)(_dequantize)


@op("DynamicQuantizeLinear")
def dynamic_quantize(o: Context, x: Value) -> Any:
    """s = (max - min) / 255, z = rne(clamp(-min / s)), with 0 in the range. Of zeros
    alone s is 1, as in ONNX Runtime: nothing can be divided by 0."""
    axes = list(range(x.rank))
    low = o.g.map([o.g.reduce(x, axes, "min")], lambda v: v.min(0.0))
    high = o.g.map([o.g.reduce(x, axes, "max")], lambda v: v.max(0.0))
    scale = o.g.map([low, high], lambda l, h: (h > l).select(
        (h - l) / 255.0, h.body.number(1.0, F32)))
    zero = o.g.map([low, scale], lambda l, s: (0.0 - l / s).max(0.0).min(
        255.0).unary("roundeven").cast(U8))
    return (quantization.quantize_dynamic(o.g, x, scale, zero, 0, 255, U8, True),
            scale, zero)


@op("QLinearConv", "auto_pad dilations group kernel_shape pads strides")
def qlinear_conv(o: Context, x: Value, x_scale: Value, x_zero: Value,
                 weight: Value, w_scale: Value, w_zero: Value, y_scale: Value,
                 y_zero: Value, bias: Optional[Value] = None) -> Value:
    real_bias = None
    if bias is not None:
        sx, sw = known(x_scale, "scale"), known(w_scale, "scale")
        assert sx is not None and sw is not None
        scale = o.g.constant((sx.reshape(-1) * sw.reshape(-1)).astype(np.float32))
        real_bias = dequantize_of(o, bias, scale, None, 0)
    y = conv_of(o, dequantize_of(o, x, x_scale, x_zero, 1),
                dequantize_of(o, weight, w_scale, w_zero, 0), real_bias)
    return quantize_of(o, y, y_scale, y_zero, y_zero.element, 1)


@op("QLinearMatMul")
def qlinear_matmul(o: Context, a: Value, a_scale: Value, a_zero: Value, b: Value,
                   b_scale: Value, b_zero: Value, y_scale: Value,
                   y_zero: Value) -> Value:
    y = products.matmul(o.g, dequantize_of(o, a, a_scale, a_zero, -2),
                        dequantize_of(o, b, b_scale, b_zero, -1))
    return quantize_of(o, y, y_scale, y_zero, y_zero.element, -1)


def _result_zero(zero: Optional[Value], like: Value
                 ) -> Tuple[Optional[Value], Element]:
    return zero, like.element if zero is None else zero.element


def _add_binary(name: str, function: Any) -> None:
    def operator(o: Context, a: Value, a_scale: Value, a_zero: Optional[Value],
                 b: Value, b_scale: Value, b_zero: Optional[Value],
                 y_scale: Value, y_zero: Optional[Value] = None) -> Value:
        y = o.g.map([dequantize_of(o, a, a_scale, a_zero, 1),
                     dequantize_of(o, b, b_scale, b_zero, 1)], function)
        zero, element = _result_zero(y_zero, a)
        return quantize_of(o, y, y_scale, zero, element, 1)

    op(name, "", "com.microsoft")(operator)


_add_binary("QLinearAdd", lambda a, b: a + b)
_add_binary("QLinearMul", lambda a, b: a * b)


def _add_function(name: str, attributes: str, function: Any) -> None:
    def operator(o: Context, x: Value, x_scale: Value, x_zero: Optional[Value],
                 y_scale: Value, y_zero: Optional[Value] = None) -> Value:
        y = function(o, dequantize_of(o, x, x_scale, x_zero, 1))
        zero, element = _result_zero(y_zero, x)
        return quantize_of(o, y, y_scale, zero, element, 1)

    op(name, attributes, "com.microsoft")(operator)


def _leaky(o: Context, x: Value) -> Value:
    slope = o.get("alpha", 0.01)
    return o.g.map([x], lambda v: (v > 0.0).select(v, v * slope))


def _first(o: Context) -> None:
    if o.get("channels_last", 0):
        raise ImportFailure("channels_last")


def _average(o: Context, x: Value) -> Value:
    _first(o)
    return average_pool(o, x)


def _global_average(o: Context, x: Value) -> Value:
    _first(o)
    return reductions.mean(o.g, x, list(range(2, x.rank)), True)


_add_function("QLinearSigmoid", "", lambda o, x: o.g.map([x], sigmoid_of))
_add_function("QLinearLeakyRelu", "alpha", _leaky)
_add_function("QLinearAveragePool",
              "auto_pad ceil_mode channels_last count_include_pad kernel_shape "
              "pads strides", _average)
_add_function("QLinearGlobalAveragePool", "channels_last", _global_average)


@op("QLinearSoftmax", "axis opset", "com.microsoft")
def qlinear_softmax(o: Context, x: Value, x_scale: Value,
                    x_zero: Optional[Value], y_scale: Value,
                    y_zero: Optional[Value] = None) -> Value:
    y = reductions.softmax(o.g, dequantize_of(o, x, x_scale, x_zero, 1),
                           o.get("axis", -1))
    zero, element = _result_zero(y_zero, x)
    return quantize_of(o, y, y_scale, zero, element, 1)


@op("QLinearConcat", "axis", "com.microsoft")
def qlinear_concat(o: Context, y_scale: Value, y_zero: Value,
                   *rest: Value) -> Value:
    if len(rest) % 3:
        raise ImportFailure("QLinearConcat of other than tensors, scales and zero "
                            "points")
    parts = [dequantize_of(o, rest[i], rest[i + 1], rest[i + 2], 1)
             for i in range(0, len(rest), 3)]
    y = movement.concat(o.g, parts, o.get("axis", 0))
    return quantize_of(o, y, y_scale, y_zero, y_zero.element, 1)


@op("QGemm", "alpha transA transB", "com.microsoft")
def qgemm(o: Context, a: Value, a_scale: Value, a_zero: Value, b: Value,
          b_scale: Value, b_zero: Value, c: Optional[Value] = None,
          y_scale: Optional[Value] = None,
          y_zero: Optional[Value] = None) -> Value:
    alpha = o.get("alpha", 1.0)
    transposed = bool(o.get("transB", 0))
    x = dequantize_of(o, a, a_scale, a_zero, -1)
    w = dequantize_of(o, b, b_scale, b_zero, 0 if transposed else 1)
    if o.get("transA", 0):
        x = movement.swap(o.g, x, 0, 1)
    if transposed:
        w = movement.swap(o.g, w, 0, 1)
    y = products.mm(o.g, x, w)
    if alpha != 1:
        y = o.g.map([y], lambda v: v * alpha)
    if c is not None:
        sx, sw = known(a_scale, "scale"), known(b_scale, "scale")
        assert sx is not None and sw is not None
        scale = o.g.constant((alpha * sx.reshape(-1) * sw.reshape(-1)).astype(
            np.float32))
        floats = dequantize_of(o, c, scale, None, -1)
        y = o.g.map([y, floats], lambda p, q: p + q)
    if y_scale is None:
        return y
    zero, element = _result_zero(y_zero, a)
    return quantize_of(o, y, y_scale, zero, element, 1)


def _centred(o: Context, x: Value, zero: Optional[Value], axis: int) -> Value:
    """As i32, without the zero point."""
    wide = o.g.cast(x, I32)
    if zero is None or zero.data is not None and not zero.data.any():
        return wide
    if zero.rank and zero.size != 1:
        shape: List[dims.Extent] = [1] * x.rank
        shape[x.axis(axis)] = zero.shape[0]
        zero = movement.reshape(o.g, zero, shape)
    else:
        zero = movement.reshape(o.g, zero, ())
    return o.g.map([wide, zero], lambda v, z: v - z.cast(I32))


@op("MatMulInteger")
def matmul_integer(o: Context, a: Value, b: Value,
                   a_zero: Optional[Value] = None,
                   b_zero: Optional[Value] = None) -> Value:
    return products.matmul(o.g, _centred(o, a, a_zero, -2),
                           _centred(o, b, b_zero, -1))


@op("ConvInteger", "auto_pad dilations group kernel_shape pads strides")
def conv_integer(o: Context, x: Value, weight: Value,
                 x_zero: Optional[Value] = None,
                 w_zero: Optional[Value] = None) -> Value:
    return conv_of(o, _centred(o, x, x_zero, 1), _centred(o, weight, w_zero, 0),
                   None)

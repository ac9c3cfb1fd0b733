# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantize and dequantize as arithmetic: what `qbackend-import-quantization`
reads scales, zero points and limits from."""

from __future__ import annotations

from typing import Optional, Sequence

import numpy as np

from . import movement
from .builder import Builder, Read, Value, identity
from .elements import F32, I64, Element
from .scalars import Scalar, TextBody


def quantize(g: Builder, x: Value, scale: float, zero_point: int, low: int,
             high: int, element: Element, divide: bool) -> Value:
    """clamp(rne(x / scale) + zero_point): a division (ONNX), or a product with
    f32(1 / scale), as PyTorch computes it."""
    factor = float(np.float32(scale) if divide else np.float32(1.0 / scale))

    def body(text: TextBody, v: Scalar, out: Scalar) -> Scalar:
        v = v / factor if divide else v * factor
        v = v.unary("roundeven") + float(zero_point)
        return v.max(float(low)).min(float(high)).cast(element)

    reads: Sequence[Read] = [(x, identity(x.rank))]
    return g.generic(reads, g.empty(x.shape, element, [x]), body)


def dequantize(g: Builder, q: Value, scale: float, zero_point: int,
               result: Element = F32) -> Value:
    """(q - zero_point) * scale"""
    number = float(np.float32(scale))

    def body(text: TextBody, v: Scalar, out: Scalar) -> Scalar:
        wide = I64 if q.element.bits < 64 else q.element
        return (v.cast(wide) - zero_point).cast(result) * number

    return g.generic([(q, identity(q.rank))], g.empty(q.shape, result, [q]), body)


def dequantize_per_channel(g: Builder, q: Value, scales: Value,
                           zero_points: Optional[Value], axis: int) -> Value:
    axis = q.axis(axis)
    reads: "list[Read]" = [(q, identity(q.rank)), (scales, [f"d{axis}"])]
    if zero_points is not None:
        reads.append((zero_points, [f"d{axis}"]))

    def body(text: TextBody, v: Scalar, s: Scalar, *rest: Scalar) -> Scalar:
        wide = v.cast(I64)
        if zero_points is not None:
            wide = wide - rest[0].cast(I64)
        return wide.cast(scales.element) * s

    return g.generic(reads, g.empty(q.shape, scales.element, [q]), body)


def quantize_per_channel(g: Builder, x: Value, scales: Value,
                         zero_points: Optional[Value], axis: int, low: int,
                         high: int, element: Element, divide: bool) -> Value:
    axis = x.axis(axis)
    reads: "list[Read]" = [(x, identity(x.rank)), (scales, [f"d{axis}"])]
    if zero_points is not None:
        reads.append((zero_points, [f"d{axis}"]))

    def body(text: TextBody, v: Scalar, s: Scalar, *rest: Scalar) -> Scalar:
        v = v / s if divide else v * (1.0 / s)
        v = v.unary("roundeven")
        if zero_points is not None:
            v = v + rest[0].cast(x.element)
        return v.max(float(low)).min(float(high)).cast(element)

    return g.generic(reads, g.empty(x.shape, element, [x]), body)


def _number(g: Builder, parameter: Value) -> Value:
    """A scale or zero point of one number, whatever its rank."""
    return movement.reshape(g, parameter, ())


def quantize_dynamic(g: Builder, x: Value, scale: Value, zero_point: Value,
                     low: int, high: int, element: Element,
                     divide: bool) -> Value:
    """With a scale and a zero point that are computed."""
    def body(v: Scalar, s: Scalar, z: Scalar) -> Scalar:
        s32, z32 = s.cast(F32), z.cast(F32)
        if not divide:
            one = s.body.number(1.0, s.element)
            v = v * (one / s).cast(F32)
        else:
            v = v / s32
        v = v.unary("roundeven") + z32
        return v.max(float(low)).min(float(high)).cast(element)

    return g.map([x, _number(g, scale), _number(g, zero_point)], body,
                 shape=x.shape)


def dequantize_dynamic(g: Builder, q: Value, scale: Value, zero_point: Value
                       ) -> Value:
    def body(v: Scalar, s: Scalar, z: Scalar) -> Scalar:
        return (v.cast(I64) - z.cast(I64)).cast(F32) * s.cast(F32)

    return g.map([q, _number(g, scale), _number(g, zero_point)], body,
                 shape=q.shape)

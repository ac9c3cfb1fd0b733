# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ONNX Runtime's optimizer writes: several operators as one."""

from __future__ import annotations

from typing import List, Optional, Tuple

from .. import movement, products, reductions
from ..aten.elementwise import sigmoid_of
from ..builder import Value
from ..errors import ImportFailure
from . import elementwise
from .layers import CONV, conv
from .table import OPERATORS, Context, op

_MICROSOFT = "com.microsoft"
# The activations of FusedConv, and their attributes in the order of
# `activation_params`.
_ACTIVATIONS = {"": (), "Relu": (), "Tanh": (), "Sigmoid": (),
                "LeakyRelu": ("alpha",), "HardSigmoid": ("alpha", "beta"),
                "Clip": ("low", "high")}


def _add(o: Context, *values: Optional[Value]) -> Value:
    """In the order that is written; those that are left out are nothing."""
    first, *rest = [v for v in values if v is not None]
    for value in rest:
        first = o.g.map([first, value], lambda a, b: a + b)
    return first


@op("FusedConv", CONV + " activation activation_params", _MICROSOFT)
def fused_conv(o: Context, x: Value, weight: Value, bias: Optional[Value] = None,
               summand: Optional[Value] = None) -> Value:
    kind = o.get("activation", "")
    numbers: List[float] = o.attributes.get("activation_params", [])
    if kind not in _ACTIVATIONS or len(numbers) != len(_ACTIVATIONS[kind]):
        raise ImportFailure(f"the activation {kind!r} with {len(numbers)} numbers")
    y = _add(o, conv(o, x, weight, bias), summand)
    if kind == "Clip":
        return o.g.map([y], lambda v: v.max(numbers[0]).min(numbers[1]))
    if not kind:
        return y
    context = Context(o.g, o.opset, kind, dict(zip(_ACTIVATIONS[kind], numbers)), 1)
    activated: Value = OPERATORS["", kind].function(context, y)
    return activated


@op("FusedMatMul", "alpha transA transB", _MICROSOFT)
def fused_matmul(o: Context, a: Value, b: Value) -> Value:
    a, b = (movement.swap(o.g, v, -2, -1) if o.get(name, 0) and v.rank > 1 else v
            for v, name in ((a, "transA"), (b, "transB")))
    y, alpha = products.matmul(o.g, a, b), o.get("alpha", 1.0)
    return y if alpha == 1 else o.g.map([y], lambda v: v * alpha)


@op("BiasGelu", "", _MICROSOFT)
def bias_gelu(o: Context, x: Value, bias: Value) -> Value:
    return elementwise.gelu(o, _add(o, x, bias))


@op("QuickGelu", "alpha", _MICROSOFT)
def quick_gelu(o: Context, x: Value) -> Value:
    alpha = o.get("alpha", 1.702)
    return o.g.map([x], lambda v: v * sigmoid_of(v * alpha))


# Results: the norm, two statistics of training, and the sum.
_Norm = Tuple[Value, None, None, Value]


@op("SkipLayerNormalization", "epsilon", _MICROSOFT)
def skip_layer_norm(o: Context, x: Value, skip: Value, scale: Value,
                    shift: Optional[Value] = None,
                    bias: Optional[Value] = None) -> _Norm:
    total = _add(o, x, skip, bias)
    return reductions.layer_norm(o.g, total, 1, scale, shift,
                                 o.get("epsilon", 1e-12)), None, None, total


@op("SkipSimplifiedLayerNormalization", "epsilon", _MICROSOFT)
def skip_rms_norm(o: Context, x: Value, skip: Value, scale: Value,
                  bias: Optional[Value] = None) -> _Norm:
    total = _add(o, x, skip, bias)
    return reductions.rms_norm(o.g, total, 1, scale,
                               o.get("epsilon", 1e-12)), None, None, total

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear layers, products of matrices, attention."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from .. import movement, products
from ..builder import Builder, Value
from ..scalars import Number
from .table import op


@op("linear")
def linear(g: Builder, input: Value, weight: Value,
           bias: Optional[Value] = None) -> Value:
    return products.linear(g, input, weight, bias)


@op("addmm")
def addmm(g: Builder, self: Value, mat1: Value, mat2: Value, beta: Number = 1,
          alpha: Number = 1) -> Value:
    return products.addmm(g, self, mat1, mat2, beta, alpha)


@op("baddbmm")
def baddbmm(g: Builder, self: Value, batch1: Value, batch2: Value,
            beta: Number = 1, alpha: Number = 1) -> Value:
    return products.addmm(g, self, batch1, batch2, beta, alpha)


@op("addbmm")
def addbmm(g: Builder, self: Value, batch1: Value, batch2: Value,
           beta: Number = 1, alpha: Number = 1) -> Value:
    y = g.reduce(products.bmm(g, batch1, batch2), [0], "add")
    return g.map([self, y], lambda c, p: c * beta + p * alpha)


@op("addmv")
def addmv(g: Builder, self: Value, mat: Value, vec: Value, beta: Number = 1,
          alpha: Number = 1) -> Value:
    y = products.addmm(g, movement.unsqueeze(g, self, -1) if self.rank else self,
                       mat, movement.unsqueeze(g, vec, 1), beta, alpha)
    return movement.squeeze(g, y, [1])


@op("mm")
def mm(g: Builder, self: Value, mat2: Value) -> Value:
    return products.mm(g, self, mat2)


@op("bmm")
def bmm(g: Builder, self: Value, mat2: Value) -> Value:
    return products.bmm(g, self, mat2)


@op("matmul")
def matmul(g: Builder, self: Value, other: Value) -> Value:
    return products.matmul(g, self, other)


@op("mv")
def mv(g: Builder, self: Value, vec: Value) -> Value:
    return products.matmul(g, self, vec)


@op("dot", "vdot")
def dot(g: Builder, self: Value, tensor: Optional[Value] = None,
        other: Optional[Value] = None) -> Value:
    second = tensor if tensor is not None else other
    assert second is not None
    return products.matmul(g, self, second)


@op("outer", "ger")
def outer(g: Builder, self: Value, vec2: Value) -> Value:
    return g.map([movement.unsqueeze(g, self, 1), vec2], lambda a, b: a * b)


@op("einsum")
def einsum(g: Builder, equation: str, tensors: Sequence[Value],
           path: Any = None) -> Value:
    return products.einsum(g, equation, tensors)


@op("bilinear")
def bilinear(g: Builder, input1: Value, input2: Value, weight: Value,
             bias: Optional[Value] = None) -> Value:
    y = products.einsum(g, "...i,oij,...j->...o", [input1, weight, input2])
    return y if bias is None else g.map([y, bias], lambda a, b: a + b)


@op("scaled_dot_product_attention")
def attention(g: Builder, query: Value, key: Value, value: Value,
              attn_mask: Optional[Value] = None, dropout_p: float = 0.0,
              is_causal: bool = False, scale: Optional[float] = None,
              enable_gqa: bool = False) -> Value:
    _evaluated(dropout_p)
    return products.attention(g, query, key, value, attn_mask, is_causal, scale,
                              enable_gqa)


@op("_scaled_dot_product_flash_attention_for_cpu")
def flash_attention(g: Builder, query: Value, key: Value, value: Value,
                    dropout_p: float = 0.0, is_causal: bool = False,
                    attn_mask: Optional[Value] = None,
                    scale: Optional[float] = None) -> Any:
    _evaluated(dropout_p)
    y = products.attention(g, query, key, value, attn_mask, is_causal, scale)
    return y, None


def _evaluated(dropout: float) -> None:
    from ..errors import ImportFailure

    if dropout:
        raise ImportFailure("attention with dropout: export the model after eval()")

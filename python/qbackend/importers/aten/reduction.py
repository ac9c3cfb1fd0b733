# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums, means, extremes, softmax, and what orders elements."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Union

from .. import dims, movement, reductions
from ..builder import Builder, Value
from ..elements import BOOL, F32, I64, Element
from ..program import DType
from ..scalars import Number
from .table import op, as_float

Axes = Union[int, Sequence[int], None]


def _axes(x: Value, dim: Axes) -> List[int]:
    return reductions.all_axes(x, [dim] if isinstance(dim, int) else dim)


def _typed(g: Builder, x: Value, dtype: Optional[DType]) -> Value:
    return x if dtype is None else g.cast(x, dtype.element)


def _wide(x: Value, dtype: Optional[DType]) -> Element:
    """What sums are in: integers in i64."""
    if dtype is not None:
        return dtype.element
    return x.element if x.element.is_float else I64


@op("sum", "sum.dim_IntList")
def sum_(g: Builder, self: Value, dim: Axes = None, keepdim: bool = False,
         dtype: Optional[DType] = None) -> Value:
    return g.reduce(self, _axes(self, dim), "add", keepdim, _wide(self, dtype))


@op("prod", "prod.dim_int")
def prod(g: Builder, self: Value, dim: Axes = None, keepdim: bool = False,
         dtype: Optional[DType] = None) -> Value:
    return g.reduce(self, _axes(self, dim), "mul", keepdim, _wide(self, dtype))


@op("mean", "mean.dim")
def mean(g: Builder, self: Value, dim: Axes = None, keepdim: bool = False,
         dtype: Optional[DType] = None) -> Value:
    x = as_float(g, _typed(g, self, dtype))
    return reductions.mean(g, x, _axes(x, dim), keepdim)


@op("amax")
def amax(g: Builder, self: Value, dim: Axes = None, keepdim: bool = False) -> Value:
    return g.reduce(self, _axes(self, dim), "max", keepdim)


@op("amin")
def amin(g: Builder, self: Value, dim: Axes = None, keepdim: bool = False) -> Value:
    return g.reduce(self, _axes(self, dim), "min", keepdim)


@op("max")
def max_all(g: Builder, self: Value) -> Value:
    return g.reduce(self, _axes(self, None), "max")


@op("min")
def min_all(g: Builder, self: Value) -> Value:
    return g.reduce(self, _axes(self, None), "min")


@op("aminmax")
def aminmax(g: Builder, self: Value, dim: Optional[int] = None,
            keepdim: bool = False) -> Any:
    return amin(g, self, dim, keepdim), amax(g, self, dim, keepdim)


@op("max.dim")
def max_dim(g: Builder, self: Value, dim: int, keepdim: bool = False) -> Any:
    return (amax(g, self, dim, keepdim), reductions.arg_extreme(
        g, self, dim, True, keepdim) if g.wanted > 1 else None)


@op("min.dim")
def min_dim(g: Builder, self: Value, dim: int, keepdim: bool = False) -> Any:
    return (amin(g, self, dim, keepdim), reductions.arg_extreme(
        g, self, dim, False, keepdim) if g.wanted > 1 else None)


@op("argmax")
def argmax(g: Builder, self: Value, dim: Optional[int] = None,
           keepdim: bool = False) -> Value:
    return reductions.arg_extreme(g, self, dim, True, keepdim)


@op("argmin")
def argmin(g: Builder, self: Value, dim: Optional[int] = None,
           keepdim: bool = False) -> Value:
    return reductions.arg_extreme(g, self, dim, False, keepdim)


@op("any", "any.dim", "any.dims")
def any_(g: Builder, self: Value, dim: Axes = None, keepdim: bool = False) -> Value:
    return g.reduce(self, _axes(self, dim), "or", keepdim, BOOL)


@op("all", "all.dim", "all.dims")
def all_(g: Builder, self: Value, dim: Axes = None, keepdim: bool = False) -> Value:
    return g.reduce(self, _axes(self, dim), "and", keepdim, BOOL)


def _correction(unbiased: Optional[bool], correction: Optional[Number]) -> float:
    if correction is not None:
        return float(correction)
    return 0.0 if unbiased is False else 1.0


@op("var", "var.dim", "var.correction")
def var(g: Builder, self: Value, dim: Axes = None,
        unbiased: Optional[bool] = None, correction: Optional[Number] = None,
        keepdim: bool = False) -> Value:
    return reductions.variance(g, self, _axes(self, dim),
                               _correction(unbiased, correction), keepdim)


@op("std", "std.dim", "std.correction")
def std(g: Builder, self: Value, dim: Axes = None,
        unbiased: Optional[bool] = None, correction: Optional[Number] = None,
        keepdim: bool = False) -> Value:
    return g.map([var(g, self, dim, unbiased, correction, keepdim)],
                 lambda v: v.unary("sqrt"))


@op("var_mean", "var_mean.dim", "var_mean.correction")
def var_mean(g: Builder, self: Value, dim: Axes = None,
             unbiased: Optional[bool] = None, correction: Optional[Number] = None,
             keepdim: bool = False) -> Any:
    return (var(g, self, dim, unbiased, correction, keepdim),
            mean(g, self, dim, keepdim))


@op("softmax.int", "special_softmax")
def softmax(g: Builder, self: Value, dim: int,
            dtype: Optional[DType] = None) -> Value:
    return reductions.softmax(g, _typed(g, self, dtype), dim)


@op("log_softmax.int")
def log_softmax(g: Builder, self: Value, dim: int,
                dtype: Optional[DType] = None) -> Value:
    return reductions.softmax(g, _typed(g, self, dtype), dim, log=True)


@op("_softmax", "_safe_softmax")
def softmax_core(g: Builder, self: Value, dim: int, half_to_float: bool = False,
                 dtype: Optional[DType] = None) -> Value:
    x = g.cast(self, F32) if half_to_float else _typed(g, self, dtype)
    return reductions.softmax(g, x, dim)


@op("_log_softmax")
def log_softmax_core(g: Builder, self: Value, dim: int,
                     half_to_float: bool) -> Value:
    x = g.cast(self, F32) if half_to_float else self
    return reductions.softmax(g, x, dim, log=True)


@op("softmin.int")
def softmin(g: Builder, self: Value, dim: int) -> Value:
    return reductions.softmax(g, g.map([self], lambda x: -x), dim)


@op("logsumexp")
def logsumexp(g: Builder, self: Value, dim: Axes, keepdim: bool = False) -> Value:
    return reductions.logsumexp(g, as_float(g, self), _axes(self, dim), keepdim)


@op("linalg_vector_norm", "norm.ScalarOpt_dim", "norm.Scalar")
def vector_norm(g: Builder, self: Value, ord: Number = 2, dim: Axes = None,
                keepdim: bool = False, dtype: Optional[DType] = None,
                p: Optional[Number] = None) -> Value:
    order = float(p if p is not None else ord)
    return reductions.vector_norm(g, _typed(g, self, dtype), order,
                                  _axes(self, dim), keepdim)


@op("cosine_similarity")
def cosine_similarity(g: Builder, x1: Value, x2: Value, dim: int = 1,
                      eps: float = 1e-8) -> Value:
    product = g.reduce(g.map([x1, x2], lambda a, b: a * b), [dim], "add")
    norms = [reductions.vector_norm(g, x, 2, [dim], False) for x in (x1, x2)]
    return g.map([product, *norms], lambda p, a, b: p / (
        a.max(eps) * b.max(eps)))


@op("cumsum")
def cumsum(g: Builder, self: Value, dim: int,
           dtype: Optional[DType] = None) -> Value:
    return reductions.cumsum(g, g.cast(self, _wide(self, dtype)), dim)


@op("cumprod")
def cumprod(g: Builder, self: Value, dim: int,
            dtype: Optional[DType] = None) -> Value:
    return reductions.cumsum(g, g.cast(self, _wide(self, dtype)), dim, "mul")


@op("kthvalue")
def kthvalue(g: Builder, self: Value, k: int, dim: int = -1,
             keepdim: bool = False) -> Any:
    values, places = reductions.sort(g, self, dim, False, k)
    axis = self.axis(dim)
    rows = [movement.slice_axis(g, v, axis, k - 1, k) for v in (values, places)]
    return tuple(r if keepdim else movement.squeeze(g, r, [axis]) for r in rows)


@op("median.dim")
def median(g: Builder, self: Value, dim: int, keepdim: bool = False) -> Any:
    """The lower one of two in the middle."""
    count = dims.static(self.shape[self.axis(dim)], "the dimension of a median")
    return kthvalue(g, self, (count + 1) // 2, dim, keepdim)


@op("sort", "sort.stable")
def sort(g: Builder, self: Value, dim: int = -1, descending: bool = False,
         stable: Optional[bool] = None) -> Any:
    return reductions.sort(g, self, dim, descending)


@op("argsort", "argsort.stable")
def argsort(g: Builder, self: Value, dim: int = -1, descending: bool = False,
            stable: Optional[bool] = None) -> Value:
    return reductions.sort(g, self, dim, descending)[1]


@op("topk")
def topk(g: Builder, self: Value, k: int, dim: int = -1, largest: bool = True,
         sorted: bool = True) -> Any:
    return reductions.sort(g, self, dim, largest, k)

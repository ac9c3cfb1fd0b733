# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions, pools, products and norms of ONNX."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple


from .. import convolution, dims, movement, pooling, products, reductions
from ..builder import Value, identity
from ..dims import Extent
from ..elements import I64
from ..errors import ImportFailure
from ..scalars import Scalar, TextBody
from .table import Context, op


def _ints(o: Context, name: str, count: int, default: int) -> List[int]:
    values = o.ints(name)
    values = [default] * count if not values else values
    if len(values) != count:
        raise ImportFailure(f"its attribute '{name}' is {values}, expected {count} "
                            "integers")
    return values


def _auto_pad(o: Context) -> str:
    auto: str = o.get("auto_pad", "NOTSET")
    if auto not in ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"):
        raise ImportFailure(f"auto_pad is {auto!r}, expected NOTSET, VALID, "
                            "SAME_UPPER or SAME_LOWER")
    return auto


def pads_of(o: Context, extents: Sequence[Extent], kernel: Sequence[int],
            strides: Sequence[int], dilations: Sequence[int]
            ) -> Tuple[List[int], List[int]]:
    """Before and behind, by `pads` or `auto_pad`."""
    n = len(kernel)
    auto = _auto_pad(o)
    if auto == "NOTSET":
        pads = _ints(o, "pads", 2 * n, 0)
        return pads[:n], pads[n:]
    if auto == "VALID":
        return [0] * n, [0] * n
    low, high = [], []
    for extent, k, s, d in zip(extents, kernel, strides, dilations):
        if s == 1:
            total = d * (k - 1)
        else:
            known = dims.static(extent, "the extent of a layer that pads by itself")
            total = max((-(-known // s) - 1) * s + d * (k - 1) + 1 - known, 0)
        half = total // 2 if auto == "SAME_UPPER" else total - total // 2
        low.append(half)
        high.append(total - half)
    return low, high


def _pool_pads(o: Context, x: Value, kernel: Sequence[int], strides: Sequence[int],
               dilations: Sequence[int]) -> Tuple[List[int], List[int]]:
    """The same, of windows that each have an element."""
    low, high = pads_of(o, x.shape[2:], kernel, strides, dilations)
    for k, d, *pads in zip(kernel, dilations, low, high):
        if k > 0 and max(pads) > d * (k - 1):
            raise ImportFailure(f"its attribute 'pads' is {low + high}, which leaves "
                                f"windows of {list(kernel)} without an element")
    return low, high


_WINDOW = "auto_pad dilations kernel_shape pads strides"


def _kernel(o: Context, weight: Value) -> List[int]:
    """Of a convolution; the attribute repeats it."""
    kernel = [dims.static(k, "a kernel") for k in weight.shape[2:]]
    given = _ints(o, "kernel_shape", len(kernel), 0)
    if any(given) and given != kernel:
        raise ImportFailure(f"its attribute 'kernel_shape' is {given}, the weight's "
                            f"kernel {kernel}")
    return kernel


def conv_of(o: Context, x: Value, weight: Value, bias: Optional[Value]) -> Value:
    n = weight.rank - 2
    kernel = _kernel(o, weight)
    strides, dilations = _ints(o, "strides", n, 1), _ints(o, "dilations", n, 1)
    low, high = pads_of(o, x.shape[2:], kernel, strides, dilations)
    return convolution.conv(o.g, x, weight, bias, strides, low, high, dilations,
                            o.get("group", 1))


#: The attributes of Conv.
CONV = _WINDOW + " group"


@op("Conv", CONV)
def conv(o: Context, x: Value, weight: Value,
         bias: Optional[Value] = None) -> Value:
    return conv_of(o, x, weight, bias)


@op("ConvTranspose", _WINDOW + " group output_padding output_shape")
def conv_transpose(o: Context, x: Value, weight: Value,
                   bias: Optional[Value] = None) -> Value:
    n = weight.rank - 2
    kernel = _kernel(o, weight)
    strides, dilations = _ints(o, "strides", n, 1), _ints(o, "dilations", n, 1)
    extra = _ints(o, "output_padding", n, 0)
    sizes = o.ints("output_shape")
    auto = _auto_pad(o)
    if sizes is None and auto in ("SAME_UPPER", "SAME_LOWER"):
        sizes = [dims.static(e, "an image") * s
                 for e, s in zip(x.shape[2:], strides)]
    if sizes is not None:
        low, high = [], []
        for extent, size, k, s, d, e in zip(x.shape[2:], sizes[-n:], kernel,
                                            strides, dilations, extra):
            total = s * (dims.static(extent, "an image") - 1) + e + (
                (k - 1) * d + 1) - size
            # What is asked for beyond the result is behind it.
            behind, total = min(total, 0), max(total, 0)
            half = total // 2 if auto == "SAME_UPPER" else total - total // 2
            low.append(half)
            high.append(total - half + behind)
    else:
        pads = [0] * 2 * n if auto == "VALID" else _ints(o, "pads", 2 * n, 0)
        low, high = pads[:n], pads[n:]
    return convolution.conv_transpose(o.g, x, weight, bias, strides, low, high,
                                      extra, dilations, o.get("group", 1))


@op("MaxPool", _WINDOW + " ceil_mode storage_order")
def max_pool(o: Context, x: Value) -> Any:
    kernel = _ints(o, "kernel_shape", x.rank - 2, 0)
    n = len(kernel)
    strides, dilations = _ints(o, "strides", n, 1), _ints(o, "dilations", n, 1)
    low, high = _pool_pads(o, x, kernel, strides, dilations)
    y = pooling.max_pool(o.g, x, kernel, strides, low, high, dilations,
                         bool(o.get("ceil_mode", 0)))
    if o.results < 2:
        return y
    if o.get("storage_order", 0) and n != 2:
        raise ImportFailure(f"places in column-major order of {n} dimensions")
    places = pooling.max_pool_indices(o.g, x, y, kernel, strides, low, dilations)
    image = dims.product(x.shape[2:])
    size = dims.static(image, "an image")
    channels = dims.static(x.shape[1], "the number of channels")
    height, width = dims.integers(x.shape[2:]) if n == 2 else (0, 0)

    def body(text: TextBody, at: Scalar, out: Scalar) -> Scalar:
        """In the whole tensor, not in an image."""
        if o.get("storage_order", 0):
            at = at.op("rem", width) * height + at.op("floordiv", width)
        start = (text.position(0) * channels + text.position(1)) * size
        return at + start.cast(I64)

    return y, o.g.generic([(places, identity(x.rank))],
                          o.g.empty(y.shape, I64, [y]), body)


@op("AveragePool", _WINDOW + " ceil_mode count_include_pad")
def average_pool(o: Context, x: Value) -> Value:
    kernel = _ints(o, "kernel_shape", x.rank - 2, 0)
    n = len(kernel)
    strides, dilations = _ints(o, "strides", n, 1), _ints(o, "dilations", n, 1)
    low, high = _pool_pads(o, x, kernel, strides, dilations)
    return pooling.avg_pool(o.g, x, kernel, strides, low, high,
                            bool(o.get("ceil_mode", 0)),
                            bool(o.get("count_include_pad", 0)), None, dilations)


@op("LpPool", _WINDOW + " ceil_mode p")
def lp_pool(o: Context, x: Value) -> Value:
    p = float(o.get("p", 2))
    kernel = _ints(o, "kernel_shape", x.rank - 2, 0)
    n = len(kernel)
    strides, dilations = _ints(o, "strides", n, 1), _ints(o, "dilations", n, 1)
    low, high = _pool_pads(o, x, kernel, strides, dilations)
    powers = o.g.map([x], lambda v: v.abs() if p == 1 else
                     v * v if p == 2 else v.abs().pow(p))
    total = pooling.avg_pool(o.g, powers, kernel, strides, low, high,
                             bool(o.get("ceil_mode", 0)), True, 1, dilations)
    return o.g.map([total], lambda v: v if p == 1 else
                   v.unary("sqrt") if p == 2 else v.pow(1 / p))


@op("GlobalAveragePool")
def global_average_pool(o: Context, x: Value) -> Value:
    return pooling.adaptive_pool(o.g, x, [1] * (x.rank - 2), "avg")


@op("GlobalMaxPool")
def global_max_pool(o: Context, x: Value) -> Value:
    return o.g.reduce(x, list(range(2, x.rank)), "max", True)


@op("LRN", "alpha beta bias size")
def lrn(o: Context, x: Value) -> Value:
    size = o.get("size", 1)
    alpha, beta, bias = o.get("alpha", 1e-4), o.get("beta", 0.75), o.get("bias", 1.0)
    if size < 1:
        raise ImportFailure(f"LRN of {size} channels")
    squares = o.g.map([x], lambda v: v * v)
    flat = movement.reshape(o.g, squares, (
        x.shape[0], 1, x.shape[1], dims.product(x.shape[2:])))
    total = pooling.avg_pool(o.g, flat, [size, 1], [1, 1], [(size - 1) // 2, 0],
                             [size // 2, 0], False, True, 1)
    total = movement.reshape(o.g, total, x.shape)
    return o.g.map([x, total], lambda v, s: v / (
        s * (alpha / size) + bias).pow(beta))


@op("Gemm", "alpha beta transA transB")
def gemm(o: Context, a: Value, b: Value, c: Optional[Value] = None) -> Value:
    alpha, beta = o.get("alpha", 1.0), o.get("beta", 1.0)
    if o.get("transA", 0):
        a = movement.swap(o.g, a, 0, 1)
    if o.get("transB", 0):
        b = movement.swap(o.g, b, 0, 1)
    if c is None:
        y = products.mm(o.g, a, b)
        return y if alpha == 1 else o.g.map([y], lambda v: v * alpha)
    return products.addmm(o.g, c, a, b, beta, alpha)


@op("MatMul")
def matmul(o: Context, a: Value, b: Value) -> Value:
    return products.matmul(o.g, a, b)


@op("Einsum", "equation")
def einsum(o: Context, *values: Value) -> Value:
    return products.einsum(o.g, o.get("equation", ""), values)


@op("BatchNormalization", "epsilon momentum spatial training_mode is_test")
def batch_norm(o: Context, x: Value, scale: Value, bias: Value, mean: Value,
               var: Value) -> Value:
    if o.get("training_mode", 0):
        raise ImportFailure("a batch norm in training")
    return reductions.batch_norm(o.g, x, scale, bias, mean, var,
                                 o.get("epsilon", 1e-5))


@op("LayerNormalization", "axis epsilon stash_type")
def layer_norm(o: Context, x: Value, scale: Value,
               bias: Optional[Value] = None) -> Any:
    axis, eps = x.axis(o.get("axis", -1)), o.get("epsilon", 1e-5)
    y = reductions.layer_norm(o.g, x, x.rank - axis, scale, bias, eps)
    if o.results < 2:
        return y
    axes = list(range(axis, x.rank))
    spread = reductions.variance(o.g, x, axes, 0, True)
    return y, reductions.mean(o.g, x, axes, True), o.g.map(
        [spread], lambda v: (v + eps).unary("rsqrt"))


@op("RMSNormalization", "axis epsilon stash_type")
def rms_norm(o: Context, x: Value, scale: Value) -> Value:
    axis = x.axis(o.get("axis", -1))
    return reductions.rms_norm(o.g, x, x.rank - axis, scale,
                               o.get("epsilon", 1e-5))


@op("SimplifiedLayerNormalization", "axis epsilon stash_type")
def simplified_layer_norm(o: Context, x: Value, scale: Value) -> Value:
    return rms_norm(o, x, scale)


@op("InstanceNormalization", "epsilon")
def instance_norm(o: Context, x: Value, scale: Value, bias: Value) -> Value:
    return reductions.instance_norm(o.g, x, scale, bias, o.get("epsilon", 1e-5))


@op("GroupNormalization", "epsilon num_groups stash_type")
def group_norm(o: Context, x: Value, scale: Value, bias: Value) -> Value:
    groups = o.get("num_groups", 1)
    if scale.shape == x.shape[1:2] and (o.opset >= 21 or scale.shape != (groups,)):
        return reductions.group_norm(o.g, x, groups, scale, bias,
                                     o.get("epsilon", 1e-5))
    # Before opset 21 there is one number for each group.
    y = reductions.group_norm(o.g, x, groups, None, None, o.get("epsilon", 1e-5))
    each = dims.static(x.shape[1], "the number of channels") // groups
    wide = [movement.reshape(o.g, o.g.spread(
        movement.unsqueeze(o.g, p, 1), (groups, each)), (groups * each,))
        for p in (scale, bias)]
    return reductions.scaled(o.g, y, wide[0], wide[1], 1)


@op("MeanVarianceNormalization", "axes")
def mean_variance(o: Context, x: Value) -> Value:
    return reductions.normalized(o.g, x, o.ints("axes") or [0, 2, 3], 1e-9)


@op("LpNormalization", "axis p")
def lp_normalization(o: Context, x: Value) -> Value:
    norm = reductions.vector_norm(o.g, x, float(o.get("p", 2)),
                                  [o.get("axis", -1)], True)
    return o.g.map([x, norm], lambda v, n: v / n)

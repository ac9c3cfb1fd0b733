# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pools. A stride that is missing or empty is the kernel."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple, Union

from .. import movement, pooling
from ..builder import Builder, Value
from ..dims import Extent
from ..errors import ImportFailure
from .table import op, spread

Ints = Union[int, Sequence[int]]


def _window(n: int, kernel_size: Ints, stride: Optional[Ints], padding: Ints,
            dilation: Ints) -> Tuple[List[int], List[int], List[int], List[int]]:
    kernel = spread(kernel_size, n, "kernel_size")
    steps = kernel if stride is None or stride == [] else spread(stride, n,
                                                                 "stride")
    return (kernel, steps, spread(padding, n, "padding"),
            spread(dilation, n, "dilation"))


def _max(n: int, indices: bool) -> Any:
    def operator(g: Builder, self: Value, kernel_size: Ints,
                 stride: Optional[Ints] = None, padding: Ints = 0,
                 dilation: Ints = 1, ceil_mode: bool = False) -> Any:
        kernel, steps, pads, dilations = _window(n, kernel_size, stride, padding,
                                                 dilation)
        places: List[Value] = []

        def pool(x: Value) -> Value:
            y = pooling.max_pool(g, x, kernel, steps, pads, pads, dilations,
                                 ceil_mode)
            if indices and g.wanted > 1:
                places.append(pooling.max_pool_indices(g, x, y, kernel, steps,
                                                       pads, dilations))
            return y

        y = pooling.with_batch(g, self, n, pool)
        if not indices:
            return y
        return y, movement.reshape(g, places[0], y.shape) if places else None

    return operator


def _avg(n: int) -> Any:
    def operator(g: Builder, self: Value, kernel_size: Ints,
                 stride: Optional[Ints] = None, padding: Ints = 0,
                 ceil_mode: bool = False, count_include_pad: bool = True,
                 divisor_override: Optional[int] = None) -> Value:
        kernel, steps, pads, _ = _window(n, kernel_size, stride, padding, 1)
        return pooling.with_batch(g, self, n, lambda x: pooling.avg_pool(
            g, x, kernel, steps, pads, pads, ceil_mode, count_include_pad,
            divisor_override))

    return operator


def _adaptive(n: int, kind: str) -> Any:
    def operator(g: Builder, self: Value,
                 output_size: Union[Extent, Sequence[Extent]]) -> Any:
        sizes = [output_size] if isinstance(output_size, int) else list(
            output_size)  # type: ignore[arg-type]
        sizes = sizes * n if len(sizes) == 1 else sizes
        if len(sizes) != n:
            raise ImportFailure(f"an adaptive pool to {sizes}")
        y = pooling.with_batch(g, self, n, lambda x: pooling.adaptive_pool(
            g, x, sizes, kind))
        return y

    return operator


def _adaptive_max(n: int) -> Any:
    plain = _adaptive(n, "max")

    def operator(g: Builder, self: Value, output_size: Any) -> Any:
        return plain(g, self, output_size), None

    return operator


for _n in (1, 2, 3):
    op(f"max_pool{_n}d")(_max(_n, False))
    op(f"max_pool{_n}d_with_indices")(_max(_n, True))
    op(f"avg_pool{_n}d")(_avg(_n))
    op(f"adaptive_avg_pool{_n}d", f"_adaptive_avg_pool{_n}d")(_adaptive(_n, "avg"))
    op(f"adaptive_max_pool{_n}d")(_adaptive_max(_n))

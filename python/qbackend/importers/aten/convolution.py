# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions."""

from __future__ import annotations

from typing import Optional, Sequence, Union

from .. import convolution as conv_ops
from .. import dims
from ..builder import Builder, Value
from ..errors import ImportFailure
from .table import op, spread

Ints = Union[int, Sequence[int]]


def _conv(g: Builder, input: Value, weight: Value, bias: Optional[Value],
          stride: Ints, padding: Ints, dilation: Ints, groups: int) -> Value:
    n = weight.rank - 2
    pads = spread(padding, n, "padding")
    return conv_ops.conv(g, input, weight, bias, spread(stride, n, "stride"), pads,
                         pads, spread(dilation, n, "dilation"), groups)


@op("conv1d", "conv2d", "conv3d")
def conv(g: Builder, input: Value, weight: Value, bias: Optional[Value] = None,
         stride: Ints = 1, padding: Ints = 0, dilation: Ints = 1,
         groups: int = 1) -> Value:
    return _conv(g, input, weight, bias, stride, padding, dilation, groups)


@op("conv1d.padding", "conv2d.padding", "conv3d.padding")
def conv_padding(g: Builder, input: Value, weight: Value,
                 bias: Optional[Value] = None, stride: Ints = 1,
                 padding: str = "valid", dilation: Ints = 1,
                 groups: int = 1) -> Value:
    if padding == "valid":
        return _conv(g, input, weight, bias, stride, 0, dilation, groups)
    if padding != "same":
        raise ImportFailure(f"a convolution with padding {padding!r}")
    n = weight.rank - 2
    dilations = spread(dilation, n, "dilation")
    # The larger half is behind.
    total = [d * (dims.static(k, "a kernel") - 1)
             for d, k in zip(dilations, weight.shape[2:])]
    low = [t // 2 for t in total]
    return conv_ops.conv(g, input, weight, bias, spread(stride, n, "stride"), low,
                         [t - l for t, l in zip(total, low)], dilations, groups)


def _transposed(g: Builder, input: Value, weight: Value, bias: Optional[Value],
                stride: Ints, padding: Ints, output_padding: Ints, groups: int,
                dilation: Ints) -> Value:
    n = weight.rank - 2
    pads = spread(padding, n, "padding")
    return conv_ops.conv_transpose(
        g, input, weight, bias, spread(stride, n, "stride"), pads, pads,
        spread(output_padding, n, "output_padding"),
        spread(dilation, n, "dilation"), groups)


@op("conv_transpose1d", "conv_transpose2d.input", "conv_transpose3d.input")
def conv_transpose(g: Builder, input: Value, weight: Value,
                   bias: Optional[Value] = None, stride: Ints = 1,
                   padding: Ints = 0, output_padding: Ints = 0, groups: int = 1,
                   dilation: Ints = 1) -> Value:
    return _transposed(g, input, weight, bias, stride, padding, output_padding,
                       groups, dilation)


@op("convolution", "_convolution")
def convolution(g: Builder, input: Value, weight: Value, bias: Optional[Value],
                stride: Ints, padding: Ints, dilation: Ints, transposed: bool,
                output_padding: Ints, groups: int, benchmark: bool = False,
                deterministic: bool = False, cudnn_enabled: bool = False,
                allow_tf32: bool = False) -> Value:
    if transposed:
        return _transposed(g, input, weight, bias, stride, padding, output_padding,
                           groups, dilation)
    return _conv(g, input, weight, bias, stride, padding, dilation, groups)

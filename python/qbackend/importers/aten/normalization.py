# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Norms. Those that give statistics too give None for them: nothing reads them
in evaluation."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from .. import reductions
from ..builder import Builder, Value
from ..elements import F32
from ..errors import ImportFailure
from .table import op


def _batch(g: Builder, x: Value, weight: Optional[Value], bias: Optional[Value],
           mean: Optional[Value], var: Optional[Value], training: bool,
           eps: float) -> Value:
    if mean is None or var is None:
        mean, var = reductions.batch_statistics(g, x)
    elif training:
        raise ImportFailure("a batch norm in training: export the model after "
                            "eval()")
    return reductions.batch_norm(g, x, weight, bias, mean, var, eps)


@op("batch_norm")
def batch_norm(g: Builder, input: Value, weight: Optional[Value],
               bias: Optional[Value], running_mean: Optional[Value],
               running_var: Optional[Value], training: bool, momentum: float,
               eps: float, cudnn_enabled: bool) -> Value:
    return _batch(g, input, weight, bias, running_mean, running_var, training, eps)


@op("_native_batch_norm_legit_no_training")
def batch_norm_no_training(g: Builder, input: Value, weight: Optional[Value],
                           bias: Optional[Value], running_mean: Value,
                           running_var: Value, momentum: float,
                           eps: float) -> Any:
    return _batch(g, input, weight, bias, running_mean, running_var, False,
                  eps), None, None


@op("_native_batch_norm_legit.no_stats")
def batch_norm_no_stats(g: Builder, input: Value, weight: Optional[Value],
                        bias: Optional[Value], training: bool, momentum: float,
                        eps: float) -> Any:
    return _batch(g, input, weight, bias, None, None, training, eps), None, None


@op("native_batch_norm", "_native_batch_norm_legit")
def native_batch_norm(g: Builder, input: Value, weight: Optional[Value],
                      bias: Optional[Value], running_mean: Optional[Value],
                      running_var: Optional[Value], training: bool,
                      momentum: float, eps: float) -> Any:
    return _batch(g, input, weight, bias, running_mean, running_var, training,
                  eps), None, None


@op("layer_norm")
def layer_norm(g: Builder, input: Value, normalized_shape: Sequence[int],
               weight: Optional[Value] = None, bias: Optional[Value] = None,
               eps: float = 1e-5, cudnn_enable: bool = True) -> Value:
    return reductions.layer_norm(g, input, len(normalized_shape), weight, bias,
                                 eps)


@op("native_layer_norm")
def native_layer_norm(g: Builder, input: Value, normalized_shape: Sequence[int],
                      weight: Optional[Value], bias: Optional[Value],
                      eps: float) -> Any:
    return reductions.layer_norm(g, input, len(normalized_shape), weight, bias,
                                 eps), None, None


@op("rms_norm")
def rms_norm(g: Builder, input: Value, normalized_shape: Sequence[int],
             weight: Optional[Value] = None,
             eps: Optional[float] = None) -> Value:
    if eps is None:
        eps = float(np.finfo(input.element.dtype).eps)
    return reductions.rms_norm(g, input, len(normalized_shape), weight, eps)


@op("group_norm")
def group_norm(g: Builder, input: Value, num_groups: int,
               weight: Optional[Value] = None, bias: Optional[Value] = None,
               eps: float = 1e-5, cudnn_enabled: bool = True) -> Value:
    return reductions.group_norm(g, input, num_groups, weight, bias, eps)


@op("native_group_norm")
def native_group_norm(g: Builder, input: Value, weight: Optional[Value],
                      bias: Optional[Value], N: Any, C: Any, HxW: Any, group: int,
                      eps: float) -> Any:
    return reductions.group_norm(g, input, group, weight, bias, eps), None, None


@op("instance_norm")
def instance_norm(g: Builder, input: Value, weight: Optional[Value],
                  bias: Optional[Value], running_mean: Optional[Value],
                  running_var: Optional[Value], use_input_stats: bool,
                  momentum: float, eps: float, cudnn_enabled: bool) -> Value:
    if not use_input_stats:
        return _batch(g, input, weight, bias, running_mean, running_var, False, eps)
    return reductions.instance_norm(g, input, weight, bias, eps)


@op("_weight_norm", "_weight_norm_interface")
def weight_norm(builder: Builder, v: Value, g: Value, dim: int = 0) -> Any:
    """v * (g / |v|): the length over all dimensions but `dim`, or all if that is
    -1. A weight is computed here: it is one for the compiler, too."""
    axes = [i for i in range(v.rank) if dim == -1 or i != dim]
    a, b = v.data, g.data
    # One number with strides of 0 can have any size.
    if a is not None and b is not None and v.element == F32 and all(
            any(t.strides) or t.size <= 1 << 13 for t in (a, b)):
        length = np.sqrt(np.square(a).sum(tuple(axes), keepdims=True))
        weight = a * (b.reshape(b.shape if dim != -1 else [1] * v.rank) / length)
        return builder.parameter(weight, F32), builder.parameter(length, F32)
    length_ = reductions.vector_norm(builder, v, 2, axes, True)
    return builder.map([v, g, length_], lambda a, b, c: a * (b / c)), length_

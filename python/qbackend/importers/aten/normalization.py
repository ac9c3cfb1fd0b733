# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Norms. Those that give statistics too give None for them: nothing reads them
in evaluation."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from .. import reductions
from ..builder import Builder, Value
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

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pieces of PyTorch's configuration of ExecuTorch, types included."""

from __future__ import annotations

from typing import List

from ..configuration.backend_config import BackendPatternConfig
from ..vocabulary.names import named
from . import named_dtype_configs as types
from .operator_configs import (
    SHARED,
    all_named,
    binary_configs,
    conv_configs,
    convolutions,
    get_embedding_op_configs as embedding_configs,
    get_linear_configs as linear_configs,
    operator_config,
)


def get_linear_configs() -> List[BackendPatternConfig]:
    """A linear layer and its form while training, without what is fused."""
    dtype_configs = [
        types.qnnpack_weighted_op_qint8_symmetric_dtype_config,
        types.executorch_weighted_op_int8_dtype_config,
        types.executorch_default_dynamic_quint8_dtype_config,
        types.executorch_default_dynamic_qint8_dtype_config,
        types.executorch_default_dynamic_float16_dtype_config,
    ]
    return linear_configs(dtype_configs)[:3]


def get_conv_configs() -> List[BackendPatternConfig]:
    """Convolutions of images with relu and batch norm."""
    return conv_configs(
        convolutions[1],
        [
            types.qnnpack_weighted_op_qint8_symmetric_dtype_config,
            types.executorch_weighted_op_int8_dtype_config,
        ],
    )


def get_binary_ops_configs() -> List[BackendPatternConfig]:
    """Sums, differences and products."""
    dtype_configs = [
        types.qnnpack_default_op_qint8_symmetric_dtype_config,
        types.executorch_weighted_op_int8_dtype_config,
    ]
    configs: List[BackendPatternConfig] = []
    for name in ("add", "sub", "mul"):
        for module in ("operator", "torch"):
            configs += binary_configs(named(f"{module}.{name}"), dtype_configs)
    return configs


def get_share_qparams_ops_configs() -> List[BackendPatternConfig]:
    """Operators whose result has the input's scale and zero point."""
    dtype_configs = [
        types.qnnpack_default_op_qint8_symmetric_dtype_config,
        types.executorch_default_op_quint8_dtype_config,
    ]
    return [
        operator_config(op, dtype_configs, observation=SHARED)
        for op in all_named(
            """nn.Flatten F.adaptive_avg_pool2d F.elu F.hardtanh F.max_pool2d
            F.pad F.relu F.relu6 F.leaky_relu F.leaky_relu_
            nn.AdaptiveAvgPool2d nn.ConstantPad2d nn.ELU nn.MaxPool2d nn.ReLU6
            nn.Hardtanh nn.LeakyReLU torch.clamp torch.flatten torch.mean
            torch.permute torch.permute_copy torch.squeeze clamp mean permute
            reshape relu relu_ squeeze squeeze_ leaky_relu"""
        )
    ]


def get_bn_configs() -> List[BackendPatternConfig]:
    """Batch norm of images."""
    dtype_configs = [
        types.qnnpack_default_op_qint8_symmetric_dtype_config,
        types.executorch_default_op_quint8_dtype_config,
    ]
    return [operator_config(named("nn.BatchNorm2d"), dtype_configs)]


def get_cat_configs() -> List[BackendPatternConfig]:
    """Concatenation under its three names."""
    dtype_configs = [
        types.qnnpack_default_op_qint8_symmetric_dtype_config,
        types.executorch_default_op_quint8_dtype_config,
    ]
    return [
        operator_config(op, dtype_configs, observation=SHARED)
        for op in all_named("torch.cat torch.concat torch.concatenate")
    ]


def get_embedding_op_configs() -> List[BackendPatternConfig]:
    """Embedding tables, the function too."""
    dtype_configs = [types.executorch_weight_only_quint8_dtype_config]
    configs = embedding_configs(dtype_configs)
    function = operator_config(named("F.embedding"), dtype_configs, weight=1)
    return [*configs[:2], function, *configs[2:]]

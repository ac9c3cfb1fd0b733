# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.backend_config.executorch`."""

from typing import List

from .....backends import dtype_configs as _types
from .....backends.builtin import (
    get_executorch_backend_config as get_executorch_backend_config,
)
from .....backends.operator_configs import (
    SHARED,
    all_named,
    binary_configs,
    conv_configs,
    convolutions,
    get_embedding_op_configs,
    get_linear_configs,
    operator_config,
)
from .....configuration.backend_config import BackendPatternConfig
from .....configuration.dtype_config import DTypeConfig
from .....vocabulary.dtypes import float16, float32, qint8, quint8
from .....vocabulary.names import named
from .qnnpack import (
    qnnpack_default_op_qint8_symmetric_dtype_config,
    qnnpack_weighted_op_qint8_symmetric_dtype_config,
)

executorch_weighted_op_int8_dtype_config = _types.static(qint8)
executorch_default_op_quint8_dtype_config = _types.static()
executorch_default_dynamic_quint8_dtype_config = _types.dynamic(quint8, qint8)
executorch_act_qint8_scale_min_2_neg_12 = _types.act_qint8()
executorch_weight_qint8_neg_127_to_127_scale_min_2_neg_12 = _types.weight_qint8()
executorch_default_dynamic_qint8_dtype_config = DTypeConfig(
    input_dtype=executorch_act_qint8_scale_min_2_neg_12,
    output_dtype=float32,
    weight_dtype=executorch_weight_qint8_neg_127_to_127_scale_min_2_neg_12,
    bias_dtype=float32,
    is_dynamic=True,
)
executorch_default_dynamic_float16_dtype_config = _types.dynamic(float16, float16)
executorch_weight_only_quint8_dtype_config = _types.weight_only(quint8)


def _get_linear_configs() -> List[BackendPatternConfig]:
    """A linear layer and its form while training, without what is fused."""
    dtype_configs = [
        qnnpack_weighted_op_qint8_symmetric_dtype_config,
        executorch_weighted_op_int8_dtype_config,
        executorch_default_dynamic_quint8_dtype_config,
        executorch_default_dynamic_qint8_dtype_config,
        executorch_default_dynamic_float16_dtype_config,
    ]
    return get_linear_configs(dtype_configs)[:3]


def _get_conv_configs() -> List[BackendPatternConfig]:
    """Convolutions of images with relu and batch norm."""
    return conv_configs(
        convolutions[1],
        [
            qnnpack_weighted_op_qint8_symmetric_dtype_config,
            executorch_weighted_op_int8_dtype_config,
        ],
    )


def _get_binary_ops_configs() -> List[BackendPatternConfig]:
    """Sums, differences and products."""
    dtype_configs = [
        qnnpack_default_op_qint8_symmetric_dtype_config,
        executorch_weighted_op_int8_dtype_config,
    ]
    configs: List[BackendPatternConfig] = []
    for name in ("add", "sub", "mul"):
        for module in ("operator", "torch"):
            configs += binary_configs(named(f"{module}.{name}"), dtype_configs)
    return configs


def _get_share_qparams_ops_configs() -> List[BackendPatternConfig]:
    """Operators whose result has the input's scale and zero point."""
    dtype_configs = [
        qnnpack_default_op_qint8_symmetric_dtype_config,
        executorch_default_op_quint8_dtype_config,
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


def _get_bn_configs() -> List[BackendPatternConfig]:
    """Batch norm of images."""
    dtype_configs = [
        qnnpack_default_op_qint8_symmetric_dtype_config,
        executorch_default_op_quint8_dtype_config,
    ]
    return [operator_config(named("nn.BatchNorm2d"), dtype_configs)]


def _get_cat_configs() -> List[BackendPatternConfig]:
    """Concatenation under its three names."""
    dtype_configs = [
        qnnpack_default_op_qint8_symmetric_dtype_config,
        executorch_default_op_quint8_dtype_config,
    ]
    return [
        operator_config(op, dtype_configs, observation=SHARED)
        for op in all_named("torch.cat torch.concat torch.concatenate")
    ]


def _get_embedding_op_configs() -> List[BackendPatternConfig]:
    """Embedding tables, the function too."""
    dtype_configs = [executorch_weight_only_quint8_dtype_config]
    configs = get_embedding_op_configs(dtype_configs)
    function = operator_config(named("F.embedding"), dtype_configs, weight=1)
    return [*configs[:2], function, *configs[2:]]

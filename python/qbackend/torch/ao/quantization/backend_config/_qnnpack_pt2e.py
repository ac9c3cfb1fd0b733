# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.backend_config._qnnpack_pt2e`, whose operators are those
of aten."""

from typing import List

from .....backends import dtype_configs as _types
from .....backends.builtin import (
    get_qnnpack_pt2e_backend_config as get_qnnpack_pt2e_backend_config,
)
from .....backends.operator_configs import (
    BY_TENSOR_ARGUMENTS,
    SHARED,
    operator_config,
)
from .....configuration.backend_config import BackendPatternConfig
from .....configuration.node_getters import RootNodeGetter
from .....vocabulary.dtypes import qint8
from .....vocabulary.names import named

weighted_op_quint8_dtype_config = _types.static(qint8)

_RELU = named("torch.ops.aten.relu.default")
_RELU_ = named("torch.ops.aten.relu_.default")


def get_linear_configs() -> List[BackendPatternConfig]:
    """What a linear layer becomes, with a bias and without."""
    dtype_configs = [weighted_op_quint8_dtype_config]
    return [
        operator_config(
            named("torch.ops.aten.addmm.default"), dtype_configs, weight=2, bias=0
        ),
        operator_config(named("torch.ops.aten.mm.default"), dtype_configs, weight=1),
    ]


def get_conv_configs() -> List[BackendPatternConfig]:
    """Convolutions with relu, in place too, and without."""
    dtype_configs = [weighted_op_quint8_dtype_config]
    conv = named("torch.ops.aten.convolution.default")
    return [
        operator_config(pattern, dtype_configs, weight=1, bias=2)
        for pattern in (conv, (conv, _RELU), (conv, _RELU_))
    ]


def get_pooling_configs() -> List[BackendPatternConfig]:
    """The first result of a max pool; the pool is the root."""
    pool = named("torch.ops.aten.max_pool2d_with_indices.default")
    config = operator_config(
        None, [weighted_op_quint8_dtype_config], observation=SHARED
    )
    config._set_pattern_complex_format((named("operator.getitem"), pool, 0))
    return [config._set_root_node_getter(RootNodeGetter([0]))]


def get_relu_configs() -> List[BackendPatternConfig]:
    """A relu by itself."""
    dtype_configs = [weighted_op_quint8_dtype_config]
    return [operator_config(_RELU, dtype_configs, observation=SHARED)]


def get_binary_op_configs() -> List[BackendPatternConfig]:
    """Sums, in place too, with relu and without."""
    dtype_configs = [weighted_op_quint8_dtype_config]
    configs: List[BackendPatternConfig] = []
    for name in ("add", "add_"):
        add = named(f"torch.ops.aten.{name}.Tensor")
        configs += [
            operator_config(
                pattern, dtype_configs
            )._set_num_tensor_args_to_observation_type(BY_TENSOR_ARGUMENTS)
            for pattern in ((add, _RELU), add, (add, _RELU_))
        ]
    return configs

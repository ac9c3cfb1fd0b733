# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.backend_config.onednn`: a convolution whose result is added
to a value, and linear layers with leaky relu and tanh."""

from typing import Any, List

from .....backends import dtype_configs as _types
from .....backends.builtin import (
    get_onednn_backend_config as get_onednn_backend_config,
)
from .....backends.operator_configs import (
    get_conv_configs,
    get_linear_configs,
    operator_config,
)
from .....configuration.backend_config import BackendPatternConfig
from .....configuration.dtype_config import DTypeConfig, ObservationType
from .....configuration.fuser_methods import FuserMethod, sequential_wrapper2
from .....configuration.node_getters import ExtraInputsGetter, RootNodeGetter
from .....vocabulary.dtypes import float32, qint8, quint8
from .....vocabulary.names import MatchAllNode, TorchName, named

onednn_weighted_op_int8_dtype_config = _types.static(qint8)
onednn_op_quint8_dtype_config = _types.static()
onednn_dynamic_int8_dtype_config = _types.dynamic(quint8, qint8)
onednn_weight_only_qint8_dtype_config = _types.weight_only(qint8)
onednn_input_output_only_quint8_dtype_config = _types.static(float32)

_fuse_linear_bn_leaky_relu = FuserMethod("fuse_linear_bn_leaky_relu")
_fuse_conv_add_left = FuserMethod("fuse_conv_add_left")
_fuse_conv_add_right = FuserMethod("fuse_conv_add_right")
_fuse_conv_bn_add_left = FuserMethod("fuse_conv_bn_add_left")
_fuse_conv_bn_add_right = FuserMethod("fuse_conv_bn_add_right")
_fuse_conv_add_relu_left = FuserMethod("fuse_conv_add_relu_left")
_fuse_conv_add_relu_right = FuserMethod("fuse_conv_add_relu_right")
_fuse_conv_bn_add_relu_left = FuserMethod("fuse_conv_bn_add_relu_left")
_fuse_conv_bn_add_relu_right = FuserMethod("fuse_conv_bn_add_relu_right")

# The convolution is the left or the right operand of the addition; behind a
# batch norm it is one operand further, behind a relu the addition is.
_conv_add_root_node_getter_left = RootNodeGetter([0])
_conv_add_root_node_getter_right = RootNodeGetter([1])
_conv_bn_add_root_node_getter_left = RootNodeGetter([0, 0])
_conv_bn_add_root_node_getter_right = RootNodeGetter([1, 0])
_conv_add_relu_root_node_getter_left = RootNodeGetter([0, 0])
_conv_add_relu_root_node_getter_right = RootNodeGetter([0, 1])
_conv_bn_add_relu_root_node_getter_left = RootNodeGetter([0, 0, 0])
_conv_bn_add_relu_root_node_getter_right = RootNodeGetter([0, 1, 0])
_conv_add_extra_inputs_getter_left = ExtraInputsGetter([[1]])
_conv_add_extra_inputs_getter_right = ExtraInputsGetter([[0]])
_conv_bn_add_extra_inputs_getter_left = ExtraInputsGetter([[1]])
_conv_bn_add_extra_inputs_getter_right = ExtraInputsGetter([[0]])
_conv_add_relu_extra_inputs_getter_left = ExtraInputsGetter([[0, 1]])
_conv_add_relu_extra_inputs_getter_right = ExtraInputsGetter([[0, 0]])
_conv_bn_add_relu_extra_inputs_getter_left = ExtraInputsGetter([[0, 1]])
_conv_bn_add_relu_extra_inputs_getter_right = ExtraInputsGetter([[0, 0]])


def _conv_add_config(
    add: TorchName,
    dtype_configs: List[DTypeConfig],
    side: str,
    has_bn: bool,
    has_relu: bool,
) -> BackendPatternConfig:
    conv: Any = named("nn.Conv2d")
    if has_bn:
        conv = (named("nn.BatchNorm2d"), conv)
    left = side == "left"
    pattern: Any = (add, conv, MatchAllNode) if left else (add, MatchAllNode, conv)
    root = [0 if left else 1] + [0] * has_bn
    extra = [1 if left else 0]
    if has_relu:
        pattern, root, extra = (named("nn.ReLU"), pattern), [0, *root], [0, *extra]
    name = "fuse_conv" + "_bn" * has_bn + "_add" + "_relu" * has_relu
    fused = "ConvAddReLU2d" if has_relu else "ConvAdd2d"
    return (
        operator_config(
            None,
            dtype_configs,
            fuser=FuserMethod(f"{name}_{side}"),
            fused=named(f"nni.{fused}"),
        )
        ._set_pattern_complex_format(pattern)
        ._set_root_node_getter(RootNodeGetter(root))
        ._set_extra_inputs_getter(ExtraInputsGetter([extra]))
    )


def get_onednn_conv_configs(
    dtype_configs: List[DTypeConfig],
) -> List[BackendPatternConfig]:
    """All convolutions, and `conv + x`, `x + conv` with batch norm and relu."""
    configs = get_conv_configs(dtype_configs)
    for has_relu in (False, True):
        for side in ("left", "right"):
            configs += [
                _conv_add_config(named(add), dtype_configs, side, has_bn, has_relu)
                for has_bn in (True, False)
                for add in ("torch.add", "operator.add")
            ]
        configs.append(
            operator_config(
                named("nni.ConvAddReLU2d" if has_relu else "nni.ConvAdd2d"),
                dtype_configs,
                root=named("nn.Conv2d"),
                reference=named("nnqr.Conv2d"),
            )
        )
    return configs


def _add_eltwise_fusion_configs(
    configs: List[BackendPatternConfig],
    root_module: Any,
    root_op: Any,
    post_module: Any,
    post_op: Any,
    dtype_configs: List[DTypeConfig],
    fuser_method: Any,
    fused_module: Any,
    observation_type: Any,
    ref_quant_module: Any,
) -> None:
    """Appends to `configs` an operator before another one, as modules that are
    fused and as functions, and the fused module."""
    configs += [
        operator_config(
            (root_module, post), dtype_configs, fuser=fuser_method, fused=fused_module
        )
        for post in (post_module, post_op)
    ]
    configs.append(
        operator_config(
            fused_module,
            dtype_configs,
            observation=observation_type,
            root=root_module,
            reference=ref_quant_module,
        )
    )
    configs += [
        operator_config((root_op, post), dtype_configs, observation=observation_type)
        for post in (post_module, post_op)
    ]


def get_onednn_linear_configs(
    dtype_configs: List[DTypeConfig],
) -> List[BackendPatternConfig]:
    """All linear layers, and those with leaky relu and tanh."""
    configs = get_linear_configs(dtype_configs)
    for post_module, post_op, name in (
        ("nn.LeakyReLU", "F.leaky_relu", "nni.LinearLeakyReLU"),
        ("nn.Tanh", "torch.tanh", "nni.LinearTanh"),
    ):
        fused = named(name)
        _add_eltwise_fusion_configs(
            configs,
            named("nn.Linear"),
            named("F.linear"),
            named(post_module),
            named(post_op),
            dtype_configs,
            sequential_wrapper2(fused),
            fused,
            configs[0].observation_type,
            named("nnqr.Linear"),
        )
        if post_module == "nn.LeakyReLU":
            configs.append(
                operator_config(
                    (named("nn.Linear"), named("nn.BatchNorm1d"), named(post_module)),
                    dtype_configs,
                    fuser=_fuse_linear_bn_leaky_relu,
                    fused=fused,
                )
            )
    return configs


observation_type = ObservationType.OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT
conv_dtype_configs = [onednn_weighted_op_int8_dtype_config]
linear_dtype_configs = [
    onednn_weighted_op_int8_dtype_config,
    onednn_dynamic_int8_dtype_config,
]
binary_op_dtype_configs = [onednn_op_quint8_dtype_config]
default_op_dtype_configs = [onednn_op_quint8_dtype_config]
fixed_qparams_op_dtype_configs = [onednn_op_quint8_dtype_config]
share_qparams_op_dtype_configs = [onednn_op_quint8_dtype_config]
rnn_op_dtype_configs = [onednn_dynamic_int8_dtype_config]
embedding_op_dtype_configs = [onednn_weight_only_qint8_dtype_config]
layer_norm_op_dtype_configs = [onednn_input_output_only_quint8_dtype_config]
conv_configs = get_onednn_conv_configs(conv_dtype_configs)
linear_configs = get_onednn_linear_configs(linear_dtype_configs)

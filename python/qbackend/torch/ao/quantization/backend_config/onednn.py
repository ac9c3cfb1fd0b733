# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.backend_config.onednn`."""

from .....backends.builtin import (
    get_onednn_backend_config as get_onednn_backend_config,
)
from .....backends.named_dtype_configs import (
    onednn_weighted_op_int8_dtype_config as onednn_weighted_op_int8_dtype_config,
    onednn_op_quint8_dtype_config as onednn_op_quint8_dtype_config,
    onednn_dynamic_int8_dtype_config as onednn_dynamic_int8_dtype_config,
    onednn_weight_only_qint8_dtype_config as onednn_weight_only_qint8_dtype_config,
    onednn_input_output_only_quint8_dtype_config as onednn_input_output_only_quint8_dtype_config,
)
from .....backends.onednn_configs import (
    add_eltwise_fusion_configs as _add_eltwise_fusion_configs,
    conv_add_extra_inputs_getter_left as _conv_add_extra_inputs_getter_left,
    conv_add_extra_inputs_getter_right as _conv_add_extra_inputs_getter_right,
    conv_add_relu_extra_inputs_getter_left as _conv_add_relu_extra_inputs_getter_left,
    conv_add_relu_extra_inputs_getter_right as _conv_add_relu_extra_inputs_getter_right,
    conv_add_relu_root_node_getter_left as _conv_add_relu_root_node_getter_left,
    conv_add_relu_root_node_getter_right as _conv_add_relu_root_node_getter_right,
    conv_add_root_node_getter_left as _conv_add_root_node_getter_left,
    conv_add_root_node_getter_right as _conv_add_root_node_getter_right,
    conv_bn_add_extra_inputs_getter_left as _conv_bn_add_extra_inputs_getter_left,
    conv_bn_add_extra_inputs_getter_right as _conv_bn_add_extra_inputs_getter_right,
    conv_bn_add_relu_extra_inputs_getter_left as _conv_bn_add_relu_extra_inputs_getter_left,
    conv_bn_add_relu_extra_inputs_getter_right as _conv_bn_add_relu_extra_inputs_getter_right,
    conv_bn_add_relu_root_node_getter_left as _conv_bn_add_relu_root_node_getter_left,
    conv_bn_add_relu_root_node_getter_right as _conv_bn_add_relu_root_node_getter_right,
    conv_bn_add_root_node_getter_left as _conv_bn_add_root_node_getter_left,
    conv_bn_add_root_node_getter_right as _conv_bn_add_root_node_getter_right,
    fuse_conv_add_left as _fuse_conv_add_left,
    fuse_conv_add_relu_left as _fuse_conv_add_relu_left,
    fuse_conv_add_relu_right as _fuse_conv_add_relu_right,
    fuse_conv_add_right as _fuse_conv_add_right,
    fuse_conv_bn_add_left as _fuse_conv_bn_add_left,
    fuse_conv_bn_add_relu_left as _fuse_conv_bn_add_relu_left,
    fuse_conv_bn_add_relu_right as _fuse_conv_bn_add_relu_right,
    fuse_conv_bn_add_right as _fuse_conv_bn_add_right,
    fuse_linear_bn_leaky_relu as _fuse_linear_bn_leaky_relu,
    get_onednn_conv_configs as get_onednn_conv_configs,
    get_onednn_linear_configs as get_onednn_linear_configs,
)
from .....configuration.dtype_config import ObservationType

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

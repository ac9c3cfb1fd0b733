# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.backend_config._common_operator_config_utils`."""

from .....backends.operator_configs import (
    FIXED_QPARAM_OP_0TO1_CONSTRAINTS as _FIXED_QPARAM_OP_0TO1_CONSTRAINTS,
    FIXED_QPARAM_OP_NEG1TO1_CONSTRAINTS as _FIXED_QPARAM_OP_NEG1TO1_CONSTRAINTS,
    FIXED_QPARAMS_OP_TO_CONSTRAINTS as _FIXED_QPARAMS_OP_TO_CONSTRAINTS,
    Convolution as _ConvMetadata,
    add_fixed_qparams_to_dtype_configs as _add_fixed_qparams_to_dtype_configs,
    convolutions,
    get_binary_op_configs as _get_binary_op_configs,
    get_bn_configs as _get_bn_configs,
    get_cat_config as _get_cat_config,
    get_conv_configs as _get_conv_configs,
    get_default_op_configs as _get_default_op_configs,
    get_embedding_op_configs as _get_embedding_op_configs,
    get_fixed_qparams_op_configs as _get_fixed_qparams_op_configs,
    get_linear_configs as _get_linear_configs,
    get_ln_configs as _get_ln_configs,
    get_rnn_op_configs as _get_rnn_op_configs,
    get_share_qparams_op_configs as _get_share_qparams_op_configs,
    get_tensor_info_op_configs as _get_tensor_info_op_configs,
)

_Conv1dMetadata, _Conv2dMetadata, _Conv3dMetadata = convolutions

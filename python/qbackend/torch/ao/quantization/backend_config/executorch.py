# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.backend_config.executorch`."""

from .....backends.builtin import (
    get_executorch_backend_config as get_executorch_backend_config,
)
from .....backends.executorch_configs import (
    get_binary_ops_configs as _get_binary_ops_configs,
    get_bn_configs as _get_bn_configs,
    get_cat_configs as _get_cat_configs,
    get_conv_configs as _get_conv_configs,
    get_embedding_op_configs as _get_embedding_op_configs,
    get_linear_configs as _get_linear_configs,
    get_share_qparams_ops_configs as _get_share_qparams_ops_configs,
)
from .....backends.named_dtype_configs import (
    executorch_weighted_op_int8_dtype_config as executorch_weighted_op_int8_dtype_config,
    executorch_default_op_quint8_dtype_config as executorch_default_op_quint8_dtype_config,
    executorch_default_dynamic_quint8_dtype_config as executorch_default_dynamic_quint8_dtype_config,
    executorch_act_qint8_scale_min_2_neg_12 as executorch_act_qint8_scale_min_2_neg_12,
    executorch_weight_qint8_neg_127_to_127_scale_min_2_neg_12 as executorch_weight_qint8_neg_127_to_127_scale_min_2_neg_12,
    executorch_default_dynamic_qint8_dtype_config as executorch_default_dynamic_qint8_dtype_config,
    executorch_default_dynamic_float16_dtype_config as executorch_default_dynamic_float16_dtype_config,
    executorch_weight_only_quint8_dtype_config as executorch_weight_only_quint8_dtype_config,
    qnnpack_default_op_qint8_symmetric_dtype_config as qnnpack_default_op_qint8_symmetric_dtype_config,
    qnnpack_weighted_op_qint8_symmetric_dtype_config as qnnpack_weighted_op_qint8_symmetric_dtype_config,
)

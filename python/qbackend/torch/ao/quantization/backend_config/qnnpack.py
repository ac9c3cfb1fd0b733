# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.backend_config.qnnpack`."""

from .....backends.builtin import (
    get_qnnpack_backend_config as get_qnnpack_backend_config,
)
from .....backends.named_dtype_configs import (
    qnnpack_weighted_op_quint8_dtype_config as qnnpack_weighted_op_quint8_dtype_config,
    qnnpack_default_op_quint8_dtype_config as qnnpack_default_op_quint8_dtype_config,
    qnnpack_default_op_fp16_dtype_config as qnnpack_default_op_fp16_dtype_config,
    qnnpack_default_dynamic_int8_dtype_config as qnnpack_default_dynamic_int8_dtype_config,
    qnnpack_default_dynamic_float16_dtype_config as qnnpack_default_dynamic_float16_dtype_config,
    qnnpack_weight_only_quint8_dtype_config as qnnpack_weight_only_quint8_dtype_config,
    qnnpack_weight_only_quint4x2_dtype_config as qnnpack_weight_only_quint4x2_dtype_config,
    qnnpack_act_qint8_scale_min_2_neg_12 as qnnpack_act_qint8_scale_min_2_neg_12,
    qnnpack_weight_qint8_neg_127_to_127_scale_min_2_neg_12 as qnnpack_weight_qint8_neg_127_to_127_scale_min_2_neg_12,
    qnnpack_weighted_op_qint8_symmetric_dtype_config as qnnpack_weighted_op_qint8_symmetric_dtype_config,
    qnnpack_default_op_qint8_symmetric_dtype_config as qnnpack_default_op_qint8_symmetric_dtype_config,
)

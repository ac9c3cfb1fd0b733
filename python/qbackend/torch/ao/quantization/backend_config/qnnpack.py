# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.backend_config.qnnpack`."""

from .....backends import dtype_configs as _types
from .....backends.builtin import (
    get_qnnpack_backend_config as get_qnnpack_backend_config,
)
from .....configuration.dtype_config import DTypeConfig
from .....vocabulary.dtypes import float16, float32, qint8, quint4x2, quint8

qnnpack_weighted_op_quint8_dtype_config = _types.static(qint8)
qnnpack_default_op_quint8_dtype_config = _types.static()
qnnpack_default_op_fp16_dtype_config = _types.half()
qnnpack_default_dynamic_int8_dtype_config = _types.dynamic(quint8, qint8)
qnnpack_default_dynamic_float16_dtype_config = _types.dynamic(float16, float16)
qnnpack_weight_only_quint8_dtype_config = _types.weight_only(quint8)
qnnpack_weight_only_quint4x2_dtype_config = _types.weight_only(quint4x2)
qnnpack_act_qint8_scale_min_2_neg_12 = _types.act_qint8()
qnnpack_weight_qint8_neg_127_to_127_scale_min_2_neg_12 = _types.weight_qint8()
qnnpack_weighted_op_qint8_symmetric_dtype_config = DTypeConfig(
    input_dtype=qnnpack_act_qint8_scale_min_2_neg_12,
    output_dtype=qnnpack_act_qint8_scale_min_2_neg_12,
    weight_dtype=qnnpack_weight_qint8_neg_127_to_127_scale_min_2_neg_12,
    bias_dtype=float32,
)
qnnpack_default_op_qint8_symmetric_dtype_config = DTypeConfig(
    input_dtype=qnnpack_act_qint8_scale_min_2_neg_12,
    output_dtype=qnnpack_act_qint8_scale_min_2_neg_12,
)

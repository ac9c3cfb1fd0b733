# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.backend_config.fbgemm`."""

from .....backends.builtin import (
    get_fbgemm_backend_config as get_fbgemm_backend_config,
)
from .....backends.named_dtype_configs import (
    fbgemm_weighted_op_quint8_dtype_config as fbgemm_weighted_op_quint8_dtype_config,
    fbgemm_default_op_quint8_dtype_config as fbgemm_default_op_quint8_dtype_config,
    fbgemm_default_op_fp16_dtype_config as fbgemm_default_op_fp16_dtype_config,
    fbgemm_default_dynamic_int8_dtype_config as fbgemm_default_dynamic_int8_dtype_config,
    fbgemm_default_dynamic_float16_dtype_config as fbgemm_default_dynamic_float16_dtype_config,
    fbgemm_weight_only_quint8_dtype_config as fbgemm_weight_only_quint8_dtype_config,
    fbgemm_weight_only_quint4x2_dtype_config as fbgemm_weight_only_quint4x2_dtype_config,
)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.backend_config.x86`."""

from .....backends.builtin import (
    get_x86_backend_config as get_x86_backend_config,
)
from .....backends.named_dtype_configs import (
    x86_weighted_op_int8_dtype_config as x86_weighted_op_int8_dtype_config,
    x86_default_op_quint8_dtype_config as x86_default_op_quint8_dtype_config,
    x86_default_op_fp16_dtype_config as x86_default_op_fp16_dtype_config,
    x86_default_dynamic_int8_dtype_config as x86_default_dynamic_int8_dtype_config,
    x86_default_dynamic_float16_dtype_config as x86_default_dynamic_float16_dtype_config,
    x86_weight_only_quint8_dtype_config as x86_weight_only_quint8_dtype_config,
    x86_weight_only_quint4x2_dtype_config as x86_weight_only_quint4x2_dtype_config,
)

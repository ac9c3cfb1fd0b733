# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.backend_config.native`."""

from .....backends.builtin import (
    get_native_backend_config as get_native_backend_config,
    get_native_backend_config_dict as get_native_backend_config_dict,
    get_test_only_legacy_native_backend_config as get_test_only_legacy_native_backend_config,
    get_test_only_legacy_native_backend_config_dict as get_test_only_legacy_native_backend_config_dict,
)
from .....backends.named_dtype_configs import (
    weighted_op_quint8_dtype_config as weighted_op_quint8_dtype_config,
    default_op_quint8_dtype_config as default_op_quint8_dtype_config,
    default_op_fp16_dtype_config as default_op_fp16_dtype_config,
    default_dynamic_int8_dtype_config as default_dynamic_int8_dtype_config,
    default_dynamic_float16_dtype_config as default_dynamic_float16_dtype_config,
    input_output_only_quint8_dtype_config as input_output_only_quint8_dtype_config,
    weight_only_quint8_dtype_config as weight_only_quint8_dtype_config,
    weight_only_quint4x2_dtype_config as weight_only_quint4x2_dtype_config,
)

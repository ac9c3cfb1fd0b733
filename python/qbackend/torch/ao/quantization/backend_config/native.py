# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.backend_config.native`: both of PyTorch's engines."""

from .....backends import dtype_configs as _types
from .....backends.builtin import (
    get_native_backend_config as get_native_backend_config,
    get_native_backend_config_dict as get_native_backend_config_dict,
    get_test_only_legacy_native_backend_config as get_test_only_legacy_native_backend_config,
    get_test_only_legacy_native_backend_config_dict as get_test_only_legacy_native_backend_config_dict,
)
from .....vocabulary.dtypes import float16, float32, qint8, quint4x2, quint8

weighted_op_quint8_dtype_config = _types.static(qint8)
default_op_quint8_dtype_config = _types.static()
default_op_fp16_dtype_config = _types.half()
default_dynamic_int8_dtype_config = _types.dynamic(quint8, qint8)
default_dynamic_float16_dtype_config = _types.dynamic(float16, float16)
input_output_only_quint8_dtype_config = _types.static(float32)
weight_only_quint8_dtype_config = _types.weight_only(quint8)
weight_only_quint4x2_dtype_config = _types.weight_only(quint4x2)

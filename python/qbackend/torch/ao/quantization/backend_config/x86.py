# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.backend_config.x86`."""

from .....backends import dtype_configs as _types
from .....backends.builtin import (
    get_x86_backend_config as get_x86_backend_config,
)
from .....vocabulary.dtypes import float16, qint8, quint4x2, quint8

x86_weighted_op_int8_dtype_config = _types.static(qint8)
x86_default_op_quint8_dtype_config = _types.static()
x86_default_op_fp16_dtype_config = _types.half()
x86_default_dynamic_int8_dtype_config = _types.dynamic(quint8, qint8)
x86_default_dynamic_float16_dtype_config = _types.dynamic(float16, float16)
x86_weight_only_quint8_dtype_config = _types.weight_only(quint8)
x86_weight_only_quint4x2_dtype_config = _types.weight_only(quint4x2)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.backend_config.tensorrt`."""

from .....backends.builtin import (
    get_tensorrt_backend_config as get_tensorrt_backend_config,
    get_tensorrt_backend_config_dict as get_tensorrt_backend_config_dict,
)
from .....configuration.dtype_config import DTypeConfig
from .....vocabulary.dtypes import float32, qint8

weighted_op_qint8_dtype_config = DTypeConfig(qint8, qint8, qint8, float32)
non_weighted_op_qint8_dtype_config = DTypeConfig(qint8, qint8)

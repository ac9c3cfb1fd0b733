# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.backend_config.tensorrt`."""

from .....backends.builtin import (
    get_tensorrt_backend_config as get_tensorrt_backend_config,
    get_tensorrt_backend_config_dict as get_tensorrt_backend_config_dict,
)
from .....backends.named_dtype_configs import (
    weighted_op_qint8_dtype_config as weighted_op_qint8_dtype_config,
    non_weighted_op_qint8_dtype_config as non_weighted_op_qint8_dtype_config,
)

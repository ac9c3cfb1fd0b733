# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.backend_config._qnnpack_pt2e`."""

from .....backends.builtin import (
    get_qnnpack_pt2e_backend_config as get_qnnpack_pt2e_backend_config,
)
from .....backends.named_dtype_configs import (
    pt2e_weighted_op_quint8_dtype_config as weighted_op_quint8_dtype_config,
)
from .....backends.pt2e_configs import (
    get_binary_op_configs as get_binary_op_configs,
    get_conv_configs as get_conv_configs,
    get_linear_configs as get_linear_configs,
    get_pooling_configs as get_pooling_configs,
    get_relu_configs as get_relu_configs,
)

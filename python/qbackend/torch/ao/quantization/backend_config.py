# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.backend_config`."""

from ....backend_config import *
from ....backends import (
    get_executorch_backend_config as get_executorch_backend_config,
    get_fbgemm_backend_config as get_fbgemm_backend_config,
    get_native_backend_config as get_native_backend_config,
    get_native_backend_config_dict as get_native_backend_config_dict,
    get_onednn_backend_config as get_onednn_backend_config,
    get_qnnpack_backend_config as get_qnnpack_backend_config,
    get_qnnpack_pt2e_backend_config as get_qnnpack_pt2e_backend_config,
    get_tensorrt_backend_config as get_tensorrt_backend_config,
    get_tensorrt_backend_config_dict as get_tensorrt_backend_config_dict,
    get_x86_backend_config as get_x86_backend_config,
)

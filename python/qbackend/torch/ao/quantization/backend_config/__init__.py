# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.backend_config`."""

from .....backends.builtin import (
    get_executorch_backend_config as get_executorch_backend_config,
    get_fbgemm_backend_config as get_fbgemm_backend_config,
    get_native_backend_config as get_native_backend_config,
    get_native_backend_config_dict as get_native_backend_config_dict,
    get_onednn_backend_config as get_onednn_backend_config,
    get_qnnpack_backend_config as get_qnnpack_backend_config,
    get_qnnpack_pt2e_backend_config as get_qnnpack_pt2e_backend_config,
    get_tensorrt_backend_config as get_tensorrt_backend_config,
    get_tensorrt_backend_config_dict as get_tensorrt_backend_config_dict,
    get_test_only_legacy_native_backend_config as get_test_only_legacy_native_backend_config,
    get_test_only_legacy_native_backend_config_dict as get_test_only_legacy_native_backend_config_dict,
    get_x86_backend_config as get_x86_backend_config,
)
from . import (
    _common_operator_config_utils as _common_operator_config_utils,
    _qnnpack_pt2e as _qnnpack_pt2e,
    backend_config as backend_config,
    executorch as executorch,
    fbgemm as fbgemm,
    native as native,
    observation_type as observation_type,
    onednn as onednn,
    qnnpack as qnnpack,
    tensorrt as tensorrt,
    utils as utils,
    x86 as x86,
)
from .backend_config import *

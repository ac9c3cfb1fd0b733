# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.qconfig`."""

from ....configuration.qconfig import *
from ....configuration.qconfig import (
    activation_is_memoryless as _activation_is_memoryless,
    is_reuse_input_qconfig as _is_reuse_input_qconfig,
)
from ....configuration.qconfig_mapping import (
    get_default_qat_qconfig_dict as get_default_qat_qconfig_dict,
    get_default_qconfig_dict as get_default_qconfig_dict,
)

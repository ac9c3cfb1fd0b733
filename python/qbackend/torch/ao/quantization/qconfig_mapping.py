# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.qconfig_mapping`."""

from ....qconfig_mapping import *
from ....qconfig_mapping import (
    _get_symmetric_qnnpack_qat_qconfig_mapping as _get_symmetric_qnnpack_qat_qconfig_mapping,
    _get_symmetric_qnnpack_qconfig_mapping as _get_symmetric_qnnpack_qconfig_mapping,
)

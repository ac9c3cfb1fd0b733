# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.fake_quantize`."""

from ....configuration.qconfig_dtypes import (
    is_per_channel as _is_per_channel,
    is_per_tensor as _is_per_tensor,
)
from ....observation.fake_quantize import *

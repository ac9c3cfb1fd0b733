# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.fx._equalize`."""

from .....configuration.qconfig_mapping import (
    get_default_equalization_qconfig_mapping as get_default_equalization_qconfig_mapping,
)
from .....observation.equalization import *
from .....observation.equalization import (
    _InputEqualizationObserver as _InputEqualizationObserver,
    _WeightEqualizationObserver as _WeightEqualizationObserver,
)

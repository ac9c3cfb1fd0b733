# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.fx`: its configurations."""

from . import (
    _equalize as _equalize,
    custom_config as custom_config,
    qconfig_mapping_utils as qconfig_mapping_utils,
    quantize_handler as quantize_handler,
)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.quantization_mappings`."""

from ....configuration.quantization_mappings import *

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.fuser_method_mappings`."""

from ....fuser_methods import *
from ....fuser_methods import sequential_wrapper2 as _sequential_wrapper2

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao`."""

from . import nn as nn
from . import quantization as quantization

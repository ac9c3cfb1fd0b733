# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.nn`."""

from . import intrinsic as intrinsic
from . import qat as qat
from . import quantizable as quantizable
from . import quantized as quantized

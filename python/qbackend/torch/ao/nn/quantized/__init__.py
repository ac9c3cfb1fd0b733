# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.nn.quantized`."""

from . import reference as reference

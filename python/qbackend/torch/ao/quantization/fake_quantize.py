# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.fake_quantize`."""

from ....fake_quantize import *

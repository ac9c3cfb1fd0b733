# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.utils`."""

from ....names import MatchAllNode as MatchAllNode

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of `torch.ao.nn.intrinsic`."""

from .....vocabulary.names import namespace
from . import qat as qat

__getattr__, __dir__ = namespace("torch.ao.nn.intrinsic")

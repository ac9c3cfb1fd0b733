# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of `torch.ao.nn.intrinsic`."""

from ...ao.nn.intrinsic import __dir__ as __dir__, __getattr__ as __getattr__
from . import qat as qat

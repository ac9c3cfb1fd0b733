# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.utils`."""

from ....backend_config import Pattern as Pattern
from ....names import MatchAllNode as MatchAllNode
from ....qconfig_dtypes import *

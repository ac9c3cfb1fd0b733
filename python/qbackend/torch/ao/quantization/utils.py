# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.utils`."""

from ....configuration.backend_config import Pattern as Pattern
from ....configuration.qconfig_dtypes import *
from ....vocabulary.names import MatchAllNode as MatchAllNode

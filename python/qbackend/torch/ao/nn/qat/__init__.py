# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of `torch.ao.nn.qat`."""

from .....vocabulary.names import namespace
from . import dynamic as dynamic

__getattr__, __dir__ = namespace("torch.ao.nn.qat")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of `torch.nn`."""

from ...vocabulary.names import namespace
from . import functional as functional, intrinsic as intrinsic, qat as qat

__getattr__, __dir__ = namespace("torch.nn")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of `torch.ao.nn.qat.dynamic`."""

from .....vocabulary.names import namespace

__getattr__, __dir__ = namespace("torch.ao.nn.qat.dynamic")

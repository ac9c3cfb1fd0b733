# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of `torch.nn.functional`."""

from ...vocabulary.names import namespace

__getattr__, __dir__ = namespace("torch.nn.functional")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of `torch.ao.nn.qat`."""

from ..ao.nn.qat import __dir__ as __dir__, __getattr__ as __getattr__

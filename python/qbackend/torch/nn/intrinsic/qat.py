# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of `torch.ao.nn.intrinsic.qat`."""

from ...ao.nn.intrinsic.qat import __dir__ as __dir__, __getattr__ as __getattr__

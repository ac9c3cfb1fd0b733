# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch._C`, as far as PyTorch's configurations name functions by it."""

from . import _nn as _nn

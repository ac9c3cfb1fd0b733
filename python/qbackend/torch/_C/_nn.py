# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch._C._nn`: functions that `torch.nn.functional` has under the same names."""

from ..nn.functional import __dir__ as __dir__, __getattr__ as __getattr__

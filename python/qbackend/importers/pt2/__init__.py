# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Archives that torch.export.save wrote, of PyTorch 2.6 or newer."""

from .importer import convert as convert

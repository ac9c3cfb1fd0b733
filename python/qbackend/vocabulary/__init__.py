# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a configuration is written in: names of PyTorch's operators and modules,
element types, schemes. Depends on nothing else of the package."""

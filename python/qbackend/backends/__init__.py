# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The built-in backends, and the named types and patterns that PyTorch's
configurations of them are put together from."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's configuration API: what a backend can quantize (BackendConfig), what a
network is observed with (QConfig, QConfigMapping, custom configs), and `forms`, in
which they are exchanged: JSON, and the objects of PyTorch."""

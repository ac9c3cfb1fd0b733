# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Observers, fake quantizers and what equalizes layers: as entries of a
configuration, and called with arrays, whose numbers the compiler computes."""

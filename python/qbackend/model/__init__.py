# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A network: loaded, calibrated, quantized, run, analyzed, saved, and the samples and
reports that go in and come out."""

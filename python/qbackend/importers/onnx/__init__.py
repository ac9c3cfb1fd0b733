# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX models: opsets 7 to 22 as far as the operators of the table go."""

from . import (
    elementwise, fused, layers, quantized, recurrent, reduction, resize, shape,
)
from .importer import convert as convert

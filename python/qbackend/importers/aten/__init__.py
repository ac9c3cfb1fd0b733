# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ATen's operators, a file for each family, in one table."""

from . import (
    convolution, creation, elementwise, indexing, normalization, pooling, products,
    quantized, recurrent, reduction, resize, shape,
)
from .table import OPERATORS as OPERATORS
from .table import Operator as Operator
from .table import find as find

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.quant_type`."""

from ....vocabulary.quant_type import *
from ....vocabulary.quant_type import (
    get_quant_type_to_str as _get_quant_type_to_str,
    quant_type_from_str as _quant_type_from_str,
)

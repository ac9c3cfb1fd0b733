# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.backend_config.utils`."""

from .....configuration.backend_tables import *
from .....configuration.backend_tables import (
    get_fuser_method_in_reversed_nested_tuple_format as _get_fuser_method_in_reversed_nested_tuple_format,
    get_pattern_in_reversed_nested_tuple_format as _get_pattern_in_reversed_nested_tuple_format,
)

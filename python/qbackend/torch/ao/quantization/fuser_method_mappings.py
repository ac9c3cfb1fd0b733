# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.fuser_method_mappings`."""

from ....configuration.backend_tables import (
    get_fuser_method_in_reversed_nested_tuple_format as _get_fuser_method_in_reversed_nested_tuple_format,
)
from ....configuration.fuser_methods import *
from ....configuration.fuser_methods import (
    DEFAULT_OP_LIST_TO_FUSER_METHOD as _DEFAULT_OP_LIST_TO_FUSER_METHOD,
    reverse2 as _reverse2,
    reverse3 as _reverse3,
    sequential_wrapper2 as _sequential_wrapper2,
)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.qconfig_mapping`."""

from ....configuration.qconfig_mapping import *
from ....configuration.qconfig_mapping import (
    FIXED_QPARAMS_OP_TO_OBSERVER as _FIXED_QPARAMS_OP_TO_OBSERVER,
    GLOBAL_KEY as _GLOBAL_DICT_KEY,
    LEVELS,
    MODULE_NAME_KEY as _MODULE_NAME_DICT_KEY,
    MODULE_NAME_OBJECT_TYPE_ORDER_KEY as _MODULE_NAME_OBJECT_TYPE_ORDER_DICT_KEY,
    MODULE_NAME_REGEX_KEY as _MODULE_NAME_REGEX_DICT_KEY,
    OBJECT_TYPE_KEY as _OBJECT_TYPE_DICT_KEY,
    _get_symmetric_qnnpack_qat_qconfig_mapping as _get_symmetric_qnnpack_qat_qconfig_mapping,
    _get_symmetric_qnnpack_qconfig_mapping as _get_symmetric_qnnpack_qconfig_mapping,
)

_QCONFIG_STYLE_ORDER = list(LEVELS)

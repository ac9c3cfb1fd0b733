# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.fx.qconfig_mapping_utils`."""

from .....configuration.qconfig_lookup import (
    get_module_name_qconfig as _get_module_name_qconfig,
    get_module_name_regex_qconfig as _get_module_name_regex_qconfig,
    get_object_type_qconfig as _get_object_type_qconfig,
    maybe_adjust_qconfig_for_module_name_object_type_order as _maybe_adjust_qconfig_for_module_name_object_type_order,
)

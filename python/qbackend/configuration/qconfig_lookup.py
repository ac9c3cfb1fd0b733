# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which entry of a QConfigMapping counts for an operator: PyTorch's
`fx.qconfig_mapping_utils`. Each function takes what counts if the level it looks
at has no entry."""

from __future__ import annotations

import re
from typing import Any

from ..vocabulary.names import name_of
from .qconfig import QConfigAny
from .qconfig_mapping import QConfigMapping

__all__ = [
    "get_module_name_qconfig",
    "get_module_name_regex_qconfig",
    "get_object_type_qconfig",
    "maybe_adjust_qconfig_for_module_name_object_type_order",
]


def _name(object_type: Any) -> Any:
    try:
        return name_of(object_type)
    except (TypeError, ValueError):
        return object_type  # Nothing that a mapping has.


def get_object_type_qconfig(
    qconfig_mapping: QConfigMapping, object_type: Any, fallback_qconfig: Any
) -> QConfigAny:
    """That of a module class, a function, or the name of a method."""
    found: QConfigAny = qconfig_mapping.object_type_qconfigs.get(
        _name(object_type), fallback_qconfig
    )
    return found


def get_module_name_regex_qconfig(
    qconfig_mapping: QConfigMapping, module_name: str, fallback_qconfig: Any
) -> QConfigAny:
    """The first whose regular expression matches from the start on."""
    for regex, qconfig in qconfig_mapping.module_name_regex_qconfigs.items():
        if re.match(regex, module_name):
            return qconfig
    result: QConfigAny = fallback_qconfig
    return result


def get_module_name_qconfig(
    qconfig_mapping: QConfigMapping, module_name: str, fallback_qconfig: Any
) -> QConfigAny:
    """That of the module, or of the innermost one around it."""
    while module_name:
        if module_name in qconfig_mapping.module_name_qconfigs:
            return qconfig_mapping.module_name_qconfigs[module_name]
        module_name = module_name.rpartition(".")[0]
    result: QConfigAny = fallback_qconfig
    return result


def maybe_adjust_qconfig_for_module_name_object_type_order(
    qconfig_mapping: QConfigMapping,
    cur_module_path: str,
    cur_object_type: Any,
    cur_object_type_idx: int,
    fallback_qconfig: Any,
) -> QConfigAny:
    """That of the operator of this type that is number so many in the module."""
    key = (cur_module_path, _name(cur_object_type), cur_object_type_idx)
    entries = qconfig_mapping.module_name_object_type_order_qconfigs
    found: QConfigAny = entries.get(key, fallback_qconfig)
    return found

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ways of quantizing: `torch.ao.quantization.quant_type`."""

from __future__ import annotations

import enum

__all__ = ["QuantType"]


class QuantType(enum.IntEnum):
    """When values become integers."""

    #: Activations as they come, weights beforehand.
    DYNAMIC = 0
    #: By ranges that are known beforehand.
    STATIC = 1
    #: By ranges that training finds.
    QAT = 2
    WEIGHT_ONLY = 3


_NAMES = {
    QuantType.STATIC: "static",
    QuantType.DYNAMIC: "dynamic",
    QuantType.WEIGHT_ONLY: "weight_only",
}


def get_quant_type_to_str(quant_type: QuantType) -> str:
    """The name in dictionaries. AssertionError for QAT, which has none."""
    if quant_type not in _NAMES:
        raise AssertionError(
            f"quant_type is {quant_type!r}, expected one of "
            + ", ".join(map(str, _NAMES))
        )
    return _NAMES[quant_type]


def quant_type_from_str(name: str) -> QuantType:
    """The other way round; ValueError for other names."""
    for quant_type, known in _NAMES.items():
        if name == known:
            return quant_type
    raise ValueError(
        f"Unknown QuantType name '{name}', expected one of {', '.join(_NAMES.values())}"
    )

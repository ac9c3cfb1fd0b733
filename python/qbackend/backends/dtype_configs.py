# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types that operators of PyTorch's backends have. Each call makes an object of its
own, as PyTorch's named ones are.
"""

from __future__ import annotations

from typing import Optional

from ..configuration.dtype_config import DTypeConfig, DTypeWithConstraints
from ..vocabulary.dtypes import DType, float16, float32, qint8, quint8

#: The least scale for which XNNPACK's requantization has enough bits.
SCALE_MIN = 2**-12


def static(weight: Optional[DType] = None) -> DTypeConfig:
    """Activations of quint8; with the type of a weight, a bias is float."""
    return DTypeConfig(quint8, quint8, weight, None if weight is None else float32)


def half() -> DTypeConfig:
    return DTypeConfig(float16, float16, float16, float16)


def dynamic(activation: DType, weight: DType) -> DTypeConfig:
    return DTypeConfig(activation, float32, weight, float32, is_dynamic=True)


def weight_only(weight: DType) -> DTypeConfig:
    return DTypeConfig(float32, float32, weight)


def act_qint8() -> DTypeWithConstraints:
    return DTypeWithConstraints(qint8, scale_min_lower_bound=SCALE_MIN)


def weight_qint8() -> DTypeWithConstraints:
    return DTypeWithConstraints(
        qint8,
        quant_min_lower_bound=-127,
        quant_max_upper_bound=127,
        scale_min_lower_bound=SCALE_MIN,
    )

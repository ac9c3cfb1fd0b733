# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types and constraints that PyTorch's backends are made of, by the names
they have there. Each is an object of its own, as in PyTorch.
"""

from __future__ import annotations

from typing import Optional

from ..configuration.dtype_config import DTypeConfig, DTypeWithConstraints
from ..vocabulary.dtypes import (
    DType,
    float16,
    float32,
    qint8,
    quint4x2,
    quint8,
)

#: The least scale for which XNNPACK's requantization has enough bits.
SCALE_MIN = 2**-12


def _static(weight: Optional[DType] = None) -> DTypeConfig:
    """Activations of quint8; with the type of a weight, a bias is float."""
    return DTypeConfig(quint8, quint8, weight, None if weight is None else float32)


def _half() -> DTypeConfig:
    return DTypeConfig(float16, float16, float16, float16)


def _dynamic(activation: DType, weight: DType) -> DTypeConfig:
    return DTypeConfig(activation, float32, weight, float32, is_dynamic=True)


def _weight_only(weight: DType) -> DTypeConfig:
    return DTypeConfig(float32, float32, weight)


def _act_qint8() -> DTypeWithConstraints:
    return DTypeWithConstraints(qint8, scale_min_lower_bound=SCALE_MIN)


def _weight_qint8() -> DTypeWithConstraints:
    return DTypeWithConstraints(
        qint8,
        quant_min_lower_bound=-127,
        quant_max_upper_bound=127,
        scale_min_lower_bound=SCALE_MIN,
    )


# -- QNNPACK --

qnnpack_weighted_op_quint8_dtype_config = _static(qint8)
qnnpack_default_op_quint8_dtype_config = _static()
qnnpack_default_op_fp16_dtype_config = _half()
qnnpack_default_dynamic_int8_dtype_config = _dynamic(quint8, qint8)
qnnpack_default_dynamic_float16_dtype_config = _dynamic(float16, float16)
qnnpack_weight_only_quint8_dtype_config = _weight_only(quint8)
qnnpack_weight_only_quint4x2_dtype_config = _weight_only(quint4x2)
qnnpack_act_qint8_scale_min_2_neg_12 = _act_qint8()
qnnpack_weight_qint8_neg_127_to_127_scale_min_2_neg_12 = _weight_qint8()
qnnpack_weighted_op_qint8_symmetric_dtype_config = DTypeConfig(
    input_dtype=qnnpack_act_qint8_scale_min_2_neg_12,
    output_dtype=qnnpack_act_qint8_scale_min_2_neg_12,
    weight_dtype=qnnpack_weight_qint8_neg_127_to_127_scale_min_2_neg_12,
    bias_dtype=float32,
)
qnnpack_default_op_qint8_symmetric_dtype_config = DTypeConfig(
    input_dtype=qnnpack_act_qint8_scale_min_2_neg_12,
    output_dtype=qnnpack_act_qint8_scale_min_2_neg_12,
)

# -- FBGEMM --

fbgemm_weighted_op_quint8_dtype_config = _static(qint8)
fbgemm_default_op_quint8_dtype_config = _static()
fbgemm_default_op_fp16_dtype_config = _half()
fbgemm_default_dynamic_int8_dtype_config = _dynamic(quint8, qint8)
fbgemm_default_dynamic_float16_dtype_config = _dynamic(float16, float16)
fbgemm_weight_only_quint8_dtype_config = _weight_only(quint8)
fbgemm_weight_only_quint4x2_dtype_config = _weight_only(quint4x2)

# -- x86 --

x86_weighted_op_int8_dtype_config = _static(qint8)
x86_default_op_quint8_dtype_config = _static()
x86_default_op_fp16_dtype_config = _half()
x86_default_dynamic_int8_dtype_config = _dynamic(quint8, qint8)
x86_default_dynamic_float16_dtype_config = _dynamic(float16, float16)
x86_weight_only_quint8_dtype_config = _weight_only(quint8)
x86_weight_only_quint4x2_dtype_config = _weight_only(quint4x2)

# -- oneDNN --

onednn_weighted_op_int8_dtype_config = _static(qint8)
onednn_op_quint8_dtype_config = _static()
onednn_dynamic_int8_dtype_config = _dynamic(quint8, qint8)
onednn_weight_only_qint8_dtype_config = _weight_only(qint8)
onednn_input_output_only_quint8_dtype_config = _static(float32)

# -- native: both of PyTorch's engines --

weighted_op_quint8_dtype_config = _static(qint8)
default_op_quint8_dtype_config = _static()
default_op_fp16_dtype_config = _half()
default_dynamic_int8_dtype_config = _dynamic(quint8, qint8)
default_dynamic_float16_dtype_config = _dynamic(float16, float16)
input_output_only_quint8_dtype_config = _static(float32)
weight_only_quint8_dtype_config = _weight_only(quint8)
weight_only_quint4x2_dtype_config = _weight_only(quint4x2)

# -- TensorRT --

weighted_op_qint8_dtype_config = DTypeConfig(qint8, qint8, qint8, float32)
non_weighted_op_qint8_dtype_config = DTypeConfig(qint8, qint8)

# -- ExecuTorch --

executorch_weighted_op_int8_dtype_config = _static(qint8)
executorch_default_op_quint8_dtype_config = _static()
executorch_default_dynamic_quint8_dtype_config = _dynamic(quint8, qint8)
executorch_act_qint8_scale_min_2_neg_12 = _act_qint8()
executorch_weight_qint8_neg_127_to_127_scale_min_2_neg_12 = _weight_qint8()
executorch_default_dynamic_qint8_dtype_config = DTypeConfig(
    input_dtype=executorch_act_qint8_scale_min_2_neg_12,
    output_dtype=float32,
    weight_dtype=executorch_weight_qint8_neg_127_to_127_scale_min_2_neg_12,
    bias_dtype=float32,
    is_dynamic=True,
)
executorch_default_dynamic_float16_dtype_config = _dynamic(float16, float16)
executorch_weight_only_quint8_dtype_config = _weight_only(quint8)

# -- QNNPACK for exported programs --

pt2e_weighted_op_quint8_dtype_config = _static(qint8)

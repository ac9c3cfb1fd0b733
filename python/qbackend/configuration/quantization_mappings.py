# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which module PyTorch's eager mode puts in the place of which:
`torch.ao.quantization.quantization_mappings`, with names for classes.

The compiler has no use for them: they are for scripts that look modules up.
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Set

from ..observation.fake_quantize import (
    default_fixed_qparams_range_0to1_fake_quant,
    default_fixed_qparams_range_neg1to1_fake_quant,
)
from ..vocabulary.names import TorchName, name_of, named
from .qconfig_dtypes import get_combined_dict

__all__ = [
    "DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS",
    "DEFAULT_DYNAMIC_SPARSE_QUANT_MODULE_MAPPINGS",
    "DEFAULT_FLOAT_TO_QUANTIZED_OPERATOR_MAPPINGS",
    "DEFAULT_MODULE_TO_ACT_POST_PROCESS",
    "DEFAULT_QAT_MODULE_MAPPINGS",
    "DEFAULT_REFERENCE_STATIC_QUANT_MODULE_MAPPINGS",
    "DEFAULT_STATIC_QUANT_MODULE_MAPPINGS",
    "DEFAULT_STATIC_SPARSE_QUANT_MODULE_MAPPINGS",
    "get_default_compare_output_module_list",
    "get_default_dynamic_quant_module_mappings",
    "get_default_dynamic_sparse_quant_module_mappings",
    "get_default_float_to_quantized_operator_mappings",
    "get_default_qat_module_mappings",
    "get_default_qconfig_propagation_list",
    "get_default_static_quant_module_mappings",
    "get_default_static_quant_reference_module_mappings",
    "get_default_static_sparse_quant_module_mappings",
    "get_dynamic_quant_module_class",
    "get_embedding_qat_module_mappings",
    "get_embedding_static_quant_module_mappings",
    "get_quantized_operator",
    "get_static_quant_module_class",
    "no_observer_set",
]

Names = Dict[TorchName, TorchName]


def _same(source: str, target: str, names: str) -> Names:
    """Modules of one name in two places."""
    return {
        named(f"{source}.{name}"): named(f"{target}.{name}") for name in names.split()
    }


def _pairs(text: str) -> Names:
    words = [named(word) for word in text.split()]
    return dict(zip(words[::2], words[1::2]))


_STUBS = "stubs.QuantStub nnq.Quantize stubs.DeQuantStub nnq.DeQuantize"
_NOT_DYNAMIC = "linear.NonDynamicallyQuantizableLinear"

DEFAULT_REFERENCE_STATIC_QUANT_MODULE_MAPPINGS: Names = {
    **_pairs(_STUBS),
    **_same(
        "nn",
        "nnqr",
        """Linear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d
        ConvTranspose3d Embedding EmbeddingBag GRUCell LSTMCell RNNCell LSTM""",
    ),
}

DEFAULT_STATIC_QUANT_MODULE_MAPPINGS: Names = {
    **_pairs(_STUBS),
    **_same(
        "nn",
        "nnq",
        """BatchNorm2d BatchNorm3d Dropout Conv1d Conv2d Conv3d ConvTranspose1d
        ConvTranspose2d ConvTranspose3d ELU Embedding EmbeddingBag GroupNorm
        Hardswish InstanceNorm1d InstanceNorm2d InstanceNorm3d LayerNorm
        LeakyReLU""",
    ),
    **_pairs(f"{_NOT_DYNAMIC} nnq.Linear"),
    **_same("nn", "nnq", "Linear ReLU6 PReLU"),
    **_pairs("nnq.FloatFunctional nnq.QFunctional"),
    **_same(
        "nni",
        "nniq",
        """BNReLU2d BNReLU3d ConvReLU1d ConvReLU2d ConvReLU3d ConvAdd2d
        ConvAddReLU2d LinearReLU LinearLeakyReLU LinearTanh""",
    ),
    **_pairs(
        """nniqat.ConvBn1d nnq.Conv1d nniqat.ConvBn2d nnq.Conv2d
        nniqat.ConvBn3d nnq.Conv3d nniqat.ConvBnReLU1d nniq.ConvReLU1d
        nniqat.ConvBnReLU2d nniq.ConvReLU2d nniqat.ConvBnReLU3d
        nniq.ConvReLU3d nniqat.ConvReLU2d nniq.ConvReLU2d nniqat.ConvReLU3d
        nniq.ConvReLU3d nniqat.LinearReLU nniq.LinearReLU nniqat.LinearBn1d
        nnq.Linear nnqat.Linear nnq.Linear nnqat.Conv2d nnq.Conv2d nnqat.Conv3d
        nnq.Conv3d"""
    ),
}

DEFAULT_QAT_MODULE_MAPPINGS: Names = {
    **_same("nn", "nnqat", "Conv2d Conv3d Linear"),
    **_pairs(f"{_NOT_DYNAMIC} nnqat.Linear"),
    **_same(
        "nni",
        "nniqat",
        """ConvBn1d ConvBn2d ConvBn3d ConvBnReLU1d ConvBnReLU2d ConvBnReLU3d
        ConvReLU2d ConvReLU3d LinearReLU LinearBn1d""",
    ),
}

DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS: Names = {
    **_same("nn", "nnqd", "GRUCell Linear"),
    **_pairs(f"nnqatd.Linear nnqd.Linear {_NOT_DYNAMIC} nnqd.Linear"),
    **_same("nn", "nnqd", "LSTM GRU LSTMCell RNNCell"),
    **_pairs("nni.LinearReLU nniqd.LinearReLU"),
    **_same("nn", "nnq", "EmbeddingBag Embedding"),
}

DEFAULT_FLOAT_TO_QUANTIZED_OPERATOR_MAPPINGS: Names = {
    named(f"F.{name}"): named(f"ops.{name}")
    for name in (
        "elu",
        "hardswish",
        "instance_norm",
        "layer_norm",
        "leaky_relu",
        "dropout",
    )
}

DEFAULT_MODULE_TO_ACT_POST_PROCESS: Dict[TorchName, Any] = {
    named("nn.Hardsigmoid"): default_fixed_qparams_range_0to1_fake_quant,
    named("nn.Sigmoid"): default_fixed_qparams_range_0to1_fake_quant,
    named("nn.Softmax"): default_fixed_qparams_range_0to1_fake_quant,
    named("nn.Tanh"): default_fixed_qparams_range_neg1to1_fake_quant,
}

DEFAULT_STATIC_SPARSE_QUANT_MODULE_MAPPINGS = _pairs("nn.Linear sparse.Linear")
DEFAULT_DYNAMIC_SPARSE_QUANT_MODULE_MAPPINGS = _pairs("nn.Linear sparsed.Linear")


def no_observer_set() -> Set[TorchName]:
    """Modules that get no observers of their own."""
    return {named("quantizable.LSTM"), named("quantizable.MultiheadAttention")}


def get_default_static_quant_module_mappings() -> Names:
    return dict(DEFAULT_STATIC_QUANT_MODULE_MAPPINGS)


def get_default_static_quant_reference_module_mappings() -> Names:
    return dict(DEFAULT_REFERENCE_STATIC_QUANT_MODULE_MAPPINGS)


def get_embedding_static_quant_module_mappings() -> Names:
    """Those of static quantization, and the embeddings of training."""
    return {
        **DEFAULT_STATIC_QUANT_MODULE_MAPPINGS,
        **_same("nnqat", "nnq", "EmbeddingBag Embedding"),
    }


def get_default_static_sparse_quant_module_mappings() -> Names:
    return dict(DEFAULT_STATIC_SPARSE_QUANT_MODULE_MAPPINGS)


def get_default_qat_module_mappings() -> Names:
    return dict(DEFAULT_QAT_MODULE_MAPPINGS)


def get_embedding_qat_module_mappings() -> Names:
    """Those of training, and embeddings."""
    return {
        **DEFAULT_QAT_MODULE_MAPPINGS,
        **_same("nn", "nnqat", "EmbeddingBag Embedding"),
    }


def get_default_dynamic_quant_module_mappings() -> Names:
    return DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS


def get_default_dynamic_sparse_quant_module_mappings() -> Names:
    return DEFAULT_DYNAMIC_SPARSE_QUANT_MODULE_MAPPINGS


def get_default_float_to_quantized_operator_mappings() -> Names:
    return dict(DEFAULT_FLOAT_TO_QUANTIZED_OPERATOR_MAPPINGS)


def _find(what: str, mapping: Dict[Any, Any], key: Any) -> Any:
    name = name_of(key)
    by_name = {name_of(known): value for known, value in mapping.items()}
    if name not in by_name:
        raise AssertionError(
            f"{what} {name} does not have a corresponding quantized one"
        )
    return by_name[name]


def get_static_quant_module_class(
    float_module_class: Any,
    additional_static_quant_mapping: Optional[Dict[Any, Any]] = None,
    is_reference: bool = False,
) -> Any:
    """What stands for a module after static quantization. AssertionError if
    nothing does."""
    default = (
        DEFAULT_REFERENCE_STATIC_QUANT_MODULE_MAPPINGS
        if is_reference
        else DEFAULT_STATIC_QUANT_MODULE_MAPPINGS
    )
    mapping = get_combined_dict(default, additional_static_quant_mapping or {})
    return _find("Floating point module class", mapping, float_module_class)


def get_dynamic_quant_module_class(
    float_module_class: Any,
    additional_dynamic_quant_mapping: Optional[Dict[Any, Any]] = None,
) -> Any:
    """The same for dynamic quantization."""
    mapping = get_combined_dict(
        DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS, additional_dynamic_quant_mapping or {}
    )
    return _find("Floating point module class", mapping, float_module_class)


def get_quantized_operator(float_op: Any) -> Any:
    """The quantized operator of a function. AssertionError if there is none."""
    return _find("Operator", DEFAULT_FLOAT_TO_QUANTIZED_OPERATOR_MAPPINGS, float_op)


def get_default_qconfig_propagation_list() -> Set[TorchName]:
    """The modules that get a qconfig."""
    return {
        *DEFAULT_STATIC_QUANT_MODULE_MAPPINGS,
        *DEFAULT_QAT_MODULE_MAPPINGS,
        *DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS,
        named("nn.Sequential"),
    }


def get_default_compare_output_module_list() -> Set[TorchName]:
    """The modules whose outputs the numeric suite compares."""
    return {
        *get_default_qconfig_propagation_list(),
        *DEFAULT_STATIC_QUANT_MODULE_MAPPINGS.values(),
        *DEFAULT_QAT_MODULE_MAPPINGS.values(),
        *DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS.values(),
    }

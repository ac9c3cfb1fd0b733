# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pieces that PyTorch's backends are put together from: the patterns of one
kind of operator, each with the types that are given.

What they return is what PyTorch's functions of the same names, with an
underscore before them, do: the same patterns in the same order. All entries of a
result have the very list of types that was given.
"""

from __future__ import annotations

import copy
from typing import Any, Dict, List, NamedTuple, Optional

from ..configuration.backend_config import BackendPatternConfig
from ..configuration.dtype_config import (
    DTypeConfig,
    DTypeWithConstraints,
    ObservationType,
)
from ..configuration.fuser_methods import (
    fuse_conv_bn,
    fuse_conv_bn_relu,
    fuse_convtranspose_bn,
    fuse_linear_bn,
    sequential_wrapper2,
)
from ..configuration.qconfig_mapping import FIXED_QPARAMS_OP_TO_OBSERVER
from ..observation.observers import (
    FixedQParamsObserver,
    ObserverFactory,
    default_fixed_qparams_range_0to1_observer,
    default_fixed_qparams_range_neg1to1_observer,
)
from ..vocabulary.names import TorchName, named

__all__ = [
    "Convolution",
    "add_fixed_qparams_to_dtype_configs",
    "convolutions",
    "get_binary_op_configs",
    "get_bn_configs",
    "get_cat_config",
    "get_conv_configs",
    "get_default_op_configs",
    "get_embedding_op_configs",
    "get_fixed_qparams_op_configs",
    "get_linear_configs",
    "get_ln_configs",
    "get_rnn_op_configs",
    "get_share_qparams_op_configs",
    "get_tensor_info_op_configs",
]

DIFFERENT = ObservationType.OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT
SHARED = ObservationType.OUTPUT_SHARE_OBSERVER_WITH_INPUT
#: How the output of an addition or product is observed: one with a number has
#: the observer of its only tensor.
BY_TENSOR_ARGUMENTS = {0: DIFFERENT, 1: SHARED, 2: DIFFERENT}


def all_named(shorts: str) -> List[TorchName]:
    return [named(short) for short in shorts.split()]


RELU, F_RELU = named("nn.ReLU"), named("F.relu")


class Convolution(NamedTuple):
    """The classes and functions of the convolutions of one rank."""

    root: TorchName
    transpose: TorchName
    bn: TorchName
    reference: TorchName
    transpose_reference: TorchName
    fused_conv_relu: TorchName
    fused_conv_bn: TorchName
    fused_conv_bn_relu: TorchName
    qat: TorchName
    relu_qat: TorchName
    bn_qat: TorchName
    bn_relu_qat: TorchName
    func: TorchName
    func_transpose: TorchName


def _convolution(rank: int) -> Convolution:
    return Convolution(
        root=named(f"nn.Conv{rank}d"),
        transpose=named(f"nn.ConvTranspose{rank}d"),
        bn=named(f"nn.BatchNorm{rank}d"),
        reference=named(f"nnqr.Conv{rank}d"),
        transpose_reference=named(f"nnqr.ConvTranspose{rank}d"),
        fused_conv_relu=named(f"nni.ConvReLU{rank}d"),
        fused_conv_bn=named(f"nni.ConvBn{rank}d"),
        fused_conv_bn_relu=named(f"nni.ConvBnReLU{rank}d"),
        qat=named(f"nnqat.Conv{rank}d"),
        relu_qat=named(f"nniqat.ConvReLU{rank}d"),
        bn_qat=named(f"nniqat.ConvBn{rank}d"),
        bn_relu_qat=named(f"nniqat.ConvBnReLU{rank}d"),
        func=named(f"F.conv{rank}d"),
        func_transpose=named(f"F.conv_transpose{rank}d"),
    )


#: Those of one, two and three dimensions.
convolutions = tuple(_convolution(rank) for rank in (1, 2, 3))


def operator_config(
    pattern: Any,
    dtype_configs: List[DTypeConfig],
    *,
    observation: ObservationType = DIFFERENT,
    root: Optional[TorchName] = None,
    reference: Optional[TorchName] = None,
    qat: Optional[TorchName] = None,
    fused: Optional[TorchName] = None,
    fuser: Any = None,
    weight: Optional[int] = None,
    bias: Optional[int] = None,
) -> BackendPatternConfig:
    """One entry. `weight` and `bias` are the positions of a function's
    arguments."""
    inputs: Dict[str, int] = {}
    if weight is not None:
        inputs["weight"] = weight
    if bias is not None:
        inputs["bias"] = bias
    return (
        BackendPatternConfig(pattern)
        .set_observation_type(observation)
        .set_dtype_configs(dtype_configs)
        .set_root_module(root)
        .set_reference_quantized_module(reference)
        .set_qat_module(qat)
        .set_fused_module(fused)
        .set_fuser_method(fuser)
        ._set_input_type_to_index(inputs)
    )


def _each(
    shorts: str,
    dtype_configs: List[DTypeConfig],
    observation: ObservationType = DIFFERENT,
) -> List[BackendPatternConfig]:
    return [
        operator_config(name, dtype_configs, observation=observation)
        for name in all_named(shorts)
    ]


def pair_configs(
    first: TorchName, fused: TorchName, dtype_configs: List[DTypeConfig]
) -> List[BackendPatternConfig]:
    """A module and a relu, a module too or a function, that become `fused`."""
    return [
        operator_config(
            (first, relu),
            dtype_configs,
            fused=fused,
            fuser=sequential_wrapper2(fused),
        )
        for relu in (RELU, F_RELU)
    ]


def _module_and_qat(
    module: TorchName,
    qat: TorchName,
    root: TorchName,
    reference: TorchName,
    dtype_configs: List[DTypeConfig],
) -> List[BackendPatternConfig]:
    """A module that training replaces by `qat`, and that one."""
    return [
        operator_config(module, dtype_configs, root=root, reference=reference, qat=qat),
        operator_config(qat, dtype_configs, root=root, reference=reference),
    ]


def binary_configs(
    op: TorchName, dtype_configs: List[DTypeConfig]
) -> List[BackendPatternConfig]:
    """An operator of two tensors or a tensor and a number, before a relu and by
    itself."""
    relus = (RELU, F_RELU, named("torch.relu"))
    return [
        operator_config(
            pattern, dtype_configs
        )._set_num_tensor_args_to_observation_type(BY_TENSOR_ARGUMENTS)
        for pattern in [*((op, relu) for relu in relus), op]
    ]


def get_binary_op_configs(
    dtype_configs: List[DTypeConfig],
) -> List[BackendPatternConfig]:
    """Additions and products, and `torch.matmul`."""
    configs: List[BackendPatternConfig] = []
    for op in all_named("operator.add torch.add operator.mul torch.mul"):
        configs += binary_configs(op, dtype_configs)
    return [*configs, operator_config(named("torch.matmul"), dtype_configs)]


def get_linear_configs(
    dtype_configs: List[DTypeConfig],
) -> List[BackendPatternConfig]:
    """`nn.Linear` and `F.linear`, with relu and with batch norm."""
    root, reference = named("nn.Linear"), named("nnqr.Linear")
    function, relu = named("F.linear"), named("nni.LinearReLU")
    bn = named("nni.LinearBn1d")
    return [
        *_module_and_qat(root, named("nnqat.Linear"), root, reference, dtype_configs),
        operator_config(function, dtype_configs, weight=1, bias=2),
        *pair_configs(root, relu, dtype_configs),
        *_module_and_qat(
            relu, named("nniqat.LinearReLU"), root, reference, dtype_configs
        ),
        operator_config((function, RELU), dtype_configs),
        operator_config((function, F_RELU), dtype_configs),
        operator_config(
            (root, named("nn.BatchNorm1d")),
            dtype_configs,
            fused=bn,
            fuser=fuse_linear_bn,
        ),
        *_module_and_qat(
            bn, named("nniqat.LinearBn1d"), root, reference, dtype_configs
        ),
    ]


def conv_configs(
    conv: Convolution, dtype_configs: List[DTypeConfig]
) -> List[BackendPatternConfig]:
    """The convolutions of one rank but the transposed ones."""
    root, reference = conv.root, conv.reference

    def fused(module: TorchName, qat: TorchName) -> BackendPatternConfig:
        return operator_config(module, dtype_configs, qat=qat)

    def trained(module: TorchName) -> BackendPatternConfig:
        return operator_config(module, dtype_configs, root=root, reference=reference)

    return [
        *_module_and_qat(root, conv.qat, root, reference, dtype_configs),
        operator_config(conv.func, dtype_configs, weight=1, bias=2),
        *pair_configs(root, conv.fused_conv_relu, dtype_configs),
        *_module_and_qat(
            conv.fused_conv_relu, conv.relu_qat, root, reference, dtype_configs
        ),
        operator_config((conv.func, RELU), dtype_configs),
        operator_config((conv.func, F_RELU), dtype_configs),
        # Once more, as in PyTorch: in a backend they replace those above, so
        # that ConvReLU ends up without a root module.
        fused(conv.fused_conv_relu, conv.relu_qat),
        trained(conv.relu_qat),
        operator_config(
            (root, conv.bn),
            dtype_configs,
            fused=conv.fused_conv_bn,
            fuser=fuse_conv_bn,
        ),
        operator_config(
            (root, conv.bn, RELU),
            dtype_configs,
            fused=conv.fused_conv_bn_relu,
            fuser=fuse_conv_bn_relu,
        ),
        operator_config(
            (root, conv.bn, F_RELU),
            dtype_configs,
            root=root,
            fused=conv.fused_conv_bn_relu,
            fuser=fuse_conv_bn_relu,
        ),
        fused(conv.fused_conv_bn, conv.bn_qat),
        fused(conv.fused_conv_bn_relu, conv.bn_relu_qat),
        trained(conv.bn_qat),
        trained(conv.bn_relu_qat),
    ]


def get_conv_configs(
    dtype_configs: List[DTypeConfig],
) -> List[BackendPatternConfig]:
    """Convolutions of all ranks with relu and batch norm, and transposed ones."""
    configs: List[BackendPatternConfig] = []
    for conv in convolutions:
        root, reference = conv.transpose, conv.transpose_reference
        configs += conv_configs(conv, dtype_configs)
        configs += [
            operator_config(root, dtype_configs, root=root, reference=reference),
            operator_config(
                (root, conv.bn),
                dtype_configs,
                root=root,
                reference=reference,
                fuser=fuse_convtranspose_bn,
            ),
            operator_config(conv.func_transpose, dtype_configs, weight=1, bias=2),
        ]
    return configs


def get_cat_config(dtype_configs: List[DTypeConfig]) -> BackendPatternConfig:
    """`torch.cat`: one entry, not a list."""
    return operator_config(named("torch.cat"), dtype_configs, observation=SHARED)


def get_ln_configs(dtype_configs: List[DTypeConfig]) -> List[BackendPatternConfig]:
    """Layer norm."""
    return [
        operator_config(named("nn.LayerNorm"), dtype_configs),
        operator_config(named("F.layer_norm"), dtype_configs, weight=2, bias=3),
    ]


def get_default_op_configs(
    dtype_configs: List[DTypeConfig],
) -> List[BackendPatternConfig]:
    """Operators without weights to quantize whose output has its own range."""
    return [
        *_each(
            """nn.ELU nn.LeakyReLU nn.Hardswish nn.InstanceNorm1d
            nn.InstanceNorm2d nn.InstanceNorm3d nn.Dropout nn.PReLU F.elu
            F.hardswish F.leaky_relu F.dropout""",
            dtype_configs,
        ),
        operator_config(named("F.group_norm"), dtype_configs, weight=2, bias=3),
        operator_config(named("F.instance_norm"), dtype_configs, weight=3, bias=4),
    ]


def _fixed(observer: ObserverFactory) -> DTypeWithConstraints:
    made = observer()
    assert isinstance(made, FixedQParamsObserver)
    return DTypeWithConstraints(
        dtype=made.dtype,
        quant_min_lower_bound=made.quant_min,
        quant_max_upper_bound=made.quant_max,
        scale_exact_match=made.scale,
        zero_point_exact_match=made.zero_point,
    )


FIXED_QPARAM_OP_0TO1_CONSTRAINTS = _fixed(default_fixed_qparams_range_0to1_observer)
FIXED_QPARAM_OP_NEG1TO1_CONSTRAINTS = _fixed(
    default_fixed_qparams_range_neg1to1_observer
)

#: The operators whose results are in [0, 1) or [-1, 1), and what that asks for.
FIXED_QPARAMS_OP_TO_CONSTRAINTS: Dict[TorchName, DTypeWithConstraints] = {
    TorchName(op): (
        FIXED_QPARAM_OP_0TO1_CONSTRAINTS
        if observer is default_fixed_qparams_range_0to1_observer
        else FIXED_QPARAM_OP_NEG1TO1_CONSTRAINTS
    )
    for op, observer in FIXED_QPARAMS_OP_TO_OBSERVER.items()
}


def add_fixed_qparams_to_dtype_configs(
    dtype_configs: List[DTypeConfig], constraints: DTypeWithConstraints
) -> List[DTypeConfig]:
    """Copies whose inputs and outputs have the range and the exact parameters of
    `constraints`, if they are of its dtype. ValueError if one has a bound on its
    scale, which an exact scale leaves no room for."""
    result = []
    for dtype_config in dtype_configs:
        changed = copy.deepcopy(dtype_config)
        for role in (
            changed.input_dtype_with_constraints,
            changed.output_dtype_with_constraints,
        ):
            if role.dtype != constraints.dtype:
                continue
            for bound in ("scale_min_lower_bound", "scale_max_upper_bound"):
                if getattr(role, bound) is not None:
                    raise ValueError(
                        f"{bound} is invalid for fixed qparams ops: found "
                        f"{getattr(role, bound)} in {dtype_config}, expected none"
                    )
            role.quant_min_lower_bound = constraints.quant_min_lower_bound
            role.quant_max_upper_bound = constraints.quant_max_upper_bound
            role.scale_exact_match = constraints.scale_exact_match
            role.zero_point_exact_match = constraints.zero_point_exact_match
        result.append(changed)
    return result


def get_fixed_qparams_op_configs(
    dtype_configs: List[DTypeConfig],
) -> List[BackendPatternConfig]:
    """Sigmoid, tanh and the like."""
    return [
        operator_config(
            op, add_fixed_qparams_to_dtype_configs(dtype_configs, constraints)
        )
        for op, constraints in FIXED_QPARAMS_OP_TO_CONSTRAINTS.items()
    ]


def get_share_qparams_op_configs(
    dtype_configs: List[DTypeConfig],
) -> List[BackendPatternConfig]:
    """Operators whose result has the input's scale and zero point: pools, relu,
    and what only moves values."""
    return _each(
        """nn.AdaptiveAvgPool1d nn.AdaptiveAvgPool2d nn.AdaptiveAvgPool3d
        nn.AvgPool1d nn.AvgPool2d nn.AvgPool3d nn.Hardtanh nn.Identity
        nn.MaxPool1d nn.MaxPool2d nn.MaxPool3d nn.PixelShuffle
        nn.PixelUnshuffle nn.ReLU nn.ReLU6 F.adaptive_avg_pool1d
        F.adaptive_avg_pool2d F.adaptive_avg_pool3d F.hardtanh F.hardtanh_
        F.interpolate F.max_pool1d F.max_pool2d F.max_pool3d F.pixel_shuffle
        F.pixel_unshuffle F.relu F.relu6 F.avg_pool1d F.avg_pool2d F.avg_pool3d
        torch.clamp torch.flatten torch.mean torch.narrow
        torch.repeat_interleave torch.transpose torch.squeeze torch.stack
        torch.unsqueeze operator.floordiv contiguous clamp detach detach_ mean
        permute repeat repeat_interleave reshape resize_ relu relu_ squeeze
        squeeze_ transpose unsqueeze unsqueeze_ view""",
        dtype_configs,
        SHARED,
    )


def get_bn_configs(dtype_configs: List[DTypeConfig]) -> List[BackendPatternConfig]:
    """Batch norm of images and volumes, with relu and without."""
    configs: List[BackendPatternConfig] = []
    ranks = (2, 3)
    for rank in ranks:
        bn = named(f"nn.BatchNorm{rank}d")
        configs += pair_configs(bn, named(f"nni.BNReLU{rank}d"), dtype_configs)
        configs.append(operator_config(bn, dtype_configs))
    for rank in ranks:
        configs.append(operator_config(named(f"nni.BNReLU{rank}d"), dtype_configs))
    return configs


def get_rnn_op_configs(
    dtype_configs: List[DTypeConfig],
) -> List[BackendPatternConfig]:
    """Recurrent networks."""
    return [
        operator_config(
            named(f"nn.{name}"),
            dtype_configs,
            root=named(f"nn.{name}"),
            reference=named(f"nnqr.{name}"),
        )
        for name in ("GRUCell", "LSTMCell", "RNNCell", "LSTM", "GRU")
    ]


def get_embedding_op_configs(
    dtype_configs: List[DTypeConfig],
) -> List[BackendPatternConfig]:
    """Embedding tables."""
    configs: List[BackendPatternConfig] = []
    for name in ("Embedding", "EmbeddingBag"):
        root = named(f"nn.{name}")
        configs += _module_and_qat(
            root, named(f"nnqat.{name}"), root, named(f"nnqr.{name}"), dtype_configs
        )
    return configs


def get_tensor_info_op_configs(
    dtype_configs: List[DTypeConfig],
) -> List[BackendPatternConfig]:
    """What tells a tensor's extents."""
    return _each("shape size", dtype_configs, ObservationType.INPUT_OUTPUT_NOT_OBSERVED)

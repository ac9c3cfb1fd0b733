# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions that PyTorch's backends are made of build those backends: the
built-in ones, entry by entry."""

import importlib
import json

import pytest
import qbackend
from qbackend import BackendConfig, DTypeConfig, DTypeWithConstraints
from qbackend.configuration.backend_config import BackendPatternConfig

from conftest import document_of

COMMON = """
import operator
import qbackend.torch as torch
from qbackend.torch import nn
from qbackend.torch.ao.nn import intrinsic as nni
from qbackend.torch.ao.nn.quantized import reference as nnqr
from qbackend.torch.ao.quantization.backend_config import BackendConfig, DTypeConfig
from qbackend.torch.ao.quantization.backend_config import BackendPatternConfig
from qbackend.torch.ao.quantization.backend_config import DTypeWithConstraints
from qbackend.torch.ao.quantization.backend_config import ObservationType
from qbackend.torch.ao.quantization.backend_config._common_operator_config_utils import (
    _get_binary_op_configs,
    _get_bn_configs,
    _get_cat_config,
    _get_conv_configs,
    _get_default_op_configs,
    _get_embedding_op_configs,
    _get_fixed_qparams_op_configs,
    _get_linear_configs,
    _get_ln_configs,
    _get_rnn_op_configs,
    _get_share_qparams_op_configs,
    _get_tensor_info_op_configs,
)

def build(name, conv, linear, binary, default, fixed, rnn, embedding, info=None, ln=None):
    backend = BackendConfig(name)
    backend.set_backend_pattern_configs(conv)
    backend.set_backend_pattern_configs(linear)
    backend.set_backend_pattern_configs(_get_binary_op_configs(binary))
    backend.set_backend_pattern_config(_get_cat_config(default))
    backend.set_backend_pattern_configs(_get_default_op_configs(default))
    backend.set_backend_pattern_configs(_get_fixed_qparams_op_configs(fixed))
    backend.set_backend_pattern_configs(_get_share_qparams_op_configs(default))
    if info:
        backend.set_backend_pattern_configs(_get_tensor_info_op_configs(info))
    backend.set_backend_pattern_configs(_get_bn_configs(default))
    if ln:
        backend.set_backend_pattern_configs(_get_ln_configs(ln))
    backend.set_backend_pattern_configs(_get_rnn_op_configs(rnn))
    return backend.set_backend_pattern_configs(_get_embedding_op_configs(embedding))
"""

# One that spells its types out, as a backend of one's own does.
QNNPACK = """
activation = DTypeWithConstraints(torch.qint8, scale_min_lower_bound=2 ** -12)
weight = DTypeWithConstraints(
    torch.qint8,
    quant_min_lower_bound=-127,
    quant_max_upper_bound=127,
    scale_min_lower_bound=2 ** -12,
)
weighted = [
    DTypeConfig(activation, activation, weight, torch.float),
    DTypeConfig(torch.quint8, torch.quint8, torch.qint8, torch.float),
]
dynamic = [
    DTypeConfig(torch.quint8, torch.float, torch.qint8, torch.float, is_dynamic=True),
    DTypeConfig(torch.float16, torch.float, torch.float16, torch.float, is_dynamic=True),
]
plain = [DTypeConfig(activation, activation), DTypeConfig(torch.quint8, torch.quint8)]
tables = [
    DTypeConfig(torch.float, torch.float, torch.quint8),
    DTypeConfig(torch.float, torch.float, torch.quint4x2),
]
backend = build(
    "qnnpack",
    _get_conv_configs(weighted),
    _get_linear_configs([*weighted, *dynamic]),
    binary=plain, default=plain, fixed=plain, rnn=dynamic, embedding=tables,
)
"""

FBGEMM = """
from qbackend.torch.ao.quantization.backend_config.fbgemm import *
from qbackend.torch.ao.quantization.backend_config import fbgemm as f
weighted = [f.fbgemm_weighted_op_quint8_dtype_config]
dynamic = [
    f.fbgemm_default_dynamic_int8_dtype_config,
    f.fbgemm_default_dynamic_float16_dtype_config,
]
plain = [f.fbgemm_default_op_quint8_dtype_config]
backend = build(
    "fbgemm",
    _get_conv_configs(weighted),
    _get_linear_configs([*weighted, *dynamic]),
    binary=plain, default=plain, fixed=plain, rnn=dynamic,
    embedding=[
        f.fbgemm_weight_only_quint8_dtype_config,
        f.fbgemm_weight_only_quint4x2_dtype_config,
    ],
    info=plain,
)
"""

X86 = """
from qbackend.torch.ao.quantization.backend_config import x86 as x
weighted = [x.x86_weighted_op_int8_dtype_config]
dynamic = [
    x.x86_default_dynamic_int8_dtype_config,
    x.x86_default_dynamic_float16_dtype_config,
]
plain = [x.x86_default_op_quint8_dtype_config]
backend = build(
    "x86",
    _get_conv_configs(weighted),
    _get_linear_configs([*weighted, *dynamic]),
    binary=weighted, default=plain, fixed=weighted, rnn=dynamic,
    embedding=[
        x.x86_weight_only_quint8_dtype_config,
        x.x86_weight_only_quint4x2_dtype_config,
    ],
    info=plain,
)
"""

NATIVE = """
from qbackend.torch.ao.quantization.backend_config import native as n
weighted = [n.weighted_op_quint8_dtype_config]
dynamic = [n.default_dynamic_int8_dtype_config, n.default_dynamic_float16_dtype_config]
plain = [n.default_op_quint8_dtype_config]
backend = build(
    "native",
    _get_conv_configs(weighted),
    _get_linear_configs([*weighted, *dynamic]),
    binary=plain, default=plain, fixed=plain, rnn=dynamic,
    embedding=[n.weight_only_quint8_dtype_config, n.weight_only_quint4x2_dtype_config],
    info=plain,
    ln=[n.input_output_only_quint8_dtype_config],
)
"""

ONEDNN = """
from qbackend.torch.ao.quantization.backend_config import onednn as o
from qbackend.torch.ao.quantization.fuser_method_mappings import _sequential_wrapper2
from qbackend.torch.ao.quantization.utils import MatchAllNode
weighted = [o.onednn_weighted_op_int8_dtype_config]
with_dynamic = [*weighted, o.onednn_dynamic_int8_dtype_config]
plain = [o.onednn_op_quint8_dtype_config]

conv = _get_conv_configs(weighted)
def conv_add(name, pattern, fused):
    return (
        BackendPatternConfig()
        ._set_pattern_complex_format(pattern)
        .set_dtype_configs(weighted)
        .set_fused_module(fused)
        .set_fuser_method(getattr(o, f"_fuse_{name}"))
        ._set_root_node_getter(ROOTS[name])
        ._set_extra_inputs_getter(EXTRAS[name])
    )

# Functions of matched nodes, as PyTorch's file has them.
ROOTS = {
    "conv_add_left": lambda p: p[1],
    "conv_add_right": lambda p: p[2],
    "conv_bn_add_left": lambda p: p[1][1],
    "conv_bn_add_right": lambda p: p[2][1],
    "conv_add_relu_left": lambda p: p[1][1],
    "conv_add_relu_right": lambda p: p[1][2],
    "conv_bn_add_relu_left": lambda p: p[1][1][1],
    "conv_bn_add_relu_right": lambda p: p[1][2][1],
}
EXTRAS = {
    "conv_add_left": lambda p: [p[2]],
    "conv_add_right": lambda p: [p[1]],
    "conv_bn_add_left": lambda p: [p[2]],
    "conv_bn_add_right": lambda p: [p[1]],
    "conv_add_relu_left": lambda p: [p[1][2]],
    "conv_add_relu_right": lambda p: [p[1][1]],
    "conv_bn_add_relu_left": lambda p: [p[1][2]],
    "conv_bn_add_relu_right": lambda p: [p[1][1]],
}
for relu in ("", "_relu"):
    fused = nni.ConvAddReLU2d if relu else nni.ConvAdd2d
    for side in ("left", "right"):
        for bn in ("_bn", ""):
            for add in (torch.add, operator.add):
                root = (nn.BatchNorm2d, nn.Conv2d) if bn else nn.Conv2d
                pair = (root, MatchAllNode) if side == "left" else (MatchAllNode, root)
                pattern = (add, *pair)
                if relu:
                    pattern = (nn.ReLU, pattern)
                conv.append(conv_add(f"conv{bn}_add{relu}_{side}", pattern, fused))
    conv.append(
        BackendPatternConfig(fused)
        .set_dtype_configs(weighted)
        .set_root_module(nn.Conv2d)
        .set_reference_quantized_module(nnqr.Conv2d)
    )

linear = _get_linear_configs(with_dynamic)
F = torch.nn.functional
for module, function, fused in (
    (nn.LeakyReLU, F.leaky_relu, nni.LinearLeakyReLU),
    (nn.Tanh, torch.tanh, nni.LinearTanh),
):
    o._add_eltwise_fusion_configs(
        linear, nn.Linear, F.linear, module, function, with_dynamic,
        _sequential_wrapper2(fused), fused,
        ObservationType.OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT, nnqr.Linear,
    )
    if module == nn.LeakyReLU:
        linear.append(
            BackendPatternConfig((nn.Linear, nn.BatchNorm1d, module))
            .set_dtype_configs(with_dynamic)
            .set_fuser_method(o._fuse_linear_bn_leaky_relu)
            .set_fused_module(fused)
        )
backend = build(
    "onednn", conv, linear,
    binary=plain, default=plain, fixed=plain,
    rnn=[o.onednn_dynamic_int8_dtype_config],
    embedding=[o.onednn_weight_only_qint8_dtype_config],
    ln=[o.onednn_input_output_only_quint8_dtype_config],
)
"""

TENSORRT = """
weighted = [DTypeConfig(torch.qint8, torch.qint8, torch.qint8, torch.float)]
plain = [DTypeConfig(torch.qint8, torch.qint8)]
backend = (
    BackendConfig("tensorrt")
    .set_backend_pattern_configs(_get_conv_configs(weighted))
    .set_backend_pattern_config(
        BackendPatternConfig(torch.addmm)
        .set_dtype_configs(weighted)
        ._set_input_type_to_index({"bias": 0, "input": 1, "weight": 2})
    )
    .set_backend_pattern_config(_get_cat_config(plain))
    .set_backend_pattern_configs(_get_linear_configs(weighted))
    .set_backend_pattern_configs(_get_binary_op_configs(weighted))
    .set_backend_pattern_configs(_get_share_qparams_op_configs(plain))
    .set_backend_pattern_configs(_get_tensor_info_op_configs(plain))
)
"""

EXECUTORCH = """
from qbackend.torch.ao.quantization.backend_config import executorch as e
backend = (
    BackendConfig("executorch")
    .set_backend_pattern_configs(e._get_linear_configs())
    .set_backend_pattern_configs(e._get_conv_configs())
    .set_backend_pattern_configs(e._get_binary_ops_configs())
    .set_backend_pattern_configs(e._get_share_qparams_ops_configs())
    .set_backend_pattern_configs(e._get_bn_configs())
    .set_backend_pattern_configs(e._get_cat_configs())
    .set_backend_pattern_configs(e._get_embedding_op_configs())
)
"""

PT2E = """
from qbackend.torch.ao.quantization.backend_config import _qnnpack_pt2e as p
backend = (
    BackendConfig("qnnpack_pytorch_2.0_export")
    .set_backend_pattern_configs(p.get_linear_configs())
    .set_backend_pattern_configs(p.get_binary_op_configs())
    .set_backend_pattern_configs(p.get_conv_configs())
    .set_backend_pattern_configs(p.get_pooling_configs())
    .set_backend_pattern_configs(p.get_relu_configs())
)
"""

SCRIPTS = {
    "executorch": EXECUTORCH,
    "fbgemm": FBGEMM,
    "native": NATIVE,
    "onednn": ONEDNN,
    "qnnpack": QNNPACK,
    "qnnpack_pt2e": PT2E,
    "tensorrt": TENSORRT,
    "x86": X86,
}


def run(script):
    names = {}
    exec(COMMON + script, names)
    return names["backend"]


def test_script_rebuilds_the_built_in_backend(backend_name):
    """As objects, and as the files that the compiler writes of both."""
    rebuilt = run(SCRIPTS[backend_name])
    built_in = getattr(qbackend, f"get_{backend_name}_backend_config")()
    assert [c.complex_format for c in rebuilt.configs] == [
        c.complex_format for c in built_in.configs
    ]
    for ours, theirs in zip(rebuilt.configs, built_in.configs):
        assert ours == theirs
    assert rebuilt == built_in
    built_in.lowering = []
    built_in.real_bias = False
    built_in.qconfig_mappings = {}
    built_in.default_qconfig = None
    assert rebuilt.to_mlir() == built_in.to_mlir()


def test_onednn_module_has_its_own_lists():
    onednn = importlib.import_module(
        "qbackend.torch.ao.quantization.backend_config.onednn"
    )
    built_in = qbackend.get_onednn_backend_config()
    backend = BackendConfig("onednn")
    backend.set_backend_pattern_configs(onednn.conv_configs)
    backend.set_backend_pattern_configs(onednn.linear_configs)
    assert backend.configs == built_in.configs[: len(backend.configs)]
    assert len(backend.configs) == 57 + 18 + 12 + 11


@pytest.mark.parametrize("backend", SCRIPTS)
def test_named_types_are_pytorchs(backend):
    """Every table of PyTorch's data, by its name in the module of the backend."""
    data = json.loads(
        (document_of.__globals__["BACKENDS"] / f"{backend}.json").read_text()
    )
    path = {"qnnpack_pt2e": "_qnnpack_pt2e"}.get(backend, backend)
    module = importlib.import_module(
        f"qbackend.torch.ao.quantization.backend_config.{path}"
    )
    checked = 0
    for name, entry in data["dtype_configs"].items():
        if "__fixed_" in name:
            continue
        roles = {
            role: DTypeWithConstraints(**entry[role])
            for role in ("input", "output", "weight")
            if role in entry
        }
        bias = entry.get("bias", {}).get("dtype")
        wanted = DTypeConfig(
            **{f"{role}_dtype": value for role, value in roles.items()},
            bias_dtype=bias,
            is_dynamic=entry["is_dynamic"] or None,
        )
        found = getattr(module, name)
        assert found == wanted, name
        assert found.is_dynamic is wanted.is_dynamic, name
        checked += 1
    assert checked


def test_list_of_types_is_shared():
    types = [DTypeConfig("quint8", "quint8")]
    configs = qbackend.operator_configs.get_bn_configs(types)
    types.append(DTypeConfig("qint8", "qint8"))
    assert all(config.dtype_configs is types for config in configs)


def test_cat_is_one_entry():
    config = qbackend.operator_configs.get_cat_config([])
    assert isinstance(config, BackendPatternConfig)
    assert config.pattern == "torch.cat"


@pytest.mark.parametrize("bound", ["scale_min_lower_bound", "scale_max_upper_bound"])
def test_fixed_parameters_leave_no_room_for_a_bound(bound):
    from qbackend.torch.ao.quantization.backend_config import (
        _common_operator_config_utils as utils,
    )

    exact = utils._FIXED_QPARAM_OP_0TO1_CONSTRAINTS
    bounded = DTypeWithConstraints("quint8", **{bound: 0.5})
    with pytest.raises(ValueError, match=f"{bound} is invalid for fixed qparams ops"):
        utils._add_fixed_qparams_to_dtype_configs([DTypeConfig(bounded)], exact)
    # Another type is not concerned.
    other = DTypeConfig(DTypeWithConstraints("qint8", **{bound: 0.5}))
    assert utils._add_fixed_qparams_to_dtype_configs([other], exact) == [other]


def test_fixed_parameters_change_copies():
    from qbackend.torch.ao.quantization.backend_config import (
        _common_operator_config_utils as utils,
    )

    given = DTypeConfig("quint8", "quint8", "quint8")
    exact = utils._FIXED_QPARAM_OP_NEG1TO1_CONSTRAINTS
    (changed,) = utils._add_fixed_qparams_to_dtype_configs([given], exact)
    assert given == DTypeConfig("quint8", "quint8", "quint8")
    assert changed.input_dtype_with_constraints == exact
    assert changed.output_dtype_with_constraints == exact
    assert changed.weight_dtype_with_constraints == DTypeWithConstraints("quint8")


def test_legacy_native_has_half_precision_too():
    backend = qbackend.get_test_only_legacy_native_backend_config()
    native = qbackend.get_native_backend_config()
    assert backend.name == "_native_and_fp16"
    assert [c.pattern for c in backend.configs] == [c.pattern for c in native.configs]
    half = DTypeConfig("float16", "float16", "float16", "float16")
    added = {
        ours.pattern
        for ours, theirs in zip(backend.configs, native.configs)
        if ours.dtype_configs == [*theirs.dtype_configs, half]
    }
    same = {
        ours.pattern
        for ours, theirs in zip(backend.configs, native.configs)
        if ours == theirs
    }
    assert {"torch.nn.Linear", "operator.add", "torch.nn.Sigmoid", "view"} <= added
    assert {"torch.nn.Conv2d", "torch.cat", "torch.nn.LSTM", "shape"} <= same
    assert len(added) + len(same) == len(native.configs)
    as_dict = qbackend.get_test_only_legacy_native_backend_config_dict()
    assert BackendConfig.from_dict(as_dict) == backend

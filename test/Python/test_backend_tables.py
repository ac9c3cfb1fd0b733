# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.ao.quantization.backend_config.utils, quantization_mappings, utils, and
fx.qconfig_mapping_utils, on our objects."""

import operator

import pytest
import qbackend
import qbackend.torch as torch
from qbackend import (
    BackendConfig,
    BackendPatternConfig,
    DTypeConfig,
    ObservationType,
    QConfig,
    QConfigMapping,
    QuantType,
)
from qbackend.torch import nn
from qbackend.torch.ao.nn import intrinsic as nni
from qbackend.torch.ao.nn import qat as nnqat
from qbackend.torch.ao.nn.quantized import reference as nnqr
from qbackend.torch.ao.quantization import fuser_method_mappings as fusers
from qbackend.torch.ao.quantization import quant_type, quantization_mappings
from qbackend.torch.ao.quantization import utils as qutils
from qbackend.torch.ao.quantization.backend_config import utils
from qbackend.torch.ao.quantization.fx import qconfig_mapping_utils as lookup

F = torch.nn.functional
U8 = DTypeConfig("quint8", "quint8")


def backend():
    return BackendConfig("b").set_backend_pattern_configs(
        [
            BackendPatternConfig(nn.Linear)
            .add_dtype_config(U8)
            .set_root_module(nn.Linear)
            .set_reference_quantized_module(nnqr.Linear)
            .set_qat_module(nnqat.Linear),
            BackendPatternConfig(F.linear)._set_input_type_to_index(
                {"weight": 1, "bias": 2}
            ),
            BackendPatternConfig((nn.Linear, nn.ReLU))
            .set_fuser_method(lambda is_qat, linear, relu: (is_qat, linear, relu))
            .set_fused_module(nni.LinearReLU),
            BackendPatternConfig((nn.Conv2d, nn.BatchNorm2d, nn.ReLU))
            .set_fuser_method(lambda is_qat, *operators: operators)
            .set_fused_module(nni.ConvBnReLU2d),
            BackendPatternConfig()
            ._set_pattern_complex_format((operator.add, nn.Conv2d, qbackend.MatchAllNode))
            .set_fuser_method(lambda is_qat, add, conv, _: (add, conv))
            .set_fused_module(nni.ConvBnReLU2d)
            ._set_root_node_getter(lambda p: p[1])
            ._set_extra_inputs_getter(lambda p: [p[2]]),
        ]
    )


PAIR = (nn.ReLU, nn.Linear)
TRIPLE = (nn.ReLU, (nn.BatchNorm2d, nn.Conv2d))
ADD = ("operator.add", nn.Conv2d, qbackend.MatchAllNode)


def test_types_by_pattern():
    found = utils.get_pattern_to_dtype_configs(backend())
    assert list(found) == [nn.Linear, F.linear, PAIR, TRIPLE, ADD]
    assert found[nn.Linear] == [U8] and found[PAIR] == []


def test_modules():
    b = backend()
    assert utils.get_qat_module_classes(b) == (nnqat.Linear,)
    assert utils.get_fused_module_classes(b) == (nni.LinearReLU, nni.ConvBnReLU2d)
    assert utils.get_root_module_to_quantized_reference_module(b) == {
        nn.Linear: nnqr.Linear
    }
    assert utils.get_module_to_qat_module(b) == {nn.Linear: nnqat.Linear}


def test_inputs_by_pattern():
    found = utils.get_pattern_to_input_type_to_index(backend())
    assert found[F.linear] == {"weight": 1, "bias": 2}
    assert found[nn.Linear] == {} and len(found) == 5


def test_fuser_methods_take_operators_in_reverse():
    found = utils.get_fuser_method_mapping(backend())
    assert list(found) == [PAIR, TRIPLE, ADD]
    assert found[PAIR](True, "relu", "linear") == (True, "linear", "relu")
    assert found[TRIPLE](False, "relu", ("bn", "conv")) == ("conv", "bn", "relu")
    assert found[ADD](False, "add", "conv", None) == ("add", "conv")


@pytest.mark.parametrize(
    "pattern, message",
    [
        (nn.Linear, "Expected pattern to be a tuple"),
        ((nn.Linear,) * 4, "Expected a tuple with 2 or 3 elements"),
    ],
)
def test_fuser_method_of_another_pattern(pattern, message):
    config = BackendPatternConfig(pattern).set_fuser_method(lambda *x: x)
    with pytest.raises(ValueError, match=message):
        fusers._get_fuser_method_in_reversed_nested_tuple_format(config)


def test_getters():
    b = backend()
    assert utils.get_fusion_pattern_to_root_node_getter(b)[ADD](("a", "c", "x")) == "c"
    extra = utils.get_fusion_pattern_to_extra_inputs_getter(b)
    assert list(extra) == [ADD] and extra[ADD](("a", "c", "x")) == ["x"]


def test_reversed_patterns():
    found = [
        utils._get_pattern_in_reversed_nested_tuple_format(c) for c in backend().configs
    ]
    assert found == [nn.Linear, F.linear, PAIR, TRIPLE, ADD]
    with pytest.raises(ValueError, match="Either 'pattern' or 'pattern_complex"):
        utils._get_pattern_in_reversed_nested_tuple_format(BackendPatternConfig())


def test_human_readable():
    assert utils.pattern_to_human_readable((F.max_pool2d, ("relu", nn.Conv2d))) == (
        "torch.nn.functional.max_pool2d",
        ("relu", nn.Conv2d),
    )
    assert utils.remove_boolean_dispatch_from_name(nn.Conv2d) == nn.Conv2d

    class Odd:
        def __repr__(self):
            return "<function boolean_dispatch.<locals>.fn>"

    with pytest.raises(AssertionError, match="human readable representation"):
        utils.pattern_to_human_readable(Odd())


def test_pretty_entry():
    config = (
        BackendPatternConfig((F.max_pool2d, "relu"))
        .add_dtype_config(DTypeConfig(bias_dtype="float32"))
        ._set_num_tensor_args_to_observation_type(
            {1: ObservationType.OUTPUT_SHARE_OBSERVER_WITH_INPUT}
        )
        .set_fused_module(nni.LinearReLU)
    )
    assert utils.entry_to_pretty_str(config.to_dict()).splitlines() == [
        "{",
        "  'pattern': ('torch.nn.functional.max_pool2d', 'relu'),",
        "  'dtype_configs': [",
        "    {",
        "      'bias_dtype': qbackend.float32,",
        "    },",
        "  ],",
        "  'num_tensor_args_to_observation_type': {",
        "    1: ObservationType.OUTPUT_SHARE_OBSERVER_WITH_INPUT,",
        "  },",
        "  'observation_type': ObservationType.OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT,",
        "  'fused_module': torch.ao.nn.intrinsic.LinearReLU,",
        "}",
    ]


def test_default_fuser_methods():
    assert fusers.get_fuser_method((nn.Conv1d, nn.BatchNorm1d)) == "fuse_conv_bn"
    assert fusers.get_fuser_method((nn.BatchNorm3d, nn.ReLU)) == (
        "sequential_wrapper2(torch.ao.nn.intrinsic.BNReLU3d)"
    )
    assert len(fusers._DEFAULT_OP_LIST_TO_FUSER_METHOD) == 16
    with pytest.raises(AssertionError, match="did not find fuser method for"):
        fusers.get_fuser_method((nn.Conv1d, nn.Tanh))
    mine = {(nn.Conv1d, nn.Tanh): "mine", (nn.Linear, nn.ReLU): "other"}
    assert fusers.get_fuser_method((nn.Conv1d, nn.Tanh), mine) == "mine"
    assert fusers.get_fuser_method((nn.Linear, nn.ReLU), mine) == "other"


def test_fuser_method_by_pattern_with_wildcards():
    mapping = utils.get_fuser_method_mapping(backend())
    assert fusers.get_fuser_method_new(PAIR, mapping) is mapping[PAIR]
    found = fusers.get_fuser_method_new((operator.add, nn.Conv2d, nn.ReLU), mapping)
    assert found is mapping[ADD]
    with pytest.raises(AssertionError, match="did not find fuser method"):
        fusers.get_fuser_method_new((nn.Tanh, nn.Linear), mapping)


# -- quantization_mappings and quant_type --


def test_module_mappings():
    m = quantization_mappings
    static = m.get_default_static_quant_module_mappings()
    assert static["torch.nn.Linear"] == "torch.ao.nn.quantized.Linear"
    assert static == m.DEFAULT_STATIC_QUANT_MODULE_MAPPINGS
    static.clear()
    assert len(m.DEFAULT_STATIC_QUANT_MODULE_MAPPINGS) == 49
    assert m.get_static_quant_module_class(nn.LSTM, is_reference=True) == nnqr.LSTM
    assert m.get_dynamic_quant_module_class(nni.LinearReLU) == (
        "torch.ao.nn.intrinsic.quantized.dynamic.LinearReLU"
    )
    assert m.get_static_quant_module_class("my.Module", {"my.Module": "x.Y"}) == "x.Y"
    with pytest.raises(AssertionError, match="torch.nn.GRU does not have"):
        m.get_static_quant_module_class(nn.GRU)
    assert m.get_default_qat_module_mappings()[nn.Conv2d] == nnqat.Conv2d
    assert nn.Embedding not in m.get_default_qat_module_mappings()
    assert m.get_embedding_qat_module_mappings()[nn.Embedding] == nnqat.Embedding
    assert nnqat.Embedding in m.get_embedding_static_quant_module_mappings()
    assert m.get_quantized_operator(F.elu) == "torch.ops.quantized.elu"
    assert m.DEFAULT_MODULE_TO_ACT_POST_PROCESS[nn.Tanh] == (
        qbackend.default_fixed_qparams_range_neg1to1_fake_quant
    )
    assert nn.Sequential in m.get_default_qconfig_propagation_list()
    assert m.get_default_qconfig_propagation_list() < (
        m.get_default_compare_output_module_list()
    )
    assert len(m.no_observer_set()) == 2


def test_quant_types():
    assert [t.value for t in QuantType] == [0, 1, 2, 3]
    for name in ("static", "dynamic", "weight_only"):
        found = quant_type._quant_type_from_str(name)
        assert quant_type._get_quant_type_to_str(found) == name
    with pytest.raises(ValueError, match="Unknown QuantType name 'qat'"):
        quant_type._quant_type_from_str("qat")
    with pytest.raises(AssertionError, match="expected one of"):
        quant_type._get_quant_type_to_str(QuantType.QAT)


# -- utils --


@pytest.mark.parametrize(
    "name, dtypes, kind",
    [
        ("default_qconfig", ("quint8", "qint8", False), QuantType.STATIC),
        ("default_dynamic_qconfig", ("quint8", "qint8", True), QuantType.DYNAMIC),
        ("float16_dynamic_qconfig", ("float16", "float16", True), QuantType.DYNAMIC),
        ("float16_static_qconfig", ("float16", "float16", False), QuantType.STATIC),
        (
            "float_qparams_weight_only_qconfig",
            ("float32", "quint8", False),
            QuantType.WEIGHT_ONLY,
        ),
        (
            "float_qparams_weight_only_qconfig_4bit",
            ("float32", "quint4x2", False),
            QuantType.WEIGHT_ONLY,
        ),
    ],
)
def test_what_a_qconfig_is(name, dtypes, kind):
    qconfig = getattr(qbackend, name)
    activation, weight, dynamic = qutils.get_qconfig_dtypes(qconfig)
    assert (activation.name, weight.name, dynamic) == dtypes
    assert qutils.get_quant_type(qconfig) == kind
    assert qutils.activation_is_dynamically_quantized(qconfig) == dynamic
    assert qutils.activation_is_statically_quantized(qconfig) == (
        kind == QuantType.STATIC
    )
    assert qutils.activation_is_int8_quantized(qconfig) == ("8" in dtypes[0])
    assert qutils.weight_is_quantized(qconfig)
    assert qutils.op_is_int8_dynamically_quantized(qconfig) == (
        dtypes == ("quint8", "qint8", True)
    )


def test_schemes():
    for scheme in ("per_tensor_affine", "per_tensor_symmetric"):
        assert qutils.is_per_tensor(scheme) and not qutils.is_per_channel(scheme)
    assert qutils.is_per_channel(torch.per_channel_affine_float_qparams)


@pytest.mark.parametrize(
    "arguments, wanted",
    [
        ((None, None, False, torch.qint8, False), (-128, 127)),
        ((None, None, False, torch.qint8, True), (-64, 63)),
        ((0, 15, True, torch.quint8, True), (0, 7)),
        ((-127, 127, True, torch.qint8, True), (-64, 63)),
        ((None, None, False, torch.qint32, False), (-(2**31), 2**31 - 1)),
        ((None, None, False, torch.quint4x2, False), (0, 15)),
    ],
)
def test_ranges(arguments, wanted):
    assert qutils.calculate_qmin_qmax(*arguments) == wanted


def test_ranges_that_are_refused():
    with pytest.raises(AssertionError, match=r"\(=256\): found 513"):
        qutils.calculate_qmin_qmax(-256, 256, True, torch.qint8, False)
    with pytest.raises(AssertionError, match="must include 0"):
        qutils.validate_qmin_qmax(3, 5)
    with pytest.raises(AssertionError, match="less than qmax"):
        qutils.validate_qmin_qmax(0, 0)
    qutils.validate_qmin_qmax(0, 1)


def test_parameters_of_a_range():
    np = pytest.importorskip("numpy", reason="NumPy isn't installed")
    eps = np.array([2.0**-23])
    for arguments, wanted in (
        ((-1.0, 3.0, 0, 255, torch.quint8, eps, False), (4 / 255, 64)),
        ((-1.0, 3.0, 0, 127, torch.quint8, eps, False), (4 / 127, 32)),
        (
            (-1.0, 3.0, 0, 255, torch.quint8, eps, True, torch.per_tensor_symmetric),
            (6 / 255, 127),
        ),
        (
            (-1.0, 3.0, 0, 255, torch.quint8, eps, False, torch.per_tensor_symmetric),
            (6 / 255, 128),
        ),
    ):
        scale, zero_point = qutils.determine_qparams(*arguments)
        assert scale.tolist() == [float(np.float32(wanted[0]))]
        assert zero_point.tolist() == [wanted[1]]
    scale, zero_point = qutils.determine_qparams(
        [-1, -2], [1, 2], -128, 127, torch.qint8, eps, False, torch.per_channel_symmetric
    )
    assert scale.tolist() == [float(np.float32(x / 127.5)) for x in (1, 2)]
    assert not qutils.check_min_max_valid(np.inf, -np.inf)
    assert qutils.determine_qparams(
        np.inf, -np.inf, 0, 255, torch.quint8, eps, False
    )[0].tolist() == [1.0]
    with pytest.raises(AssertionError, match="should be less than"):
        qutils.check_min_max_valid(2, 1)


# -- fx.qconfig_mapping_utils --


def test_lookup():
    one, two, three = (
        QConfig(qbackend.MinMaxObserver.with_args(eps=e), qbackend.MinMaxObserver)
        for e in (0.1, 0.2, 0.3)
    )
    mapping = (
        QConfigMapping()
        .set_object_type(nn.Linear, one)
        .set_module_name_regex("layer[0-9]", two)
        .set_module_name_regex("layer.*", three)
        .set_module_name("layer1", None)
        .set_module_name("layer1.conv", one)
        .set_module_name_object_type_order("layer1", nn.Linear, 1, two)
    )
    for kind, wanted in ((nn.Linear, one), ("torch.nn.Linear", one), (nn.ReLU, three)):
        assert lookup._get_object_type_qconfig(mapping, kind, three) is wanted
    assert lookup._get_object_type_qconfig(mapping, 3, three) is three
    for name, wanted in (("layer1.x", two), ("layerx", three), ("a.layer1", one)):
        assert lookup._get_module_name_regex_qconfig(mapping, name, one) is wanted
    for name, wanted in (
        ("layer1", None),
        ("layer1.relu", None),
        ("layer1.conv.weight", one),
        ("layer10", three),
        ("", three),
    ):
        assert lookup._get_module_name_qconfig(mapping, name, three) is wanted
    find = lookup._maybe_adjust_qconfig_for_module_name_object_type_order
    assert find(mapping, "layer1", nn.Linear, 1, three) is two
    assert find(mapping, "layer1", nn.Linear, 0, three) is three


def test_default_dictionaries():
    from qbackend.torch.ao.quantization import qconfig

    for name in ("get_default_qconfig", "get_default_qat_qconfig"):
        with pytest.warns(FutureWarning, match=f"write {name}_mapping"):
            found = getattr(qconfig, f"{name}_dict")("qnnpack")
        assert found == getattr(qbackend, f"{name}_mapping")("qnnpack").to_dict()


def test_kinds_of_qconfigs():
    from qbackend.torch.ao.quantization import qconfig

    assert qconfig._activation_is_memoryless(qbackend.default_dynamic_qat_qconfig)
    assert not qconfig._activation_is_memoryless(qbackend.default_qat_qconfig)
    assert qconfig._is_reuse_input_qconfig(qbackend.default_reuse_input_qconfig)
    assert not qconfig._is_reuse_input_qconfig(None)

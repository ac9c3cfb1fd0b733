# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import operator

import pytest
import qbackend
import qbackend.torch.nn.functional as F
from qbackend import (
    BackendConfig,
    BackendPatternConfig,
    DTypeConfig,
    DTypeWithConstraints,
    MatchAllNode,
    ObservationType,
    nn,
)

U8 = DTypeConfig(
    input_dtype=qbackend.quint8,
    output_dtype=qbackend.quint8,
    weight_dtype=qbackend.qint8,
    bias_dtype=qbackend.float32,
)
SHARE = ObservationType.OUTPUT_SHARE_OBSERVER_WITH_INPUT


# -- DTypeConfig --


def test_dtype_without_constraints():
    config = DTypeConfig(input_dtype="quint8")
    assert config.input_dtype is qbackend.quint8
    assert config.input_dtype_with_constraints == DTypeWithConstraints("quint8")
    assert config.output_dtype is None and config.bias_dtype is None
    assert config.to_dict() == {"input_dtype": DTypeWithConstraints(qbackend.quint8)}


def test_all_constraints_round_trip():
    constraints = DTypeWithConstraints(
        dtype=qbackend.qint8,
        quant_min_lower_bound=-127,
        quant_max_upper_bound=127,
        scale_min_lower_bound=2**-12,
        scale_max_upper_bound=1.5,
        scale_exact_match=1 / 256,
        zero_point_exact_match=0,
    )
    config = DTypeConfig(weight_dtype=constraints, is_dynamic=True)
    assert config.weight_dtype is qbackend.qint8
    found = DTypeConfig.from_dict(config.to_dict())
    assert found == config
    assert found.weight_dtype_with_constraints.zero_point_exact_match == 0


def test_not_dynamic_is_the_default():
    assert DTypeConfig(is_dynamic=False) == DTypeConfig()
    assert DTypeConfig(is_dynamic=True) != DTypeConfig()
    assert DTypeConfig().to_dict() == {}
    assert DTypeConfig(is_dynamic=False).to_dict() == {"is_dynamic": False}


@pytest.mark.parametrize(
    "field, value, expected",
    [
        ("num_tensor_args_to_observation_type", "1", "expected a dictionary"),
        ("observation_type", ["a"], r"\['a'\], expected an ObservationType"),
        ("dtype_configs", 1.5, "expected a list"),
        ("input_type_to_index", 3, "expected a dictionary"),
    ],
)
def test_field_of_another_type(field, value, expected):
    with pytest.raises(ValueError, match=expected):
        BackendPatternConfig.from_dict({"pattern": "relu", field: value})


def test_configs_are_a_list():
    with pytest.raises(ValueError, match="configs is 2, expected a list"):
        BackendConfig.from_dict({"configs": 2})


@pytest.mark.parametrize(
    "given, message",
    [
        ({"input_dtype": 8}, "expected a dtype"),
        ({"input_dtype": "u8"}, "no dtype 'u8'"),
        ([], "expected a dictionary for a DTypeConfig"),
    ],
)
def test_dtype_config_from_bad_dict(given, message):
    with pytest.raises(ValueError, match=message):
        DTypeConfig.from_dict(given)


def test_unknown_keys_are_ignored_with_a_warning():
    for read, given, known in (
        (DTypeConfig.from_dict, {"input_type": 1}, "input_dtype"),
        (BackendPatternConfig.from_dict, {"pattern": "relu", "root": 1}, "root_module"),
        (BackendConfig.from_dict, {"patterns": []}, "configs"),
    ):
        name = list(given)[-1]
        with pytest.warns(UserWarning, match=f"ignoring '{name}' of a .*'{known}'"):
            found = read(given)
        del given[name]
        assert found == read(given)


def test_unset_is_dynamic_stays_unset():
    assert DTypeConfig("quint8").is_dynamic is None
    assert "is_dynamic" not in DTypeConfig("quint8").to_dict()
    backend = BackendConfig("b").set_backend_pattern_config(
        BackendPatternConfig("relu").set_dtype_configs(
            [DTypeConfig("quint8"), DTypeConfig("quint8", is_dynamic=True)]
        )
    )
    for again in (
        BackendConfig.from_json(backend.to_json()),
        BackendConfig.from_mlir(backend.to_mlir()),
    ):
        types = again.configs[0].dtype_configs
        assert [config.is_dynamic for config in types] == [None, True]


def test_objects_hash_as_they_are_equal():
    pairs = [
        (DTypeWithConstraints("quint8"), DTypeWithConstraints("quint8")),
        (DTypeConfig("quint8", is_dynamic=False), DTypeConfig("quint8")),
        (BackendPatternConfig("relu"), BackendPatternConfig("relu")),
        (BackendConfig("a"), BackendConfig("a")),
    ]
    for one, two in pairs:
        assert one == two and hash(one) == hash(two)
        assert len({one, two}) == 1
    assert len({DTypeConfig("quint8"), DTypeConfig("qint8"), DTypeConfig()}) == 3


# -- ObservationType --


def test_observation_type_values():
    assert [kind.value for kind in ObservationType] == [0, 1, 2]


def test_unknown_observation_type():
    with pytest.raises(ValueError, match="expected an ObservationType: OUTPUT_USE"):
        BackendPatternConfig("relu").set_observation_type("SHARED")


# -- BackendPatternConfig --


def test_setters_chain():
    config = BackendPatternConfig(nn.Linear)
    assert (
        config.set_observation_type(SHARE)
        .add_dtype_config(U8)
        .set_dtype_configs([U8, U8])
        .set_root_module(nn.Linear)
        .set_qat_module("torch.nn.qat.Linear")
        .set_reference_quantized_module("torch.ao.nn.quantized.reference.Linear")
        .set_fused_module(None)
        .set_fuser_method(None)
        ._set_root_node_getter(None)
        ._set_extra_inputs_getter(None)
        ._set_num_tensor_args_to_observation_type({1: "OUTPUT_SHARE_OBSERVER_WITH_INPUT"})
        ._set_input_type_to_index({"weight": 1, "bias": 2})
        is config
    )
    assert config.to_dict() == {
        "observation_type": SHARE,
        "dtype_configs": [U8.to_dict(), U8.to_dict()],
        "pattern": "torch.nn.Linear",
        "root_module": "torch.nn.Linear",
        "qat_module": "torch.ao.nn.qat.Linear",
        "reference_quantized_module_for_root": "torch.ao.nn.quantized.reference.Linear",
        "num_tensor_args_to_observation_type": {1: SHARE},
        "input_type_to_index": {"weight": 1, "bias": 2},
    }
    assert BackendPatternConfig.from_dict(config.to_dict()) == config


def test_defaults():
    config = BackendPatternConfig(nn.ReLU)
    assert (
        config.observation_type
        is ObservationType.OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT
    )
    assert set(config.to_dict()) == {"pattern", "observation_type", "dtype_configs"}


def test_set_dtype_configs_keeps_the_list():
    configs = [U8]
    pattern = BackendPatternConfig(nn.ReLU).set_dtype_configs(configs)
    assert pattern.dtype_configs is configs
    configs.append(DTypeConfig())
    assert pattern.dtype_configs == [U8, DTypeConfig()]
    with pytest.raises(ValueError, match="expected a DTypeConfig"):
        pattern.set_dtype_configs([3])


def test_both_patterns_are_refused_in_either_order():
    message = "Only one of 'pattern' or 'pattern_complex_format' can be set"
    with pytest.raises(ValueError, match=message):
        BackendPatternConfig(nn.ReLU)._set_pattern_complex_format(nn.ReLU)
    with pytest.raises(ValueError, match=message):
        BackendPatternConfig()._set_pattern_complex_format(nn.ReLU).set_pattern(nn.ReLU)
    with pytest.raises(ValueError, match=message):
        BackendPatternConfig.from_dict(
            {"pattern": "relu", "pattern_complex_format": "relu"}
        )


@pytest.mark.parametrize(
    "pattern, reversed_pattern",
    [
        (nn.ReLU, "torch.nn.ReLU"),
        ((nn.Conv2d, F.relu), (F.relu, nn.Conv2d)),
        (
            (nn.Conv2d, nn.BatchNorm2d, nn.ReLU),
            (nn.ReLU, (nn.BatchNorm2d, nn.Conv2d)),
        ),
        (["relu", operator.add], ("operator.add", "relu")),
    ],
)
def test_complex_format(pattern, reversed_pattern):
    assert BackendPatternConfig(pattern).complex_format == reversed_pattern


@pytest.mark.parametrize("pattern", [(nn.ReLU,), (nn.ReLU,) * 4, ()])
def test_tuple_of_other_length(pattern):
    config = BackendPatternConfig(pattern)
    with pytest.raises(ValueError, match="Expected a tuple with 2 or 3 elements"):
        BackendConfig("b").set_backend_pattern_config(config)


def test_no_pattern():
    with pytest.raises(ValueError, match="Either 'pattern' or 'pattern_complex"):
        BackendConfig("b").set_backend_pattern_config(BackendPatternConfig())


def test_complex_pattern_with_wildcard_and_literal():
    pattern = (operator.getitem, "torch.ops.aten.max_pool2d_with_indices.default", 0)
    config = BackendPatternConfig()._set_pattern_complex_format(pattern)
    assert config.complex_format[2] == 0
    config = BackendPatternConfig()._set_pattern_complex_format(
        (nn.ReLU, (operator.add, MatchAllNode, (nn.BatchNorm2d, nn.Conv2d)))
    )
    assert config.to_dict()["pattern_complex_format"] == (
        "torch.nn.ReLU",
        ("operator.add", "MatchAllNode", ("torch.nn.BatchNorm2d", "torch.nn.Conv2d")),
    )
    assert BackendPatternConfig.from_dict(config.to_dict()) == config


def test_instance_in_pattern():
    with pytest.raises(TypeError, match="instance of torch.nn.ReLU"):
        BackendPatternConfig((nn.Conv2d, nn.ReLU()))


def test_wrong_dtype_config():
    with pytest.raises(ValueError, match="expected a DTypeConfig"):
        BackendPatternConfig(nn.ReLU).add_dtype_config(qbackend.quint8)


# -- BackendConfig --


def test_duplicate_replaces_in_its_place():
    backend = BackendConfig("b").set_backend_pattern_configs(
        [BackendPatternConfig(nn.Linear), BackendPatternConfig(nn.ReLU)]
    )
    later = BackendPatternConfig(nn.Linear).add_dtype_config(U8)
    backend.set_backend_pattern_config(later)
    assert [c.pattern for c in backend.configs] == [nn.Linear, nn.ReLU]
    assert backend.configs[0] is later


def test_pattern_and_its_complex_format_are_one():
    forward = BackendPatternConfig((nn.Conv2d, nn.ReLU))
    nested = BackendPatternConfig()._set_pattern_complex_format((nn.ReLU, nn.Conv2d))
    backend = BackendConfig().set_backend_pattern_configs([forward, nested])
    assert backend.configs == [nested]


def test_order_of_a_tuple_matters():
    backend = BackendConfig().set_backend_pattern_configs(
        [BackendPatternConfig((nn.Conv2d, nn.ReLU)), BackendPatternConfig((nn.ReLU, nn.Conv2d))]
    )
    assert len(backend.configs) == 2


def test_configs_is_a_copy():
    backend = BackendConfig().set_backend_pattern_config(BackendPatternConfig("relu"))
    backend.configs.clear()
    assert len(backend.configs) == 1


def test_dict_round_trip_and_name():
    backend = BackendConfig("a").set_name("b")
    backend.set_backend_pattern_config(BackendPatternConfig("relu").add_dtype_config(U8))
    assert backend.to_dict()["name"] == "b"
    assert BackendConfig.from_dict(backend.to_dict()) == backend
    with_objects = {"name": "b", "configs": backend.configs}
    assert BackendConfig.from_dict(with_objects) == backend
    assert BackendConfig.from_dict({}) == BackendConfig("")


def test_equality_sees_name_and_order():
    relu, linear = BackendPatternConfig("relu"), BackendPatternConfig(nn.Linear)
    one = BackendConfig("a").set_backend_pattern_configs([relu, linear])
    assert one != BackendConfig("b").set_backend_pattern_configs([relu, linear])
    assert one != BackendConfig("a").set_backend_pattern_configs([linear, relu])
    assert one == BackendConfig("a").set_backend_pattern_configs([relu, linear])


@pytest.mark.parametrize(
    "given, message",
    [
        ({"configs": [3]}, "expected a BackendPatternConfig"),
        ({"configs": [{"pattern": "relu", "dtype_configs": [3]}]}, "a DTypeConfig"),
    ],
)
def test_backend_from_bad_dict(given, message):
    with pytest.raises(ValueError, match=message):
        BackendConfig.from_dict(given)


def test_repr_names_what_is_set():
    config = BackendPatternConfig((nn.Conv2d, "relu")).set_fuser_method("fuse_conv_bn")
    text = repr(BackendConfig("mine").set_backend_pattern_config(config))
    assert "BackendConfig('mine'" in text
    assert "pattern=(torch.nn.Conv2d, 'relu')" in text
    assert "fuser_method=fuse_conv_bn" in text
    assert "qat_module" not in text

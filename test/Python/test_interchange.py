# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The JSON document, against PyTorch's data of all eight backends."""

import json

import pytest
import qbackend as q
import qbackend.torch.ao.nn.intrinsic as nni
from conftest import BACKENDS
from qbackend import BackendConfig, BackendPatternConfig, QConfig, QConfigMapping, nn


def test_document_of_pytorchs_data_comes_back(document):
    backend = BackendConfig.from_json(json.dumps(document))
    assert json.loads(backend.to_json()) == document


def test_dict_form_comes_back(document):
    backend = BackendConfig.from_json(json.dumps(document))
    assert BackendConfig.from_dict(backend.to_dict()) == backend


def test_registry_is_that_of_pytorch(backend_name, document):
    """Keys and order, against the reversed form that PyTorch computed."""
    data = json.loads((BACKENDS / f"{backend_name}.json").read_text())

    def nested(pattern):
        if isinstance(pattern, list):
            return tuple(map(nested, pattern))
        return q.TorchName(pattern) if isinstance(pattern, str) else pattern

    backend = BackendConfig.from_json(json.dumps(document))
    assert [c.complex_format for c in backend.configs] == [
        nested(entry["pattern_complex"]) for entry in data["patterns"]
    ]
    assert len(backend.configs) == data["n_patterns"]


def test_unset_fields_are_absent():
    config = BackendPatternConfig(nn.ReLU).add_dtype_config(q.DTypeConfig("quint8"))
    document = json.loads(
        BackendConfig("b").set_backend_pattern_config(config).to_json()
    )
    assert document == {
        "name": "b",
        "configs": [
            {
                "pattern": "torch.nn.ReLU",
                "observation_type": "OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT",
                "dtype_configs": [{"input_dtype": {"dtype": "quint8"}}],
            }
        ],
    }


def test_all_fields():
    constraints = q.DTypeWithConstraints("qint8", -1, 2, 0.25, 4.0, 0.5, 0)
    config = (
        BackendPatternConfig()
        ._set_pattern_complex_format(("relu", ("operator.add", "MatchAllNode", 0)))
        .set_observation_type("INPUT_OUTPUT_NOT_OBSERVED")
        .add_dtype_config(
            q.DTypeConfig(constraints, constraints, constraints, "float32", True)
        )
        .set_root_module(nn.Conv2d)
        .set_qat_module(nni.qat.ConvReLU2d)
        .set_reference_quantized_module("torch.ao.nn.quantized.reference.Conv2d")
        .set_fused_module(nni.ConvReLU2d)
        .set_fuser_method("fuse_conv_bn")
        ._set_root_node_getter(lambda pattern: pattern[1][0])
        ._set_extra_inputs_getter(lambda pattern: [pattern[1][1], pattern[0]])
        ._set_num_tensor_args_to_observation_type(
            {0: "INPUT_OUTPUT_NOT_OBSERVED", 2: "OUTPUT_SHARE_OBSERVER_WITH_INPUT"}
        )
        ._set_input_type_to_index({"weight": 1})
    )
    backend = BackendConfig("b").set_backend_pattern_config(config)
    (entry,) = json.loads(backend.to_json())["configs"]
    dtype = {
        "dtype": "qint8",
        "quant_min_lower_bound": -1,
        "quant_max_upper_bound": 2,
        "scale_min_lower_bound": 0.25,
        "scale_max_upper_bound": 4.0,
        "scale_exact_match": 0.5,
        "zero_point_exact_match": 0,
    }
    assert entry == {
        "pattern_complex_format": ["method:relu", ["operator.add", "MatchAllNode", 0]],
        "observation_type": "INPUT_OUTPUT_NOT_OBSERVED",
        "dtype_configs": [
            {
                "input_dtype": dtype,
                "output_dtype": dtype,
                "weight_dtype": dtype,
                "bias_dtype": "float32",
                "is_dynamic": True,
            }
        ],
        "root_module": "torch.nn.Conv2d",
        "qat_module": "torch.ao.nn.intrinsic.qat.ConvReLU2d",
        "reference_quantized_module_for_root": "torch.ao.nn.quantized.reference.Conv2d",
        "fused_module": "torch.ao.nn.intrinsic.ConvReLU2d",
        "fuser_method": "fuse_conv_bn",
        "root_node_getter": [0],
        "extra_inputs_getter": [[0, 0], []],
        "num_tensor_args_to_observation_type": {
            "0": "INPUT_OUTPUT_NOT_OBSERVED",
            "2": "OUTPUT_SHARE_OBSERVER_WITH_INPUT",
        },
        "input_type_to_index": {"weight": 1},
    }
    assert BackendConfig.from_json(backend.to_json()) == backend


def test_keys_of_the_compiler():
    mapping = QConfigMapping().set_global(q.default_qconfig)
    backend = (
        BackendConfig("b")
        .set_lowering(["qnnpack", "reference"])
        .set_real_bias()
        .set_qconfig_mapping("slow", QConfigMapping())
        .set_qconfig_mapping("fast", mapping, default=True)
    )
    found = BackendConfig.from_json(backend.to_json())
    assert found.lowering == ["qnnpack", "reference"]
    assert found.real_bias is True
    assert BackendConfig.from_json(BackendConfig("b").to_json()).real_bias is False
    assert found.qconfig_mappings == {"slow": QConfigMapping(), "fast": mapping}
    assert found.default_qconfig == "fast"
    # PyTorch has none of these.
    assert found == BackendConfig("b")
    assert set(found.to_dict()) == {"name", "configs"}


def test_requantization_comes_back():
    rule = {"rounding": "half_up", "multiplier": "fixed_point", "quotient": "f32"}
    config = BackendPatternConfig(nn.ReLU).set_requantization(rule)
    backend = BackendConfig("b").set_backend_pattern_config(config)
    text = backend.to_json()
    assert json.loads(text)["configs"][0]["requantization"] == rule
    (found,) = BackendConfig.from_json(text).configs
    assert found.requantization == rule
    with pytest.raises(ValueError, match="requantization is 'half_up'"):
        config.set_requantization("half_up")


def test_own_fuser_function_is_named_in_the_error():
    def fuse_by_hand(is_qat, conv, relu):
        return conv.weight

    config = BackendPatternConfig((nn.Conv2d, nn.ReLU)).set_fuser_method(fuse_by_hand)
    backend = BackendConfig("b").set_backend_pattern_config(config)
    with pytest.raises(ValueError, match="pattern .*torch.nn.ReLU.*fuse_by_hand"):
        backend.to_json()


def test_getter_that_is_not_understood():
    config = BackendPatternConfig(nn.ReLU)._set_root_node_getter(lambda node: 3)
    backend = BackendConfig("b").set_backend_pattern_config(config)
    with pytest.raises(ValueError, match="pattern torch.nn.ReLU: getter .* returns 3"):
        backend.to_json()


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "line 1, column 1"),
        ('{"name": "b",\n "configs": [}', "line 2, column 14"),
        ("[]", "the document is .*, expected an object"),
        ('{"patterns": []}', "unknown key 'patterns', expected one of name, configs"),
        ('{"lowering": "qnnpack"}', "lowering is 'qnnpack', expected a list"),
        ('{"real_bias": 1}', "real_bias is 1, expected true or false"),
        (
            '{"qconfig_mappings": {"a": {"x": null}}}',
            "qconfig_mappings.a: unknown key 'x'",
        ),
        ('{"configs": {}}', "configs is .*, expected a list"),
        ('{"configs": [3]}', r"configs\[0\] is 3, expected an object"),
        ('{"configs": [{}]}', "Either 'pattern' or 'pattern_complex_format'"),
        (
            '{"configs": [{"pattern": "relu", "dtype_configs": [{"input_dtype": "x"}]}]}',
            r"configs\[0\]: dtype_configs\[0\]: input_dtype is 'x', expected an object",
        ),
        (
            '{"configs": [{"pattern": "relu", "dtype_configs": '
            '[{"input_dtype": {"dtype": "quint8", "eps": 1}}]}]}',
            "unknown key 'eps' of input_dtype",
        ),
        (
            '{"configs": [{"pattern": "relu", "observation_type": "SHARED"}]}',
            r"configs\[0\]: observation type is 'SHARED'",
        ),
        (
            '{"configs": [{"pattern": "relu", '
            '"num_tensor_args_to_observation_type": {"x": "SHARED"}}]}',
            "invalid literal",
        ),
        ('{"configs": [{"pattern": "a b"}]}', "expected a dotted name"),
        (
            '{"configs": [{"pattern": "relu", "root_node_getter": ["x"]}]}',
            r"\['x'\], expected a list of operand indices",
        ),
        (
            '{"configs": [{"pattern": "relu", "extra_inputs_getter": [1]}]}',
            "found 1, expected a list of operand indices",
        ),
        (
            '{"configs": [{"pattern": "relu", "root_node_getter": "x"}]}',
            "root_node_getter is 'x', expected a function",
        ),
    ],
)
def test_bad_document(text, message):
    with pytest.raises(ValueError, match=message):
        BackendConfig.from_json(text)


# -- QConfigMapping --

MAPPINGS = {
    f"{backend}{kind}": make(backend)
    for backend in ("qnnpack", "fbgemm", "x86", "onednn")
    for kind, make in (
        ("", q.get_default_qconfig_mapping),
        ("-qat", q.get_default_qat_qconfig_mapping),
        ("-qat-0", lambda backend: q.get_default_qat_qconfig_mapping(backend, 0)),
    )
}
QCONFIGS = {
    name: value for name, value in vars(q).items() if isinstance(value, QConfig)
}


@pytest.mark.parametrize("name", MAPPINGS)
def test_mapping_comes_back(name):
    text = MAPPINGS[name].to_json()
    found = QConfigMapping.from_json(text)
    assert found == MAPPINGS[name]
    assert found.to_json() == text


@pytest.mark.parametrize("name", QCONFIGS)
def test_named_qconfig_comes_back(name):
    mapping = QConfigMapping().set_global(QCONFIGS[name])
    assert QConfigMapping.from_json(mapping.to_json()) == mapping


def test_there_are_all_named_qconfigs():
    assert len(QCONFIGS) == 22


def test_form_of_a_mapping():
    mapping = (
        QConfigMapping()
        .set_global(q.default_per_channel_symmetric_qnnpack_qconfig)
        .set_object_type("sigmoid", q.get_default_qconfig_mapping().object_type_qconfigs["sigmoid"])
        .set_module_name("fc", None)
        .set_module_name_regex("a.*", q.default_weight_only_qconfig)
        .set_module_name_object_type_order("b", nn.Linear, 1, q.default_dynamic_qconfig)
    )
    weight = {"observer": "MinMaxObserver", "dtype": "qint8", "qscheme": "per_tensor_symmetric"}
    assert json.loads(mapping.to_json()) == {
        "": {
            "activation": {"observer": "HistogramObserver", "dtype": "qint8", "eps": 2**-12},
            "weight": {
                "observer": "PerChannelMinMaxObserver",
                "dtype": "qint8",
                "qscheme": "per_channel_symmetric",
                "quant_min": -127,
                "quant_max": 127,
                "eps": 2**-12,
            },
        },
        "object_type": [
            [
                "method:sigmoid",
                {
                    "activation": {
                        "observer": "FixedQParamsObserver",
                        "scale": 0.00390625,
                        "zero_point": 0,
                    },
                    "weight": weight,
                },
            ]
        ],
        "module_name_regex": [
            [
                "a.*",
                {
                    "activation": {"observer": "Identity"},
                    "weight": {
                        "observer": "MovingAverageMinMaxObserver",
                        "dtype": "qint8",
                        "qscheme": "per_tensor_symmetric",
                        "quant_min": -128,
                        "quant_max": 127,
                        "fake_quantize": "FakeQuantize",
                    },
                },
            ]
        ],
        "module_name": [["fc", None]],
        "module_name_object_type_order": [
            [
                "b",
                "torch.nn.Linear",
                1,
                {
                    "activation": {
                        "observer": "PlaceholderObserver",
                        "dtype": "quint8",
                        "is_dynamic": True,
                    },
                    "weight": weight,
                },
            ]
        ],
    }


def mapping_text(**observer):
    weight = {"observer": "MinMaxObserver"}
    return json.dumps({"": {"activation": observer, "weight": weight}})


@pytest.mark.parametrize(
    "text, message",
    [
        (mapping_text(observer="Histogram"), "observer is 'Histogram', expected one of"),
        (mapping_text(), "activation: observer is None"),
        (mapping_text(observer="MinMaxObserver", min=3), "unknown key 'min'"),
        (mapping_text(observer="MinMaxObserver", bins=3), "has no argument 'bins'"),
        (mapping_text(observer="MinMaxObserver", dtype="i8"), "no dtype 'i8'"),
        (
            mapping_text(observer="MinMaxObserver", qscheme="per_channel_affine"),
            "expected per_tensor_affine",
        ),
        (
            mapping_text(observer="MinMaxObserver", fake_quantize="Fake"),
            "fake_quantize is 'Fake'",
        ),
        (
            mapping_text(
                observer="HistogramObserver",
                fake_quantize="FusedMovingAvgObsFakeQuantize",
            ),
            "the global qconfig: activation: .*expected MovingAverageMinMaxObserver",
        ),
        (mapping_text(observer="FixedQParamsObserver"), "scale"),
        ('{"": {"weight": {}}}', "expected activation and weight"),
        ('{"": 3}', "a qconfig is 3, expected an object"),
        ('{"module_name": {}}', "module_name is {}, expected a list"),
        ('{"module_name": [["a", null, null]]}', "expected a tuple of 2"),
        ('{"module_name": [[{}, null]]}', "module_name is {}, expected a string"),
        (
            '{"module_name_regex": [[-1, null]]}',
            "module_name_regex is -1, expected a string",
        ),
        (
            '{"module_name_object_type_order": [["a", "torch.add", "0", null]]}',
            "index is '0', expected a whole number",
        ),
        ('{"module_name": ["a"]}', r"module_name\[0\] is 'a', expected a list"),
        ('{"global": null}', "unknown key 'global'"),
    ],
)
def test_bad_mapping(text, message):
    with pytest.raises(ValueError, match=message):
        QConfigMapping.from_json(text)


def test_custom_op_name_has_no_place():
    observer = q.PlaceholderObserver.with_args(custom_op_name="op")
    mapping = QConfigMapping().set_global(QConfig(observer, q.MinMaxObserver))
    with pytest.raises(ValueError, match="custom_op_name 'op'"):
        mapping.to_json()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PrepareCustomConfig, ConvertCustomConfig, FuseCustomConfig: their dictionaries,
and what apply_backend does with them."""

import pytest
import qbackend
from qbackend import (
    BackendConfig,
    ConvertCustomConfig,
    FuseCustomConfig,
    PrepareCustomConfig,
    QConfig,
    QConfigMapping,
    QuantType,
    nn,
)
from qbackend.torch.ao.quantization.fx import custom_config

MINMAX = QConfig(qbackend.MinMaxObserver, qbackend.default_weight_observer)


class Mine:
    pass


class Observed:
    pass


def everything():
    mapping = QConfigMapping().set_global(MINMAX)
    child = PrepareCustomConfig().set_input_quantized_indexes([1])
    backend = BackendConfig("child")
    return (
        PrepareCustomConfig()
        .set_standalone_module_name("a.b", mapping, (1, 2), child, backend)
        .set_standalone_module_class(Mine, None, (), None, None)
        .set_float_to_observed_mapping(Mine, Observed)
        .set_non_traceable_module_names(["c"])
        .set_non_traceable_module_classes([Mine])
        .set_input_quantized_indexes([0])
        .set_output_quantized_indexes([0, 1])
        .set_preserved_attributes(["attr"])
    )


def test_prepare_to_dict_and_back():
    mapping = QConfigMapping().set_global(MINMAX)
    assert everything().to_dict() == {
        "standalone_module_name": [
            (
                "a.b",
                mapping.to_dict(),
                (1, 2),
                {"input_quantized_idxs": [1]},
                BackendConfig("child"),
            )
        ],
        "standalone_module_class": [(Mine, None, (), None, None)],
        "float_to_observed_custom_module_class": {"static": {Mine: Observed}},
        "non_traceable_module_name": ["c"],
        "non_traceable_module_class": [Mine],
        "input_quantized_idxs": [0],
        "output_quantized_idxs": [0, 1],
        "preserved_attributes": ["attr"],
    }
    assert PrepareCustomConfig.from_dict(everything().to_dict()) == everything()
    assert PrepareCustomConfig().to_dict() == {}
    assert PrepareCustomConfig.from_dict({}) == PrepareCustomConfig()
    assert "input_quantized_indexes" in repr(everything())
    assert repr(PrepareCustomConfig()) == "PrepareCustomConfig({})"


def test_keys_are_pytorchs():
    for key in everything().to_dict():
        assert key in vars(custom_config).values()


@pytest.mark.parametrize(
    "given, message",
    [
        ({"standalone_module_name": [("a",)]}, "expected a tuple of 5"),
        (
            {"standalone_module_name": [("a", 3, (), None, None)]},
            r"Expected QConfigMapping in prepare_custom_config_dict\[.standalone_module_n",
        ),
        (
            {"standalone_module_class": [("a", None, (), 3, None)]},
            "Expected PrepareCustomConfig in",
        ),
        (
            {"standalone_module_class": [("a", None, (), None, 3)]},
            "Expected BackendConfig in",
        ),
        (
            {"float_to_observed_custom_module_class": {"x": {Mine: Mine}}},
            "Unknown QuantType name 'x'",
        ),
        (
            {"float_to_observed_custom_module_class": {"dynamic": {Mine: Mine}}},
            "only supported for static",
        ),
    ],
)
def test_bad_dictionaries(given, message):
    with pytest.raises(ValueError, match=message):
        PrepareCustomConfig.from_dict(given)


def test_unknown_keys():
    for cls in (PrepareCustomConfig, ConvertCustomConfig, FuseCustomConfig):
        with pytest.warns(UserWarning, match=f"ignoring 'odd' of a {cls.__name__}"):
            assert cls.from_dict({"odd": 1}) == cls()


def test_convert_and_fuse():
    convert = (
        ConvertCustomConfig()
        .set_observed_to_quantized_mapping(Observed, Mine, QuantType.DYNAMIC)
        .set_preserved_attributes(["a"])
    )
    assert convert.to_dict() == {
        "observed_to_quantized_custom_module_class": {"dynamic": {Observed: Mine}},
        "preserved_attributes": ["a"],
    }
    assert ConvertCustomConfig.from_dict(convert.to_dict()) == convert
    fuse = FuseCustomConfig().set_preserved_attributes(["a"])
    assert FuseCustomConfig.from_dict(fuse.to_dict()) == fuse
    assert fuse.to_dict() == {"preserved_attributes": ["a"]}
    assert FuseCustomConfig().to_dict() == {}


# -- What the compiler does with them --

LINEAR = """
func.func @main(%x: tensor<1x4xf32> {{qbackend.range = array<f64: -1.0, 1.0>}})
    -> tensor<1x4xf32> {{
  %w = arith.constant dense<{w}> : tensor<4x4xf32>
  %b = arith.constant dense<0.0> : tensor<1x4xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<1x4xf32>, tensor<4x4xf32>)
    outs(%b : tensor<1x4xf32>) -> tensor<1x4xf32> loc("encoder.0.fc1")
  %1 = linalg.matmul ins(%0, %w : tensor<1x4xf32>, tensor<4x4xf32>)
    outs(%b : tensor<1x4xf32>) -> tensor<1x4xf32> loc("encoder.0.fc2")
  %2 = linalg.matmul ins(%1, %w : tensor<1x4xf32>, tensor<4x4xf32>)
    outs(%b : tensor<1x4xf32>) -> tensor<1x4xf32> loc("head")
  return %2 : tensor<1x4xf32>
}}
""".format(
    w="[[0.5, 0.25, -0.5, 1.0], [0.0, 1.0, 0.5, -0.25], "
    "[1.0, 0.0, 0.25, 0.5], [-0.5, 0.75, 1.0, 0.0]]"
)


def apply(config=None, lower_to="qnnpack", **options):
    return qbackend.apply_backend(
        LINEAR,
        calibration="ranges",
        lower_to=lower_to,
        prepare_custom_config=config,
        **options,
    )


def integers(text):
    """How many of the three layers are integer kernels."""
    return text.count("qnnpack.linear ")


def function(text):
    """Without the configurations that stay in the module."""
    start, end = text.index("func.func"), text.index("\n  }\n")
    assert "qnnpack.linear" in text[start:end]
    return text[start:end]


def test_nothing_is_set():
    assert apply(PrepareCustomConfig()) == apply() == apply({})
    assert integers(apply()) == 3


def test_indexes_are_the_pipelines():
    config = (
        PrepareCustomConfig()
        .set_input_quantized_indexes([0])
        .set_output_quantized_indexes([0])
    )
    found = apply(config)
    assert found == apply(quantized_inputs=0, quantized_outputs=0) != apply()
    with pytest.raises(ValueError, match="quantized_inputs is 0, and 0 in the Prepare"):
        apply(config, quantized_inputs=0)
    with pytest.raises(ValueError, match="3"):
        apply(PrepareCustomConfig().set_input_quantized_indexes([3]))


@pytest.mark.parametrize(
    "names, left", [(["head"], 2), (["encoder"], 1), (["encoder.0.fc2", "head"], 1)]
)
@pytest.mark.parametrize("qconfig", [None, "minmax", "object"])
def test_modules_that_are_not_traced_stay_real(names, left, qconfig):
    if qconfig == "object":
        # What is said about the inside doesn't count.
        qconfig = (
            QConfigMapping()
            .set_global(MINMAX)
            .set_module_name("encoder.0", MINMAX)
            .set_module_name_object_type_order("encoder.0", nn.Linear, 0, MINMAX)
        )
        before = qconfig.to_dict()
        backend = qbackend.get_qnnpack_backend_config()
        found = apply({"non_traceable_module_name": names}, qconfig=qconfig)
        assert qconfig.to_dict() == before
        assert function(found) == function(
            apply({"non_traceable_module_name": names}, qconfig=qconfig, backend=backend)
        )
    else:
        found = apply({"non_traceable_module_name": names}, qconfig=qconfig)
    assert integers(found) == left


def test_backend_object_with_its_default_mapping():
    backend = qbackend.get_qnnpack_backend_config()
    config = {"non_traceable_module_name": ["head"]}
    assert function(apply(config, backend=backend)) == function(apply(config))
    with pytest.raises(ValueError, match="has no qconfig 'best'"):
        apply(config, backend=backend, qconfig="best")


def test_classes_of_pytorch():
    config = PrepareCustomConfig().set_non_traceable_module_classes([nn.Linear])
    assert integers(apply(config)) == 0


def test_standalone_module_has_its_own_mapping():
    symmetric = qbackend.default_symmetric_qnnpack_qconfig
    own = QConfigMapping().set_global(None).set_module_name("0.fc2", symmetric)
    config = PrepareCustomConfig().set_standalone_module_name(
        "encoder", own, (), PrepareCustomConfig(), None
    )
    found = apply(config)
    wanted = apply(
        None,
        qconfig=QConfigMapping.from_mlir("qnnpack")
        .set_module_name("encoder", None)
        .set_module_name("encoder.0.fc2", symmetric),
    )
    assert found == wanted
    assert integers(found) == 2
    # None is what the network has.
    config = PrepareCustomConfig().set_standalone_module_name(
        "encoder", None, (), None, None
    )
    assert apply(config) == apply()


def standalone(mapping=None, child=None, backend=None):
    return PrepareCustomConfig().set_standalone_module_name(
        "encoder", mapping, (), child, backend
    )


@pytest.mark.parametrize(
    "config, message",
    [
        (
            standalone(QConfigMapping().set_object_type(nn.Linear, None)),
            "a mapping with object types .torch.nn.Linear., which count everywhere",
        ),
        (
            standalone(QConfigMapping().set_module_name_regex("a.*", None)),
            "a mapping with regular expressions .a.*.,",
        ),
        (
            standalone(child=PrepareCustomConfig().set_input_quantized_indexes([0])),
            "'encoder' has a PrepareCustomConfig of its own",
        ),
        (standalone(backend=BackendConfig("npu")), "'encoder' has backend 'npu'"),
        (
            PrepareCustomConfig().set_standalone_module_class(Mine, None, (), None, None),
            "standalone_module_class .Mine.: operators know the name",
        ),
        (
            PrepareCustomConfig().set_non_traceable_module_classes([Mine]),
            "non_traceable_module_class .*Mine.: operators know the name",
        ),
        (
            PrepareCustomConfig().set_float_to_observed_mapping(Mine, Observed),
            "float_to_observed_custom_module_class .Mine.: a module of operators",
        ),
        (
            PrepareCustomConfig().set_preserved_attributes(["attr"]),
            "preserved_attributes .attr.: a module of operators has no attributes",
        ),
    ],
)
def test_what_has_no_meaning_is_refused_by_name(config, message):
    with pytest.raises(ValueError, match=message):
        apply(config)


def test_convert_and_fuse_are_refused_by_name():
    for options, message in (
        (
            {"fuse_custom_config": {"preserved_attributes": ["attr"]}},
            "preserved_attributes .attr.: a module of operators has no attributes",
        ),
        (
            {
                "convert_custom_config": (
                    ConvertCustomConfig().set_observed_to_quantized_mapping(Mine, Mine)
                )
            },
            "observed_to_quantized_custom_module_class .*: a module of operators has no cl",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            apply(**options)
    nothing = {"convert_custom_config": ConvertCustomConfig(), "fuse_custom_config": {}}
    assert apply(**nothing) == apply()


def test_modules_that_importers_give():
    """What has the module as its bytes, and a mapping inside of it."""

    class Imported:
        def __bytes__(self):
            mapping = QConfigMapping().set_global(MINMAX).to_mlir("mine")
            inside = mapping.partition("module {")[2].rpartition("}")[0]
            return (inside + LINEAR).encode()

    found = qbackend.apply_backend(
        Imported(),
        qconfig="@mine",
        calibration="ranges",
        prepare_custom_config={"non_traceable_module_name": ["head"]},
    )
    assert integers(found) == 2

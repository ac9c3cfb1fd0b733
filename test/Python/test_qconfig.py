# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expected values are PyTorch 2.x's, written out."""

import pytest
import qbackend as q
from qbackend import (
    HistogramObserver,
    MinMaxObserver,
    PerChannelMinMaxObserver,
    QConfig,
    QConfigMapping,
    nn,
)

WEIGHT = MinMaxObserver.with_args(dtype=q.qint8, qscheme=q.per_tensor_symmetric)
PER_CHANNEL = PerChannelMinMaxObserver.with_args(
    dtype=q.qint8, qscheme=q.per_channel_symmetric
)
QNNPACK = QConfig(HistogramObserver, WEIGHT)


def test_is_a_named_tuple():
    activation, weight = QNNPACK
    assert activation is HistogramObserver is QNNPACK.activation
    assert weight is WEIGHT
    assert QNNPACK._fields == ("activation", "weight")
    assert QNNPACK._replace(weight=PER_CHANNEL).weight is PER_CHANNEL


def test_equality_is_that_of_the_observers():
    assert QNNPACK == QConfig(HistogramObserver.with_args(reduce_range=False), WEIGHT)
    assert hash(QNNPACK) == hash(
        QConfig(HistogramObserver.with_args(reduce_range=False), WEIGHT)
    )
    assert QNNPACK != QConfig(HistogramObserver, PER_CHANNEL)
    assert q.qconfig_equals(None, None) and not q.qconfig_equals(None, QNNPACK)


@pytest.mark.parametrize("instance", [MinMaxObserver(), nn.Identity(), q.FakeQuantize()])
def test_instance_is_refused(instance):
    with pytest.raises(ValueError, match="received an instance of .*expected the class"):
        QConfig(activation=instance, weight=WEIGHT)
    with pytest.raises(ValueError, match="as weight"):
        QConfig(activation=MinMaxObserver, weight=instance)


def test_no_observer():
    """PyTorch takes anything but an instance; so do mappings here, with a warning,
    until they are written or applied."""
    with pytest.warns(UserWarning, match="<class 'int'> as activation, expected an obs"):
        odd = QConfig(activation=int, weight=WEIGHT)
    assert odd != QConfig(activation=MinMaxObserver, weight=WEIGHT)
    mapping = QConfigMapping().set_object_type("relu", odd)
    assert QConfigMapping.from_dict(mapping.to_dict()) == mapping
    for write in (mapping.to_json, mapping.to_mlir):
        with pytest.raises(ValueError, match="expected an observer class of qbackend"):
            write()


@pytest.mark.parametrize(
    "backend, reduces, weight",
    [
        ("qnnpack", False, WEIGHT),
        ("fbgemm", True, PER_CHANNEL),
        ("x86", True, PER_CHANNEL),
        ("onednn", False, PER_CHANNEL),
    ],
)
def test_defaults_of_the_backends(backend, reduces, weight):
    assert q.get_default_qconfig(backend) == QConfig(
        HistogramObserver.with_args(reduce_range=reduces), weight
    )
    mapping = q.get_default_qconfig_mapping(backend)
    assert mapping.global_qconfig == q.get_default_qconfig(backend)
    transposed = mapping.object_type_qconfigs["torch.nn.ConvTranspose2d"]
    wanted = WEIGHT if backend in ("fbgemm", "x86", "qnnpack") else PER_CHANNEL
    assert transposed.weight == wanted
    act = q.get_default_qat_qconfig(backend).activation()
    assert isinstance(act, q.FusedMovingAvgObsFakeQuantize)
    assert act.activation_post_process.reduce_range is reduces
    assert type(q.get_default_qat_qconfig(backend, 0).activation()) is q.FakeQuantize


def test_default_backend_is_x86():
    assert q.get_default_qconfig() == q.get_default_qconfig("x86")
    assert q.get_default_qconfig_mapping() == q.get_default_qconfig_mapping("x86")


@pytest.mark.parametrize(
    "function, versions",
    [
        (q.get_default_qconfig, "expected 0"),
        (q.get_default_qconfig_mapping, "expected 0"),
        (q.get_default_qat_qconfig, "expected 0 or 1"),
        (q.get_default_qat_qconfig_mapping, "expected 0 or 1"),
    ],
)
def test_unknown_backend_and_version(function, versions):
    with pytest.raises(AssertionError, match="'npu', expected one of fbgemm, x86"):
        function("npu")
    with pytest.raises(AssertionError, match=versions):
        function("qnnpack", 7)


def test_symmetric_qconfigs():
    act = q.default_symmetric_qnnpack_qconfig.activation()
    assert act == HistogramObserver(dtype=q.qint8, eps=2**-12)
    weight = q.default_per_channel_symmetric_qnnpack_qconfig.weight()
    assert (weight.quant_min, weight.quant_max, weight.eps) == (-127, 127, 2**-12)
    assert weight.qscheme is q.per_channel_symmetric
    qat = q.default_symmetric_qnnpack_qat_qconfig.activation().activation_post_process
    assert (qat.dtype, qat.quant_min, qat.quant_max) == (q.qint8, -128, 127)


def test_dynamic_and_float16():
    act = q.default_dynamic_qconfig.activation()
    assert act.dtype is q.quint8 and act.is_dynamic
    assert q.per_channel_dynamic_qconfig.weight == PER_CHANNEL
    assert q.float16_dynamic_qconfig.activation().is_dynamic
    assert not q.float16_static_qconfig.activation().is_dynamic
    assert q.float16_static_qconfig.weight().dtype is q.float16


def test_weight_only():
    weight = q.float_qparams_weight_only_qconfig_4bit.weight()
    assert weight.dtype is q.quint4x2
    assert weight.qscheme is q.per_channel_affine_float_qparams
    assert q.float_qparams_weight_only_qconfig.activation().dtype is q.float32


def test_default_qconfig_is_7_bit():
    act = q.default_qconfig.activation()
    assert (act.quant_min, act.quant_max) == (0, 127)


def test_default_mapping_of_qnnpack():
    mapping = q.get_default_qconfig_mapping("qnnpack")
    entries = mapping.object_type_qconfigs
    assert list(entries)[:4] == [
        "reshape",
        "torch.nn.ConvTranspose1d",
        "torch.nn.ConvTranspose2d",
        "torch.nn.ConvTranspose3d",
    ]
    assert entries["reshape"] == QConfig(q.ReuseInputObserver, q.NoopObserver)
    assert entries["torch.nn.PReLU"] == QConfig(HistogramObserver, MinMaxObserver)
    assert entries["torch.nn.LayerNorm"].weight == q.PlaceholderObserver.with_args()
    for name in (
        "torch.nn.Hardsigmoid",
        "torch.nn.functional.hardsigmoid",
        "hardsigmoid",
        "hardsigmoid_",
        "torch.nn.Sigmoid",
        "torch.sigmoid",
        "sigmoid",
        "sigmoid_",
        "torch.nn.Softmax",
    ):
        assert entries[name].activation() == q.FixedQParamsObserver(1 / 256, 0)
    for name in ("torch.nn.Tanh", "torch.tanh", "tanh", "tanh_"):
        assert entries[name].activation() == q.FixedQParamsObserver(2 / 256, 128)
    for name in (
        "torch.nn.functional.sigmoid",
        "torch.nn.functional.softmax",
        "torch.softmax",
        "torch.nn.functional.tanh",
        "torch.nn.LogSoftmax",
    ):
        assert name not in entries


def test_default_qat_mapping_has_fixed_fake_quantizers():
    entries = q.get_default_qat_qconfig_mapping("qnnpack").object_type_qconfigs
    made = entries["torch.nn.Sigmoid"].activation()
    assert isinstance(made, q.FixedQParamsFakeQuantize)
    assert made.activation_post_process.scale == 1 / 256


def test_symmetric_mapping():
    from qbackend.torch.ao.quantization.qconfig_mapping import (
        _get_symmetric_qnnpack_qconfig_mapping,
    )

    mapping = _get_symmetric_qnnpack_qconfig_mapping()
    assert mapping.global_qconfig == q.default_symmetric_qnnpack_qconfig
    assert (
        mapping.object_type_qconfigs["torch.nn.ConvTranspose1d"]
        == q.default_symmetric_qnnpack_qconfig
    )
    assert mapping.object_type_qconfigs["tanh"].activation().zero_point == 128


def everything():
    return (
        QConfigMapping()
        .set_global(QNNPACK)
        .set_object_type(nn.Linear, q.default_qconfig)
        .set_object_type("relu", None)
        .set_module_name_regex("layer[0-9]+.*", QNNPACK)
        .set_module_name("fc", None)
        .set_module_name_object_type_order("a.b", nn.functional.linear, 0, QNNPACK)
    )


def test_dict_has_pytorchs_keys():
    assert everything().to_dict() == {
        "": QNNPACK,
        "object_type": [("torch.nn.Linear", q.default_qconfig), ("relu", None)],
        "module_name_regex": [("layer[0-9]+.*", QNNPACK)],
        "module_name": [("fc", None)],
        "module_name_object_type_order": [
            ("a.b", "torch.nn.functional.linear", 0, QNNPACK)
        ],
    }
    assert QConfigMapping.from_dict(everything().to_dict()) == everything()
    assert QConfigMapping.from_dict({}) == QConfigMapping()


def test_module_types_go_by_full_names():
    class Block:
        pass

    mapping = everything().set_module_type(Block, None).set_module_type(
        "net.Head", QNNPACK
    )
    name = f"{__name__}.test_module_types_go_by_full_names.<locals>.Block"
    assert mapping.to_dict()["module_type"] == [(name, None), ("net.Head", QNNPACK)]
    assert QConfigMapping.from_dict(mapping.to_dict()) == mapping != everything()
    assert QConfigMapping.from_json(mapping.to_json()) == mapping
    assert 'qbackend.qconfig module_type "net.Head" <' in mapping.to_mlir()


def test_replacing_keeps_the_place():
    mapping = everything().set_object_type("torch.nn.Linear", None)
    assert list(mapping.object_type_qconfigs.items()) == [
        ("torch.nn.Linear", None),
        ("relu", None),
    ]


@pytest.mark.parametrize(
    "given, message",
    [
        ({"object_type": [("relu",)]}, "expected a tuple of 2"),
        ({"object_type": 3}, "'object_type' is 3, expected a list of tuples"),
        ({"module_name_object_type_order": [("a", "b", 0)]}, "a tuple of 4"),
        ({"": 3}, "expected a QConfig or None"),
        ({"module_name_regex": [("(", None)]}, r"'\(' is no regular expression"),
    ],
)
def test_mapping_from_bad_dict(given, message):
    with pytest.raises(ValueError, match=message):
        QConfigMapping.from_dict(given)


def test_mapping_with_unknown_keys():
    given = {**everything().to_dict(), "object_types": []}
    with pytest.warns(UserWarning, match="ignoring 'object_types' of a QConfigMapping"):
        assert QConfigMapping.from_dict(given) == everything()
    assert hash(everything()) == hash(everything())


def test_repr_shows_all_levels():
    text = repr(everything())
    for part in ("global_qconfig", "torch.nn.Linear: QConfig", "fc: None", "('a.b'"):
        assert part in text


def test_mapping_holds_whatever_a_qconfig_does():
    """PyTorch's own tests of QConfigMapping have qconfigs of numbers and strings."""
    with pytest.warns(UserWarning, match="expected an observer class"):
        one, two, same = QConfig(1, "one"), QConfig(2, "two"), QConfig(1, "one")
    assert one == same != two
    mapping = QConfigMapping().set_global(one).set_object_type(nn.Linear, two)
    assert mapping.to_dict()["object_type"] == [(nn.Linear, two)]
    assert QConfigMapping.from_dict(mapping.to_dict()) == mapping

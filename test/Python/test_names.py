# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import operator
import pickle

import pytest
import qbackend
import qbackend.torch as torch
import qbackend.torch.ao.nn.intrinsic as nni
import qbackend.torch.nn.functional as F
from qbackend import MatchAllNode, TorchName, nn
from qbackend.vocabulary.names import name_of


def test_equal_to_and_hashed_as_its_string():
    assert nn.Conv2d == "torch.nn.Conv2d"
    assert {"torch.nn.Conv2d": 1}[nn.Conv2d] == 1
    assert nn.Conv2d == TorchName("torch.nn.Conv2d") != nn.Conv1d


def test_round_trips():
    assert TorchName(str(F.relu)) == F.relu
    assert pickle.loads(pickle.dumps(F.relu)) == F.relu
    assert isinstance(pickle.loads(pickle.dumps(F.relu)), TorchName)


def test_torch_relu_is_not_functional_relu():
    assert torch.relu != F.relu


def test_one_object_under_two_names():
    assert torch.conv2d == F.conv2d == "torch.nn.functional.conv2d"
    assert name_of("torch.conv2d") == F.conv2d


@pytest.mark.parametrize(
    "old, new",
    [
        ("torch.nn.intrinsic.ConvReLU2d", "torch.ao.nn.intrinsic.ConvReLU2d"),
        ("torch.nn.intrinsic.qat.ConvBn1d", "torch.ao.nn.intrinsic.qat.ConvBn1d"),
        ("torch.nn.qat.Linear", "torch.ao.nn.qat.Linear"),
        (
            "torch.nn.quantized._reference.Linear",
            "torch.ao.nn.quantized.reference.Linear",
        ),
    ],
)
def test_moved_module_has_one_name(old, new):
    assert TorchName(old) == new
    assert TorchName(new) == new


def test_old_namespaces():
    assert torch.nn.intrinsic.ConvReLU2d == nni.ConvReLU2d
    assert torch.nn.intrinsic.qat.ConvReLU2d == nni.qat.ConvReLU2d
    assert torch.nn.qat.Linear == torch.ao.nn.qat.Linear


def test_python_functions():
    assert name_of(operator.add) == "operator.add"
    assert name_of(operator.getitem) == "operator.getitem"


def test_aten_overload_and_packet():
    assert torch.ops.aten.add.Tensor == "torch.ops.aten.add.Tensor"
    assert name_of(torch.ops.aten.add) == "torch.ops.aten.add"


def test_methods():
    relu = TorchName("relu")
    assert relu.is_method and relu == "relu"
    assert relu.to_json() == "method:relu"
    assert TorchName("method:relu") == relu
    assert not nn.ReLU.is_method and not MatchAllNode.is_method


class UsersModule:
    pass


def test_own_module_class():
    assert name_of(UsersModule) == f"{__name__}.UsersModule"


def test_local_class_has_no_name():
    class Local:
        pass

    with pytest.raises(TypeError, match="can't be named from outside"):
        name_of(Local)


def test_instance_is_refused():
    with pytest.raises(TypeError, match="instance of torch.nn.Linear, expected the c"):
        name_of(nn.Linear(3, 4))


@pytest.mark.parametrize("value", ["", "torch..nn", "a b", "1x", "nn.Conv2d()"])
def test_no_name(value):
    with pytest.raises(ValueError, match="expected a dotted name"):
        TorchName(value)


def test_method_with_a_dot():
    with pytest.raises(ValueError, match="has a dot"):
        TorchName("method:a.b")


@pytest.mark.parametrize("value", [3.5, object()])
def test_object_without_name(value):
    with pytest.raises(TypeError, match="names no operator"):
        name_of(value)


def test_misspelt_attribute_suggests():
    with pytest.raises(AttributeError, match="did you mean Conv2d"):
        nn.Conv2D
    with pytest.raises(AttributeError, match="did you mean relu"):
        F.rleu


def test_dir_lists_names():
    assert "Conv2d" in dir(nn)
    assert "hardswish" in dir(F)
    assert {"quint8", "relu", "nn"} <= set(dir(torch))


def test_from_import_of_a_misspelt_name():
    with pytest.raises(ImportError):
        from qbackend.torch.nn import Conv2D  # noqa: F401


def test_every_name_of_the_backends_is_an_attribute(document):
    """So a configuration like it can be written with `nn.` and `F.`."""

    def names(pattern):
        for element in pattern if isinstance(pattern, list) else [pattern]:
            if isinstance(element, list):
                yield from names(element)
            elif isinstance(element, str):
                yield element

    count = 0
    for config in document["configs"]:
        found = list(names(config.get("pattern", config.get("pattern_complex_format"))))
        found += [
            config[key]
            for key in ("root_module", "qat_module", "fused_module")
            if key in config
        ]
        for name in found:
            if not name.startswith("torch."):
                assert name.split(".")[0] in ("operator", "MatchAllNode") or (
                    name.startswith("method:")
                )
                continue
            value = torch
            for part in name.split(".")[1:]:
                value = getattr(value, part)
            assert value == name
            count += 1
    assert count > 10

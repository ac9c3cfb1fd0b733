# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import copy
import pickle

import pytest
import qbackend
from qbackend import DType, QScheme


@pytest.mark.parametrize("spelling", ["quint8", "torch.quint8", "qbackend.quint8"])
def test_name_of_dtype(spelling):
    assert DType.of(spelling) is qbackend.quint8


@pytest.mark.parametrize(
    "alias, name",
    [("float", "float32"), ("half", "float16"), ("torch.double", "float64")],
)
def test_alias_is_same_object(alias, name):
    assert DType.of(alias) is getattr(qbackend, name)


def test_copies_are_the_same_object():
    for value in (qbackend.qint8, qbackend.per_channel_symmetric):
        assert copy.deepcopy(value) is value
        assert pickle.loads(pickle.dumps(value)) is value


def test_misspelt_dtype_suggests():
    with pytest.raises(ValueError, match="no dtype 'quin8': did you mean quint8"):
        DType.of("quin8")


def test_dtype_is_no_qscheme():
    with pytest.raises(TypeError, match="expected a qscheme"):
        QScheme.of(qbackend.quint8)


def test_unlike_every_name_lists_all():
    with pytest.raises(ValueError, match="per_tensor_affine, per_tensor_symmetric"):
        QScheme.of("xyz")


@pytest.mark.parametrize(
    "dtype, limits",
    [
        ("quint8", (0, 255)),
        ("qint8", (-128, 127)),
        ("quint4x2", (0, 15)),
        ("qint32", (-2147483648, 2147483647)),
        ("float32", None),
    ],
)
def test_range(dtype, limits):
    assert DType.of(dtype).quantized_range == limits


def test_scheme_properties():
    assert qbackend.per_channel_symmetric.is_per_channel
    assert qbackend.per_channel_symmetric.is_symmetric
    assert not qbackend.per_tensor_affine.is_per_channel
    assert not qbackend.per_channel_affine_float_qparams.is_symmetric


def test_repr_evaluates():
    assert eval(repr(qbackend.quint8)) is qbackend.quint8

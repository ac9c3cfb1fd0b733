# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Equalization of inputs and weights: torch.ao.quantization.fx._equalize."""

import pytest
import qbackend
from qbackend import QConfigMapping
from qbackend.torch.ao.quantization.fx import _equalize
from qbackend.torch.ao.quantization.fx._equalize import (
    _InputEqualizationObserver,
    _WeightEqualizationObserver,
)

np = pytest.importorskip("numpy", reason="NumPy isn't installed")

X = np.array([[-1.0, 0.0, 3.0], [1.0, 4.0, 3.0]], np.float32)
W = np.array([[1.0, -1.0, 0.5], [3.0, 8.0, -0.5]], np.float32)


def observed(x=X, w=W):
    inputs = _equalize.input_equalization_observer()
    weights = _equalize.weight_equalization_observer()
    assert inputs(x) is x and weights(w) is w
    return inputs, weights


def test_scale_of_each_column():
    inputs, weights = observed()
    assert inputs.get_input_minmax()[1].tolist() == [1, 4, 3]
    assert weights.get_weight_col_minmax()[0].tolist() == [1, -1, -0.5]
    scale = _equalize.calculate_equalization_scale(inputs, weights)
    # sqrt(2 / 2), sqrt(9 / 4); the last column of X is constant.
    assert scale.tolist() == [1.0, 1.5, 1.0]
    inputs.set_equalization_scale(scale)
    assert inputs.equalization_scale.shape == (1, 3)
    assert inputs.calculate_scaled_minmax() == (-1.0, 6.0)


def test_columns_of_images():
    inputs, _ = observed(np.arange(48, dtype=np.float32).reshape(2, 3, 4, 2))
    assert inputs.get_input_minmax()[0].tolist() == [0, 8, 16]
    inputs.set_equalization_scale(np.array([1.0, 2.0, 3.0]))
    assert inputs.equalization_scale.shape == (1, 3, 1, 1)


def test_columns_that_are_constant_zero():
    inputs, weights = observed(X, W * 0)
    found = _equalize.calculate_equalization_scale(inputs, weights)
    assert found.tolist() == [1.0, 1.0, 1.0]


def test_without_data():
    inputs, weights = _InputEqualizationObserver(), _WeightEqualizationObserver()
    with pytest.warns(UserWarning, match="Must run observer before"):
        scale = _equalize.calculate_equalization_scale(inputs, weights)
    assert scale == 1
    inputs.set_equalization_scale(scale)
    with pytest.warns(UserWarning, match="Will not scale the next"):
        assert inputs.calculate_scaled_minmax() == (None, None)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (
            lambda: _InputEqualizationObserver(qscheme="per_channel_affine"),
            TypeError,
            "Input qscheme must be per-tensor",
        ),
        (
            lambda: _WeightEqualizationObserver()(np.zeros(3)),
            ValueError,
            "WeightEqualizationObserver only supports Linear and Conv.*rank 1",
        ),
        (
            lambda: _equalize.calculate_equalization_scale(*observed(X[:, :2])),
            ValueError,
            "the same column dimension",
        ),
        (
            lambda: qbackend.EqualizationQConfig(_InputEqualizationObserver()),
            ValueError,
            "received observer instance",
        ),
    ],
)
def test_failures(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_mapping():
    mapping = qbackend.get_default_equalization_qconfig_mapping()
    default = _equalize.default_equalization_qconfig
    assert mapping == QConfigMapping().set_global(default)
    mapping.set_module_name("head", None).set_object_type("torch.nn.Linear", default)
    assert QConfigMapping.from_dict(mapping.to_dict()) == mapping
    assert default.input_activation().dtype is qbackend.quint8
    with pytest.raises(ValueError, match="expected a QConfig"):
        mapping.to_json()

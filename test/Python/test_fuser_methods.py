# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import operator

import pytest
import qbackend.torch as torch
import qbackend.torch.ao.nn.intrinsic as nni
from qbackend import BackendPatternConfig, FuserMethod, MatchAllNode, nn
from qbackend.configuration.fuser_methods import fuse_conv_bn, fuser_method_of, sequential_wrapper2

CONV_BN = (nn.Conv2d, nn.BatchNorm2d)
CONV_RELU = (nn.Conv2d, nn.ReLU)
PAIRS = "sequential_wrapper2(torch.ao.nn.intrinsic.ConvReLU2d)"


def test_names():
    assert fuse_conv_bn == "fuse_conv_bn"
    assert sequential_wrapper2(nni.ConvReLU2d) == PAIRS
    assert FuserMethod("_sequential_wrapper2(torch.nn.intrinsic.ConvReLU2d)") == PAIRS
    assert FuserMethod(PAIRS).method == "sequential_wrapper2"
    assert FuserMethod(PAIRS).argument == nni.ConvReLU2d


def test_function_that_pairs():
    def fuse(is_qat, conv, relu):
        return nni.ConvReLU2d(conv, relu)

    assert fuser_method_of(fuse, CONV_RELU) == PAIRS


def test_function_that_passes_on():
    assert fuser_method_of(lambda *args: fuse_conv_bn(*args), CONV_BN) == "fuse_conv_bn"


def test_function_with_operators_exchanged():
    with pytest.raises(ValueError, match="in the order of execution"):
        fuser_method_of(lambda is_qat, conv, relu: nni.ConvReLU2d(relu, conv), CONV_RELU)


def test_function_that_computes():
    with pytest.raises(ValueError, match="fails on stand-ins.*AttributeError"):
        fuser_method_of(lambda is_qat, conv, bn: conv.weight * bn.weight, CONV_BN)


def test_function_of_other_arity():
    with pytest.raises(ValueError, match="fails on stand-ins.*TypeError"):
        fuser_method_of(lambda is_qat, conv: conv, CONV_BN)


@pytest.mark.parametrize("name", ["", "fuse conv", "f(a b)", "f(x))"])
def test_bad_name(name):
    with pytest.raises(ValueError, match="is no fuser method"):
        FuserMethod(name)


def test_argument_comes_from_the_fused_module():
    def config(method):
        return (
            BackendPatternConfig((nn.Conv2d, nn.ReLU))
            .set_fused_module(nni.ConvReLU2d)
            .set_fuser_method(method)
        )

    assert config("sequential_wrapper2") == config(PAIRS)
    assert config("sequential_wrapper2") == config(
        lambda is_qat, conv, relu: nni.ConvReLU2d(conv, relu)
    )
    assert config("sequential_wrapper2") != config("fuse_conv_bn")


def test_function_is_kept_as_it_is():
    def fuse(is_qat, conv, bn):
        return conv.weight

    config = BackendPatternConfig((nn.Conv2d, nn.BatchNorm2d)).set_fuser_method(fuse)
    assert config.fuser_method is fuse
    assert config == BackendPatternConfig((nn.Conv2d, nn.BatchNorm2d)).set_fuser_method(fuse)


def test_copies_of_pytorchs_functions():
    """They look at classes and weights, which stand-ins don't have."""

    def _fuse_linear_bn_leaky_relu(is_qat, linear, bn, leaky_relu):
        return {nn.Linear: 1}[type(linear)]

    def _fuse_conv_add_left(is_qat, add, conv, _):
        raise AssertionError("never called with one operand")

    linear = (nn.Linear, nn.BatchNorm1d, nn.LeakyReLU)
    for method, operators in (
        (_fuse_linear_bn_leaky_relu, linear),
        (_fuse_conv_add_left, nn.Conv2d),
    ):
        name = method.__name__.lstrip("_")
        with pytest.warns(UserWarning, match=f"taken for PyTorch's {name}"):
            assert fuser_method_of(method, operators) == name

    def fuse_mine(is_qat, linear, bn):
        return linear.weight

    with pytest.raises(ValueError, match="fuse_mine can't be understood"):
        fuser_method_of(fuse_mine, (nn.Linear, nn.BatchNorm1d))


def join_all(is_qat, conv, bn, relu):
    return nni.ConvReLU2d(fuse_conv_bn(is_qat, conv, bn), relu)


def leave_bn(is_qat, conv, bn, relu):
    return nni.ConvReLU2d(conv, relu)


@pytest.mark.parametrize("method", [join_all, leave_bn])
def test_three_operators(method):
    assert fuser_method_of(method, (*CONV_BN, nn.ReLU)) == "fuse_conv_bn_relu"


def test_an_operator_that_is_lost():
    with pytest.raises(ValueError, match="in the order of execution"):
        fuser_method_of(lambda is_qat, conv, relu: nni.ConvReLU2d(conv), CONV_RELU)


def right(is_qat, relu, add_pattern):
    """The fuser method of PyTorch's description of BackendConfig."""
    _, _, bn_pattern = add_pattern
    bn, conv = bn_pattern
    return nni.ConvReLU2d(conv, relu)


def left(is_qat, relu, add_pattern):
    add, (bn, conv), _ = add_pattern
    return nni.ConvAddReLU2d(fuse_conv_bn(is_qat, conv, bn), add, relu)


def of_pair(is_qat, add, bn_pattern, extra):
    return nni.ConvAdd2d(bn_pattern[1], add)


@pytest.mark.parametrize(
    "pattern, method, name",
    [
        (
            (nn.ReLU, (operator.add, MatchAllNode, (nn.BatchNorm2d, nn.Conv2d))),
            right,
            "fuse_conv_bn_add_relu_right",
        ),
        (
            (nn.ReLU, (torch.add, (nn.BatchNorm2d, nn.Conv2d), MatchAllNode)),
            left,
            "fuse_conv_bn_add_relu_left",
        ),
        (
            (operator.add, (nn.BatchNorm2d, nn.Conv2d), MatchAllNode),
            of_pair,
            "fuse_conv_bn_add_left",
        ),
        ((nn.ReLU, nn.Conv2d), lambda q, relu, conv: nni.ConvReLU2d(conv, relu), PAIRS),
    ],
)
def test_nested_patterns(pattern, method, name):
    """PyTorch calls `f(is_qat, *pattern)`, an operator before its operands."""
    config = BackendPatternConfig()._set_pattern_complex_format(pattern)
    assert config.set_fuser_method(method).fuser_method_name() == name


def test_nested_pattern_that_fails_says_the_call():
    config = BackendPatternConfig()._set_pattern_complex_format(
        (nn.ReLU, (operator.add, MatchAllNode, nn.Conv2d))
    )
    config.set_fuser_method(lambda is_qat, conv, relu, add: nni.ConvReLU2d(conv, relu))
    with pytest.raises(ValueError, match=r"called as f\(False, torch.nn.ReLU, \(.*Conv2d\)\)"):
        config.fuser_method_name()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pytest
import qbackend.torch.ao.nn.intrinsic as nni
from qbackend import BackendPatternConfig, FuserMethod, nn
from qbackend.configuration.fuser_methods import fuse_conv_bn, fuser_method_of, sequential_wrapper2

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

    assert fuser_method_of(fuse, 2) == PAIRS


def test_function_that_passes_on():
    assert fuser_method_of(lambda *args: fuse_conv_bn(*args), 2) == "fuse_conv_bn"


def test_function_with_operators_exchanged():
    with pytest.raises(ValueError, match="called with the two operators in order"):
        fuser_method_of(lambda is_qat, conv, relu: nni.ConvReLU2d(relu, conv), 2)


def test_function_that_computes():
    with pytest.raises(ValueError, match="fails on stand-ins.*AttributeError"):
        fuser_method_of(lambda is_qat, conv, bn: conv.weight * bn.weight, 2)


def test_function_of_other_arity():
    with pytest.raises(ValueError, match="fails on stand-ins.*TypeError"):
        fuser_method_of(lambda is_qat, conv: conv, 2)


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

    for method, operators in ((_fuse_linear_bn_leaky_relu, 3), (_fuse_conv_add_left, 1)):
        name = method.__name__.lstrip("_")
        with pytest.warns(UserWarning, match=f"taken for PyTorch's {name}"):
            assert fuser_method_of(method, operators) == name

    def fuse_mine(is_qat, linear, bn):
        return linear.weight

    with pytest.raises(ValueError, match="fuse_mine can't be understood"):
        fuser_method_of(fuse_mine, 2)

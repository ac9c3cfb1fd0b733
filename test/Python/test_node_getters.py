# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import operator

import pytest
from qbackend import BackendPatternConfig, MatchAllNode, nn
from qbackend.configuration.node_getters import (
    ExtraInputsGetter,
    RootNodeGetter,
    extra_inputs_getter_of,
    root_node_getter_of,
)

ADD = (nn.ReLU, (operator.add, (nn.BatchNorm2d, nn.Conv2d), MatchAllNode))


# As PyTorch's oneDNN configuration has them.
def root(pattern):
    relu, add_pattern = pattern
    _, bn_conv, _ = add_pattern
    bn, conv = bn_conv
    return conv


def extra(pattern):
    _, add_pattern = pattern
    _, bn_conv, extra_input = add_pattern
    return [extra_input]


def test_functions_become_paths():
    config = BackendPatternConfig()._set_pattern_complex_format(ADD)
    config._set_root_node_getter(root)._set_extra_inputs_getter(extra)
    assert config.root_node_path() == RootNodeGetter([0, 0, 0])
    assert config.extra_input_paths() == ExtraInputsGetter([[0, 1]])
    assert config._root_node_getter is root


def test_paths_do_what_the_functions_do():
    nodes = ("relu", ("add", ("bn", "conv"), "other"))
    assert RootNodeGetter([0, 0, 0])(nodes) == root(nodes) == "conv"
    assert ExtraInputsGetter([[0, 1]])(nodes) == extra(nodes) == ["other"]
    assert RootNodeGetter([])(nodes) == "relu"
    assert RootNodeGetter([0])(nodes) == "add"


def test_equal_if_they_find_the_same():
    def config(getter):
        return (
            BackendPatternConfig()
            ._set_pattern_complex_format(ADD)
            ._set_root_node_getter(getter)
        )

    assert config(root) == config([0, 0, 0]) == config(lambda p: p[1][1][1])
    assert config(root) != config([0, 0])
    assert config(root) != config(None)


def test_single_operator():
    assert root_node_getter_of(lambda node: node, nn.ReLU) == RootNodeGetter([])


@pytest.mark.parametrize(
    "getter, message",
    [
        (lambda pattern: pattern[9], "fails on stand-ins.*IndexError"),
        (lambda pattern: pattern[0].args[0], "fails on stand-ins.*AttributeError"),
        (lambda pattern: None, "returns None, expected a node"),
        (lambda pattern: pattern[1], "expected a node"),
    ],
)
def test_not_understood(getter, message):
    with pytest.raises(ValueError, match=message):
        root_node_getter_of(getter, BackendPatternConfig()._set_pattern_complex_format(ADD).complex_format)


def test_extra_inputs_are_a_list():
    with pytest.raises(ValueError, match="expected a list of nodes"):
        extra_inputs_getter_of(lambda pattern: pattern[0], (nn.ReLU, nn.Linear))


@pytest.mark.parametrize("path", [3, [-1], ["0"], [True], None])
def test_bad_path(path):
    with pytest.raises(ValueError, match="expected a list of operand indices"):
        RootNodeGetter(path)


def test_neither_function_nor_path():
    with pytest.raises(ValueError, match="root_node_getter is 'name', expected a func"):
        BackendPatternConfig(nn.ReLU)._set_root_node_getter("name")


def test_default_getter_is_a_path_too():
    from qbackend.configuration.node_getters import default_root_node_getter, root_node_getter_of

    assert default_root_node_getter(("relu", ("bn", "conv"))) == "conv"
    assert default_root_node_getter("conv") == "conv"
    pattern = ("torch.nn.ReLU", ("torch.nn.BatchNorm2d", "torch.nn.Conv2d"))
    found = root_node_getter_of(default_root_node_getter, pattern)
    assert found == RootNodeGetter([0, 0])

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the writers share: layouts, and the walk over a network.

In a channels-last text (`layout=nhwc`) every image has its channels at the end,
also those that come in and go out.
"""

import math

import numpy as np

from emitter import Emitter, Value
from expression import Expression, leaf, parameter

TO_LAST = {r: (0, *range(2, r), 1) for r in range(2, 6)}
TO_FIRST = {r: (0, r - 1, *range(1, r - 1)) for r in range(2, 6)}


def permuted(shape, permutation):
    return tuple(shape[i] for i in permutation)


class Writer:
    def __init__(self, text, style, dynamic=False):
        self.text, self.style = text, style
        self.last = style("layout") == "nhwc"
        self.dynamic = dynamic
        self.batches = {}

    # Layouts.

    def moved(self, node):
        return self.last and node.image and len(node.shape) > 2

    def split_pixels(self, node, x):
        """The shape in which a pixel_unshuffle has its factors, and their order in
        the result."""
        f = node.factor
        n, (_, c, h, w) = x.shape[0], node.inputs[0].shape
        order = (0, 1, 3, 5, 2, 4)
        if self.moved(node):
            return (n, h // f, f, w // f, f, c), order
        return (n, c, h // f, f, w // f, f), order

    def has_batch(self, node):
        """Whether `node` is computed from an argument, whose batch may be any."""
        if node not in self.batches:
            inputs = getattr(node, "inputs", None)
            self.batches[node] = node.op == "input" or inputs is None or any(
                map(self.has_batch, inputs))
        return self.batches[node]

    def shape(self, node):
        """The shape in the text."""
        shape = tuple(node.shape)
        if self.dynamic and self.has_batch(node):
            shape = (None, *shape[1:])
        return permuted(shape, TO_LAST[len(shape)]) if self.moved(
            node) else shape

    def axis(self, node, axis):
        """Where dimension `axis` of the network is in the text."""
        if not self.moved(node):
            return axis
        return TO_LAST[len(node.shape)].index(axis)

    def channels(self, node):
        return self.axis(node, 1)

    def order(self, node):
        """The permutation of the text for one of the network."""
        source = node.inputs[0]
        order = [self.axis(source, axis) for axis in node.permutation]
        if self.moved(node):
            order = permuted(order, TO_LAST[len(order)])
        return tuple(order)

    def write_constant(self, node):
        data = node.parameters["data"]
        if self.moved(node):
            data = data.transpose(TO_LAST[data.ndim])
        return self.constant(np.ascontiguousarray(data))

    def constant(self, array):
        return self.text.constant(array)

    # The walk.

    def input(self, node):
        value = self.text.argument(self.shape(node), node.element)
        if self.text.batch is None and self.dynamic:
            zero = self.text.name()
            self.text.line(f"{zero} = arith.constant 0 : index")
            self.text.batch = self.text.name()
            self.text.line(f"{self.text.batch} = tensor.dim {value.name}, "
                           f"{zero} : {value.type}")
        return value

    def write_node(self, node, values):
        inputs = [values[x] for x in node.inputs]
        for node_, value in zip(node.inputs, inputs):
            assert value.shape == self.shape(node_), (node_.op, value)
        value = getattr(self, "write_" + node.op)(node, *inputs)
        assert value.shape == self.shape(node), (node.op, value,
                                                 self.shape(node))
        return value


def write_module(network, style, writers, dynamic=False, function="main"):
    """`writers` are classes; the style's `dialect` draws one for each node."""
    text = Emitter(style)
    made = {name: make(text, style, dynamic)
            for name, make in writers.items()}
    values = {}
    any_writer = next(iter(made.values()))
    for node in network.nodes:
        if node.op == "input":
            values[node] = any_writer.input(node)
            continue
        writer = any_writer
        if len(made) > 1:
            writer = made[style("dialect")]
        values[node] = writer.write_node(node, values)
    return text.module(function, values[network.result])


def to_layout(node, array):
    """An array of the network in a channels-last text, and back."""
    if not node.image or array.ndim < 3:
        return array
    return array.transpose(TO_LAST[array.ndim])


def from_layout(node, array):
    if not node.image or array.ndim < 3:
        return array
    return array.transpose(TO_FIRST[array.ndim])

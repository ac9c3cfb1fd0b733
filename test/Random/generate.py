# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random networks over the operators that the writers of test/Spellings know.

A network is drawn from a seed: images of one to three dimensions or rows, with
branches that join again, values that are read several times, one value as both
operands, weights that two operators share, and one result or several.
"""

import pathlib
import random
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Spellings"))

from emitter import Emitter
from linalg_writer import LinalgWriter
from network import Network
from style import Style
from tosa_writer import TosaWriter

UNARY = ["relu", "relu", "relu", "relu6", "hardtanh", "sigmoid", "tanh",
         "hardsigmoid", "hardswish", "silu", "gelu", "dropout"]


class Builder:
    """Draws operators until there are enough."""

    def __init__(self, seed, batch):
        self.random = random.Random(f"network {seed}")
        self.net = Network(seed, batch)
        self.values = []

    def pick(self, accepts=lambda x: True):
        """A value, more likely a late one; None if none is accepted."""
        found = [x for x in self.values if accepts(x)]
        if not found:
            return None
        return found[-1 - min(int(self.random.expovariate(0.7)), len(found) - 1)]

    def image(self, *ranks):
        return self.pick(lambda x: x.image and len(x.shape) in (ranks or (3, 4, 5))
                         and min(x.shape[2:]) >= 1)

    def grid(self):
        return self.pick(lambda x: x.image and len(x.shape) == 4)

    def rows(self):
        return self.pick(lambda x: not x.image and len(x.shape) in (2, 3))

    def share(self, node):
        """Gives `node` the parameters of an earlier one, if one has such."""
        if self.random.random() > 0.3:
            return node
        shapes = lambda n: {k: v.shape for k, v in n.parameters.items()}
        for other in self.net.nodes:
            if other is not node and other.op == node.op and \
                    shapes(other) == shapes(node):
                node.parameters = other.parameters
                break
        return node

    # One operator each; None if there is nothing to apply it to.

    def conv(self):
        x = self.image()
        if x is None:
            return None
        rank, channels = len(x.shape) - 2, x.shape[1]
        kernel = tuple(self.random.choice([1, 1, 3]) for _ in range(rank))
        padding = tuple(k // 2 for k in kernel)
        groups = self.random.choice([1, 1, 1, channels]) if rank < 3 else 1
        out = channels if groups > 1 else self.random.choice([2, 3, 4])
        y = self.share(self.net.conv(x, out, kernel, padding=padding, groups=groups,
                                     bias=self.random.random() < 0.7))
        if self.random.random() < 0.35:
            y = self.net.batch_norm(y)
        if self.random.random() < 0.4:
            y = self.net.unary("relu", y)
        return y

    def conv_transpose(self):
        x = self.image(3, 4)
        if x is None or max(x.shape[2:]) > 8:
            return None
        y = self.net.conv_transpose(x, self.random.choice([2, 3]),
                                    2, stride=self.random.choice([1, 2]),
                                    bias=self.random.random() < 0.7)
        return self.net.batch_norm(y) if self.random.random() < 0.3 else y

    def linear(self):
        x = self.rows()
        if x is None:
            return None
        y = self.share(self.net.linear(x, self.random.choice([3, 4, 6]),
                                       bias=self.random.random() < 0.7))
        return self.net.unary("relu", y) if self.random.random() < 0.4 else y

    def unary(self):
        x = self.pick()
        kind = self.random.choice(UNARY + ["clamp", "elu", "leaky_relu"])
        attributes = {"clamp": {"low": -0.5, "high": 2.0}, "elu": {"alpha": 1.0},
                      "leaky_relu": {"slope": 0.125}}.get(kind, {})
        return self.net.unary(kind, x, **attributes)

    def binary(self):
        x = self.pick()
        same = [y for y in self.values if y.shape == x.shape and y.image == x.image]
        y = self.net._binary(self.random.choice(["add", "add", "mul", "sub"]), x,
                             self.random.choice(same))
        return self.net.unary("relu", y) if self.random.random() < 0.3 else y

    def scalar(self):
        kind = self.random.choice([self.net.add_scalar, self.net.mul_scalar])
        y = kind(self.pick(), self.random.choice([0.5, 3.0, -1.5, 0.25]))
        return self.net.unary("relu", y) if self.random.random() < 0.2 else y

    def cat(self):
        x = self.pick(lambda x: len(x.shape) > 1)
        axis = 1 if x.image else len(x.shape) - 1
        fits = [y for y in self.values if y.image == x.image
                and len(y.shape) == len(x.shape)
                and y.shape[:axis] == x.shape[:axis]
                and y.shape[axis + 1:] == x.shape[axis + 1:]]
        xs = [x] + [self.random.choice(fits)
                    for _ in range(self.random.choice([1, 1, 2]))]
        if sum(y.shape[axis] for y in xs) > 16:
            return None
        return self.net.cat(xs, axis)

    def pool(self):
        x = self.pick(lambda x: x.image and len(x.shape) in (3, 4)
                      and min(x.shape[2:]) >= 2)
        if x is None:
            return None
        kind = self.random.choice([self.net.max_pool, self.net.avg_pool])
        return kind(x, 2, self.random.choice([1, 2]))

    def global_pool(self):
        x = self.grid()
        return x and self.net.global_pool(x)

    def mean(self):
        x = self.grid()
        return x and self.net.mean(x, [2, 3], keepdim=self.random.random() < 0.5)

    def flatten(self):
        x = self.image()
        if x is None or np.prod(x.shape[1:]) > 64:
            return None
        return self.net.flatten(x)

    def softmax(self):
        x = self.rows()
        kind = self.random.choice([self.net.softmax, self.net.softmax,
                                   self.net.log_softmax])
        return x and kind(x)

    def matmul(self):
        x = self.pick(lambda x: not x.image and len(x.shape) == 3)
        return x and self.net.matmul(x, self.net.permute(x, 0, 2, 1))

    def norm(self):
        x = self.random.choice([self.rows(), self.grid()])
        if x is None:
            return None
        if not x.image:
            return getattr(self.net, self.random.choice(
                ["layer_norm", "layer_norm", "rms_norm"]))(x)
        if x.shape[1] % 2 == 0 and self.random.random() < 0.3:
            return self.net.group_norm(x, 2)
        kind = self.random.choice(["batch_norm", "instance_norm", "prelu"])
        return getattr(self.net, kind)(x)

    def narrow(self):
        x = self.pick(lambda x: len(x.shape) > 1 and x.shape[1] >= 2)
        return x and self.net.narrow(x, 1, self.random.choice([0, 1]),
                                     x.shape[1] - 1)

    def pad(self):
        x = self.grid()
        if x is None or max(x.shape[2:]) > 8:
            return None
        return self.net.pad(x, (0, 0, 1, 0), (0, 0, 0, 1))

    def shuffle(self):
        x = self.grid()
        if x is None:
            return None
        if min(x.shape[2:]) < 2:
            return None
        if self.random.random() < 0.5 and max(x.shape[2:]) <= 6:
            return self.net.pixel_shuffle(self.net.conv(x, 8, 1), 2)
        if x.shape[1] % 2 == 0:
            return self.net.channel_shuffle(x, 2)
        return None

    def resize(self):
        x = self.grid()
        if x is None or max(x.shape[2:]) > 6:
            return None
        return self.net.resize(x, 2, self.random.choice(["nearest", "bilinear"]))

    def view(self):
        x = self.pick(lambda x: not x.image and len(x.shape) == 2)
        if x is None:
            return None
        return self.net.reshape(x, x.shape[0], 1, x.shape[1])

    def permute(self):
        x = self.pick(lambda x: not x.image and len(x.shape) == 3)
        return x and self.net.permute(x, 0, 2, 1)

    def embedding(self):
        x = self.net.input(1, self.random.choice([2, 3]), image=False,
                           element="i64", limit=5)
        return self.net.embedding(x, 5, self.random.choice([3, 4]))

    CHOICES = {conv: 9, unary: 8, binary: 5, scalar: 2, cat: 4, pool: 3, linear: 5,
               conv_transpose: 1, global_pool: 1, mean: 1, flatten: 2, softmax: 1,
               norm: 2, narrow: 1, pad: 1, shuffle: 1, resize: 1, view: 1,
               permute: 1, matmul: 1, embedding: 0.3}

    def build(self):
        kind = self.random.random()
        if kind < 0.65:
            shape, image = (1, 3, 6, 5), True
        elif kind < 0.75:
            shape, image = (1, 2, 9), True
        elif kind < 0.8:
            shape, image = (1, 2, 3, 4, 3), True
        else:
            shape, image = (1, 6), False
        for _ in range(self.random.choice([1, 1, 2])):
            self.values.append(self.net.input(*shape, image=image))
        makers, weights = zip(*self.CHOICES.items())
        size = self.random.choice([2, 4, 7, 12])
        made = 0
        while made < size:
            value = self.random.choices(makers, weights)[0](self)
            if value is not None:
                self.values.append(value)
                made += 1
        results = [self.values[-1]]
        for value in self.random.sample(self.values, self.random.choice([0, 0, 1, 2])):
            if value.op != "input" and value not in results:
                results.append(value)
        self.net.results = results
        return self.net


def build(seed, batch=1):
    """The network of `seed`; `results` are its results. It is the same for each
    `batch`."""
    return Builder(seed, batch).build()


#===----------------------------------------------------------------------===#
# Text
#===----------------------------------------------------------------------===#


def _live(network):
    nodes, pending = set(), list(network.results)
    while pending:
        node = pending.pop()
        if node not in nodes:
            nodes.add(node)
            pending += node.inputs
    return nodes


def _known(network):
    """Nodes that are the same numbers for any input: a value minus itself, and what is
    computed from such nodes alone."""
    known, sources = set(), {}
    for node in network.nodes:
        inputs = [sources[x] for x in node.inputs]
        sources[node] = inputs[0] if node.op == "dropout" else node
        if inputs and (node.op == "sub" and inputs[0] is inputs[1] or
                       all(x in known for x in inputs)):
            known.add(node)
    return known


class Text:
    """The function of a network: `lines`, and `names` of operators."""

    def __init__(self, network, function, dialect, style, dynamic):
        # TOSA has no transposed convolution of one dimension.
        if any(n.op == "conv_transpose" and len(n.shape) == 3
               for n in network.nodes):
            dialect = "linalg"
        emitter = Emitter(style)
        writer = {"linalg": LinalgWriter, "tosa": TosaWriter}[dialect](
            emitter, emitter.style, dynamic)
        live, known, values, self.names = _live(network), _known(network), {}, []
        for number, node in enumerate(network.nodes):
            if node.op == "input":
                values[node] = writer.input(node)
            elif node in live:
                first = len(emitter.lines)
                values[node] = writer.write_node(node, values)
                if dialect == "tosa":
                    name = f"{function}.{node.op}{number}"
                    self._locate(emitter.lines, first, name)
                    # A square is part of a variance, and no operator; nor is what
                    # adds a zero, or multiplies by one.
                    if node.op in ("conv", "linear", "add", "mul") and \
                            not known.intersection(node.inputs) and \
                            not (node.op == "mul" and node.inputs[0] is node.inputs[1]):
                        self.names.append(name)
        results = [values[node] for node in network.results]
        arguments = ", ".join(
            f"{a.name}: {a.type}" + (
                " {qbackend.range = array<f64: -2.0, 2.0>}"
                if a.element == "f32" else "") for a in emitter.arguments)
        types = ", ".join(str(value.type) for value in results)
        self.lines = [
            f"func.func @{function}({arguments}) -> ({types}) {{",
            *[f"  {line}" for line in emitter.lines],
            f"  return {', '.join(v.name for v in results)} : {types}", "}"]

    @staticmethod
    def _locate(lines, first, name):
        """The ops of an operator, but constants that others share, are there."""
        for i in range(first, len(lines)):
            if lines[i].startswith("%") and "tosa.const" not in lines[i] \
                    and lines[i].rstrip()[-1] in ">)":
                lines[i] += f' loc("{name}")'


# One function of several, whose inputs and constants are its own.
FIXED = {"layout": "nchw", "weights": "dense"}
# Norms without an eps, and moments of one row, are left to test/Spellings.
ALLOWED = {"batch_norm": ["fused", "decomposed", "sqrt_div", "full"],
           "norm": ["torch", "sqrt"]}


def write(network, function, dialect, mixed=False, dynamic=False):
    """`mixed` draws how each operator is spelled; `dynamic` is for any batch."""
    style = Style(function, FIXED, function if mixed else None, mixed, ALLOWED)
    return Text(network, function, dialect, style, dynamic)

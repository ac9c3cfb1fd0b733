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
RARE = {"clamp": {"low": -0.5, "high": 2.0}, "elu": {"alpha": 1.0},
        "celu": {"alpha": 1.5}, "leaky_relu": {"slope": 0.125}, "selu": {},
        "softplus": {}, "mish": {}, "quick_gelu": {}, "gelu_tanh": {}, "neg": {},
        "sin": {}, "cos": {}, "pow3": {}}


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
        return self.pick(lambda x: not x.image and len(x.shape) in (2, 3, 4))

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

    def windows(self, x, kernels):
        """Kernel, strides, dilations and padding that leave a pixel of `x`. A kernel
        may be larger than the image, and a stride than the kernel."""
        result = {"kernel": [], "stride": [], "dilation": [], "padding": []}
        for extent in x.shape[2:]:
            kernel = self.random.choice(kernels)
            stride = self.random.choice([1, 1, 1, 1, 2, 3])
            dilation = self.random.choice([1, 1, 1, 2]) if extent > 1 else 1
            span = (kernel - 1) * dilation + 1
            padding = self.random.choice([
                (0, 0), (kernel // 2,) * 2, (kernel // 2,) * 2,
                (self.random.randrange(kernel), self.random.randrange(kernel))])
            missing = max(0, span - extent - sum(padding))
            padding = (padding[0] + missing // 2, padding[1] + missing - missing // 2)
            for key, value in zip(result, (kernel, stride, dilation, padding)):
                result[key].append(value)
        return result

    def groups(self, channels):
        fits = [n for n in range(2, channels) if channels % n == 0]
        return self.random.choice([1, 1, 1, 1, channels, *fits[:1]])

    def conv(self):
        x = self.image()
        if x is None:
            return None
        rank, channels = len(x.shape) - 2, x.shape[1]
        window = self.windows(x, [1, 1, 2, 3, 3] if rank < 3 else [1, 1, 3])
        groups = self.groups(channels)
        out = groups * self.random.choice([1, 1, 2]) if groups > 1 else \
            self.random.choice([1, 2, 3, 4])
        y = self.share(self.net.conv(x, min(out, 2 * channels), groups=groups,
                                     bias=self.random.random() < 0.7, **window))
        if self.random.random() < 0.35:
            y = self.net.batch_norm(y)
        if self.random.random() < 0.4:
            y = self.net.unary("relu", y)
        return y

    def conv_transpose(self):
        x = self.image()
        if x is None or max(x.shape[2:]) > 8:
            return None
        rank, groups = len(x.shape) - 2, self.random.choice([1, 1, x.shape[1]])
        draw = lambda *choices: [self.random.choice(choices) for _ in range(rank)]
        kernel, stride, dilation = draw(1, 2, 3), draw(1, 2), draw(1, 1, 1, 2)
        padding = [self.random.choice([0, min((k - 1) * d, (e - 1) * s) // 2])
                   for k, s, d, e in zip(kernel, stride, dilation, x.shape[2:])]
        extra = [self.random.choice([0, s - 1]) for s in stride]
        y = self.net.conv_transpose(
            x, groups * self.random.choice([1, 2] if groups > 1 else [1, 2, 3]),
            kernel, stride, padding, extra, self.random.random() < 0.7, dilation,
            groups)
        return self.net.batch_norm(y) if self.random.random() < 0.3 else y

    def linear(self):
        x = self.rows()
        if x is None:
            return None
        y = self.share(self.net.linear(x, self.random.choice([3, 4, 6]),
                                       bias=self.random.random() < 0.7))
        return self.net.unary("relu", y) if self.random.random() < 0.4 else y

    def unary(self):
        kind = self.random.choice(UNARY + [*RARE][:4] * 2 + [*RARE])
        return self.net.unary(kind, self.pick(), **RARE.get(kind, {}))

    def binary(self):
        """Of one shape, or one that is repeated for the other: an activation, or
        numbers that are no weight."""
        x = self.pick()
        same = [y for y in self.values if y.image == x.image
                and (y.shape == x.shape or len(y.shape) == len(x.shape) > 2
                     and all(a in (1, b) for a, b in zip(y.shape, x.shape)))]
        y = self.random.choice(same)
        if self.random.random() < 0.1:
            y = self.net.random(1, *[self.random.choice([1, n])
                                     for n in x.shape[1:]], image=x.image)
        if self.random.random() < 0.1:
            positive = self.net.add_scalar(self.net.unary("sigmoid", y), 0.5)
            return self.net.div(x, positive)
        kind, xs = self.random.choice(["add", "add", "mul", "sub"]), [x, y]
        self.random.shuffle(xs)
        y = self.net._binary(kind, *xs)
        return self.net.unary("relu", y) if self.random.random() < 0.3 else y

    def scalar(self):
        kind = self.random.choice(["add_scalar", "add_scalar", "mul_scalar",
                                   "mul_scalar", "sub_scalar", "rsub_scalar"])
        y = self.net.unary(kind, self.pick(),
                           number=self.random.choice([0.5, 3.0, -1.5, 0.25]))
        return self.net.unary("relu", y) if self.random.random() < 0.2 else y

    def cat(self):
        x = self.pick(lambda x: len(x.shape) > 1)
        axis = 1 if x.image else len(x.shape) - 1
        if self.random.random() < 0.3:
            axis = self.random.randrange(1, len(x.shape))
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
        x = self.image()
        if x is None:
            return None
        window = self.windows(x, [1, 2, 2, 3])
        # A window has a pixel of the image.
        extents = x.shape[2:]
        window["kernel"] = [min(k, n) for k, n in zip(window["kernel"], extents)]
        window["padding"] = [tuple(min(n, k - 1) for n in pad) for k, pad in
                             zip(window["kernel"], window["padding"])]
        if self.random.random() < 0.7 or any(
                (k - 1) * d >= n for k, d, n in
                zip(window["kernel"], window["dilation"], extents)):
            window["dilation"] = 1
        if self.random.random() < 0.5:
            return self.net.max_pool(x, **window)
        del window["dilation"]
        return self.net.avg_pool(x, **window,
                                 count_pad=self.random.random() < 0.5)

    def global_pool(self):
        x = self.image()
        return x and self.net.global_pool(x)

    def reduction(self):
        x = self.pick(lambda x: len(x.shape) > 1)
        if x is None:
            return None
        axes = list(range(1, len(x.shape)))
        axes = sorted(self.random.sample(axes, self.random.randint(1, len(axes))))
        if x.image and self.random.random() < 0.5:
            axes = list(range(2, len(x.shape)))
        kind = self.random.choice(["mean", "mean", "mean", "sum", "amax"])
        y = getattr(self.net, kind)(x, axes, keepdim=self.random.random() < 0.5)
        return y if len(y.shape) > 1 else self.net.reshape(y, y.shape[0], 1)

    def flatten(self):
        x = self.image()
        if x is None or np.prod(x.shape[1:]) > 64:
            return None
        return self.net.flatten(x)

    def softmax(self):
        x = self.pick(lambda x: len(x.shape) in (2, 3, 4))
        if x is None:
            return None
        axis = -1 if self.random.random() < 0.6 else \
            self.random.randrange(1, len(x.shape))
        return getattr(self.net, self.random.choice(
            ["softmax", "softmax", "log_softmax"]))(x, axis)

    def matmul(self):
        x = self.pick(lambda x: not x.image and len(x.shape) == 3)
        if x is None:
            return None
        others = [y for y in self.values if not y.image and len(y.shape) == 3
                  and y.shape[1] == x.shape[2]]
        if others and self.random.random() < 0.5:
            return self.net.matmul(x, self.random.choice(others))
        return self.net.matmul(x, self.net.permute(x, 0, 2, 1))

    def attention(self):
        """Of rows, or of the pixels of an image, with a mask or not."""
        x = self.pick(lambda x: len(x.shape) == (4 if x.image else 3)
                      and np.prod(x.shape[1:]) <= 128)
        if x is None:
            return None
        rows = self.net.permute(self.net.reshape(
            x, x.shape[0], x.shape[1], int(np.prod(x.shape[2:]))), 0, 2, 1) \
            if x.image else x
        heads, width = self.random.choice([1, 2]), self.random.choice([2, 3])
        count = rows.shape[1]
        q, k, v = (self.net.permute(self.net.reshape(
            self.net.linear(rows, heads * width, self.random.random() < 0.5),
            rows.shape[0], count, heads, width), 0, 2, 1, 3) for _ in range(3))
        scores = self.net.mul_scalar(
            self.net.matmul(q, self.net.permute(k, 0, 1, 3, 2)), width**-0.5)
        if self.random.random() < 0.3:
            mask = np.triu(np.full((1, 1, count, count), -10.0), 1)
            scores = self.net.add(scores, self.net.constant(mask))
        y = self.net.permute(self.net.matmul(self.net.softmax(scores), v), 0, 2, 1, 3)
        y = self.net.reshape(y, rows.shape[0], count, heads * width)
        y = self.net.linear(y, rows.shape[2])
        return self.net.add(rows, y) if self.random.random() < 0.7 else y

    def norm(self):
        # Of several elements: the norm of one is a constant.
        x = self.pick(lambda x: len(x.shape) > 1 and
                      np.prod(x.shape[2:] if x.image else x.shape[-1:]) > 1)
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
        x = self.pick(lambda x: len(x.shape) > 1)
        axis = self.random.choice([1, len(x.shape) - 1]) if x else 0
        if x is None or x.shape[axis] < 2:
            return None
        extent = x.shape[axis]
        if extent % 2 == 0 and self.random.random() < 0.3:
            return self.net.narrow(x, axis, self.random.choice([0, 1]),
                                   extent // 2, 2)
        length = self.random.randrange(1, extent)
        return self.net.narrow(x, axis, self.random.randint(0, extent - length),
                               length)

    def pad(self):
        x = self.image()
        if x is None or max(x.shape[2:]) > 8:
            return None
        most = [0, self.random.choice([0, 0, 1]), *[1] * (len(x.shape) - 2)]
        low, high = ([self.random.randint(0, n) for n in most] for _ in range(2))
        return self.net.pad(x, low, high,
                            self.random.choice([0.0, 0.0, 0.0, 1.0, -0.5]))

    def shuffle(self):
        x = self.grid()
        if x is None:
            return None
        n, c, h, w = x.shape
        found = []
        if max(h, w) <= 6:
            found.append(lambda: self.net.pixel_shuffle(
                x if c % 4 == 0 else self.net.conv(x, 8, 1), 2))
        if h % 2 == 0 and w % 2 == 0:
            found.append(lambda: self.net.pixel_unshuffle(x, 2))
        fits = [g for g in range(2, c) if c % g == 0]
        if fits:
            found.append(lambda: self.net.channel_shuffle(x,
                                                          self.random.choice(fits)))
        return found and self.random.choice(found)() or None

    def resize(self):
        x = self.grid()
        if x is None or max(x.shape[2:]) > 6:
            return None
        return self.net.resize(x, self.random.choice([2, 2, 3]),
                               self.random.choice(["nearest", "bilinear"]))

    def repeat(self):
        x = self.pick(lambda x: len(x.shape) > 1 and np.prod(x.shape[1:]) <= 200)
        return x and self.net.repeat(x, self.random.randrange(1, len(x.shape)),
                                     self.random.choice([2, 3]))

    def view(self):
        """A change of shape: of rows and images, by dimensions of 1, or cut."""
        x = self.pick()
        n, *rest = x.shape
        found = [lambda: self.net.reshape(x, n, *rest[:-1], 1, rest[-1])] \
            if 1 <= len(rest) <= 3 else []
        if len(rest) == 1 and rest[0] % 2 == 0:
            found.append(lambda: self.net.reshape(x, n, 2, rest[0] // 2, 1,
                                                  image=True))
        if len(rest) == 3 and x.image:
            found.append(lambda: self.net.reshape(x, n, rest[0], rest[1] * rest[2],
                                                  image=True))
        if len(rest) > 1 and 1 in rest:
            kept = [e for i, e in enumerate(rest) if i != rest.index(1)]
            found.append(lambda: self.net.reshape(x, n, *kept))
        return self.random.choice(found)() if found else None

    def permute(self):
        x = self.pick(lambda x: len(x.shape) in (3, 4))
        if x is None:
            return None
        order = list(range(1, len(x.shape)))
        self.random.shuffle(order)
        return self.net.permute(x, 0, *order, image=self.random.random() < 0.5)

    def embedding(self):
        x = self.net.input(1, self.random.choice([2, 3]), image=False,
                           element="i64", limit=5)
        return self.net.embedding(x, 5, self.random.choice([3, 4]))

    CHOICES = {conv: 9, unary: 8, binary: 5, scalar: 2, cat: 4, pool: 3.5, linear: 5,
               conv_transpose: 1.2, global_pool: 1, reduction: 1.5, flatten: 2,
               softmax: 1, norm: 2, narrow: 1.2, pad: 1, shuffle: 1, resize: 1,
               repeat: 0.6, view: 1, permute: 1.5, matmul: 0.8, attention: 0.4,
               embedding: 0.3}

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
            if value not in results and (
                    value.op != "input" or self.random.random() < 0.2):
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
        if node.op == "constant" or inputs and (
                node.op == "sub" and inputs[0] is inputs[1] or
                all(x in known for x in inputs)):
            known.add(node)
    return known


def in_tosa(node):
    """Whether TOSA has the operator, of that many dimensions."""
    spatial = len(node.shape) - 2
    if node.op == "conv_transpose":
        return spatial == 2 and node.groups == 1 and set(node.dilation) == {1}
    if node.op in ("max_pool", "avg_pool"):
        return spatial < 3 and set(node.dilation) == {1}
    return node.op != "global_pool" or spatial < 3


class Text:
    """The function of a network: `lines`, and `names` of operators."""

    def __init__(self, network, function, dialect, style, dynamic):
        emitter = Emitter(style)
        writers = {name: make(emitter, emitter.style, dynamic)
                   for name, make in (("linalg", LinalgWriter), ("tosa", TosaWriter))}
        live, known, values, self.names = _live(network), _known(network), {}, []
        for number, node in enumerate(network.nodes):
            if node.op == "input":
                values[node] = writers["linalg"].input(node)
            elif node in live:
                first = len(emitter.lines)
                named = dialect if dialect != "both" else style("dialect")
                if named == "tosa" and not in_tosa(node):
                    named = "linalg"
                values[node] = writers[named].write_node(node, values)
                if named == "tosa":
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
    """`mixed` draws how each operator is spelled, and the dialect "both" which one
    it is in; `dynamic` is for any batch."""
    seed = function if mixed or dialect == "both" else None
    style = Style(function, FIXED, seed, mixed, ALLOWED,
                  None if mixed else ["dialect"])
    if dialect == "both":
        style.choices.pop("dialect", None)  # That of each operator.
    return Text(network, function, dialect, style, dynamic)

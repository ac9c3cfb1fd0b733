# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks as graphs of PyTorch's operators, and what they compute.

A network says nothing about dialects, layouts or spellings. Images are NCHW.
The writers turn it into text; `evaluate` is what all of the texts must compute.
"""

import dataclasses
import math

import numpy as np


@dataclasses.dataclass(eq=False)
class Node:
    """One operator. `parameters` are its weights, in PyTorch's shapes."""

    op: str
    inputs: list
    shape: tuple
    attributes: dict
    parameters: dict
    # Whether dimension 1 is channels; writers of channels-last text move it.
    image: bool
    element: str = "f32"

    def __getattr__(self, name):
        try:
            return self.__dict__["attributes"][name]
        except KeyError:
            raise AttributeError(name) from None


def _tuple(value, count):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * count


class Network:
    """Builds a graph in order; a method is the operator of that name.

    `batch` takes the place of the leading 1 of inputs. `fresh` norms have the
    parameters of a network that was never trained."""

    def __init__(self, seed=0, batch=1, fresh=False):
        self.rng = np.random.default_rng(seed)
        self.batch, self.fresh = batch, fresh
        self.nodes = []

    # Parameters are multiples of 1/64 or so: short texts, and sums that differ
    # little with the order of summation.
    def _weight(self, *shape, scale=None):
        fan = int(np.prod(shape[1:])) or 1
        scale = scale or 1.5 / math.sqrt(fan)
        return (self.rng.uniform(-1, 1, shape) * scale).astype(np.float32)

    def _positive(self, *shape):
        return self.rng.uniform(0.5, 1.5, shape).astype(np.float32)

    def _add(self, op, inputs, shape, image=None, parameters=None,
             element="f32", **attributes):
        if image is None:
            image = bool(inputs) and inputs[0].image
        node = Node(op, list(inputs), tuple(shape), attributes,
                    parameters or {}, image, element)
        self.nodes.append(node)
        return node

    def input(self, *shape, image=True, element="f32", limit=None):
        shape = (self.batch, *shape[1:])
        return self._add("input", [], shape, image, element=element,
                         limit=limit)

    def output(self, x):
        self.result = x
        return self

    # Convolutions and linear layers.

    def conv(self, x, out, kernel, stride=1, padding=0, dilation=1, groups=1,
             bias=True):
        """`padding` is one number for each dimension, or (low, high)s."""
        rank = len(x.shape) - 2
        kernel, stride, dilation = (_tuple(value, rank)
                                    for value in (kernel, stride, dilation))
        padding = [_tuple(pad, 2) for pad in _tuple(padding, rank)]
        size = [(extent + sum(pad) - (k - 1) * d - 1) // s + 1
                for extent, pad, k, s, d in
                zip(x.shape[2:], padding, kernel, stride, dilation)]
        parameters = {"weight": self._weight(
            out, x.shape[1] // groups, *kernel)}
        if bias:
            parameters["bias"] = self._weight(out, scale=0.5)
        return self._add("conv", [x], (x.shape[0], out, *size), True,
                         parameters, kernel=kernel, stride=stride,
                         padding=padding, dilation=dilation, groups=groups)

    def conv_transpose(self, x, out, kernel, stride=1, padding=0,
                       output_padding=0, bias=True, dilation=1, groups=1):
        rank = len(x.shape) - 2
        kernel, stride, padding, output_padding, dilation = (
            _tuple(value, rank) for value in
            (kernel, stride, padding, output_padding, dilation))
        size = [(extent - 1) * s - 2 * p + (k - 1) * d + 1 + o
                for extent, k, s, p, o, d in
                zip(x.shape[2:], kernel, stride, padding, output_padding,
                    dilation)]
        parameters = {"weight": self._weight(x.shape[1], out // groups, *kernel)}
        if bias:
            parameters["bias"] = self._weight(out, scale=0.5)
        return self._add("conv_transpose", [x], (x.shape[0], out, *size), True,
                         parameters, kernel=kernel, stride=stride,
                         padding=padding, output_padding=output_padding,
                         dilation=dilation, groups=groups)

    def linear(self, x, out, bias=True):
        parameters = {"weight": self._weight(out, x.shape[-1])}
        if bias:
            parameters["bias"] = self._weight(out, scale=0.5)
        return self._add("linear", [x], (*x.shape[:-1], out), False, parameters)

    def matmul(self, x, y):
        return self._add("matmul", [x, y], (*x.shape[:-1], y.shape[-1]), False)

    def embedding(self, x, rows, columns):
        return self._add("embedding", [x], (*x.shape, columns), False,
                         {"weight": self._weight(rows, columns, scale=1.0)})

    # Norms.

    def batch_norm(self, x, eps=1e-5):
        channels = x.shape[1]
        if self.fresh:
            one, zero = (np.full(channels, v, np.float32) for v in (1, 0))
            return self._add("batch_norm", [x], x.shape, None, {
                "weight": one, "bias": zero, "mean": zero, "var": one},
                eps=eps)
        return self._add("batch_norm", [x], x.shape, None, {
            "weight": self._positive(channels),
            "bias": self._weight(channels, scale=0.5),
            "mean": self._weight(channels, scale=0.5),
            "var": self._positive(channels)}, eps=eps)

    def layer_norm(self, x, eps=1e-5):
        return self._add("layer_norm", [x], x.shape, None, {
            "weight": self._positive(x.shape[-1]),
            "bias": self._weight(x.shape[-1], scale=0.5)}, eps=eps)

    def rms_norm(self, x, eps=1e-6):
        return self._add("rms_norm", [x], x.shape, None,
                         {"weight": self._positive(x.shape[-1])}, eps=eps)

    def group_norm(self, x, groups, eps=1e-5):
        return self._add("group_norm", [x], x.shape, None, {
            "weight": self._positive(x.shape[1]),
            "bias": self._weight(x.shape[1], scale=0.5)},
            groups=groups, eps=eps)

    def instance_norm(self, x, eps=1e-5):
        return self._add("instance_norm", [x], x.shape, None, {
            "weight": self._positive(x.shape[1]),
            "bias": self._weight(x.shape[1], scale=0.5)}, eps=eps)

    # Elementwise.

    def unary(self, op, x, **attributes):
        return self._add(op, [x], x.shape, None, **attributes)

    def prelu(self, x):
        return self._add("prelu", [x], x.shape, None,
                         {"weight": self._positive(x.shape[1]) / 4})

    def _binary(self, op, x, y):
        shape = np.broadcast_shapes(x.shape, y.shape)
        return self._add(op, [x, y], shape)

    def add(self, x, y):
        return self._binary("add", x, y)

    def sub(self, x, y):
        return self._binary("sub", x, y)

    def mul(self, x, y):
        return self._binary("mul", x, y)

    def div(self, x, y):
        return self._binary("div", x, y)

    def constant(self, data, image=False):
        """Numbers that are no weight: a mask, positions, a token."""
        data = np.asarray(data, np.float32)
        return self._add("constant", [], data.shape, image, {"data": data})

    def random(self, *shape, scale=0.5, image=False):
        return self.constant(self.rng.uniform(-scale, scale, shape), image)

    def add_scalar(self, x, number):
        return self._add("add_scalar", [x], x.shape, number=number)

    def sub_scalar(self, x, number):
        return self._add("sub_scalar", [x], x.shape, number=number)

    def mul_scalar(self, x, number):
        return self._add("mul_scalar", [x], x.shape, number=number)

    def softmax(self, x, axis=-1):
        return self._add("softmax", [x], x.shape, axis=axis % len(x.shape))

    def log_softmax(self, x, axis=-1):
        return self._add("log_softmax", [x], x.shape, axis=axis % len(x.shape))

    # Pools.

    def _pool(self, op, x, kernel, stride, padding, dilation=1, **attributes):
        rank = len(x.shape) - 2
        kernel = _tuple(kernel, rank)
        stride = _tuple(stride or kernel, rank)
        dilation = _tuple(dilation, rank)
        padding = [_tuple(pad, 2) for pad in _tuple(padding, rank)]
        size = [(extent + sum(pad) - (k - 1) * d - 1) // s + 1
                for extent, pad, k, s, d in
                zip(x.shape[2:], padding, kernel, stride, dilation)]
        return self._add(op, [x], (*x.shape[:2], *size), True, kernel=kernel,
                         stride=stride, padding=padding, dilation=dilation,
                         **attributes)

    def max_pool(self, x, kernel, stride=None, padding=0, dilation=1):
        return self._pool("max_pool", x, kernel, stride, padding, dilation)

    def avg_pool(self, x, kernel, stride=None, padding=0, count_pad=True):
        return self._pool("avg_pool", x, kernel, stride, padding,
                          count_pad=count_pad)

    def global_pool(self, x):
        """adaptive_avg_pool to one pixel."""
        return self._add("global_pool", [x],
                         (*x.shape[:2], *[1] * (len(x.shape) - 2)), True)

    def _reduce(self, op, x, axes, keepdim):
        axes = [axis % len(x.shape) for axis in axes]
        shape = [1 if i in axes else extent
                 for i, extent in enumerate(x.shape) if keepdim or i not in axes]
        return self._add(op, [x], shape, x.image and keepdim, axes=axes,
                         keepdim=keepdim)

    def mean(self, x, axes, keepdim=False):
        return self._reduce("mean", x, axes, keepdim)

    def sum(self, x, axes, keepdim=False):
        return self._reduce("sum", x, axes, keepdim)

    def amax(self, x, axes, keepdim=False):
        return self._reduce("amax", x, axes, keepdim)

    # Shapes.

    def cat(self, xs, axis=1):
        axis %= len(xs[0].shape)
        shape = list(xs[0].shape)
        shape[axis] = sum(x.shape[axis] for x in xs)
        return self._add("cat", xs, shape, axis=axis)

    def flatten(self, x):
        return self._add("flatten", [x],
                         (x.shape[0], int(np.prod(x.shape[1:]))), False)

    def reshape(self, x, *shape, image=False):
        return self._add("reshape", [x], shape, image)

    def permute(self, x, *permutation, image=False):
        return self._add("permute", [x], [x.shape[i] for i in permutation],
                         image, permutation=permutation)

    def narrow(self, x, axis, start, length, step=1):
        shape = list(x.shape)
        shape[axis] = length
        return self._add("narrow", [x], shape, axis=axis, start=start,
                         step=step)

    def pad(self, x, low, high, value=0.0):
        shape = [l + extent + h for l, extent, h in zip(low, x.shape, high)]
        return self._add("pad", [x], shape, low=low, high=high, value=value)

    def channel_shuffle(self, x, groups):
        return self._add("channel_shuffle", [x], x.shape, groups=groups)

    def pixel_shuffle(self, x, factor):
        n, c, h, w = x.shape
        return self._add("pixel_shuffle", [x],
                         (n, c // factor**2, h * factor, w * factor),
                         factor=factor)

    def pixel_unshuffle(self, x, factor):
        n, c, h, w = x.shape
        return self._add("pixel_unshuffle", [x],
                         (n, c * factor**2, h // factor, w // factor),
                         factor=factor)

    def repeat(self, x, axis, count):
        shape = list(x.shape)
        shape[axis] *= count
        return self._add("repeat", [x], shape, axis=axis, count=count)

    def resize(self, x, factor, mode="nearest"):
        n, c, h, w = x.shape
        return self._add("resize", [x], (n, c, h * factor, w * factor),
                         factor=factor, mode=mode)

    def inputs(self):
        return [node for node in self.nodes if node.op == "input"]


#===----------------------------------------------------------------------===#
# What a network computes
#===----------------------------------------------------------------------===#


def _windows(x, node, fill):
    """x[n, c, out..., k...] of a convolution or pool."""
    rank = len(node.kernel)
    dilation = node.attributes.get("dilation", (1,) * rank)
    x = np.pad(x, [(0, 0), (0, 0), *node.padding], constant_values=fill)
    view = np.lib.stride_tricks.sliding_window_view(
        x, [(k - 1) * d + 1 for k, d in zip(node.kernel, dilation)],
        axis=tuple(range(2, 2 + rank)))
    every = [slice(None)] * 2
    every += [slice(None, None, s) for s in node.stride]
    every += [slice(None, None, d) for d in dilation]
    return view[tuple(every)]


def _conv(node, x):
    windows = _windows(x, node, 0.0)
    weight = node.parameters["weight"].astype(np.float64)
    taps = tuple(range(-len(node.kernel), 0))
    results = []
    for part, filters in zip(np.split(windows, node.groups, axis=1),
                             np.split(weight, node.groups, axis=0)):
        y = np.tensordot(part, filters, axes=([1, *taps], [1, *taps]))
        results.append(np.moveaxis(y, -1, 1))
    return np.concatenate(results, axis=1) + _bias(node, x.ndim)


def _bias(node, rank):
    if "bias" not in node.parameters:
        return 0.0
    return node.parameters["bias"].reshape(-1, *[1] * (rank - 2))


def _conv_transpose(node, x):
    weight = node.parameters["weight"].astype(np.float64)
    n, _, *size = x.shape
    full = [(extent - 1) * s + (k - 1) * d + 1 + o for extent, s, k, o, d in
            zip(size, node.stride, node.kernel, node.output_padding,
                node.dilation)]
    y = np.zeros((n, weight.shape[1] * node.groups, *full))
    for tap in np.ndindex(*node.kernel):
        part = np.concatenate([
            np.moveaxis(np.tensordot(inner, filters[(..., *tap)], (1, 0)), -1, 1)
            for inner, filters in zip(np.split(x, node.groups, 1),
                                      np.split(weight, node.groups, 0))], 1)
        y[(slice(None), slice(None), *[
            slice(t * d, t * d + (extent - 1) * s + 1, s)
            for t, extent, s, d in
            zip(tap, size, node.stride, node.dilation)])] += part
    crop = [slice(p, extent - p) for p, extent in zip(node.padding, full)]
    return y[(slice(None), slice(None), *crop)] + _bias(node, x.ndim)


def _softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def _erf(x):
    return np.vectorize(math.erf)(x)


def _normalise(x, axes, eps):
    mean = x.mean(axes, keepdims=True)
    var = ((x - mean) ** 2).mean(axes, keepdims=True)
    return (x - mean) / np.sqrt(var + eps)


def _channels(parameter, rank):
    return parameter.reshape(-1, *[1] * (rank - 2))


def _batch_norm(node, x):
    weight, bias, mean, var = (
        _channels(node.parameters[name].astype(np.float64), x.ndim)
        for name in ("weight", "bias", "mean", "var"))
    return (x - mean) / np.sqrt(var + node.eps) * weight + bias


def _group_norm(node, x, groups):
    grouped = x.reshape(x.shape[0], groups, -1)
    y = _normalise(grouped, (2,), node.eps).reshape(x.shape)
    return (y * _channels(node.parameters["weight"], x.ndim) +
            _channels(node.parameters["bias"], x.ndim))


def _resize(node, x):
    factor = node.factor
    if node.mode == "nearest":
        return x.repeat(factor, 2).repeat(factor, 3)
    for axis in (2, 3):
        extent = x.shape[axis]
        place = (np.arange(extent * factor) + 0.5) / factor - 0.5
        place = np.clip(place, 0, extent - 1)
        low = np.floor(place).astype(int)
        high = np.minimum(low + 1, extent - 1)
        shape = [-1 if i == axis else 1 for i in range(4)]
        part = (place - low).reshape(shape)
        x = x.take(low, axis) * (1 - part) + x.take(high, axis) * part
    return x


def _avg_pool(node, x):
    taps = tuple(range(-len(node.kernel), 0))
    total = _windows(x, node, 0.0).sum(taps)
    if node.count_pad:
        return total / np.prod(node.kernel)
    return total / _windows(np.ones_like(x), node, 0.0).sum(taps)


def _shuffle(node, x):
    n, c, *size = x.shape
    x = x.reshape(n, node.groups, c // node.groups, *size)
    return x.swapaxes(1, 2).reshape(n, c, *size)


def _pixel_shuffle(node, x):
    n, c, h, w = x.shape
    f = node.factor
    x = x.reshape(n, c // f**2, f, f, h, w)
    return x.transpose(0, 1, 4, 2, 5, 3).reshape(node.shape)


def _pixel_unshuffle(node, x):
    n, c, h, w = x.shape
    f = node.factor
    x = x.reshape(n, c, h // f, f, w // f, f)
    return x.transpose(0, 1, 3, 5, 2, 4).reshape(node.shape)


def _narrow(node, x):
    return x.take(range(node.start, node.start + node.shape[node.axis] *
                        node.step, node.step), node.axis)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


_EVALUATORS = {
    "conv": _conv,
    "conv_transpose": _conv_transpose,
    "linear": lambda node, x: x @ node.parameters["weight"].T.astype(
        np.float64) + node.parameters.get("bias", 0.0),
    "matmul": lambda node, x, y: x @ y,
    "embedding": lambda node, x: node.parameters["weight"][x],
    "batch_norm": _batch_norm,
    "layer_norm": lambda node, x: _normalise(x, (-1,), node.eps) *
    node.parameters["weight"] + node.parameters["bias"],
    "rms_norm": lambda node, x: x / np.sqrt(
        (x * x).mean(-1, keepdims=True) + node.eps) * node.parameters["weight"],
    "group_norm": lambda node, x: _group_norm(node, x, node.groups),
    "instance_norm": lambda node, x: _group_norm(node, x, x.shape[1]),
    "relu": lambda node, x: np.maximum(x, 0),
    "relu6": lambda node, x: np.clip(x, 0, 6),
    "hardtanh": lambda node, x: np.clip(x, -1, 1),
    "clamp": lambda node, x: np.clip(x, node.low, node.high),
    "sigmoid": lambda node, x: _sigmoid(x),
    "tanh": lambda node, x: np.tanh(x),
    "hardsigmoid": lambda node, x: np.clip(x + 3, 0, 6) / 6,
    "hardswish": lambda node, x: x * np.clip(x + 3, 0, 6) / 6,
    "silu": lambda node, x: x * _sigmoid(x),
    "gelu": lambda node, x: x * 0.5 * (1 + _erf(x / math.sqrt(2))),
    "gelu_tanh": lambda node, x: x * 0.5 * (1 + np.tanh(
        math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "elu": lambda node, x: np.where(
        x > 0, x, node.alpha * np.expm1(np.minimum(x, 0))),
    "celu": lambda node, x: np.where(
        x > 0, x, node.alpha * np.expm1(np.minimum(x, 0) / node.alpha)),
    "selu": lambda node, x: 1.0507009873554805 * np.where(
        x > 0, x, 1.6732632423543772 * np.expm1(np.minimum(x, 0))),
    "softplus": lambda node, x: np.logaddexp(x, 0),
    "mish": lambda node, x: x * np.tanh(np.logaddexp(x, 0)),
    "quick_gelu": lambda node, x: x * _sigmoid(1.702 * x),
    "neg": lambda node, x: -x,
    "sin": lambda node, x: np.sin(x),
    "cos": lambda node, x: np.cos(x),
    "pow3": lambda node, x: x**3,
    "leaky_relu": lambda node, x: np.where(x > 0, x, node.slope * x),
    "prelu": lambda node, x: np.where(
        x > 0, x, _channels(node.parameters["weight"], x.ndim) * x),
    "dropout": lambda node, x: x,
    "add": lambda node, x, y: x + y,
    "sub": lambda node, x, y: x - y,
    "mul": lambda node, x, y: x * y,
    "div": lambda node, x, y: x / y,
    "sqrt": lambda node, x: np.sqrt(x),
    "add_scalar": lambda node, x: x + node.number,
    "rsub_scalar": lambda node, x: node.number - x,
    "sub_scalar": lambda node, x: x - node.number,
    "mul_scalar": lambda node, x: x * node.number,
    "softmax": lambda node, x: _softmax(x, node.axis),
    "log_softmax": lambda node, x: np.log(_softmax(x, node.axis)),
    "max_pool": lambda node, x: _windows(x, node, -np.inf).max(
        tuple(range(-len(node.kernel), 0))),
    "avg_pool": _avg_pool,
    "global_pool": lambda node, x: x.mean(tuple(range(2, x.ndim)),
                                          keepdims=True),
    "mean": lambda node, x: x.mean(tuple(node.axes), keepdims=node.keepdim),
    "sum": lambda node, x: x.sum(tuple(node.axes), keepdims=node.keepdim),
    "amax": lambda node, x: x.max(tuple(node.axes), keepdims=node.keepdim),
    "constant": lambda node: node.parameters["data"].astype(np.float64),
    "cat": lambda node, *xs: np.concatenate(xs, node.axis),
    "flatten": lambda node, x: x.reshape(node.shape),
    "reshape": lambda node, x: x.reshape(node.shape),
    "permute": lambda node, x: x.transpose(node.permutation),
    "narrow": _narrow,
    "pad": lambda node, x: np.pad(x, list(zip(node.low, node.high)),
                                  constant_values=node.value),
    "channel_shuffle": _shuffle,
    "pixel_shuffle": _pixel_shuffle,
    "pixel_unshuffle": _pixel_unshuffle,
    "repeat": lambda node, x: np.concatenate([x] * node.count, node.axis),
    "resize": _resize,
}


def random_inputs(network, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.integers(0, node.limit, node.shape) if node.element == "i64"
            else rng.uniform(-2, 2, node.shape).astype(np.float32)
            for node in network.inputs()]


def evaluate(network, inputs):
    """The network's result, computed in double precision."""
    values = dict(zip(network.inputs(), inputs))
    for node in network.nodes:
        if node.op == "input":
            if node.element == "f32":
                values[node] = values[node].astype(np.float64)
            continue
        values[node] = _EVALUATORS[node.op](
            node, *[values[x] for x in node.inputs])
        assert values[node].shape == node.shape, (node.op, values[node].shape,
                                                  node.shape)
    return values[network.result]

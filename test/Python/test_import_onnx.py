# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX models, imported, run, and compared with NumPy."""

import math
import random
import re

import numpy as np
import pytest

import qbackend
from importing import close, operators, run
from onnx_writer import Graph, Reference, attribute, field, function, tensor
from test_import_operators import (
    attention, conv, conv_transpose, erf, normalized, pool, recurrent, sigmoid,
    softmax,
)

RANDOM = np.random.default_rng(11)
F = np.float32
X = RANDOM.standard_normal((1, 6, 5, 4)).astype(F)
I64 = np.int64


class Cases:
    """Nodes on one input each, with a result each, in a model of an opset."""

    def __init__(self, opset):
        self.graph, self.arrays, self.wants, self.kinds = Graph(opset), {}, [], []
        self.known = {}

    def input(self, array):
        if id(array) not in self.known:
            name = f"in{len(self.arrays)}"
            self.arrays[name] = np.ascontiguousarray(array)
            self.known[id(array)] = array, self.graph.input(
                name, array.shape, array.dtype.name)
        return self.known[id(array)][1]

    def check(self, kind, want, *inputs, results=1, **attributes):
        """Inputs that are arrays of one sample are inputs of the model, others
        weights; names are values of the graph."""
        names = []
        for value in inputs:
            if isinstance(value, np.ndarray) and value is X:
                value = self.input(value)
            elif isinstance(value, (np.ndarray, list)):
                value = self.graph.constant(
                    value if isinstance(value, np.ndarray)
                    else np.asarray(value, I64))
            names.append(value)
        found = self.graph.node(kind, *names, results=results, **attributes)
        for name, w in zip([found] if results == 1 else found,
                           [want] if results == 1 else want):
            if w is None:
                continue
            w = np.asarray(w)
            # A result has a leading dimension of samples.
            self.graph.output(self.graph.node(
                "Reshape", name, self.graph.constant(
                    np.array([1, *w.shape], I64))))
            self.wants.append(w)
            self.kinds.append(kind)

    def run(self, folder):
        path = self.graph.save(folder / "net.onnx")
        got = run(qbackend.from_onnx(path), folder, **self.arrays)
        assert len(got) == len(self.wants)
        wrong = [kind for kind, a, b in zip(self.kinds, got, self.wants)
                 if not close(a, b)]
        assert not wrong


def test_functions(tmp_path):
    c = Cases(20)
    for kind, want in (
            ("Relu", np.maximum(X, 0)), ("Sigmoid", sigmoid(X)),
            ("Tanh", np.tanh(X)), ("Exp", np.exp(X)), ("Neg", -X),
            ("Abs", np.abs(X)), ("Erf", erf(X)), ("Floor", np.floor(X)),
            ("Ceil", np.ceil(X)), ("Round", np.rint(X)), ("Sign", np.sign(X)),
            ("Reciprocal", 1 / X), ("Softplus", np.log1p(np.exp(X))),
            ("HardSwish", X * np.clip(X + 3, 0, 6) / 6), ("Identity", X),
            ("Mish", X * np.tanh(np.log1p(np.exp(X)))),
            ("Gelu", X * (1 + erf(X / math.sqrt(2))) / 2)):
        c.check(kind, want, X)
    c.check("HardSigmoid", np.clip(X / 6 + 0.5, 0, 1), X, alpha=1 / 6)
    c.check("HardSigmoid", np.clip(0.2 * X + 0.5, 0, 1), X)
    c.check("LeakyRelu", np.where(X > 0, X, 0.01 * X), X)
    c.check("Elu", np.where(X > 0, X, np.expm1(X)), X)
    c.check("PRelu", np.where(X > 0, X, X * np.arange(6).reshape(6, 1, 1)), X,
            np.arange(6, dtype=F).reshape(6, 1, 1))
    c.check("Clip", np.clip(X, -0.5, 0.75), X, np.array(-0.5, F),
            np.array(0.75, F))
    c.check("Clip", np.minimum(X, F(0.75)), X, None, np.array(0.75, F))
    c.check("Pow", X ** 2, X, np.array(2, F))
    c.check("Add", X + 1, X, np.array([1], F))
    c.check("Where", np.where(X > 0, X, 7), c.graph.node(
        "Greater", c.input(X), c.graph.constant(np.array(0, F))), X,
        np.array(7, F))
    c.check("Max", np.maximum(X, 0.5), X, np.array(0.5, F))
    c.check("Sum", X * 2 + 1, X, X, np.array([1], F))
    c.check("Cast", X.astype(I64), X, to=7)
    c.check("Dropout", X, X)
    # In training, but nothing is dropped.
    c.check("Dropout", X, X, np.array(0, F), np.array(True))
    c.check("Dropout", X, X, np.array(0.5, F), np.array(False))
    c.run(tmp_path)


@pytest.mark.parametrize("ratio", [np.array(0.1, F), None])
def test_dropout_in_training(tmp_path, ratio):
    c = Cases(13)
    c.check("Dropout", X, X, ratio, np.array(True))
    with pytest.raises(qbackend.ImportFailure, match="a dropout in training"):
        c.run(tmp_path)


def test_clip_by_attributes(tmp_path):
    c = Cases(10)
    c.check("Clip", np.clip(X, 0, 6), X, min=0.0, max=6.0)
    c.check("Squeeze", X[0], X, axes=[0])
    c.check("Unsqueeze", X[:, None], X, axes=[1])
    c.check("ReduceSum", X.sum((2, 3)), X, axes=[2, 3], keepdims=0)
    # Of a matrix, before opset 13.
    c.check("Softmax", softmax(X.reshape(6, 20), 1).reshape(X.shape), X, axis=2)
    c.check("Upsample", X.repeat(2, 2).repeat(3, 3), X, np.array([1, 1, 2, 3], F))
    c.run(tmp_path)


def test_older_slices_and_pads(tmp_path):
    c = Cases(9)
    c.check("Slice", X[:, 1:4, :, -2:], X, starts=[1, -2], ends=[4, 1 << 40],
            axes=[1, 3])
    c.check("Pad", np.pad(X, [(0, 0), (0, 0), (1, 0), (0, 2)],
                          constant_values=0.5), X, pads=[0, 0, 1, 0, 0, 0, 0, 2],
            value=0.5)
    c.run(tmp_path)


def test_shapes(tmp_path):
    c = Cases(13)
    c.check("Reshape", X.reshape(1, 3, 40), X, [0, 3, -1])
    c.check("Flatten", X.reshape(6, 20), X, axis=2)
    c.check("Transpose", X.transpose(0, 2, 3, 1), X, perm=[0, 2, 3, 1])
    c.check("Transpose", X.T, X)
    c.check("Squeeze", X[0], X, [0])
    c.check("Unsqueeze", X[:, None, :, :, :, None], X, [1, -1])
    c.check("Expand", np.broadcast_to(X, (2, 6, 5, 4)), X, [2, 1, 1, 1])
    c.check("Concat", np.concatenate([X, X], 1), X, X, axis=1)
    c.check("Split", np.split(X, [1, 3], 1), X, [1, 2, 3], results=3, axis=1)
    c.check("Split", np.split(X, 2, 1), X, results=2, axis=1)
    c.check("Slice", X[:, 4:0:-2], X, [4], [0], [1], [-2])
    c.check("Slice", X[:, ::-1], X, [-1], [-(1 << 62)], [1], [-1])
    c.check("Slice", X[:, 1:-1, ::2], X, [1, 0], [-1, 1 << 62], [1, 2], [1, 2])
    c.check("Gather", X[:, [4, -1, 0]], X, [4, -1, 0], axis=1)
    c.check("Gather", X[:, :, 2], X, np.array(2), axis=2)
    c.check("GatherElements", np.take_along_axis(
        X, np.array([0, 5, 3]).reshape(1, 3, 1, 1) + np.zeros((1, 3, 5, 4), I64),
        1), X, np.array([0, 5, 3]).reshape(1, 3, 1, 1) + np.zeros(
            (1, 3, 5, 4), I64), axis=1)
    c.check("Pad", np.pad(X, [(0, 0), (0, 0), (1, 2), (2, 1)], "reflect"), X,
            [0, 0, 1, 2, 0, 0, 2, 1], mode="reflect")
    c.check("Pad", np.pad(X, [(0, 0), (0, 0), (1, 0), (0, 1)], "edge"), X,
            [0, 0, 1, 0, 0, 0, 0, 1], mode="edge")
    c.check("Tile", np.tile(X, (1, 1, 2, 3)), X, [1, 1, 2, 3])
    even = X[:, :4]
    part = c.graph.node("Slice", c.input(X), c.graph.constant(np.array([0])),
                        c.graph.constant(np.array([4])),
                        c.graph.constant(np.array([1])))
    blocks = even.reshape(1, 2, 2, 1, 5, 4)
    c.check("DepthToSpace", blocks.transpose(0, 3, 4, 1, 5, 2).reshape(1, 1, 10, 8),
            part, blocksize=2)
    blocks = even.reshape(1, 1, 2, 2, 5, 4)
    c.check("DepthToSpace", blocks.transpose(0, 1, 4, 2, 5, 3).reshape(1, 1, 10, 8),
            part, blocksize=2, mode="CRD")
    c.check("Trilu", np.triu(X, 1), X, np.array(1))
    c.check("CumSum", X.cumsum(2), X, np.array(2))
    c.check("CumSum", np.flip(np.flip(X, 2).cumsum(2), 2) - X, X, np.array(2),
            reverse=1, exclusive=1)
    c.run(tmp_path)


def test_layers(tmp_path):
    c = Cases(17)
    for group, kernel, stride, dilation in ((1, (3, 2), (2, 1), (1, 1)),
                                            (3, (2, 2), (1, 1), (2, 1)),
                                            (6, (3, 3), (1, 1), (1, 1))):
        w = RANDOM.standard_normal((6, 6 // group, *kernel)).astype(F)
        b = RANDOM.standard_normal(6).astype(F)
        # Not the same before and behind.
        wide = np.pad(X, [(0, 0), (0, 0), (1, 2), (0, 1)])
        c.check("Conv", conv(wide, w, b, stride, (0, 0), dilation, group), X, w, b,
                group=group, strides=list(stride), dilations=list(dilation),
                pads=[1, 0, 2, 1])
    w = RANDOM.standard_normal((2, 6, 3, 3)).astype(F)
    for auto, low, high in (("SAME_UPPER", (1, 0), (1, 1)),
                            ("SAME_LOWER", (1, 1), (1, 0))):
        wide = np.pad(X, [(0, 0), (0, 0), *zip(low, high)])
        c.check("Conv", conv(wide, w, None, (2, 2), (0, 0), (1, 1), 1), X, w,
                auto_pad=auto, strides=[2, 2])
    w = RANDOM.standard_normal((6, 2, 3, 2)).astype(F)
    c.check("ConvTranspose", conv_transpose(X, w, None, (2, 3), (1, 0), (1, 2),
                                            (1, 1), 2), X, w, group=2,
            strides=[2, 3], pads=[1, 0, 1, 0], output_padding=[1, 2])
    c.check("MaxPool", pool(X, "max", [2, 3], [2, 1], [1, 1]), X,
            kernel_shape=[2, 3], strides=[2, 1], pads=[1, 1, 1, 1])
    c.check("AveragePool", pool(X, "avg", [3, 2], [1, 2], [1, 0], padding=False),
            X, kernel_shape=[3, 2], strides=[1, 2], pads=[1, 0, 1, 0])
    c.check("AveragePool", pool(X, "avg", [2, 2], [2, 2], [0, 0], ceil=True), X,
            kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)
    c.check("GlobalAveragePool", X.mean((2, 3), keepdims=True), X)
    c.check("GlobalMaxPool", X.max((2, 3), keepdims=True), X)
    g, b, m = (RANDOM.standard_normal(6).astype(F) for _ in range(3))
    v = np.abs(RANDOM.standard_normal(6)).astype(F)

    def wide_(p):
        return p.reshape(6, 1, 1)

    c.check("BatchNormalization", (X - wide_(m)) / np.sqrt(wide_(v) + 1e-5)
            * wide_(g) + wide_(b), X, g, b, m, v)
    c.check("InstanceNormalization", normalized(X, (2, 3), 1e-5) * wide_(g)
            + wide_(b), X, g, b)
    s = RANDOM.standard_normal((5, 4)).astype(F)
    c.check("LayerNormalization", normalized(X, (2, 3), 1e-5) * s, X, s, axis=2)
    lrn = X / (1 + 1e-4 / 3 * np.stack([
        (X[:, max(i - 1, 0):i + 2] ** 2).sum(1) for i in range(6)], 1)) ** 0.75
    c.check("LRN", lrn, X, size=3)
    c.run(tmp_path)


def test_fused_layers(tmp_path):
    """What ONNX Runtime's optimizer writes."""
    c = Cases(17)

    def fused(kind, want, *inputs, **attributes):
        c.check(kind, want, *inputs, domain="com.microsoft", **attributes)

    w = RANDOM.standard_normal((3, 6, 2, 2)).astype(F)
    b = RANDOM.standard_normal(3).astype(F)
    z = RANDOM.standard_normal((1, 3, 4, 3)).astype(F)
    y = conv(X, w, b, (1, 1), (0, 0), (1, 1), 1)
    for kind, numbers, want in (
            ("Relu", None, np.maximum(y, 0)),
            ("LeakyRelu", [0.3], np.where(y > 0, y, y * F(0.3))),
            ("HardSigmoid", [0.5, 0.25], np.clip(y * 0.5 + 0.25, 0, 1)),
            ("Clip", [-0.5, 1.0], np.clip(y, -0.5, 1))):
        fused("FusedConv", want, X, w, b, activation=kind, **(
            {} if numbers is None else {"activation_params": numbers}))
    fused("FusedConv", np.maximum(y + z, 0), X, w, b, z, activation="Relu")
    v = RANDOM.standard_normal((7, 5)).astype(F)
    fused("FusedMatMul", X.swapaxes(2, 3) @ v.T * F(0.5), X, v, transA=1, transB=1,
          alpha=0.5)
    g, s, t = (RANDOM.standard_normal(4).astype(F) for _ in range(3))
    biased = X + s
    fused("BiasGelu", biased * 0.5 * (1 + erf(biased / math.sqrt(2))), X, s)
    fused("QuickGelu", X * sigmoid(X * 1.5), X, alpha=1.5)
    skip = RANDOM.standard_normal(X.shape).astype(F)
    total = X + skip + t
    fused("SkipLayerNormalization",
          (normalized(total, (3,), 1e-5) * g + s, None, None, total),
          X, skip, g, s, t, results=4, epsilon=1e-5)
    fused("SkipSimplifiedLayerNormalization",
          total / np.sqrt((total ** 2).mean(3, keepdims=True) + 1e-6) * g,
          X, skip, g, t, epsilon=1e-6)
    c.run(tmp_path)


@pytest.mark.parametrize("changes, match", (
    ({"activation": "Softmax"}, "activation 'Softmax' with 0 numbers"),
    ({"activation": "Clip"}, "activation 'Clip' with 0 numbers")))
def test_fused_convolutions_that_are_refused(tmp_path, changes, match):
    graph = Graph()
    graph.output(graph.node("FusedConv", graph.input("x", [1, 1, 2, 2]),
                            graph.constant(np.ones((1, 1, 1, 1), F)),
                            domain="com.microsoft", **changes))
    with pytest.raises(qbackend.ImportFailure, match=match):
        qbackend.from_onnx(graph.save(tmp_path / "net.onnx"))


def test_scattered_elements_and_sampled_grids(tmp_path):
    c = Cases(16)
    at = RANDOM.permutation(5)[:2].reshape(1, 1, 2, 1) * np.ones((1, 6, 1, 4), I64)
    at[0, 0] -= 5
    new = RANDOM.standard_normal(at.shape).astype(F)
    want = X.copy()
    np.put_along_axis(want, at % 5, new, 2)
    c.check("ScatterElements", want, X, at, new, axis=2)
    want = X.copy()
    for index in np.ndindex(*at.shape):
        n, k, i, j = index
        want[n, k, at[index], j] += new[index]
    c.check("ScatterElements", want, X, at, new, axis=2, reduction="add")
    # The centres of pixels, of a mirrored image.
    h, w = X.shape[2:]
    ys, xs = np.meshgrid((np.arange(h) * 2 + 1) / h - 1,
                         -((np.arange(w) * 2 + 1) / w - 1), indexing="ij")
    grid = np.stack([xs, ys], -1)[None].astype(F)
    for mode in ("bilinear", "nearest"):
        c.check("GridSample", X[:, :, :, ::-1], X, grid, mode=mode)
    corners = np.array([[[[-1, -1], [1, 1]], [[1, -1], [3, -1]]]], F)
    c.check("GridSample", np.stack([
        np.stack([X[:, :, 0, 0], X[:, :, -1, -1]], -1),
        np.stack([X[:, :, 0, -1], X[:, :, 0, -1] * 0], -1)], 2),
        X, corners, align_corners=1)
    c.run(tmp_path)


def test_products(tmp_path):
    c = Cases(13)
    w = RANDOM.standard_normal((4, 7)).astype(F)
    c.check("MatMul", X @ w, X, w)
    c.check("MatMul", X @ X.swapaxes(-1, -2), X, c.graph.node(
        "Transpose", c.input(X), perm=[0, 1, 3, 2]))
    row = c.graph.node("Reshape", c.input(X), c.graph.constant(np.array([6, 20])))
    w = RANDOM.standard_normal((7, 20)).astype(F)
    b = RANDOM.standard_normal(7).astype(F)
    c.check("Gemm", 0.5 * X.reshape(6, 20) @ w.T + 2 * b, row, w, b, transB=1,
            alpha=0.5, beta=2.0)
    c.check("Gemm", X.reshape(6, 20).T @ X.reshape(6, 20), row, row, transA=1)
    c.check("Einsum", np.einsum("bchw,bkhw->bck", X, X), X, X,
            equation="bchw,bkhw->bck")
    c.run(tmp_path)


@pytest.mark.parametrize("opset", [13, 18])
def test_reductions(tmp_path, opset):
    c = Cases(opset)

    def reduced(kind, want, axes, **attributes):
        if opset == 18 or kind == "ReduceSum":
            c.check(kind, want, X, axes, **attributes)
        else:
            c.check(kind, want, X, axes=axes, **attributes)

    reduced("ReduceMean", X.mean((2, 3)), [2, -1], keepdims=0)
    reduced("ReduceSum", X.sum(1, keepdims=True), [1])
    reduced("ReduceMax", X.max(3, keepdims=True), [3])
    reduced("ReduceL2", np.sqrt((X ** 2).sum(1)), [1], keepdims=0)
    reduced("ReduceLogSumExp", np.log(np.exp(X).sum(2)), [2], keepdims=0)
    c.check("ReduceSum", X.sum().reshape(1, 1, 1, 1), X)
    c.check("Softmax", softmax(X, -1), X)
    c.check("LogSoftmax", np.log(softmax(X, 1)), X, axis=1)
    c.check("ArgMax", X.argmax(1), X, axis=1, keepdims=0)
    order = np.argsort(-X, 2, kind="stable")[:, :, :2]
    c.check("TopK", [np.take_along_axis(X, order, 2), order], X, [2], results=2,
            axis=2)
    c.run(tmp_path)


def test_resize(tmp_path):
    c = Cases(13)
    twice = np.array([1, 1, 2, 2], F)
    c.check("Resize", X.repeat(2, 2).repeat(2, 3), X, None, twice,
            coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    c.check("Resize", X.repeat(2, 2).repeat(2, 3), X, None, twice)

    def linear(x, axis, at):
        at = np.clip(at, 0, x.shape[axis] - 1)
        low = np.floor(at).astype(int)
        high = np.minimum(low + 1, x.shape[axis] - 1)
        part = (at - low).reshape([-1 if i == axis else 1 for i in range(4)])
        return x.take(low, axis) * (1 - part) + x.take(high, axis) * part

    c.check("Resize", linear(linear(X, 2, (np.arange(10) + 0.5) / 2 - 0.5), 3, (
        np.arange(8) + 0.5) / 2 - 0.5), X, None, twice, mode="linear")
    c.check("Resize", linear(linear(X, 2, np.arange(9) / 2), 3, np.arange(7) / 2),
            X, None, None, [1, 6, 9, 7], mode="linear",
            coordinate_transformation_mode="align_corners")
    c.run(tmp_path)


def test_lstm(tmp_path):
    # Gates are i o f c here.
    x = RANDOM.standard_normal((1, 4, 3)).astype(F)
    w, r = (RANDOM.standard_normal((1, 20, n)).astype(F) for n in (3, 5))
    b = RANDOM.standard_normal((1, 40)).astype(F)

    def ordered(p):
        i, o, f, g = np.split(p, 4)
        return np.concatenate([i, f, g, o])

    zero = np.zeros((1, 5), F)
    y, h, s = recurrent("lstm", x.swapaxes(0, 1), zero, zero, ordered(w[0]),
                        ordered(r[0]), ordered(b[0, :20]), ordered(b[0, 20:]))
    graph = Graph(14)
    source = graph.input("x", x.shape)
    turned = graph.node("Transpose", source, perm=[1, 0, 2])
    found = graph.node("LSTM", turned, graph.weight("w", w), graph.weight("r", r),
                       graph.weight("b", b), results=3, hidden_size=5)
    for name in found[1:]:
        graph.output(name)
    graph.output(graph.node("Reshape", found[0], graph.constant(
        np.array([1, 4, 5]))))
    got = run(qbackend.from_onnx(graph.save(tmp_path / "net.onnx")), tmp_path, x=x)
    for a, want in zip(got, (h, s, y)):
        assert close(a, want)


def test_dynamic_shapes_are_computed(tmp_path):
    # Reshape to the batch and the rest, as exporters write it.
    graph = Graph(13)
    x = graph.input("x", ["batch", 6, 4])
    shape = graph.node("Shape", x)
    batch = graph.node("Gather", shape, graph.constant(np.array(0)))
    sizes = graph.node(
        "Concat", graph.node("Unsqueeze", batch, graph.constant(np.array([0]))),
        graph.constant(np.array([-1])), axis=0)
    y = graph.node("Reshape", x, sizes)
    rows = graph.node("Slice", shape, graph.constant(np.array([0])),
                      graph.constant(np.array([2])))
    zeros = graph.node("ConstantOfShape", graph.node(
        "Concat", rows, graph.constant(np.array([4])), axis=0))
    graph.output(graph.node("Add", y, graph.node("Reshape", zeros, sizes)))
    module = qbackend.from_onnx(graph.save(tmp_path / "net.onnx"))
    x = RANDOM.standard_normal((3, 6, 4)).astype(F)
    assert close(run(module, tmp_path, x=x)[0], x.reshape(3, 24))


def test_an_expand_to_a_computed_shape(tmp_path):
    # -1 stays what it is: Where(Equal(shape, -1), 1, shape).
    graph = Graph(13)
    x = graph.input("x", ["batch", 1, 4])
    batch = graph.node("Gather", graph.node("Shape", x), graph.constant(
        np.array([0])))
    sizes = graph.node("Concat", batch, graph.constant(np.array([3, -1])), axis=0)
    ones = graph.node("ConstantOfShape", graph.constant(np.array([3])),
                      value=np.array([1]))
    graph.output(graph.node("Expand", x, graph.node(
        "Where", graph.node("Equal", sizes, graph.constant(np.array(-1))), ones,
        sizes)))
    x = RANDOM.standard_normal((2, 1, 4)).astype(F)
    got = run(qbackend.from_onnx(graph.save(tmp_path / "net.onnx")), tmp_path, x=x)
    assert close(got[0], np.broadcast_to(x, (2, 3, 4)))


def test_names(tmp_path):
    graph = Graph(13)
    x = graph.input("image", [1, 2, 4, 4])
    w = np.ones((2, 2, 1, 1), F)
    y = graph.node("Conv", x, graph.weight("layer1.0.conv1.weight", w),
                   name="/layer1/layer1.0/conv1/Conv")
    y = graph.node("Conv", y, graph.weight("onnx::Conv_23", w),
                   name="/layer1/layer1.0/conv2/Conv")
    z = graph.node("Relu", y, name="/layer1/layer1.0/relu/Relu")
    z = graph.node("Add", z, x, name="/layer1/layer1.0/Add")
    graph.output(graph.node("Relu", z, name="/layer1/layer1.0/Relu"))
    text = qbackend.from_onnx(graph.save(tmp_path / "net.onnx")).text()
    found = re.findall(r'^#loc\d+ = loc\("(.*)"\)$', text, re.M)
    assert found == ["layer1.0.conv1", "layer1.0.conv2", "layer1.0.relu",
                     "layer1.0.Add", "layer1.0.Relu"]
    assert 'loc("image")' in text


def test_functions_of_the_model(tmp_path):
    leaky = Graph()
    y = leaky.node("LeakyRelu", "a", alpha=Reference("slope"))
    # Defined in the function, and read by the branch of an If within.
    two = leaky.node("Constant", value=np.array(2, F))
    branch, other = Graph(), Graph()
    branch.count = other.count = 10
    branch.output(branch.node("Mul", y, two))
    other.output(other.node("Identity", y))
    known = leaky.node("Constant", value=np.array(True))
    leaky.output(leaky.node("If", known, then_branch=branch, else_branch=other))
    leaky.output("a")
    # Version 11 of ReduceSum, which has its axes as an attribute.
    outer = Graph()
    y, same = outer.node("leaky", "x", results=2, domain="own",
                         slope=Reference("alpha"), name="first")
    y, _ = outer.node("leaky", y, results=2, domain="own", name="second")
    y = outer.node("ReduceSum", y, axes=[1])
    outer.output(outer.node("Add", y, outer.node("Mul", same, "factor")))
    graph = Graph(17)
    x = graph.input("in", [1, 3])
    w = np.full((3,), 3, F)
    graph.output(graph.node("outer", x, graph.weight("w", w), domain="own",
                            alpha=0.5, name="block"))
    path = tmp_path / "net.onnx"
    path.write_bytes(
        graph.model()
        + field(25, function("leaky", leaky, ["a"], [], {"slope": 0.25}))
        + field(25, function("outer", outer, ["x", "factor"], ["alpha"],
                             opset=11)))
    model = qbackend.from_onnx(path)
    array = np.array([[-2, 1, 3]], F)
    first = np.where(array < 0, array * 0.5, array) * 2
    second = np.where(first < 0, first * 0.25, first) * 2
    got, = run(model, tmp_path, **{"in": array})
    assert np.array_equal(got, second.sum(1, keepdims=True) + array * w)
    assert 'loc("block.first.' in model.text()


def quantized(per_channel):
    graph = Graph(13)
    x = graph.input("x", [1, 2, 5, 5])
    weights = RANDOM.integers(-127, 128, (3, 2, 3, 3)).astype(np.int8)
    scales = np.array([0.01, 0.02, 0.005], F) if per_channel else np.array(
        0.0123, F)
    zeros = np.zeros(scales.shape, np.int8)
    bias = RANDOM.integers(-500, 500, 3).astype(np.int32)
    s, z = graph.constant(np.array(0.0137, F)), graph.constant(
        np.array(120, np.uint8))
    d = graph.node("DequantizeLinear", graph.node("QuantizeLinear", x, s, z), s, z)
    axis = {"axis": 0} if per_channel else {}
    w = graph.node("DequantizeLinear", graph.weight("conv.weight_q", weights),
                   graph.weight("conv.scale", scales),
                   graph.weight("conv.zero", zeros), **axis)
    b = graph.node("DequantizeLinear", graph.weight("conv.bias_q", bias),
                   graph.weight("bias.scale", (scales * F(0.0137)).astype(F)),
                   graph.weight("bias.zero", np.zeros(scales.shape, np.int32)),
                   **axis)
    y = graph.node("Conv", d, w, b, kernel_shape=[3, 3])
    s, z = graph.constant(np.array(0.05, F)), graph.constant(
        np.array(3, np.uint8))
    graph.output(graph.node("DequantizeLinear", graph.node(
        "QuantizeLinear", y, s, z), s, z))
    return graph, weights, scales, bias


@pytest.mark.parametrize("per_channel", [False, True])
def test_quantized(tmp_path, per_channel):
    graph, weights, scales, bias = quantized(per_channel)
    module = qbackend.from_onnx(graph.save(tmp_path / "net.onnx"))
    x = (RANDOM.random((1, 2, 5, 5)) * 3 - 1.5).astype(F)
    q = np.clip(np.rint(x / F(0.0137)) + 120, 0, 255)
    sums = conv(q - 120, weights.astype(float), bias.astype(float), (1, 1), (0, 0),
                (1, 1), 1)
    y = sums * np.reshape(scales * 0.0137, (-1, 1, 1))
    want = (np.clip(np.rint(y / 0.05) + 3, 0, 255) - 3) * 0.05
    got = run(module, tmp_path, x=x)[0].reshape(want.shape)
    assert np.abs(got - want).max() < 0.0501 and (
        np.abs(got - want) > 1e-5).mean() < 0.05
    text = qbackend.apply_backend(module, lower_to="qnnpack")
    assert "qnnpack.conv2d" in text
    found = {(np.float32(s), int(z or 0)) for s, z in re.findall(
        r"!quant\.uniform<u8:f32, ([0-9.e-]+)(?::(-?\d+))?>", text)}
    assert {(F(0.0137), 120), (F(0.05), 3)} <= found


def test_operators_on_integers(tmp_path):
    # QLinearConv, and the sums of MatMulInteger behind DynamicQuantizeLinear.
    graph = Graph(13)
    x = graph.input("x", [1, 2, 4, 4])
    weights = RANDOM.integers(-127, 128, (3, 2, 2, 2)).astype(np.int8)
    numbers = [graph.constant(np.array(v, t)) for v, t in (
        (0.02, F), (128, np.uint8), (0.01, F), (0, np.int8), (0.1, F),
        (100, np.uint8))]
    q = graph.node("QuantizeLinear", x, *numbers[:2])
    y = graph.node("QLinearConv", q, *numbers[:2], graph.weight("w", weights),
                   *numbers[2:])
    graph.output(graph.node("DequantizeLinear", y, *numbers[4:]))
    d, s, z = graph.node("DynamicQuantizeLinear", x, results=3)
    w = RANDOM.integers(-127, 128, (4, 3)).astype(np.int8)
    total = graph.node("MatMulInteger", d, graph.weight("m", w), z)
    graph.output(graph.node("Mul", graph.node("Cast", total, to=1), s))
    x = RANDOM.standard_normal((1, 2, 4, 4)).astype(F)
    got = run(qbackend.from_onnx(graph.save(tmp_path / "net.onnx")), tmp_path, x=x)
    q = np.clip(np.rint(x / F(0.02)) + 128, 0, 255) - 128
    sums = conv(q, weights.astype(float), None, (1, 1), (0, 0), (1, 1), 1)
    want = (np.clip(np.rint(sums * 2e-4 / 0.1) + 100, 0, 255) - 100) * 0.1
    assert np.abs(got[0].reshape(want.shape) - want).max() < 0.1001
    assert (np.abs(got[0].reshape(want.shape) - want) > 1e-5).mean() < 0.1
    low, high = min(x.min(), 0), max(x.max(), 0)
    s = F(high - low) / F(255)
    z = np.rint(np.clip(-low / s, 0, 255))
    q = np.clip(np.rint(x / s) + z, 0, 255) - z
    assert close(got[1], (q @ w) * s)


def test_external_data(tmp_path):
    w = RANDOM.standard_normal((4, 3)).astype(F)
    (tmp_path / "net.weights").write_bytes(b"\0" * 64 + w.tobytes())
    graph = Graph(13)
    place = {"location": "net.weights", "offset": 64, "length": w.nbytes}
    graph.output(graph.node("MatMul", graph.input("x", [1, 4]),
                            graph.weight("w", w, place)))
    module = qbackend.from_onnx(graph.save(tmp_path / "net.onnx"))
    x = RANDOM.standard_normal((1, 4)).astype(F)
    assert close(run(module, tmp_path, x=x)[0], x @ w)


@pytest.mark.parametrize("place, match", [
    ({"location": "../net.weights"}, "below the model"),
    ({"location": "/etc/passwd"}, "below the model"),
    ({"location": "a\\..\\..\\b"}, "below the model"),
    ({}, "below the model"),
    ({"location": "nothing"}, "isn't there"),
    ({"location": "link"}, "leads out"),
    ({"location": "net.weights", "offset": -4}, "which has 48"),
    ({"location": "net.weights", "length": 1 << 60}, "which has 48"),
    ({"location": "net.weights", "offset": "x"}, "no number"),
    ({"location": "net.weights", "length": 8}, "8 bytes, expected 48"),
])
def test_external_data_that_is_refused(tmp_path, place, match):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "net.weights").write_bytes(b"\0" * 48)
    (tmp_path / "net.weights").write_bytes(b"\0" * 48)
    (folder / "link").symlink_to("../net.weights")
    graph = Graph(13)
    graph.output(graph.node("MatMul", graph.input("x", [1, 4]), graph.weight(
        "w", np.zeros((4, 3), F), place)))
    with pytest.raises(qbackend.ImportFailure, match=match):
        qbackend.from_onnx(graph.save(folder / "net.onnx"))


@pytest.mark.parametrize("shape, match", [
    ([1] * 33, "33 dimensions, expected at most 32"),
    ([0, 1 << 62], "expected at most .* bytes"),
    ([1 << 62, 0, 1 << 62], "expected at most .* bytes"),
    ([0, -1], "has the shape"),
])
def test_shapes_that_no_array_has(tmp_path, shape, match):
    graph = Graph(13)
    graph.output(graph.node("Relu", graph.input("x", [1])))
    graph.weights.append(b"".join(field(1, n) for n in shape)
                         + field(2, 1) + field(8, "w"))
    with pytest.raises(qbackend.ImportFailure, match=match):
        qbackend.from_onnx(graph.save(tmp_path / "net.onnx"))


def test_unknown_operators(tmp_path):
    graph = Graph(13)
    y = graph.input("x", [1, 4])
    for i in range(2):
        y = graph.node("Swizzle", y, domain="acme", name=f"/block{i}/Swizzle")
    graph.output(graph.node("Bernoulli", y))
    with pytest.raises(qbackend.UnsupportedOperators) as error:
        qbackend.from_onnx(graph.save(tmp_path / "net.onnx"))
    assert error.value.operators == {"acme.Swizzle": (2, "/block0/Swizzle"),
                                     "Bernoulli": (1, "v3")}


def small():
    graph = Graph(13)
    y = graph.node("MatMul", graph.input("x", [1, 4]), graph.weight(
        "w", np.ones((4, 3), F)))
    graph.output(graph.node("Softmax", y, axis=1))
    return graph


def nested(depth):
    inner = Graph()
    for _ in range(depth):
        outer = Graph()
        outer.node("If", "c", then_branch=inner)
        inner = outer
    return inner.graph()


def broken():
    graph = small()
    yield b"", "empty"
    yield b"hello there", "damaged|no graph"
    yield graph.model()[:-30], "damaged|outputs|opset|graph"
    yield field(1, 8), "no graph"
    yield field(7, graph.graph()), "doesn't say its opset"
    yield Graph(5).model(graph.graph()), "opset is 5, expected at least 7"
    again = Graph()
    again.output(again.node("f", "a", domain="own"))
    once = field(25, function("f", again, ["a"]))
    yield graph.model() + once * 2, "'f' is defined twice"
    changed = small()
    changed.output(changed.node("f", "x", domain="own"))
    yield changed.model() + once, "'f' calls itself"
    changed = small()
    changed.output(changed.node("f", "x", "x", domain="own"))
    yield changed.model() + once, "2 inputs and 1 results, expected up to 1 and 1"
    free = Graph()
    free.output(free.node("Relu", "w"))
    changed = small()
    changed.output(changed.node("f", "x", domain="own"))
    yield (changed.model() + field(25, function("f", free, ["a"])),
           "w' is used before it is defined")
    changed = small()
    changed.output(changed.node("LeakyRelu", "x", alpha=Reference("slope")))
    yield changed.model(), "'alpha' is that of a function, which it isn't in"
    yield bomb_of_functions(), "functions give more than 1000000 nodes"
    yield varint_bomb(), "doesn't end"
    yield b"\x3a\xff\xff\xff\xff\x7f", "longer than what is left"
    yield b"\x03", "type 3|damaged"
    yield graph.model(nested(40)), "nested more than 8 deep"
    for weight, match in (
            (tensor("w", np.ones((4, 3), F))[:-4] + b"", "damaged|bytes"),
            (field(1, -1) + field(2, 1) + field(8, "w"), r"shape \[-1\]"),
            (field(1, 1 << 40) + field(1, 1 << 40) + field(2, 1) + field(8, "w")
             + field(9, b""), "expected at most 9223372036854775807 bytes"),
            (field(1, 1 << 50) + field(2, 1) + field(8, "w"), "0 elements"),
            (field(1, 1) + field(2, 7) + field(8, "w") + field(4, float("nan")),
             "holds floats, expected integers"),
            (field(2, 8) + field(8, "w"), "of type string"),
            (field(2, 99) + field(8, "w"), "of type 99")):
        changed = small()
        changed.weights = [weight]
        yield changed.model(), match
    changed = small()
    changed.weights *= 2
    yield changed.model(), "'w' is defined twice"
    changed = small()
    changed.nodes.reverse()
    yield changed.model(), "used before it is defined"
    changed = small()
    changed.nodes *= 2
    yield changed.model(), "defined twice"
    changed = small()
    changed.nodes[1] += field(5, attribute("gain", 2))
    yield changed.model(), "attribute 'gain' is not supported"
    changed = small()
    changed.output("nowhere")
    yield changed.model(), "'nowhere' is nowhere computed"
    changed = small()
    changed.node("Relu", "x", "x")
    yield changed.model(), "2 inputs, expected 1 to 1"


def bomb_of_functions():
    """30 functions of two calls each: 2^30 nodes."""
    data = b""
    for i in range(30):
        graph, a = Graph(), "a"
        for _ in range(2):
            a = graph.node(f"f{i + 1}" if i < 29 else "Relu", a,
                           domain="own" if i < 29 else "")
        graph.output(a)
        data += field(25, function(f"f{i}", graph, ["a"]))
    graph = small()
    graph.output(graph.node("f0", "x", domain="own"))
    return graph.model() + data


def varint_bomb():
    return b"\x38" + b"\xff" * 100


@pytest.mark.parametrize("data, match", broken())
def test_broken_files(tmp_path, data, match):
    path = tmp_path / "net.onnx"
    path.write_bytes(data)
    with pytest.raises(qbackend.ImportFailure, match=match):
        qbackend.from_onnx(path)


def test_mutations(tmp_path):
    """Bytes changed anywhere: an error of ours or a module."""
    data = quantized(True)[0].model()
    path = tmp_path / "net.onnx"
    choices = random.Random(9)
    outcomes = set()
    for _ in range(300):
        changed = bytearray(data)
        for _ in range(choices.choice((1, 1, 2, 8))):
            changed[choices.randrange(len(data))] = choices.randrange(256)
        path.write_bytes(changed)
        try:
            qbackend.from_onnx(path).text()
            outcomes.add("module")
        except qbackend.ImportFailure:
            outcomes.add("error")
    assert outcomes == {"module", "error"}


def test_operators_are_recognised(tmp_path):
    graph = Graph(13)
    x = graph.input("x", ["batch", 2, 6, 6])
    w = RANDOM.standard_normal((4, 2, 3, 3)).astype(F)
    y = graph.node("Relu", graph.node("Conv", x, graph.weight("c.weight", w),
                                      graph.weight("c.bias", np.ones(4, F))))
    y = graph.node("Flatten", graph.node("GlobalAveragePool", y))
    graph.output(graph.node("Gemm", y, graph.weight("f.weight", np.ones(
        (3, 4), F)), graph.weight("f.bias", np.ones(3, F)), transB=1))
    lines = operators(qbackend.from_onnx(graph.save(tmp_path / "net.onnx")),
                      tmp_path)
    assert [re.match(r"\d+: (\w+)", line)[1] for line in lines[:4]] == [
        "conv2d", "relu", "adaptive_avg_pool2d", "linear"]
    assert lines[-1].startswith("float operations outside of operators: 0 ")

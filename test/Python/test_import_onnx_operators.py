# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single nodes of ONNX, imported, run, and compared with NumPy by the definition of
the operator."""

import numpy as np
import pytest

import qbackend
from importing import close
from onnx_writer import Graph, graph_of_node

RANDOM = np.random.default_rng(31)
F, I64 = np.float32, np.int64


def values(folder, *arguments, **keywords):
    graph = graph_of_node(*arguments, **keywords)
    module = qbackend.from_onnx(graph.save(folder / "net.onnx"))
    return module.run(*arguments[1])


# Transposed convolutions whose result is asked for.


def natural(x, w, stride):
    """Each element adds its multiple of the filter."""
    size = (x.shape[2] - 1) * stride + w.shape[2]
    y = np.zeros((1, w.shape[1], size, size))
    for i, j in np.ndindex(x.shape[2:]):
        at = np.s_[:, :, i * stride:i * stride + w.shape[2],
                   j * stride:j * stride + w.shape[2]]
        y[at] += np.einsum("nc,cfhw->nfhw", x[:, :, i, j], w)
    return y


@pytest.mark.parametrize("auto, before", [
    ("NOTSET", "more"), ("SAME_LOWER", "more"), ("SAME_UPPER", "less")])
@pytest.mark.parametrize("size", [[3, 4], [5, 6], [6, 8], [9, 11]])
def test_conv_transpose_output_shape(tmp_path, auto, before, size):
    """What is too much is cut on both sides; what is missing is 0 behind. (ONNX
    Runtime 1.21 agrees as long as less than a stride is missing.)"""
    x = RANDOM.integers(-4, 5, (1, 2, 3, 3)).astype(F)
    w = RANDOM.integers(-4, 5, (2, 3, 2, 2)).astype(F)
    want = np.zeros((1, 3, *size))
    y = natural(x, w, 2)
    starts = []
    for extent in size:
        cut = max(y.shape[2] - extent, 0)
        starts.append(cut - cut // 2 if before == "more" else cut // 2)
    part = y[:, :, starts[0]:starts[0] + size[0], starts[1]:starts[1] + size[1]]
    want[:, :, :part.shape[2], :part.shape[3]] = part
    bias = np.array([1, 2, 3], F)
    got = values(tmp_path, "ConvTranspose", [x], [w, bias], strides=[2, 2],
                 output_shape=size, auto_pad=auto)
    assert close(got, want + bias.reshape(3, 1, 1))


# Order, places and choices.


@pytest.mark.parametrize("kind, function", [("ArgMax", np.max), ("ArgMin", np.min)])
def test_last_of_equal_elements(tmp_path, kind, function):
    x = RANDOM.integers(0, 3, (1, 9, 4)).astype(F)
    want = [[[max(np.flatnonzero(x[0, :, c] == function(x[0, :, c])))
              for c in range(4)]]]
    assert close(values(tmp_path, kind, [x], axis=1, select_last_index=1), want)


def test_hardmax(tmp_path):
    x = np.array([[[1, 3, 3, 2], [5, 0, 5, 5]]], F)
    assert close(values(tmp_path, "Hardmax", [x]), [[[0, 1, 0, 0], [1, 0, 0, 0]]])
    # Before opset 13, of all behind the axis.
    assert close(values(tmp_path, "Hardmax", [x], opset=11),
                 [[[0, 0, 0, 0], [1, 0, 0, 0]]])


@pytest.mark.parametrize("order", [0, 1])
def test_places_of_maxima(tmp_path, order):
    x = RANDOM.permutation(2 * 4 * 6).reshape(1, 2, 4, 6).astype(F)
    y, at = values(tmp_path, "MaxPool", [x], results=2, kernel_shape=[2, 3],
                   strides=[2, 3], storage_order=order)
    flat = x.reshape(-1) if order == 0 else np.concatenate(
        [x[0, c].reshape(-1, order="F") for c in range(2)])
    assert close(y, x.reshape(1, 2, 2, 2, 2, 3).max((3, 5)))
    assert at.dtype == I64 and np.array_equal(flat[at.reshape(-1)], y.reshape(-1))


def test_scatters_with_reductions(tmp_path):
    x = RANDOM.standard_normal((1, 5, 4)).astype(F)
    new = RANDOM.standard_normal((1, 3, 4)).astype(F)
    rows = np.array([[[1, 0, 4, 2], [1, -1, 4, 2], [3, 0, 0, 2]]])
    for name, ufunc in (("add", np.add), ("mul", np.multiply), ("max", np.maximum),
                        ("min", np.minimum)):
        want = x.copy()
        for i, c in np.ndindex(3, 4):
            r = rows[0, i, c]
            want[0, r, c] = ufunc(want[0, r, c], new[0, i, c])
        got = values(tmp_path, "ScatterElements", [x, rows, new], axis=1,
                     reduction=name)
        assert close(got, want), name
        # The same by places that are inputs.
        at = np.array([[[0, 1], [0, 3], [0, 1]]])
        want = x.copy()
        for k, (n, r) in enumerate(at[0]):
            want[n, r] = ufunc(want[n, r], new[0, k])
        assert close(values(tmp_path, "ScatterND", [x, at, new], reduction=name),
                     want), name


def test_gather_nd_of_batches(tmp_path):
    x = RANDOM.standard_normal((2, 3, 4)).astype(F)
    at = np.array([[[1], [-1]], [[0], [2]]])
    want = np.stack([x[b][at[b, :, 0]] for b in range(2)])
    assert close(values(tmp_path, "GatherND", [x, at], batch_dims=1), want)


def test_compress_and_reverse_sequence(tmp_path):
    x = RANDOM.standard_normal((1, 4, 3)).astype(F)
    keep = np.array([True, False, True])
    assert close(values(tmp_path, "Compress", [x], [keep], axis=2), x[:, :, keep])
    y = RANDOM.standard_normal((4, 3, 2)).astype(F)
    want = y.copy()
    for b, n in enumerate((4, 1, 3)):
        want[:n, b] = y[:n, b][::-1]
    assert close(values(tmp_path, "ReverseSequence", [y], [np.array([4, 1, 3])]),
                 want)


@pytest.mark.parametrize("size", [[3, 8], [6, 5], [5, 7]])
def test_center_crop_pad(tmp_path, size):
    x = RANDOM.standard_normal((1, 5, 7)).astype(F)
    want = x
    for axis, n in zip((1, 2), size):
        extent = want.shape[axis]
        low = abs(n - extent) // 2
        if n >= extent:
            pads = [(0, 0)] * 3
            pads[axis] = low, n - extent - low
            want = np.pad(want, pads)
        else:
            want = np.take(want, range(low, low + n), axis)
    assert close(values(tmp_path, "CenterCropPad", [x], [np.array(size)],
                        axes=[1, 2]), want)


# Arithmetic.


def test_shifts(tmp_path):
    x = np.array([[1, 128, 255, 77]], np.uint8)
    by = np.array([[3, 1, 8, 255]], np.uint8)
    for way, want in (("LEFT", [8, 0, 0, 0]), ("RIGHT", [0, 64, 0, 0])):
        got = values(tmp_path, "BitShift", [x, by], direction=way)
        assert np.array_equal(got.view(np.uint8), [want])


def test_powers_of_integers(tmp_path):
    x, y = np.array([[-3, 2, 7, 0]], np.int32), np.array([[3, 10, 2, 0]], np.int32)
    assert close(values(tmp_path, "Pow", [x, y]), x ** y)
    assert close(values(tmp_path, "BitwiseNot", [x]), ~x)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_lp_pool(tmp_path, p):
    x = RANDOM.standard_normal((1, 2, 4, 6)).astype(F)
    want = (np.abs(x).reshape(1, 2, 2, 2, 2, 3) ** p).sum((3, 5)) ** (1 / p)
    assert close(values(tmp_path, "LpPool", [x], kernel_shape=[2, 3],
                        strides=[2, 3], p=p), want)


def test_statistics_of_layer_norm(tmp_path):
    x = RANDOM.standard_normal((1, 3, 8)).astype(F)
    y, mean, factor = values(tmp_path, "LayerNormalization", [x],
                             [np.ones(8, F)], results=3, epsilon=0.25)
    m = x.mean(-1, keepdims=True)
    f = 1 / np.sqrt(x.var(-1, keepdims=True) + 0.25)
    assert close(y, (x - m) * f) and close(mean, m) and close(factor, f)


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("ignored", [None, -7, 1])
def test_losses(tmp_path, reduction, ignored):
    x = RANDOM.standard_normal((2, 4, 3)).astype(F)
    target = np.array([[0, 1, 3], [1, 1 if ignored is None else ignored, 2]])
    weight = np.array([1, 2, 0.5, 4], F)
    logarithms = x - np.log(np.exp(x).sum(1, keepdims=True))
    attributes = {} if ignored is None else {"ignore_index": ignored}
    for kind, given in (("NegativeLogLikelihoodLoss", x),
                        ("SoftmaxCrossEntropyLoss", logarithms)):
        w = np.where(target == ignored, 0, weight[np.where(target == ignored, 0,
                                                           target)])
        each = -np.take_along_axis(given, np.where(
            target == ignored, 0, target)[:, None], 1)[:, 0] * w
        want = {"none": each, "sum": each.sum(), "mean": each.sum() / w.sum()}
        got = values(tmp_path, kind, [x, target], [weight], reduction=reduction,
                     **attributes)
        assert close(got, want[reduction], 1e-5), kind


@pytest.mark.parametrize("periodic", [0, 1])
@pytest.mark.parametrize("kind, terms", [
    ("HannWindow", (0.5, -0.5)), ("HammingWindow", (25 / 46, -21 / 46)),
    ("BlackmanWindow", (0.42, -0.5, 0.08))])
def test_windows(tmp_path, kind, terms, periodic):
    graph = Graph(18)
    x = graph.input("x", (1, 10))
    window = graph.node(kind, graph.constant(np.array(10, I64)), periodic=periodic)
    graph.output(graph.node("Mul", x, window))
    got = qbackend.from_onnx(graph.save(tmp_path / "net.onnx")).run(
        np.ones((1, 10), F))
    angle = 2 * np.pi * np.arange(10) / (10 if periodic else 9)
    assert close(got, [sum(t * np.cos(k * angle) for k, t in enumerate(terms))])


# Recurrent.


@pytest.mark.parametrize("layout", [0, 1])
def test_gru_that_resets_before(tmp_path, layout):
    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    steps, batch, width, hidden = 3, 2, 4, 5
    x = RANDOM.standard_normal((steps, batch, width)).astype(F)
    w = RANDOM.standard_normal((1, 3 * hidden, width)).astype(F)
    r = RANDOM.standard_normal((1, 3 * hidden, hidden)).astype(F)
    b = RANDOM.standard_normal((1, 6 * hidden)).astype(F)
    wz, wr, wn = np.split(w[0], 3)
    uz, ur, un = np.split(r[0], 3)
    bz, br, bn, cz, cr, cn = np.split(b[0], 6)
    h, states = np.zeros((batch, hidden)), []
    for t in range(steps):
        z = sigmoid(x[t] @ wz.T + bz + h @ uz.T + cz)
        reset = sigmoid(x[t] @ wr.T + br + h @ ur.T + cr)
        n = np.tanh(x[t] @ wn.T + bn + (reset * h) @ un.T + cn)
        h = (1 - z) * n + z * h
        states.append(h)
    want = np.stack(states)
    given = x.swapaxes(0, 1).copy() if layout else x
    y, last = values(tmp_path, "GRU", [given], [w, r, b], results=2,
                     hidden_size=hidden, layout=layout)
    assert close(y, want.swapaxes(0, 1)[:, :, None] if layout else want[:, None],
                 1e-5)
    assert close(last, h[:, None] if layout else h[None], 1e-5)


def test_old_opsets_of_what_never_changed(tmp_path):
    x = RANDOM.standard_normal((1, 2, 3, 3)).astype(F)
    assert close(values(tmp_path, "GlobalAveragePool", [x], opset=1),
                 x.mean((2, 3), keepdims=True))
    with pytest.raises(qbackend.ImportFailure, match="opset is 6"):
        values(tmp_path, "Add", [x], [x], opset=6)
    alpha, gamma = 1.6732632423543772, 1.0507009873554805
    assert close(values(tmp_path, "Selu", [x], opset=6),
                 gamma * np.where(x > 0, x, alpha * np.expm1(x)), 1e-6)
    # Its defaults were others.
    with pytest.raises(qbackend.ImportFailure, match="opset is 5, expected at least 6"):
        values(tmp_path, "Selu", [x], opset=5)


def test_resize_before_its_attributes(tmp_path):
    # That of opset 10 is Upsample: y / scale, and the one before it.
    x = RANDOM.standard_normal((1, 1, 4, 5)).astype(F)
    scales = np.array([1, 1, 2, 1.6], F)
    rows, columns = np.arange(8) / 2, np.arange(8) / F(1.6)
    assert close(values(tmp_path, "Resize", [x], [scales], opset=10, mode="nearest"),
                 x[:, :, np.floor(rows).astype(int)][..., np.floor(columns).astype(int)])

    def line(y, at, axis):
        low = np.minimum(np.floor(at).astype(int), y.shape[axis] - 1)
        high = np.minimum(low + 1, y.shape[axis] - 1)
        shape = [-1 if i == axis else 1 for i in range(4)]
        part = (at - low).reshape(shape)
        return y.take(low, axis) * (1 - part) + y.take(high, axis) * part

    assert close(values(tmp_path, "Resize", [x], [scales], opset=10, mode="linear"),
                 line(line(x.astype(float), rows, 2), columns, 3), 1e-5)


@pytest.mark.parametrize("kind, weights, attributes, match", [
    ("Conv", [np.ones((4, 3, 3, 3), F)], {"kernel_shape": [5, 5]},
     r"'kernel_shape' is \[5, 5\], the weight's kernel \[3, 3\]"),
    ("ConvTranspose", [np.ones((3, 4, 3, 3), F)], {"kernel_shape": [3, 2]},
     r"'kernel_shape' is \[3, 2\]"),
    ("ConvTranspose", [np.ones((3, 4, 3, 3), F)], {"auto_pad": "SAMEUPPER"},
     "auto_pad is 'SAMEUPPER', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER"),
    ("MaxPool", [], {"kernel_shape": [2, 2], "pads": [2, 0, 0, 0]},
     "leaves windows of .* without an element"),
    ("AveragePool", [], {"kernel_shape": [3, 3], "pads": [0, 0, 3, 0]},
     "leaves windows of .* without an element"),
    ("Squeeze", [np.array([1])], {}, r"dim 1 of shape \[1, 3, 8, 8\] is not 1"),
    ("Unsqueeze", [np.array([0, -6])], {}, r"the axes \[0, -6\] are not 2 of 6"),
    ("Unsqueeze", [np.array([7])], {}, r"the axes \[7\] are not 1 of 5"),
])
def test_attributes_that_fit_nothing(tmp_path, kind, weights, attributes, match):
    with pytest.raises(qbackend.ImportFailure, match=f"{kind} at .*{match}"):
        values(tmp_path, kind, [np.ones((1, 3, 8, 8), F)], weights, **attributes)


def test_a_zero_point_of_another_type(tmp_path):
    with pytest.raises(qbackend.ImportFailure, match="zero point is .*8, its input"):
        values(tmp_path, "DequantizeLinear", [np.ones((2, 3), np.uint8)],
               [np.array(0.5, F), np.array(3, np.int8)])


def test_a_size_that_contradicts_another(tmp_path):
    graph = Graph(18)
    x = graph.input("x", ["N", 3, "S", "S"])
    graph.output(graph.node("Neg", x))
    module = qbackend.from_onnx(graph.save(tmp_path / "net.onnx"))
    assert module.run(np.ones((1, 3, 4, 4), F)).shape == (1, 3, 4, 4)
    with pytest.raises(ValueError, match="dim 3 of 'x' has to be S"):
        module.run(np.ones((1, 3, 4, 5), F))


def test_a_graph_without_outputs(tmp_path):
    graph = Graph(18)
    graph.node("Neg", graph.input("x", [1, 3]))
    with pytest.raises(qbackend.ImportFailure, match="the graph has no outputs"):
        qbackend.from_onnx(graph.save(tmp_path / "net.onnx"))

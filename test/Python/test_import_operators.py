# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ATen's operators, imported, run, and compared with NumPy."""

import math

import numpy as np
import pytest

import qbackend
from exported import DType, Network
from importing import close, run

RANDOM = np.random.default_rng(7)
F = np.float32
X = RANDOM.standard_normal((2, 6, 5, 4)).astype(F)
Y = RANDOM.standard_normal((2, 6, 5, 4)).astype(F)
# On both sides of every edge, and the edges.
E = np.array([[-7, -6, -3.5, -3, -2.5, -1, -0.5, -0.0],
              [0, 0.25, 0.5, 1, 1.5, 2.5, 3, 6.5]], F)
P = np.abs(E) + F(0.1)
I = np.array([[3, -2, 7, -7, 0, 5], [2, 2, -3, 4, 1, -1]], np.int64)
M = np.array([[True, False, True, True], [False, False, True, True]])

erf = np.vectorize(math.erf, otypes=[np.float64])


def sigmoid(x):
    return 1 / (1 + np.exp(-x.astype(np.float64)))


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def normalized(x, axes, eps):
    x = x.astype(np.float64)
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(
        x.var(axes, keepdims=True) + eps)


def windows(x, kernel, stride, pad, dilation, fill, ceil=False):
    """[..., outputs, kernel elements], by the definition, for any rank."""
    n = len(kernel)
    counts = []
    for i in range(n):
        size, reach = x.shape[2 + i], dilation[i] * (kernel[i] - 1) + 1
        rest = size + 2 * pad[i] - reach
        count = -(-rest // stride[i]) + 1 if ceil else rest // stride[i] + 1
        if ceil and (count - 1) * stride[i] >= size + pad[i]:
            count -= 1
        counts.append(count)
    out = np.full((*x.shape[:2], *counts, *kernel), fill, np.float64)
    inside = np.zeros((*counts, *kernel), bool)
    for o in np.ndindex(*counts):
        for k in np.ndindex(*kernel):
            at = [a * s - p + t * d for a, s, p, t, d in zip(
                o, stride, pad, k, dilation)]
            if all(0 <= a < e for a, e in zip(at, x.shape[2:])):
                out[(slice(None), slice(None), *o, *k)] = x[
                    (slice(None), slice(None), *at)]
                inside[(*o, *k)] = True
    return out, inside


def conv(x, w, b, stride, pad, dilation, groups):
    n = w.ndim - 2
    taps, _ = windows(x, w.shape[2:], stride, pad, dilation, 0.0)
    each = w.shape[0] // groups
    out = []
    for f in range(w.shape[0]):
        c = f // each * w.shape[1]
        part = taps[:, c:c + w.shape[1]]
        weight = w[f].reshape(1, w.shape[1], *[1] * n, *w.shape[2:])
        out.append((part * weight).sum((1, *range(2 + n, 2 + 2 * n))) + (
            0 if b is None else b[f]))
    return np.stack(out, 1)


def conv_transpose(x, w, b, stride, pad, extra, dilation, groups):
    n = w.ndim - 2
    sizes = [(e - 1) * s - 2 * p + d * (k - 1) + o + 1 for e, s, p, d, k, o in zip(
        x.shape[2:], stride, pad, dilation, w.shape[2:], extra)]
    features = w.shape[1] * groups
    out = np.zeros((x.shape[0], features, *sizes))
    each = x.shape[1] // groups
    for c in range(x.shape[1]):
        for f in range(w.shape[1]):
            to = c // each * w.shape[1] + f
            for i in np.ndindex(*x.shape[2:]):
                for k in np.ndindex(*w.shape[2:]):
                    at = tuple(a * s - p + t * d for a, s, p, t, d in zip(
                        i, stride, pad, k, dilation))
                    if all(0 <= a < e for a, e in zip(at, sizes)):
                        out[(slice(None), to, *at)] += x[
                            (slice(None), c, *i)] * w[(c, f, *k)]
    return out if b is None else out + b.reshape(-1, *[1] * n)


def pool(x, kind, kernel, stride, pad, dilation=None, ceil=False, padding=True,
         divisor=None):
    n = len(kernel)
    axes = tuple(range(-n, 0))
    taps, inside = windows(x, kernel, stride, pad, dilation or [1] * n,
                           -np.inf if kind == "max" else 0.0, ceil)
    if kind == "max":
        return taps.max(axes)
    if divisor:
        return taps.sum(axes) / divisor
    if padding:
        # What is inside of the padded image counts.
        wide = np.pad(np.ones(x.shape[2:]), [(p, p) for p in pad])
        _, inside = windows(wide[None, None], kernel, stride, [0] * n, [1] * n, 0,
                            ceil)
        inside = inside[tuple(slice(0, c) for c in taps.shape[2:2 + n])]
    return taps.sum(axes) / inside.sum(axes)


def adaptive(x, sizes, kind):
    out = np.zeros((*x.shape[:-len(sizes)], *sizes))
    for o in np.ndindex(*sizes):
        part = x[(..., *(slice(i * n // s, -(-(i + 1) * n // s)) for i, n, s in zip(
            o, x.shape[-len(sizes):], sizes)))]
        axes = tuple(range(-len(sizes), 0))
        out[(..., *o)] = part.mean(axes) if kind == "avg" else part.max(axes)
    return out


def attention(q, k, v, mask=None, causal=False, scale=None):
    s = q @ k.swapaxes(-1, -2) * (scale or 1 / math.sqrt(q.shape[-1]))
    if causal:
        mask = np.tril(np.ones(s.shape[-2:], bool))
    if mask is not None:
        s = np.where(mask, s, -np.inf) if mask.dtype == bool else s + mask
    with np.errstate(all="ignore"):
        p = softmax(s, -1)
    return np.nan_to_num(p) @ v


def recurrent(kind, x, h, c, w, u, b, d):
    """One layer, one direction: the states, and the last ones."""
    out = []
    for t in range(x.shape[0]):
        a, e = x[t] @ w.T + b, h @ u.T + d
        if kind == "lstm":
            i, f, g, o = np.split(a + e, 4, -1)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
        else:
            (ar, az, an), (er, ez, en) = np.split(a, 3, -1), np.split(e, 3, -1)
            z = sigmoid(az + ez)
            h = (1 - z) * np.tanh(an + sigmoid(ar + er) * en) + z * h
        out.append(h)
    return np.stack(out), h, c


ONE = {
    "abs": np.abs, "acos": (lambda x: np.arccos(x / 8)), "atan": np.arctan,
    "ceil": np.ceil, "cos": np.cos, "erf": erf, "exp": np.exp,
    "expm1": np.expm1, "floor": np.floor, "hardsigmoid":
        lambda x: np.clip(x + 3, 0, 6) / 6,
    "hardswish": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "log_sigmoid": lambda x: -np.log1p(np.exp(-x.astype(float))),
    "mish": lambda x: x * np.tanh(np.log1p(np.exp(x))), "neg": np.negative,
    "reciprocal": None, "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6), "round": np.rint,
    "selu": lambda x: 1.0507009873554805 * np.where(
        x > 0, x, 1.6732632423543772 * np.expm1(x)),
    "sigmoid": sigmoid, "sign": np.sign, "silu": lambda x: x * sigmoid(x),
    "sin": np.sin, "square": np.square, "tanh": np.tanh, "trunc": np.trunc,
    "softsign": lambda x: x / (1 + np.abs(x)),
    "log1p": None, "log": None, "sqrt": None, "rsqrt": None, "log2": None,
    "acosh": None,
}
POSITIVE = {"reciprocal": lambda x: 1 / x, "log1p": np.log1p, "log": np.log,
            "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "log2": np.log2}


class Cases:
    """Operators on shared inputs, as one network with a result for each."""

    def __init__(self):
        self.net, self.wants, self.names, self.arrays = Network(), [], [], {}
        self.known = {}

    def input(self, array):
        """An argument of the function has a leading dimension of samples."""
        key = id(array)
        if key not in self.known:
            name = f"in{len(self.arrays)}"
            # What is used later must not get the id of what is gone.
            self.arrays[name] = np.ascontiguousarray(array)[None]
            ref = self.net.input(name, [1, *array.shape], array.dtype.name)
            self.known[key] = (array, self.net.node(
                "aten.view.default", (list(array.shape), array.dtype.name),
                self=ref, size=list(array.shape)))
        return self.known[key][1]

    def weight(self, array):
        return self.net.weight(f"w{len(self.net.weights)}", array)

    def check(self, target, want, /, **arguments):
        wants = want if isinstance(want, list) else [want]
        given = {}
        for name, value in arguments.items():
            if isinstance(value, np.ndarray):
                value = self.input(value)
            elif isinstance(value, list) and value and isinstance(
                    value[0], np.ndarray):
                value = [self.input(v) for v in value]
            given[name] = value
        shapes = [(list(w.shape), self.dtype(w)) for w in wants]
        found = self.net.node(
            "aten." + target, shapes if isinstance(want, list) else shapes[0],
            **given)
        for ref, w in zip(found if isinstance(want, list) else [found], wants):
            self.names.append(f"{target} {sorted(arguments)}")
            self.wants.append(w)
            self.net.outputs.append(self.net.node(
                "aten.view.default", ([1, *w.shape], self.dtype(w)), self=ref,
                size=[1, *w.shape]))

    @staticmethod
    def dtype(array):
        return "float32" if array.dtype == np.float64 else array.dtype.name

    def run(self, folder):
        path = self.net.save(folder / "net.pt2")
        results = run(qbackend.from_pt2(path), folder, **self.arrays)
        assert len(results) == len(self.wants)
        wrong = [name for name, got, want in zip(self.names, results, self.wants)
                 if not close(got, want)]
        assert not wrong


def of(function, *arrays):
    return np.asarray(function(*(a.astype(np.float64) if a.dtype == F else a
                                 for a in arrays)))


def test_functions_of_one_tensor(tmp_path):
    c = Cases()
    for name, function in ONE.items():
        if name in POSITIVE:
            c.check(f"{name}.default", of(POSITIVE[name], P), self=P)
        elif name == "acos":
            small = (E / 8).astype(F)
            c.check("acos.default", of(np.arccos, small), self=small)
        elif function is not None:
            c.check(f"{name}.default", of(function, E), self=E)
    c.check("hardtanh.default", np.clip(E, -2, 2.5), self=E, min_val=-2.0,
            max_val=2.5)
    c.check("hardtanh.default", np.clip(E, -1, 1), self=E)
    c.check("leaky_relu.default", np.where(E > 0, E, F(0.01) * E), self=E)
    c.check("elu.default", np.where(E > 0, E, 0.5 * np.expm1(E)), self=E, alpha=0.5)
    c.check("celu.default", np.where(E > 0, E, 2 * np.expm1(E / 2)), self=E,
            alpha=2.0)
    c.check("gelu.default", of(lambda x: x * (1 + erf(x / math.sqrt(2))) / 2, E),
            self=E)
    c.check("gelu.default", of(lambda x: x / 2 * (1 + np.tanh(math.sqrt(
        2 / math.pi) * (x + 0.044715 * x ** 3))), E), self=E, approximate="tanh")
    c.check("softplus.default", of(lambda x: np.log1p(np.exp(2 * x)) / 2, E),
            self=E, beta=2.0)
    c.check("hardshrink.default", np.where(np.abs(E) > 0.5, E, 0), self=E)
    c.check("softshrink.default", np.sign(E) * np.maximum(np.abs(E) - F(0.5), 0),
            self=E)
    c.check("threshold.default", np.where(E > 1, E, F(20)), self=E, threshold=1.0,
            value=20.0)
    c.check("clamp.default", np.maximum(E, -2), self=E, min=-2.0)
    c.check("clamp.default", np.minimum(E, 2), self=E, max=2)
    c.check("isnan.default", np.isnan(E), self=E)
    c.check("logical_not.default", E == 0, self=E)
    c.check("pow.Tensor_Scalar", E ** 3, self=E, exponent=3)
    c.check("pow.Tensor_Scalar", P ** F(0.3), self=P, exponent=0.3)
    c.check("pow.Tensor_Scalar", of(lambda x: x ** -2, P), self=P, exponent=-2)
    c.check("to.dtype", E.astype(np.int64), self=E, dtype=DType("int64"))
    c.check("to.dtype", I.astype(F), self=I, dtype=DType("float32"))
    c.check("to.dtype", E != 0, self=E, dtype=DType("bool"))
    c.run(tmp_path)


def test_functions_of_two_tensors(tmp_path):
    c = Cases()
    row, column = X[0, 0, 0], np.ascontiguousarray(X[:, :, :1, :1])
    for name, function in (("add", np.add), ("sub", np.subtract),
                           ("mul", np.multiply), ("div", np.divide)):
        for other in (Y, row, column):
            c.check(f"{name}.Tensor", function(X, other), self=X, other=other)
        c.check(f"{name}.Tensor", function(X, F(2.5)), self=X, other=2.5)
    c.check("add.Tensor", X + 3 * Y, self=X, other=Y, alpha=3)
    c.check("rsub.Scalar", 2 - X, self=X, other=2)
    c.check("add.Tensor", I + 2, self=I, other=2)
    c.check("add.Tensor", (I + 2.5).astype(F), self=I, other=2.5)
    c.check("div.Tensor", (I / 4).astype(F), self=I, other=4)
    c.check("div.Tensor_mode", np.floor_divide(I, 2), self=I, other=2,
            rounding_mode="floor")
    c.check("div.Tensor_mode", np.trunc(I / 2).astype(np.int64), self=I, other=2,
            rounding_mode="trunc")
    c.check("div.Tensor_mode", np.floor(X / F(0.7)), self=X, other=0.7,
            rounding_mode="floor")
    c.check("remainder.Scalar", np.remainder(I, 3), self=I, other=3)
    c.check("remainder.Scalar", np.remainder(E, F(2)), self=E, other=2.0)
    c.check("remainder.Scalar", np.remainder(E, F(-2)), self=E, other=-2.0)
    c.check("fmod.Scalar", np.fmod(E, F(2)), self=E, other=2.0)
    c.check("maximum.default", np.maximum(X, Y), self=X, other=Y)
    c.check("minimum.default", np.minimum(X, Y), self=X, other=Y)
    c.check("atan2.default", np.arctan2(X, Y), self=X, other=Y)
    c.check("pow.Tensor_Tensor", of(np.power, P, E), self=P, exponent=E)
    for name, function in (("gt", np.greater), ("ge", np.greater_equal),
                           ("lt", np.less), ("le", np.less_equal),
                           ("eq", np.equal), ("ne", np.not_equal)):
        c.check(f"{name}.Tensor", function(X, Y), self=X, other=Y)
        c.check(f"{name}.Scalar", function(I, 2), self=I, other=2)
    c.check("where.self", np.where(X > Y, X, Y), condition=X > Y, self=X, other=Y)
    c.check("masked_fill.Scalar", np.where(X > Y, F(-9), X), self=X, mask=X > Y,
            value=-9.0)
    c.check("logical_and.default", np.logical_and(X > 0, Y > 0), self=X > 0,
            other=Y > 0)
    c.check("bitwise_and.Tensor", I & 6, self=I, other=6)
    by = np.array([-9, -1, 0, 3, 63, 64])
    some = (by >= 0) & (by < 64)
    c.check("bitwise_left_shift.Tensor", np.where(some, I << (by & 63), 0), self=I,
            other=by)
    c.check("bitwise_right_shift.Tensor", I >> np.where(some, by, 63), self=I, other=by)
    c.check("bitwise_not.default", ~I, self=I)
    c.check("bitwise_not.default", ~M, self=M)
    c.check("lerp.Scalar", X + F(0.25) * (Y - X), self=X, end=Y, weight=0.25)
    c.check("addcmul.default", X + 2 * X * Y, self=X, tensor1=X, tensor2=Y, value=2)
    slope = np.array([0.25, -1, 0, 2, 0.5, 1], F)
    c.check("prelu.default", np.where(X > 0, X, X * slope[:, None, None]), self=X,
            weight=c.weight(slope))
    c.check("glu.default", of(lambda x: x[:, :3] * sigmoid(x[:, 3:]), X), self=X,
            dim=1)
    c.run(tmp_path)


def test_shapes(tmp_path):
    c = Cases()
    c.check("reshape.default", X.reshape(4, 3, 20), self=X, shape=[4, -1, 20])
    c.check("flatten.using_ints", X.reshape(2, 30, 4), self=X, start_dim=1,
            end_dim=2)
    c.check("unflatten.int", X.reshape(2, 2, 3, 5, 4), self=X, dim=1, sizes=[2, -1])
    c.check("permute.default", X.transpose(0, 2, 3, 1), self=X, dims=[0, 2, -1, 1])
    c.check("transpose.int", X.swapaxes(1, 3), self=X, dim0=1, dim1=-1)
    c.check("movedim.int", np.moveaxis(X, 1, 3), self=X, source=1, destination=3)
    c.check("expand.default", np.broadcast_to(X[:1], X.shape),
            self=np.ascontiguousarray(X[:1]), size=[2, -1, -1, -1])
    c.check("repeat.default", np.tile(X, (1, 2, 1, 3)), self=X,
            repeats=[1, 2, 1, 3])
    c.check("repeat_interleave.self_int", np.repeat(X, 2, 1), self=X, repeats=2,
            dim=1)
    c.check("slice.Tensor", X[:, 1:-1:2], self=X, dim=1, start=1, end=-1, step=2)
    c.check("slice.Tensor", X[:, -4:], self=X, dim=1, start=-4,
            end=9223372036854775807)
    c.check("select.int", X[:, -2], self=X, dim=1, index=-2)
    c.check("narrow.default", X[:, 2:5], self=X, dim=1, start=2, length=3)
    c.check("cat.default", np.concatenate([X, Y[:, :2]], 1),
            tensors=[X, np.ascontiguousarray(Y[:, :2])], dim=1)
    c.check("stack.default", np.stack([X, Y], -1), tensors=[X, Y], dim=-1)
    c.check("flip.default", X[:, ::-1, :, ::-1], self=X, dims=[1, 3])
    c.check("roll.default", np.roll(X, (2, -1), (1, 2)), self=X, shifts=[2, -1],
            dims=[1, 2])
    c.check("roll.default", np.roll(X, 5), self=X, shifts=[5])
    c.check("unfold.default", np.stack([X[:, i:i + 3] for i in (0, 2)], 1
                                       ).transpose(0, 1, 3, 4, 2),
            self=X, dimension=1, size=3, step=2)
    for mode, name in (("reflect", "reflect"), ("replicate", "edge"),
                       ("circular", "wrap")):
        c.check("pad.default", np.pad(X, [(0, 0), (0, 0), (0, 3), (2, 1)], name),
                self=X, pad=[2, 1, 0, 3], mode=mode)
    c.check("constant_pad_nd.default", np.pad(
        X, [(0, 0)] * 3 + [(1, 0)], constant_values=0.5)[..., :-1], self=X,
        pad=[1, -1], value=0.5)
    c.check("pixel_shuffle.default", X[:, :4].reshape(2, 1, 2, 2, 5, 4).transpose(
        0, 1, 4, 2, 5, 3).reshape(2, 1, 10, 8),
        self=np.ascontiguousarray(X[:, :4]), upscale_factor=2)
    even = np.ascontiguousarray(X[:, :, :4])
    c.check("pixel_unshuffle.default", even.reshape(2, 6, 2, 2, 2, 2).transpose(
        0, 1, 3, 5, 2, 4).reshape(2, 24, 2, 2), self=even, downscale_factor=2)
    c.check("channel_shuffle.default", X.reshape(2, 3, 2, 5, 4).swapaxes(
        1, 2).reshape(X.shape), self=X, groups=3)
    c.check("slice_scatter.default", np.concatenate(
        [X[:, :2], Y[:, 2:4], X[:, 4:]], 1), self=X,
        src=np.ascontiguousarray(Y[:, 2:4]), dim=1, start=2, end=4)
    c.check("diagonal.default", np.diagonal(X, 1, 2, 3), self=X, offset=1, dim1=2,
            dim2=3)
    c.check("diagonal.default", np.diagonal(X, -2, 2, 3), self=X, offset=-2, dim1=2,
            dim2=3)
    c.check("as_strided.default", X.reshape(-1)[3:3 + 12:2].reshape(2, 3), self=X,
            size=[2, 3], stride=[6, 2], storage_offset=3)
    c.check("rot90.default", np.rot90(X, 1, (2, 3)), self=X, k=1, dims=[2, 3])
    for name, arguments, parts in (
            ("split.Tensor", {"split_size": 4}, [4]),
            ("chunk.default", {"chunks": 4}, [2, 4]),
            ("split_with_sizes.default", {"split_sizes": [1, 3, 2]}, [1, 4])):
        pieces = np.split(X, parts, 1)
        found = c.net.node("aten." + name, [(list(p.shape), "float32")
                                            for p in pieces],
                           self=c.input(X), dim=1, **arguments)
        c.net.nodes[-1]["outputs"] = [
            {"as_tensors": [{"name": str(f)} for f in found]}]
        for f, piece in zip(found, pieces):
            c.names.append(name)
            c.wants.append(piece)
            c.net.outputs.append(c.net.node("aten.unsqueeze.default",
                                            [1, *piece.shape], self=f, dim=0))
    c.run(tmp_path)


def test_convolutions(tmp_path):
    c = Cases()
    for spatial in (1, 2, 3):
        x = RANDOM.standard_normal((1, 4, 9, 8, 7)[:2 + spatial]).astype(F)
        for stride, pad, dilation, groups in (
                (1, 0, 1, 1), (2, 1, 1, 2), (1, 2, 2, 4)):
            w = RANDOM.standard_normal((8, 4 // groups, 3, 2, 3)[
                :2 + spatial]).astype(F)
            b = RANDOM.standard_normal(8).astype(F)
            every = [[v] * spatial for v in (stride, pad, dilation)]
            c.check(f"conv{spatial}d.default", conv(x, w, b, *every, groups),
                    input=x, weight=c.weight(w), bias=c.weight(b), stride=[stride],
                    padding=[pad], dilation=[dilation], groups=groups)
            if spatial == 3:
                continue
            w = RANDOM.standard_normal((4, 6 // groups if groups < 4 else 2, 3,
                                        2)[:2 + spatial]).astype(F)
            b = RANDOM.standard_normal(w.shape[1] * groups).astype(F)
            extra = [min(stride - 1, 1)] * spatial
            name = "conv_transpose1d.default" if spatial == 1 else (
                "conv_transpose2d.input")
            c.check(name, conv_transpose(x, w, b, *every[:2], extra, every[2],
                                         groups),
                    input=x, weight=c.weight(w), bias=c.weight(b), stride=every[0],
                    padding=every[1], output_padding=extra, dilation=every[2],
                    groups=groups)
    # Depthwise, with the same number of features, and without a batch.
    x = RANDOM.standard_normal((1, 4, 6, 6)).astype(F)
    w = RANDOM.standard_normal((4, 1, 3, 3)).astype(F)
    c.check("conv2d.default", conv(x, w, None, [1, 1], [1, 1], [1, 1], 4), input=x,
            weight=c.weight(w), padding=[1, 1], groups=4)
    c.check("conv2d.default", conv(x, w, None, [1, 1], [1, 1], [1, 1], 4)[0],
            input=np.ascontiguousarray(x[0]), weight=c.weight(w), padding=[1, 1],
            groups=4)
    # The larger half of the padding is behind.
    w = RANDOM.standard_normal((3, 4, 2, 4)).astype(F)
    wide = np.pad(x, [(0, 0), (0, 0), (0, 1), (1, 2)])
    c.check("conv2d.padding", conv(wide, w, None, [1, 1], [0, 0], [1, 1], 1),
            input=x, weight=c.weight(w), padding="same")
    c.run(tmp_path)


def test_pools(tmp_path):
    c = Cases()
    for spatial in (1, 2, 3):
        x = RANDOM.standard_normal((1, 2, 9, 8, 7)[:2 + spatial]).astype(F)
        kernel = [3, 2, 2][:spatial]
        for stride, pad, ceil in (([2] * spatial, [1] * spatial, False),
                                  ([2] * spatial, [0] * spatial, True),
                                  (None, [0] * spatial, False)):
            arguments = {} if stride is None else {"stride": stride}
            steps = stride or kernel
            c.check(f"max_pool{spatial}d.default",
                    pool(x, "max", kernel, steps, pad, None, ceil), self=x,
                    kernel_size=kernel, padding=pad, ceil_mode=ceil, **arguments)
            for padding in (True, False):
                c.check(f"avg_pool{spatial}d.default",
                        pool(x, "avg", kernel, steps, pad, None, ceil, padding),
                        self=x, kernel_size=kernel, padding=pad, ceil_mode=ceil,
                        count_include_pad=padding, **arguments)
        for size in ([1], [4], [9, 8, 7][:spatial], [3, 5, 2][:spatial]):
            sizes = size * spatial if len(size) == 1 else size
            c.check(f"adaptive_avg_pool{spatial}d.default",
                    adaptive(x, sizes, "avg"), self=x, output_size=sizes)
    x = RANDOM.standard_normal((1, 2, 9, 8)).astype(F)
    c.check("avg_pool2d.default", pool(x, "avg", [2, 2], [2, 2], [0, 0],
                                       divisor=3), self=x, kernel_size=[2, 2],
            divisor_override=3)
    c.check("max_pool2d.default", pool(x, "max", [3, 3], [1, 1], [1, 1], [2, 2]),
            self=x, kernel_size=[3], stride=[1], padding=[1], dilation=[2])
    c.check("adaptive_max_pool2d.default", [adaptive(x, [4, 3], "max")], self=x,
            output_size=[4, 3])
    # Places in the image, of the first of equal elements.
    taps, _ = windows(x, [2, 2], [2, 2], [0, 0], [1, 1], 0)
    at = taps.reshape(1, 2, 4, 4, 4).argmax(-1)
    places = (np.arange(4)[:, None] * 2 + at // 2) * 8 + np.arange(4) * 2 + at % 2
    c.check("max_pool2d_with_indices.default", [taps.max((-1, -2)), places],
            self=x, kernel_size=[2, 2])
    c.run(tmp_path)


def test_norms(tmp_path):
    c = Cases()
    w, b = (RANDOM.standard_normal(6).astype(F) for _ in range(2))
    mean, var = RANDOM.standard_normal(6).astype(F), np.abs(
        RANDOM.standard_normal(6)).astype(F)

    def wide(p):
        return p.reshape(1, 6, 1, 1)

    c.check("batch_norm.default", of(
        lambda x: (x - wide(mean)) / np.sqrt(wide(var) + 1e-3) * wide(w) + wide(b),
        X), input=X, weight=c.weight(w), bias=c.weight(b),
        running_mean=c.weight(mean), running_var=c.weight(var), training=False,
        momentum=0.1, eps=1e-3, cudnn_enabled=True)
    c.check("batch_norm.default", normalized(X, (0, 2, 3), 1e-5), input=X,
            weight=None, bias=None, running_mean=None, running_var=None,
            training=True, momentum=0.1, eps=1e-5, cudnn_enabled=True)
    s = RANDOM.standard_normal((5, 4)).astype(F)
    c.check("layer_norm.default", normalized(X, (2, 3), 1e-2) * s, input=X,
            normalized_shape=[5, 4], weight=c.weight(s), eps=1e-2)
    c.check("layer_norm.default", normalized(X, (3,), 1e-5), input=X,
            normalized_shape=[4])
    groups = normalized(X.reshape(2, 3, 2, 5, 4), (2, 3, 4), 1e-5)
    c.check("group_norm.default", groups.reshape(X.shape) * wide(w) + wide(b),
            input=X, num_groups=3, weight=c.weight(w), bias=c.weight(b))
    c.check("instance_norm.default", normalized(X, (2, 3), 1e-5) * wide(w), input=X,
            weight=c.weight(w), bias=None, running_mean=None, running_var=None,
            use_input_stats=True, momentum=0.1, eps=1e-5, cudnn_enabled=True)
    c.check("rms_norm.default", of(lambda x: x / np.sqrt(
        (x ** 2).mean(-1, keepdims=True) + 1e-6), X), input=X,
        normalized_shape=[4], eps=1e-6)
    c.run(tmp_path)


def test_reductions(tmp_path):
    c = Cases()
    c.check("sum.dim_IntList", X.sum((1, 3)), self=X, dim=[1, -1])
    c.check("sum.default", X.sum(), self=X)
    c.check("sum.dim_IntList", M.sum(1), self=M, dim=[1])
    c.check("mean.dim", X.mean((2, 3), keepdims=True), self=X, dim=[2, 3],
            keepdim=True)
    c.check("prod.dim_int", X.prod(2), self=X, dim=2)
    c.check("amax.default", X.max(1), self=X, dim=[1])
    c.check("amin.default", X.min(), self=X)
    c.check("any.dim", M.any(1), self=M, dim=1)
    c.check("all.dim", M.all(0, keepdims=True), self=M, dim=0, keepdim=True)
    c.check("argmax.default", X.argmax(1), self=X, dim=1)
    c.check("argmin.default", np.asarray(X.argmin()), self=X)
    c.check("max.dim", [X.max(3), X.argmax(3)], self=X, dim=3)
    c.check("var.correction", of(lambda x: x.var((2, 3), ddof=1), X), self=X,
            dim=[2, 3])
    c.check("var.dim", of(lambda x: x.var(1), X), self=X, dim=[1], unbiased=False)
    c.check("std.correction", of(lambda x: x.std(2, ddof=2, keepdims=True), X),
            self=X, dim=[2], correction=2, keepdim=True)
    c.check("softmax.int", of(lambda x: softmax(x, 1), X), self=X, dim=1)
    c.check("log_softmax.int", of(lambda x: np.log(softmax(x, -1)), X), self=X,
            dim=-1)
    c.check("logsumexp.default", of(lambda x: np.log(np.exp(x).sum(1)), X), self=X,
            dim=[1])
    c.check("linalg_vector_norm.default", of(lambda x: np.sqrt((x ** 2).sum(
        1, keepdims=True)), X), self=X, ord=2, dim=[1], keepdim=True)
    c.check("linalg_vector_norm.default", of(lambda x: (np.abs(x) ** 3).sum(
        1) ** (1 / 3), X), self=X, ord=3.0, dim=[1])
    c.check("cumsum.default", X.cumsum(2), self=X, dim=2)
    c.check("cumsum.default", M.cumsum(1), self=M, dim=1)
    c.check("cumprod.default", X.cumprod(3), self=X, dim=3)
    order = np.argsort(-X, 1, kind="stable")[:, :3]
    c.check("topk.default", [np.take_along_axis(X, order, 1), order], self=X, k=3,
            dim=1)
    # Equal elements keep their order.
    ties = np.array([[3, 1, 2, 1, 3, 0]], F)
    order = np.argsort(ties, 1, kind="stable")
    c.check("sort.default", [np.take_along_axis(ties, order, 1), order], self=ties)
    c.check("kthvalue.default", [np.sort(ties, 1)[:, 1],
                                 np.array([1])], self=ties, k=2)
    c.check("cosine_similarity.default", of(lambda a, b: (a * b).sum(1) / (
        np.sqrt((a * a).sum(1)) * np.sqrt((b * b).sum(1))), X, Y), x1=X, x2=Y)
    c.run(tmp_path)


def test_products(tmp_path):
    c = Cases()
    a, b = X[0], np.ascontiguousarray(Y[0].swapaxes(1, 2))
    w, d = (RANDOM.standard_normal(s).astype(F) for s in ((7, 4), 7))
    c.check("linear.default", X @ w.T + d, input=X, weight=c.weight(w),
            bias=c.weight(d))
    c.check("linear.default", X[0, 0, 0] @ w.T,
            input=np.ascontiguousarray(X[0, 0, 0]), weight=c.weight(w))
    c.check("bmm.default", a @ b, self=np.ascontiguousarray(a), mat2=b)
    c.check("matmul.default", X @ b[0], self=X, other=np.ascontiguousarray(b[0]))
    c.check("matmul.default", X @ b, self=X, other=b)
    c.check("matmul.default", X[0, 0, 0] @ b,
            self=np.ascontiguousarray(X[0, 0, 0]), other=b)
    c.check("matmul.default", X @ X[0, 0, 0], self=X,
            other=np.ascontiguousarray(X[0, 0, 0]))
    m = np.ascontiguousarray(X[0, 0])
    c.check("addmm.default", 0.5 * d + 2 * (m @ w.T), self=d, mat1=m,
            mat2=np.ascontiguousarray(w.T), beta=0.5, alpha=2)
    c.check("baddbmm.default", Y[0, :, :, :1] + a @ b,
            self=np.ascontiguousarray(Y[0, :, :, :1]),
            batch1=np.ascontiguousarray(a), batch2=b)
    for equation, operands in (("bchw,bkhw->bck", [X, Y]), ("bchw->wb", [X]),
                               ("ij,kj->ik", [m, w]), ("bchw,cd->bdhw", [
                                   X, RANDOM.standard_normal((6, 3)).astype(F)]),
                               ("...ij,kj->...ik", [X, w]),
                               ("bchw,b,c->hw", [X, np.array([1, 2], F), np.arange(
                                   6).astype(F)])):
        c.check("einsum.default", np.einsum(equation, *operands),
                equation=equation, tensors=operands)
    q = RANDOM.standard_normal((2, 4, 5, 8)).astype(F)
    k = RANDOM.standard_normal((2, 4, 7, 8)).astype(F)
    v = RANDOM.standard_normal((2, 4, 7, 3)).astype(F)
    name = "scaled_dot_product_attention.default"
    c.check(name, attention(q, k, v), query=q, key=k, value=v)
    c.check(name, attention(q, k, v, causal=True, scale=0.3), query=q, key=k,
            value=v, is_causal=True, scale=0.3)
    keep = RANDOM.random((5, 7)) > 0.4
    keep[2] = False  # nothing to attend to
    c.check(name, attention(q, k, v, keep), query=q, key=k, value=v,
            attn_mask=keep)
    bias = RANDOM.standard_normal((2, 1, 5, 7)).astype(F)
    c.check(name, attention(q, k, v, bias), query=q, key=k, value=v,
            attn_mask=bias)
    few, fewv = np.ascontiguousarray(k[:, :2]), np.ascontiguousarray(v[:, :2])
    c.check(name, attention(q, np.repeat(few, 2, 1), np.repeat(fewv, 2, 1)),
            query=q, key=few, value=fewv, enable_gqa=True)
    c.run(tmp_path)


def test_indices(tmp_path):
    c = Cases()
    i = np.array([[1, 4, 0], [3, 3, 2]])
    table = RANDOM.standard_normal((5, 3)).astype(F)
    c.check("embedding.default", table[i], weight=c.weight(table), indices=i)
    c.check("index_select.default", X[:, [4, 0, 4]], self=X, dim=1,
            index=np.array([4, 0, 4]))
    g = RANDOM.integers(0, 6, (2, 3, 5, 4))
    c.check("gather.default", np.take_along_axis(X, g, 1), self=X, dim=1, index=g)
    j = np.array([1, 0, -1])

    def indices(*values):
        return {"as_optional_tensors": [
            {"as_none": True} if v is None else
            {"as_tensor": {"name": str(c.input(v))}} for v in values]}

    c.check("index.Tensor", X[:, j], self=X, indices=indices(None, j))
    c.check("index.Tensor", X[:, i, i], self=X, indices=indices(None, i, i))
    c.check("index.Tensor", X[np.array([0, 1, 1]), :, j], self=X,
            indices=indices(np.array([0, 1, 1]), None, j))
    rows = RANDOM.standard_normal((2, 3, 5, 4)).astype(F)
    s = np.array([2, 0, 5]).reshape(1, 3, 1, 1) + np.zeros((2, 3, 5, 4), np.int64)
    want = X.copy()
    np.put_along_axis(want, s, rows, 1)
    c.check("scatter.src", want, self=X, dim=1, index=s, src=rows)
    want = X.copy()
    np.add.at(want, (slice(None), np.array([1, 1, 3])), rows)
    c.check("index_add.default", want, self=X, dim=1, index=np.array([1, 1, 3]),
            source=rows)
    grid = (RANDOM.random((2, 3, 3, 2)) * 2.4 - 1.2).astype(F)
    for align in (True, False):
        for padding in (0, 1):
            c.check("grid_sampler.default", sampled(X, grid, align, padding),
                    input=X, grid=grid, interpolation_mode=0,
                    padding_mode=padding, align_corners=align)
    c.run(tmp_path)


def sampled(x, grid, align, padding):
    n, _, h, w = x.shape
    out = np.zeros((n, x.shape[1], *grid.shape[1:3]))
    for b, i, j in np.ndindex(*grid.shape[:3]):
        place = []
        for v, size in zip(grid[b, i, j].astype(float), (w, h)):
            p = (v + 1) / 2 * (size - 1) if align else ((v + 1) * size - 1) / 2
            place.append(np.clip(p, 0, size - 1) if padding == 1 else p)
        px, py = place
        for dy in (0, 1):
            for dx in (0, 1):
                r, q = math.floor(py) + dy, math.floor(px) + dx
                part = (1 - abs(py - r)) * (1 - abs(px - q))
                if 0 <= r < h and 0 <= q < w:
                    out[b, :, i, j] += part * x[b, :, r, q]
    return out


def interpolated(x, positions):
    """Between neighbours, along the last dimensions."""
    for axis, at in zip(range(-len(positions), 0), positions):
        at = np.clip(at, 0, x.shape[axis] - 1)
        low = np.floor(at).astype(int)
        high = np.minimum(low + 1, x.shape[axis] - 1)
        shape = [1] * x.ndim
        shape[axis] = -1
        part = (at - low).reshape(shape)
        x = x.take(low, axis) * (1 - part) + x.take(high, axis) * part
    return x


def test_interpolation(tmp_path):
    c = Cases()

    def half(extent, size, factor):
        return (np.arange(size) + 0.5) / factor - 0.5

    c.check("upsample_nearest2d.vec", X.repeat(2, 2).repeat(2, 3), input=X,
            output_size=None, scale_factors=[2.0, 2.0])
    c.check("upsample_nearest2d.vec", X[:, :, [0, 0, 1, 2, 2, 3, 4]][
        ..., [0, 1, 2]], input=X, output_size=[7, 3], scale_factors=None)
    c.check("upsample_bilinear2d.vec", interpolated(
        X.astype(float), [half(5, 10, 2), half(4, 8, 2)]), input=X,
        output_size=None, align_corners=False, scale_factors=[2.0, 2.0])
    c.check("upsample_bilinear2d.vec", interpolated(
        X.astype(float), [np.arange(8) * 4 / 7, np.arange(3) * 3 / 2]), input=X,
        output_size=[8, 3], align_corners=True, scale_factors=None)
    line = np.ascontiguousarray(X[:, :, 0])
    c.check("upsample_linear1d.vec", interpolated(
        line.astype(float), [half(4, 10, 2.5)]), input=line, output_size=None,
        align_corners=False, scale_factors=[2.5])
    c.run(tmp_path)


@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_recurrent(tmp_path, kind):
    c = Cases()
    gates = 4 if kind == "lstm" else 3
    x = RANDOM.standard_normal((4, 2, 3)).astype(F)
    states = [RANDOM.standard_normal((2, 2, 5)).astype(F) for _ in range(2)]
    weights = [RANDOM.standard_normal(s).astype(F) / 2 for _ in range(2) for s in (
        (gates * 5, 3), (gates * 5, 5), (gates * 5,), (gates * 5,))]
    y, h, s = recurrent(kind, x, states[0][0], states[1][0], *weights[:4])
    z, k, t = recurrent(kind, x[::-1], states[0][1], states[1][1], *weights[4:])
    results = [np.concatenate([y, z[::-1]], 2), np.stack([h, k]), np.stack([s, t])]
    arguments = dict(params=[c.weight(w) for w in weights], has_biases=True,
                     num_layers=1, dropout=0.0, train=False, bidirectional=True,
                     batch_first=False)
    if kind == "lstm":
        c.check("lstm.input", results, input=x, hx=states, **arguments)
    else:
        c.check("gru.input", results[:2], input=x, hx=states[0], **arguments)
    c.run(tmp_path)


def test_constants(tmp_path):
    c = Cases()
    f32 = DType("float32")
    for target, want, arguments in (
            ("arange.default", np.arange(5), dict(end=5)),
            ("arange.start_step", np.arange(1, 8, 2).astype(F),
             dict(start=1, end=8, step=2, dtype=f32)),
            ("full.default", np.full((2, 3), 2.5, F),
             dict(size=[2, 3], fill_value=2.5)),
            ("zeros.default", np.zeros((2, 2), F), dict(size=[2, 2])),
            ("eye.default", np.eye(3, dtype=F), dict(n=3)),
            ("linspace.default", np.linspace(0, 1, 5).astype(F),
             dict(start=0, end=1, steps=5))):
        found = c.net.node("aten." + target, (list(want.shape), c.dtype(want)),
                           **arguments)
        wide = c.input(np.zeros(want.shape, want.dtype))
        c.names.append(target)
        c.wants.append(want)
        total = c.net.node("aten.add.Tensor", (list(want.shape), c.dtype(want)),
                           self=found, other=wide)
        c.net.outputs.append(c.net.node("aten.unsqueeze.default", (
            [1, *want.shape], c.dtype(want)), self=total, dim=0))
    c.check("tril.default", np.tril(X, 1), self=X, diagonal=1)
    c.check("triu.default", np.triu(X), self=X)
    c.check("one_hot.default", np.eye(4, dtype=np.int64)[[2, 0]],
            self=np.array([2, 0]), num_classes=4)
    c.run(tmp_path)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads an ONNX file and evaluates it with NumPy, by the definitions of the
operators: sums in double, each result rounded to f32. It shares no code with what
writes the files."""

import math
import struct

import numpy as np

TYPES = {1: np.float32, 2: np.uint8, 3: np.int8, 6: np.int32, 7: np.int64,
         10: np.float16, 11: np.float64}


def fields(data):
    """Number and content of each field of a message."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            value = varint()
            yield key >> 3, value - (1 << 64) if value >> 63 else value
        elif key & 7 == 5:
            at += 4
            yield key >> 3, struct.unpack("<f", data[at - 4:at])[0]
        elif key & 7 == 2:
            size = varint()
            at += size
            assert at <= len(data), "a field is longer than the file"
            yield key >> 3, data[at - size:at]
        else:
            raise AssertionError(f"wire type {key & 7}")


def text(data):
    return bytes(data).decode()


def tensor(data):
    shape, element, name, raw = [], 0, "", b""
    for number, value in fields(data):
        if number == 1:
            shape.append(value)
        elif number == 2:
            element = value
        elif number == 8:
            name = text(value)
        elif number == 9:
            raw = value
    return name, np.frombuffer(raw, TYPES[element]).reshape(shape)


def attribute(data):
    name, single, many = "", None, []
    for number, value in fields(data):
        if number == 1:
            name = text(value)
        elif number in (2, 3):
            single = value
        elif number == 4:
            single = text(value)
        elif number == 8:
            many.append(value)
    return name, many if single is None else single


class Node:
    def __init__(self, data):
        self.inputs, self.outputs, self.attributes = [], [], {}
        self.kind = self.name = ""
        for number, value in fields(data):
            if number == 1:
                self.inputs.append(text(value))
            elif number == 2:
                self.outputs.append(text(value))
            elif number == 3:
                self.name = text(value)
            elif number == 4:
                self.kind = text(value)
            elif number == 5:
                key, content = attribute(value)
                self.attributes[key] = content


class Graph:
    def __init__(self, data):
        self.nodes, self.weights, self.inputs, self.outputs = [], {}, [], []
        self.opset = 0
        graph = b""
        for number, value in fields(memoryview(data)):
            if number == 7:
                graph = value
            elif number == 8:
                self.opset = dict(fields(value))[2]
        for number, value in fields(graph):
            if number == 1:
                self.nodes.append(Node(value))
            elif number == 5:
                name, array = tensor(value)
                self.weights[name] = array
            elif number in (11, 12):
                name = text(dict(fields(value))[1])
                (self.inputs if number == 11 else self.outputs).append(name)

    def run(self, arrays):
        """All values of the graph, from those of its inputs in order."""
        values = {"": None, **self.weights, **dict(zip(self.inputs, arrays))}
        assert len(arrays) == len(self.inputs)
        for node in self.nodes:
            inputs = [values[name] for name in node.inputs]
            results = OPERATORS[node.kind](*inputs, **node.attributes)
            if not isinstance(results, tuple):
                results = (results,)
            for name, result in zip(node.outputs, results):
                values[name] = result
        return values


#: The operators of ONNX by name.
OPERATORS = {}


def op(function):
    OPERATORS[function.__name__] = function
    return function


def f32(values):
    return np.asarray(values, np.float64).astype(np.float32)


def double(values):
    return np.asarray(values, np.float64)


def along(values, axis, rank):
    """A vector with `rank` dimensions; a number as it is."""
    if values.ndim == 0:
        return values
    return values.reshape([-1 if i == axis % rank else 1 for i in range(rank)])


@op
def QuantizeLinear(x, scale, zero, axis=1):
    info = np.iinfo(zero.dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        steps = np.rint(x / along(scale, axis, x.ndim))
    q = np.clip(double(steps) + along(zero, axis, x.ndim), info.min, info.max)
    return np.where(np.isnan(q), info.min, q).astype(zero.dtype)


@op
def DequantizeLinear(q, scale, zero=None, axis=1):
    wide = q.astype(np.int64)
    if zero is not None:
        wide = wide - along(zero, axis, q.ndim).astype(np.int64)
    return wide.astype(np.float32) * along(scale, axis, q.ndim)


@op
def DynamicQuantizeLinear(x):
    low, high = min(x.min(), np.float32(0)), max(x.max(), np.float32(0))
    scale = np.float32(np.float32(high - low) / np.float32(255))
    zero = np.rint(np.clip(np.float32(0 - low / scale), 0, 255)).astype(np.uint8)
    return QuantizeLinear(x, scale, np.array(zero)), scale, np.array(zero)


@op
def MatMulInteger(a, b, a_zero, b_zero):
    product = (a.astype(np.int64) - a_zero) @ (b.astype(np.int64) - b_zero)
    return product.astype(np.int32)


def taps(x, kernel, strides, pads, dilations, value):
    """[N, C, out..., taps] of [N, C, in...]."""
    n = len(kernel)
    x = np.pad(x, [(0, 0), (0, 0)] + list(zip(pads[:n], pads[n:])),
               constant_values=value)
    out = [(x.shape[2 + i] - (kernel[i] - 1) * dilations[i] - 1) // strides[i] + 1
           for i in range(n)]
    columns = []
    for tap in np.ndindex(*kernel):
        where = tuple(slice(t * d, t * d + (o - 1) * s + 1, s)
                      for t, d, o, s in zip(tap, dilations, out, strides))
        columns.append(x[(slice(None), slice(None)) + where])
    return np.stack(columns, -1)


@op
def Conv(x, w, b=None, kernel_shape=(), strides=(), pads=(), dilations=(),
         group=1):
    windows = taps(double(x), kernel_shape, strides, pads, dilations, 0)
    n, channels, *out, count = windows.shape
    windows = windows.reshape([n, group, channels // group] + out + [count])
    kernel = double(w).reshape(group, len(w) // group, w.shape[1], count)
    y = np.einsum("ngi...t,goit->ngo...", windows, kernel)
    y = y.reshape([n, len(w)] + out)
    return f32(y if b is None else y + along(double(b), 1, y.ndim))


@op
def ConvTranspose(x, w, b=None, kernel_shape=(), strides=(), pads=(),
                  dilations=(), group=1, output_padding=()):
    n, channels, *size = x.shape
    rank = len(size)
    full = [(s - 1) * stride + (k - 1) * d + 1 + extra for s, stride, k, d, extra
            in zip(size, strides, kernel_shape, dilations, output_padding)]
    y = np.zeros([n, group, w.shape[1]] + full)
    image = double(x).reshape([n, group, channels // group] + size)
    kernel = double(w).reshape([group, channels // group] + list(w.shape[1:]))
    for tap in np.ndindex(*kernel_shape):
        where = tuple(slice(t * d, t * d + (s - 1) * stride + 1, stride)
                      for t, d, s, stride
                      in zip(tap, dilations, size, strides))
        y[(slice(None),) * 3 + where] += np.einsum(
            "ngi...,gio->ngo...", image, kernel[(slice(None),) * 3 + tap])
    y = y.reshape([n, -1] + full)
    y = y[(slice(None),) * 2 + tuple(slice(pads[i], full[i] - pads[i + rank])
                                     for i in range(rank))]
    return f32(y if b is None else y + along(double(b), 1, y.ndim))


@op
def Gemm(a, b, c=None, transB=0):
    y = double(a) @ double(b.T if transB else b)
    return f32(y if c is None else y + c)


@op
def MatMul(a, b):
    return f32(double(a) @ double(b))


def elementwise(name, function):
    def run(*inputs, **attributes):
        with np.errstate(over="ignore", invalid="ignore"):
            return f32(function(*map(double, inputs), **attributes))
    OPERATORS[name] = run


elementwise("Add", np.add)
elementwise("Sub", np.subtract)
elementwise("Div", np.divide)
elementwise("Max", np.maximum)
elementwise("Min", np.minimum)
elementwise("Pow", np.power)
elementwise("Relu", lambda x: np.maximum(x, 0))
elementwise("Clip", lambda x, low, high: np.minimum(np.maximum(x, low), high))
elementwise("Sigmoid", lambda x: 1 / (1 + np.exp(-x)))
elementwise("Tanh", np.tanh)
elementwise("HardSigmoid", lambda x, alpha, beta: np.clip(alpha * x + beta, 0, 1))
elementwise("HardSwish", lambda x: x * np.clip(x / 6 + 0.5, 0, 1))
elementwise("LeakyRelu", lambda x, alpha: np.where(x < 0, alpha * x, x))
elementwise("Elu", lambda x, alpha: np.where(x < 0, alpha * np.expm1(x), x))
elementwise("Celu", lambda x, alpha: np.maximum(x, 0) + np.minimum(
    0, alpha * np.expm1(x / alpha)))
elementwise("PRelu", lambda x, slope: np.where(x < 0, slope * x, x))
elementwise("Sqrt", np.sqrt)
elementwise("Neg", np.negative)
elementwise("Reciprocal", lambda x: 1 / x)
elementwise("Erf", np.vectorize(math.erf, otypes=[np.float64]))
elementwise("Softplus", lambda x: np.log1p(np.exp(x)))
elementwise("Sin", np.sin)
elementwise("Cos", np.cos)


@op
def Add(a, b):
    return a + b


@op
def Mul(a, b):
    return a * b


@op
def Softmax(x, axis=-1):
    e = np.exp(double(x) - double(x).max(axis, keepdims=True))
    return f32(e / e.sum(axis, keepdims=True))


@op
def LogSoftmax(x, axis=-1):
    shifted = double(x) - double(x).max(axis, keepdims=True)
    return f32(shifted - np.log(np.exp(shifted).sum(axis, keepdims=True)))


@op
def MaxPool(x, kernel_shape=(), strides=(), pads=(), dilations=()):
    return taps(x, kernel_shape, strides, pads, dilations,
                np.finfo(np.float32).min).max(-1)


@op
def AveragePool(x, kernel_shape=(), strides=(), pads=(), count_include_pad=0):
    pads = pads or [0] * (2 * len(kernel_shape))
    ones = [1] * len(kernel_shape)
    windows = taps(double(x), kernel_shape, strides, pads, ones, 0)
    inside = taps(np.ones(x.shape), kernel_shape, strides, pads, ones,
                  float(count_include_pad))
    return f32(windows.sum(-1) / inside.sum(-1))


@op
def GlobalAveragePool(x):
    return f32(double(x).mean(tuple(range(2, x.ndim)), keepdims=True))


@op
def ReduceMean(x, axes=(), keepdims=1):
    return f32(double(x).mean(tuple(axes), keepdims=bool(keepdims)))


@op
def ReduceMax(x, axes=(), keepdims=1):
    return x.max(tuple(axes), keepdims=bool(keepdims))


@op
def ReduceSum(x, axes, keepdims=1):
    return f32(double(x).sum(tuple(axes), keepdims=bool(keepdims)))


@op
def BatchNormalization(x, weight, bias, mean, var, epsilon=1e-5):
    weight, bias, mean, var = (along(double(v), 1, x.ndim)
                               for v in (weight, bias, mean, var))
    return f32((x - mean) / np.sqrt(var + epsilon) * weight + bias)


def normalized(x, axes, epsilon):
    x = double(x)
    mean = x.mean(axes, keepdims=True)
    return (x - mean) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


@op
def LayerNormalization(x, weight, bias=None, axis=-1, epsilon=1e-5):
    y = normalized(x, tuple(range(axis % x.ndim, x.ndim)), epsilon) * weight
    return f32(y if bias is None else y + bias)


@op
def InstanceNormalization(x, weight, bias, epsilon=1e-5):
    y = normalized(x, tuple(range(2, x.ndim)), epsilon)
    return f32(y * along(double(weight), 1, x.ndim)
               + along(double(bias), 1, x.ndim))


@op
def Concat(*inputs, axis=0):
    return np.concatenate(inputs, axis)


@op
def Transpose(x, perm=()):
    return x.transpose(perm)


@op
def Reshape(x, shape):
    return x.reshape([x.shape[i] if n == 0 else n for i, n in enumerate(shape)])


@op
def Slice(x, starts, ends, axes=None, steps=None):
    axes = range(len(starts)) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    where = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps):
        where[axis] = slice(start, min(end, x.shape[axis]), step)
    return x[tuple(where)]


@op
def Pad(x, pads, value=None, mode="constant"):
    widths = list(zip(pads[:x.ndim], pads[x.ndim:]))
    if mode == "edge":
        return np.pad(x, widths, "edge")
    return np.pad(x, widths, constant_values=value)


@op
def Tile(x, repeats):
    return np.tile(x, repeats)


@op
def Gather(x, indices, axis=0):
    return np.take(x, indices, axis)


@op
def Identity(x):
    return x


@op
def Shape(x):
    return np.array(x.shape, np.int64)


@op
def Cast(x, to):
    return x.astype(TYPES[to])


@op
def Greater(a, b):
    return a > b


@op
def Where(condition, a, b):
    return np.where(condition, a, b)


@op
def DepthToSpace(x, blocksize, mode="DCR"):
    assert mode == "CRD"
    n, c, h, w = x.shape
    f = blocksize
    y = x.reshape(n, c // (f * f), f, f, h, w).transpose(0, 1, 4, 2, 5, 3)
    return y.reshape(n, c // (f * f), h * f, w * f)


@op
def Resize(x, roi=None, scales=None, sizes=None, mode="nearest",
           coordinate_transformation_mode="half_pixel", nearest_mode=""):
    for axis in range(2, x.ndim):
        n = x.shape[axis]
        out = (int(sizes[axis]) if scales is None
               else math.floor(np.float32(n) * scales[axis]))
        scale = out / n if scales is None else float(scales[axis])
        o = np.arange(out)
        if coordinate_transformation_mode == "asymmetric":
            assert mode == "nearest" and nearest_mode == "floor"
            x = np.take(x, np.floor(o / scale).astype(int), axis)
            continue
        if coordinate_transformation_mode == "align_corners":
            at = o * (n - 1) / (out - 1) if out > 1 else np.zeros(1)
        else:
            at = (o + 0.5) / scale - 0.5
        at = np.clip(at, 0, n - 1)
        low = np.floor(at).astype(int)
        high = np.minimum(low + 1, n - 1)
        part = along(at - low, axis, x.ndim)
        x = (np.take(double(x), low, axis) * (1 - part)
             + np.take(double(x), high, axis) * part)
    return f32(x)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unsigned integers stay unsigned from an ONNX file to the results: each operator of
the table that takes or gives uint8 or uint16, by ONNX's own list of types, on values
above half of what the type holds, against NumPy."""

import subprocess

import numpy as np
import pytest

import qbackend
from onnx_writer import Graph, graph_of_node
from qbackend.importers.onnx.table import OPERATORS

F, I64 = np.float32, np.int64

#: Operators of ONNX 1.17 whose inputs and results are never uint8 or uint16.
OTHERS = set("""
Acos Acosh And Asin Asinh Atan Atanh AveragePool BatchNormalization Ceil Celu Conv
ConvTranspose Cos Cosh CumSum Dropout Elu Exp Floor GRU Gelu Gemm GlobalAveragePool
GlobalMaxPool GroupNormalization HardSigmoid HardSwish Hardmax InstanceNormalization
IsInf IsNaN LRN LSTM LayerNormalization LeakyRelu Log LogSoftmax LpNormalization LpPool
MatMul Mean MeanVarianceNormalization Mish Neg NegativeLogLikelihoodLoss Not Or PRelu
RMSNormalization RNN Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp
ReduceMean ReduceProd ReduceSum ReduceSumSquare Relu Round Selu Sigmoid
SimplifiedLayerNormalization Sin Sinh Softmax SoftmaxCrossEntropyLoss Softplus Softsign
Sqrt Sum Tan Tanh ThresholdedRelu Xor
""".split())
#: What is refused, and nothing is computed otherwise.
REFUSED = {"Erf"}
#: Of sizes, which have no signs; or of a result that is 0 or 1 only.
SIZES = {"Shape", "Size", "NonZero", "BlackmanWindow", "HammingWindow", "HannWindow"}


def resized(x, width):
    """By neighbours, of which each position is the middle of a pixel."""
    at = (np.arange(width) + 0.5) * x.shape[-1] / width - 0.5
    low = np.floor(at).clip(0, x.shape[-1] - 1)
    part = (at - low).clip(0, 1)
    low = low.astype(int)
    high = np.minimum(low + 1, x.shape[-1] - 1)
    return x[..., low] * (1 - part) + x[..., high] * part


def quantized(x, scale, zero_point, dtype):
    info = np.iinfo(dtype)
    return (np.rint(x / F(scale)) + zero_point).clip(info.min, info.max).astype(dtype)


def cases(T):
    """Name, attributes, inputs, constants behind them, and the result."""
    top = np.iinfo(T).max
    x = (top - np.array([[[55, 155, 254, 125, 0], [5, 195, 55, 99, 128]]])).astype(T)
    y = np.array([[[3, top, 200, 2, top - 1], [1, 7, top - 3, 160, 9]]], T)
    image = (top - np.array([[3, 100, 254, 120], [8, 50, 70, 5], [0, 1, 2, 200],
                             [40, 41, 130, 128]])).astype(T).reshape(1, 1, 4, 4)
    rows = np.array([[[1, 0, 1, 0, -1]]])
    one, half = np.array(top, T), np.array(top // 2 + 3, T)
    real = np.array([[0, 8, -100, 1000, 3e4, 255.5]], F)
    bits = 8 * np.dtype(T).itemsize
    yield from ((name, {}, [x, y], [], function(x, y)) for name, function in {
        "Add": np.add, "Sub": np.subtract, "Mul": np.multiply,
        "Div": np.floor_divide, "Mod": np.remainder, "Max": np.maximum,
        "Min": np.minimum, "BitwiseAnd": np.bitwise_and, "BitwiseOr": np.bitwise_or,
        "BitwiseXor": np.bitwise_xor, "Greater": np.greater, "Less": np.less,
        "GreaterOrEqual": np.greater_equal, "LessOrEqual": np.less_equal,
        "Equal": np.equal}.items())
    yield "Mod", {"fmod": 1}, [x, y], [], np.fmod(x, y)
    yield "Pow", {}, [np.array([[3, 15]], T)], [np.array(2, T)], [[9, 225]]
    yield "Pow", {}, [np.array([[3, 15]], T), np.array([[5, 2]], T)], [], [[243, 225]]
    shifts = np.array([[[1, 2, 3, bits - 1, bits], [0, 4, 5, 6, 7]]], T)
    yield "BitShift", {"direction": "LEFT"}, [x, shifts], [], np.where(
        shifts < bits, x << np.minimum(shifts, bits - 1), 0)
    yield "BitShift", {"direction": "RIGHT"}, [x, shifts], [], np.where(
        shifts < bits, x >> np.minimum(shifts, bits - 1), 0)
    yield "BitwiseNot", {}, [x], [], ~x
    yield "Abs", {}, [x], [], x
    yield "Sign", {}, [x], [], np.sign(x)
    yield "Identity", {}, [x], [], x
    yield "Clip", {}, [x], [half, one - 7], x.clip(half, one - 7)
    yield "Clip", {}, [x, half.reshape(1), one.reshape(1)], [], x.clip(half, one)
    yield "Shrink", {"bias": 1.0, "lambd": float(half)}, [x], [], np.where(
        x > half, x - 1, 0)
    yield "Where", {}, [x > half, x, y], [], np.where(x > half, x, y)
    yield "Cast", {"to": 1}, [x], [], x.astype(F)
    yield "Cast", {"to": 7}, [x], [], x.astype(I64)
    yield "Cast", {"to": 9}, [x], [], x != 0
    yield "Cast", {"to": 2 if bits == 8 else 4}, [x.astype(F)], [], x
    yield "Cast", {"to": 12}, [x], [], x.astype(np.uint32)
    yield "CastLike", {}, [x], [np.zeros(1, F)], x.astype(F)
    yield "CastLike", {}, [x.astype(F)], [one], x
    # Movement.
    yield "Concat", {"axis": 2}, [x, y], [], np.concatenate([x, y], 2)
    yield "Constant", {"value": x}, [], [], x
    yield "ConstantOfShape", {"value": half.reshape(1)}, [], [
        np.array([1, 3])], np.full((1, 3), half)
    yield "EyeLike", {}, [x[0]], [], np.eye(2, 5, dtype=T)
    yield "Expand", {}, [x[:, :1]], [np.array([1, 3, 5])], x[:, :1].repeat(3, 1)
    yield "Flatten", {}, [x], [], x.reshape(1, 10)
    yield "Reshape", {}, [x], [np.array([1, 5, 2])], x.reshape(1, 5, 2)
    yield "Squeeze", {}, [x[:, None]], [np.array([1])], x
    yield "Unsqueeze", {}, [x], [np.array([1])], x[:, None]
    yield "Transpose", {"perm": [0, 2, 1]}, [x], [], x.swapaxes(1, 2)
    yield "Slice", {}, [x], [np.array([4]), np.array([0]), np.array([2]),
                             np.array([-2])], x[:, :, 4:0:-2]
    yield "Split", {"axis": 1, "num_outputs": 2}, [x], [], [x[:, :1], x[:, 1:]]
    yield "Tile", {}, [x], [np.array([1, 2, 1])], np.tile(x, (1, 2, 1))
    yield "Trilu", {"upper": 0}, [x], [], np.tril(x)
    yield "DepthToSpace", {"blocksize": 2}, [image.reshape(1, 4, 2, 2)], [], (
        image.reshape(1, 2, 2, 1, 2, 2).transpose(0, 3, 4, 1, 5, 2).reshape(
            1, 1, 4, 4))
    yield "SpaceToDepth", {"blocksize": 2}, [image], [], image.reshape(
        1, 1, 2, 2, 2, 2).transpose(0, 3, 5, 1, 2, 4).reshape(1, 4, 2, 2)
    yield "Pad", {}, [x], [np.array([0, 0, 1, 0, 0, 1]), half], np.pad(
        x, ((0, 0), (0, 0), (1, 1)), constant_values=half)
    yield "CenterCropPad", {"axes": [2]}, [x], [np.array([3])], x[:, :, 1:4]
    yield "Compress", {"axis": 2}, [x], [np.array([1, 0, 1, 1, 0], bool)], x[
        :, :, [0, 2, 3]]
    yield "Gather", {"axis": 2}, [x], [np.array([3, -1])], x[:, :, [3, -1]]
    yield "GatherElements", {"axis": 1}, [x, rows], [], np.take_along_axis(
        x, rows % 2, 1)
    yield "GatherND", {}, [x], [np.array([[0, 1, 2], [0, 0, 4]])], [
        x[0, 1, 2], x[0, 0, 4]]
    yield "ReverseSequence", {"batch_axis": 0, "time_axis": 1}, [x], [
        np.array([2])], x[:, ::-1]
    yield "OneHot", {}, [np.array([[2, 0]])], [np.array(3), np.array(
        [2, top - 5], T)], np.where(np.eye(3)[[[2, 0]]] != 0, top - 5, 2)
    for name, function in (("max", np.maximum), ("min", np.minimum), ("add", np.add),
                           ("mul", np.multiply), ("none", lambda a, b: b)):
        want = x.copy()
        for c, r in enumerate(rows[0, 0]):
            want[0, r, c] = function(want[0, r, c], y[0, 0, c])
        yield "ScatterElements", {"axis": 1, "reduction": name}, [
            x, rows, y[:, :1]], [], want
        want = x.copy()
        want[0, 1] = function(want[0, 1], y[0, 0])
        yield "ScatterND", {"reduction": name}, [x], [np.array([[0, 1]]),
                                                      y[0, :1]], want
    want = x.copy()
    np.put_along_axis(want, rows % 2, y[:, :1], 1)
    yield "Scatter", {"axis": 1, "opset": 10}, [x, rows, y[:, :1]], [], want
    # Order and windows.
    yield "ArgMax", {"axis": 2}, [x], [], x.argmax(2)[..., None]
    yield "ArgMin", {"axis": 2}, [x], [], x.argmin(2)[..., None]
    yield "ReduceMax", {}, [x], [np.array([2])], x.max(2, keepdims=True)
    yield "ReduceMin", {}, [x], [np.array([2])], x.min(2, keepdims=True)
    yield "TopK", {"results": 2}, [x], [np.array([3])], [
        -np.sort(-x.astype(I64))[..., :3], np.argsort(-x.astype(I64))[..., :3]]
    yield "MaxPool", {"kernel_shape": [2, 2], "strides": [2, 2]}, [image], [], (
        image.reshape(1, 1, 2, 2, 2, 2).max((3, 5)))
    yield "MaxPool", {"kernel_shape": [3, 3], "pads": [1] * 4}, [image], [], np.max(
        np.lib.stride_tricks.sliding_window_view(
            np.pad(image, ((0, 0), (0, 0), (1, 1), (1, 1))), (3, 3), (2, 3)), (4, 5))
    yield "MaxPool", {"kernel_shape": [2]}, [x], [], np.maximum(
        x[..., 1:], x[..., :-1])
    yield "Upsample", {"opset": 9}, [image], [np.array([1, 1, 2, 1], F)], (
        image.repeat(2, 2))
    yield "Resize", {"mode": "nearest"}, [image], [None, np.array(
        [1, 1, 1, 2], F)], image.repeat(2, 3)
    yield "Resize", {"mode": "linear"}, [image], [None, np.array(
        [1, 1, 1, 2], F)], np.trunc(resized(image, 8))
    # Products and quantization.
    yield "Einsum", {"equation": "bij,bkj->bik"}, [x, y], [], np.einsum(
        "bij,bkj->bik", x, y)
    if bits == 8:
        yield "MatMulInteger", {}, [x], [y[0].T, half, np.array(3, T)], (
            x.astype(np.int32) - half) @ (y[0].T.astype(np.int32) - 3)
        kernel = image[0, 0, :2, :2]
        windows = np.lib.stride_tricks.sliding_window_view(
            image.astype(np.int32) - half, (2, 2), (2, 3))
        yield "ConvInteger", {}, [image], [kernel.reshape(1, 1, 2, 2), half], (
            windows * kernel.astype(np.int32)).sum((4, 5))
        q = quantized(((windows * F(0.5)) * (kernel * F(0.25))).sum((4, 5)), 40, 131,
                      T)
        yield "QLinearConv", {}, [image], [
            np.array(0.5, F), half, kernel.reshape(1, 1, 2, 2), np.array(0.25, F),
            np.array(0, T), np.array(40, F), np.array(131, T)], q
        real_product = ((x.astype(F) - half) * F(0.5)) @ (
            (y[0].T.astype(F) - 100) * F(0.25))
        yield "QLinearMatMul", {}, [x], [
            np.array(0.5, F), half, y[0].T, np.array(0.25, F), np.array(100, T),
            np.array(64, F), np.array(131, T)], quantized(real_product, 64, 131, T)
        low, high = min(real.min(), 0), max(real.max(), 0)
        scale = F(high - low) / F(255)
        zero = F(np.rint(-low / scale))
        yield "DynamicQuantizeLinear", {"results": 3}, [real], [], [
            quantized(real, scale, zero, T), scale, T(zero)]
        # ONNX Runtime's numbers where the definition divides by 0.
        yield "DynamicQuantizeLinear", {"results": 3}, [real * F(0)], [], [
            quantized(real, 1, 0, T) * T(0), F(1), T(0)]
    yield "QuantizeLinear", {"opset": 21}, [real], [
        np.array(2, F), np.array(top // 2, T)], quantized(real, 2, top // 2, T)
    yield "QuantizeLinear", {"opset": 21, "axis": 1}, [x.astype(F)], [np.array(
        [1, 2], F), np.array([5, 7], T)], np.stack([
            quantized(x[:, 0], 1, 5, T), quantized(x[:, 1], 2, 7, T)], 1)
    yield "DequantizeLinear", {"opset": 21}, [x], [np.array(0.5, F), half], (
        x.astype(F) - half) * F(0.5)
    yield "DequantizeLinear", {"opset": 21, "axis": 1}, [x], [np.array(
        [1, 0.25], F), np.array([half, 7], T)], (x.astype(F) - np.array(
            [[[half], [7]]], F)) * np.array([[[1], [0.25]]], F)


def dtype_of(kind, attributes, inputs, want, T):
    """ONNX's: that of the first input, but for these."""
    if kind in ("ArgMax", "ArgMin"):
        return I64
    if kind in ("MatMulInteger", "ConvInteger"):
        return np.int32
    if kind in ("Cast", "CastLike", "DequantizeLinear", "Equal", "Greater", "Less",
                "GreaterOrEqual", "LessOrEqual"):
        return np.asarray(want).dtype
    return T


def graph_of(kind, attributes, inputs, weights):
    return graph_of_node(kind, inputs, weights, **{
        "results": 2 if kind == "Split" else 1, **attributes})


@pytest.mark.parametrize("T", [np.uint8, np.uint16])
def test_operators_on_large_values(tmp_path, T):
    wrong = []
    for kind, attributes, inputs, weights, want in cases(T):
        graph = graph_of(kind, attributes, inputs, weights)
        module = qbackend.from_onnx(graph.save(tmp_path / "net.onnx"))
        found = module.run(*inputs)
        found = found if isinstance(found, tuple) else (found,)
        wanted = want if isinstance(want, list) and len(found) > 1 else [want]
        expected = dtype_of(kind, attributes, inputs, want, T)
        if (found[0].dtype != expected or module.outputs[0].dtype != np.dtype(
                expected).name or not all(
                np.allclose(np.asarray(a, np.float64).reshape(np.shape(b)), b,
                            1e-6, 0) for a, b in zip(found, wanted))):
            wrong.append((kind, attributes, found[0].dtype, found, wanted))
    assert not wrong


def test_every_operator_is_tried():
    tried = {kind for kind, *_ in cases(np.uint8)}
    table = {name for domain, name in OPERATORS if not domain}
    assert table - OTHERS - REFUSED - SIZES - {"GridSample"} == tried


@pytest.mark.parametrize("kind", sorted(REFUSED))
def test_refused(tmp_path, kind):
    x = np.array([[200, 3]], np.uint8)
    with pytest.raises(qbackend.ImportFailure, match=f"{kind} at "):
        qbackend.from_onnx(graph_of(kind, {}, [x], []).save(tmp_path / "net.onnx"))


def test_cubic_interpolation_of_bytes_is_refused(tmp_path):
    x = np.array([[200, 3]], np.uint8).reshape(1, 1, 1, 2)
    graph = graph_of("Resize", {"mode": "cubic"}, [x], [None, np.array(
        [1, 1, 1, 2], F)])
    with pytest.raises(qbackend.ImportFailure, match="sums of parts of ui8"):
        qbackend.from_onnx(graph.save(tmp_path / "net.onnx"))


def test_grid_sample_of_bytes(tmp_path):
    x = np.array([[200, 100], [255, 3]], np.uint8).reshape(1, 1, 2, 2)
    grid = np.array([[1, -1], [-1, 1]], F).reshape(1, 1, 2, 2)
    graph = graph_of("GridSample", {"align_corners": 1, "mode": "nearest"}, [x],
                     [grid])
    found = qbackend.from_onnx(graph.save(tmp_path / "net.onnx")).run(x)
    assert found.dtype == np.uint8 and found.reshape(-1).tolist() == [100, 255]


# The types at the ends of a network.


def pool(folder):
    graph = Graph(17)
    graph.output(graph.node("MaxPool", graph.input("x", (1, 1, 2, 4), "uint8"),
                            kernel_shape=[2, 2], strides=[2, 2]))
    return qbackend.from_onnx(graph.save(folder / "net.onnx"))


IMAGE = np.array([[200, 100, 1, 130], [7, 0, 255, 128]], np.uint8).reshape(1, 1, 2, 4)


def test_types_of_inputs_and_results(tmp_path):
    module = pool(tmp_path)
    assert [v.dtype for v in (*module.inputs, *module.outputs)] == ["uint8"] * 2
    # Of the file, too, and in its text.
    for name in ("net.mlir", "net.mlirbc"):
        module.save(tmp_path / name)
        loaded = qbackend.load(tmp_path / name)
        assert [v.dtype for v in (*loaded.inputs, *loaded.outputs)] == ["uint8"] * 2
        assert loaded.run(IMAGE).reshape(-1).tolist() == [200, 255]
    # Several samples are run one by one.
    found = module.run(np.concatenate([IMAGE, 255 - IMAGE]))
    assert found.dtype == np.uint8
    assert found.reshape(-1).tolist() == [200, 255, 255, 254]


def test_signed_values_of_an_unsigned_input(tmp_path):
    module = pool(tmp_path)
    small = np.minimum(IMAGE, 100)
    assert module.run(small.astype(np.int8)).reshape(-1).tolist() == [100, 100]
    assert module.run(IMAGE.astype(I64)).reshape(-1).tolist() == [200, 255]
    for array in (IMAGE.view(np.int8), IMAGE.astype(I64) - 1, IMAGE.astype(I64) + 1):
        with pytest.raises(qbackend.CompilerError, match="does not fit uint8"):
            module.run(array)


def test_the_tool_writes_unsigned_results(tmp_path):
    pool(tmp_path).save(tmp_path / "net.mlirbc")
    np.savez(tmp_path / "in.npz", x=IMAGE)
    subprocess.run(["qbackend-run", tmp_path / "net.mlirbc",
                    f"--input={tmp_path / 'in.npz'}", "-o", tmp_path / "out.npz"],
                   check=True)
    with np.load(tmp_path / "out.npz") as found:
        y, = (found[name] for name in found.files)
    assert y.dtype == np.uint8 and y.reshape(-1).tolist() == [200, 255]


def test_unsigned_results_of_a_quantized_network(tmp_path):
    """What the compiler makes of it keeps the sign of its ends."""
    graph = Graph(17)
    x = graph.input("x", (1, 4))
    scale, zero = graph.constant(F(0.5)), graph.constant(np.uint8(130))
    real = graph.node("DequantizeLinear", graph.node("QuantizeLinear", x, scale, zero),
                      scale, zero)
    graph.output(graph.node("QuantizeLinear", graph.node("Relu", real), scale, zero))
    module = qbackend.from_onnx(graph.save(tmp_path / "net.onnx"))
    array = np.array([[-70, -3, 20, 70]], F)
    want = [130, 130, 170, 255]
    assert module.run(array).reshape(-1).tolist() == want
    module.calibrate(array)
    found = module.quantize().run(array)
    assert found.dtype == np.uint8 and found.reshape(-1).tolist() == want

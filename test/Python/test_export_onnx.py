# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantized networks as ONNX files, and back again."""

import importlib.util
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import qbackend
from importing import run
from onnx_writer import Graph
from qbackend.importers.onnx.model import Reader

RANDOM = np.random.default_rng(5)
F = np.float32


def network():
    """Convolutions with and without relu, a sum, pools, a table and a linear."""
    g = Graph(17)
    x = g.input("image", (1, 3, 8, 8))

    def weight(*shape):
        return g.constant((RANDOM.standard_normal(shape) * 0.4).astype(F))

    def conv(x, channels, inputs, relu, name, group=1):
        y = g.node("Conv", x, weight(channels, inputs // group, 3, 3),
                   weight(channels), kernel_shape=[3, 3], pads=[1, 1, 1, 1],
                   group=group, name=name)
        return g.node("Relu", y, name=f"{name}_relu") if relu else y

    stem = conv(x, 8, 3, True, "stem")
    left = conv(stem, 8, 8, False, "left")
    right = conv(stem, 8, 8, False, "right", group=8)
    y = g.node("Relu", g.node("Add", left, right, name="sum"), name="sum_relu")
    y = g.node("MaxPool", y, kernel_shape=[2, 2], strides=[2, 2], name="pool")
    y = g.node("Clip", conv(y, 12, 8, False, "clipped"),
               g.constant(F(0)), g.constant(F(6)), name="relu6")
    y = g.node("Concat", y, conv(y, 4, 12, False, "more"), axis=1, name="both")
    y = g.node("Sigmoid", y, name="gate")
    y = g.node("GlobalAveragePool", y, name="mean")
    y = g.node("Flatten", y, name="flat")
    g.output(g.node("Gemm", y, weight(10, 16), weight(10), transB=1, name="fc"))
    return g.model()


@pytest.fixture(scope="module")
def samples():
    return RANDOM.standard_normal((32, 3, 8, 8)).astype(F)


@pytest.fixture(scope="module")
def quantized(tmp_path_factory, samples):
    """By qconfig."""
    folder = tmp_path_factory.mktemp("quantized")
    (folder / "net.onnx").write_bytes(network())
    np.savez(folder / "data.npz", image=samples)
    module = qbackend.from_onnx(folder / "net.onnx")
    return {name: qbackend.apply_backend(
        module, qconfig=name, data=str(folder / "data.npz"))
        for name in ("default", "minmax_per_channel")}


def kernels(text):
    """The kernels in order: what they are, their parameters and types, which
    kernels they read, and the integers of their weights."""
    resources = dict(re.findall(r'^ *([\w.]+): "(0x\w+)"', text, re.M))
    meaning, found = {}, []

    def resolve(part):
        part = re.sub(r"dense_resource<([\w.]+)>",
                      lambda m: f"dense<{resources[m[1]][10:]}>", part)
        part = re.sub(r'dense<"0x(\w+)">', r"dense<\1>", part)
        return re.sub(r"%\w+", lambda m: meaning.get(m[0], "%"), part)

    for line in re.sub(r" loc\(.*", "", text).splitlines():
        match = re.match(r" *(%\w+) = (\S+) (.*)", line)
        if match and match[2] in ("arith.constant", "quant.scast"):
            meaning[match[1]] = resolve(match[3])
        elif match and match[2].startswith("qnnpack."):
            found.append(f"{match[2]} {resolve(match[3])}")
            meaning[match[1]] = f"#{len(found) - 1}"
    return found


def outputs(text, folder, samples):
    (folder / "net.mlir").write_text(text)
    np.savez(folder / "in.npz", samples)
    subprocess.run(["qbackend-run", folder / "net.mlir", f"--input={folder}/in.npz",
                    "-o", folder / "out.npz"], check=True, capture_output=True)
    with np.load(folder / "out.npz") as arrays:
        return arrays["output0"]


@pytest.mark.parametrize("qconfig", ["default", "minmax_per_channel"])
def test_round_trip(qconfig, quantized, samples, tmp_path):
    text = quantized[qconfig]
    (tmp_path / "q.onnx").write_bytes(qbackend.to_onnx(text))
    back = qbackend.apply_backend(qbackend.from_onnx(tmp_path / "q.onnx"),
                                  qconfig=qconfig)
    assert kernels(back) == kernels(text)
    assert np.array_equal(outputs(back, tmp_path, samples),
                          outputs(text, tmp_path, samples))


def test_says_how_far_results_can_be(quantized, caplog):
    """QB131: the sum of two tensors has ties."""
    remarks = []
    with caplog.at_level("INFO", logger="qbackend"):
        written = qbackend.to_onnx(quantized["default"], remarks=remarks)
    assert written == qbackend.to_onnx(quantized["default"])
    (said,) = remarks
    found = re.search(r"QB131 .*AtMost=(\d+), Form=onnx, Likely=(\d+)", said)
    assert found and 1 <= int(found[2]) <= int(found[1]) <= 255, said
    assert said in caplog.text


def test_floats_are_what_they_are(tmp_path):
    """No form rounds them."""
    (tmp_path / "net.onnx").write_bytes(network())
    remarks = []
    qbackend.to_onnx(qbackend.from_onnx(tmp_path / "net.onnx"), remarks=remarks)
    assert remarks == []


def multipliers(data):
    """Of each layer, by its name: the scales of input, weight and result."""
    graph = Reader(None).model(memoryview(data)).graph
    producers = {o: n for n in graph.nodes for o in n.outputs}
    readers = {n.inputs[0]: n for n in graph.nodes}
    found = {}
    for node in graph.nodes:
        if node.kind not in ("Conv", "Gemm"):
            continue
        scales = [graph.weights[producers[i].inputs[1]].data
                  for i in node.inputs[:2]]
        result = readers[node.outputs[0]]
        if result.kind == "Relu":
            result = readers[result.outputs[0]]
        assert result.kind == "QuantizeLinear"
        found[node.name] = (*scales, graph.weights[result.inputs[1]].data)
    return found


@pytest.mark.parametrize("qconfig", ["default", "minmax_per_channel"])
def test_runtime_multiplies_by_what_the_engine_does(qconfig, quantized):
    """QNNPACK: sw * sx * (1 / sy); ONNX Runtime: sx * sw / sy. All in f32."""
    data = qbackend.to_onnx(quantized[qconfig])
    # Without what the importer reads, the file has what a runtime sees.
    written = multipliers(data.replace(b"qbackend.scales", b"qbackend.silent"))
    before = after = 0
    for name, (sx, sw, sy) in multipliers(data).items():
        rx, rw, ry = written[name]
        wanted = sw * sx * (F(1) / sy)
        before += np.count_nonzero(sx * sw / sy != wanted)
        after += np.count_nonzero(rx * rw / ry != wanted)
        assert np.allclose(rw, sw, rtol=1e-6) and np.allclose(ry, sy, rtol=1e-6)
    # Channels have one scale of the result: not all can be had.
    assert before > 0 and after == 0 if qconfig == "default" else after < before


def test_scales_of_documentation_that_are_none(quantized, tmp_path):
    data = qbackend.to_onnx(quantized["default"])
    path = tmp_path / "q.onnx"
    for bits in (b"g", b" "):
        path.write_bytes(data.replace(b"qbackend.scales 3",
                                      b"qbackend.scales " + bits))
        with pytest.raises(qbackend.ImportFailure, match="has no scales"):
            qbackend.from_onnx(path)


def test_same_module_same_bytes(quantized):
    assert qbackend.to_onnx(quantized["default"]) == qbackend.to_onnx(
        quantized["default"])


def test_names(quantized, tmp_path):
    (tmp_path / "q.onnx").write_bytes(qbackend.to_onnx(quantized["default"]))
    back = qbackend.from_onnx(tmp_path / "q.onnx").text()
    assert "%arg0: tensor<1x3x8x8xf32>" in back


def test_checker(quantized):
    onnx = pytest.importorskip("onnx", reason="no python3-onnx")
    for text in quantized.values():
        model = onnx.load_model_from_string(qbackend.to_onnx(text))
        onnx.checker.check_model(model, full_check=True)


def test_remark_says_what_results_can_be_off_by(quantized, tmp_path, caplog):
    remarks = ["what the caller has"]
    with caplog.at_level("INFO", "qbackend"):
        data = qbackend.to_onnx(quantized["default"], remarks=remarks)
    assert data == qbackend.to_onnx(quantized["default"])
    assert remarks[0] == "what the caller has" and len(remarks) == 2
    assert "QB131" in remarks[1] and "AtMost" in remarks[1]
    assert [r.getMessage() for r in caplog.records] == remarks[1:]
    # The command line says the same.
    (tmp_path / "q.mlir").write_text(quantized["default"])
    said = subprocess.run(
        ["qbackend-translate", "--qbackend-to-onnx", tmp_path / "q.mlir",
         "-o", tmp_path / "q.onnx"], check=True, capture_output=True, text=True)
    assert (tmp_path / "q.onnx").read_bytes() == data
    bound = re.search(r"AtMost\S*", remarks[1])[0]
    assert bound in said.stderr
    caplog.clear()
    with caplog.at_level("INFO", "qbackend"):
        qbackend.load(tmp_path / "q.mlir").save(tmp_path / "saved.onnx")
    assert any("QB131" in r.getMessage() for r in caplog.records)


def test_no_remark_where_nothing_is_off():
    remarks = []
    qbackend.to_onnx("""
        func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
          return %x : tensor<4xf32>
        }""", remarks=remarks)
    assert remarks == []


def test_what_has_no_form_is_counted():
    with pytest.raises(ValueError, match=re.escape(
            "no ONNX form of: tosa.exp (2), tosa.abs (1)")):
        qbackend.to_onnx("""
            func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
              %0 = tosa.exp %x : (tensor<4xf32>) -> tensor<4xf32>
              %1 = tosa.abs %0 : (tensor<4xf32>) -> tensor<4xf32>
              %2 = tosa.exp %1 : (tensor<4xf32>) -> tensor<4xf32>
              return %2 : tensor<4xf32>
            }""")


def test_entry():
    text = """
        func.func @a(%x: tensor<4xf32>) -> tensor<4xf32> {
          return %x : tensor<4xf32>
        }
        func.func @b(%x: tensor<5xf32>) -> tensor<5xf32> {
          return %x : tensor<5xf32>
        }"""
    assert qbackend.to_onnx(text, entry="a") != qbackend.to_onnx(text, entry="b")
    with pytest.raises(ValueError, match="a, b"):
        qbackend.to_onnx(text)


#: Operators of ONNX that have a kind, on [1, 4, 6, 6] and a second input of the
#: same shape; what they are written with.
REAL = {
    "Relu": {}, "Sigmoid": {}, "Tanh": {}, "HardSwish": {}, "Elu": {"alpha": 0.7},
    "LeakyRelu": {"alpha": 0.2}, "HardSigmoid": {"alpha": 1 / 6, "beta": 0.5},
    "Softplus": {}, "Selu": {}, "Neg": {}, "Sin": {}, "Cos": {},
    "Softmax": {"axis": 1}, "LogSoftmax": {"axis": 3},
    "GlobalAveragePool": {}, "Transpose": {"perm": [0, 3, 1, 2]},
    "MaxPool": {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]},
    "AveragePool": {"kernel_shape": [2, 2], "strides": [2, 2]},
    "ReduceMean": {"axes": [2, 3], "keepdims": 0},
    "ReduceMax": {"axes": [1], "keepdims": 1},
    "DepthToSpace": {"blocksize": 2, "mode": "CRD"},
}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is damaged: files of the tests, and the commands that read each kind."""

import dataclasses
import io
import json
import os
import pathlib
import re
import struct
import subprocess
import sys

import numpy as np

TEST = pathlib.Path(__file__).resolve().parent.parent
BACKENDS = TEST.parent / "lib" / "Backends"
SANITIZED = "ASAN_OPTIONS" in os.environ

# A network that reads arrays and tables, and what was seen of it.
NETWORK = """\
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %w = arith.constant dense<[[1.0, 0.5, -0.5, 0.25], [0.0, 1.0, 0.5, -1.0],
    [0.5, 0.25, 1.0, 0.0], [-1.0, 0.5, 0.0, 1.0]]> : tensor<4x4xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<1x4xf32>, tensor<4x4xf32>)
    outs(%f : tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = tosa.clamp %0 {min_val = 0.0 : f32, max_val = 6.0 : f32}
    : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}
"""

# One that reads its weights.
WEIGHTLESS = """\
ml_program.global private @w(#ml_program.extern : tensor<2x4xf32>) : tensor<2x4xf32>
func.func @main(%x: tensor<2x4xf32>, %b: tensor<2xf32> {qbackend.name = "b"})
    -> tensor<2x4xf32> {
  %w = ml_program.global_load_const @w : tensor<2x4xf32>
  %0 = tosa.add %x, %w : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
"""


@dataclasses.dataclass
class Kind:
    name: str
    suffix: str
    # `{input}`, `{output}`, `{bin}`, and the helpers by name.
    commands: list
    read: object
    binary: bool = False
    # One small change each, so that most get past the parser.
    gentle: bool = False

    def get_commands(self, name):
        """Those that read a file of this name; tables of other tools have one."""
        own = [command for command in self.commands
               if f"--format={name}" in command and "import" in command]
        return own or [c for c in self.commands if "import" not in c]


def helpers(work):
    return {"network": work / "network.mlir", "weightless": work / "weightless.mlir",
            "samples": work / "samples.npz",
            "python": sys.executable}


def write_helpers(work):
    (work / "network.mlir").write_text(NETWORK)
    (work / "weightless.mlir").write_text(WEIGHTLESS)
    np.savez(work / "samples.npz", x=np.linspace(-2, 2, 12, dtype=np.float32)
             .reshape(3, 4))


def dictionary():
    """Words of the dialects: those of the tests."""
    words = set()
    for path in sorted(TEST.rglob("*.mlir")):
        words.update(re.findall(r"\b[a-z_]+\.[a-z_0-9]+|tensor<[^>]{1,20}>",
                                path.read_text(errors="replace")))
    return sorted(words)


def read_modules(_):
    """Modules of the tests, split where they say so, each of at most 20 kB."""
    found = []
    for path in sorted(TEST.rglob("*.mlir")):
        for part in path.read_bytes().split(b"// -----"):
            if 0 < len(part) < 20000:
                found.append((path.name, part))
    return found


def read_networks(_):
    """Random networks in linalg and TOSA, and modules that passes run on."""
    sys.path.insert(0, str(TEST / "Random"))
    import generate
    found = []
    for seed in range(60):
        text = generate.write(generate.build(seed), "main",
                              "linalg" if seed % 2 else "tosa", mixed=seed % 3 == 0)
        found.append((f"network {seed}", "\n".join(text.lines).encode()))
    return found + [(name, text) for name, text in read_modules(None)
                    if b"tensor<" in text and b"qbackend." not in text]


def read_bytecode(arguments):
    """Every tenth of the modules as bytecode, if it is valid."""
    found = []
    for name, text in read_modules(arguments)[::10]:
        done = subprocess.run(
            [arguments.bin / "qbackend-opt", "--emit-bytecode", "-",
             "--allow-unregistered-dialect"], input=text, capture_output=True)
        if done.returncode == 0:
            found.append((name, done.stdout))
    return found


def read_arrays(_):
    found = []
    rng = np.random.default_rng(0)
    for dtype in ("f4", "f8", "f2", "i1", "u1", "i8", "?"):
        array = (rng.normal(size=(5, 4)) * 4).astype(dtype)
        for save, order in ((np.save, "C"), (np.savez, "C"), (np.savez, "F"),
                            (np.savez_compressed, "C")):
            buffer = io.BytesIO()
            if save is np.save:
                save(buffer, np.asarray(array, order=order))
            else:
                save(buffer, x=np.asarray(array, order=order))
            found.append((f"{dtype} {save.__name__}", buffer.getvalue()))
    return found


def read_parameters(_):
    """The weights of WEIGHTLESS, and files of other types and shapes."""
    found = []
    for names, kind, dtype in ((("w", "b"), "F32", "<f4"), (("w", "b"), "BF16", "<u2"),
                               (("w",), "I8", "i1"), (("b", "c"), "BOOL", "?")):
        header, data = {"__metadata__": {"format": "pt"}}, b""
        for name, shape in zip(names, ((2, 4), (2,))):
            array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
            header[name] = {"dtype": kind, "shape": shape,
                            "data_offsets": [len(data), len(data) + array.nbytes]}
            data += array.tobytes()
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        found.append((f"{kind} {' '.join(names)}",
                      struct.pack("<Q", len(text)) + text + data))
    return found


def read_tables(arguments):
    """A table of each kind of observer, and those of other tools."""
    found = []
    for kind in ("default", "minmax", "minmax_per_channel"):
        output = arguments.work / f"{kind}.json"
        subprocess.run(
            [arguments.bin / "qbackend-run", arguments.work / "network.mlir",
             "--calibrate", f"--input={arguments.work / 'samples.npz'}",
             f"--qconfig={kind}", "-o", output], capture_output=True)
        if output.exists():
            found.append((kind, output.read_bytes()))
    found.append(("tensorrt", b"TRT-8601-EntropyCalibration2\nx: 3c010a14\n"))
    found.append(("tpu-mlir", b"# sample number: 1\n###\n# op_name    threshold"
                              b"    min    max\nx 2.0 -1.0 2.0\n"))
    found.append(("aimet", b'{"activation_encodings": {"x": [{"bitwidth": 8, '
                           b'"min": -1.0, "max": 2.0, "offset": -85, "scale": '
                           b'0.0117}]}}'))
    found.append(("onnxruntime", b'{"TensorData": {"data": {"x": {"CLS": "T", '
                                 b'"data": [-1.0, 2.0]}}}}'))
    return found


def read_configurations(_):
    return [(path.name, path.read_bytes()) for path in sorted(BACKENDS.glob("*.mlir"))]


def read_documents(arguments):
    return [(path.stem, subprocess.run(
        [arguments.bin / "qbackend-config", "to-json", path.stem], check=True,
        capture_output=True).stdout) for path in sorted(BACKENDS.glob("*.mlir"))]


def read_pt2(_):
    sys.path.insert(0, str(TEST / "Python"))
    import exported
    net = exported.Network()
    x = net.input("x", [2, 6])
    weight = np.arange(24, dtype=np.float32).reshape(4, 6) / 24
    y = net.node("aten.linear.default", [2, 4], "fc", input=x,
                 weight=net.weight("fc.weight", weight))
    net.outputs = [net.node("aten.relu.default", [2, 4], self=y)]
    return [("linear", exported.archive(net.entries()))]


def read_onnx(_):
    sys.path.insert(0, str(TEST / "Python"))
    import onnx_writer
    graph = onnx_writer.Graph(13)
    x = graph.input("x", [1, 3, 8, 8])
    y = graph.node("Conv", x, graph.weight("w", np.ones((4, 3, 3, 3), "f4")),
                   kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2])
    y = graph.node("Clip", y, graph.constant(np.float32(0)),
                   graph.constant(np.float32(6)))
    y = graph.node("Reshape", y, graph.constant(np.array([1, -1])))
    y = graph.node("Gemm", y, graph.weight("v", np.ones((64, 5), "f4")), "",
                   transB=0, alpha=0.5)
    graph.output(graph.node("Softmax", y, axis=1))
    return [("convolution", graph.model())]


KINDS = {kind.name: kind for kind in [
    Kind("text", ".mlir", [
        ["{bin}/qbackend-opt", "{input}", "-o", "{output}"],
        ["{bin}/qbackend-opt", "--qbackend-print-operators", "{input}", "-o",
         "{output}"]], read_modules),
    Kind("pipeline", ".mlir", [
        ["{bin}/qbackend-opt", "--apply-backend=qnnpack", "samples=1", "{input}",
         "-o", "{output}"],
        ["{bin}/qbackend-opt", "--apply-backend=qnnpack", "lower-to=linalg",
         "samples=1", "{input}", "-o", "{output}"],
        ["{bin}/qbackend-opt", "--apply-backend=fbgemm", "mode=fake-quant",
         "samples=1", "{input}", "-o", "{output}"],
        ["{bin}/qbackend-opt", "--apply-backend=qnnpack", "lower-to=tosa",
         "samples=1", "{input}", "-o", "{output}"]], read_networks, gentle=True),
    Kind("bytecode", ".mlirbc", [
        ["{bin}/qbackend-opt", "{input}", "-o", "{output}"],
        ["{bin}/qbackend-translate", "--qbackend-to-onnx", "{input}", "-o", "{output}"],
        ["{bin}/qbackend-opt", "--apply-backend=qnnpack", "samples=1", "{input}",
         "-o", "{output}"]], read_bytecode, binary=True),
    Kind("array", ".npz", [
        ["{bin}/qbackend-run", "{network}", "--input={input}", "-o", "{output}"],
        ["{bin}/qbackend-run", "{network}", "--calibrate", "--input={input}", "-o",
         "{output}"]], read_arrays, binary=True),
    Kind("weights", ".safetensors", [
        ["{bin}/qbackend-opt", "--apply-backend=qnnpack", "calibration=ranges",
         "weights={input}", "{weightless}", "-o", "{output}"]], read_parameters,
        binary=True),
    Kind("table", ".json", [
        ["{bin}/qbackend-calib", "show", "{input}", "-o", "{output}"],
        ["{bin}/qbackend-calib", "merge", "{input}", "-o", "{output}"],
        ["{bin}/qbackend-calib", "export", "--format=aimet", "{input}", "-o",
         "{output}"],
        *([["{bin}/qbackend-calib", "import", f"--format={name}", "{input}", "-o",
            "{output}"] for name in ("tensorrt", "onnxruntime", "aimet",
                                     "tpu-mlir")]),
        ["{bin}/qbackend-opt", "--apply-backend=qnnpack", "calibration={input}",
         "{network}", "-o", "{output}"]], read_tables),
    Kind("configuration", ".mlir", [
        ["{bin}/qbackend-config", "validate", "{input}"],
        ["{bin}/qbackend-config", "to-json", "{input}", "-o", "{output}"],
        ["{bin}/qbackend-config", "explain", "{input}", "conv2d+relu"],
        ["{bin}/qbackend-opt", "--apply-backend={input}", "samples=1", "{network}",
         "-o", "{output}"]], read_configurations),
    Kind("document", ".json", [
        ["{bin}/qbackend-config", "from-json", "{input}", "-o", "{output}"],
        ["{bin}/qbackend-config", "validate", "{input}"]], read_documents),
    Kind("pt2", ".pt2", [
        ["{python}", "{bin}/qbackend-import", "{input}", "-o", "{output}"]],
        read_pt2, binary=True),
    Kind("onnx", ".onnx", [
        ["{python}", "{bin}/qbackend-import", "{input}", "-o", "{output}"]],
        read_onnx, binary=True),
]}

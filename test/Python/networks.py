# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks that the tests of models run."""

import pathlib
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).parents[2]
DIGITS = ROOT / "examples" / "data" / "mnist_digits.npz"
WEIGHT = np.array([[0.5, -1.0], [0.25, 1.0], [-0.5, 0.125], [1.0, 0.0]], "float32")

#: A backend that has linear layers alone.
MINE = """
#u8 = #qbackend.dtype_config<input = <ui8>, output = <ui8>, weight = <si8>, bias = f32>
qbackend.backend_config @mine version 1 default_qconfig @all {
  qbackend.pattern_config [linear] <dtypes = [#u8]>
  qbackend.qconfig_mapping @all {
    qbackend.qconfig global <activation = <min_max, ui8>,
                             weight = <min_max, si8, per_tensor_symmetric>>
  }
}
"""


def linear(batch="1", function="main"):
    """`x @ WEIGHT`, called head.fc; then a sine, which nothing quantizes."""
    x, y = f"tensor<{batch}x4xf32>", f"tensor<{batch}x2xf32>"
    rows = "1"
    size = ""
    if batch == "?":
        rows = "?"
        size = (
            "  %c0 = arith.constant 0 : index\n"
            f"  %n = tensor.dim %x, %c0 : {x}\n"
        )
    empty = "tensor.empty(%n)" if rows == "?" else "tensor.empty()"
    return f"""
func.func @{function}(%x: {x} loc("x")) -> {y} {{
  %w = arith.constant dense<[[0.5, -1.0], [0.25, 1.0], [-0.5, 0.125], [1.0, 0.0]]>
    : tensor<4x2xf32>
  %zero = arith.constant 0.0 : f32
{size}  %empty = {empty} : {y}
  %init = linalg.fill ins(%zero : f32) outs(%empty : {y}) -> {y}
  %y = linalg.matmul ins(%x, %w : {x}, tensor<4x2xf32>)
    outs(%init : {y}) -> {y} loc("head.fc")
  %z = math.sin %y : {y} loc("head.wave")
  return %z : {y}
}}
"""


def layers(count=3):
    """`count` layers of `WEIGHT`'s values, four to four, called fc0, fc1 and so on."""
    x = "tensor<1x4xf32>"
    lines = [
        "  %zero = arith.constant 0.0 : f32",
        f"  %empty = tensor.empty() : {x}",
        f"  %init = linalg.fill ins(%zero : f32) outs(%empty : {x}) -> {x}",
    ]
    for i in range(count):
        weight = np.hstack([WEIGHT, np.roll(WEIGHT, i + 1, axis=0)]).tolist()
        lines += [
            f"  %w{i} = arith.constant dense<{weight}> : tensor<4x4xf32>",
            f"  %{i} = linalg.matmul ins(%{i - 1 if i else 'x'}, %w{i} : {x}, "
            f'tensor<4x4xf32>) outs(%init : {x}) -> {x} loc("fc{i}")',
        ]
    body = "\n".join(lines)
    return f"""
func.func @main(%x: {x} loc("x")) -> {x} {{
{body}
  return %{count - 1} : {x}
}}
"""


def expected(x):
    return np.sin(x.astype("float32") @ WEIGHT)


def samples(count=40):
    return np.random.default_rng(0).uniform(-1, 1, (count, 4)).astype("float32")


def export(name, folder):
    """A trained network of the examples, as a file."""
    path = folder / f"{name}.mlir"
    subprocess.run(
        [
            sys.executable,
            ROOT / "examples" / "export.py",
            ROOT / "examples" / "networks" / f"{name}.npz",
            name,
            "--spelling",
            "linalg",
            "-o",
            path,
        ],
        check=True,
        capture_output=True,
    )
    return path

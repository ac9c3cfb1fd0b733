# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Masked scores in front of a softmax: how near the quantized network is, and which
remark of a range it has. masks.py FOLDER"""

import pathlib
import re
import subprocess
import sys

import numpy as np

ROWS = 6
T = f"tensor<1x{ROWS}x{ROWS}xf32>"
NETWORK = """func.func @main(%q: {T} loc("q"), %k: {T} loc("k"), %keep: {T} loc("keep")) -> {T} {{
  %s = "tosa.const"() <{{values = dense<0> : tensor<1xi8>}}> : () -> tensor<1xi8>
  %one = "tosa.const"() <{{values = dense<1.0> : tensor<1x1x1xf32>}}> : () -> tensor<1x1x1xf32>
  %number = "tosa.const"() <{{values = dense<{number}> : tensor<1x1x1xf32>}}> : () -> tensor<1x1x1xf32>
  %constant = "tosa.const"() <{{values = dense<{mask}> : {T}}}> : () -> {T}
  %hidden = tosa.sub %one, %keep : (tensor<1x1x1xf32>, {T}) -> {T}
  %times = tosa.mul %hidden, %number, %s : ({T}, tensor<1x1x1xf32>, tensor<1xi8>) -> {T}
  %scores = tosa.add %q, %k : ({T}, {T}) -> {T}
  %masked = tosa.add %scores, {which} : ({T}, {T}) -> {T}
  %max = tosa.reduce_max %masked {{axis = 2 : i32}} : ({T}) -> tensor<1x{R}x1xf32>
  %less = tosa.sub %masked, %max : ({T}, tensor<1x{R}x1xf32>) -> {T}
  %exp = tosa.exp %less : ({T}) -> {T}
  %sum = tosa.reduce_sum %exp {{axis = 2 : i32}} : ({T}) -> tensor<1x{R}x1xf32>
  %part = tosa.reciprocal %sum : (tensor<1x{R}x1xf32>) -> tensor<1x{R}x1xf32>
  %softmax = tosa.mul %exp, %part, %s : ({T}, tensor<1x{R}x1xf32>, tensor<1xi8>) -> {T}
  return %softmax : {T}
}}
"""


def spell(number):
    return "0xFF800000" if np.isinf(number) else f"{number:.9e}"


def try_mask(folder, number, which):
    keep = np.tri(ROWS, dtype=np.float32)
    rows = ", ".join("[" + ", ".join("0.0" if x else spell(number) for x in row) + "]"
                     for row in keep)
    text = NETWORK.format(T=T, R=ROWS, number=spell(number), mask=f"[[{rows}]]",
                          which=which)
    network, data = folder / "net.mlir", folder / "in.npz"
    network.write_text(text)
    rng = np.random.default_rng(1)
    np.savez(data, q=rng.standard_normal((4, ROWS, ROWS)).astype("f4"),
             k=rng.standard_normal((4, ROWS, ROWS)).astype("f4"),
             keep=np.repeat(keep[None], 4, 0))
    done = subprocess.run(["qbackend-opt", "--apply-backend=qnnpack", f"data={data}",
                           network, "-o", folder / "quantized.mlir"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    results = []
    for module in network, folder / "quantized.mlir":
        out = folder / "out.npz"
        subprocess.run(["qbackend-run", module, f"--input={data}", "-o", out], check=True)
        with np.load(out) as arrays:
            results.append(arrays[arrays.files[0]].astype("f8"))
    want, got = results
    noise = ((got - want) ** 2).sum()
    codes = sorted(set(re.findall("QB12[0-9]", done.stderr)))
    return f"{'+'.join(codes) or 'nothing'}, {10 * np.log10((want ** 2).sum() / noise):.2f} dB"


def main():
    folder = pathlib.Path(sys.argv[1])
    for number, name in ((-np.inf, "-inf"), (-3.40282347e38, "-3.4e38"), (-1e9, "-1e9"),
                         (-1e4, "-10000"), (-12.0, "-12")):
        for which, by in ("%constant", "of a constant"), ("%times", "times an argument"):
            # Infinity times 0 is NaN.
            if (which, number) in (("%times", -np.inf), ("%times", -1e9),
                                   ("%times", -12.0)):
                continue
            print(f"{name} {by}:".ljust(29), try_mask(folder, number, which))


main()

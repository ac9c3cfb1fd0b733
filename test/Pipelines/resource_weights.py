#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights in resources, which stay in the layout of the file until they are
quantized, give what the same weights as attributes give, byte for byte.

    resource_weights.py WORK
"""

import pathlib
import re
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from tools import run  # noqa: E402

RANDOM = np.random.default_rng(7)


class Weight:
    def __init__(self, *shape, scale=0.1):
        self.numbers = (RANDOM.normal(size=shape) * scale).astype("<f4")
        self.kind = f"tensor<{'x'.join(map(str, shape))}xf32>"


def linear(rows, columns):
    """x * w, the weight as TensorFlow has it: [in, out]."""
    x, y = f"tensor<1x{columns}xf32>", f"tensor<1x{rows}xf32>"
    weight = Weight(columns, rows)
    return x, y, [weight], [
        "%z = arith.constant 0.0 : f32", f"%e = tensor.empty() : {y}",
        f"%f = linalg.fill ins(%z : f32) outs(%e : {y}) -> {y}",
        f"%r = linalg.matmul ins(%x, %w0 : {x}, {weight.kind}) outs(%f : {y}) -> {y}"]


def convolution(channels, inputs, size):
    """Channels first, with a batch norm behind it that is folded."""
    x, y = f"tensor<1x{inputs}x8x8xf32>", f"tensor<1x{channels}x{9 - size}x{9 - size}xf32>"
    weights = [Weight(channels, inputs, size, size)]
    weights += [Weight(channels) for _ in range(4)]
    weights[4].numbers = np.abs(weights[4].numbers) + np.float32(0.5)
    vector = weights[1].kind
    return x, y, weights, [
        "%z = arith.constant 0.0 : f32", "%eps = arith.constant 1.0e-5 : f32",
        f"%e = tensor.empty() : {y}",
        f"%f = linalg.fill ins(%z : f32) outs(%e : {y}) -> {y}",
        f"%c = linalg.conv_2d_nchw_fchw ins(%x, %w0 : {x}, {weights[0].kind}) "
        f"outs(%f : {y}) -> {y}",
        "%r = linalg.generic {indexing_maps = [#all, #one, #one, #one, #one, #all], "
        'iterator_types = ["parallel", "parallel", "parallel", "parallel"]} '
        f"ins(%c, %w1, %w2, %w3, %w4 : {y}, {vector}, {vector}, {vector}, {vector}) "
        f"outs(%e : {y}) {{", "^bb0(%v: f32, %g: f32, %b: f32, %m: f32, %s: f32, %o: f32):",
        "%0 = arith.addf %s, %eps : f32", "%1 = math.rsqrt %0 : f32",
        "%2 = arith.subf %v, %m : f32", "%3 = arith.mulf %2, %1 : f32",
        "%4 = arith.mulf %3, %g : f32", "%5 = arith.addf %4, %b : f32",
        f"linalg.yield %5 : f32 }} -> {y}"]


def write(path, network, in_resources):
    x, y, weights, lines = network
    constants, resources = [], []
    for i, weight in enumerate(weights):
        value = f'dense<"0x{weight.numbers.tobytes().hex().upper()}">'
        if in_resources:
            value = f"dense_resource<w{i}>"
            resources.append(f'w{i}: "0x04000000{weight.numbers.tobytes().hex()}"')
        constants.append(f"%w{i} = arith.constant {value} : {weight.kind}")
    path.write_text("\n".join([
        "#all = affine_map<(n, c, h, w) -> (n, c, h, w)>",
        "#one = affine_map<(n, c, h, w) -> (c)>",
        f"func.func @main(%x: {x}) -> {y} {{", *constants, *lines,
        f"return %r : {y}", "}",
        *(["{-# dialect_resources: { builtin: {", ",".join(resources), "}}#-}"]
          if in_resources else [])]))


work = pathlib.Path(sys.argv[1])
work.mkdir(parents=True, exist_ok=True)
# Rows that are one, a panel of 64, and one more; of one column, too.
networks = [linear(rows, columns) for rows, columns in
            [(1, 5), (5, 1), (64, 3), (65, 7), (129, 33)]]
networks += [convolution(65, 3, 3), convolution(4, 5, 1)]
# Of this size, attributes stay where they are, too.
networks += [linear(129, 130), convolution(65, 32, 3)]
for network in networks:
    shape = tuple(map(int, re.findall(r"\d+(?=x)", network[0])))
    np.savez(work / "x.npz", x=RANDOM.normal(size=(4, *shape[1:])).astype("f4"))
    files = [work / "attributes.mlir", work / "resources.mlir"]
    for file in files:
        write(file, network, file.stem == "resources")
    raised = run("qbackend-opt", "--qbackend-raise", files[1])
    # No copy is made: what an operator reads is the resource.
    assert re.search(r"arith.constant dense_resource<w0>", raised), raised
    numbers = network[2][0].numbers
    raised = run("qbackend-opt", "--qbackend-raise", files[0])
    assert ("qbackend.transpose %cst" in raised) == (numbers.nbytes >= 1 << 16), raised
    for backend in ["qnnpack", "fbgemm"]:
        for mode in ["convert", "fake-quant"]:
            texts = [run("qbackend-opt", f"--apply-backend={backend}", f"mode={mode}",
                         f"data={work / 'x.npz'}", file) for file in files]
            assert texts[0] == texts[1], (network, backend, mode, *texts)
            assert mode == "fake-quant" or "!quant.uniform<u8" in texts[0], texts[0]
            if mode == "convert" and backend == "qnnpack" and numbers.ndim == 2:
                # What PyTorch's observer and quantization give.
                scale = np.abs(numbers).max() / np.float32(127.5)
                integers = np.clip(np.rint(numbers.T * (np.float32(1) / scale)), -128, 127)
                text = integers.astype("i1").tobytes().hex().upper()
                assert text in texts[0] or numbers.size == 5, (text, texts[0])
    # Whose error is the weight's is told of either.
    reports = []
    for file in files:
        quantized = work / "quantized.mlir"
        run("qbackend-opt", "--apply-backend=qnnpack", f"data={work / 'x.npz'}", file, "-o",
            quantized)
        reports.append(run("qbackend-run", file, f"--compare={quantized}", "--layers",
                           "--backend=qnnpack", f"--input={work / 'x.npz'}"))
    assert reports[0].replace(files[0].name, files[1].name) == reports[1], reports
    assert re.search("weight|round", reports[0]), reports[0]
    # Structures are hashes of weights: tables fit whatever the weights are in.
    tables = []
    for file in files:
        tables.append(work / f"{file.stem}.json")
        run("qbackend-run", file, "--calibrate", f"--input={work / 'x.npz'}", "-o",
            tables[-1])
    structures = [re.findall(r'"structure": "([^"]+)"', table.read_text())
                  for table in tables]
    assert structures[0] == structures[1] and structures[0], structures
    texts = [run("qbackend-opt", "--apply-backend=qnnpack", f"calibration={table}", file)
             for table, file in zip(reversed(tables), files)]
    assert texts[0] == texts[1], (network, *texts)
# Another number, or another place of a number, is another structure.
changed = networks[3]
changed[2][0].numbers[[0, 1]] = changed[2][0].numbers[[1, 0]]
np.savez(work / "x.npz", x=RANDOM.normal(size=(4, 7)).astype("f4"))
seen = set()
for step in range(2):
    write(files[1], changed, True)
    run("qbackend-run", files[1], "--calibrate", f"--input={work / 'x.npz'}", "-o",
        tables[1])
    seen.add(tuple(re.findall(r'"structure": "([^"]+)"', tables[1].read_text())))
    changed[2][0].numbers[[0, 1]] = changed[2][0].numbers[[1, 0]]
assert len(seen) == 2, seen
print("the same")

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of modules that come quantized are at most a step off.

    imported_operators.py --bin DIR --work DIR [--seed N] [--count N]

Each operator is between a dequantize and a quantize, with random parameters of
its own: what an engine does otherwise (it divides by the size of a window,
rounds a number to a step, has one scale for all sigmoids) must not be taken for
what the module says. Its results are those of the module as it came.
"""

import argparse
import pathlib
import sys
import random
import re

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from tools import run, run_for_remarks  # noqa: E402


DIMS = (1, 8, 8, 4)
ZERO = ('"tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> '
        "tensor<1xf32>")


def tensor(dims, element="f32"):
    return "tensor<" + "".join(f"{d}x" for d in dims) + element + ">"


class Text:
    def __init__(self):
        self.lines, self.count = [], 0

    def add(self, text):
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def pair(self, x, dims, parameters):
        sign, scale, zero_point = parameters
        kind = tensor(
            dims, f"!quant.uniform<{sign}8:f32, {scale!r}:{zero_point}>")
        q = self.add(f"quant.qcast {x} : {tensor(dims)} to {kind}")
        return self.add(f"quant.dcast {q} : {kind} to {tensor(dims)}")

    def bytes(self, x, dims, scale, zero_point):
        """Signed integers, as torch-mlir makes them."""
        e = self.add(f"tensor.empty() : {tensor(dims, 'i8')}")
        maps = ", ".join(["affine_map<(a, b, c, d) -> (a, b, c, d)>"] * 2)
        loops = ", ".join(['"parallel"'] * 4)
        return self.add(
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = "
            f"[{loops}]}} ins({x} : {tensor(dims)}) outs({e} : "
            f"{tensor(dims, 'i8')}) {{\n  ^bb0(%in: f32, %out: i8):\n"
            f"    %s = arith.constant {scale!r} : f32\n"
            f"    %z = arith.constant {float(zero_point)!r} : f32\n"
            "    %l = arith.constant -128.0 : f32\n"
            "    %h = arith.constant 127.0 : f32\n"
            "    %a = arith.divf %in, %s : f32\n"
            "    %b = math.roundeven %a : f32\n"
            "    %c = arith.addf %b, %z : f32\n"
            "    %d = arith.maximumf %c, %l : f32\n"
            "    %e = arith.minimumf %d, %h : f32\n"
            "    %f = arith.fptosi %e : f32 to i8\n"
            f"    linalg.yield %f : i8\n  }} -> {tensor(dims, 'i8')}")

    def sums(self, x, dims, scale):
        """Sums of 32 bits, as floats."""
        e = self.add(f"tensor.empty() : {tensor(dims)}")
        maps = ", ".join(["affine_map<(a, b, c, d) -> (a, b, c, d)>"] * 2)
        loops = ", ".join(['"parallel"'] * 4)
        return self.add(
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = "
            f"[{loops}]}} ins({x} : {tensor(dims, 'i32')}) outs({e} : "
            f"{tensor(dims)}) {{\n  ^bb0(%in: i32, %out: f32):\n"
            f"    %s = arith.constant {scale!r} : f32\n"
            "    %a = arith.sitofp %in : i32 to f32\n"
            "    %b = arith.mulf %a, %s : f32\n"
            f"    linalg.yield %b : f32\n  }} -> {tensor(dims)}")

    def contraction(self, x, rng, form):
        """A 3x3 convolution of integers, padded with the zero point."""
        scale = float(np.float32(rng.uniform(0.01, 0.03)))
        zero_point = rng.randint(-60, 60)
        q = self.bytes(x, DIMS, scale, zero_point)
        dims, padded = (1, 8, 8, 5), (1, 10, 10, 4)
        weight_scale = float(np.float32(rng.uniform(0.002, 0.01)))
        z = self.add(f"arith.constant {zero_point} : i8")
        p = self.add(
            f"tensor.pad {q} low[0, 1, 1, 0] high[0, 1, 1, 0] {{\n"
            "  ^bb0(%i: index, %j: index, %k: index, %l: index):\n"
            f"    tensor.yield {z} : i8\n  }} : {tensor(DIMS, 'i8')} to "
            f"{tensor(padded, 'i8')}")
        shape = (3, 3, 4, 5) if form != "tosa" else (5, 3, 3, 4)
        data = "".join(f"{rng.randrange(1, 256):02X}" for _ in range(180))
        w = self.add(
            f'arith.constant dense<"0x{data}"> : {tensor(shape, "i8")}')
        numbers = ", ".join(str(rng.randint(-4000, 4000)) for _ in range(5))
        b = self.add(f"arith.constant dense<[{numbers}]> : tensor<5xi32>")
        result = tensor(dims, "i32")
        types = f"{tensor(padded, 'i8')}, {tensor(shape, 'i8')}"
        if form == "tosa":
            zero_points = [self.add(
                f'"tosa.const"() <{{values = dense<{value}> : tensor<1xi8>}}> : '
                "() -> tensor<1xi8>") for value in (zero_point, 0)]
            y = self.add(
                f"tosa.conv2d {p}, {w}, {b}, {', '.join(zero_points)} {{acc_type "
                "= i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>"
                f", stride = array<i64: 1, 1>}} : ({types}, tensor<5xi32>, "
                f"tensor<1xi8>, tensor<1xi8>) -> {result}")
        else:
            e = self.add(f"tensor.empty() : {result}")
            init = self.add(f"linalg.broadcast ins({b} : tensor<5xi32>) outs({e} "
                            f": {result}) dimensions = [0, 1, 2]")
            zx, zw = (self.add(f"arith.constant {value} : i32")
                      for value in (zero_point, 0))
            y = self.add(
                "linalg.conv_2d_nhwc_hwcf_q {dilations = dense<1> : "
                "tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins("
                f"{p}, {w}, {zx}, {zw} : {types}, i32, i32) outs({init} : "
                f"{result}) -> {result}")
        return dims, self.sums(y, dims,
                               float(np.float32(scale * weight_scale)))

    def number(self, value, rank=4):
        kind = tensor([1] * rank)
        return self.add(f'"tosa.const"() <{{values = dense<{value!r}> : {kind}}}>'
                        f" : () -> {kind}")

    def unary(self, name, x):
        return self.add(f"tosa.{name} {x} : ({tensor(DIMS)}) -> {tensor(DIMS)}")

    def binary(self, name, x, y, dims=DIMS):
        shift, kind = "", ""
        if name == "mul":
            constant = self.add('"tosa.const"() <{values = dense<0> : '
                                "tensor<1xi8>}> : () -> tensor<1xi8>")
            shift, kind = f", {constant}", ", tensor<1xi8>"
        return self.add(f"tosa.{name} {x}, {y}{shift} : ({tensor(DIMS)}, "
                        f"{tensor(dims)}{kind}) -> {tensor(DIMS)}")

    def average(self, x, kernel, stride, pad):
        zero = self.add(ZERO)
        size = (8 + 2 * pad - kernel) // stride + 1
        dims = (1, size, size, 4)
        return dims, self.add(
            f"tosa.avg_pool2d {x}, {zero}, {zero} {{acc_type = f32, kernel = "
            f"array<i64: {kernel}, {kernel}>, pad = array<i64: {pad}, {pad}, "
            f"{pad}, {pad}>, stride = array<i64: {stride}, {stride}>}} : "
            f"({tensor(DIMS)}, tensor<1xf32>, tensor<1xf32>) -> {tensor(dims)}")

    def window(self, x, kind, kernel, stride, start):
        size = (8 - kernel) // stride + 1
        dims = (1, size, size, 4)
        e = self.add(f"tensor.empty() : {tensor(dims)}")
        c = self.add(f"arith.constant {start} : f32")
        init = self.add(f"linalg.fill ins({c} : f32) outs({e} : {tensor(dims)}) "
                        f"-> {tensor(dims)}")
        w = self.add(f"tensor.empty() : {tensor((kernel, kernel))}")
        return dims, self.add(
            f"linalg.pooling_nhwc_{kind} {{dilations = dense<1> : tensor<2xi64>, "
            f"strides = dense<{stride}> : tensor<2xi64>}} ins({x}, {w} : "
            f"{tensor(DIMS)}, {tensor((kernel, kernel))}) outs({init} : "
            f"{tensor(dims)}) -> {tensor(dims)}")

    def divided(self, x, dims, divisor):
        e = self.add(f"tensor.empty() : {tensor(dims)}")
        c = self.add(f"arith.constant {divisor!r} : f32")
        maps = ", ".join(["affine_map<(a, b, c, d) -> (a, b, c, d)>"] * 2)
        loops = ", ".join(['"parallel"'] * 4)
        return self.add(
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = "
            f"[{loops}]}} ins({x} : {tensor(dims)}) outs({e} : {tensor(dims)}) "
            "{\n  ^bb0(%in: f32, %out: f32):\n"
            f"    %r = arith.divf %in, {c} : f32\n    linalg.yield %r : f32\n"
            f"  }} -> {tensor(dims)}")


def write(text, x, name, rng, signed):
    """The operator; its result's dimensions."""
    if name == "average_border":
        return text.average(x, *rng.choice([(3, 1), (2, 2)]), 1)
    if name == "average_divisor":
        dims, y = text.window(x, "sum", 2, 2, "0.0")
        return dims, text.divided(y, dims, rng.choice([3.0, 4.0, 5.0, 7.0]))
    if name == "max_pool":
        return text.window(x, "max", 2, 2, "0xFF800000")
    if name == "add_number":
        return DIMS, text.binary("add", x, text.number(rng.uniform(-1, 1)),
                                 (1, 1, 1, 1))
    if name == "mul_number":
        return DIMS, text.binary("mul", x, text.number(rng.uniform(-2, 2)),
                                 (1, 1, 1, 1))
    if name == "clamp":
        return DIMS, text.add(
            f"tosa.clamp {x} {{min_val = {rng.uniform(-1, 0)!r} : f32, max_val = "
            f"{rng.uniform(0, 1)!r} : f32}} : ({tensor(DIMS)}) -> {tensor(DIMS)}")
    if name == "relu":
        return DIMS, text.add(
            f"tosa.clamp {x} {{min_val = 0.0 : f32, max_val = 3.40282347E+38 : "
            f"f32}} : ({tensor(DIMS)}) -> {tensor(DIMS)}")
    if name in ("add", "mul"):
        other = text.pair("%other", DIMS, parameters(rng, signed))
        return DIMS, text.binary(name, x, other)
    if name in ("add_row", "mul_row"):
        other = text.pair("%row", (1, 1, 1, 4), parameters(rng, signed))
        return DIMS, text.binary(name[:3], x, other, (1, 1, 1, 4))
    if name == "mean":
        dims, y = text.window(x, "sum", 8, 1, "0.0")
        return dims, text.divided(y, dims, 64.0)
    if name in ("integers_linalg", "integers_tosa"):
        return text.contraction("%x", rng, name.removeprefix("integers_"))
    return DIMS, text.unary(name, x)


OPERATORS = ["average_border", "average_divisor", "max_pool", "add_number",
             "mul_number", "clamp", "relu", "add", "mul", "add_row", "mul_row",
             "mean", "sigmoid", "tanh", "integers_linalg", "integers_tosa"]


def parameters(rng, signed, scale=None):
    scale = scale or rng.uniform(0.004, 0.03)
    low = -128 if signed else 0
    # PyTorch's scales are of f32.
    return ("i" if signed else "u", float(np.float32(scale)),
            low + rng.randint(40, 220))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=80)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    options.work.mkdir(parents=True, exist_ok=True)

    text, results, kinds, scales, names = Text(), [], [], [], []
    for i in range(options.count):
        name = OPERATORS[i % len(OPERATORS)]
        signed = rng.random() < 0.5
        x = text.pair("%x", DIMS, parameters(rng, signed))
        dims, y = write(text, x, name, rng, signed)
        # That of a sigmoid is 1/256 in the engine: coarser, finer, or that.
        out = rng.choice([None, 1 / 256, 1 / 1000, 1 / 100])
        if name.startswith("integers"):
            out = rng.uniform(0.05, 0.2)
        chosen = parameters(rng, signed, out)
        results.append(text.pair(y, dims, chosen))
        kinds.append(tensor(dims))
        scales.append(chosen[1])
        names.append(name)
    types = ", ".join(kinds)
    body = "\n".join(text.lines)
    module = options.work / "in.mlir"
    module.write_text(
        f"func.func @main(%x: {tensor(DIMS)}, %other: {tensor(DIMS)}, %row: "
        f"{tensor((1, 1, 1, 4))}) -> ({types}) {{\n{body}\n  return "
        f"{', '.join(results)} : {types}\n}}\n")
    data = np.random.default_rng(options.seed)
    inputs = options.work / "inputs.npz"
    np.savez(inputs, *[data.normal(0, 1.5, dims).astype(np.float32)
                       for dims in (DIMS, DIMS, (1, 1, 1, 4))])
    out = options.work / "out.mlir"
    messages = run_for_remarks(f"{options.bin}/qbackend-opt", "--apply-backend=qnnpack",
                               module, "-o", out)
    outputs = []
    for path in (module, out):
        run(f"{options.bin}/qbackend-run", path, f"--input={inputs}", "-o",
            options.work / "outputs.npz")
        file = np.load(options.work / "outputs.npz")
        outputs.append([file[key] for key in file.files])

    failures = 0
    for i, (was, now) in enumerate(zip(*outputs)):
        steps = (np.abs(was.astype(np.float64) - now) / scales[i]).max()
        if not steps < 1.01:
            failures += 1
            print(f"FAIL {i} {names[i]}: {steps:.3f} steps")
    # What has no kernel is said, and not much is.
    kernels = len(re.findall(r"= qnnpack\.(?!quantize|dequantize|requantize)",
                             out.read_text()))
    said = len(re.findall(r"remark: \[Missed\] QB(?:108|141)", messages))
    print(f"{len(names)} operators, {kernels} kernels, {said} remarks, "
          f"{failures} failures")
    assert failures == 0 and kernels + said >= len(names)
    assert kernels > 2 * said


if __name__ == "__main__":
    main()

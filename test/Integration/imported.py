#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks that come quantized, as front ends write them, against formulas.

    imported.py --bin DIR --work DIR

A convolution with a relu, a max pool, and a linear layer: activations with q/dq
in bytes (torch-mlir of a PT2E model, ONNX's QDQ) or in fake quantization, weights as
bytes with a scale for each channel, or unsigned with one. The kernels have
the parameters and the bytes of the text, and the results are those of NumPy.
"""

import argparse
import pathlib
import sys
import re

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from tools import run, run_for_remarks  # noqa: E402


f32 = np.float32


def literal(data):
    element = {"float32": "f32", "int8": "i8", "int32": "i32"}[str(data.dtype)]
    kind = "".join(f"{d}x" for d in data.shape) + element
    raw = np.ascontiguousarray(data).tobytes().hex().upper()
    return f'arith.constant dense<"0x{raw}"> : tensor<{kind}>'


def shape(dims, element="f32"):
    return "tensor<" + "".join(f"{d}x" for d in dims) + element + ">"


def maps(rank, *others):
    dims = ", ".join(f"d{i}" for i in range(rank))
    parts = [dims] + [", ".join(f"d{i}" for i in other) for other in others]
    listed = [f"affine_map<({dims}) -> ({part})>" for part in parts + [dims]]
    loops = ", ".join(['"parallel"'] * rank)
    return (f"indexing_maps = [{', '.join(listed)}], "
            f"iterator_types = [{loops}]")


class Text:
    """The text of a network, value by value."""

    def __init__(self):
        self.lines, self.count = [], 0

    def add(self, text):
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def bytes_pair(self, x, dims, scale, zero_point, signed):
        """quantize to bytes, then dequantize, as torch-mlir has them."""
        low, high = (-128, 127) if signed else (0, 255)
        s = self.add(f"arith.constant {scale:.17e} : f64")
        z = self.add(f"arith.constant {zero_point} : i64")
        lo = self.add(f"arith.constant {float(low)} : f32")
        hi = self.add(f"arith.constant {float(high)} : f32")
        e = self.add(f"tensor.empty() : {shape(dims, 'i8')}")
        to = "arith.fptosi" if signed else "arith.fptoui"
        q = self.add(
            f"linalg.generic {{{maps(len(dims))}}} ins({x} : {shape(dims)}) "
            f"outs({e} : {shape(dims, 'i8')}) {{\n"
            "  ^bb0(%in: f32, %out: i8):\n"
            f"    %s = arith.truncf {s} : f64 to f32\n"
            f"    %z = arith.sitofp {z} : i64 to f32\n"
            "    %a = arith.divf %in, %s : f32\n"
            "    %b = math.roundeven %a : f32\n"
            "    %c = arith.addf %b, %z : f32\n"
            f"    %l = arith.cmpf ult, %c, {lo} : f32\n"
            f"    %h = arith.cmpf ugt, %c, {hi} : f32\n"
            f"    %d = arith.select %l, {lo}, %c : f32\n"
            f"    %e = arith.select %h, {hi}, %d : f32\n"
            f"    %f = {to} %e : f32 to i8\n"
            "    linalg.yield %f : i8\n"
            f"  }} -> {shape(dims, 'i8')}")
        extend = "extsi" if signed else "extui"
        z32 = self.add(f"arith.constant {zero_point} : i32")
        s32 = self.add(f"arith.truncf {s} : f64 to f32")
        r = self.add(f"tensor.empty() : {shape(dims)}")
        return self.add(
            f"linalg.generic {{{maps(len(dims))}}} ins({q} : "
            f"{shape(dims, 'i8')}) outs({r} : {shape(dims)}) {{\n"
            "  ^bb0(%in: i8, %out: f32):\n"
            f"    %a = arith.{extend} %in : i8 to i32\n"
            f"    %b = arith.subi %a, {z32} : i32\n"
            "    %c = arith.sitofp %b : i32 to f32\n"
            f"    %d = arith.mulf %c, {s32} : f32\n"
            "    linalg.yield %d : f32\n"
            f"  }} -> {shape(dims)}")

    def fake(self, x, dims, scale, zero_point, signed):
        """PyTorch's fake_quantize in one generic."""
        low, high = (-128.0, 127.0) if signed else (0.0, 255.0)
        names = [self.add(f"arith.constant {float(number)!r} : f32")
                 for number in (zero_point, low, high)]
        scale, inverse = f32(scale), f32(1) / f32(scale)
        s, i = (self.add(f"arith.constant {float(number):.17e} : f32")
                for number in (scale, inverse))
        e = self.add(f"tensor.empty() : {shape(dims)}")
        return self.add(
            f"linalg.generic {{{maps(len(dims))}}} ins({x} : {shape(dims)}) "
            f"outs({e} : {shape(dims)}) {{\n"
            "  ^bb0(%in: f32, %out: f32):\n"
            f"    %a = arith.mulf %in, {i} : f32\n"
            "    %b = math.roundeven %a : f32\n"
            f"    %c = arith.addf %b, {names[0]} : f32\n"
            f"    %d = arith.maximumf %c, {names[1]} : f32\n"
            f"    %e = arith.minimumf %d, {names[2]} : f32\n"
            f"    %f = arith.subf %e, {names[0]} : f32\n"
            f"    %g = arith.mulf %f, {s} : f32\n"
            "    linalg.yield %g : f32\n"
            f"  }} -> {shape(dims)}")

    def byte_weight(self, weight, scales):
        """Bytes, and a scale for each index of the first dimension."""
        dims = weight.shape
        w, s = self.add(literal(weight)), self.add(literal(scales))
        e = self.add(f"tensor.empty() : {shape(dims)}")
        return self.add(
            f"linalg.generic {{{maps(len(dims), [0])}}} ins({w}, {s} : "
            f"{shape(dims, 'i8')}, {shape(scales.shape)}) outs({e} : "
            f"{shape(dims)}) {{\n"
            "  ^bb0(%in: i8, %s: f32, %out: f32):\n"
            "    %a = arith.sitofp %in : i8 to f32\n"
            "    %b = arith.mulf %a, %s : f32\n"
            "    linalg.yield %b : f32\n"
            f"  }} -> {shape(dims)}")

    def cast_weight(self, weight, scales):
        """The same in ops of the quant dialect."""
        dims = weight.shape
        parameters = ", ".join(f"{float(s):.17e}" for s in scales)
        kind = shape(dims, f"!quant.uniform<i8:f32:0, {{{parameters}}}>")
        w = self.add(literal(weight))
        q = self.add(f"quant.scast {w} : {shape(dims, 'i8')} to {kind}")
        return self.add(f"quant.dcast {q} : {kind} to {shape(dims)}")


    def unsigned_weight(self, weight, scales):
        """ONNX's: unsigned bytes around 128, and one scale."""
        dims = weight.shape
        w = self.add(literal((weight ^ np.int8(-128)).astype(np.int8)))
        z = self.add("arith.constant 128 : i32")
        s = self.add(f"arith.constant {float(scales[0]):.17e} : f32")
        e = self.add(f"tensor.empty() : {shape(dims)}")
        return self.add(
            f"linalg.generic {{{maps(len(dims))}}} ins({w} : "
            f"{shape(dims, 'i8')}) outs({e} : {shape(dims)}) {{\n"
            "  ^bb0(%in: i8, %out: f32):\n"
            "    %a = arith.extui %in : i8 to i32\n"
            f"    %b = arith.subi %a, {z} : i32\n"
            "    %c = arith.sitofp %b : i32 to f32\n"
            f"    %d = arith.mulf %c, {s} : f32\n"
            "    linalg.yield %d : f32\n"
            f"  }} -> {shape(dims)}")

    def integer_bias(self, bias, scale):
        """A bias of 32 bits, by the scale of input and weight."""
        dims = bias.shape
        integers = np.rint(bias / scale).astype(np.int32)
        b = self.add(literal(integers))
        s = self.add(f"arith.constant {float(scale):.17e} : f32")
        e = self.add(f"tensor.empty() : {shape(dims)}")
        return self.add(
            f"linalg.generic {{{maps(len(dims))}}} ins({b} : "
            f"{shape(dims, 'i32')}) outs({e} : {shape(dims)}) {{\n"
            "  ^bb0(%in: i32, %out: f32):\n"
            "    %a = arith.sitofp %in : i32 to f32\n"
            f"    %b = arith.mulf %a, {s} : f32\n"
            "    linalg.yield %b : f32\n"
            f"  }} -> {shape(dims)}")


def write(style, network):
    """The module, NCHW: conv 3x3, relu, max pool 2x2, flatten, linear."""
    text = Text()
    pair = text.fake if style == "fake" else text.bytes_pair
    weight = {"casts": text.cast_weight,
              "onnx": text.unsigned_weight}.get(style, text.byte_weight)

    def bias(data, scales, input_scale):
        if style != "onnx":
            return text.add(literal(data))
        return text.integer_bias(data, f32(scales[0]) * f32(input_scale))

    signed = network["signed"]
    (sx, zx), (sy, zy), (so, zo) = network["activations"]
    n, c, h = 2, 3, 6
    x = pair("%x", (n, c, h, h), sx, zx, signed)
    w = weight(network["w1"], network["s1"])
    b = bias(network["b1"], network["s1"], sx)
    e = text.add(f"tensor.empty() : {shape((n, 4, 4, 4))}")
    init = text.add(f"linalg.broadcast ins({b} : tensor<4xf32>) outs({e} : "
                    f"{shape((n, 4, 4, 4))}) dimensions = [0, 2, 3]")
    y = text.add(
        "linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, "
        f"strides = dense<1> : tensor<2xi64>}} ins({x}, {w} : "
        f"{shape((n, c, h, h))}, tensor<4x3x3x3xf32>) outs({init} : "
        f"{shape((n, 4, 4, 4))}) -> {shape((n, 4, 4, 4))}")
    zero = text.add("arith.constant 0.0 : f32")
    y = text.add(
        f"linalg.generic {{{maps(4)}}} ins({y} : {shape((n, 4, 4, 4))}) "
        f"outs({e} : {shape((n, 4, 4, 4))}) {{\n"
        "  ^bb0(%in: f32, %out: f32):\n"
        f"    %a = arith.maximumf %in, {zero} : f32\n"
        "    linalg.yield %a : f32\n"
        f"  }} -> {shape((n, 4, 4, 4))}")
    y = pair(y, (n, 4, 4, 4), sy, zy, signed)
    low = text.add("arith.constant 0xFF800000 : f32")
    e = text.add(f"tensor.empty() : {shape((n, 4, 2, 2))}")
    init = text.add(f"linalg.fill ins({low} : f32) outs({e} : "
                    f"{shape((n, 4, 2, 2))}) -> {shape((n, 4, 2, 2))}")
    window = text.add("tensor.empty() : tensor<2x2xf32>")
    y = text.add(
        "linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, "
        f"strides = dense<2> : tensor<2xi64>}} ins({y}, {window} : "
        f"{shape((n, 4, 4, 4))}, tensor<2x2xf32>) outs({init} : "
        f"{shape((n, 4, 2, 2))}) -> {shape((n, 4, 2, 2))}")
    y = text.add(f"tensor.collapse_shape {y} [[0], [1, 2, 3]] : "
                 f"{shape((n, 4, 2, 2))} into {shape((n, 16))}")
    w = weight(network["w2"], network["s2"])
    e = text.add("tensor.empty() : tensor<16x5xf32>")
    w = text.add(f"linalg.transpose ins({w} : tensor<5x16xf32>) outs({e} : "
                 "tensor<16x5xf32>) permutation = [1, 0]")
    e = text.add(f"tensor.empty() : {shape((n, 5))}")
    b = bias(network["b2"], network["s2"], sy)
    init = text.add(f"linalg.broadcast ins({b} : tensor<5xf32>) outs({e} : "
                    f"{shape((n, 5))}) dimensions = [0]")
    y = text.add(f"linalg.matmul ins({y}, {w} : {shape((n, 16))}, "
                 f"tensor<16x5xf32>) outs({init} : {shape((n, 5))}) -> "
                 f"{shape((n, 5))}")
    y = pair(y, (n, 5), so, zo, signed)
    body = "\n".join(text.lines)
    return (f'func.func @main(%x: {shape((n, c, h, h))} loc("x")) -> '
            f"{shape((n, 5))} {{\n{body}\n  return {y} : {shape((n, 5))}\n}}\n")


# --- Formulas (docs/Numerics.md) ----------------------------------------------


def quantize(x, scale, zero_point, low):
    steps = np.rint(x.astype(f32) * (f32(1) / f32(scale)))
    return np.clip(steps.astype(np.int64) + zero_point, low, low + 255)


def weighted(acc, bias, weight_scales, input_params, output_params, low, relu):
    sx, sy, zy = input_params[0], *output_params
    sb = weight_scales.astype(np.float64) * float(f32(sx))
    acc = acc + np.rint(bias * (f32(1) / sb.astype(f32))).astype(np.int64)
    if low < 0:  # XNNPACK
        multipliers = weight_scales * f32(sx) / f32(sy)
    else:
        multipliers = weight_scales * f32(sx) * (f32(1) / f32(sy))
    y = np.rint(acc.astype(f32) * multipliers).astype(np.int64) + zy
    return np.clip(y, zy if relu else low, low + 255)


def evaluate(network, x, low):
    # With the sign of the kernels' integers.
    offset = low - (-128 if network["signed"] else 0)
    px, py, po = [(s, z + offset) for s, z in network["activations"]]
    q = quantize(x, *px, low) - px[1]
    sums = np.zeros((len(x), 4, 4, 4), np.int64)
    for i in range(3):
        for j in range(3):
            sums += np.einsum("nchw,oc->nohw", q[:, :, i:i + 4, j:j + 4],
                              network["w1"][:, :, i, j].astype(np.int64))
    y = weighted(sums.transpose(0, 2, 3, 1), network["b1"], network["s1"], px,
                 py, low, True).transpose(0, 3, 1, 2)
    y = y.reshape(len(x), 4, 2, 2, 2, 2).max(axis=(3, 5)).reshape(len(x), 16)
    sums = (y - py[1]) @ network["w2"].astype(np.int64).T
    y = weighted(sums, network["b2"], network["s2"], py, po, low, False)
    return f32(po[0]) * (y - po[1]).astype(f32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(5)
    elements = 0
    for style in ("bytes", "fake", "casts", "onnx"):
        for signed in (False, True):
            for qconfig in ("default", "symmetric"):
                if qconfig == "symmetric" and style != "fake":
                    continue
                network = {
                    "signed": signed,
                    "w1": random.integers(-127, 128, (4, 3, 3, 3), np.int8),
                    "w2": random.integers(-127, 128, (5, 16), np.int8),
                    "b1": random.normal(0, 0.5, 4).astype(f32),
                    "b2": random.normal(0, 0.5, 5).astype(f32),
                    "activations": [
                        (0.02, 128 if not signed else 0),
                        (0.05, 0 if not signed else -128),
                        (0.2, 100 if not signed else -28)],
                }
                # No channel has its largest weight at the end of its range.
                for name, count in (("s1", 4), ("s2", 5)):
                    network[name] = random.uniform(0.003, 0.01,
                                                   count).astype(f32)
                if qconfig == "symmetric" or style == "onnx":
                    # One scale: the engine has no signed linear with several.
                    network["s2"][:] = network["s2"][0]
                if style == "onnx":
                    network["s1"][:] = network["s1"][0]
                module = args.work / "network.mlir"
                module.write_text(write(style, network))
                out = args.work / "out.mlir"
                messages = run_for_remarks(
                    f"{args.bin}/qbackend-opt", "--apply-backend=qnnpack",
                    f"qconfig={qconfig}", module, "-o", out,
                    "--mlir-print-elementsattrs-with-hex-if-larger=1")
                assert "warning" not in messages, messages
                text = out.read_text()
                assert "qbackend." not in text.replace("qbackend.name", ""), text
                for op in ("conv2d", "max_pool2d", "linear"):
                    assert f"qnnpack.{op} " in text, (style, messages, text)
                # The bytes of the weights, in the layout of the kernels.
                for weight in (network["w1"].transpose(0, 2, 3, 1),
                               network["w2"]):
                    raw = np.ascontiguousarray(weight).tobytes().hex().upper()
                    assert f"0x{raw}" in text, f"{style}: other bytes"
                x = random.normal(0, 1, (2, 3, 6, 6)).astype(f32)
                np.savez(args.work / "x.npz", x=x)
                run(f"{args.bin}/qbackend-run", out,
                    f"--input={args.work / 'x.npz'}", "-o",
                    args.work / "y.npz")
                y = np.load(args.work / "y.npz")["output0"].reshape(2, 5)
                low = -128 if qconfig == "symmetric" else 0
                expected = evaluate(network, x, low)
                assert (y == expected).all(), (style, signed, y, expected)
                elements += y.size
    print(f"0 of {elements} elements differ")


if __name__ == "__main__":
    main()

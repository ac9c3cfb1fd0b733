#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the float run of single operators with PyTorch's, on one core.

Builds nothing: `ninja -C build float-throughput` does. Figures are of the
fastest of many calls, since others may use the machine. Without PyTorch
(python3-torch) only our own are printed. Ratios are what to look at.
"""

import argparse
import math
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np


def tensor(shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def filled(name, shape, value="0.0"):
    return f"""
  %{name}v = arith.constant {value} : f32
  %{name}e = tensor.empty() : {tensor(shape)}
  %{name} = linalg.fill ins(%{name}v : f32) outs(%{name}e : {tensor(shape)})
    -> {tensor(shape)}"""


def structured(op, inputs, shape, attributes="", start="0.0"):
    """Code of a linalg op whose result is %r."""
    names = ", ".join(f"%{name}" for name, _ in inputs)
    types = ", ".join(tensor(extents) for _, extents in inputs)
    return (
        filled("init", shape, start)
        + f"""
  %r = linalg.{op} {attributes} ins({names} : {types})
    outs(%init : {tensor(shape)}) -> {tensor(shape)}"""
    )


class Case:
    def __init__(self, name, code, inputs, result, flops, torch, weights=()):
        self.name = name
        self.code = code
        self.inputs = inputs  # Shapes; the leading dimension is a sample's.
        self.result = result
        self.flops = flops
        self.torch = torch
        self.weights = weights  # Name and shape.

    def module(self, generator):
        arguments = ", ".join(
            f"%x{i}: {tensor(shape)}" for i, shape in enumerate(self.inputs)
        )
        rank = len(self.result)
        ones = ", ".join(["1"] * rank)
        first = tensor([1] * rank)
        lines = [f"func.func @main({arguments}) -> {first} {{"]
        for name, shape in self.weights:
            data = generator.standard_normal(shape).astype("<f4").tobytes().hex()
            lines.append(
                f'  %{name} = arith.constant dense<"0x{data}"> : {tensor(shape)}'
            )
        lines.append(self.code)
        # One element: writing results isn't what is measured.
        lines.append(
            f"""  %s = tensor.extract_slice %r[{", ".join(["0"] * rank)}] [{ones}] [{ones}]
    : {tensor(self.result)} to {first}
  return %s : {first}
}}"""
        )
        return "\n".join(lines)


def convolution(name, channels, filters, size, kernel, stride=1, layout="nchw"):
    out = (size - kernel) // stride + 1
    attributes = f"{{strides = dense<{stride}> : vector<2xi64>}}"
    weight = [filters, channels, kernel, kernel]
    x, y = [1, channels, size, size], [1, filters, out, out]
    op = "conv_2d_nchw_fchw"
    if layout == "nhwc":
        weight = [kernel, kernel, channels, filters]
        x, y = [1, size, size, channels], [1, out, out, filters]
        op = "conv_2d_nhwc_hwcf"
    code = structured(op, [("x0", x), ("w", weight)], y, attributes)

    def torch(t):
        data = t.randn(1, channels, size, size)
        w = t.randn(filters, channels, kernel, kernel)
        if layout == "nhwc":
            data = data.to(memory_format=t.channels_last)
            w = w.to(memory_format=t.channels_last)
        return lambda: t.nn.functional.conv2d(data, w, None, stride)

    flops = 2 * out * out * filters * channels * kernel * kernel
    return Case(f"{name} {layout}", code, [x], y, flops, torch, [("w", weight)])


def depthwise(name, channels, size, stride=1, layout="nchw"):
    out = (size - 3) // stride + 1
    attributes = f"{{strides = dense<{stride}> : vector<2xi64>}}"
    weight, x, y = [channels, 3, 3], [1, channels, size, size], [1, channels, out, out]
    op = "depthwise_conv_2d_nchw_chw"
    if layout == "nhwc":
        weight, x, y = [3, 3, channels], [1, size, size, channels], [1, out, out, channels]
        op = "depthwise_conv_2d_nhwc_hwc"
    code = structured(op, [("x0", x), ("w", weight)], y, attributes)

    def torch(t):
        data, w = t.randn(1, channels, size, size), t.randn(channels, 1, 3, 3)
        if layout == "nhwc":
            data = data.to(memory_format=t.channels_last)
        return lambda: t.nn.functional.conv2d(data, w, None, stride, 0, 1, channels)

    return Case(
        f"{name} {layout}", code, [x], y, 18 * out * out * channels, torch, [("w", weight)]
    )


def pool(name, kind, channels, size, layout="nchw"):
    out = (size - 3) // 2 + 1
    x, y = [1, channels, size, size], [1, channels, out, out]
    op = f"pooling_nchw_{kind}"
    if layout == "nhwc":
        x, y = [1, size, size, channels], [1, out, out, channels]
        op = f"pooling_nhwc_{kind}"
    code = "\n  %k = tensor.empty() : tensor<3x3xf32>" + structured(
        op,
        [("x0", x), ("k", [3, 3])],
        y,
        "{strides = dense<2> : vector<2xi64>}",
        "-1.0e30" if kind == "max" else "0.0",
    )

    def torch(t):
        data = t.randn(1, channels, size, size)
        if layout == "nhwc":
            data = data.to(memory_format=t.channels_last)
        function = t.nn.functional.max_pool2d if kind == "max" else t.nn.functional.avg_pool2d
        return lambda: function(data, 3, 2)

    return Case(f"{name} {layout}", code, [x], y, 9 * out * out * channels, torch)


def linear(rows, inputs, outputs):
    x, y = [rows, inputs], [rows, outputs]
    code = structured("matmul", [("x0", x), ("w", [inputs, outputs])], y)

    def torch(t):
        data, w = t.randn(*x), t.randn(outputs, inputs)
        return lambda: t.nn.functional.linear(data, w)

    return Case(
        f"linear {rows}x{inputs}x{outputs}",
        code,
        [x],
        y,
        2 * rows * inputs * outputs,
        torch,
        [("w", [inputs, outputs])],
    )


def matmul(batch, rows, inner, columns, transposed=False):
    a, y = [batch, rows, inner], [batch, rows, columns]
    b = [batch, columns, inner] if transposed else [batch, inner, columns]
    if transposed:
        code = filled("init", y) + f"""
  %r = linalg.generic {{indexing_maps = [
      affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>,
      affine_map<(b, m, n, k) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}}
      ins(%x0, %x1 : {tensor(a)}, {tensor(b)}) outs(%init : {tensor(y)}) {{
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  }} -> {tensor(y)}"""
    else:
        code = structured("batch_matmul", [("x0", a), ("x1", b)], y)

    def torch(t):
        left, right = t.randn(*a), t.randn(*b)
        return lambda: t.matmul(left, right.transpose(1, 2) if transposed else right)

    name = f"matmul {batch}x{rows}x{inner}x{columns}" + (" B^T" if transposed else "")
    return Case(name, code, [a, b], y, 2 * batch * rows * inner * columns, torch)


def elementwise(name, body, torch, second=False, shape=(1, 64, 112, 112)):
    shape = list(shape)
    inputs = [shape] * (2 if second else 1)
    names = ", ".join(f"%x{i}" for i in range(len(inputs)))
    types = ", ".join(map(tensor, inputs))
    identity = "affine_map<(a, b, c, d) -> (a, b, c, d)>"
    arguments = ", ".join(f"%a{i}: f32" for i in range(len(inputs)))
    code = f"""
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %init = tensor.empty() : {tensor(shape)}
  %r = linalg.generic {{indexing_maps = [{", ".join([identity] * (len(inputs) + 1))}],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
      ins({names} : {types}) outs(%init : {tensor(shape)}) {{
  ^bb0({arguments}, %o: f32):
{body}
    linalg.yield %y : f32
  }} -> {tensor(shape)}"""

    def measured(t):
        data = [t.randn(*shape) for _ in inputs]
        return lambda: torch(t, *data)

    return Case(name, code, inputs, shape, math.prod(shape), measured)


def transposition(shape=(1, 64, 112, 112)):
    y = [shape[0], shape[2], shape[3], shape[1]]
    code = f"""
  %init = tensor.empty() : {tensor(y)}
  %r = linalg.transpose ins(%x0 : {tensor(shape)}) outs(%init : {tensor(y)})
    permutation = [0, 2, 3, 1]"""
    return Case(
        "nchw to nhwc",
        code,
        [list(shape)],
        y,
        math.prod(shape),
        lambda t: (lambda x: lambda: x.permute(0, 2, 3, 1).contiguous())(t.randn(*shape)),
    )


def softmax(rows, columns):
    shape = [1, rows, columns]
    code = f"""
  %init = tensor.empty() : {tensor(shape)}
  %r = linalg.softmax dimension(2) ins(%x0 : {tensor(shape)})
    outs(%init : {tensor(shape)}) -> {tensor(shape)}"""
    return Case(
        f"softmax {rows}x{columns}",
        code,
        [shape],
        shape,
        rows * columns,
        lambda t: (lambda x: lambda: x.softmax(-1))(t.randn(*shape)),
    )


SIGMOID = """    %n = arith.negf %a0 : f32
    %e = math.exp %n : f32
    %p = arith.addf %e, %one : f32
    %y = arith.divf %one, %p : f32"""

CASES = [
    *(
        case
        for layout in ("nchw", "nhwc")
        for case in (
            convolution("conv 3x3 stem stride 2", 3, 32, 225, 3, 2, layout),
            convolution("conv 3x3 64-64 56", 64, 64, 58, 3, 1, layout),
            convolution("conv 3x3 128-128 stride 2", 128, 128, 57, 3, 2, layout),
            convolution("conv 3x3 256-256 14", 256, 256, 16, 3, 1, layout),
            convolution("conv 3x3 512-512 7", 512, 512, 9, 3, 1, layout),
            convolution("conv 1x1 96-24 56", 96, 24, 56, 1, 1, layout),
            convolution("conv 1x1 64-256 56", 64, 256, 56, 1, 1, layout),
            convolution("conv 1x1 1024-256 14", 1024, 256, 14, 1, 1, layout),
            convolution("conv 1x1 512-2048 7", 512, 2048, 7, 1, 1, layout),
            convolution("conv 1x1 64-384 14", 64, 384, 14, 1, 1, layout),
            convolution("conv 1x1 320-1280 7", 320, 1280, 7, 1, 1, layout),
            depthwise("depthwise 3x3 144 56", 144, 58, 1, layout),
            depthwise("depthwise 3x3 96 112 stride 2", 96, 113, 2, layout),
            depthwise("depthwise 3x3 960 7", 960, 9, 1, layout),
            pool("max pool 64 112", "max", 64, 113, layout),
            pool("sum pool 64 112", "sum", 64, 113, layout),
        )
    ),
    linear(1, 1280, 1000),
    linear(32, 512, 512),
    matmul(1, 512, 512, 512),
    matmul(12, 128, 64, 128, transposed=True),
    elementwise("relu", "    %y = arith.maximumf %a0, %zero : f32", lambda t, x: x.relu()),
    elementwise("add", "    %y = arith.addf %a0, %a1 : f32", lambda t, x, y: x + y, True),
    elementwise("sigmoid", SIGMOID, lambda t, x: x.sigmoid()),
    elementwise("tanh", "    %y = math.tanh %a0 : f32", lambda t, x: x.tanh()),
    elementwise("erf", "    %y = math.erf %a0 : f32", lambda t, x: x.erf()),
    softmax(512, 512),
    transposition(),
]


def measure(program, case, folder, generator, options):
    """Seconds that one sample takes."""
    module = folder / "module.mlir"
    module.write_text(case.module(generator))
    output = subprocess.run(
        [program, module, *options], check=True, capture_output=True, text=True
    ).stdout
    return float(output.split("call ")[1]) / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="build/bin/float-throughput")
    parser.add_argument("--filter", default="", help="part of the names to measure")
    parser.add_argument(
        "--contract",
        action="store_const",
        const=["--contract"],
        default=[],
        help="don't round products before they are added",
    )
    arguments = parser.parse_args()
    try:
        import torch

        torch.set_num_threads(1)
        torch.set_grad_enabled(False)
    except ImportError:
        torch = None
        print("PyTorch isn't installed: no comparison")
    generator = np.random.default_rng(1)
    print(f"{'operator':34} {'us':>9} {'G/s':>7}  PyTorch us, and times its speed")
    slow = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            if arguments.filter not in case.name:
                continue
            seconds = measure(
                arguments.program, case, pathlib.Path(folder), generator, arguments.contract
            )
            row = f"{case.name:34} {seconds * 1e6:9.1f} {case.flops / seconds / 1e9:7.2f}"
            if torch:
                function = case.torch(torch)
                function()
                theirs = float("inf")
                begin = time.perf_counter()
                while time.perf_counter() - begin < 0.4:
                    start = time.perf_counter()
                    function()
                    theirs = min(theirs, time.perf_counter() - start)
                row += f"  {theirs * 1e6:9.1f} {theirs / seconds:6.2f}"
                slow += theirs * 3 < seconds
            print(row, flush=True)
    if torch:
        print(f"{slow} are below a third of PyTorch's speed")
    return 0


if __name__ == "__main__":
    sys.exit(main())

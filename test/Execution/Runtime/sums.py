#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums with what they begin with and what becomes of them, against NumPy.

Small integers as floats: their sums are exact in any order, so that each
element has to be equal. Sizes are such that tiles are whole and cut, sums are
done at once and in parts, and vectors lie along pixels, filters and rows.

usage: sums.py WORK
"""

import pathlib
import subprocess
import sys

import numpy as np

LAYOUTS = {
    # Op, and what makes an image or a weight of it from N C H W and F C H W.
    "nchw": ("conv_2d_nchw_fchw", (0, 1, 2, 3), (0, 1, 2, 3)),
    "nhwc": ("conv_2d_nhwc_hwcf", (0, 2, 3, 1), (2, 3, 1, 0)),
}


def tensor(shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def arrange(values, order):
    return np.ascontiguousarray(values.transpose(order))


class Network:
    """A padded convolution with a bias, then `finish`, padded again."""

    def __init__(self, layout, channels, filters, size, kernel, stride, finish, end):
        self.op, self.image, self.kernel = LAYOUTS[layout]
        self.finish, self.end, self.stride = finish, end, stride
        generator = np.random.default_rng([channels, filters, size, kernel])

        def draw(*shape):
            return generator.integers(-3, 4, shape).astype(np.float32)

        self.x = draw(2, channels, size, size)
        self.weight = draw(filters, channels, kernel, kernel)
        self.bias = draw(filters)
        self.pad = kernel // 2
        extent = (size + 2 * self.pad - kernel) // stride + 1
        self.residual = draw(2, filters, extent, extent)

    def expected(self):
        pad = [(0, 0), (0, 0), (self.pad,) * 2, (self.pad,) * 2]
        x = np.pad(self.x, pad)
        size, step = self.residual.shape[2], self.stride
        y = np.zeros(self.residual.shape) + self.bias[None, :, None, None]
        for i in range(self.weight.shape[2]):
            for j in range(self.weight.shape[3]):
                part = x[:, :, i : i + step * size : step, j : j + step * size : step]
                y += np.einsum("nchw,fc->nfhw", part, self.weight[:, :, i, j])
        finished = y
        if self.finish != "none":
            finished = y + self.residual if "add" in self.finish else y
            finished = np.maximum(finished, 0)
        if self.end == "padded":
            return [arrange(np.pad(finished, [(0, 0)] * 2 + [(1, 1)] * 2), self.image)]
        if self.end == "both":
            padded = np.pad(finished, [(0, 0)] * 2 + [(1, 1)] * 2)
            return [arrange(padded, self.image), arrange(finished, self.image)]
        if self.end == "read twice":
            return [arrange(finished, self.image), arrange(y, self.image)]
        return [arrange(finished, self.image)]

    def padded(self, name, source, shape, pad):
        """Code that pads rows and columns; name and shape of the result."""
        around = [pad if axis in (2, 3) else 0 for axis in self.image]
        result = [extent + 2 * amount for extent, amount in zip(shape, around)]
        return (
            f"""  %{name} = tensor.pad {source} low{around} high{around} {{
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  }} : {tensor(shape)} to {tensor(result)}""",
            result,
        )

    def code(self):
        x, w = arrange(self.x[:1], self.image), arrange(self.weight, self.kernel)
        y = list(arrange(self.residual[:1], self.image).shape)
        others = [axis for axis, kind in enumerate(self.image) if kind != 1]
        pad, padded = self.padded("p", "%x", list(x.shape), self.pad)
        identity = "affine_map<(a, b, c, d) -> (a, b, c, d)>"
        add = "add" in self.finish
        lines = [
            f"""func.func @main(%x: {tensor(x.shape)}, %r: {tensor(y)}) -> (RESULTS) {{
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<"0x{w.tobytes().hex()}"> : {tensor(w.shape)}
  %bias = arith.constant dense<{self.bias.tolist()}> : {tensor(self.bias.shape)}
{pad}
  %e = tensor.empty() : {tensor(y)}
  %b = linalg.broadcast ins(%bias : {tensor(self.bias.shape)}) outs(%e : {tensor(y)})
    dimensions = {others}
  %s = linalg.{self.op} {{strides = dense<{self.stride}> : vector<2xi64>}}
    ins(%p, %w : {tensor(padded)}, {tensor(w.shape)}) outs(%b : {tensor(y)}) -> {tensor(y)}"""
        ]
        if self.finish != "none":
            # "in place": what is added is where the result goes.
            place = "%s" if self.finish == "add in place" else "%e"
            lines.append(
                f"""  %y = linalg.generic {{indexing_maps = [{", ".join([identity] * (2 + add))}],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
      ins({"%s, %r" if add else "%s"} : {", ".join([tensor(y)] * (1 + add))})
      outs({place} : {tensor(y)}) {{
  ^bb0(%v: f32, {"%u: f32, " if add else ""}%o: f32):
    %t = arith.addf %v, {"%u" if add else "%zero"} : f32
    %m = arith.maximumf %t, %zero : f32
    linalg.yield %m : f32
  }} -> {tensor(y)}"""
            )
        results = [("%s" if self.finish == "none" else "%y", y)]
        if self.end in ("padded", "both"):
            pad, padded = self.padded("q", results[0][0], y, 1)
            lines.append(pad)
            results = [("%q", padded)] + (results if self.end == "both" else [])
        if self.end == "read twice":
            results.append(("%s", y))
        types = ", ".join(tensor(shape) for _, shape in results)
        names = ", ".join(name for name, _ in results)
        lines.append(f"  return {names} : {types}\n}}")
        return "\n".join(lines).replace("RESULTS", types)


NETWORKS = [
    Network(layout, *sizes, finish, end)
    for layout in LAYOUTS
    for sizes, finish, end in [
        ((3, 20, 9, 3, 2), "relu", "padded"),
        ((40, 48, 14, 1, 1), "add relu", "both"),
        # Sums in parts.
        ((700, 37, 7, 1, 1), "add relu", "padded"),
        ((640, 64, 8, 1, 1), "add in place", "plain"),
        ((128, 24, 6, 3, 1), "relu", "both"),
        ((1024, 16, 12, 1, 1), "none", "padded"),
        ((512, 33, 9, 1, 2), "relu", "read twice"),
        # For several threads.
        ((128, 72, 27, 3, 1), "add relu", "padded"),
        ((1024, 96, 10, 1, 1), "relu", "plain"),
    ]
]


# Loops whose names promise more than their maps hold: a sum of two loops of which
# one is called parallel, and a sum of nothing that is called a reduction.
NAMES = [
    ("6x9x50", "(a, b, c) -> (a)", "6", "parallel, parallel, reduction", (1, 2)),
    ("40x50", "(a, b) -> (a, b)", "40x50", "parallel, reduction", ()),
]


def run_names(work):
    """How many of these differ."""
    failed = 0
    for number, (shape, out, result, kinds, axes) in enumerate(NAMES):
        module, data, results = (work / f"n{number}{end}" for end in (".mlir", ".npz", "-out.npz"))
        loops = out.split(" -> ")[0]
        kinds = ", ".join(f'"{kind}"' for kind in kinds.split(", "))
        module.write_text(f"""
func.func @main(%x: tensor<{shape}xf32>) -> tensor<{result}xf32> {{
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<{result}xf32>
  %f = linalg.fill ins(%two : f32) outs(%e : tensor<{result}xf32>) -> tensor<{result}xf32>
  %s = linalg.generic {{indexing_maps = [affine_map<{loops} -> {loops}>, affine_map<{out}>],
      iterator_types = [{kinds}]}}
      ins(%x : tensor<{shape}xf32>) outs(%f : tensor<{result}xf32>) {{
  ^bb0(%v: f32, %u: f32):
    %t = arith.addf %v, %u : f32
    linalg.yield %t : f32
  }} -> tensor<{result}xf32>
  return %s : tensor<{result}xf32>
}}""")
        extents = [int(extent) for extent in shape.split("x")]
        x = np.random.default_rng(number).integers(-3, 4, extents).astype(np.float32)
        np.savez(data, arg0=x)
        subprocess.run(["qbackend-run", module, f"--input={data}", "-o", results], check=True)
        found = np.load(results)
        if (found[found.files[0]] != x.sum(axis=axes) + 2).any():
            print(f"{module}: differs")
            failed += 1
    return failed


def main():
    work = pathlib.Path(sys.argv[1])
    work.mkdir(exist_ok=True)
    failed, elements = run_names(work), 0
    for number, network in enumerate(NETWORKS):
        module, data, out = (work / f"{number}{end}" for end in (".mlir", ".npz", "-out.npz"))
        module.write_text(network.code())
        np.savez(
            data,
            arg0=arrange(network.x, network.image),
            arg1=arrange(network.residual, network.image),
        )
        # More threads than samples: they share the large layers.
        subprocess.run(
            ["qbackend-run", module, f"--input={data}", "-o", out, "--num-threads=3"], check=True
        )
        found = np.load(out)
        for name, expected in zip(found.files, network.expected()):
            wrong = np.count_nonzero(found[name] != expected)
            elements += expected.size
            if wrong or found[name].shape != expected.shape:
                print(f"{module}: {wrong} of {expected.size} elements of {name} differ")
                failed += 1
        assert len(found.files) == len(network.expected())
    print(f"{len(NETWORKS)} networks, {elements} elements, {failed} results differ")
    sys.exit(bool(failed))


main()

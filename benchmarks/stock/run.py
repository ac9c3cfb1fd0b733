#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times two linalg forms of a network, compiled by a stock pipeline and run by turns.

    run.py --bin DIR --llvm DIR [--rounds N] [NETWORK...]

The pipeline is mlir-opt's: contractions get their names; a named one is tiled to some
pixels of a vector of channels, whose sums stay in registers while the loops over what is
added up run, one product of a number and a vector for each pixel, unrolled. It is
generalized, freed of dimensions of 1 and vectorized; what has no name becomes loops,
which LLVM vectorizes. docs/Pipeline.md has it step by step. The forms are
--convert-qnnpack-to-linalg's, and that with unsigned-bytes, whose contractions stay
as they are: named, they would be wrong. mlir-runner runs both by turns in one program,
which prints the seconds of each; results are equal. Networks are those of examples.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "test/Integration"), str(ROOT / "test")]
from linalg_to_llvm import BUFFERIZE, LOOPS, TO_LLVM  # noqa: E402
from tools import run  # noqa: E402

ANY = "!transform.any_op"
NAMED = {"linalg.conv_2d_nhwc_hwcf": "filter", "linalg.matmul": "matmul",
         "linalg.depthwise_conv_2d_nhwc_hwc": "depthwise",
         "linalg.pooling_nhwc_max": "pool", "linalg.pooling_nhwc_sum": "pool"}


def divisor(size, most):
    return max(n for n in range(1, most + 1) if size % n == 0)


def lanes_of(size, most):
    """The largest power of two that divides `size`: other vectors are taken apart by
    LLVM where a loop carries them."""
    return min(size & -size, most)


def split_loops(kind, text):
    """Of the loops of an op, from its operands' shapes: the sizes of the tile whose sums
    are kept, those of the steps within it, their order, and how many pixels the last of
    them has. None for loops over rows of channels, which LLVM vectorizes."""
    if kind == "pool":
        return None
    shapes = [[int(n) for n in re.findall(r"\d+(?=x)", t)]
              for t in re.findall(r"tensor<(.*?)>", text[text.index("ins("):])]
    out = shapes[2]
    if kind == "matmul":
        rows = divisor(out[0], 8)
        return [rows, lanes_of(out[1], 64), 0], [1, 0, 1], [2, 0, 1], rows
    lanes, width = lanes_of(out[3], 32), divisor(out[2], 8)
    if kind == "depthwise":
        return ([1, 1, width, lanes, 0, 0], [0, 0, 1, 0, 1, 1], [4, 5, 2, 0, 1, 3],
                width)
    return ([1, 1, width, lanes, 0, 0, 0], [0, 0, 1, 0, 1, 1, 1],
            [4, 5, 6, 2, 0, 1, 3], width)


def tile(handle, result, loops, sizes, order=None):
    """A line that tiles `handle`; one loop for each size that isn't 0."""
    count = sum(size != 0 for size in sizes)
    interchange = f" interchange = {order}" if order else ""
    return (f"{result}, {loops}:{count} = transform.structured.tile_using_for {handle} "
            f"tile_sizes {sizes}{interchange} : ({ANY}) -> "
            f"({', '.join([ANY] * (count + 1))})")


def write_steps(text, path):
    """Two named sequences for the ops of the specialized module `text`."""
    lines = ["module attributes {transform.with_named_sequence} {",
             f"transform.named_sequence @tile(%module: {ANY}) {{"]
    for number, (name, kind) in enumerate(NAMED.items()):
        ops = [line for line in text.splitlines() if f"{name} " in line]
        if not ops:
            continue
        handles = [f"%op{number}_{i}" for i in range(len(ops))]
        lines.append(f'%all{number} = transform.structured.match ops{{["{name}"]}} in '
                     f"%module : ({ANY}) -> {ANY}")
        if len(ops) > 1:
            lines.append(f"{', '.join(handles)} = transform.split_handle %all{number} : "
                         f"({ANY}) -> ({', '.join([ANY] * len(ops))})")
        else:
            handles = [f"%all{number}"]
        for i, (handle, op) in enumerate(zip(handles, ops)):
            name, found = f"{number}_{i}", split_loops(kind, op)
            if not found:
                lines += [f"%g{name} = transform.structured.generalize {handle} : "
                          f"({ANY}) -> {ANY}", f"%r{name} = transform.structured."
                          f"interchange %g{name} iterator_interchange = "
                          f"[0, 1, 2, 4, 5, 3] : ({ANY}) -> {ANY}"]
                continue
            outer, inner, order, pixels = found
            lines += [tile(handle, f"%t{name}", f"%l{name}", outer),
                      tile(f"%t{name}", f"%u{name}", f"%m{name}", inner, order)]
            if pixels > 1:
                last = sum(size != 0 for size in inner) - 1
                lines.append(f"transform.loop.unroll %m{name}#{last} "
                             f"{{factor = {pixels}}} : {ANY}")
    lines += ["transform.yield", "}",
              f"transform.named_sequence @vectorize(%module: {ANY}) {{"]
    lines.append(f"""
  %ops = transform.structured.match ops{{["linalg.generic"]}} attributes {{iterator_types = [#linalg.iterator_type<parallel>]}} in %module : ({ANY}) -> {ANY}
  transform.foreach %ops : {ANY} {{
  ^bb0(%each: {ANY}):
    transform.sequence %each : {ANY} failures(suppress) {{
    ^bb1(%op: {ANY}):
      transform.structured.vectorize %op : {ANY}
    }}
  }}
  %functions = transform.structured.match ops{{["func.func"]}} in %module : ({ANY}) -> {ANY}
  transform.apply_patterns to %functions {{
    transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
    transform.apply_patterns.vector.cast_away_vector_leading_one_dim
    transform.apply_patterns.vector.transfer_permutation_patterns
    transform.apply_patterns.canonicalization
  }} : {ANY}
  transform.yield
}}
}}""")
    path.write_text("\n".join(lines) + "\n")


def lower(args, module, work, named):
    """`module` on tensors, after the pipeline's first half."""
    opt = args.llvm / "mlir-opt"
    text = run(opt, module, *(["--linalg-specialize-generic-ops"] if named else []))
    steps = work / "steps.mlir"
    write_steps(text, steps)
    preload = f"--transform-preload-library=transform-library-paths={steps}"
    text = run(opt, preload, "--transform-interpreter=entry-point=tile",
               "--linalg-generalize-named-ops",
               "--linalg-fold-unit-extent-dims=use-rank-reducing-slices",
               "--canonicalize", "--cse", text=text)
    return run(opt, preload, "--transform-interpreter=entry-point=vectorize",
               "--canonicalize", "--cse", "--loop-invariant-code-motion",
               "--loop-invariant-subset-hoisting", "--canonicalize",
               "--mlir-print-local-scope", text=text)


def measure(args, name, work):
    data = ROOT / "examples/data" / ("mnist_digits.npz" if name == "lenet5" else
                                     "fashion_mnist.npz")
    source, kernels = work / "in.mlir", work / "kernels.mlir"
    run(sys.executable, ROOT / "examples/export.py",
        ROOT / f"examples/networks/{name}.npz", name, "--spelling", "linalg", "-o",
        source)
    opt = f"{args.bin}/qbackend-opt"
    run(opt, "--apply-backend=qnnpack", "lower-to=qnnpack", f"data={data}:calib_images",
        "samples=20", "input-scale=1/255", source, "-o", kernels)
    functions = []
    for form, option in ("signed", ""), ("unsigned", "unsigned-bytes"):
        module = work / f"{form}.mlir"
        run(opt, "--convert-qbackend-to-qnnpack", f"--convert-qnnpack-to-linalg={option}",
            "--qbackend-strip-configuration", kernels, "-o", module)
        text = lower(args, module, work, form == "signed")
        functions.append(text[text.index("func.func"):text.rindex("}")]
                         .replace("@main(", f"@{form}("))
    image = np.load(data)["test_images"][:1].astype(np.float32) / 255
    kind = f"tensor<{'x'.join(map(str, image.shape))}xf32>"
    main = f"""
func.func private @rtclock() -> f64
func.func private @printF64(f64)
func.func private @printNewline()
func.func @main() {{
  %x = arith.constant dense<"0x{image.tobytes().hex().upper()}"> : {kind}
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %n = arith.constant {args.rounds} : index
  scf.for %i = %0 to %n step %1 {{
    %a = func.call @rtclock() : () -> f64
    %u = func.call @unsigned(%x) : ({kind}) -> tensor<1x10xf32>
    %b = func.call @rtclock() : () -> f64
    %s = func.call @signed(%x) : ({kind}) -> tensor<1x10xf32>
    %c = func.call @rtclock() : () -> f64
    %d = arith.subf %u, %s : tensor<1x10xf32>
    %m = math.absf %d : tensor<1x10xf32>
    %z = arith.constant dense<0.0> : tensor<f32>
    %e = linalg.reduce ins(%m : tensor<1x10xf32>) outs(%z : tensor<f32>) dimensions = [0, 1]
      (%p: f32, %q: f32) {{
        %r = arith.addf %p, %q : f32
        linalg.yield %r : f32
      }}
    %f = tensor.extract %e[] : tensor<f32>
    %g = arith.extf %f : f32 to f64
    %t = arith.subf %b, %a : f64
    %v = arith.subf %c, %b : f64
    func.call @printF64(%t) : (f64) -> ()
    func.call @printNewline() : () -> ()
    func.call @printF64(%v) : (f64) -> ()
    func.call @printNewline() : () -> ()
    func.call @printF64(%g) : (f64) -> ()
    func.call @printNewline() : () -> ()
  }}
  return
}}
"""
    text = run(args.llvm / "mlir-opt", *BUFFERIZE, "--canonicalize",
               "--lower-vector-multi-reduction", *LOOPS, *TO_LLVM,
               "--convert-ub-to-llvm", "--reconcile-unrealized-casts",
               text="module {\n" + "\n".join(functions) + main + "}\n")
    library = args.llvm.parent / "lib"
    printed = subprocess.run(
        [args.llvm / "mlir-runner", "-e", "main", "--entry-point-result=void", "-O3",
         f"--shared-libs={library / 'libmlir_runner_utils.so'},"
         f"{library / 'libmlir_c_runner_utils.so'}"],
        input=text, capture_output=True, text=True, check=True).stdout
    rows = np.array(printed.split(), float).reshape(-1, 3)
    if rows[:, 2].any():
        sys.exit(f"{name}: the forms give other results")
    rows = rows[len(rows) // 10:]
    print(f"| {name} | {rows[:, 0].min() * 1e3:.3f} | {rows[:, 1].min() * 1e3:.3f} | "
          f"{np.median(rows[:, 0] / rows[:, 1]):.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("networks", nargs="*", default=["lenet5", "resnet8", "mbv2tiny"])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--llvm", required=True, type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=200)
    args = parser.parse_args()
    print("| network | unsigned bytes, ms | signed bytes, ms | ratio |\n|---|---|---|---|")
    for name in args.networks:
        with tempfile.TemporaryDirectory() as work:
            measure(args, name, pathlib.Path(work))


if __name__ == "__main__":
    main()

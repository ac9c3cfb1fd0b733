#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What networks of unusual forms cost: processor seconds and memory by size.

    scale.py [--bin build/bin] [--sizes 1000,10000] [--kinds NAME,...]
             [--lower-to linalg] [--samples] [--timeout SECONDS] [--svg FILE]
    scale.py --weights 64,256,1024 [--layers N] [--ranges] [--most TIMES]

Forms are chains, one value that all read, a concatenation of all, as many results,
arguments, constants and slices, code that is no operator, branches, calls in calls, a loop
whose body is long, and one whose values are read twice each, so that it is
exponential as a tree. Parameters are written into the text, nothing is run; with
--samples the network is compiled, and run on one. --svg draws the seconds by size; a line of slope 1 is linear.
With --weights, linear layers with so many megabytes of weights in all are read from
bytecode, calibrated on two samples, or with --ranges from those of the argument,
quantized and written as bytecode; the seconds of the processor are those of user and
system. The exit code is 1 if a network fails, if fewer operators are recognised than it
has, or if more than --most times its weights are in memory.
"""

import argparse
import math
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

import numpy as np

T = "tensor<1x4xf32>"
RANGED = f"{T} {{qbackend.range = array<f64: -1.0, 1.0>}}"
OPS = ["tosa.tanh", "tosa.sigmoid"]
LOOP = "indexing_maps = [#id, #id], iterator_types = [\"parallel\", \"parallel\"]"


def wrap(lines, result, kind=T, before=()):
    return "\n".join([
        "#id = affine_map<(a, b) -> (a, b)>", *before,
        f"func.func @main(%x: {RANGED}) -> {kind} {{",
        f"  %e = tensor.empty() : {T}", "  %c = arith.constant 0.5 : f32", *lines,
        f"  return {result} : {kind}", "}", ""])


def unary(result, value, i):
    return f"  {result} = {OPS[i % 2]} {value} : ({T}) -> {T}"


def chain(n):
    """tanh and sigmoid in turns."""
    return wrap([unary(f"%v{i}", f"%v{i - 1}" if i else "%x", i) for i in range(n)],
                f"%v{n - 1}"), n


def wide(n):
    """n readers of the argument, added up in a chain."""
    half = n // 2
    lines = [unary(f"%v{i}", "%x", i) for i in range(half)]
    lines += [f"  %s{i} = tosa.add {f'%s{i - 1}' if i > 1 else '%v0'}, %v{i} : "
              f"({T}, {T}) -> {T}" for i in range(1, half)]
    return wrap(lines, f"%s{half - 1}"), 2 * half - 1


def cat(n):
    """One concatenation of n values."""
    kind = f"tensor<1x{4 * n}xf32>"
    lines = [unary(f"%v{i}", "%x", i) for i in range(n)]
    lines.append(f"  %c1 = tosa.concat {', '.join(f'%v{i}' for i in range(n))} "
                 f"{{axis = 1 : i32}} : ({', '.join([T] * n)}) -> {kind}")
    return wrap(lines, "%c1", kind), n + 1


def results(n):
    """n readers of the argument, each a result."""
    kinds = ", ".join([T] * n)
    lines = [unary(f"%v{i}", "%x", i) for i in range(n)]
    text = wrap(lines, ", ".join(f"%v{i}" for i in range(n)), kinds)
    return text.replace(f"-> {kinds} {{\n", f"-> ({kinds}) {{\n"), n


def arguments(n):
    """n / 2 arguments, each with an operator of its own, added up in a chain."""
    half = n // 2
    lines = [unary(f"%v{i}", f"%x{i}" if i else "%x", i) for i in range(half)]
    lines += [f"  %s{i} = tosa.add {f'%s{i - 1}' if i > 1 else '%v0'}, %v{i} : "
              f"({T}, {T}) -> {T}" for i in range(1, half)]
    more = "".join(f", %x{i}: {RANGED}" for i in range(1, half))
    text = wrap(lines, f"%s{half - 1}")
    return text.replace(f"%x: {RANGED}", f"%x: {RANGED}{more}"), 2 * half - 1


def constants(n):
    """A chain of sums with a constant each, none of which is lost in rounding."""
    lines = []
    for i in range(n):
        sign = "-" if i % 2 else ""
        lines += [f"  %k{i} = arith.constant dense<[[{sign}0.{i + 1:06}, {sign}0.5, "
                  f"{sign}1.0, {sign}2.0]]> : {T}",
                  f"  %v{i} = tosa.add {f'%v{i - 1}' if i else '%x'}, %k{i} : "
                  f"({T}, {T}) -> {T}"]
    return wrap(lines, f"%v{n - 1}"), n


def slices(n):
    """The argument in n pieces, and those put together."""
    kind = f"tensor<1x{4 * n}xf32>"
    lines = []
    for i in range(n):
        lines += [f"  %s{i} = tensor.extract_slice %x[0, {4 * i}] [1, 4] [1, 1] : "
                  f"{kind} to {T}", unary(f"%v{i}", f"%s{i}", i)]
    lines.append(f"  %c1 = tensor.concat dim(1) {', '.join(f'%v{i}' for i in range(n))} "
                 f": ({', '.join([T] * n)}) -> {kind}")
    text = wrap(lines, "%c1", kind)
    return text.replace(f"%x: {T}", f"%x: {kind}"), n


def loops(n):
    """A chain of loops, with the arithmetic of scalars."""
    lines = [f"  %v{i} = linalg.generic {{{LOOP}}} ins({f'%v{i - 1}' if i else '%x'} : "
             f"{T}) outs(%e : {T}) {{\n  ^bb0(%a: f32, %o: f32):\n    %r = arith."
             f"{['mulf', 'addf'][i % 2]} %a, %c : f32\n    linalg.yield %r : f32\n"
             f"  }} -> {T}" for i in range(n)]
    return wrap(lines, f"%v{n - 1}"), n


def unknown(n):
    """Code that is no operator."""
    lines = [f"  %v{i} = tosa.{['sin', 'abs', 'ceil', 'floor'][i % 4]} "
             f"{f'%v{i - 1}' if i else '%x'} : ({T}) -> {T}" for i in range(n)]
    return wrap(lines, f"%v{n - 1}"), 0


def ifs(n):
    """A chain of branches, each with an operator on either side."""
    lines = ["  %z = arith.constant 0 : index",
             "  %first = tensor.extract %x[%z, %z] : " + T,
             "  %k = arith.cmpf ogt, %first, %c : f32"]
    n = max(n // 2, 1)
    for i in range(n):
        value = f"%v{i - 1}" if i else "%x"
        lines += [f"  %v{i} = scf.if %k -> {T} {{",
                  unary("  %t", value, 0), f"    scf.yield %t : {T}", "  } else {",
                  unary("  %t", value, 1), f"    scf.yield %t : {T}", "  }"]
    return wrap(lines, f"%v{n - 1}"), 2 * n


def calls(n):
    """Functions that call the next one, each with one op."""
    before = []
    for i in range(n):
        rest = (f"  %1 = call @f{i + 1}(%0) : ({T}) -> {T}\n  return %1 : {T}"
                if i + 1 < n else f"  return %0 : {T}")
        before.append(f"func.func private @f{i}(%x: {T}) -> {T} {{\n"
                      f"{unary('%0', '%x', i)}\n{rest}\n}}")
    return wrap([f"  %v = call @f0(%x) : ({T}) -> {T}"], "%v", before=before), n


def in_loop(body, value):
    return wrap([unary("%u", "%x", 0),
                 f"  %v = linalg.generic {{{LOOP}}} ins(%u : {T}) outs(%e : {T}) {{",
                 "  ^bb0(%a: f32, %o: f32):", *body, f"    linalg.yield {value} : f32",
                 f"  }} -> {T}", f"  %w = tosa.ceil %v : ({T}) -> {T}"], "%w")


def body(n):
    """One loop with n ops."""
    lines = [f"    %r{i} = arith.{['mulf', 'addf', 'subf'][i % 3]} "
             f"{f'%r{i - 1}' if i else '%a'}, %c : f32" for i in range(n)]
    return in_loop(lines, f"%r{n - 1}"), 1


def shared(n):
    """One loop whose values are read twice each."""
    lines = []
    for i in range(n // 2):
        value = f"%r{i - 1}" if i else "%a"
        lines += [f"    %p{i} = arith.addf {value}, %c : f32",
                  f"    %r{i} = arith.mulf {value}, %p{i} : f32"]
    return in_loop(lines, f"%r{n // 2 - 1}"), 1


def numbers(n):
    """The same of a constant."""
    text, count = shared(n)
    return text.replace("= arith.addf %a,", "= arith.addf %c,").replace(
        "= arith.mulf %a,", "= arith.mulf %c,").replace(
        "    linalg.yield", "    %z = arith.addf %a, %c : f32\n    linalg.yield"), count


KINDS = {f.__name__: f for f in (chain, wide, cat, results, arguments, constants, slices,
                                 loops, unknown, ifs, calls, body, shared, numbers)}


def write_weights(arguments, megabytes, work):
    """Writes in.mlirbc and samples.npz; returns the operators."""
    n = int((megabytes * 2 ** 18 / arguments.layers) ** 0.5)
    kind, rng = f"tensor<1x{n}xf32>", np.random.default_rng(0)
    lines = [f"func.func @main(%x: {kind} {{qbackend.range = array<f64: -1.0, 1.0>}}) "
             f"-> {kind} {{"] if arguments.ranges else [
                 f"func.func @main(%x: {kind}) -> {kind} {{"]
    value = "%x"
    for i in range(arguments.layers):
        weight = f"%w{i}" if i % 2 else f"%t{i}"
        lines += [
            f"%w{i} = arith.constant dense_resource<w{i}> : tensor<{n}x{n}xf32>",
            # As torch.export has it.
            *([f"%o{i} = tensor.empty() : tensor<{n}x{n}xf32>",
               f"%t{i} = linalg.transpose ins(%w{i} : tensor<{n}x{n}xf32>) "
               f"outs(%o{i} : tensor<{n}x{n}xf32>) permutation = [1, 0]"]
              if i % 2 == 0 else []),
            f"%z{i} = arith.constant 0.0 : f32", f"%e{i} = tensor.empty() : {kind}",
            f"%f{i} = linalg.fill ins(%z{i} : f32) outs(%e{i} : {kind}) -> {kind}",
            f"%r{i} = linalg.matmul ins({value}, {weight} : {kind}, tensor<{n}x{n}xf32>) "
            f"outs(%f{i} : {kind}) -> {kind}"]
        value = f"%r{i}"
    text = work / "in.mlir"
    with text.open("w") as file:
        file.write("\n".join([*lines, f"return {value} : {kind}", "}",
                              "{-# dialect_resources: { builtin: {"]))
        for i in range(arguments.layers):
            file.write(f'{"," if i else ""}w{i}: "0x04000000')
            for row in range(0, n, 64):
                numbers = rng.integers(-1000, 1000, size=(min(64, n - row), n))
                file.write((numbers / n).astype("<f4").tobytes().hex())
            file.write('"')
        file.write("}}#-}\n")
    np.savez(work / "samples.npz", x=rng.normal(size=(2, n)).astype("f4"))
    subprocess.run([arguments.bin / "qbackend-opt", "--emit-bytecode", text, "-o",
                    work / "in.mlirbc"], check=True)
    text.unlink()
    return arguments.layers


def measure(arguments, kind, size, work):
    """Seconds, megabytes, and what is wrong."""
    if kind == "weights":
        operators = write_weights(arguments, size, work)
        files = ["calibration=ranges" if arguments.ranges else
                 f"data={work / 'samples.npz'}", "--emit-bytecode", work / "in.mlirbc"]
    else:
        text, operators = KINDS[kind](size)
        (work / "in.mlir").write_text(text)
        files = [f"lower-to={arguments.lower_to}",
                 "samples=1" if arguments.samples else "calibration=ranges",
                 work / "in.mlir"]
    limit = int(arguments.timeout)
    process = subprocess.Popen(
        [arguments.bin / "qbackend-opt", "--apply-backend=qnnpack", *files, "-o",
         work / "out.mlir"], stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wrong = ""
    if process.returncode:
        errors = re.findall(r".*error:.*", said)
        wrong = (errors or [f"exit code {process.returncode}"])[0][:300]
    else:
        found = re.search(r"QB000: quantized \d+ of (\d+)", said)
        if (int(found[1]) if found else 0) < operators:
            wrong = f"{found and found[1]} operators of {operators}"
    if arguments.most and usage.ru_maxrss > arguments.most * size * 1024:
        wrong = wrong or f"{usage.ru_maxrss / 1024:.0f} MB in memory"
    seconds = usage.ru_utime + (usage.ru_stime if kind == "weights" else 0)
    return seconds, usage.ru_maxrss / 1024, wrong


COLOURS = ["#1b6ca8", "#c8553d", "#3d8b37", "#8e5ea2", "#b8860b", "#444444", "#00897b",
           "#d81b60", "#5c6bc0", "#795548", "#9e9d24", "#ef6c00", "#26418f"]


def draw(rows, sizes):
    """An SVG picture, both axes logarithmic: `rows` are (form, seconds by size)."""
    width, height, left, top = 560, 340, 60, 20
    most = max(value for _, values in rows for value in values)
    low, high = -2, max(1, math.ceil(math.log10(most)))
    first, last = math.log10(sizes[0]), math.log10(sizes[-1])

    def x(size):
        return left + (math.log10(size) - first) / (last - first or 1) * (width - left - 130)

    def y(seconds):
        part = (math.log10(max(seconds, 10 ** low)) - low) / (high - low)
        return top + (1 - part) * (height - top - 50)

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
             f'height="{height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="white"/>']
    for power in range(low, high + 1):
        at = y(10 ** power)
        lines.append(f'<path d="M{left} {at:.1f}H{width - 130}" stroke="#dddddd"/>'
                     f'<text x="{left - 8}" y="{at + 4:.1f}" text-anchor="end">'
                     f'{10 ** power:g} s</text>')
    for size in sizes:
        lines.append(f'<text x="{x(size):.1f}" y="{height - 32}" text-anchor="middle">'
                     f'{size:,}</text>')
    lines.append(f'<text x="{(left + width - 130) / 2}" y="{height - 10}" '
                 'text-anchor="middle">operators, or ops of one loop</text>')
    # Names don't cover each other.
    names = sorted(enumerate(rows), key=lambda row: y(row[1][1][-1]))
    below = top
    for i, (form, values) in names:
        colour = COLOURS[i % len(COLOURS)]
        points = " ".join(f"{x(size):.1f},{y(value):.1f}"
                          for size, value in zip(sizes, values))
        below = max(below + 14, y(values[-1]) + 4)
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" '
                     f'stroke-width="2"/><text x="{width - 124}" y="{below:.1f}" '
                     f'fill="{colour}">{form}</text>')
    return "\n".join(lines + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default="build/bin", type=pathlib.Path)
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--samples", action="store_true")
    parser.add_argument("--kinds")
    parser.add_argument("--lower-to", default="linalg")
    parser.add_argument("--timeout", type=float, default=600,
                        help="seconds of the processor for each network")
    parser.add_argument("--svg", type=pathlib.Path)
    parser.add_argument("--weights", help="megabytes, with commas")
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--ranges", action="store_true",
                        help="with --weights: calibrate without samples")
    parser.add_argument("--most", type=float,
                        help="with --weights: times that these may be in memory")
    arguments = parser.parse_args()
    # What a branch gives has no range but one that was seen.
    arguments.kinds = arguments.kinds or ",".join(
        kind for kind in KINDS if kind != "ifs" or arguments.samples)
    if arguments.weights:
        arguments.kinds, arguments.sizes = "weights", arguments.weights
    rows = []
    sizes = [int(size) for size in arguments.sizes.split(",")]
    bad = 0
    print(f"{'form':10}" + "".join(f"{size:>12}" for size in sizes) + "   MB")
    with tempfile.TemporaryDirectory() as work:
        for kind in arguments.kinds.split(","):
            row, wrongs, memory = "", [], 0
            rows.append((kind, []))
            for size in sizes:
                seconds, memory, wrong = measure(arguments, kind, size,
                                                 pathlib.Path(work))
                row += f"{seconds:12.2f}"
                rows[-1][1].append(seconds)
                if wrong:
                    wrongs.append(f"{kind} of {size}: {wrong}")
            print(f"{kind:10}{row}{memory:5.0f}", flush=True)
            for wrong in wrongs:
                bad += 1
                print(f"  {wrong}", flush=True)
    if arguments.svg:
        arguments.svg.write_text(draw(rows, sizes))
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())

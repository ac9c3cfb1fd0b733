#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All inputs of kernels, on each path of code, against the formulas in NumPy.

    exhaustive.py --bin DIR [--sets N] [--halves N] [--multipliers N]
                  [--paths PATH,...]

Paths are linalg, tosa, and the targets of generated kernels that this machine has.

- Requantization: a layer of 1x1 whose sums are all 65,536 low halves for each of
  --halves high halves, spread over 32 bits, with --multipliers multipliers of all
  sizes, unsigned and signed. 65536 halves are all 2^32 accumulators.
- add and mul: all 65,536 pairs for --sets sets of parameters, half of them with
  many ties, unsigned and signed.
- Unary kernels: all 256 inputs for all 256 zero points, as in linalg, which
  ConversionTests compares with lib/Numerics; relu and requantize with NumPy.

Prints a table: elements, how many differ, and by how much. The exit code is 1 if an
element differs that docs/Numerics.md doesn't let.
"""

import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from kernels import TARGETS, Tensor, addition, requantize, wrap

f32 = np.float32
UNARY = ["relu", "requantize", "sigmoid", "tanh", "hardsigmoid", "hardswish",
         "leaky_relu {negative_slope = 0.125 : f32}", "elu {alpha = 0.75 : f32}"]
# Where TOSA rounds otherwise: products, near ties, by one.
ROUNDS_OTHERWISE = {("tosa", "requantize sums"), ("tosa", "mul")}


class Paths:
    """Compiles and runs one module on each path."""

    def __init__(self, binaries, work, names):
        self.bin, self.work = binaries, work
        self.names = names or ["linalg", "tosa", *TARGETS]
        self.missing = set()

    def run(self, text, arrays):
        """Yields each path's name and its results, in their order."""
        module = self.work / "in.mlir"
        module.write_text(text)
        data = self.work / "in.npz"
        np.savez(data, **arrays)
        for path in self.names:
            if path in self.missing:
                continue
            source, options = module, []
            if path in ("linalg", "tosa"):
                source = self.work / f"{path}.mlir"
                subprocess.run([self.bin / "qbackend-opt", module, "-o", source,
                                f"--convert-qnnpack-to-{path}"], check=True)
            else:
                options = [f"--target={path}"]
            output = self.work / "out.npz"
            done = subprocess.run(
                [self.bin / "qbackend-run", source, f"--input={data}", "-o", output,
                 *options], capture_output=True, text=True)
            if done.returncode and f"target '{path}' needs" in done.stderr:
                self.missing.add(path)
                continue
            if done.returncode:
                sys.exit(f"{path}: {done.stderr[:2000]}")
            with np.load(output) as found:
                yield path, [found[f"output{i}"] for i in range(len(found.files))]


class Counts:
    def __init__(self):
        self.table = collections.defaultdict(lambda: [0, 0, 0])

    def add(self, path, what, found, expected):
        """Both are bytes; their sign is that of `expected`."""
        found = found.view(expected.dtype).reshape(expected.shape)
        row = self.table[what, path]
        row[0] += expected.size
        if not np.array_equal(found, expected):
            off = np.abs(found.astype(np.int16) - expected.astype(np.int16))
            row[1] += int(np.count_nonzero(off))
            row[2] = max(row[2], int(off.max()))

    def print(self):
        wrong = False
        print(f"{'what':20} {'path':12} {'elements':>14} {'differ':>9}  by")
        for (what, path), (elements, differ, by) in sorted(self.table.items()):
            print(f"{what:20} {path:12} {elements:14} {differ:9}  {by}")
            if (path, what) in ROUNDS_OTHERWISE:
                wrong |= by > 1 or differ > elements / 4
            else:
                wrong |= differ > 0
        return wrong


def draw_scale(random):
    """Half of them in simple ratios, which makes ties."""
    if random.integers(2):
        return float(random.choice([0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0]))
    return float(f32(np.exp(random.uniform(-4, 1))))


def draw_zero(random, signed):
    lo, hi = (-128, 127) if signed else (0, 255)
    return int(random.choice([lo, hi, lo + 128, random.integers(lo, hi + 1)]))


def module(arguments, lines, results):
    """A function on bytes; `arguments` by name, results as (value, type)."""
    head = ", ".join(f'%{name}: tensor<{shape}xi8> loc("{name}")'
                     for name, shape in arguments.items())
    casts, values, types = [], [], []
    for i, (value, kind) in enumerate(results):
        stored = kind[:kind.rindex("x!")] + "xi8>"
        casts.append(f"  %r{i} = quant.scast {value} : {kind} to {stored}")
        values.append(f"%r{i}")
        types.append(stored)
    return "\n".join([f"func.func @main({head}) -> ({', '.join(types)}) {{", *lines,
                      *casts, f"  return {', '.join(values)} : {', '.join(types)}",
                      "}", ""])


def result_bytes(values, signed):
    return values.astype(np.int8 if signed else np.uint8)


def check_sums(paths, counts, halves, multipliers, random):
    """Sums of a layer: bias + low byte + 256 * high byte, of four taps."""
    low, high = np.meshgrid(np.arange(256), np.arange(256))
    taps = np.stack([low, high, high, high], -1)[None]
    # Products of 2^31 and more, ties, the smallest, and what networks have.
    fixed = [0.5, 0.25, 0.1, 2.0**-10, 1.0, 1.5, 0.75, 2.0**-24, 2.0**-31, 255.0,
             3.0, 0.001, 1 / 3, 2.0**-7, 2.0**-23, 1 - 2.0**-24]
    scales = fixed[:multipliers] + [
        float(f32(np.exp(random.uniform(-16, -2))))
        for _ in range(multipliers - len(fixed))]
    chosen = (np.arange(halves, dtype=np.int64) * 65536 // halves
              + random.integers(max(65536 // halves, 1))) % 65536
    pairs = [(half, scale) for half in chosen for scale in scales]
    for signed in (False, True):
        zero = -128 if signed else 0
        x = Tensor(taps + zero, 1.0, zero, signed)
        for begin in range(0, len(pairs), 256):
            part = pairs[begin:begin + 256]
            n = len(part)
            y = Tensor(np.zeros((1, 256, 256, n)), 1.0, draw_zero(random, signed),
                       signed)
            w = Tensor(np.tile([1, 127, 127, 2], (n, 1)).reshape(n, 1, 1, 4),
                       [scale for _, scale in part], [0] * n, True)
            bias = wrap(np.array([int(half) << 16 for half, _ in part]))
            raw = w.data.astype(np.int8).tobytes().hex()
            text = module({"x": "1x256x256x4"}, [
                f"  %q = quant.scast %x : tensor<1x256x256x4xi8> to {x.type}",
                f'  %c = arith.constant dense<"0x{raw}"> : tensor<{n}x1x1x4xi8>',
                f"  %w = quant.scast %c : tensor<{n}x1x1x4xi8> to {w.type}",
                f'  %b = arith.constant dense<"0x{bias.tobytes().hex()}"> : '
                f"tensor<{n}xi32>",
                "  %y = qnnpack.conv2d %q, %w, %b {stride = array<i64: 1, 1>, padding "
                "= array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : "
                f"i64}} : {x.type}, {w.type}, tensor<{n}xi32> -> {y.type}"],
                [("%y", y.type)])
            sums = wrap(bias.astype(np.int64) + (low + 256 * high)[None, ..., None])
            expected = result_bytes(requantize(sums, x, w, y, *y.limits), signed)
            # A product beyond 2^31 is the lowest integer here, and any in TOSA.
            product = np.abs(sums.astype(np.float64)) * np.array(w.scale)
            for path, found in paths.run(text, {"x": x.bytes}):
                result = found[0].view(expected.dtype).reshape(expected.shape)
                if path == "tosa":
                    result = np.where(product < 2**31, result, expected)
                counts.add(path, "requantize sums", result, expected)


def multiplication(a, b, y):
    acc = (a.data.astype(np.int64) - a.zero) * (b.data.astype(np.int64) - b.zero)
    weight = Tensor(None, b.scale, 0)
    return requantize(acc, Tensor(None, a.scale, 0), weight, y, *y.limits)


def in_limits(op, a, b, y):
    if op == "mul":
        m = a.scale * b.scale / y.scale
        return 2.0**-32 <= m < 256 and not (y.signed and y.zero == 127)
    ratios = a.scale / y.scale, b.scale / y.scale
    return 2.0**-10 <= min(ratios) and max(ratios) < 256


def check_pairs(paths, counts, sets, random):
    rows, columns = np.meshgrid(np.arange(256), np.arange(256), indexing="ij")
    for op, formula in (("add", lambda a, b, y: addition(a, b, y, *y.limits)),
                        ("mul", multiplication)):
        for begin in range(0, sets, 16):
            lines, results, wanted = [], [], []
            while len(results) < min(16, sets - begin):
                i, signed = len(results), bool(random.integers(2))
                low = -128 if signed else 0
                # The bytes count from the lowest integer.
                a, b, y = (Tensor(data + low, draw_scale(random),
                                  draw_zero(random, signed), signed)
                           for data in (rows, columns, rows))
                if not in_limits(op, a, b, y):
                    continue
                names = ("xs", "ys") if signed else ("xu", "yu")
                lines += [
                    f"  %a{i} = quant.scast %{names[0]} : tensor<256x256xi8> to {a.type}",
                    f"  %b{i} = quant.scast %{names[1]} : tensor<256x256xi8> to {b.type}",
                    f"  %y{i} = qnnpack.{op} %a{i}, %b{i} : {a.type}, {b.type} -> "
                    f"{y.type}"]
                results.append((f"%y{i}", y.type))
                wanted.append(result_bytes(formula(a, b, y), signed))
            text = module(dict.fromkeys(("xu", "yu", "xs", "ys"), "256x256"), lines,
                          results)
            arrays = {"xu": rows.astype(np.uint8), "yu": columns.astype(np.uint8),
                      "xs": (rows - 128).astype(np.int8),
                      "ys": (columns - 128).astype(np.int8)}
            for path, found in paths.run(text, arrays):
                for array, expected in zip(found, wanted):
                    counts.add(path, op, array, expected)


def unary_formula(op, x, y):
    """The integers of relu and requantize; None for the others."""
    if op == "relu":
        return np.maximum(x.data, x.zero)
    if op == "requantize":
        real = f32(x.scale) * (x.data - x.zero).astype(f32)
        steps = np.rint(real * f32(f32(1) / f32(y.scale)))
        return np.clip(steps.astype(np.int64) + y.zero, *y.limits)
    return None


def check_unary(paths, counts, sets, random):
    data = np.arange(256)
    for op in UNARY:
        name = op.split()[0]
        for signed in (False, True):
            low = -128 if signed else 0
            lines, results, wanted = [], [], []
            for i in range(min(256, sets)):
                zero = low + i * 256 // min(256, sets)
                x = Tensor(data + low, draw_scale(random), zero, signed)
                y = Tensor(data, draw_scale(random), draw_zero(random, signed), signed)
                if name == "relu":
                    y = Tensor(data, x.scale, x.zero, signed)
                if name in ("sigmoid", "hardsigmoid", "tanh"):
                    scale = 1 / 128 if name == "tanh" else 1 / 256
                    y = Tensor(data, scale, low + (128 if name == "tanh" else 0), signed)
                kind, attributes = (op.split(" ", 1) + [""])[:2]
                lines += [f"  %q{i} = quant.scast %x : tensor<256xi8> to {x.type}",
                          f"  %y{i} = qnnpack.{kind} %q{i} {attributes} : {x.type} -> "
                          f"{y.type}"]
                results.append((f"%y{i}", y.type))
                formula = unary_formula(name, x, y)
                wanted.append(formula if formula is None
                              else result_bytes(formula, signed))
            text = module({"x": "256"}, lines, results)
            arrays = {"x": (data + low).astype(np.int8 if signed else np.uint8)}
            reference = wanted
            for path, found in paths.run(text, arrays):
                if path == "linalg":
                    reference = [array.view(np.int8 if signed else np.uint8)
                                 if formula is None else formula
                                 for array, formula in zip(found, wanted)]
                for array, expected in zip(found, reference):
                    if expected is not None:
                        counts.add(path, name, array, expected)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--sets", type=int, default=16)
    parser.add_argument("--halves", type=int, default=16)
    parser.add_argument("--multipliers", type=int, default=16)
    parser.add_argument("--paths", help="some of linalg, tosa and targets; linalg "
                        "comes first")
    parser.add_argument("--only", choices=["sums", "pairs", "unary"])
    arguments = parser.parse_args()
    counts = Counts()
    with tempfile.TemporaryDirectory() as work:
        paths = Paths(arguments.bin.resolve(), pathlib.Path(work),
                      arguments.paths and arguments.paths.split(","))
        random = np.random.default_rng(1)
        if arguments.only in (None, "sums"):
            check_sums(paths, counts, arguments.halves, arguments.multipliers, random)
        if arguments.only in (None, "pairs"):
            check_pairs(paths, counts, arguments.sets, random)
        if arguments.only in (None, "unary"):
            check_unary(paths, counts, arguments.sets, random)
    wrong = counts.print()
    print("FAIL" if wrong else "PASS")
    return wrong


if __name__ == "__main__":
    sys.exit(main())

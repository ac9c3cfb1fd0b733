#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantization in many spellings, right and wrong, before and after its import.

    quantization_forms.py --bin DIR --work DIR [--seed N] [--count N]

Each chain quantizes and dequantizes one tensor, with random parameters; most have
one thing changed at random: a constant, a rounding, a sign, a limit. What was
imported has to compute the same, on and around each tie; where a tie goes may
differ by one step. What is as it should be has to be imported.
"""

import argparse
import pathlib
import random
import re
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from tools import run  # noqa: E402


f32 = np.float32
ROWS = 4096
TYPE = f"tensor<1x{ROWS}xf32>"


def tensor(element):
    return f"tensor<1x{ROWS}x{element}>"


def number(value):
    return f"{float(f32(value)):.17e}"


class Chain:
    """The lines of one chain; names begin with `prefix`."""

    def __init__(self, prefix, scale, zero_point, low, high):
        self.prefix, self.lines, self.count = prefix, [], 0
        self.scale, self.zero_point = scale, zero_point
        self.low, self.high = low, high
        self.signed = low < 0

    def add(self, text):
        self.count += 1
        name = f"%{self.prefix}_{self.count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def generic(self, inputs, result, body):
        """One elementwise op; `body` has %a, %b ... and yields the last line."""
        init = self.add(f"tensor.empty() : {tensor(result)}")
        maps = ", ".join(["affine_map<(i, j) -> (i, j)>"] * (len(inputs) + 1))
        names = ", ".join(name for name, _ in inputs)
        types = ", ".join(tensor(element) for _, element in inputs)
        arguments = ", ".join(f"%{chr(97 + i)}: {element}"
                              for i, (_, element) in enumerate(inputs))
        lines = "\n".join(f"    {line}" for line in body)
        last = body[-1].split(" = ")[0]
        return self.add(
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = "
            f'["parallel", "parallel"]}} ins({names} : {types}) outs({init} : '
            f"{tensor(result)}) {{\n  ^bb0({arguments}, %o: {result}):\n{lines}\n"
            f"    linalg.yield {last} : {result}\n  }} -> {tensor(result)}")

    def quantize_body(self, divide, before=False):
        scale = self.scale if divide else f32(1) / f32(self.scale)
        op = "divf" if divide else "mulf"
        steps = ["%r = math.roundeven %q : f32", "%t = arith.addf %r, %z : f32"]
        if before:
            steps = ["%r = arith.addf %q, %z : f32",
                     "%t = math.roundeven %r : f32"]
        return [f"%s = arith.constant {number(scale)} : f32",
                f"%z = arith.constant {number(self.zero_point)} : f32",
                f"%l = arith.constant {number(self.low)} : f32",
                f"%h = arith.constant {number(self.high)} : f32",
                f"%q = arith.{op} %a, %s : f32", *steps,
                "%u = arith.maximumf %t, %l : f32",
                "%v = arith.minimumf %u, %h : f32"]

    def dequantize_body(self, name, width="i32"):
        extend = "extsi" if self.signed else "extui"
        return [f"%ds = arith.constant {number(self.scale)} : f32",
                f"%dz = arith.constant {self.zero_point} : {width}",
                f"%de = arith.{extend} {name} : i8 to {width}",
                f"%dd = arith.subi %de, %dz : {width}",
                f"%dr = arith.sitofp %dd : {width} to f32",
                "%dm = arith.mulf %dr, %ds : f32"]

    def bytes(self, x, divide=True, before=False):
        to = "fptosi" if self.signed else "fptoui"
        q = self.generic([(x, "f32")], "i8",
                         [*self.quantize_body(divide, before),
                          f"%w = arith.{to} %v : f32 to i8"])
        return self.generic([(q, "i8")], "f32",
                            self.dequantize_body("%a", "i64"))

    def product(self, x):
        return self.bytes(x, divide=False)

    def before(self, x):
        return self.bytes(x, before=True)

    def one_op(self, x):
        to = "fptosi" if self.signed else "fptoui"
        return self.generic([(x, "f32")], "f32",
                            [*self.quantize_body(True),
                             f"%w = arith.{to} %v : f32 to i8",
                             *self.dequantize_body("%w")])

    def integer_clamp(self, x):
        """Limits of the type, then those of the integers."""
        low, high = (-128, 127) if self.signed else (0, 255)
        body = self.quantize_body(True)
        body[2] = f"%l = arith.constant {number(low)} : f32"
        body[3] = f"%h = arith.constant {number(high)} : f32"
        to = "fptosi" if self.signed else "fptoui"
        q = self.generic([(x, "f32")], "i8",
                         [*body, f"%w = arith.{to} %v : f32 to i8"])
        sign = "s" if self.signed else "u"
        wrap = lambda value: value - 256 if value > 127 else value
        c = self.generic([(q, "i8")], "i8",
                         [f"%l = arith.constant {wrap(self.low)} : i8",
                          f"%h = arith.constant {wrap(self.high)} : i8",
                          f"%c = arith.cmpi {sign}lt, %a, %l : i8",
                          "%d = arith.select %c, %l, %a : i8",
                          f"%e = arith.cmpi {sign}gt, %d, %h : i8",
                          "%f = arith.select %e, %h, %d : i8"])
        return self.generic([(c, "i8")], "f32",
                            self.dequantize_body("%a", "i64"))

    def wide(self, x):
        """The zero point and the limits are integers of 32 bits."""
        q = self.generic(
            [(x, "f32")], "i8",
            [f"%s = arith.constant {number(self.scale)} : f32",
             f"%z = arith.constant {self.zero_point} : i32",
             f"%l = arith.constant {self.low} : i32",
             f"%h = arith.constant {self.high} : i32",
             "%q = arith.divf %a, %s : f32", "%r = math.roundeven %q : f32",
             "%t = arith.fptosi %r : f32 to i32",
             "%u = arith.addi %t, %z : i32", "%v = arith.maxsi %u, %l : i32",
             "%w = arith.minsi %v, %h : i32", "%y = arith.trunci %w : i32 to i8"])
        return self.generic([(q, "i8")], "f32", self.dequantize_body("%a"))

    def fake(self, x):
        return self.generic([(x, "f32")], "f32",
                            [*self.quantize_body(False),
                             "%w = arith.subf %v, %z : f32",
                             f"%ds = arith.constant {number(self.scale)} : f32",
                             "%y = arith.mulf %w, %ds : f32"])

    def tosa_constant(self, value, element="f32"):
        return self.add(f'"tosa.const"() <{{values = dense<{value}> : '
                        f"tensor<1x1x{element}>}}> : () -> tensor<1x1x{element}>")

    def tosa(self, name, lhs, rhs, lhs_type="f32", result="f32", small=True,
             small_lhs=False):
        types = (f"tensor<1x1x{lhs_type}>" if small_lhs else tensor(lhs_type),
                 f"tensor<1x1x{lhs_type}>" if small else tensor(lhs_type))
        shift, shift_type = "", ""
        if name == "mul":
            constant = self.add('"tosa.const"() <{values = dense<0> : '
                                "tensor<1xi8>}> : () -> tensor<1xi8>")
            shift, shift_type = f", {constant}", ", tensor<1xi8>"
        return self.add(f"tosa.{name} {lhs}, {rhs}{shift} : ({types[0]}, "
                        f"{types[1]}{shift_type}) -> {tensor(result)}")

    def tosa_rounded(self, x):
        """Rounding by floor, ceil and select."""
        if not self.signed:
            return self.bytes(x)
        inverse = f32(1) / f32(self.scale)
        m = self.tosa("mul", x, self.tosa_constant(number(inverse)))
        half, two = self.tosa_constant("0.5"), self.tosa_constant("2.0")
        f = self.add(f"tosa.floor {m} : ({TYPE}) -> {TYPE}")
        fr = self.tosa("sub", m, f, small=False)
        c = self.add(f"tosa.ceil {m} : ({TYPE}) -> {TYPE}")
        h = self.tosa("mul", f, half)
        hf = self.add(f"tosa.floor {h} : ({TYPE}) -> {TYPE}")
        ev = self.tosa("mul", hf, two)
        even = self.tosa("equal", f, ev, result="i1", small=False)
        tie = self.tosa("equal", fr, half, result="i1")
        lt = self.tosa("greater", half, fr, result="i1", small=False,
                       small_lhs=True)
        both = self.tosa("logical_and", tie, even, "i1", "i1", small=False)
        down = self.tosa("logical_or", lt, both, "i1", "i1", small=False)
        r = self.add(f"tosa.select {down}, {f}, {c} : ({tensor('i1')}, {TYPE}, "
                     f"{TYPE}) -> {TYPE}")
        z = self.tosa("add", r, self.tosa_constant(number(self.zero_point)))
        return self.tosa_dequantize(z)

    def tosa_cast(self, x):
        """The cast rounds, after the zero point is added."""
        if not self.signed:
            return self.before(x)
        inverse = f32(1) / f32(self.scale)
        m = self.tosa("mul", x, self.tosa_constant(number(inverse)))
        z = self.tosa("add", m, self.tosa_constant(number(self.zero_point)))
        return self.tosa_dequantize(z)

    def tosa_dequantize(self, z):
        k = self.add(f"tosa.clamp {z} {{min_val = {number(self.low)} : f32, "
                     f"max_val = {number(self.high)} : f32}} : ({TYPE}) -> {TYPE}")
        q = self.add(f"tosa.cast {k} : ({TYPE}) -> {tensor('i8')}")
        w = self.add(f"tosa.cast {q} : ({tensor('i8')}) -> {tensor('i32')}")
        d = self.tosa("sub", w, self.tosa_constant(self.zero_point, "i32"),
                      "i32", "i32")
        r = self.add(f"tosa.cast {d} : ({tensor('i32')}) -> {TYPE}")
        return self.tosa("mul", r, self.tosa_constant(number(self.scale)))


SPELLINGS = ["bytes", "product", "before", "one_op", "integer_clamp", "wide",
             "fake", "tosa_rounded", "tosa_cast"]

# Nothing that could make an integer of a number that has none.
SWAPS = [("math.roundeven", "math.floor"), ("math.roundeven", "math.ceil"),
         ("math.roundeven", "math.round"), ("math.roundeven", "math.trunc"),
         ("arith.divf", "arith.mulf"), ("arith.addf", "arith.subf"),
         ("arith.subi", "arith.addi"), ("arith.extsi", "arith.extui"),
         ("arith.extui", "arith.extsi"), ("arith.sitofp", "arith.uitofp"),
         ("cmpi slt", "cmpi sgt"), ("cmpi ult", "cmpi slt"),
         ("arith.maxsi", "arith.minsi"), ("tosa.floor", "tosa.ceil"),
         ("tosa.ceil", "tosa.floor"), ("tosa.greater ", "tosa.greater_equal "),
         ("tosa.logical_and", "tosa.logical_or"),
         ("tosa.logical_or", "tosa.logical_and"), ("tosa.add", "tosa.sub"),
         ("tosa.sub", "tosa.add")]


def mutate(text, rng):
    """`text` with one thing changed, and what that is."""
    while True:
        if rng.random() < 0.5:
            old, new = rng.choice(SWAPS)
            places = [m.start() for m in re.finditer(re.escape(old), text)]
            if not places:
                continue
            place = rng.choice(places)
            return (text[:place] + new + text[place + len(old):],
                    f"{old} to {new}")
        constants = list(re.finditer(
            r"(?:constant |dense<|_val = )(-?[0-9][0-9.e+-]*)(?![0-9.e+-]|> : tensor<1xi8>)",
            text))
        found = rng.choice(constants)
        old = found.group(1)
        if "." in old:
            value = float(old)
            # Beyond the limits of a byte there is no integer to compare with.
            change = rng.choice([value * 2, value + 1, value - 1, value * 1.01])
            if abs(value) >= 60:
                change = rng.choice([value / 2, value * 0.99])
            new = number(change)
        else:
            new = str(max(-128, min(127, rng.choice([int(old) + 1,
                                                     int(old) - 1]))))
        if new != old:
            return (text[:found.start(1)] + new + text[found.end(1):],
                    f"{old} to {new}")


def get_inputs(chains, rng):
    """Numbers on ties and around them, and anywhere."""
    numbers = [0.0]
    for chain in chains:
        for _ in range(ROWS // len(chains) // 4):
            tie = f32((rng.randint(-260, 260) + 0.5) * f32(chain.scale))
            numbers += [tie, np.nextafter(tie, f32(-np.inf)),
                        np.nextafter(tie, f32(np.inf)),
                        f32(rng.uniform(-270, 270) * chain.scale)]
    numbers = (numbers + [0.0] * ROWS)[:ROWS]
    return np.array(numbers, f32).reshape(1, ROWS)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=120)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    work = pathlib.Path(options.work)
    work.mkdir(parents=True, exist_ok=True)

    chains, texts, results, changes = [], [], [], []
    # One scale, so that each number is a tie for all of them.
    scale = rng.choice([0.0625, 0.1, 0.0371])
    for i in range(options.count):
        signed = rng.random() < 0.6
        low, high = rng.choice([(-128, 127), (-127, 127), (-90, 89)] if signed
                               else [(0, 255), (0, 127)])
        chain = Chain(f"c{i}", scale, rng.randint(low, high), low, high)
        result = getattr(chain, SPELLINGS[i % len(SPELLINGS)])("%x")
        text, change = "\n".join(chain.lines), ""
        if rng.random() < 0.7:
            text, change = mutate(text, rng)
        chains.append(chain)
        texts.append(text)
        results.append(result)
        changes.append(change)
    types = ", ".join([TYPE] * len(results))
    module = (f"func.func @main(%x: {TYPE}) -> ({types}) {{\n"
              + "\n".join(texts) + f"\n  return {', '.join(results)} : {types}\n}}\n")
    (work / "in.mlir").write_text(module)
    np.savez(work / "x.npz", x=get_inputs(chains[:8], rng))
    tool = f"{options.bin}/qbackend-opt"
    run(tool, "--qbackend-import-quantization", work / "in.mlir", "-o",
        work / "imported.mlir")
    outputs = []
    for name in ("in", "imported"):
        run(f"{options.bin}/qbackend-run", work / f"{name}.mlir",
            f"--input={work / 'x.npz'}", "-o", work / f"{name}.npz")
        data = np.load(work / f"{name}.npz")
        outputs.append([data[key] for key in data.files])
    # Which results are imported: those that a dequantize gives.
    text = (work / "imported.mlir").read_text()
    returned = re.search(r"return (.*?) :", text).group(1).split(", ")
    imported = [re.search(re.escape(name) + r" = qbackend\.dequantize ", text)
                is not None for name in returned]

    failures = 0
    for i, (was, now) in enumerate(zip(*outputs)):
        spelling = SPELLINGS[i % len(SPELLINGS)]
        steps = np.abs(was.astype(np.float64) - now) / scale
        # A mutated scale is the step then.
        worst = steps.max()
        if not changes[i] and not imported[i]:
            failures += 1
            print(f"{spelling}: not imported", chains[i].__dict__, file=sys.stderr)
        if worst > 2.1 if imported[i] else worst != 0:
            failures += 1
            print(f"{spelling} with {changes[i] or 'nothing changed'}: "
                  f"{worst:.2f} steps", file=sys.stderr)
        # Away from ties nothing changes.
        ratio = np.load(work / "x.npz")["x"].astype(np.float64) / scale
        away = np.abs(ratio - np.floor(ratio) - 0.5) > 1e-3
        if not changes[i] and steps[away].max() > 1e-3:
            failures += 1
            print(f"{spelling}: {steps[away].max():.2f} steps away from ties",
                  file=sys.stderr)
    right = sum(1 for change in changes if not change)
    print(f"{failures} failures: {right} chains as they should be, "
          f"{len(changes) - right} changed, {sum(imported)} imported")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the smallest network that still goes wrong from one that does.

    qbackend-reduce.py IN.mlir -o OUT.mlir [--bin DIR] --crashes COMMAND...
    qbackend-reduce.py IN.mlir -o OUT.mlir [--bin DIR] --differs [--backend NAME]
    qbackend-reduce.py IN.mlir -o OUT.mlir [--bin DIR] --test COMMAND...

IN.mlir has one function of one block. What is tried, as long as something can go:
fewer results, an earlier value as the result, an argument in the place of a value,
constants of one number. What still goes wrong is

    --crashes  a command that ends by a signal or an assertion, or does not end in
               --timeout seconds
    --differs  the network, calibrated on synthetic samples and quantized, whose
               generated kernels and portable code give other integers
    --test     a command with exit code 0, as of other reducers

In a command {} is the file. Its options come last on the line. mlir-reduce does
not do this: it erases ops and leaves what reads them without operands.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

ELEMENTS = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i1": np.bool_,
            "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}
CONSTANTS = ("arith.constant", "tosa.const", "tosa.const_shape", "tensor.empty")


class Statement:
    """An op of a function, printed in the generic form."""

    def __init__(self, lines):
        self.text = "\n".join(lines)
        found = re.match(r"    (%\w+) = ", lines[0])
        self.result = found[1] if found else None
        self.op = re.search(r'"([\w.]+)"\(', lines[0])[1]
        self.uses = set(re.findall(r"%\w+", self.text)) - {self.result}
        self.type = lines[-1].rpartition(" -> ")[2]


class Body:
    """A module with one function of one block, whose ops have one result or none, as
    `qbackend-opt --mlir-print-op-generic` prints it."""

    def __init__(self, generic):
        lines = generic.rstrip().split("\n")
        starts = [i for i, line in enumerate(lines) if line.startswith("  ^bb")]
        if len(starts) != 1:
            raise ValueError("the module has not one function of one block")
        first = starts[0]
        self.head = lines[:first]
        self.arguments = dict(re.findall(r"(%\w+): ([^,)]*<[^>]*>|\w+)", lines[first]))
        groups = []
        for line in lines[first + 1:-2]:
            if re.match(r'    [%"]', line):
                groups.append([])
            groups[-1].append(line)
        self.tail = lines[-2:]
        *self.statements, self.end = map(Statement, groups)
        if any(re.match(r"    %\w+:\d+ = ", s.text) for s in self.statements):
            raise ValueError("an op has several results")
        self.types = dict(self.arguments)
        self.types.update((s.result, s.type) for s in self.statements if s.result)
        values = re.search(r'"func.return"\((.*?)\)', self.end.text)[1]
        self.results = [value for value in values.split(", ") if value]

    @property
    def block(self):
        return "  ^bb0(" + ", ".join(
            f"{name}: {kind}" for name, kind in self.arguments.items()) + "):"

    def write(self, statements, end=None):
        return "\n".join([*self.head, self.block, *(
            s if isinstance(s, str) else s.text for s in statements),
            end or self.end.text, *self.tail, ""])


class Network:
    """What is left: arguments, statements and results."""

    def __init__(self, body):
        self.body = body
        self.arguments = dict(body.arguments)
        self.statements, self.results = list(body.statements), list(body.results)

    def copy(self):
        other = Network(self.body)
        other.arguments = dict(self.arguments)
        other.statements, other.results = list(self.statements), list(self.results)
        return other

    def without_dead_code(self):
        live, kept = set(self.results), []
        for statement in reversed(self.statements):
            if statement.result is None or statement.result in live:
                live |= statement.uses
                kept.append(statement)
        self.statements = kept[::-1]
        self.arguments = {name: kind for name, kind in self.arguments.items()
                          if name in live} or dict(list(self.arguments.items())[:1])
        return self

    @property
    def size(self):
        return (len(self.statements), len(self.results), len(self.arguments),
                len(self.text))

    @property
    def text(self):
        types = self.body.types

        def joined(values, all_types):
            return ", ".join(all_types[v] for v in values)

        aliases = [line for line in self.body.head if line.startswith(("#", "!"))]
        heads = ", ".join(f"{name}: {kind}" for name, kind in self.arguments.items())
        kinds = joined(self.results, {**types, **self.arguments})
        return "\n".join([
            *aliases, f"func.func @main({heads}) -> ({kinds}) {{",
            *(s.text for s in self.statements),
            f"    return {', '.join(self.results)} : {kinds}", "}", ""])

    def candidates(self):
        """Smaller networks, those that lose most first."""
        for result in self.results:
            if len(self.results) > 1:
                other = self.copy()
                other.results = [result]
                yield other
        count = len(self.statements)
        order = sorted(range(count), key=lambda i: abs(i - count // 2))
        for i in order:  # Without what has no result, such as assertions.
            if self.statements[i].result is None:
                other = self.copy()
                del other.statements[i]
                yield other
        for i in order:  # Ends here.
            statement = self.statements[i]
            if statement.result and statement.type.startswith("tensor") and \
                    self.results != [statement.result]:
                other = self.copy()
                other.results = [statement.result]
                yield other
        for i in order:  # Begins here.
            statement = self.statements[i]
            if statement.result and statement.op not in CONSTANTS and \
                    re.fullmatch(r"tensor<[\dx]*(f32|i64)>", statement.type):
                other = self.copy()
                other.statements.remove(statement)
                other.arguments[statement.result] = statement.type
                yield other
        for i in order:  # One number.
            statement = self.statements[i]
            short = re.sub(r"dense<(\[.*\]|\"0x[0-9A-Fa-f]*\")> : (tensor<[\dx]*f32>)",
                           r"dense<0.5> : \2", statement.text)
            if short != statement.text:
                other = self.copy()
                other.statements[i] = Statement(short.split("\n"))
                yield other


def reduce(network, is_wrong, say=lambda text: None):
    """The smallest network found for which `is_wrong(text)` holds."""
    changed = True
    while changed:
        changed = False
        for candidate in network.candidates():
            candidate = candidate.without_dead_code()
            if candidate.size < network.size and is_wrong(candidate.text):
                network, changed = candidate, True
                say(f"{len(network.statements)} ops, {len(network.text)} bytes")
                break
    return network


#===------------------------------------------------------------------------===#
# What goes wrong
#===------------------------------------------------------------------------===#


class Judge:
    def __init__(self, binaries, work, timeout):
        self.bin, self.work, self.timeout = binaries, work, timeout
        self.source = work / "in.mlir"

    def run(self, command):
        """None if it doesn't end."""
        line = [part.replace("{}", str(self.source)) for part in map(str, command)]
        if (self.bin / line[0]).exists():
            line[0] = str(self.bin / line[0])
        try:
            return subprocess.run(line, capture_output=True, timeout=self.timeout,
                                  stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return None
        except OSError as error:
            sys.exit(f"error: cannot start '{line[0]}': {error.strerror}; name the "
                     "folder of the tools with --bin")

    def generic(self, path):
        done = self.run(["qbackend-opt", "--mlir-print-op-generic",
                         "--allow-unregistered-dialect", path])
        if not done or done.returncode:
            sys.exit(f"error: {path} is no module: "
                     f"{done.stderr.decode()[:400] if done else 'no end'}")
        return done.stdout.decode()

    def crashes(self, command):
        def is_wrong(text):
            self.source.write_text(text)
            done = self.run(command)
            return done is None or done.returncode < 0 or any(
                mark in done.stderr for mark in
                (b"PLEASE submit", b"Assertion", b"LLVM ERROR", b"Sanitizer"))
        return is_wrong

    def passes(self, command):
        def is_wrong(text):
            self.source.write_text(text)
            done = self.run(command)
            return done is not None and done.returncode == 0
        return is_wrong

    def differs(self, backend):
        def is_wrong(text):
            self.source.write_text(text)
            first = self.compute(backend, "linalg")
            second = first and self.compute(backend, "qnnpack")
            return bool(second) and any(
                a.tobytes() != b.tobytes() for a, b in zip(first, second))
        return is_wrong

    def compute(self, backend, form):
        """The results; none if something fails."""
        rng, arrays = np.random.default_rng(0), {}
        head = next(line for line in self.source.read_text().split("\n")
                    if line.startswith("func.func"))
        for number, (shape, element) in enumerate(re.findall(
                r"%\w+: tensor<((?:\d+x)*)([a-z]\w*)>", head)):
            extents = [int(n) for n in shape.split("x") if n]
            kind = ELEMENTS[element]
            arrays[f"arg{number}"] = (
                rng.uniform(-2, 2, extents) if np.issubdtype(kind, np.floating) else
                rng.integers(0, 2, extents)).astype(kind)
        np.savez(self.work / "x.npz", **arrays)
        module, output = self.work / "out.mlir", self.work / "out.npz"
        for command in (
                ["qbackend-opt", f"--apply-backend={backend}", f"lower-to={form}",
                 self.source, "-o", module],
                ["qbackend-run", module, f"--input={self.work / 'x.npz'}",
                 "--num-threads=1", "-o", output]):
            done = self.run(command)
            if not done or done.returncode:
                return None
        with np.load(output) as file:
            return [file[name] for name in file.files]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("input", type=pathlib.Path)
    parser.add_argument("-o", dest="output", type=pathlib.Path, required=True)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/bin"))
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--backend", default="qnnpack")
    wrong = parser.add_mutually_exclusive_group(required=True)
    wrong.add_argument("--crashes", nargs=argparse.REMAINDER)
    wrong.add_argument("--test", nargs=argparse.REMAINDER)
    wrong.add_argument("--differs", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(arguments.bin.resolve(), pathlib.Path(folder), arguments.timeout)
        try:
            network = Network(Body(judge.generic(arguments.input)))
        except ValueError as error:
            sys.exit(f"error: {arguments.input}: {error}")
        is_wrong = (judge.crashes(arguments.crashes) if arguments.crashes else
                    judge.passes(arguments.test) if arguments.test else
                    judge.differs(arguments.backend))
        if not is_wrong(network.text):
            sys.exit(f"error: nothing goes wrong with {arguments.input}")
        network = reduce(network, is_wrong,
                         lambda text: print(text, file=sys.stderr, flush=True))
        arguments.output.write_text(network.text)


if __name__ == "__main__":
    main()

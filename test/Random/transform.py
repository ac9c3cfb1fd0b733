#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What changes a network's text, and not what it computes, changes no integer.

    transform.py --bin DIR [--llvm DIR] [--seeds FIRST:LAST] [--keep DIR]

Each random network is calibrated on data, quantized and run as it is, and then
again in other forms: bytecode, the generic form, without locations, after CSE, with
other names of values, with code that nobody uses, called by a function, as generic
linalg ops, without threads, as portable code, and for a processor without vectors.
The results are equal bit for bit. --keep has the texts of those that aren't.
"""

import argparse
import pathlib
import re
import sys
import tempfile

import numpy as np

import generate
from check import Broken, Tools, require
from network import random_inputs


class Case:
    """A network, its data, and how it is run."""

    def __init__(self, tools, seed):
        self.tools, self.work = tools, tools.work
        self.network = generate.build(seed)
        self.dialect = "linalg" if seed % 2 else "tosa"
        text = generate.write(self.network, "main", self.dialect, mixed=seed % 3 == 0)
        self.text = "\n".join(text.lines) + "\n"
        self.source = self.work / "in.mlir"
        self.source.write_text(self.text)
        self.data = self.work / "data.npz"
        np.savez(self.data, **{f"arg{i}": x for i, x in
                               enumerate(random_inputs(self.network, seed))})
        self.inputs = self.work / "inputs.npz"
        np.savez(self.inputs, **{f"arg{i}": x for i, x in
                                 enumerate(random_inputs(self.network, seed + 1))})

    def compute(self, source, *options, form="linalg", run=()):
        module, outputs = self.work / "out.mlir", self.work / "out.npz"
        self.tools.run("qbackend-opt", "--apply-backend=qnnpack", f"data={self.data}",
                       f"lower-to={form}", source, "-o", module, *options)
        self.tools.run("qbackend-run", module, f"--input={self.inputs}", "-o", outputs,
                       "--entry=main", *run)
        with np.load(outputs) as file:
            return [file[name] for name in file.files]

    def pass_through(self, tool, *options, suffix="mlir"):
        """The source after other passes, or in another form."""
        result = self.work / f"changed.{suffix}"
        self.tools.run(tool, *options, self.source, "-o", result)
        return result

    def rewrite(self, text):
        result = self.work / "changed.mlir"
        result.write_text(text)
        return result

    def renamed(self):
        """Values but arguments, whose names are those of the data."""
        arguments = set(re.findall(r"%\w+(?=: )", self.text.split("\n", 1)[0]))
        return self.rewrite(re.sub(
            r"%[A-Za-z_0-9]+", lambda m: m[0] if m[0] in arguments
            else f"%x{len(m[0])}_{m[0][1:]}_y", self.text))

    def with_dead_code(self):
        head, rest = self.text.split("\n", 1)
        lines = ["  %dead0 = tensor.empty() : tensor<3xf32>",
                 "  %dead1 = math.exp %dead0 : tensor<3xf32>"]
        for name, kind in re.findall(r"(%\w+): (tensor<[^>]*xf32>)", head):
            lines.append(f"  %dead_{name[1:]} = tosa.exp {name} : ({kind}) -> {kind}")
            lines.append(f"  %later_{name[1:]} = tosa.add %dead_{name[1:]}, {name} : "
                         f"({kind}, {kind}) -> {kind}")
        return self.rewrite("\n".join([head, *lines, rest]))

    def called(self):
        head = self.text.split("\n", 1)[0]
        inner = self.text.replace("func.func @main", "func.func private @inner", 1)
        arguments = re.findall(r"(%\w+): (tensor<[^>]*>)", head)
        results = head[head.index("-> (") + 4:head.rindex(") {")]
        count = len(self.network.results)
        values = ", ".join(f"%r#{i}" for i in range(count)) if count > 1 else "%r"
        return self.rewrite(inner + "\n".join([
            head, f"  %r{f':{count}' if count > 1 else ''} = call @inner("
            + ", ".join(name for name, _ in arguments) + ") : ("
            + ", ".join(kind for _, kind in arguments) + f") -> ({results})",
            f"  return {values} : {results}", "}", ""]))


def check(case, has_mlir_opt):
    def same(label, results):
        for a, b in zip(wanted, results, strict=True):
            require(a.shape == b.shape and a.tobytes() == b.tobytes(),
                    f"{label}: {(a != b).sum()} of {a.size} differ")

    wanted = case.compute(case.source)
    same("again, without threads", case.compute(
        case.source, "--mlir-disable-threading", run=["--num-threads=1"]))
    same("kernels", case.compute(case.source, form="qnnpack"))
    same("scalar kernels", case.compute(case.source, form="qnnpack",
                                        run=["--target=scalar"]))
    same("bytecode", case.compute(case.pass_through(
        "qbackend-opt", "--emit-bytecode", suffix="mlirbc")))
    same("generic form", case.compute(case.pass_through(
        "qbackend-opt", "--mlir-print-op-generic")))
    same("without locations", case.compute(case.pass_through(
        "qbackend-opt", "--strip-debuginfo")))
    same("CSE", case.compute(case.pass_through("qbackend-opt", "--cse")))
    same("other names", case.compute(case.renamed()))
    same("dead code", case.compute(case.with_dead_code()))
    same("called", case.compute(case.called()))
    if has_mlir_opt and case.dialect == "linalg":
        same("generic ops", case.compute(case.pass_through(
            "mlir-opt", "--linalg-generalize-named-ops")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--llvm", help="folder of mlir-opt")
    parser.add_argument("--seeds", default="0:100")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    first, last = map(int, options.seeds.split(":"))
    failures = 0
    with tempfile.TemporaryDirectory() as work:
        tools = Tools(options.bin, work)
        if options.llvm:
            tools.others["mlir-opt"] = pathlib.Path(options.llvm, "mlir-opt")
        for seed in range(first, last):
            case = Case(tools, seed)
            try:
                check(case, bool(options.llvm))
            except Broken as error:
                failures += 1
                print(f"FAIL {seed}: {error}", flush=True)
                if options.keep:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    (options.keep / f"{seed}.mlir").write_text(case.text)
    print(f"{last - first} networks, {failures} failed")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())

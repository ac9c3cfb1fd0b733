#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What changes a network's text, and not what it computes, changes no integer.

    transform.py --bin DIR [--llvm DIR] [--seeds FIRST:LAST] [--only CHANGE,...]
                 [--keep DIR]

Each random network is calibrated on data, quantized and run as it is, and then
again in other forms: bytecode, the generic form, without locations, after CSE and
canonicalization, with other names of values, in another order, with code that nobody
uses, called by a function, split into two, with values that are transposed or cast to
dynamic shapes and back, as generic linalg ops, lowered from TOSA by mlir-opt, without
threads, as portable code, and for a processor without vectors. The results are equal
bit for bit, and those of the formulas (integers.py). --keep has the texts of those
that aren't.
"""

import argparse
import pathlib
import random
import re
import sys
import tempfile

import numpy as np

import generate
import integers
from check import Broken, Tools, require
from module import functions
from network import random_inputs
from statements import Variants

FROM_TOSA = ("--pass-pipeline=builtin.module(func.func(tosa-to-linalg-named,"
             "tosa-to-linalg,tosa-to-arith,tosa-to-tensor,tosa-to-scf))")


class Case:
    """A network, its data, and how it is run."""

    def __init__(self, tools, seed):
        self.tools, self.work, self.seed = tools, tools.work, seed
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
        self.tools.run("qbackend-opt", "--apply-backend=qnnpack", f"data={self.data}",
                       f"lower-to={form}", source, "-o", self.work / "out.mlir",
                       *options)
        return self.run_module(*run)

    def run_module(self, *options):
        outputs = self.work / "out.npz"
        self.tools.run("qbackend-run", self.work / "out.mlir", f"--input={self.inputs}",
                       "-o", outputs, "--entry=main", *options)
        with np.load(outputs) as file:
            return [file[name] for name in file.files]

    def pass_through(self, tool, *options, suffix="mlir"):
        """The source after other passes, or in another form."""
        result = self.work / f"changed.{suffix}"
        self.tools.run(tool, *options, self.source, "-o", result)
        return result

    def body(self):
        text, _ = self.tools.run("qbackend-opt", "--mlir-print-op-generic", self.source)
        return Variants(text)

    def model(self):
        """What the formulas give, from the reference form of the same data."""
        fused, _ = self.tools.run(
            "qbackend-opt", "--qbackend-normalize-code", "--qbackend-raise",
            "--qbackend-normalize-layout", "--qbackend-fuse=backend=qnnpack",
            self.source)
        text, _ = self.tools.run("qbackend-opt", "--apply-backend=qnnpack",
                                 f"data={self.data}", "lower-to=reference", self.source)
        reference = functions(text)[0]["main"]
        changed, exposed = integers.expose(reference)
        (self.work / "exposed.mlir").write_text(changed)
        self.tools.run("qbackend-opt", "--qbackend-create-kernels=backend=qnnpack "
                       "lower-to=qnnpack",
                       self.work / "exposed.mlir", "-o", self.work / "out.mlir")
        results = self.run_module()
        count = len(self.network.results)
        known = dict(zip(exposed, results[count:], strict=True))
        with np.load(self.inputs) as file:
            arguments = [file[name] for name in file.files]
        model = integers.Model(functions(fused)[0]["main"], reference)
        expected = model.run(arguments, known)
        # What is not known is real-valued.
        return [b if a is None else a.reshape(b.shape)
                for a, b in zip(expected, results)]

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


def variants(case, has_mlir_opt):
    """The results of each form, by what was changed."""
    def through(*arguments, suffix="mlir"):
        return case.compute(case.pass_through(*arguments, suffix=suffix))

    def rewritten(method):
        return case.compute(case.rewrite(method(random.Random(case.seed))))

    result = {
        "the formulas": case.model,
        "again, without threads": lambda: case.compute(
            case.source, "--mlir-disable-threading", run=["--num-threads=1"]),
        "kernels": lambda: case.compute(case.source, form="qnnpack"),
        "scalar kernels": lambda: case.compute(case.source, form="qnnpack",
                                               run=["--target=scalar"]),
        "bytecode": lambda: through("qbackend-opt", "--emit-bytecode",
                                    suffix="mlirbc"),
        "generic form": lambda: through("qbackend-opt", "--mlir-print-op-generic"),
        "without locations": lambda: through("qbackend-opt", "--strip-debuginfo"),
        "CSE": lambda: through("qbackend-opt", "--cse"),
        "canonicalized": lambda: through("qbackend-opt", "--canonicalize"),
        "other names": lambda: case.compute(case.renamed()),
        "dead code": lambda: case.compute(case.with_dead_code()),
        "called": lambda: case.compute(case.called()),
        "shuffled": lambda: rewritten(case.body().shuffled),
        "split": lambda: rewritten(case.body().split),
        "transposed": lambda: rewritten(
            lambda rng: case.body().transposed(rng, case.dialect)),
        "cast": lambda: rewritten(case.body().casted)}
    if has_mlir_opt and case.dialect == "linalg":
        result["generic ops"] = lambda: through(
            "mlir-opt", "--linalg-generalize-named-ops")
    # Upstream makes one clamp of two, of which the first has a range of its own: that
    # is another network.
    clamps = re.findall(r"(%\w+) = tosa\.clamp (%\w+)", case.text)
    if {name for name, _ in clamps} & {operand for _, operand in clamps}:
        del result["canonicalized"]
    # mlir-opt has transposed convolutions only as others, and pointwise ones then as
    # products.
    if has_mlir_opt and case.dialect == "tosa" and not any(
            node.op == "conv_transpose" for node in case.network.nodes):
        result["from TOSA"] = lambda: through("mlir-opt", FROM_TOSA)
    return result


def check(case, has_mlir_opt, only):
    """What is wrong with a network, by what was changed."""
    wanted = case.compute(case.source)
    for label, compute in variants(case, has_mlir_opt).items():
        if only and label not in only:
            continue
        try:
            for a, b in zip(wanted, compute(), strict=True):
                require(a.shape == b.shape and a.tobytes() == b.tobytes(),
                        f"{(a != b).sum()} of {a.size} differ")
        except Broken as error:
            yield label, error


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--llvm", help="folder of mlir-opt")
    parser.add_argument("--seeds", default="0:100")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--only", help="these changes, with commas")
    options = parser.parse_args()
    first, last = map(int, options.seeds.split(":"))
    failures = 0
    with tempfile.TemporaryDirectory() as work:
        tools = Tools(options.bin, work)
        if options.llvm:
            tools.others["mlir-opt"] = pathlib.Path(options.llvm, "mlir-opt")
        for seed in range(first, last):
            case = Case(tools, seed)
            wrong = list(check(case, bool(options.llvm),
                               options.only and options.only.split(",")))
            failures += bool(wrong)
            for label, error in wrong:
                print(f"FAIL {seed}: {label}: {error}", flush=True)
            if wrong and options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{seed}.mlir").write_text(case.text)
    print(f"{last - first} networks, {failures} failed")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())

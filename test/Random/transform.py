#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What changes a network's text, and not what it computes, changes no integer.

    transform.py --bin DIR [--llvm DIR] [--seeds FIRST:LAST] [--only CHANGE,...]
                 [--keep DIR]

Each random network has a backend with kernels and a qconfig mapping of its own, is
calibrated on data, quantized and run as it is, and then again: the same, and without
threads, which makes the same bytes, too; with the table that qbackend-run
writes; and in other forms: bytecode, the generic form, without locations, after CSE and
canonicalization, with other names of values, in another order, with code that nobody
uses, called by a function, split into two, with values that are transposed or cast to
dynamic shapes and back, as generic linalg ops, lowered from TOSA by mlir-opt, for three
samples at once and for any number, as portable code, and for a processor without
vectors. The integers are equal, and those of the formulas (integers.py); results of float
layers are within 1e-6 of the largest element.
--keep has the texts of those that aren't, and the smallest that qbackend-reduce.py
makes of them.
"""

import argparse
import json
import pathlib
import random
import re
import sys
import tempfile

import numpy as np

import generate
import integers
from check import INTEGER_FORMS, Broken, Tools, convert, draw_mapping, require
from module import functions
from statements import Variants, reducer

FROM_TOSA = ("tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith,tosa-to-tensor,"
             "tosa-to-scf")


def pipeline(passes):
    return f"--pass-pipeline=builtin.module(func.func({passes}))"


class Case:
    """A network, its data, and how it is run. The text has one function, main, whose
    head is one line."""

    def __init__(self, tools, seed, text, dialect, write_batch=None):
        self.tools, self.work, self.seed = tools, tools.work, seed
        self.text, self.dialect, self.write_batch = text, dialect, write_batch
        self.before, self.head, self.rest = re.fullmatch(
            r"(.*?)(func\.func @main\([^\n]*\n)(.*)", text, re.S).groups()
        found = re.fullmatch(r"(.*) -> \(?(.*?)\)? \{\n", self.head)
        self.arguments = re.findall(r"(%\w+): (tensor<[^>]*>)", found[1])
        self.results = re.findall(r"tensor<[^>]*>", found[2])
        rng = random.Random(f"qconfig {seed}")
        self.backend = rng.choice(sorted(INTEGER_FORMS))
        mapping = self.work / "mapping.mlir"
        mapping.write_text("\n".join(draw_mapping(rng, [])) + "\n")
        self.qconfig = [f"qconfig={mapping}"] if rng.random() < 0.6 else []
        self.options = [f"--apply-backend={self.backend}", *self.qconfig]
        self.source = self.work / "in.mlir"
        self.source.write_text(text)
        self.data, self.inputs = self.work / "data.npz", self.work / "inputs.npz"
        for path, number in (self.data, seed), (self.inputs, seed + 1):
            rng = np.random.default_rng(number)
            np.savez(path, **{f"arg{i}": np.concatenate([self.draw(kind, rng)
                                                         for _ in range(3)])
                              for i, (_, kind) in enumerate(self.arguments)})

    @staticmethod
    def of_seed(tools, seed):
        dialect = "linalg" if seed % 2 else "tosa"

        def write(batch):
            text = generate.write(generate.build(seed, batch or 1), "main", dialect,
                                  mixed=seed % 3 == 0, dynamic=batch is None)
            return "\n".join(text.lines) + "\n"

        return Case(tools, seed, write(1), dialect, write)

    @staticmethod
    def draw(kind, rng):
        """A sample; integers are indices of tables that have five rows."""
        shape = [int(n) for n in re.findall(r"\d+(?=x)", kind)]
        return rng.integers(0, 5, shape) if "i64" in kind else \
            rng.uniform(-2, 2, shape).astype(np.float32)

    def compute(self, source, *options, form="linalg", run=(), calibration=None):
        self.tools.run("qbackend-opt", *self.options,
                       calibration or f"data={self.data}", f"lower-to={form}", source,
                       "-o", self.work / "out.mlir", *options)
        return self.run_module(*run)

    def run_module(self, *options):
        outputs = self.work / "out.npz"
        self.tools.run("qbackend-run", self.work / "out.mlir", f"--input={self.inputs}",
                       "-o", outputs, "--entry=main", *options)
        with np.load(outputs) as file:
            return [file[name] for name in file.files]

    def again(self, *options, run=()):
        """The same bytes, and the same results."""
        self.compute(self.source)
        wanted = (self.work / "out.mlir").read_bytes()
        results = self.compute(self.source, *options, run=run)
        require(wanted == (self.work / "out.mlir").read_bytes(), "other bytes")
        return results

    def calibrate(self, source):
        """The table of a network that may have nothing to observe."""
        table = self.work / "table.json"
        try:
            self.tools.run("qbackend-run", source, "--calibrate",
                           f"--input={self.data}", f"--backend={self.backend}",
                           *(f"--{option}" for option in self.qconfig), "--entry=main",
                           "-o", table)
        except Broken as error:
            if "nothing to calibrate" not in str(error):
                raise
            table.write_text('{"version": 1, "entries": []}')
        return table

    def from_table(self, source=None):
        table = self.calibrate(self.source)
        return self.compute(source or self.source, calibration=f"calibration={table}")

    def ranges(self, source):
        entries = json.loads(self.calibrate(source).read_text())["entries"]
        return np.array(sorted((e["min"], e["max"]) for e in entries if "min" in e))

    def batch(self, count):
        """`count` samples at once, with the same table."""
        return self.from_table(self.rewrite(self.write_batch(count)))

    def any_number(self):
        """Observers can have other names: calibrated again. It may be spelled in
        another way, so that a bias is added before or after the products: where the
        last bits of a range are others, integers can be, too."""
        source = self.rewrite(self.write_batch(None))
        found = self.compute(source)
        wanted = self.compute(self.source)
        if any(a.tobytes() != b.tobytes() for a, b in zip(wanted, found)):
            a, b = self.ranges(self.source), self.ranges(source)
            if a.shape == b.shape and (a != b).any() and np.allclose(a, b, 1e-5, 1e-6):
                return wanted
        return found

    def pass_through(self, tool, *options, suffix="mlir"):
        """The source after other passes, or in another form."""
        result = self.work / f"changed.{suffix}"
        self.tools.run(tool, *options, self.source, "-o", result)
        return result

    def body(self):
        text, _ = self.tools.run("qbackend-opt", "--mlir-print-op-generic", self.source)
        return Variants(text)

    def model(self):
        """What the formulas give, from what kernels are made of, of the same data."""
        fused, _ = self.tools.run(
            "qbackend-opt", "--qbackend-normalize-code", "--qbackend-raise",
            "--qbackend-normalize-layout", "--qbackend-fuse=" + " ".join(
                [f"backend={self.backend}", *self.qconfig]), self.source)
        text, _ = convert(self.tools, self.backend, self.qconfig, f"data={self.data}",
                          self.source)
        reference = functions(text)[0]["main"]
        changed, exposed = integers.expose(reference)
        (self.work / "exposed.mlir").write_text(changed)
        self.tools.run("qbackend-opt", "--qbackend-create-kernels="
                       f"backend={self.backend} lower-to=qnnpack",
                       self.work / "exposed.mlir", "-o", self.work / "out.mlir")
        results = self.run_module()
        count = len(self.results)
        with np.load(self.inputs) as file:
            arguments = [file[name] for name in file.files]
        samples = []
        for values in zip(*(np.split(x, 3) for x in [*arguments, *results])):
            inputs, computed = values[:len(arguments)], values[len(arguments):]
            known = dict(zip(exposed, computed[count:], strict=True))
            model = integers.Model(functions(fused)[0]["main"], reference)
            expected = model.run(inputs, known)
            # What is not known is float.
            samples.append([b if a is None else a.reshape(b.shape)
                            for a, b in zip(expected, computed)])
        return [np.concatenate(parts) for parts in zip(*samples)]

    def rewrite(self, text):
        result = self.work / "changed.mlir"
        result.write_text(text)
        return result

    def renamed(self):
        """Values but arguments, whose names are those of the data."""
        arguments = {name for name, _ in self.arguments}
        return self.rewrite(re.sub(
            r"%[A-Za-z_0-9]+", lambda m: m[0] if m[0] in arguments
            else f"%x{len(m[0])}_{m[0][1:]}_y", self.text))

    def with_dead_code(self):
        lines = ["  %dead0 = tensor.empty() : tensor<3xf32>",
                 "  %dead1 = math.exp %dead0 : tensor<3xf32>"]
        for name, kind in self.arguments:
            if "f32" not in kind:
                continue
            lines.append(f"  %dead_{name[1:]} = tosa.exp {name} : ({kind}) -> {kind}")
            lines.append(f"  %later_{name[1:]} = tosa.add %dead_{name[1:]}, {name} : "
                         f"({kind}, {kind}) -> {kind}")
        return self.rewrite(self.before + self.head + "\n".join([*lines, self.rest]))

    def called(self):
        inner = self.text.replace("func.func @main", "func.func private @inner", 1)
        results, count = ", ".join(self.results), len(self.results)
        values = ", ".join(f"%r#{i}" for i in range(count)) if count > 1 else "%r"
        return self.rewrite(inner + self.head + "\n".join([
            f"  %r{f':{count}' if count > 1 else ''} = call @inner("
            + ", ".join(name for name, _ in self.arguments) + ") : ("
            + ", ".join(kind for _, kind in self.arguments) + f") -> ({results})",
            f"  return {values} : {results}", "}", ""]))


def variants(case, has_mlir_opt):
    """The results of each form, by what was changed."""
    def through(*arguments, suffix="mlir"):
        return case.compute(case.pass_through(*arguments, suffix=suffix))

    def rewritten(method):
        return case.compute(case.rewrite(method(random.Random(case.seed))))

    result = {
        "the formulas": case.model,
        "again": case.again,
        "without threads": lambda: case.again("--mlir-disable-threading",
                                              run=["--num-threads=1"]),
        "from a table": case.from_table,
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
    if case.write_batch:
        result["three samples"] = lambda: case.batch(3)
        # Nothing says that several arguments are of equal batches, and the text has
        # that of the first; it has no embeddings in TOSA.
        if [kind.endswith("xf32>") for _, kind in case.arguments] == [True]:
            result["any number"] = case.any_number
    # Upstream makes one clamp of two, of which the first has a range of its own: that
    # is another network.
    clamps = re.findall(r"(%\w+) = tosa\.clamp (%\w+)", case.text)
    # It also drops the reshapes between windows of one dimension, which TOSA has as
    # images of one row, so that they are of two (docs/Operators.md).
    rows = re.search(r"tosa\.\w*(conv|pool)2d .*-> tensor<\d+x1x\d+x\d+xf32>",
                     case.text)
    if rows or {name for name, _ in clamps} & {operand for _, operand in clamps}:
        del result["canonicalized"]
    if not has_mlir_opt:
        return result
    if case.dialect == "linalg":
        result["generic ops"] = lambda: through(
            "mlir-opt", pipeline("linalg-generalize-named-ops"))
    # mlir-opt has transposed convolutions only as others, and pointwise ones then as
    # products.
    elif "transpose_conv2d" not in case.text:
        result["from TOSA"] = lambda: through("mlir-opt", pipeline(FROM_TOSA))
        result["from TOSA, generic ops"] = lambda: through(
            "mlir-opt", pipeline(FROM_TOSA + ",linalg-generalize-named-ops"))
    return result


def differ(wanted, compute):
    """What is wrong with the results of a form; None."""
    try:
        for a, b in zip(wanted, compute(), strict=True):
            require(a.shape == b.shape, f"all of {a.size} differ")
            # Spelled otherwise, the sums of float layers may be added in
            # another order. A step of an 8-bit result is more than that.
            close = np.isclose(a, b, 0, 1e-6 * np.abs(a).max(initial=0),
                               equal_nan=True)
            require(close.all(), f"{(~close).sum()} of {a.size} differ")
    except Broken as error:
        return str(error)
    return None


def check(case, has_mlir_opt, only):
    """What is wrong with a network, by what was changed."""
    wanted = case.compute(case.source)
    for label, compute in variants(case, has_mlir_opt).items():
        if not only or label in only:
            error = differ(wanted, compute)
            if error:
                yield label, error


def make_small(case, label, error, has_mlir_opt):
    """The smallest network that goes wrong in the same way."""
    def is_wrong(text):
        try:
            small = Case(case.tools, case.seed, text, case.dialect)
            compute = variants(small, has_mlir_opt).get(label)
            found = compute and differ(small.compute(small.source), compute)
        except Exception:  # It can't be run as it is, or written in another way.
            return False
        return bool(found) and found.endswith("differ") == error.endswith("differ")

    body, _ = case.tools.run("qbackend-opt", "--mlir-print-op-generic", case.source)
    network = reducer.Network(reducer.Body(body))
    return reducer.reduce(network, is_wrong).text if is_wrong(network.text) else None


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
            case = Case.of_seed(tools, seed)
            wrong = list(check(case, bool(options.llvm),
                               options.only and options.only.split(",")))
            failures += bool(wrong)
            for label, error in wrong:
                print(f"FAIL {seed}: {label}: {error}", flush=True)
            if wrong and options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{seed}.mlir").write_text(case.text)
                small = make_small(case, *wrong[0], bool(options.llvm))
                if small:
                    (options.keep / f"{seed}.small.mlir").write_text(small)
    print(f"{last - first} networks, {failures} failed")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer networks in TFLite's spelling become programs with the same integers.

    check.py --bin DIR [--networks NAME,...] [--inputs N] [--seeds FIRST:LAST]
             [--targets NAME,...] [--forms FORM,...] [--mutations N]

Each network of networks.py is given to --apply-backend=qnnpack, and what comes out is
run on N inputs, in each form: `qnnpack` with the kernels of each target, `linalg`, and
`tosa` compiled as it is. All integers are those of tosa.py. The multiply-accumulates of
a network are those that the summary (QB000) counts as quantized.

With --mutations, so many networks with one number or attribute changed: the result
computes what the module that came in computes, or the tool refuses.
"""

import argparse
import pathlib
import re
import sys
import tempfile

import numpy as np

import mutations
import networks

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from tools import run, run_for_remarks  # noqa: E402


class Checker:
    def __init__(self, options, work):
        self.bin, self.options, self.work = pathlib.Path(options.bin), options, work
        self.integers = self.compared = self.modules = 0

    def compute(self, module, inputs, *options):
        samples, results = self.work / "x.npz", self.work / "y.npz"
        np.savez(samples, x=inputs)
        run(self.bin / "qbackend-run", module, f"--input={samples}", "-o", results,
            "--num-threads=1", *options)
        with np.load(results) as file:
            return file[file.files[0]]

    def compare(self, label, wanted, found):
        found = found.reshape(wanted.shape)
        differ = int((wanted != found).sum())
        if differ:
            sys.exit(f"{label}: {differ} of {wanted.size} integers differ, by up to "
                     f"{np.abs(wanted - found).max()}")
        self.compared += wanted.size

    def apply(self, source, form):
        """The module in `form`, and the remarks about it."""
        result = self.work / f"{form}.mlir"
        remarks = run_for_remarks(
            self.bin / "qbackend-opt", f"--apply-backend=qnnpack lower-to={form}",
            "--remarks-filter=qbackend.*", source, "-o", result)
        return result, remarks

    def check(self, name, seed):
        text, inputs, wanted, macs = networks.build(name, seed, self.options.inputs)
        source = self.work / "in.mlir"
        source.write_text(text)
        for form in self.options.forms.split(","):
            module, remarks = self.apply(source, form)
            summary = re.search(r"QB000.*", remarks)[0]
            kernels = int(re.search(r'quantized-macs="?(\d+)', summary)[1])
            if form == "qnnpack":
                expected = 0 if name == "int16x8" else macs
                if kernels != expected:
                    sys.exit(f"{name}: {kernels} of {macs} multiply-accumulates are in "
                             f"kernels, expected {expected}\n{remarks}")
                print(f"{name}, seed {seed}: {kernels} of {macs} multiply-accumulates "
                      "in kernels")
            targets = self.options.targets.split(",") if form == "qnnpack" else [""]
            for target in targets:
                options = [f"--target={target}"] if target else []
                self.compare(f"{name}, seed {seed}, {form} {target}", wanted,
                             self.compute(module, inputs, *options))
        self.modules += 1

    def mutate(self, name, seed):
        """Whether the mutation was refused."""
        text, inputs, _, _ = networks.build(name, 0, 4)
        changed, what = mutations.mutate(text, seed)
        source = self.work / "in.mlir"
        source.write_text(changed)
        return mutations.judge(self, f"{name}, mutation {seed} ({what})", source, inputs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--networks", default=",".join(networks.NETWORKS))
    parser.add_argument("--inputs", type=int, default=8)
    parser.add_argument("--seeds", default="0:1")
    parser.add_argument("--targets", default="")
    parser.add_argument("--forms", default="qnnpack,linalg,tosa")
    parser.add_argument("--mutations", type=int, default=0)
    options = parser.parse_args()
    first, last = map(int, options.seeds.split(":"))
    names = options.networks.split(",")
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(options, pathlib.Path(folder))
        for seed in range(first, last) if not options.mutations else ():
            for name in names:
                checker.check(name, seed)
        counts = {}
        for number in range(options.mutations):
            verdict = checker.mutate(names[number % len(names)], number)
            counts[verdict] = counts.get(verdict, 0) + 1
    if options.mutations:
        print(f"{options.mutations} mutations: "
              + ", ".join(f"{n} {verdict}" for verdict, n in sorted(counts.items())))
    print(f"{checker.modules} networks, {checker.compared} integers compared, 0 differ")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer networks in TFLite's spelling become programs with the same integers.

    check.py --bin DIR [--networks NAME,...] [--inputs N] [--seeds FIRST:LAST]
             [--targets NAME,...|every] [--forms FORM,...] [--mutations FIRST:LAST]
             [--spelling tosa|linalg|arith --llvm DIR] [--dynamic]

Each network of networks.py is given to --apply-backend=qnnpack, and what comes out is
run on N inputs, in each form: `qnnpack` with the kernels of each target, `linalg`, and
`tosa` compiled as it is. All integers are those of tosa.py. The form `c` is what
--emit=c writes of the kernels, by the host's compiler, on the first input; `aarch64` are
their objects for each target of AArch64, by its cross compiler and qemu-aarch64. The multiply-accumulates of
a network are those that the summary (QB000) counts as quantized.

The spelling `linalg` is what upstream's passes make of it, with `tosa.apply_scale` in
bodies, and `arith` the same with its 64-bit arithmetic and the other order of weights;
there a transposed convolution is another convolution, with the phases as channels, which
multiplies more.
With --dynamic the number of samples is not in the types.

With --mutations, so many networks with one number or attribute changed: the result
computes what the module that came in computes, or the tool refuses.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

import mutations
import networks

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "test"), str(ROOT / "test/Integration")]
import object_kernels  # noqa: E402
from tools import run, run_for_remarks  # noqa: E402


SPELLINGS = {
    "linalg": ("", ""),
    "arith": ("{prefer-conv2d-kernel-layout-hwcf=true}", "{include-apply-rescale=true}"),
}


def get_pipeline(spelling):
    """Upstream's passes from TOSA to linalg."""
    layout, rescale = SPELLINGS[spelling]
    return ("--pass-pipeline=builtin.module(func.func("
            "tosa-optional-decompositions,canonicalize,tosa-infer-shapes,"
            f"tosa-make-broadcastable,tosa-to-linalg-named{layout},canonicalize,"
            "tosa-layerwise-constant-fold,tosa-make-broadcastable),func.func("
            f"tosa-to-linalg,tosa-to-arith{rescale},tosa-to-tensor,canonicalize,cse))")


class Checker:
    def __init__(self, options, work):
        self.bin, self.options, self.work = pathlib.Path(options.bin), options, work
        self.integers = self.compared = self.modules = 0

    def build(self, name, seed, count):
        return networks.build(name, seed, count, "?" if self.options.dynamic else "1")

    def respell(self, source):
        """Whether upstream could write `source` in the other spelling."""
        if self.options.spelling == "tosa":
            return True
        respelled = self.work / "respelled.mlir"
        done = mutations.attempt(pathlib.Path(self.options.llvm) / "mlir-opt", source,
                                 get_pipeline(self.options.spelling), "-o", respelled)
        if done.returncode == 0:
            respelled.replace(source)
        return done.returncode == 0

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

    def run_c(self, label, module, inputs, wanted):
        """The self-test of the C source passes, and expects the model's integers."""
        folder, samples = self.work / "c", self.work / "x.npz"
        folder.mkdir(exist_ok=True)
        np.savez(samples, x=inputs[:1])
        run(sys.executable, ROOT / "utils/compile-to-object.py", module, "-o",
            folder / "net", "--emit=c", f"--build={self.bin.parent}",
            f"--self-test={samples}")
        bits, expected = re.search(
            r"uint(\d+)_t expected_output\[\d+\] = \{(.*?)\};",
            (folder / "net_test.c").read_text(), re.S).groups()
        numbers = [int(n, 16) for n in re.findall(r"0x\w+", expected)]
        self.compare(label, wanted[:1],
                     np.array(numbers, f"u{int(bits) // 8}").view(f"i{int(bits) // 8}"))
        run("cc", "-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1",
            "-fsanitize=undefined", "-fno-sanitize-recover", folder / "net.c",
            folder / "net_test.c", "-o", folder / "net")
        run(folder / "net")

    def run_aarch64(self, label, module, inputs, wanted):
        """Objects of all targets compute the model's integers, one input at a time."""
        bits = int(re.search(r"return .*: tensor<[0-9x]+xi(\d+)>",
                             (self.work / "in.mlir").read_text())[1])
        for target, features in object_kernels.TARGETS.items():
            run(sys.executable, ROOT / "utils/compile-to-object.py", module, "-o",
                self.work / "network", f"--build={self.bin.parent}",
                f"--llvm={pathlib.Path(self.options.llvm).parent}",
                "--triple=aarch64-linux-gnu", f"--target={target}",
                *([f"--features={features}"] if features else []))
            object_kernels.write_program((self.work / "network.h").read_text(),
                                         [1, bits // 8], self.work / "main.c")
            run("aarch64-linux-gnu-gcc", "-static", "-o", self.work / "program",
                self.work / "main.c", self.work / "network.o", "-lm")
            found = [np.frombuffer(
                subprocess.run(["qemu-aarch64", "-cpu", "max", self.work / "program"],
                               input=each.tobytes(), capture_output=True,
                               check=True).stdout, f"i{bits // 8}") for each in inputs]
            self.compare(f"{label} {target}", wanted, np.stack(found))

    def find_targets(self, module):
        """Those of this processor, without the one that asks the system first."""
        done = mutations.attempt(self.bin / "qbackend-run", module,
                                 f"--input={self.work / 'x.npz'}", "-o",
                                 self.work / "y.npz", "--target=none")
        names = re.search(r"this processor has ([\w, ]+)", done.stderr)[1]
        return [name for name in names.split(", ") if name != "amx"]

    def apply(self, source, form):
        """The module in `form`, and the remarks about it."""
        result = self.work / f"{form}.mlir"
        remarks = run_for_remarks(
            self.bin / "qbackend-opt", f"--apply-backend=qnnpack lower-to={form}",
            "--remarks-filter=qbackend.*", source, "-o", result)
        return result, remarks

    def check(self, name, seed):
        network = self.build(name, seed, self.options.inputs)
        inputs, wanted, macs = network.inputs, network.results, network.macs
        source = self.work / "in.mlir"
        source.write_text(network.text)
        if not self.respell(source):
            sys.exit(f"{name}: mlir-opt doesn't lower it")
        for form in self.options.forms.split(","):
            module, remarks = self.apply(
                source, "qnnpack" if form in ("c", "aarch64") else form)
            summary = re.search(r"QB000.*", remarks)[0]
            kernels, counted = (int(re.search(rf'{field}-macs="?(\d+)', summary)[1])
                                for field in ("quantized", "all"))
            if form == "qnnpack":
                if self.options.spelling != "tosa" and network.transposed_macs:
                    macs = counted
                if kernels != macs:
                    sys.exit(f"{name}: {kernels} of {macs} multiply-accumulates are in "
                             f"kernels\n{remarks}")
                print(f"{name}, seed {seed}: {kernels} of {macs} multiply-accumulates "
                      "in kernels")
            if form in ("c", "aarch64"):
                run_object = self.run_c if form == "c" else self.run_aarch64
                run_object(f"{name}, seed {seed}, {form}", module, inputs, wanted)
                continue
            targets = self.options.targets.split(",") if form == "qnnpack" else [""]
            if targets == ["every"]:
                np.savez(self.work / "x.npz", x=inputs)
                targets = self.find_targets(module)
                print("on " + ", ".join(targets))
            for target in targets:
                options = [f"--target={target}"] if target else []
                self.compare(f"{name}, seed {seed}, {form} {target}", wanted,
                             self.compute(module, inputs, *options))
        self.modules += 1

    def mutate(self, name, seed):
        """Whether the mutation was refused."""
        network = self.build(name, 0, 4)
        changed, what = mutations.mutate(network.text, seed)
        source = self.work / "in.mlir"
        source.write_text(changed)
        if not self.respell(source):
            return "refused upstream"
        return mutations.judge(self, f"{name}, mutation {seed} ({what})", source,
                               network.inputs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--networks", default=",".join(networks.NETWORKS))
    parser.add_argument("--inputs", type=int, default=8)
    parser.add_argument("--seeds", default="0:1")
    parser.add_argument("--targets", default="")
    parser.add_argument("--forms", default="qnnpack,linalg,tosa")
    parser.add_argument("--mutations", default="")
    parser.add_argument("--spelling", choices=["tosa", *SPELLINGS], default="tosa")
    parser.add_argument("--llvm", default="/usr/lib/llvm-22/bin")
    parser.add_argument("--dynamic", action="store_true")
    options = parser.parse_args()
    first, last = map(int, (options.mutations or options.seeds).split(":"))
    names = options.networks.split(",")
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(options, pathlib.Path(folder))
        for seed in range(first, last) if not options.mutations else ():
            for name in names:
                checker.check(name, seed)
        counts = {}
        for number in range(first, last) if options.mutations else ():
            verdict = checker.mutate(names[number % len(names)], number)
            counts[verdict] = counts.get(verdict, 0) + 1
    if options.mutations:
        print(f"{last - first} mutations: "
              + ", ".join(f"{n} {verdict}" for verdict, n in sorted(counts.items())))
    print(f"{checker.modules} networks, {checker.compared} integers compared, 0 differ")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random networks compute the integers of docs/Numerics.md, on every path of code.

    exact.py --bin DIR [--seeds FIRST:LAST] [--batch N] [--targets NAME,...]
             [--every-target] [--keep DIR]

Networks, qconfigs and ranges are those of check.py, for the backends that have
kernels. Each network is computed by integers.py from what kernels are made of, and run
as linalg and with the kernels that are generated for a target of this machine, or for
each with --every-target. Quantized results are equal; what float layers give, which add
in another order, is within 1e-6 of the largest element of the result.

Prints how many operators the formulas computed, and with --verbose by kind, and
which ones they didn't.
"""

import argparse
import collections
import pathlib
import sys
import tempfile

import numpy as np

import check
import integers
from configuration import Backend
from network import random_inputs
from module import functions

TARGETS = ["scalar", "sse2", "ssse3", "avx2", "avxvnni", "avx512", "avx512vnni", "amx",
           "dotprod", "i8mm"]


class Exact:
    def __init__(self, tools, targets, every_target):
        self.tools, self.targets, self.every = tools, targets, every_target
        self.computed, self.left = collections.Counter(), collections.Counter()
        self.elements = 0
        self.turn = 0

    def next_targets(self):
        if self.every:
            return self.targets
        self.turn += 1
        return self.targets[self.turn % len(self.targets):][:1]

    def prepare(self, batch):
        """The functions before kernels, and the modules to run by form."""
        work = self.tools.work
        source, table = work / "in.mlir", work / "table.json"
        source.write_text(batch.module())
        fused, observed = check.observe(self.tools, batch, source)
        check.draw_table(observed, table)
        text, _ = check.convert(self.tools, batch.backend, [f"qconfig={batch.qconfig}"],
                                f"calibration={table}", source)
        reference, rest = functions(text)
        texts, exposed = [], {}
        for name, function in reference.items():
            changed, exposed[name] = integers.expose(function)
            texts.append(changed)
        (work / "exposed.mlir").write_text("\n".join(
            [line for line in rest if line not in ("module {", "}")] + texts))
        backend = f"backend={batch.backend} lower-to=qnnpack"
        self.tools.run("qbackend-opt", f"--qbackend-create-kernels={backend}",
                       work / "exposed.mlir", "-o", work / "qnnpack.mlir")
        check.apply(self.tools, batch, source, table, "linalg", "-o",
                    work / "linalg.mlir")
        return fused, reference, exposed

    def check(self, batch):
        fused, reference, exposed = self.prepare(batch)
        for name, function in reference.items():
            network = batch.networks[name]
            inputs = random_inputs(network)
            np.savez(self.tools.work / "inputs.npz",
                     **{f"arg{i}": x for i, x in enumerate(inputs)})
            wanted = None
            for target in self.next_targets():
                found = self.compute("qnnpack", name, f"--target={target}")
                results = found[:len(network.results)]
                if wanted is None:
                    known = dict(zip(exposed[name], found[len(results):], strict=True))
                    wanted = self.model(fused[name], function, inputs, known)
                self.compare(f"{name}, {target}", wanted, results)
            self.compare(f"{name}, linalg", wanted, self.compute("linalg", name))

    def model(self, fused, function, inputs, known):
        model = integers.Model(fused, function)
        results = model.run(inputs, known)
        self.computed.update(model.computed)
        self.left.update(model.left)
        return results

    def compute(self, form, name, *options):
        outputs = self.tools.work / "outputs.npz"
        self.tools.run("qbackend-run", self.tools.work / f"{form}.mlir",
                       f"--entry={name}", f"--input={self.tools.work / 'inputs.npz'}",
                       "-o", outputs, "--num-threads=1", *options)
        with np.load(outputs) as file:
            return [file[result] for result in file.files]

    def compare(self, label, wanted, found):
        for number, (a, b) in enumerate(zip(wanted, found, strict=True)):
            if a is None:
                continue
            check.require(a.size == b.size, f"{label}: {a.shape}, {b.shape}")
            b = b.reshape(a.shape)
            # Sums of float layers may be added in another order in other forms. A step
            # of an 8-bit result is more than that.
            differ = ~np.isclose(a, b, 0, 1e-6 * np.abs(a).max(initial=0),
                                 equal_nan=True)
            check.require(not differ.any(), f"{label}: result {number} differs in "
                          f"{differ.sum()} of {a.size} elements, by up to "
                          f"{np.abs(a - b).max():.3g}")
            self.elements += a.size


def has_target(tools, target, module):
    try:
        tools.run("qbackend-run", module, f"--target={target}", "--samples=1",
                  f"--input={tools.work / 'x.npz'}", "-o", tools.work / "out.npz")
        return True
    except check.Broken as error:
        if "doesn't have" in str(error):
            return False
        raise


def find_targets(tools, names):
    """Those of `names` that this machine has."""
    module = tools.work / "one.mlir"
    kind = "tensor<1x!quant.uniform<u8:f32, 1.0>>"
    module.write_text(f"func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {{\n"
                      f"  %0 = qnnpack.quantize %x : tensor<1xf32> -> {kind}\n"
                      f"  %1 = qnnpack.dequantize %0 : {kind} -> tensor<1xf32>\n"
                      "  return %1 : tensor<1xf32>\n}\n")
    np.savez(tools.work / "x.npz", x=np.zeros(1, np.float32))
    return [name for name in names if has_target(tools, name, module)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--seeds", default="0:100")
    parser.add_argument("--batch", type=int, default=10)
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--every-target", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    first, last = map(int, options.seeds.split(":"))
    failures = 0
    with tempfile.TemporaryDirectory() as work:
        tools = check.Tools(options.bin, work)
        backends = {name: Backend(name, tools.run("qbackend-config", "show", name)[0])
                    for name in check.INTEGER_FORMS}
        targets = find_targets(tools, options.targets.split(","))
        exact = Exact(tools, targets, options.every_target)
        for start in range(first, last, options.batch):
            batch = check.Batch(range(start, min(start + options.batch, last)))
            batch.draw(backends)
            try:
                exact.check(batch)
            except check.Broken as error:
                failures += 1
                print(f"FAIL {batch}: {error}", flush=True)
                if options.keep:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    for name in ("in.mlir", "exposed.mlir", "table.json"):
                        (options.keep / f"{start}.{name}").write_bytes(
                            (tools.work / name).read_bytes())
    if options.verbose:
        for kind, count in sorted(exact.computed.items()):
            print(f"  {kind:24}{count:6}")
        for kinds, count in exact.left.most_common():
            print(f"  not computed: {count} {kinds}")
    known = sum(n for kind, n in exact.computed.items() if kind != "not computed")
    print(f"{last - first} networks on {', '.join(targets)}: {known} operators "
          f"computed, {exact.computed['not computed']} not, {exact.elements} elements "
          f"compared, {failures} batches failed")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())

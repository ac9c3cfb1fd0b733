#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What runs in parallel: with the bytes of one thread, and without a data race.

    parallel.py --bin DIR [--only PART,...]

In a build with ThreadSanitizer (`utils/setup.sh threads`) a race ends a program with
its exit code. Parts:

    pool       the threads that share one call, and passes (RuntimeTests,
               PassThreadsTests)
    api        calls of the C interface from four threads (ThreadTests)
    samples    qbackend-run on samples: results, tables, comparisons, sensitivity
    passes     qbackend-opt on a module of many functions

What kernels do in each other's way shows in their results only: code of the JIT is
not instrumented, nor are the packaged libMLIR and libLLVM. The exit code is 1, after what was found, if something was.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
FUNCTION = """\
func.func @{name}(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {{
  %w = arith.constant dense<{weight}> : tensor<8x8xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8xf32>) -> tensor<1x8xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<1x8xf32>, tensor<8x8xf32>)
    outs(%f : tensor<1x8xf32>) -> tensor<1x8xf32>
  %1 = tosa.clamp %0 {{min_val = 0.0 : f32, max_val = 6.0 : f32}}
    : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %2 = arith.addf %1, %x : tensor<1x8xf32>
  return %2 : tensor<1x8xf32>
}}
"""


def write_function(name, seed):
    weight = np.random.default_rng(seed).normal(size=(8, 8)).round(3).tolist()
    return FUNCTION.format(name=name, weight=weight)


class Parts:
    def __init__(self, binaries, work):
        self.bin, self.work = binaries, work
        self.network = work / "network.mlir"
        self.network.write_text(write_function("main", 0))
        self.samples = work / "samples.npz"
        x = np.random.default_rng(1).normal(size=(200, 1, 8)).astype("f4")
        np.savez(self.samples, x=x[:, 0])
        # What libMLIR orders isn't seen: what it allocates and locks is left to it, and
        # the last one to count down the owners of a task may be it.
        suppressions = work / "suppressions"
        suppressions.write_text(
            "race:_Sp_counted_ptr_inplace<std::__future_base::_Deferred_state\n")
        self.environment = {**os.environ, "TSAN_OPTIONS": ":".join([
            # A test has a child that starts threads.
            "exitcode=66", "die_after_fork=0", "ignore_noninstrumented_modules=1",
            f"suppressions={suppressions}",
            os.environ.get("TSAN_OPTIONS", "")])}

    def run(self, *command):
        done = subprocess.run([str(part) for part in command], capture_output=True,
                              text=True, env=self.environment, timeout=900)
        said = done.stdout + done.stderr
        if done.returncode or "WARNING: ThreadSanitizer" in said:
            # The first report, or the end.
            at = said.find("WARNING: ThreadSanitizer")
            raise AssertionError(f"{command}: exit code {done.returncode}\n"
                                 + (said[at:at + 6000] if at >= 0 else said[-3000:]))
        return done.stdout

    def check_pool(self):
        # Children of a sandbox have no threads, and no sanitizer; it supports no
        # threads of other children.
        for program in ("RuntimeTests", "PassThreadsTests"):
            said = self.run(self.bin.parent / "test" / "Execution" / "Runtime" / program,
                            "--gtest_filter=-*Sandbox*:*Child*")
            assert re.search(r"PASSED  \] [1-9]\d* tests?", said), said[-500:]

    def check_api(self):
        said = self.run(self.bin.parent / "test" / "Interfaces" / "CAPI" / "ThreadTests",
                        HERE.parent / "Interfaces" / "CAPI" / "Inputs" / "linear.mlir")
        assert "0 failures" in said, said

    def check_samples(self):
        quantized = self.work / "quantized.mlir"
        self.run(self.bin / "qbackend-opt", "--apply-backend=qnnpack", "samples=2",
                 self.network, "-o", quantized)
        for name, arguments in {
                "results.npz": [],
                "default.json": ["--calibrate"],
                "minmax.json": ["--calibrate", "--qconfig=minmax_per_channel"],
                "layers": [f"--compare={quantized}", "--layers"],
                "sensitivity": ["--sensitivity"]}.items():
            found = []
            for threads in (1, 4):
                output = self.work / f"{threads}-{name}"
                line = [self.bin / "qbackend-run", self.network,
                        f"--input={self.samples}", f"--num-threads={threads}",
                        *arguments]
                if "." in name:
                    self.run(*line, "-o", output)
                    found.append(output.read_bytes())
                else:
                    found.append(self.run(*line))
            assert found[0] and found[0] == found[1], name

    def check_passes(self):
        module = self.work / "functions.mlir"
        module.write_text("".join(write_function(f"f{i}", i) for i in range(24)))
        found = []
        for option in ("--mlir-disable-threading=true", "--mlir-disable-threading=false"):
            output = self.work / "functions.out.mlir"
            self.run(self.bin / "qbackend-opt", option, "--qbackend-raise-pipeline",
                     "--canonicalize", "--cse", module, "-o", output)
            found.append(output.read_bytes())
        assert found[0] and found[0] == found[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--only", default="pool,api,samples,passes")
    arguments = parser.parse_args()
    failures = 0
    for name in arguments.only.split(","):
        with tempfile.TemporaryDirectory() as work:
            try:
                parts = Parts(arguments.bin.resolve(), pathlib.Path(work))
                getattr(parts, f"check_{name}")()
                print(f"{name}: no finding", flush=True)
            except AssertionError as error:
                failures += 1
                print(f"{name}: FAILED: {error}", flush=True)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())

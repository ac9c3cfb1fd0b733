# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whoever misses a thread at any moment does without, or says so: no abort.

    refused.py --bin DIR --library FILE --work DIR [--package DIR]

FILE is refuse.c as a shared library. --package is where the Python package is. The
exit code is 1 if something goes wrong.
"""

import argparse
import os
import pathlib
import subprocess
import sys

import numpy as np

FUNCTION = """\
func.func @f{i}(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {{
  %0 = tosa.tanh %x : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = tosa.sigmoid %0 : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}}
"""
SCRIPT = """\
import sys, numpy, qbackend
model = qbackend.Model(open(sys.argv[1]).read(), entry="f0")
x = numpy.linspace(-2, 2, 160, dtype="f4").reshape(40, 4)
quantized = model.calibrate(x, threads=4).quantize()
open(sys.argv[2], "w").write(quantized.text())
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--library", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--package", type=pathlib.Path)
    arguments = parser.parse_args()
    # How many threads are wanted, and so which are missed, depends on the cores.
    cores = sorted(os.sched_getaffinity(0))[:2]
    os.sched_setaffinity(0, cores)
    source, samples, out = (arguments.work / name
                            for name in ("in.mlir", "x.npz", "out"))
    source.write_text("".join(FUNCTION.format(i=i) for i in range(8)))
    np.savez(samples, x=np.linspace(-2, 2, 160, dtype="f4").reshape(40, 4))
    tools = arguments.bin
    # Those whose main function is MLIR's may say that they miss a thread.
    cases = {
        "qbackend-opt": [tools / "qbackend-opt", "--apply-backend=qnnpack", "entry=f0",
                         f"data={samples}", source, "-o", out],
        "qbackend-translate": [tools / "qbackend-translate", "--qbackend-to-onnx",
                               arguments.work / "one.mlir", "-o", out],
        "qbackend-run": [tools / "qbackend-run", source, "--entry=f0",
                         "--calibrate", "--num-threads=3", f"--input={samples}", "-o",
                         out],
        "qbackend-stages": [tools / "qbackend-stages", source,
                            "--apply-backend=qnnpack", f"data={samples}", "entry=f0",
                            "--html", "-o", out],
        "qbackend-config": [tools / "qbackend-config", "show", "qnnpack", "-o", out],
    }
    one = arguments.work / "f0.mlir"
    one.write_text(FUNCTION.format(i=0))
    subprocess.run([tools / "qbackend-opt", "--apply-backend=qnnpack",
                    f"data={samples}", one, "-o", arguments.work / "one.mlir"],
                   check=True, stderr=subprocess.DEVNULL)
    cases["qbackend-tune"] = [tools / "qbackend-tune", one, "--keep-sqnr=1",
                              f"--input={samples}", f"--data={samples}", "-o",
                              out.with_suffix(".mlir")]
    if arguments.package:
        cases["python"] = [sys.executable, "-c", SCRIPT, source, out]
    failures = refused = 0
    for name, command in cases.items():
        wanted, out = None, command[-1]
        for threads in (99, 0, 1, 3, 6, 7, 9):
            environment = {**os.environ, "LD_PRELOAD": str(arguments.library),
                           "THREADS": str(threads), "OPENBLAS_NUM_THREADS": "1",
                           "PYTHONPATH": str(arguments.package or "")}
            done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=120)
            found = out.read_bytes() if out.exists() else None
            out.unlink(missing_ok=True)
            wanted = wanted or found
            may_fail = name in ("qbackend-opt", "qbackend-translate") and threads > 1
            if done.returncode == 0 and found == wanted and wanted:
                continue
            refused += 1
            if not may_fail or found or done.returncode != 1 or \
                    "cannot start a thread" not in done.stderr or \
                    "ulimit -u" not in done.stderr:
                failures += 1
                print(f"{name} with {threads} threads: exit code {done.returncode}, "
                      f"{done.stderr[-500:]}")
    print(f"{len(cases)} programs, {refused} runs say so, {failures} failures")
    return failures > 0 or (refused == 0 and len(cores) == 2)


if __name__ == "__main__":
    sys.exit(main())

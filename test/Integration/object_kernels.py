#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers as objects for other processors: the integers of the formulas.

    object_kernels.py --build DIR --llvm DIR --source DIR --work DIR [--emulate]

Layers of kernels.py that have vector code of their own for each processor, compiled
for those of x86 that this machine can be, and run. With --emulate, all layers for
each target of AArch64, linked by its cross compiler and run by qemu-aarch64.
"""

import argparse
import pathlib
import re
import subprocess
import sys

import numpy as np

import kernels

TARGETS = {"scalar": "", "dotprod": "+dotprod", "i8mm": "+dotprod,+i8mm"}
# By what /proc/cpuinfo calls the last one of their instructions.
PROCESSORS = {"x86-64": "sse2", "x86-64-v2": "sse4_2", "haswell": "avx2",
              "skylake-avx512": "avx512bw", "icelake-server": "avx512_vnni",
              "sapphirerapids": "amx_int8"}
PROGRAM = """
#include "network.h"
#include <stdio.h>
#include <stdlib.h>
static unsigned char arena[NETWORK_ARENA_SIZE + 1] __attribute__((aligned(64)));
%s
int main(void) {
  %s
  network(%s, arena);
  %s
  return 0;
}
"""


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed:\n{done.stderr.decode()[:2000]}")
    return done.stdout


def write_program(header, elements, path):
    """Inputs come from the standard input, one after the other, results go to the
    standard output. `elements`: the bytes of one, of each."""
    names = re.findall(r"#define NETWORK_((?:INPUT|OUTPUT)\d*)_SIZE", header)
    buffers = "\n".join(f"static unsigned char {n}[NETWORK_{n}_SIZE * {size}] "
                        "__attribute__((aligned(64)));"
                        for n, size in zip(names, elements))
    inputs = "\n  ".join(f"if (fread({n}, 1, sizeof({n}), stdin) != sizeof({n})) abort();"
                         for n in names if n.startswith("INPUT"))
    outputs = "\n  ".join(f"fwrite({n}, 1, sizeof({n}), stdout);"
                          for n in names if n.startswith("OUTPUT"))
    arguments = ", ".join(f"(void *){n}" for n in names)
    path.write_text(PROGRAM % (buffers, inputs, arguments, outputs))


def check(args, name, network, module, options, link, emulator):
    """How many layers differ."""
    run(sys.executable, args.source / "utils/compile-to-object.py", module, "-o",
        args.work / "network", "--build", args.build, "--llvm", args.llvm, *options)
    main_file, program = args.work / "main.c", args.work / "program"
    tensors = [t.bytes for t in network.inputs.values()]
    elements = [values.itemsize for values in tensors + network.expected]
    write_program((args.work / "network.h").read_text(), elements, main_file)
    run(*link, "-o", program, main_file, args.work / "network.o", "-lm")
    done = subprocess.run([*emulator, str(program)], capture_output=True, check=True,
                          input=b"".join(values.tobytes() for values in tensors))
    begin = failures = 0
    for (layer, _), expected in zip(network.names, network.expected):
        part = done.stdout[begin:begin + expected.nbytes]
        begin += expected.nbytes
        wrong = int((np.frombuffer(part, expected.dtype) != expected.ravel()).sum())
        if wrong:
            failures += 1
            print(f"FAILED: {name}, {layer}: {wrong} of {expected.size}")
    assert begin == len(done.stdout)
    return failures


def main():
    parser = argparse.ArgumentParser()
    for name in ("build", "llvm", "source", "work"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    parser.add_argument("--emulate", action="store_true")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    network = kernels.build(1, 6) if args.emulate else kernels.build_lookups(1, 7)
    module = args.work / "layers.mlir"
    network.write(module)
    failures, ran = 0, []
    if args.emulate:
        for name, features in TARGETS.items():
            options = ["--triple", "aarch64-linux-gnu", "--target", name]
            options += [f"--features={features}"] if features else []
            failures += check(args, name, network, module, options,
                              ["aarch64-linux-gnu-gcc", "-static"],
                              ["qemu-aarch64", "-cpu", "max"])
            ran.append(name)
    else:
        has = set(pathlib.Path("/proc/cpuinfo").read_text().split())
        names = [name for name, last in PROCESSORS.items() if last in has]
        for name in ["this one", *names]:
            options = ["--cpu", name] if name in PROCESSORS else []
            failures += check(args, name, network, module, options, ["cc"], [])
            ran.append(name)
    print(f"{len(network.names)} layers on {', '.join(ran)}")
    print("PASS" if failures == 0 else "FAIL")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

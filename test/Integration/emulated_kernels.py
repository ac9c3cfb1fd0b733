#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers as objects for AArch64, in an emulator: the integers of the formulas.

    emulated_kernels.py --build DIR --llvm DIR --source DIR --work DIR

The layers of kernels.py are compiled for each target of that architecture, linked
by its cross compiler and run by qemu-aarch64.
"""

import argparse
import pathlib
import re
import subprocess
import sys

import numpy as np

import kernels

TARGETS = {"scalar": "", "dotprod": "+dotprod", "i8mm": "+dotprod,+i8mm"}
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


def write_program(header, path):
    """Inputs come from the standard input, one after the other, results go to the
    standard output."""
    names = re.findall(r"#define NETWORK_((?:INPUT|OUTPUT)\d*)_SIZE", header)
    buffers = "\n".join(f"static unsigned char {n}[NETWORK_{n}_SIZE];" for n in names)
    inputs = "\n  ".join(f"if (fread({n}, 1, sizeof({n}), stdin) != sizeof({n})) abort();"
                         for n in names if n.startswith("INPUT"))
    outputs = "\n  ".join(f"fwrite({n}, 1, sizeof({n}), stdout);"
                          for n in names if n.startswith("OUTPUT"))
    arguments = ", ".join(f"(void *){n}" for n in names)
    path.write_text(PROGRAM % (buffers, inputs, arguments, outputs))


def main():
    parser = argparse.ArgumentParser()
    for name in ("build", "llvm", "source", "work"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    network = kernels.build(1, 6)
    module = args.work / "layers.mlir"
    network.write(module, dynamic=False)
    data = b"".join(t.bytes.tobytes() for t in network.inputs.values())
    failures = 0
    for target, features in TARGETS.items():
        run(sys.executable, args.source / "utils/compile-to-object.py", module, "-o",
            args.work / "network", "--build", args.build, "--llvm", args.llvm,
            "--triple", "aarch64-linux-gnu", "--target", target,
            *([f"--features={features}"] if features else []))
        main_file, program = args.work / "main.c", args.work / "program"
        write_program((args.work / "network.h").read_text(), main_file)
        run("aarch64-linux-gnu-gcc", "-static", "-o", program, main_file,
            args.work / "network.o", "-lm")
        done = subprocess.run(["qemu-aarch64", "-cpu", "max", str(program)],
                              input=data, capture_output=True, check=True)
        found = np.frombuffer(done.stdout, np.uint8)
        begin = 0
        for (name, _), expected in zip(network.names, network.expected):
            part = found[begin:begin + expected.size].view(expected.dtype)
            begin += expected.size
            wrong = int((part != expected.ravel()).sum())
            if wrong:
                failures += 1
                print(f"FAILED: {target}, {name}: {wrong} of {expected.size}")
        assert begin == found.size
    print(f"{len(network.names)} layers on {', '.join(TARGETS)}")
    print("PASS" if failures == 0 else "FAIL")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

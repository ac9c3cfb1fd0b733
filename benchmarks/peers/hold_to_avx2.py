#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
r"""Makes ONNX Runtime believe that the processor ends with AVX2.

    hold_to_avx2.py PACKAGE COPY [--vnni]
    LD_PRELOAD=COPY/cpuid.so run.py --build DIR --ort COPY --targets avx2 \
        --cpu x86-64-v3

ONNX Runtime has no setting for the instructions that it uses. In a copy of npm's
package onnxruntime-node each `cpuid` becomes a trap, and a library that is loaded
first answers it as the processor does, without AVX-512 and AMX, and without AVX-VNNI
unless --vnni. Traps are taken when kernels are chosen, not while they run.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ANSWERS = r"""
#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <ucontext.h>

static void answer(int number, siginfo_t *info, void *data) {
  greg_t *registers = ((ucontext_t *)data)->uc_mcontext.gregs;
  unsigned leaf = registers[REG_RAX], part = registers[REG_RCX], a, b, c, d;
  __cpuid_count(leaf, part, a, b, c, d);
  if (leaf == 7 && part == 0) {
    /* F, DQ, IFMA, PF, ER, CD, BW, VL; VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ;
       4VNNIW, 4FMAPS, VP2INTERSECT, AMX-BF16, FP16, AMX-TILE, AMX-INT8. */
    b &= ~(1u << 16 | 1u << 17 | 1u << 21 | 7u << 26 | 3u << 30);
    c &= ~(1u << 1 | 1u << 6 | 1u << 11 | 1u << 12 | 1u << 14);
    d &= ~(3u << 2 | 1u << 8 | 15u << 22);
  } else if (leaf == 7 && part == 1) {
    /* AVX512-BF16, AMX-FP16; AVX-VNNI, AVX-VNNI-INT8. */
    a &= ~(1u << 5 | 1u << 21);
#ifndef VNNI
    a &= ~(1u << 4);
    d &= ~(1u << 4);
#endif
  }
  registers[REG_RAX] = a;
  registers[REG_RBX] = b;
  registers[REG_RCX] = c;
  registers[REG_RDX] = d;
}

__attribute__((constructor)) static void install(void) {
  struct sigaction action = {0};
  action.sa_sigaction = answer;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGTRAP, &action, 0);
}
"""


def trap_cpuid(library):
    """Each cpuid is a breakpoint and a nop; their number."""
    lines = subprocess.run(["objdump", "-d", "--no-show-raw-insn", library], check=True,
                           stdout=subprocess.PIPE, text=True).stdout
    addresses = [int(found, 16) for found in
                 re.findall(r"^ *([0-9a-f]+):\s+cpuid\s*$", lines, re.MULTILINE)]
    headers = subprocess.run(["objdump", "-h", library], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    sections = [[int(number, 16) for number in found] for found in re.findall(
        r"^ *\d+ \S+ +(\w+) +(\w+) +\w+ +(\w+)", headers, re.MULTILINE)]
    with open(library, "r+b") as file:
        for address in addresses:
            place, = (offset + address - start for size, start, offset in sections
                      if start and start <= address < start + size)
            file.seek(place)
            if file.read(2) != b"\x0f\xa2":
                sys.exit(f"{library}: no cpuid at {place:#x}")
            file.seek(place)
            file.write(b"\xcc\x90")
    return len(addresses)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("package", type=pathlib.Path)
    parser.add_argument("copy", type=pathlib.Path)
    parser.add_argument("--vnni", action="store_true", help="AVX-VNNI may be used")
    args = parser.parse_args()
    if os.uname().machine != "x86_64":
        sys.exit("only an x86-64 processor has AVX2")
    libraries = [path.relative_to(args.package) for path in
                 args.package.glob("bin/*/linux/x64/libonnxruntime.so*")]
    if not libraries:
        sys.exit(f"{args.package} has no library for Linux on x86-64: name the folder "
                 "onnxruntime-node in node_modules")
    shutil.copytree(args.package, args.copy, dirs_exist_ok=True)
    for library in libraries:
        print(f"{library.name}: {trap_cpuid(args.copy / library)} traps")
    with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
        source.write(ANSWERS)
        source.flush()
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", *["-DVNNI"] * args.vnni, "-o",
                        args.copy / "cpuid.so", source.name], check=True)


if __name__ == "__main__":
    main()

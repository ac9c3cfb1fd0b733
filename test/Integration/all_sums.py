#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The requantization of all 2^32 sums, on each path of code, against the formula.

    all_sums.py --build DIR --llvm DIR --work DIR [--multipliers N] [--sums N]

A layer is compiled for linalg and for each target whose processor this machine can
be. Its weights are 0, and a C program (all_sums.c) overwrites its biases and
multipliers: N multipliers of all sizes, half of them signed, with --sums of all sums,
a power of two (default: all). Prints the elements of each path and how many differ;
the exit code is 1 if any does.
"""

import argparse
import pathlib
import subprocess
import sys

import numpy as np

from object_kernels import run

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# What /proc/cpuinfo calls what they need, and the processor that has no more; the
# portable code is for this one.
TARGETS = {"linalg": ("sse2", None), "scalar": ("sse2", "x86-64"),
           "sse2": ("sse2", "x86-64"), "ssse3": ("sse4_2", "x86-64-v2"),
           "avx2": ("avx2", "haswell"), "avxvnni": ("avx_vnni", "alderlake"),
           "avx512": ("avx512bw", "skylake-avx512"),
           "avx512vnni": ("avx512_vnni", "icelake-server")}
CHANNELS, FIRST_BIAS, PATTERN = 4096, 0x5EED0000, 0x2C9277B5
# Products of 2^31 and more need code of their own.
SMALL, LARGE = (2.0**-9, 2.0**-10), (2.0**3, 2.0**4)


def write_module(path, signed, zero, scales):
    kind, x_zero = ("i8", -128) if signed else ("u8", 0)
    pattern = [scales[PATTERN >> (i % 31) & 1] for i in range(CHANNELS)]
    pairs = ",".join(f"{scale:.17e}:0" for scale in pattern)
    x = f"tensor<1x1x1x4x!quant.uniform<{kind}:f32, 1.0:{x_zero}>>"
    y = f"tensor<1x1x1x{CHANNELS}x!quant.uniform<{kind}:f32, 1.0:{zero}>>"
    w = f"tensor<{CHANNELS}x1x1x4x!quant.uniform<i8:f32:0, {{{pairs}}}>>"
    bias = np.arange(FIRST_BIAS, FIRST_BIAS + CHANNELS, dtype=np.int32)
    path.write_text(f"""
func.func @main(%x: tensor<1x1x1x4xi8>) -> tensor<1x1x1x{CHANNELS}xi8> {{
  %q = quant.scast %x : tensor<1x1x1x4xi8> to {x}
  %c = arith.constant dense<0> : tensor<{CHANNELS}x1x1x4xi8>
  %w = quant.scast %c : tensor<{CHANNELS}x1x1x4xi8> to {w}
  %b = arith.constant dense<"0x{bias.tobytes().hex()}"> : tensor<{CHANNELS}xi32>
  %y = qnnpack.conv2d %q, %w, %b {{stride = array<i64: 1, 1>, padding =
    array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64}}
    : {x}, {w}, tensor<{CHANNELS}xi32> -> {y}
  %r = quant.scast %y : {y} to tensor<1x1x1x{CHANNELS}xi8>
  return %r : tensor<1x1x1x{CHANNELS}xi8>
}}
""")


def build(args, targets, signed, zero, scales):
    """A program with an object for each target."""
    module = args.work / "sums.mlir"
    write_module(module, signed, zero, scales)
    variants = []
    for target in targets:
        source, cpu = module, TARGETS[target][1]
        options = ["--cpu", cpu] if cpu else []
        if target == "linalg":
            source = args.work / "linalg.mlir"
            run(args.build / "bin/qbackend-opt", module, "-o", source,
                "--convert-qnnpack-to-linalg")
        else:
            options += ["--target", target]
        run(sys.executable, SOURCE / "utils/compile-to-object.py", source, "-o",
            args.work / f"sums_{target}", "--build", args.build, "--llvm", args.llvm,
            *options)
        header = (args.work / f"sums_{target}.h").read_text()
        arena = header.split("_ARENA_SIZE ")[1].split()[0]
        variants.append(f"VARIANT(sums_{target}, {arena})")
    program = args.work / "all_sums"
    run("cc", "-O3", "-march=native", "-ffp-contract=off", "-o", program,
        f"-DVARIANTS={' '.join(variants)}", f"-DCHANNELS={CHANNELS}",
        f"-DFIRST_BIAS={FIRST_BIAS}", f"-DPATTERN={PATTERN}",
        f"-DSMALL={scales[0]}f", f"-DLARGE={scales[1]}f",
        pathlib.Path(__file__).with_suffix(".c"),
        *(args.work / f"sums_{target}.o" for target in targets), "-lm")
    return program


def draw_multipliers(count):
    """Ties, what networks have, and the smallest and largest floats."""
    random = np.random.default_rng(1)
    fixed = [0.5, 0.25, 2.0**-10, 1 / 3, 0.1, 0.001, 2.0**-7, 2.0**-23, 2.0**-24,
             2.0**-31, 1 - 2.0**-24, 0.75, 2.0**-32, 1.0, 1.5, 3.0, 255.0, 2.0**8]
    drawn = np.exp(random.uniform(-16, 2, max(count - len(fixed), 0)))
    return [float(np.float32(m)) for m in [*fixed, *drawn]][:count]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("build", "llvm", "work"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    parser.add_argument("--multipliers", type=int, default=100)
    parser.add_argument("--sums", type=int, default=2**32)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    has = set(pathlib.Path("/proc/cpuinfo").read_text().split())
    targets = [name for name, (needs, _) in TARGETS.items() if needs in has]
    drawn = draw_multipliers(args.multipliers)
    elements, differ = 0, dict.fromkeys(targets, 0)
    for signed, zero in ((0, 3), (1, -5)):
        for scales in (SMALL, LARGE):
            isLarge = scales == LARGE
            part = [m for m in drawn[signed::2] if (m >= 1) == isLarge]
            if not part:
                continue
            program = build(args, targets, signed, zero, scales)
            for multiplier in part:
                lines = run(program, signed, zero, args.sums, repr(multiplier))
                elements += args.sums
                found = [line.split() for line in lines.decode().splitlines()]
                for target, (_, wrong) in zip(targets, found, strict=True):
                    differ[target] += int(wrong)
                print(f"{'signed' if signed else 'unsigned'} {multiplier!r}: " +
                      ", ".join(wrong for _, wrong in found), file=sys.stderr,
                      flush=True)
    print(f"{len(drawn)} multipliers, {elements} sums on each path")
    for target, wrong in differ.items():
        print(f"{target}: {wrong} differ")
    return 1 if any(differ.values()) else 0


if __name__ == "__main__":
    sys.exit(main())

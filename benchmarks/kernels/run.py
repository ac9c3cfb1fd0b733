#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times compiled networks and layers: portable code and generated kernels.

    run.py --build DIR [--targets avx512vnni,avx2] [--rounds N] [--only TEXT]
           [--operators] [-o TABLE.md]

Each network is compiled ahead of time, as linalg (`convert-qnnpack-to-linalg`, bytes as
kernels have them) and with the kernels of each target, and once more with the first
one: what that one's ratio to itself is off 1 is noise. One program runs them in turn,
on one thread; it fails if they don't compute the same integers. The table has medians
of the ratios of each round, the time of the fastest round, and products of bytes per second as a
share of what the processor reached in the same round (median), where there is
AVX-512 VNNI.

With --operators, it is single ops in many shapes, compiled as they come for the
first target, with what they do in a second: products, or bytes read and written.
"""

import argparse
import pathlib
import sys

import numpy as np

import networks
import operators
from objects import compile_object, make_parser, parse, print_table, run

HERE = pathlib.Path(__file__).resolve().parent


def measure(name: str, args: argparse.Namespace, work: pathlib.Path) -> list[str]:
    """The cells of the network's row."""
    module, portable = work / "network.mlir", work / "portable.mlir"
    products = networks.write(name, module).products
    run(pathlib.Path(args.build) / "bin/qbackend-opt", module,
        "--convert-qnnpack-to-linalg=unsigned-bytes", "-o", portable)
    targets = args.targets.split(",") if args.targets else [""]
    variants = [compile_object(portable, "portable", args, work)]
    for i, target in enumerate(targets + targets[:1]):
        variants.append(compile_object(module, f"kernels{i}", args, work, target))
    program = work / "timer"
    run("cc", "-O2", "-march=native", "-DNETWORKS=" + " ".join(
        v.entry for v in variants), HERE / "timer.c", *(v.path for v in variants),
        "-o", program, "-lm")
    rows = np.array([[float(number) for number in line.split()]
                     for line in run(program, args.rounds).splitlines()])
    times, peak = rows[:, :-1], rows[:, -1]
    cells = [name, f"{products / 1e9:.3f}", f"{times[:, 0].min() * 1e3:.3f}"]
    for i in range(1, len(targets) + 1):
        cells.append(f"{times[:, i].min() * 1e3:.3f}")
        cells.append(f"{np.median(times[:, 0] / times[:, i]):.1f}")
    share = np.median(products / times[:, 1] / peak) if peak.all() else None
    cells.append("-" if share is None else f"{100 * share:.0f} %")
    cells.append(f"{np.median(times[:, -1] / times[:, 1]):.2f}")
    cells.append(f"{variants[1].get_code_size(args.llvm) // 1024}")
    cells.append(f"{variants[1].arena // 1024}")
    return cells


def measure_operator(name: str, args: argparse.Namespace,
                     work: pathlib.Path) -> list[str]:
    """The cells of the row of an op."""
    operator = operators.write(name, work / "operator.mlir")
    variant = compile_object(work / "operator.mlir", "operator", args, work,
                             args.targets.split(",")[0])
    program = work / "timer"
    run("cc", "-O2", "-march=native", f"-DNETWORKS={variant.entry}", HERE / "timer.c",
        variant.path, "-o", program, "-lm")
    seconds = min(float(line.split()[0])
                  for line in run(program, args.rounds).splitlines())
    amount, unit = ((operator.products, "GMAC/s") if operator.products
                    else (operator.bytes, "GB/s"))
    return [name, f"{seconds * 1e3:.4f}", f"{amount / seconds / 1e9:.1f} {unit}",
            f"{variant.arena // 1024}"]


def main() -> int:
    parser = make_parser(__doc__, rounds=21)
    parser.add_argument("--targets", default="",
                        help="targets of kernels (default: the best one)")
    parser.add_argument("--operators", action="store_true",
                        help="single ops in many shapes")
    args = parse(parser)
    targets = args.targets.split(",") if args.targets else ["kernels"]
    header = ["network or layer", "GMAC", "linalg, ms"]
    for target in targets:
        header += [f"{target}, ms", "times faster"]
    header += ["share of the peak", "A/A", "code, KiB", "arena, KiB"]
    rows, names = measure, [*networks.NETWORKS, *networks.LAYERS]
    if args.operators:
        header = ["op", "ms", "in a second", "arena, KiB"]
        rows, names = measure_operator, list(operators.OPERATORS)
    print_table("one thread, batch 1", header, names, rows, args)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times compiled networks and layers: portable code and generated kernels.

    run.py --build DIR [--targets avx512vnni,avx2] [--rounds N] [--only TEXT]
           [-o TABLE.md]

Each network is compiled ahead of time, as linalg (`convert-qnnpack-to-linalg`) and
with the kernels of each target, and once more with the first one: what that one's
ratio to itself is off 1 is noise. One program runs them in turn, on one thread; it
fails if they don't compute the same integers. The table has medians of the ratios
of each round, the time of the fastest round, and products of bytes per second as a
share of what the processor reached in the same round (median), where there is
AVX-512 VNNI.
"""

import argparse
import datetime
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

import networks

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def run(*command: object) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True,
                          text=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed:\n{done.stderr[:2000]}")
    return done.stdout


def get_processor() -> str:
    try:
        names = re.findall(r"model name\s*: (.*)",
                           pathlib.Path("/proc/cpuinfo").read_text())
    except OSError:
        names = []
    return f"{names[0]}, {len(names)} threads" if names else "unknown"


class Variant:
    """An object file and what is in its header."""

    def __init__(self, name: str, work: pathlib.Path) -> None:
        self.name, self.path = name, work / f"{name}.o"
        header = (work / f"{name}.h").read_text()
        sizes = dict(re.findall(r"#define \w+?_(INPUT|OUTPUT|ARENA)_SIZE (\d+)",
                                header))
        self.entry = (f"ENTRY({name}, {sizes['INPUT']}, {sizes['OUTPUT']}, "
                      f"{sizes['ARENA']})")
        self.arena = int(sizes["ARENA"])

    def get_code_size(self, llvm: pathlib.Path) -> int:
        text = run(llvm / "bin" / "llvm-size", "-A", self.path)
        return sum(int(size) for size in re.findall(r"\.text\S*\s+(\d+)", text))


def compile_object(module: pathlib.Path, name: str, args: argparse.Namespace,
                   work: pathlib.Path, target: str = "") -> Variant:
    command = [sys.executable, ROOT / "utils/compile-to-object.py", module, "-o",
               work / name, "--build", args.build, "--llvm", args.llvm]
    if target:
        command += ["--target", target]
    run(*command)
    return Variant(name, work)


def measure(name: str, args: argparse.Namespace, work: pathlib.Path) -> list[str]:
    """The cells of the network's row."""
    module, portable = work / "network.mlir", work / "portable.mlir"
    products = networks.write(name, module)
    run(pathlib.Path(args.build) / "bin/qbackend-opt", module,
        "--convert-qnnpack-to-linalg", "-o", portable)
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


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", default=os.environ.get("QBACKEND_BUILD"),
                        help="build directory (default: $QBACKEND_BUILD)")
    parser.add_argument("--llvm", type=pathlib.Path, default="/usr/lib/llvm-22",
                        help="prefix of the LLVM installation")
    parser.add_argument("--targets", default="",
                        help="targets of kernels (default: the best one)")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--only", default="", help="those with this in their names")
    parser.add_argument("-o", dest="output", type=pathlib.Path,
                        help="where to write the table, too")
    args = parser.parse_args()
    if not args.build:
        parser.error("name the build directory with --build or QBACKEND_BUILD")
    targets = args.targets.split(",") if args.targets else ["kernels"]
    header = ["network or layer", "GMAC", "linalg, ms"]
    for target in targets:
        header += [f"{target}, ms", "times faster"]
    header += ["share of the peak", "A/A", "code, KiB", "arena, KiB"]
    lines = [f"{get_processor()}; {datetime.date.today()}; one thread, batch 1, "
             f"{args.rounds} rounds", "", f"| {' | '.join(header)} |",
             f"|{'---|' * len(header)}"]
    print("\n".join(lines), flush=True)
    for name in [*networks.NETWORKS, *networks.LAYERS]:
        if args.only not in name:
            continue
        with tempfile.TemporaryDirectory() as work:
            lines.append(f"| {' | '.join(measure(name, args, pathlib.Path(work)))} |")
        print(lines[-1], flush=True)
    if args.output:
        args.output.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Objects to be timed, and the machine that they are timed on."""

import argparse
import datetime
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import Callable, Iterable

ROOT = pathlib.Path(__file__).resolve().parents[2]


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
        # Bytes, or floats as C has them.
        match = re.search(r"void \w+\(const (\w+) \*\w+, (\w+) \*", header)
        width = {"float": 4}
        self.input = int(sizes["INPUT"]) * width.get(match[1], 1)
        self.output = int(sizes["OUTPUT"]) * width.get(match[2], 1)
        self.entry = (f"ENTRY({name}, {self.input}, {int(match[1] == 'float')}, "
                      f"{self.output}, {sizes['ARENA']})")
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
    if getattr(args, "cpu", None):
        command += ["--cpu", args.cpu]
    run(*command)
    return Variant(name, work)


def make_parser(doc: str, rounds: int) -> argparse.ArgumentParser:
    """With what all tables of objects take."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", default=os.environ.get("QBACKEND_BUILD"),
                        help="build directory (default: $QBACKEND_BUILD)")
    parser.add_argument("--llvm", type=pathlib.Path, default="/usr/lib/llvm-22",
                        help="prefix of the LLVM installation")
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--only", default="", help="those with this in their names")
    parser.add_argument("-o", dest="output", type=pathlib.Path,
                        help="where to write the table, too")
    return parser


def parse(parser: argparse.ArgumentParser) -> argparse.Namespace:
    args = parser.parse_args()
    if not args.build:
        parser.error("name the build directory with --build or QBACKEND_BUILD")
    return args


def print_table(conditions: str, header: list[str], names: Iterable[str],
                measure: Callable[[str, argparse.Namespace, pathlib.Path], list[str]],
                args: argparse.Namespace) -> None:
    """A row of `measure` for each name that --only selects, as it is there."""
    lines = [f"{get_processor()}; {datetime.date.today()}; {conditions}, "
             f"{args.rounds} rounds", "", f"| {' | '.join(header)} |",
             f"|{'---|' * len(header)}"]
    print("\n".join(lines), flush=True)
    for name in names:
        if args.only not in name:
            continue
        with tempfile.TemporaryDirectory() as work:
            cells = measure(name, args, pathlib.Path(work))
        lines.append(f"| {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    if args.output:
        args.output.write_text("\n".join(lines) + "\n")

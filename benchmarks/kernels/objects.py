# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Objects to be timed, and the machine that they are timed on."""

import argparse
import pathlib
import re
import subprocess
import sys

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

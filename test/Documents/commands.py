# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of README and the documents, as a reader would.

usage: commands.py SOURCE FOLDER

The `sh` blocks of each document are run by bash in FOLDER, which has a small
network and samples under the names that the documents use, and where what one
block makes is there for the next. What is not run is in ELSEWHERE, with the place
that runs it; a line there that no document has is an error.
"""

import pathlib
import re
import shutil
import subprocess
import sys

# How a command begins -> what runs it.
ELSEWHERE = {
    "utils/setup.sh": "whoever runs this test",
    "PYTHONPATH=build/python test/Fuzz/": "test/Fuzz",
    "ninja ": "utils/setup.sh",
    "/usr/bin/python3 test/": "the tests in that folder",
    "utils/mutate-checks.py": "by hand: it builds each mutant",
    "benchmarks/": "by hand: it measures this machine",
    "PYTHONPATH=build/python benchmarks/": "by hand: it measures this machine",
    "LD_PRELOAD=COPY": "by hand: it measures this machine, with peers",
    "cc -I out": "test/Integration/compile-to-object.test",
    "cd out && cc": "test/Integration/firmware-c.test",
    "utils/compile-to-object.py": "test/Integration/compile-to-object.test",
    "examples/firmware/run.py": "test/Integration/firmware-emulated.test",
    "build/bin/": "test/Python/test_readme.py",
    "qbackend-import net.": "test/Python/test_import_command.py",
    "cmake ": "test/Package",
    "prefix/bin/qbackend-opt": "test/Package",
    "PYTHONPATH=build/python /usr/bin/python3": "test/Python",
    "/usr/bin/python3 examples/quantize.py": "test/Python/test_docs.py",
    "PATH=build/bin:$PATH PYTHONPATH=build/python /usr/bin/python3": "test/Python",
    "pip install ": "test/Package/wheel.test",
    "NODE_PATH=": "by hand: it takes onnxruntime-node",
    "test/Fuzz/": "test/Fuzz; thousands of seeds by hand",
    "test/Faults/": "by hand: it fills disks and memory",
    "cc -std=c11": "test/Integration/compile-to-object.test",
}

# Programs from elsewhere, without which a command is left out.
OPTIONAL = {"dot"}

# Documents with tests of their own, which compare what is printed, too.
TESTED = {
    "AddingABackend.md": "test/Backends/adding-a-backend.test",
    "Diagnostics.md": "test/Pipelines/diagnostics.test",
    "Importing.md": "test/Python/test_import_docs.py",
    "Tuning.md": "test/Insight/Tuning; its tables by hand",
}


def find_commands(path):
    """The commands of the document's sh blocks, each with its line."""
    commands, joined, start, inside = [], "", 0, False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("```"):
            inside = line.strip() == "```sh"
            continue
        if not inside:
            continue
        text = line.split(" #")[0].rstrip()
        if not joined and (not text or text.startswith("#")):
            continue
        start = start if joined else number
        joined += (" " if joined else "") + text.rstrip("\\").strip()
        if not text.endswith(("\\", "|", "&&")):
            commands.append((f"{path.name}:{start}", joined))
            joined = ""
    return commands


def main():
    source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    documents = [source / "README.md", *sorted((source / "docs").glob("*.md"))]
    missing = set(TESTED) - {path.name for path in documents}
    if missing:
        sys.exit(f"no such documents: {sorted(missing)}")
    unseen, failures, count = set(ELSEWHERE), [], 0
    for path in documents:
        for place, command in find_commands(path):
            known = [start for start in ELSEWHERE if command.startswith(start)]
            unseen -= set(known)
            if known or path.name in TESTED:
                continue
            if any(re.search(rf"\| {name}\b", command) and not shutil.which(name)
                   for name in OPTIONAL):
                continue
            count += 1
            done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", command],
                                  cwd=folder, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL)
            # diff says with 1 that there are differences.
            allowed = (0, 1) if re.search(r"-(config|calib) diff ", command) else (0,)
            if done.returncode not in allowed:
                failures.append(f"{place}: {command}\n{done.stderr[-1500:]}")
    if failures:
        sys.exit("\n".join(failures))
    if unseen:
        sys.exit(f"no document has commands that begin so: {sorted(unseen)}")
    print(f"{count} commands run")


if __name__ == "__main__":
    main()

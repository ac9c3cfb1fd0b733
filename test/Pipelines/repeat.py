# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run --apply-backend several times; output, remarks and fields must be the same.

usage: repeat.py FOLDER NET.mlir KEY=VALUE...

The runs differ in the threads of calibration, in MLIR's own, and in nothing at all.
"""

import pathlib
import subprocess
import sys

RUNS = [["num-threads=1"], ["num-threads=3"],
        ["num-threads=2", "--mlir-disable-threading"]]


def main():
    folder, net, *keys = sys.argv[1:]
    folder = pathlib.Path(folder)
    first = None
    for options in RUNS:
        def run(*more):
            extra = [o for o in options if "=" in o]
            flags = [o for o in options if "=" not in o]
            return subprocess.run(
                ["qbackend-opt", f"--apply-backend={keys[0]}", *keys[1:], *extra, net,
                 *flags, *more], capture_output=True, check=True)

        done = run()
        fields = folder / "remarks.yaml"
        run("-o", "/dev/null", "--remark-format=yaml", f"--remarks-output-file={fields}")
        seen = (done.stdout, done.stderr, fields.read_bytes())
        if b"QB000" not in seen[1] or b"QB000" not in seen[2]:
            sys.exit("no summary")
        if first is None:
            first = seen
        for what, a, b in zip(("output", "remarks", "fields"), first, seen):
            if a != b:
                sys.exit(f"other {what} with {options}")
    print(f"{len(RUNS)} runs, {len(first[0])} bytes")


main()

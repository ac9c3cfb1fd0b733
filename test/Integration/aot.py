#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a network ahead of time and compares it with qbackend-run.

    aot.py NETWORK.mlir DATA.npz --bin DIR --source DIR --llvm DIR --work DIR

NETWORK.mlir is in linalg. The object is linked with examples/aot/main.c by the
system's C compiler and needs no other library; the bits of the logits of ten
images, and of what the self-test has, have to be those of qbackend-run.
"""

import argparse
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from tools import run  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("module", type=pathlib.Path)
    parser.add_argument("data")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--llvm", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    args = parser.parse_args()

    run(sys.executable, args.source / "utils/compile-to-object.py", args.module,
        "-o", args.work / "network", "--llvm", args.llvm.parent, "--self-test")
    undefined = {
        line.split()[-1]
        for line in run(args.llvm / "llvm-nm", "-u", args.work / "network.o"
                        ).splitlines()
    }
    libc = {"memcpy", "memmove", "memset"}
    if not undefined <= libc:
        print(f"FAIL: the object needs {sorted(undefined - libc)}")
        return 1
    # The self-test has its own main.
    run("cc", "-std=c11", "-Wall", "-Werror", args.work / "network_test.c",
        args.work / "network.o", "-o", args.work / "network_test")
    if run(args.work / "network_test") != "PASS\n":
        print("FAIL: the self-test")
        return 1
    program = args.work / "main"
    run("cc", "-O2", "-Wall", "-Werror", "-I", args.work,
        args.source / "examples/aot/main.c", args.work / "network.o", "-o",
        program)

    pixels = np.load(args.data)["test_images"][:10]
    np.save(args.work / "images.npy", pixels)
    run(f"{args.bin}/qbackend-run", args.module,
        f"--input={args.work / 'images.npy'}", "--input-scale=1/255", "-o",
        args.work / "out.npz")
    expected = np.load(args.work / "out.npz")["output0"]
    found = []
    for image in pixels:
        path = args.work / "image.pgm"
        header = b"P5 %d %d 255\n" % image.shape[:0:-1]
        path.write_bytes(header + image.tobytes())
        first, *logits = run(program, path).split("\n", 1)[0:2]
        logits = [float.fromhex(line) for line in logits[0].split()]
        if first != f"class {int(np.argmax(logits))}":
            print(f"FAIL: {first} of {logits}")
            return 1
        found.append(logits)
    different = int((np.array(found) != expected.reshape(len(found), -1)).sum())
    print(f"{expected.size} logits compared, {different} differ")
    print("FAIL" if different else "PASS")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())

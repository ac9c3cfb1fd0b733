#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the innermost loops of AArch64's dense kernels have for a product of bytes.

    hot_loops.py --build DIR --llvm DIR --source DIR --work DIR

Counts the instructions between the target of a branch backwards and the branch, as
llvm-objdump has them, in the loop with the most products: 16 products of bytes each,
and accesses of the stack, which are sums or operands that registers had no room for.
"""

import argparse
import pathlib
import re
import subprocess
import sys

PRODUCTS = re.compile(r"\b(sudot|usdot|sdot)\b")


def read_loops(text):
    """The instructions of each innermost loop."""
    lines = [(int(address, 16), instruction) for address, instruction in
             re.findall(r"^\s*([0-9a-f]+):\s+(.*)$", text, re.MULTILINE)]
    for i, (address, instruction) in enumerate(lines):
        target = re.match(r"(?:b\.\w+|cbn?z\s+\w+,)\s+0x([0-9a-f]+)", instruction)
        if not target or int(target[1], 16) > address:
            continue
        body = [text for at, text in lines[:i + 1] if at >= int(target[1], 16)]
        if not any(re.match(r"(b\.|cb|ret)", text) for text in body[:-1]):
            yield body


def main():
    parser = argparse.ArgumentParser()
    for option in ("build", "llvm", "source", "work"):
        parser.add_argument(f"--{option}", required=True, type=pathlib.Path)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(args.source / "benchmarks/kernels"))
    import operators
    failed = False
    for name, operator in [("1x1", operators.convolution(14, 256, 1024, 1)),
                           ("3x3", operators.convolution(28, 64, 64, 3))]:
        module = args.work / "layer.mlir"
        module.write_text(operator.text)
        for features in ("+i8mm,+dotprod", "+dotprod"):
            subprocess.run(
                [sys.executable, args.source / "utils/compile-to-object.py", module, "-o",
                 args.work / "layer", "--build", args.build, "--llvm", args.llvm,
                 "--triple", "aarch64-linux-gnu", f"--features={features}"], check=True)
            text = subprocess.run(
                [args.llvm / "bin/llvm-objdump", "-d", "--no-show-raw-insn",
                 args.work / "layer.o"], check=True, capture_output=True, text=True).stdout
            loop = max(read_loops(text),
                       key=lambda body: sum(map(bool, map(PRODUCTS.search, body))))
            products = 16 * sum(map(bool, map(PRODUCTS.search, loop)))
            stack = sum("[sp" in instruction for instruction in loop)
            print(f"{name}, {features}: {products / len(loop):.1f} products an "
                  f"instruction, {stack} accesses of the stack")
            failed |= products < 11 * len(loop) or stack != 0
    print("FAIL" if failed else "PASS")
    return failed


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""long_functions.py FOLDER: how the work of LLVM grows with the size of a network.

Register allocation, scheduling and selection take up to quadratic time for a block, and
calls of many arguments for these: the work is the sum of the squares of the ops of each
block and of the arguments of each function, of the code that is lowered. The exponent by
which it grows from one size to one four times larger has to be below 1.3.
"""

import math
import pathlib
import re
import subprocess
import sys

T = "tensor<1x4xf32>"
ENTRY = "attributes {llvm.emit_c_interface}"


def chain(n):
    lines = [f"func.func @main(%v0: {T}) -> {T} {ENTRY} {{"]
    lines += [f"%v{i + 1} = tosa.tanh %v{i} : ({T}) -> {T}" for i in range(n)]
    return [*lines, f"return %v{n} : {T}", "}"]


def results(n):
    many = ", ".join([T] * n)
    lines = [f"func.func @main(%x: {T}) -> ({many}) {ENTRY} {{"]
    for i in range(n):
        lines += [f"%c{i} = arith.constant dense<{i}.0> : {T}",
                  f"%s{i} = arith.mulf %x, %c{i} : {T}"]
    return [*lines, "return " + ", ".join(f"%s{i}" for i in range(n)) + f" : {many}", "}"]


def arguments(n):
    given = ", ".join(f"%a{i}: {T}" for i in range(n))
    lines = [f"func.func @main({given}) -> {T} {ENTRY} {{"]
    lines += [f"%s{i} = arith.addf {f'%s{i - 1}' if i > 1 else '%a0'}, %a{i} : {T}"
              for i in range(1, n)]
    return [*lines, f"return %s{n - 1} : {T}", "}"]


def concat(n):
    many, kind = ", ".join([T] * n), f"tensor<1x{4 * n}xf32>"
    lines = [f"func.func @main(%x: {T}) -> {kind} {ENTRY} {{"]
    for i in range(n):
        lines += [f"%c{i} = arith.constant dense<{i}.0> : {T}",
                  f"%s{i} = arith.mulf %x, %c{i} : {T}"]
    values = ", ".join(f"%s{i}" for i in range(n))
    return [*lines, f"%r = tensor.concat dim(1) {values} : ({many}) -> {kind}",
            f"return %r : {kind}", "}"]


def get_work(path):
    lowered = subprocess.run(["qbackend-opt", "--qbackend-lower-to-llvm=parallel=1", path],
                             capture_output=True, text=True, check=True).stdout
    work = ops = 0
    for line in lowered.splitlines():
        if found := re.match(r"  llvm\.func .*?@[\w$.]+\((.*)", line):
            work += len(re.findall(r"%arg\d+", found[1])) ** 2
        elif re.match(r"  \^bb|  }", line):
            work, ops = work + ops ** 2, 0
        else:
            # Constants and fields of descriptors are no code.
            ops += not re.search(r"llvm\.(mlir\.|insertvalue|extractvalue)", line)
    return work


bad = 0
for shape, size in ((chain, 100), (results, 150), (arguments, 300), (concat, 250)):
    work = []
    for n in (size, 4 * size):
        path = pathlib.Path(sys.argv[1], f"{shape.__name__}.mlir")
        path.write_text("\n".join(shape(n)))
        work.append(get_work(path))
    exponent = math.log(work[1] / work[0], 4)
    print(f"{shape.__name__}: {work[0]} to {work[1]}, exponent {exponent:.2f}")
    bad += exponent >= 1.3
sys.exit(bad > 0)

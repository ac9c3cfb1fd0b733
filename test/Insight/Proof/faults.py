# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults in code that is emitted: each has a counterexample.

    faults.py WORK OPERATORS.mlir...

Takes single operators of the files, lowers each to linalg, changes one thing in
what comes out, and has qbackend-prove judge it in the place of what is emitted, which
also runs it. Without a change nothing may be found.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
from tools import run  # noqa: E402

UNDEFINED = "an overflow that is undefined"

# What is wrong, the operator, the text in its code that is replaced, and by what.
FAULTS = [
    ("a scale that is off", "quantize",
     r"constant 2\.000000e\+01", "constant 2.001000e+01"),
    ("a clamp that is missing", "quantize", r"constant 127 : i32",
     "constant 2147483647 : i32"),
    ("ties away from zero", "quantize", r"math\.roundeven", "math.round"),
    ("rounding down", "quantize", r"math\.roundeven", "math.floor"),
    ("NaN that passes a comparison", "quantize", r"cmpf olt", "cmpf ult"),
    ("a zero point with the wrong sign", "dequantize",
     r"arith\.subi", "arith.addi"),
    ("a flag of a byte that is not flipped", "dequantize",
     r"constant -128 : i8", "constant 0 : i8"),
    ("a multiplier of one channel that is off", "convolution",
     r"0\.0150000006", "0.0150200006"),
    ("a product that is added twice", "convolution",
     r"( +)(%\d+) = arith\.addi %out, (%\d+) : i32\n",
     r"\1%twice = arith.addi \3, \3 : i32\n"
     r"\1\2 = arith.addi %out, %twice : i32\n"),
    ("unsigned bytes", "convolution", r"arith\.extsi %in :", "arith.extui %in :"),
    ("padding that is no zero", "convolution",
     r"constant -8 : i8", "constant -7 : i8"),
    ("taps in the wrong order", "convolution",
     r"d1 \* 2 \+ d4, d2 \* 2 \+ d5", "d1 * 2 + d5, d2 * 2 + d4"),
    ("a border that is read once too often", "convolution",
     r"low\[0, 1, 1, 0\] high\[0, 1, 1, 0\]", "low[0, 2, 1, 0] high[0, 0, 1, 0]"),
    ("a relu that is missing", "convolution",
     r"constant 0 : i32", "constant -30 : i32"),
    ("a bias without its zero point", "signed",
     r"dense<\[(-?\d+), (-?\d+)\]> : tensor<2xi32>", r"dense<0> : tensor<2xi32>"),
    ("a weight that is one off", "signed", r"dense<(\[\[\[\[)1,", r"dense<\g<1>2,"),
    (UNDEFINED, "linear",
     r"constant 2\.14748365E\+9", "constant 3.0E+9"),
    ("an overflow to the largest", "linear",
     r"constant -3\.000000e\+01 : f32", "constant 2.250000e+02 : f32"),
    ("a shift that is off by one", "add", r"constant 22 : i32", "constant 21 : i32"),
    ("ties up", "add", r"cmpi sgt", "cmpi sge"),
    ("a multiplier that is one off", "add",
     r"constant 2097152 : i32", "constant 2097153 : i32"),
    ("ties down", "add_signed",
     r"(%c1048576_i32_\d) = arith\.constant 1048576", r"\1 = arith.constant 1048575"),
    ("an operand of the wrong row", "mul", r"\(d0, 0\)>", "(0, 0)>"),
    ("padding that wins", "max_pool", r"(%c-128_i8) = (.*)-128 : i8\n(.*)tensor\.pad",
     r"\1 = \2 0 : i8\n\3tensor.pad"),
    ("the smallest", "max_pool", r"arith\.maxsi", "arith.minsi"),
    ("a window that is counted wrongly", "avg_pool",
     r"constant 72 : i32", "constant 64 : i32"),
    ("a window at the wrong place", "avg_pool",
     r"d1 \* 2 \+ d4", "d2 * 2 + d4"),
    ("ties to odd", "nearest_even", r"arith\.andi (%\d+), (%\S+) :",
     r"arith.subi \2, \1 :"),
    # The last difference is the half less 1.
    ("ties up", "nearest_even", r"((?:.|\n)*)arith\.subi", r"\1arith.addi"),
    ("a second rounding that is not asked for", "double", "cmpi sgt", "cmpi sge"),
    # 100 times it is a tie, of the right one a bit less.
    ("a fixed-point multiplier that is one off", "half_away",
     r"constant 1417339207", "constant 1417339208"),
    ("a sum that is shifted too little", "fixed_add",
     r"constant 22 : i32", "constant 21 : i32"),
    ("a tap of another phase", "padded", r"dense<\[\[\[\[9, -18, 0,",
     "dense<[[[[9, 0, -18,"),
    ("a bias of another phase", "padded", r"dense<\[148, -41, 148, 7,",
     "dense<[148, -41, 7, 148,"),
    ("rows that are all the first one", "nearest",
     r"dense<\[0, 0, 1, 1, 2, 2\]>", "dense<0>"),
    ("a row that is the next one", "fraction",
     r"dense<\[0, 0, 1, 1, 2\]>", "dense<[0, 1, 1, 1, 2]>"),
    ("a border that is the last column but one", "border",
     r"(minsi (?:.|\n)*?constant) 4 : index", r"\1 3 : index"),
    ("a shift of sums of 64 bits", "wide", r"dense<\[20, 31\]>", "dense<[19, 31]>"),
    ("a range of the largest only", "dynamic", r"minimumf", "maximumf"),
    ("a range without 0", "dynamic",
     r"0\.000000e\+00 : f32(\n.*tensor\.empty\(\) : tensor<f32>)", r"1.0 : f32\1"),
    ("a range of 254 steps", "dynamic", r"2\.550000e\+02", "2.540000e+02"),
    ("a zero point that is rounded down", "dynamic",
     r"math\.roundeven (%\d+) : f64", r"math.floor \1 : f64"),
    ("bytes that are moved and not their zero point", "dynamic",
     r"constant -128 : i32", "constant 0 : i32"),
    ("a sum of weights", "dynamic", r"dense<\[126, -117\]>", "dense<[126, -116]>"),
    ("a bias that comes before the scale", "dynamic",
     r"(%\d+) = arith\.mulf (%\d+), (%\d+) : f32\n(.*) = arith\.addf \1, (%in_\d+)",
     r"\1 = arith.addf \2, \5 : f32\n\4 = arith.mulf \1, \3"),
    ("a float that is added to itself", "dynamic_plain",
     r"(%\d+) = arith\.addf (%\d+), %cst\w*", r"\1 = arith.addf \2, \2"),
    ("a row of signed bytes", "rows", r"arith\.uitofp", "arith.sitofp"),
    ("a zero point of another row", "rows", r"dense<\[-3.000000e-01, -30.0000019",
     "dense<[-30.0000019, -3.000000e-01"),
    ("a scale of 32 bits", "halves", r"0\.300048828", "3.000000e-01"),
    ("halves in the other order", "halves", r"cmpi ne", "cmpi eq"),
    ("halves of the next byte", "table_argument",
     r"(%\d+) = arith\.divui (%\d+), %c2_\d", r"\1 = arith.remui \2, %c2"),
    ("a zero point with the wrong sign", "row_arguments", r"arith\.negf", "math.absf"),
    ("an entry of a table", "hardswish", r'dense<"0x(..)',
     lambda match: f'dense<"0x{int(match[1], 16) ^ 1:02X}'),
]

# Changes that are none: they have to be seen through.
SAME = [("avg_pool", r"d1 \* 2 \+ d4", "d4 + d1 * 2"),
        ("add", r"arith\.addi (%\d+), (%\d+) : i32", r"arith.addi \2, \1 : i32"),
        ("convolution", r"arith\.muli (%\d+), (%\d+) : i32",
         r"arith.muli \2, \1 : i32"),
        # No sum that is within the limits is so near below a tie.
        ("half_away", r"arith\.shrsi (%\d+), %c63_i64",
         r"arith.shrui \1, %c63_i64"),
        ("dynamic", r"arith\.muli (%in_\d+), (%\d+) : i32\n(.*)subi",
         r"arith.muli \2, \1 : i32\n\3subi")]


def main(work, *sources):
    work.mkdir(parents=True, exist_ok=True)
    functions = {}
    for source in sources:
        text = source.read_text()
        aliases = "".join(re.findall(r"^[!#].*\n", text, re.M))
        for match in re.finditer(r"^func\.func @(\w+)\(.*?^}\n", text, re.M | re.S):
            functions[match[1]] = aliases + match[0]

    def judge(name, index, old, new):
        module = work / f"{name}.mlir"
        module.write_text(functions[name])
        lowered = run("qbackend-opt", module, "--convert-qnnpack-to-linalg")
        changed = re.sub(old, new, lowered, count=1)
        if changed == lowered:
            sys.exit(f"{name} has nothing like {old}:\n{lowered}")
        code = work / f"{name}-{index}.mlir"
        code.write_text(changed)
        return module, code

    found = 0
    for index, (what, name, old, new) in enumerate(FAULTS):
        module, code = judge(name, index, old, new)
        certificate = run("qbackend-prove", module, f"--lowered={code}", code=1)
        wrong = re.findall(r"^.*: counterexample, .*\n.*", certificate, re.M)
        if len(wrong) != 1:
            sys.exit(f"{what} in {name} is not found:\n{certificate}")
        step, shown = map(str.strip, wrong[0].split("\n"))
        # What isn't defined may well be what was meant.
        wanted = "not confirmed: " if what == UNDEFINED else "confirmed: emitted "
        if not shown.startswith(wanted):
            sys.exit(f"{what} in {name} is not seen in a run:\n{certificate}")
        print(f"{what} in {name}: {step}\n  {shown}")
        found += 1
    for index, (name, old, new) in enumerate(SAME):
        module, code = judge(name, f"same{index}", old, new)
        run("qbackend-prove", module, f"--lowered={code}")
    print(f"{found} faults found, {len(SAME)} other spellings proven")


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults in the vector code of kernels: each has a counterexample.

    faults.py WORK

Takes layers of layers.py, has qbackend-opt make their kernels for a target, changes
one thing in these, and has qbackend-prove judge them. Without a change nothing may be
found.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3]))
import layers  # noqa: E402
from tools import run  # noqa: E402

FEATURES = {"avx512vnni": "+avx512vnni,+avx512bw,+avx512vl", "avxvnni": "+avxvnni,+avx2",
            "avx2": "+avx2", "avx2 fma": "+avx2,+fma", "sse2": ""}


def change(step):
    """Adds `step` to the number of a match."""
    return lambda match: match[1] + str(int(match[2]) + step)


class BehindPadding:
    """The same for a later match: what the first ones read is always padding."""

    def __init__(self, new, number=5):
        self.new, self.number, self.count = new, number, 0

    def __call__(self, match):
        self.count += 1
        return match.expand(self.new) if self.count == self.number else match[0]


def byte(match):
    return match[1] + f"{int(match[2], 16) ^ 1:02X}"


COPY = r"(func\.func private @int8_copy_image(?:.|\n)*?"
DOT = (r'( +)(%\d+) = (llvm\.call_intrinsic "llvm.x86.avx512.vpdpbusd.512")'
       r"\((%arg\d+), (.*)")

# What is wrong, the layer, the target, the text that is replaced, and by what.
FAULTS = [
    ("a product that is added twice", "padded", "avx512vnni", DOT,
     r"\1%twice = \3(\4, \5\n\1\2 = \3(%twice, \5"),
    ("four bytes that are left out", "padded", "avx512vnni",
     r"(%c4 = arith\.constant )(4)(?= : index)", change(-1)),
    ("a row of the window at another place", "padded", "avx512vnni",
     r"(%c45 = arith\.constant )(45)", change(1)),
    ("weights of another row", "padded", "avx512vnni",
     r"(%c768 = arith\.constant )(768)", change(-64)),
    ("windows that are too far apart", "padded", "avx512vnni",
     r"(%c90 = arith\.constant )(90)", change(-5)),
    ("images that are too far apart", "padded", "avx512vnni",
     r"(%c432 = arith\.constant )(432)", change(36)),
    ("results that are not stored", "padded", "avx512vnni",
     r"(%c144 = arith\.constant )(144)", change(-144)),
    ("padding that is another number", "padded", "avx512vnni",
     r"(constant )(120)(?= : i8)", change(1)),
    ("a zero point that is another one", "padded", "avx512vnni",
     r"(constant )(30)(?= : i8)", change(1)),
    ("a clamp that is too wide", "padded", "avx512vnni",
     r"2\.250000e\+02", "2.260000e+02"),
    ("an overflow to the largest", "padded", "avx512vnni",
     r"(%cst_2 = arith\.constant )0\.0", r"\g<1>300.0"),
    ("a bias that is another one's", "padded", "avx512vnni",
     r"(memref<48xi32> = dense<\[-?\d+, )(-?\d+)", change(1)),
    ("a multiplier that is another one's", "padded", "avx512vnni",
     r"(memref<48xf32> = dense<\[)[^,]*", r"\g<1>2.0e-03"),
    ("a weight that is one off", "padded", "avx512vnni",
     r'(memref<2304xi8> = dense<"0x)(..)', byte),
    ("a magic number that is one off", "padded", "avx512vnni",
     r"0x4B400000|1\.2582912[0-9E+e]*", "12582913.0"),
    ("a limit on the wrong side", "padded", "avx512vnni", r"cmpf ogt", "cmpf olt"),
    ("a row that is read twice", "padded", "avx512vnni",
     COPY + r"constant )(35)( : index\n.*muli)", r"\g<1>0\3"),
    ("a border that is too wide", "padded", "avx512vnni",
     COPY + r"%c5 = arith\.constant )5", r"\g<1>6"),
    ("tables that are read behind their end", "padded", "avx512vnni",
     r"(%c32_\d+ = arith\.constant )(32)(?= : index\n.*%arg2)", change(8)),
    ("pairs that are added twice", "small_weights", "avx2",
     r"dense<1> : vector<16xi16>", "dense<2> : vector<16xi16>"),
    ("a list of places with another one", "small_weights", "avx2",
     r"(memref<\d+xi32> = dense<\[\d+, 0, 0, \d+, )(\d+)", change(-1)),
    ("a byte that is not moved", "signed", "avxvnni",
     r"dense<-128> : vector<32xi8>", "dense<0> : vector<32xi8>"),
    ("a bias without 128 times its weights", "signed", "avxvnni",
     r"(memref<16xi32> = dense<\[)(-?\d+)", change(128)),
    ("rows in another order", "depthwise", "avx2",
     r"vector\.interleave (%\d+), (%\d+)", BehindPadding(r"vector.interleave \2, \1")),
    ("bytes with a sign", "depthwise", "avx2", r"arith\.extui",
     BehindPadding("arith.extsi")),
    ("a shift that is off by one", "residual", "sse2",
     r"(dense<)(21)(?=> : vector<4xi32>)", change(-1)),
    ("a tie to the wrong side", "residual", "sse2",
     r"(dense<)(31)(?=> : vector<4xi32>)", r"\g<1>0"),
    ("a zero point with the wrong sign", "residual", "sse2",
     r"constant -30000000 : i32", "constant 30000000 : i32"),
    ("a factor that is another one", "residual", "sse2", r"(constant )(1500000)(?= : i32)",
     change(30000)),
    ("a clamp that is missing", "residual", "sse2", r"(constant )(248)(?= : i32)",
     change(100)),
    ("another tensor's other pixel", "residual", "sse2",
     r"vector\.load (%arg\d)\[(%\d+)\] : memref<192xi8>",
     r"vector.load \1[%c0] : memref<192xi8>"),
    ("packs of the other order", "packed", "avx512vnni",
     r'("llvm.x86.avx512.packssdw.512")\((%\d+), (%\d+)\)', r"\1(\3, \2)"),
    ("a pack of signed bytes", "packed", "avx512vnni", "packuswb", "packsswb"),
    ("a zero point that is off by one", "packed", "avx512vnni",
     r"(constant )(7)(?= : i16)", change(1)),
    ("an overflow that is clamped", "packed_signed", "avx512vnni",
     r"(arith\.)maxsi", r"\1maxui"),
    ("a limit that is another one", "packed_signed", "avx512vnni",
     r"(constant )(-100)(?= : i8)", change(1)),
    ("halves in the other order", "depthwise_packed", "avx512vnni",
     r"(vector\.shuffle )(%\d+), (%\d+)", BehindPadding(r"\1\3, \2", 40)),
    ("a block that begins elsewhere", "depthwise_packed", "avx512vnni",
     r"(%c8(?:_\d+)? = arith\.constant )(8)(?= : index)", change(-4)),
    ("an edge of another number", "depthwise_columns", "avx512vnni",
     r"vector\.broadcast %arg5 : i8 to vector<64xi8>",
     "arith.constant dense<0> : vector<64xi8>"),
    ("a window beside its columns", "depthwise_columns", "avx512vnni",
     r"(%c-64(?:_\d+)? = arith\.constant )(-64)", change(64)),
    ("a copy with another sign", "wide", "avx2",
     COPY + r")arith\.extui", r"\1arith.extsi"),
    # Fixed-point multipliers as f32, whose offsets and addends are two.
    ("a factor that is another one", "fixed", "avx2 fma",
     r'(packed_1 : memref<320xi32> = dense<"0x.{4})(..)', byte),
    ("an addend that is one off", "fixed", "avx2 fma",
     r'(packed_1 : memref<320xi32> = dense<"0x.{64})(..)', byte),
    ("an offset for the other sign", "fixed", "avx2 fma", r"cmpi slt", "cmpi sgt"),
    ("an offset without its addend", "fixed", "avx2 fma",
     r"(arith\.select %\d+, )(%\d+)(, %\d+ : vector<8xi1>, vector<8xf32>)",
     lambda match: match[1] + match[3][2:].split()[0] + match[3]),
    ("a bias that is another one's", "fixed", "avx2 fma",
     r"(packed_0 : memref<64xi32> = dense<\[)(-?\d+)", change(40)),
    ("a limit that is one off", "fixed_unsigned", "avx2 fma",
     r"(constant )(1262485534)(?= : i32)", change(1)),
    ("a product that is rounded before its sum", "fixed_up", "avx2 fma",
     r"(%\d+) = math\.fma (%\d+), (%\d+), (%\d+) : (vector<8xf32>)",
     r"%early = arith.mulf \2, \3 : \5\n\1 = arith.addf %early, \4 : \5"),
    # And as f64, whose second rounding has the sign of the sum.
    ("a multiplier that is another one's", "fixed", "sse2",
     r"(memref<64xf64> = dense<\[)[^,]*", r"\g<1>5.01E-4"),
    ("a second rounding without a sign", "fixed", "sse2",
     r"dense<-9223372036854775808> : vector<4xi64>", "dense<0> : vector<4xi64>"),
    ("a second rounding that is larger", "fixed", "sse2",
     r"dense<9218868437227405312> : vector<4xi64>",
     "dense<9200854038717923328> : vector<4xi64>"),
    ("a zero point that is off by one", "fixed", "sse2", r"(constant )(5)(?= : i32)",
     change(1)),
    ("an integer behind the truncation", "fixed_even", "sse2",
     r"llvm\.call_intrinsic \"llvm\.lrint[^(]*\"\((%\d+)\) : \(vector<4xf64>\) -> "
     r"vector<4xi32>", r"arith.fptosi \1 : vector<4xf64> to vector<4xi32>"),
    # Activations of 16 bits.
    ("pairs that are swapped", "sixteen_relu", "avx2",
     r'(packed : memref<128xi16> = dense<"0x)(....)(....)', r"\1\3\2"),
    ("a pair that is read once more", "sixteen_relu", "avx2",
     r"(%c2_\d+ = arith\.constant )(2)", change(-2)),
    ("a product that is added twice", "sixteen", "avx2",
     r'( +)(%\d+) = arith\.addi (%arg\d+), (%\d+) : vector<8xi32>',
     r"\1%twice = arith.addi \4, \4 : vector<8xi32>\n"
     r"\1\2 = arith.addi \3, %twice : vector<8xi32>"),
    ("a border that is not 0", "sixteen", "avx2", r"(constant )(0)(?= : i16)", change(1)),
    ("a half that is missing", "sixteen", "avx2",
     r"(constant dense<)(1)(?=> : vector<8xi64>)", change(-1)),
    ("a relu that is one off", "sixteen_relu", "avx2", r"(constant )(0)(?= : i32)",
     change(1)),
]

# No image has such a sum, or hardly one.
RARE = ("an overflow to the largest", "a clamp that is missing",
        "a product that is rounded before its sum")

# Changes that are none: they have to be seen through.
SAME = [("padded", "avx512vnni", r"arith\.addi (%\d+), (%\d+) : index",
         r"arith.addi \2, \1 : index"),
        ("residual", "sse2", r"arith\.muli (%\d+), (%\d+) : vector",
         r"arith.muli \2, \1 : vector"),
        ("fixed", "avx2 fma", r"math\.fma (%\d+), (%\d+)", r"math.fma \2, \1")]


def main(work):
    work.mkdir(parents=True, exist_ok=True)

    def make(name, target):
        module = work / f"{name}.mlir"
        module.write_text(layers.write(name))
        options = (f"target-triple=x86_64-linux-gnu target-features={FEATURES[target]} "
                   f"target={target.split()[0]}")
        return module, run("qbackend-opt", module,
                           f"--qbackend-generate-kernels={options}")

    def judge(index, name, target, old, new, code):
        module, emitted = make(name, target)
        changed = re.sub(old, new, emitted, count=0 if isinstance(new, BehindPadding)
                         else 1)
        if changed == emitted:
            sys.exit(f"{name} for {target} has nothing like {old}")
        file = work / f"{name}-{index}.mlir"
        file.write_text(changed)
        return run("qbackend-prove", module, "--form=kernels", f"--lowered={file}",
                   code=code)

    for index, (what, name, target, old, new) in enumerate(FAULTS):
        certificate = judge(index, name, target, old, new, 1)
        wrong = re.findall(r"^.*: counterexample, .*\n.*", certificate, re.M)
        if not wrong:
            sys.exit(f"{what} in {name} is not found:\n{certificate}")
        step, shown = map(str.strip, wrong[0].split("\n"))
        wanted = "not confirmed: " if what in RARE else "confirmed: emitted "
        if not shown.startswith(wanted):
            sys.exit(f"{what} in {name} is not seen in a run:\n{certificate}")
        print(f"{what} in {name}: {step}\n  {shown}")
    for index, case in enumerate(SAME):
        judge(f"same{index}", *case, 0)

    # Weights that don't leave pairs within 16 bits, with code as if they did.
    module, emitted = make("small_weights", "avx2")
    large = layers.write("small_weights")

    def enlarge(text):
        def double(match):
            data = bytes.fromhex(match[2])
            return match[1] + bytes(0x7F if b == 3 else b for b in data).hex() + '"'
        return re.sub(r'(xi8> = dense<"0x)([0-9A-Fa-f]+)"', double, text)

    module.write_text(enlarge(large))
    code = work / "saturating.mlir"
    code.write_text(enlarge(emitted))
    certificate = run("qbackend-prove", module, "--form=kernels", f"--lowered={code}",
                      code=1)
    if "has a sum of 16 bits that can be" not in certificate:
        sys.exit(f"pairs that saturate are not found:\n{certificate}")
    print(f"{len(FAULTS) + 1} faults found, {len(SAME)} other spellings proven")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))

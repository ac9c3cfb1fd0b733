# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults in ONNX files: each has a counterexample.

    onnx_faults.py WORK OPERATORS.mlir...

Takes single operators of the files, writes each as ONNX, changes one thing in the bytes,
and has qbackend-prove judge the file in the place of what is written. Without a change
nothing may be found.
"""

import pathlib
import re
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
from tools import run  # noqa: E402


def scale(value):
    return struct.pack("<f", value)


def integers(*values):
    return struct.pack(f"<{len(values)}q", *values)


# What is wrong, the operator, the bytes that are replaced, and by what. J begins the
# elements of a constant, @ an integer of a list.
FAULTS = [
    ("a scale that is another one", "mul", b"J\x04" + scale(0.1), b"J\x04" + scale(0.12)),
    ("another operator", "mul", b'"\x03Mul', b'"\x03Add'),
    ("a zero point that is another one", "mul", b"J\x01\x1e", b"J\x01\x21"),
    ("two zero points that are others", "relu", b"J\x01\x78", b"J\x01\x7c"),
    ("a weight that is one off", "signed", b"J\x08\x01\x03", b"J\x08\x02\x03"),
    ("rows as columns", "signed", b"perm@\x00@\x02@\x03@\x01", b"perm@\x00@\x03@\x02@\x01"),
    ("windows that begin elsewhere", "max_pool", b"pads@\x01@\x01@\x01@\x01",
     b"pads@\x00@\x01@\x02@\x01"),
    ("taps in another order", "padded", b"J\x12\x01\xfe\x03", b"J\x12\xfe\x01\x03"),
    ("groups that are swapped", "grouped", b"J\x10\x01\x03\x05\x07",
     b"J\x10\x03\x01\x05\x07"),
    ("a row that is the next one", "fraction", integers(0, 0, 1, 1, 2),
     integers(0, 1, 1, 1, 2)),
    ("a border that is wider", "border", integers(0, 0, 2, 2, 0, 0, 2, 2),
     integers(0, 0, 3, 2, 0, 0, 1, 2)),
    ("an entry of a table", "celu", b"J\x80\x02\x17\x17\x17", b"J\x80\x02\x17\x1a\x17"),
]


def main(work, *sources):
    work.mkdir(parents=True, exist_ok=True)
    functions = {}
    for source in sources:
        text = source.read_text()
        aliases = "".join(re.findall(r"^!.*\n", text, re.M))
        for match in re.finditer(r"^func\.func @(\w+)\(.*?^}\n", text, re.M | re.S):
            functions[match[1]] = aliases + match[0]
    for what, name, old, new in FAULTS:
        module, file = work / f"{name}.mlir", work / f"{name}.onnx"
        module.write_text(functions[name])
        run("qbackend-translate", "--qbackend-to-onnx", module, "-o", file)
        run("qbackend-prove", module, "--form=onnx", f"--lowered={file}")
        changed = file.read_bytes().replace(old, new, 1)
        if changed == file.read_bytes():
            sys.exit(f"{name} has nothing like {old}: {changed}")
        file.write_bytes(changed)
        certificate = run("qbackend-prove", module, "--form=onnx", f"--lowered={file}",
                          code=1)
        wrong = re.findall(r"^.*: counterexample, .*\n.*", certificate, re.M)
        if len(wrong) != 1 or "confirmed: emitted" not in wrong[0]:
            sys.exit(f"{what} in {name} is not found and seen:\n{certificate}")
        step, shown = map(str.strip, wrong[0].split("\n"))
        print(f"{what} in {name}: {step}\n  {shown}")
    print(f"{len(FAULTS)} faults found")


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))

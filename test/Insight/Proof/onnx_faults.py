# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults in ONNX files: each has a counterexample.

    onnx_faults.py WORK OPERATORS.mlir

Takes single operators of the file, writes each as ONNX, changes one thing in the bytes,
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
    ("an entry of a table", "celu", b"J\x80\x02\x17\x17\x17", b"J\x80\x02\x17\x1a\x17"),
]


def main(work, source):
    work.mkdir(parents=True, exist_ok=True)
    text = source.read_text()
    aliases = "".join(re.findall(r"^!.*\n", text, re.M))
    for what, name, old, new in FAULTS:
        function = re.search(rf"^func\.func @{name}\(.*?^}}\n", text, re.M | re.S)
        module, file = work / f"{name}.mlir", work / f"{name}.onnx"
        module.write_text(aliases + function[0])
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

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts that a parser calls itself too often for: deep.py FOLDER"""

import pathlib
import sys

N = 100000
folder = pathlib.Path(sys.argv[1])


def write(name, text):
    (folder / name).write_text(text)


def attribute(text):
    return f"#m = affine_map<(d0) -> ({text})>\nmodule attributes {{a.b = #m}} {{}}\n"


write("arrays.mlir", "module attributes {a.b = " + "[" * N + "]" * N + "} {}\n")
write("modules.mlir", "module {\n" * N + "}\n" * N)
write("types.mlir", "func.func private @f(" + "tuple<" * N + "i32" + ">" * N + ")\n")
write("locations.mlir", "module {} loc(" + 'callsite("a" at ' * N + '"b"' + ")" * N + ")\n")
write("signs.mlir", attribute("-" * N + "d0"))
write("sum.mlir", attribute(" + ".join(["d0"] * N)))
write("sum_of_brackets.mlir", attribute(" + ".join(["(d0)"] * N)))
write("words.mlir", attribute("d0" + " floordiv 2" * N))
write("lines.mlir", attribute("d0" + "\nfloordiv\n2" * N))
write("number.mlir", "module attributes {a.b = " + "9" * 10 * N + " : i32} {}\n")
write("aliases.mlir", "#a0 = [1]\n" + "".join(f"#a{i + 1} = [#a{i}]\n" for i in range(N))
      + f"module attributes {{a.b = #a{N}}} {{}}\n")
# Brackets that are none, or that come to an end.
write("wide.mlir", "module attributes {a.b = \"" + "[" * N + "\\\"" + "[" * N + "\", a.c = ["
      + "[1], " * N + "[1]]} {\n// " + "(" * N + "\n"
      + "".join(f"func.func private @f{i}(i32) -> (() -> i32)\n" for i in range(500))
      + "}\n")
write("arrays.json", "[" * N)
write("objects.json", '{"a":' * N)
write("strings.json", '["' + "[" * N + '\\"' + "[" * N + '"]')

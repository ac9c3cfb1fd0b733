# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a printed module says: the ops of its functions, not those of regions."""

import re

import numpy as np

from configuration import QConfig, balanced, expand_aliases, fields

NUMBERS = {"i8": "<i1", "i32": "<i4", "f32": "<f4", "f16": "<f2", "i64": "<i8"}


class Quantized:
    """The parameters of a `!quant.uniform` type."""

    def __init__(self, text):
        storage, _, rest = text.partition(":")
        self.dtype = {"u": "u", "i": "s"}[storage[0]] + "i" + re.match(
            r"[ui](\d+)", storage)[1]
        _, _, rest = text.partition(", ")
        axis = re.match(r"[ui]\d+(?:<[^>]*>)?:f32:(\d+)", text)
        self.axis = int(axis[1]) if axis else None
        pairs = rest.strip("{}").split(",")
        self.scales = [float(p.split(":")[0]) for p in pairs]
        self.zero_points = [int(p.split(":")[1]) if ":" in p else 0 for p in pairs]

    def key(self):
        return self.dtype, self.axis, tuple(self.scales), tuple(self.zero_points)


def quantized_types(text):
    return [Quantized(balanced(text, m.end() - 1))
            for m in re.finditer(r"!quant\.uniform<", text)]


class Op:
    def __init__(self, line):
        self.text = line
        result, equals, rest = line.partition(" = ")
        self.results = re.findall(r"%[\w#]+", result) if equals else []
        if not equals:
            rest = line
        self.name = re.match(r'"?([\w.]+)"?', rest.strip())[1]
        self.operands = re.findall(r"%[\w#]+", rest)
        self.is_operator = self.name == "qbackend.operator"
        if self.is_operator:
            self._read_operator(rest)

    def _read_operator(self, rest):
        kinds, _ = fields(balanced(rest, rest.index("[")))
        self.attributes = kinds
        self.kinds = [re.match(r"#qbackend\.(\w+)", k)[1] for k in kinds]
        self.scalars = ["scalar = " in k for k in kinds]
        self.roles = {}
        for role in ("inputs", "weight", "bias", "running_mean", "running_var"):
            found = re.search(rf" {role}\(([^)]*)\)", rest)
            if found:
                self.roles[role] = re.findall(r"%[\w#]+", found[1])
        start = rest.find(" qconfig <")
        self.qconfig = None if start < 0 else QConfig.of(
            balanced(rest, start + len(" qconfig ")))
        verdict = re.search(r'\bdecision\(.*\bcode = "(QB\d+)"', rest)
        self.verdict = verdict[1] if verdict else None
        self.operands = [o for names in self.roles.values() for o in names]

    def role(self, name):
        return self.roles[name][0] if name in self.roles else None


def constant(op):
    """The numbers of a constant."""
    kind = re.search(r"tensor<((?:\d+x)*)(\w+)>", op.text.split(" : ")[-1])
    shape = [int(n) for n in kind[1].split("x") if n]
    element = NUMBERS[kind[2]]
    text = balanced(op.text, op.text.index("dense<") + len("dense"))
    if text.startswith('"0x'):
        data = np.frombuffer(bytes.fromhex(text[3:-1]), element)
    else:
        data = np.array([float(n) if "f" in element else int(n) for n in
                         re.findall(r"-?(?:0x[0-9A-F]+|[\d.]+(?:E[+-]?\d+|e[+-]?\d+)?)",
                                    text)]).astype(element)
    size = int(np.prod(shape))
    if data.size == 1 and size != 1:
        data = np.repeat(data, size)
    return data.reshape(shape)


class Function:
    def __init__(self, name, header, lines):
        self.name, self.text = name, "\n".join([header, *lines])
        self.ops = [Op(line[4:]) for line in lines
                    if re.match(r"    [%\"a-z]", line)]
        self.producer = {r: op for op in self.ops for r in op.results}
        self.users = {}
        for op in self.ops:
            for operand in op.operands:
                self.users.setdefault(operand, []).append(op)


def functions(text):
    """The functions of a module by name, and the other lines of it."""
    lines = expand_aliases(text).splitlines()
    found, rest, i = {}, [], 0
    while i < len(lines):
        match = re.match(r"  func\.func (?:private )?@(\w+)", lines[i])
        if not match:
            rest.append(lines[i])
            i += 1
            continue
        end = lines.index("  }", i)
        found[match[1]] = Function(match[1], lines[i], lines[i + 1:end])
        i = end + 1
    return found, rest

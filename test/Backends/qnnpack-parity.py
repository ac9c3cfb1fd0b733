# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compare a backend's .mlir with PyTorch's own data, in both directions.

usage: qnnpack-parity.py qnnpack.json qnnpack.mlir

A pattern_config stands for all entries of PyTorch that its `torch` list names.
An entry is equal if
  - exactly one pattern_config names it, once;
  - observation type, dtype configs with all their bounds, in their order, and
    observation by number of tensors are the same;
  - each module, fuser method and operand index that the entry has, the
    pattern_config has too.
The last cannot be required the other way round, entry by entry: a function has
no root_module, the module of the same operator has one, and both are one
pattern_config. So its fields must be exactly those of its entries together.
The script also requires that patterns are in the order of the first entry each
names, and that each list is in PyTorch's order.
"""

import json
import re
import sys

DTYPES = {
    "ui8": "quint8",
    "si8": "qint8",
    "ui4": "quint4x2",
    "si32": "qint32",
    "f16": "float16",
    "f32": "float32",
}
BOUNDS = {
    "quant_min": "quant_min_lower_bound",
    "quant_max": "quant_max_upper_bound",
    "scale_min": "scale_min_lower_bound",
    "scale_max": "scale_max_upper_bound",
    "scale_exact_match": "scale_exact_match",
    "zero_point_exact_match": "zero_point_exact_match",
}
MERGED = [
    "root_module",
    "qat_module",
    "reference_quantized_module",
    "fused_module",
    "fuser_method",
    "input_type_to_index",
]
DEFAULT_OBSERVATION = "output_use_different_observer_as_input"

TOKEN = re.compile(
    r'\s*("[^"]*"|[#@]?[A-Za-z_][\w.]*|-?\d[\d.]*(?:[eE][-+]?\d+)?|.)'
)


class Parser:
    """The subset of MLIR's attribute syntax that backend files use."""

    def __init__(self, text):
        text = re.sub(r'("[^"\n]*")|//[^\n]*', lambda m: m[1] or "", text)
        self.tokens = TOKEN.findall(text.strip())
        self.at = 0
        self.aliases = {}

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def next(self, expected=None):
        token = self.peek()
        if token is None or expected not in (None, token):
            near = " ".join(self.tokens[max(0, self.at - 8) : self.at + 1])
            sys.exit(f"expected '{expected}' near: {near}")
        self.at += 1
        return token

    def list_of(self, close, element):
        elements = []
        while self.peek() != close:
            elements.append(element())
            if self.peek() != close:
                self.next(",")
        self.next(close)
        return elements

    def entry(self):
        """`key = value`, or a value alone."""
        value = self.value()
        if self.peek() != "=":
            return (None, value)
        self.next("=")
        return (value, self.value())

    def value(self):
        token = self.next()
        if token == "[":
            return self.list_of("]", self.value)
        if token == "<":
            return self.list_of(">", self.entry)
        if token == "{":
            return dict(self.list_of("}", self.entry))
        if token.startswith('"'):
            return token[1:-1]
        if re.match(r"-?\d", token):
            number = float(token) if re.search("[.eE]", token) else int(token)
            if self.peek() == ":":  # 1 : i64
                self.next()
                self.next()
            return number
        if token.startswith("#qbackend."):
            return self.value()
        if token.startswith("#"):
            return self.aliases[token]
        return {"true": True, "false": False}.get(token, token)

    def patterns(self):
        """The aliases, then each pattern_config with its fields."""
        result = []
        while self.peek() is not None:
            token = self.next()
            if token.startswith("#") and self.peek() == "=":
                self.next()
                self.aliases[token] = self.value()
            elif token == "qbackend.pattern_config":
                kinds = self.value()
                result.append((kinds, dict(self.value())))
        return result


def read_dtype(fields):
    """DTypeWithConstraints as the JSON has it."""
    (_, dtype), *bounds = fields
    result = {"dtype": DTYPES[dtype]}
    result.update((BOUNDS[name], value) for name, value in bounds)
    return result


def read_dtype_config(fields):
    """DTypeConfig as the JSON has it."""
    result = {"is_dynamic": False}
    for role, value in fields:
        if role == "is_dynamic":
            result[role] = value
        elif role == "bias":
            result[role] = {"dtype": DTYPES[value]}
        else:
            result[role] = read_dtype(value)
    return result


def name_of(entry):
    pattern = entry["pattern"]
    return pattern if isinstance(pattern, str) else ", ".join(pattern)


def merged_fields(entry):
    """Those fields that a pattern_config has if one of its entries has them."""
    fields = {name: entry[name] for name in MERGED if name in entry}
    method = re.fullmatch(r"(\w+)(?:\((.*)\))?", fields.get("fuser_method", ""))
    if method:
        fields["fuser_method"] = method[1]
        if method[2] and method[2] != entry.get("fused_module"):
            fields["fused_module"] = method[2]
    return fields


def compare(entry, fields, table):
    """What differs between an entry and the pattern_config that names it."""
    observation = fields.get("observation", DEFAULT_OBSERVATION)
    by_count = fields.get("num_tensor_args_to_observation_type", [])
    pairs = [
        ("observation", observation.upper(), entry["observation_type"]),
        (
            "dtypes",
            [read_dtype_config(config) for config in fields["dtypes"]],
            [table[name] for name in entry["dtype_configs"]],
        ),
        (
            "num_tensor_args_to_observation_type",
            {str(n): kind.upper() for n, kind in enumerate(by_count)},
            entry.get("num_tensor_args_to_observation_type", {}),
        ),
    ]
    pairs += [
        (name, fields.get(name), value)
        for name, value in merged_fields(entry).items()
    ]
    return [
        f"{name} is {ours}, in PyTorch {theirs}"
        for name, ours, theirs in pairs
        if ours != theirs
    ]


def main():
    with open(sys.argv[1]) as file:
        data = json.load(file)
    with open(sys.argv[2]) as file:
        patterns = Parser(file.read()).patterns()
    entries = {name_of(entry): entry for entry in data["patterns"]}
    assert len(entries) == len(data["patterns"])
    order = {name: i for i, name in enumerate(entries)}
    errors = []
    owners = {}
    for kinds, fields in patterns:
        label = "[" + ", ".join(kinds) + "]"
        unknown = set(fields) - set(MERGED) - {
            "observation",
            "dtypes",
            "num_tensor_args_to_observation_type",
            "torch",
        }
        if unknown:
            errors.append(f"{label}: unknown fields {sorted(unknown)}")
        union = set()
        for name in fields.get("torch", []):
            owners.setdefault(name, []).append((label, fields))
            if name in entries:
                union |= set(merged_fields(entries[name]))
            else:
                errors.append(f"{label}: '{name}' is not in PyTorch")
        extra = set(fields) & set(MERGED) - union
        if extra:
            errors.append(f"{label}: no entry of it has {sorted(extra)}")
        places = [order.get(name, -1) for name in fields.get("torch", [])]
        if not places or places != sorted(places):
            errors.append(f"{label}: torch is empty or out of order")
    firsts = [
        order.get(fields["torch"][0], -1)
        for _, fields in patterns
        if fields.get("torch")
    ]
    if firsts != sorted(firsts):
        errors.append("the patterns are not in the order of PyTorch")

    equal = 0
    for name, entry in entries.items():
        found = owners.get(name, [])
        if len(found) != 1:
            errors.append(f"'{name}': in {len(found)} patterns, expected 1")
            continue
        label, fields = found[0]
        differences = compare(entry, fields, data["dtype_configs"])
        errors += [f"{label}: '{name}': {text}" for text in differences]
        equal += not differences
    for error in errors:
        print(error)
    print(
        f"{equal} entries equal, {len(entries) - equal} differ "
        f"({len(patterns)} patterns)"
    )
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())

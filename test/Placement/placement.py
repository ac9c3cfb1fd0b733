#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Is a network placed as PyTorch places it?

    placement.py CASE.mlir [--show]

Runs the passes on the network, sharing as FX does and by groups, and compares
what is observed by what, what the reference form quantizes and what becomes
integer with PyTorch's graphs in pytorch.json. The lines in which they differ
have to be those of differences.json, where those of `fx` hold for groups, too,
if there are no others. `--show` prints them.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import cases
import qconfigs

HERE = pathlib.Path(__file__).resolve().parent
BIN = pathlib.Path(os.environ.get("QBACKEND_BUILD", "build")) / "bin"

#===----------------------------------------------------------------------===#
# What both sides are brought to
#===----------------------------------------------------------------------===#


def base(name):
    """The operator that `name` is a part, or the layout of the input, of."""
    return name.split("/")[0].removesuffix(".transpose")


class Placement:
    """Values are called as PyTorch calls the node, or the last one of those
    that are one operator here."""

    def __init__(self):
        # (value, observer before or "", observer): (instance, readers)
        self.sites = {}
        # How often a batch updates an observer, by its instance.
        self.updates = collections.Counter()
        # (operator, observer) of values that are inside of it here.
        self.inside = set()
        # The observers of the weights of operators; None for one that PyTorch
        # makes when it converts the module.
        self.weights = {}
        # Values that the reference form quantizes: (value, type).
        self.reference = set()
        # (operator, what it computes with): integer, dynamic, weight, real
        self.operators = set()
        # Values that go into integers, and that come out of them.
        self.quantized, self.dequantized = set(), set()

    def lines(self):
        """All of it, a fact a line."""
        for (value, before, observer), (_, readers) in self.sites.items():
            before = f" after {before}" if before else ""
            yield (f"{value}{before} by {observer} -> "
                   + ", ".join(sorted(readers)))
        for operator, observer in self.inside:
            yield f"inside of {operator} by {observer}"
        for instance, group in self.groups().items():
            values = ", ".join(sorted(group))
            if len(group) > 1:
                yield f"one observer: {values}"
            if self.updates[instance]:
                yield f"{self.updates[instance]} updates by {values}"
        for operator, observer in self.weights.items():
            yield f"weight of {operator}" + (
                f" by {observer}" if observer else "")
        for value, element in self.reference:
            yield f"reference: {value} in {element}"
        for operator, state in self.operators:
            yield f"{operator} is {state}"
        for value in self.quantized:
            yield f"quantize {value}"
        for value in self.dequantized:
            yield f"dequantize {value}"

    def groups(self):
        groups = {}
        for (value, before, _), (instance, _) in self.sites.items():
            groups.setdefault(instance, []).append(
                value + (" again" if before else ""))
        return groups


#===----------------------------------------------------------------------===#
# PyTorch's graphs
#===----------------------------------------------------------------------===#

CLASSES = {
    "HistogramObserver": "histogram", "MinMaxObserver": "min_max",
    "MovingAverageMinMaxObserver": "moving_average_min_max",
    "PlaceholderObserver": "placeholder",
    "FixedQParamsObserver": "fixed_qparams",
}
DTYPES = {"quint8": "ui8", "qint8": "si8", "float16": "f16"}
FAKE_QUANTIZE = {
    "FusedMovingAvgObsFakeQuantize": "fused_moving_avg_obs_fake_quantize"}


def describe(observer):
    """As --qbackend-print-observers does."""
    kind = observer["class"]
    text = f"{CLASSES[observer.get('observer', kind)]} " + (
        DTYPES[observer["dtype"]])
    if observer.get("is_dynamic"):
        text += " dynamic"
    if observer.get("qrange") is None:
        return text
    low, high = observer["qrange"]
    text += f" [{low}, {high}] {observer['qscheme']}"
    if "scale" in observer:
        text += (f" scale {observer['scale']:.9g} "
                 f"zero_point {observer['zero_point']}")
    else:
        text += f" eps {observer['eps']:.9g}"
    return text + (f" {FAKE_QUANTIZE[kind]}" if kind in FAKE_QUANTIZE else "")


def references(argument):
    """The nodes that an argument names, in lists, too."""
    if isinstance(argument, dict):
        argument = list(argument.values())
    if isinstance(argument, list):
        return [name for item in argument for name in references(item)]
    if isinstance(argument, str) and argument.startswith("%"):
        return [argument[1:]]
    return []


def inputs(node):
    return references(node.get("args", [])) + references(
        node.get("kwargs", {}))


_NOT_COMPUTED = {"placeholder", "get_attr", "output", "observer"}
_QUANTIZE = {"torch.quantize_per_tensor", "dequantize"}


def computed(graph):
    return [node for node in graph if node["op"] not in _NOT_COMPUTED and
            node.get("target") not in _QUANTIZE]


class Torch:
    """A case of pytorch.json. `anchors` says what a node is called here."""

    def __init__(self, case, anchors):
        self.case, self.anchors = case, anchors
        self.nodes = {node["name"]: node for node in case["observed"]}

    def source(self, graph, name):
        """The node that `name` has the value of."""
        node = graph[name]
        while (node["op"] == "observer" or node.get("target") in _QUANTIZE):
            node = graph[inputs(node)[0]]
        return node["name"]

    def value(self, graph, name):
        return self.anchors(self.source(graph, name))

    def readers(self, name):
        for node in self.nodes.values():
            if name not in inputs(node) or node["op"] == "observer":
                continue
            if node["op"] != "output":
                yield self.anchors(node["name"])
                continue
            results = node["args"]
            results = results if isinstance(results, list) else [results]
            for i, result in enumerate(results):
                if name in references(result):
                    yield f"result {i}"

    def place(self):
        placement = Placement()
        for node in self.nodes.values():
            if node["op"] == "observer":
                self.add_site(placement, node)
        for node in computed(self.case["observed"]):
            self.add_alias(placement, node["name"])
        self.add_reference(placement)
        self.add_lowered(placement)
        return placement

    def observer(self, node):
        return describe(self.case["observers"][node["instance"]])

    def add_site(self, placement, node):
        before = self.nodes[inputs(node)[0]]
        readers = set(self.readers(node["name"]))
        source = self.nodes[self.source(self.nodes, node["name"])]
        if source["op"] == "get_attr":
            for reader in readers:
                placement.weights[reader] = self.observer(node)
            return
        if not self.case["observers"][node["instance"]].get("is_dynamic"):
            placement.updates[node["instance"]] += 1
        # What computes nothing has the value and the observer of its input.
        value = self.anchors(source["name"])
        if source["op"] != "placeholder" and self.anchors.is_alias(
                source["name"]):
            return
        key = (value, self.observer(before) if before["op"] == "observer"
               else "", self.observer(node))
        if key in placement.sites:
            placement.inside.add((value, key[2]))
        placement.sites[key] = (node["instance"], readers - {value})

    def add_alias(self, placement, name):
        """Readers of a node that is nothing here read its input."""
        if not self.anchors.is_alias(name):
            return
        readers = {reader for node in self.case["observed"]
                   if node["op"] == "observer" and inputs(node) == [name]
                   for reader in self.readers(node["name"])}
        value = self.anchors(name)
        for key, (_, known) in placement.sites.items():
            if key[0] == value:
                known |= readers - {value}

    def add_reference(self, placement):
        graph = {node["name"]: node for node in self.case.get("reference", [])}
        for node in graph.values():
            if ".reference." in node.get("target", "") + node.get("inner", ""):
                placement.weights[self.anchors(node["name"])] = None
            if node.get("target") != "torch.quantize_per_tensor":
                continue
            source = self.source(graph, node["name"])
            if graph[source]["op"] != "get_attr" and (
                    not self.anchors.is_alias(source)):
                placement.reference.add((self.anchors(source),
                                         DTYPES[node["args"][3]]))

    def add_lowered(self, placement):
        lowered = self.case.get("lowered")
        if lowered is None:
            return
        graph = {node["name"]: node for node in lowered}
        names = self.align(computed(self.case["observed"]), computed(lowered))
        placeholders = [node["name"] for node in lowered
                        if node["op"] == "placeholder"]
        integers = {placeholders[i] for i in self.anchors.quantized_inputs}
        for node in lowered:
            target = node.get("target", "")
            sources = inputs(node)
            if target == "torch.quantize_per_tensor":
                integers.add(node["name"])
                source = self.source(graph, sources[0])
                placement.quantized.add(
                    self.anchors(names.get(source, source)))
            elif target == "dequantize":
                source = self.source(graph, sources[0])
                placement.dequantized.add(
                    self.anchors(names.get(source, source)))
            elif node["name"] in names:
                if target == "torch.ao.nn.quantized.PReLU":
                    placement.weights[self.anchors(node["name"])] = None
                state = "real"
                if "quantized.dynamic" in target or "_dynamic" in target:
                    state = "dynamic"
                elif target.endswith("quantized.Embedding"):
                    state = "weight-only"
                elif ".reference." not in target and (
                        integers & set(sources)):
                    state = "integer"
                    integers.add(node["name"])
                if not self.anchors.is_alias(names[node["name"]]):
                    placement.operators.add(
                        (self.anchors(names[node["name"]]), state))

    @staticmethod
    def align(observed, lowered):
        """Lowered nodes to those that they were: quantized functions have new
        names."""

        def base(node):
            return node["target"].rsplit(".", 1)[-1].lower()

        names, rest = {}, list(observed)
        for node in lowered:
            kind = base(node)
            for original in rest:
                before = base(original)
                if original["name"] == node["name"] or (
                        node["target"].startswith("torch.ops.quantized.") and
                        kind in (before, before + "_relu",
                                 before + "_dynamic")):
                    break
            else:
                raise ValueError(f"{node['name']} is new")
            names[node["name"]] = original["name"]
            rest.remove(original)
            if kind.endswith("_relu") and kind != "leaky_relu":
                relu = next(other for other in rest if base(other) == "relu")
                names[node["name"]] = relu["name"]
                rest.remove(relu)
        return names


#===----------------------------------------------------------------------===#
# What the passes do
#===----------------------------------------------------------------------===#


def run(*arguments):
    result = subprocess.run([str(BIN / "qbackend-opt"), *map(str, arguments)],
                            capture_output=True, text=True, timeout=120)
    if result.returncode:
        raise RuntimeError(result.stderr.strip())
    return result.stdout


class Anchors:
    """From PyTorch's nodes to values here."""

    def __init__(self, case, operators):
        self.absent = cases.ABSENT.get(case, {})
        self.quantized_inputs, _ = cases.QUANTIZED.get(case, ([], []))
        self.anchor = {}
        for value, parts in operators:
            # What is written in several parts is the last one of them.
            for part in parts:
                self.anchor[part] = base(value)

    def is_alias(self, name):
        return name in self.absent

    def __call__(self, name):
        while name in self.absent:
            name = self.absent[name]
        return self.anchor.get(name, name)


_OPERATOR = re.compile(
    r"(\d+): (\S+) = (\S+?)\((.*?)\)(?: fused from (.*?))?"
    r"(?:; activations (.*?))?(?:; weight (.*?))?(; float)?$")
_SITE = re.compile(
    r"  (\S+)(?: after @(\S+))?( again)?(?: (\d+) times)? -> ?(.*)$")


def read_observers(text):
    """Of --qbackend-print-observers: operators, and a placement with sites."""
    placement, operators, numbers, kinds = Placement(), [], {}, {}
    for line in text.splitlines():
        if match := _OPERATOR.match(line):
            number, value, _, operands, parts, dynamic, weight, _ = (
                match.groups())
            name = numbers[number] = base(value)
            operators.append((value, parts.split(", ") if parts else [value]))
            if weight:
                placement.weights[name] = weight
            if dynamic and " dynamic" in dynamic:
                for operand in set(operands.split(", ")):
                    key = (operand, "", dynamic)
                    readers = placement.sites.setdefault(
                        key, (key, set()))[1]
                    readers.add(name)
        elif line.startswith("@"):
            symbol, observer = line[1:].split(": ", 1)
            kinds[symbol] = observer
        elif match := _SITE.match(line):
            value, before, again, times, readers = match.groups()
            # Not a value of the network: its input is.
            if again:
                continue
            placement.updates[symbol] += int(times or 1)
            readers = {numbers.get(reader, reader)
                       for reader in readers.split(", ") if reader}
            # Inside of what PyTorch writes as one operator.
            if base(value) != value and readers == {base(value)}:
                continue
            value = base(value)
            placement.sites[(value, kinds[before] if before else "",
                             kinds[symbol])] = (symbol, readers)
        else:
            raise ValueError(line)
    return placement, operators


def read_module(text):
    """The ops of the only function: name, result, operands, text, locations."""
    ops, names, current = [], {}, None
    for line in text.splitlines():
        if match := re.match(r"  func\.func @\w+\((.*?)\) ->", line):
            for name, where in re.findall(
                    r"(%\w+): [^%]*?loc\(\"(.*?)\"\)", match[1]):
                names[name] = [where]
        if not line.startswith("    "):
            continue
        if line[4] == "%":
            current = []
        if current is None:
            continue
        current.append(line)
        located = re.search(r' loc\((?:fused(?:<.*?>)?\[)?((?:".*?"(?:, )?)+)'
                            r"\]?\)$", line)
        if line[4] != " " and located:
            head = current[0]
            result, op, rest = re.match(r"    (%\w+) = (\S+) ?(.*)",
                                        head).groups()
            ops.append((op, result, re.findall(r"%\w+", rest), rest))
            names[result] = re.findall(r'"(.*?)"', located[1])
            current = None
    return ops, names


def source_of(ops, names, value, moves):
    """The locations of what `value` is, seen through `moves`."""
    definitions = {result: (op, operands) for op, result, operands, _ in ops}
    while value in definitions and definitions[value][0] in moves:
        value = definitions[value][1][0]
    return names[value]


_MOVES = {"qbackend.transpose", "linalg.transpose", "qbackend.dequantize",
          "qnnpack.dequantize", "qbackend.quantize", "qnnpack.quantize",
          "qnnpack.requantize"}
_STATES = {"qnnpack.linear_dynamic": "dynamic",
           "qnnpack.embedding_byte": "weight-only",
           "qnnpack.embedding_4bit": "weight-only",
           "qbackend.operator": "real"}


def read_forms(placement, anchors, reference, lowered):
    ops, names = read_module(reference)
    for op, result, operands, text in ops:
        if op == "qbackend.quantize":
            value = source_of(ops, names, operands[0], _MOVES)[0]
            if base(value) == value:
                element = re.search(r"!quant.uniform<([ui])8", text)[1]
                placement.reference.add((
                    anchors(value), {"u": "ui8", "i": "si8"}[element]))
    ops, names = read_module(lowered)
    for op, result, operands, text in ops:
        value = base(anchors(names[result][0]))
        if op in ("qnnpack.quantize", "qbackend.quantize"):
            placement.quantized.add(anchors(
                source_of(ops, names, operands[0], _MOVES)[0]))
        elif op == "qnnpack.requantize":
            # PyTorch dequantizes, and quantizes again.
            source = anchors(source_of(ops, names, operands[0], _MOVES)[0])
            placement.quantized.add(source)
            placement.dequantized.add(source)
        elif op in ("qnnpack.dequantize", "qbackend.dequantize"):
            placement.dequantized.add(anchors(
                source_of(ops, names, operands[0], _MOVES)[0]))
        elif op.startswith("qnnpack.") or op == "qbackend.operator":
            placement.operators.add(
                (value, _STATES.get(op, "integer")))


def name_parts(text, case):
    """Names that are unique, as `stack`, `stack_0`, to those of the parts."""
    parts = cases.PARTS.get(case)
    if not parts:
        return text
    unique = [base(parts[0])] + [f"{base(parts[0])}_{i}" for i in range(len(parts) - 1)]
    return re.sub(r"(?<!\w)(" + "|".join(unique) + r")(?!\w)",
                  lambda found: parts[unique.index(found[1])], text)


def place(file, case, sharing):
    options = f"{qconfigs.option(case)} sharing={sharing}"
    quantized = "".join(
        f" quantized-{what}={','.join(map(str, numbers))}"
        for what, numbers in zip(("inputs", "outputs"),
                                 cases.QUANTIZED.get(case, ())) if numbers)
    with tempfile.TemporaryDirectory() as directory:
        reference = pathlib.Path(directory) / "reference.mlir"
        located = ["--mlir-print-debuginfo", "--mlir-print-local-scope"]
        text = run(file, "--qbackend-raise", "--qbackend-normalize-layout",
                   "--qbackend-fuse", f"--qbackend-observe={options}{quantized}",
                   f"--qbackend-print-observers={options}",
                   "--qbackend-calibrate",
                   "--qbackend-convert", *located, "-o", reference)
        placement, operators = read_observers(name_parts(text, case))
        lowered = run(reference, "--convert-qbackend-to-qnnpack", *located)
        anchors = Anchors(case, operators)
        read_forms(placement, anchors, reference.read_text(), lowered)
    return placement, anchors


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    case = arguments.file.stem
    wanted = json.loads((HERE / "pytorch.json").read_text())[case]
    listed = json.loads((HERE / "differences.json").read_text()).get(case, {})
    failed = False
    for sharing in ("fx", "groups"):
        placement, anchors = place(arguments.file, case, sharing)
        torch = Torch(wanted, anchors).place()
        for operator, observer in torch.weights.items():
            if not observer and operator in placement.weights:
                placement.weights[operator] = None
        torch = set(torch.lines())
        ours = set(placement.lines())
        if "lowered" not in wanted:
            ours = {line for line in ours if line in torch or not re.search(
                r" is \w+$|^quantize|^dequantize|^reference", line)}
        found = sorted([f"PyTorch: {line}" for line in torch - ours] +
                       [f"here: {line}" for line in ours - torch])
        if arguments.show:
            print(json.dumps({sharing: found}, indent=1))
            continue
        expected = listed.get(sharing, listed.get("fx", {}))
        expected = expected.get("differences", [])
        for line in sorted(set(found) ^ set(expected)):
            failed = True
            print(f"{case}, sharing={sharing}: "
                  f"{'new' if line in found else 'gone'} difference: {line}")
    return failed


if __name__ == "__main__":
    sys.exit(main())

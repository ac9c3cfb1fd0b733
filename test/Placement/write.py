#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the .mlir files beside it: `write.py` after a change of cases.py.

    write.py [--check] [--pytorch FILE...]

`--check` only says which ones are not what would be written. `--pytorch` also
makes pytorch.json, of files as README.md describes.
"""

import argparse
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "Spellings"))

from emitter import Emitter  # noqa: E402
from linalg_writer import LinalgWriter  # noqa: E402
from network import Network  # noqa: E402
from style import Style  # noqa: E402
from tosa_writer import TosaWriter  # noqa: E402

import cases  # noqa: E402
import qconfigs  # noqa: E402


def located(lines, name):
    """Ops have the location `name`, at the end of their text."""
    starts = [i for i, line in enumerate(lines)
              if line.startswith("%") or line[:1].isalpha()]
    for end in [*[i - 1 for i in starts[1:]], len(lines) - 1]:
        lines[end] += f' loc("{name}")'
    return lines


def write_network(case, seed, writer):
    graph = cases.Graph(Network(seed))
    results = cases.CASES[case](graph)
    results = results if isinstance(results, tuple) else (results,)
    text = Emitter(Style())
    made = writer(text, Style())
    values = {}
    for node in graph.network.nodes:
        first = len(text.lines)
        values[node] = (made.input(node) if node.op == "input"
                        else made.write_node(node, values))
        if node.op != "input":
            name = graph.names[node]
            if name in cases.PARTS.get(case, ()):
                name = name.split("/")[0]
            text.lines[first:] = located(text.lines[first:], name)
    arguments = ", ".join(f'{values[node].name}: {values[node].type} '
                          f'loc("{graph.names[node]}")'
                          for node in graph.network.inputs())
    types = ", ".join(values[node].type for node in results)
    names = ", ".join(values[node].name for node in results)
    return "\n".join([
        f"func.func @{case}({arguments}) -> ({types}) {{",
        *[f"  {line}" for line in text.lines],
        f"  return {names} : {types}", "}"]) + "\n"


def write_case(case, index):
    # Every other one is TOSA.
    writer = TosaWriter if index % 2 else LinalgWriter
    mapping = qconfigs.write(case)
    return ("// RUN: %python %S/placement.py %s\n"
            "// Written by write.py.\n\n" +
            (mapping + "\n" if mapping else "") +
            write_network(case, index, writer))


def read_pytorch(files):
    """PyTorch's graphs, a node a line, without what no test reads."""
    graphs = {}
    for file in files:
        for case in json.loads(pathlib.Path(file).read_text())["cases"]:
            graphs[case["id"]] = {
                key: case[key] for key in
                ("model", "qconfig_mapping", "observed", "observers",
                 "reference", "lowered", "error") if key in case}
    lines = ["{"]
    for case, fields in graphs.items():
        lines.append(f" {json.dumps(case)}: {{")
        for key, value in fields.items():
            if isinstance(value, str):
                lines.append(f"  {json.dumps(key)}: {json.dumps(value)},")
                continue
            items = ([json.dumps(item) for item in value]
                     if isinstance(value, list) else
                     [f"{json.dumps(name)}: {json.dumps(item)}"
                      for name, item in value.items()])
            ends = "[]" if isinstance(value, list) else "{}"
            lines.append(f"  {json.dumps(key)}: {ends[0]}" + ("\n   " if items
                         else "") + ",\n   ".join(items) + ends[1] + ",")
        lines[-1] = lines[-1].removesuffix(",")
        lines.append(" },")
    lines[-1] = lines[-1].removesuffix(",")
    return "\n".join([*lines, "}"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pytorch", nargs="+", metavar="FILE")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    texts = {f"{case}.mlir": write_case(case, index)
             for index, case in enumerate(cases.CASES)}
    if arguments.pytorch:
        texts["pytorch.json"] = read_pytorch(arguments.pytorch)
    differs = False
    for name, text in texts.items():
        if not arguments.check:
            (HERE / name).write_text(text)
        elif (HERE / name).read_text() != text:
            differs = True
            print(f"{name} is not what write.py writes")
    graphs = json.loads((HERE / "pytorch.json").read_text())
    for case in sorted(set(graphs) ^ set(cases.CASES)):
        differs = True
        print(f"{case} is not both in cases.py and in pytorch.json")
    return differs


if __name__ == "__main__":
    sys.exit(main())

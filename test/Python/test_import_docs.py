# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of docs/Importing.md are those of the code."""

import pathlib
import re

from qbackend.importers.aten import OPERATORS as ATEN
from qbackend.importers.onnx.table import OPERATORS as ONNX

TEXT = (pathlib.Path(__file__).parents[2] / "docs" / "Importing.md").read_text()


def table(section):
    text = TEXT.split(f"\n## {section}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", text, re.M)
    return {family: set(re.findall(r"`([^`]+)`", names)) for family, names in rows}


def family(operator):
    return operator.function.__module__.rpartition(".")[2]


def test_aten():
    found = {}
    for name, operator in ATEN.items():
        base = name.rpartition("::")[2].rpartition(".")[0]
        found.setdefault(family(operator), set()).add(base)
    assert table("torch.export") == found


def test_onnx():
    found = {}
    for (domain, name), operator in ONNX.items():
        full = f"{domain}.{name}" if domain else name
        found.setdefault(family(operator), set()).add(full)
    assert table("ONNX") == found

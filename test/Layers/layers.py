# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether folders include only what the table in CONTRIBUTING.md lets them.

    layers.py ROOT

Prints the arrows between folders of lib and include/qbackend, and between the
floors of lib/Operators, that point elsewhere, and fails if there are any.
"""

import pathlib
import re
import sys

# The floors of lib/Operators, and what each may include.
FLOORS = {"Reading": set(), "Kinds": {"Reading"}, "Preparation": {"Reading"}}


def read_table(text: str) -> "dict[str, set[str]]":
    """Of each folder all that it may build on, what that builds on included."""
    direct: "dict[str, set[str]]" = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        folders = re.findall(r"`(\w+)`", cells[0])
        if line.startswith("| `") and len(cells) == 2 and folders:
            after = set(re.findall(r"`(\w+)(?:/\w+)?`", cells[1]))
            if "all of these" in cells[1]:
                after = set(direct)
            for folder in folders:
                direct[folder] = after

    def close(folder: str) -> "set[str]":
        below = direct.get(folder, set())
        return below.union(*(close(other) for other in below))

    return {folder: close(folder) for folder in direct}


def sources(folder: pathlib.Path) -> "list[pathlib.Path]":
    return sorted(
        path for path in folder.rglob("*") if path.suffix in {".h", ".cpp", ".td"}
    )


def main(root: pathlib.Path) -> int:
    allowed = read_table((root / "CONTRIBUTING.md").read_text())
    wrong = []
    arrows = 0
    for base in (root / "lib", root / "include" / "qbackend"):
        for path in sources(base):
            folder = path.relative_to(base).parts[0]
            for target in re.findall(
                r'include "qbackend/(\w+)/', path.read_text(encoding="utf-8")
            ):
                arrows += target != folder
                if target != folder and target not in allowed.get(folder, set()):
                    wrong.append(f"{path.relative_to(root)} includes {target}")
    operators = root / "lib" / "Operators"
    for floor, below in FLOORS.items():
        for path in sources(operators / floor):
            for target in re.findall(r'#include "(\w+)/', path.read_text()):
                arrows += target in FLOORS and target != floor
                if target in FLOORS and target != floor and target not in below:
                    wrong.append(f"{path.relative_to(root)} includes {target}")
    print("\n".join(wrong))
    print(f"{arrows} arrows between {len(allowed)} folders, {len(wrong)} not allowed")
    return 1 if wrong or not arrows else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))

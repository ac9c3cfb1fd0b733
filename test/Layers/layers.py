# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether folders include only what the table in CONTRIBUTING.md lets them.

    layers.py ROOT

Prints the arrows between folders of lib and include/qbackend, and between the
floors of lib/Operators, that point elsewhere, and fails if there are any; and
folders of lib that hold too much to be seen at once.
"""

import pathlib
import re
import sys

# The floors of lib/Operators, and what each may include.
FLOORS = {"Reading": set(), "Kinds": {"Reading"}, "Preparation": {"Reading"}}

# How many folders lib may have, and how many files each folder below it.
MOST_ROOMS = 12
MOST_FILES = 20


def read_table(text: str) -> "dict[str, set[str]]":
    """Of each folder all that it may build on, what that builds on included."""
    direct: "dict[str, set[str]]" = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        folders = re.findall(r"`([\w/]+)`", cells[0])
        if line.startswith("| `") and len(cells) == 2 and folders:
            for folder in folders:
                direct[folder] = set(re.findall(r"`([\w/]+)`", cells[1]))

    def close(folder: str) -> "set[str]":
        below = direct.get(folder, set())
        return below.union(*(close(other) for other in below))

    return {folder: close(folder) for folder in direct}


def find_room(path: str, rooms: "dict[str, set[str]]") -> str:
    """The folder of the table that `path` is in; if none, the outermost one."""
    parts = path.split("/")
    for length in range(len(parts) - 1, 0, -1):
        if "/".join(parts[:length]) in rooms:
            return "/".join(parts[:length])
    return parts[0]


def sources(folder: pathlib.Path) -> "list[pathlib.Path]":
    return sorted(
        path for path in folder.rglob("*") if path.suffix in {".h", ".cpp", ".td"}
    )


def find_crowds(lib: pathlib.Path) -> "list[str]":
    """Folders with more than a reader sees at once."""
    rooms = [path for path in lib.iterdir() if path.is_dir()]
    found = []
    if len(rooms) > MOST_ROOMS:
        found.append(f"lib has {len(rooms)} folders, more than {MOST_ROOMS}")
    for folder in sorted(path for path in lib.rglob("*") if path.is_dir()):
        count = sum(path.is_file() for path in folder.iterdir())
        if count > MOST_FILES:
            found.append(
                f"{folder.relative_to(lib.parent)} has {count} files, "
                f"more than {MOST_FILES}"
            )
    return found


def main(root: pathlib.Path) -> int:
    allowed = read_table((root / "CONTRIBUTING.md").read_text())
    wrong = []
    arrows = 0
    for base in (root / "lib", root / "include" / "qbackend"):
        for path in sources(base):
            folder = find_room(path.relative_to(base).as_posix(), allowed)
            for included in re.findall(
                r'include "qbackend/([\w/.]+)"', path.read_text(encoding="utf-8")
            ):
                target = find_room(included, allowed)
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
    crowds = find_crowds(root / "lib")
    print("\n".join(wrong + crowds))
    print(f"{arrows} arrows between {len(allowed)} folders, {len(wrong)} not allowed")
    return 1 if wrong or crowds or not arrows else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the generated reference says something of all there is.

    reference.py FOLDER

Each op, attribute and pass has a summary, each op an example, each pass a
description and each of its options one. Prints what lacks them.
"""

import pathlib
import re
import sys


def entries(text: str) -> "list[tuple[str, str]]":
    """Headings of the third level, and what is below them."""
    parts = re.split(r"^### (.*)\n", text, flags=re.M)
    return list(zip(parts[1::2], parts[2::2]))


def faults(page: pathlib.Path, name: str, text: str) -> "list[str]":
    found = []
    summary = re.match(r"\n_(.+)_\n", text)
    if not summary:
        found.append("no summary")
    if "Syntax:\n\n```\noperation" in text and "```mlir" not in text:
        found.append("no example")
    if page.stem.endswith("Passes"):
        before, _, options = text.partition("\n#### Options\n")
        if len(before.split("\n\n")) < 2 or not before.split("_\n", 1)[-1].strip():
            found.append("no description")
        for line in re.findall(r"^-.*$", options, flags=re.M):
            if not line.partition(":")[2].strip():
                found.append(f"option {line.split()[0]} without description")
    return [f"{page.stem}: {name}: {fault}" for fault in found]


def main(folder: pathlib.Path) -> int:
    pages = sorted(folder.glob("*.md"))
    count = 0
    lacking = []
    for page in pages:
        for name, text in entries(page.read_text()):
            count += 1
            lacking += faults(page, name, text)
    print("\n".join(lacking))
    print(f"{len(pages)} pages, {count} entries, {len(lacking)} lacking")
    return 1 if lacking or not count else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of which two arguments create ops: C++ leaves open which is first, and
compilers differ, so that the same input would not give the same bytes.

    order.py ROOT

Prints the calls in lib and examples, and fails if there are any. What creates an
op: `Op::create`, `createOrFold`, and functions of the same folder that return a
Value and call such ones.
"""

import pathlib
import re
import sys

CREATE = r"::create(?:OrFold)?\(|\bcreateOrFold<"
FUNCTION = re.compile(
    r"(?:\bValue \w+::|\bValue |\bauto )(\w+)(?: = \[[^\]]*\])?\s*"
    r"(\((?:[^()]|\([^()]*\))*\))?[^;={}]*\{"
)


def blank(text: str) -> str:
    """`text` with spaces for what strings and comments say."""
    return re.sub(
        r'"(?:\\.|[^"\\\n])*"|//[^\n]*', lambda match: " " * len(match[0]), text
    )


def close(text: str, begin: int) -> int:
    """The end of the bracket that begins at `begin`."""
    depth = 0
    for match in re.compile(r"[()\[\]{}]").finditer(text, begin):
        depth += 1 if match[0] in "([{" else -1
        if depth == 0:
            return match.start()
    return len(text)


def split(text: str) -> "list[str]":
    """The arguments that `text` lists."""
    depth, arguments = 0, [""]
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            arguments.append("")
        else:
            arguments[-1] += letter
    return arguments


def find_creators(texts: "list[str]") -> "re.Pattern[str]":
    """What matches calls that create ops, in the files `texts` of a folder."""
    bodies = [
        (match[1], text[match.end() : close(text, match.end() - 1)])
        for text in texts
        for match in FUNCTION.finditer(text)
    ]
    names: "set[str]" = set()
    while True:
        calls = r"(?<![\w.:>])(?:" + "|".join(sorted(names) or ["$^"]) + r")\("
        creator = re.compile(CREATE + "|" + calls)
        more = {name for name, body in bodies if creator.search(body)} - names
        if not more:
            return creator
        names |= more


def main(root: pathlib.Path) -> int:
    files = {
        path: blank(path.read_text(encoding="utf-8"))
        for folder in ("lib", "examples")
        for path in sorted((root / folder).rglob("*"))
        if path.suffix in {".cpp", ".h"}
    }
    found = 0
    creators = {
        folder: find_creators(
            [text for path, text in files.items() if path.parent == folder]
        )
        for folder in {path.parent for path in files}
    }
    for path, text in files.items():
        creator = creators[path.parent]
        for match in re.finditer(r"[\w>]\(", text):
            arguments = split(text[match.end() : close(text, match.end() - 1)])
            # The body of a lambda runs later.
            creates = [
                argument
                for argument in arguments
                if not argument.lstrip().startswith("[") and creator.search(argument)
            ]
            if len(creates) > 1:
                found += 1
                line = text.count("\n", 0, match.start()) + 1
                print(f"{path.relative_to(root)}:{line}: two arguments create ops")
    print(f"{len(files)} files, {found} calls")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))

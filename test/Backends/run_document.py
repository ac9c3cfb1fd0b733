# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run a document: each `sh` block prints what the `text` block after it shows.

usage: run_document.py DOCUMENT.md FOLDER [SOURCE...]

Commands run in FOLDER; one without a text has to succeed. "..." in a line of text stands for anything in a line; a
line of nothing else for any lines. Blocks of other languages have to be in the
SOURCE files, if there are any, word for word.
"""

import re
import subprocess
import sys


def find_blocks(text):
    """Language, first line and content of each fenced block."""
    for match in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S):
        yield match[1], text.count("\n", 0, match.start()) + 1, match[2]


def to_regex(expected):
    result = ""
    for line in expected.splitlines():
        if line == "...":
            result += r"(?:[^\n]*\n)*?"
        else:
            result += "[^\\n]*".join(map(re.escape, line.split("..."))) + "\n"
    return result


def main():
    document, folder, *sources = sys.argv[1:]
    blocks = list(find_blocks(open(document).read()))
    code = "".join(open(source).read() for source in sources)
    ran = found = 0
    for i, (language, line, content) in enumerate(blocks):
        if language == "sh":
            done = subprocess.run(
                content,
                shell=True,
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            ran += 1
            if i + 1 == len(blocks) or blocks[i + 1][0] != "text":
                if done.returncode:
                    sys.exit(f"{document}:{line}: this fails\n{done.stdout}")
                continue
            if not re.fullmatch(to_regex(blocks[i + 1][2]), done.stdout):
                sys.exit(f"{document}:{line}: this prints\n{done.stdout}")
        elif language != "text" and sources:
            if content not in code:
                sys.exit(f"{document}:{line}: not in {sources}")
            found += 1
    print(f"{ran} commands, {found} snippets")


main()

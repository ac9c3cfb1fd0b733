# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check that docs/Diagnostics.md has each code, and that its examples give it.

usage: diagnostics.py SOURCE

Codes are the string literals "QBnnn" of the C++ sources; each is a section of the
document, with an example in mlir and a remedy. The first line of the example is
the command to run on it; it has to give a remark of that code, on which the
section of another code can't be wrong.
"""

import pathlib
import re
import subprocess
import sys
import tempfile


def find_codes(source):
    codes = {}
    for folder in ("lib", "tools"):
        for path in sorted((source / folder).rglob("*.cpp")):
            for code in re.findall(r'"(QB\d{3})"', path.read_text()):
                codes.setdefault(code, path.relative_to(source))
    return codes


def find_sections(source):
    text = (source / "docs/Diagnostics.md").read_text()
    parts = re.split(r"^## (QB\d{3}): .*$", text, flags=re.M)
    names = parts[1::2]
    if len(names) != len(set(names)):
        sys.exit("a code has two sections")
    if names != sorted(names):
        sys.exit("the sections are not in the order of the codes")
    return dict(zip(names, parts[2::2]))


def run_example(code, section, folder):
    """What is wrong with the section of `code`, or None."""
    example = re.search(r"^```mlir\n// (qbackend-opt [^\n]*)\n(.*?)^```$", section, re.M | re.S)
    if not example:
        return "has no example that starts with a command"
    if "\n**Remedy:** " not in section:
        return "has no remedy"
    path = pathlib.Path(folder, f"{code}.mlir")
    path.write_text(example[2])
    done = subprocess.run(
        [*example[1].split(), str(path), "-o", "/dev/null"], capture_output=True, text=True
    )
    if done.returncode != 0:
        return f"has an example that fails:\n{done.stderr}"
    if not re.search(rf"remark: (\[\w+\] {code} \||{code}: quantized)", done.stderr):
        return f"has an example that does not give it:\n{done.stderr}"
    return None


def main():
    source = pathlib.Path(sys.argv[1])
    codes, sections = find_codes(source), find_sections(source)
    wrong = [f"{code} of {path} is not in the document" for code, path in codes.items()
             if code not in sections]
    wrong += [f"{code} is in no source" for code in sections if code not in codes]
    with tempfile.TemporaryDirectory() as folder:
        for code, section in sections.items():
            if problem := run_example(code, section, folder):
                wrong.append(f"{code} {problem}")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(sections)} codes")


main()

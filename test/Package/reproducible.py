# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether files that are compiled again elsewhere are the same to the byte.

    reproducible.py BUILD SOURCE WORK PATTERN

Sources of lib and tools are copied to WORK, and those whose path matches the regular
expression PATTERN are compiled there, without a cache and precompiled headers, with
the command that BUILD used. Their objects, and the times in the archives of BUILD, are compared:
time, folder and user leave nothing in them.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys


def strip(command: "list[str]") -> "list[str]":
    """`command` without launchers, dependency files and precompiled headers."""
    at = next(i for i, word in enumerate(command)
              if re.search(r"(\+\+|cc|clang)(-\d+)?$", pathlib.Path(word).name)
              and "ccache" not in word)
    kept: "list[str]" = []
    skip = 0
    for i, word in enumerate(command[at:], at):
        if skip:
            skip -= 1
        elif word == "-include" and "cmake_pch" in command[i + 1]:
            skip = 1
        elif word == "-Winvalid-pch" or "cmake_pch" in word:
            continue
        else:
            kept.append(word)
    return kept


def main(build: pathlib.Path, source: pathlib.Path, work: pathlib.Path,
         pattern: str) -> int:
    failures = count = 0
    for name in ("include", "lib", "tools"):
        shutil.copytree(source / name, work / name)
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        name = os.path.relpath(file, source)
        if not re.search(pattern, name):
            continue
        count += 1
        words = strip(shlex.split(entry["command"]))
        at = words.index("-o") + 1
        output = pathlib.Path(entry["directory"]) / words[at]
        again = work / f"{count}.o"
        environment = {**os.environ, "CCACHE_DISABLE": "1"}
        if "cmake_pch" in entry["command"]:
            # Which numbers local symbols: without it here, too.
            output = work / f"{count}.here.o"
            words[at] = str(output)
            subprocess.run(words, check=True, cwd=entry["directory"], env=environment)
        words[at] = str(again)
        # What the build has made is not copied.
        words = [word if str(build) in word else word.replace(str(source), str(work))
                 for word in words]
        subprocess.run(words, check=True, cwd=work, env=environment)
        if again.read_bytes() != output.read_bytes():
            failures += 1
            print(f"{name} is compiled to other bytes in {work}")
    for archive in sorted((build / "lib").rglob("*.a")):
        data = archive.read_bytes()
        # Headers of 60 bytes: name, time, user, group, mode, size.
        at = 8
        while at < len(data):
            header = data[at:at + 60]
            if header[16:40].split() not in ([], [b"0"] * 3, [b"0"]):
                failures += 1
                print(f"{archive} has a time or a user: {header!r}")
                break
            size = int(header[48:58])
            at += 60 + size + size % 2
    print(f"{count} files compiled again, {failures} differ")
    return failures > 0 or count == 0


if __name__ == "__main__":
    sys.exit(main(*(pathlib.Path(a).resolve() for a in sys.argv[1:4]), sys.argv[4]))

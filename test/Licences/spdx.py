#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each file says its licence, or REUSE.toml says it for the file.

    spdx.py SOURCE [--add]

What can have comments, and is no input of a test, has the line itself among its
first five. --add writes it where it is missing.
"""

import argparse
import fnmatch
import os
import pathlib
import subprocess
import sys
import tomllib

LICENCE = "Apache-2.0 WITH LLVM-exception"
LINE = f"SPDX-License-Identifier: {LICENCE}"
COMMENTS = {".cpp": "//", ".h": "//", ".td": "//", ".mlir": "//", ".c": "//", ".py": "#",
            ".pyi": "#", ".sh": "#", ".test": "#", ".cmake": "#", ".in": "#",
            ".toml": "#", ".clang-format": "#", ".clang-tidy": "#",
            "CMakeLists.txt": "#"}


def find_files(source):
    """What git tracks, so that a user's own files fail nothing; without git, what is in
    no build folder."""
    if (source / ".git").exists():
        done = subprocess.run(["git", "-C", source, "ls-files", "-z"],
                              capture_output=True)
        # Git refuses a folder of somebody else.
        if done.returncode == 0:
            return [name for name in done.stdout.decode().split("\0")
                    if name and (source / name).is_file()]
    found = []
    for folder, folders, names in os.walk(source):
        if "CMakeCache.txt" in names:
            folders.clear()
            continue
        folders[:] = [f for f in folders if f not in (".git", "__pycache__", ".cache")]
        found += [os.path.relpath(os.path.join(folder, name), source) for name in names]
    return found


def comment_of(name):
    path = pathlib.PurePath(name)
    return COMMENTS.get(path.name) or COMMENTS.get(path.suffix)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--add", action="store_true")
    arguments = parser.parse_args()
    with open(arguments.source / "REUSE.toml", "rb") as file:
        patterns = [pattern for entry in tomllib.load(file)["annotations"]
                    if entry["SPDX-License-Identifier"] == LICENCE
                    for pattern in entry["path"]]
    files = sorted(find_files(arguments.source))
    missing = 0
    for name in files:
        path = arguments.source / name
        head = path.read_bytes()[:1000].decode("latin-1").splitlines()[:5]
        if any(LINE in line for line in head):
            continue
        comment = comment_of(name)
        # CMakeLists.txt is no text without comments.
        if path.name != "CMakeLists.txt" and any(
                fnmatch.fnmatch("/" + name, pattern.replace("**/", "**"))
                or fnmatch.fnmatch(name, pattern) for pattern in patterns):
            continue
        if arguments.add and comment:
            path.write_text(f"{comment} {LINE}\n" + path.read_text())
            continue
        missing += 1
        print(f"{name}: no licence; add '{comment or '#'} {LINE}' to its first lines, or "
              "its path to REUSE.toml")
    print(f"{len(files)} files, {missing} without a licence")
    return missing > 0


if __name__ == "__main__":
    sys.exit(main())

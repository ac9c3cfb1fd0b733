#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damaged inputs: each ends in a result, or in an error and no file.

    mutate.py --bin DIR [--kinds KIND,...] [--seeds FIRST:LAST] [--jobs N]
              [--timeout SECONDS] [--keep DIR] [--verbose]

Each seed of a kind damages one of the files that the tests of the project have,
in one, two or four places, and gives it to the tools that read it. Outcomes:

    success   exit code 0 and the output
    error     another exit code, an "error:" on standard error, no output
    crash     a signal, an assertion, a sanitizer's finding, Python's traceback
    hang      no end within --timeout
    silent    a failure that says nothing
    leftover  a failure that leaves a file

The last four are wrong: they are printed with the command, and --keep keeps their
inputs. The exit code is 1 if there is one. Same seeds, same files.
"""

import argparse
import collections
import concurrent.futures
import copy
import io
import json
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import zipfile

import seeds as corpus

# Numbers that wrap, are too many, or no number.
NUMBERS = ["0", "-1", "1", "2", "3", "7", "255", "256", "65536", "2147483647", "-2147483648",
           "4294967296", "4611686018427387904", "9223372036854775807",
           "18446744073709551616", "1e400", "-1e-400", "nan", "inf", "0x7FC00000",
           "?", "*", "3.4e38", "00", "1.5"]
# Products of these wrap to 0 and to small numbers.
EXTENTS = ["0", "1", "7", "?", "65536", "4294967296", "4611686018427387904",
           "4611686018427387905"]
# No number, no normal one, no data, too little.
CONSTANTS = ["dense<0x7FC00000>", "dense<0xFF800000>", "dense<3.4028235e38>",
             "dense<1.0e-45>", "dense<-0.0>", "dense<127>", "dense_resource<none>",
             "dense_resource<w>", "dense<\"0x00000000000000000000000000000000\">"]
VALUES = [0, -1, 1.5, 2**31, 2**32, -2**63, 2**64, 1e308, -1e-320, float("nan"),
          float("inf"), "", "x", "\udc80", None, True, [], {}, [[[]]], {"a": {}}, "9" * 99]
WORDS = corpus.dictionary()
BRACKETS = ["[", "{", "(", "<", "\"", "]", "}", ")", ">"]


def mutate_gently(rng, data, others):
    """One change after which a module may still be one: of a number, a line, a
    value or type by one of another place, an extent in all places, or a constant."""
    return mutate_text(rng, data, others, rng.choice([0, 0, 2, 3, 6, 6, 9, 9, 10]))


def mutate_text(rng, data, others, choice=None):
    """One change that knows of numbers, words and lines."""
    text = data.decode("latin-1")
    choice = rng.randrange(9) if choice is None else choice
    if choice == 0:
        found = list(re.finditer(r"-?\d+(\.\d+)?(e[+-]?\d+)?", text))
        if found:
            at = rng.choice(found)
            text = text[:at.start()] + rng.choice(NUMBERS) + text[at.end():]
    elif choice == 1:
        found = list(re.finditer(r"[A-Za-z_][\w.]*", text))
        if found:
            at = rng.choice(found)
            text = text[:at.start()] + rng.choice(WORDS) + text[at.end():]
    elif choice == 2:
        lines = text.split("\n")
        at, to = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[at], lines[to] = lines[to], lines[at]
        text = "\n".join(lines)
    elif choice == 3:
        lines = text.split("\n")
        at = rng.randrange(len(lines))
        lines[at:at + 1] = rng.choice([[], [lines[at]] * 2])
        text = "\n".join(lines)
    elif choice == 4:
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(BRACKETS) * rng.choice([1, 2, 300, 20000]) \
            + text[at:]
    elif choice == 5:
        text = text[:rng.randrange(len(text) + 1)]
    elif choice == 6:
        # A type or value of another place.
        found = list(re.finditer(r"tensor<[^>]*>|%\w+|@\w+|#\w+|![\w.]+", text))
        if found:
            at, source = rng.choice(found), rng.choice(found)
            text = text[:at.start()] + source[0] + text[at.end():]
    elif choice == 7:
        other = rng.choice(others).decode("latin-1").split("\n")
        lines = text.split("\n")
        at, first = rng.randrange(len(lines)), rng.randrange(len(other))
        lines[at:at] = other[first:first + rng.randrange(1, 4)]
        text = "\n".join(lines)
    elif choice == 9:
        found = re.findall(r"(?<=[<x])\d+(?=x)", text)
        if found:
            text = re.sub(rf"(?<=[<x]){rng.choice(found)}(?=x)", rng.choice(EXTENTS),
                          text)
    elif choice == 10:
        found = list(re.finditer(r"dense<[^<>]*>", text))
        if found:
            at = rng.choice(found)
            text = text[:at.start()] + rng.choice(CONSTANTS) + text[at.end():]
            text += "\n{-# dialect_resources: { builtin: { w: \"0x04000000\" } } #-}\n"
    else:
        return mutate_bytes(rng, data, others)
    return text.encode("latin-1")


def mutate_bytes(rng, data, others):
    """One change that knows nothing."""
    data = bytearray(data)
    at = rng.randrange(len(data) + 1)
    choice = rng.randrange(7)
    if choice == 0 and data:
        data[at % len(data)] ^= 1 << rng.randrange(8)
    elif choice == 1 and data:
        data[at % len(data)] = rng.choice([0, 1, 0x7F, 0x80, 0xFE, 0xFF])
    elif choice == 2:
        data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 9)))
    elif choice == 3:
        del data[at:at + rng.choice([1, 2, 4, 16, 256])]
    elif choice == 4:
        del data[at:]
    elif choice == 5:
        size = rng.choice([2, 4, 8])
        value = rng.choice([0, 1, 2**31, 2**32, 2**62, 2**63 - 1, 2**64 - 1])
        data[at:at + size] = (value % 2**(8 * size)).to_bytes(size, "little")
    else:
        other = rng.choice(others)
        first = rng.randrange(len(other) + 1)
        data[at:at + 16] = other[first:first + rng.choice([8, 16, 64])]
    return bytes(data)


def mutate_json(rng, data, others):
    """One value, key or element of a document; it is JSON still."""
    try:
        root = [json.loads(data)]
    except (ValueError, RecursionError):  # It was damaged before.
        return mutate_text(rng, data, others)
    places = []

    def visit(node):
        keys = node if isinstance(node, dict) else range(len(node))
        for key in keys:
            places.append((node, key))
            if isinstance(node[key], (dict, list)):
                visit(node[key])

    visit(root)
    node, key = rng.choice(places)
    choice = rng.randrange(5)
    if choice == 0:
        node[key] = rng.choice(VALUES)
    elif choice == 1 and node is not root:
        del node[key]
    elif choice == 2 and isinstance(node, dict):
        node[rng.choice(["", "name", "version", "\0", "ä" * 9])] = node.pop(key)
    elif choice == 3:
        other, place = rng.choice(places)
        node[key] = copy.deepcopy(other[place])
    elif isinstance(node[key], list):
        node[key] = node[key] * rng.choice([2, 50])
    else:
        node[key] = [node[key]]
    return json.dumps(root[0]).encode()


def mutate_entry(rng, data, others):
    """One change in what an entry of an archive holds; its checksum is right."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = {name: archive.read(name) for name in archive.namelist()}
    except Exception:  # It was damaged before.
        return mutate_bytes(rng, data, others)
    if not entries:
        return data
    name = rng.choice(list(entries))
    change = rng.choice([mutate_bytes, mutate_text])
    entries[name] = change(rng, entries[name], list(entries.values()))
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w") as archive:
        for name, entry in entries.items():
            archive.writestr(name, entry)
    return result.getvalue()


def limit_memory():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not corpus.SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))


def judge(command, folder, output, timeout, is_error="error:"):
    """The outcome of one command, and a line of what it said."""
    before = set(folder.iterdir())
    try:
        done = subprocess.run(command, capture_output=True, timeout=timeout,
                              cwd=folder, stdin=subprocess.DEVNULL,
                              preexec_fn=limit_memory)
    except subprocess.TimeoutExpired:
        return "hang", f"more than {timeout} s"
    said = done.stderr.decode("utf-8", "replace")
    wrong = re.search(r"PLEASE submit|Assertion|LLVM ERROR|Sanitizer|"
                      r"runtime error:|terminate called|Traceback", said)
    if done.returncode < 0 or done.returncode > 2 or wrong:
        lines = [line for line in said.splitlines()
                 if wrong and wrong[0] in line] or said.splitlines()[-1:] or [""]
        return "crash", f"{done.returncode}: {lines[0][:200]}"
    left = set(folder.iterdir()) - before
    if done.returncode == 0:
        if output and not output.exists():
            return "silent", "exit code 0, but no output"
        return "success", ""
    if left:
        return "leftover", ", ".join(path.name for path in left)
    # `qbackend-config validate` prints what it finds as its result.
    error = re.search(f".*({is_error}).*", said + done.stdout.decode("utf-8", "replace"))
    return ("error", error[0]) if error else ("silent", said[:200])


def run_seed(kind, seed, files, arguments):
    """The outcomes of one damaged file: (outcome, line, command, file)."""
    rng = random.Random(f"{kind.name} {seed}")
    name, data = rng.choice(files)
    others = [other for _, other in files]
    for _ in range(1 if kind.gentle else rng.choice([1, 1, 2, 4])):
        change = (mutate_bytes if kind.binary else
                  mutate_gently if kind.gentle else mutate_text)
        if kind.suffix == ".json" and rng.randrange(4):
            change = mutate_json
        elif data.startswith(b"PK") and rng.randrange(4):
            change = mutate_entry
        data = change(rng, data, others)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        commands = kind.get_commands(name)
        for command in rng.sample(commands, min(2, len(commands))):
            work = pathlib.Path(tempfile.mkdtemp(dir=folder))
            path = work / f"in{kind.suffix}"
            path.write_bytes(data)
            output = work / "out"
            line = [part.format(input=path, output=output, bin=arguments.bin,
                                **corpus.helpers(arguments.work))
                    for part in command]
            outcome, said = judge(line, work,
                                  output if "{output}" in " ".join(command) else None,
                                  arguments.timeout)
            kept = ""
            if outcome not in ("success", "error") and arguments.keep:
                kept = pathlib.Path(arguments.keep) / \
                    f"{kind.name}-{seed}-{outcome}{kind.suffix}"
                shutil.copy(path, kept)
            results.append((outcome, said, line, f"{name} {kept}"))
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--kinds", default=",".join(corpus.KINDS))
    parser.add_argument("--seeds", default="0:100")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--keep")
    parser.add_argument("--verbose", action="store_true",
                        help="print all outcomes")
    arguments = parser.parse_args()
    arguments.bin = arguments.bin.resolve()
    if arguments.keep:
        pathlib.Path(arguments.keep).mkdir(parents=True, exist_ok=True)
    first, last = map(int, arguments.seeds.split(":"))
    bad = 0
    with tempfile.TemporaryDirectory() as work, \
            concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        arguments.work = pathlib.Path(work)
        corpus.write_helpers(arguments.work)
        for name in arguments.kinds.split(","):
            kind = corpus.KINDS[name]
            files = kind.read(arguments)
            counts = collections.Counter()
            for results in pool.map(
                    lambda seed: run_seed(kind, seed, files, arguments),
                    range(first, last)):
                for outcome, said, command, source in results:
                    counts[outcome] += 1
                    if arguments.verbose:
                        print(f"{outcome}: {' '.join(map(str, command))}: {said}")
                    if outcome not in ("success", "error"):
                        bad += 1
                        print(f"{outcome}: {' '.join(map(str, command))} "
                              f"({source}): {said}", flush=True)
            print(f"{name}: {len(files)} files, " +
                  ", ".join(f"{count} {outcome}"
                            for outcome, count in sorted(counts.items())),
                  flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the fuzz targets of a build, each for some time.

    targets.py --bin DIR [--targets NAME,...] [--seconds N] [--seed 1]
               [--jobs N] [--work DIR] [--keep DIR] [arguments of the targets]

Each target gets seeds from the tests and a dictionary of the words in them: as many as
it runs in a third of its time, drawn by --seed, since changes come after all of them. In
a build with clang and sanitizers (`utils/setup.sh fuzz`) libFuzzer looks for inputs
that reach new code, which --work keeps for the next run; elsewhere inputs are random
changes of seeds. An input that ends a target goes to --keep. The exit code is 1 if
there is one.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import seeds as corpus

# What formats have besides the words of their seeds.
BYTES = {
    "Arrays": [b"\x93NUMPY\x01\x00", b"\x93NUMPY\x02\x00", b"PK\x03\x04", b"PK\x01\x02",
               b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07", b"'descr': '<f4'",
               b"'descr': '|O'", b"'descr': '>i8'", b"'fortran_order': True",
               b"'shape': (4611686018427387904, 4)", b"'shape': ()", b"(-1,)",
               b"\xff\xff\xff\xff", b"\x08\x00"],
    "Parameters": [b"\x00\x00\x00\x00{", b"\xff\xff\xff\xff", b"\"data_offsets\":[0,0]",
                   b"\"shape\":[]", b"4611686018427387904", b"-1", b"__metadata__",
                   b"\"BF16\"", b"\"BOOL\"", b"\"F4\"", b"null"],
    "Tables": [b"1e400", b"-0.0", b"\\ud800", b"NaN", b"null", b"[[", b"}}"],
    "Modules": [b"ML\xefR", b"loc(\"a\":0:0)", b"dense_resource<a>", b"\"0x00\"", b"{-#",
                b"#-}", b"^bb0", b"?x", b"*x"],
    "Configurations": [b"null", b"true", b"\\u0000", b"-1", b"1.0e300", b"{}", b"[]"],
    "Pipeline": [b"?x", b"*x", b"dense<", b"0x7FC00000", b"4611686018427387904", b"^bb0"],
}
# How many seeds a second are few enough where an input is read in a child first.
SEEDS_A_SECOND = dict.fromkeys(("Modules", "Configurations", "Pipeline"),
                               2 if corpus.SANITIZED else 20)
READERS = {
    "Arrays": [corpus.read_arrays],
    "Parameters": [corpus.read_parameters],
    "Tables": [corpus.read_tables],
    "Modules": [corpus.read_modules, corpus.read_bytecode],
    "Configurations": [corpus.read_configurations, corpus.read_documents],
    "Pipeline": [corpus.read_networks],
}


def write_seeds(name, folder, arguments):
    """Files of the tests, and the dictionary beside their folder. Returns how many."""
    folder.mkdir(parents=True)
    words = collections.Counter()
    found = [data for read in READERS[name] for _, data in read(arguments)]
    for data in found:
        words.update(set(re.findall(rb"[A-Za-z_][\w.]{2,30}", data)))
    most = max(16, arguments.seconds * SEEDS_A_SECOND.get(name, 1000))
    if len(found) > most:
        found = random.Random(arguments.seed).sample(found, most)
    for number, data in enumerate(found):
        (folder / f"{number:04}").write_bytes(data)
    # The most common ones; equal ones by name, for the same dictionary each time.
    common = sorted(words, key=lambda word: (-words[word], word))[:400]
    lines = ['"' + "".join(chr(c) if 32 <= c < 127 and c not in b'"\\' else f"\\x{c:02X}"
                           for c in word) + '"' for word in BYTES[name] + common]
    folder.with_suffix(".dict").write_text("\n".join(lines) + "\n")
    assert found, f"no seeds for {name}"
    return len(found)


def run(name, arguments):
    """The exit code, and the last lines of what was said."""
    folder = arguments.seeds / name
    found = arguments.work / name if arguments.work else folder.with_suffix(".found")
    found.mkdir(parents=True, exist_ok=True)
    keep = arguments.keep or arguments.seeds
    keep.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [arguments.bin.parent / "test" / "Fuzz" / "Targets" / f"Fuzz{name}",
         f"-max_total_time={arguments.seconds}", f"-seed={arguments.seed}",
         f"-dict={folder.with_suffix('.dict')}", f"-artifact_prefix={keep / name}-",
         # As mutate.py has it: some seeds have weights of 2 GB.
         "-rss_limit_mb=6144", *arguments.options, found, folder],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = done.stdout.decode("utf-8", "replace").splitlines()
    # Without libFuzzer it says how many seeds.
    runs = [line if "seeds" in line else f"{line}, of {arguments.counts[name]} seeds"
            for line in said if line.startswith("Done ")]
    return done.returncode, runs if done.returncode == 0 and runs else said[-40:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--targets", default=",".join(READERS))
    # Others than sanitizers find less.
    parser.add_argument("--seconds", type=int, default=20 if corpus.SANITIZED else 3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    arguments, arguments.options = parser.parse_known_args()
    arguments.bin = arguments.bin.resolve()
    # As in test/sanitizers.py, also for what writes seeds; and memory that is not
    # there is an error here, too.
    os.environ["ASAN_OPTIONS"] = ":".join([
        os.environ.get("ASAN_OPTIONS", "allow_user_poisoning=0:"
                       "detect_container_overflow=0:detect_leaks=0"),
        # A fork, of which an input can have several, takes time for all memory.
        "allocator_may_return_null=1", "quarantine_size_mb=16"])
    failures = 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        arguments.seeds = pathlib.Path(folder)
        work, arguments.work = arguments.work, arguments.seeds
        corpus.write_helpers(arguments.work)
        names = arguments.targets.split(",")
        arguments.counts = {
            name: write_seeds(name, arguments.seeds / name, arguments)
            for name in names}
        arguments.work = work
        for name, (code, said) in zip(names, pool.map(
                lambda name: run(name, arguments), names)):
            failures += code != 0
            print(f"{name}: {f'FAILED with {code}' if code else 'no finding'}: "
                  + "\n".join(said), flush=True)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules with one thing changed, and what may become of them."""

import random
import re
import subprocess

import numpy as np

# What is changed, by a pattern with one group, and what may stand there.
CHANGES = [
    ("rounding", r"rounding_mode = (\w+)",
     ["SINGLE_ROUND", "DOUBLE_ROUND", "INEXACT_ROUND"]),
    ("per_channel", r"per_channel = (\w+)", ["true", "false"]),
    ("scale32", r"scale32 = (\w+)", ["true", "false"]),
    ("input_unsigned", r"input_unsigned = (\w+)", ["true", "false"]),
    ("output_unsigned", r"output_unsigned = (\w+)", ["true", "false"]),
    ("stride", r"stride = array<i64: (\d+, \d+)>", ["1, 1", "2, 1", "1, 2", "2, 2"]),
    ("dilation", r"dilation = array<i64: (\d+, \d+)>", ["1, 1", "2, 2"]),
    ("pad", r" pad = array<i64: (\d+, \d+, \d+, \d+)>",
     ["0, 0, 0, 0", "1, 1, 1, 1", "2, 0, 1, 1", "0, 1, 0, 1"]),
    ("out_pad", r"out_pad = array<i64: (-?\d+, -?\d+, -?\d+, -?\d+)>",
     ["0, 0, 0, 0", "1, -2, 0, -1", "-1, 0, 0, -1", "0, -1, 0, -1"]),
    ("byte", r"dense<(-?\d+)> : tensor<1xi8>",
     [str(n) for n in (-128, -7, 0, 1, 2, 31, 32, 40, 62, 63, 127)]),
    ("word", r"dense<(-?\d+)> : tensor<1xi32>",
     [str(n) for n in (-1, 0, 1, 5, 1073741824, 1500000000, 2147483647)]),
    ("clamp", r"min_val = (-?\d+) : i8", ["-128", "-20", "0", "10"]),
    ("acc_type", r"acc_type = (\w+)", ["i32", "i48", "f32"]),
    ("sums", r"tosa\.(add|sub) %\d+", ["add", "sub", "maximum", "minimum"]),
]
# And of 16-bit activations.
WIDE_CHANGES = [
    ("half", r"dense<(-?\d+)> : tensor<1xi16>",
     [str(n) for n in (-32768, -1, 0, 1, 5, 16384, 32767)]),
    ("bias", r"dense<\[(-?\d+), .*xi48>",
     [str(n) for n in (0, 2**31, -2**40, 2**45, 2**46, 2**47 - 1)]),
    ("limit", r"min_val = (-?\d+) : i16", ["-32768", "-20", "0", "10", "20000"]),
]


def mutate(text, seed):
    """`text` with one change, and its name."""
    choice = random.Random(seed)
    changes = CHANGES + (WIDE_CHANGES if "i48" in text else [])
    while True:
        name, pattern, values = choice.choice(changes)
        places = list(re.finditer(pattern, text))
        if not places:
            continue
        place = choice.choice(places)
        value = choice.choice([v for v in values if v != place[1]])
        return (text[:place.start(1)] + value + text[place.end(1):],
                f"{name} {place[1]} -> {value}")


def attempt(*command):
    return subprocess.run([str(part) for part in command], capture_output=True,
                          text=True, timeout=120)


def judge(checker, label, source, inputs):
    """`exact`, or how it was refused. Ends the test where the tool is wrong without a
    word, or dies."""
    applied = checker.work / "applied.mlir"
    done = attempt(checker.bin / "qbackend-opt", "--apply-backend=qnnpack", source, "-o",
                   applied)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{label}: ended with {done.returncode}\n{done.stderr[:2000]}")
    if done.returncode == 1:
        if "error:" not in done.stderr:
            raise SystemExit(f"{label}: failed without an error\n{done.stderr[:2000]}")
        return "refused"
    results = []
    samples = checker.work / "x.npz"
    np.savez(samples, x=inputs)
    for module in (source, applied):
        output = checker.work / "y.npz"
        ran = attempt(checker.bin / "qbackend-run", module, f"--input={samples}", "-o",
                      output, "--num-threads=1")
        if ran.returncode not in (0, 1):
            raise SystemExit(f"{label}: ran to {ran.returncode}\n{ran.stderr[:2000]}")
        if ran.returncode == 0:
            with np.load(output) as file:
                results.append(file[file.files[0]])
        else:
            results.append(None)
    before, after = results
    if before is None:
        return "not run before" if after is None else "run after only"
    if after is None:
        raise SystemExit(f"{label}: what comes out doesn't run")
    differ = int((before != after).sum())
    if differ:
        raise SystemExit(f"{label}: {differ} of {before.size} integers differ")
    checker.compared += before.size
    return "exact" if "qnnpack." in applied.read_text() else "unchanged"

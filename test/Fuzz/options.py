#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Odd values of options: each ends in a result, or in an error and no file.

    options.py --bin DIR [--seeds FIRST:LAST] [--jobs N] [--timeout SECONDS]
               [--tools NAME,...] [--verbose]

Each seed is a command of each tool with one to three of its options, whose values
are numbers that wrap, paths that are none, names that nothing has, and text that is
not even UTF-8. Outcomes are judged as by mutate.py.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import random
import sys
import tempfile

import numpy as np

import mutate
import seeds as corpus

VALUES = ["", "-1", "0", "1", "2", "1000", "4294967296", "99999999999999999999",
          "-9223372036854775808", "0.5", "nan", "inf", "-inf", "1e309", "1e-320",
          "1/0", "0/1", "1/255", "3/4", "-1/4", "a", "@", "@x", "@@", ".", "/", "/dev/null",
          "/nowhere/file", ",", "0,0", "0,9", "0,-1", ":", "::", "%s%n", "x" * 5000,
          "\udcff\udcfe", "'", "\"", "--", "-", "=", "true", "main", "x", "0:1",
          "{network}", "{samples}", "{samples}:x", "{samples}:missing", "{table}",
          "{table}:x", "{labels}", "{labels}:labels", "{folder}", "{output}",
          "qnnpack", "fbgemm", "default_qconfig", "minmax", "linalg", "reference",
          "scalar", "amx", "10m", "1e9h", "linear_0", "linear_0,linear_0", "\n", "é"]
KEYS = ["mode", "qconfig", "sharing", "entry", "quantized-inputs", "quantized-outputs",
        "keep-float", "calibration", "data", "equalization", "corrections",
        "non-finite", "samples", "batch-size", "input-scale", "sample-arguments",
        "num-threads", "lower-to", "require-quantized", "weights"]
RUN = ["--backend", "--batch-size", "--calibration", "--compare", "--entry", "--html",
       "--input", "--input-scale", "--labels", "--layers", "--non-finite",
       "--num-threads", "--profile", "--qconfig", "--report", "--resume",
       "--sample-arguments", "--samples", "--save-every", "--sensitivity", "--shard",
       "--source", "--target", "--calibrate", "--changes", "--statistics", "--parts",
       "--for-corrections",
       "--weights", "--compare-weights"]
TUNE = ["--backend", "--calibration", "--data", "--entry", "--input", "--input-scale",
        "--keep-accuracy", "--keep-sqnr", "--labels", "--max-time", "--num-threads",
        "--qconfig", "--resume", "--sample-arguments", "--samples",
        "--target-latency", "--weights", "--shard", "--parts"]
TABLE = ["--observer", "--percentile", "--symmetric", "--dtype"]
# Values that some option has: half of all are one of these.
PLAUSIBLE = {
    "backend": ["qnnpack", "fbgemm", "x86"], "qconfig": ["minmax", "minmax_per_channel"],
    "mode": ["convert", "fake-quant"], "sharing": ["groups", "fx"], "entry": ["main"],
    "lower-to": ["reference", "qnnpack", "linalg", "tosa"], "keep-float": ["linear_0"],
    "quantized-inputs": ["0"], "quantized-outputs": ["0"],
    "calibration": ["{table}", "ranges"], "data": ["{samples}", "{samples}:x"],
    "corrections": ["bias-correction", "mse-ranges", "adaptive-rounding"],
    "non-finite": ["ignore", "error"], "samples": ["1", "2", "3"],
    "batch-size": ["1", "2"], "input-scale": ["1/255", "0.5"],
    "sample-arguments": ["0"], "num-threads": ["1", "2", "64"],
    "require-quantized": ["0", "100", "101"], "compare": ["{network}"],
    "labels": ["{labels}", "{labels}:labels"], "target": ["scalar", "avx2", "amx"],
    "shard": ["0/1", "1/2", "2/2"], "statistics": ["ordered", "mergeable"],
    "save-every": ["0", "0.001"], "report": ["cost"],
    "observer": ["min_max", "entropy", "mse", "percentile"],
    "percentile": ["0", "50", "100"], "html": ["{output}.html"], "source": ["x"],
    "keep-accuracy": ["0", "1", "100"], "keep-sqnr": ["0", "30", "200"],
    "max-time": ["0", "1s", "1m"], "target-latency": ["0", "1us", "2ms"],
    "dtype": ["si8", "ui8"], "opset": ["13", "21"],
    "apply-backend": ["qnnpack", "{network}"],
    "form": ["linalg", "linalg-unsigned-bytes", "kernels", "tosa"], "z3": ["z3"],
    "format": ["text", "json"], "timeout": ["1", "60"],
    "target-triple": ["x86_64-linux-gnu", "aarch64-linux-gnu"],
    "target-cpu": ["generic", "x86-64-v3"], "target-features": ["+avx2", "+dotprod"]}
# All inputs of its op are computed: what a solver may take doesn't matter.
QUANTIZED = """!x = !quant.uniform<u8:f32, 0.05:120>
func.func @main(%x: tensor<4x!x>) -> tensor<4x!x> {
  %y = qnnpack.relu %x : tensor<4x!x> -> tensor<4x!x>
  return %y : tensor<4x!x>
}
"""
BARE = {"--layers", "--resume", "--profile", "--sensitivity", "--calibrate", "--symmetric",
        "--html", "--changes", "--timings"}

# LLVM's parser of options has words of its own.
ERRORS = ("error:|no such option|Unknown (command line argument|subcommand)|"
          "(for|For) the -.* option|Not enough positional|Too many positional|"
          "May only occur|must be specified|requires a value|does not allow a value|[Cc]annot find option")

# A command that works, and options that it may have besides.
COMMANDS = {
    "apply": (["qbackend-opt", "--apply-backend=qnnpack", "{network}", "-o", "{output}"],
              KEYS + ["--apply-backend"]),
    "passes": (["qbackend-opt", "{network}", "-o", "{output}"],
               ["--qbackend-fuse", "--qbackend-observe", "--qbackend-raise",
                "--qbackend-print-observers", "--qbackend-explain-operator",
                "--qbackend-convert", "--qbackend-calibrate", "--pass-pipeline",
                "--qbackend-lower-to-llvm", "--convert-qnnpack-to-int8",
                "--qbackend-generate-kernels", "--qbackend-vectorize",
                "--qbackend-kernel-pipeline", "--qbackend-prepare-pipeline",
                "--qbackend-verify-accumulators"]),
    "run": (["qbackend-run", "{network}", "--input={samples}", "-o", "{output}"], RUN),
    "calibrate": (["qbackend-run", "{network}", "--input={samples}", "--calibrate", "-o",
                   "{output}"], RUN),
    "compare": (["qbackend-run", "{network}", "--input={samples}",
                 "--compare={network}"], RUN),
    "doctor": (["qbackend-run", "{network}", "--input={samples}", "--doctor", "-o",
                "{output}"], RUN),
    "prove": (["qbackend-prove", "{quantized}", "-o", "{output}"],
              ["--form", "--format", "--z3", "--timeout", "--timings", "--target",
               "--target-triple", "--target-cpu", "--target-features"]),
    "tune": (["qbackend-tune", "{network}", "--input={samples}", "--keep-sqnr=20", "-o",
              "{output}"], TUNE),
    "stages": (["qbackend-stages", "{network}", "-o", "{output}"],
               ["--apply-backend", "--html", *KEYS]),
    "show": (["qbackend-calib", "show", "{table}", "-o", "{output}"], TABLE),
    "diff": (["qbackend-calib", "diff", "{table}", "{table}"], TABLE),
    "export": (["qbackend-calib", "export", "--format=aimet", "{table}", "-o",
                "{output}"], TABLE),
    "explain": (["qbackend-config", "explain", "qnnpack", "conv2d"],
                ["--qconfig", "--format"]),
    "config": (["qbackend-config", "to-json", "qnnpack", "-o", "{output}"],
               ["--qconfig", "--format"]),
    "translate": (["qbackend-translate", "{network}", "-o", "{output}"],
                  ["--qbackend-to-onnx", "--onnx-entry"]),
}


def write_files(arguments):
    work = arguments.work
    corpus.write_helpers(work)
    np.savez(work / "labels.npz", labels=np.array([0, 1, 9]))
    (work / "folder").mkdir()
    (work / "quantized.mlir").write_text(QUANTIZED)
    corpus.read_tables(arguments)


def draw(rng, name, names):
    """The command of `name` with odd options."""
    command, options = COMMANDS[name]
    command = list(command)
    for option in rng.choices(options, k=rng.choice([1, 1, 2, 3])):
        value = rng.choice(VALUES)
        if rng.random() < 0.6:
            value = rng.choice(PLAUSIBLE.get(option.strip("-"), VALUES))
        kind = rng.random()
        if option in BARE and kind < 0.8:
            command.append(option)
        elif not option.startswith("--"):
            command.append(f"{option}={value}")
        elif kind < 0.1:
            command.append(option)
        elif name == "passes" and kind < 0.8:
            key = rng.choice(["backend", "qconfig", "name", "target", "entry", "format",
                              "calibration", "lower-to", "keep-float", "target-triple"])
            command.append(f"{option}={key}={value}")
        else:
            command.append(f"{option}={value}")
    if rng.random() < 0.1:
        command.append(rng.choice(VALUES))
    if rng.random() < 0.05:
        del command[rng.randrange(1, len(command))]
    filled = []
    for part in command:
        for key, path in names.items():
            part = part.replace("{" + key + "}", str(path))
        filled.append(part.replace("\0", ""))
    return filled


def run_seed(name, seed, arguments):
    rng = random.Random(f"options {name} {seed}")
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        names = {"network": arguments.work / "network.mlir",
                 "quantized": arguments.work / "quantized.mlir",
                 "samples": arguments.work / "samples.npz",
                 "labels": arguments.work / "labels.npz",
                 "table": arguments.work / "default.json",
                 "folder": arguments.work / "folder", "output": work / "out"}
        tool, *rest = draw(rng, name, names)
        line = [str(arguments.bin / tool), *rest]
        return mutate.judge(line, work, None, arguments.timeout, ERRORS), line


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--tools", default=",".join(COMMANDS))
    parser.add_argument("--seeds", default="0:100")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    arguments.bin = arguments.bin.resolve()
    first, last = map(int, arguments.seeds.split(":"))
    bad = 0
    with tempfile.TemporaryDirectory() as work, \
            concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        arguments.work = pathlib.Path(work)
        write_files(arguments)
        for name in arguments.tools.split(","):
            counts = collections.Counter()
            for (outcome, said), line in pool.map(
                    lambda seed: run_seed(name, seed, arguments), range(first, last)):
                counts[outcome] += 1
                wrong = outcome not in ("success", "error")
                bad += wrong
                if wrong or arguments.verbose:
                    print(f"{outcome}: {ascii(' '.join(line))[:600]}: {said}",
                          flush=True)
            print(f"{name}: " + ", ".join(f"{count} {outcome}" for outcome, count in
                                          sorted(counts.items())), flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the golden cases of PyTorch's engine as ONNX and evaluates them.

    onnx_golden.py DIR --build DIR [--runtime] [--level LEVEL] [NAME...]

Each case of DIR/NAME.json is a network of one op; by default, of all files. Prints
a line a file: cases and elements that are equal, and the largest step. What is
more than ALLOWED has of it is a failure. With --runtime ONNX Runtime evaluates
them, otherwise NumPy does.
"""

import argparse
import importlib.util
import json
import pathlib
import subprocess
import sys

import numpy as np

import onnx_runtime
from onnx_graph import Graph

ROOT = pathlib.Path(__file__).resolve().parents[3]
#: Between the files of modules; part of no file.
MARKER = "----- next module 5d1c93 -----"

#: The largest step, and how many elements of 1000 may differ, for each file
#: that isn't equal. One step: a tie, see docs/Exporting.md.
ALLOWED = {
    "adaptive_avg_pool2d": (1, 50),
    "add": (1, 150),
    "add_qint8": (1, 200),
    "avg_pool2d": (1, 20),
    "cat": (1, 5),
    "conv1d": (255, 5),
    "conv2d": (255, 10),
    "conv3d": (255, 5),
    "elu": (1, 5),
    "group_norm": (1, 5),
    "instance_norm": (1, 5),
    "layer_norm": (1, 5),
    "linear_dynamic": (1e-4, 1000),
    "mul": (1, 10),
    "mul_qint8": (1, 10),
    "prelu": (1, 20),
    "mean_hw": (1, 30),
    "quantize_per_tensor": (255, 10),
    "softmax": (1, 5),
    "upsample_bilinear2d": (1, 20),
}


def replay_golden():
    """test/Integration/replay_golden.py, which writes the ops."""
    path = ROOT / "test" / "Integration" / "replay_golden.py"
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location("replay_golden", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def translate(tool, modules):
    """The ONNX files of modules."""
    separator = "\n// -----\n"
    result = subprocess.run(
        [tool, "--qbackend-to-onnx", "--split-input-file",
         f"--output-split-marker={MARKER}"],
        input=separator.join(modules).encode(), capture_output=True)
    if result.returncode:
        sys.exit(result.stderr.decode()[:4000])
    files = result.stdout.split(MARKER.encode() + b"\n")
    assert len(files) == len(modules), "a file for each module"
    return files


def steps(found, wanted):
    """The differences, of integers in steps."""
    if wanted.dtype == np.float32:
        return np.where(found == wanted, 0, np.abs(
            found.astype(np.float64) - wanted) + np.isnan(found))
    return np.abs(found.astype(np.int64) - wanted.astype(np.int64))


def evaluate(files, cases, runtime, level):
    arrays = [[t.data for t in case.operands if not getattr(t, "constant", False)]
              for case in cases]
    if not runtime:
        for data, given in zip(files, arrays):
            graph = Graph(data)
            yield graph.run(given)[graph.outputs[0]]
        return
    results = onnx_runtime.run(zip(files, arrays), level)
    for case, result in zip(cases, results):
        if isinstance(result, str):
            yield result
            continue
        wanted = case.result.data
        yield np.frombuffer(result[0], wanted.dtype).reshape(wanted.shape)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--runtime", action="store_true")
    parser.add_argument("--level", default="all")
    args = parser.parse_args()
    if args.runtime and onnx_runtime.missing():
        print(f"SKIP: {onnx_runtime.missing()}")
        return 0

    golden = replay_golden()
    tool = str(pathlib.Path(args.build, "bin", "qbackend-translate"))
    failures = 0
    for path in sorted(args.folder.glob("*.json")):
        if path.stem not in golden.BUILDERS or (
                args.names and path.stem not in args.names):
            continue
        build = golden.BUILDERS[path.stem]
        cases = [build(case, case["attrs"])
                 for case in json.loads(path.read_text())["cases"]]
        # ONNX quantizes to 8 bits.
        cases = [case for case in cases if case.result.dtype != "s32"]
        files = translate(tool, [case.function("main").replace("private ", "")
                                 for case in cases])
        equal = elements = different = 0
        largest = 0
        for i, (case, found) in enumerate(zip(
                cases, evaluate(files, cases, args.runtime, args.level))):
            if isinstance(found, str):
                print(f"  {path.stem} case {i}: {found}")
                failures += 1
                continue
            wanted = case.result.data
            assert found.shape == wanted.shape, (found.shape, wanted.shape)
            assert found.dtype == wanted.dtype, (found.dtype, wanted.dtype)
            distance = steps(found, wanted)
            wrong = int((distance != 0).sum())
            equal += wrong == 0
            elements += wanted.size
            different += wrong
            if wrong:
                largest = max(largest, float(np.nanmax(distance)))
        step, share = ALLOWED.get(path.stem, (0, 0))
        verdict = "ok"
        if largest > step or different * 1000 > share * elements:
            verdict = "FAILED"
            failures += 1
        print(f"{path.stem}: {equal}/{len(cases)} cases, "
              f"{elements - different}/{elements} elements, largest {largest:g}: "
              f"{verdict}")
    print("FAIL" if failures else "PASS")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

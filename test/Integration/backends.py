# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantizes a trained network for each built-in backend.

usage: backends.py --bin DIR --source DIR --work DIR

Prints a line for each backend: operators quantized, what the others are told,
and the accuracy of the result. Fails if the reference form loses more than two
points of accuracy, if a form that the backend has no kernels for is not refused,
or if integers from `lower-to=linalg` give another accuracy than the reference
form by more than half a point.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys


def run(*command, fails=False):
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True
    )
    if (done.returncode != 0) != fails:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser()
    for name in ["--bin", "--source", "--work"]:
        parser.add_argument(name, type=pathlib.Path, required=True)
    args = parser.parse_args()
    examples = args.source / "examples"
    data = examples / "data" / "fashion_mnist.npz"
    network = args.work / "resnet8.mlir"
    run(
        sys.executable, examples / "export.py",
        examples / "networks" / "resnet8.npz", "resnet8",
        "--spelling", "linalg", "-o", network,
    )

    def quantize(backend, form, **keys):
        out = args.work / f"{backend}.{form}.mlir"
        text = run(
            args.bin / "qbackend-opt", f"--apply-backend={backend}",
            f"lower-to={form}", f"data={data}:calib_images", "samples=50",
            "input-scale=1/255", network, "-o", out, **keys,
        )
        return out, text

    def accuracies(out):
        text = run(
            args.bin / "qbackend-run", network, f"--compare={out}",
            f"--input={data}:test_images", "--input-scale=1/255",
            f"--labels={data}:test_labels",
        )
        found = re.search(r"accuracy ([\d.]+) and ([\d.]+)", text)
        return float(found[1]), float(found[2])

    failed = False
    for backend in run(args.bin / "qbackend-config", "list").split():
        config = json.loads(run(args.bin / "qbackend-config", "to-json", backend))
        out, text = quantize(backend, "reference")
        counts = re.search(r"quantized (\d+) of (\d+) operators", text)
        codes = sorted(set(re.findall(r"\[Missed\] (QB\d+)", text)))
        real, reference = accuracies(out)
        line = f"{backend}: {counts[1]} of {counts[2]} operators"
        line += f", {' '.join(codes) or 'nothing missed'}"
        line += f", accuracy {real} and {reference}"
        failed |= reference < real - 0.02
        if "linalg" not in config["lowering"]:
            quantize(backend, "linalg", fails=True)
            line += ", no integers"
        else:
            integers = accuracies(quantize(backend, "linalg")[0])[1]
            line += f", integers {integers}"
            failed |= abs(integers - reference) > 0.005
        print(line)
    return failed


if __name__ == "__main__":
    sys.exit(main())

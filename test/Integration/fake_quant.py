#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares fake quantization of a network with its integers.

    fake_quant.py NETWORK SPELLING QCONFIG --bin DIR --llvm DIR --source DIR --work DIR

The float code of `mode=fake-quant` gives the numbers of the reference form
on test images, a stock mlir-opt takes it, and quantized again, without data, it
gives the integers of the network that was quantized at once, byte for byte.
"""

import argparse
import pathlib
import re
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from tools import run, run_for_remarks  # noqa: E402


DATA = {"lenet5": "mnist_digits.npz", "resnet8": "fashion_mnist.npz",
        "mbv2tiny": "fashion_mnist.npz"}


def kernels(path):
    """The ops of a module without the names of values, sorted."""
    text = re.sub(r"%[\w#]+", "%", path.read_text())
    return sorted(line.strip() for line in text.splitlines()
                  if "qnnpack." in line or "arith.constant" in line)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("network", choices=DATA)
    parser.add_argument("spelling")
    parser.add_argument("qconfig")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--llvm", required=True)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    args = parser.parse_args()
    work, examples = args.work, args.source / "examples"
    work.mkdir(parents=True, exist_ok=True)
    data = examples / "data" / DATA[args.network]
    run(sys.executable, examples / "export.py",
        examples / "networks" / f"{args.network}.npz", args.network,
        "--spelling", args.spelling, "-o", work / "float.mlir")

    def apply(source, output, *keys):
        return run_for_remarks(f"{args.bin}/qbackend-opt", "--apply-backend=qnnpack",
                               f"qconfig={args.qconfig}", *keys, source, "-o", output)

    def predict(module, name):
        run(f"{args.bin}/qbackend-run", module, f"--input={data}:test_images",
            "--input-scale=1/255", "--samples=40", "-o", work / name)
        return np.load(work / name)["output0"]

    calibration = [f"data={data}:calib_images", "samples=8",
                   "input-scale=1/255"]
    apply(work / "float.mlir", work / "reference.mlir", "lower-to=reference",
          *calibration)
    apply(work / "float.mlir", work / "integers.mlir", *calibration)
    apply(work / "float.mlir", work / "fake.mlir", "mode=fake-quant",
          *calibration)

    # Nothing but floats, of dialects that everybody has.
    text = (work / "fake.mlir").read_text()
    for foreign in ("qbackend.", "qnnpack.", "!quant", "xi8>", "xi32>"):
        assert foreign not in text, foreign
    run(f"{args.llvm}/mlir-opt", work / "fake.mlir", "-o", "/dev/null")

    expected = predict(work / "reference.mlir", "reference.npz")
    actual = predict(work / "fake.mlir", "fake.npz")
    plain = predict(work / "float.mlir", "float.npz")
    steps = np.unique(np.round(expected, 6))
    step = np.diff(steps).min()
    print(f"differs from the reference form in {(actual != expected).sum()} of "
          f"{expected.size} logits, by at most "
          f"{np.abs(actual - expected).max():.3g}")
    # A sum next to a tie may round to the other side, and no more than a few do.
    assert np.abs(actual - expected).max() <= 8 * step
    assert (actual != expected).mean() <= 0.02
    assert np.abs(actual - plain).max() > 0, "nothing was quantized"

    # Again: the parameters are those of the code.
    for source in ("fake.mlir", "reference.mlir"):
        messages = apply(work / source, work / "again.mlir")
        assert "synthetic" not in messages, messages
        assert kernels(work / "again.mlir") == kernels(work / "integers.mlir"), \
            f"{source} gives other integers"
    print("PASS")


if __name__ == "__main__":
    main()

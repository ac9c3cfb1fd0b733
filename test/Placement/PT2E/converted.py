#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares converted programs of PT2E with what PyTorch computed.

    converted.py [FOLDER] [--bin BIN]

FOLDER (Inputs) has NAME.CONFIGURATION.pt2, programs that `convert_pt2e` of
PyTorch 2.6 wrote, each with an .npz of `in0`, ... and `out0`, ... of some
samples. Each program is run as it is imported, and in the reference form of
backend qnnpack_pt2e. A line for each program that differs says how many
elements do, and by which part of the largest one.
"""

import argparse
import os
import pathlib
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
from tools import run  # noqa: E402


def compare(network, arrays, tools, folder):
    """Elements that differ, all elements, and the largest difference as a part
    of the largest element, over all samples and results."""
    kinds = {kind: sorted((name for name in arrays
                           if name.rstrip("0123456789") == kind),
                          key=lambda name: int(name[len(kind):]))
             for kind in ("in", "out")}
    differ, count, most = 0, 0, 0.0
    for sample in range(len(arrays["in0"])):
        np.savez(folder / "x.npz",
                 **{name: arrays[name][sample] for name in kinds["in"]})
        run(tools / "qbackend-run", network, f"--input={folder / 'x.npz'}",
            "-o", folder / "y.npz")
        results = np.load(folder / "y.npz")
        assert len(results.files) == len(kinds["out"])
        for name, result in zip(kinds["out"], results.files):
            expected = arrays[name][sample]
            got = results[result].reshape(expected.shape)
            differ += int((got != expected).sum())
            count += expected.size
            distance = np.abs(got.astype(float) - expected).max()
            most = max(most, float(distance) / float(np.abs(expected).max()))
    return differ, count, most


def main():
    build = os.environ.get("QBACKEND_BUILD", "build")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=pathlib.Path,
                        default=HERE / "Inputs")
    parser.add_argument("--bin", type=pathlib.Path,
                        default=pathlib.Path(build) / "bin")
    arguments = parser.parse_args()
    programs = [path for path in sorted(arguments.folder.glob("*.*.pt2"))
                if path.with_suffix(".npz").exists()
                and path.stem.split(".")[1].startswith(("xnnpack", "x86"))]
    exact = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        imported, reference = folder / "imported.mlir", folder / "reference.mlir"
        for path in programs:
            run(arguments.bin / "qbackend-import", path, "-o", imported)
            run(arguments.bin / "qbackend-opt",
                "--apply-backend=backend=qnnpack_pt2e lower-to=reference",
                imported, "-o", reference)
            arrays = np.load(path.with_suffix(".npz"))
            found = [compare(network, arrays, arguments.bin, folder)
                     for network in (imported, reference)]
            exact += not any(differ for differ, _, _ in found)
            for form, (differ, count, most) in zip(("imported", "reference"),
                                                   found):
                if differ:
                    print(f"{path.stem}, {form}: {differ} of {count} differ, "
                          f"by at most {most:.1g}")
    print(f"{exact} of {len(programs)} converted programs are bit-exact")
    return exact != len(programs) or not programs


if __name__ == "__main__":
    sys.exit(main())

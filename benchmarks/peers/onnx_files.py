#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times float ONNX files, quantized by us, against ONNX Runtime's floats.

    onnx_files.py --build DIR [--debian13 ROOT] [--ort DIR/node_modules/onnxruntime-node]
                  [--rounds N] [--target NAME] [-o TABLE.md] NET.onnx...

Each is imported, calibrated with four random images, converted by `--apply-backend=qnnpack`
and compiled ahead of time. In each round each engine runs each network in turn, on one
thread; times are those of the processor, and of the fastest round, ratios medians of those
of each round. `benchmarks/peers/export_torchvision.py` writes such files.
"""

import argparse
import datetime
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

from run import add_peers, measure, start_objects, start_onnxruntime

from objects import get_processor  # isort: skip


def quantize(path, build, work):
    """The module of integers, its share of operators and of multiply-accumulates."""
    real, table, quantized = (work / f"{path.stem}{suffix}"
                              for suffix in (".mlirbc", ".json", ".q.mlir"))
    subprocess.run([build / "qbackend-import", path, "-o", real], check=True)
    text = subprocess.run([build / "qbackend-opt", real, "--mlir-elide-elementsattrs-if-larger=4",
                           "--mlir-elide-resource-strings-if-larger=4"],
                          capture_output=True, text=True, check=True).stdout
    shape = re.search(r"func.func @\w+\(%\w+: tensor<([\dx]+)xf32>", text)
    if not shape:
        sys.exit(f"{path}: expected one input of f32 with known extents")
    extents = [int(extent) for extent in shape[1].split("x")]
    samples = np.random.default_rng(0).standard_normal((4, *extents[1:]), dtype=np.float32)
    np.save(work / "x.npy", samples)
    subprocess.run([build / "qbackend-run", real, "--calibrate", f"--input={work / 'x.npy'}",
                    "--num-threads=1", "-o", table], check=True, stderr=subprocess.DEVNULL)
    done = subprocess.run([build / "qbackend-opt", "--apply-backend=qnnpack",
                           f"calibration={table}", real, "-o", quantized],
                          capture_output=True, text=True, check=True)
    share = re.search(r"quantized (\d+ of \d+) operators, ([\d.]+ %)", done.stderr)
    return quantized, share


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=pathlib.Path, nargs="+")
    parser.add_argument("--build", default=os.environ.get("QBACKEND_BUILD"))
    parser.add_argument("--llvm", type=pathlib.Path, default="/usr/lib/llvm-22")
    add_peers(parser)
    parser.add_argument("--target", default="", help="of our kernels (default: the best one)")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("-o", dest="output", type=pathlib.Path)
    args = parser.parse_args()
    if not args.build:
        parser.error("name the build directory with --build or QBACKEND_BUILD")
    lines = [f"{get_processor()}; {datetime.date.today()}; one thread, batch 1, "
             f"{args.rounds} rounds; ms", "",
             "| network | operators quantized | MACs | ours | again | ONNX Runtime float "
             "| ours over it |", "|---|---|---|---|---|---|---|"]
    print("\n".join(lines), flush=True)
    for path in args.files:
        with tempfile.TemporaryDirectory() as directory:
            work = pathlib.Path(directory)
            module, share = quantize(path, pathlib.Path(args.build) / "bin", work)
            peers = [*start_objects("ours", args.target, {path.stem: module}, args, work),
                     *start_objects("again", args.target, {path.stem: module}, args, work),
                     *start_onnxruntime("ONNX Runtime float", [path.resolve()], args, work)]
            times = measure(peers, 0, args.rounds) * 1e3
            cells = [path.stem, share[1], share[2], *(f"{ms:.3g}" for ms in times.min(axis=0))]
            if len(peers) == 3:
                cells.append(f"{np.median(times[:, 0] / times[:, 2]):.2f}")
            for peer in peers:
                peer.process.stdin.close()
                peer.process.wait()
        lines.append(f"| {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    if args.output:
        args.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times networks that TFLite's converter has quantized beside the same ones quantized
here.

    run.py --build DIR [--target NAME] [--rounds N] [--only TEXT] [-o TABLE.md]

Each network of test/TFLite/networks.py, at a size that takes long enough, is imported
from integer TOSA, and the same ops in f32 are quantized for qnnpack on random samples,
with bytes at both ends. Both are compiled ahead of time and run in turn by one program,
on one thread, twice each: how far the ratio of one to itself is off 1 is noise. The
table has the time of the fastest round and medians of the ratios of each round.
"""

import argparse
import pathlib
import sys

import numpy as np

import floats
import networks

KERNELS = pathlib.Path(__file__).resolve().parents[1] / "kernels"
sys.path.insert(0, str(KERNELS))
from objects import (compile_object, make_parser, parse, print_table,  # noqa: E402
                     run)

SIZES = {
    "mobilenet_v1": (96, 96, 3),
    "mobilenet_v2": (96, 96, 3),
    "squeeze_excite": (48, 48, 4),
    "residual": (48, 48, 4),
    "inception": (49, 49, 6),
    "unet": (64, 64, 3),
    "keyword_spotting": (400, 1, 10),
    "softmax_head": (48, 48, 4),
    "mlp": (8, 16),
}


def measure(name: str, args: argparse.Namespace, work: pathlib.Path) -> list[str]:
    """The cells of the network's row."""
    shape = SIZES[name]
    function, _, double, per_channel = networks.NETWORKS[name]
    builder = networks.Builder(0, shape, 1, double, per_channel)
    source = work / "integers.mlir"
    source.write_text(builder.text(function(builder)))
    (work / "floats.mlir").write_text(floats.build(name, shape))
    np.savez(work / "samples.npz",
             x=np.random.default_rng(0).normal(0, 1, (4, *shape)).astype("f4"))
    opt = pathlib.Path(args.build) / "bin/qbackend-opt"
    run(opt, source, "--apply-backend=qnnpack", "-o", work / "tflite.mlir")
    run(opt, work / "floats.mlir", "-o", work / "own.mlir",
        f"--apply-backend=qnnpack data={work / 'samples.npz'} lower-to=qnnpack "
        "quantized-inputs=0 quantized-outputs=0")
    variants = [compile_object(work / f"{module}.mlir", f"{module}{i}", args, work,
                               args.target)
                for i in range(2) for module in ("own", "tflite")]
    program = work / "timer"
    run("cc", "-O2", "-march=native", "-DOTHER_INTEGERS", "-DNETWORKS=" + " ".join(
        v.entry for v in variants), KERNELS / "timer.c", *(v.path for v in variants),
        "-o", program, "-lm")
    times = np.array([[float(number) for number in line.split()[:-1]]
                      for line in run(program, args.rounds).splitlines()])
    own, tflite = times[:, 0], times[:, 1]
    return [name, "x".join(map(str, shape)), f"{builder.macs / 1e6:.2f}",
            f"{tflite.min() * 1e3:.4f}", f"{own.min() * 1e3:.4f}",
            f"{np.median(tflite / own):.2f}", f"{np.median(times[:, 2] / own):.2f}"]


def main() -> int:
    parser = make_parser(__doc__, rounds=41)
    parser.add_argument("--target", default="",
                        help="target of kernels (default: the best one)")
    args = parse(parser)
    header = ["network", "input", "MMAC", "TFLite's, ms", "ours, ms", "ratio", "A/A"]
    print_table(f"{args.target or 'the best target'}, one thread, batch 1", header,
                SIZES, measure, args)
    return 0


if __name__ == "__main__":
    sys.exit(main())

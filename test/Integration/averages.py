#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Averages by integers: every sum of so many taps, on processors without floats.

    averages.py --build DIR --llvm DIR --work DIR [--targets c,cortex-m0plus]
                [--taps 3x2,7x7]

Each channel of an image has one of the sums that the taps can have, 0 to 255 times
their number, and each channel of the result is an average of it. The results of the host
are compared with the formulas of docs/Numerics.md in NumPy, and those of the targets,
which must not have floats, with the host's by the self-test. Prints how many sums were
compared; the exit code is 1 if any average differs, or has floats.
"""

import argparse
import pathlib
import re
import subprocess
import sys

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "examples/firmware"))
import run as firmware  # noqa: E402

f32 = np.float32
SCALE = 0.05


def inverse(number):
    return f32(1.0 / number)


def clamp(rounded, low):
    return np.clip(rounded, low, low + 255).astype(np.int64)


def draw(rows, columns, low):
    """An image whose channels have all sums, as evenly as can be."""
    taps = rows * columns
    sums = np.arange(255 * taps + 1)
    each, more = divmod(sums, taps)
    image = each[None, :] + (np.arange(taps)[:, None] < more)
    return image.reshape(1, rows, columns, len(sums)) + low


def window(image, zero):
    """QNNPACK's average of all taps."""
    taps = image.shape[1] * image.shape[2]
    sums = (image - zero).sum(axis=(1, 2), keepdims=True)
    # f32(scale) / (f32(scale) * f32(taps))
    multiplier = f32(SCALE) / (f32(SCALE) * f32(taps))
    return np.rint(sums.astype(f32) * multiplier) + zero


def neighbours(image, zero):
    """ATen's average of the 3x3 taps that are inside of the image, of zero point 0."""
    result = np.empty(image.shape)
    for y in range(image.shape[1]):
        for x in range(image.shape[2]):
            taps = image[:, max(y - 1, 0):y + 2, max(x - 1, 0):x + 2]
            multiplier = inverse(taps.shape[1] * taps.shape[2])
            result[:, y, x] = np.rint(taps.sum(axis=(1, 2)).astype(f32) * multiplier)
    return result


def channels_last(image, zero):
    """ATen's average of all taps with channels last, where vectors of 8 channels divide
    otherwise than what is left."""
    sums = (image - zero).sum(axis=(1, 2), keepdims=True).astype(f32)
    multipliers = np.full(image.shape[3], inverse(image.shape[1] * image.shape[2]))
    whole = image.shape[3] // 8 * 8
    multipliers[whole:] = f32(1) / (f32(1) / multipliers[whole:])
    return np.rint(sums * multipliers) + zero


#: By name: the attributes of avg_pool2d, whether bytes are signed, their zero point, and
#: the formula.
AVERAGES = {
    "window": ("stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>", False, 37,
               window),
    "neighbours": ("stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, "
                   "count_include_pad = false, mathematical", False, 0, neighbours),
    "channels_last": ("stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, "
                      "channels_last", True, -11, channels_last),
}


def write_module(path, name, image):
    attributes, signed, zero, _ = AVERAGES[name]
    rows, columns, channels = image.shape[1:]
    output = (rows, columns) if name == "neighbours" else (1, 1)
    kernel = "3, 3" if name == "neighbours" else f"{rows}, {columns}"
    kind = f"!quant.uniform<{'i8' if signed else 'u8'}:f32, {SCALE}:{zero}>"
    x, y = (f"tensor<1x{h}x{w}x{channels}x" for h, w in ((rows, columns), output))
    path.write_text(f"""
func.func @main(%x: {x}i8>) -> {y}i8> {{
  %q = quant.scast %x : {x}i8> to {x}{kind}>
  %a = qnnpack.avg_pool2d %q {{kernel = array<i64: {kernel}>, {attributes}}}
    : {x}{kind}> -> {y}{kind}> loc("{name}")
  %r = quant.scast %a : {y}{kind}> to {y}i8>
  return %r : {y}i8>
}}
""")


def check(args, name, rows, columns):
    """The sums of an average, and what was wrong with it."""
    _, signed, zero, formula = AVERAGES[name]
    low = -128 if signed else 0
    image = draw(rows, columns, low)
    label = f"{name}_{rows}x{columns}"
    module = args.work / f"{label}.mlir"
    write_module(module, name, image)
    stored = image.astype(np.int8 if signed else np.uint8).view(np.int8)
    np.savez(args.work / "x.npz", x=stored)
    firmware.run(args.build / "bin/qbackend-run", module, f"--input={args.work}/x.npz",
                 "-o", args.work / "y.npz")
    with np.load(args.work / "y.npz") as file:
        found = file[file.files[0]]
    expected = clamp(formula(image, zero), low).astype(np.uint8)
    differ = int((found.view(np.uint8) != expected).sum())
    wrong = [f"host: {differ} of {expected.size} differ"] if differ else []
    for target in args.targets.split(","):
        is_c = target in firmware.FROM_C
        emit = ["--emit=c"] if is_c else ["--emit=firmware", f"--target={target}"]
        folder = args.work / target
        report = firmware.run(
            sys.executable, SOURCE / "utils/compile-to-object.py", module, "-o",
            folder / label, *emit, "--build", args.build, "--llvm", args.llvm,
            f"--self-test={args.work}/x.npz")
        calls = re.search(r"^calls +(.*)", report, re.M)[1]
        if re.search(r"^floats", report, re.M) or re.search(r"_[fd][a-z]|sf|2[fd]", calls):
            wrong.append(f"{target}: floats: {calls}")
        runner = firmware.RUNNERS[target]
        said = firmware.emulate(label, runner,
                                firmware.link(label, target, runner, folder, is_c), folder)
        if not re.search(r"^PASS\r?$", said, re.M):
            wrong.append(f"{target}: {said.strip()}")
    return image.shape[3], wrong


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("build", "llvm", "work"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    parser.add_argument("--targets", default="c,cortex-m0plus")
    parser.add_argument("--taps", default="2x1,2x2,3x2,3x3,5x1,6x6,7x7,8x8")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    sums, failures = 0, 0
    for name in AVERAGES:
        for taps in ["3x3"] if name == "neighbours" else args.taps.split(","):
            count, wrong = check(args, name, *map(int, taps.split("x")))
            sums += count
            failures += bool(wrong)
            for line in wrong:
                print(f"{name} of {taps}: {line}", flush=True)
    print(f"{sums} sums on {args.targets}, {failures} averages failed")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Casts to and from 16 bits, as an x86 without instructions for them does them.

    halves.py --bin DIR --llvm DIR --cxx COMPILER

A library of one function is linked with nothing, not even the compiler's own, and
called. All f16 and bf16, their neighbours' means, what is next to these in f32 and
f64, and random bits; f16 is NumPy's, bf16 is chosen between the two next ones by
differences in f64, which are exact.
"""

import argparse
import ctypes
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

CASTS = [("f64", "f16"), ("f64", "bf16"), ("f32", "f16"), ("f32", "bf16")]


def write_module(count):
    lines = []
    for i, (source, target) in enumerate(CASTS):
        lines += [f"  %a{i} = arith.truncf %{source} : tensor<{count}x{source}> to "
                  f"tensor<{count}x{target}>",
                  f"  %r{i} = arith.bitcast %a{i} : tensor<{count}x{target}> to "
                  f"tensor<{count}xi16>"]
    results = ", ".join([f"tensor<{count}xi16>"] * len(CASTS) + ["tensor<65536xf32>"])
    return "\n".join([
        f"func.func @cast(%f64: tensor<{count}xf64>, %f32: tensor<{count}xf32>, "
        f"%bits: tensor<65536xi16>) -> ({results}) {{", *lines,
        "  %h = arith.bitcast %bits : tensor<65536xi16> to tensor<65536xf16>",
        "  %e = arith.extf %h : tensor<65536xf16> to tensor<65536xf32>",
        "  return " + ", ".join(f"%r{i}" for i in range(len(CASTS))) + f", %e : {results}",
        "}"])


def draw_numbers():
    """Finite ones and infinities, in f64."""
    bits = np.arange(0x7C00, dtype=np.uint16)
    numbers = [np.append(bits.view(np.float16).astype(np.float64), 65536.0)]
    bits = np.arange(0x7F80, dtype=np.uint32) << 16
    numbers.append(np.append(bits.view(np.float32).astype(np.float64), 2.0**128))
    means = [(part[1:] + part[:-1]) / 2 for part in numbers]
    near = []
    for part in (np.concatenate(means + numbers),):
        f32 = part.astype(np.float32)
        near += [part, np.nextafter(part, np.inf), np.nextafter(part, 0),
                 np.nextafter(f32, np.float32(np.inf)).astype(np.float64),
                 np.nextafter(f32, np.float32(0)).astype(np.float64),
                 # Rounds to a mean in f32, and isn't one.
                 part * (1 + 2.0**-40), part * (1 - 2.0**-40)]
    random = np.random.default_rng(1)
    near += [random.integers(0, 0x7FF << 52, 100000).view(np.float64),
             random.integers(0, 0xFF << 23, 100000).astype(np.uint32)
             .view(np.float32).astype(np.float64),
             np.array([0.0, 2.0**-1074, 2.0**-149, np.inf, 1e308])]
    all_of_them = np.concatenate(near)
    return np.concatenate([all_of_them, -all_of_them])


def round_to_bfloat(x):
    """Bits of the nearest of two neighbours, by exact differences."""
    a = np.abs(x.astype(np.float64))
    with np.errstate(over="ignore"):
        below = np.minimum(a, 2.0**127 * 1.9999999).astype(np.float32).view(np.uint32)
    below &= 0xFFFF0000
    too_large = below.view(np.float32).astype(np.float64) > a
    below = np.where(too_large, below - 0x10000, below).astype(np.uint32)
    above = (below + 0x10000).astype(np.uint32)
    low = below.view(np.float32).astype(np.float64)
    high = above.view(np.float32).astype(np.float64)
    high = np.where(np.isinf(high), 2.0**128, high)
    with np.errstate(invalid="ignore"):
        up = (high - a < a - low) | ((high - a == a - low) & ((below >> 16) & 1 == 1))
    bits = np.where(up, above, below) >> 16
    bits = np.where(np.isinf(a), 0x7F80, bits)
    return (bits | np.where(np.signbit(x), 0x8000, 0)).astype(np.uint16)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--llvm", required=True, type=pathlib.Path)
    parser.add_argument("--cxx", required=True)
    arguments = parser.parse_args()
    with np.errstate(over="ignore", invalid="ignore"):
        f64 = draw_numbers()
        f32 = f64.astype(np.float32)
    f64 = np.append(f64, [np.nan, -np.nan])
    f32 = np.append(f32, np.float32([np.nan, -np.nan]))
    bits = np.arange(65536, dtype=np.uint16)
    outputs = [np.zeros(len(f64), np.uint16) for _ in CASTS]
    outputs.append(np.zeros(65536, np.float32))
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)

        def run(*command, text=None):
            return subprocess.run([str(part) for part in command], input=text, text=True,
                                  check=True, stdout=subprocess.PIPE).stdout

        text = run(arguments.bin / "qbackend-opt", "--qbackend-lower-to-llvm="
                   "target-triple=x86_64-linux-gnu target-cpu=x86-64 target=scalar "
                   "bare-pointers", text=write_module(len(f64)))
        text = run(arguments.llvm / "mlir-translate", "--mlir-to-llvmir", text=text)
        text = run(arguments.llvm / "opt", "-O2", "-S", "-mtriple=x86_64-linux-gnu",
                   text=text)
        run(arguments.llvm / "llc", "-O2", "-mtriple=x86_64-linux-gnu", "-mcpu=x86-64",
            "-relocation-model=pic", "-filetype=obj", "-o", work / "cast.o", text=text)
        run(arguments.cxx, "-shared", "-nostdlib", "-Wl,--no-undefined", "-o",
            work / "cast.so", work / "cast.o")
        exported = run(arguments.llvm / "llvm-nm", "-D", "--defined-only",
                       work / "cast.so").split()[2::3]
        if "cast" not in exported or any(n.startswith("__") for n in exported):
            sys.exit(f"the library exports {exported}")
        library = ctypes.CDLL(str(work / "cast.so"))
        arrays = [f64, f32, bits, *outputs]
        arena = np.zeros(1 << 26, np.uint8)
        library.cast(*(array.ctypes.data_as(ctypes.c_void_p)
                       for array in arrays + [arena]))

    differ = 0
    for (source, target), result in zip(CASTS, outputs):
        x = {"f64": f64, "f32": f32}[source]
        is_nan = np.isnan(x)
        with np.errstate(over="ignore"):
            wanted = (x.astype(np.float16).view(np.uint16) if target == "f16"
                      else round_to_bfloat(x))
        lowest = 0x7C00 if target == "f16" else 0x7F80
        wrong = np.where(is_nan, (result & 0x7FFF) <= lowest, result != wanted)
        print(f"{source} to {target}: {len(x)} numbers, {wrong.sum()} differ")
        for i in np.flatnonzero(wrong)[:5]:
            print(f"  {x[i]!r}: {result[i]:#x}, wanted {wanted[i]:#x}")
        differ += wrong.sum()
    wanted = bits.view(np.float16).astype(np.float32)
    wrong = ~((outputs[-1] == wanted) & (np.signbit(outputs[-1]) == np.signbit(wanted))
              | np.isnan(outputs[-1]) & np.isnan(wanted))
    print(f"f16 to f32: 65536 numbers, {wrong.sum()} differ")
    print("FAIL" if differ + wrong.sum() else "PASS")
    return int(differ + wrong.sum() > 0)


if __name__ == "__main__":
    sys.exit(main())

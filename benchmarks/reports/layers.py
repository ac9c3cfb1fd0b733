#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a report of a deep network costs: processor seconds, and bytes of the page.

    layers.py [--bin build/bin] [--layers 100] [--channels 64] [--size 14]
              [--samples 8] [--work DIR]

The network is one of residual blocks, of two 3x3 convolutions with a relu and an
addition each, with random weights. `beyond` is what --layers takes more than
--compare, which runs both networks once. The exit code is 1 if that is a minute or
more, or the page 2 MB or more.
"""

import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile

import numpy as np


def constant(name, array, shape):
    data = array.astype(np.float32).tobytes().hex().upper()
    return (f'  {name} = "tosa.const"() <{{values = dense<"0x{data}"> : {shape}}}> : '
            f"() -> {shape}")


def write_network(path, layers, channels, size):
    rng = np.random.default_rng(0)
    image = f"tensor<1x{size}x{size}x{channels}xf32>"
    kernel, bias = f"tensor<{channels}x3x3x{channels}xf32>", f"tensor<{channels}xf32>"
    lines = [f'func.func @main(%x: {image} loc("x")) -> {image} {{',
             constant("%zero", np.zeros(1), "tensor<1xf32>")]
    value = shortcut = "%x"
    for i in range(layers):
        deviation = (2 / 9 / channels) ** 0.5
        weight = rng.normal(0, deviation, channels * 9 * channels)
        name = f"block{i // 2}"
        lines += [
            constant(f"%w{i}", weight, kernel),
            constant(f"%b{i}", rng.normal(0, 0.1, channels), bias),
            f"  %c{i} = tosa.conv2d {value}, %w{i}, %b{i}, %zero, %zero {{acc_type = f32, "
            "pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>, dilation = "
            f"array<i64: 1, 1>}} : ({image}, {kernel}, {bias}, tensor<1xf32>, "
            f'tensor<1xf32>) -> {image} loc("{name}.conv{i % 2 + 1}")',
            f"  %r{i} = tosa.clamp %c{i} {{min_val = 0.0 : f32, max_val = 3.4028235e+38 : "
            f'f32}} : ({image}) -> {image} loc("{name}.relu{i % 2 + 1}")']
        value = f"%r{i}"
        if i % 2:
            lines += [
                f"  %s{i} = tosa.add {shortcut}, {value} : ({image}, {image}) -> {image} "
                f'loc("{name}.add")']
            value = shortcut = f"%s{i}"
    path.write_text("\n".join([*lines, f"  return {value} : {image}", "}", ""]))


def run(*command):
    """Processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def measure(args, folder):
    real, int8 = folder / "net.mlir", folder / "int8.mlirbc"
    data, page = folder / "x.npz", folder / "page.html"
    write_network(real, args.layers, args.channels, args.size)
    shape = (args.samples, args.size, args.size, args.channels)
    np.savez(data, x=np.random.default_rng(1).normal(0, 1, shape).astype(np.float32))
    quantize = run(args.bin / "qbackend-opt", "--apply-backend=qnnpack", f"data={data}",
                   real, "-o", int8)
    both = [args.bin / "qbackend-run", real, f"--compare={int8}", f"--input={data}"]
    forward = run(*both)
    report = run(*both, "--layers", f"--html={page}")
    size = page.stat().st_size
    print(f"{args.layers} layers, {args.samples} samples: quantize {quantize:.1f} s, "
          f"compare {forward:.1f} s, report {report:.1f} s, beyond {report - forward:.1f} s, "
          f"page {size} bytes")
    return report - forward < 60 and size < 2_000_000


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/bin"))
    parser.add_argument("--layers", type=int, default=100)
    parser.add_argument("--channels", type=int, default=64)
    parser.add_argument("--size", type=int, default=14)
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--work", type=pathlib.Path)
    args = parser.parse_args()
    if args.work:
        args.work.mkdir(parents=True, exist_ok=True)
        return 0 if measure(args, args.work) else 1
    with tempfile.TemporaryDirectory() as folder:
        return 0 if measure(args, pathlib.Path(folder)) else 1


sys.exit(main())

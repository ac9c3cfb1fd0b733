#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures calibration as a user runs it: speed, memory, and tables.

speed: images a second of `qbackend-run --calibrate` and of the network alone,
from the difference between a long and a short run, by batches of one image as
PyTorch's, and of 20; and those of PyTorch, if --python has it, for the network of
torchvision that the file is named after, prepared by FX.
memory: the largest resident size with few and with many samples. The data comes
on standard input, so that it is in neither.
table: the seconds of `qbackend-opt calibration=TABLE` on a network of the size
of ResNet-50, over those of reading and writing it.

Other users of the machine change absolute figures; look at ratios.
"""

import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

import numpy as np


def run(command, **arguments):
    """Seconds of CPU, and the largest resident size in MB."""
    process = subprocess.Popen(list(map(str, command)), **arguments)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command[0]} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure_speed(tools, network, shape, folder):
    generator = np.random.default_rng(1)
    few, many = 20, 220
    data = folder / "x.npz"
    np.savez(data, x=generator.standard_normal((many, *shape)).astype("f4"))
    rates = {}
    for name, options in {
        "network alone": ["-o", folder / "y.npz"],
        "calibration": ["--calibrate", "--batch-size=1", "-o", folder / "t.json"],
        "calibration, batches of 20": ["--calibrate", "-o", folder / "t.json"],
    }.items():
        command = [tools / "qbackend-run", network, f"--input={data}:x"]
        command += ["--num-threads=1", *options]
        seconds = [
            min(run([*command, f"--samples={count}"])[0] for _ in range(3))
            for count in (few, many)
        ]
        rates[name] = (many - few) / max(seconds[1] - seconds[0], 1e-3)
        print(f"{name}: {rates[name]:.1f} images/s of one core, "
              f"{seconds[0] - few / rates[name]:.2f} s to start", flush=True)
    share = 1 - rates["calibration"] / rates["network alone"]
    print(f"observers: {100 * share:.0f} % of a calibration run")
    return rates["calibration"]


# The network of torchvision with that name, alone and prepared by FX.
PEER = """
import sys, time, torch, torchvision
from torch.ao.quantization import get_default_qconfig_mapping
from torch.ao.quantization.quantize_fx import prepare_fx
torch.set_num_threads(1)
model = getattr(torchvision.models, sys.argv[1])().eval()
data = torch.randn(1, *map(int, sys.argv[2].split("x")))
prepared = prepare_fx(model, get_default_qconfig_mapping("qnnpack"), (data,))
with torch.no_grad():
    for module in (model, prepared):
        module(data)
        best = float("inf")
        for _ in range(20):
            start = time.process_time()
            module(data)
            best = min(best, time.process_time() - start)
        print(1 / best)
"""


def measure_torch(name, shape, python, ours):
    command = [*shlex.split(python), "-W", "ignore", "-", name, shape]
    done = subprocess.run(command, input=PEER, capture_output=True, text=True)
    if done.returncode:
        print(f"no comparison with PyTorch: {done.stderr.strip().splitlines()[-1:]}")
        return
    alone, prepared = map(float, done.stdout.split())
    print(f"PyTorch, network alone: {alone:.1f} images/s, calibration: {prepared:.1f}")
    print(f"calibration: {ours / prepared:.2f} times PyTorch's speed")


def measure_memory(tools, folder):
    """A small network: what grows would show against it."""
    weight = np.random.default_rng(1).standard_normal((8, 3, 3, 3)).astype("<f4")
    module = folder / "small.mlir"
    module.write_text(
        f"""func.func @main(%x: tensor<1x3x16x16xf32>) -> tensor<1x8x14x14xf32> {{
  %w = arith.constant dense<"0x{weight.tobytes().hex()}"> : tensor<8x3x3x3xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x14x14xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x8x14x14xf32>) -> tensor<1x8x14x14xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x16x16xf32>, tensor<8x3x3x3xf32>)
    outs(%f : tensor<1x8x14x14xf32>) -> tensor<1x8x14x14xf32>
  return %r : tensor<1x8x14x14xf32>
}}
"""
    )
    sizes = []
    for count in (10, 10000):
        data = folder / f"{count}.npy"
        # Batches of the run are 20: fewer samples are fewer in memory.
        np.save(data, np.random.default_rng(2).standard_normal((count, 3, 16, 16)).astype("f4"))
        with open(data, "rb") as stream:
            command = [tools / "qbackend-run", module, "--calibrate", "--input=-"]
            command += ["--num-threads=2", "--batch-size=10", "-o", folder / "m.json"]
            sizes.append(run(command, stdin=stream)[1])
    print(f"memory: {sizes[0]:.1f} MB with 10 samples, {sizes[1]:.1f} MB with 10000, "
          f"{100 * (sizes[1] / sizes[0] - 1):+.1f} %", flush=True)
    return sizes[1] <= 1.05 * sizes[0]


class Resnet50:
    """ResNet-50's convolutions, additions and final layer, random weights."""

    def __init__(self):
        self.generator = np.random.default_rng(3)
        self.lines = []
        self.count = 0

    def constant(self, shape):
        data = self.generator.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))
        return f'dense<"0x{data.astype("<f4").tobytes().hex()}"> : {tensor(shape)}'

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    def pad(self, x, shape, size):
        n, c, h, w = shape
        padded, result = [n, c, h + 2 * size, w + 2 * size], self.fresh()
        self.lines.append(
            f"""  {result} = tensor.pad {x} low[0, 0, {size}, {size}] high[0, 0, {size}, {size}] {{
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  }} : {tensor(shape)} to {tensor(padded)}"""
        )
        return result, padded

    def convolution(self, x, shape, filters, kernel, stride, relu=True):
        if kernel > 1:
            x, shape = self.pad(x, shape, kernel // 2)
        n, c, h, w = shape
        out = [n, filters, (h - kernel) // stride + 1, (w - kernel) // stride + 1]
        weight, empty, filled, result = (self.fresh() for _ in range(4))
        shapes = [filters, c, kernel, kernel]
        self.lines.append(
            f"""  {weight} = arith.constant {self.constant(shapes)}
  {empty} = tensor.empty() : {tensor(out)}
  {filled} = linalg.fill ins(%zero : f32) outs({empty} : {tensor(out)}) -> {tensor(out)}
  {result} = linalg.conv_2d_nchw_fchw {{strides = dense<{stride}> : vector<2xi64>}}
    ins({x}, {weight} : {tensor(shape)}, {tensor(shapes)})
    outs({filled} : {tensor(out)}) -> {tensor(out)}"""
        )
        return (self.elementwise("maximumf", result, "%zero", out) if relu else result), out

    def elementwise(self, op, x, y, shape):
        result, empty = self.fresh(), self.fresh()
        identity = "affine_map<(a, b, c, d) -> (a, b, c, d)>"
        maps, operands, types = f"{identity}, {identity}", x, tensor(shape)
        arguments, second = "%p: f32", y
        if op == "addf":
            maps, operands, types = f"{maps}, {identity}", f"{x}, {y}", f"{types}, {types}"
            arguments, second = "%p: f32, %s: f32", "%s"
        self.lines.append(
            f"""  {empty} = tensor.empty() : {tensor(shape)}
  {result} = linalg.generic {{indexing_maps = [{maps}],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
      ins({operands} : {types}) outs({empty} : {tensor(shape)}) {{
  ^bb0({arguments}, %o: f32):
    %r = arith.{op} %p, {second} : f32
    linalg.yield %r : f32
  }} -> {tensor(shape)}"""
        )
        return result

    def module(self):
        x, shape = self.convolution("%x", [1, 3, 224, 224], 64, 7, 4)
        for stage, blocks in enumerate((3, 4, 6, 3)):
            width = 64 << stage
            for block in range(blocks):
                stride = 2 if stage and not block else 1
                y, inner = self.convolution(x, shape, width, 1, 1)
                y, inner = self.convolution(y, inner, width, 3, stride)
                y, inner = self.convolution(y, inner, 4 * width, 1, 1, relu=False)
                if not block:
                    x, _ = self.convolution(x, shape, 4 * width, 1, stride, relu=False)
                x = self.elementwise("addf", x, y, inner)
                x, shape = self.elementwise("maximumf", x, "%zero", inner), inner
        x, shape = self.convolution(x, shape, 1000, 1, 1, relu=False)
        body = "\n".join(self.lines)
        return f"""func.func @main(%x: tensor<1x3x224x224xf32>) -> {tensor(shape)} {{
  %zero = arith.constant 0.0 : f32
{body}
  return {x} : {tensor(shape)}
}}
"""


def tensor(shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def measure_table(tools, folder):
    text, network = folder / "resnet50.mlir", folder / "resnet50.mlirbc"
    text.write_text(Resnet50().module())
    opt = tools / "qbackend-opt"
    run([opt, text, "--emit-bytecode", "-o", network])
    np.savez(folder / "r.npz", x=np.random.default_rng(4).random((2, 3, 224, 224), "f4"))
    table = folder / "r.json"
    command = [tools / "qbackend-run", network, f"--input={folder / 'r.npz'}:x"]
    run([*command, "--calibrate", "-o", table])
    tensors = len(json.loads(table.read_text())["entries"])
    reading = min(run([opt, network, "--emit-bytecode", "-o", "/dev/null"])[0] for _ in range(3))
    convert = [opt, "--apply-backend=qnnpack", f"calibration={table}", "lower-to=reference"]
    convert += [network, "--emit-bytecode", "-o", "/dev/null"]
    seconds = min(run(convert)[0] for _ in range(3)) - reading
    megabytes = network.stat().st_size / 1e6
    print(f"table: {tensors} tensors, {megabytes:.0f} MB: {seconds:.2f} s of CPU over reading "
          f"({reading:.2f} s)", flush=True)
    return seconds < 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tools", type=pathlib.Path, help="build/bin")
    parser.add_argument("--network", help="for speed: a module of one image, such as MobileNetV2")
    parser.add_argument("--shape", default="3x32x32", help="of an image of the network")
    parser.add_argument("--python", default=sys.executable,
                        help='with PyTorch, as "chroot ROOT /usr/bin/python3"')
    parser.add_argument("--only", choices=["speed", "memory", "table"])
    arguments = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # First: the size of a process is at least that of who started it.
        if arguments.only in (None, "memory"):
            good &= measure_memory(arguments.tools, folder)
        if arguments.only in (None, "speed"):
            if arguments.network:
                shape = tuple(map(int, arguments.shape.split("x")))
                rate = measure_speed(arguments.tools, arguments.network, shape, folder)
                measure_torch(pathlib.Path(arguments.network).stem, arguments.shape,
                              arguments.python, rate)
            else:
                print("speed: skipped, pass --network")
        if arguments.only in (None, "table"):
            good &= measure_table(arguments.tools, folder)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

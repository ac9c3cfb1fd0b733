#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantizes a chain of residual blocks, ours against PyTorch's FX.

    chain.py build/bin [--blocks 100,300] [--table-blocks 1000] [--rounds N]

A block is a convolution, batch norm, relu and an addition; small images, so that
what is compared is the work of the compiler. "from nothing": 32 samples run with
observers, then the network is converted (two commands of ours, prepare_fx, the
samples and convert_fx). "with a table": convert what has been calibrated
(`qbackend-opt`; convert_fx of a graph whose observers have seen samples). Times are
seconds of the processor, user and system, each in a process of its own, in turns;
those of FX are without importing torch and building the network, ours are whole
processes. Ratios are medians of those of each round; the last column is ours once
more over ours.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

SAMPLES = 32
SHAPE = (4, 8, 8)


def write_chain(path, blocks):
    """The network as torch-mlir writes it, one constant of each kind for all."""
    image, vector = "tensor<1x4x8x8xf32>", "tensor<4xf32>"
    parallel = 'iterator_types = ["parallel", "parallel", "parallel", "parallel"]'
    lines, value = [], "%x"
    for i in range(blocks):
        lines.append(f"""
  %conv{i} = linalg.conv_2d_nchw_fchw
    ins({value}, %weight : {image}, tensor<4x4x1x1xf32>) outs(%init : {image}) -> {image}
  %norm{i} = linalg.generic
    {{indexing_maps = [#id, #channel, #channel, #channel, #channel, #id], {parallel}}}
    ins(%conv{i}, %gamma, %zeros, %zeros, %ones
        : {image}, {vector}, {vector}, {vector}, {vector}) outs(%empty : {image}) {{
  ^bb0(%v: f32, %weight_: f32, %bias: f32, %mean: f32, %variance: f32, %out: f32):
    %a = arith.addf %variance, %eps : f32
    %b = math.rsqrt %a : f32
    %c = arith.subf %v, %mean : f32
    %d = arith.mulf %c, %b : f32
    %e = arith.mulf %d, %weight_ : f32
    %f = arith.addf %e, %bias : f32
    linalg.yield %f : f32
  }} -> {image}
  %relu{i} = linalg.generic {{indexing_maps = [#id, #id], {parallel}}}
    ins(%norm{i} : {image}) outs(%empty : {image}) {{
  ^bb0(%v: f32, %out: f32):
    %a = arith.maximumf %v, %zero : f32
    linalg.yield %a : f32
  }} -> {image}
  %add{i} = linalg.generic {{indexing_maps = [#id, #id, #id], {parallel}}}
    ins(%relu{i}, {value} : {image}, {image}) outs(%empty : {image}) {{
  ^bb0(%v: f32, %w: f32, %out: f32):
    %a = arith.addf %v, %w : f32
    linalg.yield %a : f32
  }} -> {image}""")
        value = f"%add{i}"
    path.write_text(f"""#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (c)>
func.func @main(%x: {image}) -> {image} {{
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %gamma = arith.constant dense<0.05> : {vector}
  %zeros = arith.constant dense<0.0> : {vector}
  %ones = arith.constant dense<1.0> : {vector}
  %weight = arith.constant dense<0.05> : tensor<4x4x1x1xf32>
  %empty = tensor.empty() : {image}
  %init = linalg.fill ins(%zero : f32) outs(%empty : {image}) -> {image}{"".join(lines)}
  return {value} : {image}
}}
""")


def run_fx(blocks, data):
    """Prints the seconds of both columns."""
    import torch
    from torch.ao.quantization import get_default_qconfig_mapping
    from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx

    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = torch.nn.Conv2d(4, 4, 1, bias=False)
            self.norm = torch.nn.BatchNorm2d(4)
            self.relu = torch.nn.ReLU()
            torch.nn.init.constant_(self.conv.weight, 0.05)
            torch.nn.init.constant_(self.norm.weight, 0.05)

        def forward(self, x):
            return self.relu(self.norm(self.conv(x))) + x

    torch.set_num_threads(1)
    torch.backends.quantized.engine = "qnnpack"
    network = torch.nn.Sequential(*[Block() for _ in range(blocks)]).eval()
    samples = torch.from_numpy(np.load(data))
    mapping = get_default_qconfig_mapping("qnnpack")
    start = time.process_time()
    prepared = prepare_fx(network, mapping, (samples[:1],))
    with torch.no_grad():
        for i in range(len(samples)):
            prepared(samples[i:i + 1])
    calibrated = time.process_time()
    convert_fx(prepared)
    end = time.process_time()
    print(end - start, end - calibrated)


def run(*command):
    process = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE,
                               stdout=subprocess.DEVNULL)
    message = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command[0]} failed: {message.decode()}")
    return usage.ru_utime + usage.ru_stime


def run_ours(tools, network, data, folder):
    table = folder / "table.json"
    calibration = run(tools / "qbackend-run", network, "--calibrate", f"--input={data}",
                      "--num-threads=1", "-o", table)
    conversion = run(tools / "qbackend-opt", "--apply-backend=qnnpack", f"calibration={table}",
                     network, "--emit-bytecode", "-o", folder / "out.mlirbc")
    return calibration + conversion, conversion


def compare(tools, blocks, column, rounds, folder):
    network, data = folder / "chain.mlir", folder / "x.npy"
    write_chain(network, blocks)
    np.save(data, np.random.default_rng(1).standard_normal((SAMPLES, *SHAPE)).astype("f4"))
    # In a process of its own: torch takes memory and threads.
    command = [sys.executable, __file__, "--fx", str(blocks), str(data), str(tools)]
    times = []
    for _ in range(rounds):
        ours = run_ours(tools, network, data, folder)[column]
        fx = subprocess.run(command, capture_output=True, text=True, check=False)
        seconds = float(fx.stdout.split()[column]) if not fx.returncode else None
        times.append((ours, seconds, run_ours(tools, network, data, folder)[column]))
    ours = min(time[0] for time in times)
    control = statistics.median(time[2] / time[0] for time in times)
    name = ("from nothing", "with a table")[column]
    if any(time[1] is None for time in times):
        return f"| {blocks} | {name} | {ours:.2f} | not run: {fx.stderr.splitlines()[-1]} | | {control:.2f} |"
    ratio = statistics.median(time[0] / time[1] for time in times)
    peer = min(time[1] for time in times)
    return f"| {blocks} | {name} | {ours:.2f} | {peer:.2f} | {ratio:.3f} | {control:.2f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", type=pathlib.Path, help="build/bin")
    parser.add_argument("--blocks", default="100,300")
    parser.add_argument("--table-blocks", default="1000")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--fx", nargs=2, metavar=("BLOCKS", "DATA"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.fx:
        run_fx(int(arguments.fx[0]), arguments.fx[1])
        return
    print("| blocks | | ours, s | FX, s | ours / FX | A/A |\n|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as name:
        for column, sizes in enumerate((arguments.blocks, arguments.table_blocks)):
            for blocks in filter(None, sizes.split(",")):
                print(compare(arguments.tools, int(blocks), column, arguments.rounds,
                              pathlib.Path(name)), flush=True)


if __name__ == "__main__":
    main()

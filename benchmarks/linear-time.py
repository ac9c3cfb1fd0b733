#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How the time of each pass grows with the network: prints the seconds for two
# sizes, ten times apart, and their ratio, which is about 10 if a pass is
# linear and the caches hold neither of the two. Not a test: it measures wall-clock time. No network is run, the
# parameters are from a table that is written here.
#
#   benchmarks/linear-time.py [--bin build/bin] [--operators 4000]

import argparse
import json
import os
import re
import subprocess
import tempfile

IMAGE = "tensor<1x4x8x8xf32>"
PARALLEL = '["parallel", "parallel", "parallel", "parallel"]'
PREPARE = (
    "builtin.module(qbackend-raise,qbackend-normalize-layout,"
    "qbackend-fuse{backend=qnnpack},qbackend-observe{backend=qnnpack})"
)


def generic(result, inputs, types, code):
    maps = ", ".join("#id" if t == IMAGE else "#channel" for t in types)
    names = ", ".join(f"%v{i}: f32" for i in range(len(inputs)))
    return f"""  {result} = linalg.generic {{indexing_maps = [{maps}, #id], iterator_types = {PARALLEL}}}
    ins({", ".join(inputs)} : {", ".join(types)}) outs(%empty : {IMAGE}) {{
  ^bb0({names}, %out: f32):
    {code}
  }} -> {IMAGE}"""


def network(operators, wide):
    """Blocks of conv, batch norm, relu, add; a chain, or all on the input."""
    lines = [
        "#id = affine_map<(n, c, h, w) -> (n, c, h, w)>",
        "#channel = affine_map<(n, c, h, w) -> (c)>",
        f"func.func @main(%x: {IMAGE} {{qbackend.range = array<f64: -1.0, 1.0>}}) -> {IMAGE} {{",
        "  %zero = arith.constant 0.0 : f32",
        "  %eps = arith.constant 1.0e-5 : f32",
        "  %one = arith.constant dense<1.0> : tensor<4xf32>",
        "  %beta = arith.constant dense<0.1> : tensor<4xf32>",
        "  %weight = arith.constant dense<0.25> : tensor<4x4x1x1xf32>",
        f"  %empty = tensor.empty() : {IMAGE}",
        f"  %init = linalg.fill ins(%zero : f32) outs(%empty : {IMAGE}) -> {IMAGE}",
    ]
    value = "%x"
    for i in range(operators // 4):
        source = "%x" if wide else value
        lines.append(
            f"  %conv{i} = linalg.conv_2d_nchw_fchw ins({source}, %weight : {IMAGE}, "
            f"tensor<4x4x1x1xf32>) outs(%init : {IMAGE}) -> {IMAGE}"
        )
        lines.append(
            generic(
                f"%norm{i}",
                [f"%conv{i}", "%one", "%beta", "%beta", "%one"],
                [IMAGE] + ["tensor<4xf32>"] * 4,
                """%a = arith.addf %v4, %eps : f32
    %b = math.rsqrt %a : f32
    %c = arith.subf %v0, %v3 : f32
    %d = arith.mulf %c, %b : f32
    %e = arith.mulf %d, %v1 : f32
    %f = arith.addf %e, %v2 : f32
    linalg.yield %f : f32""",
            )
        )
        lines.append(
            generic(
                f"%relu{i}",
                [f"%norm{i}"],
                [IMAGE],
                """%a = arith.maximumf %v0, %zero : f32
    linalg.yield %a : f32""",
            )
        )
        lines.append(
            generic(
                f"%add{i}",
                [f"%relu{i}", value],
                [IMAGE, IMAGE],
                """%a = arith.addf %v0, %v1 : f32
    linalg.yield %a : f32""",
            )
        )
        value = f"%add{i}"
    lines += [f"  return {value} : {IMAGE}", "}", ""]
    return "\n".join(lines)


def measure(opt, operators, wide, work):
    """Seconds by pass."""
    module = os.path.join(work, "in.mlir")
    table = os.path.join(work, "table.json")
    with open(module, "w") as file:
        file.write(network(operators, wide))
    observed = subprocess.run(
        [opt, "--pass-pipeline=" + PREPARE, module],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    names = re.findall(r'^ *qbackend\.observer @"?([^" ]+)"? <', observed, re.M)
    entries = [
        {"name": name, "kind": "min_max", "scale": 0.02, "zero_point": 100}
        for name in names
    ]
    with open(table, "w") as file:
        json.dump({"version": 1, "entries": entries}, file)
    report = subprocess.run(
        [opt, "--apply-backend=qnnpack", "lower-to=linalg", "calibration=" + table]
        + ["--mlir-timing", module, "-o", os.devnull],
        check=True,
        stderr=subprocess.PIPE,
        text=True,
    ).stderr
    return {
        name: float(seconds)
        for seconds, name in re.findall(r"^ *([\d.]+) \([ \d.]+%\) +(\w+Pass)$", report, re.M)
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--operators", type=int, default=4000)
    arguments = parser.parse_args()
    opt = os.path.join(arguments.bin, "qbackend-opt")
    for wide in (False, True):
        with tempfile.TemporaryDirectory() as work:
            small = measure(opt, arguments.operators, wide, work)
            large = measure(opt, arguments.operators * 10, wide, work)
        print("wide" if wide else "chain", arguments.operators, "and", arguments.operators * 10)
        for name, seconds in large.items():
            print(f"  {name:32}{small[name]:9.4f}{seconds:9.4f}{seconds / max(small[name], 1e-4):7.1f}")


if __name__ == "__main__":
    main()

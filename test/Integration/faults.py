#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants a fault in a quantized network, and looks who is ranked first.

    faults.py SEEDS --bin DIR --source DIR --work DIR

SEEDS is `0:40`, or a list `1,7`. The seed picks the fault, the network, the
layer and the channel. Each case is calibrated by the tool itself; the report
of --layers has to name the layer with the fault first.
"""

import argparse
import json
import pathlib
import re
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from tools import run  # noqa: E402

NETWORKS = {
    "lenet5": "mnist_digits.npz",
    "resnet8": "fashion_mnist.npz",
    "mbv2tiny": "fashion_mnist.npz",
}
SAMPLES = 16


class Case:
    """One seed: a network, its quantized form, and what is wrong with it."""

    def __init__(self, args, seed):
        self.args = args
        self.random = np.random.default_rng(seed)
        self.fault = list(FAULTS)[seed % len(FAULTS)]
        self.network = list(NETWORKS)[seed // len(FAULTS) % len(NETWORKS)]
        self.work = pathlib.Path(args.work) / str(seed)
        self.work.mkdir(parents=True, exist_ok=True)
        self.examples = pathlib.Path(args.source) / "examples"
        self.data = self.examples / "data" / NETWORKS[self.network]
        self.real = self.work / "float.mlir"
        self.table = self.work / "table.json"
        self.int8 = self.work / "int8.mlir"
        weights = np.load(self.examples / "networks" / f"{self.network}.npz")
        self.weights = {name: weights[name] for name in weights.files}

    def tool(self, name, *arguments):
        return run(pathlib.Path(self.args.bin) / name, *arguments)

    def export(self):
        path = self.work / "weights.npz"
        np.savez(path, **self.weights)
        run(
            sys.executable, self.examples / "export.py", path, self.network,
            "--spelling", "tosa", "-o", self.real,
        )

    def calibrate(self):
        self.tool(
            "qbackend-run", self.real, "--calibrate", "--input-scale=1/255",
            f"--input={self.data}:calib_images", "--samples=40", "-o", self.table,
        )

    def convert(self):
        self.tool(
            "qbackend-opt", "--apply-backend=qnnpack",
            f"calibration={self.table}", self.real, "-o", self.int8,
        )

    def observers(self):
        """Scale and zero point by observer, but for the input's."""
        text = self.tool(
            "qbackend-opt", "--qbackend-prepare-pipeline=backend=qnnpack",
            f"--qbackend-calibrate=calibration={self.table}", self.real,
            "--mlir-elide-elementsattrs-if-larger=8",
        )
        found = re.findall(
            r"qbackend\.observer @(\S+|\"[^\"]*\") <.*scale (\S+) zero_point (\S+)",
            text,
        )
        return {
            name.strip('"'): (float(scale), int(zero_point))
            for name, scale, zero_point in found
            if name != "x"
        }

    def scale_range(self, factor):
        """The layer whose result gets `factor` of its range."""
        observers = self.observers()
        name = str(self.random.choice(sorted(observers)))
        scale, zero_point = observers[name]
        table = json.loads(self.table.read_text())
        table["entries"] = [e for e in table["entries"] if e["name"] != name]
        table["entries"].append(
            {"name": name, "scale": [scale * factor], "zero_point": [zero_point]}
        )
        self.table.write_text(json.dumps(table))
        return name

    def layers(self):
        """The names of the layers with a weight, in order."""
        text = self.tool("qbackend-opt", "--qbackend-print-observers", self.real)
        return re.findall(r"^\d+: (\S+) = (?:conv2d|linear)", text, re.MULTILINE)

    def edit_layer(self, edit):
        """Gives `edit` the lines of one layer of the integer module: those of
        its weight, of its bias, and its own."""
        lines = self.int8.read_text().splitlines()
        ops = [
            i for i, line in enumerate(lines)
            if re.search(r"= qnnpack\.(conv2d|linear) ", line)
        ]
        names = self.layers()
        assert len(names) == len(ops), (names, len(ops))
        number = int(self.random.integers(len(ops)))
        # weight constant, scast, bias constant, the op
        at = ops[number]
        edit(lines, at - 3, at - 1, at)
        self.int8.write_text("\n".join(lines) + "\n")
        return names[number]


def cut_range(case):
    case.export()
    case.calibrate()
    name = case.scale_range(0.1)
    case.convert()
    return name


def clip_range(case):
    case.export()
    case.calibrate()
    name = case.scale_range(float(case.random.uniform(0.25, 0.4)))
    case.convert()
    return name


def read_integers(line, dtype):
    data = re.search(r'dense<"0x([0-9A-F]*)">', line)
    if data:
        return np.frombuffer(bytes.fromhex(data[1]), dtype).copy()
    return np.array(json.loads(re.search(r"dense<(\[.*?\])>", line)[1]), dtype)


def write_integers(line, values):
    text = f'dense<"0x{values.tobytes().hex().upper()}">'
    return re.sub(r"dense<[^>]*>", text, line, count=1)


def shift_bias(case):
    case.export()
    case.calibrate()
    case.convert()

    def edit(lines, weight, bias, op):
        values = read_integers(lines[bias], np.int32)
        scales = [
            float(scale)
            for scale in re.findall(r"!quant\.uniform<[ui]8:f32, ([^:>]+)", lines[op])
        ]
        # A quarter of the result's range, either way.
        shift = scales[-1] * 64 / (scales[0] * scales[1])
        channel = int(case.random.integers(len(values)))
        values[channel] += int(shift * case.random.choice([-1, 1]))
        lines[bias] = write_integers(lines[bias], values)

    return case.edit_layer(edit)


def kill_channel(case):
    case.export()
    case.calibrate()
    case.convert()

    def edit(lines, weight, bias, op):
        values = read_integers(lines[weight], np.int8)
        count = int(re.search(r"tensor<(\d+)x[^>]*i8>", lines[weight])[1])
        values = values.reshape(count, -1)
        values[int(case.random.integers(count))] = 0
        lines[weight] = write_integers(lines[weight], values)

    return case.edit_layer(edit)


def add_outlier(case):
    """One channel 40 times as large: the others share its scale."""
    # Taken back in the layer behind it, the fault would be in both.
    layers = {
        "lenet5": ["conv1", "conv2", "fc1", "fc2"],
        "resnet8": [f"layer{i}.conv1" for i in (1, 2, 3)],
        "mbv2tiny": [f"b{i}.project.0" for i in range(1, 6)],
    }[case.network]
    layer = layers[int(case.random.integers(len(layers)))]
    weights = case.weights
    channel = int(case.random.integers(len(weights[f"{layer}.weight"])))
    norm = layer.replace("conv", "bn") if "conv" in layer else layer[:-1] + "1"
    owner = norm if f"{norm}.running_mean" in weights else layer
    for name in (f"{owner}.weight", f"{owner}.bias"):
        weights[name] = weights[name].copy()
        weights[name][channel] *= np.float32(40)
    case.export()
    case.calibrate()
    case.convert()
    return layer


def add_mask(case):
    """A mask on the logits of a softmax."""
    case.export()
    text = case.real.read_text()
    left_out = case.random.choice(10, 3, replace=False)
    mask = [-1.0e6 if i in left_out else 0.0 for i in range(10)]
    logits = re.search(r"    return (%\d+) : (tensor<1x10xf32>)", text)
    one = "tensor<1x1xf32>"
    kind = logits[2]
    loc = 'loc("attention")'
    lines = [
        f'%mask = "tosa.const"() <{{values = dense<[{mask}]> : {kind}}}> : () -> {kind} {loc}',
        f'%masked = tosa.add {logits[1]}, %mask : ({kind}, {kind}) -> {kind} loc("masked")',
        f"%top = tosa.reduce_max %masked {{axis = 1 : i32}} : ({kind}) -> {one} {loc}",
        f"%less = tosa.sub %masked, %top : ({kind}, {one}) -> {kind} {loc}",
        f"%exp = tosa.exp %less : ({kind}) -> {kind} {loc}",
        f"%sum = tosa.reduce_sum %exp {{axis = 1 : i32}} : ({kind}) -> {one} {loc}",
        f"%over = tosa.reciprocal %sum : ({one}) -> {one} {loc}",
        '%shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>',
        f"%soft = tosa.mul %exp, %over, %shift : ({kind}, {one}, tensor<1xi8>) -> {kind} {loc}",
        f"return %soft : {kind}",
    ]
    text = text.replace(logits[0], "\n".join("    " + line for line in lines))
    case.real.write_text(text)
    case.calibrate()
    case.convert()
    graph = case.tool("qbackend-opt", "--qbackend-print-observers", case.real)
    # The constant has the name of the sum, too.
    return re.search(r"^\d+: (masked\S*) = add\(", graph, re.MULTILINE)[1]


FAULTS = {
    "range cut to a tenth": cut_range,
    "bias off": shift_bias,
    "dead weight channel": kill_channel,
    "outlier channel": add_outlier,
    "clipped range": clip_range,
    "mask": add_mask,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seeds")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--work", required=True)
    args = parser.parse_args()
    if ":" in args.seeds:
        seeds = range(*map(int, args.seeds.split(":")))
    else:
        seeds = [int(seed) for seed in args.seeds.split(",")]
    found = 0
    for seed in seeds:
        case = Case(args, seed)
        culprit = FAULTS[case.fault](case)
        report = case.tool(
            "qbackend-run", case.real, f"--compare={case.int8}", "--layers",
            f"--input={case.data}:test_images", "--input-scale=1/255",
            f"--samples={SAMPLES}",
        )
        (case.work / "report.txt").write_text(report)
        names = re.findall(r"^ *\d+ (\S+) ", report, re.MULTILINE)
        rank = names.index(culprit) + 1 if culprit in names else None
        found += rank == 1
        print(
            f"{seed}: {case.network}, {case.fault} at {culprit}: "
            f"rank {rank}" + ("" if rank == 1 else f", first is {names[0]}")
        )
    print(f"{found} of {len(seeds)} first")
    print("PASS" if found == len(seeds) else "FAIL")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares a trained network, quantized by qbackend, with PyTorch's own integers.

    networks.py NETWORK SPELLING CONFIG --bin DIR --source DIR --work DIR [--calibrate]

Given PyTorch's scales and zero points, every weight, the output of every layer
for four images and the logits of all 1000 test images have to be equal. With
--calibrate the tool finds the parameters itself, on the same images: the same
observers, scales within a tolerance, and the same accuracy to 0.003.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

import numpy as np

DATA = {
    "lenet5": "mnist_digits.npz",
    "resnet8": "fashion_mnist.npz",
    "mbv2tiny": "fashion_mnist.npz",
}


class Failures:
    def __init__(self):
        self.count = 0

    def check(self, condition, message):
        if not condition:
            self.count += 1
            print(f"FAILED: {message}")


class Network:
    def __init__(self, args):
        self.args = args
        self.work = pathlib.Path(args.work)
        self.work.mkdir(parents=True, exist_ok=True)
        self.source = pathlib.Path(args.source)
        examples = self.source / "examples"
        reference = self.source / "test/Integration/reference"
        self.expected = np.load(reference / f"{args.network}.npz")
        self.config = json.loads(
            (reference / f"{args.network}.json").read_text()
        )["configs"][args.config]
        self.data = examples / "data" / DATA[args.network]
        self.float_module = self.work / "float.mlir"
        self.run_tool(
            sys.executable, examples / "export.py",
            examples / "networks" / f"{args.network}.npz", args.network,
            "--spelling", args.spelling, "-o", self.float_module,
        )

    def run_tool(self, *command):
        result = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True
        )
        if result.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}\n{result.stderr}")
        return result

    def opt(self, *arguments, output):
        self.run_tool(
            f"{self.args.bin}/qbackend-opt", *arguments, "-o", output
        )

    def predict(self, module, images, output):
        self.run_tool(
            f"{self.args.bin}/qbackend-run", module, f"--input={images}",
            "--input-scale=1/255", "-o", output,
        )
        arrays = np.load(output)
        return [arrays[f"output{i}"] for i in range(len(arrays.files))]

    def quantize(self, ranges, lower_to, output):
        self.opt(
            f"--apply-backend=qnnpack qconfig={self.args.config} {ranges} "
            f"lower-to={lower_to}",
            "--mlir-print-debuginfo", "--mlir-print-local-scope",
            self.float_module, output=output,
        )

    def write_table(self):
        entries = {}
        for observer in self.config["observers"]:
            entries.setdefault(
                observer["value"],
                {
                    "name": observer["value"],
                    "kind": "min_max",
                    "scale": observer["scale"],
                    "zero_point": observer["zero_point"],
                },
            )
        path = self.work / "table.json"
        path.write_text(
            json.dumps({"version": 1, "entries": list(entries.values())})
        )
        return path


def instrument(module, output):
    """Makes @main return each kernel's integers; returns their layers' names."""
    names, values = [], []
    lines = module.read_text().splitlines()
    result = []
    for line in lines:
        match = re.match(
            r"\s*(%\S+) = qnnpack\.(\w+) .*-> tensor<([\dx]+)x(!quant\.\S+<.*?>)>"
            r" loc\((.*)\)$", line)
        if match and match.group(2) not in ("quantize", "dequantize"):
            value, _, shape, element, location = match.groups()
            result.append(line)
            name = re.search(r'"([^"]*)"', location)
            names.append(name.group(1) if name else "")
            storage = f"tensor<{shape}xi8>"
            result.append(
                f"    %layer{len(values)} = quant.scast {value} : "
                f"tensor<{shape}x{element}> to {storage}"
            )
            values.append(storage)
            continue
        match = re.match(r"\s*return (%\S+) : (\S+)", line)
        if match:
            operands = [match.group(1)] + [
                f"%layer{i}" for i in range(len(values))
            ]
            types = [match.group(2)] + values
            result.append(f"    return {', '.join(operands)} : {', '.join(types)}")
            continue
        result.append(line)
    text = "\n".join(result)
    text = re.sub(
        r"(func\.func @main\(.*?\)) -> (tensor<[^>]*>)",
        lambda match: f"{match.group(1)} -> ({', '.join([match.group(2)] + values)})",
        text, count=1,
    )
    output.write_text(text)
    return names


def check_weights(network, module, failures):
    """The int8 constants, in order, are PyTorch's weights."""
    text = module.read_text()
    found = []
    for match in re.finditer(
        r'arith\.constant dense<"0x([0-9A-F]+)"> : tensor<([\dx]+)xi8>', text
    ):
        shape = [int(extent) for extent in match.group(2).split("x")]
        data = np.frombuffer(bytes.fromhex(match.group(1)), np.int8)
        found.append(data.reshape(shape))
    prefix = f"{network.args.config}/weight/"
    expected = {
        name[len(prefix):]: network.expected[name]
        for name in network.expected.files
        if name.startswith(prefix)
    }
    failures.check(
        len(found) == len(expected),
        f"{len(found)} weights, expected {len(expected)}",
    )
    # Layout: OIHW there, OHWI here. Constants may be in any order: match each.
    for name, weight in expected.items():
        if weight.ndim == 4:
            weight = weight.transpose(0, 2, 3, 1)
        equal = any(
            candidate.shape == weight.shape and np.array_equal(candidate, weight)
            for candidate in found
        )
        failures.check(equal, f"weight of {name}")
    return len(expected)


def check_layers(network, module, failures):
    instrumented = network.work / "layers.mlir"
    names = instrument(module, instrumented)
    images = network.work / "four.npy"
    np.save(images, np.load(network.data)["test_images"][:4])
    outputs = network.predict(
        instrumented, images, network.work / "layers.npz"
    )[1:]
    prefix = f"{network.args.config}/out4/"
    by_name = {}
    for name, value in zip(names, outputs):
        by_name[name] = value.view(np.uint8)
    checked = 0
    for key in network.expected.files:
        if not key.startswith(prefix):
            continue
        name, expected = key[len(prefix):], network.expected[key]
        if name not in by_name:
            failures.check(False, f"no layer {name}; there are {names}")
            continue
        found = by_name[name]
        if found.ndim == 4:
            found = found.transpose(0, 3, 1, 2)
        if expected.ndim == 4 and found.ndim == 2:
            expected = expected.reshape(found.shape)
        different = int((found != expected).sum()) if (
            found.shape == expected.shape) else -1
        failures.check(different == 0, f"{name}: {different} elements differ")
        checked += expected.size
    return checked


def check_exact(network, failures):
    table = network.write_table()
    ranges = f"calibration={table}"
    lowered = network.work / "qnnpack.mlir"
    network.quantize(ranges, "qnnpack", lowered)
    weights = check_weights(network, lowered, failures)
    elements = check_layers(network, lowered, failures)

    images = f"{network.data}:test_images"
    last = network.config["observers"][-1]
    expected = network.expected[f"{network.args.config}/logits"]

    def integers(module):
        logits = network.predict(module, images, network.work / "logits.npz")[0]
        scaled = logits / np.float32(last["scale"])
        return np.rint(scaled).astype(np.int64) + last["zero_point"]

    found = integers(lowered)
    failures.check(
        np.array_equal(found, expected),
        f"{int((found != expected).sum())} logits differ",
    )
    linalg = network.work / "linalg.mlir"
    network.quantize(ranges, "linalg", linalg)
    failures.check(
        np.array_equal(integers(linalg), found), "linalg and qnnpack differ"
    )
    for module in (lowered, linalg):
        network.opt("--qbackend-verify-integer-only", module, output="/dev/null")
    reference = network.work / "reference.mlir"
    network.quantize(ranges, "reference", reference)
    difference = np.abs(integers(reference) - expected)
    failures.check(
        difference.max() <= 2 and (difference > 0).mean() < 0.1,
        f"reference form: up to {difference.max()} steps, "
        f"{int((difference > 0).sum())} of {difference.size}",
    )
    print(
        f"{weights} weights, {elements} layer elements, {found.size} logits "
        f"compared; reference form: {int((difference > 0).sum())} logits differ "
        f"by at most {difference.max()}"
    )


def check_calibrated(network, failures):
    ranges = (
        f"data={network.data}:calib_images input-scale=1/255 batch-size=20"
    )
    observed = network.work / "observed.mlir"
    network.opt(
        "--qbackend-raise", "--qbackend-normalize-layout",
        "--qbackend-fuse=backend=qnnpack",
        f"--qbackend-observe=backend=qnnpack qconfig={network.args.config}",
        f"--qbackend-calibrate={ranges}", network.float_module, output=observed,
    )
    found = {}
    for match in re.finditer(
        r"qbackend\.observer @(\S+) <.*?> range ?\[(\S+), (\S+)\] "
        r"scale (\S+) zero_point (\S+)", observed.read_text()
    ):
        found[match.group(1).strip('"')] = [
            float(part) for part in match.groups()[1:]
        ]
    groups = {}
    for observer in network.config["observers"]:
        groups.setdefault(observer["instance"], observer)
    failures.check(
        sorted(found) == sorted(first["value"] for first in groups.values()),
        f"observers {sorted(found)}, expected "
        f"{sorted(first['value'] for first in groups.values())}",
    )
    worst = 0.0
    for first in groups.values():
        if first["value"] not in found:
            continue
        scale = found[first["value"]][2]
        relative = abs(scale - first["scale"]) / first["scale"]
        worst = max(worst, relative)
        # Two of the histogram's bins, as a part of the chosen range.
        span = first["max"] - min(first["min"], 0.0)
        bins = 2 * span / 2048 / (255 * first["scale"])
        tolerance = max(1e-5, bins) if network.args.config == "default" else 1e-5
        failures.check(
            relative <= tolerance,
            f"scale of {first['value']}: {scale}, expected {first['scale']}",
        )
    # The values that share.
    by_instance = {}
    for observer in network.config["observers"]:
        by_instance.setdefault(observer["instance"], []).append(observer["value"])
    uses = re.findall(r"qbackend\.observe %\S+ by @(\S+)", observed.read_text())
    for instance, values in by_instance.items():
        name = groups[instance]["value"]
        failures.check(
            sum(use.strip('"') == name for use in uses) == len(values),
            f"@{name} observes {uses.count(name)} values, expected {values}",
        )

    lowered = network.work / "calibrated.mlir"
    network.quantize(ranges, "qnnpack", lowered)
    logits = network.predict(
        lowered, f"{network.data}:test_images", network.work / "logits.npz"
    )[0]
    labels = np.load(network.data)["test_labels"]
    accuracy = float((logits.argmax(1) == labels).mean())
    failures.check(
        abs(accuracy - network.config["accuracy"]) <= 0.003 + 1e-9,
        f"accuracy {accuracy}, expected {network.config['accuracy']}",
    )
    print(
        f"{len(found)} observers, largest relative difference of a scale "
        f"{worst:.2e}; accuracy {accuracy:.3f}, PyTorch's "
        f"{network.config['accuracy']:.3f}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("network", choices=sorted(DATA))
    parser.add_argument("spelling", choices=["linalg", "tosa"])
    parser.add_argument(
        "config", choices=["default", "minmax", "minmax_per_channel"]
    )
    parser.add_argument("--bin", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--calibrate", action="store_true")
    args = parser.parse_args()
    failures = Failures()
    network = Network(args)
    if args.calibrate:
        check_calibrated(network, failures)
    else:
        check_exact(network, failures)
    print("FAIL" if failures.count else "PASS")
    return 1 if failures.count else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares a trained network, quantized, with what ONNX evaluates.

    onnx_networks.py NETWORK --work DIR [--build DIR] [--images N]
                     [--qconfig NAME] [--runtime] [--level LEVEL]

The integers of every kernel that `qbackend-run` computes have to be those of the
ONNX file: equal, but for kernels whose ties may be rounded to the other side, whose
own inputs may also differ then. Prints, for each kind of kernel, the elements, how
many differ, and the largest step; then the logits. Each kernel of a kind that has
to be equal is also evaluated alone, on our integers of what it reads. With
--runtime ONNX Runtime evaluates, otherwise NumPy.
"""

import argparse
import collections
import pathlib
import re
import sys

import numpy as np

import onnx_runtime
from onnx_graph import Graph

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
from tools import run  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
DATA = {
    "lenet5": "mnist_digits.npz",
    "resnet8": "fashion_mnist.npz",
    "mbv2tiny": "fashion_mnist.npz",
}
#: Kinds whose ties ONNX rounds to the other side.
TIES = {"add", "mul", "adaptive_avg_pool2d", "avg_pool2d", "mean", "quantize"}


class Kernel:
    """A kernel of the text of a module."""

    def __init__(self, value, kind, operands, result):
        self.value, self.kind, self.operands = value, kind, operands
        self.result = result


def kernels_of(text):
    found = []
    for line in text.splitlines():
        match = re.match(r"\s*(%\w+) = qnnpack\.(\w+) (.*)-> (tensor<.*>)$", line)
        if match:
            value, kind, middle, result = match.groups()
            if kind == "dequantize":
                continue
            operands = re.findall(r"%\w+", middle.split(" : ")[0].split("{")[0])
            found.append(Kernel(value, kind, operands, result))
    return found


def with_results(text, kernels):
    """The module with the integers of all kernels as results, the last first."""
    values = ", ".join(kernel.value for kernel in kernels)
    types = ", ".join(kernel.result for kernel in kernels)
    text = re.sub(r"return (%\w+) : (.*)", rf"return \1, {values} : \2, {types}",
                  text)
    return re.sub(r"\) -> (tensor\S+) \{", rf") -> (\1, {types}) {{", text,
                  count=1)


def alone(text, kernel, producers):
    """A module of one kernel, whose activations are arguments."""
    lines = text.splitlines()
    operands = [o for o in kernel.operands if o in producers]
    arguments = ", ".join(f"{o}: {producers[o].result}" for o in operands)
    wanted = set(kernel.operands)
    body = []
    for line in reversed(lines):
        match = re.match(r"\s*(%\w+) = (\S+)", line)
        if not match:
            continue
        if match.group(1) == kernel.value:
            body.append(line)
        elif match.group(1) in wanted and match.group(1) not in operands:
            body.append(line)
            wanted |= set(re.findall(r"%\w+", line.split(" = ")[1]))
    resources = text[text.index("{-#"):] if "{-#" in text else ""
    return "\n".join([
        f"func.func @main({arguments}) -> {kernel.result} {{", *reversed(body),
        f"  return {kernel.value} : {kernel.result}", "}", resources]), operands


class Evaluator:
    def __init__(self, args):
        self.args = args
        self.tool = pathlib.Path(args.build, "bin", "qbackend-translate")

    def translate(self, text):
        module, model = self.args.work / "in.mlir", self.args.work / "out.onnx"
        module.write_text(text)
        run(self.tool, "--qbackend-to-onnx", module, "-o", model)
        return model.read_bytes()

    def run(self, text, samples):
        """All results of the network, for each sample one after the other."""
        data = self.translate(text)
        graph = Graph(data)
        count = len(samples[0])
        if not self.args.runtime:
            results = []
            for i in range(count):
                values = graph.run([s[i:i + 1] for s in samples])
                results.append([values[name] for name in graph.outputs])
            return [np.concatenate(column) for column in zip(*results)]
        (outputs,) = onnx_runtime.run([(data, samples)], self.args.level,
                                      runs=count)
        if isinstance(outputs, str):
            sys.exit(outputs)
        return [np.frombuffer(output, np.uint8) for output in outputs]


def compare(found, wanted):
    """How many differ, and by how much."""
    if found.dtype == np.uint8 and found.ndim == 1:
        found = found.view(wanted.dtype).reshape(wanted.shape)
    if wanted.dtype == np.float32:
        distance = np.abs(found - wanted)
    else:
        distance = np.abs(found.astype(np.int64) - wanted.astype(np.int64))
    return int((distance != 0).sum()), float(distance.max())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("network", choices=DATA)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--images", type=int, default=1000)
    parser.add_argument("--qconfig", default="default")
    parser.add_argument("--runtime", action="store_true")
    parser.add_argument("--level", default="all")
    args = parser.parse_args()
    if args.runtime and onnx_runtime.missing():
        print(f"SKIP: {onnx_runtime.missing()}")
        return 0
    args.work.mkdir(parents=True, exist_ok=True)
    opt = pathlib.Path(args.build, "bin", "qbackend-opt")
    data = ROOT / "examples" / "data" / DATA[args.network]
    run(sys.executable, ROOT / "examples" / "export.py",
        ROOT / "examples" / "networks" / f"{args.network}.npz", args.network,
        "--spelling", "linalg", "-o", args.work / "float.mlir")
    run(opt, f"--apply-backend=qnnpack qconfig={args.qconfig} "
        f"data={data}:calib_images input-scale=1/255", args.work / "float.mlir",
        "-o", args.work / "quantized.mlir")
    text = (args.work / "quantized.mlir").read_text()
    kernels = kernels_of(text)
    producers = {kernel.value: kernel for kernel in kernels}

    with np.load(data) as arrays:
        pixels = arrays["test_images"][:args.images]
    images = pixels.astype(np.float32) * np.float32(1 / 255)
    np.save(args.work / "images.npy", images)
    (args.work / "all.mlir").write_text(with_results(text, kernels))
    run(pathlib.Path(args.build, "bin", "qbackend-run"), args.work / "all.mlir",
        f"--input={args.work / 'images.npy'}", "-o", args.work / "ours.npz")
    with np.load(args.work / "ours.npz") as arrays:
        ours = [arrays[f"output{i}"] for i in range(len(kernels) + 1)]
    ours = [a.view(np.uint8) if a.dtype == np.int8 else a for a in ours]
    integers = {kernel.value: array for kernel, array in zip(kernels, ours[1:])}

    evaluator = Evaluator(args)
    failures = 0
    # The network as it is: what its user sees.
    (logits,) = evaluator.run(text, [images])
    wrong, _ = compare(logits, ours[0])
    logits = (logits.view(np.float32) if logits.dtype == np.uint8
              else logits).reshape(ours[0].shape)
    same = int((logits.argmax(1) == ours[0].argmax(1)).sum())
    print(f"logits: {ours[0].size - wrong}/{ours[0].size} equal, "
          f"{same}/{len(images)} classes")
    # Every kernel, in the network.
    theirs = evaluator.run(with_results(text, kernels), [images])
    table = collections.OrderedDict()
    for kernel, wanted, found in zip(kernels, ours[1:], theirs[1:]):
        wrong, largest = compare(found, wanted)
        entry = table.setdefault(kernel.kind, [0, 0, 0, 0.0])
        entry[0] += 1
        entry[1] += wanted.size
        entry[2] += wrong
        entry[3] = max(entry[3], largest)
    # Every kernel on what it reads here.
    own = collections.defaultdict(lambda: [0, 0.0])
    for kernel in kernels:
        module, operands = alone(text, kernel, producers)
        if kernel.kind == "quantize":
            continue
        (found,) = evaluator.run(module, [integers[o] for o in operands])
        wrong, largest = compare(found, integers[kernel.value])
        own[kernel.kind][0] += wrong
        own[kernel.kind][1] = max(own[kernel.kind][1], largest)
        if wrong and (kernel.kind not in TIES or largest > 1):
            print(f"FAILED: {kernel.value} = {kernel.kind}: {wrong} differ")
            failures += 1
    for kind, (count, elements, wrong, largest) in table.items():
        alone_wrong, alone_largest = own[kind]
        print(f"{kind}: {count} kernels, {elements} elements, {wrong} differ by "
              f"up to {largest:g}; alone {alone_wrong} by up to "
              f"{alone_largest:g}")
    if same < 0.999 * len(images):
        print("FAILED: classes differ")
        failures += 1
    print("FAIL" if failures else "PASS")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether results of the forms that aren't exact are as near as QB131 says.

    form_differences.py --bin DIR [--form tosa|onnx] [--example NAME,...]
                        [--networks FIRST:LAST] [--samples N] [--runtime PYTHON]

Networks are those of examples, and random ones (test/Random). Each is quantized and
ends in the form; it and its kernels run on N samples, and the furthest element of each
result is compared with the remark. ONNX is evaluated by the definitions of its
operators in NumPy, or by the ONNX Runtime of the Python --runtime. `AtMost` has to
hold. Prints a table, and for how many networks `Likely` holds, and is at most three
times what was seen.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "test"), str(ROOT / "test/Random"),
                str(ROOT / "test/Interfaces/ONNX")]
from check import Broken, Tools  # noqa: E402
from onnx_graph import Graph  # noqa: E402
from transform import Case  # noqa: E402

RUNTIME = """
import sys, numpy as np, onnxruntime
session = onnxruntime.InferenceSession(sys.argv[1])
with np.load(sys.argv[2]) as file:
    inputs = [file[name] for name in file.files]
names = [i.name for i in session.get_inputs()]
rows = [session.run(None, {n: x[i:i + 1] for n, x in zip(names, inputs)})
        for i in range(len(inputs[0]))]
np.savez(sys.argv[3], **{f"output{i}": np.concatenate(c) for i, c in enumerate(zip(*rows))})
"""


def read_remark(text):
    line = re.search(r"QB131 .*", text)
    if not line:
        raise Broken("QB131 is missing")
    fields = dict(re.findall(r'(\w+)=("[^"]*"|[^,\s}]+)', line[0]))
    return {key: value.strip('"').split(", ") for key, value in fields.items()}


def find_dump(text):
    """The module that --mlir-print-ir-before has printed among other lines."""
    lines = text[text.index("// -----//"):].splitlines()[1:]
    end = lines.index("}") + 1
    if end < len(lines) and lines[end] == "":
        end += 1
    if end < len(lines) and lines[end].startswith("{-#"):
        end = lines.index("#-}") + 1
    return "\n".join(lines[:end]) + "\n"


def find_scales(text):
    """The scale of each result of a module of kernels; None where it is a float."""
    types = dict(re.findall(r"^!(\w+) = !quant.uniform<\w+:f32, ([^:>]+)", text, re.M))
    found = {}
    for name, kind in re.findall(
            r"(%\w+) = qnnpack\.dequantize %\w+ : tensor<(?:[\d?]+x)*(!.*?)> ->", text):
        number = re.match(r"!quant.uniform<\w+:f32, ([^:>]+)", kind)
        found[name] = float(number[1] if number else types[kind[1:]])
    # What moves elements keeps their scale.
    for name, moved in re.findall(
            r"(%\w+) = (?:linalg\.transpose ins\(|tensor\.(?:expand|collapse)_shape )(%\w+)",
            text):
        found[name] = found.get(moved)
    end = re.findall(r"^ +return (.*?) :", text, re.M)[-1]
    return [found.get(name) for name in end.split(", ")]


class Network:
    def __init__(self, tools, options):
        self.tools, self.options = tools, options
        self.exact = tools.work / "exact.mlir"
        self.other = tools.work / ("other.onnx" if options.form == "onnx" else
                                   "other.mlir")

    def run(self, module):
        out = self.tools.work / "out.npz"
        self.tools.run("qbackend-run", module, f"--input={self.inputs}", "-o", out)
        with np.load(out) as file:
            return [file[f"output{i}"] for i in range(len(file.files))]

    def run_onnx(self):
        if self.options.runtime:
            out = self.tools.work / "onnx.npz"
            subprocess.run([self.options.runtime, "-c", RUNTIME, self.other, self.inputs,
                            out], check=True)
            with np.load(out) as file:
                return [file[f"output{i}"] for i in range(len(file.files))]
        graph, rows = Graph(self.other.read_bytes()), []
        with np.load(self.inputs) as file:
            inputs = [file[name] for name in file.files]
        for i in range(len(inputs[0])):
            values = graph.run([x[i:i + 1] for x in inputs])
            rows.append([values[name] for name in graph.outputs])
        return [np.concatenate(column) for column in zip(*rows)]

    def measure(self):
        """The remark, and the furthest element of each result."""
        if self.options.form == "tosa":
            # Which kernels there are depends on the form.
            _, said = self.tools.run(
                "qbackend-opt", *self.command, "lower-to=tosa", self.source, "-o",
                self.other, "--mlir-print-ir-before=convert-qnnpack-to-tosa",
                "--mlir-print-ir-module-scope", "--mlir-disable-threading")
            self.exact.write_text(find_dump(said))
        else:
            self.tools.run("qbackend-opt", *self.command, "lower-to=qnnpack",
                           self.source, "-o", self.exact)
            _, said = self.tools.run("qbackend-translate", "--qbackend-to-onnx",
                                     self.exact, "-o", self.other)
        wanted = self.run(self.exact)
        found = self.run(self.other) if self.options.form == "tosa" else self.run_onnx()
        steps = []
        for a, b, scale in zip(wanted, found, find_scales(self.exact.read_text()),
                               strict=True):
            distance = np.abs(a.astype(float) - b.reshape(a.shape))
            steps.append(None if scale is None else
                         int(np.rint(distance / scale).max(initial=0)))
        remark = read_remark(said)
        # The samples of the calibration were run, too; ONNX is run elsewhere.
        own = list(zip(remark["AtMost"], remark.get("Measured", [])))
        if (self.options.form == "tosa") != bool(own):
            sys.exit(f"measured {own}")
        if any("unknown" not in pair and int(pair[1]) > int(pair[0]) for pair in own):
            sys.exit(f"further than at most: {own}")
        return remark, steps


class Example(Network):
    def __init__(self, tools, options, name):
        super().__init__(tools, options)
        self.source, self.inputs = tools.work / "in.mlir", tools.work / "inputs.npz"
        subprocess.run([sys.executable, ROOT / "examples/export.py",
                        ROOT / f"examples/networks/{name}.npz", name, "--spelling",
                        "linalg", "-o", self.source], check=True)
        data = ROOT / "examples/data" / ("mnist_digits.npz" if name == "lenet5" else
                                         "fashion_mnist.npz")
        self.command = ["--apply-backend=qnnpack", f"data={data}:calib_images",
                        "input-scale=1/255"]
        images = np.load(data)["test_images"][:options.samples].astype(np.float32)
        np.savez(self.inputs, images=images * np.float32(1 / 255))


class Random(Network):
    def __init__(self, tools, options, seed):
        super().__init__(tools, options)
        case = Case.of_seed(tools, seed)
        self.source, self.inputs = case.source, tools.work / "many.npz"
        self.command = ["--apply-backend=qnnpack", f"data={case.data}"]
        rng = np.random.default_rng(seed + 2)
        np.savez(self.inputs, **{
            f"arg{i}": np.concatenate([case.draw(kind, rng)
                                       for _ in range(options.samples)])
            for i, (_, kind) in enumerate(case.arguments)})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--form", choices=["tosa", "onnx"], default="tosa")
    parser.add_argument("--example", default="")
    parser.add_argument("--networks", default="0:0")
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--runtime", help="a Python with onnxruntime")
    options = parser.parse_args()
    makers = [(name, lambda tools, name=name: Example(tools, options, name))
              for name in filter(None, options.example.split(","))]
    makers += [(f"seed {seed}", lambda tools, seed=seed: Random(tools, options, seed))
               for seed in range(*map(int, options.networks.split(":")))]
    checked = held = likely = near = skipped = 0
    print("| network | at most | likely | measured |\n|---|---|---|---|")
    for name, make in makers:
        with tempfile.TemporaryDirectory() as work:
            try:
                remark, steps = make(Tools(options.bin, pathlib.Path(work))).measure()
            except (Broken, NotImplementedError) as error:
                print(f"| {name} | {str(error)[:60]} | | |", flush=True)
                skipped += 1
                continue
        known = [(int(most), int(guess), seen) for most, guess, seen in
                 zip(remark["AtMost"], remark["Likely"], steps)
                 if most != "unknown" and seen is not None]
        if not known:
            skipped += 1
            continue
        most, guess, seen = map(max, zip(*known))
        checked += 1
        held += all(seen <= most for most, _, seen in known)
        likely += all(seen <= guess for _, guess, seen in known)
        near += all(guess <= 3 * max(seen, 1) for _, guess, seen in known)
        print(f"| {name} | {most} | {guess} | {seen} |", flush=True)
    print(f"{checked} networks: AtMost holds of {held}, Likely of {likely}, which is at "
          f"most three times what was measured of {near}; {skipped} skipped")
    return held != checked


if __name__ == "__main__":
    sys.exit(main())

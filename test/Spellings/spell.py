#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Is a network the same network in every spelling?

    spell.py write NETWORK [--style NAME] [--seed N] [--passes NAME]
    spell.py check [--networks A,B] [--styles A,B] [--seeds N] [--passes A,B]
                   [--numbers N] --bin DIR --llvm DIR [--keep DIR]

`write` prints one text. `check` compares the operators of many texts with those
of the first one, and for some of them what they compute, before and after
raising, with numpy. docs/Operators.md says what the styles and passes are.
"""

import argparse
import collections
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

import networks
from linalg_writer import LinalgWriter
from network import evaluate, random_inputs
from style import Style
from tosa_writer import TosaWriter
from writer import from_layout, to_layout, write_module

LINALG = {"linalg": LinalgWriter}
TOSA = {"tosa": TosaWriter}
BOTH = {**LINALG, **TOSA}

# Front ends, as far as one choice for each family goes: (writers, choices).
STYLES = {
    "torch": (LINALG, {}),
    "torch-old": (LINALG, {
        "bias": "outs_yield", "transpose": "generic_out", "cat": "insert",
        "scalar": "computed", "depthwise": "generic", "zero": "shared",
        "elu": "select", "leaky_relu": "select", "weights": "resource"}),
    "dynamo": (LINALG, {
        "weights": "argument", "batch_norm": "decomposed", "scalar": "rank0",
        "granularity": "steps", "bias": "add", "linear": "transpose",
        "guards": "assert"}),
    "stablehlo": (LINALG, {
        "layout": "nhwc", "maximum": "maximumf", "bias": "add",
        "broadcast": "broadcast", "granularity": "steps", "step": "map",
        "linear": "folded", "cat": "insert", "reduce": "reduce",
        "unit": "dim", "linear_high": "generic", "gelu": "mul",
        "silu": "mul", "scalar": "splat", "global_pool": "pool"}),
    "mhlo": (LINALG, {
        "layout": "nhwc", "maximum": "maximumf", "bias": "full",
        "batch_norm": "full", "pad": "insert", "scalar": "splat",
        "cat": "insert_fill", "unit": "dim", "lowest": "max",
        "linear": "folded", "reduce": "reduce"}),
    "named": (LINALG, {
        "granularity": "steps", "step": "named", "broadcast": "broadcast",
        "maximum": "maximumf", "bias": "named_add", "linear": "contract",
        "softmax": "op", "conv": "other", "depthwise": "multiplier"}),
    "generic": (LINALG, {
        "conv": "generic", "depthwise": "generic", "grouped": "generic",
        "pool": "generic", "linear": "generic", "linear_high": "generic",
        "matmul": "generic", "transpose": "generic_in",
        "broadcast": "yield", "scalar": "inside", "granularity": "region",
        "reduce": "generic_drop"}),
    "tensors": (LINALG, {
        "granularity": "steps", "step": "arith", "maximum": "maxnumf",
        "broadcast": "broadcast", "linear": "maps", "weights": "global",
        "layout": "nhwc", "conv": "other"}),
    "torch-tosa": (TOSA, {}),
    "tflite": (TOSA, {"layout": "nhwc", "tosa_linear": "conv"}),
    "onnx": (TOSA, {"weight_form": "transposed", "tosa_clamp": "max_min",
                    "softmax": "no_max", "tosa_bias": "add"}),
    "buddy": (BOTH, {
        "weights": "argument", "zero": "constant", "bias": "add"}),
}

# The first kinds a network must have; nothing else of it may be a kind.
KINDS = {
    "conv": "conv{d}d", "conv_transpose": "conv_transpose{d}d",
    "batch_norm": "batch_norm{d}d", "instance_norm": "instance_norm{d}d",
    "max_pool": "max_pool{d}d", "avg_pool": "avg_pool{d}d",
    "global_pool": "adaptive_avg_pool{d}d", "gelu_tanh": "gelu",
    "add_scalar": "add", "mul_scalar": "mul", "permute": "transpose",
    "resize": "interpolate", "dropout": None, "input": None,

}

_TOSA_TO_LINALG = (
    "--pass-pipeline=builtin.module(func.func(tosa-optional-decompositions,"
    "tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith,tosa-to-tensor),"
    "canonicalize,cse)")
# What users run before us. Those of TOSA apply to TOSA only.
PASSES = {
    "generalised": ["--linalg-generalize-named-ops"],
    "fused": ["--linalg-generalize-named-ops",
              "--linalg-fuse-elementwise-ops"],
    "fused-named": ["--linalg-fuse-elementwise-ops"],
    "specialised": ["--linalg-specialize-generic-ops"],
    "respecialised": ["--linalg-generalize-named-ops",
                      "--linalg-specialize-generic-ops"],
    "category": ["--linalg-morph-ops=named-to-category"],
    "folded": ["--linalg-fold-unit-extent-dims", "--canonicalize"],
    "canonical": ["--canonicalize", "--cse"],
    "all": ["--linalg-generalize-named-ops", "--linalg-fuse-elementwise-ops",
            "--linalg-fold-unit-extent-dims", "--canonicalize", "--cse"],
    "lowered": [_TOSA_TO_LINALG],
    "lowered-generalised": [_TOSA_TO_LINALG, ["--linalg-generalize-named-ops"]],
    "lowered-fused": [_TOSA_TO_LINALG, ["--linalg-generalize-named-ops",
                                        "--linalg-fuse-elementwise-ops"]],
    "tosa-folded": ["--tosa-layerwise-constant-fold", "--canonicalize",
                    "--cse"],
    "tosa-transposes": ["--tosa-reduce-transposes", "--canonicalize"],
}


def run(command, text=None):
    result = subprocess.run([str(part) for part in command], input=text,
                            capture_output=True, text=True, timeout=120)
    if result.returncode != 0:
        message = result.stderr.strip().splitlines()
        raise RuntimeError(f"{pathlib.Path(command[0]).name}: " +
                           (message[0][:400] if message else
                            f"exit code {result.returncode}"))
    return result.stdout


class Spelling:
    """A text of a network, and how to make it."""

    def __init__(self, network, name, passes=None):
        self.network, self.name, self.passes = network, name, passes

    def __str__(self):
        return f"{self.network} {self.name}" + (
            f" +{self.passes}" if self.passes else "")

    def style(self):
        """`torch`, or `linalg:7`, `tosa:7`, `mixed:7` for a mixture that is
        drawn once, `linalg!7` for one drawn anew at each use."""
        match = re.fullmatch(r"(linalg|tosa|mixed)([:!])(\d+)", self.name)
        if not match:
            writers, choices = STYLES[self.name]
            if len(writers) > 1:
                style = Style(self.name, choices, None)
                return writers, style
            return writers, Style(self.name, choices)
        family, each, seed = match.groups()
        writers = {"linalg": LINALG, "tosa": TOSA, "mixed": BOTH}[family]
        # Weights that are arguments are a style of their own: nothing runs.
        allowed = {"weights": ["dense", "resource", "global"],
                   "batch_norm": ["fused", "decomposed", "sqrt_div", "full"]}
        return writers, Style(self.name, {}, seed, each == "!", allowed)

    def text(self, tools=None):
        writers, style = self.style()
        if each_layout := (style.each and "layout" not in style.choices):
            style.choices["layout"] = style("layout")
        self.last = style("layout") == "nhwc"
        self.arguments = style("weights") == "argument"
        text = write_module(networks.build(self.network), style, writers)
        steps = PASSES[self.passes] if self.passes else []
        if not steps:
            return text
        groups = [steps] if isinstance(steps[-1], str) else [
            [steps[0]], *steps[1:]]
        for group in groups:
            text = run([tools.llvm / "mlir-opt", *group], text)
        return text

    def applies(self):
        if not self.passes:
            return True
        tosa = self.passes.startswith(("lowered", "tosa"))
        writers, _ = self.style()
        return tosa == ("tosa" in writers and len(writers) == 1)


def expected_kinds(network):
    """What the description says, as a multiset of kinds."""
    kinds = collections.Counter()
    for node in networks.build(network).nodes:
        kind = KINDS.get(node.op, node.op)
        if kind:
            kinds[kind.format(d=len(node.shape) - 2)] += 1
    return kinds


def kinds_of(graph):
    return collections.Counter(re.findall(r"^\d+: ([\w.]+)", graph, re.M))


def graph_of(tools, text):
    """The operators of a text, one in a line."""
    printed = run([tools.bin / "qbackend-opt", "--qbackend-print-operators",
                   "-o", "/dev/null"], text)
    return "".join(line + "\n" for line in printed.splitlines()
                   if not line.startswith("float operations"))


def outputs_of(tools, spelling, text, work):
    """What the module computes, in the network's layout."""
    network = networks.build(spelling.network)
    inputs = random_inputs(network)
    arrays = [to_layout(node, array) if spelling.last else array
              for node, array in zip(network.inputs(), inputs)]
    (work / "module.mlir").write_text(text)
    np.savez(work / "inputs.npz", x=arrays[0])
    run([tools.bin / "qbackend-run", work / "module.mlir",
         f"--input={work / 'inputs.npz'}:x", "-o", work / "outputs.npz",
         "--num-threads=1"])
    with np.load(work / "outputs.npz") as file:
        result = file[file.files[0]]
    if spelling.last:
        result = from_layout(network.result, result)
    return result, evaluate(network, inputs)


def check_numbers(tools, spelling, work):
    text = spelling.text(tools)
    back = run([tools.bin / "qbackend-opt", "--qbackend-raise",
                "--qbackend-normalize-layout", "--qbackend-inline-operators"],
               text)
    for name, module in (("as written", text), ("raised", back)):
        result, wanted = outputs_of(tools, spelling, module, work)
        error = np.abs(result - wanted).max() / max(np.abs(wanted).max(), 1e-3)
        if not error < 1e-4:
            raise RuntimeError(f"{name}: off by {error:.2g}")


def difference(wanted, found):
    """Without the numbers, which shift; with them if they are all."""
    bare = lambda text: collections.Counter(
        re.sub(r"^\d+: | <- .*", "", line) for line in text.splitlines())
    a, b = bare(wanted), bare(found)
    if a != b:
        return [f"{sign} {line}" + (f" x{n}" if n > 1 else "")
                for sign, part in (("-", a - b), ("+", b - a))
                for line, n in part.items()]
    return [line for line in difflib.unified_diff(
        wanted.splitlines(), found.splitlines(), n=0, lineterm="")
        if not line.startswith(("---", "+++", "@@"))]


def check(tools, options):
    failures, count = 0, 0
    work = pathlib.Path(options.keep or tempfile.mkdtemp())
    work.mkdir(parents=True, exist_ok=True)

    def fail(spelling, what):
        nonlocal failures
        failures += 1
        print(f"FAIL {spelling}: {what}", flush=True)

    for network in options.networks:
        reference = graph_of(tools, Spelling(network, "torch").text())
        wanted = expected_kinds(network)
        found = kinds_of(reference)
        # Views may vanish: a flatten of one pixel is part of the linear layer.
        for view in ("reshape", "flatten", "transpose"):
            wanted[view] = found[view] = 0
        if +wanted != +found:
            fail(network, f"lacks {dict(wanted - found)}, has "
                 f"{dict(found - wanted)}")
        for name in options.styles:
            for passes in [None, *options.passes]:
                spelling = Spelling(network, name, passes)
                if not spelling.applies():
                    continue
                count += 1
                try:
                    text = spelling.text(tools)
                    if options.keep:
                        file = f"{spelling}".replace(" ", "_")
                        (work / f"{file}.mlir").write_text(text)
                    graph = graph_of(tools, text)
                    if graph != reference:
                        fail(spelling, "\n  ".join(
                            ["other operators", *difference(reference, graph)]))
                    if options.numbers and not spelling.arguments:
                        check_numbers(tools, spelling, work)
                except (RuntimeError, subprocess.TimeoutExpired) as error:
                    fail(spelling, error)
    print(f"{count} spellings, {failures} failures")
    return failures == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["write", "check"])
    parser.add_argument("network", nargs="?")
    parser.add_argument("--style", default="torch")
    parser.add_argument("--networks", default=",".join(networks.NETWORKS))
    parser.add_argument("--styles", default=",".join(STYLES))
    parser.add_argument("--passes", default="")
    parser.add_argument("--numbers", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("--bin", type=pathlib.Path)
    parser.add_argument("--llvm", type=pathlib.Path)
    options = parser.parse_args()
    tools = options
    if options.command == "write":
        passes = options.passes or None
        sys.stdout.write(Spelling(options.network, options.style,
                                  passes).text(tools))
        return 0
    split = lambda text: [part for part in text.split(",") if part]
    options.networks, options.styles = (split(options.networks),
                                        split(options.styles))
    options.passes = (list(PASSES) if options.passes == "all"
                      else split(options.passes))
    return 0 if check(tools, options) else 1


if __name__ == "__main__":
    sys.exit(main())

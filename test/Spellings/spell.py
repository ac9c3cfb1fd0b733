#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Is a network the same network in every spelling?

    spell.py write NETWORK [--style NAME] [--passes NAME]
    spell.py check [--networks A,B] [--styles A,B] [--singles]
                   [--passes A,B|all] [--numbers] [--keep DIR]
    spell.py reduce NETWORK --style NAME [--passes NAME]

`write` prints one text. `check` compares the operators of many texts with those
of the first one, and what they compute, before and after raising, with numpy.
`reduce` finds which choices of a mixture make it fail. docs/Operators.md says what the styles and passes are.
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
from style import OPTIONS, Style
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

# What mixtures draw of a family, if not all of it. Parameters that are no
# constants, and norms without an eps, are left to single changes.
ALLOWED = {"weights": ["dense", "resource"],
           "batch_norm": ["fused", "decomposed", "sqrt_div", "full"]}

# Kinds whose names aren't those of the descriptions.
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


class Skipped(Exception):
    """A spelling that doesn't exist."""


class Spelling:
    """A text of a network, and how to make it."""

    def __init__(self, network, name, passes=None):
        self.network, self.name, self.passes = network, name, passes

    def __str__(self):
        return f"{self.network} {self.name}" + (
            f" +{self.passes}" if self.passes else "")

    def style(self):
        """`torch`, `torch/bias=add`, or a mixture: `linalg:7`, `tosa:7` or
        `mixed:7` is drawn once for the network, `linalg!7` at each use."""
        name, *changes = self.name.split("/")
        changes = dict(change.split("=") for change in changes)
        match = re.fullmatch(r"(linalg|tosa|mixed)([:!])(\d+)", name)
        if not match:
            writers, choices = STYLES[name]
            seed = 0 if len(writers) > 1 else None
            return writers, Style(name, {**choices, **changes}, seed,
                                  each=True)
        family, each, seed = match.groups()
        writers = {"linalg": LINALG, "tosa": TOSA, "mixed": BOTH}[family]
        return writers, Style(name, changes, seed, each == "!", ALLOWED)

    def text(self, tools=None):
        writers, style = self.style()
        for family in ("layout", "weights"):
            style.choices[family] = style(family)
        self.last = style("layout") == "nhwc"
        self.arguments = style("weights") == "argument"
        text = write_module(networks.build(self.network), style, writers)
        steps = PASSES[self.passes] if self.passes else []
        if not steps:
            return text
        groups = [steps] if isinstance(steps[-1], str) else [
            [steps[0]], *steps[1:]]
        for group in groups:
            try:
                text = run([tools.llvm / "mlir-opt", *group], text)
            except RuntimeError as error:
                # Some passes write modules that don't verify; not our matter.
                raise Skipped(str(error)) from error
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
        styles = options.styles
        if options.singles:
            styles = [f"{style}/{family}={choice}" for style in styles
                      for family, choices in OPTIONS.items()
                      for choice in choices]
        seen = set()
        for name in styles:
            for passes in [None, *options.passes]:
                spelling = Spelling(network, name, passes)
                if not spelling.applies():
                    continue
                count += 1
                try:
                    text = spelling.text(tools)
                    if text in seen:
                        count -= 1
                        continue
                    seen.add(text)
                    if options.keep:
                        file = f"{spelling}".replace(" ", "_")
                        (work / f"{file}.mlir").write_text(text)
                    graph = graph_of(tools, text)
                    if graph != reference:
                        fail(spelling, "\n  ".join(
                            ["other operators", *difference(reference, graph)]))
                    if options.numbers and not spelling.arguments:
                        check_numbers(tools, spelling, work)
                except Skipped as error:
                    count -= 1
                    if options.verbose:
                        print(f"skipped {spelling}: {error}")
                except (RuntimeError, subprocess.TimeoutExpired) as error:
                    fail(spelling, error)
    print(f"{count} spellings, {failures} failures")
    return failures == 0


def reduce(tools, network, name, passes):
    """The choices of a mixture with which the operators differ: small sets,
    each enough by itself."""
    def differs(choices):
        changes = "".join(f"/{f}={c}" for f, c in choices.items())
        try:
            text = Spelling(network, base + changes, passes).text(tools)
            return graph_of(tools, text) != reference
        except (RuntimeError, Skipped):
            return False

    reference = graph_of(tools, Spelling(network, "torch").text())
    writers, style = Spelling(network, name).style()
    base = "torch" if "linalg" in writers else "torch-tosa"
    choices = {family: choice for family, choice in style.choices.items()
               if choice != OPTIONS[family][0]}
    causes = []
    while choices and differs(choices):
        few = choices
        for family in choices:
            fewer = {f: c for f, c in few.items() if f != family}
            if differs(fewer):
                few = fewer
        causes.append(base + "".join(f"/{f}={c}" for f, c in few.items()))
        choices = {f: c for f, c in choices.items() if f not in few}
    return causes


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["write", "check", "reduce"])
    parser.add_argument("network", nargs="?")
    parser.add_argument("--style", default="torch")
    parser.add_argument("--networks", default=",".join(networks.NETWORKS))
    parser.add_argument("--styles", default=",".join(STYLES))
    parser.add_argument("--passes", default="")
    parser.add_argument("--numbers", action="store_true")
    parser.add_argument("--singles", action="store_true",
                        help="each choice alone, on top of the styles")
    parser.add_argument("--verbose", action="store_true")
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
    if options.command == "reduce":
        print(*reduce(tools, options.network, options.style,
                      options.passes or None), sep="\n")
        return 0
    split = lambda text: [part for part in text.split(",") if part]
    options.networks, options.styles = (split(options.networks),
                                        split(options.styles))
    options.passes = (list(PASSES) if options.passes == "all"
                      else split(options.passes))
    return 0 if check(tools, options) else 1


if __name__ == "__main__":
    sys.exit(main())

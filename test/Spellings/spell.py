#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Is a network the same network in every spelling?

    spell.py write NETWORK [--style NAME] [--passes NAME]
    spell.py check [--networks A,B] [--styles A,B] [--singles]
                   [--passes A,B|all] [--numbers]
    spell.py check --list FILE
    spell.py bytes [--networks A,B] [--styles A,B] [--passes A,B|all]
    spell.py back [--networks A,B] [--styles A,B] [--passes A,B|all]
    spell.py back --list FILE
    spell.py reduce NETWORK --style NAME [--passes NAME]

`write` prints one text. `check` compares the operators of many texts with those
of the first one, and what they compute, before and after raising, with numpy;
a line of a list is a network, a style, perhaps +passes, perhaps `numbers`. At
the end there is a table: for each pass, and each network that differs somewhere,
the number of texts, those with the same operators, those with other ones, those
of them that are in operators as a whole, and the share of float operations
outside of operators.
`bytes` raises each text twice and once more in another address layout.
`back` applies a backend with a mapping that quantizes nothing: the code that comes
out is the code that went in.
`reduce` finds which choices of a mixture make it fail. docs/Operators.md says
what styles and passes are.
"""

import argparse
import collections
import dataclasses
import difflib
import functools
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
    "resize": "interpolate", "dropout": None, "input": None, "constant": None,
    "rsub_scalar": "rsub", "sqrt": None,
}

_TOSA_TO_LINALG = (
    "--pass-pipeline=builtin.module(func.func(tosa-optional-decompositions,"
    "tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith,tosa-to-tensor),"
    "canonicalize,cse)")
_GENERALIZE = "--linalg-generalize-named-ops"
_FUSE = "--linalg-fuse-elementwise-ops"
_FOLD = "--linalg-fold-unit-extent-dims"

# What users run before us: the options of one mlir-opt after the other. Those
# of TOSA are for texts in TOSA only, the others for those without.
PASSES = {
    "generalised": [[_GENERALIZE]],
    "fused": [[_GENERALIZE, _FUSE]],
    "fused-named": [[_FUSE]],
    "specialised": [["--linalg-specialize-generic-ops"]],
    "respecialised": [[_GENERALIZE, "--linalg-specialize-generic-ops"]],
    "category": [["--linalg-morph-ops=named-to-category"]],
    "folded": [[_FOLD, "--canonicalize"]],
    "sliced": [[_FOLD + "=use-rank-reducing-slices", "--canonicalize"]],
    "canonical": [["--canonicalize", "--cse"]],
    "all": [[_GENERALIZE, _FUSE, _FOLD, "--canonicalize", "--cse"]],
}
TOSA_PASSES = {
    "lowered": [[_TOSA_TO_LINALG]],
    "lowered-generalised": [[_TOSA_TO_LINALG], [_GENERALIZE]],
    "lowered-fused": [[_TOSA_TO_LINALG], [_GENERALIZE, _FUSE]],
    "lowered-folded": [[_TOSA_TO_LINALG], [_FOLD, "--canonicalize"]],
    "tosa-folded": [["--tosa-layerwise-constant-fold", "--canonicalize",
                     "--cse"]],
    "tosa-transposes": [["--tosa-reduce-transposes", "--canonicalize"]],
}


class Skipped(Exception):
    """A spelling that doesn't exist."""


def run(command, text=None):
    result = subprocess.run([str(part) for part in command], input=text,
                            capture_output=True, text=True, timeout=120)
    if result.returncode != 0:
        lines = result.stderr.strip().splitlines() or [
            f"exit code {result.returncode}"]
        raise RuntimeError(f"{pathlib.Path(command[0]).name}: "
                           f"{lines[0][:400]}")
    return result.stdout


@dataclasses.dataclass
class Spelling:
    """The style is one of STYLES, with changes (`torch/bias=add`), or a mixture:
    `linalg:7`, `tosa:7` or `mixed:7` is drawn once for the network, `linalg!7`
    at each use."""

    network: str
    style: str
    passes: str = None

    def __str__(self):
        return f"{self.network} {self.style}" + (
            f" +{self.passes}" if self.passes else "")

    def choices(self):
        """The writers, and a new Style."""
        name, *changes = self.style.split("/")
        changes = dict(change.split("=") for change in changes)
        mixture = re.fullmatch(r"(linalg|tosa|mixed)([:!])(\d+)", name)
        if mixture:
            dialects, each, seed = mixture.groups()
            writers = {"linalg": LINALG, "tosa": TOSA, "mixed": BOTH}[dialects]
            style = Style(name, changes, seed, each == "!", ALLOWED)
        else:
            writers, choices = STYLES[name]
            style = Style(name, {**choices, **changes}, 0, each=True,
                          drawn=("dialect",))
        # One answer for a whole text.
        for family in ("layout", "weights"):
            style.choices[family] = style(family)
        return writers, style

    def applies(self):
        writers, _ = self.choices()
        if self.passes in TOSA_PASSES:
            return writers is TOSA
        return self.passes is None or "tosa" not in writers

    def text(self, tools):
        writers, style = self.choices()
        text = write_module(networks.build(self.network), style, writers)
        for options in {**PASSES, **TOSA_PASSES}.get(self.passes, []):
            try:
                text = run([tools.llvm / "mlir-opt", *options], text)
            except RuntimeError as error:
                # Some passes write modules that don't verify; not our matter.
                raise Skipped(str(error)) from error
        return text


#===----------------------------------------------------------------------===#
# Operators
#===----------------------------------------------------------------------===#


_OUTSIDE = "float operations outside of operators: "


def print_operators(tools, text):
    """The operators of a text, one in a line; how many float operations are
    outside of operators, and how many there are."""
    printed = run([tools.bin / "qbackend-opt", "--qbackend-print-operators",
                   "-o", "/dev/null"], text)
    graph, outside, whole = [], 0, 0
    for line in printed.splitlines(keepends=True):
        if line.startswith(_OUTSIDE):
            numbers = line[len(_OUTSIDE):].split(" of ")
            outside += int(numbers[0])
            whole += int(numbers[1].split()[0])
        else:
            graph.append(line)
    return "".join(graph), outside, whole


def graph_of(tools, text):
    return print_operators(tools, text)[0]


@functools.lru_cache
def expected_kinds(network):
    """What the description says. Views don't count: they may vanish."""
    kinds = collections.Counter()
    for node in networks.build(network).nodes:
        kind = KINDS.get(node.op, node.op)
        # The same sum, and the same text, as that of a pool to one pixel.
        if kind == "mean" and len(node.inputs[0].shape) == 4 and (
                list(node.axes) == ([2, 3] if node.inputs[0].image else [1, 2])):
            kind = "adaptive_avg_pool2d"
        if kind == "mul" and len(set(node.inputs)) == 1 and (
                node.op != "mul_scalar"):
            kind = "square"
        # A slice of a slice is one.
        if kind == "narrow" and node.inputs[0].op == "narrow":
            kind = None
        if kind and kind not in ("reshape", "flatten", "transpose"):
            kinds[kind.format(d=len(node.shape) - 2)] += 1
    return kinds


def kinds_of(graph):
    kinds = collections.Counter(re.findall(r"^\d+: ([\w.]+)", graph, re.M))
    for view in ("reshape", "flatten", "transpose"):
        del kinds[view]
    return kinds


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


#===----------------------------------------------------------------------===#
# Numbers
#===----------------------------------------------------------------------===#


def check_numbers(tools, spelling, text):
    """As written and raised, the text computes what numpy does."""
    _, style = spelling.choices()
    last = style("layout") == "nhwc"
    network = networks.build(spelling.network)
    inputs = random_inputs(network)
    wanted = evaluate(network, inputs)
    if last:
        inputs = [to_layout(node, array)
                  for node, array in zip(network.inputs(), inputs)]
    raised = run([tools.bin / "qbackend-opt", "--qbackend-raise",
                  "--qbackend-normalize-layout",
                  "--qbackend-inline-operators"], text)
    for name, module in (("as written", text), ("raised", raised)):
        with tempfile.TemporaryDirectory() as directory:
            work = pathlib.Path(directory)
            (work / "module.mlir").write_text(module)
            np.savez(work / "inputs.npz", x=inputs[0])
            run([tools.bin / "qbackend-run", work / "module.mlir",
                 f"--input={work / 'inputs.npz'}:x", "-o",
                 work / "outputs.npz", "--num-threads=1"])
            with np.load(work / "outputs.npz") as file:
                result = file[file.files[0]]
        if last:
            result = from_layout(network.result, result)
        error = np.abs(result - wanted).max() / max(np.abs(wanted).max(), 1e-3)
        if not error < 1e-4:
            raise RuntimeError(f"{name}: off by {error:.2g}")


#===----------------------------------------------------------------------===#
# Commands
#===----------------------------------------------------------------------===#


def spellings(options):
    """(spelling, whether its numbers are checked)."""
    if options.list:
        for line in pathlib.Path(options.list).read_text().splitlines():
            words = line.partition("#")[0].split()
            if words:
                passes = [w[1:] for w in words[2:] if w.startswith("+")]
                yield Spelling(words[0], words[1], *passes), (
                    "numbers" in words)
        return
    styles = options.styles
    if options.singles:
        styles = [f"{style}/{family}={choice}" for style in styles
                  for family, choices in OPTIONS.items() for choice in choices]
    for network in options.networks:
        for style in styles:
            for passes in [None, *options.passes]:
                spelling = Spelling(network, style, passes)
                if spelling.applies():
                    yield spelling, options.numbers


@dataclasses.dataclass
class Total:
    """Of the texts of one pass, or of one network."""
    texts: int = 0
    same: int = 0
    # Texts of which all is in operators, though not in the same ones.
    inside: int = 0
    outside: int = 0
    whole: int = 0

    def add(self, is_same, outside, whole):
        self.texts += 1
        self.same += is_same
        self.inside += not is_same and outside == 0
        self.outside += outside
        self.whole += whole

    def row(self, name):
        share = 100 * self.outside / self.whole if self.whole else 0
        return (f"{name:24} {self.texts:6} {self.same:6} "
                f"{self.texts - self.same:6} {self.inside:6} {share:7.2f} %")


def print_totals(totals, networks_left):
    """A table by passes, the networks with something outside, and the sum."""
    print(f"{'':24} {'texts':>6} {'same':>6} {'other':>6} {'inside':>6} "
          f"{'outside':>9}")
    whole = Total()
    for passes, total in totals.items():
        print(total.row(passes or "as written"))
        for field in dataclasses.fields(Total):
            setattr(whole, field.name, getattr(whole, field.name)
                    + getattr(total, field.name))
    for name, total in sorted(networks_left.items(), key=lambda each:
                              -each[1].outside / max(each[1].whole, 1)):
        if total.same != total.texts:
            print(total.row(name))
    print(whole.row("all"))


def check(tools, options):
    failures, seen, references = 0, set(), {}
    totals, by_network = {}, {}

    def fail(spelling, what):
        nonlocal failures
        failures += 1
        print(f"FAIL {spelling}: {what}", flush=True)

    for spelling, numbers in spellings(options):
        network = spelling.network
        try:
            if network not in references:
                references[network] = graph_of(
                    tools, Spelling(network, "torch").text(tools))
                wanted = expected_kinds(network)
                found = kinds_of(references[network])
                if wanted != found:
                    fail(network, f"lacks {dict(wanted - found)}, has "
                         f"{dict(found - wanted)}")
            text = spelling.text(tools)
            if text in seen:
                continue
            seen.add(text)
            graph, outside, whole = print_operators(tools, text)
            for table, key in ((totals, spelling.passes),
                               (by_network, network)):
                table.setdefault(key, Total()).add(
                    graph == references[network], outside, whole)
            if graph != references[network]:
                fail(spelling, "\n  ".join(
                    ["other operators",
                     *difference(references[network], graph)]))
            if numbers:
                check_numbers(tools, spelling, text)
        except Skipped as error:
            if options.verbose:
                print(f"skipped {spelling}: {error}")
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            fail(spelling, error)
    print_totals(totals, by_network)
    print(f"{len(seen)} spellings, {failures} failures")
    return failures == 0


def check_bytes(tools, options):
    """The same bytes whatever the addresses of the ops are."""
    raised = [tools.bin / "qbackend-opt", "--qbackend-raise"]
    failures = count = 0
    for spelling, _ in spellings(options):
        try:
            text = spelling.text(tools)
        except Skipped:
            continue
        count += 1
        texts = {run(command, text) for command in (
            raised, raised, ["setarch", "--addr-no-randomize", *raised])}
        if len(texts) != 1:
            failures += 1
            print(f"FAIL {spelling}: {len(texts)} texts of one module")
    print(f"{count} spellings, {failures} failures")
    return failures == 0 and count > 0


def check_back(tools, options):
    """What is recognised, but not quantized, is the code that came."""
    failures = count = 0
    with tempfile.TemporaryDirectory() as directory:
        mapping = pathlib.Path(directory) / "none.mlir"
        mapping.write_text("qbackend.qconfig_mapping @none {\n"
                           "  qbackend.qconfig global none\n}\n")
        optimizer = tools.bin / "qbackend-opt"
        for spelling, _ in spellings(options):
            try:
                text = spelling.text(tools)
            except Skipped:
                continue
            count += 1
            came = run([optimizer, "--qbackend-strip-configuration"], text)
            back = run([optimizer, "--apply-backend=qnnpack",
                        f"qconfig={mapping}"], text)
            if came != back:
                failures += 1
                lines = difflib.unified_diff(came.splitlines(), back.splitlines(),
                                             n=0, lineterm="")
                print(f"FAIL {spelling}: other code\n  "
                      + "\n  ".join(list(lines)[2:12]))
    print(f"{count} spellings, {failures} failures")
    return failures == 0 and count > 0


def reduce(tools, spelling):
    """The choices of a mixture with which the operators differ: small sets,
    each enough by itself."""
    network, passes = spelling.network, spelling.passes
    reference = graph_of(tools, Spelling(network, "torch").text(tools))
    writers, style = spelling.choices()
    base = "torch" if "linalg" in writers else "torch-tosa"

    def changed(choices):
        return base + "".join(f"/{f}={c}" for f, c in choices.items())

    def differs(choices):
        try:
            text = Spelling(network, changed(choices), passes).text(tools)
            return graph_of(tools, text) != reference
        except Skipped:
            return False
        except RuntimeError:
            return True

    choices = {family: choice for family, choice in style.choices.items()
               if choice != OPTIONS[family][0]}
    while differs(choices):
        few = choices
        for family in choices:
            fewer = {f: c for f, c in few.items() if f != family}
            if differs(fewer):
                few = fewer
        yield changed(few)
        if not few:
            return
        choices = {f: c for f, c in choices.items() if f not in few}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("command",
                        choices=["write", "check", "bytes", "back", "reduce"])
    parser.add_argument("network", nargs="?")
    parser.add_argument("--style", default="torch")
    parser.add_argument("--list")
    parser.add_argument("--networks", default=",".join(networks.NETWORKS))
    parser.add_argument("--styles", default=",".join(STYLES))
    parser.add_argument("--passes", default="")
    parser.add_argument("--singles", action="store_true",
                        help="each choice alone, on top of the styles")
    parser.add_argument("--numbers", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--bin", type=pathlib.Path, default="")
    parser.add_argument("--llvm", type=pathlib.Path, default="")
    options = parser.parse_args()
    if options.command in ("write", "reduce"):
        spelling = Spelling(options.network, options.style,
                            options.passes or None)
        if options.command == "write":
            sys.stdout.write(spelling.text(options))
        else:
            print(*reduce(options, spelling), sep="\n")
        return 0
    split = lambda text: [part for part in text.split(",") if part]
    options.networks = split(options.networks)
    options.styles = split(options.styles)
    options.passes = split(options.passes)
    if options.passes == ["all"]:
        options.passes = [*PASSES, *TOSA_PASSES]
    checks = {"check": check, "bytes": check_bytes, "back": check_back}
    return 0 if checks[options.command](options, options) else 1


if __name__ == "__main__":
    sys.exit(main())

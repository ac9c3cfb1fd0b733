#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether stock passes of mlir-opt change integers of the linalg form.

    stock.py --bin DIR --llvm DIR [--networks FIRST:LAST] [--example NAME,...]
             [--names] [--passes NAME,...] [--each] [--sequences FIRST:LAST]
             [--form OPTIONS] [--keep DIR]

Networks are those of transform.py, and of examples. Each is quantized and lowered to
linalg, run, changed by mlir-opt, and run again: results should be equal. What mlir-opt
makes of it is counted: `refused` is where it says no, or dies.

--names counts the contractions and pools of bytes that specialization names. --passes
runs these in turn on each network, --each runs each pass alone, and prints a table.
--sequences draws sequences of passes, each for one of the networks; half of them end in
one of the ways to buffers, and passes of those. What changes a result
is made as short as it can be, and printed with the pass behind which results first
differ. --form=unsigned-bytes is the other form of --convert-qnnpack-to-linalg.
"""

import argparse
import collections
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import numpy as np

from check import Broken, Tools
from transform import Case

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Integration"))
from linalg_to_llvm import BUFFERIZE, FROM_TOSA, LOOPS, TO_LLVM  # noqa: E402

ROOT = pathlib.Path(__file__).parents[2]

# By the transform dialect: what ops, and what to do with one. An op that the step isn't
# for stays as it is.
ANY = "!transform.any_op"


def tile(sizes, vectorize=False):
    count = sum(size != 0 for size in sizes)
    step = (f"%t, %l:{count} = transform.structured.tile_using_for %op tile_sizes "
            f"{sizes} : ({ANY}) -> ({', '.join([ANY] * (count + 1))})")
    return step + (f"\ntransform.structured.vectorize %t vector_sizes {sizes} : {ANY}"
                   if vectorize else "")


def make(op, results):
    names = ", ".join(f"%{i}" for i in range(results))
    result = ANY if results == 1 else f"({', '.join([ANY] * results)})"
    return f"{names} = transform.structured.{op} : ({ANY}) -> {result}"


LINALG = "interface{LinalgOp}"
MATMUL, CONV = 'ops{["linalg.matmul"]}', 'ops{["linalg.conv_2d_nhwc_hwcf"]}'
STEPS = {
    "tile": [(LINALG, tile([0, 2, 3, 4]))],
    "tile-reductions": [(LINALG, tile([0, 0, 4]))],
    "vectorize": [(MATMUL, tile([1, 8, 4], True)), (LINALG, tile([1, 1, 1, 4], True))],
    "pad": [(MATMUL, make(
        "pad %op pad_to_multiple_of [4, 8, 4] {padding_values = [0 : i8, 0 : i8, "
        "0 : i32], padding_dimensions = [0, 1, 2], nofold_flags = [0, 0, 0]}", 3))],
    "pack": [(MATMUL, make("pack %op packed_sizes = [4, 8, 4]", 1))],
    "decompose": [(LINALG, make("decompose %op", 1))],
    "image-to-columns": [(CONV, make("convert_conv2d_to_img2col %op", 2))],
    "transpose-filters": [(CONV, make("transpose_conv2d %op", 1))],
    "transpose-matrices": [(MATMUL, make("transpose_matmul %op", 1))],
    "split-reductions": [(MATMUL, make(
        "split_reduction %op {split_factor = 2, insert_split_dimension = 0}", 4))],
    "interchange": [(LINALG, make("generalize %op", 1).replace("%0 ", "%g ") + "\n"
                     + make("interchange %g iterator_interchange = [1, 0]", 1))],
    # Last of all: nothing runs these ops as they are.
    "unpack": [
        ('ops{["linalg.pack"]}',
         '%p = transform.cast %op : !transform.any_op to !transform.op<"linalg.pack">\n'
         '%0, %1, %2 = transform.structured.lower_pack %p : (!transform.op<"linalg.pack">) '
         '-> (!transform.op<"tensor.pad">, !transform.op<"tensor.expand_shape">, '
         '!transform.op<"linalg.transpose">)'),
        ('ops{["linalg.unpack"]}',
         '%p = transform.cast %op : !transform.any_op to !transform.op<"linalg.unpack">\n'
         '%0, %1, %2, %3 = transform.structured.lower_unpack %p : '
         '(!transform.op<"linalg.unpack">) -> (!transform.op<"tensor.empty">, '
         '!transform.op<"linalg.transpose">, !transform.op<"tensor.collapse_shape">, '
         '!transform.op<"tensor.extract_slice">)')],
}

PASSES = [
    "canonicalize", "cse", "sccp", "symbol-dce", "loop-invariant-code-motion",
    "loop-invariant-subset-hoisting", "control-flow-sink", "remove-dead-values",
    "topological-sort", "int-range-optimizations", "arith-unsigned-when-equivalent",
    "arith-int-range-narrowing=int-bitwidths-supported=8,16,32",
    "linalg-generalize-named-ops", "linalg-specialize-generic-ops",
    "linalg-morph-ops=generic-to-named", "linalg-morph-ops=named-to-generic",
    "linalg-morph-ops=named-to-category", "linalg-fuse-elementwise-ops",
    "linalg-fold-unit-extent-dims", "linalg-fold-unit-extent-dims="
    "use-rank-reducing-slices", "linalg-inline-scalar-operands",
    "linalg-fold-into-elementwise", "linalg-detensorize",
    "linalg-block-pack-matmul=block-factors=4,4,4 allow-padding=1",
    "simplify-depthwise-conv", "convert-elementwise-to-linalg",
    "fold-tensor-subset-ops", "eliminate-empty-tensors", "scf-for-loop-peeling",
    "scf-for-loop-canonicalization",
    *(name for name in STEPS if name != "unpack")]


# How tensors become buffers, and what is done to those; mlir-runner runs it.
BUFFERIZE_FORMS = [
    "one-shot-bufferize=bufferize-function-boundaries "
    f"function-boundary-type-conversion={layout}{more}"
    for layout in ("identity-layout-map", "infer-layout-map")
    for more in ("", " analysis-heuristic=bottom-up-from-terminators",
                 " allow-return-allocs-from-loops")]
BUFFER_PASSES = [
    "canonicalize", "cse", "loop-invariant-code-motion", "buffer-hoisting",
    "buffer-loop-hoisting", "promote-buffers-to-stack=max-alloc-size-in-bytes=4096",
    "drop-equivalent-buffer-results", "optimize-allocation-liveness",
    "fold-memref-alias-ops", "ownership-based-buffer-deallocation",
    "buffer-deallocation-simplification", "bufferization-lower-deallocations",
    "convert-linalg-to-affine-loops", "convert-linalg-to-parallel-loops",
    "affine-scalrep", "affine-loop-fusion", "affine-loop-invariant-code-motion",
    "affine-loop-tile=tile-size=3", "affine-super-vectorize=virtual-vector-size=8",
    "scf-parallel-loop-fusion", "scf-parallel-loop-tiling=parallel-loop-tile-sizes=2",
    "normalize-memrefs", "memref-expand", "resolve-shaped-type-result-dims"]
#: What marks a pass as one of buffers in a sequence.
BUFFER = "buffers:"

OF_FUNCTIONS = {"linalg-detensorize", "buffer-hoisting", "buffer-loop-hoisting",
                "promote-buffers-to-stack", "convert-linalg-to-affine-loops",
                "convert-linalg-to-parallel-loops", "affine-scalrep",
                "affine-loop-fusion", "affine-loop-invariant-code-motion",
                "affine-loop-tile", "affine-super-vectorize", "scf-parallel-loop-fusion",
                "scf-parallel-loop-tiling", "optimize-allocation-liveness"}


def draw_sequence(rng):
    passes = rng.choices(PASSES, k=rng.randint(2, 8))
    if rng.random() < 0.5:
        return passes
    form = rng.choice(BUFFERIZE_FORMS)
    buffers = rng.choices(BUFFER_PASSES, k=rng.randint(1, 5))
    # Buffers on the stack are freed where their deallocation is there already.
    freed = "ownership-based-buffer-deallocation"
    if freed in buffers:
        kept = buffers.index(freed)
        buffers[kept:] = [name for name in buffers[kept:]
                          if not name.startswith("promote-buffers-to-stack")]
    return passes + [BUFFER + name for name in [form, *buffers]]


def write_steps(path):
    lines = ["module attributes {transform.with_named_sequence} {"]
    for name, parts in STEPS.items():
        lines.append(f"transform.named_sequence @{name.replace('-', '_')}"
                     f"(%module: {ANY}) {{")
        for i, (ops, step) in enumerate(parts):
            lines.append(f"""
  %ops{i} = transform.structured.match {ops} in %module : ({ANY}) -> {ANY}
  transform.foreach %ops{i} : {ANY} {{
  ^bb0(%each: {ANY}):
    transform.sequence %each : {ANY} failures(suppress) {{
    ^bb1(%op: {ANY}):
      {step}
    }}
  }}""")
        lines += ["  transform.yield", "}"]
    path.write_text("\n".join([*lines, "}", ""]))


class Example:
    """A network of examples, on a few images."""

    def __init__(self, tools, name):
        self.tools, self.name = tools, name
        self.source, self.inputs = tools.work / "in.mlir", tools.work / "inputs.npz"
        subprocess.run([sys.executable, ROOT / "examples/export.py",
                        ROOT / f"examples/networks/{name}.npz", name, "--spelling",
                        "linalg", "-o", self.source], check=True)
        data = ROOT / "examples/data" / ("mnist_digits.npz" if name == "lenet5" else
                                         "fashion_mnist.npz")
        self.options = ["--apply-backend=qnnpack", f"data={data}:calib_images",
                        "samples=20", "input-scale=1/255"]
        images = np.load(data)["test_images"][:4].astype(np.float32) / 255
        np.savez(self.inputs, images=images)


class Network:
    """A quantized network in linalg, and its results."""

    def __init__(self, tools, name, source, options, inputs, form):
        self.tools, self.name, self.inputs = tools, name, inputs
        self.module = tools.work / "linalg.mlir"
        kernels = tools.work / "kernels.mlir"
        tools.run("qbackend-opt", *options, "lower-to=qnnpack", source, "-o", kernels)
        tools.run("qbackend-opt", "--convert-qbackend-to-qnnpack",
                  f"--convert-qnnpack-to-linalg={form}",
                  "--qbackend-strip-configuration", kernels, "-o", self.module)
        self.wanted = self.run(self.module)
        self.stock = None

    def run(self, module):
        out = self.tools.work / "out.npz"
        self.tools.run("qbackend-run", module, f"--input={self.inputs}", "-o", out,
                       "--num-threads=1", "--target=scalar")
        with np.load(out) as file:
            return [file[name] for name in file.files]

    def run_by_mlir(self, module, buffers=()):
        """The same from mlir-runner, for networks of one f32 result, by passes of
        buffers if there are any; None if mlir-opt doesn't lower it."""
        with np.load(self.inputs) as file:
            inputs = [file[name] for name in file.files]
        text = module.read_text()
        head = re.search(r"func\.func @main\((.*?)\) -> (tensor<(.*?)xf32>) \{", text)
        kinds = head and re.findall(r": (tensor<[^>]*>)", head[1])
        if not kinds or not all(kind.endswith("xf32>") for kind in kinds):
            return None
        lines, samples = [], len(inputs[0]) // int(re.match(r"tensor<(\d+)", kinds[0])[1])
        for i in range(samples):
            for k, (kind, parts) in enumerate(zip(kinds, inputs)):
                data = np.split(parts, samples)[i].tobytes().hex().upper()
                lines.append(f'%x{i}_{k} = arith.constant dense<"0x{data}"> : {kind}')
            names = ", ".join(f"%x{i}_{k}" for k in range(len(kinds)))
            integers = f"tensor<{head[3]}xi32>"
            lines += [f"%y{i} = call @network({names}) : ({', '.join(kinds)}) -> {head[2]}",
                      f"%b{i} = arith.bitcast %y{i} : {head[2]} to {integers}",
                      f"%a{i} = tensor.cast %b{i} : {integers} to tensor<*xi32>",
                      f"call @printMemrefI32(%a{i}) : (tensor<*xi32>) -> ()"]
        text = text.replace("@main(", "@network(", 1)
        body = "\n    ".join(lines)
        text = (text[:text.rindex("}")]
                + "  func.func private @printMemrefI32(tensor<*xi32> "
                "{bufferization.access = \"read\"})\n"
                + f"  func.func @main() {{\n    {body}\n    return\n  }}\n}}\n")
        # What stayed float in a network that came as TOSA.
        steps, rest = [FROM_TOSA] if "tosa." in text else [], [*BUFFERIZE, *LOOPS]
        if buffers:
            if buffers[0] not in BUFFERIZE_FORMS:
                buffers = [BUFFERIZE_FORMS[0], *buffers]
            parts = [self.spell(name) for name in
                     ("convert-elementwise-to-linalg", *buffers, "lower-affine")]
            steps.append(f"--pass-pipeline=builtin.module({','.join(parts)})")
            rest = list(LOOPS)
            if "ownership-based-buffer-deallocation" in buffers:
                rest[0] = "--bufferization-lower-deallocations"
        for step in steps:
            changed = subprocess.run([self.tools.llvm / "mlir-opt", step], input=text,
                                     capture_output=True, text=True)
            if changed.returncode != 0:
                self.error = changed.stderr
                return None
            text = changed.stdout
        lowered = subprocess.run([self.tools.llvm / "mlir-opt", "--lower-vector-mask",
                                  "--lower-vector-multi-reduction", *rest, *TO_LLVM,
                                  "--convert-ub-to-llvm",
                                  "--reconcile-unrealized-casts"],
                                 input=text, capture_output=True, text=True)
        if lowered.returncode != 0:
            self.error = lowered.stderr
            return None
        library = self.tools.llvm.parent / "lib"
        try:
            done = subprocess.run(
                [self.tools.llvm / "mlir-runner", "-e", "main", "--entry-point-result=void",
                 "-O1", f"--shared-libs={library / 'libmlir_runner_utils.so'},"
                        f"{library / 'libmlir_c_runner_utils.so'}"],
                input=lowered.stdout, capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            # A crash inside of malloc, whose lock the handler of it waits for.
            self.error = "mlir-runner hangs"
            return None
        found = [re.findall(r"-?\d+", part.partition("Unranked")[0])
                 for part in done.stdout.split("data =")[1:]]
        if done.returncode != 0 or len(found) != samples:
            raise Broken(f"mlir-runner: {done.stderr[:600]}")
        return [np.concatenate([np.array(part, np.int64).astype(np.int32)
                                for part in found]).view(np.float32)
                .reshape(self.wanted[0].shape)]

    def pipeline(self, passes):
        parts = ["transform-preload-library{transform-library-paths="
                 f"{self.tools.work / 'steps.mlir'}}}"]
        for name in [*passes, "unpack"]:
            name, _, options = name.partition("=")
            if name in STEPS:
                name, options = ("transform-interpreter",
                                 f"entry-point={name.replace('-', '_')}")
            parts.append(self.spell(name, options))
        return f"builtin.module({','.join(parts)})"

    @staticmethod
    def spell(name, options=""):
        """A pass of a pipeline of modules."""
        if not options:
            name, _, options = name.partition("=")
        part = f"{name}{{{options}}}" if options else name
        return f"func.func({part})" if name in OF_FUNCTIONS else part

    def change(self, passes):
        """The module after `passes`, None if mlir-opt doesn't make it."""
        changed = self.tools.work / "changed.mlir"
        done = subprocess.run(
            [self.tools.llvm / "mlir-opt", f"--pass-pipeline={self.pipeline(passes)}",
             self.module, "-o", changed], capture_output=True, text=True, timeout=300)
        self.error = done.stderr
        return changed if done.returncode == 0 else None

    def count_named(self):
        """Of how many generic contractions and pools, specialization names how many."""
        def count(text):
            return len(re.findall(r'linalg\.generic \{[^}]*"reduction"[^}]*\} '
                                  r"ins\(%\S+, %\S+ : tensor<[^>]*xi8>", text))

        before = count(self.module.read_text())
        changed = self.change(["linalg-specialize-generic-ops"])
        return before - count(changed.read_text()), before

    def check(self, passes):
        """`equal`, `refused`, or what differs."""
        buffers = [name.removeprefix(BUFFER) for name in passes
                   if name.startswith(BUFFER)]
        changed = self.change([name for name in passes if not name.startswith(BUFFER)])
        if changed is None:
            return "refused"
        wanted = self.wanted
        try:
            if not buffers:
                found = self.run(changed)
        except Broken as error:
            # qbackend-run has no vectors, for one: those are for mlir-runner.
            if "only the operators of a network" not in str(error):
                return f"not run ({error})"
            found = None
        if buffers or found is None:
            try:
                found = self.run_by_mlir(changed, buffers)
                # What stayed float has the functions of that one's libraries.
                self.stock = self.stock or self.run_by_mlir(self.module)
            except Broken as error:
                return f"not run ({error})"
            wanted = self.stock
        if found is None or wanted is None:
            return "refused"
        different = [int((a.view(np.uint8) != b.view(np.uint8)).sum())
                     for a, b in zip(wanted, found, strict=True)]
        return f"{sum(different)} bytes differ" if any(different) else "equal"


def shorten(network, passes):
    """The shortest sequence that still differs, and its first pass that makes it so."""
    def is_wrong(part):
        return network.check(part) not in ("equal", "refused")

    changed = True
    while changed:
        changed = False
        for i in range(len(passes)):
            part = passes[:i] + passes[i + 1:]
            if part and is_wrong(part):
                passes, changed = part, True
                break
    first = next(i for i in range(1, len(passes) + 1) if is_wrong(passes[:i]))
    return passes, passes[first - 1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--llvm", required=True, type=pathlib.Path)
    parser.add_argument("--networks", default="0:4")
    parser.add_argument("--example", default="")
    parser.add_argument("--names", action="store_true")
    parser.add_argument("--passes")
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--sequences", default="0:0")
    parser.add_argument("--form", default="")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    failures, results = 0, collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        networks = []

        def add(name, build):
            work = pathlib.Path(folder) / name
            work.mkdir()
            tools = Tools(options.bin, work)
            tools.llvm = options.llvm
            write_steps(work / "steps.mlir")
            case = build(tools)
            data = [] if isinstance(case, Example) else [f"data={case.data}"]
            networks.append(Network(tools, name, case.source, [*case.options, *data],
                                    case.inputs, options.form))

        for name in filter(None, options.example.split(",")):
            add(name, lambda tools, name=name: Example(tools, name))
        for seed in range(*map(int, options.networks.split(":"))):
            add(f"seed-{seed}", lambda tools, seed=seed: Case.of_seed(tools, seed))

        def report(network, passes):
            nonlocal failures
            result = network.check(passes)
            results[result if result in ("equal", "refused") else "different"] += 1
            if result in ("equal", "refused"):
                return result
            failures += 1
            short, first = shorten(network, passes)
            print(f"{network.name}: {result} after {', '.join(short)}: first after "
                  f"{first}", flush=True)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                network.change(short).rename(
                    options.keep / f"{network.name}-{failures}.mlir")
            return result

        if options.names:
            counts = np.array([network.count_named() for network in networks])
            named, found = counts.sum(axis=0)
            print(f"{named} of {found} contractions and pools named")
            failures += int(found - named)
        if options.passes:
            for network in networks:
                report(network, options.passes.split(","))
        if options.each:
            for name in PASSES:
                cells = [report(network, [name]) for network in networks]
                print(f"{name}: {', '.join(cells)}", flush=True)
        for seed in range(*map(int, options.sequences.split(":"))):
            rng = random.Random(seed)
            network = rng.choice(networks)
            report(network, draw_sequence(rng))
    print(f"{len(networks)} networks, {sum(results.values())} changes: "
          f"{results['equal']} equal, {results['different']} different, "
          f"{results['refused']} refused by mlir-opt")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

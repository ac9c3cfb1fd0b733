#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far is the TOSA form from the kernels' integers?

    tosa.py golden DIR --bin DIR --llvm DIR
    tosa.py random [--seeds N] --bin DIR --llvm DIR
    tosa.py network NETWORK.mlir DATA.npz --bin DIR --llvm DIR --work DIR

Golden vectors and random cases run through stock mlir-opt and mlir-runner; of a
network in qnnpack ops each op runs on the integers that the kernels give it,
for ten images. An element may differ by 1, and no more of them than `allowed_of`
says. docs/Numerics.md has the reasons.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

import numpy as np

import replay_golden
from linalg_to_llvm import FROM_TOSA, PIPELINE


def run(command, text=None):
    result = subprocess.run([str(part) for part in command], input=text,
                            capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"{pathlib.Path(command[0]).name}: "
                           f"{result.stderr[:1000]}")
    return result.stdout


def to_tosa(tools, text):
    """The module in TOSA, checked against the integer profile."""
    text = run([tools.bin / "qbackend-opt", "--convert-qnnpack-to-tosa",
                "--convert-qnnpack-to-linalg"], text)
    run([tools.llvm / "mlir-opt", "--tosa-attach-target=profiles=pro_int",
         "--tosa-validate=strict-op-spec-alignment", "-o", "/dev/null"], text)
    return text


def to_linalg(tools, text):
    return run([tools.bin / "qbackend-opt", "--convert-qnnpack-to-linalg"],
               text)


def execute(tools, cases, lower):
    """The results of each case, with the qnnpack ops lowered by `lower`."""
    functions = [case.function(f"f{i}") for i, case in enumerate(cases)]
    calls = [case.call(f"f{i}") for i, case in enumerate(cases)]
    text = lower(tools, "\n".join(
        ["func.func private @printMemrefI32(tensor<*xi32>) "
         "attributes {llvm.emit_c_interface}"] + functions +
        ["func.func @main() attributes {llvm.emit_c_interface} {"] + calls +
        ["  return", "}"]))
    text = run([tools.llvm / "mlir-opt", FROM_TOSA], text)
    text = run([tools.llvm / "mlir-opt"] + PIPELINE, text)
    library = tools.llvm.parent / "lib"
    output = run([tools.llvm / "mlir-runner", "-e", "main",
                  "--entry-point-result=void", "-O0",
                  f"--shared-libs={library / 'libmlir_runner_utils.so'},"
                  f"{library / 'libmlir_c_runner_utils.so'}"], text)
    return list(replay_golden.printed_tensors(output))


class Counter:
    """Prints a line for each op and remembers whether one was too far off."""

    def __init__(self):
        self.failed = False
        self.rows = {}

    def add(self, name, found, expected, allowed):
        """`allowed` elements of these may differ, each by 1."""
        difference = np.abs(found.astype(np.int64).ravel() -
                            expected.astype(np.int64).ravel())
        row = self.rows.setdefault(name, [0, 0, 0, 0])
        row[0] += int((difference > 0).sum())
        row[1] += difference.size
        row[2] = max(row[2], int(difference.max(initial=0)))
        row[3] += allowed

    def report(self):
        for name, (count, size, largest, allowed) in sorted(self.rows.items()):
            bad = largest > 1 or count > allowed
            self.failed |= bad
            print(f"{name}: {count} of {size} elements differ by at most "
                  f"{largest}, {int(allowed)} may" + (": FAILED" if bad else ""))
        total = [sum(row[i] for row in self.rows.values()) for i in range(2)]
        print(f"{total[0]} of {total[1]} elements differ")
        print("FAIL" if self.failed or not total[1] else "PASS")
        return 1 if self.failed or not total[1] else 0


def near_ties(size):
    """How many of `size` results are so near to a tie that two roundings to f32
    could cross it: the product is below 256, where a float has 16 bits after the
    point, so 2^-16 for each on both sides; and 5 standard deviations."""
    expected = size * 4 * 2.0**-16
    return expected + 5 * np.sqrt(expected) + 1


def count_taps(op, attributes, types):
    """The taps of the windows of an average; 2, which is the worst, if they
    have several sizes."""
    def image(text):
        shape = re.match(r"tensor<([\dx]+)x", text).group(1)
        return [int(n) for n in shape.split("x")][1:3]

    if op == "qnnpack.avg_pool2d":
        kernel = re.search(r"kernel = array<i64: (\d+), (\d+)>", attributes)
        return 2 if "ceil_mode" in attributes else (
            int(kernel.group(1)) * int(kernel.group(2)))
    height, width = image(types[0])
    if op == "qnnpack.mean":
        return height * width
    rows, columns = image(types[-1])
    if height % rows or width % columns:
        return 2
    return height // rows * (width // columns)


def allowed_of(op, attributes, types, size):
    """How many of the `size` elements of a result may differ."""
    shapes = {re.match(r"tensor<([\dx]*)", t).group(1) for t in types}
    if (op in ("qnnpack.conv2d", "qnnpack.linear", "qnnpack.mul") or
            op == "qnnpack.add" and len(shapes) > 1):
        return near_ties(size)
    if op in ("qnnpack.avg_pool2d", "qnnpack.adaptive_avg_pool2d",
              "qnnpack.mean"):
        # If n is even, one sum in n is a tie. TOSA rounds it away from zero,
        # the kernel to even: every second one differs.
        n = count_taps(op, attributes, types)
        ties = 0 if n % 2 else size / (2 * n)
        return near_ties(size) + ties + 5 * np.sqrt(ties)
    if op == "qnnpack.softmax":
        axis = int(re.search(r"axis = (\d+)", attributes).group(1))
        return size * softmax_error([int(n) for n in re.findall(
            r"(\d+)x", types[0])][axis])
    # Tables, clamps, the integer addition, and what only moves integers.
    return 0


def softmax_error(n):
    """By how much the quotient of a softmax over n elements may be off: with d
    bits dropped of a table of largest entry K, n * 2^(d - 1) of a sum of K."""
    largest = min((2**32 - 1) // n, 8388607)
    drop = 0
    while round(largest / 2**drop) * n > 2**28 + n:
        drop += 1
    return 0 if drop == 0 else 256 * n * 2**(drop - 1) / largest


def golden(tools, directory):
    counter = Counter()
    for path in sorted(directory.glob("*.json")):
        document = json.loads(path.read_text())
        build = replay_golden.BUILDERS.get(document["op"])
        if build is None:
            print(f"{document['op']}: no kernel yet")
            continue
        cases = [build(case, case["attrs"]) for case in document["cases"]]
        for case, found in zip(cases, execute(tools, cases, to_tosa)):
            expected = case.result.data
            if expected.dtype == np.float32:
                expected = np.ascontiguousarray(expected).view(np.int32)
            types = [t.type() for t in case.operands + [case.result]]
            counter.add(document["op"], found, expected,
                        allowed_of(case.op, ", ".join(case.attributes), types,
                                   expected.size))
    return counter.report()


def split_types(text):
    """The types of a list, whose commas may be inside of a type."""
    types, depth = [""], 0
    for character in text:
        depth += (character == "<") - (character == ">")
        if character == "," and depth == 0:
            types.append("")
        else:
            types[-1] += character
    return [t.strip() for t in types]


def duplicate_ops(tools, module):
    """The network with each op twice, once in TOSA, on the same integers.
    Returns the text, and for each pair of results the op, attributes, types."""
    text = run([tools.bin / "qbackend-opt", "--mlir-print-local-scope", module])
    constants, functions, body, pairs = {}, [], [], []
    for line in text.splitlines():
        match = re.match(r"\s*(%\S+) = (\S+) (.*)", line)
        if match and match.group(2) in ("arith.constant", "quant.scast"):
            source = re.match(r"(%\S+) :", match.group(3))
            if not source or source.group(1) in constants:
                before = constants[source.group(1)] if source else []
                constants[match.group(1)] = before + [line]
        op = re.match(r"\s*(%\S+) = (qnnpack\.\w+) ((?:%[\w#]+,? )+)"
                      r"(?:[-+.\w]+ )?((?:{.*} )?): (.*) -> (.*)", line)
        if line.lstrip().startswith("return"):
            results = []
            for i, (_, _, types, value) in enumerate(pairs):
                storage = re.sub(r"!quant.*>(?=>$)", "i8", types[-1])
                for name in (value, f"%tosa{i}"):
                    cast = f"%raw{len(results)}"
                    body.append(f"{cast} = quant.scast {name} : {types[-1]} to "
                                f"{storage}")
                    results.append((cast, storage))
            body.append(f"return {', '.join(r for r, _ in results)} : "
                        f"{', '.join(t for _, t in results)}")
            signature = ", ".join(t for _, t in results)
            continue
        body.append(line)
        if not op or op.group(2) in ("qnnpack.quantize", "qnnpack.dequantize"):
            continue
        result, name, operands, attributes, inputs, output = op.groups()
        operands = [o.strip() for o in operands.split(",") if o.strip()]
        types = split_types(inputs)
        inner = [(o, t) for o, t in zip(operands, types) if o not in constants]
        lines = dict.fromkeys(
            c for o in operands for c in constants.get(o, []))
        arguments = ", ".join(f"{o}: {t}" for o, t in inner)
        function = f"@op{len(pairs)}"
        functions.append(
            f"func.func private {function}({arguments}) -> {output} {{\n" +
            "\n".join(lines) + f"\n{line}\nreturn {result} : {output}\n}}")
        body.append(f"%tosa{len(pairs)} = func.call {function}("
                    f"{', '.join(o for o, _ in inner)}) : "
                    f"({', '.join(t for _, t in inner)}) -> {output}")
        pairs.append((name, attributes, types + [output], result))
    lowered = run([tools.bin / "qbackend-opt", "--convert-qnnpack-to-tosa"],
                  "\n".join(functions))
    lowered = lowered[lowered.index("{") + 1:lowered.rindex("}")]
    text = re.sub(r"(func\.func @main\(.*?\) -> )(?:\(.*?\)|\S+)", lambda m:
                  f"{m.group(1)}({signature})", "\n".join(body), count=1)
    end = text.rindex("}")
    text = run([tools.bin / "qbackend-opt", "--convert-qnnpack-to-linalg"],
               text[:end] + lowered + "}")
    return text, pairs


def network(tools, module, data, work):
    counter = Counter()
    text, pairs = duplicate_ops(tools, module)
    twice = work / "twice.mlir"
    twice.write_text(text)
    np.save(work / "images.npy", np.load(data)["test_images"][:10])
    run([tools.bin / "qbackend-run", twice, f"--input={work / 'images.npy'}",
         "--input-scale=1/255", "-o", work / "twice.npz"])
    arrays = np.load(work / "twice.npz")
    for i, (op, attributes, types, _) in enumerate(pairs):
        expected, found = (arrays[f"output{2 * i + j}"].view(np.uint8)
                           for j in range(2))
        counter.add(op, found, expected,
                    allowed_of(op, attributes, types, found.size))
    to_tosa(tools, module.read_text())
    return counter.report()


class Random:
    """Cases with numbers from a seeded generator."""

    def __init__(self, seed):
        self.numbers = np.random.default_rng(seed)

    def tensor(self, shape, dtype="u8", scale=None, zero_point=None, empty=False):
        lo, hi = {"u8": (0, 256), "s8": (-128, 128)}[dtype]
        size = int(np.prod(shape))
        data = np.zeros(size, int) if empty else self.numbers.integers(
            lo, hi, size)
        return replay_golden.Tensor({
            "dtype": dtype, "shape": list(shape), "data": data.tolist(),
            "scale": scale or float(np.float32(self.numbers.uniform(0.01, 0.1))),
            "zero_point": int(self.numbers.integers(lo, hi))
                          if zero_point is None else zero_point})

    def weight(self, shape, per_channel, zero_points=(0, 1)):
        tensor = self.tensor(shape, "s8", zero_point=0)
        tensor.constant = True
        if per_channel:
            channels = shape[0]
            spec = dict(tensor.params, axis=0, scales=self.numbers.uniform(
                0.001, 0.1, channels).tolist(), zero_points=self.numbers.integers(
                    *zero_points, channels).tolist())
            del spec["scale"]
            tensor.params = spec
        return tensor

    def bias(self, channels):
        tensor = replay_golden.Tensor({
            "dtype": "s32", "shape": [channels],
            "data": self.numbers.integers(-5000, 5000, channels).tolist()})
        tensor.constant = True
        return tensor

    def convolution(self, image, kernel, out, groups=1, stride=(1, 1),
                    padding=(0, 0, 0, 0), dilation=(1, 1), dtype="u8",
                    per_channel=False, zero_points=(0, 1), relu=False):
        weight = self.weight([out, *kernel, image[3] // groups], per_channel,
                             zero_points)
        sizes = [(image[1 + i] + padding[2 * i] + padding[2 * i + 1] -
                  dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1
                 for i in range(2)]
        depth = weight.data[0].size
        # So large a scale that results don't all saturate.
        y = self.tensor([image[0], *sizes, out], dtype, empty=True,
                        scale=float(np.float32(0.004 * np.sqrt(depth))))
        array = replay_golden.array
        return replay_golden.Case(
            "qnnpack.conv2d",
            [self.tensor(image, dtype, 0.02), weight, self.bias(out)], y,
            [f"stride = {array(stride)}", f"padding = {array(padding)}",
             f"dilation = {array(dilation)}", f"groups = {groups} : i64",
             "relu" if relu else ""])

    def linear(self, shape, out, **keys):
        weight = self.weight([out, shape[-1]], **keys)
        y = self.tensor([*shape[:-1], out], empty=True,
                        scale=float(np.float32(0.004 * np.sqrt(shape[-1]))))
        return replay_golden.Case(
            "qnnpack.linear",
            [self.tensor(shape, scale=0.02), weight, self.bias(out)], y)

    def binary(self, op, a, b, dtype="u8", scales=(None, None, None), relu=False):
        y = np.broadcast_shapes(a, b)
        top = {"u8": 200, "s8": 100}[dtype]
        return replay_golden.Case(
            op, [self.tensor(a, dtype, scales[0]), self.tensor(b, dtype, scales[1])],
            self.tensor(y, dtype, scales[2], empty=True,
                        zero_point=int(self.numbers.integers(0, top))),
            ["relu" if relu else ""])

    def pool(self, op, shape, kernel, stride, padding, output, *more, dtype="u8"):
        x = self.tensor(shape, dtype)
        y = self.tensor([shape[0], *output, shape[3]], dtype, x.params["scale"],
                        x.params["zero_point"], empty=True)
        array = replay_golden.array
        return replay_golden.Case(op, [x], y, [
            f"kernel = {array(kernel)}", f"stride = {array(stride)}",
            f"padding = {array(padding)}", *more])

    def same(self, op, shape, output, *attributes, dtype="u8"):
        """The parameters of the input stay."""
        x = self.tensor(shape, dtype)
        y = self.tensor(output, dtype, x.params["scale"],
                        x.params["zero_point"], empty=True)
        return replay_golden.Case(op, [x], y, attributes)

    def softmax(self, shape, axis, dtype="u8"):
        y = self.tensor(shape, dtype, 1 / 256, {"u8": 0, "s8": -128}[dtype],
                        empty=True)
        return replay_golden.Case("qnnpack.softmax", [self.tensor(shape, dtype)],
                                  y, [f"axis = {axis} : i64"])

    def table(self, op, dtype):
        x = self.tensor([4, 64], dtype)
        x.data = np.arange(256).astype(x.data.dtype).reshape(4, 64)
        return replay_golden.Case(op, [x], self.tensor([4, 64], dtype, empty=True))

    def cat(self, dtype):
        inputs = [self.tensor([2, n, 7], dtype) for n in (1, 4, 3)]
        y = self.tensor([2, 8, 7], dtype, inputs[1].params["scale"],
                        inputs[1].params["zero_point"], empty=True)
        return replay_golden.Case("qnnpack.cat", inputs, y, ["axis = 1 : i64"])

    def cases(self):
        one = "dilation = array<i64: 1, 1>"
        yield self.convolution([2, 9, 8, 5], [3, 3], 7, padding=[1, 0, 2, 1])
        yield self.convolution([1, 12, 11, 4], [3, 2], 6, stride=[2, 3],
                               relu=True, per_channel=True)
        yield self.convolution([1, 12, 12, 3], [3, 3], 4, dilation=[2, 3],
                               padding=[2, 2, 3, 3], dtype="s8")
        yield self.convolution([1, 8, 8, 6], [3, 3], 12, groups=3,
                               per_channel=True, padding=[1, 1, 1, 1])
        yield self.convolution([2, 8, 8, 6], [3, 3], 6, groups=6,
                               stride=[2, 2], padding=[1, 1, 1, 1])
        yield self.convolution([1, 7, 7, 4], [5, 3], 8, groups=4, dtype="s8",
                               per_channel=True, padding=[2, 2, 1, 1])
        # Several zero points of a weight, within a byte and beyond.
        for zero_points in ((-3, 4), (-128, 128)):
            yield self.convolution([1, 8, 8, 5], [3, 3], 9, per_channel=True,
                                   zero_points=zero_points)
            yield self.convolution([1, 8, 8, 4], [3, 3], 8, groups=4,
                                   per_channel=True, zero_points=zero_points)
            yield self.linear([7, 33], 20, per_channel=True,
                              zero_points=zero_points)
        yield self.linear([2, 3, 40], 17, per_channel=False)
        for dtype in ("u8", "s8"):
            yield self.binary("qnnpack.add", [3, 100], [3, 100], dtype)
            yield self.binary("qnnpack.add", [3, 100], [3, 100], dtype,
                              (0.05, 0.05, 0.1), relu=True)
            yield self.binary("qnnpack.add", [3, 100], [3, 100], dtype,
                              (0.01, 12.7, 0.1))
            yield self.binary("qnnpack.mul", [4, 5, 30], [5, 1], dtype)
            # Products near 2^31, beyond which TOSA defines nothing.
            yield self.binary("qnnpack.mul", [200], [200], dtype,
                              (20.0, 30.0, 0.02))
            yield self.cat(dtype)
            yield self.softmax([40, 10], 1, dtype)
            yield self.softmax([3, 32, 4], 1, dtype)
            yield self.table("qnnpack.hardswish", dtype)
            yield self.same("qnnpack.relu", [3, 50], [3, 50], dtype=dtype)
            yield self.same("qnnpack.celu", [3, 50], [3, 50], "alpha = 1.5 : f32",
                            dtype=dtype)
            yield self.same("qnnpack.threshold", [3, 50], [3, 50],
                            "threshold = 0.5 : f32, value = 0.25 : f32", dtype=dtype)
            yield self.same("qnnpack.mean", [2, 6, 6, 50], [2, 50], dtype=dtype)
            yield self.same("qnnpack.adaptive_avg_pool2d", [2, 7, 5, 20],
                            [2, 3, 4, 20], dtype=dtype)
            yield self.same("qnnpack.adaptive_avg_pool2d", [2, 8, 6, 20],
                            [2, 4, 2, 20], dtype=dtype)
            yield self.pool("qnnpack.max_pool2d", [2, 9, 8, 5], [3, 2], [2, 2],
                            [1, 1, 0, 0], [5, 4], one, dtype=dtype)
            yield self.pool("qnnpack.max_pool2d", [2, 8, 8, 5], [3, 3], [2, 2],
                            [0, 0, 0, 0], [3, 3], one, dtype=dtype)
            yield self.pool("qnnpack.max_pool2d", [2, 8, 8, 5], [3, 3], [2, 2],
                            [0, 1, 0, 1], [4, 4], one, dtype=dtype)
        yield self.binary("qnnpack.add", [3, 4, 20], [4, 1])
        yield self.binary("qnnpack.add", [1, 50], [9, 50],
                          scales=(8.0, 0.01, 0.02))
        yield self.binary("qnnpack.add", [9, 50], [50], relu=True)
        yield self.softmax([5, 100], 1)
        yield self.softmax([2, 1000], 1)
        yield self.same("qnnpack.transpose", [2, 3, 4, 5], [2, 5, 3, 4],
                        "permutation = array<i64: 0, 3, 1, 2>")
        yield self.same("qnnpack.reshape", [2, 3, 4, 5], [6, 20])
        yield self.pool("qnnpack.avg_pool2d", [2, 9, 8, 20], [3, 3], [2, 2],
                        [1, 1, 1, 1], [5, 4])
        yield self.pool("qnnpack.avg_pool2d", [2, 8, 8, 20], [3, 2], [2, 2],
                        [1, 1, 0, 0], [4, 4])
        for more in ((), ("count_include_pad = false",),
                     ("divisor_override = 5 : i64",)):
            yield self.pool("qnnpack.avg_pool2d", [2, 8, 8, 20], [3, 3], [2, 2],
                            [1, 1, 1, 1], [5, 5], "ceil_mode", *more)


def random(tools, seeds):
    counter = Counter()
    for seed in range(seeds):
        cases = list(Random(seed).cases())
        results = zip(cases, execute(tools, cases, to_linalg),
                      execute(tools, cases, to_tosa))
        for case, expected, found in results:
            types = [t.type() for t in case.operands + [case.result]]
            counter.add(case.op, found, expected,
                        allowed_of(case.op, ", ".join(case.attributes), types,
                                   expected.size))
    return counter.report()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["golden", "random", "network"])
    parser.add_argument("inputs", nargs="*", type=pathlib.Path)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--llvm", required=True, type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--work", type=pathlib.Path)
    args = parser.parse_args()
    if args.what == "golden":
        return golden(args, *args.inputs)
    if args.what == "network":
        return network(args, *args.inputs, args.work)
    return random(args, args.seeds)


if __name__ == "__main__":
    sys.exit(main())

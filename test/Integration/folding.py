#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs convolutions with a folded batch norm and compares with NumPy.

Each case is a weighted operator and a batch norm; `--qbackend-fuse` writes the
code of the result, which stock MLIR runs.
"""

import importlib.util
import itertools
import os
import pathlib
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("operators",
                                              HERE / "operators.py")
operators = importlib.util.module_from_spec(spec)
spec.loader.exec_module(operators)
replay, ints = operators.replay, operators.ints

# stride, padding, dilation, output_padding by dimension; kernel; groups; input
# and output channels; whether transposed.
SPATIAL = [((1,), (0, 0), (1,), (0,), (3,), (6,)),
           ((2,), (1, 2), (2,), (1,), (3,), (7,)),
           ((3,), (2, 3), (1,), (2,), (2,), (5,)),
           ((2, 1), (1, 0, 0, 2), (1, 3), (1, 0), (3, 2), (5, 8)),
           ((2, 1, 3), (1, 0, 0, 1, 1, 1), (1, 2, 1), (1, 0, 2), (3, 2, 2),
            (4, 5, 4))]
CHANNELS = [(1, 3, 4), (2, 4, 6), (3, 3, 3)]


def convolve(x, w, stride, padding, dilation, extra, groups, transposed):
    """Tap by tap, in double; channels last."""
    taps, rank = w.shape[1:-1], len(stride)
    n, out = x.shape[1:-1], w.shape[0]
    before, after = padding[0::2], padding[1::2]
    reach = [(k - 1) * d for k, d in zip(taps, dilation)]
    if transposed:
        size = [(m - 1) * s - b - a + r + e + 1 for m, s, b, a, r, e in
                zip(n, stride, before, after, reach, extra)]
    else:
        size = [(m + b + a - r - 1) // s + 1
                for m, s, b, a, r in zip(n, stride, before, after, reach)]
    y = np.zeros([x.shape[0]] + size + [out])
    per_group, step = out // groups, w.shape[-1]
    for image, pixel, tap in itertools.product(
            range(x.shape[0]), np.ndindex(*(n if transposed else size)),
            np.ndindex(*taps)):
        other = tuple(p * s - b + t * d for p, s, b, t, d in
                      zip(pixel, stride, before, tap, dilation))
        limit = size if transposed else n
        if any(not 0 <= o < m for o, m in zip(other, limit)):
            continue
        source, target = (pixel, other) if transposed else (other, pixel)
        for g in range(groups):
            outs = slice(g * per_group, (g + 1) * per_group)
            values = x[(image,) + source][g * step:(g + 1) * step]
            y[(image,) + target + (outs,)] += w[(outs,) + tap] @ values
    return y


class Case(operators.Case):
    """A convolution, a linear layer, and the batch norm behind it."""

    def __init__(self, kind, x, parameters, norm, result):
        super().__init__([kind], x, result.astype(np.float32), **parameters)
        rank = x.ndim - 2
        self.norm = {0: "batch_norm1d"}.get(rank, f"batch_norm{rank}d")
        self.statistics = norm

    def function(self, i):
        head, _, tail = super().function(i).rpartition("  return %y")
        y = operators.type_of(self.result)
        lines, roles, types = [], "", [y]
        for role, data in self.statistics.items():
            lines.append(f"  %n_{role} = arith.constant "
                         f"{operators.literal(data)}")
            roles += f" {role}(%n_{role})"
            types.append(operators.type_of(data))
        arguments = ", ".join(f"%a{j}: {t}" for j, t in enumerate(types))
        lines += [f"  %n = qbackend.operator [#qbackend.{self.norm}<axis = "
                  f"{self.result.ndim - 1}, eps = 0.001>] inputs(%y){roles} : "
                  f"({', '.join(types)}) -> {y} {{", f"  ^bb0({arguments}):",
                  f"    qbackend.yield %a0 : {y}", "  }"]
        return head + "\n".join(lines) + "\n  return %n" + tail

    def count_differences(self, bits):
        actual = bits.astype(np.int32).view(np.float32).reshape(self.shape)
        return int((np.abs(actual - self.result) > 1e-4).sum())


def build_cases():
    generator = np.random.default_rng(7)

    def numbers(*shape):
        return generator.uniform(-1, 1, shape).astype(np.float32)

    for geometry, (groups, inputs, outputs), transposed in itertools.product(
            SPATIAL, CHANNELS, (False, True)):
        stride, padding, dilation, extra, taps, n = geometry
        x = numbers(2, *n, inputs)
        w, b = numbers(outputs, *taps, inputs // groups), numbers(outputs)
        y = convolve(x, w, stride, padding, dilation, extra, groups, transposed)
        norm = {"weight": numbers(outputs), "bias": numbers(outputs),
                "running_mean": numbers(outputs),
                "running_var": np.abs(numbers(outputs))}
        y = ((y + b - norm["running_mean"]) /
             np.sqrt(norm["running_var"] + 0.001) * norm["weight"] +
             norm["bias"])
        fields = [f"stride = {ints(stride)}", f"padding = {ints(padding)}",
                  f"dilation = {ints(dilation)}", f"groups = {groups}"]
        if transposed:
            fields.insert(2, f"output_padding = {ints(extra)}")
        kind = f"{'conv_transpose' if transposed else 'conv'}{len(taps)}d"
        yield Case(f"{kind}<{', '.join(fields)}>", x,
                   {"weight": w, "bias": b}, norm, y)


def main():
    tools = replay.find_tools(os.environ["QBACKEND_BUILD"], "/usr/lib/llvm-22")
    cases = list(build_cases())
    module = "\n".join(
        [case.function(i) for i, case in enumerate(cases)] +
        ["func.func private @printMemrefI32(tensor<*xi32>) attributes "
         "{llvm.emit_c_interface}",
         "func.func @main() attributes {llvm.emit_c_interface} {"] +
        [case.call(i) for i, case in enumerate(cases)] + ["  return", "}"])
    text = replay.run([tools["qbackend-opt"], "--qbackend-fuse",
                       "--qbackend-inline-operators"], module)
    text = replay.run([tools["mlir-opt"]] + replay.PIPELINE, text)
    output = replay.run([tools["mlir-runner"], "-e", "main",
                         "--entry-point-result=void", "-O1",
                         f"--shared-libs={tools['library']}"], text)
    results = list(replay.printed_tensors(output))
    wrong = abs(len(results) - len(cases))
    for case, bits in zip(cases, results):
        differences = case.count_differences(bits)
        if differences:
            print(f"{case.kinds[0]}: {differences} elements differ")
        wrong += differences
    print(f"{len(cases)} cases, {wrong} elements differ in all")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The integers that a quantized network has to compute, from docs/Numerics.md.

Reads the reference form of a function and computes it with NumPy, operator by
operator. Weights and biases are quantized here, from those of the fused form. It is
on purpose no use of the project's own code, nor of the order in which that computes.

What an operator that stays float gives is not known to a bit: the numbers that
the project gives for it are taken (`expose`), and where none are given, what follows
is None.
"""

import collections
import dataclasses
import re

import numpy as np

from arithmetic import (Kind, Tensor, adaptive_avg_pool, add, add_scalar, avg_pool,
                        batch_norm, by_table, cat, channel_norm, clamp, elu, f32,
                        hardswish, integers, layer_norm, max_pool, mean, mul,
                        mul_scalar, prelu, quantize_bias, quantize_weight, requantize,
                        sigmoid, softmax, tanh, weighted, with_sign)
from module import constant, quantized_types
from movement import move


# Kinds without a kernel stay float between integers (docs/Operators.md).
WITHOUT_KERNEL = re.compile(
    "matmul|conv_transpose3d|.*pool3d|rms_norm|sub|rsub|div|neg|sin|cos|square|rsqrt|"
    "pow|sum|amax|silu|gelu|log_softmax|selu|softplus|mish|quick_gelu")


def has_kernel(op):
    kind = Kind(op.attributes[0])
    if kind.name == "mean":
        rank = re.search(r"\(tensor<([\dx]*)x", op.text)[1].count("x") + 1
        return kind.ints("axes") == [1, 2] and rank == 4
    # As in PyTorch, a pool has no more padding than half of its kernel.
    kernel = kind.ints("kernel")
    if kernel and any(2 * p > kernel[i // 2]
                      for i, p in enumerate(kind.ints("padding"))):
        return False
    return not WITHOUT_KERNEL.fullmatch(kind.name)


def is_real(op):
    return op.is_operator and not (op.qconfig and op.qconfig.is_static
                                   and has_kernel(op))


def expose(function):
    """The text of a function with the results of its float operators as
    further ones, and the names of these."""
    found = {op.results[0]: re.search(r"\) -> (tensor<.*?>)(?: \{)?$", op.text)
             for op in function.ops if is_real(op)}
    names = [name for name, kind in found.items() if kind]
    kinds = [found[name][1] for name in names]
    header, *lines = function.text.split("\n")
    head, _, types = header.removesuffix(" {").rpartition(" -> ")
    types = types.removeprefix("(").removesuffix(")")
    lines = [re.sub(r"^    return (.*?) : (.*)$", lambda m: "    return "
                    + ", ".join([m[1], *names]) + " : "
                    + ", ".join([m[2], *kinds]), line) for line in lines]
    return "\n".join([f"{head} -> ({', '.join([types, *kinds])}) {{", *lines,
                      "  }"]), names


SAME_ORDER = {"relu", "sigmoid", "hardsigmoid", "hardswish", "tanh", "leaky_relu",
              "elu", "celu", "add", "mul", "max_pool1d", "max_pool2d", "avg_pool1d",
              "avg_pool2d", "adaptive_avg_pool1d", "adaptive_avg_pool2d",
              "interpolate"}


def is_last(op, inputs, result):
    """Whether PyTorch has the result of `op` with its channels last in memory."""
    kind, x = Kind(op.attributes[0]), inputs[0]
    if kind.name in ("conv1d", "conv2d", "conv_transpose1d", "conv_transpose2d"):
        return True
    if kind.name in SAME_ORDER:
        return x.last
    if kind.name.startswith("batch_norm") or kind.name == "prelu":
        return x.last and kind.ints("axis")[0] == x.data.ndim - 1
    if kind.name == "cat":
        return all(y.last for y in inputs)
    if kind.name in ("reshape", "flatten") and not kind.has("permutation"):
        return x.last and [n for n in x.data.shape if n != 1] == \
            [n for n in result.data.shape if n != 1]
    return False


class Model:
    """Computes the reference form of a function. `fused` is the same function
    before it was observed, whose operators have real weights."""

    def __init__(self, fused, reference):
        self.function = reference
        self.real = {}
        for before, after in zip(
                (op for op in fused.ops if op.is_operator),
                (op for op in reference.ops if op.is_operator), strict=True):
            self.real[id(after)] = {
                role: constant(fused.producer[names[0]])
                for role, names in before.roles.items() if role != "inputs"
                # Some are arguments.
                and names[0] in fused.producer
                and "const" in fused.producer[names[0]].name}
        self.computed, self.left = collections.Counter(), collections.Counter()

    def run(self, arguments, known):
        """The results: f32 arrays, or None. `known` are those of operators that stay
        float, by name."""
        self.known = known
        names = re.findall(r"(%\w+): tensor<", self.function.text.split("\n", 1)[0])
        self.values = dict(zip(names, arguments, strict=True))
        results = ()
        for op in self.function.ops:
            if op.name == "return":
                results = [self.values.get(name) for name in op.operands]
            elif op.results:
                self.values[op.results[0]] = self.compute(op)
        return [r.real if isinstance(r, Tensor) else
                r if isinstance(r, np.ndarray) else None for r in results]

    def compute(self, op):
        """An array of f32, integers, an operator whose result is quantized later, or
        None."""
        if op.is_operator:
            return self.known.get(op.results[0], op)
        if op.name == "arith.constant" and op.text.endswith("xf32>"):
            return constant(op)
        x = self.values.get(op.operands[0]) if op.operands else None
        if x is None:
            return None
        if op.name == "qbackend.quantize":
            kind = quantized_types(op.text)[0]
            y = Tensor(None, kind.scales[0], kind.zero_points[0],
                       kind.dtype[0] == "s")
            if isinstance(x, np.ndarray):
                return y.quantize(x)
            if isinstance(x, Tensor):
                return requantize(x, y)
            return self.kernel(x, y)
        if op.name == "qbackend.dequantize" and isinstance(x, Tensor):
            return x
        if op.name == "qbackend.transpose":
            permutation = integers(re.search(r"\[([^]]*)\]", op.text)[1])
            if isinstance(x, Tensor):
                return dataclasses.replace(
                    x, data=x.data.transpose(permutation), last=False)
            if isinstance(x, np.ndarray):
                return x.transpose(permutation)
        return None

    def kernel(self, op, y):
        """The result of an operator in the parameters of `y`."""
        if is_real(op):
            return None
        inputs = [self.values.get(name) for name in op.roles["inputs"]]
        if not all(isinstance(x, Tensor) for x in inputs):
            return self.leave(op)
        inputs = [with_sign(x, y.signed) for x in inputs]
        shape = integers(re.findall(r"tensor<([\dx]*)xf32>", op.text)[-1].replace(
            "x", " "))
        result = self.compute_kinds(op, inputs, y, shape)
        if result is None:
            return self.leave(op)
        self.computed["+".join(op.kinds)] += 1
        result = dataclasses.replace(result, last=is_last(op, inputs, result))
        return result if result.has_parameters_of(y) else requantize(result, y)

    def leave(self, op):
        self.computed["not computed"] += 1
        self.left[f"{self.function.name} {' '.join(op.attributes)}"] += 1
        return None

    def compute_kinds(self, op, inputs, y, shape):
        kind, x = Kind(op.attributes[0]), inputs[0]
        relu = len(op.kinds) == 2 and op.kinds[1] == "relu"
        name, real = kind.name, self.real[id(op)]
        if name.startswith("conv") or name == "linear":
            return self.weighted(op, kind, x, y, relu)
        if name.startswith("batch_norm"):
            return batch_norm(x, y, kind, real, relu)
        number = kind.number("scalar")
        if name in ("add", "mul") and number is not None:
            result = (add_scalar if name == "add" else mul_scalar)(x, number)
            return result.like(np.maximum(result.data, result.zero)) if relu else result
        if name in ("add", "mul") and len(inputs) == 2:
            return (add if name == "add" else mul)(*inputs, y, relu)
        if name == "cat":
            return cat(inputs, y, kind, relu)
        fixed = Tensor(None, 1 / 256, x.limits[0], x.signed)
        functions = {
            "relu": lambda: x.like(np.maximum(x.data, x.zero)),
            "relu6": lambda: clamp(x, 0.0, 6.0),
            "sigmoid": lambda: by_table(x, fixed, sigmoid),
            "hardsigmoid": lambda: by_table(x, fixed, lambda v: np.clip(
                v + f32(3), f32(0), f32(6)) / f32(6)),
            "tanh": lambda: tanh(x, Tensor(None, 1 / 128, x.limits[0] + 128, x.signed)),
            "hardswish": lambda: hardswish(x, y),
            "elu": lambda: by_table(x, y, elu(kind.number("alpha"))),
            "leaky_relu": lambda: by_table(x, y, lambda v: np.where(
                v > 0, v, v * f32(kind.number("negative_slope")))),
            "softmax": lambda: softmax(x, fixed, kind),
            "mean": lambda: mean(x, kind),
            "layer_norm": lambda: layer_norm(x, y, kind, real.get("weight", f32(1)),
                                             real.get("bias", f32(0))),
            "prelu": lambda: prelu(x, y, kind, self.weight(op)),
        }
        if name in ("clamp", "hardtanh"):
            return clamp(x, kind.number("min"), kind.number("max"))
        if name in functions:
            return functions[name]()
        for prefix, function in (("max_pool", max_pool), ("avg_pool", avg_pool),
                                 ("adaptive_avg_pool", adaptive_avg_pool)):
            if name.startswith(prefix):
                return function(x, kind, shape)
        if name.startswith("instance_norm") or name == "group_norm":
            channels = x.data.shape[kind.ints("axis")[0]]
            return channel_norm(x, y, kind, real.get("weight", np.ones(channels)),
                                real.get("bias", np.zeros(channels)),
                                (kind.ints("num_groups") or [0])[0])
        return move(x, kind, shape)

    def weight(self, op):
        producer = self.function.producer[op.role("weight")]
        return quantize_weight(self.real[id(op)]["weight"],
                               quantized_types(producer.text)[0])

    def weighted(self, op, kind, x, y, relu):
        weight = self.weight(op)
        bias = self.real[id(op)].get("bias")
        return weighted(x, y, kind, weight, None if bias is None else
                        quantize_bias(bias, x, weight), relu)

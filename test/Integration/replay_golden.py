#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replays the golden vectors of PyTorch's engine through the compiler.

    replay_golden.py DIR [--build DIR]

For each DIR/*.json one module is written, with a function per case that holds
the one qnnpack op of the case. `qbackend-opt --convert-qnnpack-to-linalg` lowers
it, stock mlir-opt and mlir-runner execute it, and every element is compared.
Prints a line per file and a total; the exit code is 1 if a case failed. The
schema of the files is in their README.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

import numpy as np

from linalg_to_llvm import PIPELINE

DTYPES = {"u8": np.uint8, "s8": np.int8, "s32": np.int32, "s64": np.int64,
          "f32": np.float32}
STORAGE = {"u8": "i8", "s8": "i8", "s32": "i32", "s64": "i64", "f32": "f32"}
QUANTIZED = {"u8": "u8", "s8": "i8", "s32": "i32"}


class Missing(Exception):
    """No qnnpack op for this file."""


class Tensor:
    """A tensor of a golden file, in the layout that the op wants."""

    def __init__(self, spec):
        self.dtype = spec["dtype"]
        self.data = np.array(spec["data"]).astype(DTYPES[self.dtype])
        self.data = self.data.reshape(spec["shape"])
        self.params = spec

    def permuted(self, permutation):
        other = Tensor.__new__(Tensor)
        other.dtype, other.params = self.dtype, dict(self.params)
        other.data = self.data.transpose(permutation)
        if "axis" in other.params:
            other.params["axis"] = permutation.index(self.params["axis"])
        return other

    def shaped(self, shape):
        other = Tensor.__new__(Tensor)
        other.dtype, other.params = self.dtype, self.params
        other.data = self.data.reshape(shape)
        return other

    @property
    def element(self):
        if "scales" in self.params:
            pairs = zip(self.params["scales"], self.params["zero_points"])
            pairs = ",".join(f"{s:.17e}:{z}" for s, z in pairs)
            axis = self.params["axis"]
            return f"!quant.uniform<{QUANTIZED[self.dtype]}:f32:{axis}, {{{pairs}}}>"
        if "scale" in self.params:
            return (f"!quant.uniform<{QUANTIZED[self.dtype]}:f32, "
                    f"{self.params['scale']:.17e}:{self.params['zero_point']}>")
        return STORAGE[self.dtype]

    def type(self, element=None):
        dims = "".join(f"{d}x" for d in self.data.shape)
        return f"tensor<{dims}{element or self.element}>"

    @property
    def storage_type(self):
        return self.type(STORAGE[self.dtype])

    def literal(self):
        raw = np.ascontiguousarray(self.data).tobytes().hex().upper()
        return f'dense<"0x{raw}"> : {self.storage_type}'


def channels_last(tensor):
    """The channels, axis 1, moved to the end; any rank."""
    rank = tensor.data.ndim
    return tensor.permuted([0] + list(range(2, rank)) + [1]) if rank > 2 else tensor


def constant(spec):
    """A tensor that the function holds, instead of an argument."""
    tensor = Tensor(spec)
    tensor.constant = True
    return tensor


def is_channels_last(attributes):
    return attributes.get("memory_format") == "channels_last"


def array(numbers):
    return "array<i64: " + ", ".join(str(n) for n in numbers) + ">"


def number(value):
    return f"{np.float64(value):.17e}"


def float32(value):
    """An f32 attribute, bit for bit."""
    bits = np.float32(value).view(np.uint32)
    return f"0x{bits:08X} : f32"


class Case:
    """The op of one case: its name, operands, attributes and result."""

    def __init__(self, op, operands, result, attributes=(), scalar=None):
        self.op, self.operands, self.result = op, operands, result
        self.attributes = [a for a in attributes if a]
        self.scalar = scalar

    def function(self, name):
        """The text of a function that computes and prints the result."""
        lines = [f"func.func private @{name}("]
        arguments = [f"%a{i}: {t.type()}" for i, t in enumerate(self.operands)
                     if not getattr(t, "constant", False)]
        lines = [f"func.func private @{name}({', '.join(arguments)}) -> "
                 f"{self.result.type()} attributes {{no_inline}} {{"]
        for i, tensor in enumerate(self.operands):
            if not getattr(tensor, "constant", False):
                continue
            if tensor.element == STORAGE[tensor.dtype]:
                lines.append(f"  %a{i} = arith.constant {tensor.literal()}")
                continue
            lines.append(f"  %c{i} = arith.constant {tensor.literal()}")
            lines.append(f"  %a{i} = quant.scast %c{i} : {tensor.storage_type} "
                         f"to {tensor.type()}")
        names = ", ".join(f"%a{i}" for i in range(len(self.operands)))
        if self.scalar is not None:
            names += f", {number(self.scalar)}"
        attributes = "{" + ", ".join(self.attributes) + "}" if self.attributes else ""
        types = ", ".join(t.type() for t in self.operands)
        lines.append(f"  %y = {self.op} {names} {attributes} : {types} -> "
                     f"{self.result.type()}")
        lines.append(f"  return %y : {self.result.type()}")
        lines.append("}")
        return "\n".join(lines)

    def call(self, name):
        """The text that calls the function and prints its result."""
        lines, arguments, types = [], [], []
        for i, tensor in enumerate(self.operands):
            if getattr(tensor, "constant", False):
                continue
            value = f"%{name}_{i}"
            lines.append(f"  {value}_c = arith.constant {tensor.literal()}")
            if tensor.element == STORAGE[tensor.dtype]:
                value += "_c"
            else:
                lines.append(f"  {value} = quant.scast {value}_c : "
                             f"{tensor.storage_type} to {tensor.type()}")
            arguments.append(value)
            types.append(tensor.type())
        y, result = f"%{name}_y", self.result
        lines.append(f"  {y} = func.call @{name}({', '.join(arguments)}) : "
                     f"({', '.join(types)}) -> {result.type()}")
        plain = y
        if result.element != STORAGE[result.dtype]:
            plain = f"{y}_s"
            lines.append(f"  {plain} = quant.scast {y} : {result.type()} to "
                         f"{result.storage_type}")
        # Widened or bitcast to i32, in rows of one vector, as the runner's
        # library prints these.
        lines.append(f"  {y}_w = tensor.empty() : {result.type('i32')}")
        rank = result.data.ndim
        dims = ", ".join(f"d{i}" for i in range(rank))
        cast = "arith.bitcast" if result.dtype == "f32" else (
            "arith.extui" if result.dtype == "u8" else "arith.extsi")
        body = (f"      %w = {cast} %e : {STORAGE[result.dtype]} to i32\n"
                f"      linalg.yield %w : i32")
        if result.dtype == "s32":
            body = "      linalg.yield %e : i32"
        kinds = ", ".join(['"parallel"'] * rank)
        lines.append(
            f"  {y}_g = linalg.generic {{indexing_maps = [affine_map<({dims}) -> "
            f"({dims})>, affine_map<({dims}) -> ({dims})>], iterator_types = "
            f"[{kinds}]}} ins({plain} : {result.storage_type}) outs({y}_w : "
            f"{result.type('i32')}) {{\n    ^bb0(%e: {STORAGE[result.dtype]}, "
            f"%o: i32):\n{body}\n  }} -> {result.type('i32')}")
        lines.append(f"  {y}_u = tensor.cast {y}_g : {result.type('i32')} to "
                     f"tensor<*xi32>")
        lines.append(f"  call @printMemrefI32({y}_u) : (tensor<*xi32>) -> ()")
        return "\n".join(lines)


def bias_integers(case, x, w):
    """rne(b * f32(1 / f32(sw * sx))), or none."""
    bias = case["inputs"].get("bias")
    if bias is None:
        return []
    scales = w.params.get("scales", [w.params.get("scale")])
    product = np.array(scales, np.float64) * np.float64(x.params["scale"])
    inverse = np.float32(1) / product.astype(np.float32)
    real = Tensor(bias).data * inverse
    integers = np.clip(np.rint(real.astype(np.float64)), -2**31, 2**31 - 1)
    integers = np.broadcast_to(integers, real.shape).astype(np.int64)
    tensor = Tensor({"dtype": "s32", "shape": list(real.shape),
                     "data": integers.ravel().tolist()})
    tensor.constant = True
    return [tensor]


def flag(attributes, name):
    return name if attributes.get(name) else ""


def both_sides(padding):
    """[before, after] of each axis, flattened."""
    return [number for number in padding for _ in range(2)]


def convolution(op):
    def build(case, attributes):
        x, w = Tensor(case["inputs"]["x"]), Tensor(case["inputs"]["w"])
        weight = channels_last(w)
        weight.constant = True
        return Case(op, [channels_last(x), weight] + bias_integers(case, x, w),
                    channels_last(Tensor(case["expected"])), [
                        f"stride = {array(attributes['stride'])}",
                        f"padding = {array(both_sides(attributes['padding']))}",
                        f"dilation = {array(attributes['dilation'])}",
                        f"groups = {attributes['groups']} : i64",
                        flag(attributes, "relu")
                    ])
    return build


def transposed_weight(w, groups):
    """I, O / groups, taps as O, taps, I / groups; the axis of channels is 0."""
    weight = Tensor.__new__(Tensor)
    weight.dtype, weight.params = w.dtype, dict(w.params)
    inputs, outputs, *taps = w.data.shape
    data = w.data.reshape([groups, inputs // groups, outputs] + taps)
    data = np.moveaxis(data, 1, -1)
    weight.data = data.reshape([groups * outputs] + taps + [inputs // groups])
    if "axis" in weight.params:
        weight.params["axis"] = 0
    weight.constant = True
    return weight


def transposed_convolution(op):
    def build(case, attributes):
        x, w = Tensor(case["inputs"]["x"]), Tensor(case["inputs"]["w"])
        weight = transposed_weight(w, attributes["groups"])
        return Case(op, [channels_last(x), weight] + bias_integers(case, x, w),
                    channels_last(Tensor(case["expected"])), [
                        f"stride = {array(attributes['stride'])}",
                        f"padding = {array(both_sides(attributes['padding']))}",
                        "output_padding = "
                        f"{array(attributes['output_padding'])}",
                        f"dilation = {array(attributes['dilation'])}",
                        f"groups = {attributes['groups']} : i64"
                    ])
    return build


def linear(case, attributes):
    x, w = Tensor(case["inputs"]["x"]), Tensor(case["inputs"]["w"])
    w.constant = True
    return Case("qnnpack.linear", [x, w] + bias_integers(case, x, w),
                Tensor(case["expected"]), [flag(attributes, "relu")])


def linear_dynamic(case, attributes):
    operands = [Tensor(case["inputs"]["x"]), Tensor(case["inputs"]["w"])]
    if case["inputs"].get("bias") is not None:
        operands.append(Tensor(case["inputs"]["bias"]))
    for tensor in operands[1:]:
        tensor.constant = True
    return Case("qnnpack.linear_dynamic", operands, Tensor(case["expected"]),
                [flag(attributes, "relu")])


def binary(op):
    def build(case, attributes):
        operands = [Tensor(case["inputs"][name]) for name in ("a", "b")]
        shapes = {x.data.shape for x in operands}
        # Other shapes are added by ATen, here as on one thread.
        special = op == "qnnpack.add" and len(shapes) > 1
        return Case(op, operands, Tensor(case["expected"]),
                    [flag(attributes, "relu"),
                     "vectorized" if special else ""])
    return build


def scalar(op):
    def build(case, attributes):
        return Case(op, [Tensor(case["inputs"]["x"])],
                    Tensor(case["expected"]), [flag(attributes, "relu")],
                    attributes["scalar"])
    return build


def concatenation(case, attributes):
    inputs = case["inputs"]
    operands = [Tensor(inputs[f"x{i}"]) for i in range(len(inputs))]
    result, axis = Tensor(case["expected"]), attributes["axis"]
    axis %= result.data.ndim
    # The engine has another formula for the channels of channels-last images.
    special = (is_channels_last(attributes) and result.data.ndim == 4
               and axis == 1)
    if special:
        operands, result, axis = [channels_last(x) for x in operands], channels_last(result), 3
    return Case("qnnpack.cat", operands, result,
                [f"axis = {axis} : i64", flag(attributes, "relu"),
                 "channels_last" if special else ""])


def pooling(op):
    def build(case, attributes):
        extra = [flag(attributes, "ceil_mode")]
        if op == "qnnpack.max_pool2d":
            extra.append(f"dilation = {array(attributes['dilation'])}")
        else:
            if not attributes.get("count_include_pad", True):
                extra.append("count_include_pad = false")
            divisor = attributes.get("divisor_override")
            extra.append(f"divisor_override = {divisor} : i64"
                         if divisor is not None else "")
            extra.append("channels_last" if is_channels_last(attributes) else "")
        return Case(op, [channels_last(Tensor(case["inputs"]["x"]))],
                    channels_last(Tensor(case["expected"])), [
                        f"kernel = {array(attributes['kernel'])}",
                        f"stride = {array(attributes['stride'])}",
                        f"padding = {array(both_sides(attributes['padding']))}"
                    ] + extra)
    return build


def adaptive(case, attributes):
    return Case("qnnpack.adaptive_avg_pool2d",
                [channels_last(Tensor(case["inputs"]["x"]))],
                channels_last(Tensor(case["expected"])),
                ["channels_last" if is_channels_last(attributes) else ""])


def mean(case, attributes):
    y = Tensor(case["expected"])
    y = channels_last(y) if attributes["keepdim"] else y
    return Case("qnnpack.mean", [channels_last(Tensor(case["inputs"]["x"]))], y,
                [flag(attributes, "keepdim")])


def unary(op, *names):
    def build(case, attributes):
        return Case(op, [Tensor(case["inputs"]["x"])],
                    Tensor(case["expected"]),
                    [f"{name} = {float32(attributes[name])}" for name in names])
    return build


def aten_unary(op, *names):
    """Split as on one thread into ATen's vector and scalar code."""
    plain = unary(op, *names)

    def build(case, attributes):
        result = plain(case, attributes)
        result.attributes.append("vectorized")
        return result
    return build


def prelu(case, attributes):
    x, w = Tensor(case["inputs"]["x"]), Tensor(case["inputs"]["w"])
    return Case("qnnpack.prelu", [channels_last(x), w.shaped([w.data.size])],
                channels_last(Tensor(case["expected"])))


def channel_shuffle(case, attributes):
    return Case("qnnpack.channel_shuffle",
                [channels_last(Tensor(case["inputs"]["x"]))],
                channels_last(Tensor(case["expected"])),
                [f"groups = {attributes['groups']} : i64"])


def upsample(op):
    def build(case, attributes):
        factors = attributes.get("scale_factors")
        if factors is not None:
            numbers = ", ".join(number(f) for f in factors)
            factors = f"scale_factors = array<f64: {numbers}>"
        special = "bilinear" in op and is_channels_last(attributes)
        return Case(op, [channels_last(Tensor(case["inputs"]["x"]))],
                    channels_last(Tensor(case["expected"])),
                    [flag(attributes, "align_corners"), factors,
                     "channels_last" if special else ""])
    return build


def affine(case):
    """The weight and the bias that a case has."""
    return [constant(case["inputs"][name]) for name in ("weight", "bias")
            if case["inputs"].get(name) is not None]


def layer_norm(case, attributes):
    return Case("qnnpack.layer_norm", [Tensor(case["inputs"]["x"])] + affine(case),
                Tensor(case["expected"]), [
                    f"normalized_shape = {array(attributes['normalized_shape'])}",
                    f"eps = {number(attributes['eps'])} : f64"
                ])


def channel_norm(op):
    def build(case, attributes):
        x = Tensor(case["inputs"]["x"])
        # Larger images have no formula of their own, see docs/Numerics.md.
        special = (is_channels_last(attributes) and x.data.ndim == 4
                   and x.data.shape[2] * x.data.shape[3] < 512)
        groups = f"num_groups = {attributes['num_groups']} : i64"
        return Case(op, [channels_last(x)] + affine(case),
                    channels_last(Tensor(case["expected"])), [
                        groups if op == "qnnpack.group_norm" else "",
                        f"eps = {number(attributes['eps'])} : f64",
                        "channels_last" if special else ""
                    ])
    return build


def batch_norm(case, attributes):
    parameters = [constant(case["inputs"][name])
                  for name in ("weight", "bias", "mean", "var")]
    return Case("qnnpack.batch_norm",
                [channels_last(Tensor(case["inputs"]["x"]))] + parameters,
                channels_last(Tensor(case["expected"])),
                [f"eps = {number(attributes['eps'])} : f64",
                 flag(attributes, "relu")])


def embedding(op):
    def build(case, attributes):
        inputs = case["inputs"]
        table = constant(inputs["w_q"])
        if attributes["bits"] == 4:
            data = table.data
            table.data = data[:, 0::2] | data[:, 1::2] << 4
        return Case(op, [Tensor(inputs["indices"]), table,
                         constant(inputs["row_scales"]),
                         constant(inputs["row_zero_points"])],
                    Tensor(case["expected"]))
    return build


def relu6(case, attributes):
    return Case("qnnpack.clamp", [Tensor(case["inputs"]["x"])],
                Tensor(case["expected"]),
                [f"min = {float32(0)}", f"max = {float32(6)}"])


def softmax(case, attributes):
    x = Tensor(case["inputs"]["x"])
    axis = attributes["dim"] % x.data.ndim
    return Case("qnnpack.softmax", [x], Tensor(case["expected"]),
                [f"axis = {axis} : i64"])


BUILDERS = {
    "adaptive_avg_pool2d": adaptive,
    "add": binary("qnnpack.add"),
    "add_qint8": binary("qnnpack.add"),
    "add_scalar": scalar("qnnpack.add_scalar"),
    "avg_pool2d": pooling("qnnpack.avg_pool2d"),
    "batch_norm1d": batch_norm,
    "batch_norm2d": batch_norm,
    "batch_norm3d": batch_norm,
    "cat": concatenation,
    "celu": aten_unary("qnnpack.celu", "alpha"),
    "channel_shuffle": channel_shuffle,
    "clamp": unary("qnnpack.clamp", "min", "max"),
    "conv1d": convolution("qnnpack.conv1d"),
    "conv2d": convolution("qnnpack.conv2d"),
    "conv2d_qint8": convolution("qnnpack.conv2d"),
    "conv3d": convolution("qnnpack.conv3d"),
    "conv_transpose1d": transposed_convolution("qnnpack.conv_transpose1d"),
    "conv_transpose2d": transposed_convolution("qnnpack.conv_transpose2d"),
    "conv_transpose2d_qint8":
        transposed_convolution("qnnpack.conv_transpose2d"),
    "dequantize": unary("qnnpack.dequantize"),
    "dequantize_per_channel": unary("qnnpack.dequantize"),
    "elu": aten_unary("qnnpack.elu", "alpha"),
    "embedding_4bit": embedding("qnnpack.embedding_4bit"),
    "embedding_8bit": embedding("qnnpack.embedding_byte"),
    "group_norm": channel_norm("qnnpack.group_norm"),
    "hardsigmoid": unary("qnnpack.hardsigmoid"),
    "hardswish": unary("qnnpack.hardswish"),
    "instance_norm": channel_norm("qnnpack.instance_norm"),
    "layer_norm": layer_norm,
    "leaky_relu": aten_unary("qnnpack.leaky_relu", "negative_slope"),
    "linear": linear,
    "linear_dynamic": linear_dynamic,
    "linear_qint8": linear,
    "max_pool2d": pooling("qnnpack.max_pool2d"),
    "mean_hw": mean,
    "mul": binary("qnnpack.mul"),
    "mul_qint8": binary("qnnpack.mul"),
    "mul_scalar": scalar("qnnpack.mul_scalar"),
    "prelu": prelu,
    "quantize_per_channel": unary("qnnpack.quantize"),
    "quantize_per_tensor": unary("qnnpack.quantize"),
    "relu": unary("qnnpack.relu"),
    "relu6": relu6,
    "sigmoid": unary("qnnpack.sigmoid"),
    "softmax": softmax,
    "tanh": unary("qnnpack.tanh"),
    "threshold": aten_unary("qnnpack.threshold", "threshold", "value"),
    "upsample_bilinear2d": upsample("qnnpack.upsample_bilinear2d"),
    "upsample_nearest2d": upsample("qnnpack.upsample_nearest2d"),
}


def run(command, text):
    result = subprocess.run(command, input=text, capture_output=True, text=True)
    if result.returncode != 0:
        message = result.stderr.strip().splitlines() or ["no message"]
        raise RuntimeError(f"{pathlib.Path(command[0]).name}: {message[0]}")
    return result.stdout


def find_tools(build, llvm):
    """The programs of the build directory and of the LLVM installation."""
    llvm = pathlib.Path(llvm)
    return {
        "qbackend-opt": str(pathlib.Path(build, "bin", "qbackend-opt")),
        "mlir-opt": str(llvm / "bin" / "mlir-opt"),
        "mlir-runner": str(llvm / "bin" / "mlir-runner"),
        "library": ",".join(str(llvm / "lib" / f"libmlir_{name}.so")
                            for name in ("runner_utils", "c_runner_utils")),
    }


def printed_tensors(text):
    """The elements of each tensor that printMemref wrote."""
    for block in text.split("Unranked Memref ")[1:]:
        data = block.split("data =", 1)[1]
        numbers = data.replace("[", " ").replace("]", " ").replace(",", " ")
        yield np.array(numbers.split(), np.int64)


def replay(cases, tools):
    """The integers (or the bits) that each case computes."""
    functions = [case.function(f"f{i}") for i, case in enumerate(cases)]
    calls = [case.call(f"f{i}") for i, case in enumerate(cases)]
    module = "\n".join(
        ["func.func private @printMemrefI32(tensor<*xi32>) "
         "attributes {llvm.emit_c_interface}"] + functions +
        ["func.func @main() attributes {llvm.emit_c_interface} {"] + calls +
        ["  return", "}"])
    text = run([tools["qbackend-opt"], "--convert-qnnpack-to-linalg"], module)
    text = run([tools["mlir-opt"]] + PIPELINE, text)
    output = run([tools["mlir-runner"], "-e", "main",
                  "--entry-point-result=void", "-O1",
                  f"--shared-libs={tools['library']}"], text)
    return list(printed_tensors(output))


def replay_alone(case, tools):
    """What the case computes, or the error."""
    try:
        return replay([case], tools)[0]
    except RuntimeError as error:
        return error


def compare(case, numbers):
    """The number of elements that differ."""
    expected = case.result.data
    if expected.dtype == np.float32:
        expected = np.ascontiguousarray(expected).view(np.int32)
    expected = expected.astype(np.int64).ravel()
    if numbers.size != expected.size:
        return expected.size
    return int((numbers != expected).sum())


def replay_file(path, tools):
    """Prints a line and returns the numbers of passed and failed cases."""
    document = json.loads(path.read_text())
    total = len(document["cases"])
    build = BUILDERS.get(document["op"])
    if build is None:
        print(f"{document['op']}: no kernel yet, 0 of {total} cases")
        return 0, total
    cases = [build(case, case["attrs"]) for case in document["cases"]]
    try:
        results = replay(cases, tools)
    except RuntimeError:
        # A case that the compiler refuses takes no other one with it.
        results = [replay_alone(case, tools) for case in cases]
    passed, notes = 0, []
    for case, spec, numbers in zip(cases, document["cases"], results):
        if isinstance(numbers, RuntimeError):
            notes.append(f"{spec['name']}: {numbers}")
            continue
        wrong = compare(case, numbers)
        if wrong == 0:
            passed += 1
        else:
            notes.append(f"{spec['name']}: {wrong} of {case.result.data.size} "
                         "elements differ")
    print("; ".join([f"{document['op']}: {passed} of {total} cases"] + notes))
    return passed, total - passed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--build", default=os.environ.get("QBACKEND_BUILD"),
                        help="build directory (default: $QBACKEND_BUILD)")
    parser.add_argument("--llvm", default="/usr/lib/llvm-22",
                        help="prefix of the LLVM installation")
    options = parser.parse_args()
    if options.build is None:
        parser.error("name the build directory with --build or QBACKEND_BUILD")
    tools = find_tools(options.build, options.llvm)
    files = sorted(options.directory.glob("*.json"))
    if not files:
        parser.error(f"no .json file in {options.directory}")
    passed = failed = 0
    for path in files:
        good, bad = replay_file(path, tools)
        passed, failed = passed + good, failed + bad
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

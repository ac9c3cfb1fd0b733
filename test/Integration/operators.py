#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs single operators through the whole pipeline and checks the integers.

    operators.py GOLDEN

Each case is a function with one `qbackend.operator` between floats. The
scales are given by a calibration table, and those of weights by the qconfig, so
that the result has to be what the engine gave (GOLDEN/*.json), or what the
formulas below give.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import replay_golden as replay


ACTIVATION = "<min_max, ui8>"
SYMMETRIC = "<min_max, si8, per_tensor_symmetric>"


def type_of(data):
    element = {np.dtype(np.float32): "f32", np.dtype(np.int64): "i64"}[data.dtype]
    return "tensor<" + "".join(f"{d}x" for d in data.shape) + element + ">"


def literal(data):
    raw = np.ascontiguousarray(data).tobytes().hex().upper()
    return f'dense<"0x{raw}"> : {type_of(data)}'


def real(data, scale, zero_point):
    return (np.float32(scale) *
            (data.astype(np.int64) - zero_point).astype(np.float32))


def ints(values):
    return "[" + ", ".join(str(v) for v in values) + "]"


class Quantized:
    """Integers with their parameters."""

    def __init__(self, data, scale, zero_point):
        self.data = np.ascontiguousarray(data)
        self.scale, self.zero_point = scale, zero_point

    @staticmethod
    def of(tensor):
        return Quantized(tensor.data, tensor.params["scale"],
                         tensor.params["zero_point"])

    @property
    def real(self):
        return real(self.data, self.scale, self.zero_point)

    def observer(self, dtype):
        return (f"<fixed_qparams, {dtype}, scale = {self.scale:.17e}, "
                f"zero_point = {self.zero_point}>")


class Case:
    """An operator: its kinds, input, parameters by role, and its result."""

    def __init__(self, kinds, x, result, weight=None, weight_observer=SYMMETRIC,
                 activation=ACTIVATION, **parameters):
        self.kinds, self.x, self.result = kinds, x, result
        self.parameters = {"weight": weight, **parameters}
        self.weight_observer, self.activation = weight_observer, activation

    @property
    def input(self):
        return self.x.real if isinstance(self.x, Quantized) else self.x

    @property
    def shape(self):
        result = self.result
        return (result.data if isinstance(result, Quantized) else result).shape

    def qconfig(self, i):
        return (f'  qbackend.qconfig module_name "y{i}" <activation = '
                f"{self.activation}, weight = {self.weight_observer}>")

    def entries(self, i):
        return [{"name": f"{name}{i}", "kind": "min_max",
                 "scale": value.scale, "zero_point": value.zero_point}
                for name, value in (("x", self.x), ("y", self.result))
                if isinstance(value, Quantized)]

    def function(self, i):
        x, y = type_of(self.input), type_of(np.zeros(self.shape, np.float32))
        lines = [f'func.func private @f{i}(%x: {x} loc("x{i}")) -> {y} {{']
        roles, types = "", [x]
        for role, data in self.parameters.items():
            if data is None:
                continue
            data = data.real if isinstance(data, Quantized) else data
            lines.append(f"  %{role} = arith.constant {literal(data)}")
            roles += f" {role}(%{role})"
            types.append(type_of(data))
        kinds = ", ".join(f"#qbackend.{kind}" for kind in self.kinds)
        arguments = ", ".join(f"%a{j}: {t}" for j, t in enumerate(types))
        lines += [
            f"  %y = qbackend.operator [{kinds}] inputs(%x){roles} : "
            f"({', '.join(types)}) -> {y} {{", f"  ^bb0({arguments}):",
            f"    %e = tensor.empty() : {y}", f"    qbackend.yield %e : {y}",
            f'  }} loc("y{i}")', f"  return %y : {y}", "}"
        ]
        return "\n".join(lines)

    def call(self, i):
        """Calls the function and prints the bits of its result."""
        x, y = type_of(self.input), type_of(np.zeros(self.shape, np.float32))
        bits = y.replace("f32", "i32")
        dims = ", ".join(f"d{d}" for d in range(len(self.shape)))
        identity = f"affine_map<({dims}) -> ({dims})>"
        loops = ", ".join(['"parallel"'] * len(self.shape))
        return f"""
  %x{i} = arith.constant {literal(self.input)}
  %y{i} = func.call @f{i}(%x{i}) : ({x}) -> {y}
  %e{i} = tensor.empty() : {bits}
  %b{i} = linalg.generic {{indexing_maps = [{identity}, {identity}],
      iterator_types = [{loops}]}} ins(%y{i} : {y}) outs(%e{i} : {bits}) {{
  ^bb0(%f: f32, %o: i32):
    %w = arith.bitcast %f : f32 to i32
    linalg.yield %w : i32
  }} -> {bits}
  %u{i} = tensor.cast %b{i} : {bits} to tensor<*xi32>
  call @printMemrefI32(%u{i}) : (tensor<*xi32>) -> ()"""

    def count_differences(self, bits):
        actual = bits.astype(np.int32).view(np.float32).reshape(self.shape)
        if not isinstance(self.result, Quantized):
            return int((actual.view(np.int32) != np.ascontiguousarray(
                self.result).view(np.int32)).sum())
        y = self.result
        integers = np.rint(actual.astype(np.float64) / y.scale) + y.zero_point
        return int((integers != y.data).sum())


#===------------------------------------------------------------------------===#
# The engine's results
#===------------------------------------------------------------------------===#


def image(tensor):
    return Quantized.of(replay.channels_last(tensor))


def given(case, name):
    value = case["inputs"].get(name)
    return None if value is None else replay.Tensor(value).data


def window(attributes, *names):
    fields = {"stride": attributes["stride"],
              "padding": replay.both_sides(attributes["padding"]),
              "dilation": attributes["dilation"],
              **{name: attributes[name] for name in names}}
    return ", ".join(f"{name} = {ints(value)}" for name, value in fields.items())


def relu(attributes):
    return ["relu"] if attributes.get("relu") else []


def weighted(kind, transposed=False):
    def build(case, attributes):
        w = replay.Tensor(case["inputs"]["w"])
        if "scale" not in w.params or w.params["zero_point"] != 0:
            return None
        weight = Quantized.of(
            replay.transposed_weight(w, attributes["groups"])
            if transposed else replay.channels_last(w))
        extra = ["output_padding"] if transposed else []
        fields = f"{window(attributes, *extra)}, groups = {attributes['groups']}"
        return Case([f"{kind}<{fields}>"] + relu(attributes),
                    image(replay.Tensor(case["inputs"]["x"])),
                    image(replay.Tensor(case["expected"])), weight,
                    weight.observer("si8"), bias=given(case, "bias"))
    return build


def batch_norm(case, attributes):
    return Case([f"batch_norm2d<axis = 3, eps = {replay.number(attributes['eps'])}>"] +
                relu(attributes), image(replay.Tensor(case["inputs"]["x"])),
                image(replay.Tensor(case["expected"])), given(case, "weight"),
                bias=given(case, "bias"), running_mean=given(case, "mean"),
                running_var=given(case, "var"))


def layer_norm(case, attributes):
    x = Quantized.of(replay.Tensor(case["inputs"]["x"]))
    rank, count = x.data.ndim, len(attributes["normalized_shape"])
    axes = ints(range(rank - count, rank))
    return Case([f"layer_norm<axes = {axes}, eps = {replay.number(attributes['eps'])}>"], x,
                Quantized.of(replay.Tensor(case["expected"])),
                given(case, "weight"), bias=given(case, "bias"))


def channel_norm(kind):
    def build(case, attributes):
        if replay.is_channels_last(attributes):
            return None
        # As PyTorch has it, with the channels in the middle.
        x = Quantized.of(replay.Tensor(case["inputs"]["x"]))
        name, fields = kind, ""
        if kind == "group_norm":
            fields = f", num_groups = {attributes['num_groups']}"
        elif x.data.ndim in (3, 4, 5):
            name = f"instance_norm{x.data.ndim - 2}d"
        else:
            return None
        return Case([f"{name}<axis = 1{fields}, eps = {replay.number(attributes['eps'])}>"], x,
                    Quantized.of(replay.Tensor(case["expected"])),
                    given(case, "weight"), bias=given(case, "bias"))
    return build


def prelu(case, attributes):
    x = Quantized.of(replay.Tensor(case["inputs"]["x"]))
    w = Quantized.of(replay.Tensor(case["inputs"]["w"]))
    return Case(["prelu<axis = 1>"], x,
                Quantized.of(replay.Tensor(case["expected"])), w,
                w.observer("ui8"))


def channel_shuffle(case, attributes):
    return Case([f"channel_shuffle<axis = 1, groups = {attributes['groups']}>"],
                Quantized.of(replay.Tensor(case["inputs"]["x"])),
                Quantized.of(replay.Tensor(case["expected"])))


def upsample(mode):
    def build(case, attributes):
        if replay.is_channels_last(attributes):
            return None
        fields = [f"mode = {mode}"]
        if attributes.get("align_corners"):
            fields.append("align_corners = true")
        if attributes.get("scale_factors") is not None:
            factors = [float(f) for f in attributes["scale_factors"]]
            fields.append(f"scale_factors = {ints(factors)}")
        return Case([f"interpolate<{', '.join(fields)}>"],
                    image(replay.Tensor(case["inputs"]["x"])),
                    image(replay.Tensor(case["expected"])))
    return build


def linear_dynamic(case, attributes):
    w = replay.Tensor(case["inputs"]["w"])
    if "scale" not in w.params:
        return None
    weight = Quantized.of(w)
    return Case(["linear"] + relu(attributes), given(case, "x"),
                replay.Tensor(case["expected"]).data, weight,
                weight.observer("si8"),
                activation="<placeholder, ui8, is_dynamic = true>",
                bias=given(case, "bias"))


def embedding(case, attributes):
    dtype = "ui4" if attributes["bits"] == 4 else "ui8"
    return Case(["embedding"], given(case, "indices"),
                replay.Tensor(case["expected"]).data, given(case, "w_f32"),
                f"<per_channel_min_max, {dtype}, per_channel_affine_float_qparams>",
                activation="<placeholder, f32>")


GOLDEN = {
    "batch_norm2d": batch_norm,
    "channel_shuffle": channel_shuffle,
    "conv1d": weighted("conv1d"),
    "conv2d": weighted("conv2d"),
    "conv3d": weighted("conv3d"),
    "conv_transpose1d": weighted("conv_transpose1d", transposed=True),
    "conv_transpose2d": weighted("conv_transpose2d", transposed=True),
    "embedding_4bit": embedding,
    "embedding_8bit": embedding,
    "group_norm": channel_norm("group_norm"),
    "instance_norm": channel_norm("instance_norm"),
    "layer_norm": layer_norm,
    "linear_dynamic": linear_dynamic,
    "prelu": prelu,
    "upsample_bilinear2d": upsample("bilinear"),
    "upsample_nearest2d": upsample("nearest"),
}

#===------------------------------------------------------------------------===#
# Formulas
#===------------------------------------------------------------------------===#


def random_input(seed, shape):
    generator = np.random.default_rng(seed)
    return Quantized(generator.integers(0, 256, shape).astype(np.uint8), 0.0625,
                     int(generator.integers(1, 255)))


def same(x, data):
    return Quantized(data, x.scale, x.zero_point)


def max_pool1d():
    x = random_input(1, (2, 9, 3))
    padded = np.pad(x.data, ((0, 0), (1, 1), (0, 0)))
    y = np.stack([padded[:, i:i + 3].max(axis=1) for i in range(0, 9, 2)], 1)
    return Case(["max_pool1d<kernel = [3], stride = [2], padding = [1, 1], "
                 "dilation = [1]>"], x, same(x, y))


def average(x, windows):
    """clamp(rne(f32(acc) * f32(s / f32(s * n))) + zx), n numbers a window."""
    scale, n = np.float32(x.scale), windows.shape[2]
    acc = windows.astype(np.int64).sum(axis=2) - n * x.zero_point
    multiplier = scale / np.float32(scale * np.float32(n))
    y = np.rint(acc.astype(np.float32) * multiplier) + x.zero_point
    return same(x, np.clip(y, 0, 255).astype(np.uint8))


def avg_pool1d():
    x = random_input(2, (2, 10, 3))
    padded = np.pad(x.data, ((0, 0), (1, 1), (0, 0)),
                    constant_values=x.zero_point)
    windows = np.stack([padded[:, i:i + 3] for i in range(0, 9, 2)], 1)
    return Case(["avg_pool1d<kernel = [3], stride = [2], padding = [1, 1]>"], x,
                average(x, windows))


def adaptive_avg_pool1d():
    x = random_input(3, (2, 12, 3))
    return Case(["adaptive_avg_pool1d<output_size = [4]>"], x,
                average(x, x.data.reshape(2, 4, 3, 3)))


def pixel_shuffle():
    x = random_input(4, (2, 3, 5, 8))
    y = x.data.reshape(2, 3, 5, 2, 2, 2).transpose(0, 1, 4, 2, 5, 3)
    return Case(["pixel_shuffle<upscale_factor = 2>"], x,
                same(x, y.reshape(2, 6, 10, 2)))


def pixel_unshuffle():
    x = random_input(5, (2, 6, 10, 3))
    y = x.data.reshape(2, 3, 2, 5, 2, 3).transpose(0, 1, 3, 5, 2, 4)
    return Case(["pixel_unshuffle<downscale_factor = 2>"], x,
                same(x, y.reshape(2, 3, 5, 12)))


def narrow():
    x = random_input(6, (2, 9, 4))
    return Case(["narrow<offsets = [1, 2, 0], sizes = [1, 3, 4], "
                 "strides = [1, 3, 1]>"], x, same(x, x.data[1:2, 2:9:3]))


def repeat():
    x = random_input(7, (2, 3, 1))
    return Case(["repeat<multiples = [1, 2, 4]>"], x,
                same(x, np.tile(x.data, (1, 2, 4))))


def pad():
    x = random_input(8, (2, 3, 4))
    value = min(255, x.zero_point + 24)  # 1.5 / 0.0625
    y = np.pad(x.data, ((0, 0), (1, 2), (0, 1)), constant_values=value)
    return Case(["pad<low = [0, 1, 0], high = [0, 2, 1], value = 1.5>"], x,
                same(x, y))


def celu():
    x = random_input(9, (2, 40))
    v = x.real
    inverse = np.float32(1 / np.float32(2.5))
    e = np.exp((v * inverse).astype(np.float64)).astype(np.float32)
    v = np.where(v > 0, v, (e - np.float32(1)) * np.float32(2.5))
    y = np.rint(v * np.float32(1 / np.float32(0.05))) + 60
    return Case(["celu<alpha = 2.5>"], x,
                Quantized(np.clip(y, 0, 255).astype(np.uint8), 0.05, 60))


FORMULAS = [max_pool1d, avg_pool1d, adaptive_avg_pool1d, pixel_shuffle,
            pixel_unshuffle, narrow, repeat, pad, celu]

#===------------------------------------------------------------------------===#
# Runs
#===------------------------------------------------------------------------===#

# PyTorch's qnnpack configuration has no pattern for these kinds.
EXTRA = """
#u8 = #qbackend.dtype_config<input = <ui8>, output = <ui8>>
qbackend.backend_config @extra version 2 lowering ["linalg"] {
  qbackend.pattern_config [celu] <dtypes = [#u8]>
  qbackend.pattern_config [layer_norm] <dtypes = [#u8]>
  qbackend.pattern_config [channel_shuffle]
    <observation = output_share_observer_with_input, dtypes = [#u8]>
  qbackend.pattern_config [pad]
    <observation = output_share_observer_with_input, dtypes = [#u8]>
}
"""
ELSEWHERE = ("celu", "layer_norm", "channel_shuffle", "pad<")


def compute(cases, tools):
    """The bits of the result of each case."""
    extra = any(case.kinds[0].startswith(ELSEWHERE) for case in cases)
    module = (EXTRA if extra else "") + "\n".join(
        ["qbackend.qconfig_mapping @m {"] +
        [case.qconfig(i) for i, case in enumerate(cases)] + ["}"] +
        [case.function(i) for i, case in enumerate(cases)])
    table = {"version": 1,
             "entries": [e for i, c in enumerate(cases) for e in c.entries(i)]}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "table.json")
        path.write_text(json.dumps(table))
        result = subprocess.run(
            [tools["qbackend-opt"],
             f"--apply-backend=backend={'@extra' if extra else 'qnnpack'} "
             f"qconfig=@m lower-to=linalg calibration={path}"], input=module,
            capture_output=True, text=True)
    if result.returncode != 0 or "QB1" in result.stderr:
        raise RuntimeError(result.stderr.strip().splitlines()[0])
    # The brace of the module is the last one.
    text = "\n".join(
        [result.stdout.rstrip().removesuffix("}"), "func.func private @printMemrefI32(tensor<*xi32>) "
         "attributes {llvm.emit_c_interface}",
         "func.func @main() attributes {llvm.emit_c_interface} {"] +
        [case.call(i) for i, case in enumerate(cases)] + ["  return", "}", "}"])
    text = replay.run([tools["mlir-opt"]] + replay.PIPELINE, text)
    output = replay.run([tools["mlir-runner"], "-e", "main",
                         "--entry-point-result=void", "-O1",
                         f"--shared-libs={tools['library']}"], text)
    return list(replay.printed_tensors(output))


def check(name, cases, tools):
    """Prints a line and returns the number of elements that differ."""
    try:
        results = compute(cases, tools)
    except RuntimeError as error:
        print(f"{name}: {error}")
        return 1
    wrong = sum(case.count_differences(bits)
                for case, bits in zip(cases, results))
    print(f"{name}: {len(cases)} cases, {wrong} elements differ")
    return wrong + (len(results) != len(cases))


def main():
    golden = pathlib.Path(sys.argv[1])
    tools = replay.find_tools(os.environ["QBACKEND_BUILD"], "/usr/lib/llvm-22")
    wrong = 0
    for name, build in GOLDEN.items():
        document = json.loads((golden / f"{name}.json").read_text())
        cases = [build(case, case["attrs"]) for case in document["cases"]]
        wrong += check(name, [case for case in cases if case], tools)
    for build in FORMULAS:
        wrong += check(build.__name__, [build()], tools)
    print(f"{wrong} elements differ in all")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

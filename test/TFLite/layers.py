#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""qbackend-run --layers of integer networks in TFLite's spelling.

    layers.py --bin DIR [--write DIR]

A network is written twice: in f32, and in integers between the code that quantizes its
argument and gives floats back. The errors of all layers against the float one are those
that NumPy finds with the scale sum(x q) / sum(q q), for the integers as they came, as
kernels and as linalg. The integers against themselves in another form have no error, and
a weight that is changed is found in its layer. --write only writes both networks and
samples.
"""

import argparse
import json
import math
import pathlib
import re
import sys
import tempfile

import numpy as np

import networks
import tosa

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "test"))
from tools import run  # noqa: E402

INPUT_SCALE = 1 / 32


def spell(shape, element):
    return "tensor<" + "".join(f"{n}x" for n in shape) + f"{element}>"


class TwinBuilder(networks.Builder):
    """Writes a network in integers and in f32. Each value has the scale of its integers
    in `scale`, and `real` has its floats by name."""

    def __init__(self, seed, shape, count):
        super().__init__(seed, shape, count, double=True)
        self.floats, self.constants, self.real, self.names = [], [], {}, {}
        self.limits = None
        x = self.random.normal(0, 1, (count, *shape)).astype("f4")
        # Halves of a step are left out: who divides otherwise rounds them otherwise.
        steps = x / INPUT_SCALE
        x = np.where(np.abs(steps % 1 - 0.5) < 1e-3, 0, x).astype("f4")
        self.input.scale = INPUT_SCALE
        self.input.data = np.clip(np.rint(x / INPUT_SCALE) + self.input.zero, -128,
                                  127).astype(np.int64)
        self.real[self.input.name] = x.astype(float)
        self.names[self.input.name] = self.input.name

    def constant(self, data, bits, shape=None):
        self.constants.append(np.asarray(data))
        return super().constant(data, bits, shape)

    def rescale(self, x, scales, *others, **named):
        y = super().rescale(x, scales, *others, **named)
        self.scales = np.atleast_1d(scales)
        return y

    def clamp(self, x, lo, hi=None):
        y = super().clamp(x, lo, hi)
        self.limits = (lo - x.zero, (127 if hi is None else hi) - x.zero)
        return y

    def number(self, data):
        data = np.asarray(data, "<f4")
        name, kind = f"%c{len(self.floats)}", spell(data.shape, "f32")
        values = (f'"0x{data.tobytes().hex().upper()}"' if data.size > 1
                  else f"{float(data.flat[0]):.9e}")
        self.floats.append(f'{name} = "tosa.const"() <{{values = dense<{values}> : '
                           f"{kind}}}> : () -> {kind}")
        return name, kind

    def emit(self, name, operands, real, attributes=""):
        """One op in f32; its name."""
        result = f"%f{len(self.floats)}"
        kind = spell((1, *real.shape[1:]), "f32")
        self.floats.append(f"{result} = tosa.{name} {', '.join(n for n, _ in operands)} "
                           f"{attributes}: ({', '.join(k for _, k in operands)}) -> "
                           f"{kind} loc(\"{name}\")")
        return result, kind

    def of(self, x):
        return self.names[x.name], spell((1, *x.data.shape[1:]), "f32")

    def take(self, y, name, real, scale):
        y.scale = scale
        self.names[y.name], self.real[y.name] = name, real
        return y

    def layer(self, x, y, start, name, attributes, compute, axis):
        """`y` has just been written; its weight and bias are the constants behind
        `start`."""
        w, b = self.constants[start].astype(float), self.constants[start + 1]
        scale = float(self.random.uniform(0.01, 0.1))
        factor = self.scales * scale
        shape = [-1 if a == axis else 1 for a in range(w.ndim)]
        w = w * (factor if axis is not None else factor.reshape(w.shape[2:])).reshape(
            shape if axis is not None else (1, 1, *w.shape[2:])) / x.scale
        b = b * factor
        real = compute(self.real[x.name], w, b)
        zero = self.number([0.0])
        value = self.emit(name, [self.of(x), self.number(w), self.number(b), zero, zero],
                          real, attributes.replace("i32", "f32"))
        if y.zero == -128 and self.limits is None:
            self.limits = (0, 255)
        if self.limits:
            lo, hi = (n * scale for n in self.limits)
            real = np.clip(real, lo, hi)
            value = self.emit("clamp", [value], real, f"{{min_val = {lo:.9e} : f32, "
                              f"max_val = {hi:.9e} : f32}} ")
        self.limits = None
        return self.take(y, value[0], real, scale)

    def conv(self, x, out, kernel=(3, 3), stride=(1, 1), pad=(1, 1, 1, 1), **named):
        start = len(self.constants)
        y = super().conv(x, out, kernel, stride, pad, **named)
        return self.layer(x, y, start, "conv2d", self.geometry(pad, stride, (1, 1)),
                          lambda *a: tosa.conv2d(*a[:3], 0, 0, pad, stride, (1, 1)), 0)

    def depthwise(self, x, kernel=(3, 3), stride=(1, 1), pad=(1, 1, 1, 1), **named):
        start = len(self.constants)
        y = super().depthwise(x, kernel, stride, pad, **named)
        return self.layer(x, y, start, "depthwise_conv2d",
                          self.geometry(pad, stride, (1, 1)),
                          lambda *a: tosa.depthwise_conv2d(*a[:3], 0, 0, pad, stride,
                                                           (1, 1)), None)

    def add(self, a, b):
        largest, scale = 2 * max(a.scale, b.scale), 0.7 * (a.scale + b.scale)
        sums = self.wide("add", self.widen(a, 2.0**20 * a.scale / largest),
                         self.widen(b, 2.0**20 * b.scale / largest))
        y = self.rescale(sums, largest / 2.0**20 / scale, 7)
        real = self.real[a.name] + self.real[b.name]
        return self.take(y, self.emit("add", [self.of(a), self.of(b)], real)[0], real,
                         scale)

    def max_pool(self, x):
        y = super().max_pool(x)
        real = tosa.windows(self.real[x.name], (2, 2), (2, 2), (0,) * 4, (1, 1),
                            -math.inf).max((3, 4))
        name = self.emit("max_pool2d", [self.of(x)], real,
                         "{kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, "
                         "stride = array<i64: 2, 2>} ")[0]
        return self.take(y, name, real, x.scale)

    def concatenate(self, values):
        """Of one scale and zero point."""
        y = self.concat(values)
        real = np.concatenate([self.real[v.name] for v in values], 3)
        return self.take(y, self.emit("concat", [self.of(v) for v in values], real,
                                      "{axis = 3 : i32} ")[0], real, values[0].scale)

    def write_float(self, result):
        kinds = [spell((1, *v.data.shape[1:]), "f32") for v in (self.input, result)]
        return (f"func.func @main(%x: {kinds[0]}) -> {kinds[1]} {{\n"
                + "\n".join(self.floats)
                + f"\n  return {self.names[result.name]} : {kinds[1]}\n}}\n")

    def write_mixed(self, result):
        """The argument times 1 / scale plus the zero point, rounded, and back."""
        shapes = [(1, *v.data.shape[1:]) for v in (self.input, result)]
        f, q = ([spell(s, element) for s in shapes] for element in ("f32", "i8"))

        def splat(name, number):
            kind = "tensor<1x1x1x1xf32>"
            return (f'{name} = "tosa.const"() <{{values = dense<{number:.9e}> : {kind}}}> '
                    f": () -> {kind}\n")
        number = "tensor<1x1x1x1xf32>"
        return (
            f"func.func @main(%x: {f[0]}) -> {f[1]} {{\n"
            + splat("%in", 1 / INPUT_SCALE) + splat("%zero", self.input.zero)
            + splat("%out", result.scale) + splat("%outzero", result.zero)
            + '%none = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> '
              "tensor<1xi8>\n"
            f"%x1 = tosa.mul %x, %in, %none : ({f[0]}, {number}, tensor<1xi8>) -> {f[0]}\n"
            f"%x2 = tosa.add %x1, %zero : ({f[0]}, {number}) -> {f[0]}\n"
            f"%x3 = tosa.cast %x2 : ({f[0]}) -> {q[0]}\n"
            + "\n".join(line.replace("%x,", "%x3,") for line in self.lines)
            + f"\n%y1 = tosa.cast {result.name} : ({q[1]}) -> {f[1]}\n"
            f"%y2 = tosa.sub %y1, %outzero : ({f[1]}, {number}) -> {f[1]}\n"
            f"%y3 = tosa.mul %y2, %out, %none : ({f[1]}, {number}, tensor<1xi8>) -> "
            f"{f[1]}\nreturn %y3 : {f[1]}\n}}\n")


def build_network(b):
    """The result, and the values that layers are compared by."""
    one = b.conv(b.input, 8, activation="relu6")
    two = b.depthwise(one, activation="relu")
    three = b.conv(two, 8, (1, 1), pad=(0, 0, 0, 0))
    four = b.add(one, three)
    five = b.max_pool(four)
    six = b.conv(b.concatenate([five, five]), 5)
    return six, [one, two, three, four, five, six]


def find_decibels(b, value):
    q, x = value.data - float(value.zero), b.real[value.name]
    scale = (x * q).sum() / (q * q).sum()
    return 10 * math.log10((x * x).sum() / ((x - scale * q)**2).sum())


class Comparer:
    def __init__(self, bin, work):
        self.bin, self.work = pathlib.Path(bin), work

    def compare(self, first, second):
        text = run(self.bin / "qbackend-run", self.work / first,
                   f"--compare={self.work / second}", "--layers", "--format=json",
                   f"--input={self.work / 'x.npz'}")
        return json.loads(text)["operators"]

    def apply(self, source, form, name):
        run(self.bin / "qbackend-opt", f"--apply-backend=qnnpack lower-to={form}",
            self.work / source, "-o", self.work / name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--write", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = options.write or pathlib.Path(folder)
        work.mkdir(exist_ok=True)
        b = TwinBuilder(3, (8, 8, 3), 20)
        result, values = build_network(b)
        (work / "float.mlir").write_text(b.write_float(result))
        (work / "mixed.mlir").write_text(b.write_mixed(result))
        np.savez(work / "x.npz", x=b.real["%x"].astype("f4"))
        if options.write:
            return
        comparer = Comparer(options.bin, work)
        for form in ("qnnpack", "linalg", "tosa"):
            comparer.apply("mixed.mlir", form, f"{form}.mlir")
        wanted = [find_decibels(b, value) for value in values]
        for form in ("mixed", "qnnpack", "linalg", "tosa"):
            ops = [op for op in comparer.compare("float.mlir", f"{form}.mlir")
                   if op["kind"] != "input"]
            found = [op["cumulative"]["sqnr"] for op in ops]
            assert len(found) == len(wanted), (form, [op["kind"] for op in ops])
            for op, decibels in zip(ops, wanted):
                assert abs(op["cumulative"]["sqnr"] - decibels) < 0.05, (form, op, decibels)
                # A layer by itself adds no more than what came before it and its own.
                assert op["local"]["sqnr"] > decibels - 0.5, (form, op, decibels)
            print(f"{form}: " + ", ".join(f"{d:.1f}" for d in found) + " dB")
        for first, second in (("mixed", "qnnpack"), ("mixed", "linalg"),
                              ("mixed", "tosa"), ("qnnpack", "linalg")):
            ops = comparer.compare(f"{first}.mlir", f"{second}.mlir")
            compared = [op for op in ops if op["kernel"]]
            assert len(compared) >= len(values), (first, second, ops)
            for op in compared:
                for errors in (op["cumulative"], op["local"]):
                    assert errors["sqnr"] is None and not errors["max_difference"], op
        print(f"other forms: {len(compared)} steps are the same")
        # Four weights of the third layer have another sign.
        text = (work / "mixed.mlir").read_text()
        place = re.search(r'dense<"0x(\w+)"> : tensor<8x1x1x8xi8>', text)
        weights = np.frombuffer(bytes.fromhex(place[1]), "i1").copy()
        weights[3:64:20] = -weights[3:64:20]
        (work / "wrong.mlir").write_text(text.replace(
            place[1], weights.tobytes().hex().upper()))
        for first in ("float", "mixed"):
            ops = {op["name"]: op for op in comparer.compare(f"{first}.mlir",
                                                             "wrong.mlir")}
            worst = min((op for op in ops.values() if op["local"]),
                        key=lambda op: op["local"]["sqnr"] or math.inf)
            assert worst["macs"] == values[2].data[0].size * 8, worst
            others = [op["local"]["sqnr"] for op in ops.values() if op is not worst]
            assert all(other is None or other > worst["local"]["sqnr"] + 5
                       for other in others), others
            print(f"{first} against a wrong weight: {worst['kind']} "
                  f"{worst['local']['sqnr']:.1f} dB, caused by {worst['cause']}")


if __name__ == "__main__":
    main()

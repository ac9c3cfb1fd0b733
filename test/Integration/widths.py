# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ResNet-8 with 16-bit activations or 4-bit weights, against NumPy.

usage: widths.py --bin DIR --source DIR --work DIR [--images N]

The network of examples/, with batch norm folded and weights rounded to the 8 bits of
each output channel, is run here by the formulas of docs/Numerics.md and of TOSA 1.0,
from the first image to the integers of the last layer:

- weights and biases: symmetric scales of a channel, the largest weight by 127 or 7;
  biases of the product of scales;
- layers of 8-bit activations: sums of 32 bits, apply_scale_32 by 31 bits, rounded once;
  of 16: sums of 48 bits, apply_scale_16 by 15 bits;
- what is in the reference form (averages; of 16 bits also sums and relu): floats of 32
  bits, in the order of the code.

Since weights are what they are quantized to, activations alone cost something: the
noise of 16x8 has to be 20 dB below that of 8x8.
"""

import argparse
import importlib.util
import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from requantization import half_up, quantize_multiplier  # noqa: E402
from tools import run  # noqa: E402

f32 = np.float32


def load_example(source):
    spec = importlib.util.spec_from_file_location(
        "export", source / "examples" / "export.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fold(weights):
    """Of each convolution weight and bias, of the linear layer its own."""
    folded = {"fc.weight": weights["fc.weight"], "fc.bias": weights["fc.bias"]}
    for name, weight in weights.items():
        if weight.ndim != 4:
            continue
        layer = name[:-len(".weight")]
        norm = (layer[:-1] + "1" if layer.endswith(".0") else
                layer.replace("conv", "bn"))
        factor = weights[f"{norm}.weight"] / np.sqrt(
            weights[f"{norm}.running_var"].astype(float) + 1e-5)
        folded[name] = weight * factor[:, None, None, None]
        folded[f"{layer}.bias"] = (
            weights[f"{norm}.bias"] - weights[f"{norm}.running_mean"] * factor)
    return {name: value.astype(f32) for name, value in folded.items()}


def quantize(values, scale, zero, low, high):
    inverse = (f32(1) / scale).astype(f32)
    return np.clip(zero + np.rint((values * inverse).astype(f32)).astype(np.int64),
                   low, high)


def quantize_weight(weight, largest):
    flat = weight.reshape(len(weight), -1)
    scale = np.maximum((np.abs(flat).max(1) / f32(largest)).astype(f32), f32(2**-16))
    return quantize(flat, scale[:, None], 0, -largest, largest), scale


def convolve(x, weight, stride, pad):
    """`weight` has a row for each output channel. Sums of doubles are exact here: the
    products have at most 23 bits, a sum of 576 of them 33."""
    kernel = {1: 1, 9: 3}[weight.shape[1] // x.shape[1]]
    x = np.pad(x.astype(float), [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    windows = np.lib.stride_tricks.sliding_window_view(
        x, (kernel, kernel), axis=(2, 3))[:, :, ::stride, ::stride]
    n, _, rows, columns = windows.shape[:4]
    matrix = windows.transpose(0, 2, 3, 1, 4, 5).reshape(n * rows * columns, -1)
    return (matrix @ weight.astype(float).T).reshape(n, rows, columns, -1).transpose(
        0, 3, 1, 2)


class Floats:
    """Runs a network of examples/export.py on floats, and keeps the range of each
    layer."""

    def __init__(self, weights, images):
        self.weights, self.input = weights, images
        self.ranges = {}
        self._see("x", images)

    def _see(self, scope, value):
        self.ranges[scope] = min(value.min(), 0), max(value.max(), 0)
        return value

    def conv(self, scope, x, stride=1, pad=0):
        weight = self.weights[f"{scope}.weight"]
        y = convolve(x, weight.reshape(len(weight), -1), stride, pad)
        return self._see(scope, y + self.weights[f"{scope}.bias"][:, None, None])

    def batch_norm(self, scope, x):
        return x

    def relu(self, scope, x):
        return self._see(scope, np.maximum(x, 0))

    def add(self, scope, x, y):
        return self._see(scope, x + y)

    def global_average(self, scope, x):
        return x.mean((2, 3), keepdims=True)

    def flatten(self, scope, x):
        return x.reshape(len(x), -1)

    def linear(self, scope, x):
        return self._see(scope, x @ self.weights[f"{scope}.weight"].T.astype(float)
                         + self.weights[f"{scope}.bias"])


class Integers:
    """The same in integers. A value has a scale and a zero point; sums of products
    become one where the network goes on, since a relu behind them clamps it."""

    def __init__(self, weights, images, parameters, bits, largest):
        self.weights, self.parameters = weights, parameters
        self.wide, self.largest = bits == 16, largest
        self.low, self.high = (-32767, 32767) if self.wide else (-128, 127)
        scale, zero = parameters["x"]
        self.input = (self._quantize(images, "x"), scale, zero)

    def _quantize(self, values, scope):
        return quantize(values, *self.parameters[scope], self.low, self.high)

    def _finish(self, value, scope=None):
        """`value`, or what sums of the layer `scope` are."""
        if len(value) == 3:
            return value
        own, sums, scales, axis = value
        scale, zero = self.parameters[scope or own]
        bits = 15 if self.wide else 31
        shape = [-1 if i == axis else 1 for i in range(sums.ndim)]
        q = zero + half_up(sums, *(
            each.reshape(shape) for each in quantize_multiplier(scales / scale, bits)),
            bits)
        return np.clip(q, zero if scope else self.low, self.high), scale, zero

    def _layer(self, scope, x, product, axis):
        q, scale, zero = self._finish(x)
        weight, scales = quantize_weight(self.weights[f"{scope}.weight"], self.largest)
        scales = scales.astype(float) * scale
        bias = np.rint((self.weights[f"{scope}.bias"] * (
            f32(1) / scales.astype(f32))).astype(f32)).astype(np.int64)
        sums = product(q - zero, weight).astype(np.int64)
        sums += bias.reshape([-1 if i == axis else 1 for i in range(sums.ndim)])
        return scope, sums, scales, axis

    def conv(self, scope, x, stride=1, pad=0):
        return self._layer(
            scope, x, lambda q, w: convolve(q, w, stride, pad), axis=1)

    def batch_norm(self, scope, x):
        return x

    def relu(self, scope, x):
        if len(x) == 4:
            return self._finish(x, scope)
        q, scale, zero = x
        return np.maximum(q, zero), scale, zero

    def add(self, scope, x, y):
        (a, sa, za), (b, sb, zb) = self._finish(x), self._finish(y)
        scale, zero = self.parameters[scope]
        if self.wide:
            total = (a * sa).astype(f32) + (b * sb).astype(f32)
            return self._quantize(total, scope), scale, zero
        twice = 2.0 * max(sa, sb)
        total = sum(half_up(q - z, *quantize_multiplier(s * 2.0**20 / twice))
                    for q, s, z in ((a, sa, za), (b, sb, zb)))
        q = half_up(total, *quantize_multiplier(twice / (2.0**20 * scale))) + zero
        return np.clip(q, self.low, self.high), scale, zero

    def global_average(self, scope, x):
        q, scale, zero = x
        values = ((q - zero).astype(f32) * f32(scale)).reshape(*q.shape[:2], -1)
        total = np.zeros(q.shape[:2], f32)
        for i in range(values.shape[2]):
            total = total + values[:, :, i]
        mean = total / f32(values.shape[2])
        return quantize(mean, f32(scale), zero, self.low, self.high), scale, zero

    def flatten(self, scope, x):
        return x

    def linear(self, scope, x):
        return self._finish(self._layer(scope, x, lambda q, w: q @ w.T, axis=1))


def find_parameters(ranges, bits):
    parameters = {}
    for name, (low, high) in ranges.items():
        if bits == 16:
            parameters[name] = float(f32(max(-low, high) / 32767)), 0
            continue
        scale = float(f32((high - low) / 255))
        parameters[name] = scale, int(np.clip(-128 - round(low / scale), -128, 127))
    return parameters


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--images", type=int, default=100)
    args = parser.parse_args()
    example = load_example(args.source)

    class Folded(example.Linalg):
        def conv(self, *arguments, **options):
            return super().conv(*arguments, bias=True, **options)

        def batch_norm(self, scope, x):
            return x

    data = np.load(args.source / "examples" / "data" / "fashion_mnist.npz")
    images = (data["test_images"][:args.images] / f32(255)).astype(f32)
    np.savez(args.work / "x.npz", x=images)
    weights = fold(np.load(args.source / "examples" / "networks" / "resnet8.npz"))
    for name, value in weights.items():
        if name.endswith(".weight"):
            q, scale = quantize_weight(value, 127)
            weights[name] = (q * scale[:, None]).astype(f32).reshape(value.shape)
    writer = Folded(weights, 1)
    network = args.work / "resnet8.mlir"
    network.write_text(writer.module(example.resnet8(writer)))
    floats = Floats(weights, images)
    wanted = example.resnet8(floats)
    wrong, noise = 0, {}
    for name, qconfig, bits, largest in (("8x8", "default", 8, 127),
                                         ("16x8", "a16w8", 16, 127),
                                         ("8x4", "a8w4", 8, 7)):
        parameters = find_parameters(floats.ranges, bits)
        table = args.work / "table.json"
        table.write_text(json.dumps({"version": 2, "network": "", "entries": [
            {"name": each, "scale": scale, "zero_point": zero}
            for each, (scale, zero) in parameters.items()]}))
        expected, scale, zero = example.resnet8(
            Integers(weights, images, parameters, bits, largest))
        for form in ("qnnpack", "linalg", "tosa"):
            module, result = args.work / f"{form}.mlir", args.work / "y.npz"
            run(args.bin / "qbackend-opt", network, "-o", module,
                f"--apply-backend=arm_tosa qconfig={qconfig} lower-to={form} "
                f"calibration={table} require-quantized=100")
            # TOSA has weights of 4 bits; elsewhere they are bytes.
            if ("xi4>" in module.read_text()) != (largest == 7 and form == "tosa"):
                sys.exit(f"the weights of {name} in {form} have other bits")
            run(args.bin / "qbackend-run", module,
                f"--input={args.work / 'x.npz'}", "-o", result)
            (y,) = np.load(result).values()
            found = np.rint(y / f32(scale)).astype(np.int64) + zero
            differ = int((found != expected).sum())
            wrong += differ
            print(f"{name} {form}: {found.size} integers, {differ} differ", flush=True)
        error = (expected - zero) * scale - wanted
        noise[name] = 10 * np.log10((wanted**2).sum() / (error**2).sum())
        print(f"{name}: {noise[name]:.1f} dB")
    gain = noise["16x8"] - noise["8x8"]
    print(f"16x8 is {gain:.1f} dB above 8x8")
    wrong += gain < 20
    print("FAIL" if wrong else "PASS")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

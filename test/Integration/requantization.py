# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Requantization that a backend's file asks for, against the sources that it names.

usage: requantization.py --bin DIR --work DIR [--pixels N]

A convolution of one pixel with 64 channels, each with a multiplier of its own: powers
of two (ties), thirds, numbers of all sizes from 2^-34 (always 0) to 64 (shifts to the
left), sums far beyond a byte, and biases. Its integers, and those of a product and a
sum of all pairs of bytes, are computed here from the formulas of

- double: arm_nn_requantize of CMSIS-NN, arm_nn_doubling_high_mult_no_sat and then
  arm_nn_divide_by_power_of_two;
- half_up: apply_scale_32 of TOSA 1.0 without its second rounding;
- nearest_even, half_away: the nearest integer of the exact product.

The multiplier is QuantizeMultiplier of TensorFlow Lite: frexp, and round to 31 bits.
"""

import argparse
import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from tools import run  # noqa: E402

CHANNELS, INPUTS = 64, 6
# Not powers of two, whose quotients are exact in f32; their ratio is one, so that
# multipliers can be.
X_SCALE, X_ZERO = float(np.float32(0.03)), -3
Y_SCALE, Y_ZERO = 2 * X_SCALE, 5


# ----------------------------------------------------------------------
# The formulas
# ----------------------------------------------------------------------


def quantize_multiplier(value, bits=31):
    mantissa, exponent = np.frexp(value)
    # Half away from zero, as std::round.
    integer = np.floor(mantissa * 2.0**bits + 0.5).astype(np.int64)
    carry = integer == 2**bits
    integer, exponent = np.where(carry, integer // 2, integer), exponent + carry
    small = exponent < -31
    return np.where(small, 0, integer), np.where(small, 0, exponent).astype(np.int64)


def double(sums, multiplier, exponent):
    left, right = np.maximum(exponent, 0), np.maximum(-exponent, 0)
    high = ((sums << left) * multiplier + (1 << 30)) >> 31
    mask = (np.int64(1) << right) - 1
    remainder = high & mask
    threshold = (mask >> 1) + (high < 0)
    return (high >> right) + (remainder > threshold)


def half_up(sums, multiplier, exponent, bits=31):
    shift = bits - exponent
    return (sums * multiplier + (np.int64(1) << (shift - 1))) >> shift


def nearest(sums, multiplier, exponent, even):
    shift = 31 - exponent
    product = sums * multiplier
    magnitude = np.abs(product)
    whole, rest = magnitude >> shift, magnitude & ((np.int64(1) << shift) - 1)
    half = np.int64(1) << (shift - 1)
    up = (rest > half) | ((rest == half) & ((whole & 1 == 1) if even else True))
    return np.sign(product) * (whole + up)


ROUND = {
    "double": double,
    "half_up": half_up,
    "nearest_even": lambda *args: nearest(*args, True),
    "half_away": lambda *args: nearest(*args, False),
}


def count_ties(sums, multiplier, exponent):
    shift = 31 - exponent
    rest = (sums * multiplier) & ((np.int64(1) << shift) - 1)
    return int((rest == np.int64(1) << (shift - 1)).sum())


def finish(rounded):
    return np.clip(rounded + Y_ZERO, -128, 127)


# ----------------------------------------------------------------------
# Networks
# ----------------------------------------------------------------------


def run_network(args, name, backend, form, inputs):
    """The integers of the result "y"."""
    entries = [(name, Y_SCALE, Y_ZERO) for name in ("y", "z")]
    arrays = {}
    for each, (values, scale, zero) in inputs.items():
        entries.append((each, scale, zero))
        arrays[each] = ((values - zero) * scale).astype(np.float32)
    np.savez(args.work / "x.npz", **arrays)
    table = args.work / "table.json"
    table.write_text(json.dumps({"version": 2, "network": "", "entries": [
        {"name": name, "scale": scale, "zero_point": zero}
        for name, scale, zero in entries]}))
    module = args.work / f"{name}.{form}.mlir"
    run(args.bin / "qbackend-opt", args.work / f"{name}.mlir", "-o", module,
        f"--apply-backend={backend} lower-to={form} calibration={table}")
    text, result = module.read_text(), args.work / "y.npz"
    if "qbackend.dequantize" in text or form not in ("linalg", "tosa") and (
            "#qnnpack.requantization" not in text):
        sys.exit(f"{name} has no kernel in {form}")
    run(args.bin / "qbackend-run", module, f"--input={args.work / 'x.npz'}",
        "-o", result)
    (y,) = np.load(result).values()
    return np.rint(y / np.float32(Y_SCALE)).astype(np.int64) + Y_ZERO


def divide(quotient, scales):
    x, y = np.float32(X_SCALE), np.float32(Y_SCALE)
    if quotient == "f32":
        return (x * scales / y).astype(np.float64)
    if quotient == "f32_product":
        return (x * scales).astype(np.float64) / y
    return scales.astype(np.float64) * x / y


class Convolution:
    def __init__(self, work, pixels):
        random = np.random.default_rng(36)
        ties = 2.0 ** -np.arange(1.0, 13)
        fixed = [*ties, 1 / 3, 2 / 3, 1 - 2.0**-24, 1.0, 2.0, 3.7, 64.0, 2.0**-33.5]
        drawn = np.exp(random.uniform(np.log(2.0**-14), 0, CHANNELS - len(fixed)))
        wanted = np.array([*fixed, *drawn])
        # One weight on an input that is 0 has the scale; a scale is a f32.
        self.scales = (wanted * Y_SCALE / X_SCALE).astype(np.float32)
        reach = np.clip(np.rint(20 / wanted), 1, 127).astype(np.int64)
        weight = random.integers(-reach, reach + 1, (INPUTS, CHANNELS))
        bias = random.integers(-300, 300, CHANNELS)
        x = random.integers(-128, 128, (pixels, INPUTS))
        x[:, 0] = X_ZERO
        self.inputs = {"x": (x.reshape(1, 1, pixels, INPUTS), X_SCALE, X_ZERO)}
        self.sums = (x - X_ZERO) @ np.concatenate([0 * weight[:1], weight[1:]]) + bias
        values = (weight * self.scales).astype(np.float32)
        biases = (bias * (self.scales * np.float32(X_SCALE))).astype(np.float32)
        self.values, self.biases, self.pixels = values, biases, pixels

    def write(self, path, largest, clamp):
        """`largest` is what symmetric scales divide the largest weight by; `clamp`:
        to [0, 6] behind it."""
        values = self.values.copy()
        values[0] = self.scales * np.float32(largest)
        self.observed = values[0] / np.float32(largest)
        n, k, c = self.pixels, INPUTS, CHANNELS
        bounds = "min_val = 0.0 : f32, max_val = 6.0 : f32"
        same = f"(tensor<1x1x{n}x{c}xf32>) -> tensor<1x1x{n}x{c}xf32>"
        end = (f'%z = tosa.clamp %y {{{bounds}}} : {same} loc("z")\n  return %z'
               if clamp else "return %y")
        path.write_text(f"""
func.func @main(%x: tensor<1x1x{n}x{k}xf32> loc("x")) -> tensor<1x1x{n}x{c}xf32> {{
  %w = arith.constant dense<"0x{values.tobytes().hex()}"> : tensor<1x1x{k}x{c}xf32>
  %b = arith.constant dense<"0x{self.biases.tobytes().hex()}"> : tensor<{c}xf32>
  %e = tensor.empty() : tensor<1x1x{n}x{c}xf32>
  %f = linalg.broadcast ins(%b : tensor<{c}xf32>) outs(%e : tensor<1x1x{n}x{c}xf32>) dimensions = [0, 1, 2]
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x1x{n}x{k}xf32>, tensor<1x1x{k}x{c}xf32>) outs(%f : tensor<1x1x{n}x{c}xf32>) -> tensor<1x1x{n}x{c}xf32> loc("y")
  {end} : tensor<1x1x{n}x{c}xf32>
}}
""")

    def expect(self, rounding, quotient):
        numbers = quantize_multiplier(divide(quotient, self.observed))
        return (finish(ROUND[rounding](self.sums, *numbers)),
                count_ties(self.sums, *numbers))


def write_binary(path, op):
    path.write_text(f"""
#map = affine_map<(i, j) -> (i, j)>
func.func @main(%a: tensor<256x256xf32> loc("a"), %b: tensor<256x256xf32> loc("b")) -> tensor<256x256xf32> {{
  %e = tensor.empty() : tensor<256x256xf32>
  %y = linalg.{op} ins(%a, %b : tensor<256x256xf32>, tensor<256x256xf32>) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32> loc("y")
  return %y : tensor<256x256xf32>
}}
""")


def expect_mul(rounding, a, b, sa, sb):
    numbers = quantize_multiplier(np.float64(sa) * sb / Y_SCALE)
    return finish(ROUND[rounding](a * b, *numbers))


def expect_add(rounding, a, b, sa, sb):
    """In units of 2^-20 of twice the larger scale: arm_elementwise_add_s8 moves the
    operands by 20 bits, TOSA has apply_scale_32 of all."""
    twice, left = 2 * max(sa, sb), 20 if rounding == "double" else 0

    def move(values, scale):
        number, exponent = quantize_multiplier(np.float64(scale))
        return ROUND[rounding](values, number, exponent)
    unit = 2.0 ** (20 - left)
    total = move(a << left, sa * unit / twice) + move(b << left, sb * unit / twice)
    return finish(move(total, twice / (2.0**20 * Y_SCALE)))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--pixels", type=int, default=15625)
    args = parser.parse_args()
    backends, fixed = {}, "multiplier = fixed_point"
    for name, rounding, largest in (("cortex_m", "double", 127.5),
                                    ("arm_tosa", "half_up", 127.0)):
        backends[name] = (name, rounding, "f64", largest)
        source = run(args.bin / "qbackend-config", "show", name)
        asked = f"rounding = {rounding}"
        assert asked in source
        if name == "arm_tosa":
            for other in ("nearest_even", "half_away"):
                file = args.work / f"{other}.mlir"
                file.write_text(source.replace(asked, f"rounding = {other}"))
                backends[other] = (file, other, "f64", largest)
            for quotient in ("f32", "f32_product"):
                file = args.work / f"{quotient}.mlir"
                file.write_text(source.replace(fixed, f"{fixed}, quotient = {quotient}"))
                backends[quotient] = (file, rounding, quotient, largest)
    layer = Convolution(args.work, args.pixels)
    wrong = 0

    def report(name, form, rounding, what, found, expected, more=""):
        nonlocal wrong
        differ = int((found.ravel() != expected.ravel()).sum())
        wrong += differ
        print(f"{name} {form} {rounding} {what}: {found.size} integers, "
              f"{differ} differ{more}", flush=True)

    pairs = np.mgrid[-128:128, -128:128]
    for name, (backend, rounding, quotient, largest) in backends.items():
        forms = ["qnnpack", "linalg"]
        if rounding in ("double", "half_up"):
            forms.append("tosa")
        layer.write(args.work / "conv.mlir", largest, clamp=False)
        layer.write(args.work / "clamped.mlir", largest, clamp=True)
        expected, ties = layer.expect(rounding, quotient)
        saturated = int(((expected == -128) | (expected == 127)).sum())
        for form in forms:
            found = run_network(args, "conv", backend, form, layer.inputs)
            report(name, form, rounding, "conv2d", found, expected,
                   f", {ties} ties, {saturated} at an end")
            found = run_network(args, "clamped", backend, form, layer.inputs)
            bounds = Y_ZERO, Y_ZERO + round(6 / Y_SCALE)
            report(name, form, rounding, "conv2d+relu6", found,
                   np.clip(expected, *bounds))
        if quotient != "f64":
            continue
        for op, expect in (("mul", expect_mul), ("add", expect_add)):
            write_binary(args.work / f"{op}.mlir", op)
            for sa, sb in ((2.0**-4, 2.0**-5), (0.0371, 0.0163), (2.0**-1, 0.3)):
                sa, sb = float(np.float32(sa)), float(np.float32(sb))
                inputs = {"a": (pairs[0], sa, -7), "b": (pairs[1], sb, 11)}
                expected = expect(rounding, pairs[0] + 7, pairs[1] - 11, sa, sb)
                for form in forms:
                    found = run_network(args, op, backend, form, inputs)
                    report(name, form, rounding, op, found, expected)
    print("FAIL" if wrong else "PASS")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

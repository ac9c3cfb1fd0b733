# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels on buffers, one of each kind: a module, or one function of it.

    layers.py [NAME] > OUT.mlir
"""

import math
import struct
import sys

# `most` is the largest weight, `scale` the smallest of three multipliers.
DEFAULTS = dict(stride=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1,
                signed=False, bits=8, pad=3, most=127, scale=0.0005,
                rounding=None, requantize=(0, 0, 255, 255), add=None)
LAYERS = {
    "pointwise": dict(x="1x4x5x8", w=(20, 1, 1, 8), y="1x4x5x20"),
    "padded": dict(x="?x6x7x5", w=(36, 3, 3, 5), y="?x3x4x36", stride=(2, 2),
                   padding=(1, 1, 1, 1), pad=120, scale=0.75,
                   requantize=(30, 30, 255, 30)),
    # Pairs of 16 bits can't saturate.
    "small_weights": dict(x="1x6x6x8", w=(32, 3, 3, 8), y="1x6x6x32",
                          padding=(1, 1, 1, 1), pad=7, most=3,
                          requantize=(4, 0, 255, 255)),
    "signed": dict(x="2x5x5x6", w=(10, 2, 2, 6), y="2x4x4x10", signed=True, pad=-3,
                   requantize=(-5, -128, 100, 100)),
    "dilated": dict(x="1x9x9x4", w=(16, 3, 3, 4), y="1x5x5x16", dilation=(2, 2),
                    signed=True, pad=-3, requantize=(0, -128, 127, 127)),
    "grouped": dict(x="1x4x4x16", w=(32, 3, 3, 8), y="1x4x4x32",
                    padding=(1, 1, 1, 1), groups=2, pad=9),
    "depthwise": dict(x="1x7x9x20", w=(20, 3, 3, 1), y="1x4x5x20", stride=(2, 2),
                      padding=(1, 1, 1, 1), groups=20, pad=9,
                      requantize=(1, 0, 255, 255)),
    "depthwise_signed": dict(x="2x5x6x16", w=(16, 3, 3, 1), y="2x3x4x16", groups=16,
                             signed=True, pad=0, requantize=(0, -128, 127, 127)),
    "residual": dict(x="1x4x4x8", w=(12, 1, 1, 8), y="1x4x4x12",
                     requantize=(10, 10, 255, 255),
                     add=(1048576, 1500000, 30000000, 21, "false", 7, 7, 255)),
    "residual_signed": dict(x="1x4x4x8", w=(12, 1, 1, 8), y="1x4x4x12", signed=True,
                            requantize=(10, -128, 127, 127),
                            add=(1048576, 700000, -3000000, 20, "true", -7, -128, 127)),
    "sums": dict(x="3x1x1x12", w=(18, 1, 1, 12), y="3x1x1x18", pad=0, requantize=None),
    # Four vectors of sums become bytes by saturating packs.
    "packed": dict(x="1x4x4x8", w=(64, 1, 1, 8), y="1x4x4x64",
                   requantize=(7, 0, 255, 255)),
    "packed_signed": dict(x="1x4x4x8", w=(64, 1, 1, 8), y="1x4x4x64", signed=True,
                          scale=0.75, requantize=(5, -100, 100, -100)),
    # The last block of channels overlaps the one before it.
    "depthwise_packed": dict(x="1x6x6x72", w=(72, 3, 3, 1), y="1x6x6x72",
                             padding=(1, 1, 1, 1), groups=72, pad=9,
                             requantize=(9, 9, 255, 9)),
    "depthwise_packed_signed": dict(x="1x5x5x72", w=(72, 3, 3, 1), y="1x3x3x72",
                                    groups=72, signed=True, pad=0,
                                    requantize=(0, -128, 127, 127)),
    # Columns of padding are read nowhere; those of several images, and wider than
    # what is left of a window, too.
    "depthwise_columns": dict(x="1x5x13x64", w=(64, 3, 3, 1), y="1x3x12x64",
                              padding=(0, 0, 1, 0), groups=64, pad=9,
                              requantize=(9, 9, 255, 9)),
    "depthwise_columns_signed": dict(x="2x5x7x64", w=(64, 2, 3, 1), y="2x2x3x64",
                                     stride=(2, 2), dilation=(1, 2), groups=64,
                                     padding=(0, 0, 2, 1), signed=True, pad=-7,
                                     requantize=(0, -128, 127, 127)),
    "depthwise_columns_narrow": dict(x="1x4x2x16", w=(16, 1, 5, 1), y="1x4x2x16",
                                     padding=(0, 0, 2, 2), groups=16, pad=200,
                                     requantize=(3, 0, 255, 255)),
    # Fixed-point multipliers.
    "fixed": dict(x="1x4x4x8", w=(64, 1, 1, 8), y="1x4x4x64", signed=True,
                  rounding="double", requantize=(5, -100, 127, 127)),
    "fixed_up": dict(x="1x6x7x5", w=(36, 3, 3, 5), y="1x6x7x36", signed=True, pad=-3,
                     padding=(1, 1, 1, 1), rounding="half_up",
                     requantize=(-7, -128, 127, 127)),
    "fixed_unsigned": dict(x="1x7x9x20", w=(20, 3, 3, 1), y="1x5x7x20", groups=20,
                           rounding="half_away", requantize=(30, 30, 200, 200)),
    "fixed_even": dict(x="1x4x4x8", w=(20, 1, 1, 8), y="1x4x4x20", signed=True,
                       rounding="nearest_even", requantize=(0, -128, 127, 127)),
    "fixed_residual": dict(x="1x4x4x8", w=(12, 1, 1, 8), y="1x4x4x12", signed=True,
                           rounding="double", requantize=(10, -128, 127, 127),
                           add=(1048576, 700000, -3000000, 20, "true", -7, -128, 127)),
    # More than one block of outputs reads an image of 16 bits for each byte.
    "wide": dict(x="1x3x3x4", w=(160, 3, 3, 4), y="1x3x3x160", padding=(1, 1, 1, 1),
                 pad=100, requantize=(1, 0, 255, 255)),
    # Activations of 16 bits.
    "sixteen": dict(x="1x6x7x5", w=(36, 3, 3, 5), y="1x6x7x36", signed=True, bits=16,
                    pad=0, padding=(1, 1, 1, 1), rounding="half_up",
                    requantize=(0, -32768, 32767, 32767)),
    "sixteen_relu": dict(x="?x1x1x6", w=(10, 1, 1, 6), y="?x1x1x10", signed=True,
                         bits=16, pad=0, rounding="half_up",
                         requantize=(0, 0, 32767, 32767)),
    "sixteen_depthwise": dict(x="1x7x9x20", w=(20, 3, 3, 1), y="1x5x7x20", groups=20,
                              signed=True, bits=16, pad=0, rounding="half_up",
                              requantize=(0, -32768, 32767, 32767)),
}


def constant(name, shape, kind, values):
    code = "<" + {"i8": "b", "i32": "i", "i64": "q", "f32": "f"}[kind]
    packed = b"".join(struct.pack(code, value) for value in values)
    shape = "x".join(map(str, shape))
    return (f'memref.global "private" constant @{name} : memref<{shape}x{kind}> = '
            f'dense<"0x{packed.hex()}">\n',
            f"memref<{shape}x{kind}>")


def pack(scale):
    """The 31-bit multiplier of `scale` and its shift, less 1."""
    mantissa, exponent = math.frexp(scale)
    return (30 - exponent) << 32 | round(mantissa * 2**31)


def fields(names, values):
    return ", ".join(f"{name} = {value}" for name, value in zip(names, values))


def write(name):
    layer = {**DEFAULTS, **LAYERS[name]}
    shape, most = layer["w"], layer["most"]
    out = shape[0]
    constants = {
        "w": constant(f"{name}_w", shape, "i8",
                      [(i * 37 + 11) % (2 * most + 1) - most
                       for i in range(math.prod(shape))]),
        "b": constant(f"{name}_b", (out,), "i32",
                      [i * 7919 % 4001 - 2000 for i in range(out)])}
    result = "i32"
    if layer["requantize"]:
        scales = [layer["scale"] * (1 + i % 3) for i in range(out)]
        kind = "i64" if layer["rounding"] else "f32"
        constants["m"] = constant(f"{name}_m", (out,), kind,
                                  map(pack, scales) if layer["rounding"] else scales)
        result = f"i{layer['bits']}"
    types = {"x": f"memref<{layer['x']}xi{layer['bits']}>",
             **{key: type for key, (_, type) in constants.items()}}
    given = {"x": types["x"]}
    if layer["add"]:
        types["r"] = given["r"] = f"memref<{layer['y']}xi8>"
    given["y"] = f"memref<{layer['y']}x{result}>"
    attributes = [f"{key} = array<i64: {', '.join(map(str, layer[key]))}>"
                  for key in ("stride", "padding", "dilation")]
    attributes += [f"groups = {layer['groups']} : i64",
                   f"pad_value = {layer['pad']} : i64"]
    if layer["signed"]:
        attributes.append("is_signed")
    if layer["requantize"]:
        rounding = f", rounding = {layer['rounding']}" if layer["rounding"] else ""
        attributes.append("requantize = #int8.requantize<" + fields(
            ("zero_point", "lo", "hi", "overflow"), layer["requantize"]) +
            rounding + ">")
    if layer["add"]:
        attributes.append("add = #int8.add<" + fields(
            ("lhs", "rhs", "offset", "shift", "half_up", "zero_point", "lo", "hi"),
            layer["add"]) + ">")
    lines = [text for text, _ in constants.values()]
    lines.append(f"func.func @{name}(" +
                 ", ".join(f"%{key}: {type}" for key, type in given.items()) + ") {\n")
    lines += [f"  %{key} = memref.get_global @{name}_{key} : {type}\n"
              for key, (_, type) in constants.items()]
    lines.append(f"  int8.conv2d({', '.join('%' + key for key in types)}) into %y "
                 f"{{{', '.join(attributes)}}}\n    : ({', '.join(types.values())}) "
                 f"into {given['y']}\n  return\n}}\n\n")
    return "".join(lines)


if __name__ == "__main__":
    for name in sys.argv[1:] or LAYERS:
        print(write(name), end="")

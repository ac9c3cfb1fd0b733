#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks that come quantized, with one thing changed: the same, or a reason.

    quantized_mutations.py --bin DIR --work DIR [--seed N] [--count N]
        [--llvm DIR] [--modules DIR] [--jobs N] [--keep DIR]

Networks in eight spellings, each with one thing changed at random, or two: a
constant, a rounding, a sign, a limit, an axis, an order of operands, the tensor
that an op reads, an op left out or put in;
with --llvm, some of them after upstream's passes. A mutant is run as it is and as the pipeline makes it. One that gives other numbers
is wrong, whatever was said: what isn't quantized as the module has it, stays. Where
ties go may differ, since kernels multiply where code divides, and all they
requantize is a step off at most. Code that has no numbers (integers that don't hold
what is converted to them) has to be refused, or to stay.

--modules also draws from NAME.mlir with the inputs NAME.npz:x of a directory.
--keep writes the mutants that are wrong. Same seeds, same mutants.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import random
import re
import subprocess
import sys

import numpy as np

import imported
import imported_operators
import quantization_forms

f32 = np.float32

#===----------------------------------------------------------------------===#
# Networks
#===----------------------------------------------------------------------===#


def linalg_network(style, signed, rng):
    """A convolution, a max pool and a linear layer of bytes, or on the grid."""
    data = np.random.default_rng(rng.randrange(1 << 30))
    low = -128 if signed else 0
    network = {
        "signed": signed,
        "w1": data.integers(-127, 128, (4, 3, 3, 3), np.int8),
        "w2": data.integers(-127, 128, (5, 16), np.int8),
        "b1": data.normal(0, 0.5, 4).astype(f32),
        "b2": data.normal(0, 0.5, 5).astype(f32),
        "s1": data.uniform(0.003, 0.01, 4).astype(f32),
        "s2": np.full(5, data.uniform(0.003, 0.01), f32),
        "activations": [(0.02, low + rng.randint(90, 160)),
                        (0.05, low + rng.choice([0, 0, 20])),
                        (0.2, low + rng.randint(60, 180))]}
    if style == "onnx":
        network["s1"][:] = network["s1"][0]
    return imported.write(style, network), data.normal(0, 1, (2, 3, 6, 6))


def contraction_network(form, rng):
    """A convolution of integers, and what quantizes its sums."""
    text = imported_operators.Text()
    dims, y = text.contraction("%x", rng, form)
    y = text.pair(y, dims, imported_operators.parameters(rng, True, 0.1))
    types = [imported_operators.tensor(d)
             for d in (imported_operators.DIMS, dims)]
    body = "\n".join(text.lines)
    data = np.random.default_rng(rng.randrange(1 << 30))
    return (f"func.func @main(%x: {types[0]}) -> {types[1]} {{\n{body}\n  return "
            f"{y} : {types[1]}\n}}\n",
            data.normal(0, 1, imported_operators.DIMS))


def tosa_network(spelling, rng):
    """A convolution of TOSA between chains of quantization."""
    chain = quantization_forms.Chain("c", 0.04, rng.randint(-60, 60), -128, 127)
    flat, dims = quantization_forms.TYPE, (1, 16, 16, 16)
    image, weight = imported.shape(dims), (16, 3, 3, 16)
    data = np.random.default_rng(rng.randrange(1 << 30))

    def constant(text, kind):
        return chain.add(f'"tosa.const"() <{{values = dense<{text}> : {kind}}}> '
                         f": () -> {kind}")

    def reshape(value, from_type, to_dims):
        sizes = constant(list(to_dims), f"tensor<{len(to_dims)}xindex>")
        chain.lines[-1] = chain.lines[-1].replace(
            '"tosa.const"', '"tosa.const_shape"').replace(
                f"() -> tensor<{len(to_dims)}xindex>",
                f"() -> !tosa.shape<{len(to_dims)}>")
        to_type = imported.shape(to_dims)
        return chain.add(f"tosa.reshape {value}, {sizes} : ({from_type}, "
                         f"!tosa.shape<{len(to_dims)}>) -> {to_type}")

    x = reshape(getattr(chain, spelling)("%x"), flat, dims)
    raw = data.integers(-127, 128, weight, np.int8).tobytes().hex().upper()
    w = constant(f'"0x{raw}"', imported.shape(weight, "i8"))
    w = chain.add(f"tosa.cast {w} : ({imported.shape(weight, 'i8')}) -> "
                  f"{imported.shape(weight)}")
    scales = ", ".join(quantization_forms.number(s)
                       for s in data.uniform(0.002, 0.006, 16))
    s = constant("[" + ", ".join(f"[[[{s}]]]" for s in scales.split(", ")) + "]",
                 "tensor<16x1x1x1xf32>")
    shift = constant("0", "tensor<1xi8>")
    w = chain.add(f"tosa.mul {w}, {s}, {shift} : ({imported.shape(weight)}, "
                  "tensor<16x1x1x1xf32>, tensor<1xi8>) -> "
                  f"{imported.shape(weight)}")
    b = constant("[" + ", ".join(quantization_forms.number(v)
                                 for v in data.normal(0, 0.3, 16)) + "]",
                 "tensor<16xf32>")
    z = constant("0.0", "tensor<1xf32>")
    y = chain.add(
        f"tosa.conv2d {x}, {w}, {b}, {z}, {z} {{acc_type = f32, dilation = "
        "array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, "
        f"1>}} : ({image}, {imported.shape(weight)}, tensor<16xf32>, "
        f"tensor<1xf32>, tensor<1xf32>) -> {image}")
    y = chain.add(f"tosa.clamp {y} {{min_val = 0.0 : f32, max_val = "
                  f"3.40282347E+38 : f32}} : ({image}) -> {image}")
    chain.scale, chain.zero_point = 0.09, -128
    y = getattr(chain, spelling)(reshape(y, image, (1, 4096)))
    body = "\n".join(chain.lines)
    return (f"func.func @main(%x: {flat}) -> {flat} {{\n{body}\n  return {y} : "
            f"{flat}\n}}\n", data.normal(0, 1.5, (1, 4096)))


# What users run before us.
PASSES = [["--linalg-generalize-named-ops"], ["--linalg-fuse-elementwise-ops"],
          ["--linalg-generalize-named-ops", "--linalg-fuse-elementwise-ops"],
          ["--canonicalize", "--cse"]]


def draw_network(rng, modules):
    """The text of a network, its inputs, and how it is spelled."""
    if modules and rng.random() < 0.8:
        path = rng.choice(modules)
        with np.load(path.with_suffix(".npz")) as file:
            return path.read_text(), file["x"], path.stem
    style = rng.choice(["bytes", "fake", "casts", "onnx", "contraction-linalg",
                        "contraction-tosa", "tosa_rounded", "tosa_cast"])
    if style.startswith("contraction"):
        text, x = contraction_network(style.partition("-")[2], rng)
    elif style.startswith("tosa"):
        text, x = tosa_network(style, rng)
    else:
        text, x = linalg_network(style, rng.random() < 0.6, rng)
    return text, x.astype(f32), style


#===----------------------------------------------------------------------===#
# Mutations
#===----------------------------------------------------------------------===#

# One op for another of the same operands and types.
FAMILIES = [
    ["math.roundeven", "math.round", "math.floor", "math.ceil", "math.trunc"],
    ["arith.maximumf", "arith.minimumf", "arith.addf", "arith.subf",
     "arith.mulf", "arith.divf"],
    ["arith.addi", "arith.subi", "arith.muli", "arith.maxsi", "arith.minsi",
     "arith.xori", "arith.andi"],
    ["arith.extsi", "arith.extui"], ["arith.fptosi", "arith.fptoui"],
    ["arith.sitofp", "arith.uitofp"],
    ["cmpf ult", "cmpf ugt", "cmpf olt", "cmpf oge", "cmpf ueq"],
    ["cmpi slt", "cmpi sgt", "cmpi ult", "cmpi ugt", "cmpi sle"],
    ["tosa.floor", "tosa.ceil", "tosa.abs"],
    ["tosa.logical_and", "tosa.logical_or"], ["tosa.add", "tosa.sub"],
    ["tosa.greater ", "tosa.greater_equal ", "tosa.equal "],
    ["pooling_nchw_max", "pooling_nchw_min", "pooling_nchw_sum"],
]


def number(value):
    largest = float(np.finfo(f32).max)
    return f"{float(f32(np.clip(value, -largest, largest))):.9e}"


def replace(text, found, new, group=0):
    return text[:found.start(group)] + new + text[found.end(group):]


def pick(pattern, text, rng):
    """One of the places that match; None if there are none."""
    places = list(re.finditer(pattern, text))
    return rng.choice(places) if places else None


def other_op(text, rng):
    names = rng.choice(FAMILIES)
    old = rng.choice(names)
    # What 64 bits make of negative numbers is beyond what a quantize of the
    # engine saturates (docs/Numerics.md).
    new = rng.choice([name for name in names if name != old])
    found = pick(re.escape(old) + r"(?![\w.])(?! %\w+ : i64 to f32)", text, rng)
    return replace(text, found, new) if found else None


def other_constant(text, rng):
    """A scale, a zero point, a limit or a number of the network. A window's
    stride can't be any number: some read beyond the image."""
    found = pick(r"(?:constant |(?<!dilations = )(?<!strides = )dense<|_val = )"
        r"(-?\d[\d.]*(?:[eE][-+]?\d+)?)(?= :|>)", text, rng)
    if not found:
        return None
    old = found.group(1)
    if re.search("[.eE]", old):
        value = float(old)
        new = number(rng.choice([value * 2, value / 2, value * 1.01, value + 1,
                                 value - 1, -value, 0, value + 20]))
    else:
        value = int(old)
        new = str(rng.choice([value + 1, value - 1, value + 5, -value, 0,
                              value * 2 + 1]))
    return replace(text, found, new, 1)


def other_element(text, rng):
    """One of the numbers of a list: a scale of a channel, or a bias."""
    found = pick(r"(?<=[\[ {])-?\d+\.\d+(?:[eE][-+]?\d+)?(?=[\]},])", text, rng)
    if not found:
        return None
    value = float(found.group())
    return replace(text, found, number(rng.choice(
        [value * 2, value * 1.01, -value, 0])))


def other_words(text, rng):
    """A number of those in hexadecimal: a scale, a bias."""
    found = pick(r'dense<"0x((?:[0-9A-F]{8})+)"> : '
                              r"tensor<[\dx]+x(f32|i32)>", text, rng)
    if not found:
        return None
    kind = np.float32 if found[2] == "f32" else np.int32
    numbers = np.frombuffer(bytes.fromhex(found[1]), kind).copy()
    at = rng.randrange(numbers.size)
    numbers[at] = rng.choice([numbers[at] * 2, numbers[at] * 1.01 + 1,
                              -numbers[at], 0])
    return replace(text, found, numbers.tobytes().hex().upper(), 1)


def other_type(text, rng):
    """Zero point, limits, sign or axis of a type of the quant dialect."""
    found = pick(r"!quant\.uniform<([iu]8)(:f32(?::\d)?, [^>]*)>", text, rng)
    if not found:
        return None
    storage, rest = found.groups()
    change = rng.randrange(4)
    if change == 0:
        rest = re.sub(r":(-?\d+)$", lambda z: f":{int(z[1]) + 5}", rest)
    elif change == 1:
        storage += "<-90:100>" if storage == "i8" else "<3:200>"
    elif change == 2:
        storage = "u8" if storage == "i8" else "i8"
    else:
        rest = rest.replace("f32:0", "f32:1")
    return replace(text, found, f"!quant.uniform<{storage}{rest}>")


def other_axis(text, rng):
    found = pick(r"-> \(d\d\)>", text, rng)
    return replace(text, found, f"-> (d{rng.randrange(4)})>") if found else None


def swapped(text, rng):
    """Two operands the other way around."""
    found = pick(r"((?:arith|tosa)\.(?:\w+) (?:\w+, )?)(%\w+), (%\w+)", text, rng)
    if not found:
        return None
    return replace(text, found, f"{found[1]}{found[3]}, {found[2]}")


def dropped(text, rng):
    """A scalar op, or one of TOSA, whose first operand is its result."""
    found = pick(r"\n +(%\w+) = (?:arith|math|tosa)\.\w+ (%\w+)[^\n]*", text, rng)
    if not found:
        return None
    # Its name is another value's in another region.
    end = text.find("linalg.yield", found.end())
    inside = "\n    " in found.group() and end >= 0
    end = text.find("\n", end) if inside else len(text)
    return (text[:found.start()]
            + re.sub(found[1] + r"\b", found[2], text[found.end():end])
            + text[end:])


def inserted(text, rng):
    """One more op on what a region yields."""
    found = pick(r"\n( +)linalg\.yield (%\w+) : (i8|i32|f32)\n", text, rng)
    if not found:
        return None
    pad, value, kind = found.groups()
    constant = (rng.choice(["0.5", "1.0", "2.0", "-1.0", "0.0"]) if kind == "f32"
                else rng.choice(["1", "-1", "3", "64", "-128"]))
    names = FAMILIES[1] if kind == "f32" else FAMILIES[2]
    return replace(text, found,
                   f"\n{pad}%more = arith.constant {constant} : {kind}\n"
                   f"{pad}%most = {rng.choice(names)} {value}, %more : {kind}\n"
                   f"{pad}linalg.yield %most : {kind}\n")


def other_reader(text, rng):
    """An op reads another tensor of the type: the one before a clamp, or the
    other branch, with another scale."""
    tensors, name = collections.defaultdict(list), None
    for line in re.finditer(r"\n( +)([^\n]*)", text):
        defined = re.match(r"(%\w+) = ", line[2])
        # Indented further it is a number of a region, and what nothing was
        # written to is no tensor to read.
        if defined and len(line[1]) <= 4:
            name = None if re.search(r"constant|empty", line[2]) else defined[1]
        kind = re.search(r"tensor<[^<>]*>$", line[2])
        if kind and name:
            tensors[kind.group()].append((line.end(), name))
        if kind:
            name = None
    kinds = sorted(kind for kind, values in tensors.items()
                   if len(values) > 1)
    if not kinds:
        return None
    values = tensors[rng.choice(kinds)]
    one, other = sorted(rng.sample(range(len(values)), 2))
    (_, early), (end, late) = values[one], values[other]
    old, new = rng.choice([(early, late), (late, early)])
    return text[:end] + re.sub(re.escape(old) + r"\b", new, text[end:], count=1)


def exchanged(text, rng):
    """Two scalar constants of a type in each other's place: the scales of two
    tensors, or the limits of a clamp."""
    places = list(re.finditer(
        r"arith\.constant (-?\d[\d.]*(?:[eE][-+]?\d+)?) : (\w+)", text))
    kind = rng.choice(sorted({found[2] for found in places}) or [None])
    places = [found for found in places if found[2] == kind]
    if len({found[1] for found in places}) < 2:
        return None
    first = rng.choice(places)
    second = rng.choice([found for found in places if found[1] != first[1]])
    for found, new in sorted(((first, second[1]), (second, first[1])),
                             key=lambda change: -change[0].start()):
        text = replace(text, found, new, 1)
    return text


def twice(text, rng):
    """Two changes, one of which may hide the other."""
    for _ in range(2):
        changed = rng.choice(SINGLE)(text, rng)
        text = changed or text
    return text


def other_bytes(text, rng):
    """A byte of what is in hexadecimal."""
    found = pick(r'dense<"0x([0-9A-F]+)"> : tensor<[\dx]+xi8>', text, rng)
    if not found:
        return None
    at = found.start(1) + 2 * rng.randrange(len(found[1]) // 2)
    return text[:at] + f"{rng.randrange(256):02X}" + text[at + 2:]


def other_padding(text, rng):
    """A pad is moved to the other side, or is another number."""
    found = pick(r"low\[[\d, ]+\] high\[[\d, ]+\]|"
                              r"pad = array<i64: [\d, ]+>", text, rng)
    if not found:
        return None
    numbers = re.findall(r"\d+", found.group())
    if "array" in found.group():
        numbers = numbers[1:]
        numbers[0], numbers[1] = "2", "0"
        return replace(text, found, f"pad = array<i64: {', '.join(numbers)}>")
    numbers[1], numbers[5] = "2", "0"
    return replace(text, found, f"low[{', '.join(numbers[:4])}] "
                                f"high[{', '.join(numbers[4:])}]")


SINGLE = [other_op, other_op, other_op, other_constant, other_constant,
          other_constant, other_element, other_type, other_axis, swapped,
          dropped, dropped, inserted, other_bytes, other_words, other_padding,
          other_reader, exchanged]
MUTATIONS = [*SINGLE, twice]

#===----------------------------------------------------------------------===#
# Judgement
#===----------------------------------------------------------------------===#


def run(*command):
    result = subprocess.run([str(part) for part in command], timeout=300,
                            capture_output=True, text=True)
    return result.returncode, result.stderr


def transform(llvm, passes, text):
    result = subprocess.run([llvm / "mlir-opt", *passes], input=text,
                            timeout=60, capture_output=True, text=True)
    return result.returncode, result.stdout


def execute(tools, module, inputs):
    """The module's first result; None if it can't be run."""
    outputs = module.with_suffix(".out.npz")
    code, _ = run(tools / "qbackend-run", module, f"--input={inputs}",
                  "--num-threads=1", "-o", outputs)
    if code != 0:
        return None
    with np.load(outputs) as file:
        return file[file.files[0]].astype(np.float64)


def distance(was, now):
    """In steps of the grid of `was`, and in dB."""
    both = np.isfinite(was) & np.isfinite(now)
    if (both != (np.isfinite(was) | np.isfinite(now))).any():
        return np.inf, -np.inf
    was, now = was[both], now[both]
    levels = np.unique(was)
    gaps = np.diff(levels)
    # Numbers of f32: a level may be there twice.
    gaps = gaps[gaps > 1e-5 * np.abs(levels).max(initial=0)]
    step = gaps.min() if gaps.size else 1.0
    noise = ((was - now) ** 2).sum()
    signal = (was ** 2).sum()
    return (np.abs(was - now).max(initial=0) / step,
            np.inf if noise == 0 else 10 * np.log10(max(signal, 1e-30) / noise))


def limited(text):
    """The same, with conversions that limit what the type doesn't hold."""
    def convert(found):
        pad, result, sign, operand, width = found.groups()
        bits = int(width) - (sign == "s")
        low = -2.0 ** bits if sign == "s" else 0.0
        # The largest number of f32 that is an integer of the type.
        high = float(min(2 ** bits - 1, 2 ** bits - 2 ** max(bits - 24, 0)))
        name = "%limited" + result[1:]
        return (f"{pad}{name}a = arith.constant {low:.1f} : f32\n"
                f"{pad}{name}b = arith.constant {high:.1f} : f32\n"
                f"{pad}{name}c = arith.maximumf {operand}, {name}a : f32\n"
                f"{pad}{name}d = arith.minimumf {name}c, {name}b : f32\n"
                f"{pad}{result} = arith.fpto{sign}i {name}d : f32 to i{width}")
    return re.sub(r"( +)(%\w+) = arith\.fpto([su])i (%\w+) : f32 to i(\d+)",
                  convert, text)


def with_engine_infinities(text):
    """The same, where what is too large to be rounded, and NaN, become the
    smallest integer: the engine's quantize (docs/Numerics.md)."""
    def replace_rounding(found):
        pad, result, operand = found.groups()
        name = "%finite" + result[1:]
        return (f"{pad}{name}a = arith.constant 9.2e+18 : f32\n"
                f"{pad}{name}b = arith.constant -1.0e+09 : f32\n"
                f"{pad}{name}c = arith.cmpf olt, {operand}, {name}a : f32\n"
                f"{pad}{name}d = arith.select {name}c, {operand}, {name}b : f32"
                f"\n{pad}{result} = math.roundeven {name}d : f32")
    return re.sub(r"( +)(%\w+) = math\.roundeven (%\w+) : f32",
                  replace_rounding, text)


def judge(tools, work, text, x):
    """What became of a mutant, and how far off it is."""
    work.mkdir(parents=True, exist_ok=True)
    module, out, inputs = (work / "in.mlir", work / "out.mlir", work / "x.npz")
    module.write_text(text)
    np.savez(inputs, x=x)
    if run(tools / "qbackend-opt", module, "-o", "/dev/null")[0] != 0:
        return "no module", ""
    out.unlink(missing_ok=True)
    code, said = run(tools / "qbackend-opt",
                     f"--apply-backend=qnnpack data={inputs}", module, "-o", out)
    if code < 0 or "Stack dump" in said:
        return "CRASH", said[:300]
    if code != 0:
        return ("error", "") if "error:" in said else ("CRASH", said[:300])
    refused = re.search("QB14[024-9]", said) is not None
    was = execute(tools, module, inputs)
    if was is None:
        return "cannot be run", ""
    now = execute(tools, out, inputs)
    if now is None or now.shape != was.shape:
        return "WRONG", "its result cannot be run"
    steps, decibels = distance(was, now)
    # Wrong by a step here and there, as kernels are.
    allowed = 0.01 if "qnnpack." not in out.read_text() else 1.01
    if steps > allowed and decibels < 40:
        module.write_text(with_engine_infinities(text))
        finite = execute(tools, module, inputs)
        if finite is not None:
            steps, decibels = distance(finite, now)
    if steps > allowed and decibels < 40:
        # Code that has no number for some of the samples gives any.
        module.write_text(limited(text))
        defined = execute(tools, module, inputs)
        module.write_text(text)
        if refused and (defined is None or not np.array_equal(defined, was)):
            return "refused", ""
        return "WRONG", (f"{steps:.1f} steps, {decibels:.1f} dB, "
                         f"{sorted(set(re.findall('QB1..', said)))}")
    return "refused" if refused else "imported", ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--llvm", type=pathlib.Path)
    parser.add_argument("--modules", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    modules = []
    if options.modules:
        modules = [path for path in sorted(options.modules.glob("*.mlir"))
                   if path.with_suffix(".npz").exists()]

    def one(i):
        rng = random.Random(f"{options.seed} {i}")
        # What is no module any more is drawn again.
        while True:
            text, x, style = draw_network(rng, modules)
            mutation = rng.choice(MUTATIONS)
            mutant = mutation(text, rng)
            if mutant is None or mutant == text:
                continue
            change = next((f"{a.strip()} -> {b.strip()}" for a, b in
                           zip(text.splitlines(), mutant.splitlines())
                           if a != b), "")
            # Upstream's rewriters fold dcast(qcast(x)) to x.
            if (options.llvm and "quant.qcast" not in mutant
                    and rng.random() < 0.5):
                passes = rng.choice(PASSES)
                code, mutant = transform(options.llvm, passes, mutant)
                style += " after " + " ".join(passes)
                if code != 0:
                    continue
            verdict, why = judge(options.bin, options.work / str(i), mutant, x)
            if verdict != "no module":
                return (style, mutation.__name__, verdict, why, change, mutant,
                        x)

    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for i, (style, name, verdict, why, change, mutant, x) in enumerate(
                pool.map(one, range(options.count))):
            counts[verdict] += 1
            if verdict not in ("WRONG", "CRASH"):
                continue
            print(f"{verdict} {i}: {style}, {name}: {why}: {change[:300]}",
                  flush=True)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{i}.mlir").write_text(mutant)
                np.savez(options.keep / f"{i}.npz", x=x)
    failures = counts["WRONG"] + counts["CRASH"]
    print(f"{options.count} mutants, {failures} failures: " + ", ".join(
        f"{verdict} {count}" for verdict, count in sorted(counts.items())))
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())

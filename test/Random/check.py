#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random networks, qconfigs and backends: what has to hold for each of them.

    check.py --bin DIR [--seeds FIRST:LAST] [--batch N] [--numbers N]
             [--keep DIR]

The networks of some seeds are the functions of one module, for which a backend and a
qconfig mapping are drawn. Ranges are drawn for all observers. For each module:

- the passes succeed, in all forms that the backend lowers to, and give the same
  bytes again without threads;
- in the observed form, what shares has one observer; calibrated, observers have
  what the formulas give;
- in the reference form, operators that are quantized have operands and results
  of the types that a dtype config of the backend allows for their qconfig, within
  its limits; those that are not have a code that is true of them;
- without quantize, dequantize and integers, it is the fused form, and weights
  are off by no more than half a step;
- each function is the same whatever the order of the functions is;
- QB000 counts what is there.

For `--numbers` networks of all, the text computes what numpy does, observed as
well, kernels compute what the reference form does, but for some rounding, and
generated kernels the same integers as linalg.
"""

import argparse
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import numpy as np

import generate
from configuration import Backend, Observer, global_activation
from module import constant, functions, quantized_types
from network import evaluate, random_inputs

INTEGER_FORMS = {"qnnpack", "qnnpack_pt2e"}

# Qconfigs that a mapping mixes: some that a backend supports, some that none does.
SYMMETRIC = "per_tensor_symmetric"
QCONFIGS = [
    f"<activation = <histogram, ui8>, weight = <min_max, si8, {SYMMETRIC}>>",
    f"<activation = <min_max, ui8>, weight = <min_max, si8, {SYMMETRIC}>>",
    "<activation = <min_max, ui8>, weight = <per_channel_min_max, si8, per_channel_symmetric>>",
    f"<activation = <min_max, ui8, quant_min = 0, quant_max = 127>, weight = <min_max, si8, {SYMMETRIC}>>",
    f"<activation = <min_max, si8, eps = 2.44140625E-4>, weight = <min_max, si8, {SYMMETRIC}, quant_min = -127, quant_max = 127, eps = 2.44140625E-4>>",
    f"<activation = <min_max, si8>, weight = <min_max, si8, {SYMMETRIC}>>",
    f"<activation = <fixed_qparams, ui8, scale = 3.906250e-03, zero_point = 0>, weight = <min_max, si8, {SYMMETRIC}>>",
    f"<activation = <placeholder, ui8, is_dynamic = true>, weight = <min_max, si8, {SYMMETRIC}>>",
    "<activation = <placeholder, f16>, weight = <placeholder, f16>>",
    "<activation = <placeholder, f32>, weight = <per_channel_min_max, ui8, per_channel_affine_float_qparams>>",
    "none",
]
KINDS = ["conv1d", "conv2d", "linear", "relu", "add", "mul", "cat", "sigmoid", "tanh",
         "max_pool2d", "avg_pool2d", "hardswish", "batch_norm2d", "softmax", "mean",
         "embedding", "conv_transpose2d", "hardsigmoid", "reshape", "flatten"]


# The kinds whose weight is quantized; that of a norm is not.
WEIGHTED = ("conv", "linear", "embedding", "prelu")


class Broken(Exception):
    """Something that has to hold does not."""


def require(condition, what):
    if not condition:
        raise Broken(what)


class Tools:
    def __init__(self, folder, work):
        self.folder, self.work = pathlib.Path(folder), pathlib.Path(work)
        # Programs that are elsewhere.
        self.others = {}

    def run(self, tool, *arguments):
        """Standard output and error of a run that has to succeed."""
        done = subprocess.run([str(self.others.get(tool, self.folder / tool)),
                               *map(str, arguments)],
                              capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            lines = [line for line in done.stderr.splitlines()
                     if "error:" in line or "LLVM ERROR" in line or
                     "Assertion" in line] or [f"exit code {done.returncode}"]
            raise Broken(f"{tool} {' '.join(map(str, arguments))}: {lines[0][:600]}")
        return done.stdout, done.stderr


def draw_mapping(rng, names):
    """A qconfig mapping @m, mixed by kind and name."""
    lines = [f"  qbackend.qconfig global {rng.choice(QCONFIGS[:6])}"]
    for kind in rng.sample(KINDS, rng.choice([0, 2, 5])):
        lines.append(f'  qbackend.qconfig object_type "{kind}" {rng.choice(QCONFIGS)}')
    for name in rng.sample(names, min(len(names), rng.choice([0, 1, 4]))):
        lines.append(f'  qbackend.qconfig module_name "{name}" {rng.choice(QCONFIGS)}')
    return ["qbackend.qconfig_mapping @m {", *lines, "}"]


def draw_table(observed, path):
    """Ranges for all observers. They depend on the function and the place in it,
    not on the name of the observer, nor on the order of the functions."""
    entries, seen = [], {}
    kinds = dict(re.findall(r'qbackend\.observer @("[^"]+"|\S+) <(\w+),', observed))
    for name, function in functions(observed)[0].items():
        place = 0
        for op in function.ops:
            if op.name != "qbackend.observe":
                continue
            symbol = re.search(r' by @("[^"]+"|\S+) [:{]', op.text)[1]
            if symbol in seen:
                continue
            seen[symbol] = True
            rng = random.Random(f"{name} {place}")
            place += 1
            low = -rng.choice([0.0, 0.1, 1.0, 3.0, 100.0]) * rng.uniform(0.5, 1)
            high = rng.choice([0.0, 0.2, 1.0, 6.0, 50.0]) * rng.uniform(0.5, 1)
            entries.append({"name": symbol.strip('"'), "kind": kinds[symbol],
                            "min": low, "max": high})
    path.write_text(json.dumps({"version": 1, "entries": [
        e for e in entries if e["kind"] != "fixed_qparams"]}))


#===------------------------------------------------------------------------===#
# What has to hold
#===------------------------------------------------------------------------===#


def check_sharing(backend, function):
    """What shares has one observer on its inputs and its result."""
    def symbol(op):
        return re.search(r" by @(\S+) [:{]", op.text)[1]

    for op in function.ops:
        if not op.is_operator or not op.qconfig or not op.qconfig.is_static:
            continue
        found = backend.supporting(op.kinds, op.qconfig, "weight" in op.roles,
                                   "bias" in op.roles)
        require(found, f"{op.kinds} has a qconfig that no dtype config fits")
        inputs = [function.producer.get(o)
                  for number, o in enumerate(op.roles["inputs"])
                  if found[0].observes_input(number)]
        for producer in inputs:
            require(producer and producer.name == "qbackend.observe",
                    f"{op.kinds}: an input is not observed")
        if not found[0].observes_result:
            continue
        users = function.users.get(op.results[0], [])
        require(users and all(u.name == "qbackend.observe" for u in users),
                f"{op.kinds}: the result is not observed, or read without")
        count = len(op.roles["inputs"])
        if len(op.kinds) > 1:
            continue  # The further inputs are not the root's.
        if found[0].observation_for(count) == "output_share_observer_with_input":
            symbols = {symbol(p) for p in inputs} | {symbol(users[0])}
            # A sum or product with a number has the observer of what its result
            # shares with, and leaves its input its own.
            is_joined = op.kinds in (["add"], ["mul"]) and count == 1 and any(
                o.name == "qbackend.observe" and symbol(o) == symbol(users[0])
                and o not in users for o in function.ops)
            require(len(symbols) == 1 or is_joined,
                    f"{op.kinds} shares, but has {symbols}")


def check_calibrated(calibrated):
    """Scales and zero points are what torch.ao's formula gives for the range."""
    found = re.findall(r"qbackend\.observer @(\S+|\"[^\"]+\") (<[^>]*>) range "
                       r"\[(\S+), (\S+)\] scale (\S+) zero_point (\S+)", calibrated)
    require(len(found) == calibrated.count("qbackend.observer ") -
            len(re.findall(r"qbackend\.observer \S+ <fixed_qparams", calibrated)),
            "an observer is not calibrated")
    for name, config, low, high, scale, zero_point in found:
        observer = Observer.of(config)
        if observer.kind == "fixed_qparams":
            continue
        qmin, qmax = observer.range()
        low, high = np.float32(min(float(low), 0)), np.float32(max(float(high), 0))
        eps = np.float32(float(observer.options.get("eps", 2**-23)))
        if observer.scheme == "per_tensor_symmetric":
            wanted = np.float32(max(-low, high) / np.float32((qmax - qmin) / 2))
            zero = 0 if qmin < 0 else (qmin + qmax + 1) // 2
            if "quant_min" in observer.options and qmin >= 0:
                zero = (qmin + qmax) // 2
            wanted = max(wanted, eps)
        else:
            wanted = max((high - low) / np.float32(qmax - qmin), eps)
            zero = int(np.clip(qmin - np.rint(low / wanted), qmin, qmax))
        require(np.float32(float(scale)) == wanted and int(zero_point) == zero,
                f"{name} {config} of [{low}, {high}] has {scale}:{zero_point}, "
                f"expected {wanted}:{zero}")


def check_weight(function, op):
    """The weight is what the integers of an allowed type stand for."""
    weight = op.qconfig.weight
    producer = function.producer[op.role("weight")]
    if not re.fullmatch(r"[us]i\d+", weight.dtype) or weight.kind == "placeholder":
        return None
    if weight.scheme == "per_channel_affine_float_qparams":
        return None
    require(producer.name == "qbackend.dequantize",
            f"{op.kinds}: the weight is not quantized")
    kind = quantized_types(producer.text)[0]
    require(kind.dtype == weight.dtype, f"{op.kinds}: weight of {kind.dtype}")
    integers = constant(function.producer[
        function.producer[producer.operands[0]].operands[0]]).astype(np.int64)
    low, high = weight.range()
    if kind.dtype[0] == "u":
        integers &= 0xFF
    require(low <= integers.min() and integers.max() <= high,
            f"{op.kinds}: weight integers beyond [{low}, {high}]")
    eps = np.float32(float(weight.options.get("eps", 2**-23)))
    require(min(kind.scales) >= eps * (1 - 1e-6), f"{op.kinds}: scale below eps")
    shape = [1] * integers.ndim
    if kind.axis is not None:
        require(len(kind.scales) == integers.shape[kind.axis],
                f"{op.kinds}: {len(kind.scales)} scales")
        shape[kind.axis] = -1
    scale = np.array(kind.scales).reshape(shape)
    return (integers - np.array(kind.zero_points).reshape(shape)) * scale, scale


def check_operator(backend, function, op, global_activation):
    """One operator of the reference form."""
    where = f"{function.name}: {op.kinds}"
    has_weight, has_bias = "weight" in op.roles, "bias" in op.roles
    candidates = backend.candidates(op.kinds)
    if op.qconfig is None:
        require(op.verdict, f"{where} stays float, without a code")
        require((op.verdict == "QB103") == (not candidates),
                f"{where} has {op.verdict}, {len(candidates)} patterns")
        return
    require(not op.verdict or op.verdict == "QB108", f"{where} has {op.verdict}")
    found = backend.supporting(op.kinds, op.qconfig, has_weight, has_bias)
    require(found, f"{where}: no dtype config fits")
    pattern, config = found
    if has_weight and op.kinds[0].startswith(WEIGHTED):
        check_weight(function, op)
    if not op.qconfig.is_static:
        return
    activation = op.qconfig.activation
    shares = pattern.observation_for(len(op.roles["inputs"])) == \
        "output_share_observer_with_input"
    # Fixed parameters are those of the result.
    allowed = activation.dtype
    if activation.kind == "fixed_qparams" and global_activation and not shares:
        allowed = global_activation.dtype
    for number, operand in enumerate(op.roles["inputs"]):
        if not pattern.observes_input(number):
            continue
        producer = function.producer.get(operand)
        require(producer and producer.name == "qbackend.dequantize",
                f"{where}: an input is not quantized")
        dtype = quantized_types(producer.text)[0].dtype
        require(dtype == allowed, f"{where}: input of {dtype}")
    if pattern.observes_result:
        check_result(function, op, config, shares, where)
    check_bias(function, op, where)


def check_result(function, op, config, shares, where):
    """Of an operator whose result is observed."""
    activation = op.qconfig.activation
    users = function.users.get(op.results[0], [])
    require(users and all(u.name == "qbackend.quantize" for u in users),
            f"{where}: the result is not quantized")
    kind = quantized_types(users[0].text)[0]
    require(kind.dtype == activation.dtype, f"{where}: result of {kind.dtype}")
    if activation.kind == "fixed_qparams" and not shares:
        require(kind.scales[0] == float(activation.options["scale"]) and
                kind.zero_points[0] == int(activation.options["zero_point"]),
                f"{where}: not the fixed parameters")
    elif "output" in config and "scale_min" in config["output"] and \
            not any_scalar(function, op):
        limit = float(re.search(r"scale_min = ([^,>]+)", config["output"])[1])
        require(kind.scales[0] >= limit * (1 - 1e-6),
                f"{where}: scale {kind.scales[0]} below {limit}")


def any_scalar(function, op):
    """Whether a number is added or multiplied somewhere before `op`: kernels of
    these give parameters of their own."""
    pending, seen = [op], set()
    while pending:
        each = pending.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if each.is_operator and any(each.scalars):
            return True
        pending += [function.producer[o] for o in each.operands
                    if o in function.producer]
    return False


def check_bias(function, op, where):
    """An integer bias has the scales of the input and of the weight."""
    producer = function.producer.get(op.role("bias"))
    if not producer or producer.name != "qbackend.dequantize":
        return
    bias = quantized_types(producer.text)[0]
    x = quantized_types(function.producer[op.roles["inputs"][0]].text)[0]
    w = quantized_types(function.producer[op.role("weight")].text)[0]
    expected = np.float32(x.scales[0]) * np.array(w.scales, np.float32)
    require(bias.dtype == "si32" and not any(bias.zero_points) and
            np.allclose(bias.scales, np.broadcast_to(expected, len(bias.scales)),
                        rtol=1e-6), f"{where}: bias of another scale")


BETWEEN = {"qbackend.quantize", "qbackend.dequantize", "qbackend.observe",
           "arith.truncf", "arith.extf", "quant.scast"}


def skeleton(function):
    """What a function computes, without what is between its operators."""
    numbers, layouts, lines = {}, {}, []

    def resolve(value):
        while value in function.producer and \
                function.producer[value].name in BETWEEN:
            value = function.producer[value].operands[0]
        if value in function.producer and "const" in function.producer[value].name:
            return "constant"
        return layouts.get(value) or numbers.get(value, value)

    for op in function.ops:
        if op.name in BETWEEN or "const" in op.name:
            continue
        if op.is_operator:
            # A number is a constant where a pattern has an edge for it.
            what, count = re.subn(r"(#qbackend\.(?:add|mul))<scalar = [^>]*>", r"\1",
                                  str(op.attributes))
            operands = op.roles["inputs"]
        else:
            what, operands, count = op.name, op.operands, 0
        # Tables of real zero points are made real by a linalg.generic.
        if op.name in ("linalg.generic", "tensor.empty") and not lines_use(
                function, op):
            continue
        # Arguments are observed first, in whatever layouts they are read.
        if op.name == "qbackend.transpose" and resolve(operands[0]).startswith("%arg"):
            layouts[op.results[0]] = f"{resolve(operands[0])} in a layout"
            continue
        for result in op.results:
            numbers[result] = f"v{len(numbers)}"
        lines.append(f"{what} {[resolve(o) for o in operands] + ['constant'] * count}")
    return lines


def lines_use(function, op):
    """Whether `op` is more than what makes a weight."""
    pending, seen = [op], set()
    while pending:
        each = pending.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        for result in each.results:
            for user in function.users.get(result, []):
                if user.is_operator:
                    if result != user.role("weight"):
                        return True
                elif user.name in ("linalg.generic", "tensor.empty"):
                    pending.append(user)
                else:
                    return True
    return False


def check_unquantized(fused, reference):
    """Without integers, the reference form is the fused one."""
    wanted, found = skeleton(fused), skeleton(reference)
    require(wanted == found, f"{fused.name}: not the float graph: " + str(
        [pair for pair in zip(wanted, found) if pair[0] != pair[1]][:1] or
        (len(wanted), len(found))))
    operators = lambda f: [op for op in f.ops if op.is_operator]
    for before, after in zip(operators(fused), operators(reference)):
        if "weight" not in after.roles or not after.qconfig or \
                not after.kinds[0].startswith(WEIGHTED):
            continue
        quantized = check_weight(reference, after)
        if quantized is None:
            continue
        weight = constant(fused.producer[before.role("weight")])
        error = np.abs(weight.astype(np.float64) - quantized[0])
        require((error <= quantized[1] * 0.5001).all(),
                f"{fused.name}: {after.kinds}: weight off by "
                f"{(error / quantized[1]).max():.3f} steps")


def check_summary(errors, reference):
    """QB000 counts the operators of the reference form."""
    counts = re.search(r"QB000: quantized (\d+) of (\d+) operators", errors)
    operators = [op for f in reference.values() for op in f.ops if op.is_operator]
    quantized = [op for op in operators if op.qconfig]
    require(counts and (int(counts[1]), int(counts[2])) ==
            (len(quantized), len(operators)),
            f"QB000 has {counts and counts.groups()}, there are {len(operators)} "
            f"operators, {len(quantized)} quantized")
    # Those with one reason are printed once, with a note that counts the others.
    # An operator may be beyond several limits, each with a remark.
    codes = {op.verdict for op in operators if not op.qconfig}
    missed, counts_more, beyond = 0, False, set()
    for line in errors.splitlines():
        if "remark: " in line:
            place = line.split(": remark: ")[0]
            found = re.search(r"\[Missed\] (QB\d+) ", line)
            counts_more = bool(found) and found[1] in codes and place not in beyond
            missed += counts_more
            if "QB126" in line:
                beyond.add(place)
        elif counts_more and (more := re.search(r"note: and (\d+) more with", line)):
            missed += int(more[1])
    require(missed == len(operators) - len(quantized),
            f"{missed} remarks about {len(operators) - len(quantized)} operators")


#===------------------------------------------------------------------------===#
# Runs
#===------------------------------------------------------------------------===#


class Batch:
    """A module of several networks, with a backend and a qconfig for it."""

    def __init__(self, seeds):
        self.rng = random.Random(f"batch {seeds}")
        self.networks = {f"f{seed}": generate.build(
            seed, self.rng.choice([1, 1, 1, 3])) for seed in seeds}
        self.texts = {name: generate.write(
            network, name, self.rng.choice(["tosa", "linalg", "both"]),
            mixed=self.rng.random() < 0.4)
            for name, network in self.networks.items()}
        self.number = seeds[0] // len(seeds)
        self.backend, self.mapping, self.qconfig = None, [], "@m"

    def draw(self, backends):
        """The next of `backends`, and a mapping."""
        self.backend = sorted(backends)[self.number % len(backends)]
        mappings = sorted(backends[self.backend].mappings)
        if self.rng.random() < 0.5:
            self.qconfig = self.rng.choice(mappings)
            text = backends[self.backend].mappings[self.qconfig]
        else:
            names = [name for text in self.texts.values() for name in text.names]
            self.mapping = draw_mapping(self.rng, names)
            text = " ".join(self.mapping)
        self.global_activation = global_activation(text)

    def module(self, backwards=False):
        texts = list(self.texts.values())
        return "\n".join(self.mapping + [
            line for text in (texts[::-1] if backwards else texts)
            for line in text.lines]) + "\n"

    def __str__(self):
        return f"{self.backend} {self.qconfig} {' '.join(self.networks)}"


def observe(tools, batch, source):
    prepare = ["--qbackend-normalize-code", "--qbackend-raise",
               "--qbackend-normalize-layout",
               f"--qbackend-fuse=backend={batch.backend} qconfig={batch.qconfig}"]
    fused, _ = tools.run("qbackend-opt", *prepare, source)
    observed, _ = tools.run(
        "qbackend-opt", *prepare,
        f"--qbackend-observe=backend={batch.backend} qconfig={batch.qconfig}", source)
    return functions(fused)[0], observed


def apply(tools, batch, source, table, form, *options):
    return tools.run("qbackend-opt", f"--apply-backend={batch.backend}",
                     f"qconfig={batch.qconfig}", f"lower-to={form}",
                     f"calibration={table}", source, *options)


def convert(tools, backend, qconfig, ranges, source):
    """What kernels are made of: the reference form, whose bias may be float, with the
    integer bias that kernels have."""
    return tools.run("qbackend-opt", "--qbackend-prepare-pipeline="
                     + " ".join([f"backend={backend}", *qconfig]),
                     f"--qbackend-calibrate={ranges}",
                     f"--qbackend-convert=backend={backend} lower-to=qnnpack", source)


def check_batch(tools, backends, batch):
    backend = backends[batch.backend]
    source, table = tools.work / "in.mlir", tools.work / "table.json"
    source.write_text(batch.module())
    fused, observed = observe(tools, batch, source)
    draw_table(observed, table)
    for function in functions(observed)[0].values():
        check_sharing(backend, function)
    (tools.work / "observed.mlir").write_text(observed)
    check_calibrated(tools.run(
        "qbackend-opt", f"--qbackend-calibrate=calibration={table}",
        tools.work / "observed.mlir")[0])

    text, errors = apply(tools, batch, source, table, "reference")
    again, _ = apply(tools, batch, source, table, "reference",
                     "--mlir-disable-threading")
    require(text == again, "other bytes in a second run")
    reference, _ = functions(text)
    check_summary(errors, reference)
    for name, function in reference.items():
        for op in function.ops:
            if op.is_operator:
                check_operator(backend, function, op, batch.global_activation)
        check_unquantized(fused[name], function)

    source.write_text(batch.module(backwards=True))
    _, observed = observe(tools, batch, source)
    backwards = tools.work / "backwards.json"
    draw_table(observed, backwards)
    text, _ = apply(tools, batch, source, backwards, "reference")
    for name, function in functions(text)[0].items():
        require(function.text == reference[name].text,
                f"{name} depends on the order of the functions")

    source.write_text(batch.module())
    if batch.backend in INTEGER_FORMS:
        for form in ("qnnpack", "linalg", "tosa"):
            apply(tools, batch, source, table, form)


def check_numbers(tools, batch):
    """Runs the first network of the module that `check_batch` left."""
    source, table = tools.work / "in.mlir", tools.work / "table.json"
    name, network = next(iter(batch.networks.items()))
    inputs = random_inputs(network)
    arrays = tools.work / "inputs.npz"
    np.savez(arrays, **{f"arg{i}": x for i, x in enumerate(inputs)})

    def compute(text, label):
        module, outputs = tools.work / "run.mlir", tools.work / "outputs.npz"
        module.write_text(text)
        tools.run("qbackend-run", module, f"--entry={name}", f"--input={arrays}",
                  "-o", outputs, "--num-threads=1")
        with np.load(outputs) as file:
            results = [file[f] for f in file.files]
        require(len(results) == len(network.results),
                f"{name} {label}: {len(results)} results")
        return [result.reshape(node.shape)
                for result, node in zip(results, network.results)]

    # Float: as it came, and observed and inlined.
    observed, _ = tools.run(
        "qbackend-opt", "--qbackend-normalize-code", "--qbackend-raise",
        "--qbackend-normalize-layout",
        f"--qbackend-fuse=backend={batch.backend} qconfig={batch.qconfig}",
        f"--qbackend-observe=backend={batch.backend} qconfig={batch.qconfig}",
        "--qbackend-inline-operators", source)
    wanted = evaluate_all(network, inputs)
    for label, text in (("as it came", source.read_text()), ("observed", observed)):
        for result, expected in zip(compute(text, label), wanted):
            error = np.abs(result - expected).max()
            require(error <= 1e-4 * max(np.abs(expected).max(), 1e-2),
                    f"{name} {label}: off by {error:.3g}")

    # Quantized: kernels and the reference form round alike, but for ties.
    if batch.backend not in INTEGER_FORMS:
        return
    reference, integers = (
        compute(apply(tools, batch, source, table, form)[0], form)
        for form in ("reference", "linalg"))
    # Generated kernels compute the integers of the portable form.
    generated = compute(apply(tools, batch, source, table, "qnnpack")[0], "qnnpack")
    for a, b in zip(integers, generated):
        require(np.array_equal(a, b),
                f"{name}: generated kernels differ in {(a != b).sum()} elements")
    for a, b in zip(reference, integers):
        require(np.isfinite(b).all(), f"{name}: a result is not finite")
        spread = max(float(a.max() - a.min()), 1e-6)
        off = np.abs(a - b) / spread
        require(off.mean() < 0.05, f"{name}: kernels off by {off.mean():.3g} of the "
                "range of the reference form")


def evaluate_all(network, inputs):
    wanted = []
    for result in network.results:
        network.result = result
        wanted.append(evaluate(network, inputs))
    return wanted


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--seeds", default="0:300")
    parser.add_argument("--batch", type=int, default=20)
    parser.add_argument("--numbers", type=int, default=0)
    parser.add_argument("--keep", help="where to leave the modules that fail")
    options = parser.parse_args()
    first, last = map(int, options.seeds.split(":"))
    failures, numbers = 0, options.numbers
    with tempfile.TemporaryDirectory() as work:
        tools = Tools(options.bin, work)
        backends = {name: Backend(name, tools.run("qbackend-config", "show", name)[0])
                    for name in tools.run("qbackend-config", "list")[0].split()}
        for start in range(first, last, options.batch):
            batch = Batch(range(start, min(start + options.batch, last)))
            batch.draw(backends)
            try:
                check_batch(tools, backends, batch)
                if numbers > 0:
                    numbers -= 1
                    check_numbers(tools, batch)
            except Broken as error:
                failures += 1
                print(f"FAIL {batch}: {error}", flush=True)
                if options.keep:
                    kept = pathlib.Path(options.keep, f"{start}.mlir")
                    kept.parent.mkdir(parents=True, exist_ok=True)
                    kept.write_text((tools.work / "in.mlir").read_text())
    print(f"{last - first} networks, {failures} batches failed")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())

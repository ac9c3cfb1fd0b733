# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares calibration=ranges with the values of seeded samples.

Each case is an operator on x, uniform in [LOW, HIGH], ends included, and how
much of the range the samples have to fill: 1 for functions whose ends are
attained at the ends of x or where the formula says.
"""

import math
import re
import subprocess
import sys

import numpy as np

LOW, HIGH = -2.0, 3.0
RNG = np.random.default_rng(5)


def erf(x):
    return np.vectorize(math.erf)(x)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def standardize(x, axes, eps):
    mean = x.mean(axes, keepdims=True)
    return (x - mean) / np.sqrt(x.var(axes, keepdims=True) + eps)


W4 = np.array([1.5, -0.5, 2.0, 0.25])
B4 = np.array([0.5, -1.0, 0.0, 2.0])
MEAN, VAR = np.array([0.5, -1.0, 0.0, 1.0]), np.array([1.0, 4.0, 0.25, 2.0])
IMAGE = (2, 3, 3, 4)


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


# Name, kind, shape, parameters, function, how much is filled.
CASES = [
    ("silu", "silu", (4096,), {}, lambda x: x / (1 + np.exp(-x)), 0.999),
    ("gelu", "gelu", (4096,), {}, lambda x: x * (1 + erf(x / np.sqrt(2))) / 2, 0.999),
    ("gelu_tanh", "gelu<tanh = true>", (4096,), {}, gelu_tanh, 0.999),
    ("celu", "celu<alpha = 2.0>", (4096,), {}, lambda x: np.where(x > 0, x, 2 * np.expm1(x / 2)), 0.999),
    ("tanh", "tanh", (4096,), {}, np.tanh, 0.999),
    ("softmax", "softmax<axis = 1>", (64, 4), {}, softmax, 0.999),
    ("log_softmax", "log_softmax<axis = 1>", (64, 4), {}, lambda x: np.log(softmax(x)), 0.999),
    ("prelu", "prelu<axis = 3>", IMAGE, {"weight": W4}, lambda x: np.where(x > 0, x, x * W4), 0.999),
    (
        "batch_norm",
        "batch_norm2d<axis = 3, eps = 1.0e-5>",
        IMAGE,
        {"weight": W4, "bias": B4, "running_mean": MEAN, "running_var": VAR},
        lambda x: (x - MEAN) / np.sqrt(VAR + 1e-5) * W4 + B4,
        0.999,
    ),
    (
        "layer_norm",
        "layer_norm<axes = [1], eps = 1.0e-5>",
        (64, 4),
        {"weight": W4, "bias": B4},
        lambda x: standardize(x, 1, 1e-5) * W4 + B4,
        0.99,
    ),
    (
        "rms_norm",
        "rms_norm<axes = [1], eps = 1.0e-5>",
        (64, 4),
        {"weight": W4},
        lambda x: x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5) * W4,
        0.0,
    ),
    (
        "instance_norm",
        "instance_norm2d<axis = 3, eps = 1.0e-5>",
        IMAGE,
        {"weight": W4, "bias": B4},
        lambda x: standardize(x, (1, 2), 1e-5) * W4 + B4,
        0.0,
    ),
    (
        "group_norm",
        "group_norm<axis = 3, num_groups = 2, eps = 1.0e-5>",
        IMAGE,
        {},
        lambda x: standardize(x.reshape(2, 9, 2, 2), (1, 3), 1e-5).reshape(x.shape),
        0.0,
    ),
]


def constant(name, values):
    numbers = ", ".join(repr(float(v)) for v in values)
    return f"  %{name} = arith.constant dense<[{numbers}]> : tensor<{len(values)}xf32>"


def build():
    lines, observers = [], []
    for name, kind, shape, parameters, _, _ in CASES:
        type = f"tensor<{'x'.join(map(str, shape))}xf32>"
        observers.append(f"qbackend.observer @{name} <min_max, ui8>")
        lines.append(
            f"func.func @f_{name}(%x: {type} {{qbackend.range = array<f64: {LOW}, {HIGH}>}}) -> {type} {{"
        )
        clauses, types, arguments = "", [type], [f"%a: {type}"]
        for i, (parameter, values) in enumerate(parameters.items()):
            lines.append(constant(parameter, values))
            clauses += f" {parameter}(%{parameter})"
            types.append(f"tensor<{len(values)}xf32>")
            arguments.append(f"%p{i}: {types[-1]}")
        lines.append(
            f"""  %r = qbackend.operator [#qbackend.{kind}] inputs(%x){clauses} : ({", ".join(types)}) -> {type} {{
  ^bb0({", ".join(arguments)}):
    qbackend.yield %a : {type}
  }}
  %o = qbackend.observe %r by @{name} : {type}
  return %o : {type}
}}"""
        )
    # a b of 3 terms, and rows of a table.
    observers += [f"qbackend.observer @{n} <min_max, ui8>" for n in ("matmul", "embedding")]
    lines.append(
        f"""func.func @f_matmul(%x: tensor<8x3xf32> {{qbackend.range = array<f64: {LOW}, {HIGH}>}},
    %y: tensor<3x8xf32> {{qbackend.range = array<f64: -1.0, 0.5>}}) -> tensor<8x8xf32> {{
  %r = qbackend.operator [#qbackend.matmul] inputs(%x, %y) : (tensor<8x3xf32>, tensor<3x8xf32>) -> tensor<8x8xf32> {{
  ^bb0(%a: tensor<8x3xf32>, %b: tensor<3x8xf32>):
    %e = tensor.empty() : tensor<8x8xf32>
    qbackend.yield %e : tensor<8x8xf32>
  }}
  %o = qbackend.observe %r by @matmul : tensor<8x8xf32>
  return %o : tensor<8x8xf32>
}}
func.func @f_embedding(%i: tensor<5xi64>) -> tensor<5x2xf32> {{
  %w = arith.constant dense<[[0.5, -1.25], [3.5, 0.0]]> : tensor<2x2xf32>
  %r = qbackend.operator [#qbackend.embedding] inputs(%i) weight(%w) : (tensor<5xi64>, tensor<2x2xf32>) -> tensor<5x2xf32> {{
  ^bb0(%a: tensor<5xi64>, %b: tensor<2x2xf32>):
    %e = tensor.empty() : tensor<5x2xf32>
    qbackend.yield %e : tensor<5x2xf32>
  }}
  %o = qbackend.observe %r by @embedding : tensor<5x2xf32>
  return %o : tensor<5x2xf32>
}}"""
    )
    return "\n".join(observers + lines) + "\n"


def sample(shape):
    """Uniform values, with the corners that norms and softmax are largest at."""
    for _ in range(100):
        yield RNG.uniform(LOW, HIGH, shape)
    size = int(np.prod(shape))
    yield np.linspace(LOW, HIGH, size).reshape(shape)
    for low, high in ((LOW, HIGH), (HIGH, LOW), (0.0, HIGH), (0.0, LOW)):
        for period in (1, size) if len(shape) == 1 else range(shape[-1]):
            x = np.full(shape, low)
            x.reshape(-1)[period :: shape[-1]] = high
            yield x


def main():
    opt, path = sys.argv[1:]
    with open(path, "w") as file:
        file.write(build())
    output = subprocess.run(
        [opt, path, "--qbackend-calibrate=calibration=ranges"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    ranges = {
        name: (float(low), float(high))
        for name, low, high in re.findall(
            r"observer @(\w+) <min_max, ui8> range \[([^,]+), ([^\]]+)\]", output
        )
    }
    good = 0
    for name, _, shape, _, function, filled in CASES:
        values = [function(x) for x in sample(shape)]
        least, most = min(v.min() for v in values), max(v.max() for v in values)
        low, high = ranges[name]
        slack = 1e-5 * max(1, abs(low), abs(high))
        if least < low - slack or most > high + slack:
            print(f"{name}: values in [{least}, {most}], range [{low}, {high}]")
        elif most - least < filled * (high - low):
            print(f"{name}: range [{low}, {high}] is wider than [{least}, {most}]")
        else:
            good += 1
    # 3 products, each in [-3, 2]; each number of the table.
    for name, expected in (("matmul", (-9.0, 6.0)), ("embedding", (-1.25, 3.5))):
        if ranges[name] == expected:
            good += 1
        else:
            print(f"{name}: range {ranges[name]}, expected {expected}")
    if good == len(CASES) + 2:
        print(f"all {good} operators hold their values")


main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ways to compute an elementwise operator.

Each is a function of the style, the node and its operands as expressions; the
writers decide on the ops.
"""

import math

import numpy as np

from expression import (clamp, compare, maximum, minimum, parameter, select,
                        unary)


def _hardsigmoid(style, x):
    form = style("hardsigmoid")
    if form == "add_div":
        return minimum((x + 3.0) / 6.0, 1.0), True
    if form == "relu6_div":
        return clamp(x + 3.0, 0.0, 6.0) / 6.0, False
    if form == "relu6_mul":
        return clamp(x + 3.0, 0.0, 6.0) * (1 / 6), False
    return clamp(x * (1 / 6) + 0.5, 0.0, 1.0), False


def hardsigmoid(style, node, x):
    y, needs_zero = _hardsigmoid(style, x)
    return maximum(y, 0.0) if needs_zero else y


def hardswish(style, node, x):
    form = style("hardswish")
    inner = minimum(maximum(x + 3.0, 0.0), 6.0)
    if form == "mul_last":
        return inner / 6.0 * x
    if form == "div_last":
        return x * clamp(x + 3.0, 0.0, 6.0) / 6.0
    if form == "relu6_mul":
        return (x * inner) * (1 / 6)
    return x * clamp(x * (1 / 6) + 0.5, 0.0, 1.0)


def sigmoid(style, node, x):
    if style("sigmoid") == "tosa":
        return unary("sigmoid", x)
    return 1.0 / (unary("exp", unary("neg", x)) + 1.0)


def silu(style, node, x):
    if style("silu") == "div" and style("sigmoid") != "tosa":
        return x / (1.0 + unary("exp", unary("neg", x)))
    return x * sigmoid(style, node, x)


def gelu(style, node, x):
    form = style("gelu")
    if form == "div":
        return (unary("erf", x / math.sqrt(2)) + 1.0) * 0.5 * x
    if form == "mul":
        return x * (0.5 * (1.0 + unary("erf", x * math.sqrt(0.5))))
    return (x * 0.5) * (unary("erf", x * math.sqrt(0.5)) + 1.0)


def gelu_tanh(style, node, x):
    # torch-mlir's constant for sqrt(2 / pi) is 2e-4 off; the others' isn't.
    scale = 0.7977240352 if style("gelu") == "div" else math.sqrt(2 / math.pi)
    cube = unary("pow3", x) if style("gelu") != "half_first" else x * x * x
    inner = (cube * 0.044715 + x) * scale
    return (unary("tanh", inner) + 1.0) * 0.5 * x


def elu(style, node, x):
    form = style("elu")
    if form == "parts":
        return maximum(x, 0.0) + (
            unary("exp", minimum(x, 0.0)) - 1.0) * node.alpha
    below = unary("expm1", x) if form == "expm1" else unary("exp", x) - 1.0
    return select(compare("ogt", x, 0.0), x, below * node.alpha)


def leaky_relu(style, node, x):
    form = style("leaky_relu")
    if form == "parts":
        return maximum(x, 0.0) + minimum(x, 0.0) * node.slope
    if form == "max":
        return maximum(x, x * node.slope)
    return select(compare("ogt", x, 0.0), x, x * node.slope)


def prelu(style, node, x, axis):
    weight = parameter(node.parameters["weight"], [axis])
    if style("prelu") == "parts":
        return maximum(x, 0.0) + weight * minimum(x, 0.0)
    return select(compare("ogt", x, 0.0), x, x * weight)


def softplus(style, node, x):
    """log1p of the exponential, linear where that is out of reach."""
    y = unary("log1p", unary("exp", x))
    return select(compare("ogt", x, 20.0), x, y)


def selu(style, node, x):
    alpha, scale = 1.6732632423543772, 1.0507009873554805
    return select(compare("ogt", x, 0.0), x * scale,
                  (unary("exp", x) - 1.0) * (alpha * scale))


def celu(style, node, x):
    return maximum(x, 0.0) + minimum(
        (unary("exp", x / node.alpha) - 1.0) * node.alpha, 0.0)


def relu6(style, node, x):
    if style("relu6") == "two":
        return minimum(maximum(x, 0.0), 6.0)
    return clamp(x, 0.0, 6.0)


UNARY = {
    "relu": lambda style, node, x: maximum(x, 0.0),
    "relu6": relu6,
    "hardtanh": lambda style, node, x: minimum(maximum(x, -1.0), 1.0),
    "clamp": lambda style, node, x: clamp(x, node.low, node.high),
    "sigmoid": sigmoid,
    "tanh": lambda style, node, x: unary("tanh", x),
    "hardsigmoid": hardsigmoid,
    "hardswish": hardswish,
    "silu": silu,
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "elu": elu,
    "celu": celu,
    "selu": selu,
    "softplus": softplus,
    "mish": lambda style, node, x: x * unary("tanh", softplus(style, node, x)),
    "quick_gelu": lambda style, node, x: x * sigmoid(style, node, x * 1.702),
    "neg": lambda style, node, x: unary("neg", x),
    "sin": lambda style, node, x: unary("sin", x),
    "cos": lambda style, node, x: unary("cos", x),
    "pow3": lambda style, node, x: unary("pow3", x),
    "leaky_relu": leaky_relu,
    "sqrt": lambda style, node, x: unary("sqrt", x),
    "add_scalar": lambda style, node, x: x + node.number,
    "rsub_scalar": lambda style, node, x: node.number - x,
    "sub_scalar": lambda style, node, x: x - node.number,
    "mul_scalar": lambda style, node, x: x * node.number,
}

# Those that torch-mlir writes as one op for each operation.
IN_STEPS = {"relu6", "hardtanh", "hardsigmoid", "hardswish", "silu", "elu",
            "leaky_relu", "prelu", "gelu_tanh", "celu", "selu", "softplus", "mish",
            "quick_gelu"}


def batch_norm(style, node, x, axis):
    """Without the forms that compute with parameters beforehand."""
    weight, bias, mean, var = (
        parameter(node.parameters[name], [axis])
        for name in ("weight", "bias", "mean", "var"))
    form = style("batch_norm")
    if form == "scaled":
        p = {name: data.astype(np.float64)
             for name, data in node.parameters.items()}
        scale = p["weight"] / np.sqrt(p["var"] + node.eps)
        shift = p["bias"] - p["mean"] * scale
        return (x * parameter(scale.astype(np.float32), [axis]) +
                parameter(shift.astype(np.float32), [axis]))
    if form in ("sqrt_div", "full"):
        return (x - mean) * weight / unary("sqrt", var + node.eps) + bias
    return (x - mean) * unary("rsqrt", var + node.eps) * weight + bias

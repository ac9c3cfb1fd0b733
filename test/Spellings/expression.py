# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise formulas, before it is decided which ops compute what of them.

    x = leaf(value)
    x * clamp(x + 3.0, 0.0, 6.0) / 6.0

may become one region, an op for each operation, or anything in between.
"""

COMPARISONS = ("ogt", "oge", "olt", "ole")


class Expression:
    """An operation, a number, or a tensor. Dimension i of the tensor is
    dimension dims[i] of the result (None: it has all of them). `data` instead
    of `value` is a parameter that the text doesn't have yet."""

    def __init__(self, op, args=(), number=None, value=None, data=None,
                 dims=None):
        self.op, self.args, self.number = op, tuple(args), number
        self.value, self.data, self.dims = value, data, dims

    def __add__(self, other):
        return Expression("add", (self, _wrap(other)))

    def __radd__(self, other):
        return Expression("add", (_wrap(other), self))

    def __sub__(self, other):
        return Expression("sub", (self, _wrap(other)))

    def __rsub__(self, other):
        return Expression("sub", (_wrap(other), self))

    def __mul__(self, other):
        return Expression("mul", (self, _wrap(other)))

    def __rmul__(self, other):
        return Expression("mul", (_wrap(other), self))

    def __truediv__(self, other):
        return Expression("div", (self, _wrap(other)))

    def __rtruediv__(self, other):
        return Expression("div", (_wrap(other), self))

    def leaves(self):
        if self.op == "leaf":
            return [self]
        return [leaf for arg in self.args for leaf in arg.leaves()]


def _wrap(operand):
    if isinstance(operand, Expression):
        return operand
    return Expression("number", number=float(operand))


def leaf(value, dims=None):
    return Expression("leaf", value=value, dims=dims)


def parameter(data, dims):
    return Expression("leaf", data=data, dims=dims)


def number(value):
    return _wrap(value)


def unary(op, x):
    return Expression(op, (_wrap(x),))


def maximum(x, y):
    return Expression("max", (_wrap(x), _wrap(y)))


def minimum(x, y):
    return Expression("min", (_wrap(x), _wrap(y)))


def clamp(x, low, high):
    """The bounds are numbers."""
    return Expression("clamp", (x, number(low), number(high)))


def compare(predicate, x, y):
    return Expression(predicate, (_wrap(x), _wrap(y)))


def select(condition, x, y):
    return Expression("select", (condition, _wrap(x), _wrap(y)))

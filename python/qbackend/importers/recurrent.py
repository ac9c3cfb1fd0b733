# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LSTM, GRU and plain cells, step by step."""

from __future__ import annotations

from typing import Callable, List, Optional, Sequence, Tuple

from . import dims, movement
from .builder import Builder, Value
from .errors import ImportFailure
from .products import linear
from .scalars import Scalar

#: Weights of one layer and direction: of the input, of the state, and biases.
Weights = Tuple[Value, Value, Optional[Value], Optional[Value]]
#: State and gates of the input to the new state.
Step = Callable[[List[Value], Value, Weights], List[Value]]


def _sigmoid(x: Scalar) -> Scalar:
    return 1.0 / ((-x).exp() + 1.0)


def gates_of(g: Builder, y: Value, count: int) -> List[Value]:
    width = dims.static(y.shape[-1], "the width of a cell") // count
    return movement.split(g, y, [width] * count, -1)


def lstm_step(g: Builder) -> Step:
    """i, f, g, o; c' = f c + i g, h' = o tanh(c')."""
    def step(state: List[Value], given: Value, w: Weights) -> List[Value]:
        hidden, cell = state
        sums = g.map([given, linear(g, hidden, w[1], w[3])], lambda a, b: a + b)
        i, f, n, o = gates_of(g, sums, 4)
        i, f, o = (g.map([v], _sigmoid) for v in (i, f, o))
        n = g.map([n], lambda v: v.unary("tanh"))
        cell = g.map([f, cell, i, n], lambda f, c, i, n: f * c + i * n)
        tanh = g.map([cell], lambda v: v.unary("tanh"))
        return [g.map([o, tanh], lambda a, b: a * b), cell]

    return step


def gru_step(g: Builder, reset_behind: bool = True) -> Step:
    """r, z, n; n = tanh(W x + b + r (U h + b)), h' = (1 - z) n + z h. The other
    kind of GRU resets the state before it is multiplied: U (r h)."""
    def step(state: List[Value], given: Value, w: Weights) -> List[Value]:
        hidden, = state
        a = gates_of(g, given, 3)
        b = gates_of(g, linear(g, hidden, w[1], w[3]), 3)
        r, z = (g.map([g.map([p, q], lambda p, q: p + q)], _sigmoid)
                for p, q in zip(a[:2], b[:2]))
        if reset_behind:
            n = g.map([a[2], r, b[2]], lambda p, r, q: (p + r * q).unary("tanh"))
        else:
            reset = g.map([r, hidden], lambda r, h: r * h)
            last = gates_of(g, linear(g, reset, w[1], w[3]), 3)[2]
            n = g.map([a[2], last], lambda p, q: (p + q).unary("tanh"))
        return [g.map([n, z, hidden], lambda n, z, h: (h - n) * z + n)]

    return step


def plain_step(g: Builder, relu: bool) -> Step:
    def step(state: List[Value], given: Value, w: Weights) -> List[Value]:
        hidden, = state
        sums = g.map([given, linear(g, hidden, w[1], w[3])], lambda a, b: a + b)
        return [g.map([sums], lambda v: v.max(0.0) if relu else v.unary("tanh"))]

    return step


def run(g: Builder, x: Value, states: Sequence[Value], weights: Sequence[Weights],
        layers: int, bidirectional: bool, batch_first: bool, step: Step
        ) -> Tuple[Value, List[Value]]:
    """The whole sequence x, [T, N, C] or, without a batch, [T, C]. `states` are
    [layers * directions, N, H]. Gives the last layer's states at each step and
    all final states."""
    if x.rank == 2:
        y, last = run(g, movement.unsqueeze(g, x, 1),
                      [movement.unsqueeze(g, s, 1) for s in states], weights,
                      layers, bidirectional, False, step)
        return (movement.squeeze(g, y, [1]),
                [movement.squeeze(g, s, [1]) for s in last])
    if x.rank != 3:
        raise ImportFailure(f"a sequence of shape {dims.text(x.shape)}")
    if batch_first:
        x = movement.swap(g, x, 0, 1)
    length = dims.static(x.shape[0], "the length of a recurrent layer's sequence")
    if not 0 < length <= 4096:
        raise ImportFailure(f"a sequence of {length} steps, expected 1 to 4096")
    directions = 2 if bidirectional else 1
    if len(weights) != layers * directions:
        raise ImportFailure(f"{len(weights)} sets of weights for {layers} layers "
                            f"of {directions} directions")
    final: List[List[Value]] = [[] for _ in states]
    for layer in range(layers):
        outputs = []
        for direction in range(directions):
            k = layer * directions + direction
            w = weights[k]
            state = [movement.select(g, s, 0, k) for s in states]
            # The gates of all steps at once.
            given = linear(g, x, w[0], w[2])
            order = range(length) if direction == 0 else range(length - 1, -1, -1)
            rows: List[Optional[Value]] = [None] * length
            for t in order:
                state = step(state, movement.select(g, given, 0, t), w)
                rows[t] = state[0]
            outputs.append(movement.stack(g, [r for r in rows if r is not None],
                                          0))
            for kept, s in zip(final, state):
                kept.append(s)
        x = movement.concat(g, outputs, 2)
    if batch_first:
        x = movement.swap(g, x, 0, 1)
    return x, [movement.stack(g, kept, 0) for kept in final]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LSTM, GRU and RNN of ONNX: other orders of gates than PyTorch's."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

import numpy as np

from .. import dims, movement, recurrent
from ..builder import Value
from ..errors import ImportFailure
from .table import Context, op

_ATTRIBUTES = ("activation_alpha activation_beta activations clip direction "
               "hidden_size input_forget layout linear_before_reset")


def _reordered(o: Context, x: Value, order: Sequence[int]) -> Value:
    """The gates, along the first dimension, in PyTorch's order."""
    if list(order) == list(range(len(order))):
        return x
    size = dims.static(x.shape[0], "the gates") // len(order)
    parts = movement.split(o.g, x, [size] * len(order), 0)
    if x.data is not None:
        return o.g.parameter(np.concatenate([
            x.data[k * size:(k + 1) * size] for k in order]), x.element)
    return movement.concat(o.g, [parts[k] for k in order], 0)


def _run(o: Context, x: Value, w: Value, r: Value, b: Optional[Value],
         lengths: Optional[Value], states: List[Optional[Value]],
         order: Sequence[int], step: recurrent.Step,
         usual: Sequence[str]) -> Any:
    direction = o.get("direction", "forward")
    if direction not in ("forward", "bidirectional", "reverse"):
        raise ImportFailure(f"the direction {direction!r}")
    count = 2 if direction == "bidirectional" else 1
    if o.get("clip", 0.0) or o.get("input_forget", 0):
        raise ImportFailure("clip and input_forget are not supported")
    batch_first = bool(o.get("layout", 0))
    if batch_first:
        x = movement.swap(o.g, x, 0, 1)
        states = [s if s is None else movement.swap(o.g, s, 0, 1) for s in states]
    activations = [a.lower() for a in o.get("activations", [])]
    if activations and activations != list(usual) * count:
        raise ImportFailure(f"the activations {activations}")
    if lengths is not None and (lengths.data is None or (
            lengths.data != x.shape[0]).any()):
        raise ImportFailure("sequences of several lengths")
    hidden = dims.static(r.shape[-1], "the width of the state")
    gates = len(order)
    if direction == "reverse":
        x = movement.flip(o.g, x, [0])
    sets: List[recurrent.Weights] = []
    for k in range(count):
        biases: List[Optional[Value]] = [None, None]
        if b is not None:
            row = movement.select(o.g, b, 0, k)
            biases = [_reordered(o, part, order) for part in movement.split(
                o.g, row, [gates * hidden] * 2, 0)]
        sets.append((_reordered(o, _row(o, w, k), order),
                     _reordered(o, _row(o, r, k), order), biases[0], biases[1]))
    shape = (count, x.shape[1], hidden)
    given = [o.g.full(shape, 0, x.element) if s is None else s for s in states]
    y, final = recurrent.run(o.g, x, given, sets, 1, count == 2, False, step)
    if direction == "reverse":
        y = movement.flip(o.g, y, [0])
    # [T, N, D * H] to [T, D, N, H]
    y = movement.reshape(o.g, y, (*y.shape[:2], count, hidden))
    if batch_first:
        # [N, T, D, H], and states [N, D, H].
        return (movement.swap(o.g, y, 0, 1),
                *(movement.swap(o.g, s, 0, 1) for s in final))
    return (movement.transpose(o.g, y, [0, 2, 1, 3]), *final)


def _row(o: Context, x: Value, k: int) -> Value:
    """A direction's weight; it stays a parameter."""
    if x.data is not None:
        return o.g.parameter(x.data[k], x.element)
    return movement.select(o.g, x, 0, k)


@op("LSTM", _ATTRIBUTES)
def lstm(o: Context, x: Value, w: Value, r: Value, b: Optional[Value] = None,
         lengths: Optional[Value] = None, h: Optional[Value] = None,
         c: Optional[Value] = None, p: Optional[Value] = None) -> Any:
    if p is not None:
        raise ImportFailure("an LSTM with peepholes")
    return _run(o, x, w, r, b, lengths, [h, c], [0, 2, 3, 1],
                recurrent.lstm_step(o.g), ("sigmoid", "tanh", "tanh"))


@op("GRU", _ATTRIBUTES)
def gru(o: Context, x: Value, w: Value, r: Value, b: Optional[Value] = None,
        lengths: Optional[Value] = None, h: Optional[Value] = None) -> Any:
    step = recurrent.gru_step(o.g, bool(o.get("linear_before_reset", 0)))
    return _run(o, x, w, r, b, lengths, [h], [1, 0, 2], step, ("sigmoid", "tanh"))


@op("RNN", _ATTRIBUTES)
def rnn(o: Context, x: Value, w: Value, r: Value, b: Optional[Value] = None,
        lengths: Optional[Value] = None, h: Optional[Value] = None) -> Any:
    activations = [a.lower() for a in o.get("activations", [])]
    relu = bool(activations) and activations[0] == "relu"
    return _run(o, x, w, r, b, lengths, [h], [0],
                recurrent.plain_step(o.g, relu), ("relu" if relu else "tanh",))

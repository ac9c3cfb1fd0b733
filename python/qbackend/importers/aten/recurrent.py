# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LSTM, GRU, plain recurrent layers, and their cells."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from .. import products, recurrent
from ..builder import Builder, Value
from ..errors import ImportFailure
from .table import op


def _weights(params: Sequence[Value],
             has_biases: bool) -> List[recurrent.Weights]:
    each = 4 if has_biases else 2
    if not params or len(params) % each:
        raise ImportFailure(f"{len(params)} weights of a recurrent layer, expected "
                            f"a multiple of {each}")
    sets: List[recurrent.Weights] = []
    for i in range(0, len(params), each):
        w = params[i:i + each]
        sets.append((w[0], w[1], w[2] if has_biases else None,
                     w[3] if has_biases else None))
    return sets


def _evaluated(train: bool, dropout: float) -> None:
    if train and dropout:
        raise ImportFailure("a recurrent layer with dropout in training: export "
                            "the model after eval()")


@op("lstm.input")
def lstm(g: Builder, input: Value, hx: Sequence[Value], params: Sequence[Value],
         has_biases: bool, num_layers: int, dropout: float, train: bool,
         bidirectional: bool, batch_first: bool) -> Any:
    _evaluated(train, dropout)
    if len(hx) != 2:
        raise ImportFailure(f"an LSTM with {len(hx)} states, expected 2")
    y, (hidden, cell) = recurrent.run(
        g, input, hx, _weights(params, has_biases), num_layers, bidirectional,
        batch_first, recurrent.lstm_step(g))
    return y, hidden, cell


def _single(g: Builder, step: recurrent.Step, input: Value, hx: Value,
            params: Sequence[Value], has_biases: bool, num_layers: int,
            dropout: float, train: bool, bidirectional: bool,
            batch_first: bool) -> Any:
    _evaluated(train, dropout)
    y, (hidden,) = recurrent.run(g, input, [hx], _weights(params, has_biases),
                                 num_layers, bidirectional, batch_first, step)
    return y, hidden


@op("gru.input")
def gru(g: Builder, input: Value, hx: Value, params: Sequence[Value],
        has_biases: bool, num_layers: int, dropout: float, train: bool,
        bidirectional: bool, batch_first: bool) -> Any:
    return _single(g, recurrent.gru_step(g), input, hx, params, has_biases,
                   num_layers, dropout, train, bidirectional, batch_first)


@op("rnn_tanh.input")
def rnn_tanh(g: Builder, input: Value, hx: Value, params: Sequence[Value],
             has_biases: bool, num_layers: int, dropout: float, train: bool,
             bidirectional: bool, batch_first: bool) -> Any:
    return _single(g, recurrent.plain_step(g, False), input, hx, params,
                   has_biases, num_layers, dropout, train, bidirectional,
                   batch_first)


@op("rnn_relu.input")
def rnn_relu(g: Builder, input: Value, hx: Value, params: Sequence[Value],
             has_biases: bool, num_layers: int, dropout: float, train: bool,
             bidirectional: bool, batch_first: bool) -> Any:
    return _single(g, recurrent.plain_step(g, True), input, hx, params, has_biases,
                   num_layers, dropout, train, bidirectional, batch_first)


@op("lstm_cell")
def lstm_cell(g: Builder, input: Value, hx: Sequence[Value], w_ih: Value,
              w_hh: Value, b_ih: Optional[Value] = None,
              b_hh: Optional[Value] = None) -> Any:
    hidden, cell = recurrent.lstm_step(g)(
        list(hx), products.linear(g, input, w_ih, b_ih), (w_ih, w_hh, b_ih, b_hh))
    return hidden, cell


def _cell(g: Builder, step: recurrent.Step, input: Value, hx: Value, w_ih: Value,
          w_hh: Value, b_ih: Optional[Value], b_hh: Optional[Value]) -> Value:
    return step([hx], products.linear(g, input, w_ih, b_ih),
                (w_ih, w_hh, b_ih, b_hh))[0]


@op("gru_cell")
def gru_cell(g: Builder, input: Value, hx: Value, w_ih: Value, w_hh: Value,
             b_ih: Optional[Value] = None, b_hh: Optional[Value] = None) -> Value:
    return _cell(g, recurrent.gru_step(g), input, hx, w_ih, w_hh, b_ih, b_hh)


@op("rnn_tanh_cell")
def rnn_tanh_cell(g: Builder, input: Value, hx: Value, w_ih: Value, w_hh: Value,
                  b_ih: Optional[Value] = None,
                  b_hh: Optional[Value] = None) -> Value:
    return _cell(g, recurrent.plain_step(g, False), input, hx, w_ih, w_hh, b_ih,
                 b_hh)


@op("rnn_relu_cell")
def rnn_relu_cell(g: Builder, input: Value, hx: Value, w_ih: Value, w_hh: Value,
                  b_ih: Optional[Value] = None,
                  b_hh: Optional[Value] = None) -> Value:
    return _cell(g, recurrent.plain_step(g, True), input, hx, w_ih, w_hh, b_ih,
                 b_hh)

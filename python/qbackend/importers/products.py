# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices: linear layers, matmul, attention."""

from __future__ import annotations

import math
from typing import Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import dims, movement
from .builder import Builder, Value, broadcast, identity
from .elements import BOOL, F32, promoted
from .errors import ImportFailure
from .reductions import softmax
from .scalars import Scalar, TextBody


def mm(g: Builder, a: Value, b: Value, init: Optional[Value] = None) -> Value:
    """[m, k] by [k, n]."""
    if a.rank != 2 or b.rank != 2 or a.shape[1] != b.shape[0]:
        raise ImportFailure(f"matrices of shapes {dims.text(a.shape)} and "
                            f"{dims.text(b.shape)} can't be multiplied")
    element = promoted(a.element, b.element)
    a, b = g.cast(a, element), g.cast(b, element)
    shape = (a.shape[0], b.shape[1])
    init = init or g.filled(shape, 0, element, [a, b])
    return g.op(f"linalg.matmul ins({g.typed(a, b)}) outs({g.typed(init)}) -> "
                f"{init.type}", shape, element)


def bmm(g: Builder, a: Value, b: Value) -> Value:
    if a.rank != 3 or b.rank != 3 or a.shape[2] != b.shape[1] or (
            a.shape[0] != b.shape[0]):
        raise ImportFailure(f"batches of shapes {dims.text(a.shape)} and "
                            f"{dims.text(b.shape)} can't be multiplied")
    element = promoted(a.element, b.element)
    a, b = g.cast(a, element), g.cast(b, element)
    shape = (a.shape[0], a.shape[1], b.shape[2])
    init = g.filled(shape, 0, element, [a, b])
    return g.op(f"linalg.batch_matmul ins({g.typed(a, b)}) outs({g.typed(init)}) "
                f"-> {init.type}", shape, element)


def matmul(g: Builder, a: Value, b: Value) -> Value:
    """NumPy's: vectors, matrices, and batches that broadcast."""
    if not a.rank or not b.rank:
        raise ImportFailure("matmul of a number")
    if a.rank == 1 and b.rank == 1:
        y = mm(g, movement.unsqueeze(g, a, 0), movement.unsqueeze(g, b, 1))
        return movement.reshape(g, y, ())
    if a.rank == 1:
        y = matmul(g, movement.unsqueeze(g, a, 0), b)
        return movement.reshape(g, y, (*y.shape[:-2], y.shape[-1]))
    if b.rank == 1:
        y = matmul(g, a, movement.unsqueeze(g, b, 1))
        return movement.reshape(g, y, y.shape[:-1])
    if a.shape[-1] != b.shape[-2]:
        raise ImportFailure(f"matrices of shapes {dims.text(a.shape)} and "
                            f"{dims.text(b.shape)} can't be multiplied")
    if b.rank == 2:
        # Rows of all batches at once, as a linear layer.
        y = mm(g, rows_of(g, a), b)
        return movement.reshape(g, y, (*a.shape[:-1], b.shape[1]), [a])
    batch = broadcast(a.shape[:-2], b.shape[:-2])
    count = dims.product(batch)

    def flat(x: Value) -> Value:
        x = g.spread(x, (*batch, *x.shape[-2:]))
        return movement.reshape(g, x, (count, *x.shape[-2:]))

    y = bmm(g, flat(a), flat(b))
    return movement.reshape(g, y, (*batch, a.shape[-2], b.shape[-1]), [a, b])


def rows_of(g: Builder, x: Value) -> Value:
    if x.rank == 2:
        return x
    return movement.reshape(g, x, (dims.product(x.shape[:-1]), x.shape[-1]))


def linear(g: Builder, x: Value, weight: Value,
           bias: Optional[Value] = None) -> Value:
    """`x @ weight.T + bias`; weight is [out, in], or [in]."""
    if weight.rank == 1:
        y = matmul(g, x, weight)
        return y if bias is None else g.map([y, bias], lambda a, b: a + b)
    if weight.rank != 2 or not x.rank or x.shape[-1] != weight.shape[1]:
        raise ImportFailure(
            f"a linear layer has a weight of shape {dims.text(weight.shape)} and "
            f"an input of shape {dims.text(x.shape)}")
    leading = x.shape[:-1]
    rows = (rows_of(g, x) if x.rank > 1 else movement.unsqueeze(g, x, 0))
    y = mm(g, rows, movement.transpose(g, weight, [1, 0]))
    if bias is not None:
        y = g.map([y, bias], lambda a, b: a + b)
    return movement.reshape(g, y, (*leading, weight.shape[0]), [x])


def addmm(g: Builder, c: Value, a: Value, b: Value, beta: float,
          alpha: float) -> Value:
    """`beta * c + alpha * (a @ b)`, matrices or batches of them."""
    y = mm(g, a, b) if a.rank == 2 else bmm(g, a, b)
    if alpha != 1:
        y = g.map([y], lambda p: p * alpha)
    if beta == 0:
        return y
    if beta != 1:
        c = g.map([c], lambda v: v * beta)
    return g.map([y, c], lambda p, v: p + v, y.element)


def attention(g: Builder, query: Value, key: Value, value: Value,
              mask: Optional[Value], causal: bool, scale: Optional[float],
              grouped: bool = False) -> Value:
    """softmax(q k^T * scale + mask) v. A mask of truth values keeps; a row that
    keeps nothing gives 0."""
    if scale is None:
        width = dims.static(query.shape[-1], "the width of attention's heads")
        scale = 1 / math.sqrt(width)
    if grouped:
        heads = dims.static(query.shape[-3], "the number of heads")
        few = dims.static(key.shape[-3], "the number of heads of the key")
        if few == 0 or heads % few:
            raise ImportFailure(f"{heads} heads share {few}")
        key, value = (_repeat_heads(g, x, heads // few) for x in (key, value))
    scores = matmul(g, query, movement.swap(g, key, -1, -2))
    number = float(scale)
    scores = g.map([scores], lambda s: s * number)
    if causal:
        rows, columns = scores.shape[-2:]
        if isinstance(rows, int) and isinstance(columns, int):
            mask = g.constant(np.tril(np.ones((rows, columns), bool)))
        else:
            scores = _lower_triangle(g, scores)
    if mask is None:
        return matmul(g, softmax(g, scores, -1), value)
    low = float("-inf")
    if (mask.element == BOOL and scores.element == F32 and
            mask.data is not None and mask.data.any(-1).all()):
        # As ATen's own sum of scores and mask, an operator; each row keeps something.
        mask = g.constant(np.where(mask.data, np.float32(0), np.float32(low)))
    if mask.element != BOOL:
        weights = softmax(g, g.map([scores, mask], lambda s, m: s + m), -1)
        return matmul(g, weights, value)
    masked = g.map([scores, mask],
                   lambda s, keep: keep.select(s, s.body.number(low, s.element)))
    weights = softmax(g, masked, -1)
    if not (mask.data is not None and mask.data.any(-1).all()):
        some = g.reduce(mask, [-1], "or", keepdim=True)
        weights = g.map([weights, some], lambda w, any_: any_.select(
            w, w.body.number(0, w.element)))
    return matmul(g, weights, value)


def _lower_triangle(g: Builder, scores: Value) -> Value:
    """-inf where a key comes after its query."""
    last = scores.rank - 1

    def body(text: TextBody, s: Scalar, out: Scalar) -> Scalar:
        before = text.position(last) <= text.position(last - 1)
        return before.select(s, text.number(float("-inf"), s.element))

    return g.generic([(scores, identity(scores.rank))],
                     g.empty(scores.shape, scores.element, [scores]), body)


def _repeat_heads(g: Builder, x: Value, times: int) -> Value:
    if times == 1:
        return x
    head = x.axis(-3)
    wide = movement.unsqueeze(g, x, head + 1)
    shape = list(wide.shape)
    shape[head + 1] = times
    return movement.reshape(g, g.spread(wide, shape), (
        *x.shape[:head], x.shape[head] * times, *x.shape[head + 1:]))


def einsum(g: Builder, equation: str, operands: Sequence[Value]) -> Value:
    """Any equation without `...` on one side only; two operands at a time."""
    equation = equation.replace(" ", "")
    inputs_text, arrow, output = equation.partition("->")
    terms = inputs_text.split(",")
    if len(terms) != len(operands):
        raise ImportFailure(f"einsum '{equation}' has {len(operands)} operands")
    terms, output = _without_dots(terms, output, bool(arrow), operands)
    extents: Dict[str, dims.Extent] = {}
    values: List[Value] = []
    for k, (term, x) in enumerate(zip(terms, operands)):
        if len(term) != x.rank:
            raise ImportFailure(
                f"einsum '{equation}' with a tensor of shape {dims.text(x.shape)}")
        if len(set(term)) != len(term):
            raise ImportFailure(f"einsum '{equation}' takes a diagonal")
        for letter, extent in zip(term, x.shape):
            if extents.get(letter, 1) == 1:
                extents[letter] = extent
        values.append(x)
    current, letters = values[0], terms[0]
    for k in range(1, len(values)):
        later = set(output).union(*terms[k + 1:])
        current, letters = _pair(g, current, letters, values[k], terms[k], later,
                                 extents)
    gone = [i for i, letter in enumerate(letters) if letter not in output]
    if gone:
        current = g.reduce(current, gone, "add")
        letters = "".join(l for l in letters if l in output)
    if set(letters) != set(output):
        raise ImportFailure(f"einsum '{equation}' has no operand for its result")
    return movement.transpose(g, current, [letters.index(l) for l in output])


def _without_dots(terms: List[str], output: str, arrow: bool,
                  operands: Sequence[Value]) -> Tuple[List[str], str]:
    used = set("".join(terms) + output)
    spare = [c for c in "ZYXWVUTSRQPONMLKJIHGFEDCBA" if c not in used]
    most = 0
    for k, (term, x) in enumerate(zip(terms, operands)):
        if "..." in term:
            count = x.rank - len(term) + 3
            if count < 0 or count > len(spare):
                raise ImportFailure(f"einsum with '{term}' of rank {x.rank}")
            most = max(most, count)
            terms[k] = term.replace(
                "...", "".join(reversed(spare[:count])))
    dots = "".join(reversed(spare[:most]))
    if not arrow:
        everything = "".join(terms)
        output = dots + "".join(sorted(
            c for c in set(everything)
            if everything.count(c) == 1 and c not in dots))
    return terms, output.replace("...", dots)


def _pair(g: Builder, a: Value, a_letters: str, b: Value, b_letters: str,
          later: "set[str]", extents: Dict[str, dims.Extent]
          ) -> Tuple[Value, str]:
    """One batched product of both; letters of one operand that nothing reads
    later are summed first."""
    a, a_letters = _summed(g, a, a_letters, later | set(b_letters))
    b, b_letters = _summed(g, b, b_letters, later | set(a_letters))
    shared = [l for l in a_letters if l in b_letters]
    batch = [l for l in shared if l in later]
    inner = [l for l in shared if l not in later]
    left = [l for l in a_letters if l not in shared]
    right = [l for l in b_letters if l not in shared]

    def arranged(x: Value, letters: str, groups: Sequence[List[str]]) -> Value:
        order = [l for group in groups for l in group]
        x = movement.transpose(g, x, [letters.index(l) for l in order])
        x = g.spread(x, [extents[l] if l in shared else e
                         for l, e in zip(order, x.shape)])
        return movement.reshape(g, x, [
            dims.product(extents[l] for l in group) for group in groups])

    y = bmm(g, arranged(a, a_letters, [batch, left, inner]),
            arranged(b, b_letters, [batch, inner, right]))
    letters = batch + left + right
    return (movement.reshape(g, y, [extents[l] for l in letters], [a, b]),
            "".join(letters))


def _summed(g: Builder, x: Value, letters: str,
            needed: "set[str]") -> Tuple[Value, str]:
    gone = [i for i, l in enumerate(letters) if l not in needed]
    if not gone:
        return x, letters
    return (g.reduce(x, gone, "add"),
            "".join(l for l in letters if l in needed))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Extents of tensors: integers, and polynomials of extents that are known when
the network runs."""

from __future__ import annotations

from typing import Dict, Iterable, List, Sequence, Tuple, Union

from .errors import ImportFailure

#: The name of a symbol, or an operation on extents that is no polynomial.
Atom = Union[str, Tuple[str, "Extent", "Extent"]]
_Monomial = Tuple[Atom, ...]


class Dim:
    """A polynomial of symbols with integer coefficients. Equal ones are equal
    values; one without symbols is an `int` instead (see `_make`)."""

    __slots__ = ("terms", "_key")

    def __init__(self, terms: Dict[_Monomial, int]):
        self.terms = terms
        self._key = tuple(
            sorted(((tuple(map(str, m)), c) for m, c in terms.items()))
        )

    @staticmethod
    def symbol(name: str) -> "Dim":
        return Dim({(name,): 1})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __str__(self) -> str:
        parts = []
        for monomial, coefficient in sorted(
            self.terms.items(), key=lambda term: tuple(map(str, term[0]))
        ):
            factors = [str(atom) for atom in monomial]
            if coefficient != 1 or not factors:
                factors.insert(0, str(coefficient))
            parts.append("*".join(factors))
        return " + ".join(parts)

    __repr__ = __str__

    def __add__(self, other: "Extent") -> "Extent":
        terms = dict(self.terms)
        for monomial, coefficient in _terms(other).items():
            terms[monomial] = terms.get(monomial, 0) + coefficient
        return _make(terms)

    __radd__ = __add__

    def __mul__(self, other: "Extent") -> "Extent":
        terms: Dict[_Monomial, int] = {}
        for a, x in self.terms.items():
            for b, y in _terms(other).items():
                monomial = tuple(sorted(a + b, key=str))
                terms[monomial] = terms.get(monomial, 0) + x * y
        return _make(terms)

    __rmul__ = __mul__

    def __neg__(self) -> "Extent":
        return self * -1

    def __sub__(self, other: "Extent") -> "Extent":
        return self + other * -1

    def __rsub__(self, other: "Extent") -> "Extent":
        return self * -1 + other

    def __floordiv__(self, other: "Extent") -> "Extent":
        return floordiv(self, other)

    def __rfloordiv__(self, other: "Extent") -> "Extent":
        return floordiv(other, self)


Extent = Union[int, Dim]
Shape = Tuple[Extent, ...]


def _terms(value: Extent) -> Dict[_Monomial, int]:
    if isinstance(value, Dim):
        return value.terms
    return {(): value} if value else {}


def _make(terms: Dict[_Monomial, int]) -> Extent:
    terms = {m: c for m, c in terms.items() if c}
    if not terms:
        return 0
    if list(terms) == [()]:
        return terms[()]
    return Dim(terms)


def divided(a: Extent, b: Extent) -> Union[Extent, None]:
    """`a / b` if that is a polynomial, for a `b` of one term; else None."""
    if isinstance(a, int) and isinstance(b, int):
        return a // b if b and a % b == 0 else None
    if a == b:
        return 1
    divisor = _terms(b)
    if len(divisor) != 1:
        return None
    ((factors, number),) = divisor.items()
    result: Dict[_Monomial, int] = {}
    for monomial, coefficient in _terms(a).items():
        rest: List[Atom] = list(monomial)
        for atom in factors:
            if atom not in rest:
                return None
            rest.remove(atom)
        if coefficient % number:
            return None
        result[tuple(rest)] = coefficient // number
    return _make(result)


def floordiv(a: Extent, b: Extent) -> Extent:
    if b == 0:
        raise ImportFailure(f"an extent is {a} divided by 0")
    if isinstance(a, int) and isinstance(b, int):
        return a // b
    exact = divided(a, b)
    return Dim({(("floordiv", a, b),): 1}) if exact is None else exact


def mod(a: Extent, b: Extent) -> Extent:
    if isinstance(a, int) and isinstance(b, int) and b:
        return a % b
    return a - floordiv(a, b) * b


def largest(a: Extent, b: Extent) -> Extent:
    if isinstance(a, int) and isinstance(b, int):
        return max(a, b)
    return a if a == b else Dim({(("max", a, b),): 1})


def smallest(a: Extent, b: Extent) -> Extent:
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    return a if a == b else Dim({(("min", a, b),): 1})


def product(extents: Iterable[Extent]) -> Extent:
    result: Extent = 1
    for extent in extents:
        result = result * extent
    return result


def static(extent: Extent, what: str) -> int:
    if isinstance(extent, int):
        return extent
    raise ImportFailure(f"{what} is dynamic ({extent}), expected a known extent")


def all_static(shape: Sequence[Extent]) -> bool:
    return all(isinstance(extent, int) for extent in shape)


def integers(shape: Sequence[Extent]) -> Tuple[int, ...]:
    """A shape that is known."""
    return tuple(static(extent, "a shape") for extent in shape)


def text(shape: Sequence[Extent]) -> str:
    return "[" + ", ".join(map(str, shape)) + "]"

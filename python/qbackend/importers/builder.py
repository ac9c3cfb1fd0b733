# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of a module, written op by op: linalg on tensors in the forms that
the recognisers of `lib/Operators` are tested with.

More than 600 lines, as each kind of op is a few lines on the text of one function.
What has only small constants as operands is evaluated at once. Parameters of a
network stay constants of their own, in the form of the file, once each.
"""

from __future__ import annotations

import contextlib
import dataclasses
import re
from typing import (Any, Callable, Dict, Iterator, List, Optional, Sequence, Set,
                    Tuple)

import numpy as np

from . import dims
from .dims import Dim, Extent, Shape
from .elements import (
    BF16,
    F32,
    I8,
    I64,
    INDEX,
    Array,
    Element,
    converted,
    of_array,
    widen_bfloat16,
)
from .errors import ImportFailure
from .scalars import ArrayBody, Number, Scalar, TextBody, number_text

#: Constants of more elements than this are resources, not text.
_INLINE = 32
#: Results of more elements than this are computed when the network runs.
_FOLDED = 1 << 20
_FOLDED_FLOAT = 1 << 13
#: The runtime has the same limit for what it allocates.
_MOST_ELEMENTS = 1 << 31


@dataclasses.dataclass(eq=False)
class Value:
    """A tensor. A constant has `data`, and a name from its first use on.
    `parameter`: it is a weight of the network, not to be evaluated."""

    shape: Shape
    element: Element
    name: Optional[str] = None
    data: Optional[Array] = None
    parameter: bool = False
    #: Of a weight in bfloat16: its bits, which are no numbers of NumPy's.
    bits: Optional[Array] = None

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def type(self) -> str:
        return tensor_type(self.shape, self.element)

    @property
    def size(self) -> Extent:
        return dims.product(self.shape)

    def axis(self, axis: int, what: str = "axis") -> int:
        """The axis, which may count from the end."""
        rank = max(self.rank, 1)
        if not -rank <= axis < rank:
            raise ImportFailure(
                f"{what} {axis} is not one of a tensor of shape "
                f"{dims.text(self.shape)}")
        return axis % rank


def tensor_type(shape: Sequence[Extent], element: Element) -> str:
    extents = "".join(f"{'?' if isinstance(e, Dim) else e}x" for e in shape)
    return f"tensor<{extents}{element.name}>"


def quoted(text: str) -> str:
    """A string of MLIR; what isn't printable is escaped byte by byte."""
    return '"' + re.sub(
        r'[^ !#-\[\]-~]', lambda m: "".join(
            f"\\{byte:02X}" for byte in str(m[0]).encode("utf-8", "replace")),
        text) + '"'


def integers(values: Sequence[Any]) -> str:
    return ", ".join(str(value) for value in values)


def identity(rank: int) -> List[str]:
    return [f"d{i}" for i in range(rank)]


def sliding(window: int, tap: int, strides: Sequence[int],
            dilations: Sequence[int]) -> List[str]:
    """Where windows read an image: `stride * window + dilation * tap` in each
    dimension of space, which begin with these two loops."""
    def scaled(loop: int, factor: int) -> str:
        return f"d{loop}" + (f" * {factor}" if factor != 1 else "")

    return [f"{scaled(window + i, s)} + {scaled(tap + i, d)}"
            for i, (s, d) in enumerate(zip(strides, dilations))]


#: An operand of a generic: the tensor, and what it is read by in each dimension.
Read = Tuple[Value, Sequence[str]]


class Builder:
    """Writes one function, `main`."""

    def __init__(self) -> None:
        self.lines: List[str] = []
        self.head: List[str] = []
        self.arguments: List[Tuple[Value, str]] = []
        #: Bytes of resources, by name.
        self.resources: Dict[str, Array] = {}
        #: Start and step of vectors of integers that are steady.
        self.ranges: Dict[Value, Tuple[Extent, int]] = {}
        #: How many results of the operator at hand something reads: those behind
        #: needn't be written.
        self.wanted = 1 << 30
        self._count = 0
        self._once: Dict[Any, str] = {}
        self._folded: Dict[Any, Value] = {}
        self._symbols: Dict[str, str] = {}
        #: Those that an extent such as `2 * s` defines.
        self._derived: Set[str] = set()
        self.locations: Dict[str, str] = {}
        self.location = ""
        #: The classes of modules by path, and PyTorch's operators by location.
        self.module_types: Dict[str, str] = {}
        self.torch_names: Dict[str, str] = {}

    # Names and places.

    def fresh(self) -> str:
        self._count += 1
        return f"%{self._count}"

    @contextlib.contextmanager
    def at(self, name: str, file: str = "", line: int = 0) -> Iterator[None]:
        """What is written inside is located at `name`, which comes from a line
        of a file if that is known."""
        text = f"loc({quoted(name)})" if name else "loc(unknown)"
        if name and file and 0 < line < 1 << 31:
            text = f"loc({quoted(name)}({quoted(file)}:{line}:0))"
        alias = self.locations.setdefault(text, f"#loc{len(self.locations)}")
        before, self.location = self.location, f" loc({alias})"
        try:
            yield
        finally:
            self.location = before

    def argument(self, name: str, shape: Sequence[Extent],
                 element: Element) -> Value:
        """The next argument, which defines symbols of its shape. bfloat16
        is float32 for the caller, whose arrays have no such type, and rounded."""
        edge = F32 if element == BF16 else element
        value = self._value(f"%arg{len(self.arguments)}", shape, edge)
        for axis, extent in enumerate(shape):
            if isinstance(extent, Dim):
                self._define_symbol(value, axis, extent, name,
                                    extent in shape[:axis])
        self.arguments.append((value, name))
        if edge == element:
            return value
        with self.at(name):
            return self.cast(value, element)

    def _define_symbol(self, value: Value, axis: int, extent: Dim,
                       name: str, again: bool) -> None:
        """`c * s + k` says what `s` is, or is checked where that is known, as is
        `s` if it is there `again`, or such an extent defined it. What has other
        symbols isn't."""
        terms = dict(extent.terms)
        constant = terms.pop((), 0)
        if len(terms) != 1:
            return
        ((monomial, factor),) = terms.items()
        if len(monomial) != 1 or not isinstance(monomial[0], str):
            return
        plain = not constant and factor == 1
        again = again or monomial[0] in self._derived
        if plain and monomial[0] in self._symbols and not again:
            return
        size = self.fresh()
        self.head.append(f"{size} = tensor.dim {value.name}, "
                         f"{self.scalar(axis, INDEX)} : {value.type}")
        if monomial[0] not in self._symbols:
            symbol = size
            if constant:
                symbol = self._index("arith.subi", symbol,
                                     self.scalar(constant, INDEX))
            if factor != 1:
                symbol = self._index("arith.floordivsi", symbol,
                                     self.scalar(factor, INDEX))
            self._symbols[monomial[0]] = symbol
            if not plain:
                self._derived.add(monomial[0])
        if again or not plain:
            same = self.fresh()
            message = quoted(f"dim {axis} of '{name}' has to be {extent}")
            self.head.append(f"{same} = arith.cmpi eq, {size}, "
                             f"{self.extent(extent)} : index")
            self.head.append(f"cf.assert {same}, {message}")

    # Constants.

    def scalar(self, number: Number, element: Element) -> str:
        """The name of a constant that is no tensor."""
        text = number_text(number, element)
        key = (text, element.name)
        if key not in self._once:
            self._once[key] = name = self.fresh()
            kind = "" if element.kind == "b" else f" : {element.name}"
            self.head.append(f"{name} = arith.constant {text}{kind}")
        return self._once[key]

    def constant(self, array: Any, element: Optional[Element] = None) -> Value:
        array = np.asarray(array)
        element = element or of_array(array)
        return self._value(None, array.shape, element,
                           converted(array, element)
                           if element.dtype != array.dtype.name else array)

    def parameter(self, array: Array, element: Element) -> Value:
        """A weight; `array` may be a view of a file."""
        is_bits = element == BF16 and array.dtype.itemsize == 2
        if is_bits and array.size and not any(array.strides):
            one = widen_bfloat16(array[(slice(0, 1),) * array.ndim])
            array, is_bits = np.broadcast_to(one, array.shape), False
        elif is_bits and array.size <= _FOLDED_FLOAT:
            array, is_bits = widen_bfloat16(array), False
        value = self._value(None, array.shape, element, None if is_bits else array)
        value.bits, value.parameter = array if is_bits else None, True
        return value

    def full(self, shape: Sequence[Extent], number: Number,
             element: Element) -> Value:
        """All elements are one number."""
        if dims.all_static(shape):
            value = self._value(None, shape, element)
            value.data = np.broadcast_to(
                converted(np.asarray(number), element),
                dims.integers(shape))
            return value
        return self.filled(shape, number, element)

    def name(self, value: Value) -> str:
        """The SSA name; writes a constant at its first use."""
        if value.name is None and value.bits is not None:
            value.name = self.fresh()
            self.head.append(f"{value.name} = arith.constant "
                             f"{self._resource(value.bits)} : {value.type}")
        if value.name is None:
            assert value.data is not None
            value.name = self._written(value, value.data)
        return value.name

    def _written(self, value: Value, data: Array) -> str:
        element, kind = value.element, value.type
        splat = data.size > 0 and not any(data.strides) or data.size == 1
        key: Any = None
        if splat or data.size <= _INLINE:
            # Bytes tell -0 from 0, and NaN is itself.
            first = data.reshape(-1)[:1] if splat else data
            key = (first.tobytes(), value.shape, element, splat)
        elif not value.parameter:
            key = (data.tobytes(), value.shape, element)
        if key is not None and key in self._once:
            return self._once[key]
        if element.kind == "b" and not splat and data.size > _INLINE:
            # Truth values have no form as bytes that all versions agree on.
            stored = self.constant(data.astype(np.int8), I8)
            name = self.name(stored)
            result = self.fresh()
            one = self.name(self.full(value.shape, 0, I8))
            self.head.append(f"{result} = arith.cmpi ne, {name}, {one} : "
                             f"{stored.type}")
        else:
            result = self.fresh()
            self.head.append(f"{result} = arith.constant "
                             f"{self._elements(data, element, splat)} : {kind}")
        if key is not None:
            self._once[key] = result
        return result

    def _elements(self, data: Array, element: Element, splat: bool) -> str:
        if data.size == 0:
            return "dense<>"
        if splat:
            return f"dense<{number_text(data.reshape(-1)[0], element)}>"
        if data.size <= _INLINE:
            return f"dense<{self._nested(data, element)}>"
        if element == BF16:
            bits = np.ascontiguousarray(data, np.float32).view(np.uint32)
            data = (bits >> 16).astype(np.uint16)
        return self._resource(data)

    def _resource(self, data: Array) -> str:
        name = f"w{len(self.resources)}"
        self.resources[name] = data
        return f"dense_resource<{name}>"

    def _nested(self, data: Array, element: Element) -> str:
        if data.ndim == 0:
            return number_text(data[()], element)
        return "[" + ", ".join(self._nested(row, element) for row in data) + "]"

    # Extents.

    def extent(self, extent: Extent) -> str:
        """An `index`."""
        if isinstance(extent, int):
            return self.scalar(extent, INDEX)
        if extent in self._once:
            return self._once[extent]
        total: Optional[str] = None
        for monomial, coefficient in extent.terms.items():
            factors = [self._atom(atom) for atom in monomial]
            if coefficient != 1 or not factors:
                factors.append(self.scalar(coefficient, INDEX))
            term = factors[0]
            for factor in factors[1:]:
                term = self._index("arith.muli", term, factor)
            total = term if total is None else self._index(
                "arith.addi", total, term)
        assert total is not None
        self._once[extent] = total
        return total

    def extent_value(self, extent: Extent) -> Value:
        """An extent as a tensor of i64 without dimensions."""
        if isinstance(extent, int):
            return self.full((), extent, I64)
        name = self.extent(extent)
        return self.generic([], self.empty((), I64), lambda text, out:
                            text.captured(name, INDEX).cast(I64))

    def _atom(self, atom: Any) -> str:
        if isinstance(atom, str):
            if atom not in self._symbols:
                raise ImportFailure(
                    f"the extent {atom} doesn't follow from an argument's; export "
                    "with a static one")
            return self._symbols[atom]
        op = {"floordiv": "arith.floordivsi", "max": "arith.maxsi",
              "min": "arith.minsi"}[atom[0]]
        return self._index(op, self.extent(atom[1]), self.extent(atom[2]))

    def _index(self, op: str, a: str, b: str) -> str:
        name = self.fresh()
        self.head.append(f"{name} = {op} {a}, {b} : index")
        return name

    # Ops.

    def _value(self, name: Optional[str], shape: Sequence[Extent],
               element: Element, data: Optional[Array] = None) -> Value:
        size = 1
        for extent in shape:
            if isinstance(extent, int):
                if extent < 0:
                    raise ImportFailure(
                        f"a tensor of shape {dims.text(shape)} has a negative "
                        "extent")
                size *= max(extent, 1)
        if size > _MOST_ELEMENTS:
            raise ImportFailure(
                f"a tensor of shape {dims.text(shape)} has more than "
                f"{_MOST_ELEMENTS} elements")
        return Value(tuple(shape), element, name, data)

    def op(self, text: str, shape: Sequence[Extent], element: Element) -> Value:
        """A line with one result; its location is added."""
        value = self._value(self.fresh(), shape, element)
        self.lines.append(f"{value.name} = {text}{self.location}")
        return value

    def typed(self, *values: Value) -> str:
        """`%a, %b : type, type`"""
        return (", ".join(self.name(v) for v in values) + " : "
                + ", ".join(v.type for v in values))

    def extent_of(self, extent: Extent, like: Sequence[Value]) -> str:
        """An `index`; that of a dimension of `like` if one has this extent.
        Operators are recognised whose sizes are those of their operands."""
        for value in like:
            if isinstance(extent, Dim) and extent in value.shape:
                axis = self.scalar(value.shape.index(extent), INDEX)
                key = (self.name(value), axis, id(self.lines))
                if key not in self._once:
                    size = self._once[key] = self.fresh()
                    self.lines.append(f"{size} = tensor.dim {value.name}, {axis} "
                                      f": {value.type}{self.location}")
                return self._once[key]
        return self.extent(extent)

    def empty(self, shape: Sequence[Extent], element: Element,
              like: Sequence[Value] = ()) -> Value:
        """A destination; dynamic extents are those of `like`."""
        dynamic = ", ".join(self.extent_of(e, like) for e in shape
                            if isinstance(e, Dim))
        return self.op(f"tensor.empty({dynamic}) : {tensor_type(shape, element)}",
                       shape, element)

    def filled(self, shape: Sequence[Extent], number: Number, element: Element,
               like: Sequence[Value] = ()) -> Value:
        """A destination of one number, as an op."""
        scalar = self.scalar(number, element)
        init = self.empty(shape, element, like)
        return self.op(
            f"linalg.fill ins({scalar} : {element.name}) outs({init.name} : "
            f"{init.type}) -> {init.type}", shape, element)

    def generic(
        self, reads: Sequence[Read], init: Value,
        body: Callable[..., Scalar],
        out: Optional[Sequence[str]] = None, loops: int = -1,
    ) -> Value:
        """A linalg.generic. `body(text, *elements, accumulated)` gives what is
        yielded. Loops that `out` doesn't name reduce."""
        out = identity(init.rank) if out is None else out
        loops = init.rank if loops < 0 else loops
        domain = ", ".join(identity(loops))
        maps = [f"affine_map<({domain}) -> ({', '.join(access)})>"
                for access in [*(a for _, a in reads), out]]
        kinds = ["parallel" if f"d{i}" in out else "reduction"
                 for i in range(loops)]
        text = TextBody(self.scalar, self.fresh, self.location)
        values = [v for v, _ in reads] + [init]
        arguments = [Scalar(text, self.fresh(), v.element) for v in values]
        for value in values:
            self.name(value)
        result = body(text, *arguments)
        ins = f"ins({self.typed(*values[:-1])}) " if reads else ""
        maps_text = ", ".join(maps)
        kinds_text = ", ".join(f'"{k}"' for k in kinds)
        signature = ", ".join(f"{a.value}: {a.element.name}" for a in arguments)
        head = (f"linalg.generic {{indexing_maps = [{maps_text}], iterator_types "
                f"= [{kinds_text}]}} {ins}outs({self.typed(init)}) {{")
        if result.element.name != init.element.name:
            result = result.cast(init.element)
        name = self.fresh()
        self.lines += [
            f"{name} = {head}", f"^bb0({signature}):", *text.lines,
            f"linalg.yield {result.value} : {init.element.name}"
            f"{self.location}",
            f"}} -> {init.type}{self.location}"]
        return self._value(name, init.shape, init.element)

    # Elementwise.

    def foldable(self, values: Sequence[Value], shape: Sequence[Extent]) -> bool:
        if not all(v.data is not None for v in values):
            return False
        size = dims.product(shape)
        floats = any(v.parameter or v.element.is_float for v in values)
        return isinstance(size, int) and size <= (
            _FOLDED_FLOAT if floats else _FOLDED)

    def map(self, values: Sequence[Value], body: Callable[..., Scalar],
            element: Optional[Element] = None,
            shape: Optional[Sequence[Extent]] = None) -> Value:
        """`body(*elements)` at each position; operands broadcast as in NumPy.
        The result has `element`, or that of what the body gives."""
        shape = broadcast(*(v.shape for v in values)) if shape is None else shape
        if values and self.foldable(values, shape):
            arrays = ArrayBody()
            result = body(*(Scalar(arrays, v.data, v.element) for v in values))
            if element is not None:
                result = result.cast(element)
            data = np.broadcast_to(result.value, dims.integers(shape))
            return self._value(None, shape, result.element, data)
        if element is None:
            probe = TextBody(lambda n, e: "", lambda: "", "")
            element = body(*(Scalar(probe, "", v.element) for v in values)).element
        init = self.empty(shape, element, values)
        reads = [(v, access(v, shape)) for v in values]
        return self.generic(reads, init, lambda text, *e: body(*e[:-1]))

    def cast(self, value: Value, element: Element) -> Value:
        if value.element == element:
            return value
        if (value.element.name == element.name):
            # Signs are no part of types: the same bytes.
            data = value.data
            if data is not None:
                return self._value(None, value.shape, element,
                                   converted(data, element))
            return self._value(value.name, value.shape, element)
        return self.map([value], lambda x: x.cast(element))

    def spread(self, value: Value, shape: Sequence[Extent]) -> Value:
        """Broadcast, as an op of its own."""
        if tuple(shape) == value.shape:
            return value
        if value.data is not None and dims.all_static(shape) and (
                value.size == 1 or not value.parameter):
            return self._value(None, shape, value.element,
                               np.broadcast_to(value.data, dims.integers(shape)))
        return self.map([value], lambda x: x, shape=shape)

    # Reductions.

    def reduce(self, value: Value, axes: Sequence[int], kind: str,
               keepdim: bool = False, element: Optional[Element] = None) -> Value:
        """add, mul, max, min, and, or along `axes`; computed in `element`."""
        element = element or value.element
        value = self.cast(value, element)
        axes = sorted({value.axis(axis) for axis in axes}) if value.rank else []
        kept = tuple(1 if i in axes else e for i, e in enumerate(value.shape))
        dropped = tuple(e for i, e in enumerate(value.shape) if i not in axes)
        shape = kept if keepdim else dropped
        if value.data is not None and self.foldable([value], value.shape):
            function: Any = {"add": np.add, "mul": np.multiply, "max": np.maximum,
                             "min": np.minimum, "and": np.logical_and,
                             "or": np.logical_or}[kind]
            if not np.prod(value.data.shape) and kind in ("max", "min"):
                raise ImportFailure(f"the {kind} of no elements")
            data = function.reduce(value.data, axis=tuple(axes),
                                   keepdims=keepdim, dtype=value.data.dtype)
            return self._value(None, shape, element,
                               converted(np.asarray(data), element))
        init = self.filled(shape, start_of(kind, element), element, [value])
        out = [f"d{i}" if i not in axes else "0" for i in range(value.rank)]
        if not keepdim:
            out = [access for access in out if access != "0"]
        return self.generic([(value, identity(value.rank))], init,
                            lambda text, x, sum: x.op(kind, sum)
                            if kind in ("max", "min") else sum.op(kind, x),
                            out, value.rank)

    # The module.

    def module(self, results: Sequence[Value]) -> List[str]:
        """The lines of the module without resources."""
        results = [self.cast(v, F32) if v.element == BF16 else v for v in results]
        names = ", ".join(self.name(v) for v in results)
        kinds = ", ".join(v.type for v in results)
        signed = ", ".join(_signed(v) for v in results)
        arguments = ", ".join(
            f"{v.name}: {_signed(v)}" + (f" loc({quoted(name)})" if name else "")
            for v, name in self.arguments)
        text = [f"{alias} = {location}"
                for location, alias in self.locations.items()]
        marks = ", ".join(
            f"qbackend.{name} = {{" + ", ".join(
                f"{quoted(key)} = {quoted(value)}"
                for key, value in names.items() if value) + "}"
            for name, names in (("module_types", self.module_types),
                                ("torch_names", self.torch_names)) if names)
        text += [f"module {f'attributes {{{marks}}} ' if marks else ''}{{",
                 f"func.func @main({arguments}) -> ({signed}) {{"]
        text += self.head + self.lines
        text += [f"return {names} : {kinds}" if results else "return", "}", "}"]
        return text


def _signed(value: Value) -> str:
    """The type for a signature. Integers have no sign in the ops."""
    mark = " {qbackend.unsigned}" if value.element.kind == "u" else ""
    return value.type + mark


def start_of(kind: str, element: Element) -> Number:
    if kind == "add" or kind == "or":
        return 0
    if kind == "mul" or kind == "and":
        return 1
    if element.is_float:
        return float("-inf") if kind == "max" else float("inf")
    if element.kind == "b":
        return kind == "min"
    info = np.iinfo(element.dtype)
    return int(info.min if kind == "max" else info.max)


def broadcast(*shapes: Sequence[Extent]) -> Shape:
    rank = max(len(shape) for shape in shapes)
    result: List[Extent] = [1] * rank
    for shape in shapes:
        for i, extent in enumerate(shape, rank - len(shape)):
            if extent == 1 or extent == result[i]:
                continue
            if result[i] != 1:
                listed = ", ".join(dims.text(shape) for shape in shapes)
                raise ImportFailure(f"the shapes {listed} don't broadcast")
            result[i] = extent
    return tuple(result)


def access(value: Value, shape: Sequence[Extent]) -> List[str]:
    """How an operand that broadcasts to `shape` is read."""
    first = len(shape) - value.rank
    return [f"d{i + first}" if extent == shape[i + first] else "0"
            for i, extent in enumerate(value.shape)]

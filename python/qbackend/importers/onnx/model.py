# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The messages of ONNX that networks have. What isn't named here is skipped, as
files of newer versions need; the numbers are those of onnx.proto."""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from .. import elements
from ..archive import mapped
from ..dims import Dim, Extent
from ..elements import Array, Element
from ..errors import ImportFailure
from .functions import Function, Functions, Graph, Node, Reference, inline
from .protobuf import (
    Field,
    fields,
    integer,
    integers,
    message,
    read_float,
    read_floats,
    signed,
    text,
)

_DTYPES: Dict[int, Element] = {
    1: elements.F32, 2: elements.U8, 3: elements.I8, 4: elements.U16,
    5: elements.I16, 6: elements.I32, 7: elements.I64, 9: elements.BOOL,
    10: elements.F16, 11: elements.F64, 12: elements.U32, 13: elements.U64,
    16: elements.BF16,
}
_OTHER_DTYPES = {8: "string", 14: "complex64", 15: "complex128",
                 17: "float8e4m3fn", 18: "float8e4m3fnuz", 19: "float8e5m2",
                 20: "float8e5m2fnuz", 21: "uint4", 22: "int4", 23: "float4e2m1"}
_DEEPEST = 8


def element_of(code: int, what: str) -> Element:
    if code not in _DTYPES:
        name = _OTHER_DTYPES.get(code, str(code))
        raise ImportFailure(f"{what} is of type {name}, which is not supported")
    return _DTYPES[code]


@dataclasses.dataclass
class Tensor:
    name: str
    element: Element
    data: Array


@dataclasses.dataclass
class Input:
    name: str
    element: Element
    shape: Optional[Tuple[Extent, ...]]


@dataclasses.dataclass
class Model:
    graph: Graph
    #: Of ONNX's own domain.
    opset: int
    #: In bytes, with the files of its weights.
    size: int


class Reader:
    """Reads a model; `folder` is where external data may be."""

    def __init__(self, folder: Optional[str]):
        self.folder = folder
        self._files: Dict[str, memoryview] = {}

    def model(self, data: memoryview) -> Model:
        main: Optional[memoryview] = None
        opsets: Dict[str, int] = {}
        functions: Functions = {}
        for number, _, value in fields(data):
            if number == 7:
                main = message(value)
            elif number == 8:
                opsets.update([self._opset(message(value))])
            elif number == 25:
                function = self.function(message(value))
                key = (function.domain, function.name, function.overload)
                if key in functions:
                    raise ImportFailure(f"the function '{function.name[:100]}' is "
                                        "defined twice")
                functions[key] = function
        if main is None:
            raise ImportFailure("the file has no graph: it is no ONNX model")
        if "" not in opsets:
            raise ImportFailure("the model doesn't say its opset")
        graph = self.graph(main, 0)
        inline(graph, functions)
        size = len(data) + sum(map(len, self._files.values()))
        return Model(graph, opsets[""], size)

    @staticmethod
    def _opset(data: memoryview) -> Tuple[str, int]:
        domain, version = "", 0
        for number, _, value in fields(data):
            if number == 1:
                domain = _domain(value)
            elif number == 2:
                version = signed(value)
        return domain, version

    def function(self, data: memoryview) -> Function:
        function = Function("", "", "", [], [], [], {}, {})
        for number, _, value in fields(data):
            if number == 1:
                function.name = text(value)
            elif number == 4:
                function.inputs.append(text(value))
            elif number == 5:
                function.outputs.append(text(value))
            elif number == 7:
                function.nodes.append(self.node(message(value), 0))
            elif number == 9:
                function.opsets.update([self._opset(message(value))])
            elif number == 10:
                function.domain = _domain(value)
            elif number == 11:
                name, default = self.attribute(message(value), 0)
                function.defaults[name] = default
            elif number == 13:
                function.overload = text(value)
        return function

    def graph(self, data: memoryview, depth: int) -> Graph:
        if depth > _DEEPEST:
            raise ImportFailure(f"graphs are nested more than {_DEEPEST} deep")
        graph = Graph([], {}, [], [])
        for number, _, value in fields(data):
            if number == 1:
                graph.nodes.append(self.node(message(value), depth))
            elif number == 5:
                tensor = self.tensor(message(value))
                if tensor.name in graph.weights:
                    raise ImportFailure(f"'{tensor.name}' is defined twice")
                graph.weights[tensor.name] = tensor
            elif number == 11:
                graph.inputs.append(self.input(message(value)))
            elif number == 12:
                graph.outputs.append(self.input(message(value), False).name)
            elif number == 15:
                raise ImportFailure("sparse weights are not supported")
        return graph

    def input(self, data: memoryview, typed: bool = True) -> Input:
        name, kind = "", None
        for number, _, value in fields(data):
            if number == 1:
                name = text(value)
            elif number == 2:
                kind = message(value)
        if not typed:
            return Input(name, elements.F32, None)
        code, shape = 0, None
        for number, _, value in fields(kind if kind is not None
                                       else memoryview(b"")):
            if number != 1:
                raise ImportFailure(f"'{name}' is no tensor")
            for key, _, held in fields(message(value)):
                if key == 1:
                    code = integer(held)
                elif key == 2:
                    shape = self._shape(message(held), name)
        return Input(name, element_of(code, f"'{name}'"), shape)

    @staticmethod
    def _shape(data: memoryview, name: str) -> Tuple[Extent, ...]:
        shape: List[Extent] = []
        for number, _, value in fields(data):
            if number != 1:
                continue
            extent: Extent = Dim.symbol(f"{name}.{len(shape)}")
            for key, _, held in fields(message(value)):
                if key == 1:
                    extent = signed(held)
                    if extent < 0:
                        raise ImportFailure(f"'{name}' has the extent {extent}")
                elif key == 2 and len(held_text := text(held)):
                    extent = Dim.symbol(held_text)
            shape.append(extent)
        return tuple(shape)

    def node(self, data: memoryview, depth: int) -> Node:
        node = Node("", "", "", [], [], {})
        for number, _, value in fields(data):
            if number == 1:
                node.inputs.append(text(value))
            elif number == 2:
                node.outputs.append(text(value))
            elif number == 3:
                node.name = text(value)
            elif number == 4:
                node.kind = text(value)
            elif number == 5:
                name, found = self.attribute(message(value), depth)
                node.attributes[name] = found
            elif number == 7:
                node.domain = _domain(value)
            elif number == 8:
                node.overload = text(value)
        return node

    def attribute(self, data: memoryview, depth: int) -> Tuple[str, Any]:
        name, kind = "", 0
        single: Any = None
        ints: List[int] = []
        floats: List[float] = []
        strings: List[str] = []
        reference = ""
        for number, wire, value in fields(data):
            if number == 1:
                name = text(value)
            elif number == 20:
                kind = integer(value)
            elif number == 2:
                single = read_float(value)
            elif number == 3:
                single = signed(value)
            elif number == 4:
                single = text(value)
            elif number == 5:
                single = self.tensor(message(value))
            elif number == 6:
                single = self.graph(message(value), depth + 1)
            elif number == 7:
                floats += read_floats(wire, value)
            elif number == 8:
                ints += integers(wire, value)
            elif number == 9:
                strings.append(text(value))
            elif number == 21:
                reference = text(value)
            elif number in (10, 11, 22, 23):
                raise ImportFailure(f"the attribute '{name}' is a list of tensors "
                                    "or graphs, which is not supported")
        if reference:
            return name, Reference(reference)
        # Older files don't say the kind.
        lists = {6: floats, 7: ints, 8: strings}
        if kind in lists:
            return name, lists[kind]
        if single is None and kind == 0:
            return name, ints or floats or strings
        defaults: Dict[int, Any] = {1: 0.0, 2: 0, 3: ""}
        return name, defaults.get(kind) if single is None else single

    # Tensors.

    def tensor(self, data: memoryview) -> Tensor:
        name, code, dims = "", 0, []
        raw: Optional[memoryview] = None
        numbers: List[Tuple[int, int, Field]] = []
        external: Dict[str, str] = {}
        outside, documentation = False, ""
        for number, wire, value in fields(data):
            if number == 1:
                dims += integers(wire, value)
            elif number == 2:
                code = integer(value)
            elif number == 8:
                name = text(value)
            elif number == 9:
                raw = message(value)
            elif number == 12:
                documentation = text(value)
            elif number == 13:
                entry = {k: text(v) for k, _, v in fields(message(value))}
                external[entry.get(1, "")] = entry.get(2, "")
            elif number == 14:
                outside = integer(value) == 1
            elif number in (4, 5, 7, 10, 11):
                numbers.append((number, wire, value))
            elif number in (3, 6):
                raise ImportFailure(f"'{name}' is in segments or of strings, which "
                                    "is not supported")
        what = f"the tensor '{name}'"
        element = element_of(code, what)
        if any(d < 0 for d in dims):
            raise ImportFailure(f"{what} has the shape {dims}")
        elements.check_shape(dims, element, what)
        count = 1
        for d in dims:
            count *= d
        if outside:
            raw = self._external(external, what)
        if raw is not None:
            flat = _from_bytes(raw, element, count, what)
        else:
            flat = _from_numbers(numbers, element, what)
        # What the exporter of this project writes beside scales that it had to
        # change for a runtime: the bits of those that were meant.
        key, *bits = documentation.split(" ")
        if key == "qbackend.scales" and element == elements.F32:
            flat = _from_bits(bits, what)
        if flat.size != count:
            raise ImportFailure(f"{what} of shape {dims} has {flat.size} elements, "
                                f"expected {count}")
        return Tensor(name, element, flat.reshape(dims))

    def _external(self, keys: Dict[str, str], what: str) -> memoryview:
        place = keys.get("location", "")
        if self.folder is None:
            raise ImportFailure(f"{what} is in a file of its own, which a buffer "
                                "doesn't have")
        parts = place.replace("\\", "/").split("/")
        if not place or place.startswith("/") or ".." in parts or (
                ":" in parts[0] or "\0" in place):
            raise ImportFailure(f"{what} is in the file {place!r}, expected a path "
                                "below the model")
        path = os.path.join(self.folder, *parts)
        real_folder = os.path.realpath(self.folder)
        if os.path.commonpath([os.path.realpath(path), real_folder]) != (
                real_folder):
            raise ImportFailure(f"{what} is in the file {place!r}, which leads out "
                                "of the model's folder")
        if path not in self._files:
            if not os.path.isfile(path):
                raise ImportFailure(f"{what} is in the file {place!r}, which isn't "
                                    "there")
            self._files[path] = mapped(path)
        data = self._files[path]
        try:
            offset = int(keys.get("offset", "0"))
            length = int(keys.get("length", str(len(data) - offset)))
        except ValueError:
            raise ImportFailure(f"{what} has no number as offset or length"
                                ) from None
        if offset < 0 or length < 0 or offset + length > len(data):
            raise ImportFailure(
                f"{what} is at {offset} with {length} bytes of {place!r}, which "
                f"has {len(data)}")
        return data[offset:offset + length]


def _domain(value: Field) -> str:
    """ONNX's own has two names."""
    domain = text(value)
    return "" if domain == "ai.onnx" else domain


def _from_bytes(raw: memoryview, element: Element, count: int,
                what: str) -> Array:
    size = 2 if element == elements.BF16 else element.bits // 8 or 1
    if len(raw) != count * size:
        raise ImportFailure(f"{what} has {len(raw)} bytes, expected "
                            f"{count * size}")
    if element == elements.BF16:
        return elements.read_bfloat16(raw)
    if element == elements.BOOL:
        return np.frombuffer(raw, np.uint8) != 0
    return np.frombuffer(raw, np.dtype(element.dtype).newbyteorder("<"))


def _from_bits(words: List[str], what: str) -> Array:
    try:
        return np.array([int(word, 16) for word in words], np.uint32).view(
            np.float32)
    except (ValueError, OverflowError):
        raise ImportFailure(f"the documentation of {what} has no scales"
                            ) from None


def _from_numbers(numbers: List[Tuple[int, int, Field]], element: Element,
                  what: str) -> Array:
    values: List[Any] = []
    for number, wire, value in numbers:
        if number == 4:
            values += read_floats(wire, value)
        elif number == 10:
            data = message(value) if wire == 2 else memoryview(
                integer(value).to_bytes(8, "little"))
            values += np.frombuffer(data[:len(data) // 8 * 8], "<f8").tolist()
        else:
            values += integers(wire, value)
    if any(isinstance(v, float) for v in values) and not (
            element.is_float and element.bits != 16):
        raise ImportFailure(f"{what} holds floats, expected integers")
    if element.bits == 16 and element.is_float:
        # As the bits of each, in an integer.
        bits = np.asarray(values, np.int64).astype(np.uint16)
        return (elements.widen_bfloat16(bits) if element == elements.BF16
                else bits.view(np.float16))
    return elements.converted(np.asarray(values, np.float64 if element.is_float
                                         else np.int64), element)

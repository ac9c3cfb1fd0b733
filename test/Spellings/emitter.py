# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of a module, op by op."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class Value:
    """`shape` has None where it is dynamic, which only the batch is."""

    name: str
    shape: tuple
    element: str = "f32"

    @property
    def rank(self):
        return len(self.shape)

    @property
    def type(self):
        return tensor_type(self.shape, self.element)


def tensor_type(shape, element="f32"):
    extents = "".join(f"{'?' if e is None else e}x" for e in shape)
    return f"tensor<{extents}{element}>"


def integers(values):
    return ", ".join(str(value) for value in values)


def real(number):
    """A number that parses as the f32 next to it."""
    value = float(np.float32(number))
    if np.isinf(value):
        return "0x7F800000" if value > 0 else "0xFF800000"
    return f"{value:.9e}"


def elements(array):
    """The text between the brackets of dense<>."""
    array = np.ascontiguousarray(array)
    flat = array.reshape(-1)
    if flat.size and (flat == flat[0]).all():
        return real(flat[0]) if array.dtype == np.float32 else str(flat[0])
    if array.dtype != np.float32:
        return "[" + integers(flat) + "]" if array.ndim == 1 else str(
            array.tolist())
    return '"0x' + array.astype("<f4").tobytes().hex().upper() + '"'


class Emitter:
    def __init__(self, style):
        self.style = style
        self.lines, self.globals, self.resources = [], [], []
        self.arguments = []
        self.counter = 0
        self.constants = {}
        self.batch = None

    def fresh(self, prefix="%"):
        self.counter += 1
        return f"{prefix}{self.counter}"

    def name(self):
        return self.fresh("%v")

    def line(self, text):
        self.lines.append(text)

    def op(self, text, shape, element="f32"):
        value = Value(self.name(), tuple(shape), element)
        self.line(f"{value.name} = {text}")
        return value

    def argument(self, shape, element="f32"):
        value = Value(f"%arg{len(self.arguments)}", tuple(shape), element)
        self.arguments.append(value)
        return value

    # Constants. An equal one is emitted once: roles share it.

    def _once(self, key, make):
        if key not in self.constants:
            self.constants[key] = make()
        return self.constants[key]

    def scalar(self, number, element="f32"):
        """The name of a constant that is no tensor."""
        text = {"f32": real, "f64": lambda n: f"{float(n):.17e}"}.get(
            element, str)(number)

        def make():
            name = self.name()
            self.line(f"{name} = arith.constant {text} : {element}")
            return name

        return self._once((text, element), make)

    def constant(self, array, tosa=False):
        array = np.asarray(array)
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        element = {"float32": "f32", "int64": "i64", "int32": "i32",
                   "int8": "i8", "bool": "i1"}[str(array.dtype)]

        def make():
            kind = tensor_type(array.shape, element)
            text = f"dense<{elements(array)}> : {kind}"
            if tosa:
                return self.op(f'"tosa.const"() <{{values = {text}}}> : () -> '
                               f"{kind}", array.shape, element)
            return self.op(f"arith.constant {text}", array.shape, element)

        return self._once((array.tobytes(), array.shape, element, tosa), make)

    def weight(self, array, tosa=False):
        """A parameter as the style holds them."""
        array = np.ascontiguousarray(array, np.float32)
        return self._once(("weight", array.tobytes(), array.shape, tosa),
                          lambda: self._weight(array, tosa))

    def _weight(self, array, tosa):
        kind = tensor_type(array.shape)
        held = self.style("weights")
        if held == "argument":
            value = self.argument(array.shape)
            self.argument_data[value.name] = array
            return value
        if held.startswith("global"):
            name = f"w{len(self.globals)}"
            self.globals.append(
                f"ml_program.global private @{name}(dense<{elements(array)}> : "
                f"{kind}) : {kind}")
            load = "global_load" + held.removeprefix("global")
            return self.op(f"ml_program.{load} @{name} : {kind}", array.shape)
        if held == "resource":
            name = f"w{len(self.resources)}"
            data = array.astype("<f4").tobytes().hex().upper()
            self.resources.append(f'{name}: "0x04000000{data}"')
            text = f"dense_resource<{name}> : {kind}"
            if tosa:
                return self.op(f'"tosa.const"() <{{values = {text}}}> : () -> '
                               f"{kind}", array.shape)
            return self.op(f"arith.constant {text}", array.shape)
        return self.constant(array, tosa)

    argument_data = {}

    def module(self, name, result):
        arguments = ", ".join(f"{a.name}: {a.type}" for a in self.arguments)
        text = ["module {", *[f"  {line}" for line in self.globals],
                f"  func.func @{name}({arguments}) -> {result.type} {{"]
        text += [f"    {line}" for line in self.lines]
        text += [f"    return {result.name} : {result.type}", "  }", "}"]
        if self.resources:
            text += ["{-#", "  dialect_resources: {", "    builtin: {",
                     ",\n".join(f"      {line}" for line in self.resources),
                     "    }", "  }", "#-}"]
        return "\n".join(text) + "\n"

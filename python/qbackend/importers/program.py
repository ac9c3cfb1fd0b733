# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The JSON of an exported program (schema 8), as objects that are checked."""

from __future__ import annotations

import ast
import dataclasses
import json
import re
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from . import dims, elements
from .dims import Dim, Extent
from .elements import Element
from .errors import ImportFailure

_SCHEMA = 8
_DTYPES: Dict[int, Element] = {
    1: elements.U8, 2: elements.I8, 3: elements.I16, 4: elements.I32,
    5: elements.I64, 6: elements.F16, 7: elements.F32, 8: elements.F64,
    12: elements.BOOL, 13: elements.BF16, 28: elements.U16,
}


@dataclasses.dataclass(frozen=True)
class Ref:
    """The name of a tensor, or of an integer that is computed."""

    name: str


@dataclasses.dataclass(frozen=True)
class DType:
    element: Element


@dataclasses.dataclass
class TensorMeta:
    element: Element
    sizes: Tuple[Extent, ...]
    strides: Tuple[Extent, ...]
    offset: int = 0


@dataclasses.dataclass
class Node:
    target: str
    inputs: List[Tuple[str, Any]]
    #: Names; a list of names for a list of tensors, None for what isn't one.
    outputs: List[Union[str, List[str], None]]
    metadata: Dict[str, str]

    @property
    def name(self) -> str:
        for output in self.outputs:
            if isinstance(output, str):
                return output
            if output:
                return output[0]
        return self.target.rsplit(".", 2)[-2] if "." in self.target else ""


@dataclasses.dataclass
class Graph:
    inputs: List[Any]
    outputs: List[Any]
    nodes: List[Node]
    tensors: Dict[str, TensorMeta]


@dataclasses.dataclass
class Program:
    graph: Graph
    #: Parallel to the graph's inputs: kind, and FQN or name.
    inputs: List[Tuple[str, str]]
    #: Parallel to the graph's outputs: the kind.
    outputs: List[str]
    #: Whether the program has no operators that write in place.
    functional: bool


def _get(value: Any, key: str, kind: type, where: str) -> Any:
    if not isinstance(value, dict) or key not in value:
        raise ImportFailure(f"the program has no '{key}' in {where}")
    found = value[key]
    if not isinstance(found, kind) or kind is int and isinstance(found, bool):
        raise ImportFailure(f"the program's '{key}' in {where} is "
                            f"{_short(found)}, expected {kind.__name__}")
    return found


def _short(value: Any) -> str:
    text = repr(value) if not isinstance(value, (dict, list)) else (
        f"a {type(value).__name__}")
    return text if len(text) <= 80 else text[:77] + "..."


def parse(data: bytes, what: str) -> Program:
    try:
        document = json.loads(str(data, "utf-8"))
    except UnicodeDecodeError as error:
        raise ImportFailure(f"{what} is not UTF-8: {error}") from None
    except RecursionError:
        raise ImportFailure(f"{what} is nested too deep") from None
    except ValueError as error:
        raise ImportFailure(f"{what} is no JSON: {error}") from None
    version = _get(document, "schema_version", dict, what)
    major = _get(version, "major", int, "schema_version")
    if major != _SCHEMA:
        raise ImportFailure(f"{what} has the schema version {major}, expected "
                            f"{_SCHEMA}")
    module = _get(document, "graph_module", dict, what)
    signature = _get(module, "signature", dict, "graph_module")
    try:
        graph = _graph(_get(module, "graph", dict, "graph_module"), "the graph")
    except RecursionError:
        raise ImportFailure(f"{what} has subgraphs nested too deep") from None
    inputs = [_input_spec(spec) for spec in _get(signature, "input_specs", list,
                                                 "the signature")]
    outputs = [_kind(spec, "an output of the signature")[0] for spec in _get(
        signature, "output_specs", list, "the signature")]
    if len(inputs) != len(graph.inputs) or len(outputs) != len(graph.outputs):
        raise ImportFailure(
            f"the signature has {len(inputs)} inputs and {len(outputs)} outputs, "
            f"the graph {len(graph.inputs)} and {len(graph.outputs)}")
    verifiers = document.get("verifiers")
    functional = isinstance(verifiers, list) and verifiers == ["ATEN"]
    return Program(graph, inputs, outputs, functional)


def _kind(value: Any, where: str) -> Tuple[str, Any]:
    """The one key of a union, and what it holds."""
    if isinstance(value, dict):
        set_ = [(k, v) for k, v in value.items() if v is not None]
        if len(set_) == 1:
            return set_[0]
    raise ImportFailure(f"{where} is {_short(value)}, expected an object of one "
                        "key")


def _input_spec(spec: Any) -> Tuple[str, str]:
    kind, held = _kind(spec, "an input of the signature")
    names = {"parameter": "parameter_name", "buffer": "buffer_name",
             "tensor_constant": "tensor_constant_name"}
    if kind in names:
        return kind, _get(held, names[kind], str, "the signature")
    if kind in ("user_input", "constant_input", "token"):
        return kind, ""
    raise ImportFailure(f"an input of the signature is of kind '{kind}', which is "
                        "not supported")


def _graph(value: Any, where: str) -> Graph:
    tensors = {
        name: tensor_meta(meta, f"'{name}'")
        for name, meta in _get(value, "tensor_values", dict, where).items()}
    return Graph(
        [argument(a, where) for a in _get(value, "inputs", list, where)],
        [argument(a, where) for a in _get(value, "outputs", list, where)],
        [_node(n) for n in _get(value, "nodes", list, where)], tensors)


def _node(value: Any) -> Node:
    target = _get(value, "target", str, "a node")
    inputs = []
    for entry in _get(value, "inputs", list, f"node '{target}'"):
        name = _get(entry, "name", str, f"node '{target}'")
        inputs.append((name, argument(entry.get("arg"),
                                      f"argument '{name}' of '{target}'")))
    outputs: List[Union[str, List[str], None]] = []
    for entry in _get(value, "outputs", list, f"node '{target}'"):
        found = argument(entry, f"a result of '{target}'")
        if isinstance(found, Ref):
            outputs.append(found.name)
        elif isinstance(found, list) and all(isinstance(x, Ref) for x in found):
            outputs.append([x.name for x in found])
        else:
            outputs.append(None)
    metadata = value.get("metadata")
    strings = {k: v for k, v in metadata.items() if isinstance(v, str)} if (
        isinstance(metadata, dict)) else {}
    return Node(target, inputs, outputs, strings)


def _integer(value: Any, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ImportFailure(f"{where} is {_short(value)}, expected an integer")
    if not -1 << 63 <= value < 1 << 63:
        raise ImportFailure(f"{where} is an integer beyond 64 bits")
    return value


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        if isinstance(value, str) and value in ("Infinity", "-Infinity", "NaN"):
            return float(value.replace("Infinity", "inf"))
        raise ImportFailure(f"{where} is {_short(value)}, expected a number")
    try:
        return float(value)
    except OverflowError:
        raise ImportFailure(f"{where} is an integer beyond all floats") from None


def _typed(value: Any, kind: type, where: str) -> Any:
    if not isinstance(value, kind):
        raise ImportFailure(f"{where} is {_short(value)}, expected "
                            f"{kind.__name__}")
    return value


def _list(value: Any, read: Any, where: str) -> List[Any]:
    return [read(item, where) for item in _typed(value, list, where)]


def _ref(value: Any, where: str) -> Ref:
    return Ref(_get(value, "name", str, where))


def _optional_ref(value: Any, where: str) -> Optional[Ref]:
    kind, held = _kind(value, where)
    return None if kind == "as_none" else _ref(held, where)


def _symbolic(value: Any, where: str) -> Any:
    kind, held = _kind(value, where)
    if kind == "as_name":
        return Ref(_typed(held, str, where))
    if kind in ("as_int", "as_float", "as_bool"):
        return _READERS[kind](held, where)
    raise ImportFailure(f"{where} is of kind '{kind}', which is not known")


def _dtype(value: Any, where: str) -> DType:
    code = _integer(value, where)
    if code in (9, 10, 11):
        raise ImportFailure(f"{where} is complex: export a model that computes real "
                            "and imaginary parts as tensors of their own")
    if code not in _DTYPES:
        raise ImportFailure(f"{where} is the type {code}, which is not supported")
    return DType(_DTYPES[code])


#: What is held, by its kind; tensors are `Ref`, what is absent or says nothing None.
_READERS: Dict[str, Callable[[Any, str], Any]] = {
    "as_tensor": _ref,
    "as_optional_tensor": _optional_ref,
    "as_int": _integer,
    "as_float": _number,
    "as_bool": lambda held, where: _typed(held, bool, where),
    "as_string": lambda held, where: _typed(held, str, where),
    **{f"as_sym_{name}": _symbolic for name in ("int", "bool", "float")},
    "as_scalar_type": _dtype,
    **{f"as_{name}": lambda held, where: None
       for name in ("none", "device", "layout", "memory_format")},
    "as_graph": lambda held, where: _graph(_get(held, "graph", dict, where), where),
}
#: Kinds that are lists of another.
_LISTS = {f"as_{name}s": f"as_{name}" for name in (
    "tensor", "optional_tensor", "int", "float", "bool", "string", "sym_int",
    "sym_bool", "sym_float")}


def argument(value: Any, where: str) -> Any:
    """A Python value; tensors are `Ref`, absent ones None."""
    kind, held = _kind(value, where)
    if kind in _READERS:
        return _READERS[kind](held, where)
    if kind in _LISTS:
        return _list(held, _READERS[_LISTS[kind]], where)
    raise ImportFailure(f"{where} is of kind '{kind}', which is not supported")


def tensor_meta(value: Any, where: str) -> TensorMeta:
    element = _dtype(_get(value, "dtype", int, where), f"the type of {where}")
    sizes = [_extent(e, where) for e in _get(value, "sizes", list, where)]
    strides = _list(value.get("strides") or [], _extent, where)
    if any(isinstance(e, int) and e < 0 for e in (*sizes, *strides)):
        raise ImportFailure(f"{where} has the sizes {dims.text(sizes)} and strides "
                            f"{dims.text(strides)}")
    offset: Any = value.get("storage_offset") or 0
    if isinstance(offset, dict):
        offset = _extent(offset, where)
    return TensorMeta(element.element, tuple(sizes), tuple(strides),
                      _integer(offset, f"the offset of {where}"))


def _extent(value: Any, where: str) -> Extent:
    kind, held = _kind(value, f"a size of {where}")
    if kind == "as_int":
        return _integer(held, f"a size of {where}")
    if kind == "as_expr":
        return expression(_get(held, "expr_str", str, where))
    raise ImportFailure(f"a size of {where} is of kind '{kind}'")


def expression(text: str) -> Extent:
    """What SymPy's srepr or str says; what isn't understood is a symbol of its
    own."""
    if len(text) > 2000:
        return Dim.symbol(text)
    try:
        return _evaluate(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError, ImportFailure):
        return Dim.symbol(text)


def _evaluate(tree: ast.expr) -> Extent:
    if isinstance(tree, ast.Name):
        return Dim.symbol(tree.id)
    if isinstance(tree, ast.Constant) and isinstance(tree.value, int):
        return tree.value
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        return _evaluate(tree.operand) * -1
    if isinstance(tree, ast.BinOp):
        a, b = _evaluate(tree.left), _evaluate(tree.right)
        if isinstance(tree.op, ast.Add):
            return a + b
        if isinstance(tree.op, ast.Sub):
            return a - b
        if isinstance(tree.op, ast.Mult):
            return a * b
        if isinstance(tree.op, ast.FloorDiv):
            return dims.floordiv(a, b)
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
        name = tree.func.id
        if name == "Symbol" and tree.args and isinstance(
                tree.args[0], ast.Constant):
            return Dim.symbol(str(tree.args[0].value))
        values = [_evaluate(a) for a in tree.args]
        if name == "Integer":
            return values[0]
        if name == "Mul":
            return dims.product(values)
        if name == "Add":
            total: Extent = 0
            for value in values:
                total = total + value
            return total
        if name == "Pow" and isinstance(values[1], int) and 0 <= values[1] < 9:
            return dims.product([values[0]] * values[1])
        if name in ("FloorDiv", "CleanDiv"):
            return dims.floordiv(values[0], values[1])
        if name in ("Mod", "PythonMod"):
            return dims.mod(values[0], values[1])
        if name in ("Max", "Min"):
            function = dims.largest if name == "Max" else dims.smallest
            result = values[0]
            for value in values[1:]:
                result = function(result, value)
            return result
    raise ValueError(text_of(tree))


def text_of(tree: ast.expr) -> str:
    return type(tree).__name__


# ---------------------------------------------------------------------------
# Where a node comes from
# ---------------------------------------------------------------------------

_FRAME = re.compile(r'File "([^"\n]{1,400})", line (\d{1,9}), in ')
_LOCAL = re.compile(r"^L\['self'\]\.?|^L\['[^']*'\]\.?")
_GETATTR = re.compile(r"getattr\((.*), ['\"]([^'\"]*)['\"]\)$")


def module_stack(metadata: Dict[str, str]) -> List[Tuple[str, str]]:
    """Path and class of each module, the innermost last; ("", "") of one that
    doesn't parse. The root's path is empty."""
    stack = []
    for entry in metadata.get("nn_module_stack", "").split(";"):
        _, comma, rest = entry.partition(",")
        path, comma, kind = rest.rpartition(",")
        stack.append((dotted(path), kind) if comma else ("", ""))
    return stack


def dotted(path: str) -> str:
    """`getattr(L['s'].b1, '0').c` is b1.0.c."""
    for _ in range(path.count("getattr(")):
        start = path.rfind("getattr(")
        depth = 0
        for end in range(start + 7, len(path)):
            depth += {"(": 1, ")": -1}.get(path[end], 0)
            if depth == 0:
                break
        match = _GETATTR.match(path[start:end + 1])
        if not match:
            return ""
        path = path[:start] + f"{match[1]}.{match[2]}" + path[end + 1:]
    path = _LOCAL.sub("", path)
    return path if re.fullmatch(r"[\w.\-]*", path) else ""


def source_line(metadata: Dict[str, str]) -> Tuple[str, int]:
    """File and line of the innermost frame that isn't PyTorch's own."""
    frames = _FRAME.findall(metadata.get("stack_trace", "")[:20000])
    own = [f for f in frames if "torch/" not in f[0].replace("\\", "/")]
    if not own:
        return "", 0
    return own[-1][0], int(own[-1][1])

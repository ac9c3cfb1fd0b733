# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes programs of `torch.export` as modules."""

from __future__ import annotations

import operator
import re
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

from .. import dims, elements
from ..archive import Budget
from ..aten import find
from ..aten.table import bind
from ..builder import Builder, Value
from ..dims import Extent
from ..errors import ImportFailure, UnsupportedOperators
from ..program import (
    Graph,
    Node,
    Program,
    Ref,
    TensorMeta,
    module_stack,
    source_line,
)
from .layouts import Weights, read
from .views import VIEWS, Cell, Views

_INTEGERS: Dict[str, Callable[[Extent, Extent], Extent]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul,
    "floordiv": dims.floordiv, "mod": dims.mod,
}
#: Checks of sizes, which the module's own checks repeat.
_CHECKS = ("torch.ops.aten._assert_scalar", "torch.ops.aten._assert_async",
           "torch.ops.aten.sym_constrain_range", "_operator.ge", "_operator.le",
           "_operator.gt", "_operator.lt", "_operator.eq", "_operator.ne",
           "_operator.and_", "torch.ops.aten._assert_tensor_metadata")


#: What is computed in them is what it would be outside of them.
_WRAPPERS = ("torch.ops.higher_order.wrap_with_set_grad_enabled",
             "torch.ops.higher_order.wrap_with_autocast")


#: Families whose operators compute; the others move elements.
_COMPUTED = {"convolution", "elementwise", "normalization", "pooling", "products",
             "recurrent", "reduction", "resize"}


class Importer:
    """Writes one program."""

    def __init__(self, program: Program, weights: Weights, size: int):
        self.program, self.weights = program, weights
        self.budget = Budget(size)
        self.g = Builder()
        self.views = Views(self.g)
        self._constants: Dict[Any, Value] = {}
        #: Names of comparisons of sizes, which only checks read.
        self._compared: Set[str] = set()
        #: FQN of a weight by its name in the graph.
        self.parameters: Dict[str, str] = {}
        self._read = _names_read(program.graph)
        #: Names whose shapes are not to be compared.
        self._wrong: Set[str] = set()

    def run(self) -> Tuple[Builder, List[Value]]:
        self._check_operators()
        graph = self.program.graph
        scope: Dict[str, Any] = {}
        for argument_, (kind, name) in zip(graph.inputs, self.program.inputs):
            if kind in ("constant_input", "token"):
                if isinstance(argument_, Ref):
                    raise ImportFailure(f"the input '{argument_.name}' is of kind "
                                        f"'{kind}', which is not supported")
                continue
            if not isinstance(argument_, Ref):
                if kind == "user_input":
                    continue  # a Python constant
                raise ImportFailure("an input of the graph is no tensor")
            meta = self._meta(graph, argument_.name)
            if argument_.name in scope:
                raise ImportFailure(f"'{argument_.name}' is defined twice")
            if kind == "user_input":
                value = self.g.argument(argument_.name, meta.sizes, meta.element)
            else:
                value = self._weight(name, meta)
                self.parameters[argument_.name] = name
            scope[argument_.name] = Cell(value)
        self._nodes(graph, scope)
        results = []
        for output, kind in zip(graph.outputs, self.program.outputs):
            if kind != "user_output":
                self._lookup(output, scope)
                continue
            if output is None:
                continue
            value = self._lookup(output, scope)
            if not isinstance(value, Value):
                continue  # a number that the caller knows
            results.append(value)
        return self.g, results

    def _meta(self, graph: Graph, name: str) -> TensorMeta:
        if name not in graph.tensors:
            raise ImportFailure(f"nothing says which type the tensor '{name}' has")
        return graph.tensors[name]

    def _weight(self, name: str, meta: TensorMeta) -> Value:
        tensor = self.weights.get(name)
        if tensor is None:
            raise ImportFailure(f"the archive has no weight '{name}'")
        if tensor.element != meta.element or tensor.data.shape != meta.sizes:
            raise ImportFailure(
                f"the weight '{name}' is {tensor.element}"
                f"{list(tensor.data.shape)}, the program says {meta.element}"
                f"{dims.text(meta.sizes)}")
        if tensor.key not in self._constants:
            self.budget.take(name, tensor.data)
            self._constants[tensor.key] = self.g.parameter(tensor.data,
                                                           tensor.element)
        return self._constants[tensor.key]

    def _check_operators(self) -> None:
        """All that are unknown, at once."""
        unknown: Dict[str, Tuple[int, str]] = {}

        def visit(graph: Graph) -> None:
            for node in graph.nodes:
                for _, value in node.inputs:
                    if isinstance(value, Graph):
                        visit(value)
                if not self._known(node.target) and not self._is_unread(node):
                    name = re.sub(r"^torch\.ops\.", "", node.target)[:200]
                    count, first = unknown.get(name, (0, ""))
                    unknown[name] = (count + 1, first or self._path(node)
                                     or node.name or "the root")

        visit(self.program.graph)
        if unknown:
            hint = "" if self.program.functional else (
                "program.run_decompositions() before torch.export.save takes those "
                "apart that are made of other operators")
            raise UnsupportedOperators(unknown, hint)

    def _is_unread(self, node: Node) -> bool:
        """Whether nothing depends on it: it has results, which nobody reads, and
        writes into none of its arguments, which only names of ATen promise."""
        names: List[Any] = []
        for output in node.outputs:
            names += output if isinstance(output, list) else [output]
        base, _, overload = node.target.rpartition(".")
        writes = base.endswith("_") or overload == "out" or overload.endswith("_out")
        return (bool(names) and base.startswith("torch.ops.aten.") and not writes
                and not any(name in self._read for name in names))

    @staticmethod
    def _known(target: str) -> bool:
        if target.startswith("_operator."):
            return target[10:] in _INTEGERS or target in _CHECKS
        return (target.startswith(_CHECKS) or find(target) is not None
                or target == "torch.ops.higher_order.cond"
                or target in _WRAPPERS)

    # Names of places.

    def _path(self, node: Node) -> str:
        """The module's path; what isn't the one operator of a module of
        torch.nn has its own name behind it. A weight says which module."""
        path, kind = module_stack(node.metadata)[-1]
        for _, value in node.inputs:
            if isinstance(value, Ref) and value.name in self.parameters:
                owner, _, last = self.parameters[value.name].rpartition(".")
                if last == "weight" and (owner == path or owner.startswith(
                        path + ".") or not path):
                    return owner or node.name
        if path and kind.startswith("torch.nn.modules.") and not any(
                part in kind for part in (".container.", ".transformer.",
                                          "MultiheadAttention")):
            return path
        return f"{path}.{node.name}" if path else node.name

    # Nodes.

    def _nodes(self, graph: Graph, scope: Dict[str, Any]) -> None:
        for node in graph.nodes:
            place = self._path(node)
            self.g.module_types.update(
                {path: kind for path, kind in module_stack(node.metadata)
                 if path and kind})
            if place:
                # Of several operators of one place, none is the operator.
                known = self.g.torch_names.setdefault(place, node.target)
                if known != node.target:
                    self.g.torch_names[place] = ""
            file, line = source_line(node.metadata)
            with self.g.at(place, file, line):
                try:
                    self._node(node, graph, scope)
                except ImportFailure as error:
                    raise _located(error, node, place) from None
                except (TypeError, AttributeError, IndexError, KeyError,
                        ValueError, ZeroDivisionError, OverflowError,
                        AssertionError) as error:
                    raise _located(ImportFailure(
                        "its arguments don't fit it "
                        f"({type(error).__name__}: {error})"), node, place
                    ) from error

    def _lookup(self, value: Any, scope: Dict[str, Any]) -> Any:
        if isinstance(value, Ref):
            if value.name in self._compared:
                raise ImportFailure(
                    f"'{value.name}' compares sizes that are known when the network "
                    "runs; export with static ones")
            if value.name not in scope:
                raise ImportFailure(f"'{value.name}' is used before it is defined")
            found = scope[value.name]
            return self.views.read(found) if isinstance(found, Cell) else found
        if isinstance(value, list):
            return [self._lookup(item, scope) for item in value]
        return value

    def _node(self, node: Node, graph: Graph, scope: Dict[str, Any]) -> None:
        if not self._known(node.target) and self._is_unread(node):
            return
        if node.target.startswith(_CHECKS):
            self._compared.update(o for o in node.outputs if isinstance(o, str))
            return
        arguments = [(name, value if isinstance(value, Graph)
                      else self._lookup(value, scope))
                     for name, value in node.inputs]
        if node.target.startswith("_operator."):
            values = dict(arguments)
            self._define(node, scope, [_INTEGERS[node.target[10:]](
                values["a"], values["b"])])
            return
        if node.target in _WRAPPERS:
            self._define(node, scope, [self._inlined(node, arguments)])
            return
        if node.target == "torch.ops.higher_order.cond":
            self._define(node, scope, [self._cond(node, arguments, scope)])
            return
        found = find(node.target)
        assert found is not None
        name = node.target.split(".", 2)[-1]
        self.g.wanted = max((i + 1 for i, output in enumerate(node.outputs)
                             if not isinstance(output, str)
                             or output in self._read), default=0)
        computes = found.function.__module__.rpartition(".")[2] in _COMPUTED
        if computes:
            arguments = [(key, self._wide(value)) for key, value in arguments]
        result = found.function(self.g, **bind(found, arguments, name))
        if isinstance(result, tuple):
            results: List[Any] = list(result)
        else:
            results = [result]
        if computes:
            results = [self._narrow(output, value, graph)
                       for output, value in zip(node.outputs, results)]
        if found.in_place:
            if node.target.split(".")[3][:-1] in VIEWS:
                raise ImportFailure(
                    "changes which elements a tensor has, in place; "
                    "program.run_decompositions() before torch.export.save writes "
                    "it otherwise")
            self._write(node, scope, results[0])
            return
        self._check_shapes(node, graph, results)
        source = next((scope.get(value.name) for _, value in node.inputs
                       if isinstance(value, Ref)), None)
        cells = None
        if not self.program.functional and isinstance(source, Cell):
            cells = self.views.of(found, name.partition(".")[2], source,
                                  dict(arguments), results,
                                  self._strides(node, graph))
        self._define(node, scope, results, cells)

    def _wide(self, value: Any) -> Any:
        """PyTorch's float16 and bfloat16 on a CPU: sums and what is between are
        float32."""
        if isinstance(value, list):
            return [self._wide(item) for item in value]
        if isinstance(value, Value) and value.element in elements.HALVES:
            return self.g.cast(value, elements.F32)
        return value

    def _narrow(self, output: Any, value: Any, graph: Graph) -> Any:
        """As the program says that the result is."""
        if isinstance(output, list) and isinstance(value, list):
            return [self._narrow(o, v, graph) for o, v in zip(output, value)]
        meta = graph.tensors.get(output) if isinstance(output, str) else None
        if meta is None or not isinstance(value, Value) or (
                value.element != elements.F32 or meta.element not in elements.HALVES):
            return value
        return self.g.cast(value, meta.element)

    def _strides(self, node: Node, graph: Graph) -> Optional[Tuple[
            TensorMeta, TensorMeta]]:
        """What the first argument and the first result look like in memory."""
        first = next((value for _, value in node.inputs
                      if isinstance(value, Ref)), None)
        if first is None or first.name not in graph.tensors or not node.outputs:
            return None
        output = node.outputs[0]
        if not isinstance(output, str) or output not in graph.tensors:
            return None
        return graph.tensors[first.name], graph.tensors[output]

    def _write(self, node: Node, scope: Dict[str, Any], result: Any) -> None:
        first = next((value for _, value in node.inputs
                      if isinstance(value, Ref)), None)
        target = scope[first.name] if first is not None else None
        if not isinstance(target, Cell) or not isinstance(result, Value):
            raise ImportFailure("what it writes into is no tensor")
        old = self.views.read(target)
        new = self.g.spread(self.g.cast(result, old.element), old.shape)
        self.views.write(target, new)
        for output in node.outputs:
            if isinstance(output, str):
                self._bind(scope, output, target)

    @staticmethod
    def _bind(scope: Dict[str, Any], name: str, value: Any) -> None:
        if name in scope:
            raise ImportFailure(f"'{name}' is defined twice")
        scope[name] = value

    def _define(self, node: Node, scope: Dict[str, Any], results: List[Any],
                cells: Optional[List[Any]] = None) -> None:
        given = cells if cells is not None else [
            [Cell(v) for v in r] if isinstance(r, list) else
            Cell(r) if isinstance(r, Value) else r for r in results]
        if node.outputs and isinstance(node.outputs[0], list):
            pairs: List[Tuple[Any, Any]] = [(node.outputs[0], given[0])]
        elif len(given) == 1 and isinstance(given[0], list):
            pairs = list(zip(node.outputs, given[0]))
        else:
            pairs = list(zip(node.outputs, given))
        if len(pairs) < len(node.outputs):
            raise ImportFailure(f"it has {len(node.outputs)} results, expected "
                                f"{len(pairs)}")
        for output, value in pairs:
            if isinstance(output, list):
                if not isinstance(value, list) or len(output) != len(value):
                    raise ImportFailure(f"it has {len(output)} results in a list")
                for name, item in zip(output, value):
                    self._bind(scope, name, item)
            elif isinstance(output, str) and value is not None:
                self._bind(scope, output, value)

    def _check_shapes(self, node: Node, graph: Graph,
                      results: List[Any]) -> None:
        flat: List[Any] = []
        names: List[Any] = []
        for output, result in zip(node.outputs, results):
            if isinstance(output, list) and isinstance(result, list):
                names += output
                flat += result
            else:
                names.append(output)
                flat.append(result)
        if ".lstm." in node.target or any(
                isinstance(value, Ref) and value.name in self._wrong
                for _, value in node.inputs):
            # 2.6 states a wrong shape for the cell state.
            self._wrong.update(n for n in names if isinstance(n, str))
            return
        for name, value in zip(names, flat):
            if not isinstance(name, str) or not isinstance(value, Value):
                continue
            meta = graph.tensors.get(name)
            if meta is None:
                continue
            same = len(meta.sizes) == value.rank and all(
                not isinstance(a, int) or not isinstance(b, int) or a == b
                for a, b in zip(meta.sizes, value.shape))
            if not same or meta.element != value.element:
                raise ImportFailure(
                    f"its result '{name}' is {value.element}"
                    f"{dims.text(value.shape)}, the program says {meta.element}"
                    f"{dims.text(meta.sizes)}")

    def _inlined(self, node: Node,
                 arguments: List[Tuple[str, Any]]) -> List[Any]:
        values = [value for _, value in arguments]
        place = next((i for i, v in enumerate(values) if isinstance(v, Graph)),
                     None)
        if place is None:
            raise ImportFailure("it has no graph")
        if node.target.endswith("autocast") and values[2:3] == [True]:
            raise ImportFailure("autocast changes the types of operators: export "
                                "without it")
        operands = values[place + 1:]
        if len(operands) == 1 and isinstance(operands[0], list):
            operands = operands[0]
        refs = [value for _, value in node.inputs][place + 1:]
        if len(refs) == 1 and isinstance(refs[0], list):
            refs = refs[0]
        inner = self._inner_scope(values[place], refs, operands)
        self._nodes(values[place], inner)
        return [self._lookup(o, inner) for o in values[place].outputs]

    def _inner_scope(self, graph: Graph, refs: Sequence[Any],
                     operands: Sequence[Any]) -> Dict[str, Any]:
        """The inputs of a subgraph."""
        if len(graph.inputs) != len(operands):
            raise ImportFailure(f"a subgraph takes {len(graph.inputs)} values, "
                                f"{len(operands)} are given")
        inner: Dict[str, Any] = {}
        for target, ref, value in zip(graph.inputs, refs, operands):
            inner[target.name] = Cell(value) if isinstance(
                value, Value) else value
            if isinstance(ref, Ref) and ref.name in self.parameters:
                self.parameters[target.name] = self.parameters[ref.name]
        return inner

    def _cond(self, node: Node, arguments: List[Tuple[str, Any]],
              scope: Dict[str, Any]) -> List[Any]:
        """Both branches, of which one is run."""
        values = [value for _, value in arguments]
        if len(values) != 4 or not isinstance(values[0], Value) or not isinstance(
                values[1], Graph) or not isinstance(values[2], Graph):
            raise ImportFailure("torch.cond of other arguments than a condition, "
                                "two graphs and operands")
        condition, *branches = values[:3]
        operands = values[3]
        refs = next(value for _, value in list(node.inputs)[3:])
        if condition.rank != 0:
            raise ImportFailure("torch.cond on a tensor with dimensions")
        truth = self.g.name(self.g.cast(condition, elements.BOOL))
        test = self.g.op(f"tensor.extract {truth}[] : tensor<i1>", (),
                         elements.BOOL)
        texts: List[List[str]] = []
        results: List[List[Value]] = []
        outside = self.g.lines
        for branch in branches:
            inner = self._inner_scope(branch, refs, operands)
            self.g.lines = []
            try:
                self._nodes(branch, inner)
                found = [self._lookup(o, inner) for o in branch.outputs]
                names = ", ".join(self.g.name(v) for v in found)
                kinds = ", ".join(v.type for v in found)
                self.g.lines.append(f"scf.yield {names} : {kinds}")
                texts.append(self.g.lines)
            finally:
                self.g.lines = outside
            results.append(found)
        if [v.type for v in results[0]] != [v.type for v in results[1]]:
            raise ImportFailure("the branches of torch.cond give different types")
        kinds = ", ".join(v.type for v in results[0])
        name = self.g.fresh()
        count = len(results[0])
        self.g.lines += [
            f"{name}{f':{count}' if count > 1 else ''} = scf.if {test.name} -> "
            f"({kinds}) {{", *texts[0], "} else {", *texts[1], "}"]
        return [Value(v.shape, v.element, name if count == 1 else f"{name}#{i}")
                for i, v in enumerate(results[0])]


def _names_read(graph: Graph) -> Set[str]:
    """What is an argument of something, or a result."""
    names: Set[str] = set()

    def visit(value: Any) -> None:
        if isinstance(value, Ref):
            names.add(value.name)
        elif isinstance(value, list):
            for item in value:
                visit(item)
        elif isinstance(value, Graph):
            names.update(_names_read(value))

    for node in graph.nodes:
        for _, value in node.inputs:
            visit(value)
    visit(graph.outputs)
    return names


def _located(error: ImportFailure, node: Node, place: str) -> ImportFailure:
    target = re.sub(r"^torch\.ops\.", "", node.target)[:200]
    if isinstance(error, UnsupportedOperators) or "\n" in str(error):
        return error
    return ImportFailure(f"{target} at '{place}': {error}")


def convert(buffer: memoryview) -> Tuple[Builder, List[Value]]:
    program, weights = read(buffer)
    return Importer(program, weights, len(buffer)).run()

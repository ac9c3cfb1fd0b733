# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An ONNX model as a module."""

from __future__ import annotations

import functools
import re
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

from ..archive import Budget
from ..builder import Builder, Value
from ..elements import F32, HALVES, Element
from ..errors import ImportFailure, UnsupportedOperators
from .functions import Graph, Node, Reference, label_of
from .model import Model, Reader
from .table import OPERATORS, Context, Extents, Operator

#: Since which opset an operator is as it is today, unless that is the seventh.
_OLDEST = {
    **dict.fromkeys(
        "Abs Ceil Elu Exp Floor GlobalAveragePool GlobalMaxPool HardSigmoid Identity "
        "InstanceNormalization LeakyRelu Log Neg Not Reciprocal Relu Sigmoid Softplus "
        "Softsign Sqrt Tanh Transpose".split(), 1),
    "Selu": 6,
}


def convert(buffer: memoryview, folder: Optional[str]
            ) -> Tuple[Builder, List[Value]]:
    return Importer(Reader(folder).model(buffer)).run()


class Importer:
    def __init__(self, model: Model):
        self.graph, self.opset = model.graph, model.opset
        oldest = max((_OLDEST.get(node.kind, 7) for node in self.graph.nodes), default=1)
        if self.opset < oldest:
            raise ImportFailure(f"the model's opset is {self.opset}, expected at "
                                f"least {oldest}")
        self.g = Builder()
        self.budget = Budget(model.size)
        self.owners: Dict[str, str] = {}
        self._shared: Dict[Tuple[str, int], int] = {}

    def run(self) -> Tuple[Builder, List[Value]]:
        self._check_operators()
        scope: Dict[str, Value] = {}
        self._weights(self.graph, scope)
        for given in self.graph.inputs:
            if given.name in scope:
                continue  # older files list weights as inputs
            if given.shape is None:
                raise ImportFailure(f"the input '{given.name}' has no shape")
            scope[given.name] = self.g.argument(given.name, given.shape,
                                                given.element)
        self._count_places(self.graph)
        self._nodes(self.graph, scope)
        results = []
        if not self.graph.outputs:
            raise ImportFailure("the graph has no outputs")
        for name in self.graph.outputs:
            if name not in scope:
                raise ImportFailure(f"the output '{name}' is nowhere computed")
            value = scope[name]
            results.append(value.tensor() if isinstance(value, Extents) else value)
        return self.g, results

    def _weights(self, graph: Graph, scope: Dict[str, Value]) -> None:
        for name, tensor in graph.weights.items():
            self.budget.take(name, tensor.data)
            scope[name] = self._constant(tensor.data, tensor.element)
            owner, _, last = name.rpartition(".")
            if last == "weight" and re.fullmatch(r"[\w.\-]+", owner):
                self.owners[name] = owner

    def _constant(self, data: Any, element: Any) -> Value:
        """Shapes, axes and numbers may be evaluated; what is larger is a
        weight."""
        if data.size <= 64 and not element.is_float or data.size == 1:
            return self.g.constant(data, element)
        return self.g.parameter(data, element)

    # Operators.

    def _find(self, node: Node) -> Optional[Operator]:
        return OPERATORS.get((node.domain, node.kind))

    def _check_operators(self) -> None:
        unknown: Dict[str, Tuple[int, str]] = {}

        def visit(graph: Graph) -> None:
            for node in graph.nodes:
                for value in node.attributes.values():
                    if isinstance(value, Graph):
                        visit(value)
                if self._find(node) is None and not (
                        node.kind == "If" and not node.domain):
                    name = f"{node.domain}.{node.kind}" if node.domain else (
                        node.kind)
                    count, first = unknown.get(name[:200], (0, ""))
                    unknown[name[:200]] = (count + 1, first or label_of(node))

        visit(self.graph)
        if unknown:
            raise UnsupportedOperators(unknown)

    # Places: PyTorch's exporter calls a node /layer1/layer1.0/conv1/Conv.

    @staticmethod
    def _scope_of(name: str) -> Tuple[str, str]:
        parts = [p for p in name.split("/") if p]
        path = ""
        for part in parts[:-1]:
            if path and (part == path or part.startswith(path + ".")):
                path = part
            else:
                path = f"{path}.{part}" if path else part
        return path, parts[-1] if parts else ""

    def _count_places(self, graph: Graph) -> None:
        for node in graph.nodes:
            if node.name.startswith("/") and node.kind != "Constant":
                path, _ = self._scope_of(node.name)
                key = (path, 0)
                self._shared[key] = self._shared.get(key, 0) + 1

    def _place(self, node: Node) -> str:
        for name in node.inputs[1:2]:
            if name in self.owners:
                return self.owners[name]
        if not node.name.startswith("/"):
            return label_of(node)
        path, last = self._scope_of(node.name)
        if path and self._shared.get((path, 0), 0) == 1:
            return path
        return f"{path}.{last}" if path else last

    def _nodes(self, graph: Graph, scope: Dict[str, Value]) -> None:
        for node in graph.nodes:
            place = self._place(node)
            with self.g.at(place):
                try:
                    results = self._node(node, scope)
                except ImportFailure as error:
                    raise ImportFailure(
                        f"{node.kind[:200]} at '{place}': {error}") from None
                except (TypeError, AttributeError, IndexError, KeyError,
                        ValueError, ZeroDivisionError, OverflowError,
                        AssertionError) as error:
                    raise ImportFailure(
                        f"{node.kind[:200]} at '{place}': its inputs and "
                        f"attributes don't fit it ({type(error).__name__}: "
                        f"{error})") from error
                for name, value in zip(node.outputs, results):
                    if not name or value is None:
                        continue
                    if name in scope:
                        raise ImportFailure(f"'{name}' is defined twice")
                    scope[name] = value
                    # A weight behind a DequantizeLinear has its name.
                    if node.inputs and node.inputs[0] in self.owners and (
                            node.kind in ("DequantizeLinear", "QuantizeLinear",
                                          "Identity", "Transpose", "Cast")):
                        self.owners[name] = self.owners[node.inputs[0]]

    def _node(self, node: Node, scope: Dict[str, Value]) -> List[Any]:
        values: List[Optional[Value]] = []
        for name in node.inputs:
            if not name:
                values.append(None)
                continue
            if name not in scope:
                raise ImportFailure(f"'{name}' is used before it is defined")
            values.append(scope[name])
        if node.kind == "If":
            return self._if(node, values, scope)
        found = self._find(node)
        assert found is not None
        for name, value in node.attributes.items():
            if isinstance(value, Reference):
                raise ImportFailure(f"its attribute '{name[:100]}' is that of a "
                                    "function, which it isn't in")
            if name not in found.attributes:
                raise ImportFailure(f"its attribute '{name[:100]}' is not "
                                    "supported")
        while values and values[-1] is None:
            values.pop()
        if len(values) < found.least or (
                found.most is not None and len(values) > found.most):
            raise ImportFailure(f"it has {len(values)} inputs, expected "
                                f"{found.least} to {found.most}")
        if not found.symbolic and node.kind not in ("Shape", "Size"):
            values = [v.tensor() if isinstance(v, Extents) else v for v in values]
        opset = node.opsets.get("", self.opset)
        context = Context(self.g, opset, node.kind, node.attributes,
                          len([o for o in node.outputs if o]))
        half = self._half(found, node, values)
        if half is not None:
            values = [self.g.cast(v, F32) if v is not None and v.element in HALVES
                      else v for v in values]
        result = found.function(context, *values)
        results = list(result) if isinstance(result, tuple) else [result]
        if half is not None:
            results = [self.g.cast(v, half) if isinstance(v, Value) and (
                v.element == F32) else v for v in results]
        for i, name in enumerate(node.outputs):
            if name in self._reads and (i >= len(results) or results[i] is None):
                raise ImportFailure(f"its result {i} is not supported")
        return results

    @staticmethod
    def _half(found: Operator, node: Node,
              values: Sequence[Optional[Value]]) -> Optional[Element]:
        """What the results are of, where float32 is computed for the inputs' type."""
        family = found.function.__module__.rpartition(".")[2]
        if family in ("shape", "quantized") or node.kind in ("Cast", "CastLike"):
            return None
        first = next((v.element for v in values if v is not None and v.element.is_float),
                     None)
        return first if first in HALVES else None

    @functools.cached_property
    def _reads(self) -> Set[str]:
        """Names that are results, or that a node reads."""
        names = set(self.graph.outputs)
        for node in self.graph.nodes:
            names.update(node.inputs)
        return names - {""}

    def _if(self, node: Node, values: List[Optional[Value]],
            scope: Dict[str, Value]) -> List[Any]:
        """Of a known condition: exporters ask for ranks."""
        condition = values[0] if values else None
        if condition is None or condition.data is None:
            raise ImportFailure("a condition that is computed")
        branch = node.attributes.get(
            "then_branch" if condition.data.any() else "else_branch")
        if not isinstance(branch, Graph):
            raise ImportFailure("an If without its branch")
        inner = dict(scope)
        self._weights(branch, inner)
        self._nodes(branch, inner)
        return [inner[name] for name in branch.outputs]

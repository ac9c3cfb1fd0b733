# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of a model's own, put in where they are called."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, Mapping, Tuple

from ..errors import ImportFailure

# No network has as many, and functions that call each other twice double them.
_MOST_NODES = 1_000_000
_DEEPEST = 64


@dataclasses.dataclass
class Node:
    name: str
    kind: str
    domain: str
    inputs: List[str]
    outputs: List[str]
    attributes: Dict[str, Any]
    #: Which of several functions of that name.
    overload: str = ""
    #: The version of each domain where the node is not the model's own.
    opsets: Mapping[str, int] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Graph:
    nodes: List[Node]
    weights: Dict[str, Any]
    inputs: List[Any]
    outputs: List[str]


@dataclasses.dataclass
class Reference:
    """An attribute that is the one of this name of the call."""

    name: str


@dataclasses.dataclass
class Function:
    name: str
    domain: str
    overload: str
    inputs: List[str]
    outputs: List[str]
    nodes: List[Node]
    #: Attributes of calls, with what they are where a call leaves them out.
    defaults: Dict[str, Any]
    opsets: Dict[str, int]


def label_of(node: Node) -> str:
    """What a node is called where it has no name."""
    return node.name or next((o for o in node.outputs if o), node.kind)


Functions = Dict[Tuple[str, str, str], Function]


def inline(graph: Graph, functions: Functions) -> None:
    """Puts nodes of `functions` in for all calls of them in `graph`."""
    if functions:
        _Inliner(functions).visit(graph, ())


class _Inliner:
    def __init__(self, functions: Functions):
        self.functions = functions
        self.calls = self.nodes = 0

    def visit(self, graph: Graph, callers: Tuple[str, ...]) -> None:
        graph.nodes = [inner for node in graph.nodes
                       for inner in self.expand(node, callers)]

    def expand(self, node: Node, callers: Tuple[str, ...]) -> List[Node]:
        self.nodes += 1
        if self.nodes > _MOST_NODES:
            raise ImportFailure(f"its functions give more than {_MOST_NODES} nodes")
        function = self.functions.get((node.domain, node.kind, node.overload))
        if function is None:
            for value in node.attributes.values():
                if isinstance(value, Graph):
                    self.visit(value, callers)
            return [node]
        if function.name in callers or len(callers) >= _DEEPEST:
            raise ImportFailure(f"the function '{function.name[:100]}' calls itself, "
                                f"or calls are more than {_DEEPEST} deep")
        if len(node.inputs) > len(function.inputs) or (
                len(node.outputs) > len(function.outputs)):
            raise ImportFailure(
                f"a call of the function '{function.name[:100]}' has "
                f"{len(node.inputs)} inputs and {len(node.outputs)} results, "
                f"expected up to {len(function.inputs)} and "
                f"{len(function.outputs)}")
        self.calls += 1
        body = _Body(function, node, self.calls)
        nodes = [inner for own in function.nodes
                 for inner in self.expand(body.copy(own),
                                          (*callers, function.name))]
        return nodes + body.results


class _Body:
    """The nodes of one call."""

    def __init__(self, function: Function, call: Node, number: int):
        self.opsets = function.opsets
        self.label = label_of(call)
        self.prefix = f"{self.label}#{number}."
        self.attributes = {**function.defaults, **call.attributes}
        missing = len(function.inputs) - len(call.inputs)
        self.names = dict(zip(function.inputs, [*call.inputs, *[""] * missing]))
        self.names[""] = ""
        #: Those that are inputs of the function, or one result twice.
        self.results: List[Node] = []
        for own, given in zip(function.outputs, call.outputs):
            if own in self.names:
                self.results.append(Node("", "Identity", "", [self.names[own]],
                                         [given], {}))
            elif given:
                self.names[own] = given

    def rename(self, name: str) -> str:
        return self.names.get(name, self.prefix + name)

    def copy(self, node: Node) -> Node:
        attributes = {}
        for name, value in node.attributes.items():
            if isinstance(value, Reference):
                if value.name not in self.attributes:
                    continue
                value = self.attributes[value.name]
            elif isinstance(value, Graph):
                value = self.copy_graph(value)
            attributes[name] = value
        return Node(f"{self.label}.{label_of(node)}", node.kind, node.domain,
                    [self.rename(name) for name in node.inputs],
                    [self.rename(name) for name in node.outputs], attributes,
                    node.overload, self.opsets)

    def copy_graph(self, graph: Graph) -> Graph:
        return Graph([self.copy(node) for node in graph.nodes],
                     {self.rename(name): tensor
                      for name, tensor in graph.weights.items()},
                     graph.inputs, [self.rename(name) for name in graph.outputs])

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX models, written field by field."""

import struct

import numpy as np

_CODES = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6,
          "int64": 7, "bool": 9, "float16": 10, "float64": 11, "uint32": 12,
          "uint64": 13}


def varint(value):
    value &= (1 << 64) - 1
    data = b""
    while value > 127:
        data += bytes([value & 127 | 128])
        value >>= 7
    return data + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def tensor(name, array, external=None):
    array = np.asarray(array)
    data = b"".join(field(1, d) for d in array.shape)
    data += field(2, _CODES[array.dtype.name]) + field(8, name)
    if external is None:
        return data + field(9, array.tobytes())
    for key, value in external.items():
        data += field(13, field(1, key) + field(2, str(value)))
    return data + field(14, 1)


def attribute(name, value):
    data = field(1, name)
    if isinstance(value, (bool, int)):
        return data + field(3, int(value)) + field(20, 2)
    if isinstance(value, float):
        return data + field(2, value) + field(20, 1)
    if isinstance(value, str):
        return data + field(4, value) + field(20, 3)
    if isinstance(value, np.ndarray):
        return data + field(5, tensor("", value)) + field(20, 4)
    if isinstance(value, Reference):
        return data + field(21, value.name) + field(20, 1)
    if isinstance(value, Graph):
        return data + field(6, value.graph()) + field(20, 5)
    if value and isinstance(value[0], str):
        return data + b"".join(field(9, v) for v in value) + field(20, 8)
    if value and isinstance(value[0], float):
        return data + field(7, struct.pack(f"<{len(value)}f", *value)) + field(
            20, 6)
    return data + field(8, b"".join(varint(v) for v in value)) + field(20, 7)


class Reference:
    """An attribute that is one of the function's."""

    def __init__(self, name):
        self.name = name


def function(name, graph, inputs, attributes=(), defaults=None, opset=17):
    """The nodes and outputs of `graph` as a function of the domain `own`."""
    return b"".join([
        field(1, name), field(10, "own"),
        *(field(4, i) for i in inputs),
        *(field(5, o[2:]) for o in graph.outputs),
        *(field(6, a) for a in attributes),
        *(field(11, attribute(k, v)) for k, v in (defaults or {}).items()),
        *(field(7, n) for n in graph.nodes),
        field(9, field(1, "") + field(2, opset)),
        field(9, field(1, "own") + field(2, 1))])


class Graph:
    def __init__(self, opset=17):
        self.opset, self.nodes, self.weights = opset, [], []
        self.inputs, self.outputs, self.count = [], [], 0

    def input(self, name, shape, dtype="float32"):
        dims = b"".join(field(1, field(2, e) if isinstance(e, str) else field(1, e))
                        for e in shape)
        kind = field(1, field(1, _CODES[dtype]) + field(2, dims))
        self.inputs.append(field(1, name) + field(2, kind))
        return name

    def weight(self, name, array, external=None):
        self.weights.append(tensor(name, array, external))
        return name

    def constant(self, array):
        self.count += 1
        return self.weight(f"constant_{self.count}", np.asarray(array))

    def node(self, kind, *inputs, results=1, name="", domain="", **attributes):
        self.count += 1
        outputs = [f"v{self.count}" + (f"_{i}" if i else "")
                   for i in range(results)]
        data = b"".join(field(1, i or "") for i in inputs)
        data += b"".join(field(2, o) for o in outputs)
        data += field(3, name) + field(4, kind) + field(7, domain)
        data += b"".join(field(5, attribute(k, v)) for k, v in attributes.items())
        self.nodes.append(data)
        return outputs[0] if results == 1 else outputs

    def output(self, name):
        self.outputs.append(field(1, name))

    def graph(self):
        return b"".join([*(field(1, n) for n in self.nodes), field(2, "net"),
                         *(field(5, w) for w in self.weights),
                         *(field(11, i) for i in self.inputs),
                         *(field(12, o) for o in self.outputs)])

    def model(self, graph=None):
        return (field(1, 8) + field(2, "test")
                + field(7, self.graph() if graph is None else graph)
                + field(8, field(1, "") + field(2, self.opset))
                + field(8, field(1, "com.microsoft") + field(2, 1)))

    def save(self, path):
        path.write_bytes(self.model())
        return path


def graph_of_node(kind, inputs, weights=(), results=1, opset=18, **attributes):
    """A graph of one node, whose inputs are like the arrays `inputs`; constants, or None
    for one that is left out, follow them."""
    graph = Graph(opset)
    names = [graph.input(f"in{i}", a.shape, a.dtype.name)
             for i, a in enumerate(inputs)]
    names += [None if w is None else graph.constant(w) for w in weights]
    found = graph.node(kind, *names, results=results, **attributes)
    for name in [found] if results == 1 else found:
        graph.output(name)
    return graph

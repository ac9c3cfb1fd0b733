# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a network as ONNX, in floating point or quantized (QDQ).

The shapes, weights and qparams are those of the network. ReLU6 is a ReLU, the faster
form there: its upper limit is the largest byte.
"""

import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import networks


class Writer:
    def __init__(self, quantized: bool) -> None:
        self.quantized = quantized
        self.nodes, self.constants = [], []
        self.stored = ""  # the last result, before it is dequantized

    def constant(self, data: np.ndarray) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(data, order="C"), name))
        return name

    def node(self, kind: str, inputs: list[str], **attributes) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def parameters(self, scale: float, zero: int, kind: type) -> list[str]:
        return [self.constant(np.float32(scale).reshape(())),
                self.constant(np.array(zero, kind))]

    def requantize(self, value: str, layer: networks.Layer) -> str:
        """A result as it is stored."""
        if not self.quantized:
            return value
        pair = self.parameters(networks.SCALE, layer.result.zero, np.uint8)
        self.stored = self.node("QuantizeLinear", [value, *pair])
        return self.node("DequantizeLinear", [self.stored, *pair])

    def weights(self, layer: networks.Layer) -> list[str]:
        weight = layer.weight
        if layer.kind != "linear":
            weight = np.moveaxis(weight, -1, 1)
        if layer.kind == "deconv":
            weight = np.swapaxes(weight, 0, 1)
        bias_scale = networks.SCALE * layer.scale
        if not self.quantized:
            return [self.constant((weight * layer.scale).astype(np.float32)),
                    self.constant((layer.bias * bias_scale).astype(np.float32))]
        return [
            self.node("DequantizeLinear", [self.constant(data), *self.parameters(
                scale, 0, data.dtype.type)])
            for data, scale in ((weight, layer.scale), (layer.bias, bias_scale))]

    def layer(self, layer: networks.Layer, inputs: list[str]) -> str:
        if layer.kind == "conv":
            value = self.node(
                "Conv", [*inputs, *self.weights(layer)], group=layer.groups,
                strides=[layer.stride] * 2, pads=[*layer.padding] * 2,
                dilations=[layer.dilation] * 2)
        elif layer.kind == "deconv":
            value = self.node("ConvTranspose", [*inputs, *self.weights(layer)],
                              strides=[2, 2])
        elif layer.kind == "cat":
            value = self.node("Concat", inputs, axis=1)
        elif layer.kind == "linear":
            value = self.node("Gemm", [*inputs, *self.weights(layer)], transB=1)
        elif layer.kind == "add":
            value = self.node("Add", inputs)
        elif layer.kind == "max_pool":
            value = self.node("MaxPool", inputs, kernel_shape=[layer.window] * 2,
                              strides=[2, 2], pads=[*layer.padding] * 2)
        else:
            value = self.node("Flatten", [self.requantize(
                self.node("GlobalAveragePool", inputs), layer)])
        if layer.relu:
            value = self.node("Relu", [value])
        return self.requantize(value, layer)


def write(net: networks.Network, path: pathlib.Path, quantized: bool) -> None:
    writer = Writer(quantized)
    n, h, w, c = net.input.shape
    value, kind = "x", TensorProto.FLOAT
    if quantized:
        kind = TensorProto.UINT8
        value = writer.node("DequantizeLinear", ["x", *writer.parameters(
            networks.SCALE, net.input.zero, np.uint8)])
    values = {net.input.name: value}
    for layer in net.layers:
        values[layer.result.name] = writer.layer(
            layer, [values[x.name] for x in layer.inputs])
    result = net.layers[-1].result
    output = values[result.name]
    if quantized:
        writer.nodes.pop()
        output = writer.stored
    graph = helper.make_graph(
        writer.nodes, "network",
        [helper.make_tensor_value_info("x", kind, [n, c, h, w])],
        [helper.make_tensor_value_info(output, kind, list(result.shape))],
        writer.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)],
                              ir_version=8)
    onnx.save(model, str(path))

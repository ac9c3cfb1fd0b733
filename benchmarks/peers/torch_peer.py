#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs networks in PyTorch on one thread: torch_peer.py ENGINE NETWORK...

ENGINE is one of torch.backends.quantized.supported_engines, or float: eager, with
images channels last. See serving.py for what it answers.
"""

import sys

import numpy as np
import torch
import torch.nn.functional as functional

import networks
from serving import get_image, serve

SCALE = networks.SCALE


def get_weight(layer):
    """In PyTorch's order: [out, in, height, width], transposed [in, out, ...]."""
    if layer.kind == "linear":
        return layer.weight
    raw = np.moveaxis(layer.weight, -1, 1)
    return np.swapaxes(raw, 0, 1) if layer.kind == "deconv" else raw


def quantized_layer(layer):
    """The layer as a function of its inputs."""
    zero = layer.result.zero
    if layer.kind == "add":
        add = torch.ops.quantized.add_relu if layer.relu else torch.ops.quantized.add
        return lambda a, b: add(a, b, SCALE, zero)
    if layer.kind == "cat":
        return lambda a, b: torch.cat([a, b], 1)
    if layer.kind == "max_pool":
        return lambda x: functional.max_pool2d(x, layer.window, 2, layer.padding)
    if layer.kind == "mean":
        return lambda x: torch.flatten(functional.adaptive_avg_pool2d(x, 1), 1)
    bias = torch.from_numpy((layer.bias * SCALE * layer.scale).astype(np.float32))
    raw = get_weight(layer)
    weight = torch._make_per_tensor_quantized_tensor(
        torch.from_numpy(np.ascontiguousarray(raw)), layer.scale, 0)
    if layer.kind == "linear":
        packed = torch.ops.quantized.linear_prepack(weight, bias)
        return lambda x: torch.ops.quantized.linear(x, packed, SCALE, zero)
    if layer.kind == "deconv":
        packed = torch.ops.quantized.conv_transpose2d_prepack(
            weight, bias, [2, 2], [0, 0], [0, 0], [1, 1], 1)
        return lambda x: torch.ops.quantized.conv_transpose2d(x, packed, SCALE, zero)
    packed = torch.ops.quantized.conv2d_prepack(
        weight, bias, [layer.stride] * 2, layer.padding, [layer.dilation] * 2,
        layer.groups)
    run = torch.ops.quantized.conv2d_relu if layer.relu else torch.ops.quantized.conv2d
    return lambda x: run(x, packed, SCALE, zero)


def float_layer(layer):
    last = torch.channels_last

    def finish(x):
        return torch.relu_(x) if layer.relu else x

    if layer.kind == "add":
        return lambda a, b: finish(a + b)
    if layer.kind == "cat":
        return lambda a, b: torch.cat([a, b], 1)
    if layer.kind == "max_pool":
        return lambda x: functional.max_pool2d(x, layer.window, 2, layer.padding)
    if layer.kind == "mean":
        return lambda x: torch.flatten(functional.adaptive_avg_pool2d(x, 1), 1)
    bias = torch.from_numpy((layer.bias * SCALE * layer.scale).astype(np.float32))
    raw = get_weight(layer)
    weight = torch.from_numpy((raw * layer.scale).astype(np.float32))
    if layer.kind == "linear":
        return lambda x: functional.linear(x, weight, bias)
    weight = weight.to(memory_format=last)
    if layer.kind == "deconv":
        return lambda x: functional.conv_transpose2d(x, weight, bias, 2)
    return lambda x: finish(functional.conv2d(
        x, weight, bias, layer.stride, layer.padding, layer.dilation, layer.groups))


def get_function(net, engine):
    """Runs the network once."""
    data = torch.from_numpy(get_image(net.input.shape)).permute(0, 3, 1, 2)
    if engine == "float":
        x = (data.float() / 256).contiguous(memory_format=torch.channels_last)
    else:
        x = torch.quantize_per_tensor((data.float() - net.input.zero) * SCALE, SCALE, net.input.zero,
                                      torch.quint8)
        x = x.contiguous(memory_format=torch.channels_last)
    make = float_layer if engine == "float" else quantized_layer
    steps = [(layer, make(layer)) for layer in net.layers]

    def run():
        values = {net.input.name: x}
        for layer, step in steps:
            values[layer.result.name] = step(*[values[i.name] for i in layer.inputs])
        result = values[net.layers[-1].result.name]
        return result if engine == "float" else result.int_repr()

    return run


def main():
    engine, names = sys.argv[1], sys.argv[2:]
    torch.set_num_threads(1)
    if engine != "float":
        torch.backends.quantized.engine = engine
    runs = [get_function(networks.make(name)[0], engine) for name in names]
    with torch.inference_mode():
        serve(runs)


if __name__ == "__main__":
    main()

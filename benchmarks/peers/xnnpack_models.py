# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a network as xnnpack_peer.c reads it."""

import math
import pathlib

import numpy as np

import networks

ROLES = {"input": 1, "result": 2}


def write(net: networks.Network, path: pathlib.Path) -> None:
    lines, constants, offsets = [], [], [0]

    def constant(data: np.ndarray) -> int:
        raw = np.ascontiguousarray(data).tobytes()
        constants.append(raw + bytes(-len(raw) % 64))
        offsets.append(offsets[-1] + len(constants[-1]))
        return offsets[-2]

    indices: dict[str, int] = {}
    result = net.layers[-1].result
    for value in [net.input, *(layer.result for layer in net.layers)]:
        index = indices[value.name] = len(indices)
        role = "input" if value == net.input else "result" if value == result else ""
        lines.append(f"value {index} {networks.SCALE} {value.zero} {len(value.shape)} "
                     f"{' '.join(map(str, value.shape))} {ROLES.get(role, 0)}")
    for layer in net.layers:
        inputs = [indices[value.name] for value in layer.inputs]
        out = indices[layer.result.name]
        low = 0.0 if layer.relu else -math.inf
        if layer.kind == "add":
            lines.append(f"add {inputs[0]} {inputs[1]} {out} {low}")
        elif layer.kind == "cat":
            lines.append(f"cat {inputs[0]} {inputs[1]} {out}")
        elif layer.kind == "max_pool":
            lines.append(f"max_pool {inputs[0]} {out} {layer.window} {layer.padding[0]}")
        elif layer.kind in ("conv", "deconv", "linear"):
            weight = layer.weight
            window = (1, 1) if layer.kind == "linear" else weight.shape[1:3]
            if layer.groups > 1:
                weight = np.moveaxis(weight, 0, -1)  # depthwise: [1, height, width, out]
            lines.append(
                f"{layer.kind} {inputs[0]} {out} {window[0]} {window[1]} {layer.stride} "
                f"{layer.padding[0]} {layer.padding[1]} {layer.dilation} {layer.groups} "
                f"{layer.scale:.9e} "
                f"{np.float32(layer.scale) * np.float32(networks.SCALE):.9e} "
                f"{constant(weight)} {constant(layer.bias)} {low}")
        else:
            lines.append(f"{layer.kind} {inputs[0]} {out}")
    path.write_text("\n".join(lines) + "\n")
    path.with_name(path.name + ".bin").write_bytes(b"".join(constants))

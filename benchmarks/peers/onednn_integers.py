#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The integers of backend onednn beside those of PyTorch's engine onednn.

usage: onednn_integers.py --bin DIR --work DIR [--only REGEX] [--seeds N]

Layers, and chains of them, on random samples, with the same scales on both sides.
PyTorch's side are its quantized kernels, called one by one; the other one is what
`lower-to=reference` and `lower-to=qnnpack` give. What fuses an addition, a tanh or a
leaky relu has kernels in PyTorch 2 only: there PyTorch's side is its reference form,
real operators on what the integers stand for. Prints for each layer how many integers
of a form differ, of how many, and by how much at most; of dynamic layers, whose
results are real and whose kernels `lower-to=qnnpack` has, how many by more than a
millionth of the largest. Needs a PyTorch that has the engine (Debian's python3-torch
does).
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

import numpy as np
import torch

sys.path.insert(0, str(
    pathlib.Path(__file__).resolve().parents[2] / "test/Spellings"))
from linalg_writer import LinalgWriter  # noqa: E402
from network import Network  # noqa: E402
from style import Style  # noqa: E402
from writer import write_module  # noqa: E402

FORMS = ("reference", "qnnpack")
KERNELS = torch.ops.quantized


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True,
                          text=True, timeout=300)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[:300])
    return done.stdout


#===----------------------------------------------------------------------===#
# PyTorch
#===----------------------------------------------------------------------===#


def quantize_weight(weight, axis=None):
    """As the observers of qconfigs do: of each channel, or of all of it."""
    weight = torch.from_numpy(weight)
    if axis is None:
        return torch.quantize_per_tensor(
            weight, float(weight.abs().max() / 127.5), 0, torch.qint8)
    largest = weight.abs().amax(
        dim=[dim for dim in range(weight.ndim) if dim != axis])
    return torch.quantize_per_channel(
        weight, (largest / 127.5).double(),
        torch.zeros(len(largest), dtype=torch.int64), axis, torch.qint8)


def compute(node, inputs, scale, zero_point, relu):
    """The quantized kernel of one layer; with its relu, if it has one."""
    op, parameters, x = node.op, node.parameters, inputs[0]
    first = lambda name: [value[0] if isinstance(value, tuple) else value
                          for value in getattr(node, name)]
    suffix = "_relu" if relu else ""
    bias = parameters.get("bias")
    if bias is not None:
        bias = torch.from_numpy(bias)
    to = (scale, zero_point)
    if op == "linear":
        packed = KERNELS.linear_prepack(
            quantize_weight(parameters["weight"], 0), bias)
        return getattr(KERNELS, "linear" + suffix)(x, packed, *to)
    if op == "conv":
        packed = KERNELS.conv2d_prepack(
            quantize_weight(parameters["weight"], 0), bias, first("stride"),
            first("padding"), first("dilation"), node.groups)
        return getattr(KERNELS, "conv2d" + suffix)(x, packed, *to)
    if op == "conv_transpose":
        packed = KERNELS.conv_transpose2d_prepack(
            quantize_weight(parameters["weight"]), bias, first("stride"),
            first("padding"), first("output_padding"), [1, 1], 1)
        return KERNELS.conv_transpose2d(x, packed, *to)
    if op in ("add", "mul"):
        return getattr(KERNELS, op + suffix)(x, inputs[1], *to)
    if op == "layer_norm":
        return KERNELS.layer_norm(
            x, [x.shape[-1]], torch.from_numpy(parameters["weight"]), bias,
            node.eps, *to)
    if op in ("max_pool", "avg_pool"):
        pool = getattr(torch.nn.functional, op + "2d")
        return pool(x, first("kernel"), first("stride"), first("padding"))
    return {
        "cat": lambda: KERNELS.cat(inputs, node.axis, *to),
        "relu": lambda: torch.relu(x),
        "relu6": lambda: KERNELS.relu6(x),
        "sigmoid": lambda: KERNELS.sigmoid(x, *to),
        "tanh": lambda: torch.tanh(x),
        "hardswish": lambda: KERNELS.hardswish(x, *to),
        "leaky_relu": lambda: KERNELS.leaky_relu(x, node.slope, False, *to),
        "elu": lambda: KERNELS.elu(x, *to, 1.0),
        "global_pool": lambda: torch.nn.functional.adaptive_avg_pool2d(x, 1),
        "flatten": lambda: x.flatten(1),
    }[op]()


def compute_reference(nodes, inputs, scale, zero_point):
    """A layer and what is fused with it, on floats; `inputs` are those of
    the layer, then what is added."""
    node, real = nodes[0], [each.dequantize() for each in inputs]
    bias = torch.from_numpy(node.parameters["bias"])
    weight = quantize_weight(node.parameters["weight"], 0).dequantize()
    if node.op == "linear":
        value = torch.nn.functional.linear(real[0], weight, bias)
    else:
        value = torch.nn.functional.conv2d(
            real[0], weight, bias, node.stride,
            [low for low, _ in node.padding])
    for each in nodes[1:]:
        value = {
            "add": lambda: value + real[1],
            "relu": lambda: torch.relu(value),
            "tanh": lambda: torch.tanh(value),
            "leaky_relu": lambda: torch.nn.functional.leaky_relu(
                value, each.slope),
        }[each.op]()
    return torch.quantize_per_tensor(value, scale, zero_point, torch.quint8)


def compute_dynamic(node, x, per_channel, relu):
    """A layer that finds the range of its input when it runs."""
    packed = KERNELS.linear_prepack(
        quantize_weight(node.parameters["weight"], 0 if per_channel else None),
        torch.from_numpy(node.parameters["bias"]))
    kernel = KERNELS.linear_relu_dynamic if relu else KERNELS.linear_dynamic
    return kernel(torch.from_numpy(x), packed).numpy()


#===----------------------------------------------------------------------===#
# Networks
#===----------------------------------------------------------------------===#


def _image(net, channels=6, height=9, width=11):
    return net.input(1, channels, height, width)


def _layer(build):
    return lambda net: net.output(build(net, _image(net)))


def _unary(op, **attributes):
    return _layer(lambda net, x: net.unary(op, x, **attributes))


def _linear(relu=False, **options):
    def build(net):
        y = net.linear(net.input(1, 40, image=False), 30, **options)
        return net.output(net.unary("relu", y) if relu else y)
    return build


def _added(relu=False, left=True):
    """A convolution and an addition to it, on either side."""
    def build(net):
        x, y = _image(net), _image(net)
        z = net.conv(x, 6, 3, padding=1)
        z = net.add(z, y) if left else net.add(y, z)
        return net.output(net.unary("relu", z) if relu else z)
    return build


def _linear_unary(op, **attributes):
    return lambda net: net.output(net.unary(
        op, net.linear(net.input(1, 40, image=False), 30), **attributes))


def mlp(net):
    x = net.input(1, 32, image=False)
    for size in (48, 48, 32, 24):
        x = net.unary("relu", net.linear(x, size))
    return net.output(net.linear(x, 10))


def vgg(net):
    x = _image(net, 3, 20, 20)
    for size in (8, 12):
        for _ in range(2):
            x = net.unary("relu", net.conv(x, size, 3, padding=1))
        x = net.max_pool(x, 2)
    x = net.unary("relu", net.linear(net.flatten(x), 20))
    return net.output(net.linear(x, 10))


def mobile(net):
    x = net.unary("relu", net.conv(_image(net, 3, 21, 21), 8, 3, stride=2))
    for size, stride in ((12, 1), (16, 2), (16, 1)):
        x = net.unary("relu", net.conv(x, x.shape[1], 3, stride=stride,
                                       padding=1, groups=x.shape[1]))
        x = net.unary("relu", net.conv(x, size, 1))
    return net.output(net.linear(net.flatten(net.global_pool(x)), 10))


LAYERS = {
    "linear": _linear(),
    "linear, no bias": _linear(bias=False),
    "linear, relu": _linear(relu=True),
    "conv": _layer(lambda net, x: net.conv(x, 8, 3, padding=1)),
    "conv, no bias": _layer(
        lambda net, x: net.conv(x, 8, 3, padding=1, bias=False)),
    "conv 1x1": _layer(lambda net, x: net.conv(x, 8, 1)),
    "conv, stride 2": _layer(
        lambda net, x: net.conv(x, 8, 5, stride=2, padding=2)),
    "conv, dilated": _layer(lambda net, x: net.conv(x, 8, 3, dilation=2)),
    "conv, groups": _layer(lambda net, x: net.conv(x, 8, 3, groups=2)),
    "conv, depthwise": _layer(
        lambda net, x: net.conv(x, 6, 3, padding=1, groups=6)),
    "conv, relu": _layer(
        lambda net, x: net.unary("relu", net.conv(x, 8, 3))),
    "conv+add": _added(),
    "add+conv": _added(left=False),
    "conv+add+relu": _added(relu=True),
    "linear+tanh": _linear_unary("tanh"),
    "linear+leaky_relu": _linear_unary("leaky_relu", slope=0.1),
    # PyTorch's kernel takes weights with one scale only.
    "conv_transpose": _layer(
        lambda net, x: net.conv_transpose(x, 5, 3, stride=2)),
    "add": lambda net: net.output(net.add(_image(net), _image(net))),
    "add, relu": lambda net: net.output(
        net.unary("relu", net.add(_image(net), _image(net)))),
    "mul": lambda net: net.output(net.mul(_image(net), _image(net))),
    "cat": lambda net: net.output(net.cat([_image(net), _image(net)], 1)),
    **{op: _unary(op) for op in ("relu", "relu6", "sigmoid", "tanh",
                                 "hardswish")},
    "leaky_relu": _unary("leaky_relu", slope=0.1),
    "elu": _unary("elu", alpha=1.0),
    "max_pool": _layer(lambda net, x: net.max_pool(x, 3, 2, 1)),
    "avg_pool": _layer(lambda net, x: net.avg_pool(x, 3, 2, 1)),
    "global_pool": _layer(lambda net, x: net.global_pool(x)),
    "layer_norm": lambda net: net.output(
        net.layer_norm(net.input(1, 7, 24, image=False))),
    "mlp": mlp, "vgg": vgg, "mobile": mobile,
}

# Of one layer, with the qconfig of each.
DYNAMIC = {
    f"dynamic linear{', relu' if relu else ''}, {qconfig}": (
        _linear(relu=relu), qconfig, relu)
    for qconfig in ("dynamic", "per_channel_dynamic") for relu in (False, True)
}


#===----------------------------------------------------------------------===#
# Comparison
#===----------------------------------------------------------------------===#


def choose_parameters(entry):
    """A scale that clips a little, and those that PyTorch fixes."""
    if entry["name"].startswith("sigmoid"):
        return 1 / 256, 0
    if entry["name"].startswith("tanh"):
        return 2 / 256, 128
    low, high = min(entry["min"], 0), max(entry["max"], 0)
    scale = float(np.float32((high - low) / 255 * 0.97))
    return scale, int(np.clip(round(-low / scale), 0, 255))


def read_observers(text):
    """The operators (name, kinds) in order, and who observes each value."""
    operators, observers, current = [], {}, None
    for line in text.splitlines():
        if match := re.match(r"\d+: (\S+) = (\S+)\(", line):
            operators.append(match.groups())
        elif match := re.match(r"@(\S+):", line):
            current = match[1]
        elif match := re.match(r"  (\S+) ->", line):
            observers.setdefault(match[1], current)
    return operators, observers


def write_network(build, seed, work):
    """The network, its module and samples, which are in files, too."""
    net = build(Network(100 + seed, batch=8))
    module, samples = work / "network.mlir", work / "samples.npz"
    module.write_text(write_module(
        net, Style("torch", {}, 0, each=True, drawn=("dialect",)),
        {"linalg": LinalgWriter}))
    rng = np.random.default_rng(seed)
    arrays = [rng.normal(0, 1.5, node.shape).astype(np.float32)
              for node in net.inputs()]
    np.savez(samples, **{f"x{i}": array for i, array in enumerate(arrays)})
    return net, module, samples, arrays


def run_form(form, options, module, samples, tools, work):
    """What the network gives in a form, as floats."""
    run(tools / "qbackend-opt", module, "-o", work / "quantized.mlir",
        f"--apply-backend=onednn lower-to={form} {options}")
    run(tools / "qbackend-run", work / "quantized.mlir", f"--input={samples}",
        "-o", work / "result.npz")
    with np.load(work / "result.npz") as file:
        return file[file.files[0]]


def compare_dynamic(layer, seed, tools, work):
    """The differences of kernels, in millionths of the largest number."""
    build, qconfig, relu = layer
    net, module, samples, arrays = write_network(build, seed, work)
    node = next(node for node in net.nodes if node.op == "linear")
    wanted = compute_dynamic(node, arrays[0], "channel" in qconfig, relu)
    found = run_form("qnnpack", f"qconfig={qconfig}", module, samples, tools,
                     work)
    return {"qnnpack": np.floor(
        np.abs(found - wanted).ravel() / np.abs(wanted).max() * 1e6)}


def compare(name, build, seed, tools, work):
    """For each form the differences, in steps, of all integers of the result."""
    net, module, samples, arrays = write_network(build, seed, work)
    table = work / "table.json"
    qconfig = "default_qconfig" if name == "conv_transpose" else "default"
    operators, observers = read_observers(run(
        tools / "qbackend-opt", module, "-o", "/dev/null",
        f"--qbackend-print-observers=backend=onednn qconfig={qconfig}"))
    run(tools / "qbackend-run", module, "--calibrate", "--backend=onednn",
        f"--qconfig={qconfig}", f"--input={samples}", "-o", table)
    seen = json.loads(table.read_text())
    chosen = {entry["name"]: choose_parameters(entry)
              for entry in seen["entries"]}
    seen["entries"] = [{"name": key, "scale": scale, "zero_point": zero_point}
                       for key, (scale, zero_point) in chosen.items()]
    table.write_text(json.dumps(seen))

    values = {}
    for i, (node, array) in enumerate(zip(net.inputs(), arrays)):
        values[node] = torch.quantize_per_tensor(
            torch.from_numpy(array), *chosen[observers[f"arg{i}"]],
            torch.quint8)
    nodes = iter([node for node in net.nodes if node.op != "input"])
    for result, kinds in operators:
        fused = [next(nodes) for _ in kinds.split("+")]
        read = [values[each] for node in fused for each in node.inputs
                if each not in fused]
        parameters = chosen[observers[result]]
        if len(fused) == 1 or kinds in ("linear+relu", "conv2d+relu",
                                        "add+relu"):
            value = compute(fused[0], read, *parameters, len(fused) > 1)
        else:
            value = compute_reference(fused, read, *parameters)
        values[fused[-1]] = value
    wanted = values[net.result]

    differences = {}
    for form in FORMS:
        real = run_form(form, f"qconfig={qconfig} calibration={table}", module,
                        samples, tools, work)
        integers = (np.rint(real / np.float32(wanted.q_scale()))
                    + wanted.q_zero_point())
        differences[form] = np.abs(
            integers - wanted.int_repr().numpy().astype(int)).ravel()
    return differences


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--seeds", type=int, default=6)
    options = parser.parse_args()
    if "onednn" not in torch.backends.quantized.supported_engines:
        sys.exit("this PyTorch has no engine onednn")
    torch.backends.quantized.engine = "onednn"
    options.work.mkdir(parents=True, exist_ok=True)
    for name, layer in {**LAYERS, **DYNAMIC}.items():
        if not re.search(options.only, name):
            continue
        found = collections.defaultdict(list)
        for seed in range(options.seeds):
            steps = (compare_dynamic(layer, seed, options.bin, options.work)
                     if name in DYNAMIC else
                     compare(name, layer, seed, options.bin, options.work))
            for form, of_seed in steps.items():
                found[form].append(of_seed)
        print(f"{name:16}", *(
            f"{form}: {np.count_nonzero(steps)} of {steps.size}, by "
            f"{steps.max():.0f}" for form, steps in
            ((form, np.concatenate(parts)) for form, parts in found.items())),
            sep="  ", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random networks of modules and functions, and how PyTorch's FX observes them.

    fx_networks.py FIRST LAST DIR [--dynamic]

Runs in PyTorch 2.6 or newer, without this project. For each seed DIR gets SEED.pt2, the
network as torch.export has it, SEED.npz, a batch for each row of its arguments, and
SEED.json: for each observer of `prepare_fx` for qnnpack (moving averages) the number of
updates in one batch, what it observes, and its range, scale and zero point after all
batches; SEED.results.npz has the results of `convert_fx` on these batches, one each.
With --dynamic the .pt2 has a batch of any size.
`updates.py` compares them. Many of the operators only move values.
"""

import copy
import json
import math
import pathlib
import random
import sys
import warnings

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.ao.quantization import (
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    QConfig,
    QConfigMapping,
    get_default_qconfig_mapping,
)
from torch.ao.quantization.backend_config import get_qnnpack_backend_config
from torch.ao.quantization.observer import ObserverBase
from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx

BATCHES = 4
#: Functions that no configuration has, and those that only move values.
FLOAT = {"exp", "sin", "gelu", "neg", "abs", "softplus", "log_softmax"}
MOVES = {"permute", "transpose", "reshape", "flatten", "unsqueeze", "squeeze", "cat",
         "stack", "interpolate"}
#: Their results are positive: an activation that changes nothing is dropped here.
POSITIVE = {"relu", "exp", "softplus", "sigmoid", "abs"}

ELEMENTWISE = {
    "relu": F.relu, "sigmoid": torch.sigmoid, "tanh": torch.tanh,
    "hardswish": F.hardswish, "leaky_relu": lambda x: F.leaky_relu(x, 0.125),
    "exp": torch.exp, "sin": torch.sin, "gelu": F.gelu, "neg": torch.neg,
    "abs": torch.abs, "softplus": F.softplus,
    "log_softmax": lambda x: F.log_softmax(x, -1),
    "max_pool2d": lambda x: F.max_pool2d(x, 2),
    "avg_pool2d": lambda x: F.avg_pool2d(x, 2),
    "mean": lambda x: F.adaptive_avg_pool2d(x, 1),
    "interpolate": lambda x: F.interpolate(x, scale_factor=2, mode="nearest"),
}
#: How often each is drawn.
WEIGHTS = {
    "conv": 4, "conv_bn": 1, "deconv": 1, "linear": 3, "relu": 2, "add": 3, "mul": 1,
    "number": 1, "max_pool2d": 1, "avg_pool2d": 1, "permute": 6, "transpose": 3,
    "reshape": 4, "flatten": 2, "unsqueeze": 1, "squeeze": 1, "cat": 2, "stack": 1,
    "sigmoid": 1, "tanh": 1, "hardswish": 1, "leaky_relu": 1, "float": 3, "mean": 1,
    "interpolate": 0.5, "norm": 1,
}


def changes_nothing(shape, order):
    order = [d for d in order if shape[d] > 1]
    return order == sorted(order)


class Network(nn.Module):
    """A program of [operator, inputs, parameter], drawn from a seed."""

    def __init__(self, seed):
        super().__init__()
        self.random = random.Random(seed)
        self.parts = nn.ModuleList()
        self.is_dynamic = False
        self.program, self.shapes, self.used = [], [], set()
        self.inputs = self.random.choice([1, 1, 2])
        for _ in range(self.inputs):
            extents = ([2, 3, 4], [4, 6], [4, 6, 8]) if self.random.random() < 0.7 else (
                [4, 6, 8], [4, 6])
            self.shapes.append((1, *map(self.random.choice, extents)))
        for _ in range(self.random.randint(4, 11)):
            name = self.random.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
            getattr(self, f"draw_{name}", lambda: self.draw_elementwise(name))()
        values = range(self.inputs, len(self.shapes))
        self.results = [i for i in values if i not in self.used]
        if values and self.random.random() < 0.2:
            self.results = sorted({*self.results, self.random.choice(values)})

    def pick(self, accepts=lambda shape: True):
        """A value, more likely a late one; None if none is accepted."""
        found = [i for i, shape in enumerate(self.shapes) if accepts(shape)]
        late = int(self.random.expovariate(0.8))
        return found[-1 - min(late, len(found) - 1)] if found else None

    def image(self):
        return self.pick(lambda s: len(s) == 4 and min(s[2:]) >= 2 and
                         max(s[2:]) <= 16 and s[1] <= 64)

    def emit(self, name, inputs, parameter, shape):
        self.program.append((name, inputs, parameter))
        self.used.update(inputs)
        self.shapes.append(tuple(shape))

    def emit_module(self, x, shape, *layers):
        self.parts.append(nn.Sequential(*layers))
        self.emit("module", [x], len(self.parts) - 1, shape)

    def relu(self, chance):
        return [nn.ReLU()] if self.random.random() < chance else []

    # One operator each; nothing if there is nothing to apply it to.

    def draw_conv(self, norm=False):
        if (x := self.image()) is None:
            return
        n, c, *size = self.shapes[x]
        outputs, kernel = self.random.choice([2, 3, 4]), self.random.choice([1, 3])
        layer = nn.Conv2d(c, outputs, kernel, padding=kernel // 2,
                          bias=self.random.random() < 0.7)
        self.emit_module(x, (n, outputs, *size), layer,
                         *[nn.BatchNorm2d(outputs)][:norm], *self.relu(0.4))

    def draw_conv_bn(self):
        self.draw_conv(norm=True)

    def draw_deconv(self):
        if (x := self.image()) is not None:
            n, c, *size = self.shapes[x]
            outputs = self.random.choice([2, 3])
            self.emit_module(x, (n, outputs, *(2 * s for s in size)),
                             nn.ConvTranspose2d(c, outputs, 2, stride=2))

    def draw_linear(self):
        if (x := self.pick(lambda s: s[-1] <= 512)) is not None:
            *rows, features = self.shapes[x]
            outputs = self.random.choice([3, 4, 6])
            layer = nn.Linear(features, outputs, bias=self.random.random() < 0.8)
            self.emit_module(x, (*rows, outputs), layer, *self.relu(0.3))

    def draw_norm(self):
        x = self.pick()
        self.emit_module(x, self.shapes[x], nn.LayerNorm(self.shapes[x][-1]))

    def is_positive(self, x):
        if x < self.inputs:
            return False
        name, _, part = self.program[x - self.inputs]
        return name in POSITIVE or (
            name == "module" and isinstance(self.parts[part][-1], nn.ReLU))

    def draw_elementwise(self, name):
        windows = name in ("max_pool2d", "avg_pool2d", "mean", "interpolate")
        if (x := self.image() if windows else self.pick()) is None:
            return
        if name in ("relu", "leaky_relu", "abs") and self.is_positive(x):
            return
        sizes = {"max_pool2d": lambda s: s // 2, "avg_pool2d": lambda s: s // 2,
                 "mean": lambda s: 1, "interpolate": lambda s: 2 * s}
        shape = self.shapes[x]
        self.emit(name, [x], None, (*shape[:2], *map(sizes[name], shape[2:]))
                  if windows else shape)

    def draw_float(self):
        self.draw_elementwise(self.random.choice(sorted(FLOAT)))

    def draw_add(self, name="add"):
        x = self.pick()
        y = self.pick(lambda s: s == self.shapes[x])
        if x != y or (name == "add" and self.random.random() < 0.3):
            self.emit(name, [x, y], None, self.shapes[x])

    def draw_mul(self):
        self.draw_add("mul")

    def draw_number(self):
        x = self.pick()
        self.emit(self.random.choice(["add_number", "mul_number"]), [x],
                  self.random.choice([0.5, 2.0, 3.0]), self.shapes[x])

    def move(self, name, x, parameter, shape):
        if tuple(shape) != self.shapes[x] or name in ("permute", "transpose"):
            self.emit(name, [x], parameter, shape)

    def draw_permute(self):
        if (x := self.pick(lambda s: len(s) >= 3)) is None:
            return
        shape = self.shapes[x]
        rest = list(range(1, len(shape)))
        if self.random.random() < 0.3 and len(rest) == 3:
            rest = self.random.choice([[2, 3, 1], [3, 1, 2]])
        else:
            self.random.shuffle(rest)
        if not changes_nothing(shape, [0, *rest]):
            self.move("permute", x, [0, *rest], [shape[d] for d in (0, *rest)])

    def draw_transpose(self):
        if (x := self.pick(lambda s: len(s) >= 3)) is None:
            return
        a, b = self.random.sample(range(1, len(self.shapes[x])), 2)
        order = list(range(len(self.shapes[x])))
        order[a], order[b] = b, a
        if not changes_nothing(self.shapes[x], order):
            self.move("transpose", x, (a, b), [self.shapes[x][d] for d in order])

    def draw_reshape(self):
        if (x := self.pick(lambda s: len(s) >= 3)) is None:
            return
        size = math.prod(self.shapes[x])
        shapes = [(1, size // d, d) for d in (2, 3, 4, 6, 8) if size % d == 0]
        shapes += [(1, d, size // d // e, e) for d in (2, 3, 4) for e in (2, 4)
                   if size % (d * e) == 0]
        if shapes:
            shape = self.random.choice(shapes)
            self.move("reshape", x, shape, shape)

    def draw_flatten(self):
        if (x := self.pick(lambda s: len(s) >= 3)) is not None:
            shape = self.shapes[x]
            first = self.random.choice([1, 1, 2]) if len(shape) == 4 else 1
            self.move("flatten", x, first,
                      (*shape[:first], math.prod(shape[first:])))

    def draw_unsqueeze(self):
        if (x := self.pick(lambda s: len(s) == 3)) is not None:
            place = self.random.choice([1, 2, 3])
            shape = self.shapes[x]
            self.move("unsqueeze", x, place, (*shape[:place], 1, *shape[place:]))

    def draw_squeeze(self):
        if (x := self.pick(lambda s: len(s) == 4 and 1 in s[1:])) is not None:
            shape = self.shapes[x]
            place = shape.index(1, 1)
            self.move("squeeze", x, place, shape[:place] + shape[place + 1:])

    def draw_cat(self):
        x = self.pick()
        shape = list(self.shapes[x])
        place = self.random.randrange(1, len(shape))
        shape[place] *= 2
        self.emit("cat", [x, self.pick(lambda s: s == self.shapes[x])], place, shape)

    def draw_stack(self):
        if (x := self.pick(lambda s: len(s) == 3)) is not None:
            place = self.random.randrange(1, 4)
            shape = self.shapes[x]
            self.emit("stack", [x, self.pick(lambda s: s == shape)], place,
                      (*shape[:place], 2, *shape[place:]))

    def forward(self, a, b=None):
        values = [a, b][:self.inputs]
        for name, inputs, parameter in self.program:
            x, y = values[inputs[0]], values[inputs[-1]]
            if name == "module":
                x = self.parts[parameter](x)
            elif name in ELEMENTWISE:
                x = ELEMENTWISE[name](x)
            elif name in ("add", "add_number"):
                x = x + (y if parameter is None else parameter)
            elif name in ("mul", "mul_number"):
                x = x * (y if parameter is None else parameter)
            elif name in ("cat", "stack"):
                x = getattr(torch, name)([x, y], parameter)
            elif name == "flatten":
                x = torch.flatten(x, parameter)
            elif name == "transpose":
                x = x.transpose(*parameter)
            elif name == "reshape" and self.is_dynamic:
                x = x.reshape(x.shape[0], *parameter[1:])
            else:
                x = getattr(x, name)(parameter)
            values.append(x)
        return tuple(values[i] for i in self.results)


def averages():
    """Moving averages, and the fixed parameters of the default mapping."""
    activation = MovingAverageMinMaxObserver.with_args(
        dtype=torch.quint8, qscheme=torch.per_tensor_affine)
    weight = MinMaxObserver.with_args(
        dtype=torch.qint8, qscheme=torch.per_tensor_symmetric)
    mapping = QConfigMapping().set_global(QConfig(activation, weight))
    for kind, qconfig in get_default_qconfig_mapping(
            "qnnpack").object_type_qconfigs.items():
        if "Fixed" in str(qconfig.activation):
            mapping.set_object_type(kind, qconfig)
    return mapping


def draw_parameters(network):
    for part in network.modules():
        if isinstance(part, (nn.BatchNorm2d, nn.LayerNorm)):
            part.weight.data.uniform_(0.5, 1.5)
            part.bias.data.normal_(0, 0.2)
        if isinstance(part, nn.BatchNorm2d):
            part.running_mean.normal_(0, 0.3)
            part.running_var.uniform_(0.5, 1.5)


def describe(prepared):
    """The observers of activations: name to module, and what each observes."""
    observers, sites, computes = {}, {}, set()

    def is_computed(node):
        if node.op == "call_module":
            part = prepared.get_submodule(node.target)
            return not isinstance(part, (ObserverBase, nn.LayerNorm))
        name = getattr(node.target, "__name__", node.target)
        return node.op.startswith("call") and name not in FLOAT | MOVES

    for node in prepared.graph.nodes:
        if node.op != "call_module" or not node.target.startswith("activation_post"):
            continue
        observer = prepared.get_submodule(node.target)
        name = next((n for n, o in observers.items() if o is observer), node.target)
        observers[name] = observer
        sites.setdefault(name, []).append(str(node.args[0]))
        if any(map(is_computed, [node.args[0], *node.users])):
            computes.add(name)
    return observers, sites, computes


def record(network, data):
    prepared = prepare_fx(copy.deepcopy(network), averages(), tuple(data[0]),
                          backend_config=get_qnnpack_backend_config())
    observers, sites, computes = describe(prepared)
    counts = dict.fromkeys(observers, 0)
    for name, observer in observers.items():
        def count(*_, name=name):
            counts[name] += 1
        observer.register_forward_hook(count)
    with torch.no_grad():
        for batch in data:
            prepared(*batch)
    found = {}
    for name, observer in observers.items():
        scale, zero_point = observer.calculate_qparams()
        # What has the fixed parameters of a sigmoid that reads it, has its own here.
        found[name] = {
            "updates": counts[name] // BATCHES, "sites": sites[name],
            "computes": name in computes and
            isinstance(observer, MovingAverageMinMaxObserver),
            "scale": float(scale), "zero_point": int(zero_point)}
        if hasattr(observer, "min_val"):
            found[name]["range"] = [float(observer.min_val), float(observer.max_val)]
    return found, compute(prepared, data)


def compute(prepared, data):
    """The results of the converted network; none if PyTorch can't run it."""
    try:
        converted = convert_fx(prepared, backend_config=get_qnnpack_backend_config())
        with torch.no_grad():
            results = [converted(*batch) for batch in data]
    except RuntimeError:
        return None
    # A result that PyTorch leaves quantized is what its integers stand for.
    return [torch.cat([each.dequantize() for each in parts]).numpy()
            for parts in zip(*results)]


def export(network, data, is_dynamic):
    network.is_dynamic = is_dynamic
    if not is_dynamic:
        return torch.export.export(network, tuple(data[0]))
    batch = torch.export.Dim("batch")
    examples = tuple(torch.cat(parts) for parts in zip(*data))
    return torch.export.export(network, examples,
                               dynamic_shapes=({0: batch},) * network.inputs)


def main():
    first, last, folder = int(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])
    is_dynamic = "--dynamic" in sys.argv
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    torch.backends.quantized.engine = "qnnpack"
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(first, last):
        torch.manual_seed(seed)
        network = Network(seed).eval()
        if not network.results:
            continue
        draw_parameters(network)
        shapes = network.shapes[:network.inputs]
        data = [[torch.randn(shape) * (1 + 0.7 * k) for shape in shapes]
                for k in range(BATCHES)]
        try:
            observers, results = record(network, data)
        except AssertionError:  # No range holds NaN: an exp of an exp.
            continue
        torch.export.save(export(network, data, is_dynamic), folder / f"{seed}.pt2")
        np.savez(folder / f"{seed}.npz", **{
            name: np.concatenate([batch[i].numpy() for batch in data])
            for i, name in enumerate("ab"[:network.inputs])})
        if results is not None:
            np.savez(folder / f"{seed}.results.npz", *results)
        (folder / f"{seed}.json").write_text(json.dumps({
            "program": network.program, "observers": observers}))


if __name__ == "__main__":
    main()

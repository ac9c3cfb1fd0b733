#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write one of the example networks as MLIR, in a front end's own spelling.

The three float networks in `networks/` (batch norm unfolded, NCHW input)
become what torch-mlir makes of them: `linalg` on tensors, as its linalg
backend has spelled them since 2024, or `tosa`. All operations of a layer
carry the layer's PyTorch module path as a name location, so that results can
be compared with PyTorch's by name. Operations that layers share (an empty
tensor, a zero fill) carry the location of the first.
"""

import argparse
import sys

import numpy as np

BATCH_NORM_EPS = 1e-5
FLOAT_MAX = "3.40282347E+38"


def tensor(shape, element="f32"):
    sizes = ["?" if size is None else str(size) for size in shape]
    return f"tensor<{'x'.join(sizes + [element])}>"


def dense(array):
    """Exact bits: the decimal form of a float need not survive a round trip."""
    data = np.ascontiguousarray(array, dtype="<f4").tobytes().hex().upper()
    return f'dense<"0x{data}"> : {tensor(array.shape)}'


class Value:
    """An SSA value: its name, its sizes (None: dynamic) and element type."""

    def __init__(self, name, shape, element="f32"):
        self.name = name
        self.shape = tuple(shape)
        self.element = element
        self.type = tensor(shape, element)


class Writer:
    """Prints a function op by op; subclasses say how a layer is spelled.

    Layer methods take their module path first and return the layer's output.
    """

    def __init__(self, weights, batch):
        self.weights = weights
        self.header = []
        self.lines = []
        self.known = {}
        self.count = 0
        self.scope = None
        self.input = Value("%x", (batch, 1, 28, 28))

    def op(self, text, shape, element="f32"):
        """Prints `text` as an op of the current layer with one result."""
        name = f"%{self.count}"
        self.count += 1
        self.lines.append(f'    {name} = {text} loc("{self.scope}")')
        return Value(name, shape, element)

    def shared(self, text, shape, element="f32"):
        """The same, once per function: CSE leaves one of each in real files."""
        if text not in self.known:
            self.known[text] = self.op(text, shape, element)
        return self.known[text]

    def weight(self, name):
        return self.weights[f"{self.scope}.{name}"]

    def module(self, result):
        return "\n".join(
            self.header
            + [
                "module {",
                f'  func.func @main(%x: {self.input.type} loc("x"))'
                f" -> {result.type} {{",
            ]
            + self.lines
            + [f"    return {result.name} : {result.type}", "  }", "}", ""]
        )


def convolved(shape, channels, kernel, stride, pad):
    """NCHW sizes after a convolution or pooling."""
    spatial = [(s + 2 * pad - k) // stride + 1 for s, k in zip(shape[2:], kernel)]
    return (shape[0], channels, *spatial)


class Linalg(Writer):
    """torch-mlir's linalg backend, 2024 and later."""

    # In front of the function: names for the maps every generic uses.
    MAPS = {
        "#id4": "(d0, d1, d2, d3) -> (d0, d1, d2, d3)",
        "#unit4": "(d0, d1, d2, d3) -> (0, d1, d2, d3)",
        "#channel": "(d0, d1, d2, d3) -> (d1)",
        "#scalar4": "(d0, d1, d2, d3) -> ()",
        "#id2": "(d0, d1) -> (d0, d1)",
        "#unit2": "(d0, d1) -> (0, d1)",
        "#bias": "(d0, d1) -> (d1)",
        "#id0": "() -> ()",
    }

    def __init__(self, weights, batch):
        super().__init__(weights, batch)
        self.header = [f"{n} = affine_map<{m}>" for n, m in self.MAPS.items()]
        # Scalars are the function's, not a layer's.
        self.scalars = {}

    def scalar(self, name, value, element):
        self.scalars[name] = f"    {name} = arith.constant {value} : {element}"
        return name

    def zero(self):
        return self.scalar("%zero", "0.000000e+00", "f32")

    def module(self, result):
        scalars = [f"{line} loc(unknown)" for line in self.scalars.values()]
        self.lines = scalars + self.lines
        return super().module(result)

    def constant(self, array):
        return self.op(f"arith.constant {dense(array)}", array.shape)

    def batch_size(self, x):
        index = self.scalar("%c0", "0", "index")
        return self.shared(f"tensor.dim {x.name}, {index} : {x.type}", (), "index")

    def empty(self, shape, like=None, element="f32"):
        """An empty tensor; a dynamic batch size is that of `like`."""
        sizes = ""
        if shape[:1] == (None,):
            sizes = self.batch_size(like).name
        text = f"tensor.empty({sizes}) : {tensor(shape, element)}"
        return self.shared(text, shape, element)

    def fill(self, scalar, element, into):
        return self.shared(
            f"linalg.fill ins({scalar} : {element}) "
            f"outs({into.name} : {into.type}) -> {into.type}",
            into.shape,
            element,
        )

    def elementwise_map(self, value):
        """torch-mlir indexes a dimension of size 1 with a constant."""
        kind = "unit" if value.shape[0] == 1 else "id"
        return f"#{kind}{len(value.shape)}"

    def generic(self, maps, inputs, init, body):
        """A parallel generic; `body` may use %a, %b, ... and yields %r."""
        iterators = ", ".join(['"parallel"'] * len(init.shape))
        maps = ", ".join([*maps, f"#id{len(init.shape)}"])
        loc = f'loc("{self.scope}")'
        arguments = [f"%{n}: {v.element} {loc}" for n, v in zip("abcde", inputs)]
        lines = [f"      {line} {loc}" for line in body]
        text = "\n".join(
            [
                f"linalg.generic {{indexing_maps = [{maps}], "
                f"iterator_types = [{iterators}]}} "
                f"ins({', '.join(v.name for v in inputs)} : "
                f"{', '.join(v.type for v in inputs)}) "
                f"outs({init.name} : {init.type}) {{",
                f"    ^bb0({', '.join(arguments)}, %out: f32 {loc}):",
                *lines,
                f"      linalg.yield %r : f32 {loc}",
                f"    }} -> {init.type}",
            ]
        )
        return self.op(text, init.shape)

    def named(self, op, inputs, init, stride=None):
        """A named op; with a stride, one that slides a window."""
        window = (
            " {dilations = dense<1> : vector<2xi64>, "
            f"strides = dense<{stride}> : vector<2xi64>}}"
            if stride
            else ""
        )
        return self.op(
            f"linalg.{op}{window} ins({', '.join(v.name for v in inputs)} : "
            f"{', '.join(v.type for v in inputs)}) "
            f"outs({init.name} : {init.type}) -> {init.type}",
            init.shape,
        )

    def conv(self, scope, x, stride=1, pad=0, depthwise=False, bias=False):
        self.scope = scope
        weight = self.weight("weight")
        shape = convolved(x.shape, len(weight), weight.shape[2:], stride, pad)
        init = self.empty(shape, x)
        if bias:
            values = self.constant(self.weight("bias"))
            init = self.op(
                f"linalg.broadcast ins({values.name} : {values.type}) "
                f"outs({init.name} : {init.type}) dimensions = [0, 2, 3]",
                shape,
            )
        else:
            init = self.fill(self.zero(), "f32", init)
        if pad:
            x = self.pad(x, pad)
        kernel = self.constant(weight)
        if not depthwise:
            return self.named("conv_2d_nchw_fchw", [x, kernel], init, stride)
        flat = weight.shape[:1] + weight.shape[2:]
        text = f"tensor.collapse_shape {kernel.name} [[0, 1], [2], [3]]"
        text += f" : {kernel.type} into {tensor(flat)}"
        kernel = self.op(text, flat)
        return self.named("depthwise_conv_2d_nchw_chw", [x, kernel], init, stride)

    def pad(self, x, pad):
        shape = x.shape[:2] + tuple(size + 2 * pad for size in x.shape[2:])
        loc = f'loc("{self.scope}")'
        indices = ", ".join(f"%i{d}: index {loc}" for d in range(4))
        return self.op(
            f"tensor.pad {x.name} low[0, 0, {pad}, {pad}] "
            f"high[0, 0, {pad}, {pad}] {{\n"
            f"    ^bb0({indices}):\n"
            f"      tensor.yield {self.zero()} : f32 {loc}\n"
            f"    }} : {x.type} to {tensor(shape)}",
            shape,
        )

    def batch_norm(self, scope, x):
        self.scope = scope
        eps = self.scalar("%eps", f"{BATCH_NORM_EPS:.6e}", "f64")
        names = ["weight", "bias", "running_mean", "running_var"]
        parameters = [self.constant(self.weight(name)) for name in names]
        return self.generic(
            ["#id4"] + ["#channel"] * 4,
            [x] + parameters,
            self.empty(x.shape, x),
            [
                f"%t = arith.truncf {eps} : f64 to f32",
                "%v = arith.addf %e, %t : f32",
                "%s = math.rsqrt %v : f32",
                "%m = arith.subf %a, %d : f32",
                "%n = arith.mulf %m, %s : f32",
                "%w = arith.mulf %n, %b : f32",
                "%r = arith.addf %w, %c : f32",
            ],
        )

    def relu(self, scope, x):
        self.scope = scope
        zero = self.zero()
        return self.generic(
            [self.elementwise_map(x)],
            [x],
            self.empty(x.shape, x),
            [
                f"%p = arith.cmpf ugt, %a, {zero} : f32",
                f"%r = arith.select %p, %a, {zero} : f32",
            ],
        )

    def relu6(self, scope, x):
        x = self.relu(scope, x)
        six = self.scalar("%six", "6", "i64")
        integer = self.fill(six, "i64", self.empty((), element="i64"))
        if "bound" not in self.known:
            self.known["bound"] = self.generic(
                ["#id0"],
                [integer],
                self.empty(()),
                ["%r = arith.sitofp %a : i64 to f32"],
            )
        return self.generic(
            [self.elementwise_map(x), "#scalar4"],
            [x, self.known["bound"]],
            self.empty(x.shape, x),
            [
                "%p = arith.cmpf olt, %a, %b : f32",
                "%r = arith.select %p, %a, %b : f32",
            ],
        )

    def max_pool(self, scope, x, size):
        self.scope = scope
        lowest = self.scalar("%lowest", "0xFF800000", "f32")
        shape = convolved(x.shape, x.shape[1], (size, size), size, 0)
        init = self.fill(lowest, "f32", self.empty(shape, x))
        window = self.empty((size, size))
        return self.named("pooling_nchw_max", [x, window], init, size)

    def global_average(self, scope, x):
        self.scope = scope
        size = x.shape[2:]
        init = self.empty((*x.shape[:2], 1, 1), x)
        start = self.fill(self.zero(), "f32", init)
        total = self.named("pooling_nchw_sum", [x, self.empty(size)], start, 1)
        count = self.scalar("%count", f"{size[0] * size[1]:.6e}", "f32")
        body = [f"%r = arith.divf %a, {count} : f32"]
        return self.generic(["#id4"], [total], init, body)

    def flatten(self, scope, x):
        self.scope = scope
        shape = (x.shape[0], int(np.prod(x.shape[1:])))
        text = f"tensor.collapse_shape {x.name} [[0], [1, 2, 3]] : {x.type}"
        return self.op(f"{text} into {tensor(shape)}", shape)

    def linear(self, scope, x):
        self.scope = scope
        weight = self.constant(self.weight("weight"))
        bias = self.constant(self.weight("bias"))
        turned = self.empty(weight.shape[::-1])
        turned = self.op(
            f"linalg.transpose ins({weight.name} : {weight.type}) "
            f"outs({turned.name} : {turned.type}) permutation = [1, 0]",
            turned.shape,
        )
        init = self.empty((x.shape[0], weight.shape[0]), x)
        zero = self.fill(self.zero(), "f32", init)
        product = self.named("matmul", [x, turned], zero)
        return self.generic(
            [self.elementwise_map(product), "#bias"],
            [product, bias],
            init,
            ["%r = arith.addf %a, %b : f32"],
        )

    def add(self, scope, x, y):
        self.scope = scope
        init = self.empty(x.shape, x)
        if x.shape[0] is None:
            self.check_batch(x, y)
        return self.generic(
            [self.elementwise_map(x), self.elementwise_map(y)],
            [x, y],
            init,
            ["%r = arith.addf %a, %b : f32"],
        )

    def check_batch(self, x, y):
        """The guard that torch-mlir puts before a sum of dynamic sizes."""
        sizes = f"{self.batch_size(x).name}, {self.batch_size(y).name}"
        equal = self.op(f"arith.cmpi eq, {sizes} : index", (), "i1")
        text = f'cf.assert {equal.name}, "mismatched size for broadcast"'
        self.lines.append(f'    {text} loc("{self.scope}")')


class Tosa(Writer):
    """torch-mlir's TOSA backend: NCHW, but for convolutions and pooling."""

    def constant(self, array):
        return self.op(
            f'"tosa.const"() <{{values = {dense(array)}}}> : () -> '
            f"{tensor(array.shape)}",
            array.shape,
        )

    def splat(self, value, shape, element="f32"):
        type = tensor(shape, element)
        return self.shared(
            f'"tosa.const"() <{{values = dense<{value}> : {type}}}> : () -> {type}',
            shape,
            element,
        )

    def sizes(self, values):
        """A shape operand."""
        rank = len(values)
        shape = self.shared(
            f"tosa.const_shape {{values = dense<{list(values)}> : "
            f"tensor<{rank}xindex>}} : () -> !tosa.shape<{rank}>",
            values,
        )
        shape.type = f"!tosa.shape<{rank}>"
        return shape

    def apply(self, op, inputs, shape, attributes=""):
        return self.op(
            f"tosa.{op} {', '.join(v.name for v in inputs)}"
            f"{' {' + attributes + '}' if attributes else ''} : "
            f"({', '.join(v.type for v in inputs)}) -> {tensor(shape)}",
            shape,
        )

    def transpose(self, x, order):
        permutation = f"perms = array<i32: {', '.join(map(str, order))}>"
        return self.apply("transpose", [x], [x.shape[i] for i in order], permutation)

    def to_nhwc(self, x):
        return self.transpose(x, (0, 2, 3, 1))

    def to_nchw(self, x):
        return self.transpose(x, (0, 3, 1, 2))

    def reshape(self, x, shape):
        return self.apply("reshape", [x, self.sizes(shape)], shape)

    def window(self, x, kernel, stride, pad):
        """Makes the window's last step end where the (padded) NHWC input ends.

        TOSA wants (size + padding - kernel) to be a multiple of the stride;
        what is left over is taken from the padding behind, then the input.
        """
        size, after = list(x.shape[1:3]), [pad, pad]
        for d in range(2):
            rest = (size[d] + 2 * pad - kernel[d]) % stride
            after[d] -= min(rest, pad)
            size[d] -= rest - (pad - after[d])
        shape = (x.shape[0], *size, x.shape[3])
        if shape != x.shape:
            operands = [x, self.sizes([0] * 4), self.sizes(shape)]
            x = self.apply("slice", operands, shape)
        pads = f"pad = array<i64: {pad}, {after[0]}, {pad}, {after[1]}>"
        return x, f"{pads}, stride = array<i64: {stride}, {stride}>"

    def conv(self, scope, x, stride=1, pad=0, depthwise=False, bias=False):
        self.scope = scope
        weight = self.weight("weight")
        shape = convolved(x.shape, len(weight), weight.shape[2:], stride, pad)
        x = self.to_nhwc(x)
        x, attributes = self.window(x, weight.shape[2:], stride, pad)
        # OIHW to OHWI, or to HWCM where each channel has its own filter.
        order = (2, 3, 0, 1) if depthwise else (0, 2, 3, 1)
        kernel = self.constant(weight.transpose(order))
        if bias:
            start = self.constant(self.weight("bias"))
        else:
            start = self.splat("0.000000e+00", shape[1:2])
        zero_point = self.splat("0.000000e+00", (1,))
        y = self.apply(
            "depthwise_conv2d" if depthwise else "conv2d",
            [x, kernel, start, zero_point, zero_point],
            (shape[0], *shape[2:], shape[1]),
            f"acc_type = f32, dilation = array<i64: 1, 1>, {attributes}",
        )
        return self.to_nchw(y)

    def batch_norm(self, scope, x):
        self.scope = scope
        shape = (1, x.shape[1], 1, 1)
        mean, variance, weight, bias = (
            self.constant(self.weight(name).reshape(shape))
            for name in ("running_mean", "running_var", "weight", "bias")
        )
        eps = self.splat("9.99999974E-6", (1, 1, 1, 1))
        shift = self.splat("0", (1,), "i8")
        x = self.apply("sub", [x, mean], x.shape)
        deviation = self.apply("add", [variance, eps], shape)
        deviation = self.apply("rsqrt", [deviation], shape)
        x = self.apply("mul", [x, deviation, shift], x.shape)
        x = self.apply("mul", [x, weight, shift], x.shape)
        return self.apply("add", [x, bias], x.shape)

    def relu(self, scope, x, upper=FLOAT_MAX):
        self.scope = scope
        bounds = f"max_val = {upper} : f32, min_val = 0.000000e+00 : f32"
        return self.apply("clamp", [x], x.shape, bounds)

    def relu6(self, scope, x):
        return self.relu(scope, x, "6.000000e+00")

    def max_pool(self, scope, x, size):
        self.scope = scope
        shape = convolved(x.shape, x.shape[1], (size, size), size, 0)
        x, attributes = self.window(self.to_nhwc(x), (size, size), size, 0)
        y = self.apply(
            "max_pool2d",
            [x],
            (shape[0], *shape[2:], shape[1]),
            f"kernel = array<i64: {size}, {size}>, {attributes}",
        )
        return self.to_nchw(y)

    def global_average(self, scope, x):
        self.scope = scope
        kernel = x.shape[2:]
        x, attributes = self.window(self.to_nhwc(x), kernel, 1, 0)
        zero_point = self.splat("0.000000e+00", (1,))
        y = self.apply(
            "avg_pool2d",
            [x, zero_point, zero_point],
            (x.shape[0], 1, 1, x.shape[3]),
            f"acc_type = f32, kernel = array<i64: {kernel[0]}, {kernel[1]}>, "
            f"{attributes}",
        )
        return self.to_nchw(y)

    def flatten(self, scope, x):
        self.scope = scope
        return self.reshape(x, (x.shape[0], int(np.prod(x.shape[1:]))))

    def linear(self, scope, x):
        self.scope = scope
        weight = self.weight("weight").T[np.newaxis]
        zero_point = self.splat("0.000000e+00", (1,))
        shape = (x.shape[0], weight.shape[2])
        operands = [self.reshape(x, (1, *x.shape)), self.constant(weight)]
        y = self.apply("matmul", operands + [zero_point] * 2, (1, *shape))
        y = self.reshape(y, shape)
        bias = self.constant(self.weight("bias")[np.newaxis])
        return self.apply("add", [y, bias], shape)

    def add(self, scope, x, y):
        self.scope = scope
        return self.apply("add", [x, y], x.shape)


def lenet5(net):
    x = net.input
    x = net.relu("relu1", net.conv("conv1", x, pad=2, bias=True))
    x = net.max_pool("pool1", x, 2)
    x = net.relu("relu2", net.conv("conv2", x, bias=True))
    x = net.max_pool("pool2", x, 2)
    x = net.flatten("flatten", x)
    x = net.relu("relu3", net.linear("fc1", x))
    x = net.relu("relu4", net.linear("fc2", x))
    return net.linear("fc3", x)


def resnet8(net):
    x = net.batch_norm("bn1", net.conv("conv1", net.input, pad=1))
    x = net.relu("relu", x)
    for block, stride in (("layer1", 1), ("layer2", 2), ("layer3", 2)):
        y = net.conv(f"{block}.conv1", x, stride, pad=1)
        y = net.relu(f"{block}.relu1", net.batch_norm(f"{block}.bn1", y))
        y = net.conv(f"{block}.conv2", y, pad=1)
        y = net.batch_norm(f"{block}.bn2", y)
        if stride != 1:
            x = net.conv(f"{block}.down.0", x, stride)
            x = net.batch_norm(f"{block}.down.1", x)
        x = net.relu(f"{block}.relu2", net.add(f"{block}.add", y, x))
    x = net.flatten("flatten", net.global_average("avg", x))
    return net.linear("fc", x)


def mbv2tiny(net):
    def layer(scope, x, relu6=True, **options):
        """A Sequential of convolution, batch norm and, if asked, ReLU6."""
        x = net.conv(f"{scope}.0", x, **options)
        x = net.batch_norm(f"{scope}.1", x)
        return net.relu6(f"{scope}.2", x) if relu6 else x

    x = layer("stem", net.input, stride=2, pad=1)
    # PyTorch's FX names the sums, which are no modules, in order.
    sums = iter(("add", "add_1", "add_2"))
    for block, stride in (("b1", 1), ("b2", 2), ("b3", 1), ("b4", 2), ("b5", 1)):
        y = layer(f"{block}.expand", x)
        y = layer(f"{block}.dw", y, stride=stride, pad=1, depthwise=True)
        y = layer(f"{block}.project", y, relu6=False)
        residual = stride == 1 and x.shape == y.shape
        x = net.add(next(sums), x, y) if residual else y
    x = layer("head", x)
    x = net.flatten("flatten", net.global_average("avg", x))
    return net.linear("fc", x)


def parse_batch(text):
    """A batch size; None for a dynamic one."""
    if text == "dynamic":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(
            f"'{text}' is neither a positive number nor 'dynamic'"
        )
    return int(text)


def main():
    networks = {"lenet5": lenet5, "resnet8": resnet8, "mbv2tiny": mbv2tiny}
    spellings = {"linalg": Linalg, "tosa": Tosa}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weights", help="the network's weights, .npz")
    parser.add_argument("network", choices=networks)
    parser.add_argument("--spelling", choices=spellings, required=True)
    parser.add_argument("--batch", type=parse_batch, default=1,
                        help="a size or, for linalg, 'dynamic' (default: 1)")
    parser.add_argument("-o", dest="output", default="-",
                        help="the file to write (default: standard output)")
    options = parser.parse_args()
    if options.batch is None and options.spelling == "tosa":
        parser.error("a dynamic batch needs --spelling linalg")

    try:
        with np.load(options.weights) as weights:
            net = spellings[options.spelling](dict(weights), options.batch)
    except (OSError, ValueError) as error:
        parser.error(f"cannot read the weights: {error}")
    try:
        text = net.module(networks[options.network](net))
    except KeyError as error:
        parser.error(f"{options.weights} has no {error}; "
                     f"is it the weights of {options.network}?")
    if options.output == "-":
        sys.stdout.write(text)
        return
    with open(options.output, "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()

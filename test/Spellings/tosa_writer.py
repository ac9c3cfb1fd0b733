# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks in TOSA: torch-mlir's (images NCHW between convolutions), and
TFLite's (NHWC throughout)."""

import math

import numpy as np

import formulas
from emitter import Value, integers, real, tensor_type
from expression import COMPARISONS, Expression, leaf, parameter, unary
from writer import TO_FIRST, TO_LAST, Writer, permuted

_UNARY = {"exp": "exp", "log": "log", "rsqrt": "rsqrt", "tanh": "tanh",
          "erf": "erf", "sigmoid": "sigmoid", "reciprocal": "reciprocal",
          "abs": "abs", "sin": "sin", "cos": "cos"}
_BINARY = {"add": "add", "sub": "sub", "max": "maximum", "min": "minimum"}
_LOWEST, _LARGEST = -3.40282347e38, 3.40282347e38


class TosaWriter(Writer):
    # Ops.

    def call(self, name, operands, shape, attributes="", element="f32"):
        kinds = ", ".join(v.type if isinstance(v, Value) else v[1]
                          for v in operands)
        names = ", ".join(v.name if isinstance(v, Value) else v[0]
                          for v in operands)
        if attributes:
            attributes = f" {{{attributes}}}"
        return self.text.op(
            f"tosa.{name} {names}{attributes} : ({kinds}) -> "
            f"{tensor_type(shape, element)}", shape, element)

    def constant(self, array):
        return self.text.constant(np.asarray(array, np.float32), tosa=True)

    def sizes(self, values):
        values = [-1 if v is None else v for v in values]
        kind = f"!tosa.shape<{len(values)}>"
        dense = f"[{integers(values)}]" if values else "[]"
        make = lambda: self.shape_constant(
            f"tosa.const_shape {{values = dense<{dense}> : "
            f"tensor<{len(values)}xindex>}} : () -> {kind}")
        return self.text._once(("shape", tuple(values)), make), kind

    def shape_constant(self, text):
        name = self.text.name()
        self.text.line(f"{name} = {text}")
        return name

    def reshape(self, x, shape):
        shape = tuple(shape)
        if x.shape == shape:
            return x
        return self.call("reshape", [x, self.sizes(shape)], shape)

    def transpose(self, x, permutation):
        permutation = tuple(permutation)
        if permutation == tuple(range(x.rank)):
            return x
        return self.call("transpose", [x], permuted(x.shape, permutation),
                         f"perms = array<i32: {integers(permutation)}>")

    def slice(self, x, starts, sizes):
        if tuple(sizes) == x.shape:
            return x
        return self.call("slice", [x, self.sizes(starts), self.sizes(sizes)],
                         sizes)

    def mul(self, x, y, shape):
        shift = self.text.constant(np.zeros(1, np.int8), tosa=True)
        return self.call("mul", [x, y, shift], shape)

    def zero(self):
        return self.constant(np.zeros(1))

    # Formulas: an op for each operation, operands of one rank.

    def elementwise(self, expression, shape, usual=None):
        shape = tuple(shape)
        done = {}

        def visit(e):
            if id(e) not in done:
                done[id(e)] = (e, self.computed(e, visit, shape))
            return done[id(e)][1]

        return visit(expression)

    def computed(self, e, visit, shape):
        if e.op == "number":
            return self.constant(np.full((1,) * len(shape), e.number))
        if e.op == "leaf":
            value = e.value
            dims = e.dims
            if value is None:
                # Parameters have the rank of the result already.
                wide = [1] * len(shape)
                for extent, dim in zip(e.data.shape, dims):
                    wide[dim] = extent
                if self.style("weights") in ("argument", "global"):
                    return self.reshape(self.parameter(e.data), wide)
                return self.parameter(e.data.reshape(wide))
            if dims is None or value.rank == len(shape):
                return value
            wide = [1] * len(shape)
            for extent, dim in zip(value.shape, dims):
                wide[dim] = extent
            return self.reshape(value, wide)
        op = e.op
        if op == "clamp" or op in ("max", "min"):
            bounded = self.bounded(e, visit)
            if bounded:
                return bounded
        if op == "clamp":
            x = visit(e.args[0])
            x = self.call("maximum", [x, visit(e.args[1])], x.shape)
            return self.call("minimum", [x, visit(e.args[2])], x.shape)
        if op == "div":
            x, y = e.args
            if y.op == "number":
                inverse = self.constant(np.full((1,) * len(shape),
                                                1 / y.number))
            else:
                value = visit(y)
                inverse = self.call("reciprocal", [value], value.shape)
            if x.op == "number" and x.number == 1.0:
                return inverse
            x = visit(x)
            return self.mul(x, inverse, _broadcast(x.shape, inverse.shape))
        args = [visit(arg) for arg in e.args]
        out = _broadcast(*[a.shape for a in args])
        if op == "mul":
            return self.mul(*args, out)
        if op in _UNARY:
            return self.call(_UNARY[op], args, out)
        if op in _BINARY:
            return self.call(_BINARY[op], args, out)
        if op == "neg":
            return self.call("negate", [*args, self.zero(), self.zero()], out)
        if op == "sqrt":
            inverse = self.call("rsqrt", args, out)
            return self.call("reciprocal", [inverse], out)
        if op == "expm1":
            e1 = self.call("exp", args, out)
            one = self.constant(np.full((1,) * len(shape), 1.0))
            return self.call("sub", [e1, one], out)
        if op == "log1p":
            one = self.constant(np.full((1,) * len(shape), 1.0))
            return self.call("log", [self.call("add", [*args, one], out)], out)
        if op == "pow3":
            three = self.constant(np.full((1,) * len(shape), 3.0))
            return self.call("pow", [*args, three], out)
        if op in COMPARISONS:
            name = "greater" if op in ("ogt", "olt") else "greater_equal"
            if op in ("olt", "ole"):
                args.reverse()
            return self.call(name, args, out, element="i1")
        if op == "select":
            return self.call("select", args, out)
        raise NotImplementedError(op)

    def parameter(self, array):
        return self.text.weight(array, tosa=True)

    def bounded(self, e, visit):
        """A chain of bounds as one tosa.clamp."""
        if self.style("tosa_clamp") != "clamp":
            return None
        if e.op == "clamp":
            low, high = e.args[1].number, e.args[2].number
            x = e.args[0]
        else:
            x, bound = e.args
            if bound.op != "number":
                return None
            inner = x.op in ("max", "min") and x.op != e.op and (
                x.args[1].op == "number")
            numbers = {e.op: bound.number}
            if inner:
                numbers[x.op] = x.args[1].number
                x = x.args[0]
            low = numbers.get("max", _LOWEST)
            high = numbers.get("min", _LARGEST)
        value = visit(x)
        return self.call("clamp", [value], value.shape,
                         f"min_val = {real(low)} : f32, "
                         f"max_val = {real(high)} : f32")

    def write_unary(self, node, x):
        return self.elementwise(
            formulas.UNARY[node.op](self.style, node, leaf(x)), x.shape)

    def __getattr__(self, name):
        if name.startswith("write_") and name[6:] in formulas.UNARY:
            return self.write_unary
        raise AttributeError(name)

    def write_sigmoid(self, node, x):
        return self.call("sigmoid", [x], x.shape)

    def write_silu(self, node, x):
        return self.mul(self.write_sigmoid(node, x), x, x.shape)

    def write_prelu(self, node, x):
        return self.elementwise(
            formulas.prelu(self.style, node, leaf(x), self.channels(node)),
            x.shape)

    def write_dropout(self, node, x):
        if self.style("step") == "generic":
            return x
        return self.call("identity", [x], x.shape)

    def write_add(self, node, x, y):
        return self.elementwise(leaf(x) + leaf(y), self.shape(node))

    def write_sub(self, node, x, y):
        return self.elementwise(leaf(x) - leaf(y), self.shape(node))

    def write_mul(self, node, x, y):
        return self.elementwise(leaf(x) * leaf(y), self.shape(node))

    def write_div(self, node, x, y):
        return self.elementwise(leaf(x) / leaf(y), self.shape(node))

    # Norms.

    def write_batch_norm(self, node, x):
        return self.elementwise(
            formulas.batch_norm(self.style, node, leaf(x),
                                self.channels(node)), x.shape)

    def mean(self, x, axes):
        """With the dimensions as 1."""
        count = int(np.prod([x.shape[a] for a in axes]))
        for axis in axes:
            x = self.reduce("sum", x, axis)
        return self.elementwise(leaf(x) * (1.0 / count), x.shape)

    def reduce(self, kind, x, axis):
        shape = list(x.shape)
        shape[axis] = 1
        return self.text.op(
            f"tosa.reduce_{kind} {x.name} {{axis = {axis} : i32}} : "
            f"({x.type}) -> {tensor_type(shape)}", shape)

    def normalised(self, x, axes, eps, centred=True):
        d = x
        if centred:
            d = self.elementwise(leaf(x) - leaf(self.mean(x, axes)), x.shape)
        square = self.mul(d, d, x.shape)
        var = self.mean(square, axes)
        return leaf(d) * unary("rsqrt", leaf(var) + eps)

    def write_layer_norm(self, node, x):
        last = x.rank - 1
        y = self.normalised(x, [last], node.eps)
        return self.elementwise(
            y * parameter(node.parameters["weight"], [last]) +
            parameter(node.parameters["bias"], [last]), x.shape)

    def write_rms_norm(self, node, x):
        last = x.rank - 1
        y = self.normalised(x, [last], node.eps, centred=False)
        return self.elementwise(
            y * parameter(node.parameters["weight"], [last]), x.shape)

    def write_group_norm(self, node, x):
        axis = self.channels(node)
        channels = x.shape[axis]
        wide = (*x.shape[:axis], node.groups, channels // node.groups,
                *x.shape[axis + 1:])
        axes = [a for a in range(1, len(wide)) if a != axis]
        y = self.normalised(self.reshape(x, wide), axes, node.eps)
        y = self.reshape(self.elementwise(y, wide), x.shape)
        return self.affine(node, leaf(y), x.shape)

    def write_instance_norm(self, node, x):
        axis = self.channels(node)
        axes = [a for a in range(1, x.rank) if a != axis]
        return self.affine(node, self.normalised(x, axes, node.eps), x.shape)

    def affine(self, node, y, shape):
        axis = self.channels(node)
        return self.elementwise(
            y * parameter(node.parameters["weight"], [axis]) +
            parameter(node.parameters["bias"], [axis]), shape)

    # Softmax.

    def exponentials(self, x, axis):
        if self.style("softmax") != "no_max":
            x = self.elementwise(leaf(x) - leaf(self.reduce("max", x, axis)),
                                 x.shape)
        e = self.call("exp", [x], x.shape)
        return e, self.reduce("sum", e, axis), x

    def write_softmax(self, node, x):
        e, total, _ = self.exponentials(x, self.axis(node, node.axis))
        return self.elementwise(leaf(e) / leaf(total), x.shape)

    def write_log_softmax(self, node, x):
        e, total, centred = self.exponentials(x, self.axis(node, node.axis))
        if self.style("log_softmax") == "log":
            return self.elementwise(unary("log", leaf(e) / leaf(total)),
                                    x.shape)
        log = self.call("log", [total], total.shape)
        return self.elementwise(leaf(centred) - leaf(log), x.shape)

    def write_mean(self, node, x):
        axes = [self.axis(node.inputs[0], a) for a in node.axes]
        return self.reshape(self.mean(x, axes), self.shape(node))

    def write_sum(self, node, x):
        return self.reduced("sum", node, x)

    def write_amax(self, node, x):
        return self.reduced("max", node, x)

    def reduced(self, kind, node, x):
        for axis in node.axes:
            x = self.reduce(kind, x, self.axis(node.inputs[0], axis))
        return self.reshape(x, self.shape(node))

    # Windows. TOSA's images are NHWC, and a stride has to come out even.

    def channels_last(self, x):
        """A rank-4 image of a network as TOSA wants it. One of rank 3 becomes
        an image of height 1."""
        if not self.last:
            x = self.transpose(x, TO_LAST[x.rank])
        if x.rank == 3:
            x = self.reshape(x, (x.shape[0], 1, *x.shape[1:]))
        return x

    def from_channels_last(self, node, y):
        if len(node.shape) == 3:
            y = self.reshape(y, (y.shape[0], *y.shape[2:]))
        return y if self.last else self.transpose(y, TO_FIRST[y.rank])

    def fitted(self, node, x):
        """The image, cut if need be, and the padding that fit the stride."""
        kernel, stride = list(node.kernel), list(node.stride)
        dilation = list(node.attributes.get("dilation", (1,) * len(kernel)))
        padding = list(node.attributes["padding"])
        if len(kernel) == 1:
            kernel, stride, dilation = [1] + kernel, [1] + stride, (
                [1] + dilation)
            padding = [(0, 0)] + padding
        sizes, pads = list(x.shape), []
        for i, (k, s, d, (before, after)) in enumerate(
                zip(kernel, stride, dilation, padding)):
            extent = x.shape[1 + i]
            rest = (extent + before + after - (k - 1) * d - 1) % s
            cut = max(0, rest - after)
            after -= rest - cut
            sizes[1 + i] = extent - cut
            pads += [before, after]
        x = self.slice(x, [0] * x.rank, sizes)
        return x, kernel, stride, dilation, pads

    def write_conv(self, node, x):
        weight = node.parameters["weight"]
        bias = node.parameters.get("bias")
        x, kernel, stride, dilation, pads = self.fitted(
            node, self.channels_last(x))
        rank = len(node.kernel)
        if rank == 1:
            weight = weight[:, :, None]
        out = (*[e for e in self.channels_last_shape(node)],)
        attributes = (f"acc_type = f32, pad = array<i64: {integers(pads)}>, "
                      f"stride = array<i64: {integers(stride)}>, "
                      f"dilation = array<i64: {integers(dilation)}>")
        added = None
        if bias is not None and self.style("tosa_bias") == "add":
            added, bias = bias, None
        if bias is None:
            bias = np.zeros(out[-1], np.float32)

        def conv(op, x, w, b, shape, first=0):
            count = shape[-1] if b.size > shape[-1] else b.size
            if not b.any():
                b = self.constant(b[:count])
            else:
                b = self.part(b, first, count)
            return self.call(op, [x, w, b, self.zero(), self.zero()], shape,
                             attributes)

        channels, groups = x.shape[-1], node.groups
        if groups == 1:
            y = conv("conv3d" if rank == 3 else "conv2d", x,
                     self.filters(weight), bias, out)
        elif groups == channels and rank < 3:
            # [C * M, 1, h, w] as [h, w, C, M].
            w = weight.reshape(channels, -1, *weight.shape[2:])
            y = conv("depthwise_conv2d", x,
                     self.parameter(w.transpose(2, 3, 0, 1)), bias, out)
        else:
            parts = []
            count = out[-1] // groups
            for g in range(groups):
                part = self.slice(
                    x, [0] * (x.rank - 1) + [g * (channels // groups)],
                    [*x.shape[:-1], channels // groups])
                parts.append(conv("conv3d" if rank == 3 else "conv2d", part,
                                  self.filters(weight, g * count, count),
                                  bias, (*out[:-1], count), g * count))
            y = self.concat(parts, len(out) - 1, out)
        if added is not None:
            y = self.elementwise(leaf(y) + parameter(added, [len(out) - 1]),
                                 out)
        return self.from_channels_last(node, y)

    def channels_last_shape(self, node):
        shape = self.shape(node)
        if not self.last:
            shape = permuted(shape, TO_LAST[len(shape)])
        if len(shape) == 3:
            shape = (shape[0], 1, *shape[1:])
        return shape

    def part(self, array, first, count):
        """`count` of a parameter's elements along its first dimension."""
        if count == array.shape[0]:
            return self.parameter(array)
        if self.style("weight_form") != "sliced" and (
                self.style("weights") not in ("argument", "global")):
            return self.parameter(array[first:first + count])
        return self.slice(self.parameter(array),
                          [first] + [0] * (array.ndim - 1),
                          (count, *array.shape[1:]))

    def filters(self, weight, first=0, count=None):
        """[out, k.., in], folded or by an op."""
        count = count or weight.shape[0]
        order = (0, *range(2, weight.ndim), 1)
        if self.style("weight_form") == "transposed":
            return self.transpose(self.part(weight, first, count), order)
        return self.part(weight.transpose(order), first, count)

    def write_conv_transpose(self, node, x):
        assert len(node.kernel) == 2
        weight, bias = node.parameters["weight"], node.parameters.get("bias")
        x = self.channels_last(x)
        shape = self.channels_last_shape(node)
        if bias is None:
            bias = np.zeros(shape[-1], np.float32)
        pads = [v for p, o in zip(node.padding, node.output_padding)
                for v in (-p, o - p)]
        y = self.call(
            "transpose_conv2d",
            [x, self.parameter(weight.transpose(1, 2, 3, 0)),
             self.parameter(bias), self.zero(), self.zero()], shape,
            f"acc_type = f32, out_pad = array<i64: {integers(pads)}>, "
            f"stride = array<i64: {integers(node.stride)}>")
        return self.from_channels_last(node, y)

    def write_max_pool(self, node, x):
        x, kernel, stride, _, pads = self.fitted(node, self.channels_last(x))
        y = self.call("max_pool2d", [x], self.channels_last_shape(node),
                      f"kernel = array<i64: {integers(kernel)}>, "
                      f"stride = array<i64: {integers(stride)}>, "
                      f"pad = array<i64: {integers(pads)}>")
        return self.from_channels_last(node, y)

    def write_avg_pool(self, node, x):
        x = self.channels_last(x)
        if node.count_pad and any(sum(pad) for pad in node.padding):
            pads = [(0, 0)] * (3 - len(node.padding)) + [*node.padding, (0, 0)]
            x = self.padded(x, *zip(*pads), 0.0)
            plain = dict(node.attributes,
                         padding=[(0, 0)] * len(node.kernel))
        else:
            plain = dict(node.attributes)
        x, kernel, stride, _, pads = self.fitted(_With(node, plain), x)
        y = self.average(x, kernel, stride, pads,
                         self.channels_last_shape(node))
        return self.from_channels_last(node, y)

    def average(self, x, kernel, stride, pads, shape):
        return self.call("avg_pool2d", [x, self.zero(), self.zero()], shape,
                         f"kernel = array<i64: {integers(kernel)}>, "
                         f"stride = array<i64: {integers(stride)}>, "
                         f"pad = array<i64: {integers(pads)}>, acc_type = f32")

    def write_global_pool(self, node, x):
        x = self.channels_last(x)
        y = self.average(x, x.shape[1:3], (1, 1), (0, 0, 0, 0),
                         self.channels_last_shape(node))
        return self.from_channels_last(node, y)

    def padded(self, x, low, high, number):
        shape = tuple(None if e is None else l + e + h
                      for l, e, h in zip(low, x.shape, high))
        pads = self.sizes([v for pair in zip(low, high) for v in pair])
        value = self.constant(np.full(1, number))
        return self.call("pad", [x, pads, value], shape)

    def write_pad(self, node, x):
        order = TO_LAST[x.rank] if self.moved(node) else range(x.rank)
        return self.padded(x, permuted(node.low, order),
                           permuted(node.high, order), node.value)

    # Linear layers.

    def write_linear(self, node, x):
        weight, bias = node.parameters["weight"], node.parameters.get("bias")
        shape = self.shape(node)
        rows = None if None in x.shape else int(np.prod(x.shape[:-1]))
        if self.style("tosa_linear") == "conv":
            # TFLite's fully_connected.
            inner = self.reshape(x, (rows, 1, 1, x.shape[-1]))
            b = (np.zeros(weight.shape[0], np.float32) if bias is None
                 else bias)
            y = self.call(
                "conv2d",
                [inner, self.parameter(weight[:, None, None, :]),
                 self.parameter(b), self.zero(), self.zero()],
                (rows, 1, 1, shape[-1]),
                "acc_type = f32, pad = array<i64: 0, 0, 0, 0>, "
                "stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>")
            return self.reshape(y, shape)
        inner = self.reshape(x, (1, rows, x.shape[-1]))
        # An argument of three dimensions could be an activation.
        if self.style("weight_form") == "transposed" or (
                self.style("weights") in ("argument", "global")):
            w = self.transpose(self.parameter(weight), (1, 0))
            w = self.reshape(w, (1, *w.shape))
        else:
            w = self.parameter(weight.T[None])
        y = self.call("matmul", [inner, w, self.zero(), self.zero()],
                      (1, rows, shape[-1]))
        if self.style("tosa_bias") == "operand":
            y = self.reshape(y, shape)
        if bias is not None:
            y = self.elementwise(leaf(y) + parameter(bias, [y.rank - 1]),
                                 y.shape)
        return self.reshape(y, shape)

    def write_matmul(self, node, x, y):
        shape = self.shape(node)
        flat = lambda s: (None if None in s else int(np.prod(s[:-2])),
                          *s[-2:])
        product = self.call(
            "matmul", [self.reshape(x, flat(x.shape)),
                       self.reshape(y, flat(y.shape)), self.zero(),
                       self.zero()], flat(shape))
        return self.reshape(product, shape)

    # Shapes.

    def concat(self, xs, axis, shape):
        kinds = ", ".join(x.type for x in xs)
        return self.text.op(
            f"tosa.concat {', '.join(x.name for x in xs)} {{axis = {axis} : "
            f"i32}} : ({kinds}) -> {tensor_type(shape)}", shape)

    def write_cat(self, node, *xs):
        return self.concat(xs, self.axis(node, node.axis), self.shape(node))

    def write_narrow(self, node, x):
        axis = self.axis(node, node.axis)
        starts = [0] * x.rank
        if node.step == 1:
            starts[axis] = node.start
            return self.slice(x, starts, self.shape(node))
        # TOSA's slices have no strides: torch-mlir cuts the dimension.
        count = x.shape[axis] // node.step
        wide = (*x.shape[:axis], count, node.step, *x.shape[axis + 1:])
        sizes = list(wide)
        starts = [0] * len(wide)
        sizes[axis + 1], starts[axis + 1] = 1, node.start
        return self.reshape(self.slice(self.reshape(x, wide), starts, sizes),
                            self.shape(node))

    def write_flatten(self, node, x):
        source = node.inputs[0]
        if self.moved(source) and any(e != 1 for e in source.shape[2:]):
            x = self.transpose(x, TO_FIRST[x.rank])
        return self.reshape(x, self.shape(node))

    def write_reshape(self, node, x):
        if self.moved(node.inputs[0]):
            x = self.transpose(x, TO_FIRST[x.rank])
        # The batch stays, of whatever size.
        first = None if self.dynamic else node.shape[0]
        y = self.reshape(x, (first, *node.shape[1:]))
        if self.moved(node):
            y = self.transpose(y, TO_LAST[y.rank])
        return y

    def write_permute(self, node, x):
        return self.transpose(x, self.order(node))

    def write_channel_shuffle(self, node, x):
        axis = self.channels(node)
        wide = (*x.shape[:axis], node.groups, x.shape[axis] // node.groups,
                *x.shape[axis + 1:])
        order = list(range(len(wide)))
        order[axis], order[axis + 1] = axis + 1, axis
        return self.reshape(self.transpose(self.reshape(x, wide), order),
                            x.shape)

    def write_pixel_shuffle(self, node, x):
        f = node.factor
        _, c, h, w = node.inputs[0].shape
        wide = (x.shape[0], h, w, c // f**2, f, f) if self.moved(node) else (
            x.shape[0], c // f**2, f, f, h, w)
        y = self.transpose(self.reshape(x, wide), (0, 1, 4, 2, 5, 3))
        return self.reshape(y, self.shape(node))

    def write_pixel_unshuffle(self, node, x):
        wide, order = self.split_pixels(node, x)
        y = self.transpose(self.reshape(x, wide), order)
        return self.reshape(y, self.shape(node))

    def write_repeat(self, node, x):
        multiples = [1] * x.rank
        multiples[self.axis(node, node.axis)] = node.count
        return self.call("tile", [x, self.sizes(multiples)], self.shape(node))

    def write_embedding(self, node, x):
        table = node.parameters["weight"]
        count = None if None in x.shape else int(np.prod(x.shape))
        indices = self.call("cast", [x], x.shape, element="i32")
        indices = self.text.op(
            f"tosa.reshape {indices.name}, {self.sizes((1, count))[0]} : "
            f"({indices.type}, !tosa.shape<2>) -> "
            f"tensor<1x{'?' if count is None else count}xi32>",
            (1, count), "i32")
        y = self.call("gather", [self.reshape(self.parameter(table),
                                              (1, *table.shape)), indices],
                      (1, count, table.shape[1]))
        return self.reshape(y, self.shape(node))

    def write_resize(self, node, x):
        x = self.channels_last(x)
        f = node.factor
        _, h, w, _ = x.shape
        if node.mode == "nearest":
            # Output o reads floor(o / f).
            scale, offset, border = (f, 1, f, 1), (0, 0), (f - 1, f - 1)
            mode = "NEAREST_NEIGHBOR"
            # TOSA rounds to the nearest, so half a pixel less.
            scale = (2 * f, 2, 2 * f, 2)
            offset = (1 - f, 1 - f)
            border = (f - 1, f - 1)
        else:
            scale = (2 * f, 2, 2 * f, 2)
            offset, border = (1 - f, 1 - f), (f - 1, f - 1)
            mode = "BILINEAR"
        y = self.call("resize", [x, self.sizes(scale), self.sizes(offset),
                                 self.sizes(border)],
                      self.channels_last_shape(node), f"mode = {mode}")
        return self.from_channels_last(node, y)


class _With:
    """A node with other attributes."""

    def __init__(self, node, attributes):
        self.attributes = attributes
        self.kernel, self.stride = node.kernel, node.stride


def _broadcast(*shapes):
    result = []
    for extents in zip(*shapes):
        known = [e for e in extents if e != 1]
        result.append(known[0] if known else 1)
    return tuple(result)

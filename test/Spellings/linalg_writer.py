# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks in linalg on tensors: torch-mlir's, StableHLO's and older forms."""

import contextlib

import numpy as np

import formulas
from emitter import integers, tensor_type
from expression import leaf, parameter, unary
from linalg_convolution import LinalgConvolution
from linalg_elementwise import identity
from writer import TO_FIRST, TO_LAST


class LinalgWriter(LinalgConvolution):
    # Elementwise operators.

    def write_unary(self, node, x):
        expression = formulas.UNARY[node.op](self.style, node, leaf(x))
        usual = "steps" if node.op in formulas.IN_STEPS else "region"
        return self.elementwise(expression, x.shape, usual)

    def __getattr__(self, name):
        if name.startswith("write_") and name[6:] in formulas.UNARY:
            return self.write_unary
        raise AttributeError(name)

    def write_prelu(self, node, x):
        return self.elementwise(
            formulas.prelu(self.style, node, leaf(x), self.channels(node)),
            x.shape, "steps")

    def write_dropout(self, node, x):
        if self.style("step") == "generic":
            return x
        return self.generic([(x, identity(x.rank))], self.empty(x.shape),
                            lambda emit, a, out: a)

    def binary(self, node, x, y, combine):
        shape = self.shape(node)
        return self.elementwise(combine(self.operand(x, shape),
                                        self.operand(y, shape)), shape)

    def operand(self, value, shape):
        if value.shape == shape:
            return leaf(value)
        return leaf(value, list(range(value.rank)))

    def write_add(self, node, x, y):
        return self.binary(node, x, y, lambda a, b: a + b)

    def write_sub(self, node, x, y):
        return self.binary(node, x, y, lambda a, b: a - b)

    def write_mul(self, node, x, y):
        return self.binary(node, x, y, lambda a, b: a * b)

    def write_div(self, node, x, y):
        return self.binary(node, x, y, lambda a, b: a / b)

    # Norms.

    def write_batch_norm(self, node, x):
        axis = self.channels(node)
        form = self.style("batch_norm")
        if self.style("guards") == "assert":
            true = self.text.name()
            self.text.line(f"{true} = arith.constant true")
            self.text.line(f'cf.assert {true}, "training is not supported"')
        if form == "decomposed":
            return self.decomposed_norm(node, x, axis)
        expression = formulas.batch_norm(self.style, node, leaf(x), axis)
        if form == "full" and None not in x.shape:
            fixed = self.style.choices.get("broadcast")
            self.style.choices["broadcast"] = "full"
            y = self.elementwise(expression, x.shape, "steps")
            if fixed is None:
                del self.style.choices["broadcast"]
            else:
                self.style.choices["broadcast"] = fixed
            return y
        return self.elementwise(expression, x.shape)

    def decomposed_norm(self, node, x, axis):
        """functorch's: 1 / sqrt(var + eps) of rank 1, then as C x 1 x 1."""
        var = self.text.weight(node.parameters["var"])
        inverse = self.elementwise(
            1.0 / unary("sqrt", leaf(var) + node.eps), var.shape, "steps")
        after = x.rank - 1 - axis
        wide = (var.shape[0], *[1] * after)
        dims = list(range(axis, x.rank))

        def widened(value):
            if not after:
                return leaf(value, [axis])
            return leaf(self.expand(value, wide), dims)

        weight, bias, mean = (
            widened(self.text.weight(node.parameters[name]))
            for name in ("weight", "bias", "mean"))
        y = (leaf(x) - mean) * widened(inverse) * weight + bias
        return self.elementwise(y, x.shape, "steps")

    def normalised(self, x, axes, eps, centred=True):
        """The normalised value, as an expression."""
        count = int(np.prod([x.shape[a] for a in axes]))
        mean_of = lambda value: self.mean_leaf(value, axes, count)
        form = self.style("norm")
        d = leaf(x)
        if centred:
            d = d - mean_of(x)
            if form != "moment":
                d = leaf(self.elementwise(d, x.shape))
        if centred and form == "moment":
            square = self.elementwise(leaf(x) * leaf(x), x.shape)
            mean = mean_of(x)
            dims = mean.dims
            small = mean.value.shape
            var = self.elementwise(
                leaf(mean_of(square).value) -
                leaf(mean.value) * leaf(mean.value), small, "steps")
        else:
            square = self.elementwise(d * d, x.shape)
            var = mean_of(square)
            small, dims, var = var.value.shape, var.dims, var.value
        if form == "sqrt":
            deviation = self.elementwise(
                unary("sqrt", leaf(var) + eps), small, "steps")
            return d / leaf(deviation, dims)
        inverse = self.elementwise(
            unary("rsqrt", leaf(var) + eps), small, "steps")
        return d * leaf(inverse, dims)

    def mean_leaf(self, value, axes, count):
        total, dims = self.reduce(value, axes)
        mean = self.elementwise(self.divided(leaf(total), count), total.shape)
        return leaf(mean, dims)

    def divided(self, e, count):
        if self.style("average") == "div":
            return e / float(count)
        return e * (1.0 / count)

    def write_layer_norm(self, node, x):
        last = x.rank - 1
        y = self.normalised(x, [last], node.eps)
        return self.elementwise(
            y * parameter(node.parameters["weight"], [last]) +
            parameter(node.parameters["bias"], [last]), x.shape, "steps")

    def write_rms_norm(self, node, x):
        last = x.rank - 1
        y = self.normalised(x, [last], node.eps, centred=False)
        return self.elementwise(
            y * parameter(node.parameters["weight"], [last]), x.shape, "steps")

    def write_group_norm(self, node, x):
        channels = x.shape[self.channels(node)]
        parts = (node.groups, channels // node.groups)
        axis = self.channels(node)
        wide = (*x.shape[:axis], *parts, *x.shape[axis + 1:])
        axes = [a for a in range(1, len(wide)) if a != axis]
        y = self.normalised(self.expand(x, wide), axes, node.eps)
        y = self.collapse(self.elementwise(y, wide, "steps"), x.shape)
        return self.affine(node, leaf(y), x.shape)

    def write_instance_norm(self, node, x):
        axis = self.channels(node)
        axes = [a for a in range(1, x.rank) if a != axis]
        return self.affine(node, self.normalised(x, axes, node.eps), x.shape)

    def affine(self, node, y, shape):
        axis = self.channels(node)
        return self.elementwise(
            y * parameter(node.parameters["weight"], [axis]) +
            parameter(node.parameters["bias"], [axis]), shape, "steps")

    # Softmax.

    def write_softmax(self, node, x):
        axis = self.axis(node, node.axis)
        if self.style("softmax") == "op":
            init = self.empty(x.shape)
            return self.text.op(
                f"linalg.softmax dimension({axis}) ins({x.name} : {x.type}) "
                f"outs({init.name} : {init.type}) -> {init.type}", x.shape)
        e, total, dims, _ = self.exponentials(x, axis)
        if self.style("softmax") == "reciprocal":
            inverse = self.elementwise(1.0 / leaf(total), total.shape)
            return self.elementwise(leaf(e) * leaf(inverse, dims), x.shape)
        return self.elementwise(leaf(e) / leaf(total, dims), x.shape)

    def exponentials(self, x, axis):
        centred = x
        if self.style("softmax") != "no_max":
            largest, dims = self.reduce(x, [axis], "max")
            centred = self.elementwise(leaf(x) - leaf(largest, dims), x.shape)
        e = self.elementwise(unary("exp", leaf(centred)), x.shape)
        total, dims = self.reduce(e, [axis])
        return e, total, dims, centred

    def write_log_softmax(self, node, x):
        axis = self.axis(node, node.axis)
        e, total, dims, centred = self.exponentials(x, axis)
        if self.style("log_softmax") == "log":
            return self.elementwise(
                unary("log", leaf(e) / leaf(total, dims)), x.shape)
        log = self.elementwise(unary("log", leaf(total)), total.shape)
        return self.elementwise(leaf(centred) - leaf(log, dims), x.shape)

    # Reductions.

    def reduce(self, x, axes, kind="add", keep=None):
        """The reduced tensor, and which dimensions of `x` it has."""
        axes = sorted(axes)
        form = self.style("reduce") if keep is None else keep
        if form == "one_by_one" and len(axes) > 1:
            # The last first, so that the others keep their places.
            value, dims = x, list(range(x.rank))
            for axis in reversed(axes):
                value, kept = self.reduce(value, [axis], kind, "generic_drop")
                dims = [dims[k] for k in kept]
            return value, dims
        start = 0.0 if kind == "add" else -np.inf
        if kind != "add" and self.style("lowest") == "max":
            start = -3.40282347e38
        kept = [a for a in range(x.rank) if a not in axes]
        if form == "generic_keep":
            shape = tuple(1 if a in axes else e for a, e in enumerate(x.shape))
            dims = list(range(x.rank))
            out = ["0" if a in axes else f"d{a}" for a in dims]
        else:
            shape = tuple(x.shape[a] for a in kept)
            dims = kept
            out = [f"d{a}" for a in kept]
        loops = ["reduction" if a in axes else "parallel"
                 for a in range(x.rank)]
        init = self.filled(shape, start)

        def combine(emit, a, out_):
            if kind == "add":
                return emit(f"arith.addf {a}, {out_} : f32")
            return self.emit_maximum(emit, "max", [a, out_], "f32")

        if form == "reduce":
            a, b, c = (self.text.fresh("%b") for _ in range(3))
            lines = []

            def emit(text):
                name = self.text.fresh("%b")
                lines.append(f"  {name} = {text}")
                return name

            result = combine(emit, a, b)
            value = self.text.op(
                f"linalg.reduce ins({x.name} : {x.type}) outs({init.name} : "
                f"{init.type}) dimensions = [{integers(axes)}]", shape)
            self.text.line(f"({a}: f32, {b}: f32) {{")
            for line in lines:
                self.text.line(line)
            self.text.line(f"  linalg.yield {result} : f32")
            self.text.line("}")
            return value, dims
        access = identity(x.rank)
        if form == "reductions_first":
            order = axes + kept
            access = [f"d{order.index(a)}" for a in range(x.rank)]
            out = [f"d{order.index(a)}" for a in kept]
            loops = [loops[a] for a in order]
        return self.generic([(x, access)], init, combine, loops, out), dims

    def write_mean(self, node, x):
        axes = [self.axis(node.inputs[0], a) for a in node.axes]
        count = int(np.prod([x.shape[a] for a in axes]))
        total, _ = self.reduce(x, axes)
        y = self.elementwise(self.divided(leaf(total), count), total.shape)
        return self.kept(node, y)

    def write_sum(self, node, x):
        axes = [self.axis(node.inputs[0], a) for a in node.axes]
        return self.kept(node, self.reduce(x, axes)[0])

    def write_amax(self, node, x):
        axes = [self.axis(node.inputs[0], a) for a in node.axes]
        return self.kept(node, self.reduce(x, axes, "max")[0])

    def kept(self, node, y):
        """With the dimensions of the node, which may have them as 1 or not."""
        shape = self.shape(node)
        if y.rank > len(shape):
            return self.collapse(y, shape)
        return self.expand(y, shape)

    # Pools.

    def lowest(self):
        return -np.inf if self.style("lowest") == "inf" else -3.40282347e38

    def write_max_pool(self, node, x):
        number = self.lowest()
        x = self.pad_image(node, x, node.padding, number)
        return self.pool(node, x, "max", number)

    def write_avg_pool(self, node, x):
        padded = self.pad_image(node, x, node.padding, 0.0)
        total = self.pool(node, padded, "sum", 0.0)
        if not node.count_pad and any(sum(pad) for pad in node.padding):
            return self.divided_by_position(node, total)
        return self.elementwise(
            self.divided(leaf(total), int(np.prod(node.kernel))), total.shape)

    def divided_by_position(self, node, total):
        """Windows that reach into the padding count what is in the image."""
        spatial = [self.axis(node, 2 + i) for i in range(len(node.kernel))]
        extents = node.inputs[0].shape[2:]

        def body(emit, x, out):
            size = None
            for axis, extent, kernel, stride, padding in zip(
                    spatial, extents, node.kernel, node.stride, node.padding):
                constant = lambda n: emit(f"arith.constant {n} : index")
                index = emit(f"linalg.index {axis} : index")
                start = emit(f"arith.muli {index}, {constant(stride)} : index")
                start = emit(
                    f"arith.subi {start}, {constant(padding[0])} : index")
                end = emit(f"arith.addi {start}, {constant(kernel)} : index")
                start = emit(f"arith.maxsi {start}, {constant(0)} : index")
                end = emit(f"arith.minsi {end}, {constant(extent)} : index")
                length = emit(f"arith.subi {end}, {start} : index")
                size = length if size is None else emit(
                    f"arith.muli {size}, {length} : index")
            whole = emit(f"arith.index_cast {size} : index to i64")
            count = emit(f"arith.sitofp {whole} : i64 to f32")
            return emit(f"arith.divf {x}, {count} : f32")

        return self.generic([(total, identity(total.rank))],
                            self.empty(total.shape), body)

    def write_global_pool(self, node, x):
        source = node.inputs[0]
        node.attributes.update(kernel=source.shape[2:],
                               stride=(1,) * (len(source.shape) - 2),
                               dilation=(1,) * (len(source.shape) - 2))
        total = self.pool(node, x, "sum", 0.0)
        return self.elementwise(
            self.divided(leaf(total), int(np.prod(node.kernel))), total.shape)

    def pool(self, node, x, kind, start):
        shape = self.shape(node)
        rank = len(node.kernel)
        init = self.filled(shape, start)
        window = self.empty(node.kernel)
        named = {(1, False): "ncw", (1, True): "nwc", (2, False): "nchw",
                 (2, True): "nhwc", (3, True): "ndhwc"}.get((rank, self.last))
        if self.style("pool") == "named" and named:
            dilations = f"dense<{list(node.dilation)}> : vector<{rank}xi64>"
            strides = f"dense<{list(node.stride)}> : vector<{rank}xi64>"
            return self.text.op(
                f"linalg.pooling_{named}_{kind} {{dilations = {dilations}, "
                f"strides = {strides}}} ins({x.name}, {window.name} : {x.type},"
                f" {window.type}) outs({init.name} : {init.type}) -> "
                f"{init.type}", shape)
        access = identity(len(shape))
        for i, (stride, dilation) in enumerate(zip(node.stride, node.dilation)):
            dim = self.axis(node, 2 + i)
            tap = f"d{len(shape) + i}" + (f" * {dilation}" if dilation != 1 else "")
            access[dim] = f"d{dim} * {stride} + {tap}" if stride != 1 else (
                f"d{dim} + {tap}")
        taps = [f"d{len(shape) + i}" for i in range(rank)]

        def body(emit, a, w, out):
            if kind == "sum":
                return emit(f"arith.addf {out}, {a} : f32")
            return self.emit_maximum(emit, "max", [out, a], "f32")

        return self.generic(
            [(x, access), (window, taps)], init, body,
            ["parallel"] * len(shape) + ["reduction"] * rank,
            identity(len(shape)))

    # Linear layers.

    def write_linear(self, node, x):
        weight, bias = node.parameters["weight"], node.parameters.get("bias")
        shape = self.shape(node)
        init, after = self.biased_init(bias, shape, len(shape) - 1)
        if x.rank == 2:
            y = self.contraction(x, weight, init)
        elif self.style("linear_high") == "collapse":
            rows = None if None in x.shape else int(np.prod(x.shape[:-1]))
            flat = self.collapse(x, (rows, x.shape[-1]))
            with self.batch_of(flat):
                inner, after = self.biased_init(bias, (rows, shape[-1]), 1)
                y = self.contraction(flat, weight, inner)
                y = self.add_bias(y, after, 1)
            return self.expand(y, shape)
        else:
            y = self.high_contraction(x, weight, init)
        return self.add_bias(y, after, len(shape) - 1)

    @contextlib.contextmanager
    def batch_of(self, rows):
        """Where the dynamic extent is that of `rows`, not the batch."""
        batch = self.text.batch
        if None in rows.shape:
            zero = self.text.scalar(0, "index")
            self.text.batch = self.text.name()
            self.text.line(
                f"{self.text.batch} = tensor.dim {rows.name}, {zero} : {rows.type}")
        yield
        self.text.batch = batch

    def contraction(self, x, weight, init):
        form = self.style("linear")
        types = lambda a, b: f"({a.name}, {b.name} : {a.type}, {b.type})"
        outs = f"outs({init.name} : {init.type}) -> {init.type}"
        if form in ("transpose", "folded"):
            if form == "folded":
                w = self.held(weight.T)
            else:
                w = self.transpose(self.held(weight), (1, 0))
            return self.text.op(f"linalg.matmul ins{types(x, w)} {outs}",
                                init.shape)
        w = self.held(weight)
        maps = ("affine_map<(d0, d1, d2) -> (d0, d2)>",
                "affine_map<(d0, d1, d2) -> (d1, d2)>",
                "affine_map<(d0, d1, d2) -> (d0, d1)>")
        if form in ("maps", "contract"):
            op = "matmul" if form == "maps" else "contract"
            return self.text.op(f"linalg.{op} indexing_maps = "
                                f"[{', '.join(maps)}] ins{types(x, w)} {outs}",
                                init.shape)
        operands = [(x, ["d0", "d2"]), (w, ["d1", "d2"])]
        if form == "swapped":
            operands.reverse()
        return self.generic(operands, init, self.multiply_add,
                            ["parallel", "parallel", "reduction"],
                            ["d0", "d1"])

    @staticmethod
    def multiply_add(emit, a, b, out):
        product = emit(f"arith.mulf {a}, {b} : f32")
        return emit(f"arith.addf {out}, {product} : f32")

    def high_contraction(self, x, weight, init):
        form = self.style("linear_high")
        if form == "generic" or x.rank != 3 or None in x.shape:
            w = self.held(weight)
            n = x.rank
            lead = [f"d{i}" for i in range(n - 1)]
            return self.generic(
                [(x, lead + [f"d{n}"]), (w, [f"d{n - 1}", f"d{n}"])], init,
                self.multiply_add, ["parallel"] * n + ["reduction"],
                identity(n))
        wide = (x.shape[0], weight.shape[1], weight.shape[0])
        if form == "folded_broadcast":
            w = self.text.weight(np.broadcast_to(weight.T, wide))
        else:
            w = self.transpose(self.held(weight), (1, 0))
            w = self.spread(w, [1, 2], wide)
        return self.batch_matmul(x, w, init)

    def batch_matmul(self, x, y, init):
        return self.text.op(
            f"linalg.batch_matmul ins({x.name}, {y.name} : {x.type}, {y.type}) "
            f"outs({init.name} : {init.type}) -> {init.type}", init.shape)

    def write_matmul(self, node, x, y):
        shape = self.shape(node)
        n = len(shape)
        if self.style("matmul") == "generic" or None in x.shape:
            lead = [f"d{i}" for i in range(n - 2)]
            return self.generic(
                [(x, lead + [f"d{n - 2}", f"d{n}"]),
                 (y, lead + [f"d{n}", f"d{n - 1}"])],
                self.filled(shape, 0.0), self.multiply_add,
                ["parallel"] * n + ["reduction"], identity(n))
        flat = lambda s: (int(np.prod(s[:-2])), *s[-2:])
        product = self.batch_matmul(self.collapse(x, flat(x.shape)),
                                    self.collapse(y, flat(y.shape)),
                                    self.filled(flat(shape), 0.0))
        return self.expand(product, shape)

    # Shapes.

    def write_cat(self, node, *xs):
        axis = self.axis(node, node.axis)
        shape = self.shape(node)
        form = self.style("cat")
        if form == "concat":
            return self.text.op(
                f"tensor.concat dim({axis}) {', '.join(x.name for x in xs)} : "
                f"({', '.join(x.type for x in xs)}) -> {tensor_type(shape)}",
                shape)
        y = self.empty(shape) if form == "insert" else self.filled(shape, 0.0)
        at = 0
        for x in xs:
            offsets = [0] * len(shape)
            offsets[axis] = at
            y = self.insert(x, y, offsets)
            at += x.shape[axis]
        return y

    def insert(self, x, into, offsets, strides=None):
        strides = strides or [1] * x.rank
        sizes = [self.text.batch if e is None else e for e in x.shape]
        return self.text.op(
            f"tensor.insert_slice {x.name} into {into.name}"
            f"[{integers(offsets)}] [{integers(sizes)}] [{integers(strides)}]"
            f" : {x.type} into {into.type}", into.shape)

    def extract(self, x, offsets, sizes, strides=None):
        kind = tensor_type(sizes, x.element)
        extents = [self.text.batch if e is None else e for e in sizes]
        strides = strides or [1] * x.rank
        return self.text.op(
            f"tensor.extract_slice {x.name}[{integers(offsets)}] "
            f"[{integers(extents)}] [{integers(strides)}] : {x.type} to "
            f"{kind}", sizes, x.element)

    def write_narrow(self, node, x):
        offsets, strides = [0] * x.rank, [1] * x.rank
        offsets[self.axis(node, node.axis)] = node.start
        strides[self.axis(node, node.axis)] = node.step
        return self.extract(x, offsets, self.shape(node), strides)

    def write_flatten(self, node, x):
        source = node.inputs[0]
        if self.moved(source):
            if any(e != 1 for e in source.shape[2:]):
                x = self.transpose(x, TO_FIRST[x.rank])
        return self.collapse(x, self.shape(node))

    def write_reshape(self, node, x):
        if self.moved(node.inputs[0]):
            x = self.transpose(x, TO_FIRST[x.rank])
        shape = tuple(node.shape)
        flat = (int(np.prod([e or 1 for e in shape])),)
        # The batch stays, of whatever size.
        if self.dynamic:
            shape = (None, *shape[1:])
            flat = (None, int(np.prod(shape[1:])))
        rows, columns = x.shape, shape
        if rows == columns:
            y = x
        elif _regroups(rows, columns):
            if len(rows) >= len(columns):
                y = self.collapse(x, shape)
            else:
                y = self.expand(x, shape)
        else:
            y = self.expand(self.collapse(x, flat), shape)
        if self.moved(node):
            y = self.transpose(y, TO_LAST[y.rank])
        return y

    def write_permute(self, node, x):
        order = self.order(node)
        if order == tuple(range(x.rank)):
            return x
        return self.transpose(x, order)

    def write_channel_shuffle(self, node, x):
        axis = self.channels(node)
        count = x.shape[axis] // node.groups
        wide = (*x.shape[:axis], node.groups, count, *x.shape[axis + 1:])
        order = list(range(len(wide)))
        order[axis], order[axis + 1] = axis + 1, axis
        y = self.transpose(self.expand(x, wide), order)
        return self.collapse(y, x.shape)

    def write_pixel_shuffle(self, node, x):
        f = node.factor
        n, c, h, w = node.inputs[0].shape
        n = x.shape[0]
        if self.moved(node):
            wide = (n, h, w, c // f**2, f, f)
            order = (0, 1, 4, 2, 5, 3)
        else:
            wide = (n, c // f**2, f, f, h, w)
            order = (0, 1, 4, 2, 5, 3)
        y = self.transpose(self.expand(x, wide), order)
        return self.collapse(y, self.shape(node))

    def write_pixel_unshuffle(self, node, x):
        wide, order = self.split_pixels(node, x)
        y = self.transpose(self.expand(x, wide), order)
        return self.collapse(y, self.shape(node))

    def write_repeat(self, node, x):
        """As a broadcast of a dimension that is then merged."""
        axis = self.axis(node, node.axis)
        wide = (*x.shape[:axis], node.count, *x.shape[axis:])
        dims = [d for d in range(len(wide)) if d != axis]
        y = self.generic([(x, [f"d{d}" for d in dims])], self.empty(wide),
                         lambda emit, a, out: a)
        return self.collapse(y, self.shape(node))

    # Gathers.

    def write_embedding(self, node, x):
        table = self.text.weight(node.parameters["weight"])
        shape = self.shape(node)

        def body(emit, index, out):
            if self.style("guards") == "assert":
                rows = emit(f"arith.constant {table.shape[0]} : i64")
                inside = emit(f"arith.cmpi slt, {index}, {rows} : i64")
                emit(f'cf.assert {inside}, "index larger than the table"', 0)
            row = emit(f"arith.index_cast {index} : i64 to index")
            column = emit(f"linalg.index {x.rank} : index")
            return emit(f"tensor.extract {table.name}[{row}, {column}] : "
                        f"{table.type}")

        return self.generic([(x, identity(x.rank))], self.empty(shape), body)

    def write_resize(self, node, x):
        shape = self.shape(node)
        place = [self.axis(node, 2), self.axis(node, 3)]
        extents = node.inputs[0].shape[2:]
        factor = float(node.factor)

        def constant(emit, number):
            return emit(f"arith.constant {number:.9e} : f32")

        def index(emit, number):
            whole = emit(f"arith.fptosi {number} : f32 to i64")
            return emit(f"arith.index_cast {whole} : i64 to index")

        def real(emit, dim):
            here = emit(f"linalg.index {dim} : index")
            whole = emit(f"arith.index_cast {here} : index to i64")
            return emit(f"arith.sitofp {whole} : i64 to f32")

        def read(emit, rows):
            names = []
            for dim in range(4):
                names.append(rows[place.index(dim)] if dim in place else
                             emit(f"linalg.index {dim} : index"))
            return emit(f"tensor.extract {x.name}[{', '.join(names)}] : "
                        f"{x.type}")

        def nearest(emit, out):
            rows = []
            for dim in place:
                scaled = emit(f"arith.divf {real(emit, dim)}, "
                              f"{constant(emit, factor)} : f32")
                rows.append(index(emit, emit(f"math.floor {scaled} : f32")))
            return read(emit, rows)

        def bilinear(emit, out):
            low, high, part = [], [], []
            for dim, extent in zip(place, extents):
                half = constant(emit, 0.5)
                here = emit(f"arith.addf {real(emit, dim)}, {half} : f32")
                here = emit(f"arith.divf {here}, {constant(emit, factor)} "
                            ": f32")
                here = emit(f"arith.subf {here}, {half} : f32")
                zero = constant(emit, 0.0)
                here = emit(f"arith.maximumf {here}, {zero} : f32")
                last = constant(emit, extent - 1.0)
                here = emit(f"arith.minimumf {here}, {last} : f32")
                floor = emit(f"math.floor {here} : f32")
                one = constant(emit, 1.0)
                above = emit(f"arith.addf {floor}, {one} : f32")
                above = emit(f"arith.minimumf {above}, {last} : f32")
                part.append(emit(f"arith.subf {here}, {floor} : f32"))
                low.append(index(emit, floor))
                high.append(index(emit, above))

            def mix(a, b, share):
                step = emit(f"arith.subf {b}, {a} : f32")
                step = emit(f"arith.mulf {step}, {share} : f32")
                return emit(f"arith.addf {a}, {step} : f32")

            top = mix(read(emit, [low[0], low[1]]),
                      read(emit, [low[0], high[1]]), part[1])
            bottom = mix(read(emit, [high[0], low[1]]),
                         read(emit, [high[0], high[1]]), part[1])
            return mix(top, bottom, part[0])

        body = nearest if node.mode == "nearest" else bilinear
        return self.generic([], self.empty(shape), body)


def _regroups(large, small):
    """Whether one of the shapes is the other one with dimensions merged."""
    if len(large) < len(small):
        large, small = small, large
    # A batch of any number is in front, alone or with ones.
    large, small = ([e or 1 for e in shape] for shape in (large, small))
    at = 0
    for extent in small:
        product = 1
        while at < len(large) and (product != extent or large[at] == 1):
            product *= large[at]
            at += 1
        if product != extent:
            return False
    return at == len(large)

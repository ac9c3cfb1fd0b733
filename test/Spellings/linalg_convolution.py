# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions as linalg ops, and what they need around them."""

import numpy as np

from emitter import integers, real, tensor_type
from expression import leaf, parameter
from linalg_elementwise import LinalgElementwise, identity
from writer import TO_FIRST, TO_LAST, permuted

_FIRST = {1: "conv_1d_ncw_fcw", 2: "conv_2d_nchw_fchw",
          3: "conv_3d_ncdhw_fcdhw"}
_LAST = {1: "conv_1d_nwc_wcf", 2: "conv_2d_nhwc_hwcf",
         3: "conv_3d_ndhwc_dhwcf"}
_DEPTHWISE_FIRST = {1: "depthwise_conv_1d_ncw_cw",
                    2: "depthwise_conv_2d_nchw_chw",
                    3: "depthwise_conv_3d_ncdhw_cdhw"}
_DEPTHWISE_LAST = {1: "depthwise_conv_1d_nwc_wc",
                   2: "depthwise_conv_2d_nhwc_hwc",
                   3: "depthwise_conv_3d_ndhwc_dhwc"}
_MULTIPLIER = {1: "depthwise_conv_1d_nwc_wcm",
               2: "depthwise_conv_2d_nhwc_hwcm",
               3: "depthwise_conv_3d_ndhwc_dhwcm"}


class LinalgConvolution(LinalgElementwise):
    # Parameters.

    def held(self, array, permutation=None):
        """The parameter `array`, transposed by `permutation`."""
        permutation = permutation or tuple(range(array.ndim))
        form = self.style("weight_form")
        if form == "transposed" and permutation != tuple(range(array.ndim)):
            return self.transpose(self.text.weight(array), permutation)
        array = np.ascontiguousarray(array.transpose(permutation))
        if form == "reshaped" and array.ndim > 1:
            flat = self.text.weight(array.reshape(-1))
            return self.expand(flat, array.shape)
        if form == "sliced" and array.ndim > 1:
            # One of several parameters in one array.
            before = np.full(5, 0.25, np.float32)
            packed = self.text.weight(np.concatenate(
                [before, array.reshape(-1), before]))
            return self.expand(self.extract(packed, [5], [array.size]),
                               array.shape)
        return self.text.weight(array)

    def transpose(self, x, permutation):
        permutation = list(permutation)
        shape = permuted(x.shape, permutation)
        init = self.empty(shape, x.element)
        form = self.style("transpose")
        if form == "transpose":
            return self.text.op(
                f"linalg.transpose ins({x.name} : {x.type}) outs({init.name} : "
                f"{init.type}) permutation = [{integers(permutation)}]", shape,
                x.element)
        if form == "generic_in":
            access = [f"d{permutation.index(i)}" for i in range(x.rank)]
            return self.generic([(x, access)], init, lambda emit, a, out: a)
        out = [f"d{i}" for i in permutation]
        return self.generic([(x, identity(x.rank))], init,
                            lambda emit, a, out: a, None, out)

    # Paddings.

    def pad_image(self, node, x, padding, number):
        low, high = [0] * x.rank, [0] * x.rank
        for i, (before, after) in enumerate(padding):
            axis = self.axis(node, 2 + i)
            low[axis], high[axis] = before, after
        return self.padded(x, low, high, number)

    def padded(self, x, low, high, number):
        if not any(low) and not any(high):
            return x
        shape = tuple(None if e is None else l + e + h
                      for l, e, h in zip(low, x.shape, high))
        if self.style("pad") == "insert":
            return self.insert(x, self.filled(shape, number), low)
        indices = ", ".join(f"{self.text.fresh('%b')}: index"
                            for _ in range(x.rank))
        scalar = self.text.scalar(number)
        value = self.text.op(
            f"tensor.pad {x.name} low[{integers(low)}] high[{integers(high)}] "
            "{", shape)
        self.text.line(f"^bb0({indices}):")
        self.text.line(f"  tensor.yield {scalar} : f32")
        self.text.line(f"}} : {x.type} to {value.type}")
        return value

    def write_pad(self, node, x):
        order = TO_LAST[x.rank] if self.moved(node) else range(x.rank)
        return self.padded(x, permuted(node.low, order),
                           permuted(node.high, order), node.value)

    # Biases.

    def biased_init(self, bias, shape, axis):
        """What to accumulate onto, and the bias that is to be added."""
        form = self.style("bias")
        if bias is None or form not in ("outs", "outs_yield"):
            return self.filled(shape, 0.0), bias
        value = self.text.weight(bias)
        init = self.empty(shape)
        if form == "outs":
            added = [i for i in range(len(shape)) if i != axis]
            return self.text.op(
                f"linalg.broadcast ins({value.name} : {value.type}) "
                f"outs({init.name} : {init.type}) dimensions = "
                f"[{integers(added)}]", shape), None
        return self.generic([(value, [f"d{axis}"])], init,
                            lambda emit, b, out: b), None

    def add_bias(self, y, bias, axis):
        if bias is None:
            return y
        choices = dict(self.style.choices)
        form = self.style("bias")
        if form == "full":
            self.style.choices["broadcast"] = "full"
        elif form == "named_add":
            self.style.choices["step"] = "named"
        operands = [leaf(y), parameter(bias, [axis])]
        if form == "full":
            operands.reverse()
        y = self.elementwise(operands[0] + operands[1], y.shape)
        self.style.choices = choices
        return y

    # Convolutions.

    def write_conv(self, node, x):
        weight, bias = node.parameters["weight"], node.parameters.get("bias")
        x = self.pad_image(node, x, node.padding, 0.0)
        y = self.convolution(node, x, weight, bias)
        if self.style("guards") == "cast":
            kind = tensor_type([None] * y.rank)
            loose = self.text.op(f"tensor.cast {y.name} : {y.type} to {kind}",
                                 [None] * y.rank)
            y = self.text.op(f"tensor.cast {loose.name} : {kind} to {y.type}",
                             y.shape)
        return y

    def convolution(self, node, x, weight, bias):
        """Of a padded image; weight as PyTorch has it."""
        last = self.last
        other = self.style("conv") == "other"
        shape = self.shape(node)
        if other and not last:
            # Channels last in a text that has them first.
            x = self.transpose(x, TO_LAST[x.rank])
            shape = permuted(shape, TO_LAST[x.rank])
            last = True
        axis = len(shape) - 1 if last else 1
        init, bias = self.biased_init(bias, shape, axis)
        y = self.windows(node, x, weight, init, last, other)
        y = self.add_bias(y, bias, axis)
        return y if last == self.last else self.transpose(y, TO_FIRST[y.rank])

    def windows(self, node, x, weight, init, last, other):
        rank = len(node.kernel)
        axis = x.rank - 1 if last else 1
        groups, channels = node.attributes.get("groups", 1), x.shape[axis]
        out = weight.shape[0]
        if groups == 1:
            if self.style("conv") == "generic":
                return self.loops(node, x, self.held(weight), init, last)
            if not last:
                return self.named(_FIRST[rank], node, x, self.held(weight),
                                  init)
            if other and rank == 2 and self.last:
                w = self.held(weight, (0, 2, 3, 1))
                return self.named("conv_2d_nhwc_fhwc", node, x, w, init)
            w = self.held(weight, (*range(2, rank + 2), 1, 0))
            return self.named(_LAST[rank], node, x, w, init)
        if groups == channels:
            y = self.depthwise(node, x, weight, init, last)
            if y:
                return y
        return self.grouped(node, x, weight, init, last)

    def named(self, op, node, x, weight, init):
        rank = len(node.kernel)
        vector = lambda values: f"dense<{list(values)}> : vector<{rank}xi64>"
        dilation = node.attributes.get("dilation", (1,) * rank)
        return self.text.op(
            f"linalg.{op} {{dilations = {vector(dilation)}, strides = "
            f"{vector(node.stride)}}} ins({x.name}, {weight.name} : {x.type}, "
            f"{weight.type}) outs({init.name} : {init.type}) -> {init.type}",
            init.shape)

    def slide(self, node, first_tap, outputs):
        """The expressions of the image's spatial dimensions."""
        rank = len(node.kernel)
        dilation = node.attributes.get("dilation", (1,) * rank)
        terms = []
        for i, (s, d) in enumerate(zip(node.stride, dilation)):
            out = f"d{outputs[i]}" + (f" * {s}" if s != 1 else "")
            tap = f"d{first_tap + i}" + (f" * {d}" if d != 1 else "")
            terms.append(f"{out} + {tap}")
        return terms

    @staticmethod
    def multiply_add(emit, a, b, out):
        product = emit(f"arith.mulf {a}, {b} : f32")
        return emit(f"arith.addf {out}, {product} : f32")

    def loops(self, node, x, weight, init, last):
        """A generic; the weight is OIHW."""
        rank = len(node.kernel)
        n = init.rank
        outputs = list(range(1, n - 1)) if last else list(range(2, n))
        feature = n - 1 if last else 1
        channel, tap = n, n + 1
        space = self.slide(node, tap, outputs)
        access = ["d0", *space, f"d{channel}"] if last else [
            "d0", f"d{channel}", *space]
        taps = [f"d{tap + i}" for i in range(rank)]
        return self.generic(
            [(x, access), (weight, [f"d{feature}", f"d{channel}", *taps])],
            init, self.multiply_add,
            ["parallel"] * n + ["reduction"] * (rank + 1), identity(n))

    def depthwise(self, node, x, weight, init, last):
        rank = len(node.kernel)
        channels = x.shape[-1 if last else 1]
        multiplier = weight.shape[0] // channels
        form = self.style("depthwise")
        if form == "grouped":
            return None
        space = list(range(1, rank + 1))
        flat = weight.reshape(weight.shape[0], *weight.shape[2:])
        if last and (form == "multiplier" or multiplier != 1):
            w = weight.reshape(channels, multiplier, *weight.shape[2:])
            w = self.held(w, (*range(2, rank + 2), 0, 1))
            wide = (*init.shape[:-1], channels, multiplier)
            y = self.named(_MULTIPLIER[rank], node, x, w,
                           self.expand(init, wide))
            return self.collapse(y, init.shape)
        if multiplier != 1:
            return None
        if form == "generic":
            n = init.rank
            outputs = list(range(1, n - 1)) if last else list(range(2, n))
            feature = f"d{n - 1 if last else 1}"
            space = self.slide(node, n, outputs)
            access = ["d0", *space, feature] if last else [
                "d0", feature, *space]
            taps = [f"d{n + i}" for i in range(rank)]
            return self.generic(
                [(x, access), (self.held(flat), [feature, *taps])], init,
                self.multiply_add, ["parallel"] * n + ["reduction"] * rank,
                identity(n))
        if last:
            return self.named(_DEPTHWISE_LAST[rank], node, x,
                              self.held(flat, (*space, 0)), init)
        if form == "named":
            # torch-mlir's: the weight loses its dimension of one.
            w = self.collapse(self.held(weight), flat.shape)
        else:
            w = self.held(flat)
        return self.named(_DEPTHWISE_FIRST[rank], node, x, w, init)

    def grouped(self, node, x, weight, init, last):
        form = self.style("grouped")
        groups = node.groups
        rank = len(node.kernel)
        axis = x.rank - 1 if last else 1
        if form == "split" and groups != x.shape[axis]:
            return self.split(node, x, weight, init, last)
        split = lambda shape: (*shape[:axis], groups, shape[axis] // groups,
                               *shape[axis + 1:])
        wide_x = self.expand(x, split(x.shape))
        wide_init = self.expand(init, split(init.shape))
        w = weight.reshape(groups, -1, *weight.shape[1:])
        if form == "ngchw" and rank == 2:
            if last:
                y = self.named("conv_2d_nhwgc_gfhwc", node, wide_x,
                               self.held(w, (0, 1, 3, 4, 2)), wide_init)
            else:
                y = self.named("conv_2d_ngchw_gfchw", node, wide_x,
                               self.held(w), wide_init)
            return self.collapse(y, init.shape)
        n = wide_init.rank
        outputs = list(range(1, n - 2)) if last else list(range(3, n))
        group = f"d{n - 2 if last else 1}"
        feature = f"d{n - 1 if last else 2}"
        channel, tap = f"d{n}", n + 1
        space = self.slide(node, tap, outputs)
        access = ["d0", *space, group, channel] if last else [
            "d0", group, channel, *space]
        taps = [f"d{tap + i}" for i in range(rank)]
        y = self.generic(
            [(wide_x, access), (self.held(w), [group, feature, channel, *taps])],
            wide_init, self.multiply_add,
            ["parallel"] * n + ["reduction"] * (rank + 1), identity(n))
        return self.collapse(y, init.shape)

    def split(self, node, x, weight, init, last):
        """One convolution for each group."""
        axis = x.rank - 1 if last else 1
        parts = []
        for g in range(node.groups):
            def part(value):
                count = value.shape[axis] // node.groups
                offsets, sizes = [0] * value.rank, list(value.shape)
                offsets[axis], sizes[axis] = g * count, count
                return self.extract(value, offsets, sizes)

            count = weight.shape[0] // node.groups
            w = weight[g * count:(g + 1) * count]
            parts.append(self.loops(node, part(x), self.held(w), part(init),
                                    last))
        kinds = ", ".join(part.type for part in parts)
        return self.text.op(
            f"tensor.concat dim({axis}) {', '.join(p.name for p in parts)} : "
            f"({kinds}) -> {init.type}", init.shape)

    # Transposed convolutions.

    def write_conv_transpose(self, node, x):
        """A convolution with the filters turned around, of the image with
        zeros between its pixels."""
        rank = len(node.kernel)
        bias = node.parameters.get("bias")
        weight = node.parameters["weight"]
        spatial = [self.axis(node, 2 + i) for i in range(rank)]
        shape, offsets, strides = list(x.shape), [0] * x.rank, [1] * x.rank
        for axis, k, s, p, o, d in zip(
                spatial, node.kernel, node.stride, node.padding,
                node.output_padding, node.dilation):
            reach = (k - 1) * d - p
            shape[axis] = (x.shape[axis] - 1) * s + 1 + 2 * reach + o
            offsets[axis], strides[axis] = reach, s
        stuffed = self.insert(x, self.filled(tuple(shape), 0.0), offsets,
                              strides)
        plain = _Plain(node)
        # Nobody turns around an argument beforehand.
        fixed = self.style("weights") not in ("argument", "global")
        if self.style("transposed") == "folded" and fixed or rank != 2 or (
                node.groups > 1):
            turned = np.flip(weight, tuple(range(2, 2 + rank)))
            turned = np.concatenate([part.swapaxes(0, 1) for part in
                                     np.split(turned, node.groups)])
            return self.convolution(plain, stuffed, np.ascontiguousarray(
                turned), bias)
        # torch-mlir's: the filters are turned around by an op.
        w = self.text.weight(weight)
        turned = (weight.shape[1], weight.shape[0], *node.kernel)

        def body(emit, out):
            f, c, i, j = (emit(f"linalg.index {d} : index") for d in range(4))
            places = []
            for index, k in ((i, node.kernel[0]), (j, node.kernel[1])):
                end = emit(f"arith.constant {k - 1} : index")
                places.append(emit(f"arith.subi {end}, {index} : index"))
            return emit(f"tensor.extract {w.name}[{c}, {f}, {places[0]}, "
                        f"{places[1]}] : {w.type}")

        filters = self.generic([], self.empty(turned), body)
        shape = self.shape(node)
        axis = self.channels(node)
        init, bias = self.biased_init(bias, shape, axis)
        if self.last:
            filters = self.transpose(filters, (2, 3, 1, 0))
            y = self.named(_LAST[2], plain, stuffed, filters, init)
        else:
            y = self.named(_FIRST[2], plain, stuffed, filters, init)
        return self.add_bias(y, bias, axis)


class _Plain:
    """A transposed convolution as the ordinary one of stride 1."""

    def __init__(self, node):
        self.op, self.kernel = node.op, node.kernel
        self.stride = (1,) * len(node.kernel)
        self.shape, self.image, self.groups = node.shape, node.image, node.groups
        self.attributes = {"dilation": node.dilation, "groups": node.groups}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Formulas as linalg, arith and math ops on tensors."""

import numpy as np

from emitter import Value, integers, tensor_type
from expression import COMPARISONS, Expression, leaf
from writer import Writer

_ARITH = {"add": "arith.addf", "sub": "arith.subf", "mul": "arith.mulf",
          "div": "arith.divf", "exp": "math.exp", "log": "math.log",
          "sqrt": "math.sqrt", "rsqrt": "math.rsqrt", "tanh": "math.tanh",
          "erf": "math.erf", "neg": "arith.negf", "expm1": "math.expm1",
          "abs": "math.absf", "log1p": "math.log1p", "sin": "math.sin",
          "cos": "math.cos"}
_NAMED = {"add": "add", "sub": "sub", "mul": "mul", "div": "div", "max": "max",
          "min": "min", "exp": "exp", "log": "log", "sqrt": "sqrt",
          "rsqrt": "rsqrt", "tanh": "tanh", "erf": "erf", "neg": "negf"}
# Those that are several ops, with constants.
_WITH_NUMBERS = {"sigmoid", "reciprocal", "pow3", "clamp"}
_KINDS = {"max": "max_signed", "min": "min_signed"}


def affine_map(count, results):
    dims = ", ".join(f"d{i}" for i in range(count))
    return f"affine_map<({dims}) -> ({', '.join(results)})>"


def identity(count):
    return [f"d{i}" for i in range(count)]


class LinalgElementwise(Writer):
    # Inits.

    def empty(self, shape, element="f32"):
        sizes = self.text.batch if None in shape else ""
        make = lambda: self.text.op(
            f"tensor.empty({sizes}) : {tensor_type(shape, element)}", shape,
            element)
        if self.style("zero") == "shared":
            return self.text._once(("empty", shape, element, sizes), make)
        return make()

    def filled(self, shape, number):
        if self.style("zero") == "constant" and None not in shape:
            return self.text.constant(np.full(shape, number, np.float32))

        def make():
            init = self.empty(shape)
            return self.text.op(
                f"linalg.fill ins({self.text.scalar(number)} : f32) "
                f"outs({init.name} : {init.type}) -> {init.type}", shape)

        if self.style("zero") == "shared":
            return self.text._once(
                ("filled", shape, number, self.text.batch), make)
        return make()

    # Generics.

    def generic(self, inputs, init, body, loops=None, out_map=None):
        """`inputs` are (value, results of its map). `body` gets `emit` and the
        names of the block arguments, the last of them that of the result."""
        loops = loops or ["parallel"] * init.rank
        maps = [affine_map(len(loops), results) for _, results in inputs]
        maps.append(affine_map(len(loops), out_map or identity(init.rank)))
        kinds = ", ".join(f'"{kind}"' for kind in loops)
        ins = ""
        if inputs:
            ins = (f" ins({', '.join(v.name for v, _ in inputs)} : "
                   f"{', '.join(v.type for v, _ in inputs)})")
        arguments = [self.text.fresh("%b") for _ in range(len(inputs) + 1)]
        types = [v.element for v, _ in inputs] + [init.element]
        lines = []

        def emit(text, results=1):
            name = self.text.fresh("%b") if results else None
            lines.append(f"  {name} = {text}" if results else f"  {text}")
            return name

        result = body(emit, *arguments)
        lines.append(f"  linalg.yield {result} : {init.element}")
        value = Value(self.text.name(), init.shape, init.element)
        self.text.line(
            f"{value.name} = linalg.generic {{indexing_maps = "
            f"[{', '.join(maps)}], iterator_types = [{kinds}]}}{ins} "
            f"outs({init.name} : {init.type}) {{")
        signature = ", ".join(f"{a}: {t}" for a, t in zip(arguments, types))
        self.text.line(f"^bb0({signature}):")
        for line in lines:
            self.text.line(line)
        self.text.line(f"}} -> {init.type}")
        return value

    def access(self, value, dims, shape):
        """The map of an operand that is broadcast to `shape`."""
        results = []
        for extent, dim in zip(value.shape, dims):
            unit = extent == 1 and (shape[dim] != 1 or
                                    self.style("unit") == "zero")
            results.append("0" if unit else f"d{dim}")
        return results

    # Broadcasts.

    def spread(self, value, dims, shape):
        """The value in full shape, as an op's result."""
        if value.shape == tuple(shape):
            return value
        if self.style("broadcast") == "broadcast":
            kept = [(e, d) for e, d in zip(value.shape, dims)
                    if e != 1 or shape[d] == 1]
            if len(kept) != value.rank:
                value = self.collapse(value, [e for e, _ in kept])
                dims = [d for _, d in kept]
            init = self.empty(shape, value.element)
            added = [d for d in range(len(shape)) if d not in dims]
            return self.text.op(
                f"linalg.broadcast ins({value.name} : {value.type}) "
                f"outs({init.name} : {init.type}) dimensions = "
                f"[{integers(added)}]", shape, value.element)
        init = self.empty(shape, value.element)
        return self.generic([(value, self.access(value, dims, shape))], init,
                            lambda emit, x, out: x)

    def collapse(self, value, shape):
        """Drops or merges dimensions; `shape` says which."""
        return self.regroup("tensor.collapse_shape", value, value.shape, shape)

    def expand(self, value, shape):
        return self.regroup("tensor.expand_shape", value, shape, value.shape)

    def regroup(self, op, value, large, small):
        large, small = tuple(large), tuple(small)
        if large == small:
            return value
        groups, at = [], 0
        for count in _merged(large, small) if small else []:
            groups.append(list(range(at, at + count)))
            at += count
        result = small if op == "tensor.collapse_shape" else large
        kind = tensor_type(result, value.element)
        text = f"{op} {value.name} {groups}"
        if op == "tensor.expand_shape":
            sizes = integers(self.text.batch if e is None else e
                             for e in result)
            text += f" output_shape [{sizes}]"
        return self.text.op(f"{text} : {value.type} into {kind}", result,
                            value.element)

    # Formulas.

    def elementwise(self, expression, shape, usual="region"):
        """The value of a formula. `usual` is what torch-mlir does with it."""
        mode = self.style("granularity")
        if mode == "usual":
            mode = usual
        done = {}

        def visit(e, root=False):
            if e.op in ("leaf", "number"):
                return e
            if id(e) in done:
                return done[id(e)][1]
            new = Expression(e.op, [visit(arg) for arg in e.args])
            cut = mode == "steps" or (mode == "cut" and
                                      e.op not in COMPARISONS and
                                      self.style.random.random() < 0.5)
            if root or cut:
                new = self.computed(new, shape)
            done[id(e)] = (e, new)
            return new

        return visit(expression, True).value

    def computed(self, e, shape):
        """A leaf with the value of `e`, which has the dimensions of its leaves
        only: var + eps has one."""
        leaves = e.leaves()
        first = leaves[0]
        extent = lambda l: l.value.shape if l.value else l.data.shape
        if first.dims is not None and len(first.dims) < len(shape) and all(
                l.dims == first.dims and extent(l) == extent(first)
                for l in leaves):
            inner = _with_dims(e)
            return leaf(self.op_of(inner, extent(first)), first.dims)
        return leaf(self.op_of(e, tuple(shape)))

    def tensor_of(self, e, shape):
        """A leaf's tensor and dims."""
        dims = list(range(len(shape))) if e.dims is None else e.dims
        if e.value is not None:
            return e.value, dims
        if self.style("broadcast") == "full" and None not in shape:
            index = [1] * len(shape)
            for extent, dim in zip(e.data.shape, dims):
                index[dim] = extent
            data = np.broadcast_to(e.data.reshape(index), shape)
            return self.text.weight(data), list(range(len(shape)))
        return self.text.weight(e.data), dims

    def op_of(self, e, shape):
        """One op for a formula of which nothing is computed yet."""
        simple = all(a.op in ("leaf", "number") for a in e.args)
        step = self.style("step")
        if not simple or step == "generic" or (
                step in ("named", "elementwise") and e.op not in _NAMED) or (
                None in shape and (e.op in _WITH_NUMBERS or any(
                    a.op == "number" for a in e.args))):
            return self.region(e, shape)
        element = "i1" if e.op in COMPARISONS else "f32"
        full = []
        for arg in e.args:
            if arg.op == "number":
                full.append(self.text.constant(
                    np.full(shape, arg.number, np.float32)))
            else:
                full.append(self.spread(*self.tensor_of(arg, shape), shape))
        if step == "arith":
            name = self.emit(
                lambda text: self.text.op(text, shape).name, e.op,
                [v.name for v in full], tensor_type(shape),
                lambda number: self.text.constant(
                    np.full(shape, number, np.float32)).name)
            return Value(name, shape, element)
        init = self.empty(shape, element)
        ins = (f"ins({', '.join(v.name for v in full)} : "
               f"{', '.join(v.type for v in full)})")
        outs = f"outs({init.name} : {init.type})"
        if step == "named":
            return self.text.op(f"linalg.{_NAMED[e.op]} {ins} {outs} -> "
                                f"{init.type}", shape)
        if step == "elementwise":
            kind = _KINDS.get(e.op, _NAMED[e.op])
            return self.text.op(
                f"linalg.elementwise kind=#linalg.elementwise_kind<{kind}> "
                f"{ins} {outs} -> {init.type}", shape)
        arguments = [self.text.fresh("%b") for _ in full + [init]]
        lines = []

        def emit(text):
            name = self.text.fresh("%b")
            lines.append(f"  {name} = {text}")
            return name

        result = self.emit(emit, e.op, arguments[:-1], "f32", self.text.scalar)
        value = Value(self.text.name(), shape, element)
        signature = ", ".join(
            f"{a}: {v.element}" for a, v in zip(arguments, full + [init]))
        self.text.line(f"{value.name} = linalg.map {ins} {outs}")
        self.text.line(f"({signature}) {{")
        for line in lines:
            self.text.line(line)
        self.text.line(f"  linalg.yield {result} : {element}")
        self.text.line("}")
        return value

    def region(self, root, shape):
        inputs, where = [], {}
        element = "i1" if root.op in COMPARISONS else "f32"

        def gather(e):
            if id(e) in where:
                return
            if e.op == "leaf":
                value, dims = self.tensor_of(e, shape)
                if self.style("broadcast") in ("broadcast", "yield") and (
                        value.shape != tuple(shape)):
                    value = self.spread(value, dims, shape)
                    dims = list(range(len(shape)))
                where[id(e)] = len(inputs)
                inputs.append((value, self.access(value, dims, shape)))
            elif e.op == "number":
                operand = self.number(e.number, shape)
                if isinstance(operand, tuple):
                    where[id(e)] = len(inputs)
                    inputs.append(operand)
                else:
                    where[id(e)] = operand
            else:
                where[id(e)] = None
                for arg in e.args:
                    gather(arg)

        gather(root)
        # An operand that is read twice is one operand.
        init = self.empty(shape, element)

        def body(emit, *arguments):
            names = {}

            def visit(e):
                if id(e) not in names:
                    place = where[id(e)]
                    if isinstance(place, int):
                        names[id(e)] = arguments[place]
                    elif callable(place):
                        names[id(e)] = place(emit)
                    else:
                        names[id(e)] = self.emit(
                            emit, e.op, [visit(arg) for arg in e.args], "f32",
                            self.text.scalar)
                return names[id(e)]

            return visit(root)

        return self.generic(inputs, init, body)

    def number(self, number, shape):
        """An operand (value, map), or a function that gives the name of a
        scalar in a region."""
        form = self.style("scalar")
        if form == "splat" and None not in shape:
            value = self.text.constant(np.full(shape, number, np.float32))
            return value, identity(len(shape))
        if form == "rank0":
            return self.text.constant(np.float32(number)), []
        if form == "computed":
            return self.computed_number(number), []
        if form == "inside":
            return lambda emit: emit(
                f"arith.constant {float(np.float32(number)):.9e} : f32")
        if form == "f64":
            name = self.text.scalar(number, "f64")
            return lambda emit: emit(f"arith.truncf {name} : f64 to f32")
        name = self.text.scalar(number)
        return lambda emit: name

    def computed_number(self, number):
        """A rank-0 tensor: an integer that is filled in and converted."""
        whole = float(number).is_integer()
        element = "i64" if whole else "f64"
        name = self.text.scalar(int(number) if whole else number, element)
        source = self.empty((), element)
        source = self.text.op(
            f"linalg.fill ins({name} : {element}) outs({source.name} : "
            f"{source.type}) -> {source.type}", (), element)
        convert = "arith.sitofp" if whole else "arith.truncf"
        return self.generic(
            [(source, [])], self.empty(()),
            lambda emit, x, out: emit(f"{convert} {x} : {element} to f32"))

    def emit(self, emit, op, args, kind, constant):
        """One operation on scalars or tensors of type `kind`."""
        if op in _ARITH:
            return emit(f"{_ARITH[op]} {', '.join(args)} : {kind}")
        if op in COMPARISONS:
            return emit(f"arith.cmpf {op}, {', '.join(args)} : {kind}")
        if op in ("max", "min"):
            return self.emit_maximum(emit, op, args, kind)
        if op == "select":
            bits = kind.replace("f32", "i1")
            types = kind if kind == "f32" else f"{bits}, {kind}"
            return emit(f"arith.select {', '.join(args)} : {types}")
        if op == "clamp":
            x, low, high = args
            if self.style("clamp") == "max_min":
                x = self.emit_maximum(emit, "max", [x, low], kind)
                return self.emit_maximum(emit, "min", [x, high], kind)
            x = self.emit_maximum(emit, "min", [x, high], kind)
            return self.emit_maximum(emit, "max", [x, low], kind)
        if op == "sigmoid":
            one = constant(1.0)
            x = emit(f"arith.negf {args[0]} : {kind}")
            x = emit(f"math.exp {x} : {kind}")
            x = emit(f"arith.addf {x}, {one} : {kind}")
            return emit(f"arith.divf {one}, {x} : {kind}")
        if op == "reciprocal":
            return emit(f"arith.divf {constant(1.0)}, {args[0]} : {kind}")
        if op == "pow3":
            if kind == "f32":
                three = self.text.scalar(3, "i64")
                return emit(f"math.fpowi {args[0]}, {three} : f32, i64")
            return emit(f"math.powf {args[0]}, {constant(3.0)} : {kind}")
        raise NotImplementedError(op)

    def emit_maximum(self, emit, op, args, kind):
        form = self.style("maximum")
        x, y = args
        bits = kind.replace("f32", "i1")
        types = kind if kind == "f32" else f"{bits}, {kind}"
        if form.startswith("cmp"):
            greater = (op == "max") == (form == "cmp")
            a, b = (x, y) if form == "cmp" else (y, x)
            predicate = "ugt" if greater else "ult"
            # select(x > y, x, y), or select(y < x, x, y)
            condition = emit(f"arith.cmpf {predicate}, {a}, {b} : {kind}")
            return emit(f"arith.select {condition}, {x}, {y} : {types}")
        suffix = "numf" if form == "maxnumf" else "imumf"
        result = emit(f"arith.{op}{suffix} {x}, {y} : {kind}")
        if form == "guarded":
            nan = emit(f"arith.cmpf uno, {x}, {x} : {kind}")
            return emit(f"arith.select {nan}, {y}, {result} : {types}")
        return result


def _merged(large, small):
    """How many dimensions of `large` each one of `small` is, or None. Ones after
    a dimension belong to it, if enough are left for the others."""
    if not small:
        return None if large else []
    for count in range(1, len(large) + 1):
        if _product(large[:count]) != small[0]:
            continue
        ones = next((i for i, e in enumerate(large[count:]) if e != 1),
                    len(large) - count)
        spare = len(large) - count - (len(small) - 1)
        for more in range(min(ones, spare), -1, -1):
            rest = _merged(large[count + more:], small[1:])
            if rest is not None:
                return [count + more, *rest]
    return None


def _product(extents):
    return None if None in extents else int(np.prod(extents))


def _with_dims(e):
    """A copy of a formula whose leaves have all of its dimensions."""
    if e.op == "leaf":
        return Expression("leaf", value=e.value, data=e.data)
    if e.op == "number":
        return e
    return Expression(e.op, [_with_dims(arg) for arg in e.args])

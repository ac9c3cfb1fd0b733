# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which of the spellings of each family a writer uses.

OPTIONS lists the spellings; the first one is torch-mlir's of today. A Style
fixes some, and draws the others from a seed: once for a whole network
(`each=False`), or anew at each use.
"""

import random

OPTIONS = {
    # Where images have their channels: in the text and its interface.
    "layout": ["nchw", "nhwc"],
    # Parameters.
    "weights": ["dense", "resource", "argument", "global", "global_const"],
    "weight_form": ["direct", "transposed", "reshaped", "sliced"],
    # Maps: 0 or the dimension where an extent is 1.
    "unit": ["zero", "dim"],
    # Elementwise formulas.
    "scalar": ["captured", "inside", "rank0", "computed", "splat", "f64"],
    "maximum": ["cmp", "maximumf", "maxnumf", "guarded", "cmp_swapped"],
    "granularity": ["usual", "region", "steps", "cut"],
    "step": ["generic", "named", "elementwise", "map", "arith"],
    "broadcast": ["map", "broadcast", "yield", "full"],
    "relu6": ["two", "clamp"],
    "clamp": ["max_min", "min_max"],
    "hardsigmoid": ["add_div", "relu6_div", "relu6_mul", "mul_add"],
    "hardswish": ["mul_last", "div_last", "relu6_mul", "halves"],
    "sigmoid": ["exp", "tosa"],
    "silu": ["mul", "div"],
    "gelu": ["div", "mul", "half_first"],
    "elu": ["parts", "select", "expm1"],
    "leaky_relu": ["parts", "select", "max"],
    "prelu": ["select", "parts"],
    # Norms.
    "batch_norm": ["fused", "decomposed", "scaled", "sqrt_div", "full"],
    "norm": ["torch", "sqrt", "moment"],
    # Convolutions.
    "conv": ["named", "generic", "other"],
    "bias": ["outs", "outs_yield", "add", "full", "named_add"],
    "grouped": ["ngchw", "generic", "split"],
    "depthwise": ["named", "generic", "multiplier", "grouped"],
    "pad": ["pad", "insert"],
    "zero": ["fill", "constant", "shared"],
    "transposed": ["folded", "generic"],
    # Linear layers and products.
    "linear": ["transpose", "folded", "generic", "maps", "contract", "swapped"],
    "linear_high": ["broadcast", "collapse", "generic", "folded_broadcast"],
    "matmul": ["batch", "generic"],
    # Pools, means and reductions.
    "pool": ["named", "generic"],
    "lowest": ["inf", "max"],
    "average": ["div", "mul"],
    "global_pool": ["pool", "generic_pool"],
    "reduce": ["generic_keep", "generic_drop", "reduce", "one_by_one",
               "reductions_first"],
    "softmax": ["torch", "reciprocal", "no_max", "op"],
    "log_softmax": ["sub_log", "log"],
    # Shapes.
    "cat": ["concat", "insert", "insert_fill"],
    "transpose": ["transpose", "generic_in", "generic_out"],
    "guards": ["none", "assert", "cast"],
    # TOSA.
    "tosa_clamp": ["clamp", "max_min"],
    "tosa_average": ["pool", "reduce"],
    "tosa_linear": ["matmul", "conv"],
    "tosa_bias": ["operand", "add"],
    "tosa_mean_channel": ["pool", "reduce"],
    # Which of the dialects writes an operator, in mixed texts.
    "dialect": ["linalg", "tosa"],
}


class Style:
    def __init__(self, name="torch", choices=None, seed=None, each=False,
                 allowed=None, drawn=None):
        """Without a seed what `choices` doesn't say is the first option; so
        are families outside of `drawn`."""
        self.name, self.each = name, each
        self.choices = dict(choices or {})
        self.allowed = allowed or {}
        for family, choice in self.choices.items():
            assert choice in OPTIONS[family], (family, choice)
        self.random = random.Random(f"{name}{seed}")
        self.drawn = () if seed is None else (
            OPTIONS if drawn is None else drawn)
        if not each:
            for family in self.drawn:
                self.choices.setdefault(family, self._draw(family))

    def _draw(self, family):
        return self.random.choice(self.allowed.get(family, OPTIONS[family]))

    def __call__(self, family):
        if family in self.choices:
            return self.choices[family]
        if family in self.drawn:
            return self._draw(family)
        return OPTIONS[family][0]

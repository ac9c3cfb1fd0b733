# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of PyTorch's placement cases, as tensors.

A function is the `forward` of the case of its name; what an operator is called
is the name of its node in PyTorch's graph. What PyTorch writes as one operator
and tensors as several has parts: `stack/0`, `stack`. `MAPPINGS` are the qconfig
mappings that are not the backend's default, and `OPTIONS` the arguments that
are quantized already.
"""


class Graph:
    """Names the nodes of a test/Spellings network."""

    def __init__(self, network):
        self.network = network
        self.names = {}

    def __getattr__(self, op):
        make = getattr(self.network, op)

        def named(name, *arguments, **keywords):
            node = make(*arguments, **keywords)
            self.names[node] = name
            return node

        return named

    def image(self, name="x", channels=2, height=4, width=6):
        return self.input(name, 1, channels, height, width)

    def row(self, name="x", columns=4):
        return self.input(name, 1, columns, image=False)

    def convolution(self, name, x, out=2, kernel=1):
        return self.conv(name, x, out, kernel)

    def relu(self, name, x):
        return self.unary(name, "relu", x)

    def unsqueeze(self, name, x):
        """With a dimension of 1 before all others."""
        x.image = False
        return self.reshape(name, x, 1, *x.shape)

    def shared_linear(self, name, x, like):
        """A linear layer with the weight of another one."""
        node = self.linear(name, x, like.shape[-1], bias=False)
        node.parameters["weight"] = like.parameters["weight"]
        return node


CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


@case
def conv_relu(g):
    return g.relu("relu", g.conv("conv", g.image(), 2, 3, padding=1))


@case
def conv_bn_relu(g):
    x = g.conv("conv", g.image(), 2, 3, padding=1)
    return g.relu("relu", g.batch_norm("bn", x))


@case
def conv_maxpool_conv(g):
    x = g.max_pool("p", g.convolution("c1", g.image()), 2)
    return g.convolution("c2", x)


@case
def add_two_inputs(g):
    return g.add("add", g.image("x"), g.image("y"))


@case
def add_relu(g):
    return g.relu("relu", g.add("add", g.image("x"), g.image("y")))


@case
def conv_add_scalar(g):
    return g.add_scalar("add", g.convolution("c", g.image()), 3.0)


@case
def cat_two_convs_conv(g):
    x = g.image()
    a, b = g.convolution("a", x, 3), g.convolution("b", x, 3)
    return g.convolution("c", g.cat("cat", [a, b]), 3)


@case
def cat_input_and_conv(g):
    x = g.image()
    return g.cat("cat", [x, g.convolution("a", x)])


@case
def cat_shared_leaks_to_sibling_user(g):
    x = g.image()
    a, b = g.convolution("a", x), g.convolution("b", x)
    return g.cat("cat", [a, b]), g.add("add", a, b)


@case
def bigger_cat(g):
    x = g.image()
    a, b, c = (g.convolution(name, x) for name in "abc")
    return g.cat("cat_1", [a, g.cat("cat", [b, c])])


@case
def cat_of_maxpool(g):
    x = g.image()
    a = g.max_pool("p", g.convolution("a", x), 2)
    b = g.max_pool("p_1", g.convolution("b", x), 2)
    return g.cat("cat", [a, b])


@case
def conv_sigmoid_conv(g):
    x = g.unary("s", "sigmoid", g.convolution("c", g.image()))
    return g.convolution("c2", x)


@case
def sigmoid_wrong_qconfig(g):
    return g.unary("s", "sigmoid", g.convolution("c", g.image()))


@case
def symmetric_qint8_conv_relu_add(g):
    x = g.image()
    return g.add("add", g.relu("relu", g.convolution("c", x)), x)


@case
def qint8_eps_too_small(g):
    return g.relu("relu", g.convolution("c", g.image()))


@case
def qint8_functional_weight_range_too_wide(g):
    return g.linear("linear", g.row(), 3)


@case
def qint8_module_weight_range_too_wide(g):
    return g.linear("l", g.row(), 3)


@case
def dynamic_linear_relu(g):
    return g.linear("l2", g.relu("relu", g.linear("l", g.row(), 3)), 2)


@case
def middle_conv_none(g):
    x = g.convolution("c2", g.convolution("c1", g.image()))
    return g.convolution("c3", x)


@case
def mixed_dtype_boundary(g):
    return g.convolution("c2", g.convolution("c1", g.image()))


@case
def input_output_quantized(g):
    return g.convolution("c", g.image())


@case
def fanout_q_and_float(g):
    a = g.convolution("c1", g.image())
    return g.convolution("c2", a), g.sub_scalar("sub", a, 1.0), a


@case
def functional_linear_relu(g):
    return g.relu("relu", g.linear("linear", g.row(), 3))


@case
def reshape_of_input_linear(g):
    return g.linear("l", g.flatten("reshape", g.image()), 3)


@case
def residual_block(g):
    x = g.image()
    y = g.batch_norm("bn1", g.conv("c1", x, 2, 3, padding=1, bias=False))
    y = g.conv("c2", g.relu("relu1", y), 2, 3, padding=1, bias=False)
    return g.relu("r", g.add("add", g.batch_norm("bn2", y), x))


@case
def add_same_input(g):
    x = g.image()
    return g.add("add", x, x)


@case
def conv_mul_scalar_relu(g):
    x = g.mul_scalar("mul", g.convolution("c", g.image()), 2.0)
    return g.relu("relu", x)


@case
def add_scalar_input(g):
    return g.convolution("c", g.add_scalar("add", g.image(), 3.0))


@case
def cat_two_inputs(g):
    return g.cat("cat", [g.image("x"), g.image("y")])


@case
def maxpool_only(g):
    return g.max_pool("p", g.image(), 2)


@case
def relu_then_conv(g):
    return g.convolution("c", g.relu("r", g.image()))


@case
def conv_tanh_softmax(g):
    x = g.unary("tanh", "tanh", g.convolution("c", g.image()))
    return g.softmax("s", x, 1)


@case
def per_channel_symmetric_linear(g):
    return g.relu("relu", g.linear("l", g.row(), 3))


@case
def dynamic_functional_linear(g):
    return g.linear("linear", g.row(), 3)


@case
def fp16_dynamic_linear(g):
    return g.linear("l", g.row(), 3)


@case
def fp16_static_linear(g):
    return g.linear("l", g.row(), 3)


@case
def unsupported_op_between(g):
    x = g.sub_scalar("sub", g.convolution("c1", g.image()), 1.0)
    return g.convolution("c2", x)


@case
def matched_but_dtype_rejected_between(g):
    x = g.unary("hardswish", "hardswish", g.linear("l", g.row(), 3))
    return g.linear("l2", x, 2)


@case
def rejected_static_between_accepted(g):
    x = g.unary("h", "hardswish", g.convolution("c1", g.image()))
    return g.convolution("c2", x)


@case
def input_quantized_maxpool_conv(g):
    return g.convolution("c", g.max_pool("p", g.image(), 2))


@case
def functional_conv_kwargs(g):
    return g.convolution("conv2d", g.image())


@case
def avgpool_flatten_linear(g):
    x = g.global_pool("p", g.convolution("c", g.image(), 3))
    return g.linear("l", g.flatten("flatten", x), 2)


@case
def view_size_linear(g):
    x = g.flatten("view", g.convolution("c", g.image()))
    return g.linear("l", x, 2)


@case
def method_reshape_linear(g):
    x = g.flatten("reshape", g.convolution("c", g.image()))
    return g.linear("l", x, 2)


@case
def se_block(g):
    x = g.convolution("c1", g.image())
    h = g.convolution("c2", g.global_pool("p", x))
    return g.mul("mul", x, g.unary("hardsigmoid", "hardsigmoid", h))


@case
def hardswish_leaky_elu(g):
    x = g.unary("hardswish", "hardswish", g.convolution("c", g.image()))
    x = g.unary("l", "leaky_relu", x, slope=0.01)
    return g.unary("elu", "elu", x, alpha=1.0)


@case
def conv_relu6_clamp_mean(g):
    x = g.unary("r", "relu6", g.convolution("c", g.image()))
    return g.mean("mean", g.unary("clamp", "clamp", x, low=0.0, high=4.0),
                  [2, 3])


@case
def bn_relu_standalone(g):
    return g.relu("relu", g.batch_norm("b", g.image()))


@case
def linear_bn1d(g):
    return g.batch_norm("bn", g.linear("l", g.row(), 3))


@case
def convtranspose(g):
    return g.relu("r", g.conv_transpose("c", g.image(), 2, 2, stride=2))


@case
def matmul(g):
    return g.matmul("matmul", g.input("x", 1, 3, 4, image=False),
                    g.input("y", 1, 4, 2, image=False))


@case
def conv_relu_two_users(g):
    c = g.convolution("c", g.image())
    return g.relu("r", c), g.convolution("c2", c)


@case
def module_called_twice(g):
    c = g.convolution("c", g.image())
    again = g.convolution("c_1", c)
    again.parameters.update(c.parameters)
    return again


@case
def chunk_getitem(g):
    c = g.convolution("c", g.image(), 4)
    return g.add("add", g.narrow("getitem", c, 1, 0, 2),
                 g.narrow("getitem_1", c, 1, 2, 2))


@case
def qat_conv_bn_relu(g):
    x = g.conv("c", g.image(), 2, 3, padding=1)
    return g.relu("relu", g.batch_norm("bn", x))


@case
def qat_symmetric_linear(g):
    return g.linear("l", g.row(), 3)


@case
def embedding_weight_only(g):
    x = g.input("x", 1, 3, image=False, element="i64", limit=10)
    return g.embedding("e", x, 10, 4)


@case
def dropout_identity(g):
    # Neither computes anything, so a front end writes nothing.
    return g.convolution("c2", g.convolution("c", g.image()))


@case
def stack_transpose(g):
    x = g.image()
    parts = [g.unsqueeze(f"stack/{i}", g.convolution(name, x))
             for i, name in enumerate("ab")]
    x = g.cat("stack", parts, 0)
    return g.permute("transpose", x, 0, 2, 1, 3, 4)


@case
def prelu_instnorm(g):
    x = g.prelu("p", g.convolution("c", g.image()))
    return g.instance_norm("i", x)


@case
def hardswish_none_between(g):
    x = g.unary("h", "hardswish", g.convolution("c1", g.image()))
    return g.convolution("c2", x)


@case
def add_none_between(g):
    a = g.convolution("c1", g.image())
    return g.convolution("c2", g.add("add", a, a))


@case
def maxpool_none_between(g):
    return g.convolution(
        "c2", g.max_pool("h", g.convolution("c1", g.image()), 2))


@case
def add_scalar_then_none(g):
    x = g.add_scalar("add", g.convolution("c1", g.image()), 1.0)
    return g.convolution("c2", x)


@case
def relu_torch(g):
    return g.relu("relu", g.convolution("c", g.image()))


@case
def relu_method(g):
    return g.relu("relu", g.convolution("c", g.image()))


@case
def conv_bn_torchrelu(g):
    x = g.batch_norm("bn", g.convolution("c", g.image()))
    return g.relu("relu", x)


@case
def linear_bn_relu(g):
    return g.relu("r", g.batch_norm("bn", g.linear("l", g.row(), 3)))


@case
def functional_linear_torchrelu(g):
    return g.relu("relu", g.linear("linear", g.row(), 3))


@case
def convtranspose_bn(g):
    x = g.conv_transpose("c", g.image(), 2, 2, stride=2)
    return g.batch_norm("bn", x)


@case
def int_first_scalar_add(g):
    return g.add_scalar("add", g.convolution("c", g.image()), 3.0)


@case
def mul_tensor(g):
    x, y = g.image("x"), g.image("y")
    return g.mul("mul", g.convolution("c", x), y)


@case
def cat_same(g):
    a = g.convolution("a", g.image())
    return g.cat("cat", [a, a])


@case
def pad_op(g):
    x = g.pad("pad", g.convolution("c", g.image()), (0, 0, 1, 1), (0, 0, 1, 1))
    return g.conv("c2", x, 2, 3)


@case
def fixed_between_add(g):
    c = g.convolution("c", g.image())
    return g.mul("mul", c, g.unary("sigmoid", "sigmoid", c))


@case
def output_q_of_maxpool_input(g):
    return g.max_pool("p", g.image(), 2)


@case
def output_q_unquantized_op(g):
    return g.sub_scalar("sub", g.convolution("c", g.image()), 1.0)


@case
def sym_sigmoid(g):
    return g.unary("s", "sigmoid", g.convolution("c", g.image()))


@case
def sym_maxpool_linear(g):
    x = g.global_pool("p", g.convolution("c", g.image(), 3))
    return g.linear("l", g.flatten("flatten", x), 2)


@case
def layernorm(g):
    return g.layer_norm("n", g.linear("l", g.row(), 3))


@case
def regex_vs_name(g):
    return g.convolution("c2", g.convolution("c1", g.image()))


@case
def dyn_conv(g):
    return g.convolution("c", g.image())


@case
def dyn_lstm(g):
    # One step from a state of zeros, so the recurrent product is a constant
    # that exporters add to the bias, and the forget gate has nothing to do.
    x = g.row("x")
    i, o, cell = (
        g.unary(f"l/{name}", kind, g.linear(f"l/{name}_linear", x, 3))
        for name, kind in (("i", "sigmoid"), ("o", "sigmoid"), ("g", "tanh")))
    c = g.unary("l/c", "tanh", g.mul("l/ig", i, cell))
    return g.mul("getitem", o, c)


@case
def two_obs_types(g):
    return g.convolution("c2", g.convolution("c1", g.image()))


@case
def two_consumers_two_obs(g):
    x = g.image()
    return g.convolution("c1", x), g.convolution("c2", x)


@case
def pat_AB(g):
    return g.relu("relu", g.linear("linear", g.row(), 3))


@case
def pat_linear_none(g):
    return g.relu("relu", g.linear("linear", g.row(), 3))


@case
def pat_relu_none(g):
    return g.relu("relu", g.linear("linear", g.row(), 3))


@case
def same_type_diff_range(g):
    x = g.image()
    return g.convolution("c1", x), g.convolution("c2", x)


@case
def concat_alias(g):
    return g.cat("concat", [g.image("x"), g.image("y")])


@case
def add_three(g):
    x, y = g.image("x"), g.image("y")
    return g.relu("relu", g.add("add_1", g.add("add", x, y), y))


@case
def weight_shared(g):
    a = g.linear("linear", g.row("x"), 3, bias=False)
    b = g.shared_linear("linear_1", g.row("y"), a)
    return a, b


# Parts that have the name of their node, as importers name them; in their order.
PARTS = {"stack_transpose": ["stack/0", "stack/1", "stack"]}
# Nodes that compute nothing and are no operator here, and what they are.
ABSENT = {
    "dropout_identity": {"d": "c", "i": "d"},
    "stack_transpose": {"transpose": "stack"},
    "view_size_linear": {"size": "c"},
}
# input_quantized_idxs and output_quantized_idxs.
QUANTIZED = {
    "input_output_quantized": ([0], [0]),
    "input_quantized_maxpool_conv": ([0], []),
    "output_q_of_maxpool_input": ([0], [0]),
    "output_q_unquantized_op": ([], [0]),
}

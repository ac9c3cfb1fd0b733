# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Archives of torch.export: what becomes of a network as a whole."""

import re

import numpy as np
import pytest

import qbackend
from exported import DType, Network, Symbol, archive
from importing import close, operators, run

RANDOM = np.random.default_rng(3)
CONV = "torch.nn.modules.conv.Conv2d"
LINEAR = "torch.nn.modules.linear.Linear"


def uniform(*shape):
    return (RANDOM.random(shape) - 0.5).astype(np.float32)


def perceptron(batch=1, **options):
    net = Network(**options)
    x = net.input("pixels", [batch, 6])
    w, b = net.weight("net.0.weight", uniform(4, 6)), net.weight(
        "net.0.bias", uniform(4))
    y = net.node("aten.linear.default", [batch, 4], "net.0", LINEAR, line=7,
                 input=x, weight=w, bias=b)
    z = net.node("aten.relu.default", [batch, 4], line=8, self=y)
    net.outputs = [z]
    return net


def expected(net, x):
    w, b = net.weights[0][3], net.weights[1][3]
    return np.maximum(x @ w.T + b, 0)


@pytest.mark.parametrize("newer", [False, True])
def test_both_layouts(tmp_path, newer):
    net = perceptron()
    module = qbackend.from_pt2(net.save(tmp_path / "net.pt2", newer))
    x = uniform(1, 6)
    assert close(run(module, tmp_path, x=x)[0], expected(net, x))
    assert module.text() == qbackend.load(tmp_path / "net.pt2").text()


def test_layout_of_the_first_newer_archives(tmp_path):
    # Weights as a file of torch.save inside of the newer layout.
    net = perceptron()
    entries = {k: v for k, v in net.newer_entries().items()
               if "data/weights" not in k}
    entries["net/data/weights/net.pt"] = net.state()
    (tmp_path / "net.pt2").write_bytes(archive(entries))
    x = uniform(1, 6)
    assert close(run(qbackend.from_pt2(tmp_path / "net.pt2"), tmp_path, x=x)[0],
                 expected(net, x))


def test_classes_of_modules(tmp_path):
    net = perceptron()
    net.node("aten.relu.default", [1, 4], "head.act", "net.Act", self=net.outputs[0])
    text = qbackend.from_pt2(net.save(tmp_path / "net.pt2")).text()
    assert ('attributes {qbackend.module_types = '
            f'{{"net.0" = "{LINEAR}", "head.act" = "net.Act"}}') in text
    assert ('qbackend.torch_names = {"net.0" = "torch.ops.aten.linear.default", '
            '"relu_1" = "torch.ops.aten.relu.default", '
            '"head.act.relu_2" = "torch.ops.aten.relu.default"}}') in text


def test_names_are_module_paths(tmp_path):
    text = qbackend.from_pt2(perceptron().save(tmp_path / "net.pt2")).text()
    assert '%arg0: tensor<1x6xf32> loc("pixels")' in text
    (alias,) = re.findall(r'(#loc\d+) = loc\("net\.0"\("net\.py":7:0\)\)', text)
    assert re.search(rf"linalg\.matmul .* loc\({alias}\)", text)
    # A function has its own name.
    assert re.search(r'loc\("relu_1"\("net\.py":8:0\)\)', text)


@pytest.mark.parametrize("path, name", [
    ("layer1.0.conv", "layer1.0.conv"),
    ("L['self'].layer1.conv", "layer1.conv"),
    ("getattr(getattr(L['self'].block, '0'), '1')", "block.0.1"),
    ("L['x'].conv", "conv"),
    ("getattr(((", ""),
])
def test_spellings_of_paths(path, name):
    from qbackend.importers.program import dotted

    assert dotted(path) == name


def test_strange_names_are_escaped(tmp_path):
    net = perceptron()
    net.nodes[1]["metadata"] = {"nn_module_stack": 'a,b"\n\0\xe9,c;;,',
                                "stack_trace": 'File "x\\"y", line 99, in \n'}
    net.metas['a"\n\\b'] = net.metas.pop("relu_1")
    net.nodes[1]["outputs"] = [{"as_tensor": {"name": 'a"\n\\b'}}]
    net.outputs = [type(net.outputs[0])('a"\n\\b')]
    x = uniform(1, 6)
    module = qbackend.from_pt2(net.save(tmp_path / "net.pt2"))
    assert close(run(module, tmp_path, x=x)[0], expected(net, x))


def test_dynamic_batch(tmp_path):
    net = perceptron(Symbol("Symbol('s0', positive=True, integer=True)"))
    module = qbackend.from_pt2(net.save(tmp_path / "net.pt2"))
    assert "tensor<?x6xf32>" in module.text()
    x = uniform(5, 6)
    assert close(run(module, tmp_path, x=x)[0], expected(net, x))
    lines = operators(module, tmp_path)
    assert lines[-1].startswith("float operations outside of operators: 0 ")


def test_dynamic_batch_of_two_arguments(tmp_path):
    """Nothing but the program says that they are equal: sizes of what is made of the
    second one are its own."""
    batch = Symbol("Symbol('s0', positive=True, integer=True)")
    net = Network()
    a, b = net.input("a", [batch, 2]), net.input("b", [batch, 2, 3, 4])
    wide = net.node("aten.conv_transpose2d.input", [batch, 3, 6, 8], input=b,
                    weight=net.weight("w", uniform(2, 3, 2, 2)), bias=None,
                    stride=[2, 2])
    layer = net.weight("l", uniform(5, 8))
    net.outputs = [
        net.node("aten.relu.default", [batch, 2], self=a),
        net.node("aten.linear.default", [batch, 3, 6, 5], input=wide, weight=layer)]
    lines = operators(qbackend.from_pt2(net.save(tmp_path / "net.pt2")), tmp_path)
    assert [line.split()[1].split("<")[0] for line in lines[:4]] == [
        "relu", "conv_transpose2d", "transpose", "linear"]
    assert lines[-1].startswith("float operations outside of operators: 0 ")


def test_two_dynamic_extents(tmp_path):
    batch, length = Symbol("Symbol('s0')"), Symbol("Symbol('s1')")
    product = Symbol("Mul(Symbol('s0'), Symbol('s1'))")
    net = Network()
    x = net.input("x", [batch, length, 4])
    sizes = []
    for dim in (0, 1):
        size_of(net, x, dim, f"size{dim}")
        sizes.append({"as_sym_int": {"as_name": f"size{dim}"}})
    net.nodes.append({
        "target": "_operator.mul", "metadata": {},
        "inputs": [{"name": "a", "arg": sizes[0]}, {"name": "b", "arg": sizes[1]}],
        "outputs": [{"as_sym_int": {"as_name": "rows"}}]})
    flat = net.node("aten.view.default", [product, 4], self=x, size={
        "as_sym_ints": [{"as_name": "rows"}, {"as_int": 4}]})
    total = net.node("aten.add.Tensor", [product, 4], self=flat, other={
        "as_sym_int": {"as_name": "size1"}})
    back = net.node("aten.view.default", [batch, length, 4], self=total, size={
        "as_sym_ints": [{"as_name": "size0"}, {"as_int": -1}, {"as_int": 4}]})
    net.outputs = [net.node(
        "aten.slice.Tensor", [batch, Symbol("Add(Symbol('s1'), Integer(-1))"), 4],
        self=back, dim=1, start=1)]
    module = qbackend.from_pt2(net.save(tmp_path / "net.pt2"))
    x = uniform(1, 3, 4)
    assert close(run(module, tmp_path, x=x)[0], x[:, 1:] + 3)


def size_of(net, name, dim, result):
    net.nodes.append({
        "target": "torch.ops.aten.sym_size.int", "metadata": {},
        "inputs": [{"name": "self", "arg": {"as_tensor": {"name": str(name)}}},
                   {"name": "dim", "arg": {"as_int": dim}}],
        "outputs": [{"as_sym_int": {"as_name": result}}]})


def test_an_extent_derived_from_a_symbol(tmp_path):
    # Dim("s", ...) as in `{1: 2 * s + 1}`.
    odd = Symbol("Add(Mul(Integer(2), Symbol('s1')), Integer(1))")
    half = Symbol("Symbol('s1')")
    net = Network()
    x = net.input("x", [1, odd])
    size_of(net, x, 1, "size")
    net.nodes.append({
        "target": "_operator.floordiv", "metadata": {},
        "inputs": [{"name": "a", "arg": {"as_sym_int": {"as_name": "size"}}},
                   {"name": "b", "arg": {"as_int": 2}}],
        "outputs": [{"as_sym_int": {"as_name": "half"}}]})
    net.outputs = [net.node("aten.slice.Tensor", [1, half], self=x, dim=1, start=0,
                            end={"as_sym_int": {"as_name": "half"}})]
    module = qbackend.from_pt2(net.save(tmp_path / "net.pt2"))
    x = uniform(1, 7)
    assert close(run(module, tmp_path, x=x)[0], x[:, :3])
    with pytest.raises(ValueError, match="dim 1 of 'x' has to be 1 \\+ 2\\*s1"):
        module.run(uniform(1, 6))


def test_a_symbol_behind_what_is_derived_from_it(tmp_path):
    # `{1: 2 * s}` of the first argument, `{1: s}` of the second.
    net = Network()
    net.input("x", [1, Symbol("Mul(Integer(2), Symbol('s1'))")])
    half = Symbol("Symbol('s1')")
    y = net.input("y", [1, half])
    net.outputs = [net.node("aten.neg.default", [1, half], self=y)]
    module = qbackend.from_pt2(net.save(tmp_path / "net.pt2"))
    y = uniform(1, 3)
    assert close(run(module, tmp_path, x=uniform(1, 6), y=y)[0], -y)
    with pytest.raises(ValueError, match="dim 1 of 'y' has to be s1"):
        module.run(uniform(1, 8), y)


def compared(net, x, result):
    size_of(net, x, 1, "size")
    net.nodes.append({
        "target": "_operator.ge", "metadata": {},
        "inputs": [{"name": "a", "arg": {"as_sym_int": {"as_name": "size"}}},
                   {"name": "b", "arg": {"as_int": 0}}],
        "outputs": [{"as_sym_bool": {"as_name": result}}]})


def test_checks_of_sizes(tmp_path):
    # What an index by a mask leaves behind.
    net = Network()
    x = net.input("x", [1, 4])
    compared(net, x, "ge")
    net.nodes.append({
        "target": "torch.ops.aten._assert_scalar.default", "metadata": {},
        "inputs": [{"name": "self", "arg": {"as_sym_bool": {"as_name": "ge"}}},
                   {"name": "assert_msg", "arg": {"as_string": "u0 >= 0"}}],
        "outputs": []})
    net.outputs = [net.node("aten.neg.default", [1, 4], self=x)]
    module = qbackend.from_pt2(net.save(tmp_path / "net.pt2"))
    x = uniform(1, 4)
    assert close(run(module, tmp_path, x=x)[0], -x)


def test_a_comparison_of_sizes_that_is_used(tmp_path):
    net = Network()
    x = net.input("x", [1, Symbol("Symbol('s0')")])
    compared(net, x, "ge")
    net.outputs = [net.node("aten.add.Tensor", [1, Symbol("Symbol('s0')")], self=x,
                            other={"as_sym_bool": {"as_name": "ge"}})]
    with pytest.raises(qbackend.ImportFailure, match="aten.add.Tensor at 'add_2': "
                       "'ge' compares sizes.*export with static ones"):
        qbackend.from_pt2(net.save(tmp_path / "net.pt2"))


def test_shared_weights_are_one_constant(tmp_path):
    whole = uniform(40, 6)
    net = Network()
    x = net.input("x", [1, 6])
    w = net.weight("a.weight", whole)
    tied = net.weight("b.weight", whole, storage="a.weight")
    # Rows of the same memory are a weight of their own.
    rows = net.weight("c.weight", whole[8:12], storage="a.weight")
    net.outputs = [
        net.node("aten.linear.default", [1, 40], "a", LINEAR, input=x, weight=w),
        net.node("aten.linear.default", [1, 40], "b", LINEAR, input=x, weight=tied),
        net.node("aten.linear.default", [1, 4], "c", LINEAR, input=x, weight=rows)]
    module = qbackend.from_pt2(net.save(tmp_path / "net.pt2"))
    text = module.text()
    assert text.count("dense_resource<") == 1
    x = uniform(1, 6)
    for got, want in zip(run(module, tmp_path, x=x),
                         (x @ whole.T, x @ whole.T, x @ whole[8:12].T)):
        assert close(got, want)


def test_writes_are_seen_through_views(tmp_path):
    net = Network()
    x = net.input("x", [2, 3, 4])
    y = net.node("aten.mul.Tensor", [2, 3, 4], self=x, other=1.0)
    z = net.node("aten.relu_.default", [2, 3, 4], self=y)
    flat = net.node("aten.view.default", [6, 4], self=y, size=[6, 4])
    row = net.node("aten.select.int", [2, 4], self=y, dim=1, index=1)
    net.node("aten.mul_.Tensor", [2, 4], self=row, other=3.0)
    part = net.node("aten.slice.Tensor", [2, 3, 2], self=y, dim=2, start=0, end=4,
                    step=2)
    turned = net.node("aten.permute.default", [2, 3, 2], self=part, dims=[2, 1, 0])
    net.node("aten.add_.Tensor", [2, 3, 2], self=turned, other=1.0)
    # `y`, `z` and `flat` are one tensor; `copy` was made before the last write.
    copy = net.node("aten.clone.default", [2, 3, 4], self=z)
    net.node("aten.neg_.default", [6, 4], self=flat)
    net.outputs = [y, z, flat, row, copy]
    x = uniform(2, 3, 4)
    want = np.maximum(x, 0)
    want[:, 1] *= 3
    want[:, :, ::2] += 1
    got = run(qbackend.from_pt2(net.save(tmp_path / "net.pt2")), tmp_path, x=x)
    for result, reference in zip(got, (-want, -want, -want.reshape(6, 4),
                                       -want[:, 1], want)):
        assert close(result, reference)


def written_view(tmp_path, shape, target, part, arguments, dims=None):
    """A program that adds 0, 1, ... to a view of its input's copy."""
    net = Network()
    x = net.input("x", dims or list(shape))
    y = net.node("aten.mul.Tensor", dims or list(shape), self=x, other=1.0)
    view = net.node(target, part, self=y, **arguments)
    if isinstance(view, list):
        view, part = view[1], part[1][0]
    ramp = np.arange(np.prod(part), dtype=np.float32).reshape(part)
    net.node("aten.add_.Tensor", part, self=view, other=net.weight("ramp", ramp))
    net.outputs = [y]
    x = uniform(*shape)
    got, = run(qbackend.from_pt2(net.save(tmp_path / "net.pt2")), tmp_path, x=x)
    return got, x, ramp


@pytest.mark.parametrize("shape, offset, dim1, dim2", [
    ((4, 5), 0, 0, 1), ((2, 4, 5), -1, 2, 1), ((5, 2, 4), 1, 0, 2),
    ((3, 3), 2, -1, 0)])
def test_a_diagonal_is_written(tmp_path, shape, offset, dim1, dim2):
    want = np.zeros(shape).diagonal(offset, dim1, dim2)
    got, want, ramp = written_view(
        tmp_path, shape, "aten.diagonal.default", list(want.shape),
        {"offset": offset, "dim1": dim1, "dim2": dim2})
    view = want.diagonal(offset, dim1, dim2)
    view.flags.writeable = True
    view += ramp
    assert close(got, want)


@pytest.mark.parametrize("name", ["mH", "adjoint", "matrix_H"])
def test_a_transposed_tensor_is_written(tmp_path, name):
    got, want, ramp = written_view(tmp_path, (2, 4, 5) if name == "adjoint" else
                                   (4, 5), f"aten.{name}.default",
                                   [2, 5, 4] if name == "adjoint" else [5, 4], {})
    want.swapaxes(-1, -2)[...] += ramp
    assert close(got, want)


def test_real_is_the_tensor(tmp_path):
    got, want, ramp = written_view(tmp_path, (4, 5), "aten.real.default", [4, 5], {})
    assert close(got, want + ramp)


@pytest.mark.parametrize("shape", [(3, 4), (4,)])
def test_a_part_of_hsplit_is_written(tmp_path, shape):
    part = [*shape[:-1], 2]
    got, want, ramp = written_view(tmp_path, shape, "aten.hsplit.int",
                                   [(part, "float32")] * 2, {"sections": 2})
    want[..., 2:] += ramp
    assert close(got, want)


def test_the_end_of_a_dynamic_extent_is_written(tmp_path):
    got, want, ramp = written_view(tmp_path, (1, 5, 4), "aten.slice.Tensor",
                                   [1, 2, 4], {"dim": 1, "start": -2,
                                               "end": 1 << 62}, [1, Symbol("Symbol('s0')"), 4])
    want[:, -2:] += ramp
    assert close(got, want)


@pytest.mark.parametrize("target", ["t_", "squeeze_", "unsqueeze_"])
def test_a_shape_changed_in_place_is_refused(tmp_path, target):
    net = Network()
    x = net.input("x", [4, 4])
    y = net.node("aten.mul.Tensor", [4, 4], self=x, other=1.0)
    dim = {"dim": 0} if target == "unsqueeze_" else {}
    net.outputs = [net.node(f"aten.{target}.default", [4, 4], self=y, **dim)]
    with pytest.raises(qbackend.ImportFailure, match="run_decompositions"):
        qbackend.from_pt2(net.save(tmp_path / "net.pt2"))


def test_a_write_into_shared_elements_is_refused(tmp_path):
    net = Network()
    x = net.input("x", [1, 4])
    y = net.node("aten.mul.Tensor", [1, 4], self=x, other=1.0)
    wide = net.node("aten.expand.default", [3, 4], self=y, size=[3, 4])
    net.outputs = [net.node("aten.add_.Tensor", [3, 4], self=wide, other=1.0)]
    with pytest.raises(qbackend.ImportFailure, match="aten.add_.Tensor at 'add__2'"
                                                     ".*shares elements"):
        qbackend.from_pt2(net.save(tmp_path / "net.pt2"))


def test_branches(tmp_path):
    net = Network()
    x = net.input("x", [1, 4])
    total = net.node("aten.sum.default", [], self=x)
    test = net.node("aten.gt.Scalar", ([], "bool"), self=total, other=0)

    def branch(target, **arguments):
        inner = Network()
        inner.input("v", [1, 4])
        inner.outputs = [inner.node(target, [1, 4], self=type(x)("v"), **arguments)]
        graph = inner.program()["graph_module"]["graph"]
        return {"as_graph": {"name": "branch", "graph": graph}}

    y = net.node("higher_order.cond", [1, 4], names=["y"])
    net.nodes[-1]["outputs"] = [{"as_tensors": [{"name": "y"}]}]
    net.nodes[-1]["inputs"] = [{"name": "", "arg": a} for a in (
        {"as_tensor": {"name": str(test)}}, branch("aten.relu.default"),
        branch("aten.mul.Tensor", other=3.0), {"as_tensors": [{"name": "x"}]})]
    net.outputs = [y]
    module = qbackend.from_pt2(net.save(tmp_path / "net.pt2"))
    for sign in (1, -1):
        x = np.array([[4, -1, 2, -3]], np.float32) * sign
        want = np.maximum(x, 0) if x.sum() > 0 else 3 * x
        assert close(run(module, tmp_path, x=x)[0], want)


def quantized(per_channel):
    """A convolution between quantize and dequantize, as PT2E writes it."""
    net = Network()
    scales = np.array([0.01, 0.02, 0.005], np.float32)
    weights = RANDOM.integers(-127, 128, (3, 2, 3, 3)).astype(np.int8)
    w = net.weight("_frozen_param0", weights, "buffer")
    x = net.input("x", [1, 2, 6, 6])
    i8 = DType("int8")
    limits = dict(quant_min=-128, quant_max=127, dtype=i8)
    q = net.node("quantized_decomposed.quantize_per_tensor.default",
                 ([1, 2, 6, 6], "int8"), input=x, scale=0.0137, zero_point=-7,
                 **limits)
    d = net.node("quantized_decomposed.dequantize_per_tensor.default",
                 [1, 2, 6, 6], input=q, scale=0.0137, zero_point=-7, **limits)
    narrow = dict(quant_min=-127, quant_max=127, dtype=i8)
    if per_channel:
        r = net.node("quantized_decomposed.dequantize_per_channel.default",
                     [3, 2, 3, 3], input=w,
                     scales=net.weight("_scale_0", scales, "buffer"),
                     zero_points=net.weight("_zero_point_0",
                                            np.zeros(3, np.int64), "buffer"),
                     axis=0, **narrow)
    else:
        r = net.node("quantized_decomposed.dequantize_per_tensor.default",
                     [3, 2, 3, 3], input=w, scale=0.0123, zero_point=0, **narrow)
    y = net.node("aten.conv2d.default", [1, 3, 4, 4], "conv", CONV, input=d,
                 weight=r, bias=net.weight("conv.bias", uniform(3)))
    q2 = net.node("quantized_decomposed.quantize_per_tensor.default",
                  ([1, 3, 4, 4], "int8"), input=y, scale=0.05, zero_point=3,
                  **limits)
    net.outputs = [net.node(
        "quantized_decomposed.dequantize_per_tensor.default", [1, 3, 4, 4],
        input=q2, scale=0.05, zero_point=3, **limits)]
    return net, weights, scales if per_channel else np.float32(0.0123)


@pytest.mark.parametrize("per_channel", [False, True])
def test_quantized(tmp_path, per_channel):
    net, weights, scales = quantized(per_channel)
    module = qbackend.from_pt2(net.save(tmp_path / "net.pt2"))

    def rounded(x, scale, zero):
        q = np.rint(x * np.float32(1 / scale)) + zero
        return q.clip(-128, 127).astype(np.int8)

    x = (RANDOM.random((1, 2, 6, 6)) * 5 - 2.5).astype(np.float32)
    real = (rounded(x, 0.0137, -7).astype(np.float32) + 7) * np.float32(0.0137)
    w = weights.astype(np.float32) * np.reshape(scales, (-1, 1, 1, 1))
    y = np.zeros((1, 3, 4, 4), np.float32) + net.weights[-1][3].reshape(3, 1, 1)
    for i in range(3):
        for j in range(3):
            y += np.einsum("nchw,fc->nfhw", real[:, :, i:i + 4, j:j + 4],
                           w[:, :, i, j])
    want = (rounded(y, 0.05, 3).astype(np.float32) - 3) * np.float32(0.05)
    got = run(module, tmp_path, x=x)[0].reshape(want.shape)
    # A tie may fall to the other side: the order of a sum decides.
    assert np.abs(got - want).max() <= 0.0501
    assert (got != want).mean() < 0.05

    # The pipeline keeps each parameter, and calibrates nothing.
    text = qbackend.apply_backend(module, lower_to="reference")
    assert "qbackend.quantize" in text
    types = set(re.findall(r"!quant\.uniform<[iu]8(?:<[^>]*>)?:f32, ([0-9.e-]+)"
                           r"(?::(-?\d+))?>", text))
    found = {(np.float32(s), int(z or 0)) for s, z in types}
    # Unsigned there: zero points move by 128.
    assert {(np.float32(0.0137), 121), (np.float32(0.05), 131)} <= found
    if per_channel:
        (listed,) = set(re.findall(r"<i8(?:<[^>]*>)?:f32:0, \{([^}]*)\}", text))
        assert np.array_equal(np.float32(listed.split(",")), scales)
    else:
        assert (np.float32(0.0123), 0) in found


def test_dynamically_quantized(tmp_path):
    net = Network()
    x = net.input("x", [1, 8])
    i8 = DType("int8")
    scale, zero = net.node(
        "quantized_decomposed.choose_qparams.tensor",
        [([1], "float64"), ([1], "int64")], input=x, quant_min=-128, quant_max=127,
        eps=0.000244140625, dtype=i8)
    limits = dict(scale=scale, zero_point=zero, quant_min=-128, quant_max=127,
                  dtype=i8)
    q = net.node("quantized_decomposed.quantize_per_tensor.tensor",
                 ([1, 8], "int8"), input=x, **limits)
    net.outputs = [net.node("quantized_decomposed.dequantize_per_tensor.tensor",
                            [1, 8], input=q, **limits)]
    x = uniform(1, 8) * 3 + 0.5
    low, high = min(x.min(), 0), max(x.max(), 0)
    s = np.float32(high - low) / np.float32(255)
    z = np.clip(-128 - np.rint(low / s), -128, 127)
    want = (np.clip(np.rint(x * np.float32(1 / np.float64(s))) + z, -128, 127)
            - z) * s
    module = qbackend.from_pt2(net.save(tmp_path / "net.pt2"))
    assert close(run(module, tmp_path, x=x)[0], want)


def test_all_unknown_operators_are_listed(tmp_path):
    net = perceptron()
    x = net.outputs[0]
    for i in range(3):
        x = net.node("acme.swizzle.default", [1, 4], f"block{i}", self=x)
    net.outputs = [net.node("aten.bernoulli.default", [1, 4], self=x)]
    with pytest.raises(qbackend.UnsupportedOperators) as error:
        qbackend.from_pt2(net.save(tmp_path / "net.pt2"))
    assert error.value.operators == {
        "acme.swizzle.default": (3, "block0.swizzle_2"),
        "aten.bernoulli.default": (1, "bernoulli_5")}
    assert "acme.swizzle.default (3 times, first at 'block0.swizzle_2')" in str(
        error.value)
    swizzle, bernoulli = error.value.diagnostics
    assert (swizzle.severity, swizzle.place) == ("error", "block0.swizzle_2")
    assert swizzle.message == "acme.swizzle.default is not supported; there are 3"
    assert bernoulli.place == "bernoulli_5"


def test_causal_attention_of_any_length(tmp_path):
    length = Symbol("Symbol('s0')")
    net = Network()
    x = net.input("x", [1, length, 4])
    net.outputs = [net.node("aten.scaled_dot_product_attention.default",
                            [1, length, 4], query=x, key=x, value=x,
                            is_causal=True)]
    x = uniform(1, 5, 4)
    scores = np.where(np.tril(np.ones((5, 5), bool)), x @ x.swapaxes(1, 2) / 2,
                      -np.inf)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    want = powers / powers.sum(-1, keepdims=True) @ x
    got = run(qbackend.from_pt2(net.save(tmp_path / "net.pt2")), tmp_path, x=x)
    assert close(got[0], want)


def test_results_that_nothing_reads_are_not_computed(tmp_path):
    net = Network(training=False)
    x = net.input("x", [1, 2, 4, 4])
    y, _ = net.node("aten.max_pool2d_with_indices.default",
                    [([1, 2, 2, 2], "float32"), ([1, 2, 2, 2], "int64")], self=x,
                    kernel_size=[2, 2])
    net.outputs = [y]
    text = qbackend.from_pt2(net.save(tmp_path / "net.pt2")).text()
    assert "linalg.pooling_nchw_max" in text and "i64" not in text.replace(
        "vector<2xi64>", "")


def test_outputs_that_are_no_tensors(tmp_path):
    net = perceptron()
    program = net.program()
    outputs = program["graph_module"]["graph"]["outputs"]
    specs = program["graph_module"]["signature"]["output_specs"]
    outputs.append({"as_none": True})
    specs.append({"user_output": {"arg": {"as_none": True}}})
    # What a buffer becomes is nobody's result.
    outputs.insert(0, {"as_tensor": {"name": "linear"}})
    specs.insert(0, {"buffer_mutation": {"arg": {"name": "linear"},
                                         "buffer_name": "state"}})
    net.program = lambda: program
    x = uniform(1, 6)
    (got,) = run(qbackend.from_pt2(net.save(tmp_path / "net.pt2")), tmp_path, x=x)
    assert close(got, expected(net, x))


def test_bytecode_is_the_same_module(tmp_path):
    net = perceptron()
    net.save(tmp_path / "net.pt2")
    module = qbackend.from_pt2(tmp_path / "net.pt2")
    assert module.bytecode() == qbackend.from_pt2(tmp_path / "net.pt2").bytecode()
    assert bytes(module)[:4] == b"ML\xefR"
    with pytest.warns(UserWarning):  # of ranges that are made up
        assert "qnnpack.linear" in qbackend.apply_backend(module, lower_to="qnnpack")


def test_from_torch_says_what_it_needs(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "torch.export", None)
    with pytest.raises(ImportError, match="from_torch needs PyTorch"):
        qbackend.from_torch(object(), ())


def test_causal_attention_is_quantized(tmp_path):
    # Masked by -inf, as a sum: neither it nor the softmax has a range, the layers
    # around them do, and all of it is operators.
    net = Network()
    x = net.input("x", [1, 5, 8])
    weights = [uniform(8, 8) for _ in range(4)]
    parts = [net.node("aten.linear.default", [1, 5, 8], name, LINEAR, input=x,
                      weight=net.weight(f"{name}.weight", weight))
             for name, weight in zip("qkv", weights)]
    mixed = net.node("aten.scaled_dot_product_attention.default", [1, 5, 8], "attn",
                     query=parts[0], key=parts[1], value=parts[2], is_causal=True)
    net.outputs = [net.node("aten.linear.default", [1, 5, 8], "o", LINEAR, input=mixed,
                            weight=net.weight("o.weight", weights[3]))]
    module = qbackend.from_pt2(net.save(tmp_path / "net.pt2"))
    samples = RANDOM.standard_normal((4, 5, 8)).astype(np.float32)
    quantized = module.calibrate(samples).quantize("qnnpack")
    explained = quantized.explain()
    assert [each.operator for each in explained if each.code == "QB123"] == [
        "add", "softmax"]
    assert "QB001" not in {each.code for each in explained}
    got = quantized.run(samples)
    for sample, result in zip(samples, got):
        q, k, v = (sample @ weight.T for weight in weights[:3])
        scores = np.where(np.tri(5, dtype=bool), q @ k.T / 8 ** 0.5, -np.inf)
        shares = np.exp(scores - scores.max(1, keepdims=True))
        want = shares / shares.sum(1, keepdims=True) @ v @ weights[3].T
        noise = result.reshape(want.shape) - want
        assert 10 * np.log10((want ** 2).sum() / (noise ** 2).sum()) > 30

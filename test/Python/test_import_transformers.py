# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs of transformers and of quantization-aware training hold, imported,
run, and compared with NumPy."""

import numpy as np
import pytest

import qbackend
from qbackend.importers.builder import Builder
from qbackend.importers.elements import BF16
from exported import Network, Ref, Symbol
from importing import close, run

RANDOM = np.random.default_rng(23)
F = np.float32


def places(*names):
    """Indices, of which some are left out."""
    return {"as_optional_tensors": [
        {"as_none": True} if n is None else {"as_tensor": {"name": str(n)}}
        for n in names]}


def outputs(net, folder, **arrays):
    return run(qbackend.from_pt2(net.save(folder / "net.pt2")), folder, **arrays)


# Writes at places that are inputs.


@pytest.mark.parametrize("rows", [[4], [2, 5, 6], [-1, 0, 5]])
def test_static_cache(tmp_path, rows):
    net = Network()
    cache = RANDOM.standard_normal((1, 2, 8, 4)).astype(F)
    new = RANDOM.standard_normal((1, 2, len(rows), 4)).astype(F)
    k, x = net.weight("k", cache, "buffer"), net.input("x", new.shape)
    # One sample has all places.
    given = net.input("place", (1, len(rows)), "int64")
    place = net.node("aten.view.default", ((len(rows),), "int64"), self=given,
                     size=[len(rows)])
    net.outputs = [
        net.node("aten.index_put.default", [*cache.shape], self=k,
                 indices=places(None, None, place), values=x),
        net.node("aten.index_copy.default", [*cache.shape], self=k, dim=2, index=place,
                 source=x)]
    want = cache.copy()
    want[:, :, rows] = new
    found = outputs(net, tmp_path, x=new, place=np.array([rows], np.int64))
    assert [close(got, want) for got in found] == [True, True]


def test_places_in_two_dimensions(tmp_path):
    net = Network()
    x = RANDOM.standard_normal((6, 3, 7)).astype(F)
    v = RANDOM.standard_normal((4, 3)).astype(F)
    i, j = np.array([1, 1, -1, 5]), np.array([2, 2, 0, -3])
    names = [net.node("aten.view.default", ((4,), "int64"),
                      self=net.input(n, (1, 4), "int64"), size=[4]) for n in "ij"]
    table = net.weight("table", x, "buffer")
    values = net.node("aten.view.default", [4, 3], self=net.input("v", (1, 4, 3)),
                      size=[4, 3])
    # The dimensions of the places come first: something is between them.
    for accumulate in (False, True):
        net.outputs.append(net.node(
            "aten.index_put.default", [*x.shape], self=table,
            indices=places(names[0], None, names[1]), values=values,
            accumulate=accumulate))
    put, added = x.copy(), x.copy()
    put[i, :, j] = v
    np.add.at(added, (i, slice(None), j), v)
    found = outputs(net, tmp_path, i=i[None], j=j[None], v=v[None])
    assert close(found[0], put) and close(found[1], added)


def test_place_outside_is_an_error(tmp_path):
    net = Network()
    k = net.weight("k", np.zeros((3, 2), F), "buffer")
    place = net.node("aten.view.default", ((1,), "int64"),
                     self=net.input("place", (1, 1), "int64"), size=[1])
    net.outputs = [net.node("aten.index_put.default", [3, 2], self=k,
                            indices=places(place), values=net.input("x", (1, 2)))]
    module = qbackend.from_pt2(net.save(tmp_path / "net.pt2"))
    x = np.ones((1, 2), F)
    assert close(module.run(np.array([[2]]), x), [[0, 0], [0, 0], [1, 1]])
    with pytest.raises(qbackend.CompilerError, match="outside of|out-of-bounds"):
        module.run(np.array([[3]]), x)


def test_known_places_of_a_large_tensor(tmp_path):
    """There is no table of its size."""
    net = Network()
    x = net.input("x", (1, 2050, 512))
    v = net.input("v", (1, 3, 512))
    place = net.weight("place", np.array([7, -1, 7]), "buffer")
    none = net.weight("none", np.zeros(0, np.int64), "buffer")
    same = net.node("aten.index_put.default", [1, 2050, 512], self=x,
                    indices=places(None, none), values=net.weight(
                        "nothing", np.zeros((1, 0, 512), F), "buffer"))
    net.outputs = [net.node("aten.index_put.default", [1, 2050, 512], self=same,
                            indices=places(None, place), values=v)]
    module = qbackend.from_pt2(net.save(tmp_path / "net.pt2"))
    array = RANDOM.standard_normal((1, 2050, 512)).astype(F)
    rows = RANDOM.standard_normal((1, 3, 512)).astype(F)
    want = array.copy()
    want[:, [7, -1, 7]] = rows
    assert np.array_equal(module.run(array, rows), want)
    assert len(module.bytecode()) < 1 << 16


# Masks of sizes that are known when it runs.


@pytest.mark.parametrize("diagonal", [-1, 0, 1])
@pytest.mark.parametrize("size", [1, 4])
def test_triangles_of_dynamic_size(tmp_path, diagonal, size):
    net, n = Network(), Symbol("s0")
    x = net.input("x", (1, n, n))
    net.outputs = [net.node(f"aten.{name}.default", [1, n, n], self=x,
                            diagonal=diagonal) for name in ("tril", "triu")]
    array = RANDOM.standard_normal((1, size, size)).astype(F)
    lower, upper = outputs(net, tmp_path, x=array)
    assert close(lower, np.tril(array, diagonal))
    assert close(upper, np.triu(array, diagonal))


def test_triangles_of_a_large_tensor(tmp_path):
    net = Network()
    x = net.input("x", (1, 1050, 1000))
    net.outputs = [net.node(f"aten.{name}.default", [1, 1050, 1000], self=x, diagonal=3)
                   for name in ("tril", "triu")]
    module = qbackend.from_pt2(net.save(tmp_path / "net.pt2"))
    array = RANDOM.standard_normal((1, 1050, 1000)).astype(F)
    lower, upper = module.run(array)
    assert np.array_equal(lower, np.tril(array, 3))
    assert np.array_equal(upper, np.triu(array, 3))
    assert len(module.bytecode()) < 1 << 16


def test_slice_of_width_0(tmp_path):
    """Rotary embeddings of a whole head cut off what is behind it."""
    net = Network()
    x = net.input("x", (1, 3, 8))
    head = net.node("aten.slice.Tensor", [1, 3, 8], self=x, dim=-1, start=0, end=8)
    rest = net.node("aten.slice.Tensor", [1, 3, 0], self=x, dim=-1, start=8,
                    end=1 << 62)
    twice = net.node("aten.mul.Scalar", [1, 3, 8], self=head, other=2)
    net.outputs = [net.node("aten.cat.default", [1, 3, 8], tensors=[twice, rest],
                            dim=-1)]
    array = RANDOM.standard_normal((1, 3, 8)).astype(F)
    assert close(outputs(net, tmp_path, x=array)[0], array * 2)


# Bags of embeddings.


def bags_of(table, indices, offsets, mode, weights=None, padding=-1):
    ends = [*offsets[1:], len(indices)]
    result = []
    for begin, end in zip(offsets, ends):
        chosen = [i for i in range(begin, end) if indices[i] != padding]
        rows = table[indices[chosen]] * (
            1 if weights is None else weights[chosen][:, None])
        result.append([(0 if not chosen else f(rows[:, c])) for c in range(
            table.shape[1]) for f in [(np.sum, np.mean, np.max)[mode]]])
    return np.array(result, F)


@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("given", ["offsets", "constants", "steps", "padding"])
def test_embedding_bag(tmp_path, mode, given):
    net = Network()
    table = RANDOM.standard_normal((10, 4)).astype(F)
    indices = np.array([3, 1, 9, 3, 0, 2, 2, 7])
    steady = given in ("constants", "steps")
    offsets = np.array([0, 2, 4, 6] if steady else [0, 3, 3, 6])
    weight = net.weight("bag.weight", table)
    flat = net.node("aten.view.default", ((8,), "int64"),
                    self=net.input("x", (1, 8), "int64"), size=[8])
    if given == "constants":
        starts = net.weight("starts", offsets, "buffer")
    elif given == "steps":
        starts = net.node("aten.arange.start_step", ((4,), "int64"), start=0, end=8,
                          step=2)
    else:
        starts = net.node("aten.view.default", ((4,), "int64"),
                          self=net.input("starts", (1, 4), "int64"), size=[4])
    padding = 3 if given == "padding" else -1
    y, *_ = net.node("aten._embedding_bag.default", [((4, 4), "float32"), (
        (0,), "int64"), ((4,), "int64"), ((0,), "int64")], weight=weight,
        indices=flat, offsets=starts, mode=mode, padding_idx=padding)
    net.outputs = [y]
    arrays = {"x": indices[None]}
    if not steady:
        arrays["starts"] = offsets[None]
    found, = outputs(net, tmp_path, **arrays)
    assert close(found, bags_of(table, indices, offsets, mode, None, padding))


@pytest.mark.parametrize("operator, padding, want", [
    # As PyTorch 2.6 has it.
    ("embedding_bag.padding_idx", -1, [[4, 5, 6, 7], [8, 9, 10, 11]]),
    ("embedding_bag.padding_idx", -4, [[16, 17, 18, 19], [24, 26, 28, 30]]),
    ("embedding_bag.padding_idx", None, [[20, 22, 24, 26], [24, 26, 28, 30]]),
    ("_embedding_bag.default", -4, [[20, 22, 24, 26], [24, 26, 28, 30]]),
    ("_embedding_bag.default", 4, [[4, 5, 6, 7], [8, 9, 10, 11]])])
def test_negative_padding_index(tmp_path, operator, padding, want):
    net = Network()
    table = net.weight("bag.weight", np.arange(20, dtype=F).reshape(5, 4))
    flat = net.node("aten.view.default", ((4,), "int64"),
                    self=net.input("x", (1, 4), "int64"), size=[4])
    starts = net.weight("starts", np.array([0, 2]), "buffer")
    net.outputs = [net.node(f"aten.{operator}", [((2, 4), "float32"), (
        (0,), "int64"), ((2,), "int64"), ((0,), "int64")], weight=table, indices=flat,
        offsets=starts, padding_idx=padding)[0]]
    module = qbackend.from_pt2(net.save(tmp_path / "net.pt2"))
    assert np.array_equal(module.run(np.array([[4, 1, 4, 2]])), want)


def test_embedding_bag_of_a_dynamic_batch(tmp_path):
    """The offsets are a range of which nobody knows the end."""
    net, n = Network(), Symbol("s0")
    table = RANDOM.standard_normal((10, 4)).astype(F)
    x = net.input("x", (n, 5), "int64")
    flat = net.node("aten.view.default", ((Symbol("5*s0"),), "int64"), self=x,
                    size=[-1])
    count = net.node("aten.sym_numel.default", [], self=x, names=["count"])
    net.nodes[-1]["outputs"] = [{"as_sym_int": {"as_name": "count"}}]
    starts = net.node("aten.arange.start_step", ((n,), "int64"), start=0,
                      end={"as_sym_int": {"as_name": str(count)}}, step=5)
    net.outputs = [net.node("aten._embedding_bag.default", [
        ((n, 4), "float32"), ((0,), "int64"), ((n,), "int64"), ((0,), "int64")],
        weight=net.weight("bag.weight", table), indices=flat, offsets=starts,
        mode=1)[0]]
    array = RANDOM.integers(0, 10, (3, 5))
    found, = outputs(net, tmp_path, x=array)
    assert close(found, table[array].mean(1))


# Weights that are computed, and quantization-aware training.


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_weight_norm_is_a_weight(tmp_path, dim):
    net = Network()
    v = RANDOM.standard_normal((6, 5)).astype(F)
    axes = {0: (1,), 1: (0,), -1: (0, 1)}[dim]
    length = np.sqrt((v.astype(np.float64) ** 2).sum(axes, keepdims=True))
    g = RANDOM.standard_normal(length.shape).astype(F)
    weight = net.node("aten._weight_norm.default", [6, 5],
                      v=net.weight("fc.weight_v", v), g=net.weight("fc.weight_g", g),
                      dim=dim)
    net.outputs = [net.node("aten.linear.default", [1, 6], input=net.input(
        "x", (1, 5)), weight=weight, path="fc")]
    module = qbackend.from_pt2(net.save(tmp_path / "net.pt2"))
    x = RANDOM.standard_normal((1, 5)).astype(F)
    assert close(run(module, tmp_path, x=x)[0], x @ (v * (g / length)).T)
    # One constant, no square root.
    assert "math.sqrt" not in module.text()


def test_weight_norm_of_one_number(tmp_path):
    """A stride of 0 makes a large weight of it, which isn't computed here."""
    net = Network()
    net.weight("one", np.full(1, 0.5, F), "buffer")
    wide = np.lib.stride_tricks.as_strided(net.weights[0][3], (200, 100), (0, 0))
    g = RANDOM.standard_normal((200, 1)).astype(F)
    weight = net.node("aten._weight_norm.default", [200, 100],
                      v=net.weight("fc.weight_v", wide, storage="one"),
                      g=net.weight("fc.weight_g", g))
    net.outputs = [net.node("aten.linear.default", [1, 200], input=net.input(
        "x", (1, 100)), weight=weight, path="fc")]
    module = qbackend.from_pt2(net.save(tmp_path / "net.pt2"))
    assert len(module.bytecode()) < 1 << 14
    x = RANDOM.standard_normal((1, 100)).astype(F)
    assert close(module.run(x), x.sum() * 0.1 * g.T)


def fake_quantized(x, scale, zero_point, low, high):
    q = np.rint(x * (F(1) / scale)) + zero_point
    return ((np.clip(q, low, high) - zero_point) * scale).astype(F)


def fused(net, x, scale, zero_point, observer=0, switch=1, **attributes):
    """One that training left, with its buffers."""
    k = len(net.nodes)

    def buffer(name, array):
        return net.weight(f"fq{k}.{name}", array, "buffer")

    return net.node(
        "aten.fused_moving_avg_obs_fake_quant.default", [1, 4, 6], self=x,
        observer_on=buffer("observer_enabled", np.array([observer])),
        fake_quant_on=buffer("fake_quant_enabled", np.array([switch])),
        running_min=buffer("min_val", np.array([-1], F)),
        running_max=buffer("max_val", np.array([1], F)),
        scale=buffer("scale", scale), zero_point=buffer("zero_point", zero_point),
        averaging_const=0.01, **attributes)


def test_fake_quantizers_of_training(tmp_path):
    net = Network()
    x = net.input("x", (1, 4, 6))
    scales = np.array([0.01, 0.02, 0.03, 0.05], F)
    zeros = np.zeros(4, np.int64)
    one, at = np.array([0.0173], F), np.array([57])
    net.outputs = [
        fused(net, x, one, at, quant_min=0, quant_max=127, ch_axis=-1),
        fused(net, x, scales, zeros, quant_min=-128, quant_max=127, ch_axis=1,
              per_row_fake_quant=True, symmetric_quant=True),
        fused(net, x, one, at, switch=0, quant_min=0, quant_max=127, ch_axis=-1),
        net.node("aten.fake_quantize_per_tensor_affine.default", [1, 4, 6], self=x,
                 scale=0.0173, zero_point=3, quant_min=-8, quant_max=7)]
    array = RANDOM.standard_normal((1, 4, 6)).astype(F)
    found = outputs(net, tmp_path, x=array)
    wanted = [fake_quantized(array, one, 57, 0, 127),
              fake_quantized(array, scales[:, None], 0, -128, 127), array,
              fake_quantized(array, F(0.0173), 3, -8, 7)]
    assert [np.array_equal(a, b) for a, b in zip(found, wanted)] == [True] * 4


@pytest.mark.parametrize("code, bits", [(13, 8), (6, 11)])
def test_fake_quantizers_of_halves(tmp_path, code, bits):
    """They are float32, rounded once."""
    net = Network()
    x = net.input("x", (1, 2, 4))
    scales, zeros = np.array([0.1, 0.2], F), np.array([0, 1])
    net.outputs = [
        net.node("aten.fake_quantize_per_tensor_affine.default", [1, 2, 4], self=x,
                 scale=0.0173, zero_point=3, quant_min=-8, quant_max=7),
        net.node("aten.fake_quantize_per_channel_affine.default", [1, 2, 4], self=x,
                 scale=net.weight("s", scales, "buffer"),
                 zero_point=net.weight("z", zeros, "buffer"), axis=1, quant_min=-8,
                 quant_max=7)]
    for name in (x, *net.outputs):
        net.metas[name]["dtype"] = code
    kind = "float32" if code == 13 else "float16"
    array = np.array([[[0.3, 1.7, -2.9, 300], [0.01, 0.02, 0.03, 0.5]]], F)

    def rounded(values):
        exponent = np.frexp(values)[1] - bits
        return np.ldexp(np.rint(np.ldexp(values, -exponent)), exponent).astype(F)

    array = rounded(array)
    module = qbackend.from_pt2(net.save(tmp_path / "net.pt2"))
    found = module.run(array.astype(kind))
    wanted = [fake_quantized(array, F(0.0173), 3, -8, 7),
              fake_quantized(array, scales[:, None], zeros[:, None], -8, 7)]
    for got, want in zip(found, wanted):
        assert np.array_equal(got.astype(F), rounded(want))


def test_an_observer_that_is_on_is_refused(tmp_path):
    net = Network()
    net.outputs = [fused(net, net.input("x", (1, 4, 6)), np.array([0.1], F),
                         np.array([0]), observer=1, quant_min=0, quant_max=127,
                         ch_axis=-1)]
    with pytest.raises(qbackend.ImportFailure, match="disable_observer"):
        qbackend.from_pt2(net.save(tmp_path / "net.pt2"))


# What nobody reads, and what to do about what isn't understood.


def test_unread_operators_are_left_out(tmp_path):
    """The padded encoder asks whether its mask is left-aligned."""
    net = Network()
    x = net.input("x", (1, 4))
    net.node("aten._nested_tensor_from_mask_left_aligned.default", ((), "bool"), t=x,
             mask=x)
    net.outputs = [net.node("aten.relu.default", [1, 4], self=x)]
    array = RANDOM.standard_normal((1, 4)).astype(F)
    assert close(outputs(net, tmp_path, x=array)[0], np.maximum(array, 0))


@pytest.mark.parametrize("target", [
    "acme.log.default", "aten._fused_swizzle_.default", "aten._swizzle.out",
    "aten._swizzle.x_out"])
def test_unread_operators_that_may_write(tmp_path, target):
    net = Network()
    x = net.input("x", (1, 4))
    net.node(target, [1, 4], t=x)
    net.outputs = [net.node("aten.relu.default", [1, 4], self=x)]
    with pytest.raises(qbackend.UnsupportedOperators, match=target.split(".")[1]):
        qbackend.from_pt2(net.save(tmp_path / "net.pt2"))


@pytest.mark.parametrize("training", [False, True])
def test_decompositions_are_named_where_they_may_help(tmp_path, training):
    net = Network(training)
    net.outputs = [net.node("acme.swizzle.default", [1, 4], self=net.input(
        "x", (1, 4)))]
    with pytest.raises(qbackend.UnsupportedOperators) as caught:
        qbackend.from_pt2(net.save(tmp_path / "net.pt2"))
    assert ("run_decompositions()" in str(caught.value)) == training


@pytest.mark.parametrize("code, bits", [(13, 8), (6, 11)])
def test_halves_are_summed_in_float32(tmp_path, code, bits):
    """In bfloat16, a sum of ones ends at 256, in float16 at 2048."""
    net = Network()
    x = net.input("x", (1, 3000))
    ones = net.node("aten.ones_like.default", [1, 3000], self=x)
    wide = net.node("aten.expand.default", [2, 3000], self=ones, size=[2, 3000])
    net.outputs = [net.node("aten.linear.default", [1, 2], input=x, weight=wide),
                   net.node("aten.silu.default", [1, 3000], self=x)]
    for meta in net.metas.values():
        meta["dtype"] = code
    module = qbackend.from_pt2(net.save(tmp_path / "net.pt2"))
    kind = "float32" if code == 13 else "float16"
    assert module.inputs[0].dtype == kind
    step = F(2) ** (1 - bits)
    array = np.ones((1, 3000), kind)
    array[0, :8] = 1 + step * np.arange(8)
    total, silu = module.run(array)
    exact = array.astype(F).sum()
    assert np.abs(total.astype(F) - exact).max() <= exact * step / 2
    # Rounded once.
    want = array / (1 + np.exp(-array.astype(np.float64)))
    assert np.abs(silu - want).max() <= step / 4 * (1 + 1e-3)


def test_repeated_weights_have_a_limit(tmp_path):
    """A stride of 0 makes a million rows of one."""
    net = Network()
    row = RANDOM.standard_normal((1, 4)).astype(F)
    net.weight("row", row, "buffer")
    for n in (8, 1 << 20):
        big = Network()
        big.weight("row", row, "buffer")
        wide = np.lib.stride_tricks.as_strided(row, (n, 4), (0, 4))
        w = big.weight("l.weight", wide, storage="row")
        big.outputs = [big.node("aten.linear.default", [1, n], input=big.input(
            "x", (1, 4)), weight=w, path="l")]
        # Strides of a view are those of the array.
        if n > 8:
            with pytest.raises(qbackend.ImportFailure, match=r"weight 'l\.weight'"):
                qbackend.from_pt2(big.save(tmp_path / "net.pt2"))
            continue
        x = np.ones((1, 4), F)
        found, = outputs(big, tmp_path, x=x)
        assert close(found, np.repeat(x @ row.T, n, 1))


def test_offsets_of_one_number(tmp_path):
    """A billion of them are a few bytes of the file."""
    net = Network()
    net.weight("zero", np.zeros(1, np.int64), "buffer")
    count = 1 << 30
    wide = np.lib.stride_tricks.as_strided(net.weights[0][3], (count,), (0,))
    flat = net.node("aten.view.default", ((8,), "int64"),
                    self=net.input("x", (1, 8), "int64"), size=[8])
    net.outputs = [net.node("aten._embedding_bag.default", [
        ((count, 4), "float32"), ((0,), "int64"), ((count,), "int64"), ((0,), "int64")],
        weight=net.weight("bag.weight", np.zeros((10, 4), F)), indices=flat,
        offsets=net.weight("starts", wide, "buffer", storage="zero"))[0]]
    with pytest.raises(qbackend.ImportFailure, match="more than"):
        qbackend.from_pt2(net.save(tmp_path / "net.pt2"))


def test_bfloat16_of_one_number():
    """It is written as one, whatever its size; few of many are evaluated."""
    g = Builder()
    one = np.array([0x3F80], np.uint16)
    g.name(g.parameter(np.broadcast_to(one, (1 << 20, 1 << 9)), BF16))
    assert not g.resources and "dense<1.0" in g.head[0]
    rows = np.arange(0x3F80, 0x3F80 + 20000, dtype=np.uint16).reshape(-1, 2)
    few = g.parameter(rows[:4], BF16)
    assert few.data.tolist()[0] == [1.0, 1.0078125]
    assert g.parameter(rows, BF16).data is None

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks as objects: run, calibrated, quantized, compared, saved."""

import copy
import functools
import itertools
import json
import math
import os
import pickle
import resource
import threading

import numpy as np
import pytest
import qbackend
from networks import WEIGHT, expected, linear, samples
from qbackend import CompilerError, Model, _native, nn

X = samples()


class Tensor:
    """What a tensor of PyTorch has, on another device and with a gradient."""

    def __init__(self, array, place="gpu"):
        self._array, self._place = array, place

    def detach(self):
        return Tensor(self._array, self._place)

    def cpu(self):
        return Tensor(self._array, "cpu")

    def numpy(self):
        assert self._place == "cpu"
        return self._array

    def __array__(self, *_):
        raise RuntimeError("it has a gradient")


class Loader:
    """What a DataLoader of PyTorch has."""

    def __init__(self, dataset, batch):
        self.dataset, self.batch = dataset, batch

    def __len__(self):
        return math.ceil(len(self.dataset) / self.batch)

    def __iter__(self):
        for i in range(0, len(self.dataset), self.batch):
            part = Tensor(self.dataset[i : i + self.batch])
            yield [part, Tensor(np.arange(len(part._array)))]


@pytest.fixture(scope="module")
def model():
    return Model(linear()).calibrate(X)


@pytest.fixture(scope="module")
def quantized(model):
    return model.quantize()


# Running --------------------------------------------------------------------


@pytest.mark.parametrize("batch", ["1", "?"])
def test_run(batch):
    model = Model(linear(batch))
    np.testing.assert_allclose(model.run(X), expected(X), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(model(X[3:4]), expected(X[3:4]), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(model.run(x=X, threads=1), model.run(X))


def test_contract():
    generator = np.random.default_rng(3)
    x, w = (generator.normal(size=shape).astype("f4") for shape in ((50, 64), (64, 8)))
    rows = ", ".join(map(str, w.tolist()))
    model = Model(f"""
func.func @main(%x: tensor<1x64xf32>) -> tensor<1x8xf32> {{
  %w = arith.constant dense<[{rows}]> : tensor<64x8xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8xf32>) -> tensor<1x8xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1x64xf32>, tensor<64x8xf32>)
    outs(%i : tensor<1x8xf32>) -> tensor<1x8xf32>
  return %y : tensor<1x8xf32>
}}""")
    plain, fused = np.zeros((2, 50, 8), np.float32)
    for a, b in zip(x.T, w):
        product = np.outer(a, b)
        # Products of two floats are exact in double.
        exact = np.outer(a.astype("f8"), b.astype("f8"))
        plain, fused = plain + product, (fused + exact).astype("f4")
    assert (plain != fused).any()
    np.testing.assert_array_equal(model.run(x), plain)
    # A processor without such an instruction rounds twice.
    found = model.run(x, contract=True)
    assert (found == fused).all() or (found == plain).all()
    np.testing.assert_array_equal(model.run(x), plain)


def test_what_it_takes_and_gives(model):
    (x,), (y,) = model.inputs, model.outputs
    assert (x.name, x.dtype, x.shape, x.holds_samples) == ("x", "float32", (1, 4), True)
    assert (y.dtype, y.shape) == ("float32", (1, 2))
    assert repr(model) == "<Model from 'x' float32 Nx4 to 'output0' float32 Nx2>"


def test_results_are_not_copied(model):
    y = model.run(np.zeros((1, 4), "float32"))
    assert not y.flags.owndata and y.flags.writeable
    other = model.run(np.ones((1, 4), "float32"))
    assert not y.any() and other.any()


def test_results_that_share_memory():
    """One value twice, an argument, a constant, and a transposed value."""
    model = Model(
        """
        func.func @main(%x: tensor<2x3xf32>)
            -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xi32>,
                tensor<3x2xf32>) {
          %y = math.absf %x : tensor<2x3xf32>
          %c = arith.constant dense<[7, 8]> : tensor<2xi32>
          %e = tensor.empty() : tensor<3x2xf32>
          %t = linalg.transpose ins(%y : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>)
            permutation = [1, 0]
          return %y, %y, %x, %c, %t : tensor<2x3xf32>, tensor<2x3xf32>,
            tensor<2x3xf32>, tensor<2xi32>, tensor<3x2xf32>
        }"""
    )
    for _ in range(3):
        x = np.array([[1, -2, 3], [-4, 5, -6]], "float32")
        y, again, argument, constant, turned = model.run(x)
        np.testing.assert_array_equal(y, abs(x))
        np.testing.assert_array_equal(turned, abs(x).T)
        np.testing.assert_array_equal(constant, [7, 8])
        # Each is the caller's own.
        y[...] = argument[...] = 0
        constant[...] = 0
        np.testing.assert_array_equal(again, abs(x))
        assert x[0, 0] == 1


@pytest.mark.parametrize(
    "spell",
    [
        lambda x: x.astype("float64"),
        lambda x: np.asfortranarray(x),
        lambda x: x[::-1][::-1],
        lambda x: x.astype(">f4"),
        lambda x: x.tolist(),
        lambda x: Tensor(x),
        lambda x: memoryview(x),
    ],
)
def test_arrays_in_any_form(model, spell):
    np.testing.assert_array_equal(model.run(spell(X)), model.run(X))
    row = X[:1]
    np.testing.assert_array_equal(model.run(spell(row)), model.run(row))


def test_integers_are_scaled(model):
    x = np.arange(8, dtype="uint8").reshape(2, 4)
    found = model.run(x, input_scale="1/8")
    np.testing.assert_allclose(found, expected(x / 8), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(found, model.run(x, input_scale=0.125))


def test_entry():
    text = linear() + linear(function="other").replace("math.sin", "math.cos")
    model = Model(text, entry="other")
    np.testing.assert_allclose(model.run(X), np.cos(X @ WEIGHT), atol=1e-6)
    q = model.calibrate(X).quantize()
    np.testing.assert_allclose(q.run(X), np.cos(X @ WEIGHT), atol=0.05)


def test_several_inputs():
    """By place, by name, and one that is the same in each call."""
    text = """
        func.func @main(%a: tensor<1x3xf32> loc("a"), %b: tensor<1x3xf32> loc("b"),
                        %s: tensor<f32> loc("s")) -> tensor<1x3xf32> {
          %e = tensor.empty() : tensor<1x3xf32>
          %y = linalg.generic {
              indexing_maps = [affine_map<(i, j) -> (i, j)>,
                               affine_map<(i, j) -> (i, j)>,
                               affine_map<(i, j) -> ()>,
                               affine_map<(i, j) -> (i, j)>],
              iterator_types = ["parallel", "parallel"]}
              ins(%a, %b, %s : tensor<1x3xf32>, tensor<1x3xf32>, tensor<f32>)
              outs(%e : tensor<1x3xf32>) {
            ^bb0(%x: f32, %z: f32, %t: f32, %o: f32):
              %p = arith.mulf %z, %t : f32
              %q = arith.addf %x, %p : f32
              linalg.yield %q : f32
          } -> tensor<1x3xf32>
          return %y : tensor<1x3xf32>
        }"""
    model = Model(text)
    a, b, s = X[:6, :3], X[6:12, :3], np.array(2, "float32")
    assert [i.holds_samples for i in model.inputs] == [True, True, False]
    wanted = a + b * s
    np.testing.assert_allclose(model.run(a, b, s), wanted)
    np.testing.assert_allclose(model.run(a, s=s, b=b), wanted)
    np.testing.assert_allclose(model.run(a[:1], b[:1], s), wanted[:1])
    with pytest.raises(ValueError, match="'a' has 6 samples, but array 'b' has 5"):
        model.run(a, b[:5], s)
    with pytest.raises(ValueError, match="'b' has 5 samples in the data"):
        model.calibrate((a, b[:5], s))
    with pytest.raises(ValueError, match="is one array, the network takes 3"):
        model.calibrate(a)
    tables = [
        Model(text).calibrate(data, batch_size=20).calibration
        for data in (
            (a, b, s),
            {"s": s, "b": b, "a": a},
            [(x, y, s) for x, y in zip(a, b)],
            ({"a": x, "b": y, "s": s} for x, y in zip(a, b)),
        )
    ]
    assert len(set(tables)) == 1


def test_no_inputs():
    model = Model(
        """
        func.func @main() -> tensor<2xf32> {
          %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
          return %c : tensor<2xf32>
        }"""
    )
    assert model.run().tolist() == [1, 2]
    assert repr(model) == "<Model from nothing to 'output0' float32 N>"
    with pytest.raises(ValueError, match="takes no inputs"):
        model.calibrate(X)


def test_from_several_threads(model):
    wanted = model.run(X)
    found = [None] * 4

    def work(i):
        found[i] = model.run(X)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for results in found:
        np.testing.assert_array_equal(results, wanted)


# Calibration ----------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        lambda: X,
        lambda: {"x": X},
        lambda: {"x": X, "labels": np.zeros(40)},
        lambda: list(X),
        lambda: (row for row in X),
        lambda: ((row[None], 3) for row in X),
        lambda: ({"x": row} for row in X),
        lambda: [X[:7], X[7:]],
        lambda: Loader(X, 16),
        lambda: Tensor(X),
    ],
)
def test_data_in_any_form(model, data):
    calibrated = Model(linear()).calibrate(data(), batch_size=20)
    assert calibrated.calibration == model.calibration


def test_names_of_options_that_nobody_reads_are_errors(model):
    """They go to the compiler by name: one that is misspelt isn't left out."""
    texts = model._configuration(None, None)
    message = "found an option '{}', expected one of 'backend', "
    ask = functools.partial(_native.Calibration, model._native)
    ask(texts, {"batch_size": 4})
    with pytest.raises(CompilerError, match=message.format("sharring")):
        ask({**texts, "sharring": "fx"}, {})
    with pytest.raises(CompilerError, match=message.format("batchsize")):
        ask(texts, {"batchsize": 4})
    ask = functools.partial(model._native.report, "find_cost", None)
    ask(texts, {})
    for numbers in {"thread": 1}, {"max_seconds": 1}:
        with pytest.raises(CompilerError, match=message.format(*numbers)):
            ask(texts, numbers)


def average(batches, constant=0.5):
    """PyTorch's MovingAverageMinMaxObserver: the largest value."""
    high = batches[0].max()
    for batch in batches[1:]:
        high += constant * (batch.max() - high)
    return float(high)


@pytest.mark.parametrize("extent", ["1", "?"])
def test_batches_of_a_loader_are_batches(extent):
    """Observers see each once, as in a loop of PyTorch, unless they are regrouped."""
    activation = qbackend.MovingAverageMinMaxObserver.with_args(averaging_constant=0.5)
    mapping = qbackend.QConfigMapping().set_global(
        qbackend.QConfig(activation, qbackend.default_weight_observer)
    )
    x = np.tile(2 ** np.arange(12, dtype="f4")[:, None], (1, 4))
    batches = [x[:2], x[2:3], x[3:8], x[8:]]

    def high(data, **options):
        model = Model(linear(extent)).calibrate(data, qconfig=mapping, **options)
        entries = json.loads(model.calibration)["entries"]
        return next(e for e in entries if e["name"] == "x")["average_max"][0]

    for data in (batches, iter(batches), ({"x": b} for b in batches)):
        assert high(data) == average(batches)
    assert high(batches, samples=5) == average([*batches[:2], x[3:5]])
    # One sample each is a batch of one.
    assert high(list(x)) == average(x)
    assert high(x) == high(batches, batch_size=20) == x.max()
    assert high(batches, batch_size=3) == average([x[i : i + 3] for i in range(0, 12, 3)])


def test_batches_that_a_network_cant_take():
    model = Model(linear("2"))
    model.calibrate([X[:2], X[2:6]])
    with pytest.raises(ValueError, match="item 1 .* has 3 samples, and the network "
                       "takes 2 at once: batch_size=2 regroups them"):
        model.calibrate([X[:2], X[2:5], X[5:6]])
    model.calibrate([X[:2], X[2:5], X[5:6]], batch_size=2)


def test_npz_in_any_form(model, tmp_path):
    np.savez(tmp_path / "x.npz", x=X, y=X)
    with np.load(tmp_path / "x.npz") as data:
        assert Model(linear()).calibrate(data).calibration == model.calibration


def test_names_that_a_network_lacks():
    """An error, but of a mapping that several networks share."""
    mapping = qbackend.QConfigMapping().set_global(qbackend.default_qconfig)
    mapping.set_module_name("tail.fc", None)
    mapping.set_module_name_regex("tail[.].*", None)
    mapping.set_module_name_object_type_order("tail", "torch.nn.Linear", 0, None)
    model = Model(linear())
    with pytest.raises(qbackend.CompilerError, match="no operator's name") as caught:
        model.calibrate(X, qconfig=mapping)
    assert "the nearest are head.fc" in str(caught.value)
    mapping.ignore_unknown_names = True
    model.calibrate(X, qconfig=mapping)
    rows = {row.name: row.is_quantized for row in model.quantize().explain()}
    assert rows["head.fc"]
    # It is the mapping's, in every form.
    for form in (
        qbackend.QConfigMapping.from_json(mapping.to_json()),
        copy.deepcopy(mapping),
        qbackend.QConfigMapping.from_mlir(mapping.to_mlir("shared"), "shared"),
    ):
        assert form.ignore_unknown_names
        model.quantize(qconfig=form)
    assert "qbackend.ignore_unknown_names" in mapping.to_mlir()
    assert mapping != qbackend.QConfigMapping.from_dict(mapping.to_dict())
    # What it has, counts.
    mapping.set_module_name("head", None)
    rows = model.quantize(qconfig=mapping).explain()
    assert not any(row.is_quantized for row in rows)


class FakeTorch:
    """The objects of an installed PyTorch, as far as they are looked at."""

    class Wrapper:
        def __init__(self, cls, **arguments):
            self.p, self.callable_args = functools.partial(cls, **arguments), {}

    def __init__(self):
        self.observer, self.config, self.mapping = (
            type(name, (), {"__module__": f"torch.ao.quantization.{module}"})
            for name, module in (("MinMaxObserver", "observer"), ("QConfig", "qconfig"),
                                 ("QConfigMapping", "qconfig_mapping")))

    def qconfig(self):
        made = self.config()
        made.activation = self.Wrapper(self.observer, dtype="quint8")
        made.weight = self.Wrapper(
            self.observer, dtype="qint8", qscheme="per_tensor_symmetric")
        return made

    def qconfig_mapping(self):
        made = self.mapping()
        made.global_qconfig = self.qconfig()
        made.object_type_qconfigs = {"torch.nn.Linear": self.qconfig()}
        made.module_name_regex_qconfigs = {}
        made.module_name_qconfigs = {"head.wave": None}
        made.module_name_object_type_order_qconfigs = {}
        return made


def test_a_mapping_of_pytorch_is_taken_as_it_is():
    mapping = FakeTorch().qconfig_mapping()
    ours = qbackend.QConfigMapping().set_global(
        qbackend.QConfig(
            qbackend.MinMaxObserver.with_args(dtype=qbackend.quint8),
            qbackend.default_weight_observer,
        )
    )
    model = Model(linear()).calibrate(X, qconfig=mapping)
    assert model.calibration == Model(linear()).calibrate(X, qconfig=ours).calibration
    wanted = model.quantize(qconfig=ours).run(X)
    for quantized in (model.quantize(), model.quantize(qconfig=mapping)):
        np.testing.assert_array_equal(quantized.run(X), wanted)


def test_part_of_the_samples(model):
    endless = itertools.cycle(X)
    part = Model(linear()).calibrate(endless, samples=25, batch_size=20).calibration
    assert part == Model(linear()).calibrate(X[:25]).calibration
    assert part != model.calibration


@pytest.mark.parametrize("backend", ["qnnpack", "fbgemm", "x86"])
def test_same_as_from_a_file(tmp_path, backend):
    np.save(tmp_path / "x.npy", X)
    text = qbackend.apply_backend(
        linear(), backend=backend, data=str(tmp_path / "x.npy")
    )
    q = Model(linear()).calibrate(X, backend=backend).quantize()
    np.testing.assert_array_equal(q.run(X), Model(text).run(X))
    assert json.loads(q.calibration or "null") is None


def test_memory_is_flat():
    extent = 1 << 18
    text = linear().replace("tensor<1x4xf32>", f"tensor<1x{extent}xf32>")
    text = f"""
    func.func @main(%x: tensor<1x{extent}xf32>) -> tensor<1x{extent}xf32> {{
      %y = math.absf %x : tensor<1x{extent}xf32>
      return %y : tensor<1x{extent}xf32>
    }}"""
    model = Model(text)
    rng = np.random.default_rng(0)
    model.calibrate(rng.uniform(size=(1, extent)) for _ in range(64))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    model.calibrate(rng.uniform(size=(1, extent)) for _ in range(320))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    # 320 samples of 2 MB are 640 MB.
    assert grown < 64 << 10


def test_progress(capfd):
    told = []
    Model(linear()).calibrate(
        list(X) * 4, progress=lambda *args: told.append(args), threads=1
    )
    assert told[-1] == (160, 160) and len(told) > 1
    for data in (X, [X[:20], X[20:]], Loader(X, 16)):
        Model(linear()).calibrate(data, lambda *args: told.append(args))
        assert told[-1] == (40, 40)
    Model(linear()).calibrate(iter(X), lambda *args: told.append(args))
    assert told[-1] == (40, None)
    Model(linear()).calibrate(iter(X), progress=True)
    assert "calibrating 40 samples" in capfd.readouterr().err


def test_table_of_another_run(model):
    other = Model(linear())
    assert other.calibration is None
    other.calibration = model.calibration
    np.testing.assert_array_equal(other.quantize().run(X), model.quantize().run(X))


def test_values_that_are_not_finite():
    bad = X.copy()
    bad[5, 1] = np.nan
    with pytest.raises(ValueError, match="NaN or infinite in float32.*sample 5"):
        Model(linear()).calibrate(bad)
    Model(linear()).calibrate(bad, non_finite="ignore")


def test_values_that_nothing_observes():
    """A root of negative numbers, which stays float."""
    model = Model(linear().replace("math.sin", "math.rsqrt")).calibrate(X)
    assert '"head.wave"' in model.calibration
    assert "qnnpack.linear" in model.quantize().text()


# Quantization ---------------------------------------------------------------


def test_quantize(model, quantized):
    assert "qnnpack.linear" in quantized.text()
    assert "qnnpack" not in model.text()
    np.testing.assert_allclose(quantized.run(X), expected(X), atol=0.03)


def test_explain(quantized):
    rows = quantized.explain()
    fc, wave = rows[0], rows[1]
    assert (fc.operator, fc.name, fc.verdict, fc.code) == (
        "linear", "head.fc", "quantized", "",
    )
    assert fc.macs == 8 and fc.is_quantized
    assert wave.name == "head.wave" and not wave.is_quantized
    assert wave.code.startswith("QB") and wave.reason and wave.remedy
    assert [e.name for e in rows.missed()] == ["head.wave"]
    text, table = str(rows), rows._repr_html_()
    assert text.splitlines()[0].split()[:3] == ["operator", "name", "verdict"]
    assert "<th>operator</th>" in table and "<td>head.wave</td>" in table
    assert "<td>" in rows.missed()._repr_html_()


def test_places_are_those_of_the_file(tmp_path):
    path = tmp_path / "net.mlir"
    path.write_text(linear().replace(' loc("head.wave")', ""))
    q = qbackend.load(path).calibrate(X).quantize()
    (wave,) = q.explain().missed()
    line = path.read_text().splitlines().index(
        "  %z = math.sin %y : tensor<1x2xf32>") + 1
    assert wave.place == f"{path}:{line}:8"


def test_reasons_of_what_is_not_recognised():
    """Several ops of one place have one remark."""
    text = linear().replace("math.sin", "math.erf")
    (row,) = Model(text).calibrate(X).quantize().explain().missed()
    assert row.code and row.reason and row.remedy
    table = linear().replace(
        "  %z = math.sin %y", "  %u = math.floor %y : tensor<1x2xf32> loc(\"odd\")\n"
        "  %v = math.floor %u : tensor<1x2xf32> loc(\"odd\")\n  %z = math.sin %v"
    )
    for row in Model(table).calibrate(X).quantize().explain().missed():
        assert row.reason, row


def test_summary(quantized):
    summary = quantized.summary()
    # 8 weights of 4 bytes; of 1 byte, and 2 of 4 for the bias.
    assert summary.bytes_before == 32
    assert 8 <= summary.bytes_after <= 8 + 8 + 8
    assert summary.integer_macs == 8 and summary.real_macs == 0
    assert summary.operators["quantized"] == 1
    assert summary.quantized_percent == 100.0
    assert "integer MACs" in str(summary) and "<td>8</td>" in summary._repr_html_()


@pytest.mark.parametrize("name", ["head.fc", "head"])
def test_keep_float(model, name):
    q = model.quantize(keep_float=[name])
    assert "qnnpack.linear" not in q.text()
    np.testing.assert_allclose(q.run(X), expected(X), rtol=1e-5, atol=1e-6)
    assert q.explain()[0].verdict == "float"
    assert q.summary().real_macs == 8


@pytest.mark.parametrize(
    "form", [lambda m: m, lambda m: m.to_dict(), lambda m: m.to_json()]
)
def test_qconfig_in_any_form(model, form):
    mapping = qbackend.get_default_qconfig_mapping("qnnpack").set_object_type(
        nn.Linear, None
    )
    q = model.quantize(qconfig=form(mapping))
    assert q.explain()[0].verdict == "float"
    calibrated = Model(linear()).calibrate(X, qconfig=form(mapping))
    assert calibrated.quantize().explain()[0].verdict == "float"


def test_backend_as_an_object(model):
    backend = qbackend.get_qnnpack_backend_config()
    q = Model(linear()).calibrate(X, backend=backend).quantize()
    np.testing.assert_array_equal(q.run(X), model.quantize().run(X))


def test_integers_for_the_caller():
    text = linear().replace("math.sin", "math.absf")
    relu = """
  %zeros = arith.constant dense<0.0> : tensor<1x2xf32>
  %r = arith.maximumf %y, %zeros : tensor<1x2xf32>
  return %r : tensor<1x2xf32>
}
"""
    text = text[: text.index("  %z =")] + relu
    q = Model(text).calibrate(X).quantize(quantized_inputs=0, quantized_outputs=0)
    (x,), (y,) = q.inputs, q.outputs
    assert (x.dtype, y.dtype) == ("uint8", "uint8")
    integers = np.clip(np.round(X / x.scale) + x.zero_point, 0, 255).astype("uint8")
    for rows in (integers, integers[:1]):
        found = q.run(rows)
        assert found.dtype == np.uint8
        real = np.maximum((rows.astype(int) - x.zero_point) * x.scale @ WEIGHT, 0)
        np.testing.assert_allclose(
            (found.astype(int) - y.zero_point) * y.scale, real, atol=0.03
        )
    assert q.run(integers).max() > 127


def test_other_keys(model):
    assert "qnnpack" not in model.quantize(lower_to="linalg").text()
    with pytest.raises(ValueError, match="require-quantized"):
        model.quantize(keep_float=["head"], require_quantized=95)


def test_synthetic_data_warns():
    with pytest.warns(UserWarning, match="calibrated on synthetic inputs"):
        Model(linear()).quantize()


# Comparison -----------------------------------------------------------------


def test_evaluate(model):
    scores = expected(X)
    labels = scores.argmax(axis=1)
    assert float(model.evaluate(X, labels)) == 1.0
    wrong = labels.copy()
    wrong[:10] = 1 - wrong[:10]
    accuracy = model.evaluate(X, wrong)
    assert (accuracy.correct, accuracy.samples) == (30, 40)
    assert str(accuracy) == "0.7500 (30 of 40)"
    assert model.evaluate(list(zip(X, wrong))) == accuracy
    pairs = [(Tensor(X[:9]), Tensor(wrong[:9])), (Tensor(X[9:]), Tensor(wrong[9:]))]
    assert model.evaluate(pairs) == accuracy


def test_compare(model, quantized):
    a = model.run(X).astype("float64")
    b = quantized.run(X).astype("float64")
    (found,) = quantized.compare(model, X)
    assert found.sqnr == pytest.approx(
        10 * math.log10((a**2).sum() / ((a - b) ** 2).sum()), rel=1e-9
    )
    assert found.cosine == pytest.approx(
        (a * b).sum() / math.sqrt((a**2).sum() * (b**2).sum()), rel=1e-9
    )
    assert found.max_difference == pytest.approx(abs(a - b).max(), rel=1e-9)
    assert (found.different, found.elements) == ((a != b).sum(), a.size)
    assert found.top1_agreement == (a.argmax(1) == b.argmax(1)).mean()
    (same,) = model.compare(model, iter(X))
    assert same.sqnr == math.inf and same.cosine == pytest.approx(1)
    assert same.different == 0


# Files ----------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".mlir", ".mlirbc"])
def test_save_and_load(quantized, tmp_path, suffix):
    path = tmp_path / f"q{suffix}"
    quantized.save(path)
    assert (path.read_bytes()[:4] == b"ML\xefR") == (suffix == ".mlirbc")
    np.testing.assert_array_equal(qbackend.load(path).run(X), quantized.run(X))
    assert os.listdir(tmp_path) == [path.name]


def test_object(quantized, tmp_path):
    if not os.path.exists("/usr/lib/llvm-22/bin/llc"):
        pytest.skip("LLVM's llc isn't there")
    quantized.save(tmp_path / "net.o")
    assert (tmp_path / "net.o").read_bytes()[:4] == b"\x7fELF"
    assert "void net(const float *input, float *output" in (
        tmp_path / "net.h"
    ).read_text()
    with pytest.raises(ValueError, match="'1st.o' gives the C function its name"):
        quantized.save(tmp_path / "1st.o")


def test_save_elsewhere(quantized, tmp_path):
    with pytest.raises(ValueError, match=r"'x.txt' ends in '.txt', expected one of .mlir, .mlirbc"):
        quantized.save("x.txt")
    with pytest.raises(FileNotFoundError, match="the folder of .* isn't there"):
        quantized.save(tmp_path / "no" / "x.mlir")


def test_version():
    assert qbackend.__version__.count(".") == 2
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        qbackend.nothing


# Errors ---------------------------------------------------------------------


def test_exceptions_have_diagnostics():
    with pytest.raises(qbackend.CompilerError) as caught:
        Model("func.func @main() {\n  nothing\n}", name="net.mlir").text()
    (error,) = caught.value.diagnostics
    assert (error.severity, error.file, error.line) == ("error", "net.mlir", 2)
    assert error.place.startswith("net.mlir:2:") and error.message
    assert str(caught.value) == str(error)
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.diagnostics == caught.value.diagnostics
    with pytest.raises(ValueError):
        qbackend.apply_backend("nothing")


MISTAKES = {
    "no array": (lambda m: m.run(), "no array for 'x' float32 Nx4"),
    "two arrays": (lambda m: m.run(X, X), "found 2 arrays, the network takes 'x'"),
    "a name": (lambda m: m.run(X, y=X), "found y, the network takes 'x'"),
    "a shape": (lambda m: m.run(X[:, :3]), "float32 40x3; expected float32 Nx4"),
    "a rank": (lambda m: m.run(X[0]), "expected float32 Nx4"),
    "a scalar": (lambda m: m.run(np.float32(1)), "expected float32 Nx4"),
    "strings": (lambda m: m.run(np.array([["a"] * 4])), "an array of <U1"),
    "objects": (lambda m: m.run([[None] * 4]), "expected an array of numbers"),
    "a ragged list": (lambda m: m.run([[1.0], [1.0, 2.0]]), "x"),
    "complex": (lambda m: m.run(X.astype("complex64")), "complex64"),
    "long double": (lambda m: m.run(X.astype("longdouble")), "an array of numbers"),
    "integers": (lambda m: m.run(X.astype("int8")), "say what to multiply by"),
    "a scale": (lambda m: m.run(X, input_scale="a/b"), "'a/b' is not a number"),
    "threads": (lambda m: m.run(X, threads=-1), "threads is -1"),
    "half a thread": (lambda m: m.run(X, threads=1.5), "threads is 1.5, expected an integer"),
    "too many threads": (lambda m: m.run(X, threads=2**40), "expected less than"),
    "no samples": (lambda m: m.run(X[:0]), "has no samples"),
    "NaN": (lambda m: m.run(X * np.nan), "values that are NaN or infinite in float32, first in sample 0"),
    "samples": (lambda m: m.run(X, sample_arguments=[1]), "sample-arguments has '1'"),
    "a path": (lambda m: m.calibrate("x.npz"), "numpy.load reads a file"),
    "nothing": (lambda m: m.calibrate(None), "data is None"),
    "a number": (lambda m: m.calibrate(3), "data is a int"),
    "an empty list": (lambda m: m.calibrate([]), "the data has no samples"),
    "an empty array": (lambda m: m.calibrate(X[:0]), "has no samples"),
    "an empty dictionary": (lambda m: m.calibrate({}), "has no array 'x'; it has none"),
    "another name": (lambda m: m.calibrate({"y": X}), "no array 'x'; it has y"),
    "an empty tuple": (lambda m: m.calibrate([()]), "1x0; expected float32 Nx4"),
    "another shape": (lambda m: m.calibrate([X, X[:, :3]]), "item 1 of the data is float32"),
    "strings in a list": (lambda m: m.calibrate(["abcd"]), "expected an array"),
    "a batch size": (lambda m: m.calibrate(X, batch_size=0), "1 or more"),
    "half a batch": (lambda m: m.calibrate(X, batch_size=1.5), "batch_size is 1.5, expected"),
    "a backend that is none": (lambda m: m.calibrate(X, backend=3), "backend is 3, expected"),
    "a number of samples": (lambda m: m.calibrate(X, samples=0), "1 or more"),
    "non_finite": (lambda m: m.calibrate(X, non_finite="x"), "non_finite is 'x'"),
    "an argument": (lambda m: m.calibrate(X, sample_arguments=[3]), "has 3, the inputs"),
    "a backend": (lambda m: m.quantize(backend="qnpack"), "qnpack"),
    "a qconfig": (lambda m: m.quantize(qconfig="nothing"), "nothing"),
    "a qconfig's type": (lambda m: m.quantize(qconfig=3), "qconfig is 3, expected"),
    "a key": (lambda m: m.quantize(lower_too="x"), "lower-too"),
    "a string of names": (lambda m: m.quantize(keep_float="head"), "a list of names"),
    "a wrong name": (lambda m: m.quantize(keep_float=["hed"]), "no operator's name; the nearest are head, head.fc"),
    "a table": (lambda m: setattr(m, "calibration", "x.json"), "a JSON object"),
    "labels": (lambda m: m.evaluate(X, np.zeros(39, int)), "39 labels"),
    "more labels": (lambda m: m.evaluate(X, np.zeros(41, int)), "41 labels"),
    "no labels": (lambda m: m.evaluate(X), "has no labels: pass labels="),
    "real labels": (lambda m: m.evaluate(X, np.zeros(40)), "expected integers"),
    "no model": (lambda m: m.compare(None, X), "expected a Model"),
    "nothing to compare": (lambda m: m.compare(m, []), "no samples"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(model, mistake):
    """Each is one clear exception, and the model goes on working."""
    call, message = MISTAKES[mistake]
    with pytest.raises((ValueError, TypeError)) as caught:
        call(model)
    assert message in str(caught.value)
    assert len(model.run(X)) == 40


@pytest.mark.parametrize("source", [3, None, [1, 2], object()])
def test_what_is_no_module(source):
    with pytest.raises(TypeError, match="expected MLIR as text or bytecode"):
        Model(source).inputs


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda m: m.quantize(keep_float=3), "keep_float is 3, expected a list of na"),
        (lambda m: m.quantize(keep_float=[None]), "expected a list of names"),
        (
            lambda m: m.calibrate([], sample_arguments="0"),
            "sample_arguments is '0', expected a list of numbers",
        ),
        (lambda m: qbackend.Model(m.text(), entry=3), "entry is 3, expected a string"),
    ],
)
def test_arguments_of_other_types(model, call, message):
    with pytest.raises(TypeError, match=message):
        call(model)


@pytest.mark.parametrize("seed", range(40))
def test_random_arguments(model, seed):
    """Any array is run, or refused."""
    rng = np.random.default_rng(seed)
    for _ in range(8):
        shape = rng.integers(0, 5, rng.integers(0, 4))
        kind = rng.choice(["f2", "f4", "f8", "i1", "u2", "i4", "u8", "?", "c8", "U2"])
        array = np.zeros(shape, kind)
        if kind[0] == "f" and rng.integers(2):
            array[...] = rng.choice([np.inf, np.nan, 6e4, -0.0])
        if rng.integers(2):
            array = array.T
        try:
            found = model.run(array)
            assert found.shape == (len(array), 2)
            model.calibrate(array)
        except (ValueError, TypeError) as error:
            assert str(error)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Observers and fake quantizers that are called with arrays. What PyTorch's
return is in ../Calibration/observer_cases.json."""

import copy
import dataclasses
import json
import pathlib
import pickle
import re
import sys
import types
import warnings

import pytest
import qbackend
from qbackend import (
    FakeQuantize,
    FixedQParamsFakeQuantize,
    FixedQParamsObserver,
    FusedMovingAvgObsFakeQuantize,
    HistogramObserver,
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    NoopObserver,
    PerChannelMinMaxObserver,
    PlaceholderObserver,
    RecordingObserver,
    ReuseInputObserver,
)
from qbackend.observation.fake_quantize import FAKE_QUANTIZERS
from qbackend.observation.observers import OBSERVERS

np = pytest.importorskip("numpy", reason="NumPy isn't installed")

CASES = {
    case["id"]: case
    for case in json.loads(
        (
            pathlib.Path(__file__).parents[1] / "Calibration" / "observer_cases.json"
        ).read_text()
    )["cases"]
}
FACTORIES = [
    name
    for module in (qbackend.observers, qbackend.fake_quantize)
    for name in module.__all__
    if isinstance(getattr(module, name), qbackend.ObserverFactory)
]
X = np.array([[-1.0, 0.5, 2.0], [-3.0, 1.0, 0.25]], dtype=np.float32)


def number(value):
    return float(value) if isinstance(value, str) else value


def make(case):
    arguments = {k: v for k, v in case["observer"].items() if k != "class"}
    return OBSERVERS[case["observer"]["class"]](**arguments)


@pytest.mark.parametrize("name", CASES)
def test_values_are_pytorchs(name):
    case = CASES[name]
    observer = make(case)
    for batch in case["batches"]:
        array = np.array(batch, dtype=np.float32)
        assert observer(array) is array
    with warnings.catch_warnings():
        if not case["batches"]:
            warnings.simplefilter("ignore")
        scale, zero_point = observer.calculate_qparams()
    assert scale.dtype == np.float32
    assert scale.tolist() == [np.float32(s) for s in case["scale"]]
    assert zero_point.tolist() == case["zero_point"]
    for end in ("min_val", "max_val"):
        if end in case:
            found = np.atleast_1d(getattr(observer, end))
            assert found.tolist() == [np.float32(number(v)) for v in case[end]]
    if "histogram_nonzero" in case:
        found = [[i, v] for i, v in enumerate(observer.histogram.tolist()) if v]
        assert found == case["histogram_nonzero"]
    # From a table, and copied, it goes on as it was.
    again = make(case)
    again.from_table(observer.to_table("x"), "x")
    for other in (again, copy.deepcopy(observer), pickle.loads(pickle.dumps(observer))):
        if case["batches"]:
            assert other.calculate_qparams()[0].tolist() == scale.tolist()
            assert other.calculate_qparams()[1].tolist() == zero_point.tolist()
            assert other.to_table() == observer.to_table()


def test_batches_are_seen_one_after_the_other():
    observer = MinMaxObserver()
    observer(X[0])
    assert (observer.min_val, observer.max_val) == (-1.0, 2.0)
    observer(X[1])
    assert (observer.min_val, observer.max_val) == (-3.0, 2.0)
    observer.reset_min_max_vals()
    assert np.isposinf(observer.min_val) and np.isneginf(observer.max_val)
    observer(np.zeros((0, 3), np.float32))
    assert np.isposinf(observer.min_val)


def test_channels():
    observer = PerChannelMinMaxObserver(ch_axis=-1)
    assert observer.min_val.shape == (0,)
    observer(X)
    assert observer.min_val.tolist() == [-3.0, 0.5, 0.25]
    assert observer.max_val.tolist() == [-1.0, 1.0, 2.0]
    assert observer.calculate_qparams()[0].shape == (3,)
    rows = PerChannelMinMaxObserver(ch_axis=0)
    rows(X)
    assert rows.min_val.tolist() == [-1.0, -3.0]
    with pytest.raises(ValueError, match="a batch has 3 channels, expected 2"):
        rows(X.T)
    with pytest.raises(ValueError, match="ch_axis 2, expected one of the 2 axes"):
        PerChannelMinMaxObserver(ch_axis=2)(X)


def test_histogram():
    observer = HistogramObserver(bins=4)
    assert observer.dst_nbins == HistogramObserver(reduce_range=True).dst_nbins == 256
    assert observer.histogram.tolist() == [0, 0, 0, 0]
    observer(np.array([0.0, 1.0, 1.0, 4.0]))
    assert observer.histogram.tolist() == [1, 2, 0, 1]
    assert sum(observer.state_dict()["histogram"]) == 4
    other = HistogramObserver(bins=4)
    other.load_state_dict(observer.state_dict())
    assert other.to_table() == observer.to_table().replace('"elements": 4, ', "")
    with pytest.raises(ValueError, match="has 4 bins, expected 8"):
        HistogramObserver(bins=8).from_table(observer.to_table())


def test_range_can_be_set():
    observer = MinMaxObserver()
    observer.min_val = -1.0
    with pytest.raises(ValueError, match="min_val -1.0 and max_val -inf, expected both"):
        observer.calculate_qparams()
    observer.max_val = 3.0
    assert observer.calculate_qparams()[0] == np.float32(4) / np.float32(255)
    observer.max_val = np.array(1.0)
    assert (observer.min_val, observer.max_val) == (-1.0, 1.0)
    channels = MovingAveragePerChannelMinMaxObserver()
    channels.load_state_dict({"min_val": [-1, 0], "max_val": [1, 2]})
    assert channels.max_val.tolist() == [1, 2]
    scale, zero_point = observer._calculate_qparams(0.0, 255.0)
    assert (scale.tolist(), zero_point.tolist()) == ([1.0], [0])
    assert observer.max_val == 1.0


def test_never_run_warns():
    for observer in (MinMaxObserver(), PerChannelMinMaxObserver(), HistogramObserver()):
        with pytest.warns(UserWarning, match="must run observer before"):
            scale, zero_point = observer.calculate_qparams()
        assert (scale.tolist(), zero_point.tolist()) == ([1.0], [0])


def test_values_that_are_not_finite():
    observer = MinMaxObserver()
    with pytest.warns(UserWarning, match="leaves out 2 of 4 values that are not finite"):
        observer(np.array([np.nan, 1.0, np.inf, 2.0]))
    assert (observer.min_val, observer.max_val) == (1.0, 2.0)


@pytest.mark.parametrize(
    "arguments, wanted",
    [
        ({}, (0, 255, False)),
        ({"dtype": "qint8"}, (-128, 127, False)),
        ({"reduce_range": True}, (0, 127, False)),
        ({"dtype": "qint8", "reduce_range": True}, (-64, 63, False)),
        ({"quant_min": 0, "quant_max": 127}, (0, 127, True)),
        ({"dtype": "qint8", "quant_min": -127, "quant_max": 127}, (-127, 127, True)),
        (
            {"dtype": "qint8", "quant_min": -127, "quant_max": 127, "reduce_range": True},
            (-64, 63, True),
        ),
        ({"dtype": "quint4x2", "reduce_range": True}, (0, 15, False)),
        ({"dtype": "qint32"}, (-(2**31), 2**31 - 1, False)),
        ({"dtype": "uint8"}, (0, 255, False)),
        ({"dtype": "int16"}, (-(2**15), 2**15 - 1, False)),
    ],
)
def test_resolved_range(arguments, wanted):
    observer = MinMaxObserver(**arguments)
    found = (observer.quant_min, observer.quant_max, observer.has_customized_qrange)
    assert found == wanted
    # What it was made with is what is written.
    assert MinMaxObserver(**observer.arguments()) == observer


def test_resolved_range_is_what_the_compiler_takes():
    for arguments in (
        {"dtype": "qint8", "quant_min": -127, "quant_max": 127, "reduce_range": True},
        {"reduce_range": True},
        {"dtype": "qint32"},
    ):
        observer = MinMaxObserver(**arguments)
        observer(np.array([0.0, 8.0]))
        steps = np.float32(observer.quant_max - observer.quant_min)
        scale, zero_point = observer.calculate_qparams()
        assert scale[0] == max(np.float32(8) / steps, np.float32(2**-23))
        assert zero_point[0] == observer.quant_min


def test_given_range_is_not_the_whole_range():
    whole = MinMaxObserver(qscheme="per_tensor_symmetric")
    given = MinMaxObserver(qscheme="per_tensor_symmetric", quant_min=0, quant_max=255)
    assert whole != given
    for observer, zero_point in ((whole, 128), (given, 127)):
        observer(X)
        assert observer.calculate_qparams()[1].tolist() == [zero_point]


def test_observers_without_a_range():
    for observer in (PlaceholderObserver(), NoopObserver(), ReuseInputObserver()):
        assert observer(X) is X
        with pytest.raises(Exception, match="calculate_qparams should not be called"):
            observer.calculate_qparams()
    recording = RecordingObserver()
    changed = X.copy()
    recording(changed)
    changed[:] = 0
    recording(changed)
    assert [values.sum() for values in recording.get_tensor_value()] == [X.sum(), 0]
    fixed = FixedQParamsObserver(scale=1 / 256, zero_point=3)
    assert fixed(X) is X
    scale, zero_point = fixed.calculate_qparams()
    assert (scale.tolist(), zero_point.tolist()) == ([1 / 256], [3])


def test_a_type_without_integers():
    with pytest.raises(ValueError, match="expected integers"):
        MinMaxObserver(dtype="float16")(X)


def test_bad_tables():
    observer = MinMaxObserver()
    observer(X)
    with pytest.raises(ValueError, match="has no entry 'y'"):
        observer.from_table(observer.to_table("x"), "y")
    with pytest.raises(ValueError, match="calibration table"):
        observer.from_table("{")
    assert observer.min_val == -3.0


def test_table_of_a_run_goes_on_in_python(tmp_path):
    """What a network's run writes, an observer reads."""
    entry = {"name": "conv1", "kind": "histogram", "min": -1, "max": 3, "batches": 2}
    table = {"version": 2, "network": "", "samples": [], "entries": [entry]}
    observer = MinMaxObserver()
    observer.from_table(json.dumps(table), "conv1")
    observer(np.array([5.0]))
    assert (observer.min_val, observer.max_val) == (-1.0, 5.0)
    entry["scale"], entry["zero_point"] = 0.5, 3
    with pytest.raises(ValueError, match="has parameters, expected statistics"):
        observer.from_table(json.dumps(table), "conv1")


def rounded(x, scale, zero_point, low, high):
    """The formula of PyTorch's fake_quantize, in f32."""
    inverse = np.float32(1) / np.float32(scale)
    q = np.clip(np.rint(x * inverse) + np.float32(zero_point), low, high)
    return ((q - np.float32(zero_point)) * np.float32(scale)).astype(np.float32)


def test_fake_quantize():
    quantizer = FakeQuantize(MinMaxObserver, quant_min=0, quant_max=255)
    assert (quantizer.scale.tolist(), quantizer.zero_point.tolist()) == ([1.0], [0])
    x = np.linspace(-1.3, 4, 777, dtype=np.float32)
    y = quantizer(x)
    observer = MinMaxObserver(quant_min=0, quant_max=255)
    observer(x)
    scale, zero_point = observer.calculate_qparams()
    assert quantizer.scale == scale and quantizer.zero_point == zero_point
    assert y.tolist() == rounded(x, scale, zero_point, 0, 255).tolist()
    # Off: neither recorded nor rounded.
    quantizer.disable_observer()
    quantizer(x * 5)
    assert quantizer.scale == scale
    assert quantizer(x * 5).max() < 4.1
    qbackend.disable_fake_quant(quantizer)
    assert quantizer(x) is x
    assert quantizer.fake_quant_enabled.tolist() == [0]
    quantizer.fake_quant_enabled[0] = 1
    assert quantizer(x) is not x
    qbackend.enable_fake_quant(quantizer)
    qbackend.enable_observer(quantizer)
    quantizer(x * 5)
    assert quantizer.scale > scale
    assert quantizer == FakeQuantize(MinMaxObserver, quant_min=0, quant_max=255)


def test_fake_quantize_ties_and_ends():
    quantizer = FakeQuantize(MinMaxObserver, dtype="qint8", quant_min=-128, quant_max=127)
    quantizer.from_table(
        json.dumps(
            {
                "version": 2,
                "network": "",
                "samples": [],
                "entries": [
                    {"name": "observer", "kind": "min_max", "min": -128, "max": 127}
                ],
            }
        )
    )
    quantizer.disable_observer()
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 1000, -1000, np.nan, 0])
    assert quantizer(x).tolist() == [0, 2, 2, 0, -2, 127, -128, -128, 0]


def test_fake_quantize_of_channels():
    quantizer = FakeQuantize(
        PerChannelMinMaxObserver,
        quant_min=-128,
        quant_max=127,
        dtype="qint8",
        qscheme="per_channel_symmetric",
        ch_axis=1,
    )
    x = np.random.default_rng(0).normal(size=(4, 3, 5)).astype(np.float32)
    x[:, 1] *= 10
    y = quantizer(x)
    assert quantizer.is_per_channel and quantizer.scale.shape == (3,)
    for c in range(3):
        wanted = rounded(x[:, c], quantizer.scale[c], 0, -128, 127)
        assert y[:, c].tolist() == wanted.tolist()


def test_fake_quantize_with_a_real_zero_point():
    quantizer = qbackend.default_embedding_fake_quant()
    x = np.random.default_rng(1).uniform(1, 3, size=(2, 64)).astype(np.float32)
    y = quantizer(x)
    assert quantizer.zero_point.dtype == np.float32
    for c in range(2):
        scale, zero_point = quantizer.scale[c], quantizer.zero_point[c]
        q = np.clip(np.rint(x[c] * (np.float32(1) / scale) + zero_point), 0, 255)
        wanted = (q.astype(np.float64) - float(zero_point)) * float(scale)
        assert y[c].tolist() == wanted.astype(np.float32).tolist()


def test_fixed_fake_quantize():
    quantizer = qbackend.default_fixed_qparams_range_neg1to1_fake_quant()
    assert quantizer.scale.tolist() == [2 / 256]
    assert quantizer.zero_point.tolist() == [128]
    x = np.linspace(-2, 2, 99, dtype=np.float32)
    assert quantizer(x).tolist() == rounded(x, 2 / 256, 128, 0, 255).tolist()
    assert isinstance(quantizer, FixedQParamsFakeQuantize)


def test_fused_formula():
    """Not the observer's: the zero point is that of the end with the smaller
    error, and a small scale is 6.1e-5."""
    fused = FusedMovingAvgObsFakeQuantize(quant_min=0, quant_max=255)
    fused(np.array([-1.0, 2.0]))
    scale = np.float32(3 / 255)
    assert fused.scale == scale and fused.zero_point == 85
    fused(np.array([-1.0, 2.0]) * 2)
    observer = MovingAverageMinMaxObserver(quant_min=0, quant_max=255)
    observer(np.array([-1.0, 2.0]))
    observer(np.array([-1.0, 2.0]) * 2)
    assert fused.activation_post_process.max_val == observer.max_val
    assert fused.calculate_qparams()[0] == observer.calculate_qparams()[0]
    fused = FusedMovingAvgObsFakeQuantize(quant_min=0, quant_max=255)
    fused(np.zeros(3))
    assert fused.scale == np.float32(0.1)
    assert fused.calculate_qparams()[0] == np.float32(2**-23)
    fused(np.full(3, 1e-6))
    assert fused.scale == np.float32(6.1e-5)
    weight = qbackend.default_fused_wt_fake_quant()
    weight(np.array([-1.0, 2.0]))
    assert weight.is_symmetric_quant
    assert weight.scale == np.float32(np.float32(2.0) / np.float32(127)) * 1
    assert weight.zero_point == 0


@pytest.mark.parametrize("name", FACTORIES)
def test_every_default_can_be_called(name):
    made = getattr(qbackend, name)()
    x = np.random.default_rng(2).normal(size=(3, 4)).astype(np.float32)
    y = made(x)
    if type(made).__name__ in FAKE_QUANTIZERS:
        assert y.shape == x.shape and not np.array_equal(x, y)
        scale, _ = made.calculate_qparams()
        assert (scale > 0).all()
    else:
        assert y is x


#: What an observer of each kind, type, scheme and axis gives for an array that it
#: sees once, as a weight.
GRID = json.loads(
    (
        pathlib.Path(__file__).parents[1] / "Calibration" / "observer_grid.json"
    ).read_text()
)


def test_every_kind_type_scheme_and_axis_is_pytorchs():
    wrong = []
    for case in GRID["cases"]:
        kind, dtype, qscheme, axis, reduce, custom, which, scale, zero_point = case
        arguments = {"dtype": dtype, "qscheme": qscheme, "reduce_range": reduce}
        if custom:
            arguments.update(quant_min=custom[0], quant_max=custom[1])
        if axis is not None:
            arguments["ch_axis"] = axis
        observer = OBSERVERS[kind](**arguments)
        observer(np.array(GRID["data"][which], dtype=np.float32))
        found = observer.calculate_qparams()
        if found[0].tolist() != [np.float32(s) for s in scale] or found[
            1
        ].tolist() != [found[1].dtype.type(z) for z in zero_point]:
            wrong.append((case, found))
    assert not wrong, f"{len(wrong)} of {len(GRID['cases'])}, the first {wrong[0]}"


def test_weights_are_observed_by_what_their_qconfig_says(tmp_path):
    """The same array as the weight of linear layers, a layer for each case."""
    weights = [np.array(x, dtype=np.float32).reshape(3, 20) for x in GRID["data"]]
    cases = [
        case
        for case in GRID["cases"]
        if case[1] == "qint8" and case[3] in (None, 0) and "float" not in case[2]
    ]
    assert len(cases) == 38
    mapping = qbackend.QConfigMapping()
    lines = []
    for i, (kind, dtype, qscheme, axis, reduce, custom, which, *_) in enumerate(cases):
        arguments = {"dtype": dtype, "qscheme": qscheme, "reduce_range": reduce}
        if custom:
            arguments.update(quant_min=custom[0], quant_max=custom[1])
        mapping.set_module_name(
            f"fc{i}",
            qbackend.QConfig(MinMaxObserver, OBSERVERS[kind].with_args(**arguments)),
        )
        numbers = weights[which].T.tobytes().hex().upper()
        lines += [
            f'  %w{i} = arith.constant dense<"0x{numbers}"> : tensor<20x3xf32>',
            f"  %y{i} = linalg.matmul ins(%x, %w{i} : tensor<1x20xf32>, "
            f"tensor<20x3xf32>) outs(%z : tensor<1x3xf32>) -> tensor<1x3xf32> "
            f'loc("fc{i}")',
        ]
    results = [f"%y{i}" for i in range(len(cases))]
    types = ", ".join(["tensor<1x3xf32>"] * len(cases))
    file = tmp_path / "net.mlir"
    file.write_text(
        f'func.func @main(%x: tensor<1x20xf32> loc("x")) -> ({types}) {{\n'
        "  %z = arith.constant dense<0.0> : tensor<1x3xf32>\n"
        + "\n".join(lines)
        + f"\n  return {', '.join(results)} : {types}\n}}\n"
    )
    x = np.linspace(-1, 1, 40, dtype=np.float32).reshape(2, 20)
    np.savez(tmp_path / "x.npz", x=x)
    quantized = qbackend.load(str(file)).quantize(
        qconfig=mapping, data=str(tmp_path / "x.npz"), lower_to="reference"
    )
    quantized.save(str(tmp_path / "q.mlir"))
    found = re.findall(
        r"to tensor<3x20x!quant.uniform<i8:f32(:0)?, \{?([^>}]*)\}?>",
        (tmp_path / "q.mlir").read_text(),
    )
    assert len(found) == len(cases)
    wrong = []
    for case, (axis, text) in zip(cases, found):
        pairs = [(part.split(":") + ["0"])[:2] for part in text.split(",")]
        scale = [np.float32(s) for s, _ in pairs]
        zero_point = [int(z) for _, z in pairs]
        if (
            bool(axis) != (case[3] is not None)
            or scale != [np.float32(s) for s in case[7]]
            or zero_point != case[8]
        ):
            wrong.append((case, scale, zero_point))
    assert not wrong, f"{len(wrong)} of {len(cases)}, the first {wrong[0]}"


#: PyTorch's keys, and what they are of before and after a batch.
OBSERVER_KEYS = {"eps", "min_val", "max_val"}
FAKE_QUANTIZER_KEYS = {"fake_quant_enabled", "observer_enabled", "scale", "zero_point"}


@pytest.mark.parametrize("name", FACTORIES)
def test_every_state_is_gone_on_from(name):
    module = qbackend.fake_quantize if "fake_quant" in name else qbackend.observers
    factory = getattr(module, name)
    fresh, used, again = factory(), factory(), factory()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        used(X)
        state = used.state_dict()
        again.load_state_dict(state)
        assert again.state_dict().keys() == state.keys()
        for key, value in state.items():
            np.testing.assert_array_equal(again.state_dict()[key], value)
            assert again.state_dict()[key].dtype == value.dtype
        assert again.to("cpu") is again
        if hasattr(used, "scale"):
            np.testing.assert_array_equal(again(X), used(X))
        # Also before there is anything.
        used.load_state_dict(fresh.state_dict())
        for key, value in fresh.state_dict().items():
            np.testing.assert_array_equal(used.state_dict()[key], value)


def test_keys_of_a_state():
    average = MovingAverageMinMaxObserver()
    assert average.state_dict().keys() == OBSERVER_KEYS
    assert HistogramObserver().state_dict().keys() == OBSERVER_KEYS | {"histogram"}
    assert PlaceholderObserver().state_dict() == {}
    fixed = FixedQParamsObserver(scale=0.5, zero_point=3)
    assert {k: v.tolist() for k, v in fixed.state_dict().items()} == {
        "scale": [0.5], "zero_point": [3]}
    fake = FakeQuantize()
    inside = {f"activation_post_process.{key}" for key in OBSERVER_KEYS}
    assert fake.state_dict().keys() == FAKE_QUANTIZER_KEYS | inside
    fake(X)
    state = fake.state_dict()
    # PyTorch 2.6: (2 + 3) / 255, and 3 / that.
    assert state["scale"].tolist() == [np.float32(5 / 255)]
    assert state["zero_point"].tolist() == [153]
    assert state["activation_post_process.min_val"] == -3
    fake.disable_observer()
    other = FakeQuantize()
    other.load_state_dict(fake.state_dict())
    assert other.observer_enabled[0] == 0 and other.fake_quant_enabled[0] == 1
    np.testing.assert_array_equal(other(10 * X), fake(10 * X))
    del state["scale"]
    with pytest.raises(ValueError, match="the state of a FakeQuantize has no scale"):
        other.load_state_dict(state)


def test_a_class_of_the_users():
    """It records as the observer that it is made of."""

    class Mine(HistogramObserver):
        pass

    mine, theirs = Mine(bins=8), HistogramObserver(bins=8)
    for observer in (mine, theirs):
        observer(X)
    assert mine.calculate_qparams() == theirs.calculate_qparams()


def test_a_dataclass_of_the_users():
    """Its fields are none of the observer's."""

    @dataclasses.dataclass(eq=False)
    class Mine(MinMaxObserver):
        label: str = ""

    mine, theirs = Mine(label="first", reduce_range=True), MinMaxObserver(
        reduce_range=True
    )
    for observer in (mine, theirs):
        observer(X)
    assert mine.calculate_qparams() == theirs.calculate_qparams()


def test_what_saw_tensors_gives_arrays_without_pytorch(monkeypatch):
    """It was unpickled."""
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    observer = MinMaxObserver()
    observer(X)
    wanted = observer.calculate_qparams()
    observer._gives_tensors = True
    assert observer.calculate_qparams() == wanted


def test_state_of_a_fixed_fake_quantizer_is_of_one_kind(monkeypatch):
    class Tensor:
        def __init__(self, array):
            self.array = array

        def __array__(self, dtype=None):
            return self.array.astype(dtype or self.array.dtype)

    torch = types.SimpleNamespace(Tensor=Tensor, from_numpy=Tensor)
    monkeypatch.setitem(sys.modules, "torch", torch)
    quantizer = qbackend.default_fixed_qparams_range_0to1_fake_quant()
    quantizer._gives_tensors = True
    state = quantizer.state_dict()
    assert {type(value) for value in state.values()} == {Tensor}
    assert np.asarray(state["activation_post_process.scale"]) == [1 / 256]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Equalization of a network by apply_backend, against the formula of PyTorch's FX in
NumPy."""

import re

import pytest
import qbackend
from qbackend import QConfig, QConfigMapping

np = pytest.importorskip("numpy", reason="NumPy isn't installed")

MINMAX = QConfig(
    qbackend.MinMaxObserver,
    qbackend.MinMaxObserver.with_args(dtype="qint8", qscheme="per_tensor_symmetric"),
)
EQUALIZE = qbackend.default_equalization_qconfig
RNG = np.random.default_rng(11)
# Columns of different ranges, of which one is constant.
X = (RNG.normal(size=(40, 4)) * [0.1, 1, 10, 0] + [0, 0, 3, 2]).astype(np.float32)
W1 = RNG.normal(size=(4, 3)).astype(np.float32)
B1 = RNG.normal(size=3).astype(np.float32)
W2 = (RNG.normal(size=(3, 2)) * [[9], [1], [0.1]]).astype(np.float32)


def dense(values):
    return "dense<" + re.sub(r"array\(|\)|\s|,dtype=float32", "", repr(values.tolist())) + ">"


def layers(between="", middle="%r", attributes=""):
    return f"""
func.func @main(%x: tensor<1x4xf32>{attributes}) -> tensor<1x2xf32> {{
  %w1 = arith.constant {dense(W1)} : tensor<4x3xf32>
  %b1 = arith.constant {dense(B1[None])} : tensor<1x3xf32>
  %w2 = arith.constant {dense(W2)} : tensor<3x2xf32>
  %b2 = arith.constant dense<0.0> : tensor<1x2xf32>
  %y = linalg.matmul ins(%x, %w1 : tensor<1x4xf32>, tensor<4x3xf32>)
    outs(%b1 : tensor<1x3xf32>) -> tensor<1x3xf32> loc("first")
  %r = tosa.clamp %y {{min_val = 0.0 : f32, max_val = 0x7F800000 : f32}}
    : (tensor<1x3xf32>) -> tensor<1x3xf32> loc("relu")
  {between}
  %z = linalg.matmul ins({middle}, %w2 : tensor<1x3xf32>, tensor<3x2xf32>)
    outs(%b2 : tensor<1x2xf32>) -> tensor<1x2xf32> loc("second")
  return %z : tensor<1x2xf32>
}}
"""


@pytest.fixture
def data(tmp_path):
    np.save(tmp_path / "x.npy", X)
    return str(tmp_path / "x.npy")


def apply(text, data, equalization, mode="fake-quant", **options):
    remarks = []
    found = qbackend.apply_backend(
        text,
        qconfig=QConfigMapping().set_global(MINMAX),
        data=data,
        mode=mode,
        equalization=equalization,
        remarks=remarks,
        **options,
    )
    return found, [r for r in remarks if "QB150" in r]


def constants(text, shape):
    """The real constants of this shape, in order."""
    found = re.findall(rf"dense<([^>]*)> : tensor<{shape}xf32>", text)
    return [np.array(eval(values), np.float32) for values in found if "[" in values]


def scale_of(x, w):
    """w is [inputs, outputs]: the column of a weight is its row here."""
    with np.errstate(divide="ignore"):
        scale = np.sqrt((w.max(1) - w.min(1)) / (x.max(0) - x.min(0)))
    return np.where(np.isfinite(scale), scale, np.float32(1)).astype(np.float32)


def hidden():
    return np.maximum(X @ W1 + B1, 0)


def close(found, wanted):
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_all_layers(data):
    """The input is multiplied by code, the hidden value in the first layer."""
    found, remarks = apply(
        layers(), data, qbackend.get_default_equalization_qconfig_mapping()
    )
    assert remarks == []
    first, second = scale_of(X, W1), scale_of(hidden(), W2)
    assert first[3] == 1 and (first[:3] != 1).all()
    (multiplied,) = constants(found, "4")
    close(multiplied, first)
    (weight,) = constants(found, "3x4")
    close(weight, ((W1 / first[:, None]) * second).T)
    (weight,) = constants(found, "2x3")
    close(weight, (W2 / second[:, None]).T)
    (bias,) = constants(found, "3")
    close(bias, B1 * second)


@pytest.mark.parametrize("mode", ["fake-quant", "convert"])
def test_it_computes_the_same_better(tmp_path, mode):
    """Where a column is small that the weight makes large, one scale for all columns
    loses it."""
    import subprocess

    x = (RNG.normal(size=(40, 4)) * [0.01, 0.1, 1, 10]).astype(np.float32)
    w = (RNG.normal(size=(4, 2)) * [[100], [10], [1], [0.1]]).astype(np.float32)
    path, data = tmp_path / "net.mlir", str(tmp_path / "x.npy")
    np.save(data, x)
    text = f"""
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x2xf32> {{
  %w = arith.constant {dense(w)} : tensor<4x2xf32>
  %b = arith.constant dense<0.0> : tensor<1x2xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1x4xf32>, tensor<4x2xf32>)
    outs(%b : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}}
"""
    errors = []
    for equalization in (None, qbackend.get_default_equalization_qconfig_mapping()):
        path.write_text(apply(text, data, equalization, mode=mode)[0])
        out = tmp_path / "out.npz"
        subprocess.run(
            ["qbackend-run", str(path), f"--input={data}", "-o", str(out)],
            check=True,
            capture_output=True,
        )
        with np.load(out) as arrays:
            y = arrays[arrays.files[0]].reshape(40, 2)
        errors.append(float(np.abs(y - x @ w).mean()))
    assert errors[0] > 0.5
    assert errors[1] < 0.1


@pytest.mark.parametrize(
    "mapping",
    [
        QConfigMapping().set_global(EQUALIZE).set_module_name("first", None),
        QConfigMapping().set_module_name("second", EQUALIZE),
        {"module_name": [("second", EQUALIZE)]},
    ],
)
def test_only_the_second(data, mapping):
    found, _ = apply(layers(), data, mapping)
    second = scale_of(hidden(), W2)
    assert constants(found, "4") == []
    close(constants(found, "3x4")[0], (W1 * second).T)
    close(constants(found, "2x3")[0], (W2 / second[:, None]).T)


def test_nothing(data):
    plain, _ = apply(layers(), data, None)
    found, _ = apply(layers(), data, QConfigMapping().set_global(None))
    assert found == plain
    # What isn't a layer isn't equalized.
    relu = QConfigMapping().set_module_name("relu", None)
    assert apply(layers(), data, relu)[0] == plain


def test_another_reader_is_a_branch(data):
    between = "%s = tosa.add %r, %r : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>"
    text = layers(between).replace("tensor<1x2xf32> {\n", "(tensor<1x2xf32>, tensor<1x3xf32>) {\n", 1)
    text = text.replace("return %z : tensor<1x2xf32>", "return %z, %s : tensor<1x2xf32>, tensor<1x3xf32>")
    found, (remark,) = apply(text, data, QConfigMapping().set_module_name("second", EQUALIZE))
    assert "another quantized operator reads its input too" in remark
    close(constants(found, "2x3")[0], W2.T)


def test_a_value_made_of_integers_is_scaled_behind_them(data):
    """Behind a value that shares its observer, which stays as it is."""
    between = "%m = tosa.clamp %r {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x3xf32>) -> tensor<1x3xf32>"
    found, remarks = apply(
        layers(between, "%m"), data, QConfigMapping().set_module_name("second", EQUALIZE)
    )
    assert remarks == []
    second = scale_of(np.minimum(hidden(), 6), W2)
    close(constants(found, "3x4")[0], W1.T)
    close(constants(found, "2x3")[0], (W2 / second[:, None]).T)
    assert any(np.allclose(c, second, rtol=1e-5) for c in constants(found, "3"))


CONVOLUTIONS = """
func.func @main(%x: tensor<?x2x5x5xf32>) -> tensor<?x4x5x5xf32> {{
  %zp = arith.constant dense<0.0> : tensor<1xf32>
  %w1 = arith.constant {w1} : tensor<3x3x3x2xf32>
  %b1 = arith.constant {b1} : tensor<3xf32>
  %w2 = arith.constant {w2} : tensor<4x1x1x3xf32>
  %b2 = arith.constant dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %n = tosa.transpose %x {{perms = array<i32: 0, 2, 3, 1>}}
    : (tensor<?x2x5x5xf32>) -> tensor<?x5x5x2xf32>
  %y = tosa.conv2d %n, %w1, %b1, %zp, %zp {{acc_type = f32,
    pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>}}
    : (tensor<?x5x5x2xf32>, tensor<3x3x3x2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>)
    -> tensor<?x5x5x3xf32> loc("first")
  %z = tosa.conv2d %y, %w2, %b2, %zp, %zp {{acc_type = f32,
    pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>}}
    : (tensor<?x5x5x3xf32>, tensor<4x1x1x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>)
    -> tensor<?x5x5x4xf32> loc("second")
  %r = tosa.transpose %z {{perms = array<i32: 0, 3, 1, 2>}}
    : (tensor<?x5x5x4xf32>) -> tensor<?x4x5x5xf32>
  return %r : tensor<?x4x5x5xf32>
}}
"""


def test_convolutions(tmp_path):
    """Channels first outside, any batch, no relu."""
    rng = np.random.default_rng(5)
    x = (rng.normal(size=(8, 2, 5, 5)) * [[[[1]], [[30]]]]).astype(np.float32)
    w1 = rng.normal(size=(3, 3, 3, 2)).astype(np.float32)
    b1 = rng.normal(size=3).astype(np.float32)
    w2 = (rng.normal(size=(4, 1, 1, 3)) * [9, 1, 0.1]).astype(np.float32)
    text = CONVOLUTIONS.format(w1=dense(w1), b1=dense(b1), w2=dense(w2))
    np.save(tmp_path / "x.npy", x)
    every = qbackend.get_default_equalization_qconfig_mapping()
    found, remarks = apply(text, str(tmp_path / "x.npy"), every)
    assert remarks == []
    padded = np.pad(x.transpose(0, 2, 3, 1), [(0, 0), (1, 1), (1, 1), (0, 0)])
    y = b1 + sum(
        padded[:, i : i + 5, j : j + 5] @ w1[:, i, j].T for i in range(3) for j in range(3)
    )
    first = scale_of(x.transpose(0, 2, 3, 1).reshape(-1, 2), w1.reshape(-1, 2).T)
    second = scale_of(y.reshape(-1, 3), w2.reshape(-1, 3).T)
    close(constants(found, "2")[0], first)
    close(constants(found, "3x3x3x2")[0], w1 / first * second[:, None, None, None])
    close(constants(found, "3")[0], b1 * second)
    close(constants(found, "4x1x1x3")[0], w2 / second)


def test_channels_first(tmp_path):
    """Channels are found where there are as many rows and columns of pixels."""
    rng = np.random.default_rng(6)
    x = (rng.normal(size=(8, 2, 3, 3)) * [[[[1]], [[30]]]]).astype(np.float32)
    w1 = rng.normal(size=(3, 2, 1, 1)).astype(np.float32)
    w2 = (rng.normal(size=(4, 3, 1, 1)) * [[[[9]], [[1]], [[0.1]]]]).astype(np.float32)
    text = f"""
func.func @main(%x: tensor<1x2x3x3xf32>) -> tensor<1x4x3x3xf32> {{
  %w1 = arith.constant {dense(w1)} : tensor<3x2x1x1xf32>
  %w2 = arith.constant {dense(w2)} : tensor<4x3x1x1xf32>
  %zero1 = arith.constant dense<0.0> : tensor<1x3x3x3xf32>
  %zero2 = arith.constant dense<0.0> : tensor<1x4x3x3xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w1 : tensor<1x2x3x3xf32>, tensor<3x2x1x1xf32>)
    outs(%zero1 : tensor<1x3x3x3xf32>) -> tensor<1x3x3x3xf32> loc("first")
  %z = linalg.conv_2d_nchw_fchw ins(%y, %w2 : tensor<1x3x3x3xf32>, tensor<4x3x1x1xf32>)
    outs(%zero2 : tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32> loc("second")
  return %z : tensor<1x4x3x3xf32>
}}
"""
    data = str(tmp_path / "x.npy")
    np.save(data, x)
    every = qbackend.get_default_equalization_qconfig_mapping()
    found, remarks = apply(text, data, every, mode="convert", lower_to="reference")
    assert remarks == []
    pixels = x.transpose(0, 2, 3, 1).reshape(-1, 2)
    first = scale_of(pixels, w1[:, :, 0, 0].T)
    second = scale_of(pixels @ w1[:, :, 0, 0].T, w2[:, :, 0, 0].T)
    close(constants(found, "2")[0], first)
    # The weights are integers of these numbers.
    for weight, shape in (
        (w1[:, :, 0, 0] / first * second[:, None], "3x1x1x2"),
        (w2[:, :, 0, 0] / second, "4x1x1x3"),
    ):
        (values,) = re.findall(rf"dense<([^>]*)> : tensor<{shape}xi8>", found)
        scale = abs(weight).max() / 127.5
        wanted = np.clip(np.rint(weight / scale), -128, 127)
        assert abs(np.array(eval(values)).reshape(weight.shape) - wanted).max() <= 1


def test_groups_are_left_out(data):
    text = """
func.func @main(%x: tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32> {
  %zp = arith.constant dense<0.0> : tensor<1xf32>
  %w = arith.constant dense<[[[[0.5], [1.0], [-1.0], [2.0]]]]> : tensor<1x1x4x1xf32>
  %b = arith.constant dense<0.0> : tensor<4xf32>
  %y = tosa.depthwise_conv2d %x, %w, %b, %zp, %zp {acc_type = f32,
    pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>}
    : (tensor<1x1x1x4xf32>, tensor<1x1x4x1xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>)
    -> tensor<1x1x1x4xf32>
  return %y : tensor<1x1x1x4xf32>
}
"""
    np.save(data, X[:, None, None])
    every = qbackend.get_default_equalization_qconfig_mapping()
    found, (remark,) = apply(text, data, every)
    assert "not equalized: it has 4 groups" in remark
    assert found == apply(text, data, None)[0]


def test_quantized_input(data):
    found, (remark,) = apply(
        layers(), data, QConfigMapping().set_module_name("first", EQUALIZE),
        mode="convert", lower_to="reference", quantized_inputs=0,
    )
    assert "its input is integers for the caller" in remark


@pytest.mark.parametrize("mode", ["convert", "fake-quant"])
def test_table_of_a_run(data, tmp_path, mode):
    """By the table of the network as it is, as by data."""
    import subprocess

    path = tmp_path / "net.mlir"
    path.write_text(layers())
    table = tmp_path / "table.json"
    subprocess.run(
        ["qbackend-run", str(path), "--calibrate", f"--input={data}", "-o", str(table)],
        check=True,
        capture_output=True,
    )
    every = qbackend.get_default_equalization_qconfig_mapping()
    by_data, _ = apply(layers(), data, every, mode=mode)
    by_table, _ = apply(layers(), None, every, mode=mode, calibration=str(table))
    assert by_table == by_data


@pytest.mark.parametrize(
    "equalization, options, message",
    [
        ("@none", {}, "equalization is '@none', expected the @symbol of a qbackend.qcon"),
        ("all", {}, "equalization is 'all', expected the @symbol"),
        (
            QConfigMapping().set_global(EQUALIZE),
            {"calibration": "ranges"},
            "calibration=ranges doesn't give; pass data",
        ),
        (
            QConfigMapping().set_module_name("secnd", EQUALIZE),
            {},
            'selects "secnd", which is no operator.s name; the nearest are second',
        ),
        (QConfigMapping().set_global(MINMAX), {}, "expected an EqualizationQConfig or"),
    ],
)
def test_failures(data, equalization, options, message):
    if "calibration" in options:
        data = None
    with pytest.raises(ValueError, match=message):
        apply(layers(), data, equalization, **options)


def test_table_without_columns(tmp_path):
    import json

    entries = [
        {"name": name, "kind": "min_max", "min": -9, "max": 9}
        for name in ("arg0", "first", "relu", "second")
    ]
    table = tmp_path / "table.json"
    table.write_text(
        json.dumps({"version": 2, "network": "", "samples": [], "entries": entries})
    )
    text = layers(attributes=' loc("arg0")').replace('loc("relu")', 'loc("relu")')
    _, remarks = apply(
        text, None, QConfigMapping().set_module_name("second", EQUALIZE),
        calibration=str(table),
    )
    assert len(remarks) == 1
    assert "the ranges of the 3 columns of its input are not known" in remarks[0]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Through the compiler: applying a backend, and its diagnostics."""

import logging
import threading
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import qbackend
from qbackend import _native

from networks import MINE

LINEAR = """
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x2xf32> {
  %w = arith.constant dense<[[0.5, -1.0], [0.25, 1.0], [-0.5, 0.125], [1.0, 0.0]]>
    : tensor<4x2xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x2xf32>) -> tensor<1x2xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1x4xf32>, tensor<4x2xf32>)
    outs(%init : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}
"""
NONE = "qbackend.qconfig_mapping @none { qbackend.qconfig global none }\n"


@pytest.fixture
def data(tmp_path):
    """Samples from -1 to 1, in steps of 0.1."""
    numpy = pytest.importorskip("numpy")
    path = tmp_path / "x.npy"
    numpy.save(path, numpy.linspace(-1, 1, 80, dtype="float32").reshape(20, 4))
    return str(path)


def apply(module, data, **options):
    return qbackend.apply_backend(module, data=data, **options)


def test_builtin_backends():
    names = qbackend.builtin_backends()
    assert "qnnpack" in names and names == sorted(names)


def test_version():
    assert _native.__version__.count(".") == 2


def test_text(data):
    text = apply(LINEAR, data)
    assert "qnnpack.linear" in text and "linalg.matmul" not in text


def test_options_with_underscores(data):
    text = apply(LINEAR, data, lower_to="linalg", batch_size=5, num_threads=1)
    assert "qnnpack" not in text and "linalg" in text


def test_options_with_none_are_left_out(data):
    assert apply(LINEAR, data, lower_to=None) == apply(LINEAR, data)


def test_named_qconfig(data):
    minmax = apply(LINEAR, data, qconfig="minmax_per_channel")
    assert minmax != apply(LINEAR, data)


def test_bytecode(data, tmp_path):
    import shutil
    import subprocess

    tool = shutil.which("qbackend-opt")
    if tool is None:
        pytest.skip("qbackend-opt is not on the PATH")
    source = tmp_path / "in.mlir"
    source.write_text(LINEAR)
    bytecode = subprocess.run(
        [tool, "--emit-bytecode", source], check=True, stdout=subprocess.PIPE
    ).stdout
    assert b"\0" in bytecode
    assert apply(bytecode, data) == apply(LINEAR, data)


def test_path_with_a_space(data, tmp_path):
    import shutil

    folder = tmp_path / "a folder {1}"
    folder.mkdir()
    copy = shutil.copy(data, folder / "x.npy")
    assert apply(LINEAR, copy) == apply(LINEAR, data)


def test_value_with_both_quotes():
    with pytest.raises(ValueError, match="data is .*both kinds of quotes"):
        qbackend.apply_backend(LINEAR, data="a ' and \"")


def test_value_of_another_type(data):
    with pytest.raises(TypeError, match="data .* ndarray, .*calibrate"):
        qbackend.apply_backend(LINEAR, data=np.zeros((1, 4), "f4"))
    with pytest.raises(TypeError, match="entry .* bytes"):
        qbackend.apply_backend(LINEAR, data=data, entry=b"main")
    with pytest.raises(TypeError, match="entry .* bytes"):
        qbackend.apply_backend(LINEAR, data=data, entry=np.bytes_(b"main"))
    listed = apply(LINEAR, data, quantized_inputs=[0])
    assert listed == apply(LINEAR, data, quantized_inputs="0")
    assert listed != apply(LINEAR, data)


def test_values_that_are_numbers_or_paths(data):
    class Place:
        def __fspath__(self):
            return data

    wanted = apply(LINEAR, data, input_scale="1/2")
    for scale in Fraction(1, 2), Decimal("0.5"), 0.5, np.array(0.5, "f4"), np.float32(0.5):
        assert apply(LINEAR, data, input_scale=scale) == wanted
    assert apply(LINEAR, Place(), input_scale="1/2") == wanted


def test_backend_from_a_file(data, tmp_path):
    path = tmp_path / "mine.mlir"
    path.write_text(MINE)
    text = apply(LINEAR, data, backend=str(path))
    assert "qbackend.operator" in text  # The reference form.


def test_configuration_is_moved_into_the_module(data):
    module = LINEAR.encode()
    options = f"backend=@mine data={data}"
    text, _ = _native.apply_backend(module, MINE, options)
    assert "qbackend.operator" in text
    text, _ = _native.apply_backend(
        module, MINE + NONE, options + " qconfig=@none lower-to=reference"
    )
    assert "qbackend.quantize" not in text


def test_configuration_of_several_modules(data):
    # Aliases are of a whole text.
    alias, rest = MINE.strip().split("\n", 1)
    both = f"{alias}\nmodule {{\n{rest}\n}}\nmodule {{\n{NONE}}}\n"
    text, _ = _native.apply_backend(
        LINEAR.encode(), both, f"backend=@mine qconfig=@none data={data}"
    )
    assert "qbackend.backend_config @mine" in text
    assert "qbackend.quantize" not in text


def test_synthetic_inputs_warn():
    with pytest.warns(UserWarning, match="calibrated on synthetic inputs"):
        qbackend.apply_backend(LINEAR)


def test_remarks(data, caplog):
    erf = LINEAR.replace("return %y", "%z = math.erf %y : tensor<1x2xf32>\n  return %z")
    remarks = []
    with caplog.at_level(logging.INFO, logger="qbackend"):
        apply(erf, data, remarks=remarks)
    assert any("operators=1, quantized=1" in remark for remark in remarks)
    assert [record.message for record in caplog.records] == remarks


def test_several_threads(data):
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(apply(LINEAR, data)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4 and len(set(results)) == 1


@pytest.mark.parametrize(
    "module, message",
    [
        ("", "the module is empty, expected MLIR as text or bytecode"),
        ("  \n", "the module is empty"),
        ("func.func @main(", r"^module:1:16: error: "),
        ("\n  nothing here", r"^module:2:3: error: "),
        (b"ML\xefR\x00", "error"),
        (b"\x00\x01\x02", "error"),
    ],
)
def test_bad_module(module, message):
    with pytest.raises(ValueError, match=message):
        qbackend.apply_backend(module)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"backend": "npu"}, "no backend 'npu': not a file, and the built-in ones are"),
        ({"qconfig": "best"}, "no qconfig 'best': backend 'qnnpack' has default"),
        ({"lower_to": "gpu"}, "lower-to is 'gpu', but backend 'qnnpack' lowers to "),
        ({"lowering": "qnnpack"}, "in the options .*no key 'lowering'"),
        ({"sharing": "all"}, "key 'sharing' is 'all', expected groups or fx"),
        ({"samples": "many"}, "in the options .*many"),
        ({"data": "/not/there.npz"}, "/not/there.npz"),
        ({"backend": "@mine"}, "no qbackend.backend_config @mine in this module"),
        ({"backend": ""}, "error"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        qbackend.apply_backend(LINEAR, **options)


def test_bad_backend_file_is_named_with_its_line(tmp_path):
    path = tmp_path / "bad.mlir"
    path.write_text("\nqbackend.backend_config @x {}\n")
    with pytest.raises(ValueError, match=rf"{path}:2:\d+: error: "):
        qbackend.apply_backend(LINEAR, backend=str(path))


@pytest.mark.parametrize(
    "configuration, message",
    [
        ("{", "^configuration:1:1: error"),
        ("func.func private @f()", "configuration:1:1: error.* expected qbackend.backend"),
        (MINE + MINE, "redefinition"),
    ],
)
def test_bad_configuration(configuration, message):
    with pytest.raises(ValueError, match=message):
        _native.apply_backend(LINEAR.encode(), configuration, "backend=@mine")


def test_configuration_with_a_name_that_the_module_has():
    with pytest.raises(ValueError, match="'mine', which the module has already(.|\n)*note"):
        _native.apply_backend((MINE + LINEAR).encode(), MINE, "backend=@mine")


def test_text_that_is_no_text():
    with pytest.raises(TypeError):
        _native.apply_backend(LINEAR, "", "")  # str in the place of bytes
    with pytest.raises(TypeError):
        _native.backend_to_json(None)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files by whatever name: paths, bytes that are no UTF-8, devices."""

import os
import pathlib

import numpy as np
import pytest
import qbackend

from networks import MINE, linear

LINEAR = linear()
X = np.linspace(-1, 1, 80, dtype="f4").reshape(20, 4)


@pytest.fixture(params=["name", "na\udcffme"], ids=["UTF-8", "not UTF-8"])
def folder(request, tmp_path):
    """With the files of a network. Python has bytes that are no text as surrogates."""
    path = tmp_path / request.param
    try:
        path.mkdir()
    except OSError:
        pytest.skip("the file system takes no such names")
    (path / "net.mlir").write_text(LINEAR)
    (path / "backend.mlir").write_text(MINE)
    np.save(path / "x.npy", X)
    return path


@pytest.mark.parametrize("kind", [str, pathlib.Path])
def test_files_have_any_name(folder, kind):
    def name(file):
        return kind(folder / file)

    model = qbackend.load(name("net.mlir"))
    backend = name("backend.mlir")
    text = qbackend.apply_backend(LINEAR, backend, data=name("x.npy"))
    assert text == qbackend.apply_backend(LINEAR, str(backend), data=str(name("x.npy")))
    quantized = model.calibrate(X, backend=backend).quantize()
    assert quantized.text() == model.quantize(backend).text()
    assert model.stages(backend).stages
    assert model.sensitivity(X, backend=backend).operators
    assert model.tune(X, name("tuned.mlir"), keep_sqnr=1.0).path == str(
        name("tuned.mlir"))
    model.quantize(qconfig=name("tuned.mlir"))
    for file in ("out.mlir", "out.mlirbc", "out.onnx"):
        quantized.save(name(file))
    assert qbackend.load(name("out.mlirbc")).text() == quantized.text()
    assert qbackend.load(name("out.onnx")).inputs


def test_errors_name_the_file(folder):
    (folder / "bad.mlir").write_text("func.func @main(")
    shown = os.fsencode(folder).decode(errors="replace")
    with pytest.raises(qbackend.CompilerError) as caught:
        qbackend.load(folder / "bad.mlir").text()
    assert str(caught.value).startswith(f"{shown}/bad.mlir:1:16: error: ")
    with pytest.raises(qbackend.CompilerError) as caught:
        qbackend.apply_backend(LINEAR, data=folder / "missing.npy")
    assert f"cannot open '{shown}/missing.npy'" in str(caught.value)


def test_devices_that_do_not_end():
    model = qbackend.Model(LINEAR)
    for path in ("/dev/zero", pathlib.Path("/dev/full")):
        for read in (qbackend.load, qbackend.from_pt2, qbackend.from_onnx,
                     model.stages):
            with pytest.raises((OSError, ValueError), match="a device that doesn't end"):
                read(path)


def test_nulls_in_names():
    # What is behind one isn't cut off, nor is the error.
    with pytest.raises(ValueError, match=r"no backend 'qnnpack\\00x': not a file"):
        qbackend.apply_backend(LINEAR, "qnnpack\0x")
    with pytest.raises(ValueError, match="null"):
        qbackend.load("net\0.mlir")


def test_text_as_bytes():
    config = qbackend.BackendConfig.from_mlir(MINE.encode())
    assert config.to_dict() == qbackend.BackendConfig.from_mlir(MINE).to_dict()
    with pytest.raises(ValueError, match="a.00b"):
        qbackend.Model("func.func @f(", name="a\0b.mlir").text()


def test_the_default_backend():
    none, named = (qbackend.apply_backend(LINEAR, backend, samples=2, lower_to="qnnpack")
                   for backend in (None, "qnnpack"))
    assert "qnnpack.linear" in none and none == named

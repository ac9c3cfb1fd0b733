# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What docs/Python.md shows is true."""

import doctest
import json
import pathlib
import re
import shutil
import subprocess
import sys

import networks
import numpy
import pytest
import qbackend
from qbackend import BackendConfig, QConfigMapping
from qbackend.observation.observers import OBSERVERS

ROOT = pathlib.Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "Python.md").read_text()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, flags=re.M | re.S)


def test_example_builds_what_it_says():
    (example,) = blocks("python")
    names = {}
    exec(example.partition("with open")[0], names)
    backend = names["backend"]
    assert [c.pattern for c in backend.configs] == [
        "torch.nn.Conv2d",
        ("torch.nn.Conv2d", "torch.nn.ReLU"),
        "torch.nn.MaxPool2d",
    ]
    assert backend.configs[1].fuser_method_name() == (
        "sequential_wrapper2(torch.ao.nn.intrinsic.ConvReLU2d)"
    )
    assert BackendConfig.from_json(backend.to_json()) == backend
    assert names["mapping"].module_name_qconfigs == {"head": None}


def test_documents_are_what_is_written():
    backend, mapping = blocks("json")
    assert json.loads(BackendConfig.from_json(backend).to_json()) == json.loads(backend)
    assert json.loads(QConfigMapping.from_json(mapping).to_json()) == json.loads(
        mapping
    )


@pytest.mark.parametrize("name", OBSERVERS)
def test_defaults_of_observers(name):
    """The table, against the classes."""
    made = OBSERVERS[name](**({"scale": 1.0, "zero_point": 0} if "Fixed" in name else {}))
    per_channel = "PerChannel" in name
    table = {
        "dtype": {"PlaceholderObserver": "float32", "NoopObserver": "float16"}.get(
            name, "quint8"
        ),
        "qscheme": "per_channel_affine" if per_channel else "per_tensor_affine",
        "quant_min": 0 if "Fixed" in name else None,
        "quant_max": 255 if "Fixed" in name else None,
        "reduce_range": False,
        "is_dynamic": False,
        "eps": 2**-23,
        "ch_axis": 0,
        "averaging_constant": 0.01,
        "bins": 2048,
        "percentile": 99.99,
    }
    for field, default in table.items():
        if field in made._given:
            value = made._given[field]
            assert getattr(value, "name", value) == default, field


def sessions():
    """The sessions of the interpreter, by their first lines."""
    found = [block for block in blocks("text") if block.startswith(">>> ")]
    assert len(found) >= 2
    return found


@pytest.mark.parametrize("session", sessions(), ids=lambda s: s.splitlines()[0])
def test_sessions_print_what_they_show(session, tmp_path, monkeypatch):
    networks.export("lenet5", tmp_path)
    shutil.copy(networks.DIGITS, tmp_path)
    monkeypatch.chdir(tmp_path)
    names = {"qbackend": qbackend, "numpy": numpy}
    test = doctest.DocTestParser().get_doctest(session, names, "Python.md", None, 0)
    told = []
    doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    assert not told, "".join(told)


def test_page_for_those_who_move():
    """What it calls is there, and what the script is compared with is on it."""
    page = (ROOT / "docs" / "MovingOffTorchAo.md").read_text()
    script = (ROOT / "examples" / "quantize.py").read_text()
    found = re.findall(r"\b(prepare_fx|convert_fx|compute_sqnr|torch\.save)\(", script)
    assert len(found) == 4 and all(f"{name}(" in page for name in found)
    here = re.findall(r"(?<![.\w])(?:model|quantized)\.(\w+)", page)
    assert len(here) >= 8
    for name in set(here) - {"eval", "state_dict", "pt2"}:
        assert hasattr(qbackend.QuantizedModel, name), name


def test_script_runs(tmp_path):
    network = networks.export("lenet5", tmp_path)
    done = subprocess.run(
        [
            sys.executable,
            ROOT / "examples" / "quantize.py",
            network,
            networks.DIGITS,
            "-o",
            tmp_path / "lenet5.int8.mlirbc",
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert not any(line.startswith("stays float") for line in lines)
    # PyTorch's own numbers: test/Integration/reference.
    assert "float: 0.9800 (980 of 1000)" in lines
    assert "quantized: 0.9800 (980 of 1000)" in lines
    saved = qbackend.load(tmp_path / "lenet5.int8.mlirbc")
    images = numpy.load(networks.DIGITS)["test_images"][:2]
    assert saved.run(images, input_scale="1/255").shape == (2, 10)

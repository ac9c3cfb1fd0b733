# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What docs/Python.md shows is true."""

import json
import pathlib
import re

import pytest
from qbackend import BackendConfig, QConfigMapping
from qbackend.observers import OBSERVERS

TEXT = (pathlib.Path(__file__).parents[2] / "docs" / "Python.md").read_text()


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

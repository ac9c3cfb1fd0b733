# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Observers in both languages: the classes here are the compiler's table."""

import dataclasses
import json
import math
import pathlib

import pytest
from qbackend import (
    BackendConfig,
    EntropyObserver,
    FixedQParamsObserver,
    MSEObserver,
    PercentileObserver,
    QConfig,
    QConfigMapping,
    _native,
)
from qbackend.observation.fake_quantize import FAKE_QUANTIZERS
from qbackend.configuration.forms.interchange import OBSERVER_FIELDS
from qbackend.observation.observers import OBSERVERS

TABLE = json.loads(_native.observer_kinds())
ROWS = {row["observer"]: row for row in TABLE["observers"]}
BACKENDS = pathlib.Path(__file__).parent.parent / "Backends"


def arguments_of(cls):
    """Those that matter to the compiler, with their defaults."""
    made = cls(None, None) if cls is FixedQParamsObserver else cls()
    names = [f.name for f in dataclasses.fields(cls) if f.name in OBSERVER_FIELDS]
    # The dtype of ReuseInputObserver is no argument.
    values = {"dtype": made.dtype, **{name: made._given[name] for name in names}}
    return {name: getattr(v, "name", v) for name, v in values.items()}


def test_each_kind_has_a_class():
    # What is recorded for debugging is nothing that a compiler does.
    assert set(OBSERVERS) - set(ROWS) == {"RecordingObserver"}
    assert set(ROWS) <= set(OBSERVERS)
    assert set(TABLE["fake_quantizers"]) == set(FAKE_QUANTIZERS)


@pytest.mark.parametrize("name", ROWS)
def test_arguments_and_defaults(name):
    row, cls = ROWS[name], OBSERVERS[name]
    assert cls.in_torch == row["torch"]
    assert bool(cls._per_channel) == row["per_channel"]
    ours, theirs = arguments_of(cls), row["arguments"]
    assert set(ours) == set(theirs)
    for argument, default in theirs.items():
        if cls is FixedQParamsObserver and argument.startswith("quant_"):
            continue  # 0 and 255 in PyTorch: the range of quint8.
        if isinstance(default, float):
            # Those of the compiler are f32.
            assert math.isclose(ours[argument], default, rel_tol=2**-23), argument
        else:
            assert ours[argument] == default, argument


@pytest.mark.parametrize("name", ROWS)
def test_pass_through_mlir_and_json(name):
    arguments = {"scale": 0.5, "zero_point": 3} if "Fixed" in name else {}
    if name == "PercentileObserver":
        arguments = {"percentile": 99.5}
    observer = OBSERVERS[name].with_args(**arguments)
    backend = BackendConfig("mine").set_qconfig_mapping(
        "all", QConfigMapping().set_global(QConfig(observer, observer))
    )
    mapping = backend.qconfig_mappings["all"]
    assert f"<{ROWS[name]['kind']}, " in backend.to_mlir()
    for again in (
        BackendConfig.from_mlir(backend.to_mlir()),
        BackendConfig.from_json(backend.to_json()),
    ):
        assert again.qconfig_mappings["all"] == mapping
    assert QConfigMapping.from_mlir(mapping.to_mlir("m"), "m") == mapping


def test_files_with_kinds_that_pytorch_does_not_have():
    text = (BACKENDS / "Inputs" / "percentile-backend.mlir").read_text()
    for kind, observer in (
        (
            "percentile, ui8, percentile = 99.9",
            PercentileObserver.with_args(percentile=99.9),
        ),
        ("entropy, ui8", EntropyObserver),
        ("mse, ui8", MSEObserver),
    ):
        changed = text.replace("percentile, ui8, percentile = 99.9", kind)
        backend = BackendConfig.from_mlir(changed)
        assert backend.qconfig_mappings["all"].global_qconfig.activation == observer
        assert BackendConfig.from_mlir(backend.to_mlir()) == backend


def test_unknown_observers_are_refused_with_the_list():
    text = (BACKENDS / "Inputs" / "percentile-backend.mlir").read_text()
    with pytest.raises(ValueError) as error:
        BackendConfig.from_mlir(text.replace("<percentile,", "<kl,"))
    assert ":5:" in str(error.value) and "unknown observer 'kl'" in str(error.value)
    for row in ROWS.values():
        assert row["kind"] in str(error.value)
    backend = BackendConfig("mine").set_qconfig_mapping(
        "all", QConfigMapping().set_global(QConfig(MSEObserver, MSEObserver))
    )
    document = backend.to_json().replace("MSEObserver", "KLObserver")
    with pytest.raises(ValueError, match="unknown observer 'KLObserver'") as error:
        _native.backend_from_json(document)
    for name in ROWS:
        assert name in str(error.value)
    with pytest.raises(ValueError, match="observer is 'KLObserver', expected one of"):
        BackendConfig.from_json(document)


@pytest.mark.parametrize("percentile", [50, 100.5])
def test_percentile_is_checked(percentile):
    with pytest.raises(ValueError, match="expected more than 50 and at most 100"):
        PercentileObserver(percentile=percentile)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The built-in backends through the compiler, against PyTorch's data."""

import json

import pytest
import qbackend
from qbackend import BackendConfig, BackendPatternConfig, QConfigMapping, _native, nn


def get(name):
    return getattr(qbackend, f"get_{name}_backend_config")()


def test_all_of_pytorch_are_built_in(backend_name):
    assert backend_name in qbackend.builtin_backends()


def test_entries_are_pytorchs(backend_name, document):
    """Every entry with every field, in PyTorch's order. Getters, of which the data
    only says that there are some, apart."""
    ours = json.loads(get(backend_name).to_json())["configs"]
    theirs = BackendConfig.from_json(json.dumps(document))
    theirs = json.loads(theirs.to_json())["configs"]
    for entry in ours:
        entry.pop("root_node_getter", None)
        entry.pop("extra_inputs_getter", None)
    assert [e.get("pattern", e.get("pattern_complex_format")) for e in ours] == [
        e.get("pattern", e.get("pattern_complex_format")) for e in theirs
    ]
    for one, two in zip(ours, theirs):
        assert one == two


@pytest.mark.parametrize("name", qbackend.builtin_backends())
def test_comes_back_through_mlir(name):
    backend = BackendConfig.from_mlir(name)
    again = BackendConfig.from_mlir(backend.to_mlir())
    assert again == backend
    assert again.lowering == backend.lowering
    assert again.real_bias == backend.real_bias
    assert again.default_qconfig == backend.default_qconfig
    assert again.qconfig_mappings == backend.qconfig_mappings


def test_dict_versions():
    for name in ("native", "tensorrt"):
        found = getattr(qbackend, f"get_{name}_backend_config_dict")()
        assert BackendConfig.from_dict(found) == get(name)


def test_path_and_text(tmp_path):
    text = get("executorch").to_mlir()
    path = tmp_path / "mine.mlir"
    path.write_text(text)
    assert BackendConfig.from_mlir(str(path)) == BackendConfig.from_mlir(text)


@pytest.mark.parametrize("backend", ["qnnpack", "fbgemm", "x86", "onednn"])
def test_default_mapping_goes_through_mlir(backend):
    mapping = qbackend.get_default_qconfig_mapping(backend)
    text = mapping.to_mlir("mine")
    assert "qbackend.qconfig_mapping @mine" in text
    found = QConfigMapping.from_mlir(text, "mine")
    assert found.global_qconfig == mapping.global_qconfig
    # Of several spellings of one operator the compiler keeps one.
    assert QConfigMapping.from_mlir(found.to_mlir("mine"), "mine") == found


def test_mapping_of_a_backend():
    found = QConfigMapping.from_mlir("qnnpack")
    wanted = qbackend.get_default_qconfig_mapping("qnnpack")
    assert found.global_qconfig == wanted.global_qconfig
    per_channel = QConfigMapping.from_mlir("qnnpack", "per_channel")
    assert per_channel.global_qconfig != wanted.global_qconfig


def test_own_backend_is_applied(tmp_path):
    from test_native import LINEAR

    numpy = pytest.importorskip("numpy")
    data = str(tmp_path / "x.npy")
    numpy.save(data, numpy.linspace(-1, 1, 80, dtype="float32").reshape(20, 4))
    u8 = qbackend.DTypeConfig("quint8", "quint8", "qint8", "float32")
    backend = BackendConfig("npu").set_backend_pattern_config(
        BackendPatternConfig(nn.Linear).add_dtype_config(u8)
    )
    mapping = QConfigMapping().set_global(qbackend.get_default_qconfig("qnnpack"))
    text = qbackend.apply_backend(LINEAR, backend=backend, qconfig=mapping, data=data)
    assert "qbackend.dequantize" in text
    # The built-in one as an object does what its name does.
    as_object = qbackend.apply_backend(
        LINEAR, backend=get("qnnpack"), qconfig="per_channel", data=data, lower_to="linalg"
    )
    as_name = qbackend.apply_backend(
        LINEAR, backend="qnnpack", qconfig="per_channel", data=data, lower_to="linalg"
    )
    assert as_object == as_name


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: BackendConfig.from_mlir("npu"), "no backend 'npu'"),
        (lambda: BackendConfig.from_mlir(""), "the backend is empty"),
        (lambda: BackendConfig.from_mlir("module {}"), "no qbackend.backend_config"),
        (lambda: BackendConfig.from_mlir("{ bad"), "backend:1:1: error"),
        (lambda: _native.backend_from_json("{"), "JSON"),
        (lambda: _native.backend_from_json(""), "JSON"),
        (
            lambda: _native.backend_from_json('{"name": "b", "configs": [3]}'),
            r"configs\[0\]",
        ),
        (lambda: _native.mapping_from_json("{}", ""), "the name of the mapping is empty"),
        (
            lambda: _native.mapping_from_json('{"": {"activation": {}}}', "m"),
            "observer",
        ),
        (lambda: QConfigMapping.from_mlir("qnnpack", "best"), "no qconfig 'best'"),
        (lambda: QConfigMapping.from_mlir("module {}", "best"), "no qbackend.qconfig_ma"),
    ],
)
def test_failures_are_value_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()

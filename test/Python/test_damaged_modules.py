# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules that MLIR's own reader doesn't survive: an error, and Python goes on."""

import pathlib
import threading

import pytest
import qbackend
from qbackend import _native

INPUTS = pathlib.Path(__file__).parents[1] / "Support" / "Parser" / "Inputs"
MODULE = (INPUTS / "module.mlir").read_text()
CRASH = (INPUTS / "crash.mlirbc").read_bytes()
ENDLESS = (INPUTS / "endless.mlirbc").read_bytes()


def apply(module):
    return qbackend.apply_backend(module, backend="qnnpack", samples=1)


@pytest.mark.parametrize("data, match", [
    (CRASH, "module: error: MLIR's parser crashes"),
    (ENDLESS, "does not end within 3 s"),
    (b"module attributes {a.b = " + b"[" * 100000, "nested too deeply"),
], ids=["crash", "endless", "deep"])
def test_damaged(data, match):
    with pytest.raises(ValueError, match=match):
        apply(data)
    assert "qnnpack.clamp" in str(apply(MODULE))


def test_resources_of_a_damaged_module():
    with pytest.raises(ValueError, match="MLIR's parser crashes"):
        _native.write_bytecode(CRASH, [], print)


def test_a_configuration_that_is_nested_too_deeply():
    with pytest.raises(ValueError, match="nested too deeply"):
        _native.backend_from_json("[" * 100000)


def test_several_threads():
    """A fork has none of the other threads, and waits for none of their locks."""
    bytecode = qbackend.Model(MODULE).bytecode()
    results = []

    def run():
        for _ in range(5):
            with pytest.raises(ValueError, match="crashes"):
                apply(CRASH)
            results.append(str(apply(bytecode)))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 20 and len(set(results)) == 1


@pytest.mark.parametrize("options, match", [
    ({"samples": "many"}, "'samples' is 'many', expected a whole number"),
    ({"num_threads": -1},
     "'num-threads' is '-1', expected a whole number from 0 to 4294967295"),
    ({"batch_size": 10**30}, f"'batch-size' is '1{'0' * 30}', expected a whole number"),
], ids=["word", "negative", "large"])
def test_options_that_are_no_numbers(options, match):
    with pytest.raises(ValueError, match=match):
        qbackend.apply_backend(MODULE, backend="qnnpack", **options)

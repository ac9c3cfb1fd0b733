# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the compiler can't be loaded, the error says what to do about that."""

import os
import pathlib
import resource
import shutil
import subprocess
import sys

import pytest
import qbackend
from qbackend import _library

PACKAGE = pathlib.Path(qbackend.__file__).parent
LIBRARY = next(PACKAGE.glob("_native*.so"), None)


def load(folder, limit=resource.RLIM_INFINITY):
    """The last line of what a process says that needs the compiler."""
    done = subprocess.run(
        [sys.executable, "-c", "import qbackend; qbackend.__version__"],
        env={**os.environ, "PYTHONPATH": str(folder)}, capture_output=True, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    assert done.returncode == 1
    return done.stderr.splitlines()[-1]


@pytest.fixture(name="copy")
def copy_package(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "qbackend",
                    ignore=shutil.ignore_patterns("_native*.so", "__pycache__"))
    return tmp_path


def test_not_built(copy):
    said = load(copy)
    assert said.startswith("ImportError: the compiler isn't there (No module named "
                           "'qbackend._native'): build with pybind11-dev installed")


def test_damaged_library(copy):
    (copy / "qbackend" / LIBRARY.name).write_bytes(b"not a library" * 100)
    said = load(copy)
    assert "the compiler is there, but can't be loaded" in said
    assert "invalid ELF header" in said and "build and install again" in said
    assert "pybind11" not in said


@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="sanitizers take more")
def test_no_memory_for_libraries():
    said = load(PACKAGE.parent, 200 << 20)
    assert "failed to map segment" in said and "ulimit -v" in said
    assert "pybind11" not in said


def test_missing_library():
    said = _library._explain(ImportError(
        "libMLIR.so.22.1: cannot open shared object file: No such file or directory"))
    assert "can't be loaded (libMLIR.so.22.1: cannot open" in said
    assert "install the package" in said and "pybind11" not in said

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the compiler can't be loaded, the error says what to do about that."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest
import qbackend
from qbackend import _library

PACKAGE = pathlib.Path(qbackend.__file__).parent
LIBRARY = next(PACKAGE.glob("_native*.so"), None)


# The memory is taken when all but the compiler is there: NumPy may not end where
# its own libraries find none.
PROGRAM = """import resource, sys, qbackend
if len(sys.argv) > 1:
    pages = int(open("/proc/self/statm").read().split()[0])
    limit = pages * resource.getpagesize() + int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
qbackend.__version__
"""


def load(folder, *bytes_left):
    """The last line of what a process says that needs the compiler."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, bytes_left)], timeout=120,
        env={**os.environ, "PYTHONPATH": str(folder)}, capture_output=True, text=True)
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
@pytest.mark.parametrize("megabytes", [1, 5, 20, 60, 100])
def test_no_memory_for_libraries(megabytes):
    said = load(PACKAGE.parent, megabytes << 20)
    assert "ulimit -v" in said and "pybind11" not in said


@pytest.mark.parametrize("error", [MemoryError(), SystemError(
    "error return without exception set")])
def test_no_memory_for_reason(error):
    assert "ulimit -v" in _library._explain(error)


def test_missing_library():
    said = _library._explain(ImportError(
        "libMLIR.so.22.1: cannot open shared object file: No such file or directory"))
    assert "can't be loaded (libMLIR.so.22.1: cannot open" in said
    assert "install the package" in said and "pybind11" not in said

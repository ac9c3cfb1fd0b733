# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler, which the rest of the package loads when it needs it."""

from __future__ import annotations

from typing import Any


def native() -> Any:
    """The module `qbackend._native`. ImportError says how to get it."""
    try:
        from . import _native
    except ImportError as error:
        raise ImportError(
            f"the compiler isn't there ({error}): build with pybind11-dev installed "
            "and put build/python on the PYTHONPATH, or install with "
            "cmake --install build"
        ) from error
    return _native

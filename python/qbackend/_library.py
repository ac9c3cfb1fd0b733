# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler, which the rest of the package loads when it needs it."""

from __future__ import annotations

from typing import Any


def _explain(error: Exception) -> str:
    """What to do about what the loader of libraries, or Python, has said."""
    said = str(error)
    if isinstance(error, ModuleNotFoundError):
        return (
            f"the compiler isn't there ({said}): build with pybind11-dev installed "
            "and put build/python on the PYTHONPATH, or install with "
            "cmake --install build"
        )
    # Python says SystemError where it had no memory left for the reason.
    if (
        isinstance(error, (MemoryError, SystemError))
        or "failed to map segment" in said
        or "annot allocate memory" in said
    ):
        hint = (
            "give the process more memory (ulimit -v; the libraries of LLVM and "
            "MLIR take some 400 MB of addresses), and put them in no folder that is "
            "mounted noexec"
        )
    elif "cannot open shared object file" in said:
        hint = (
            "install the package that has this library (on Debian 12: apt-get "
            "install libmlir-22 libzip4)"
        )
    else:
        hint = (
            "build and install again, with the libraries and the Python that are "
            "here"
        )
    return f"the compiler is there, but can't be loaded ({said}): {hint}"


def native() -> Any:
    """The module `qbackend._native`. ImportError says how to get it."""
    try:
        from . import _native
    except (ImportError, MemoryError, SystemError) as error:
        # `from .` has no name of what isn't there.
        reason: Exception = error
        if f"cannot import name '_native' from '{__package__}'" in str(error):
            reason = ModuleNotFoundError(f"No module named '{__package__}._native'")
        raise ImportError(_explain(reason)) from error
    return _native

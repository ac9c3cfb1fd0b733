# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks that others wrote, as MLIR modules: `torch.export` archives and ONNX
files, read with NumPy alone. docs/Importing.md lists what is understood."""

from __future__ import annotations

import io
import os
from typing import Any, Dict, Optional, Tuple, Union

from . import pt2
from .archive import mapped
from .errors import ImportFailure as ImportFailure
from .errors import UnsupportedOperators as UnsupportedOperators
from .module import ImportedModule as ImportedModule
from .module import finished

__all__ = ["ImportFailure", "ImportedModule", "UnsupportedOperators", "from_pt2"]

Path = Union[str, "os.PathLike[str]"]


def _named(path: Path, error: ImportFailure) -> ImportFailure:
    error.args = (f"{os.fspath(path)}: {error}",)
    return error


def from_pt2(path: Path) -> ImportedModule:
    """The program of a `torch.export` archive (`torch.export.save`), of PyTorch
    2.6 or newer. ImportFailure says what is broken or not understood; nothing of
    a pickle is run."""
    try:
        return finished(*pt2.convert(mapped(path)))
    except ImportFailure as error:
        raise _named(path, error) from None

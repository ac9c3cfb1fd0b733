# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks in files, and those that others wrote, as MLIR modules: `torch.export` archives and ONNX
files. docs/Importing.md lists what is understood.

What is here imports NumPy and the standard library, and `Model` with what reads files
and reports errors: neither torch, which only `from_torch` calls, nor the configuration
API."""

from __future__ import annotations

import io
import os
import stat
from typing import Any, Mapping, Optional, Sequence

from ..files import Path, read_rest
from ..model.model import Model
from ..model.sandbox import Sandbox
from . import onnx, pt2
from .archive import mapped
from .errors import ImportFailure as ImportFailure
from .errors import UnsupportedOperators as UnsupportedOperators
from .module import ImportedModule as ImportedModule
from .module import finished

__all__ = [
    "ImportFailure",
    "ImportedModule",
    "UnsupportedOperators",
    "from_onnx",
    "from_pt2",
    "from_torch",
    "load",
]

#: What MLIR bytecode begins with.
_BYTECODE = b"ML\xefR"


def _named(path: Path, error: ImportFailure) -> ImportFailure:
    error.args = (f"{os.fsdecode(path)}: {error}",)
    return error


def _from_pt2(path: Path, data: Optional[memoryview] = None) -> ImportedModule:
    """`data` is what was read of `path` already."""
    try:
        return finished(*pt2.convert(mapped(path) if data is None else data))
    except ImportFailure as error:
        raise _named(path, error) from None


def _from_onnx(path: Path, data: Optional[memoryview] = None) -> ImportedModule:
    try:
        folder = os.path.dirname(os.path.abspath(os.fspath(path)))
        return finished(*onnx.convert(mapped(path) if data is None else data, folder))
    except ImportFailure as error:
        raise _named(path, error) from None


def from_pt2(path: Path) -> ImportedModule:
    """The program of a `torch.export` archive (`torch.export.save`), of PyTorch
    2.6 or newer. ImportFailure says what is broken or not understood; nothing of
    a pickle is run."""
    return _from_pt2(path)


def from_onnx(path: Path) -> ImportedModule:
    """An ONNX model, float or quantized; weights in other files are read
    below its folder. ImportFailure as of `from_pt2`."""
    return _from_onnx(path)


def from_torch(module: Any, example_inputs: Sequence[Any],
               kwargs: Optional[Mapping[str, Any]] = None,
               dynamic_shapes: Any = None) -> ImportedModule:
    """A `torch.nn.Module`, exported with `torch.export` on example inputs, or a
    program that was exported already. PyTorch has to be there."""
    try:
        import torch.export as export
    except ImportError as error:
        raise ImportError(
            f"from_torch needs PyTorch with torch.export ({error}); an archive "
            "that torch.export.save wrote needs only from_pt2") from error
    program = module
    if not isinstance(module, export.ExportedProgram):
        module = module.eval() if hasattr(module, "eval") else module
        program = export.export(module, tuple(example_inputs),
                                kwargs=dict(kwargs) if kwargs else None,
                                dynamic_shapes=dynamic_shapes)
    buffer = io.BytesIO()
    export.save(program, buffer)
    return finished(*pt2.convert(memoryview(buffer.getvalue())))


def load(path: Path, *, weights: Optional[Path] = None, sandbox: bool = False) -> Model:
    """A network by the content of its file: MLIR as text (`.mlir`) or bytecode, an
    archive of torch.export, or an ONNX model. `weights` is a `.safetensors` or `.npz`
    with what the network only names: arguments, extern globals, resources without
    data (docs/Importing.md). With `sandbox`, for files of strangers, it is parsed,
    calibrated, quantized and run in a child process that reads these files and can do
    nothing else (docs/Security.md)."""
    named = None if weights is None else os.fsdecode(weights)
    if sandbox:
        made: Model = Model._of(Sandbox.load(os.fsdecode(path), named))
        return made
    model = _load(path)
    if named is not None:
        model._loaded().bind_weights(named)
    return model


def _load(path: Path) -> Model:
    with open(path, "rb") as file:
        head = file.read(4)
        name = os.fsdecode(path)
        if head == _BYTECODE or name.endswith(".mlir"):
            return Model(head + read_rest(file), name=name)
        # What a pipe gave is gone.
        is_file = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
        data = None if is_file else memoryview(head + read_rest(file))
    # An empty archive has an end only.
    if head[:2] == b"PK" or name.endswith(".pt2"):
        return _from_pt2(path, data)
    return _from_onnx(path, data)

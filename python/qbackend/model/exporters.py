# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks as files: MLIR, ONNX, object files."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, SupportsBytes, Union

from .._library import native
from ..diagnostics import of_native, tell
from ..files import Path, write_file
from .objects import save_object

__all__ = ["to_onnx"]


def to_onnx(
    mlir: Union[str, bytes, SupportsBytes],
    entry: str = "",
    remarks: Optional[List[str]] = None,
) -> bytes:
    """The network of a module as an ONNX model with QuantizeLinear and
    DequantizeLinear, of which ONNX Runtime computes the same integers:
    docs/Exporting.md says where.

    `mlir` is what `apply_backend` gives: text, bytecode, or an object with bytes.
    `entry` is the function that is the network; empty: `main`, `forward`, or the
    only public one. A ValueError has the compiler's diagnostics, with how many
    there are of each op that ONNX can't say.

    How many steps results can be off by in ONNX Runtime (QB131) is reported in
    `remarks`, if that is given, and to the logger `qbackend`.
    """
    module = mlir.encode() if isinstance(mlir, str) else bytes(mlir)
    exported, said = native().to_onnx(module, entry)
    diagnostics = of_native(said)
    tell(diagnostics, stacklevel=2)
    if remarks is not None:
        remarks += [str(d) for d in diagnostics if d.severity == "remark"]
    result: bytes = exported
    return result


def _save_text(model: Any, path: Path) -> None:
    text = model.text().encode()
    write_file(path, lambda file: file.write(text))


def _save_bytecode(model: Any, path: Path) -> None:
    bytecode = model.bytecode()
    write_file(path, lambda file: file.write(bytecode))


def _save_object(model: Any, path: Path) -> None:
    save_object(model.bytecode(), model.entry, path)


def _save_onnx(model: Any, path: Path) -> None:
    exported = to_onnx(model.bytecode(), model.entry)
    write_file(path, lambda file: file.write(exported))


#: What `Model.save` writes, by the end of the file's name.
FORMATS: Dict[str, Callable[[Any, Path], None]] = {
    ".mlir": _save_text,
    ".mlirbc": _save_bytecode,
    ".o": _save_object,
    ".onnx": _save_onnx,
}

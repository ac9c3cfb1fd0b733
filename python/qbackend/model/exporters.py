# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantized networks as ONNX files."""

from __future__ import annotations

from typing import SupportsBytes, Union

from .._library import native

__all__ = ["to_onnx"]


def to_onnx(mlir: Union[str, bytes, SupportsBytes], entry: str = "") -> bytes:
    """The network of a module as an ONNX model with QuantizeLinear and
    DequantizeLinear, of which ONNX Runtime computes the same integers:
    docs/Exporting.md says where.

    `mlir` is what `apply_backend` gives: text, bytecode, or an object with bytes.
    `entry` is the function that is the network; empty: `main`, `forward`, or the
    only public one. A ValueError has the compiler's diagnostics, with how many
    there are of each op that ONNX can't say.
    """
    module = mlir.encode() if isinstance(mlir, str) else bytes(mlir)
    result: bytes = native().to_onnx(module, entry)
    return result

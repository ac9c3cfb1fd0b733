# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The built-in backends, and the compiler that applies one."""

from __future__ import annotations

import logging
import warnings
from typing import Any, Dict, List, Optional, SupportsBytes, Union

from ._library import native
from .backend_config import BackendConfig
from .qconfig_mapping import QConfigMapping

__all__ = [
    "apply_backend",
    "builtin_backends",
    "get_executorch_backend_config",
    "get_fbgemm_backend_config",
    "get_native_backend_config",
    "get_native_backend_config_dict",
    "get_onednn_backend_config",
    "get_qnnpack_backend_config",
    "get_qnnpack_pt2e_backend_config",
    "get_tensorrt_backend_config",
    "get_tensorrt_backend_config_dict",
    "get_x86_backend_config",
]

_logger = logging.getLogger("qbackend")


def builtin_backends() -> List[str]:
    """Names of the backends that come with the compiler, sorted."""
    names: List[str] = native().builtin_backends()
    return names


def get_qnnpack_backend_config() -> BackendConfig:
    """PyTorch's configuration of QNNPACK."""
    return BackendConfig.from_mlir("qnnpack")


def get_qnnpack_pt2e_backend_config() -> BackendConfig:
    """PyTorch's configuration of QNNPACK for exported programs, in aten ops."""
    return BackendConfig.from_mlir("qnnpack_pt2e")


def get_fbgemm_backend_config() -> BackendConfig:
    """PyTorch's configuration of FBGEMM."""
    return BackendConfig.from_mlir("fbgemm")


def get_x86_backend_config() -> BackendConfig:
    """PyTorch's configuration of the x86 engine."""
    return BackendConfig.from_mlir("x86")


def get_onednn_backend_config() -> BackendConfig:
    """PyTorch's configuration of oneDNN."""
    return BackendConfig.from_mlir("onednn")


def get_native_backend_config() -> BackendConfig:
    """PyTorch's configuration of its own engines, fbgemm and qnnpack."""
    return BackendConfig.from_mlir("native")


def get_native_backend_config_dict() -> Dict[str, Any]:
    """`get_native_backend_config()` in dictionary form."""
    return get_native_backend_config().to_dict()


def get_tensorrt_backend_config() -> BackendConfig:
    """PyTorch's configuration of TensorRT."""
    return BackendConfig.from_mlir("tensorrt")


def get_tensorrt_backend_config_dict() -> Dict[str, Any]:
    """`get_tensorrt_backend_config()` in dictionary form."""
    return get_tensorrt_backend_config().to_dict()


def get_executorch_backend_config() -> BackendConfig:
    """PyTorch's configuration of ExecuTorch."""
    return BackendConfig.from_mlir("executorch")


def apply_backend(
    mlir: Union[str, bytes, SupportsBytes],
    backend: Union[str, BackendConfig] = "qnnpack",
    qconfig: Union[str, QConfigMapping, None] = None,
    remarks: Optional[List[str]] = None,
    **options: Any,
) -> str:
    """Quantizes a module for a backend: `qbackend-opt --apply-backend`.

    `mlir` is a module as text or bytecode, or what `from_pt2` and the like give.
    `backend` is the name of a built-in one, the path of a file, or a
    BackendConfig. `qconfig` is the name of one of the backend's mappings or a
    QConfigMapping. The other keys are those of docs/Pipeline.md, with underscores: `data="samples.npz"`,
    `lower_to="linalg"`, `input_scale="1/255"`.

    Operators that stay real-valued are reported in `remarks`, if that is given,
    and to the logger `qbackend`. A ValueError has the compiler's diagnostics.
    """
    configuration: List[str] = []
    if isinstance(backend, BackendConfig):
        configuration.append(backend.to_mlir())
        backend = f"@{backend.name}"
    if isinstance(qconfig, QConfigMapping):
        configuration.append(qconfig.to_mlir("python_qconfig"))
        qconfig = "@python_qconfig"
    values: Dict[str, Any] = {"backend": backend, "qconfig": qconfig, **options}
    text = " ".join(
        f"{key.replace('_', '-')}={_quoted(key, value)}"
        for key, value in values.items()
        if value is not None
    )
    module = mlir.encode() if isinstance(mlir, str) else bytes(mlir)
    result, diagnostics = native().apply_backend(
        module, "\n".join(configuration), text
    )
    for severity, message in diagnostics:
        if severity == "warning":
            warnings.warn(message, stacklevel=2)
            continue
        _logger.info(message)
        if remarks is not None and severity == "remark":
            remarks.append(message)
    output: str = result
    return output


def _quoted(key: str, value: Any) -> str:
    """The value as the parser of pass options takes it."""
    text = str(value)
    if not any(c.isspace() or c in "{}\"'" for c in text) and text:
        return text
    for quote in "'\"":
        if quote not in text:
            return f"{quote}{text}{quote}"
    raise ValueError(f"{key} is {text!r}: it can't have both kinds of quotes")

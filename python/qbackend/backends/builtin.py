# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The built-in backends, and the compiler that applies one."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, SupportsBytes, Union

from .._library import native
from ..configuration.backend_config import BackendConfig
from ..configuration.custom_config import (
    ConvertCustomConfig,
    FuseCustomConfig,
    PrepareCustomConfig,
)
from ..configuration.pass_options import named_files, pass_options
from ..configuration.qconfig_mapping import QConfigMapping
from ..diagnostics import of_native, tell
from ..files import Path
from ..vocabulary.dtypes import float16, float32, qint8, quint4x2, quint8
from . import dtype_configs as types
from . import operator_configs as operators

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
    "get_test_only_legacy_native_backend_config",
    "get_test_only_legacy_native_backend_config_dict",
    "get_x86_backend_config",
]


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


def get_test_only_legacy_native_backend_config() -> BackendConfig:
    """PyTorch's configuration of its own engines with 16-bit operators too, which
    its tests use. It is not built in: no engine here has them."""
    default, half = types.static(), types.half()
    dynamic = [types.dynamic(quint8, qint8), types.dynamic(float16, float16)]
    weighted = types.static(qint8)
    weight_only = [types.weight_only(quint8), types.weight_only(quint4x2)]
    return BackendConfig("_native_and_fp16").set_backend_pattern_configs(
        [
            *operators.get_conv_configs([weighted]),
            *operators.get_linear_configs([weighted, *dynamic, half]),
            *operators.get_binary_op_configs([default, half]),
            operators.get_cat_config([default]),
            *operators.get_default_op_configs([default]),
            *operators.get_fixed_qparams_op_configs([default, half]),
            *operators.get_share_qparams_op_configs([default, half]),
            *operators.get_tensor_info_op_configs([default]),
            *operators.get_bn_configs([default]),
            *operators.get_ln_configs([types.static(float32)]),
            *operators.get_rnn_op_configs(dynamic),
            *operators.get_embedding_op_configs(weight_only),
        ]
    )


def get_test_only_legacy_native_backend_config_dict() -> Dict[str, Any]:
    """`get_test_only_legacy_native_backend_config()` in dictionary form."""
    return get_test_only_legacy_native_backend_config().to_dict()


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
    backend: Union[Path, BackendConfig] = "qnnpack",
    qconfig: Union[Path, QConfigMapping, Dict[str, Any], None] = None,
    remarks: Optional[List[str]] = None,
    prepare_custom_config: Union[PrepareCustomConfig, Dict[str, Any], None] = None,
    convert_custom_config: Union[ConvertCustomConfig, Dict[str, Any], None] = None,
    fuse_custom_config: Union[FuseCustomConfig, Dict[str, Any], None] = None,
    equalization: Union[str, QConfigMapping, Dict[str, Any], None] = None,
    **options: Any,
) -> str:
    """Quantizes a module for a backend: `qbackend-opt --apply-backend`.

    `mlir` is a module as text or bytecode, or what `from_pt2` and the like give.
    `backend` is the name of a built-in one, the path of a file, or a
    BackendConfig. `qconfig` is the name of one of the backend's mappings or a
    QConfigMapping. The custom configs are PyTorch's, as objects or dictionaries;
    custom_config.py says what of them has a meaning here. `equalization` is a
    mapping of EqualizationQConfigs, PyTorch's `_equalization_config`, or the
    `@symbol` of a mapping in the module: the layers that it has a qconfig for are
    equalized. The other keys are those of docs/Pipeline.md, with underscores:
    `data="samples.npz"`, `lower_to="linalg"`, `input_scale="1/255"`.

    Operators that stay float are reported in `remarks`, if that is given,
    and to the logger `qbackend`. A CompilerError (a ValueError) has the compiler's
    diagnostics.
    """
    module = mlir.encode() if isinstance(mlir, str) else bytes(mlir)
    backend, qconfig = named_files(backend, qconfig)
    configuration, text = pass_options(
        module,
        backend,
        qconfig,
        prepare_custom_config,
        convert_custom_config,
        fuse_custom_config,
        equalization,
        options,
    )
    result, said = native().apply_backend(module, configuration, text)
    diagnostics = of_native(said)
    tell(diagnostics, stacklevel=2)
    if remarks is not None:
        remarks += [str(d) for d in diagnostics if d.severity == "remark"]
    output: str = result
    return output

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The built-in backends, and the compiler that applies one."""

from __future__ import annotations

import copy
import logging
import warnings
from typing import Any, Dict, List, Optional, SupportsBytes, Union

from ._library import native
from . import named_dtype_configs as types
from . import operator_configs as operators
from .backend_config import BackendConfig
from .custom_config import (
    PRESERVED_ATTRIBUTES_DICT_KEY,
    ConvertCustomConfig,
    FuseCustomConfig,
    PrepareCustomConfig,
    apply_custom_config,
)
from .equalization import EqualizationQConfig
from .qconfig import default_qconfig
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
    "get_test_only_legacy_native_backend_config",
    "get_test_only_legacy_native_backend_config_dict",
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


def get_test_only_legacy_native_backend_config() -> BackendConfig:
    """PyTorch's configuration of its own engines with 16-bit operators too, which
    its tests use. It is not built in: no engine here has them."""
    quint8 = types.default_op_quint8_dtype_config
    half = types.default_op_fp16_dtype_config
    dynamic = [
        types.default_dynamic_int8_dtype_config,
        types.default_dynamic_float16_dtype_config,
    ]
    weighted = types.weighted_op_quint8_dtype_config
    weight_only = [
        types.weight_only_quint8_dtype_config,
        types.weight_only_quint4x2_dtype_config,
    ]
    return BackendConfig("_native_and_fp16").set_backend_pattern_configs(
        [
            *operators.get_conv_configs([weighted]),
            *operators.get_linear_configs([weighted, *dynamic, half]),
            *operators.get_binary_op_configs([quint8, half]),
            operators.get_cat_config([quint8]),
            *operators.get_default_op_configs([quint8]),
            *operators.get_fixed_qparams_op_configs([quint8, half]),
            *operators.get_share_qparams_op_configs([quint8, half]),
            *operators.get_tensor_info_op_configs([quint8]),
            *operators.get_bn_configs([quint8]),
            *operators.get_ln_configs([types.input_output_only_quint8_dtype_config]),
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
    backend: Union[str, BackendConfig] = "qnnpack",
    qconfig: Union[str, QConfigMapping, None] = None,
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

    Operators that stay real-valued are reported in `remarks`, if that is given,
    and to the logger `qbackend`. A ValueError has the compiler's diagnostics.
    """
    module = mlir.encode() if isinstance(mlir, str) else bytes(mlir)
    configuration: List[str] = []
    _refuse_custom_config(convert_custom_config, fuse_custom_config)
    if isinstance(prepare_custom_config, dict):
        prepare_custom_config = PrepareCustomConfig.from_dict(prepare_custom_config)
    if prepare_custom_config is not None:
        mapping = _mapping_of(module, backend, qconfig)
        before = copy.deepcopy(mapping)
        own = backend if isinstance(backend, BackendConfig) else None
        found = apply_custom_config(prepare_custom_config, mapping, own)
        for key, value in found.items():
            if key in options:
                raise ValueError(
                    f"{key} is {options[key]!r}, and {value} in the "
                    "PrepareCustomConfig: give one of them"
                )
        options.update(found)
        if mapping != before:
            qconfig = mapping
    if isinstance(backend, BackendConfig):
        configuration.append(backend.to_mlir())
        backend = f"@{backend.name}"
    if isinstance(qconfig, QConfigMapping):
        configuration.append(qconfig.to_mlir("python_qconfig"))
        qconfig = "@python_qconfig"
    if isinstance(equalization, dict):
        equalization = QConfigMapping.from_dict(equalization)
    if isinstance(equalization, QConfigMapping):
        chosen = _chosen_layers(equalization)
        configuration.append(chosen.to_mlir("python_equalization"))
        equalization = "@python_equalization"
    values: Dict[str, Any] = {
        "backend": backend,
        "qconfig": qconfig,
        "equalization": equalization,
        **options,
    }
    text = " ".join(
        f"{key.replace('_', '-')}={_quoted(key, value)}"
        for key, value in values.items()
        if value is not None
    )
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


def _mapping_of(
    module: bytes,
    backend: Union[str, BackendConfig],
    qconfig: Union[str, QConfigMapping, None],
) -> QConfigMapping:
    """The mapping that a module is quantized with, to be changed."""
    if isinstance(qconfig, QConfigMapping):
        return copy.deepcopy(qconfig)
    name = qconfig or ""
    if isinstance(backend, BackendConfig) and not name.startswith("@"):
        name = name or backend.default_qconfig or ""
        if name not in backend.qconfig_mappings:
            raise ValueError(
                f"backend '{backend.name}' has no qconfig '{name}', expected a "
                "QConfigMapping"
            )
        return copy.deepcopy(backend.qconfig_mappings[name])
    if name.startswith("@") or str(backend).startswith("@"):
        text = module.decode(errors="replace")
        return QConfigMapping.from_mlir(text, name.lstrip("@"))
    return QConfigMapping.from_mlir(str(backend), name)


def _chosen_layers(equalization: QConfigMapping) -> QConfigMapping:
    """The mapping as the compiler takes it: a qconfig means that a layer is
    equalized, whatever its observers are. ValueError for qconfigs that don't mean
    that."""

    def convert(qconfig: Any) -> Any:
        if qconfig is None or isinstance(qconfig, EqualizationQConfig):
            return qconfig and default_qconfig
        raise ValueError(
            f"equalization has {qconfig!r}, expected an EqualizationQConfig or None"
        )

    return QConfigMapping.from_dict(
        {
            level: (
                [(*entry[:-1], convert(entry[-1])) for entry in entries]
                if isinstance(entries, list)
                else convert(entries)
            )
            for level, entries in equalization.to_dict().items()
        }
    )


def _refuse_custom_config(*configs: Any) -> None:
    """Says what no module of operators has."""
    for config in configs:
        values = {} if config is None else config
        if not isinstance(values, dict):
            values = values.to_dict()
        for key, value in values.items():
            if key == PRESERVED_ATTRIBUTES_DICT_KEY:
                why = "attributes; its functions and globals are kept"
            else:
                why = "classes to replace"
            if value:
                raise ValueError(
                    f"{key} ({', '.join(map(str, value))}): a module of operators has "
                    f"no {why}"
                )


def _quoted(key: str, value: Any) -> str:
    """The value as the parser of pass options takes it."""
    text = str(value)
    if not any(c.isspace() or c in "{}\"'" for c in text) and text:
        return text
    for quote in "'\"":
        if quote not in text:
            return f"{quote}{text}{quote}"
    raise ValueError(f"{key} is {text!r}: it can't have both kinds of quotes")

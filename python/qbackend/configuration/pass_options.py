# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compiler is told: configurations as a module, keys as text."""

from __future__ import annotations

import copy
import decimal
import numbers
import os
from typing import Any, Dict, List, Tuple, Union

import numpy as np

from ..observation.equalization import EqualizationQConfig
from .backend_config import BackendConfig
from .custom_config import (
    PRESERVED_ATTRIBUTES_DICT_KEY,
    ConvertCustomConfig,
    FuseCustomConfig,
    PrepareCustomConfig,
    apply_custom_config,
)
from .qconfig import default_qconfig
from .qconfig_mapping import QConfigMapping


def named_files(
    backend: Any, qconfig: Any
) -> Tuple[Union[str, BackendConfig], Union[str, QConfigMapping, Dict[str, Any], None]]:
    """Both, with the names of files where they are paths; None is the default."""
    if backend is None:
        backend = "qnnpack"
    if isinstance(backend, os.PathLike):
        backend = os.fsdecode(backend)
    if isinstance(qconfig, os.PathLike):
        qconfig = os.fsdecode(qconfig)
    if _is_of_torch(backend):
        backend = BackendConfig.from_torch(backend)
    if _is_of_torch(qconfig):
        qconfig = QConfigMapping.from_torch(qconfig)
    if not isinstance(backend, (str, BackendConfig)):
        raise TypeError(
            f"backend is {backend!r}, expected the name of a built-in one, the path "
            "of a file or a BackendConfig"
        )
    return backend, qconfig


def _is_of_torch(value: Any) -> bool:
    """Whether it is an object of an installed PyTorch, which isn't loaded to ask."""
    return type(value).__module__.startswith("torch.ao.quantization.")


def pass_options(
    module: bytes,
    backend: Union[str, BackendConfig],
    qconfig: Union[str, QConfigMapping, Dict[str, Any], None],
    prepare_custom_config: Union[PrepareCustomConfig, Dict[str, Any], None] = None,
    convert_custom_config: Union[ConvertCustomConfig, Dict[str, Any], None] = None,
    fuse_custom_config: Union[FuseCustomConfig, Dict[str, Any], None] = None,
    equalization: Union[str, QConfigMapping, Dict[str, Any], None] = None,
    options: Dict[str, Any] = {},
) -> Tuple[str, str]:
    """The configurations that go into `module`, and the options of apply-backend
    that call them. The arguments are those of `apply_backend`; `qconfig` can be a
    dictionary, PyTorch's, or the JSON document too."""
    options = dict(options)
    configuration: List[str] = []
    qconfig = _mapping_from(qconfig)
    _refuse_custom_config(convert_custom_config, fuse_custom_config)
    if isinstance(prepare_custom_config, dict):
        prepare_custom_config = PrepareCustomConfig.from_dict(prepare_custom_config)
    if prepare_custom_config is not None:
        mapping = mapping_of(module, backend, qconfig)
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
    return "\n".join(configuration), text


def _mapping_from(
    qconfig: Union[str, QConfigMapping, Dict[str, Any], None],
) -> Union[str, QConfigMapping, None]:
    """`qconfig` as a name or a mapping."""
    if isinstance(qconfig, dict):
        return QConfigMapping.from_dict(qconfig)
    if isinstance(qconfig, str) and qconfig.lstrip().startswith("{"):
        mapping: QConfigMapping = QConfigMapping.from_json(qconfig)
        return mapping
    if qconfig is None or isinstance(qconfig, (str, QConfigMapping)):
        return qconfig
    raise TypeError(
        f"qconfig is {qconfig!r}, expected the name of a qconfig of the backend, a "
        "QConfigMapping, its dictionary or its JSON document"
    )


def mapping_of(
    module: bytes,
    backend: Union[str, BackendConfig],
    qconfig: Union[str, QConfigMapping, Dict[str, Any], None],
) -> QConfigMapping:
    """The mapping that a module is quantized with, to be changed."""
    qconfig = _mapping_from(qconfig)
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

    layers = QConfigMapping.from_dict(
        {
            level: (
                [(*entry[:-1], convert(entry[-1])) for entry in entries]
                if isinstance(entries, list)
                else convert(entries)
            )
            for level, entries in equalization.to_dict().items()
        }
    )
    layers.ignore_unknown_names = equalization.ignore_unknown_names
    return layers


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
    text = ",".join(
        _text(key, each)
        for each in (value if isinstance(value, (list, tuple)) else [value])
    )
    if not any(c.isspace() or c in "{}\"'" for c in text) and text:
        return text
    for quote in "'\"":
        if quote not in text:
            return f"{quote}{text}{quote}"
    raise ValueError(f"{key} is {text!r}: it can't have both kinds of quotes")


def _text(key: str, value: Any) -> str:
    """One value of an option. TypeError for what is neither text, a number nor a
    path."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, (str, numbers.Number, decimal.Decimal, np.bool_)):
        return str(value)
    hint = "; calibrate() takes samples" if key == "data" else ""
    raise TypeError(
        f"{key} has a value of type {type(value).__name__}, expected text, a number "
        f"or a path{hint}"
    )

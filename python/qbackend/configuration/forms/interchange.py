# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The JSON document that this package and the compiler exchange.

It is PyTorch's dict form with names in place of objects. docs/Python.md
describes every key.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Callable, Dict, Optional, TypeVar

from ...observation.fake_quantize import (
    FAKE_QUANTIZERS,
    FakeQuantizeBase,
    FixedQParamsFakeQuantize,
)
from ...observation.observers import (
    OBSERVERS,
    ObserverBase,
    ObserverFactory,
    ObserverLike,
    is_observer,
)
from ...vocabulary.dtypes import DType, QScheme
from ...vocabulary.names import TorchName
from ..backend_config import (
    PATTERN_KEYS,
    BackendConfig,
    BackendPatternConfig,
    DTypeConfig,
    DTypeWithConstraints,
    Pattern,
)
from ..dtype_config import DTYPE_CONFIG_KEYS, check_keys, listed
from ..qconfig import IDENTITY, QConfig, QConfigAny
from ..qconfig_mapping import GLOBAL_KEY, IGNORE_KEY, LEVELS, QConfigMapping
from . import converts

Json = Dict[str, Any]
_T = TypeVar("_T")

#: Arguments of observers that the document has; the others don't matter outside
#: of PyTorch.
OBSERVER_FIELDS = tuple(
    dict.fromkeys(
        field.name
        for cls in OBSERVERS.values()
        for field in dataclasses.fields(cls)
        if field.compare and field.name != "custom_op_name"
    )
)
_CONSTRAINTS = (
    "quant_min_lower_bound",
    "quant_max_upper_bound",
    "scale_min_lower_bound",
    "scale_max_upper_bound",
    "scale_exact_match",
    "zero_point_exact_match",
)
_DOCUMENT_KEYS = (
    "name",
    "configs",
    "lowering",
    "limits",
    "real_bias",
    "default_qconfig",
    "qconfig_mappings",
)
_ROLES = ("input", "output", "weight")


def dump(document: Json) -> str:
    return json.dumps(document, indent=1, allow_nan=False)


def load(text: str) -> Json:
    """The document that `text` is; ValueError names line and column of an
    error."""
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"line {error.lineno}, column {error.colno}: {error.msg}"
        ) from None
    return _object("the document", document)


def _object(where: str, value: Any) -> Json:
    if not isinstance(value, dict):
        raise ValueError(f"{where} is {value!r}, expected an object")
    return value


def _inside(where: str, read: Callable[[Any], _T], value: Any) -> _T:
    """`read(value)`; an error says that it is inside of `where`."""
    try:
        return read(value)
    except (
        ValueError,
        TypeError,
        AssertionError,
        NotImplementedError,
    ) as error:
        raise ValueError(f"{where}: {error}") from None


# ---------------------------------------------------------------------------
# BackendConfig
# ---------------------------------------------------------------------------


def backend_to_json(backend: BackendConfig) -> Json:
    result: Json = {
        "name": backend.name,
        "configs": [
            _inside(f"pattern {config.complex_format!r}", _pattern_config, config)
            for config in backend.configs
        ],
    }
    if backend.lowering:
        result["lowering"] = backend.lowering
    if backend.limits:
        result["limits"] = backend.limits
    if backend.real_bias:
        result["real_bias"] = True
    if backend.default_qconfig is not None:
        result["default_qconfig"] = backend.default_qconfig
    if backend.qconfig_mappings:
        result["qconfig_mappings"] = {
            name: _inside(f"mapping '{name}'", mapping_to_json, mapping)
            for name, mapping in backend.qconfig_mappings.items()
        }
    return result


@converts("to_json", BackendConfig)
def backend_to_text(backend: BackendConfig) -> str:
    return dump(backend_to_json(backend))


@converts("from_json", BackendConfig)
def backend_from_text(text: str) -> BackendConfig:
    return backend_from_json(load(text))


def _pattern_config(config: BackendPatternConfig) -> Json:
    fuser_method = config.fuser_method_name()
    root, extra = config.root_node_path(), config.extra_input_paths()
    values: Json = {}
    if config.pattern is not None:
        values["pattern"] = pattern_to_json(config.pattern)
    if config._pattern_complex_format is not None:
        values["pattern_complex_format"] = pattern_to_json(
            config._pattern_complex_format
        )
    values["observation_type"] = config.observation_type.name
    values["dtype_configs"] = [_dtype_config(c) for c in config.dtype_configs]
    optional = {
        "edges": config.edges,
        "requantization": config.requantization,
        "root_module": config.root_module,
        "qat_module": config.qat_module,
        "reference_quantized_module_for_root": config.reference_quantized_module,
        "fused_module": config.fused_module,
        "fuser_method": fuser_method,
        "root_node_getter": root and list(root.path),
        "extra_inputs_getter": extra and [list(path) for path in extra.paths],
        "num_tensor_args_to_observation_type": {
            str(count): kind.name
            for count, kind in config._num_tensor_args_to_observation_type.items()
        },
        "input_type_to_index": config._input_type_to_index,
    }
    # An empty path means something: the last operator.
    values.update(
        (key, value) for key, value in optional.items() if value not in (None, {})
    )
    return values


def pattern_to_json(pattern: Pattern) -> Any:
    if isinstance(pattern, tuple):
        return [pattern_to_json(element) for element in pattern]
    return pattern.to_json() if isinstance(pattern, TorchName) else pattern


def _dtype_config(config: DTypeConfig) -> Json:
    result: Json = {}
    for role in _ROLES:
        constraints: DTypeWithConstraints = getattr(
            config, f"{role}_dtype_with_constraints"
        )
        if constraints.dtype is None:
            continue
        fields: Json = {"dtype": constraints.dtype.name}
        for name in _CONSTRAINTS:
            if getattr(constraints, name) is not None:
                fields[name] = getattr(constraints, name)
        result[f"{role}_dtype"] = fields
    if config.bias_dtype is not None:
        result["bias_dtype"] = config.bias_dtype.name
    if config.is_dynamic is not None:
        result["is_dynamic"] = config.is_dynamic
    return result


def backend_from_json(document: Json) -> BackendConfig:
    for key in document:
        if key not in _DOCUMENT_KEYS:
            raise ValueError(
                f"unknown key '{key}', expected one of {', '.join(_DOCUMENT_KEYS)}"
            )
    backend = BackendConfig(document.get("name", ""))
    backend.set_lowering(listed("lowering", document.get("lowering", [])))
    real_bias = document.get("real_bias", False)
    if not isinstance(real_bias, bool):
        raise ValueError(f"real_bias is {real_bias!r}, expected true or false")
    backend.set_real_bias(real_bias)
    backend.set_limits(
        [
            _object("a limit", limit)
            for limit in listed("limits", document.get("limits", []))
        ]
    )
    backend.default_qconfig = document.get("default_qconfig")
    mappings = _object("qconfig_mappings", document.get("qconfig_mappings", {}))
    for name, mapping in mappings.items():
        where = f"qconfig_mappings.{name}"
        backend.set_qconfig_mapping(
            name, _inside(where, mapping_from_json, _object(where, mapping))
        )
    for i, entry in enumerate(listed("configs", document.get("configs", []))):
        where = f"configs[{i}]"
        backend.set_backend_pattern_config(
            _inside(where, pattern_config_from_json, _object(where, entry))
        )
    return backend


def pattern_config_from_json(entry: Json) -> BackendPatternConfig:
    # The document is ours: what is misspelt in it is an error.
    beside = ("edges", "requantization")
    check_keys("a BackendPatternConfig", entry, (*PATTERN_KEYS, *beside))
    values = dict(entry)
    edges, requantization = (values.pop(key, None) for key in beside)
    values["dtype_configs"] = [
        _inside(f"dtype_configs[{i}]", dtype_config_from_json, config)
        for i, config in enumerate(
            listed("dtype_configs", entry.get("dtype_configs", []))
        )
    ]
    if "num_tensor_args_to_observation_type" in entry:
        values["num_tensor_args_to_observation_type"] = {
            int(count): kind
            for count, kind in _object(
                "num_tensor_args_to_observation_type",
                entry["num_tensor_args_to_observation_type"],
            ).items()
        }
    config = BackendPatternConfig.from_dict(values)
    return config.set_edges(edges).set_requantization(requantization)


def dtype_config_from_json(entry: Any) -> DTypeConfig:
    values = dict(_object("a dtype config", entry))
    check_keys("a DTypeConfig", values, DTYPE_CONFIG_KEYS)
    for role in _ROLES:
        key = f"{role}_dtype"
        if key in values:
            fields = _object(key, values[key])
            for name in fields:
                if name not in ("dtype", *_CONSTRAINTS):
                    raise ValueError(
                        f"unknown key '{name}' of {key}, expected one of dtype, "
                        + ", ".join(_CONSTRAINTS)
                    )
            values[key] = DTypeWithConstraints(**fields)
    return DTypeConfig.from_dict(values)


# ---------------------------------------------------------------------------
# QConfigMapping
# ---------------------------------------------------------------------------


def observer_to_json(observer: ObserverLike) -> Json:
    """An observer with those of its arguments that aren't the class's default."""
    if observer == IDENTITY:
        return {"observer": "Identity"}
    if not is_observer(observer):
        raise ValueError(
            f"found {observer!r}, expected an observer class of qbackend or nn.Identity"
        )
    made = observer()
    result: Json = {}
    if isinstance(made, FakeQuantizeBase):
        result["fake_quantize"] = type(made).__name__
        made = made.activation_post_process
    assert isinstance(made, ObserverBase)
    custom_op_name = getattr(made, "custom_op_name", "")
    if custom_op_name:
        raise ValueError(
            f"{type(made).__name__} has custom_op_name '{custom_op_name}', "
            "which only PyTorch can act on"
        )
    return {**made.document(), **result}


def observer_from_json(entry: Any) -> ObserverLike:
    values = dict(_object("an observer", entry))
    name = values.pop("observer", None)
    if name == "Identity":
        return IDENTITY
    if name not in OBSERVERS:
        raise ValueError(
            f"observer is {name!r}, expected one of {', '.join(OBSERVERS)}, Identity"
        )
    fake_quantize = values.pop("fake_quantize", None)
    for key in values:
        if key not in OBSERVER_FIELDS:
            raise ValueError(
                f"unknown key '{key}' of an observer, expected one of observer, "
                + ", ".join([*OBSERVER_FIELDS, "fake_quantize"])
            )
    if "dtype" in values:
        values["dtype"] = DType.of(values["dtype"])
    if "qscheme" in values:
        values["qscheme"] = QScheme.of(values["qscheme"])
    factory = ObserverFactory(OBSERVERS[name]).with_args(**values)
    factory()  # Says what is wrong with the arguments.
    if fake_quantize is None:
        return factory if values else OBSERVERS[name]
    if fake_quantize not in FAKE_QUANTIZERS:
        raise ValueError(
            f"fake_quantize is {fake_quantize!r}, expected one of "
            + ", ".join(FAKE_QUANTIZERS)
        )
    quantizer = FAKE_QUANTIZERS[fake_quantize]
    if quantizer is FixedQParamsFakeQuantize:
        result = quantizer.with_args(observer=factory)
    else:
        result = quantizer.with_args(observer=OBSERVERS[name], **values)
    result()
    return result


def qconfig_to_json(qconfig: QConfigAny) -> Optional[Json]:
    if qconfig is None:
        return None
    if not isinstance(qconfig, QConfig):
        raise ValueError(f"found {qconfig!r}, expected a QConfig")
    return {
        "activation": observer_to_json(qconfig.activation),
        "weight": observer_to_json(qconfig.weight),
    }


def qconfig_from_json(entry: Any) -> QConfigAny:
    if entry is None:
        return None
    fields = _object("a qconfig", entry)
    if set(fields) != {"activation", "weight"}:
        raise ValueError(
            f"a qconfig has the keys {sorted(fields)}, expected activation and weight"
        )
    return QConfig(
        activation=_inside("activation", observer_from_json, fields["activation"]),
        weight=_inside("weight", observer_from_json, fields["weight"]),
    )


def mapping_to_json(mapping: QConfigMapping) -> Json:
    result: Json = {}
    for level, entries in mapping.to_dict().items():
        if isinstance(entries, list):
            result[level] = [
                [
                    *(pattern_to_json(part) for part in entry[:-1]),
                    _inside(f"{level} {entry[0]!r}", qconfig_to_json, entry[-1]),
                ]
                for entry in entries
            ]
        else:
            result[level] = _inside("the global qconfig", qconfig_to_json, entries)
    if mapping.ignore_unknown_names:
        result[IGNORE_KEY] = True
    return result


def mapping_from_json(document: Json) -> QConfigMapping:
    check_keys("a QConfigMapping", document, (*LEVELS, IGNORE_KEY))
    levels = dict(document)
    ignores = levels.pop(IGNORE_KEY, False)
    values: Json = {}
    for level, entries in levels.items():
        if level == GLOBAL_KEY:
            values[level] = _inside("the global qconfig", qconfig_from_json, entries)
            continue
        values[level] = []
        for i, entry in enumerate(listed(level, entries)):
            where = f"{level}[{i}]"
            *key, qconfig = listed(where, entry) or [None]
            values[level].append((*key, _inside(where, qconfig_from_json, qconfig)))
    mapping = QConfigMapping.from_dict(values)
    if not isinstance(ignores, bool):
        raise ValueError(f"{IGNORE_KEY} is {ignores!r}, expected true or false")
    if ignores:
        mapping.ignore_unknown_names = True
    return mapping


@converts("to_json", QConfigMapping)
def mapping_to_text(mapping: QConfigMapping) -> str:
    return dump(mapping_to_json(mapping))


@converts("from_json", QConfigMapping)
def mapping_from_text(text: str) -> QConfigMapping:
    return mapping_from_json(load(text))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the objects of an installed PyTorch, of whatever version."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Optional, Type

from ...observation.fake_quantize import FAKE_QUANTIZERS, FakeQuantize
from ...observation.observers import (
    OBSERVERS,
    Describable,
    FixedQParamsObserver,
    ObserverFactory,
    ObserverLike,
)
from ...vocabulary.dtypes import DType, QScheme
from ..backend_config import BackendConfig, BackendPatternConfig, Pattern
from ..dtype_config import DTypeConfig, DTypeWithConstraints, ObservationType
from ..fuser_methods import _method_of_torch
from ..qconfig import IDENTITY, QConfig, QConfigAny
from ..qconfig_mapping import QConfigMapping
from . import converts
from .torch_version import flatten, has_is_dynamic, is_reversed


@converts("from_torch", DTypeWithConstraints)
def constraints_from_torch(constraints: Any) -> DTypeWithConstraints:
    return DTypeWithConstraints(
        **{
            f.name: getattr(constraints, f.name, None)
            for f in dataclasses.fields(DTypeWithConstraints)
        }
    )


@converts("from_torch", DTypeConfig)
def dtype_config_from_torch(config: Any) -> DTypeConfig:
    return DTypeConfig(
        constraints_from_torch(config.input_dtype_with_constraints),
        constraints_from_torch(config.output_dtype_with_constraints),
        constraints_from_torch(config.weight_dtype_with_constraints),
        config.bias_dtype,
        config.is_dynamic,
    )


@converts("from_torch", BackendPatternConfig)
def pattern_config_from_torch(config: Any) -> BackendPatternConfig:
    if is_reversed():
        result = _pattern_in_reverse(config.pattern)
        result.set_fuser_method(_unreversed(config.fuser_method, result.pattern))
    else:
        result = BackendPatternConfig()
        if config.pattern is not None:
            result.set_pattern(config.pattern)
        if config._pattern_complex_format is not None:
            result._set_pattern_complex_format(config._pattern_complex_format)
        result.set_fuser_method(_named(config.fuser_method))
    result.set_observation_type(config.observation_type)
    if getattr(config, "_input_output_observed", None) is False:
        result.set_observation_type(ObservationType.INPUT_OUTPUT_NOT_OBSERVED)
    for dtype_config in config.dtype_configs:
        result.add_dtype_config(dtype_config_from_torch(dtype_config))
    _fixed_observer_to_constraints(config, result)
    result.set_root_module(config.root_module)
    result.set_qat_module(config.qat_module)
    result.set_reference_quantized_module(config.reference_quantized_module)
    result.set_fused_module(config.fused_module)
    result._set_root_node_getter(config._root_node_getter)
    result._set_extra_inputs_getter(config._extra_inputs_getter)
    result._set_num_tensor_args_to_observation_type(
        config._num_tensor_args_to_observation_type
    )
    return result._set_input_type_to_index(config._input_type_to_index)


def _pattern_in_reverse(pattern: Any) -> BackendPatternConfig:
    """1.13's pattern: `(b, a)` and `(c, (b, a))` turned round, others complex."""
    if not isinstance(pattern, tuple):
        return BackendPatternConfig(pattern)
    if len(pattern) == 2:
        last, rest = pattern
        if not isinstance(rest, tuple):
            return BackendPatternConfig((rest, last))
        if len(rest) == 2 and not any(isinstance(p, tuple) for p in rest):
            return BackendPatternConfig((rest[1], rest[0], last))
    return BackendPatternConfig()._set_pattern_complex_format(pattern)


def _named(method: Any) -> Any:
    """The name of a fuser method of PyTorch; other functions as they are."""
    if method is None:
        return None
    found, reverse = _method_of_torch(method)
    return method if found is None or reverse else found


def _unreversed(method: Any, pattern: Optional[Pattern]) -> Any:
    """A fuser method of 1.13 for the pattern in the order of execution."""
    if method is None or pattern is None:
        return _named(method)
    found, reverse = _method_of_torch(method)
    if found is not None and reverse:
        return found
    if isinstance(pattern, tuple) and len(pattern) == 3:
        return lambda is_qat, a, b, c: method(is_qat, c, (b, a))
    if isinstance(pattern, tuple):
        return lambda is_qat, a, b: method(is_qat, b, a)
    return method


def _fixed_observer_to_constraints(config: Any, result: BackendPatternConfig) -> None:
    observer = getattr(config, "_overwrite_output_observer", None)
    if observer is None:
        if getattr(config, "_overwrite_output_fake_quantize", None) is not None:
            raise ValueError(
                f"pattern {result.complex_format!r} has "
                "_overwrite_output_fake_quantize without _overwrite_output_observer, "
                "which has no counterpart"
            )
        return
    factory = observer_from_torch(observer)
    made = factory() if isinstance(factory, ObserverFactory) else None
    if not isinstance(made, FixedQParamsObserver):
        raise ValueError(
            f"pattern {result.complex_format!r} has _overwrite_output_observer "
            f"{factory!r}, expected a FixedQParamsObserver"
        )
    for dtype_config in result.dtype_configs:
        if dtype_config.output_dtype is not made.dtype:
            continue
        for role in ("input", "output"):
            constraints = getattr(dtype_config, f"{role}_dtype_with_constraints")
            constraints.quant_min_lower_bound = made.quant_min
            constraints.quant_max_upper_bound = made.quant_max
            constraints.scale_exact_match = made.scale
            constraints.zero_point_exact_match = made.zero_point


@converts("from_torch", BackendConfig)
def backend_from_torch(backend: Any) -> BackendConfig:
    configs = backend.configs
    if isinstance(configs, dict):  # 1.13
        configs = list(configs.values())
    return BackendConfig(backend.name).set_backend_pattern_configs(
        [pattern_config_from_torch(config) for config in configs]
    )


@converts("from_torch", Describable)
def observer_from_torch(observer: Any, role: str = "weight") -> ObserverLike:
    """The same as PyTorch's observer class or partial wrapper."""
    cls, arguments, computed = flatten(observer)
    if cls.__module__ == "torch.nn.modules.linear" and cls.__name__ == "Identity":
        return IDENTITY
    known: Dict[str, Type[Describable]] = {
        name: ours for name, ours in OBSERVERS.items() if ours.in_torch
    }
    known.update(FAKE_QUANTIZERS)
    if cls.__name__ not in known or not cls.__module__.startswith(
        "torch.ao.quantization."
    ):
        raise ValueError(
            f"observer {cls.__module__}.{cls.__qualname__} is none of PyTorch's: "
            f"expected one of {', '.join(known)}"
        )
    ours = known[cls.__name__]
    converted: Dict[str, Any] = {}
    for name, value in arguments.items():
        if name == "observer":
            converted[name] = observer_from_torch(value, role)
        elif name == "compute_dtype":
            converted["is_dynamic"] = value is not None
        elif name == "dtype":
            converted[name] = DType.of(value)
        elif name == "qscheme":
            converted[name] = QScheme.maybe(value)
        else:
            converted[name] = value
    if not converted and not computed:
        return ours
    result = ours.with_args(**converted)
    if computed:
        result = result.with_callable_args(**computed)
    if (
        role == "activation"
        and issubclass(ours, FakeQuantize)
        and not has_is_dynamic()
        and converted.get("averaging_constant") == 1
    ):
        result = result.with_args(is_dynamic=True)
    return result


@converts("from_torch", QConfig)
def qconfig_from_torch(qconfig: Any) -> QConfig:
    return QConfig(
        activation=observer_from_torch(qconfig.activation, "activation"),
        weight=observer_from_torch(qconfig.weight),
    )


@converts("from_torch", QConfigMapping)
def mapping_from_torch(mapping: Any) -> QConfigMapping:
    def convert(qconfig: Any) -> QConfigAny:
        return None if qconfig is None else qconfig_from_torch(qconfig)

    result = QConfigMapping().set_global(convert(mapping.global_qconfig))
    for name, qconfig in mapping.object_type_qconfigs.items():
        result.set_object_type(name, convert(qconfig))
    for regex, qconfig in mapping.module_name_regex_qconfigs.items():
        result.set_module_name_regex(regex, convert(qconfig))
    for module, qconfig in mapping.module_name_qconfigs.items():
        result.set_module_name(module, convert(qconfig))
    for key, qconfig in mapping.module_name_object_type_order_qconfigs.items():
        module, name, index = key
        result.set_module_name_object_type_order(module, name, index, convert(qconfig))
    return result

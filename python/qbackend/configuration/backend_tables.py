# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a backend says, looked up by pattern or module: the functions of
`torch.ao.quantization.backend_config.utils`.

Patterns that are keys are in the complex format, in reverse and nested.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

from ..vocabulary.names import TorchName, name_of
from .backend_config import BackendConfig, BackendPatternConfig, Pattern
from .dtype_config import DTypeConfig
from .fuser_methods import reverse2, reverse3

__all__ = [
    "entry_to_pretty_str",
    "get_fused_module_classes",
    "get_fuser_method_mapping",
    "get_fusion_pattern_to_extra_inputs_getter",
    "get_fusion_pattern_to_root_node_getter",
    "get_module_to_qat_module",
    "get_pattern_to_dtype_configs",
    "get_pattern_to_input_type_to_index",
    "get_qat_module_classes",
    "get_root_module_to_quantized_reference_module",
    "pattern_to_human_readable",
    "remove_boolean_dispatch_from_name",
]


def _by_pattern(
    backend_config: BackendConfig, read: Callable[[BackendPatternConfig], Any]
) -> Dict[Pattern, Any]:
    """What `read` gives for each pattern, but for None."""
    found = {
        pattern: read(config)
        for pattern, config in backend_config._pattern_complex_format_to_config.items()
    }
    return {pattern: value for pattern, value in found.items() if value is not None}


def _each_once(
    backend_config: BackendConfig,
    read: Callable[[BackendPatternConfig], Optional[TorchName]],
) -> Tuple[TorchName, ...]:
    """What `read` gives for the entries, but for None, in order."""
    found = map(read, backend_config.configs)
    return tuple(dict.fromkeys(name for name in found if name is not None))


def get_pattern_to_dtype_configs(
    backend_config: BackendConfig,
) -> Dict[Pattern, List[DTypeConfig]]:
    """The types of every pattern."""
    return _by_pattern(backend_config, lambda config: config.dtype_configs)


def get_qat_module_classes(backend_config: BackendConfig) -> Tuple[TorchName, ...]:
    """The modules that stand in while training, each once, in order."""
    return _each_once(backend_config, lambda config: config.qat_module)


def get_fused_module_classes(backend_config: BackendConfig) -> Tuple[TorchName, ...]:
    """The modules that fusion makes, each once, in order."""
    return _each_once(backend_config, lambda config: config.fused_module)


def get_pattern_to_input_type_to_index(
    backend_config: BackendConfig,
) -> Dict[Pattern, Dict[str, int]]:
    """The positions of weight and bias of every pattern; empty if none is given."""
    return _by_pattern(backend_config, lambda config: config._input_type_to_index)


def get_root_module_to_quantized_reference_module(
    backend_config: BackendConfig,
) -> Dict[TorchName, TorchName]:
    """The reference module of each root module; the last entry counts."""
    return {
        config.root_module: config.reference_quantized_module
        for config in backend_config.configs
        if config.root_module is not None
        and config.reference_quantized_module is not None
    }


def get_fuser_method_in_reversed_nested_tuple_format(
    config: BackendPatternConfig,
) -> Callable[..., Any]:
    """The fuser method for operators in the order of the complex format."""
    method: Any = config.fuser_method
    if method is None:
        raise AssertionError(f"pattern {config.pattern!r} has no fuser method")
    if config._pattern_complex_format is not None:
        found: Callable[..., Any] = method
        return found
    if not isinstance(config.pattern, tuple):
        raise ValueError(f"Expected pattern to be a tuple, got: {config.pattern!r}")
    if len(config.pattern) == 2:
        return reverse2(method)
    if len(config.pattern) == 3:
        return reverse3(method)
    raise ValueError(f"Expected a tuple with 2 or 3 elements, got: {config.pattern!r}")


def get_fuser_method_mapping(
    backend_config: BackendConfig,
) -> Dict[Pattern, Callable[..., Any]]:
    """The fuser methods, for operators in the order of the pattern."""
    return _by_pattern(
        backend_config,
        lambda config: config.fuser_method
        and get_fuser_method_in_reversed_nested_tuple_format(config),
    )


def get_module_to_qat_module(
    backend_config: BackendConfig,
) -> Dict[Pattern, TorchName]:
    """What each pattern is replaced by while training."""
    return _by_pattern(backend_config, lambda config: config.qat_module)


def get_fusion_pattern_to_root_node_getter(
    backend_config: BackendConfig,
) -> Dict[Pattern, Callable[..., Any]]:
    """The functions that find the root of a pattern where it isn't the last
    element of the last element."""
    return _by_pattern(backend_config, lambda config: config._root_node_getter)


def get_fusion_pattern_to_extra_inputs_getter(
    backend_config: BackendConfig,
) -> Dict[Pattern, Callable[..., Any]]:
    """The functions that find what else a fused module takes."""
    return _by_pattern(backend_config, lambda config: config._extra_inputs_getter)


# The functions that PyTorch makes out of two, whose own names say nothing.
_DISPATCHED = tuple(
    f"torch.nn.functional.{name}"
    for name in (
        "fractional_max_pool2d",
        "fractional_max_pool3d",
        "max_pool1d",
        "max_pool2d",
        "max_pool3d",
        "adaptive_max_pool1d",
        "adaptive_max_pool2d",
        "adaptive_max_pool3d",
    )
)


def remove_boolean_dispatch_from_name(p: Any) -> Any:
    """The name of a function that PyTorch dispatches by a flag; anything else as
    it is. AssertionError for such a function without a name."""
    if isinstance(p, str):
        return str(p) if p in _DISPATCHED else p
    if "boolean_dispatch" not in str(p):
        return p
    try:
        name = name_of(p)
    except TypeError:
        name = None
    if name not in _DISPATCHED:
        raise AssertionError(
            f"{p} does not have a human readable representation in quantization "
            "documentation"
        )
    return str(name)


def pattern_to_human_readable(p: Any) -> Any:
    """The pattern with names in place of functions whose own say nothing."""
    if isinstance(p, tuple):
        return tuple(pattern_to_human_readable(element) for element in p)
    return remove_boolean_dispatch_from_name(p)


def entry_to_pretty_str(entry: Dict[str, Any]) -> str:
    """An entry of a backend in dictionary form as text: a line for each value,
    the pattern first, then the types, then the rest in its order."""
    lines = ["{"]
    if "pattern" in entry:
        lines.append(f"  'pattern': {pattern_to_human_readable(entry['pattern'])},")
    if "dtype_configs" in entry:
        lines.append("  'dtype_configs': [")
        for dtype_config in entry["dtype_configs"]:
            lines.append("    {")
            lines += [f"      '{key}': {value}," for key, value in dtype_config.items()]
            lines.append("    },")
        lines.append("  ],")
    by_count = "num_tensor_args_to_observation_type"
    if by_count in entry:
        lines.append(f"  '{by_count}': {{")
        lines += [f"    {key}: {value}," for key, value in entry[by_count].items()]
        lines.append("  },")
    lines += [
        f"  '{key}': {value},"
        for key, value in entry.items()
        if key not in ("pattern", "dtype_configs", by_count)
    ]
    return "\n".join([*lines, "}"])


def get_pattern_in_reversed_nested_tuple_format(
    config: BackendPatternConfig,
) -> Pattern:
    """The pattern in the complex format."""
    return config.complex_format

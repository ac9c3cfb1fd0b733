# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""BackendConfig and what it consists of: what a backend can quantize."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from .._library import native
from ..vocabulary.names import TorchName, name_of
from .dtype_config import (
    DTypeConfig,
    DTypeWithConstraints,
    ObservationType,
    keyed,
    known_keys,
    listed,
)
from .forms import JsonForm, TorchForm
from .fuser_methods import FuserMethod, fuser_method_of
from .node_getters import (
    ExtraInputsGetter,
    RootNodeGetter,
    extra_inputs_getter_of,
    root_node_getter_of,
)
from .qconfig_mapping import QConfigMapping

__all__ = [
    "BackendConfig",
    "BackendPatternConfig",
    "DTypeConfig",
    "DTypeWithConstraints",
    "ObservationType",
]

#: An operator's name, a literal argument, or a tuple of patterns.
Pattern = Union[TorchName, int, float, bool, None, Tuple[Any, ...]]

_BOTH_PATTERNS = (
    "Only one of 'pattern' or 'pattern_complex_format' can be set: {new} after {old}"
)


# Keys of PyTorch's dictionary form, under its names.
NAME_DICT_KEY = "name"
CONFIGS_DICT_KEY = "configs"
PATTERN_DICT_KEY = "pattern"
PATTERN_COMPLEX_FORMAT_DICT_KEY = "pattern_complex_format"
OBSERVATION_TYPE_DICT_KEY = "observation_type"
DTYPE_CONFIGS_DICT_KEY = "dtype_configs"
ROOT_MODULE_DICT_KEY = "root_module"
QAT_MODULE_DICT_KEY = "qat_module"
REFERENCE_QUANTIZED_MODULE_DICT_KEY = "reference_quantized_module_for_root"
FUSED_MODULE_DICT_KEY = "fused_module"
FUSER_METHOD_DICT_KEY = "fuser_method"
ROOT_NODE_GETTER_DICT_KEY = "root_node_getter"
EXTRA_INPUTS_GETTER_DICT_KEY = "extra_inputs_getter"
NUM_TENSOR_ARGS_TO_OBSERVATION_TYPE_DICT_KEY = "num_tensor_args_to_observation_type"
INPUT_TYPE_TO_INDEX_DICT_KEY = "input_type_to_index"

PATTERN_KEYS = (
    PATTERN_DICT_KEY,
    OBSERVATION_TYPE_DICT_KEY,
    DTYPE_CONFIGS_DICT_KEY,
    ROOT_MODULE_DICT_KEY,
    QAT_MODULE_DICT_KEY,
    REFERENCE_QUANTIZED_MODULE_DICT_KEY,
    FUSED_MODULE_DICT_KEY,
    FUSER_METHOD_DICT_KEY,
    ROOT_NODE_GETTER_DICT_KEY,
    EXTRA_INPUTS_GETTER_DICT_KEY,
    NUM_TENSOR_ARGS_TO_OBSERVATION_TYPE_DICT_KEY,
    INPUT_TYPE_TO_INDEX_DICT_KEY,
    PATTERN_COMPLEX_FORMAT_DICT_KEY,
)


def normalize_pattern(pattern: Any) -> Pattern:
    """Names in place of objects, tuples in place of lists."""
    if isinstance(pattern, (tuple, list)):
        return tuple(normalize_pattern(element) for element in pattern)
    if pattern is None or isinstance(pattern, (bool, int, float)):
        return pattern
    return name_of(pattern)


def _optional_name(value: Any) -> Optional[TorchName]:
    return None if value is None else name_of(value)


class BackendPatternConfig(TorchForm):
    """What a backend can do with one pattern: an operator, or a tuple of two or
    three in the order of execution. Setters return the object, to be chained."""

    def __init__(self, pattern: Any = None) -> None:
        self.pattern: Optional[Pattern] = normalize_pattern(pattern)
        self.observation_type = ObservationType.OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT
        self.dtype_configs: List[DTypeConfig] = []
        self.root_module: Optional[TorchName] = None
        self.qat_module: Optional[TorchName] = None
        self.reference_quantized_module: Optional[TorchName] = None
        self.fused_module: Optional[TorchName] = None
        self.fuser_method: Union[FuserMethod, Callable[..., Any], None] = None
        self._root_node_getter: Optional[Callable[[Any], Any]] = None
        self._extra_inputs_getter: Optional[Callable[[Any], Any]] = None
        self._num_tensor_args_to_observation_type: Dict[int, ObservationType] = {}
        self._input_type_to_index: Dict[str, int] = {}
        self._pattern_complex_format: Optional[Pattern] = None
        self.edges: Optional[Dict[str, Any]] = None
        self.requantization: Optional[Dict[str, str]] = None

    def set_pattern(self, pattern: Any) -> BackendPatternConfig:
        pattern = normalize_pattern(pattern)
        if self._pattern_complex_format is not None:
            raise ValueError(
                _BOTH_PATTERNS.format(new=pattern, old=self._pattern_complex_format)
            )
        self.pattern = pattern
        return self

    def _set_pattern_complex_format(self, pattern: Any) -> BackendPatternConfig:
        """The pattern in reverse, nested: an operator, or a tuple of one and the
        patterns of its arguments."""
        pattern = normalize_pattern(pattern)
        if self.pattern is not None:
            raise ValueError(_BOTH_PATTERNS.format(new=pattern, old=self.pattern))
        self._pattern_complex_format = pattern
        return self

    def set_observation_type(self, observation_type: Any) -> BackendPatternConfig:
        self.observation_type = ObservationType.of(observation_type)
        return self

    def set_edges(self, edges: Optional[Dict[str, Any]]) -> BackendPatternConfig:
        """The quantization spec of each edge, in the form of the JSON document,
        which docs/Python.md describes; in place of an observation type. PyTorch's
        classes and its dict form don't have them."""
        if edges is not None and not isinstance(edges, dict):
            raise ValueError(f"edges is {edges!r}, expected a dictionary")
        self.edges = edges
        return self

    def set_requantization(
        self, requantization: Optional[Dict[str, str]]
    ) -> BackendPatternConfig:
        """How kernels of the pattern get from sums to integers, in the form of the
        JSON document: `{"rounding": "double", "multiplier": "fixed_point"}`.
        PyTorch's classes and its dict form don't have it."""
        if requantization is not None and not isinstance(requantization, dict):
            raise ValueError(
                f"requantization is {requantization!r}, expected a dictionary"
            )
        self.requantization = requantization
        return self

    def add_dtype_config(self, dtype_config: DTypeConfig) -> BackendPatternConfig:
        self.dtype_configs.append(_dtype_config(dtype_config))
        return self

    def set_dtype_configs(
        self, dtype_configs: List[DTypeConfig]
    ) -> BackendPatternConfig:
        """Replaces those there were. The list is kept, not copied, so that it can
        be extended later; PyTorch's objects in it are replaced by ours."""
        if not isinstance(dtype_configs, list):
            dtype_configs = list(dtype_configs)
        dtype_configs[:] = [_dtype_config(config) for config in dtype_configs]
        self.dtype_configs = dtype_configs
        return self

    def set_root_module(self, root_module: Any) -> BackendPatternConfig:
        """The module whose reference form stands for the pattern: `nn.Linear` of
        `nni.LinearReLU`."""
        self.root_module = _optional_name(root_module)
        return self

    def set_qat_module(self, qat_module: Any) -> BackendPatternConfig:
        self.qat_module = _optional_name(qat_module)
        return self

    def set_reference_quantized_module(
        self, reference_quantized_module: Any
    ) -> BackendPatternConfig:
        self.reference_quantized_module = _optional_name(reference_quantized_module)
        return self

    def set_fused_module(self, fused_module: Any) -> BackendPatternConfig:
        self.fused_module = _optional_name(fused_module)
        return self

    def set_fuser_method(self, fuser_method: Any) -> BackendPatternConfig:
        """A name, or a function `f(is_qat, first, second[, third])`; of a pattern in
        the complex format `f(is_qat, *pattern)`."""
        if isinstance(fuser_method, str):
            fuser_method = FuserMethod(fuser_method)
        self.fuser_method = fuser_method
        return self

    def _set_root_node_getter(self, root_node_getter: Any) -> BackendPatternConfig:
        """A function from the matched nodes, or the path of node_getters.py."""
        if isinstance(root_node_getter, (list, tuple)):
            root_node_getter = RootNodeGetter(root_node_getter)
        self._root_node_getter = _function("root_node_getter", root_node_getter)
        return self

    def _set_extra_inputs_getter(
        self, extra_inputs_getter: Any
    ) -> BackendPatternConfig:
        """A function from the matched nodes, or a list of paths."""
        if isinstance(extra_inputs_getter, (list, tuple)):
            extra_inputs_getter = ExtraInputsGetter(extra_inputs_getter)
        self._extra_inputs_getter = _function(
            "extra_inputs_getter", extra_inputs_getter
        )
        return self

    def _set_num_tensor_args_to_observation_type(
        self, num_tensor_args_to_observation_type: Dict[int, Any]
    ) -> BackendPatternConfig:
        """How the output is observed, by how many arguments are tensors."""
        self._num_tensor_args_to_observation_type = {
            count: ObservationType.of(kind)
            for count, kind in keyed(
                "num_tensor_args_to_observation_type",
                num_tensor_args_to_observation_type,
            ).items()
        }
        return self

    def _set_input_type_to_index(
        self, input_type_to_index: Dict[str, int]
    ) -> BackendPatternConfig:
        """The position of the argument `weight` or `bias` of a function."""
        self._input_type_to_index = dict(
            keyed("input_type_to_index", input_type_to_index)
        )
        return self

    @property
    def complex_format(self) -> Pattern:
        """The pattern in reverse, nested: what a registry is keyed by."""
        if self._pattern_complex_format is not None:
            return self._pattern_complex_format
        if self.pattern is None:
            raise ValueError(
                "Either 'pattern' or 'pattern_complex_format' must be specified"
            )
        if not isinstance(self.pattern, tuple):
            return self.pattern
        if len(self.pattern) == 2:
            return (self.pattern[1], self.pattern[0])
        if len(self.pattern) == 3:
            return (self.pattern[2], (self.pattern[1], self.pattern[0]))
        raise ValueError(
            f"Expected a tuple with 2 or 3 elements, got: {self.pattern!r} with "
            f"{len(self.pattern)}"
        )

    def fuser_method_name(self) -> Optional[FuserMethod]:
        """The name of the fuser method; ValueError if it is a function that has
        none."""
        if self.fuser_method is None:
            return None
        is_nested = self._pattern_complex_format is not None
        pattern = self._pattern_complex_format if is_nested else self.pattern
        name = fuser_method_of(self.fuser_method, pattern, is_nested)
        # What is paired goes into the fused module, if there is one.
        if name == "sequential_wrapper2" and self.fused_module is not None:
            return FuserMethod(f"{name}({self.fused_module})")
        return name

    def root_node_path(self) -> Optional[RootNodeGetter]:
        """The root node getter as a path; ValueError if it is a function that
        returns no node."""
        getter = self._root_node_getter
        return getter and root_node_getter_of(getter, self.complex_format)

    def extra_input_paths(self) -> Optional[ExtraInputsGetter]:
        """The same for the extra inputs."""
        getter = self._extra_inputs_getter
        return getter and extra_inputs_getter_of(getter, self.complex_format)

    @classmethod
    def from_dict(
        cls, backend_pattern_config_dict: Dict[str, Any]
    ) -> BackendPatternConfig:
        """From PyTorch's form, with its objects or ours. Every key is optional;
        others are ignored with a warning."""
        given = known_keys(
            "a BackendPatternConfig", backend_pattern_config_dict, PATTERN_KEYS
        )
        config = cls()
        if "pattern" in given:
            config.set_pattern(given["pattern"])
        if "pattern_complex_format" in given:
            config._set_pattern_complex_format(given["pattern_complex_format"])
        if "observation_type" in given:
            config.set_observation_type(given["observation_type"])
        for dtype_config in listed("dtype_configs", given.get("dtype_configs", [])):
            if isinstance(dtype_config, dict):
                dtype_config = DTypeConfig.from_dict(dtype_config)
            config.add_dtype_config(dtype_config)
        config.set_root_module(given.get("root_module"))
        config.set_qat_module(given.get("qat_module"))
        config.set_reference_quantized_module(
            given.get("reference_quantized_module_for_root")
        )
        config.set_fused_module(given.get("fused_module"))
        config.set_fuser_method(given.get("fuser_method"))
        config._set_root_node_getter(given.get("root_node_getter"))
        config._set_extra_inputs_getter(given.get("extra_inputs_getter"))
        config._set_num_tensor_args_to_observation_type(
            given.get("num_tensor_args_to_observation_type", {})
        )
        return config._set_input_type_to_index(given.get("input_type_to_index", {}))

    def to_dict(self) -> Dict[str, Any]:
        """PyTorch's form: what is set. Observation type and dtype configs always
        are."""
        values = {
            "observation_type": self.observation_type,
            "dtype_configs": [config.to_dict() for config in self.dtype_configs],
            "pattern": self.pattern,
            "root_module": self.root_module,
            "qat_module": self.qat_module,
            "reference_quantized_module_for_root": self.reference_quantized_module,
            "fused_module": self.fused_module,
            "fuser_method": self.fuser_method,
            "root_node_getter": self._root_node_getter,
            "extra_inputs_getter": self._extra_inputs_getter,
            "num_tensor_args_to_observation_type": (
                self._num_tensor_args_to_observation_type or None
            ),
            "input_type_to_index": self._input_type_to_index or None,
            "pattern_complex_format": self._pattern_complex_format,
        }
        return {key: value for key, value in values.items() if value is not None}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BackendPatternConfig):
            return NotImplemented
        return self._compared() == other._compared()

    def __hash__(self) -> int:
        return hash((self.pattern, self._pattern_complex_format))

    def _compared(self) -> Dict[str, Any]:
        values = dict(self.__dict__)
        for key, normalize in (
            ("fuser_method", self.fuser_method_name),
            ("_root_node_getter", self.root_node_path),
            ("_extra_inputs_getter", self.extra_input_paths),
        ):
            try:
                values[key] = normalize()
            except ValueError:
                pass  # A function that isn't understood is equal to itself.
        return values

    def __repr__(self) -> str:
        fields = ", ".join(
            f"{name.lstrip('_')}={value!r}"
            for name, value in self.__dict__.items()
            if value is not None and value != [] and value != {}
        )
        return f"BackendPatternConfig({fields})"


def _function(what: str, value: Any) -> Any:
    if value is None or callable(value):
        return value
    raise ValueError(f"{what} is {value!r}, expected a function or a list of indices")


def _dtype_config(value: Any) -> DTypeConfig:
    if isinstance(value, DTypeConfig):
        return value
    if type(value).__name__ == "DTypeConfig":
        return DTypeConfig.from_torch(value)
    raise ValueError(f"found dtype config {value!r}, expected a DTypeConfig")


class BackendConfig(JsonForm):
    """What a backend can quantize: a list of patterns, of which no two are the
    same. Setters return the object, to be chained.

    What PyTorch's class doesn't have, the compiler's configurations do: `lowering`,
    the forms that the result can take, best first; `real_bias`, that its engine adds
    the bias as a float, which the reference form then does, too; `limits`, what an
    operator has to satisfy; named `qconfig_mappings`; and `default_qconfig`, the name
    of one. The JSON and MLIR forms have them, PyTorch's dict form and equality don't.
    """

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.lowering: List[str] = []
        self.real_bias = False
        self.limits: List[Dict[str, Any]] = []
        self.qconfig_mappings: Dict[str, QConfigMapping] = {}
        self.default_qconfig: Optional[str] = None
        self._pattern_complex_format_to_config: Dict[Pattern, BackendPatternConfig] = {}

    def set_name(self, name: str) -> BackendConfig:
        self.name = name
        return self

    def set_backend_pattern_config(self, config: BackendPatternConfig) -> BackendConfig:
        """Adds a pattern. One that is there already is replaced, in its place."""
        if not isinstance(config, BackendPatternConfig):
            if type(config).__name__ != "BackendPatternConfig":
                raise ValueError(f"found {config!r}, expected a BackendPatternConfig")
            config = BackendPatternConfig.from_torch(config)
        self._pattern_complex_format_to_config[config.complex_format] = config
        return self

    def set_backend_pattern_configs(
        self, configs: List[BackendPatternConfig]
    ) -> BackendConfig:
        for config in configs:
            self.set_backend_pattern_config(config)
        return self

    def set_lowering(self, lowering: List[str]) -> BackendConfig:
        self.lowering = list(lowering)
        return self

    def set_real_bias(self, real_bias: bool = True) -> BackendConfig:
        self.real_bias = bool(real_bias)
        return self

    def set_limits(self, limits: List[Dict[str, Any]]) -> BackendConfig:
        """What operators have to satisfy to be quantized, each
        {"kinds": ["conv2d"], "condition": "stride <= 3", "reason": "Ethos-U55"}."""
        self.limits = [dict(limit) for limit in limits]
        return self

    def set_qconfig_mapping(
        self, name: str, mapping: QConfigMapping, default: bool = False
    ) -> BackendConfig:
        """Adds a mapping that `apply_backend(qconfig=name)` finds; `default`: it is
        used if none is named."""
        self.qconfig_mappings[name] = mapping
        if default:
            self.default_qconfig = name
        return self

    @property
    def configs(self) -> List[BackendPatternConfig]:
        """The patterns in order; the list is a copy."""
        return list(self._pattern_complex_format_to_config.values())

    @classmethod
    def from_dict(cls, backend_config_dict: Dict[str, Any]) -> BackendConfig:
        """From PyTorch's form: `name`, and `configs`, a list of dictionaries or
        BackendPatternConfigs. Other keys are ignored with a warning."""
        given = known_keys(
            "a BackendConfig", backend_config_dict, (NAME_DICT_KEY, CONFIGS_DICT_KEY)
        )
        backend = cls(given.get(NAME_DICT_KEY, ""))
        for config in listed(CONFIGS_DICT_KEY, given.get(CONFIGS_DICT_KEY, [])):
            if isinstance(config, dict):
                config = BackendPatternConfig.from_dict(config)
            backend.set_backend_pattern_config(config)
        return backend

    def to_dict(self) -> Dict[str, Any]:
        """PyTorch's form."""
        return {
            "name": self.name,
            "configs": [config.to_dict() for config in self.configs],
        }

    def to_mlir(self) -> str:
        """A `qbackend.backend_config`, checked by the compiler. ValueError with its
        diagnostics if it can't hold this configuration."""
        text: str = native().backend_from_json(self.to_json())
        return text

    @classmethod
    def from_mlir(cls, text: str) -> BackendConfig:
        """The configuration that `text` is: MLIR, the path of a file, or the name
        of a built-in backend."""
        return cls.from_json(native().backend_to_json(text))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BackendConfig):
            return NotImplemented
        return self.name == other.name and self.configs == other.configs

    def __hash__(self) -> int:
        # All else can change while it is in a set.
        return hash(type(self))

    def __repr__(self) -> str:
        lines = [f"BackendConfig({self.name!r}"]
        lines += [f"  {config!r}" for config in self.configs]
        return ",\n".join(lines) + ")"

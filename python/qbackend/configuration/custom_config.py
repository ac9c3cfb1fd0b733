# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a network needs besides a backend and a QConfigMapping: PyTorch's
`fx.custom_config`.

PyTorch prepares a tree of modules; the compiler quantizes a module of operators
that know the path of the module they come from. What of these objects it can act
on, and how, is in `apply_custom_config`; the rest it refuses by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, ClassVar, Dict, List, Optional, Tuple, Type, TypeVar

from ..vocabulary.names import name_of
from ..vocabulary.quant_type import (
    QuantType,
    get_quant_type_to_str,
    quant_type_from_str,
)
from .backend_config import BackendConfig
from .dtype_config import known_keys
from .qconfig_mapping import QConfigMapping

__all__ = [
    "ConvertCustomConfig",
    "FuseCustomConfig",
    "PrepareCustomConfig",
    "StandaloneModuleConfigEntry",
]

STANDALONE_MODULE_NAME_DICT_KEY = "standalone_module_name"
STANDALONE_MODULE_CLASS_DICT_KEY = "standalone_module_class"
FLOAT_TO_OBSERVED_DICT_KEY = "float_to_observed_custom_module_class"
OBSERVED_TO_QUANTIZED_DICT_KEY = "observed_to_quantized_custom_module_class"
NON_TRACEABLE_MODULE_NAME_DICT_KEY = "non_traceable_module_name"
NON_TRACEABLE_MODULE_CLASS_DICT_KEY = "non_traceable_module_class"
INPUT_QUANTIZED_INDEXES_DICT_KEY = "input_quantized_idxs"
OUTPUT_QUANTIZED_INDEXES_DICT_KEY = "output_quantized_idxs"
PRESERVED_ATTRIBUTES_DICT_KEY = "preserved_attributes"

#: From the class of a module to the class that replaces it.
ModuleMapping = Dict[QuantType, Dict[Any, Any]]
_C = TypeVar("_C")
_Config = TypeVar("_Config", bound="_CustomConfig")


@dataclass
class StandaloneModuleConfigEntry:
    """How a module that is quantized by itself is. None is what the network
    has."""

    qconfig_mapping: Optional[QConfigMapping]
    example_inputs: Tuple[Any, ...]
    prepare_custom_config: Optional[PrepareCustomConfig]
    backend_config: Optional[BackendConfig]


class _CustomConfig:
    """Equal and printed by what is set."""

    #: The lists, by the keys that they have in a dictionary.
    _lists: ClassVar[Dict[str, str]] = {
        PRESERVED_ATTRIBUTES_DICT_KEY: "preserved_attributes"
    }

    def __init__(self) -> None:
        self.preserved_attributes: List[str] = []

    def set_preserved_attributes(self: _Config, attributes: List[str]) -> _Config:
        """Attributes of the module that are kept though nothing uses them."""
        self.preserved_attributes = attributes
        return self

    def _mappings(self) -> Dict[str, Any]:
        """What is no list, in PyTorch's form."""
        return {}

    def to_dict(self) -> Dict[str, Any]:
        """PyTorch's form: what is set. A backend stays an object."""
        values = self._mappings()
        values.update((key, getattr(self, name)) for key, name in self._lists.items())
        return {key: value for key, value in values.items() if len(value) > 0}

    @classmethod
    def _of_lists(
        cls: Type[_Config], given: Dict[str, Any]
    ) -> Tuple[_Config, Dict[str, Any]]:
        """An object with the lists of a dictionary, and what there is in that.
        Unknown keys are ignored with a warning."""
        config = cls()
        keys = (*config._mappings(), *cls._lists)
        known = known_keys(f"a {cls.__name__}", given, keys)
        for key, name in cls._lists.items():
            setattr(config, name, known.get(key, []))
        return config, known

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        values = {key: value for key, value in self.__dict__.items() if len(value) > 0}
        return f"{type(self).__name__}({values})"


class PrepareCustomConfig(_CustomConfig):
    """What `prepare_fx` is told beyond the mapping. Setters return the object, to
    be chained."""

    _lists = {
        NON_TRACEABLE_MODULE_NAME_DICT_KEY: "non_traceable_module_names",
        NON_TRACEABLE_MODULE_CLASS_DICT_KEY: "non_traceable_module_classes",
        INPUT_QUANTIZED_INDEXES_DICT_KEY: "input_quantized_indexes",
        OUTPUT_QUANTIZED_INDEXES_DICT_KEY: "output_quantized_indexes",
        **_CustomConfig._lists,
    }

    def __init__(self) -> None:
        self.standalone_module_names: Dict[str, StandaloneModuleConfigEntry] = {}
        self.standalone_module_classes: Dict[Any, StandaloneModuleConfigEntry] = {}
        self.float_to_observed_mapping: ModuleMapping = {}
        self.non_traceable_module_names: List[str] = []
        self.non_traceable_module_classes: List[Any] = []
        self.input_quantized_indexes: List[int] = []
        self.output_quantized_indexes: List[int] = []
        super().__init__()

    def set_standalone_module_name(
        self,
        module_name: str,
        qconfig_mapping: Optional[QConfigMapping],
        example_inputs: Tuple[Any, ...],
        prepare_custom_config: Optional[PrepareCustomConfig],
        backend_config: Optional[BackendConfig],
    ) -> PrepareCustomConfig:
        """The module of that name is quantized by itself, with a mapping of its
        own or, if that is None, the network's."""
        self.standalone_module_names[module_name] = StandaloneModuleConfigEntry(
            qconfig_mapping, example_inputs, prepare_custom_config, backend_config
        )
        return self

    def set_standalone_module_class(
        self,
        module_class: Any,
        qconfig_mapping: Optional[QConfigMapping],
        example_inputs: Tuple[Any, ...],
        prepare_custom_config: Optional[PrepareCustomConfig],
        backend_config: Optional[BackendConfig],
    ) -> PrepareCustomConfig:
        """The same for all modules of a class."""
        self.standalone_module_classes[module_class] = StandaloneModuleConfigEntry(
            qconfig_mapping, example_inputs, prepare_custom_config, backend_config
        )
        return self

    def set_float_to_observed_mapping(
        self,
        float_class: Any,
        observed_class: Any,
        quant_type: QuantType = QuantType.STATIC,
    ) -> PrepareCustomConfig:
        """What stands for a module class while calibrating. ValueError unless it
        is quantized statically."""
        if quant_type != QuantType.STATIC:
            raise ValueError(
                "set_float_to_observed_mapping is currently only supported for static "
                f"quantization: found {quant_type!r}"
            )
        by_class = self.float_to_observed_mapping.setdefault(quant_type, {})
        by_class[float_class] = observed_class
        return self

    def set_non_traceable_module_names(
        self, module_names: List[str]
    ) -> PrepareCustomConfig:
        """Modules that stay as they are."""
        self.non_traceable_module_names = module_names
        return self

    def set_non_traceable_module_classes(
        self, module_classes: List[Any]
    ) -> PrepareCustomConfig:
        """The same by their classes."""
        self.non_traceable_module_classes = module_classes
        return self

    def set_input_quantized_indexes(self, indexes: List[int]) -> PrepareCustomConfig:
        """Arguments of the network that are integers for its caller."""
        self.input_quantized_indexes = indexes
        return self

    def set_output_quantized_indexes(self, indexes: List[int]) -> PrepareCustomConfig:
        """Results of the network that are integers for its caller."""
        self.output_quantized_indexes = indexes
        return self

    @classmethod
    def from_dict(
        cls, prepare_custom_config_dict: Dict[str, Any]
    ) -> PrepareCustomConfig:
        """The object of which `to_dict` gives this. Standalone modules are tuples
        of name or class, mapping, example inputs, PrepareCustomConfig and backend,
        each an object, a dictionary, or None. Unknown keys are ignored with a
        warning."""
        config, given = cls._of_lists(prepare_custom_config_dict)
        for key, setter in (
            (STANDALONE_MODULE_NAME_DICT_KEY, config.set_standalone_module_name),
            (STANDALONE_MODULE_CLASS_DICT_KEY, config.set_standalone_module_class),
        ):
            for entry in given.get(key, []):
                if not isinstance(entry, (tuple, list)) or len(entry) != 5:
                    raise ValueError(
                        f"an entry of '{key}' is {entry!r}, expected a tuple of 5"
                    )
                module, mapping, example_inputs, child, backend = entry
                setter(
                    module,
                    _object(QConfigMapping, mapping, "prepare", key),
                    example_inputs,
                    _object(PrepareCustomConfig, child, "prepare", key),
                    _object(BackendConfig, backend, "prepare", key),
                )
        _each_pair(
            given.get(FLOAT_TO_OBSERVED_DICT_KEY, {}),
            config.set_float_to_observed_mapping,
        )
        return config

    def _mappings(self) -> Dict[str, Any]:
        return {
            STANDALONE_MODULE_NAME_DICT_KEY: _entries(self.standalone_module_names),
            STANDALONE_MODULE_CLASS_DICT_KEY: _entries(self.standalone_module_classes),
            FLOAT_TO_OBSERVED_DICT_KEY: _by_type_name(self.float_to_observed_mapping),
        }


class ConvertCustomConfig(_CustomConfig):
    """What `convert_fx` is told."""

    def __init__(self) -> None:
        self.observed_to_quantized_mapping: ModuleMapping = {}
        super().__init__()

    def set_observed_to_quantized_mapping(
        self,
        observed_class: Any,
        quantized_class: Any,
        quant_type: QuantType = QuantType.STATIC,
    ) -> ConvertCustomConfig:
        """What stands for an observed module class after conversion."""
        by_class = self.observed_to_quantized_mapping.setdefault(quant_type, {})
        by_class[observed_class] = quantized_class
        return self

    @classmethod
    def from_dict(
        cls, convert_custom_config_dict: Dict[str, Any]
    ) -> ConvertCustomConfig:
        """The object of which `to_dict` gives this."""
        config, given = cls._of_lists(convert_custom_config_dict)
        _each_pair(
            given.get(OBSERVED_TO_QUANTIZED_DICT_KEY, {}),
            config.set_observed_to_quantized_mapping,
        )
        return config

    def _mappings(self) -> Dict[str, Any]:
        return {
            OBSERVED_TO_QUANTIZED_DICT_KEY: _by_type_name(
                self.observed_to_quantized_mapping
            )
        }


class FuseCustomConfig(_CustomConfig):
    """What `fuse_fx` is told."""

    @classmethod
    def from_dict(cls, fuse_custom_config_dict: Dict[str, Any]) -> FuseCustomConfig:
        """The object of which `to_dict` gives this."""
        return cls._of_lists(fuse_custom_config_dict)[0]


def _object(cls: Type[_C], value: Any, step: str, key: str) -> Optional[_C]:
    if value is None or isinstance(value, cls):
        return value
    if isinstance(value, dict):
        found: _C = getattr(cls, "from_dict")(value)
        return found
    if type(value).__name__ == cls.__name__ and hasattr(cls, "from_torch"):
        found = getattr(cls, "from_torch")(value)
        return found
    raise ValueError(
        f'Expected {cls.__name__} in {step}_custom_config_dict["{key}"], got '
        f"'{type(value)}'"
    )


def _each_pair(by_type: Any, setter: Callable[..., Any]) -> None:
    for name, by_class in by_type.items():
        for source, target in by_class.items():
            setter(source, target, quant_type_from_str(name))


def _by_type_name(mapping: ModuleMapping) -> Dict[str, Dict[Any, Any]]:
    return {
        get_quant_type_to_str(quant_type): by_class
        for quant_type, by_class in mapping.items()
    }


def _entries(
    modules: Dict[Any, StandaloneModuleConfigEntry],
) -> List[Tuple[Any, ...]]:
    return [
        (
            module,
            entry.qconfig_mapping and entry.qconfig_mapping.to_dict(),
            entry.example_inputs,
            entry.prepare_custom_config and entry.prepare_custom_config.to_dict(),
            entry.backend_config,
        )
        for module, entry in modules.items()
    ]


# ---------------------------------------------------------------------------
# What the compiler does with them
# ---------------------------------------------------------------------------


def _is_inside(path: str, module: str) -> bool:
    return path == module or path.startswith(module + ".")


def _refuse(what: str, names: Any, why: str) -> None:
    if names:
        listed = ", ".join(str(getattr(n, "__name__", n)) for n in names)
        raise ValueError(f"{what} ({listed}): {why}")


def _leave_out(mapping: QConfigMapping, module: str) -> None:
    """Makes the mapping say None for all that is inside of a module, and says
    nothing else about it."""
    for path in [p for p in mapping.module_name_qconfigs if _is_inside(p, module)]:
        del mapping.module_name_qconfigs[path]
    ordered = mapping.module_name_object_type_order_qconfigs
    for key in [key for key in ordered if _is_inside(key[0], module)]:
        del ordered[key]


def _apply_standalone(
    mapping: QConfigMapping,
    module: str,
    entry: StandaloneModuleConfigEntry,
    backend: Optional[BackendConfig],
) -> None:
    where = f"standalone module '{module}'"
    child = entry.prepare_custom_config
    if child is not None and child != PrepareCustomConfig():
        raise ValueError(
            f"{where} has a PrepareCustomConfig of its own, {child!r}: set it for the "
            "network, with names from the network's root"
        )
    if entry.backend_config is not None and entry.backend_config != backend:
        raise ValueError(
            f"{where} has backend '{entry.backend_config.name}': a module of operators "
            "has one backend, expected None or the network's"
        )
    own = entry.qconfig_mapping
    if own is None:
        return
    for what, found in (
        ("object types", list(map(str, own.object_type_qconfigs))),
        ("module types", list(own.module_type_qconfigs)),
        ("regular expressions", list(own.module_name_regex_qconfigs)),
    ):
        if found:
            raise ValueError(
                f"{where} has a mapping with {what} ({', '.join(found)}), which "
                "count everywhere: write module names, or module_name_object_type_order"
            )
    _leave_out(mapping, module)
    mapping.set_module_name(module, own.global_qconfig)
    for path, qconfig in own.module_name_qconfigs.items():
        mapping.set_module_name(f"{module}.{path}", qconfig)
    for (path, kind, i), qconfig in own.module_name_object_type_order_qconfigs.items():
        full = f"{module}.{path}" if path else module
        mapping.set_module_name_object_type_order(full, kind, i, qconfig)


def apply_custom_config(
    config: PrepareCustomConfig,
    mapping: QConfigMapping,
    backend: Optional[BackendConfig] = None,
) -> Dict[str, str]:
    """Changes `mapping` to what `config` says of modules, and returns the options
    of the compiler for the rest.

    - input and output indexes are `quantized-inputs` and `quantized-outputs`;
    - modules that can't be traced have no qconfig, nor has what is inside; classes
      are those of PyTorch that a backend can name;
    - a standalone module has its mapping under its name. Its example inputs aren't
      needed: operators have types.

    ValueError names what a module of operators has none of: classes of the user's
    own modules, attributes, custom modules that replace others.
    """
    _refuse(
        FLOAT_TO_OBSERVED_DICT_KEY,
        [c for by_class in config.float_to_observed_mapping.values() for c in by_class],
        "a module of operators has no classes to replace",
    )
    _refuse(
        STANDALONE_MODULE_CLASS_DICT_KEY,
        config.standalone_module_classes,
        "operators know the name of their module, not its class: write "
        "set_standalone_module_name",
    )
    _refuse(
        PRESERVED_ATTRIBUTES_DICT_KEY,
        config.preserved_attributes,
        "a module of operators has no attributes; its functions and globals are kept",
    )
    for module, entry in config.standalone_module_names.items():
        _apply_standalone(mapping, module, entry, backend)
    for module in config.non_traceable_module_names:
        _leave_out(mapping, module)
        mapping.set_module_name(module, None)
    for module_class in config.non_traceable_module_classes:
        name = name_of(module_class)
        if not name.startswith("torch."):
            _refuse(
                NON_TRACEABLE_MODULE_CLASS_DICT_KEY,
                [name],
                "operators know the name of their module, not its class: write "
                "set_non_traceable_module_names",
            )
        mapping.set_object_type(name, None)
    options = {}
    for key, indexes in (
        ("quantized_inputs", config.input_quantized_indexes),
        ("quantized_outputs", config.output_quantized_indexes),
    ):
        if indexes:
            options[key] = ",".join(str(index) for index in indexes)
    return options

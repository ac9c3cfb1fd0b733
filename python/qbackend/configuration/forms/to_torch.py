# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""To the objects of an installed PyTorch, of whatever version."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from typing import Any, Callable, Dict, List, Optional, Set, Type

from ...observation.fake_quantize import FakeQuantize
from ...observation.observers import (
    Describable,
    ObserverFactory,
    ObserverLike,
    PlaceholderObserver,
    is_observer,
)
from ...vocabulary.dtypes import DType, QScheme, quint8
from ...vocabulary.names import TorchName
from ..backend_config import BackendConfig, BackendPatternConfig, Pattern
from ..dtype_config import DTypeConfig, DTypeWithConstraints, ObservationType
from ..qconfig import IDENTITY, QConfig, QConfigAny
from ..qconfig_mapping import QConfigMapping
from . import converts
from .torch_version import (
    backend_config_module,
    base_class,
    is_reversed,
    quantization,
)


@converts(
    "to_torch",
    BackendConfig,
    BackendPatternConfig,
    DTypeConfig,
    DTypeWithConstraints,
    QConfig,
    QConfigMapping,
)
def to_torch(value: Any, missing: Optional[List[str]] = None) -> Any:
    """PyTorch's object like `value`. See BackendConfig.to_torch for `missing`."""
    exporter = _Exporter()
    converters: Dict[type, Callable[[Any], Any]] = {
        BackendConfig: exporter.backend,
        BackendPatternConfig: exporter.pattern_config,
        DTypeConfig: exporter.dtype_config,
        DTypeWithConstraints: exporter.constraints,
        QConfig: exporter.qconfig,
        QConfigMapping: exporter.mapping,
    }
    result = converters[type(value)](value)
    lacking = list(dict.fromkeys(exporter.missing))
    if missing is not None:
        missing.extend(lacking)
    elif lacking:
        import torch

        raise ValueError(
            f"PyTorch {torch.__version__} has no {', '.join(lacking)}: install a "
            "later one, or leave them out with to_torch(missing=[])"
        )
    return result


class _Exporter:
    """Makes PyTorch's objects and lists what it found no counterpart of."""

    def __init__(self) -> None:
        self.missing: List[str] = []

    def name(self, name: Optional[TorchName]) -> Any:
        if name is None:
            return None
        try:
            return name.to_torch()
        except ValueError:
            self.missing.append(str(name))
            return None

    def pattern(self, pattern: Pattern) -> Any:
        if isinstance(pattern, tuple):
            return tuple(self.pattern(element) for element in pattern)
        return self.name(pattern) if isinstance(pattern, TorchName) else pattern

    def dtype(self, value: Optional[DType]) -> Any:
        if value is None:
            return None
        try:
            return value.to_torch()
        except ValueError:
            self.missing.append(f"torch.{value.name}")
            return None

    def constraints(self, constraints: DTypeWithConstraints) -> Any:
        cls = backend_config_module().DTypeWithConstraints
        known = {f.name for f in dataclasses.fields(cls)}
        values = {
            f.name: getattr(constraints, f.name)
            for f in dataclasses.fields(constraints)
        }
        values["dtype"] = self.dtype(constraints.dtype)
        for name in list(values):
            if name not in known:
                if values.pop(name) is not None:
                    self.missing.append(f"DTypeWithConstraints.{name}")
        return cls(**values)

    def dtype_config(self, config: DTypeConfig) -> Any:
        return backend_config_module().DTypeConfig(
            input_dtype=self.constraints(config.input_dtype_with_constraints),
            output_dtype=self.constraints(config.output_dtype_with_constraints),
            weight_dtype=self.constraints(config.weight_dtype_with_constraints),
            bias_dtype=self.dtype(config.bias_dtype),
            is_dynamic=config.is_dynamic,
        )

    def observation_type(self, kind: ObservationType) -> Any:
        return getattr(backend_config_module().ObservationType, kind.name, None)

    def pattern_config(self, config: BackendPatternConfig) -> Any:
        """None if the pattern itself has names that are missing."""
        count = len(self.missing)
        cls = backend_config_module().BackendPatternConfig
        reverse = is_reversed()
        if reverse:
            result = cls(self.pattern(config.complex_format))
        elif config._pattern_complex_format is not None:
            result = cls()._set_pattern_complex_format(
                self.pattern(config._pattern_complex_format)
            )
        else:
            result = cls(self.pattern(config.pattern))
        if len(self.missing) > count:
            return None
        kind = self.observation_type(config.observation_type)
        if kind is not None:
            result.set_observation_type(kind)
        elif hasattr(result, "_set_input_output_observed"):
            result._set_input_output_observed(False)
        else:
            self.missing.append(f"ObservationType.{config.observation_type.name}")
        for beside in ("edges", "requantization"):
            if getattr(config, beside) is not None:
                self.missing.append(f"BackendPatternConfig.{beside}")
        dtype_configs = config.dtype_configs
        if reverse:
            dtype_configs = self.replace_exact_match(dtype_configs, result)
        for dtype_config in dtype_configs:
            result.add_dtype_config(self.dtype_config(dtype_config))
        result.set_root_module(self.name(config.root_module))
        result.set_qat_module(self.name(config.qat_module))
        result.set_reference_quantized_module(
            self.name(config.reference_quantized_module)
        )
        result.set_fused_module(self.name(config.fused_module))
        result.set_fuser_method(self.fuser_method(config, reverse))
        result._set_root_node_getter(config._root_node_getter)
        result._set_extra_inputs_getter(config._extra_inputs_getter)
        by_count = {
            count: self.observation_type(kind)
            for count, kind in config._num_tensor_args_to_observation_type.items()
        }
        if None in by_count.values():
            self.missing.append("ObservationType.INPUT_OUTPUT_NOT_OBSERVED")
        else:
            result._set_num_tensor_args_to_observation_type(by_count)
        return result._set_input_type_to_index(dict(config._input_type_to_index))

    def replace_exact_match(
        self, dtype_configs: List[DTypeConfig], result: Any
    ) -> List[DTypeConfig]:
        """1.13's form of fixed parameters: an observer of the output in place of
        constraints, if those of input and output are the same."""
        replaced: List[DTypeConfig] = []
        for config in dtype_configs:
            output = config.output_dtype_with_constraints
            if (
                output.scale_exact_match is None
                or output.zero_point_exact_match is None
                or output.dtype is not quint8
                or config.input_dtype_with_constraints != output
            ):
                replaced.append(config)
                continue
            arguments = {
                "scale": output.scale_exact_match,
                "zero_point": output.zero_point_exact_match,
                "quant_min": output.quant_min_lower_bound or 0,
                "quant_max": (
                    255
                    if output.quant_max_upper_bound is None
                    else output.quant_max_upper_bound
                ),
            }
            observer = quantization().FixedQParamsObserver.with_args(**arguments)
            result._set_overwrite_output_observer(observer)
            result._set_overwrite_output_fake_quantize(
                quantization().fake_quantize.FixedQParamsFakeQuantize.with_args(
                    observer=observer
                )
            )
            plain = dataclasses.replace(
                output,
                scale_exact_match=None,
                zero_point_exact_match=None,
                quant_min_lower_bound=None,
                quant_max_upper_bound=None,
            )
            replaced.append(
                DTypeConfig(
                    plain,
                    plain,
                    config.weight_dtype_with_constraints,
                    config.bias_dtype,
                    config.is_dynamic,
                )
            )
        return replaced

    def fuser_method(self, config: BackendPatternConfig, reverse: bool) -> Any:
        if config.fuser_method is None:
            return None
        method: Any = config.fuser_method
        if isinstance(method, str):
            method = self.named_fuser_method(config)
        if method is None or not reverse or config._pattern_complex_format is not None:
            return method
        mappings = importlib.import_module(
            "torch.ao.quantization.fuser_method_mappings"
        )
        three = isinstance(config.pattern, tuple) and len(config.pattern) == 3
        return mappings.reverse3(method) if three else mappings.reverse2(method)

    def named_fuser_method(self, config: BackendPatternConfig) -> Any:
        name = config.fuser_method_name()
        assert name is not None
        found = self.function(name.method)
        if found is None or name.method != "sequential_wrapper2":
            return found
        if not name.argument:
            self.missing.append("sequential_wrapper2 without a fused module")
            return None
        fused = self.name(TorchName(name.argument))
        return None if fused is None else found(fused)

    def function(self, function: str) -> Any:
        """A function of PyTorch's configurations by its name, with or without the
        underscore that later versions put before it."""
        for path in (
            "torch.ao.quantization.fuser_method_mappings",
            "torch.ao.quantization.backend_config.onednn",
        ):
            try:
                module = importlib.import_module(path)
            except ImportError:
                continue
            for spelling in (function, f"_{function}"):
                if hasattr(module, spelling):
                    return getattr(module, spelling)
        self.missing.append(function)
        return None

    def backend(self, backend: BackendConfig) -> Any:
        result = backend_config_module().BackendConfig(backend.name)
        for config in backend.configs:
            converted = self.pattern_config(config)
            if converted is not None:
                result.set_backend_pattern_config(converted)
        return result

    # -- QConfigs --

    def qconfig(self, qconfig: QConfigAny) -> Any:
        if qconfig is None:
            return None
        if not isinstance(qconfig, QConfig):
            raise ValueError(f"found {qconfig!r}, expected a QConfig")
        return quantization().QConfig(
            activation=self.observer(qconfig.activation),
            weight=self.observer(qconfig.weight),
        )

    def mapping(self, mapping: QConfigMapping) -> Any:
        # One object of ours becomes one of theirs: PyTorch compares some by
        # identity.
        made: Dict[int, Any] = {}

        def convert(qconfig: QConfigAny) -> Any:
            if id(qconfig) not in made:
                made[id(qconfig)] = self.qconfig(qconfig)
            return made[id(qconfig)]

        if mapping.module_type_qconfigs:
            raise ValueError(
                "a QConfigMapping of PyTorch has no module types, found "
                f"{', '.join(mapping.module_type_qconfigs)}: write module names"
            )
        result = importlib.import_module(
            "torch.ao.quantization.qconfig_mapping"
        ).QConfigMapping()
        result.set_global(convert(mapping.global_qconfig))
        for name, qconfig in mapping.object_type_qconfigs.items():
            found = self.name(name)
            if found is not None:
                result.set_object_type(found, convert(qconfig))
        for regex, qconfig in mapping.module_name_regex_qconfigs.items():
            result.set_module_name_regex(regex, convert(qconfig))
        for module, qconfig in mapping.module_name_qconfigs.items():
            result.set_module_name(module, convert(qconfig))
        for key, qconfig in mapping.module_name_object_type_order_qconfigs.items():
            found = self.name(key[1])
            if found is not None:
                result.set_module_name_object_type_order(
                    key[0], found, key[2], convert(qconfig)
                )
        return result

    def observer(self, observer: ObserverLike) -> Any:
        if observer == IDENTITY:
            return self.name(IDENTITY)
        if not is_observer(observer):
            raise ValueError(
                f"found {observer!r}, expected an observer class of qbackend or "
                "nn.Identity"
            )
        if isinstance(observer, type):
            return self.observer_class(observer)
        assert isinstance(observer, ObserverFactory)
        cls = self.observer_class(observer.observer)
        if cls is None:
            return None
        arguments = dict(observer.arguments)
        arguments.update(
            (name, value()) for name, value in observer.callable_arguments.items()
        )
        known = _parameters(cls)
        inner = arguments.get("observer")
        if inner is not None:
            arguments["observer"] = self.observer(inner)
            known |= _parameters(base_class(arguments["observer"]))
        elif "observer" in known:
            known |= _parameters(quantization().MovingAverageMinMaxObserver)
        if "is_dynamic" not in known:
            self.replace_is_dynamic(observer.observer, arguments)
        if "quant_min" not in known and getattr(observer(), "quant_min", 0) is None:
            # The whole range of a placeholder's type, which it has without them.
            arguments.pop("quant_min", None)
            arguments.pop("quant_max", None)
        converted: Dict[str, Any] = {}
        for name, value in arguments.items():
            if name not in known:
                self.missing.append(f"{cls.__name__}({name})")
            elif isinstance(value, DType):
                converted[name] = self.dtype(value)
            elif name in ("dtype", "compute_dtype"):
                converted[name] = self.dtype(DType.maybe(value))
            elif name == "qscheme" and value is not None:
                converted[name] = QScheme.of(value).to_torch()
            else:
                converted[name] = value
        return cls.with_args(**converted)

    def replace_is_dynamic(
        self, cls: Type[Describable], arguments: Dict[str, Any]
    ) -> None:
        if "is_dynamic" not in arguments:
            return
        if not arguments["is_dynamic"]:
            del arguments["is_dynamic"]
        elif cls is PlaceholderObserver:
            del arguments["is_dynamic"]
            arguments["compute_dtype"] = DType.of(arguments["dtype"])
        elif issubclass(cls, FakeQuantize) and arguments.get("averaging_constant") == 1:
            del arguments["is_dynamic"]

    def observer_class(self, cls: Type[Describable]) -> Any:
        for path in ("observer", "fake_quantize"):
            module = importlib.import_module(f"torch.ao.quantization.{path}")
            if hasattr(module, cls.__name__):
                return getattr(module, cls.__name__)
        self.missing.append(f"torch.ao.quantization.{cls.__name__}")
        return None


def _parameters(cls: Any) -> Set[str]:
    return {
        name
        for name, parameter in inspect.signature(cls.__init__).parameters.items()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD and name != "self"
    }

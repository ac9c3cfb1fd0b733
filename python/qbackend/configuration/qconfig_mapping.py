# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""QConfigMapping: which operators are observed with what."""

from __future__ import annotations

import re
import warnings
from typing import Any, Callable, Dict, Tuple, cast

from .._library import native
from ..observation.equalization import EqualizationQConfig, default_equalization_qconfig
from ..observation.fake_quantize import (
    FixedQParamsFakeQuantize,
    default_weight_fake_quant,
)
from ..observation.observers import (
    ObserverLike,
    default_fixed_qparams_range_0to1_observer,
    default_fixed_qparams_range_neg1to1_observer,
    default_placeholder_observer,
    default_weight_observer,
)
from ..vocabulary.names import TorchName, name_of
from .dtype_config import known_keys
from .forms import JsonForm
from .qconfig import (
    QConfig,
    QConfigAny,
    default_quint8_weight_qconfig,
    default_reuse_input_qconfig,
    default_symmetric_qnnpack_qat_qconfig,
    default_symmetric_qnnpack_qconfig,
    get_default_qat_qconfig,
    get_default_qconfig,
)

__all__ = [
    "QConfigMapping",
    "get_default_equalization_qconfig_mapping",
    "get_default_qat_qconfig_dict",
    "get_default_qat_qconfig_mapping",
    "get_default_qconfig_dict",
    "get_default_qconfig_mapping",
]

GLOBAL_KEY = ""
OBJECT_TYPE_KEY = "object_type"
MODULE_TYPE_KEY = "module_type"
MODULE_NAME_REGEX_KEY = "module_name_regex"
MODULE_NAME_KEY = "module_name"
MODULE_NAME_OBJECT_TYPE_ORDER_KEY = "module_name_object_type_order"
IGNORE_KEY = "ignore_unknown_names"
LEVELS = (
    GLOBAL_KEY,
    OBJECT_TYPE_KEY,
    MODULE_TYPE_KEY,
    MODULE_NAME_REGEX_KEY,
    MODULE_NAME_KEY,
    MODULE_NAME_OBJECT_TYPE_ORDER_KEY,
)


class QConfigMapping(JsonForm):
    """A QConfig for each operator. The levels, each stronger than those before:
    global, object type, module type, regular expression on the module's name, the
    module's name, and name, type and position together. None turns quantization off.

    An object type is a module class, a function, or the name of a method. A module
    type, as in PyTorch's quantizers of exported programs, is for all operators in
    modules of that class. Later
    entries replace earlier ones of the same key and keep their place.

    A module's name that a network lacks is an error. PyTorch ignores it, and so does
    a mapping whose `ignore_unknown_names` is True: one that several networks share.
    """

    ignore_unknown_names = False

    def __init__(self) -> None:
        self.global_qconfig: QConfigAny = None
        self.object_type_qconfigs: Dict[TorchName, QConfigAny] = {}
        self.module_type_qconfigs: Dict[str, QConfigAny] = {}
        self.module_name_regex_qconfigs: Dict[str, QConfigAny] = {}
        self.module_name_qconfigs: Dict[str, QConfigAny] = {}
        self.module_name_object_type_order_qconfigs: Dict[
            Tuple[str, TorchName, int], QConfigAny
        ] = {}

    def set_global(self, global_qconfig: Any) -> QConfigMapping:
        self.global_qconfig = _qconfig(global_qconfig)
        return self

    def set_object_type(self, object_type: Any, qconfig: Any) -> QConfigMapping:
        self.object_type_qconfigs[name_of(object_type)] = _qconfig(qconfig)
        return self

    def set_module_type(self, module_type: Any, qconfig: Any) -> QConfigMapping:
        """For the operators in modules of that class, or of its full name."""
        name = module_type
        if isinstance(module_type, type):
            name = f"{module_type.__module__}.{module_type.__qualname__}"
        _check_name("module_type", name)
        self.module_type_qconfigs[name] = _qconfig(qconfig)
        return self

    def set_module_name_regex(
        self, module_name_regex: str, qconfig: Any
    ) -> QConfigMapping:
        """For modules whose name starts with a match; the first one counts."""
        _check_name("module_name_regex", module_name_regex)
        try:
            re.compile(module_name_regex)
        except re.error as error:
            raise ValueError(
                f"module_name_regex '{module_name_regex}' is no regular expression: "
                f"{error}"
            ) from None
        self.module_name_regex_qconfigs[module_name_regex] = _qconfig(qconfig)
        return self

    def set_module_name(self, module_name: str, qconfig: Any) -> QConfigMapping:
        """For the module of that name and those inside it."""
        _check_name("module_name", module_name)
        self.module_name_qconfigs[module_name] = _qconfig(qconfig)
        return self

    def set_module_name_object_type_order(
        self, module_name: str, object_type: Any, index: int, qconfig: Any
    ) -> QConfigMapping:
        """For the operator of that type that is number `index` in the module."""
        _check_name("module_name", module_name)
        if not isinstance(index, int) or isinstance(index, bool):
            raise ValueError(f"index is {index!r}, expected a whole number")
        key = (module_name, name_of(object_type), index)
        self.module_name_object_type_order_qconfigs[key] = _qconfig(qconfig)
        return self

    def to_dict(self) -> Dict[str, Any]:
        """PyTorch's form: a QConfig under "", lists of tuples under the others.
        Module types, which it has none of, only if there are some."""
        types = list(self.module_type_qconfigs.items())
        return {
            **({MODULE_TYPE_KEY: types} if types else {}),
            GLOBAL_KEY: self.global_qconfig,
            OBJECT_TYPE_KEY: list(self.object_type_qconfigs.items()),
            MODULE_NAME_REGEX_KEY: list(self.module_name_regex_qconfigs.items()),
            MODULE_NAME_KEY: list(self.module_name_qconfigs.items()),
            MODULE_NAME_OBJECT_TYPE_ORDER_KEY: [
                (*key, value)
                for key, value in self.module_name_object_type_order_qconfigs.items()
            ],
        }

    @classmethod
    def from_dict(cls, qconfig_dict: Dict[str, Any]) -> QConfigMapping:
        """The mapping of which `to_dict` gives this. Every key is optional; others
        are ignored with a warning."""
        qconfig_dict = known_keys("a QConfigMapping", qconfig_dict, LEVELS)
        mapping = cls().set_global(qconfig_dict.get(GLOBAL_KEY))
        setters: Tuple[Tuple[str, Callable[..., Any], int], ...] = (
            (OBJECT_TYPE_KEY, mapping.set_object_type, 2),
            (MODULE_TYPE_KEY, mapping.set_module_type, 2),
            (MODULE_NAME_REGEX_KEY, mapping.set_module_name_regex, 2),
            (MODULE_NAME_KEY, mapping.set_module_name, 2),
            (
                MODULE_NAME_OBJECT_TYPE_ORDER_KEY,
                mapping.set_module_name_object_type_order,
                4,
            ),
        )
        for key, setter, length in setters:
            entries = qconfig_dict.get(key, [])
            if not isinstance(entries, (tuple, list)):
                raise ValueError(f"'{key}' is {entries!r}, expected a list of tuples")
            for entry in entries:
                if not isinstance(entry, (tuple, list)) or len(entry) != length:
                    raise ValueError(
                        f"an entry of '{key}' is {entry!r}, expected a tuple of "
                        f"{length}"
                    )
                setter(*entry)
        return mapping

    def to_mlir(self, name: str = "default") -> str:
        """A `qbackend.qconfig_mapping @name`, checked by the compiler. ValueError
        with its diagnostics if it can't hold this mapping."""
        text: str = native().mapping_from_json(self.to_json(), name)
        return text

    @classmethod
    def from_mlir(cls, text: str, name: str = "") -> QConfigMapping:
        """The mapping `name` of a module or a backend; with no name the default
        of the backend. `text` is MLIR, a path, or a built-in backend's name."""
        return cls.from_json(native().mapping_to_json(text, name))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, QConfigMapping):
            return NotImplemented
        return (
            self.ignore_unknown_names == other.ignore_unknown_names
            and self.to_dict() == other.to_dict()
        )

    def __hash__(self) -> int:
        # All else can change while it is in a set.
        return hash(type(self))

    def __repr__(self) -> str:
        lines = ["QConfigMapping ("]
        for name, value in self.__dict__.items():
            lines.append(f" {name}")
            if isinstance(value, dict) and value:
                lines += [f"  {key}: {qconfig}" for key, qconfig in value.items()]
            else:
                lines.append(f"  {value}")
        return "\n".join([*lines, ")"])


def _check_name(what: str, name: Any) -> None:
    if not isinstance(name, str):
        raise ValueError(f"{what} is {name!r}, expected a string")


def _qconfig(value: Any) -> QConfigAny:
    if value is None or isinstance(value, QConfig):
        return value
    if isinstance(value, EqualizationQConfig):
        # A mapping for equalization has these in place of QConfigs, as in PyTorch.
        return cast(QConfigAny, value)
    if type(value).__module__.startswith("torch.ao.quantization"):
        return QConfig.from_torch(value)
    raise ValueError(f"found {value!r}, expected a QConfig or None")


#: The operators whose results are in [0, 1) or [-1, 1), and what observes those.
FIXED_QPARAMS_OP_TO_OBSERVER: Dict[str, ObserverLike] = {
    **dict.fromkeys(
        (
            "torch.nn.Hardsigmoid",
            "torch.nn.functional.hardsigmoid",
            "hardsigmoid",
            "hardsigmoid_",
            "torch.nn.Sigmoid",
            "torch.sigmoid",
            "sigmoid",
            "sigmoid_",
            "torch.nn.Softmax",
        ),
        default_fixed_qparams_range_0to1_observer,
    ),
    **dict.fromkeys(
        ("torch.nn.Tanh", "torch.tanh", "tanh", "tanh_"),
        default_fixed_qparams_range_neg1to1_observer,
    ),
}


def _default_mapping(qconfig: QConfig, is_qat: bool, backend: str) -> QConfigMapping:
    """PyTorch 2.x's default with `qconfig` where it has the backend's own."""
    weight = default_weight_fake_quant if is_qat else default_weight_observer
    # Their transposed convolutions have no weights quantized per channel.
    transposed = (
        QConfig(activation=qconfig.activation, weight=weight)
        if backend in ("fbgemm", "x86")
        else qconfig
    )
    layer_norm = QConfig(
        activation=qconfig.activation, weight=default_placeholder_observer
    )
    mapping = QConfigMapping().set_global(qconfig)
    mapping.set_object_type("reshape", default_reuse_input_qconfig)
    for module in ("nn.ConvTranspose", "nn.functional.conv_transpose"):
        for rank in (1, 2, 3):
            mapping.set_object_type(f"torch.{module}{rank}d", transposed)
    mapping.set_object_type("torch.nn.functional.layer_norm", layer_norm)
    mapping.set_object_type("torch.nn.LayerNorm", layer_norm)
    mapping.set_object_type("torch.nn.PReLU", default_quint8_weight_qconfig)
    for name, observer in FIXED_QPARAMS_OP_TO_OBSERVER.items():
        activation = (
            FixedQParamsFakeQuantize.with_args(observer=observer)
            if is_qat
            else observer
        )
        mapping.set_object_type(name, QConfig(activation=activation, weight=weight))
    return mapping


def get_default_qconfig_mapping(
    backend: str = "x86", version: int = 0
) -> QConfigMapping:
    """PyTorch's mapping for calibration: `x86`, `fbgemm`, `qnnpack`, `onednn`."""
    return _default_mapping(get_default_qconfig(backend, version), False, backend)


def get_default_qat_qconfig_mapping(
    backend: str = "x86", version: int = 1
) -> QConfigMapping:
    """PyTorch's mapping for training."""
    return _default_mapping(get_default_qat_qconfig(backend, version), True, backend)


def _as_dict(name: str, mapping: QConfigMapping) -> Dict[str, Any]:
    warnings.warn(
        f"{name}_dict is deprecated, write {name}_mapping", FutureWarning, stacklevel=3
    )
    return mapping.to_dict()


def get_default_qconfig_dict(backend: str = "x86", version: int = 0) -> Dict[str, Any]:
    """`get_default_qconfig_mapping` in dictionary form."""
    return _as_dict(
        "get_default_qconfig", get_default_qconfig_mapping(backend, version)
    )


def get_default_qat_qconfig_dict(
    backend: str = "x86", version: int = 1
) -> Dict[str, Any]:
    """`get_default_qat_qconfig_mapping` in dictionary form."""
    return _as_dict(
        "get_default_qat_qconfig", get_default_qat_qconfig_mapping(backend, version)
    )


def get_default_equalization_qconfig_mapping() -> QConfigMapping:
    """A mapping that equalizes every layer that can be."""
    return QConfigMapping().set_global(default_equalization_qconfig)


def _symmetric(mapping: QConfigMapping, qconfig: QConfig) -> QConfigMapping:
    mapping.set_global(qconfig)
    for name in list(mapping.object_type_qconfigs):
        if name not in FIXED_QPARAMS_OP_TO_OBSERVER:
            mapping.set_object_type(name, qconfig)
    return mapping


def _get_symmetric_qnnpack_qconfig_mapping() -> QConfigMapping:
    return _symmetric(
        get_default_qconfig_mapping("qnnpack"), default_symmetric_qnnpack_qconfig
    )


def _get_symmetric_qnnpack_qat_qconfig_mapping() -> QConfigMapping:
    return _symmetric(
        get_default_qat_qconfig_mapping("qnnpack"),
        default_symmetric_qnnpack_qat_qconfig,
    )

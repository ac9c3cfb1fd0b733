# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types that a pattern supports, and how its output is observed."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from enum import Enum
from typing import Any, Dict, List, Optional, Tuple, Union

from ..vocabulary.dtypes import DType, DTypeLike
from .forms import TorchForm

__all__ = ["DTypeConfig", "DTypeWithConstraints", "ObservationType"]

INPUT_DTYPE_DICT_KEY = "input_dtype"
OUTPUT_DTYPE_DICT_KEY = "output_dtype"
WEIGHT_DTYPE_DICT_KEY = "weight_dtype"
BIAS_DTYPE_DICT_KEY = "bias_dtype"
IS_DYNAMIC_DICT_KEY = "is_dynamic"
DTYPE_CONFIG_KEYS = (
    INPUT_DTYPE_DICT_KEY,
    OUTPUT_DTYPE_DICT_KEY,
    WEIGHT_DTYPE_DICT_KEY,
    BIAS_DTYPE_DICT_KEY,
    IS_DYNAMIC_DICT_KEY,
)


class ObservationType(Enum):
    """How an operator's output is observed in relation to its input."""

    #: With an observer of its own: conv, linear.
    OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT = 0
    #: With the input's, so both have the same parameters: cat, max_pool.
    OUTPUT_SHARE_OBSERVER_WITH_INPUT = 1
    #: Not at all, nor is the input: x.size().
    INPUT_OUTPUT_NOT_OBSERVED = 2

    @classmethod
    def of(cls, value: Any) -> ObservationType:
        """The member that `value` is, of PyTorch's enum too, or names."""
        if isinstance(value, cls):
            return value
        name = value.name if isinstance(value, Enum) else value
        if isinstance(name, str) and name in cls.__members__:
            return cls[name]
        raise ValueError(
            f"observation type is {value!r}, expected an ObservationType: "
            + ", ".join(cls.__members__)
        )


@dataclass(eq=True)
class DTypeWithConstraints(TorchForm):
    """A type, and what an observer of that type has to satisfy.

    Its range lies within the two `quant` bounds (checked if both are given), its
    eps is at least `scale_min_lower_bound`, and fixed parameters are equal to the
    two `exact_match` fields. `scale_max_upper_bound` is kept and never checked.
    """

    dtype: Optional[DType] = None
    quant_min_lower_bound: Union[int, float, None] = None
    quant_max_upper_bound: Union[int, float, None] = None
    scale_min_lower_bound: Union[int, float, None] = None
    scale_max_upper_bound: Union[int, float, None] = None
    scale_exact_match: Optional[float] = None
    zero_point_exact_match: Optional[int] = None

    def __post_init__(self) -> None:
        self.dtype = DType.maybe(self.dtype)

    def __hash__(self) -> int:
        # Of what no rule of a backend changes later.
        return hash(self.dtype)

    @classmethod
    def of(cls, value: Any) -> DTypeWithConstraints:
        """`value` itself, PyTorch's object, or a type without constraints."""
        if isinstance(value, cls):
            return value
        if type(value).__name__ == cls.__name__:
            return cls.from_torch(value)
        return cls(DType.maybe(value))


@dataclass(init=False, eq=False)
class DTypeConfig(TorchForm):
    """One combination of types that a pattern supports. A type left out accepts
    any."""

    input_dtype_with_constraints: DTypeWithConstraints
    output_dtype_with_constraints: DTypeWithConstraints
    weight_dtype_with_constraints: DTypeWithConstraints
    bias_dtype: Optional[DType]
    is_dynamic: Optional[bool]

    def __init__(
        self,
        input_dtype: Union[DTypeLike, DTypeWithConstraints, None] = None,
        output_dtype: Union[DTypeLike, DTypeWithConstraints, None] = None,
        weight_dtype: Union[DTypeLike, DTypeWithConstraints, None] = None,
        bias_dtype: Optional[DTypeLike] = None,
        is_dynamic: Optional[bool] = None,
    ) -> None:
        self.input_dtype_with_constraints = DTypeWithConstraints.of(input_dtype)
        self.output_dtype_with_constraints = DTypeWithConstraints.of(output_dtype)
        self.weight_dtype_with_constraints = DTypeWithConstraints.of(weight_dtype)
        self.bias_dtype = DType.maybe(bias_dtype)
        self.is_dynamic = is_dynamic

    @property
    def input_dtype(self) -> Optional[DType]:
        return self.input_dtype_with_constraints.dtype

    @property
    def output_dtype(self) -> Optional[DType]:
        return self.output_dtype_with_constraints.dtype

    @property
    def weight_dtype(self) -> Optional[DType]:
        return self.weight_dtype_with_constraints.dtype

    def __eq__(self, other: object) -> bool:
        """Not dynamic is what it is by default."""
        if not isinstance(other, DTypeConfig):
            return NotImplemented
        return {**self.__dict__, "is_dynamic": bool(self.is_dynamic)} == {
            **other.__dict__,
            "is_dynamic": bool(other.is_dynamic),
        }

    def __hash__(self) -> int:
        return hash((self.input_dtype, self.output_dtype, self.weight_dtype))

    @classmethod
    def from_dict(cls, dtype_config_dict: Dict[str, Any]) -> DTypeConfig:
        """From the keys `input_dtype`, `output_dtype`, `weight_dtype` (types, or
        DTypeWithConstraints), `bias_dtype`, `is_dynamic`, all optional. Others are
        ignored with a warning."""
        given = known_keys("a DTypeConfig", dtype_config_dict, DTYPE_CONFIG_KEYS)
        try:
            return cls(**given)
        except TypeError as error:  # PyTorch raises a ValueError here.
            raise ValueError(f"in a DTypeConfig: {error}") from None

    def to_dict(self) -> Dict[str, Any]:
        """PyTorch's form: what is set, types with their constraints."""
        values = {
            "input_dtype": self.input_dtype and self.input_dtype_with_constraints,
            "output_dtype": self.output_dtype and self.output_dtype_with_constraints,
            "weight_dtype": self.weight_dtype and self.weight_dtype_with_constraints,
            "bias_dtype": self.bias_dtype,
            "is_dynamic": self.is_dynamic,
        }
        return {key: value for key, value in values.items() if value is not None}


def check_keys(what: str, given: Any, known: Tuple[str, ...]) -> None:
    """Raises a ValueError unless `given` is a dictionary of known keys."""
    if not isinstance(given, dict):
        raise ValueError(f"found {given!r}, expected a dictionary for {what}")
    for key in given:
        if key not in known:
            raise ValueError(
                f"unknown key '{key}' of {what}, expected one of "
                + ", ".join(name or "''" for name in known)
            )


def listed(what: str, given: Any) -> List[Any]:
    """The elements of a list or tuple."""
    if not isinstance(given, (list, tuple)):
        raise ValueError(f"{what} is {given!r}, expected a list")
    return list(given)


def keyed(what: str, given: Any) -> Dict[Any, Any]:
    """A dictionary as it is."""
    if not isinstance(given, dict):
        raise ValueError(f"{what} is {given!r}, expected a dictionary")
    return given


def known_keys(what: str, given: Any, known: Tuple[str, ...]) -> Dict[str, Any]:
    """The items of a dictionary in PyTorch's form that mean something. PyTorch
    ignores the others without a word."""
    if not isinstance(given, dict):
        raise ValueError(f"found {given!r}, expected a dictionary for {what}")
    unknown = [str(key) for key in given if key not in known]
    if unknown:
        warnings.warn(
            f"ignoring {', '.join(map(repr, unknown))} of {what}, which has "
            + ", ".join(map(repr, known)),
            stacklevel=3,
        )
    return {key: value for key, value in given.items() if key in known}

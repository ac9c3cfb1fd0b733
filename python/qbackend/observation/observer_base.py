# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PyTorch's observers have in common: factories, arguments, and a range that
is recorded."""

from __future__ import annotations

import abc
import dataclasses
import functools
import warnings
from dataclasses import dataclass
from typing import Any, Callable, ClassVar, Dict, List, Optional, Tuple, Type, Union

from ..vocabulary.dtypes import DType, QScheme
from ..vocabulary.names import TorchName
from .recorder import (
    ENTRY,
    Recorder,
    as_array,
    as_given,
    is_tensor,
    numpy,
    quantized_range,
)

EPS = 2.0**-23  # torch.finfo(torch.float32).eps
SYMMETRIC_EPS = 2.0**-12  # what XNNPACK's kernels need


class Describable:
    """A class whose `with_args` makes a factory: observers, fake quantizers."""

    @classmethod
    def with_args(cls, **kwargs: Any) -> ObserverFactory:
        """A factory of this class with these arguments; chainable."""
        return ObserverFactory(cls).with_args(**kwargs)

    @classmethod
    def with_callable_args(cls, **kwargs: Callable[[], Any]) -> ObserverFactory:
        """Like `with_args`, each argument computed when it is needed."""
        return ObserverFactory(cls).with_callable_args(**kwargs)

    @classmethod
    def argument_names(cls) -> Optional[List[str]]:
        """Names of the arguments; None if they depend on other arguments."""
        return None

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """Itself: what it has is on no device, and comes back on the CPU."""
        return self


class ObserverFactory:
    """An observer class with some of its arguments: PyTorch's partial wrapper.

    Equal to another one that makes equal observers, whether an argument is
    spelled out or left at its default.
    """

    def __init__(
        self,
        observer: Type[Describable],
        arguments: Optional[Dict[str, Any]] = None,
        callable_arguments: Optional[Dict[str, Callable[[], Any]]] = None,
    ) -> None:
        self.observer = observer
        self.arguments: Dict[str, Any] = dict(arguments or {})
        self.callable_arguments = dict(callable_arguments or {})

    def with_args(self, **kwargs: Any) -> ObserverFactory:
        self._check(kwargs)
        return ObserverFactory(
            self.observer, {**self.arguments, **kwargs}, self.callable_arguments
        )

    def with_callable_args(self, **kwargs: Callable[[], Any]) -> ObserverFactory:
        self._check(kwargs)
        return ObserverFactory(
            self.observer, self.arguments, {**self.callable_arguments, **kwargs}
        )

    def _check(self, kwargs: Dict[str, Any]) -> None:
        known = self.observer.argument_names()
        unknown = [name for name in kwargs if known is not None and name not in known]
        if unknown:
            raise TypeError(
                f"{self.observer.__name__} has no argument '{unknown[0]}'; it has "
                + ", ".join(known or [])
            )

    @property
    def p(self) -> Any:
        """The class and its arguments as a functools.partial: PyTorch's name."""
        return functools.partial(self.observer, **self.arguments)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        computed = {
            name: value()
            for name, value in self.callable_arguments.items()
            if name not in kwargs
        }
        return self.observer(*args, **{**self.arguments, **computed, **kwargs})

    def __eq__(self, other: object) -> bool:
        if isinstance(other, type) and issubclass(other, Describable):
            other = ObserverFactory(other)
        if not isinstance(other, ObserverFactory):
            return NotImplemented
        return self.observer is other.observer and bool(self() == other())

    def __hash__(self) -> int:
        return hash(self.observer)

    def __repr__(self) -> str:
        arguments = {**self.arguments, **self.callable_arguments}
        text = ", ".join(
            f"{name}={value.__name__ if isinstance(value, type) else repr(value)}"
            for name, value in arguments.items()
        )
        return f"{self.observer.__name__}.with_args({text})"


#: What a QConfig holds: a class, a factory, or `nn.Identity` for nothing.
ObserverLike = Union[Type[Describable], ObserverFactory, TorchName]


def is_observer(value: Any) -> bool:
    """Whether `value` is an observer or fake quantizer, with arguments or not."""
    return isinstance(value, ObserverFactory) or (
        isinstance(value, type) and issubclass(value, Describable)
    )


@dataclass(eq=False)
class ObserverBase(Describable, abc.ABC):
    """Base of all observers. Calling one with an array records it and returns it.

    Two are equal if they were made with arguments that mean the same, whatever
    they have recorded.
    """

    # Whether the scheme must be per channel; None: there is none to check.
    _per_channel: ClassVar[Optional[bool]] = None
    #: Whether PyTorch has the class.
    in_torch: ClassVar[bool] = True
    # Whether tensors were seen, so that tensors come back.
    _gives_tensors = False

    @classmethod
    def argument_names(cls) -> Optional[List[str]]:
        return [f.name for f in dataclasses.fields(cls)]

    def __post_init__(self) -> None:
        values = self.__dict__
        if "dtype" in values:
            values["dtype"] = DType.of(values["dtype"])
        if values.get("qscheme") is not None:
            values["qscheme"] = QScheme.of(values["qscheme"])
            self._check_scheme(values["qscheme"])
        self._check_range(values.get("quant_min"), values.get("quant_max"))
        self._normalize()
        self._given = {
            f.name: values[f.name] for f in dataclasses.fields(self) if f.compare
        }
        self._resolve()

    def _normalize(self) -> None:
        """Gives arguments that mean the same one form."""

    def _resolve(self) -> None:
        """Sets the attributes that PyTorch computes from the arguments."""

    def arguments(self) -> Dict[str, Any]:
        """The arguments that are not the class's default, as they were given."""
        default = _default_arguments(type(self))
        return {
            name: value
            for name, value in self._given.items()
            if value is not None and value != default.get(name)
        }

    def document(self) -> Dict[str, Any]:
        """The observer in the interchange document: docs/Python.md."""
        return {
            "observer": type(self).__name__,
            **{
                name: value.name if isinstance(value, (DType, QScheme)) else value
                for name, value in self.arguments().items()
                if name != "custom_op_name"
            },
        }

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        assert isinstance(other, ObserverBase)
        return self._given == other._given

    def __hash__(self) -> int:
        return hash(type(self))

    def __call__(self, x_orig: Any) -> Any:
        return self.forward(x_orig)

    def forward(self, x_orig: Any) -> Any:
        """Records the array `x_orig`, and returns it."""
        self._gives_tensors = is_tensor(x_orig)
        return x_orig

    def _give(self, array: Any) -> Any:
        return as_given(array, self._gives_tensors)

    def state_dict(self) -> Dict[str, Any]:
        """PyTorch's buffers, of which this observer has none."""
        return {}

    def load_state_dict(self, state: Dict[str, Any]) -> None:
        """Goes on from PyTorch's buffers."""

    def calculate_qparams(self, **kwargs: Any) -> Any:
        raise Exception(
            f"calculate_qparams should not be called for {type(self).__name__}, "
            "which records no range"
        )

    def _check_scheme(self, scheme: QScheme) -> None:
        if self._per_channel is None or scheme.is_per_channel == self._per_channel:
            return
        wanted = [
            name
            for name, value in QScheme._instances.items()
            if value.is_per_channel == self._per_channel
        ]
        raise NotImplementedError(
            f"{type(self).__name__} has qscheme {scheme.name}, expected "
            + " or ".join(wanted)
        )

    def _check_range(self, low: Optional[int], high: Optional[int]) -> None:
        name = type(self).__name__
        if low is None or high is None:
            if low is not high:
                # As in PyTorch, which says nothing.
                warnings.warn(
                    f"{name} has quant_min {low} and quant_max {high}: one without "
                    "the other has no effect",
                    stacklevel=5,
                )
                self.__dict__.update(quant_min=None, quant_max=None)
            return
        if low >= high:
            raise AssertionError(
                f"{name} has quant_min {low}, expected less than quant_max {high}"
            )
        if not low <= 0 <= high and self._per_channel is not None:
            raise AssertionError(
                f"{name} has the range [{low}, {high}], expected one with 0 in it"
            )


@functools.lru_cache(maxsize=None)
def _default_arguments(cls: Type[ObserverBase]) -> Dict[str, Any]:
    required = [
        f.name for f in dataclasses.fields(cls) if f.default is dataclasses.MISSING
    ]
    return cls(**dict.fromkeys(required))._given


class UniformQuantizationObserverBase(ObserverBase):
    """Base of the observers of a range.

    `quant_min`, `quant_max` become the integers that are quantized to, and
    `has_customized_qrange` says whether they were given. `min_val`, `max_val` and
    what else is recorded are in the compiler; they can be set.
    """

    dtype: DType
    qscheme: QScheme
    reduce_range: bool
    quant_min: Any
    quant_max: Any
    eps: float

    def _resolve(self) -> None:
        self.has_customized_qrange = self.quant_min is not None
        custom: Optional[Tuple[int, int]] = None
        if self.has_customized_qrange:
            custom = (self.quant_min, self.quant_max)
        self.quant_min, self.quant_max = quantized_range(
            self.dtype, custom, self.reduce_range
        )

    # -- What is recorded --

    @property
    def _recorder(self) -> Recorder:
        if self.__dict__.get("_pending"):
            raise ValueError(
                f"{type(self).__name__} has min_val {self.min_val} and max_val "
                f"{self.max_val}, expected both set, and finite"
            )
        return self._unchecked_recorder

    @property
    def _unchecked_recorder(self) -> Recorder:
        found: Optional[Recorder] = self.__dict__.get("_recorder_made")
        if found is None:
            found = self.__dict__["_recorder_made"] = self._new_recorder()
        return found

    def _new_recorder(self) -> Recorder:
        # A user's class is the observer that it is made of, and its fields are its own.
        package = __name__.partition(".")[0] + "."
        known = next(c for c in type(self).__mro__ if c.__module__.startswith(package))
        fields = {f.name for f in dataclasses.fields(known)} - {"ch_axis", "is_dynamic"}
        spec = {k: v for k, v in self.document().items() if k in fields}
        spec["observer"] = known.__name__
        axis = getattr(self, "ch_axis", None)
        return Recorder(spec, axis)

    def forward(self, x_orig: Any) -> Any:
        super().forward(x_orig)
        self._recorder.record(x_orig)
        return x_orig

    def reset_min_max_vals(self) -> None:
        """Forgets what was recorded."""
        self.__dict__["_pending"] = {}
        self._recorder.reset()

    def _end(self, name: str, index: int) -> Any:
        pending = self.__dict__.get("_pending") or {}
        return pending.get(name, self._unchecked_recorder.range()[index])

    def _set_end(self, name: str, value: Any) -> None:
        # One end alone can be beyond the other until that is set too.
        ends = {"min_val": self._end("min_val", 0), "max_val": self._end("max_val", 1)}
        ends[name] = as_array(value)
        np = numpy()
        low, high = ends["min_val"], ends["max_val"]
        is_range = (
            low.shape == high.shape
            and low.size > 0
            and bool(np.isfinite([low, high]).all() and (low <= high).all())
        )
        self.__dict__["_pending"] = {} if is_range else ends
        if is_range:
            self._recorder.set_range(low, high)

    @property
    def min_val(self) -> Any:
        """The least value so far, for each channel of an observer of those."""
        return self._give(self._end("min_val", 0))

    @min_val.setter
    def min_val(self, value: Any) -> None:
        self._set_end("min_val", value)

    @property
    def max_val(self) -> Any:
        """The greatest value so far."""
        return self._give(self._end("max_val", 1))

    @max_val.setter
    def max_val(self, value: Any) -> None:
        self._set_end("max_val", value)

    # -- What follows from it --

    def calculate_qparams(self, **kwargs: Any) -> Tuple[Any, Any]:
        """Scale and zero point, each an array of one element or one for each
        channel. 1 and 0, with a warning, before the first batch."""
        low = self._recorder.range()[0]
        if low.size == 0 or numpy().isposinf(low).all():
            warnings.warn(
                "must run observer before calling calculate_qparams. Returning "
                "default values.",
                stacklevel=2,
            )
        scale, zero_point = self._recorder.qparams()
        return self._give(scale), self._give(zero_point)

    def _calculate_qparams(self, min_val: Any, max_val: Any) -> Tuple[Any, Any]:
        """The parameters of this range, in place of that recorded."""
        recorder = self._new_recorder()
        recorder.set_range(min_val, max_val)
        scale, zero_point = recorder.qparams()
        of_tensor = is_tensor(min_val)
        return as_given(scale, of_tensor), as_given(zero_point, of_tensor)

    # -- To and from elsewhere --

    def to_table(self, name: str = ENTRY) -> str:
        """What was recorded, as a calibration table whose one entry is `name`."""
        return self._recorder.to_table(name)

    def from_table(self, table: str, name: str = ENTRY) -> None:
        """Goes on from the entry `name` of a calibration table. ValueError if
        there is none."""
        self.__dict__["_pending"] = {}
        self._recorder.from_table(table, name)

    def state_dict(self) -> Dict[str, Any]:
        """PyTorch's buffers."""
        np = numpy()
        return {
            "eps": self._give(np.array([self.eps], dtype=np.float32)),
            "min_val": self.min_val,
            "max_val": self.max_val,
        }

    def load_state_dict(self, state: Dict[str, Any]) -> None:
        self._gives_tensors = is_tensor(state["min_val"])
        low = as_array(state["min_val"])
        if low.size == 0 or numpy().isposinf(low).all():
            # Those of an observer that saw nothing.
            self.reset_min_max_vals()
            return
        self.__dict__["_pending"] = {}
        self._recorder.set_range(low, state["max_val"], state.get("histogram"))

    def __getstate__(self) -> Dict[str, Any]:
        state = dict(self.__dict__)
        made = state.pop("_recorder_made", None)
        if made is not None:
            state["_table"] = made.to_table(ENTRY)
        return state

    def __setstate__(self, state: Dict[str, Any]) -> None:
        table = state.pop("_table", None)
        self.__dict__.update(state)
        if table is not None:
            self._unchecked_recorder.from_table(table, ENTRY)

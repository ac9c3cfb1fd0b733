# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the operators of a pattern become one: PyTorch's fuser methods, by name.

A fuser method is called `f(is_qat, first, second[, third])` with the operators
in the order of execution; that of a nested pattern as the pattern is, such as
`f(is_qat, relu, (add, extra, (bn, conv)))`.
"""

from __future__ import annotations

import itertools
import re
import warnings
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from ..vocabulary.names import MatchAllNode, ModuleCall, TorchName, name_of

__all__ = [
    "DEFAULT_OP_LIST_TO_FUSER_METHOD",
    "FuserMethod",
    "fuse_conv_bn",
    "fuse_conv_bn_relu",
    "fuse_convtranspose_bn",
    "fuse_linear_bn",
    "get_fuser_method",
    "get_fuser_method_new",
    "sequential_wrapper2",
]

_SPELLING = re.compile(r"([^\W\d]\w*)(?:\(([\w.]+)\))?")


class FuserMethod(str):
    """The name of a fuser method: `fuse_conv_bn`, or
    `sequential_wrapper2(torch.ao.nn.intrinsic.ConvReLU2d)`."""

    __slots__ = ()

    def __new__(cls, name: str) -> FuserMethod:
        match = _SPELLING.fullmatch(name.strip())
        if not match:
            raise ValueError(
                f"'{name}' is no fuser method: expected a name such as fuse_conv_bn "
                "or sequential_wrapper2(torch.ao.nn.intrinsic.ConvReLU2d)"
            )
        method = match[1].lstrip("_")
        if match[2]:
            method += f"({TorchName(match[2])})"
        return super().__new__(cls, method)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return str.__str__(self)

    def __call__(self, is_qat: bool, *operators: Any) -> ModuleCall:
        """Stands for the fused operator; nothing is computed."""
        if self.method == "sequential_wrapper2" and self.argument:
            return ModuleCall(TorchName(self.argument), operators)
        return ModuleCall(TorchName(str(self.method)), (is_qat, *operators))

    @property
    def method(self) -> str:
        """The name without its argument."""
        return self.partition("(")[0]

    @property
    def argument(self) -> str:
        """The fused module in `sequential_wrapper2(...)`, else empty."""
        return self.partition("(")[2].rstrip(")")


fuse_conv_bn = FuserMethod("fuse_conv_bn")
fuse_conv_bn_relu = FuserMethod("fuse_conv_bn_relu")
fuse_linear_bn = FuserMethod("fuse_linear_bn")
fuse_convtranspose_bn = FuserMethod("fuse_convtranspose_bn")


def sequential_wrapper2(sequential: Any) -> FuserMethod:
    """Pairs two operators in the module class `sequential`."""
    return FuserMethod(f"sequential_wrapper2({name_of(sequential)})")


def reverse2(method: Callable[..., Any]) -> Callable[..., Any]:
    """`method` for a pair in reverse: the second operator, then the first."""

    def reversed(is_qat: bool, second: Any, first: Any) -> Any:
        return method(is_qat, first, second)

    return reversed


def reverse3(method: Callable[..., Any]) -> Callable[..., Any]:
    """`method` for three in reverse: the third, and the pair of the others."""

    def reversed(is_qat: bool, third: Any, rest: Tuple[Any, Any]) -> Any:
        second, first = rest
        return method(is_qat, first, second, third)

    return reversed


def _default_fuser_methods() -> Dict[Tuple[TorchName, ...], FuserMethod]:
    def modules(*names: str) -> Tuple[TorchName, ...]:
        return tuple(TorchName(f"torch.nn.{name}") for name in names)

    def pair(name: str) -> FuserMethod:
        return sequential_wrapper2(f"torch.ao.nn.intrinsic.{name}")

    result: Dict[Tuple[TorchName, ...], FuserMethod] = {}
    for d in ("1d", "2d", "3d"):
        conv, bn = f"Conv{d}", f"BatchNorm{d}"
        result[modules(conv, bn)] = fuse_conv_bn
        result[modules(conv, bn, "ReLU")] = fuse_conv_bn_relu
        result[modules(conv, "ReLU")] = pair(f"ConvReLU{d}")
        result[modules(f"ConvTranspose{d}", bn)] = fuse_convtranspose_bn
    result[modules("Linear", "BatchNorm1d")] = fuse_linear_bn
    result[modules("Linear", "ReLU")] = pair("LinearReLU")
    result[modules("BatchNorm2d", "ReLU")] = pair("BNReLU2d")
    result[modules("BatchNorm3d", "ReLU")] = pair("BNReLU3d")
    return result


#: The fuser method of each tuple of modules that PyTorch fuses.
DEFAULT_OP_LIST_TO_FUSER_METHOD = _default_fuser_methods()


def _names(pattern: Any) -> Any:
    if isinstance(pattern, (tuple, list)):
        return tuple(_names(element) for element in pattern)
    return name_of(pattern)


def get_fuser_method(
    op_list: Any, additional_fuser_method_mapping: Optional[Dict[Any, Any]] = None
) -> Any:
    """The fuser method of a tuple of modules in the order of execution, of the
    additional ones first. AssertionError if there is none."""
    names = _names(op_list)
    for listed, method in (additional_fuser_method_mapping or {}).items():
        if _names(listed) == names:
            return method
    if names not in DEFAULT_OP_LIST_TO_FUSER_METHOD:
        raise AssertionError(f"did not find fuser method for: {op_list} ")
    return DEFAULT_OP_LIST_TO_FUSER_METHOD[names]


def _with_wildcards(pattern: Any) -> List[Any]:
    if not isinstance(pattern, tuple):
        return [pattern, MatchAllNode]
    parts = itertools.product(*(_with_wildcards(element) for element in pattern))
    return [*parts, MatchAllNode]


def get_fuser_method_new(op_pattern: Any, fuser_method_mapping: Dict[Any, Any]) -> Any:
    """The fuser method of a pattern in the complex format, or of one that has
    MatchAllNode in the place of some of it. AssertionError if there is none."""
    by_name = {_names(key): method for key, method in fuser_method_mapping.items()}
    for pattern in _with_wildcards(_names(op_pattern)):
        if by_name.get(pattern) is not None:
            return by_name[pattern]
    raise AssertionError(f"did not find fuser method for: {op_pattern} ")


#: Names of PyTorch's that fold parameters or take apart what was matched.
_OF_PYTORCH = frozenset(
    [
        "fuse_conv_bn",
        "fuse_conv_bn_relu",
        "fuse_convtranspose_bn",
        "fuse_linear_bn",
        "fuse_linear_bn_leaky_relu",
        *(
            f"fuse_conv{bn}_add{relu}_{side}"
            for bn in ("", "_bn")
            for relu in ("", "_relu")
            for side in ("left", "right")
        ),
    ]
)


class _Operand:
    """Stands for an operator while a fuser method is asked what it does."""

    def __init__(self, name: TorchName) -> None:
        self.name = name
        self.training = False

    def __repr__(self) -> str:
        return str(self.name)


def _stand_ins(pattern: Any) -> Any:
    if isinstance(pattern, tuple):
        return tuple(_stand_ins(element) for element in pattern)
    return _Operand(pattern)


def _in_order(operands: Any) -> List[_Operand]:
    """The operators of nested stand-ins in the order of execution."""
    if isinstance(operands, tuple):
        last, *inputs = operands
        return [o for operand in (*inputs, last) for o in _in_order(operand)]
    return [] if operands.name == MatchAllNode else [operands]


def _joined(result: Any) -> List[Any]:
    """The operators that a call has, also in calls among its arguments."""
    if isinstance(result, ModuleCall):
        return [operand for value in result.args for operand in _joined(value)]
    return [result] if isinstance(result, _Operand) else []


def _is_norm(operand: _Operand) -> bool:
    return re.search(r"BatchNorm\dd$|\bbatch_norm$", operand.name) is not None


def _name_of_joined(call: ModuleCall, operands: List[_Operand], side: str) -> str:
    """PyTorch's name of what puts `operands` into one module, of which `side` of an
    addition is computed."""
    if not any(_is_norm(operand) for operand in operands):
        return f"sequential_wrapper2({call.name})"
    root, *rest = (str(operand.name).rpartition(".")[2].lower() for operand in operands)
    name = "fuse_linear_bn" if root.startswith("linear") else "fuse_conv_bn"
    name += "_add" if "add" in rest else ""
    name += "_relu" if "relu" in rest else ""
    name += f"_{side}" if side else ""
    # Others have no name there; what counts is that batch norm is folded.
    return name if name in _OF_PYTORCH else "fuse_conv_bn"


def _side(operands: Any) -> str:
    """Which operand of an addition in nested stand-ins is computed."""
    while isinstance(operands, tuple):
        if len(operands) == 3:
            return "left" if isinstance(operands[1], tuple) else "right"
        operands = operands[1]
    return ""


def fuser_method_of(method: Any, pattern: Any, is_nested: bool = False) -> FuserMethod:
    """The name of a fuser method for a pattern: its operators in the order of
    execution, or, if `is_nested`, PyTorch's complex format.

    A function of the user's own is called once, with stand-ins: what it does has
    a name if it only puts the operators into one module, or passes them on. It gets
    what PyTorch gives it: `f(is_qat, conv, bn, relu)`, and for a nested pattern
    `f(is_qat, relu, (add, extra, (bn, conv)))`. ValueError if it does anything else.
    """
    if isinstance(method, str):
        return FuserMethod(method)
    found, is_reversed = _method_of_torch(method)
    if found is not None and not is_reversed:
        return found
    label = getattr(method, "__qualname__", repr(method))
    if found is not None:
        raise ValueError(
            f"fuser method {label} takes its operators in reverse: give {found}, "
            "with the pattern in the order of execution"
        )
    stand_ins = _stand_ins(pattern if isinstance(pattern, tuple) else (pattern,))
    operands = _in_order(stand_ins) if is_nested else list(stand_ins)
    try:
        result = method(False, *stand_ins)
    except Exception as error:
        name = getattr(method, "__name__", "").lstrip("_")
        if name in _OF_PYTORCH:
            # A copy of PyTorch's: it looks at classes and weights.
            warnings.warn(
                f"fuser method {label} fails on stand-ins for the operators "
                f"({type(error).__name__}: {error}): it is taken for PyTorch's {name}",
                stacklevel=2,
            )
            return FuserMethod(name)
        called = ", ".join(map(repr, stand_ins))
        raise ValueError(
            f"fuser method {label} can't be understood, it fails on stand-ins for "
            f"the operators, called as f(False, {called}) "
            f"({type(error).__name__}: {error}): give one of "
            "fuse_conv_bn, fuse_conv_bn_relu, fuse_linear_bn, fuse_convtranspose_bn, "
            "sequential_wrapper2(module)"
        ) from error
    if isinstance(result, ModuleCall):
        if result.args == (False, *operands):
            return FuserMethod(result.name)
        # An addition or batch norm may be left to the module that is computed.
        joined = _joined(result)
        left_out = [operand for operand in operands if operand not in joined]
        if (
            joined == [operand for operand in operands if operand in joined]
            and len(joined) >= min(2, len(operands))
            and (is_nested or all(map(_is_norm, left_out)))
        ):
            side = _side(stand_ins) if is_nested else ""
            return FuserMethod(_name_of_joined(result, operands, side))
    raise ValueError(
        f"fuser method {label} returns {result!r}, expected a module class of "
        "qbackend.nn called with the operators in the order of execution: "
        + ", ".join(map(repr, operands))
    )


def _method_of_torch(method: Any) -> Tuple[Union[FuserMethod, None], bool]:
    """The name of a fuser method of PyTorch and whether it is one for patterns in
    reverse; none for other functions."""
    module = getattr(method, "__module__", None) or ""
    if not module.startswith("torch.ao.quantization"):
        return None, False
    outer, _, inner = method.__qualname__.partition(".<locals>.")
    outer = outer.lstrip("_")
    if not inner:
        return FuserMethod(outer), False
    cells = dict(
        zip(
            method.__code__.co_freevars,
            (cell.cell_contents for cell in method.__closure__ or ()),
        )
    )
    if outer in ("sequential_wrapper2", "reverse_sequential_wrapper2"):
        wrapped = sequential_wrapper2(cells["sequential"])
        return wrapped, outer.startswith("reverse")
    if outer in ("reverse2", "reverse3"):
        found, is_reversed = _method_of_torch(cells["f"])
        return found, not is_reversed
    return None, False

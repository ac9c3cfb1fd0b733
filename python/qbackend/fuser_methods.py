# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the operators of a pattern become one: PyTorch's fuser methods, by name.

A fuser method is called `f(is_qat, first, second[, third])` with the operators
in the order of execution.
"""

from __future__ import annotations

import re
from typing import Any, Tuple, Union

from .names import ModuleCall, TorchName, name_of

__all__ = [
    "FuserMethod",
    "fuse_conv_bn",
    "fuse_conv_bn_relu",
    "fuse_convtranspose_bn",
    "fuse_linear_bn",
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


class _Operand:
    """Stands for an operator while a fuser method is asked what it does."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.training = False

    def __repr__(self) -> str:
        return f"operator {self.index}"


def fuser_method_of(method: Any, operators: int) -> FuserMethod:
    """The name of a fuser method for a pattern of so many operators.

    A function of the user's own is called once, with stand-ins: what it does has
    a name if it only puts the operators into one module, or passes them on.
    ValueError if it does anything else.
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
    operands = tuple(_Operand(i) for i in range(operators))
    try:
        result = method(False, *operands)
    except Exception as error:
        raise ValueError(
            f"fuser method {label} can't be understood, it fails on stand-ins for "
            f"the operators ({type(error).__name__}: {error}): give one of "
            "fuse_conv_bn, fuse_conv_bn_relu, fuse_linear_bn, fuse_convtranspose_bn, "
            "sequential_wrapper2(module)"
        ) from error
    if isinstance(result, ModuleCall):
        if result.args == operands and len(operands) == 2:
            return FuserMethod(f"sequential_wrapper2({result.name})")
        if result.args == (False, *operands):
            return FuserMethod(result.name)
    raise ValueError(
        f"fuser method {label} returns {result!r}, expected a module class of "
        "qbackend.nn called with the two operators in order"
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

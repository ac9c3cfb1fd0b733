# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What differs between the versions of PyTorch, 1.13 and 2.x.

What 1.13 does in another way, and how to_torch and from_torch bridge it:

- patterns and fuser methods are in reverse: they are turned round;
- no complex format: its pattern is the complex format;
- no INPUT_OUTPUT_NOT_OBSERVED: `_input_output_observed = False`;
- no exact-match constraints: the fixed observer of the output replaces them;
- no is_dynamic: a placeholder's `compute_dtype`, or a moving average without
  memory in a fake quantizer of an activation.

What a version has neither way is reported, never dropped.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from typing import Any, Dict, Tuple


def quantization() -> Any:
    return importlib.import_module("torch.ao.quantization")


def backend_config_module() -> Any:
    return importlib.import_module(
        "torch.ao.quantization.backend_config.backend_config"
    )


def is_reversed() -> bool:
    """Whether this PyTorch's patterns are all in the complex format: 1.13."""
    return not hasattr(
        backend_config_module().BackendPatternConfig, "_set_pattern_complex_format"
    )


def has_is_dynamic() -> bool:
    parameters = inspect.signature(quantization().FakeQuantize.__init__).parameters
    return "is_dynamic" in parameters


def flatten(observer: Any) -> Tuple[Any, Dict[str, Any], Dict[str, Any]]:
    """Class, arguments and computed arguments of nested partial wrappers."""
    arguments: Dict[str, Any] = {}
    computed: Dict[str, Any] = {}
    while not isinstance(observer, type):
        if isinstance(observer, functools.partial):
            if observer.args:
                raise ValueError(
                    f"{observer!r} has positional arguments: give them by name"
                )
            arguments = {**observer.keywords, **arguments}
            observer = observer.func
        elif hasattr(observer, "callable_args") and hasattr(observer, "p"):
            computed = {**observer.callable_args, **computed}
            observer = observer.p
        else:
            raise ValueError(
                f"found {observer!r}, expected an observer class of PyTorch, with or "
                "without with_args"
            )
    return observer, arguments, computed


def base_class(observer: Any) -> Any:
    return flatten(observer)[0]

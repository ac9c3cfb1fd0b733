# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's quantization configuration API for the qbackend compiler.

`BackendConfig`, `QConfigMapping` and what they consist of, with PyTorch's names
and without PyTorch; observers and fake quantizers that work on NumPy arrays; the
built-in backends; `load`, whose result is calibrated, quantized and run; and
`apply_backend`, which quantizes an MLIR module. docs/Python.md has examples.
"""

from typing import Any

from . import from_torch as _from_torch
from . import interchange as interchange
from . import operator_configs as operator_configs
from . import to_torch as to_torch
from .analyses import *
from .backend_config import *
from .backends import *
from .custom_config import *
from .diagnostics import *
from .dtypes import *
from .equalization import *
from .exporters import *
from .fake_quantize import *
from .fuser_methods import *
from .importers import *
from .model import *
from .names import MatchAllNode as MatchAllNode
from .names import TorchName as TorchName
from .observers import *
from .qconfig import *
from .qconfig_mapping import *
from .quant_type import *
from .reports import *
from .torch import nn as nn
from .torch.nn import functional as functional

#: Of the compiler, which is asked when it is needed.
__version__: str


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from ._library import native

        return native().__version__
    raise AttributeError(f"module 'qbackend' has no attribute '{name}'")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's quantization configuration API for the qbackend compiler.

`BackendConfig`, `QConfigMapping` and what they consist of, with PyTorch's names
and without PyTorch; observers and fake quantizers that work on NumPy arrays; the
built-in backends; `load`, whose result is calibrated, quantized and run; and
`apply_backend`, which quantizes an MLIR module. docs/Python.md has examples.
"""

import sys as _sys
from typing import Any

from .backends import operator_configs as operator_configs
from .backends.builtin import *
from .configuration import backend_config as backend_config
from .configuration import custom_config as custom_config
from .configuration import dtype_config as dtype_config
from .configuration import fuser_methods as fuser_methods
from .configuration import node_getters as node_getters
from .configuration import qconfig as qconfig
from .configuration import qconfig_mapping as qconfig_mapping
from .configuration.backend_config import *
from .configuration.custom_config import *
from .configuration.forms import from_torch as _from_torch
from .configuration.forms import interchange as interchange
from .configuration.forms import to_torch as to_torch
from .configuration.fuser_methods import *
from .configuration.qconfig import *
from .configuration.qconfig_mapping import *
from .diagnostics import *
from .importers import *
from .model.analyses import *
from .model.cluster import *
from .model.exporters import *
from .model.model import *
from .model.reports import *
from .model.sensitivities import *
from .observation import equalization as equalization
from .observation import fake_quantize as fake_quantize
from .observation import observers as observers
from .observation.equalization import *
from .observation.fake_quantize import *
from .observation.observers import *
from .torch import nn as nn
from .torch.nn import functional as functional
from .vocabulary import dtypes as dtypes
from .vocabulary import names as names
from .vocabulary.dtypes import *
from .vocabulary.names import MatchAllNode as MatchAllNode
from .vocabulary.names import TorchName as TorchName
from .vocabulary.quant_type import *

# Public modules are importable without the package that they are in, too: scripts
# and pickles have these paths.
for _module in (
    *(backend_config, custom_config, dtype_config, fuser_methods, node_getters),
    *(qconfig, qconfig_mapping, interchange, to_torch, operator_configs),
    *(equalization, fake_quantize, observers, dtypes, names),
):
    _sys.modules[f"{__name__}.{_module.__name__.rpartition('.')[2]}"] = _module

#: Of the compiler, which is asked when it is needed.
__version__: str


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from ._library import native

        return native().__version__
    raise AttributeError(f"module 'qbackend' has no attribute '{name}'")

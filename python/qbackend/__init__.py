# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's quantization configuration API for the qbackend compiler.

`BackendConfig`, `QConfigMapping` and what they consist of, with PyTorch's names
and without PyTorch; observers and fake quantizers that work on NumPy arrays; the
built-in backends; and `apply_backend`, which quantizes an MLIR module.
docs/Python.md has an example.
"""

from . import from_torch as _from_torch
from . import interchange as interchange
from . import operator_configs as operator_configs
from . import to_torch as to_torch
from .backend_config import *
from .backends import *
from .custom_config import *
from .dtypes import *
from .equalization import *
from .fake_quantize import *
from .fuser_methods import *
from .importers import *
from .names import MatchAllNode as MatchAllNode
from .names import TorchName as TorchName
from .observers import *
from .qconfig import *
from .qconfig_mapping import *
from .quant_type import *
from .torch import nn as nn
from .torch.nn import functional as functional

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What stands in for `import torch` in a script that writes a configuration.

Prefix the imports with `qbackend.`: `import qbackend.torch as torch`,
`from qbackend.torch.ao.quantization import QConfig`. Here are the names that
configurations mention, no tensors and no computation.
"""

from typing import List, Union

from ..vocabulary.dtypes import *
from ..vocabulary.dtypes import DType as dtype
from ..vocabulary.dtypes import QScheme as qscheme
from ..vocabulary.dtypes import float16 as half
from ..vocabulary.dtypes import float32 as float
from ..vocabulary.names import Namespace, Ops, TorchName
from . import _C as _C
from . import ao as ao
from . import nn as nn

ops = Ops()
_namespace = Namespace("torch")


def __getattr__(name: str) -> TorchName:
    return _namespace.get(name)


def __dir__() -> List[str]:
    return sorted({*globals(), *_namespace.names})

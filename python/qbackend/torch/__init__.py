# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What stands in for `import torch` in a script that writes a configuration.

Prefix the imports with `qbackend.`: `import qbackend.torch as torch`,
`from qbackend.torch.ao.quantization import QConfig`. Here are the names that
configurations mention, no tensors and no computation.
"""

import sys
from typing import Any, List, Union

from ..vocabulary.dtypes import *
from ..vocabulary.dtypes import DType as dtype
from ..vocabulary.dtypes import QScheme as qscheme
from ..vocabulary.dtypes import float16 as half
from ..vocabulary.dtypes import float32 as float
from ..vocabulary.moved import missing as _missing
from ..vocabulary.names import Namespace, Ops, TorchName
from . import _C as _C
from . import ao as ao
from . import nn as nn


class _MissingModules:
    """Says of what is imported below this package, and isn't there, what to do."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        parent, _, last = name.rpartition(".")
        if not name.startswith(f"{__name__}."):
            return
        try:
            # A misspelt name has the nearest ones.
            getattr(sys.modules[parent], last)
        except (AttributeError, KeyError) as error:
            torch_name = name.replace(__name__, "torch", 1)
            is_near = "did you mean" in str(error)
            text = str(error) if is_near else _missing(torch_name)
            # Under its own name Python would say "cannot import name" instead.
            raise ModuleNotFoundError(text, name=torch_name) from None


sys.meta_path.append(_MissingModules())

ops = Ops()
_namespace = Namespace("torch")


def __getattr__(name: str) -> TorchName:
    return _namespace.get(name)


def __dir__() -> List[str]:
    return sorted({*globals(), *_namespace.names})

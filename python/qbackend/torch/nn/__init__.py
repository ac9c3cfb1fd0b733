# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of `torch.nn`."""

from typing import List

from ...vocabulary.names import Namespace, TorchName
from . import functional as functional, intrinsic as intrinsic, qat as qat
_namespace = Namespace("torch.nn")


def __getattr__(name: str) -> TorchName:
    return _namespace.get(name)


def __dir__() -> List[str]:
    return _namespace.names

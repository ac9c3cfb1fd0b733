# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of `torch.ao.nn.qat`."""

from typing import List

from ...vocabulary.names import Namespace, TorchName

_namespace = Namespace("torch.ao.nn.qat")


def __getattr__(name: str) -> TorchName:
    return _namespace.get(name)


def __dir__() -> List[str]:
    return _namespace.names

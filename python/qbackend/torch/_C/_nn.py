# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch._C._nn`: functions that `torch.nn.functional` has under the same names."""

from typing import List

from ...vocabulary.names import Namespace, TorchName

_namespace = Namespace("torch.nn.functional")


def __getattr__(name: str) -> TorchName:
    return _namespace.get(name)


def __dir__() -> List[str]:
    return _namespace.names

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.observer`."""

from ....observation.observers import *
from ....observation.observers import ObserverFactory as _PartialWrapper

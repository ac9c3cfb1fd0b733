# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.observer`."""

from ....observers import *
from ....observers import ObserverFactory as _PartialWrapper

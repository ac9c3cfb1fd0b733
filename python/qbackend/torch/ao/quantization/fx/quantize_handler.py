# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.fx.quantize_handler`: the getter that patterns name."""

from .....configuration.node_getters import (
    default_root_node_getter as _default_root_node_getter,
)

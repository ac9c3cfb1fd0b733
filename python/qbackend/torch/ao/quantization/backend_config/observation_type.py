# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization.backend_config.observation_type`."""

from .....configuration.dtype_config import ObservationType as ObservationType

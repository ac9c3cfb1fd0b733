# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization`: what configurations are made of."""

from ....configuration.fuser_methods import *
from ....configuration.qconfig import *
from ....configuration.qconfig_mapping import *
from ....configuration.quantization_mappings import *
from ....observation.fake_quantize import *
from ....observation.observers import *
from ....vocabulary.quant_type import *
from . import (
    backend_config as backend_config,
    fake_quantize as fake_quantize,
    fuser_method_mappings as fuser_method_mappings,
    fx as fx,
    observer as observer,
    qconfig as qconfig,
    qconfig_mapping as qconfig_mapping,
    quant_type as quant_type,
    quantization_mappings as quantization_mappings,
    utils as utils,
)

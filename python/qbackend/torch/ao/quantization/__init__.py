# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.ao.quantization`: what configurations are made of."""

from ....fake_quantize import *
from ....fuser_methods import *
from ....observers import *
from ....qconfig import *
from ....qconfig_mapping import *
from . import backend_config as backend_config
from . import fake_quantize as fake_quantize
from . import fuser_method_mappings as fuser_method_mappings
from . import observer as observer
from . import qconfig as qconfig
from . import qconfig_mapping as qconfig_mapping
from . import utils as utils

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A script written for PyTorch: only its imports change.

The script runs with PyTorch's modules, if they are there, and with ours; what it
builds is the same.
"""

import importlib.util
import pathlib
import re

import pytest
from qbackend import BackendConfig, BackendPatternConfig, QConfigMapping

SCRIPT = '''
import operator
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.ao.nn.intrinsic as nni
import torch.ao.nn.qat as nnqat
import torch.ao.nn.quantized.reference as nnqr
from torch.ao.quantization import QConfig, MinMaxObserver, HistogramObserver
from torch.ao.quantization import PerChannelMinMaxObserver, default_dynamic_qconfig
from torch.ao.quantization.backend_config import (
    BackendConfig,
    BackendPatternConfig,
    DTypeConfig,
    DTypeWithConstraints,
    ObservationType,
)
from torch.ao.quantization.qconfig_mapping import QConfigMapping

weighted_int8 = DTypeConfig(
    input_dtype=torch.quint8,
    output_dtype=torch.quint8,
    weight_dtype=DTypeWithConstraints(
        dtype=torch.qint8,
        quant_min_lower_bound=-127,
        quant_max_upper_bound=127,
        scale_min_lower_bound=2 ** -12,
    ),
    bias_dtype=torch.float,
)
float16_dynamic = DTypeConfig(
    torch.float16, torch.float, torch.float16, torch.float, is_dynamic=True
)

linear = (
    BackendPatternConfig(torch.nn.Linear)
    .set_observation_type(ObservationType.OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT)
    .set_dtype_configs([weighted_int8])
    .add_dtype_config(float16_dynamic)
    .set_root_module(torch.nn.Linear)
    .set_qat_module(nnqat.Linear)
    .set_reference_quantized_module(nnqr.Linear)
)
functional = (
    BackendPatternConfig(F.conv2d)
    .add_dtype_config(weighted_int8)
    ._set_input_type_to_index({"weight": 1, "bias": 2})
)
add = (
    BackendPatternConfig(operator.add)
    .add_dtype_config(weighted_int8)
    ._set_num_tensor_args_to_observation_type(
        {
            0: ObservationType.OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT,
            1: ObservationType.OUTPUT_SHARE_OBSERVER_WITH_INPUT,
            2: ObservationType.OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT,
        }
    )
)
shared = [
    BackendPatternConfig(op)
    .set_observation_type(ObservationType.OUTPUT_SHARE_OBSERVER_WITH_INPUT)
    .add_dtype_config(weighted_int8)
    for op in (nn.MaxPool2d, F.max_pool2d, torch.cat, torch.flatten, "view")
]
backend = (
    BackendConfig("my_backend")
    .set_backend_pattern_config(linear)
    .set_backend_pattern_configs([functional, add, *shared])
)

per_channel = QConfig(
    activation=HistogramObserver.with_args(reduce_range=True),
    weight=PerChannelMinMaxObserver.with_args(
        dtype=torch.qint8, qscheme=torch.per_channel_symmetric
    ),
)
simple = QConfig(
    activation=MinMaxObserver.with_args(dtype=torch.quint8),
    weight=MinMaxObserver.with_args(
        dtype=torch.qint8, qscheme=torch.per_tensor_symmetric
    ),
)
mapping = (
    QConfigMapping()
    .set_global(per_channel)
    .set_object_type(torch.nn.Linear, simple)
    .set_object_type(F.linear, simple)
    .set_object_type("reshape", None)
    .set_module_name_regex("encoder[.].*", simple)
    .set_module_name("head", None)
    .set_module_name_object_type_order("tail", torch.nn.Conv2d, 1, per_channel)
)
'''


def run(script):
    names = {}
    exec(script, names)
    return names


def ours():
    """Imports changed by one rule: a `qbackend.` before `torch`."""
    changed = re.sub(r"^from torch", "from qbackend.torch", SCRIPT, flags=re.M)
    changed = re.sub(r"^import torch$", "import qbackend.torch as torch", changed, flags=re.M)
    changed = re.sub(r"^import torch\.", "import qbackend.torch.", changed, flags=re.M)
    return run(changed)


def test_script_runs_without_pytorch():
    names = ours()
    backend, mapping = names["backend"], names["mapping"]
    assert isinstance(backend, BackendConfig)
    assert [c.pattern for c in backend.configs][:3] == [
        "torch.nn.Linear",
        "torch.nn.functional.conv2d",
        "operator.add",
    ]
    assert len(backend.configs) == 8
    assert BackendConfig.from_json(backend.to_json()) == backend
    assert QConfigMapping.from_json(mapping.to_json()) == mapping


@pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="PyTorch isn't installed"
)
def test_pytorch_builds_the_same():
    names, theirs = ours(), run(SCRIPT)
    assert BackendConfig.from_torch(theirs["backend"]) == names["backend"]
    assert QConfigMapping.from_torch(theirs["mapping"]) == names["mapping"]


def test_import_qbackend_does_not_import_torch():
    import subprocess
    import sys

    subprocess.run(
        [sys.executable, "-c", "import sys, qbackend; sys.exit('torch' in sys.modules)"],
        check=True,
    )


def test_documented_example_of_pytorch():
    """That of BackendConfig's documentation, with its own fuser function."""
    import qbackend.torch as torch

    def fuse_conv2d_relu(is_qat, conv, relu):
        return torch.ao.nn.intrinsic.ConvReLU2d(conv, relu)

    config = (
        BackendPatternConfig((torch.nn.Conv2d, torch.nn.ReLU))
        .set_fused_module(torch.ao.nn.intrinsic.ConvReLU2d)
        .set_fuser_method(fuse_conv2d_relu)
    )
    assert config.fuser_method_name() == (
        "sequential_wrapper2(torch.ao.nn.intrinsic.ConvReLU2d)"
    )


MOVED = {
    "from qbackend.torch.ao.quantization.quantize_fx import prepare_fx, convert_fx": (
        "no torch.ao.quantization.quantize_fx: qbackend.load.*Model.calibrate.*Model.quantize"
    ),
    "from qbackend.torch.ao.quantization import prepare_fx": "no torch.ao.quantization.prepare_fx: .*calibrate",
    "import qbackend.torch.ao.quantization.quantize_pt2e": "Model.calibrate",
    "import qbackend.torch.quantization.quantize_fx": "torch.quantization: it is torch.ao.quantization",
    "from qbackend.torch.utils.data import DataLoader": "no torch.utils: a loader of PyTorch",
    "from qbackend.torch import manual_seed": "no torch.manual_seed: nothing is random",
    "import qbackend.torch.optim": "no torch.optim: these are the names .*PyTorch itself",
    "from qbackend.torch.nn import Conv2D": "did you mean Conv2d",
    "import qbackend.torch as torch; torch.manual_seed(0)": "no torch.manual_seed: nothing is random",
    "import qbackend.torch as torch; torch.no_grad()": "no torch.no_grad: there are no gradients",
    "from qbackend.torch import nn\nclass Net(nn.Module): pass": (
        "torch.nn.Module is a name here and no class: .*qbackend.load"
    ),
}


@pytest.mark.parametrize("line", MOVED)
def test_what_is_not_here(line):
    """A moved script says what to do where it stops."""
    with pytest.raises((ImportError, AttributeError, TypeError), match=MOVED[line]) as error:
        exec(line, {})
    if "Conv2D" not in line:
        assert "docs/MovingOffTorchAo.md" in str(error.value)


def test_guide_has_what_errors_say():
    guide = (pathlib.Path(__file__).parents[2] / "docs/MovingOffTorchAo.md").read_text()
    for name in ("quantize_fx", "manual_seed", "nn.Module"):
        assert name in guide

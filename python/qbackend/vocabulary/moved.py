# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a script for PyTorch imports or calls that is not here, and what to do."""

from typing import Dict

_GUIDE = "see docs/MovingOffTorchAo.md"
_NETWORK = (
    "qbackend.load() reads the network, Model.calibrate(loader) stands for prepare "
    "and the loop behind it, Model.quantize() for convert"
)
_MARKS = "the compiler places what it marks: leave it out, and export the network"

#: By the last part of the name of a function, a class or a module.
_REPLACED: Dict[str, str] = {
    **dict.fromkeys(
        "quantize_fx prepare_fx prepare_qat_fx convert_fx convert_to_reference_fx fuse_fx "
        "quantize_pt2e prepare_pt2e prepare_qat_pt2e convert_pt2e quantizer "
        "quantize prepare prepare_qat convert quantize_dynamic quantize_qat "
        "propagate_qconfig_ swap_module".split(),
        _NETWORK,
    ),
    **dict.fromkeys(
        "fuse_modules fuse_modules_qat fuse_conv_bn_weights".split(),
        "Model.quantize() fuses by itself",
    ),
    **dict.fromkeys("stubs QuantStub DeQuantStub QuantWrapper".split(), _MARKS),
    **dict.fromkeys(
        "manual_seed seed Generator".split(),
        "nothing is random here: leave it out, or seed NumPy's generator for the data",
    ),
    **dict.fromkeys(
        "no_grad inference_mode enable_grad set_grad_enabled".split(),
        "there are no gradients here: leave it out",
    ),
    **dict.fromkeys(
        "save load jit".split(),
        "Model.save() writes a network, qbackend.load() reads one",
    ),
    "export": "export with PyTorch itself; qbackend.load() reads what "
    "torch.export.save() wrote",
    "backends": 'name the engine where it is asked for, as backend="qnnpack"',
    "ns": "QuantizedModel.compare() and Model.sensitivity() measure what "
    "quantization costs",
    "quantization": "it is torch.ao.quantization",
    "utils": "a loader of PyTorch itself, or arrays, are taken wherever data is",
}


def why_missing(name: str) -> str:
    """What to do about `name`, such as torch.manual_seed; empty if it is not known."""
    why = _REPLACED.get(name.rpartition(".")[2])
    return f"{why} ({_GUIDE})" if why else ""


def missing(name: str) -> str:
    """Why there is no `name` here, as an error says it."""
    why = why_missing(name) or (
        "these are the names that configurations mention, no tensors and no "
        f"modules that run; take it from PyTorch itself where it is ({_GUIDE})"
    )
    return f"no {name}: {why}"

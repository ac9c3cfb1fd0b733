#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a script for torch.ao.quantization becomes: docs/MovingOffTorchAo.md.

    quantize.py NETWORK DATA.npz [-o OUTPUT]

NETWORK is a torch.export archive, an ONNX file or MLIR. DATA.npz has calib_images,
test_images and test_labels, bytes, as examples/data has.
"""

import argparse

import numpy as np
import qbackend
from qbackend.torch.ao.quantization import get_default_qconfig_mapping
from qbackend.torch.ao.quantization.backend_config import get_qnnpack_backend_config

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("network")
parser.add_argument("data")
parser.add_argument("-o", dest="output", help="x.mlir, x.mlirbc or x.o")
arguments = parser.parse_args()
data = np.load(arguments.data)
calibration_loader = ((images / 255,) for images in data["calib_images"])

# torch.ao: float_model, a torch.nn.Module
model = qbackend.load(arguments.network)

# torch.ao: the same lines
backend_config = get_qnnpack_backend_config()
mapping = get_default_qconfig_mapping("qnnpack")

# torch.ao: prepared = prepare_fx(float_model, mapping, example_inputs,
#                                 backend_config=backend_config)
#           for images, in calibration_loader:
#               prepared(images)
model.calibrate(calibration_loader, backend=backend_config, qconfig=mapping)

# torch.ao: quantized = convert_fx(prepared, backend_config=backend_config)
quantized = model.quantize()

# torch.ao: print(quantized), and look for modules that are not quantized
for operator in quantized.explain().missed():
    print(f"stays float: {operator.operator} {operator.name}: {operator.reason}")
print(quantized.summary())

# torch.ao: a loop over the test set
images, labels = data["test_images"], data["test_labels"]
for name, network in (("float", model), ("quantized", quantized)):
    print(f"{name}: {network.evaluate(images, labels, input_scale='1/255')}")

# torch.ao: compute_sqnr(float_model(x), quantized(x))
for difference in quantized.compare(model, images, input_scale="1/255"):
    print(difference)

# torch.ao: torch.save(quantized.state_dict(), ...)
if arguments.output:
    quantized.save(arguments.output)

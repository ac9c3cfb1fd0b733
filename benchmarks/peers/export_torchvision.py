#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes networks of torchvision as ONNX files, with random weights.

    export_torchvision.py FOLDER NAME...

Takes Debian's python3-torchvision and python3-onnx. Batch norms have the statistics of
random images and biases are not zero, so that nothing is folded that a trained network
has.
"""

import pathlib
import sys

import torch
import torchvision


def main():
    folder = pathlib.Path(sys.argv[1])
    for name in sys.argv[2:]:
        torch.manual_seed(0)
        network = getattr(torchvision.models, name)(weights=None)
        # Of GoogLeNet and Inception, heads that only training has.
        network.aux_logits = False
        for parameter in network.named_parameters():
            if parameter[0].endswith("bias"):
                torch.nn.init.normal_(parameter[1], std=0.02)
        for module in network.modules():
            if isinstance(module, torch.nn.BatchNorm2d):
                module.momentum = 1.0
        size = 299 if name == "inception_v3" else 224
        images = torch.randn(2, 3, size, size)
        with torch.no_grad():
            network.train()(images)
        torch.onnx.export(network.eval(), images[:1], folder / f"{name}.onnx",
                          opset_version=13)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs networks with our own JIT: model_peer.py exact|contract MODULE...

See serving.py for what it answers. `contract`: products of reals aren't rounded before
they are added, as other engines do it.
"""

import sys

import numpy as np
import qbackend

from serving import get_image, serve


def load(path, contract):
    model = qbackend.load(path)
    x = get_image(model.inputs[0].shape)
    if model.inputs[0].dtype == "float32":
        x = (x / 256).astype(np.float32)
    return lambda: model.run(x, threads=1, contract=contract)


def main():
    mode, *paths = sys.argv[1:]
    serve([load(path, mode == "contract") for path in paths])


if __name__ == "__main__":
    main()

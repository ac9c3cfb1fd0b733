#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs networks with our own JIT: model_peer.py exact|contract MODULE...

Protocol as in object_peer.py. `contract`: products aren't rounded before they are
added, as other engines do it.
"""

import sys
import time

import numpy as np
import qbackend


def load(path, contract):
    model = qbackend.load(path)
    shape = model.inputs[0].shape
    x = (np.arange(np.prod(shape)) * 37 % 256 / 256).astype(np.float32).reshape(shape)
    return lambda: model.run(x, threads=1, contract=contract)


def main():
    mode, *paths = sys.argv[1:]
    runs = [load(path, mode == "contract") for path in paths]
    for run in runs:
        run()
    print("ready", flush=True)
    for line in sys.stdin:
        index, calls = map(int, line.split())
        begin = time.process_time()
        for _ in range(calls):
            runs[index]()
        print((time.process_time() - begin) / calls, flush=True)


if __name__ == "__main__":
    main()

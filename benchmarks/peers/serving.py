# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a peer answers to run.py; serving.h has the same for one in C."""

import sys
import time

import numpy as np


def get_image(shape):
    """The image of bytes that all engines get, in the order N, H, W, C."""
    return (np.arange(np.prod(shape)) * 37 % 256).astype(np.uint8).reshape(shape)


def serve(runs):
    """Calls each of `runs` once, says so, and then for each line "INDEX CALLS" prints
    the seconds of the processor that one call of that run took. For no calls it prints
    the bytes of the result, in hexadecimal digits."""
    for run in runs:
        run()
    print("ready", flush=True)
    for line in sys.stdin:
        index, calls = map(int, line.split())
        if not calls:
            print(np.ascontiguousarray(runs[index]()).tobytes().hex(), flush=True)
            continue
        begin = time.process_time()
        for _ in range(calls):
            runs[index]()
        print((time.process_time() - begin) / calls, flush=True)

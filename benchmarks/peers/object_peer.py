#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls compiled networks: object_peer.py LIBRARY:FUNCTION:INPUT:OUTPUT:ARENA...

INPUT, OUTPUT and ARENA are sizes in bytes. See serving.py for what it answers.
"""

import ctypes
import sys

import numpy as np

from serving import get_image, serve

ALIGNMENT = 64


def allocate(size):
    data = np.zeros(size + ALIGNMENT, np.uint8)
    begin = -data.ctypes.data % ALIGNMENT
    return data[begin:begin + size]


def request_tiles():
    """AMX, see Kernels.md; nothing happens on machines without."""
    ctypes.CDLL(None).syscall(158, 0x1023, 18)


def get_function(text):
    library, name, *sizes = text.split(":")
    buffers = [allocate(int(size)) for size in sizes]
    buffers[0][:] = get_image(len(buffers[0]))
    pointers = [ctypes.c_void_p(b.ctypes.data) for b in buffers]
    function = getattr(ctypes.CDLL(library), name)
    function.restype = None

    def run():
        function(*pointers)
        return buffers[1]

    return run


def main():
    request_tiles()
    serve([get_function(text) for text in sys.argv[1:]])


if __name__ == "__main__":
    main()

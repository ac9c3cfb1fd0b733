# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where memory is missing, calls raise: the process goes on."""

import os
import subprocess
import sys

import numpy as np
import pytest

import qbackend

SCRIPT = """
import resource
import sys
import qbackend

data = open(sys.argv[1], "rb").read()
qbackend.Model(open(sys.argv[2], "rb").read()).inputs  # Everything is loaded.
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
# A thread has its stack, a copy of the module has no room.
limit = used + (12 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
try:
    qbackend.Model(data).inputs
except (qbackend.CompilerError, MemoryError) as error:
    print(type(error).__name__, error)
"""
NETWORK = """
func.func @main(%x: tensor<1x{n}xf32>) -> tensor<1x{n}xf32> {{
  %w = arith.constant dense<"0x{weights}"> : tensor<{n}x{n}xf32>
  %e = tensor.empty() : tensor<1x{n}xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<1x{n}xf32>, tensor<{n}x{n}xf32>)
    outs(%e : tensor<1x{n}xf32>) -> tensor<1x{n}xf32>
  return %0 : tensor<1x{n}xf32>
}}
"""


@pytest.mark.skipif("ASAN_OPTIONS" in os.environ,
                    reason="its shadow takes terabytes of addresses")
def test_modules_that_are_too_large(tmp_path):
    for name, n in (("large", 2048), ("small", 2)):
        weights = np.random.default_rng(0).normal(size=(n, n)).astype("<f4")
        text = NETWORK.format(n=n, weights=weights.tobytes().hex())
        (tmp_path / name).write_bytes(qbackend.Model(text).bytecode())
    done = subprocess.run([sys.executable, "-c", SCRIPT, tmp_path / "large",
                           tmp_path / "small"], capture_output=True, text=True)
    # A thread that takes a heap of its own may leave no room for less than the copy.
    assert done.returncode == 0 and (
        "out of memory: cannot copy the 16777" in done.stdout
        or done.stdout.startswith("MemoryError ")), (
            done.returncode, done.stdout, done.stderr)

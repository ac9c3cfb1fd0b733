# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The passes of a stock mlir-opt from linalg on tensors to the LLVM dialect.

They show that what this project makes needs nothing else: replay_golden.py and
the tests in test/Integration run it so. What is still TOSA goes through FROM_TOSA
first, in a run of its own.
"""

import pathlib

_BUFFERIZE = pathlib.Path(__file__).parent / "Inputs" / "bufferize.mlir"

# TOSA, if there is any, to linalg: float operators that stayed as they
# were, or lower-to=tosa.
FROM_TOSA = (
    "--pass-pipeline=builtin.module(func.func(tosa-optional-decompositions,"
    "tosa-to-linalg-named,"
    "tosa-to-linalg,tosa-to-arith{include-apply-rescale=true},tosa-to-tensor))"
)

# Ops on tensors that are not linalg yet, then buffers.
BUFFERIZE = [
    "--convert-elementwise-to-linalg",
    f"--transform-preload-library=transform-library-paths={_BUFFERIZE}",
    "--transform-interpreter",
]

# Loops over rows of output channels, which LLVM vectorizes.
LOOPS = [
    "--buffer-deallocation-pipeline",
    "--convert-bufferization-to-memref",
    "--convert-linalg-to-loops",
    "--loop-invariant-code-motion",
    "--convert-vector-to-scf",
    "--convert-scf-to-cf",
    "--expand-strided-metadata",
    "--lower-affine",
]


TO_LLVM = [
    "--convert-vector-to-llvm",
    "--convert-math-to-llvm",
    "--convert-math-to-libm",
    "--convert-arith-to-llvm",
    "--convert-index-to-llvm",
    "--finalize-memref-to-llvm",
    "--convert-func-to-llvm",
    "--convert-cf-to-llvm",
    "--reconcile-unrealized-casts",
]

# For mlir-runner.
PIPELINE = BUFFERIZE + LOOPS + TO_LLVM

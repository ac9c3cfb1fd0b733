# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The passes of a stock mlir-opt from linalg on tensors to the LLVM dialect.

They exist here only: compile-to-object.py, replay-golden.py and the tests in
test/Integration use them. What is still TOSA goes through FROM_TOSA first, in a
run of its own.
"""

import pathlib

_BUFFERIZE = pathlib.Path(__file__).with_name("bufferize.mlir")

# TOSA, if there is any, to linalg: real-valued operators that stayed as they
# were, or lower-to=tosa.
FROM_TOSA = (
    "--pass-pipeline=builtin.module(func.func(tosa-to-linalg-named,"
    "tosa-to-linalg,tosa-to-arith{include-apply-rescale=true},tosa-to-tensor))"
)

# Ops on tensors that are not linalg yet, then buffers.
BUFFERIZE = [
    "--convert-elementwise-to-linalg",
    f"--transform-preload-library=transform-library-paths={_BUFFERIZE}",
    "--transform-interpreter",
]

# Results that the caller owns, for BUFFERIZE to be followed by: static shapes.
RESULTS_TO_ARGUMENTS = [
    "--buffer-results-to-out-params="
    "modify-public-functions=true hoist-static-allocs=true",
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


def to_llvm(bare_pointers=False):
    """The rest. With bare pointers, a buffer of static shape is its address."""
    convention = "use-bare-ptr-memref-call-conv=" + str(bare_pointers).lower()
    return [
        "--convert-vector-to-llvm",
        "--convert-math-to-llvm",
        "--convert-math-to-libm",
        "--convert-arith-to-llvm",
        "--convert-index-to-llvm",
        "--finalize-memref-to-llvm",
        f"--convert-func-to-llvm={convention}",
        "--convert-cf-to-llvm",
        "--reconcile-unrealized-casts",
    ]


# For mlir-runner.
PIPELINE = BUFFERIZE + LOOPS + to_llvm()

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first step of linalg_to_llvm.py, for the transform interpreter of a stock
// mlir-opt: one-shot bufferization whose copies are linalg ops. As an op of
// memref, the copy of an image into its padding would become a call of MLIR's
// runtime library; one of linalg becomes a loop.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(
      %module: !transform.any_op {transform.consumed}) {
    %0 = transform.bufferization.one_shot_bufferize
        layout{IdentityLayoutMap} %module
        {bufferize_function_boundaries = true, memcpy_op = "linalg.copy"}
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

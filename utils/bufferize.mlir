// The first step of linalg_to_llvm.py, for the transform interpreter of a stock
// mlir-opt: one-shot bufferization with two differences.
//
// Copies are linalg ops. As an op of memref, the copy of an image into its
// padding would become a call of MLIR's runtime library; one of linalg becomes a
// loop.
//
// Buffers have no alignment beyond malloc's. The arithmetic on addresses that
// would align them hides from LLVM that two buffers don't overlap, and loops are
// not vectorized then.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(
      %module: !transform.any_op {transform.consumed}) {
    %0 = transform.bufferization.one_shot_bufferize
        layout{IdentityLayoutMap} %module
        {bufferize_function_boundaries = true, memcpy_op = "linalg.copy"}
        : (!transform.any_op) -> !transform.any_op
    %1 = transform.structured.match ops{["memref.alloc"]} in %0
        : (!transform.any_op) -> !transform.any_op
    %2 = transform.param.constant 1 : i64 -> !transform.param<i64>
    transform.annotate %1 "alignment" = %2
        : !transform.any_op, !transform.param<i64>
    transform.yield
  }
}

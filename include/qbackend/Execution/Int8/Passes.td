// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the qnnpack dialect to kernels on bytes.

#ifndef QBACKEND_EXECUTION_INT8_PASSES
#define QBACKEND_EXECUTION_INT8_PASSES

include "mlir/Pass/PassBase.td"

def ConvertQNNPackToInt8Pass : Pass<"convert-qnnpack-to-int8"> {
  let summary = "lower what has a generated kernel to the int8 dialect";
  let description = [{
    Before: `qnnpack` ops. After: convolutions, transposed ones and linear layers
    with constant weights are `int8.conv2d` between `quant.scast`, with the zero
    point of the input in the bias. Of three dimensions, the pixels that the first
    one of a window reads become channels; phases of a transposed convolution are
    outputs; small groups become larger ones. A clamp or relu, then an addition of
    a tensor of the same shape, then a clamp or relu, of which each has one use,
    are part of the kernel. Of a linear layer that quantizes its input at run time
    the kernel has the sums. The integers are those of `convert-qnnpack-to-linalg`,
    which lowers what is left.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::quant::QuantDialect",
    "::mlir::tensor::TensorDialect", "::qbackend::int8::Int8Dialect"
  ];
}

#endif // QBACKEND_EXECUTION_INT8_PASSES

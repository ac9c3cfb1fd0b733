// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes from one dialect to another.

#ifndef QBACKEND_CONVERSION_PASSES
#define QBACKEND_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// QNNPackToLinalg
//===----------------------------------------------------------------------===//

def ConvertQNNPackToLinalgPass
    : Pass<"convert-qnnpack-to-linalg", "::mlir::ModuleOp"> {
  let summary = "lower the qnnpack dialect to linalg on integers";
  let description = [{
    Before: `qnnpack` ops on tensors of quantized types; weights are constants
    behind a `quant.scast`. After: `linalg`, `tensor`, `arith` and `math` only
    (and `cf.assert` on the indices of an embedding), a tensor of a quantized
    type is one of its storage type (`i8` for `u8`, too: values are
    zero-extended where they are used), also in the signatures of functions.
    Stock bufferization and LLVM lowering take the result.

    Integers stay integers: there is no `f32` tensor between `qnnpack.quantize`
    and `qnnpack.dequantize`. The arithmetic is that of the engine, including
    its overflows.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// QBackendToQNNPack
//===----------------------------------------------------------------------===//

def ConvertQBackendToQNNPackPass
    : Pass<"convert-qbackend-to-qnnpack", "::mlir::ModuleOp"> {
  let summary = "lower quantized operators to the kernels of QNNPACK";
  let description = [{
    Before: the reference form. After: each operator with a qconfig whose inputs
    are dequantized and whose result is quantized is a `qnnpack` op on the
    integers, its bias an int32 constant; `qbackend.quantize` and `dequantize`
    are those of `qnnpack`. An operator without such a kernel, or beyond its
    limits, stays real-valued and gets a missed remark.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::quant::QuantDialect",
    "::qbackend::qnnpack::QNNPackDialect"
  ];
}

#endif // QBACKEND_CONVERSION_PASSES

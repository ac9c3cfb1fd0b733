// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an ONNX graph computes, as code that is judged like any other.

#ifndef QBACKEND_LIB_INSIGHT_PROOF_ONNX_GRAPHCODE_H
#define QBACKEND_LIB_INSIGHT_PROOF_ONNX_GRAPHCODE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Error.h"

namespace qbackend::proof {

/// A module with a function 'operator' of tensors of `type`, whose quantized
/// ones are held as integers, that computes what the ONNX file `bytes` says, as
/// the operators of ONNX are specified:
///
/// - QuantizeLinear is saturate(rne(x / s) + z), DequantizeLinear (q - z) * s;
/// - Conv, Gemm and MatMul between them are QLinearConv and QLinearMatMul, as
///   runtimes fuse them: the integers are added exactly, and their sum is
///   multiplied by f32(f32(sx * sw) / sy) once;
/// - what moves or compares elements does so on quantized ones.
///
/// An error says which operator has no such meaning.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
makeGraphCode(llvm::StringRef bytes, mlir::FunctionType type,
              mlir::Location loc);

} // namespace qbackend::proof

#endif // QBACKEND_LIB_INSIGHT_PROOF_ONNX_GRAPHCODE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far the results of a network of qnnpack ops can be from its kernels' in
// the forms that round in another way: TOSA, and ONNX as ONNX Runtime runs it.

#ifndef QBACKEND_CONVERSION_FORMDIFFERENCE_H
#define QBACKEND_CONVERSION_FORMDIFFERENCE_H

#include "qbackend/Transforms/Analysis/FormDifference.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace qbackend {

enum class InexactForm {
  /// What convert-qnnpack-to-tosa makes, with the rounding of TOSA 1.0.
  Tosa,
  /// What is written as ONNX, by the integer kernels of ONNX Runtime at
  /// graphOptimizationLevel `all`.
  ONNX,
};

/// The multipliers of the sums of an op with a weight that the form has: one,
/// or one for each output channel.
using GetMultipliers =
    llvm::function_ref<llvm::SmallVector<float>(mlir::Operation *)>;

/// What each result of `network` can be off by in `form`. `getMultipliers`:
/// where they aren't those of the kernels.
llvm::SmallVector<ResultDifference>
boundDifferences(mlir::func::FuncOp network, InexactForm form,
                 GetMultipliers getMultipliers = nullptr);

} // namespace qbackend

#endif // QBACKEND_CONVERSION_FORMDIFFERENCE_H

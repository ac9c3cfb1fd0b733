// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recognisers of structured ops: linalg, and tensor.

#ifndef QBACKEND_LIB_OPERATORS_LINALG_LINALGRECOGNIZERS_H
#define QBACKEND_LIB_OPERATORS_LINALG_LINALGRECOGNIZERS_H

#include "Layout.h"
#include "Recognition.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace qbackend::forms {

void recognizeLinalgConvolution(Recognition &recognition);
void recognizeLinalgPooling(Recognition &recognition);
void recognizeLinalgConcatenation(Recognition &recognition);
void recognizeLinalgShape(Recognition &recognition);

/// Replaces `op` by one on tensors with a leading dimension of size 1, if it
/// reads one whose leading dimension was dropped.
void restoreLeadingDim(mlir::Operation *op);

/// Splits `op`, one that fusion has made of several, so that its results are
/// those of an operator: the last of the ops that it becomes is returned, the
/// others come before it. Null, and nothing is changed, if no part of it is one
/// for `isOperator`.
mlir::Operation *
splitFused(mlir::Operation *op, ConstantEvaluator &constants,
           llvm::function_ref<bool(mlir::Operation *)> isOperator);

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// True if `op` adds the product of its two inputs to its destination, all of
/// them f32: a convolution or a contraction.
bool isMultiplyAccumulate(mlir::linalg::LinalgOp op,
                          ScalarExpressions &expressions);

/// How an op slides over the two spatial dimensions of its input.
struct Windows {
  /// Positions in the input of the spatial dimensions, and their loops.
  llvm::SmallVector<unsigned, 2> positions, outputLoops, kernelLoops;
  llvm::SmallVector<int64_t, 2> strides, dilations;
  /// Loops of the other dimensions of the input, or nullopt for spatial ones.
  llvm::SmallVector<std::optional<unsigned>> loops;
};
std::optional<Windows> getWindows(mlir::linalg::LinalgOp op);

/// `value` without the padding in front of it.
struct PaddedValue {
  mlir::Value value;
  /// [top, bottom, left, right]
  llvm::SmallVector<int64_t, 4> padding;
  /// Of the padding; no number if there is none.
  std::optional<double> number;
};
PaddedValue skipPadding(mlir::Value value, llvm::ArrayRef<unsigned> spatial,
                        ConstantEvaluator &constants);

/// True if no element of `value` is below 0.
bool isNonNegative(mlir::Value value, ScalarExpressions &expressions,
                   unsigned depth = 6);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_LINALG_LINALGRECOGNIZERS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of structured ops as ops of their own.

#ifndef QBACKEND_LIB_TRANSFORMS_IMPORT_ELEMENTSLICES_H
#define QBACKEND_LIB_TRANSFORMS_IMPORT_ELEMENTSLICES_H

#include "qbackend/Operators/ConstantEvaluator.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace qbackend {

/// A scalar of a region, and a tensor that has it as its elements, which are
/// read by `map`; null: one for each position of the loops.
struct ScalarTensor {
  mlir::Value scalar, tensor;
  mlir::AffineMap map = {};
};

/// Whether `op` computes each element of its results by its own position.
bool isElementwise(mlir::linalg::LinalgOp op);

/// Whether `op`, which is elementwise, can be cut in pieces: it reads nothing
/// but its inputs.
bool canBeSliced(mlir::linalg::LinalgOp op);

/// An op before `op` that computes `scalar` of it, and nothing else.
mlir::linalg::GenericOp createSlice(mlir::RewriterBase &rewriter,
                                    mlir::linalg::LinalgOp op,
                                    mlir::Value scalar);

/// An op before `op` that computes the `results` of it, and reads the scalars
/// of `replaced` from tensors.
mlir::linalg::GenericOp createRest(mlir::RewriterBase &rewriter,
                                   mlir::linalg::LinalgOp op,
                                   llvm::ArrayRef<unsigned> results,
                                   llvm::ArrayRef<ScalarTensor> replaced);

/// What `op`, a reduction, computes from one of its inputs, and from constants,
/// before it uses it, as an op for each such scalar, in the order of the code.
/// Only where one of the ops for it is wanted.
llvm::SmallVector<ScalarTensor>
createPrologues(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op,
                ConstantEvaluator &constants,
                llvm::function_ref<bool(mlir::Operation *)> isWanted);

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_IMPORT_ELEMENTSLICES_H

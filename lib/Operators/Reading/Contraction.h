// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices, whatever op computes them.

#ifndef QBACKEND_LIB_OPERATORS_READING_CONTRACTION_H
#define QBACKEND_LIB_OPERATORS_READING_CONTRACTION_H

#include "Reading/Expressions/ScalarExpression.h"

namespace qbackend::forms {

/// An op whose result is a sum, over some of its loops, of the products of two
/// operands. Each result of a map is a loop, or 0 for a dimension of size 1.
struct Contraction {
  mlir::Operation *op = nullptr;
  mlir::Value lhs, rhs;
  mlir::AffineMap lhsMap, rhsMap, resultMap;
  /// Of the loops.
  llvm::SmallVector<int64_t> sizes;
  /// What is added to: in the result's shape, or one number for each channel.
  /// Null: 0.
  mlir::Value init, bias;
  /// A convolution of images of one pixel.
  bool isConvolution = false;

  mlir::Value result() const { return op->getResult(0); }
};

std::optional<Contraction>
readLinalgContraction(mlir::Operation *op, ScalarExpressions &expressions);
std::optional<Contraction> readTosaContraction(mlir::Operation *op,
                                               ConstantEvaluator &constants);
std::optional<Contraction> readContraction(mlir::Operation *op,
                                           ScalarExpressions &expressions);

/// The loop of result `expr` of a contraction's map, but for 0.
inline std::optional<unsigned> getLoop(mlir::AffineExpr expr) {
  auto dim = llvm::dyn_cast<mlir::AffineDimExpr>(expr);
  return dim ? std::optional<unsigned>(dim.getPosition()) : std::nullopt;
}
bool usesLoop(mlir::AffineMap map, unsigned loop);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_READING_CONTRACTION_H

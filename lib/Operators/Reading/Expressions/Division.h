// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last step of an average: a division by how many elements were summed.

#ifndef QBACKEND_LIB_OPERATORS_READING_EXPRESSIONS_DIVISION_H
#define QBACKEND_LIB_OPERATORS_READING_EXPRESSIONS_DIVISION_H

#include "Reading/Expressions/PositionTable.h"
#include "Reading/Expressions/ScalarExpression.h"

namespace qbackend::forms {

/// A tensor divided by numbers that depend on the position only.
struct Division {
  mlir::Value dividend;
  /// From the dimensions of the result to those of the dividend.
  mlir::AffineMap map;
  /// Over the dimensions of the result.
  PositionTable divisor;
};

/// What `op` divides, or multiplies with reciprocals; nullopt if it does
/// anything else, or if the dividend isn't wanted.
std::optional<Division>
readDivision(mlir::Operation *op, ScalarExpressions &expressions,
             llvm::function_ref<bool(mlir::Value, mlir::AffineMap)> isWanted);

/// The two operands of the division that is all that `op`, without reductions,
/// computes: the region's arguments or inner values. Nulls if it isn't one. A
/// product has a flag instead.
struct RegionDivision {
  mlir::Value dividend, divisor;
  bool isProduct = false;
};
RegionDivision readRegionDivision(mlir::linalg::LinalgOp op);

/// The operand of `op` that is argument `value` of its region; null if none is.
mlir::OpOperand *getTensorOperand(mlir::linalg::LinalgOp op, mlir::Value value);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_READING_EXPRESSIONS_DIVISION_H

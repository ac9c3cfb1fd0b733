// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that depend on nothing but the position in an iteration space: the
// divisors of pools at the border, or the bounds of adaptive ones.

#ifndef QBACKEND_LIB_OPERATORS_READING_EXPRESSIONS_POSITIONTABLE_H
#define QBACKEND_LIB_OPERATORS_READING_EXPRESSIONS_POSITIONTABLE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "qbackend/Operators/ConstantEvaluator.h"

namespace qbackend::forms {

/// A number for each position, in row-major order.
struct PositionTable {
  /// No table has more numbers than this.
  static constexpr int64_t kMaxSize = int64_t(1) << 20;

  /// Of each loop; 1 where the number doesn't vary with it.
  llvm::SmallVector<int64_t> sizes;
  std::vector<double> numbers;

  PositionTable() = default;
  /// The same number everywhere.
  PositionTable(size_t loops, double number)
      : sizes(loops, 1), numbers{number} {}

  double at(llvm::ArrayRef<int64_t> position) const;
  /// The number that is the same everywhere.
  std::optional<double> getNumber() const;
  /// The table over these loops; nullopt if the numbers vary along others.
  std::optional<PositionTable> project(llvm::ArrayRef<unsigned> loops) const;

  /// Of two tables over the same loops; empty if that gets too large.
  static PositionTable
  combine(const PositionTable &lhs, const PositionTable &rhs,
          llvm::function_ref<double(double, double)> function);
};

/// Calls `visit` with each position of a space.
void forEachPosition(llvm::ArrayRef<int64_t> sizes,
                     llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);

/// The elements of constant `value` read through `map`; nullopt if it isn't
/// constant, or has too many elements.
std::optional<PositionTable> readConstant(mlir::Value value,
                                          mlir::AffineMap map,
                                          ConstantEvaluator &constants);

/// What the region of `op` computes from indices and constants, for all
/// positions; nullopt if `value` depends on anything else, or on loops of
/// unknown size, or isn't a number everywhere.
std::optional<PositionTable> computePositions(mlir::linalg::LinalgOp op,
                                              mlir::Value value,
                                              ConstantEvaluator &constants);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_READING_EXPRESSIONS_POSITIONTABLE_H

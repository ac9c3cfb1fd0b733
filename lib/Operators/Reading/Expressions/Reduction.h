// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums and maxima over dimensions, in whatever dialect.

#ifndef QBACKEND_LIB_OPERATORS_READING_EXPRESSIONS_REDUCTION_H
#define QBACKEND_LIB_OPERATORS_READING_EXPRESSIONS_REDUCTION_H

#include "Reading/Layout.h"

namespace qbackend::forms {

/// The sum or the maximum of a scalar over some loops.
struct Reduction {
  /// Add or Max.
  ScalarKind kind;
  /// What is reduced; the maps of its operands are of the loops.
  const Scalar *element;
  /// Whether each loop is reduced, if its size isn't 1.
  llvm::SmallVector<bool> reduced;
  /// The loop of each dimension of the result; none: its size is 1.
  llvm::SmallVector<std::optional<unsigned>> resultLoops;
  /// Whether it is of one element, which it gives as it is.
  bool isOfOne = false;
};

/// The reduction that computes `value`, which starts with 0 or with the least
/// number. The op may have other results, such as the index of the maximum.
std::optional<Reduction> readReduction(mlir::Value value,
                                       ScalarExpressions &expressions);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_READING_EXPRESSIONS_REDUCTION_H

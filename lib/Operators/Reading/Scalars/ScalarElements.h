// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of constants as numbers, and back.

#ifndef QBACKEND_LIB_OPERATORS_READING_SCALARS_SCALARELEMENTS_H
#define QBACKEND_LIB_OPERATORS_READING_SCALARS_SCALARELEMENTS_H

#include "qbackend/Operators/ScalarOp.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace qbackend::forms {

/// Reads elements in any order, without a copy of them all.
class ElementReader {
public:
  /// nullopt for elements that are no numbers.
  static std::optional<ElementReader> get(mlir::DenseElementsAttr elements);

  /// The element at `offset`, in row-major order.
  ScalarNumber at(int64_t offset) const;
  ScalarType getType() const { return type; }
  bool isSplat() const { return splat; }

private:
  mlir::DenseElementsAttr elements;
  ScalarType type;
  bool splat = false;
};

/// Collects the elements of a constant, in row-major order.
class ElementWriter {
public:
  /// The element type of `type` has to be one that is read.
  explicit ElementWriter(mlir::RankedTensorType type);

  void reserve(size_t count);
  void append(llvm::ArrayRef<ScalarNumber> numbers);
  /// One element for all, or as many as the type has; null if there are fewer.
  mlir::DenseElementsAttr finish() const;

private:
  mlir::RankedTensorType type;
  ScalarType element;
  /// Of whole bytes, or the numbers as they are.
  std::vector<char> bytes;
  std::vector<ScalarNumber> numbers;
  size_t count = 0;
};

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_READING_SCALARS_SCALARELEMENTS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dimensions of a tensor, followed through changes of layout and shape.

#ifndef QBACKEND_LIB_OPERATORS_READING_AXES_H
#define QBACKEND_LIB_OPERATORS_READING_AXES_H

#include "qbackend/Operators/Recognizer.h"

namespace qbackend::forms {

/// Numbers of axes, from outer to inner.
using AxisList = llvm::SmallVector<unsigned, 2>;

/// A value whose dimensions are made of the axes of another one: each of none
/// (it has size 1), of one, or of several that were merged. Axes of size 1 may
/// be missing.
struct AxisView {
  mlir::Value value;
  llvm::SmallVector<AxisList> dims;
  /// Of each axis, by its number.
  llvm::SmallVector<int64_t> sizes;
  /// Axes that `value` holds in reverse.
  llvm::SmallVector<unsigned> flipped;

  mlir::RankedTensorType type() const {
    return mlir::cast<mlir::RankedTensorType>(value.getType());
  }
  /// The dimension that is made of `axis` alone.
  std::optional<unsigned> find(unsigned axis) const;

  /// Makes this a view of what the producer of `value` reads, if that changes
  /// layout or shape only, and tells if it did. Without `flips` the order of
  /// elements along a dimension is part of the layout that has to stay.
  bool goBack(bool flips = false);
  /// Makes this a view of the result of `op`, which reads `value`, in the same
  /// way.
  bool goForward(mlir::Operation *op);
};

/// What `op` reads if it changes layout or shape only; else null.
mlir::Value getLayoutSource(mlir::Operation *op);

/// The operand whose dimensions are `axes`, in this order, and which then has
/// `shape`; null if it isn't `view` up to axes of size 1.
RecognizedOperand arrangeAxes(const AxisView &view,
                              llvm::ArrayRef<unsigned> axes,
                              llvm::ArrayRef<int64_t> shape);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_READING_AXES_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which element of a tensor each element of another one is, whatever the
// sequence of reshapes, transposes, broadcasts and slices between them.

#ifndef QBACKEND_LIB_OPERATORS_READING_ELEMENTMAP_H
#define QBACKEND_LIB_OPERATORS_READING_ELEMENTMAP_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace qbackend::forms {

/// `size` positions, of which each is `step` after the one before in dimension
/// `dim` of the source; without `dim`, the same element again.
struct Run {
  std::optional<unsigned> dim;
  int64_t size = 1;
  int64_t step = 1;

  bool operator==(const Run &other) const {
    return dim == other.dim && size == other.size &&
           (!dim || step == other.step);
  }
  bool operator!=(const Run &other) const { return !(*this == other); }
};
/// The runs of one dimension, the outermost first. None: one element.
using Runs = llvm::SmallVector<Run, 2>;

/// How `value` is made of `source` by moving elements.
class ElementMap {
public:
  /// That of a tensor of `type` onto itself.
  explicit ElementMap(mlir::RankedTensorType type);

  /// Makes this the map of what `op` makes of its source (`getMoved`). False if
  /// that can't be said in runs.
  bool apply(mlir::Operation *op);

  mlir::RankedTensorType getSourceType() const { return sourceType; }
  llvm::ArrayRef<Runs> getDims() const { return dims; }
  /// Of the first element, in each dimension of the source.
  llvm::ArrayRef<int64_t> getOffsets() const { return offsets; }
  bool hasOffsets() const;
  /// Whether the elements are those of the source in their order.
  bool isReshape() const;

private:
  bool applySlice(llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> sizes,
                  llvm::ArrayRef<int64_t> strides);
  bool applyCopy(mlir::AffineMap map, mlir::RankedTensorType type);
  bool applyReshape(mlir::RankedTensorType from, mlir::RankedTensorType to);
  void merge();

  mlir::RankedTensorType sourceType;
  llvm::SmallVector<int64_t> offsets;
  llvm::SmallVector<Runs> dims;
};

/// The runs of dimension `dim` of `type` as they are.
Runs getWholeDim(mlir::RankedTensorType type, unsigned dim);

/// What `op` only moves elements of; null for other ops.
mlir::Value getMoved(mlir::Operation *op);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_READING_ELEMENTMAP_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which extents are the same, though the code takes them from several tensors.

#ifndef QBACKEND_OPERATORS_EXTENT_H
#define QBACKEND_OPERATORS_EXTENT_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"

namespace qbackend {

/// That of a dimension of a tensor; or an index, if `dim` is -1.
struct Extent {
  mlir::Value value;
  int64_t dim = -1;
  bool operator==(const Extent &other) const {
    return value == other.value && dim == other.dim;
  }
};

/// Where the extent of dimension `dim` of `value` comes from: through casts,
/// destinations, sizes, and what keeps the dimension.
Extent findExtent(mlir::Value value, int64_t dim);

/// The same of an index: if it is a tensor.dim, of that.
Extent findExtent(mlir::Value index);

/// Whether `size` is the extent of dimension `dim` of `value`, as a number or
/// by where both come from.
bool isExtent(mlir::OpFoldResult size, mlir::Value value, int64_t dim);

} // namespace qbackend

#endif // QBACKEND_OPERATORS_EXTENT_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The original code of a recognised operator.

#ifndef QBACKEND_LIB_TRANSFORMS_RAISE_SLICE_H
#define QBACKEND_LIB_TRANSFORMS_RAISE_SLICE_H

#include "qbackend/Operators/Recognizer.h"

#include "llvm/ADT/SetVector.h"

namespace qbackend {

/// The ops from the operands of a recognised operator to its result, each after
/// those it uses.
struct Slice {
  llvm::SetVector<mlir::Operation *> ops;
  /// Those among them that depend on an activation.
  llvm::DenseSet<mlir::Operation *> active;
  /// Extents that are those of another tensor in the original code (tensor.dim
  /// of it), and of which activation they are, too.
  struct Extent {
    mlir::Value value;
    mlir::Value activation;
    int64_t dim;
  };
  llvm::SmallVector<Extent, 1> extents;
};

/// Whether `op` computes nothing: each element of its result is one of its
/// input, or a constant.
bool movesElements(mlir::Operation *op);

/// Collects the slice of `found`; failure, if it isn't a closed, pure subgraph
/// whose inner activations nobody else uses: what only moves elements of an
/// operand may be shared, and is then part of each operator that reads it. A
/// backend that names an op says that it is pure.
mlir::LogicalResult collectSlice(const RecognizedOperator &found, Slice &slice);

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_RAISE_SLICE_H

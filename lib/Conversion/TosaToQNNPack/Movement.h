// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What moves sums before they are rescaled, as in a transposed convolution that
// upstream wrote as a convolution with the phases as channels.

#ifndef QBACKEND_LIB_CONVERSION_TOSATOQNNPACK_MOVEMENT_H
#define QBACKEND_LIB_CONVERSION_TOSATOQNNPACK_MOVEMENT_H

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallVector.h"

namespace qbackend::tosa_to_qnnpack {

/// Ops that put elements elsewhere and compute none: channel `c` of what they
/// move becomes channel `c mod channels` of the result. So what is computed of
/// each element by constants of its channel can be computed before.
class Movement {
public:
  /// What is behind `sums`, of `channels` channels, up to what computes them;
  /// false if something moves channels otherwise, or its result is read by
  /// more.
  bool read(mlir::Value sums, int64_t channels);
  /// What computes the elements.
  mlir::Value getSource() const { return source; }
  bool isEmpty() const { return ops.empty(); }
  /// `value`, of the source's shape, moved as the sums are, at the insertion
  /// point.
  mlir::Value apply(mlir::RewriterBase &rewriter, mlir::Value value) const;

private:
  mlir::Value source;
  /// From the source on.
  llvm::SmallVector<mlir::Operation *> ops;
};

/// Whether the elements of `value` are read once; its size may be asked for.
bool isReadOnce(mlir::Value value);

/// Whether integers of 8 or 16 bits are made of `sums`, directly or by way of
/// wider ones.
bool isNarrowed(mlir::Value sums);

} // namespace qbackend::tosa_to_qnnpack

#endif // QBACKEND_LIB_CONVERSION_TOSATOQNNPACK_MOVEMENT_H

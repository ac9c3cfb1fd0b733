// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that reverse dimensions: transposed convolutions are spelled with them.

#ifndef QBACKEND_LIB_OPERATORS_READING_FLIP_H
#define QBACKEND_LIB_OPERATORS_READING_FLIP_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace qbackend::forms {

/// A value with some dimensions in reverse, and perhaps transposed.
struct Flip {
  mlir::Value source;
  /// For each dimension of the source: that of the result, and if it is
  /// reversed.
  llvm::SmallVector<unsigned> dims;
  llvm::SmallVector<bool> reversed;
};
/// The flip that `op` is: tosa.reverse, or a structured op that reads one
/// element for each of its result, by its maps or by tensor.extract.
std::optional<Flip> getFlip(mlir::Operation *op);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_READING_FLIP_H

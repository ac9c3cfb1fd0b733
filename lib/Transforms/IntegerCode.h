// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers that a module came with, and that no operator has.

#ifndef QBACKEND_LIB_TRANSFORMS_INTEGERCODE_H
#define QBACKEND_LIB_TRANSFORMS_INTEGERCODE_H

#include "mlir/IR/BuiltinOps.h"

namespace qbackend {

/// What is left of a module's own quantization after import and raising.
struct IntegerCode {
  explicit IntegerCode(mlir::ModuleOp module);

  /// Says which integers of the module stay code: QB144, QB145.
  void remark() const;

  /// Ops that make integers of 16 bits or less, wider ones that become real
  /// numbers again, or floats of 8 bits of real numbers, or round them to
  /// integers, in the order of the code: quantization that wasn't understood.
  llvm::SmallVector<mlir::Operation *> conversions;
  /// Contractions of integers, and kernels: what is integer already.
  llvm::SmallVector<mlir::Operation *> kernels;
  /// The multiply-accumulates of the latter.
  int64_t macs = 0;
};

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_INTEGERCODE_H

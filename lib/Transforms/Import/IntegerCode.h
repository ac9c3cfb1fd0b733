// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer code that a module came with, and that no operator has.

#ifndef QBACKEND_LIB_TRANSFORMS_IMPORT_INTEGERCODE_H
#define QBACKEND_LIB_TRANSFORMS_IMPORT_INTEGERCODE_H

#include "mlir/IR/BuiltinOps.h"

namespace qbackend {

/// What is left of a module's own quantization after import and raising.
struct IntegerCode {
  explicit IntegerCode(mlir::ModuleOp module);

  /// Whether the module quantizes something by itself that is still code.
  bool keepsQuantization() const { return isRounding || !conversions.empty(); }

  /// Says which integers of the module stay code: QB144, QB145.
  void remark() const;

  /// Ops that make integers of 16 bits or less, wider ones that become float
  /// numbers again, or floats of 8 bits of floats, or round them to
  /// integers, in the order of the code: quantization that wasn't understood.
  llvm::SmallVector<mlir::Operation *> conversions;
  /// Integer matmuls, convolutions and kernels: what is quantized already.
  llvm::SmallVector<mlir::Operation *> kernels;
  /// Products with fixed-point numbers, that give integers other scales, and
  /// that kernels would round otherwise.
  llvm::SmallVector<mlir::Operation *> rescales;
  /// By how many steps, at most, each of the latter.
  int64_t rescaleSteps = 0;
  /// Whether the import left code that rounds (QB140).
  bool isRounding = false;
  /// The multiply-accumulates of the latter.
  int64_t macs = 0;
};

} // namespace qbackend

#endif // QBACKEND_LIB_TRANSFORMS_IMPORT_INTEGERCODE_H

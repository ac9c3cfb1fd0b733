// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an elementwise linalg.generic computes, if that is a tosa.rescale or a
// clamp: by what its body does to an element, not by how it is spelled.

#ifndef QBACKEND_LIB_CONVERSION_TOSATOQNNPACK_ELEMENTRESCALE_H
#define QBACKEND_LIB_CONVERSION_TOSATOQNNPACK_ELEMENTRESCALE_H

#include "qbackend/Operators/ConstantEvaluator.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

namespace qbackend::tosa_to_qnnpack {

/// y = limit(round((x - inputZeroPoint) * multiplier / 2^shift) +
/// outputZeroPoint, min, max), where x is an element of `input`; without
/// multipliers y = limit(x, min, max).
struct ElementRescale {
  mlir::Value input;
  mlir::tosa::RoundingMode rounding = mlir::tosa::RoundingMode::SINGLE_ROUND;
  /// One, or one for each index of the last dimension.
  llvm::SmallVector<int32_t> multipliers;
  llvm::SmallVector<int8_t> shifts;
  int64_t inputZeroPoint = 0, outputZeroPoint = 0;
  /// The limits of the result's type where there are no narrower ones.
  int64_t min = 0, max = 0;

  bool isClamp() const { return multipliers.empty(); }
};

/// Reads `tosa.apply_scale`, and the shifts, products and selects of 64 bits
/// that upstream makes of it, between sums with constants, extensions,
/// truncations, minima and maxima, each of which is proved not to wrap around.
/// Nullopt for everything else.
std::optional<ElementRescale> readElementRescale(mlir::linalg::GenericOp op,
                                                 ConstantEvaluator &constants);

} // namespace qbackend::tosa_to_qnnpack

#endif // QBACKEND_LIB_CONVERSION_TOSATOQNNPACK_ELEMENTRESCALE_H

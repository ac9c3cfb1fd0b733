// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tosa.rescale of constants computes, as kernels have it.

#ifndef QBACKEND_LIB_CONVERSION_TOSATOQNNPACK_RESCALE_H
#define QBACKEND_LIB_CONVERSION_TOSATOQNNPACK_RESCALE_H

#include "qbackend/Dialect/QNNPack/QNNPack.h"
#include "qbackend/Operators/ConstantEvaluator.h"
#include "qbackend/Support/Remarks.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

namespace qbackend::tosa_to_qnnpack {

/// round((x - inputZeroPoint) * multiplier / 2^shift) + outputZeroPoint, within
/// the limits of the result's type.
struct Rescale {
  qnnpack::RequantizationAttr requantization;
  int64_t inputZeroPoint = 0, outputZeroPoint = 0;

  /// Whether the product is the number itself.
  bool isIdentity() const;
  /// Weights whose scale is that of the rescale, for each channel if that has
  /// several.
  mlir::Type getWeight(int64_t zeroPoint) const;
};

/// The integer of the constant `value` of one element.
std::optional<int64_t> readInteger(mlir::Value value,
                                   ConstantEvaluator &constants,
                                   bool isUnsigned = false);

/// Refuses what is not constant, and what TOSA 1.0 leaves undefined.
OrRefusal<Rescale> readRescale(mlir::tosa::RescaleOp op,
                               ConstantEvaluator &constants);

} // namespace qbackend::tosa_to_qnnpack

#endif // QBACKEND_LIB_CONVERSION_TOSATOQNNPACK_RESCALE_H

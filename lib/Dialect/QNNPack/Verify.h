// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that several verifiers of the qnnpack dialect share. Each returns
// failure after saying so at the op.

#ifndef QBACKEND_LIB_DIALECT_QNNPACK_VERIFY_H
#define QBACKEND_LIB_DIALECT_QNNPACK_VERIFY_H

#include "qbackend/Dialect/QNNPack/QNNPack.h"

#include "mlir/IR/TypeUtilities.h"

namespace qbackend::qnnpack {

/// The shapes of `from` and `to` are the same.
mlir::LogicalResult verifySameShape(mlir::Operation *op, mlir::Type from,
                                    mlir::Type to);

/// The quantized element types of `from` and `to` are the same.
mlir::LogicalResult verifySameParameters(mlir::Operation *op, mlir::Type from,
                                         mlir::Type to);

/// The storage types and ranges of `from` and `to` are the same.
mlir::LogicalResult verifySameStorage(mlir::Operation *op, mlir::Type from,
                                      mlir::Type to);

/// A fused relu leaves at least one step above the zero point of `output`.
mlir::LogicalResult verifyReluRange(mlir::Operation *op, mlir::Type output);

/// `attr` has one multiplier, or one for each of `channels`, and no shift to
/// the left unless it is of an operand of an addition.
mlir::LogicalResult verifyMultipliers(mlir::Operation *op,
                                      RequantizationAttr attr, int64_t channels,
                                      bool isOfOperand = false);

/// `axis` is a dimension of the tensor type `type`.
mlir::LogicalResult verifyAxis(mlir::Operation *op, int64_t axis,
                               mlir::Type type);

/// `values`, the attribute `name`, has `size` entries of at least `least`.
mlir::LogicalResult verifyIntegers(mlir::Operation *op, llvm::StringRef name,
                                   llvm::ArrayRef<int64_t> values, size_t size,
                                   int64_t least);

/// The geometry of one axis of a sliding window.
struct WindowAxis {
  llvm::StringRef name; // "height", say
  int64_t input;
  int64_t output;
  int64_t kernel;
  int64_t stride;
  int64_t before;
  int64_t after;
  int64_t dilation;
};

/// How the number of windows is rounded.
enum class WindowRounding { Floor, Ceil };

/// The output size of `axis` is the one its other fields give.
mlir::LogicalResult verifyWindow(mlir::Operation *op, const WindowAxis &axis,
                                 WindowRounding rounding);

} // namespace qbackend::qnnpack

#endif // QBACKEND_LIB_DIALECT_QNNPACK_VERIFY_H

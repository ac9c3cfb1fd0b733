// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of pools, by what they compute: of any number of dimensions, and
// with the parameters that PyTorch would have given them.

#ifndef QBACKEND_LIB_OPERATORS_KINDS_POOLING_POOLING_H
#define QBACKEND_LIB_OPERATORS_KINDS_POOLING_POOLING_H

#include "Kinds/Recognizers.h"
#include "Reading/Expressions/PositionTable.h"
#include "mlir/IR/Attributes.h"

namespace qbackend::forms {

/// How a pool slides over one dimension of an image.
struct PoolAxis {
  /// Of the image without padding, and how many windows there are; either may
  /// be dynamic.
  int64_t size, windows;
  int64_t kernel, stride = 1, dilation = 1;
  /// Padding that doesn't come from the image; windows may use less of `after`.
  int64_t before = 0, after = 0;
};

/// Max pooling, whose padding is never the maximum; null if there is no such
/// kind.
mlir::Attribute getMaxPool(mlir::MLIRContext *context,
                           llvm::ArrayRef<PoolAxis> axes);

/// The average pooling that sums all taps, of which those in the padding are 0,
/// and divides window `i, j, ...` by `divisor` there. Null if PyTorch has no
/// parameters for these divisors.
mlir::Attribute getAveragePool(mlir::MLIRContext *context,
                               llvm::ArrayRef<PoolAxis> axes,
                               const PositionTable &divisor);

/// How many taps of each window are inside of the image that has `before` and
/// `after` more elements: the divisors of a pool that doesn't count others.
PositionTable countTaps(llvm::ArrayRef<PoolAxis> axes,
                        llvm::ArrayRef<int64_t> before,
                        llvm::ArrayRef<int64_t> after);

/// Average pooling to these sizes; null if there is no such kind.
mlir::Attribute getAdaptiveAveragePool(mlir::MLIRContext *context,
                                       llvm::ArrayRef<int64_t> sizes);

/// True if no size of `axes` is dynamic, and there aren't more windows than are
/// worth counting.
bool isCountable(llvm::ArrayRef<PoolAxis> axes);

/// `shape` without dimension `dim`.
llvm::SmallVector<int64_t> dropDim(llvm::ArrayRef<int64_t> shape, int64_t dim);

/// True if no element of `value` is below 0.
bool isNonNegative(mlir::Value value, ScalarExpressions &expressions,
                   unsigned depth = 6);

/// Average pools of linalg whose windows differ in size.
void recognizeAdaptivePooling(Recognition &recognition);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_KINDS_POOLING_POOLING_H

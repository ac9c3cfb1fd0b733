// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions of any dialect, as loops and what they access.

#ifndef QBACKEND_LIB_OPERATORS_READING_CONVOLUTIONACCESS_H
#define QBACKEND_LIB_OPERATORS_READING_CONVOLUTIONACCESS_H

#include "Reading/Axes.h"
#include "Reading/Expressions/ScalarExpression.h"
#include <vector>

namespace qbackend::forms {

/// One dimension of a convolution's input. The numbers of loops are axes of its
/// filter and its result.
struct InputAxis {
  /// The loop over pixels of the result; of other dimensions the only loop.
  std::optional<unsigned> loop;
  std::optional<unsigned> kernelLoop;
  /// True if its index is more than one loop.
  bool isWindow = false;
  int64_t stride = 1, dilation = 1;
  /// Zeros before and after.
  int64_t before = 0, after = 0;
  /// Distance of two elements, between which there are zeros.
  int64_t spread = 1;
};

/// An op that convolves: result[r...] += input[i...] * filter[f...], over
/// loops.
struct ConvolutionAccess {
  mlir::Operation *op = nullptr;
  mlir::Value input, filter;
  llvm::SmallVector<InputAxis> inputAxes;
  /// The loops of each dimension.
  llvm::SmallVector<AxisList> filterLoops, resultLoops;
  llvm::SmallVector<int64_t> loopSizes;
  /// The loop over samples, if the op says which it is.
  std::optional<unsigned> batchLoop;
  /// The destination to which it adds, or one bias for each output channel.
  mlir::Value init, bias;
  /// True if the op itself is a transposed convolution: then the filter isn't
  /// that of windows over the image with zeros in it, but the reverse of it.
  bool isTransposed = false;
};

/// The convolutions that the op itself is. More than one if either operand may
/// be the image.
std::vector<ConvolutionAccess>
readLinalgConvolution(mlir::Operation *op, ScalarExpressions &expressions);
std::optional<ConvolutionAccess>
readTosaConvolution(mlir::Operation *op, ConstantEvaluator &constants);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_READING_CONVOLUTIONACCESS_H

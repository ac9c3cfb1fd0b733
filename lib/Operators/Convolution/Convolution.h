// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions of any dialect, as loops and what they access.

#ifndef QBACKEND_LIB_OPERATORS_CONVOLUTION_CONVOLUTION_H
#define QBACKEND_LIB_OPERATORS_CONVOLUTION_CONVOLUTION_H

#include "Convolution/Axes.h"
#include "Recognition.h"
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

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// What a convolution reads, seen through what is in front of it.
struct InputView {
  AxisView view;
  llvm::SmallVector<InputAxis> axes;
};
/// From the operand itself back to where nothing is seen through, in parts that
/// differ in layout and shape only. With `spread` zeros between pixels are seen
/// through, too.
std::vector<std::vector<InputView>>
getInputViews(const ConvolutionAccess &access, bool spread,
              ConstantEvaluator &constants);

//===----------------------------------------------------------------------===//
// Roles of dimensions
//===----------------------------------------------------------------------===//

/// Positions of [batch, spatial..., channel] in input and result, and what
/// slides over the spatial dimensions.
struct Placement {
  struct Spatial {
    /// None if nothing is known but the size, 1.
    std::optional<unsigned> inputAxis;
    std::optional<unsigned> outputLoop, kernelLoop;
  };
  llvm::SmallVector<int64_t> input, result;
  llvm::SmallVector<Spatial> spatial;
  std::optional<unsigned> group, outChannel, inChannel;
};
std::optional<Placement> placeDimensions(const ConvolutionAccess &access,
                                         const InputView &input,
                                         const AxisView &filter,
                                         const AxisView &result);

//===----------------------------------------------------------------------===//
// Biases
//===----------------------------------------------------------------------===//

/// The dimensions of `view` that hold the output channels, in order; failure if
/// they hold anything else.
llvm::FailureOr<llvm::SmallVector<unsigned>>
getChannelDims(const AxisView &view, llvm::ArrayRef<unsigned> channelLoops);

/// The bias of `channels` numbers that `scalar` is along dimensions `dims` of
/// what it is added to, of `type`; null if it isn't one.
RecognizedOperand getBias(const Scalar *scalar, llvm::ArrayRef<unsigned> dims,
                          int64_t channels, mlir::RankedTensorType type,
                          ScalarExpressions &expressions);

/// The bias that an accumulation starts with. Failure if it is no bias.
llvm::FailureOr<RecognizedOperand>
getInitialBias(const ConvolutionAccess &access,
               llvm::ArrayRef<unsigned> channelLoops, int64_t channels,
               ScalarExpressions &expressions);

/// The bias operand of an op: one number, or one for each channel.
llvm::FailureOr<RecognizedOperand> getBiasOperand(mlir::Value bias,
                                                  int64_t channels,
                                                  ConstantEvaluator &constants);

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// A convolution and the dimension of its result that its bias varies along.
struct Convolution {
  RecognizedOperator op;
  unsigned channel;
};

/// The convolutions that compute `value`, the one that takes in most of what is
/// in front of it first.
std::vector<Convolution> matchConvolutions(mlir::Value value,
                                           ScalarExpressions &);
/// The same for a concatenation of convolutions of each a group of channels.
std::optional<Convolution> matchGroups(mlir::Value value,
                                       ScalarExpressions &expressions);

/// The elements of a constant operand in its final layout; null if they aren't
/// known.
mlir::DenseElementsAttr evaluateOperand(const RecognizedOperand &operand,
                                        ConstantEvaluator &constants);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_CONVOLUTION_CONVOLUTION_H

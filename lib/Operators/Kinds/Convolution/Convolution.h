// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions of any dialect: their inputs, dimensions and biases.

#ifndef QBACKEND_LIB_OPERATORS_KINDS_CONVOLUTION_CONVOLUTION_H
#define QBACKEND_LIB_OPERATORS_KINDS_CONVOLUTION_CONVOLUTION_H

#include "Kinds/Recognition.h"
#include "Reading/ConvolutionAccess.h"
#include <vector>

namespace qbackend::forms {

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
/// Where the groups have a dimension of their own this counts those of
/// `op.outputShape`, which has one for both.
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
/// The same between two changes of shape, of which one adds a height of 1 and
/// the other, `root`, drops it: a convolution of one dimension.
std::optional<RecognizedOperator>
matchGroupsOfRows(mlir::Operation *root, ScalarExpressions &expressions);

/// The elements of a constant operand in its final layout; null if they aren't
/// known.
mlir::DenseElementsAttr evaluateOperand(const RecognizedOperand &operand,
                                        ConstantEvaluator &constants);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_KINDS_CONVOLUTION_CONVOLUTION_H

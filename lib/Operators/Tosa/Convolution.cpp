// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tosa.conv2d and tosa.depthwise_conv2d. Images are NHWC there, as here.

#include "Tosa/TosaRecognizers.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// A bias operand of `channels` elements; none if it is zero. Failure if it is
/// something else.
static FailureOr<RecognizedOperand> getBias(const Recognition &recognition,
                                            Value bias, int64_t channels) {
  auto type = getFloatType(bias);
  if (!type || type.getRank() != 1)
    return failure();
  if (recognition.isSplat(bias, 0))
    return RecognizedOperand();
  if (type.getDimSize(0) == channels)
    return RecognizedOperand::of(bias);
  DenseElementsAttr elements = recognition.constants().evaluate(bias);
  if (!elements || elements.size() != 1)
    return failure();
  return RecognizedOperand::ofConstant(
      elements.resizeSplat(type.clone({channels})));
}

/// The convolution `conv`, whose value leads to the root by way of `bias`, a
/// sum with a constant of shape [1, 1, 1, C], or directly (null).
template <typename ConvOpT>
static void addConvolution(const Recognition &recognition, ConvOpT conv,
                           Value bias) {
  auto inputType = getFloatType(conv.getInput());
  auto weightType = getFloatType(conv.getWeight());
  auto resultType = getFloatType(conv.getOutput());
  if (!inputType || !weightType || !resultType || inputType.getRank() != 4 ||
      weightType.getRank() != 4 || !weightType.hasStaticShape() ||
      resultType.getRank() != 4 || conv.getPad().size() != 4 ||
      !recognition.isSplat(conv.getInputZp(), 0) ||
      !recognition.isSplat(conv.getWeightZp(), 0))
    return;
  constexpr bool isDepthwise = std::is_same_v<ConvOpT, tosa::DepthwiseConv2DOp>;
  ArrayRef<int64_t> shape = weightType.getShape();
  int64_t channels = isDepthwise ? shape[2] * shape[3] : shape[0];
  int64_t groups = isDepthwise ? shape[2] : 1;
  auto weight = RecognizedOperand::of(conv.getWeight());
  if (isDepthwise) {
    // The filter of result channel c * M + m is [:, :, c, m].
    weight = RecognizedOperand::transposed(conv.getWeight(), {2, 3, 0, 1});
    weight.shape = {channels, shape[0], shape[1], 1};
  }

  FailureOr<RecognizedOperand> operand =
      getBias(recognition, conv.getBias(), channels);
  if (failed(operand) || (bias && *operand))
    return;
  if (bias)
    operand = RecognizedOperand::reshaped(bias, {channels});

  auto add = [&](Value input, ArrayRef<int64_t> padding) {
    auto kind = Conv2dAttr::get(recognition.context(),
                                recognition.ints(conv.getStride()),
                                recognition.ints(padding),
                                recognition.ints(conv.getDilation()), groups);
    RecognizedOperator op{
        kind, recognition.result(), {RecognizedOperand::of(input)}};
    op.weight = weight;
    op.bias = *operand;
    recognition.found.push_back(std::move(op));
  };
  SmallVector<int64_t> padding(conv.getPad());
  if (auto pad = matchZeroPad(recognition, conv.getInput())) {
    SmallVector<int64_t> sum(padding);
    for (size_t i = 0; i < sum.size(); ++i)
      sum[i] += pad->amounts[i];
    add(pad->input, sum);
  }
  Value whole = skipTrim(conv.getInput(), conv.getStride(), padding);
  if (whole != conv.getInput())
    add(whole, padding);
  add(conv.getInput(), padding);
}

static void addAnyConvolution(const Recognition &recognition, Value value,
                              Value bias) {
  Operation *op = value.getDefiningOp();
  if (auto conv = dyn_cast_or_null<tosa::Conv2DOp>(op))
    addConvolution(recognition, conv, bias);
  else if (auto conv = dyn_cast_or_null<tosa::DepthwiseConv2DOp>(op))
    addConvolution(recognition, conv, bias);
}

void forms::recognizeTosaConvolution(const Recognition &recognition) {
  addAnyConvolution(recognition, recognition.result(), {});
  auto add = dyn_cast<tosa::AddOp>(recognition.root);
  auto operands = add ? splitConstant(recognition, add) : std::nullopt;
  if (!operands)
    return;
  auto type = getFloatType(recognition.result());
  auto biasType = getFloatType(operands->second);
  if (!biasType || biasType.getRank() != 4 || type.getRank() != 4)
    return;
  // One number for all channels is a sum, not a bias.
  ArrayRef<int64_t> shape = biasType.getShape();
  if (shape[0] == 1 && shape[1] == 1 && shape[2] == 1 &&
      shape[3] == type.getDimSize(3))
    addAnyConvolution(recognition, operands->first, operands->second);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Biases behind a change of shape that cuts the channels, as fusion leaves them
// in front of anchors or heads.

#include "Kinds/Convolution/Convolution.h"
#include "Kinds/Recognizers.h"
#include "Reading/Layout.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// No more changes of shape than this follow each other.
static constexpr unsigned kMaxReshapes = 4;

/// The convolutions and linear layers that compute `value`, without a bias.
static SmallVector<RecognizedOperator, 0>
findWithoutBias(Value value, ScalarExpressions &expressions) {
  SmallVector<RecognizedOperator, 0> found;
  for (Convolution &conv : matchConvolutions(value, expressions))
    found.push_back(std::move(conv.op));
  Recognition layer{value.getDefiningOp(), expressions, found};
  recognizeLinear(layer);
  llvm::erase_if(found, [](const RecognizedOperator &op) {
    return op.bias || !op.resultPermutation.empty();
  });
  return found;
}

void forms::recognizeSplitBias(Recognition &recognition) {
  ScalarExpressions &expressions = recognition.expressions;
  auto addition = getBiasAddition(recognition.root, expressions);
  auto resultType = getFloatType(recognition.result());
  if (!addition || !resultType || !resultType.hasStaticShape() ||
      resultType != getFloatType(addition->value))
    return;
  // Where in the result the dimensions of what was cut are.
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, resultType.getRank()));
  Value cut = addition->value, source;
  auto map = getCopyMap(getProducer(cut), source);
  if (map && map->isPermutation() && getFloatType(source)) {
    for (auto [dim, expr] : llvm::enumerate(map->getResults()))
      order[dim] = cast<AffineDimExpr>(expr).getPosition();
    cut = source;
  }
  Operation *reshape = getProducer(cut);
  Value before = reshape ? getReshaped(reshape) : Value();
  auto type = before ? getFloatType(before) : RankedTensorType();
  if (!type || !type.hasStaticShape() || !before.getDefiningOp() ||
      resultType.getRank() <= type.getRank())
    return;
  // Dimensions of 1 may have been dropped before the channels are cut.
  for (unsigned depth = 0; depth < kMaxReshapes; ++depth) {
    Operation *producer = getProducer(before);
    Value source = producer ? getReshaped(producer) : Value();
    auto sourceType = source ? getFloatType(source) : RankedTensorType();
    if (!sourceType || !sourceType.hasStaticShape() || !source.getDefiningOp())
      break;
    before = source;
    type = sourceType;
  }
  ArrayRef<int64_t> sizes = getFloatType(cut).getShape();
  for (RecognizedOperator &op : findWithoutBias(before, expressions)) {
    // Its own shape may have dimensions of 1 that the code's has not. What is
    // in front of the channels and behind them stays so.
    SmallVector<int64_t> shape(type.getShape());
    if (!op.outputShape.empty())
      shape = op.outputShape;
    int64_t channel = op.outputPermutation.empty()
                          ? int64_t(shape.size()) - 1
                          : op.outputPermutation.back();
    int64_t numOuter = 1, outer = 1, parts = 1;
    for (int64_t size : ArrayRef(shape).take_front(channel))
      numOuter *= size;
    unsigned dim = 0;
    while (outer < numOuter && dim < sizes.size())
      outer *= sizes[dim++];
    SmallVector<unsigned> channels;
    for (; parts < shape[channel] && dim < sizes.size(); ++dim) {
      parts *= sizes[dim];
      channels.push_back(order[dim]);
    }
    if (outer != numOuter || parts != shape[channel])
      continue;
    op.bias = getSplitChannelOperand(*addition->parameter, channels, resultType,
                                     expressions.constants);
    if (!op.bias)
      continue;
    op.result = recognition.result();
    if (!llvm::is_sorted(order))
      op.resultPermutation = order;
    op.outputShape = std::move(shape);
    recognition.found.push_back(std::move(op));
  }
}

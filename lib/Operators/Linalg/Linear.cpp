// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises fully connected layers: contractions with a parameter.

#include "Linalg/LinalgRecognizers.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// The loop of result `expr` of an indexing map, but for dimensions read at 0.
static std::optional<unsigned> getLoop(AffineExpr expr) {
  auto dim = dyn_cast<AffineDimExpr>(expr);
  return dim ? std::optional<unsigned>(dim.getPosition()) : std::nullopt;
}

static bool usesLoop(AffineMap map, unsigned loop) {
  return llvm::any_of(map.getResults(),
                      [&](AffineExpr expr) { return getLoop(expr) == loop; });
}

namespace {
/// A linear layer and the dimension of its result that its bias varies along.
struct Linear {
  RecognizedOperator op;
  unsigned channel;
};
} // namespace

/// The linear layer that `op` is with the input that `weightOperand` is as its
/// weight.
static std::optional<Linear> matchContraction(linalg::LinalgOp op, Value value,
                                              unsigned weightOperand,
                                              ScalarExpressions &expressions) {
  ConstantEvaluator &constants = expressions.constants;
  OpOperand *weight = op.getDpsInputOperand(weightOperand);
  OpOperand *input = op.getDpsInputOperand(1 - weightOperand);
  OpOperand *init = op.getDpsInitOperand(0);
  if (!isParameter(weight->get(), constants) ||
      constants.isConstant(input->get()))
    return std::nullopt;
  AffineMap weightMap = op.getMatchingIndexingMap(weight);
  AffineMap inputMap = op.getMatchingIndexingMap(input);
  AffineMap outputMap = op.getMatchingIndexingMap(init);
  if (!outputMap.isProjectedPermutation())
    return std::nullopt;
  auto view = viewThroughLayout(weight->get(), weightMap, /*reshapes=*/true);
  auto inputView =
      viewThroughLayout(input->get(), inputMap, /*reshapes=*/false);
  if (!view || !inputView)
    return std::nullopt;
  // Only broadcasts and identities of activations are this layer's.
  SmallVector<unsigned> order;
  for (std::optional<unsigned> loop : inputView->loops)
    if (loop)
      order.push_back(*loop);
  if (!llvm::is_sorted(order))
    inputView = LayoutView{input->get(), {}, {}};
  if (inputView->loops.empty())
    for (AffineExpr expr : inputMap.getResults())
      inputView->loops.push_back(getLoop(expr));

  std::optional<unsigned> reduced, channel;
  for (unsigned loop = 0; loop < weightMap.getNumDims(); ++loop) {
    bool inOutput = usesLoop(outputMap, loop);
    bool inInput = usesLoop(inputMap, loop);
    bool inWeight = llvm::is_contained(view->loops, loop);
    std::optional<unsigned> *role = nullptr;
    if (!inOutput && inInput && inWeight)
      role = &reduced;
    else if (inOutput && !inInput && inWeight)
      role = &channel;
    else if (inOutput && inInput)
      continue; // A row; `arrange` says if the weight varies along it.
    if (!role || *role)
      return std::nullopt;
    *role = loop;
  }
  if (!reduced || !channel)
    return std::nullopt;

  Linear linear;
  RecognizedOperator &result = linear.op;
  result.kind = LinearAttr::get(value.getContext());
  result.result = value;
  result.weight = arrange(*view, {*channel, *reduced});
  auto weightType = cast<RankedTensorType>(weight->get().getType());
  if (!result.weight || !weightType.hasStaticShape())
    return std::nullopt;

  // Rows keep the order they have in the result.
  SmallVector<unsigned> inputLoops;
  SmallVector<int64_t> outputPermutation;
  for (auto [index, expr] : llvm::enumerate(outputMap.getResults())) {
    if (getLoop(expr) == channel) {
      linear.channel = index;
      continue;
    }
    inputLoops.push_back(*getLoop(expr));
    outputPermutation.push_back(index);
  }
  inputLoops.push_back(*reduced);
  outputPermutation.push_back(linear.channel);
  if (!llvm::is_sorted(outputPermutation))
    result.outputPermutation = outputPermutation;
  // A batch of 1 may be read at 0; then it is in its place.
  if (inputView->loops.size() == inputLoops.size())
    for (auto [loop, wanted] : llvm::zip_equal(inputView->loops, inputLoops))
      if (!loop && !llvm::is_contained(inputView->loops,
                                       std::optional<unsigned>(wanted)))
        loop = wanted;
  RecognizedOperand activation = arrange(*inputView, inputLoops);
  if (!activation)
    return std::nullopt;
  result.inputs = {activation};
  if (!isFilledWith(init->get(), 0, constants) &&
      failed(getInitialBias(init->get(), linear.channel, expressions,
                            result.bias)))
    return std::nullopt;
  return linear;
}

static std::optional<Linear> matchLinear(Value value,
                                         ScalarExpressions &expressions) {
  auto op = dyn_cast_or_null<linalg::LinalgOp>(getProducer(value));
  if (!op || !isMultiplyAccumulate(op, expressions))
    return std::nullopt;
  // The weight is the second one, but for what multiplies from the left.
  for (unsigned weight : {1, 0})
    if (auto linear = matchContraction(op, value, weight, expressions))
      return linear;
  return std::nullopt;
}

void forms::recognizeLinalgLinear(Recognition &recognition) {
  if (auto linear = matchLinear(recognition.result(), recognition.expressions))
    recognition.found.push_back(std::move(linear->op));
  auto addition = getBiasAddition(recognition);
  if (!addition)
    return;
  auto linear = matchLinear(addition->value, recognition.expressions);
  if (!linear || linear->op.bias)
    return;
  linear->op.bias =
      getChannelOperand(addition->parameter, linear->channel,
                        cast<RankedTensorType>(recognition.result().getType()),
                        recognition.expressions);
  if (!linear->op.bias)
    return;
  linear->op.result = recognition.result();
  recognition.found.push_back(std::move(linear->op));
}

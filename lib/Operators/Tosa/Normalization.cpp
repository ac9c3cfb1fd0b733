// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batch norm in inference: any affine map a * x + b with constants that differ
// by channel. TOSA has no op for it; front ends spell it
//
//   sub mean; mul rsqrt(add(var, eps)); mul weight; add bias
//
// of which the rsqrt may be folded and the last steps be missing.

#include "TosaRecognizers.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::tosa_forms;

namespace {
/// The steps of the affine map, from the last to the first.
struct Affine {
  Value input;
  Value mean, factor, weight, bias;
  bool negateBias = false;
  /// Of the channels; -1 as long as all constants have one element.
  int64_t axis = -1, channels = 1;
};
/// The variance and the number added to it.
struct Variance {
  Value value;
  double eps;
};
} // namespace

/// Checks that `constant` has one dimension at most that isn't 1, and notes it.
static bool noteChannels(Affine &affine, Value constant,
                         RankedTensorType input) {
  auto type = getFloatType(constant);
  if (!type || !type.hasStaticShape() || type.getRank() != input.getRank())
    return false;
  int64_t axis = affine.axis;
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    if (size == 1)
      continue;
    if ((axis >= 0 && axis != int64_t(i)) || input.getDimSize(i) != size)
      return false;
    axis = i;
  }
  affine.axis = axis;
  if (axis >= 0)
    affine.channels = input.getDimSize(axis);
  return true;
}

/// rsqrt(add(var, eps)), perhaps reshaped.
static std::optional<Variance> matchVariance(const Recognition &recognition,
                                             Value value) {
  while (auto reshape = value.getDefiningOp<tosa::ReshapeOp>())
    value = reshape.getInput1();
  auto rsqrt = value.getDefiningOp<tosa::RsqrtOp>();
  auto add =
      rsqrt ? rsqrt.getInput1().getDefiningOp<tosa::AddOp>() : tosa::AddOp();
  if (!add)
    return std::nullopt;
  Value variance = add.getInput1(), eps = add.getInput2();
  for (int i = 0; i < 2; ++i) {
    auto type = getFloatType(eps);
    auto number = recognition.constants.getSplat(eps);
    if (type && type.hasStaticShape() && type.getNumElements() == 1 && number &&
        *number > 0 && *number < 0.1 && getFloatType(variance) &&
        getFloatType(variance).hasStaticShape())
      return Variance{variance, *number};
    std::swap(variance, eps);
  }
  return std::nullopt;
}

/// The steps that end at the root.
static std::optional<Affine> matchAffine(const Recognition &recognition) {
  Affine affine;
  auto type = getFloatType(recognition.result());
  Value value = recognition.result();
  // The constant operand of the step at `value`, if it is an `OpT` by channel.
  auto step = [&](auto kind, Value &input) -> Value {
    auto op = value.getDefiningOp<decltype(kind)>();
    auto operands = op ? splitConstant(recognition, op) : std::nullopt;
    auto inputType =
        operands ? getFloatType(operands->first) : RankedTensorType();
    // The input has the shape of the result, or it is broadcast.
    if (!inputType || inputType.getShape() != type.getShape())
      return {};
    if (isa<tosa::SubOp>(op) && operands->second != op->getOperand(1))
      return {};
    if (!noteChannels(affine, operands->second, type))
      return {};
    input = operands->first;
    return operands->second;
  };

  if ((affine.bias = step(tosa::AddOp(), value))) {
  } else if ((affine.bias = step(tosa::SubOp(), value))) {
    affine.negateBias = true;
  }
  if ((affine.factor = step(tosa::MulOp(), value))) {
    if ((affine.weight = step(tosa::MulOp(), value)))
      std::swap(affine.factor, affine.weight);
    affine.mean = step(tosa::SubOp(), value);
  }
  affine.input = value;
  return affine;
}

/// `value`, a constant, as one number for each channel.
static RecognizedOperand getParameter(const Recognition &recognition,
                                      Value value, int64_t channels,
                                      bool negate = false) {
  auto type = getFloatType(value);
  if (!negate && type.getNumElements() == channels)
    return RecognizedOperand::reshaped(value, {channels});
  DenseElementsAttr elements = recognition.constants.evaluate(value);
  if (!elements)
    return {};
  auto resultType = type.clone({channels});
  if (elements.isSplat()) {
    float number = elements.getSplatValue<float>();
    return RecognizedOperand::ofConstant(
        DenseElementsAttr::get(resultType, negate ? -number : number));
  }
  if (elements.size() != channels)
    return {};
  SmallVector<float> numbers(elements.getValues<float>());
  if (negate)
    for (float &number : numbers)
      number = -number;
  return RecognizedOperand::ofConstant(
      DenseElementsAttr::get(resultType, ArrayRef<float>(numbers)));
}

static RecognizedOperand getDefault(Type element, int64_t channels,
                                    float number) {
  return RecognizedOperand::ofConstant(DenseElementsAttr::get(
      RankedTensorType::get({channels}, element), number));
}

/// factor * weight, one number for each channel.
static RecognizedOperand getProduct(const Recognition &recognition,
                                    Value factor, Value weight,
                                    int64_t channels) {
  DenseElementsAttr a = recognition.constants.evaluate(factor);
  DenseElementsAttr b = recognition.constants.evaluate(weight);
  if (!a || !b)
    return {};
  SmallVector<float> numbers;
  for (DenseElementsAttr elements : {a, b})
    if (!elements.isSplat() && elements.size() != channels)
      return {};
  auto x = a.getValues<float>(), y = b.getValues<float>();
  for (int64_t i = 0; i < channels; ++i)
    numbers.push_back(x[a.isSplat() ? 0 : i] * y[b.isSplat() ? 0 : i]);
  return RecognizedOperand::ofConstant(DenseElementsAttr::get(
      RankedTensorType::get({channels}, a.getElementType()),
      ArrayRef<float>(numbers)));
}

static Attribute getKind(const Recognition &recognition, int64_t rank,
                         int64_t axis, double eps) {
  if (rank == 4)
    return BatchNorm2dAttr::get(recognition.context(), axis,
                                recognition.real(eps));
  return BatchNorm1dAttr::get(recognition.context(), axis,
                              recognition.real(eps));
}

static void addBatchNorm(const Recognition &recognition, Affine affine) {
  auto type = getFloatType(recognition.result());
  Type element = type.getElementType();
  int64_t channels = affine.channels;
  std::optional<Variance> variance;
  // A product commutes: the deviation may be either factor.
  if (affine.factor &&
      !(variance = matchVariance(recognition, affine.factor)) &&
      affine.weight && (variance = matchVariance(recognition, affine.weight)))
    std::swap(affine.factor, affine.weight);
  if (variance) {
    int64_t size = getFloatType(variance->value).getNumElements();
    if (size != 1 && size != channels)
      variance.reset();
  }
  // With one channel, only the whole form tells a batch norm from scalars.
  if (affine.axis < 0) {
    if (!variance || !affine.mean || type.getRank() < 2)
      return;
    affine.axis = type.getDimSize(1) == 1 ? 1 : type.getRank() - 1;
    if (type.getDimSize(affine.axis) != 1)
      return;
  }

  RecognizedOperator op{getKind(recognition, type.getRank(), affine.axis,
                                variance ? variance->eps : 0.0),
                        recognition.result(),
                        {RecognizedOperand::of(affine.input)}};
  op.runningMean = affine.mean
                       ? getParameter(recognition, affine.mean, channels)
                       : getDefault(element, channels, 0.0f);
  op.bias = affine.bias ? getParameter(recognition, affine.bias, channels,
                                       affine.negateBias)
                        : getDefault(element, channels, 0.0f);
  op.weight = getDefault(element, channels, 1.0f);
  if (variance) {
    op.runningVar = getParameter(recognition, variance->value, channels);
    if (affine.weight)
      op.weight = getParameter(recognition, affine.weight, channels);
  } else {
    op.runningVar = getDefault(element, channels, 1.0f);
    if (affine.weight)
      op.weight =
          getProduct(recognition, affine.factor, affine.weight, channels);
    else if (affine.factor)
      op.weight = getParameter(recognition, affine.factor, channels);
  }
  if (op.weight && op.bias && op.runningMean && op.runningVar)
    recognition.found.push_back(std::move(op));
}

void tosa_forms::recognizeNormalization(const Recognition &recognition) {
  if (!isa<tosa::AddOp, tosa::SubOp, tosa::MulOp>(recognition.root))
    return;
  auto type = getFloatType(recognition.result());
  if (type.getRank() < 2 || type.getRank() > 4)
    return;
  std::optional<Affine> affine = matchAffine(recognition);
  if (!affine || (!affine->bias && !affine->factor))
    return;
  // Below rank 4 a lone step is a bias or a scale, and along the last of three
  // dimensions a pair is the end of a layer norm.
  bool isWhole = bool(affine->mean);
  if (type.getRank() < 4 && !isWhole &&
      (!affine->bias || !affine->factor ||
       (type.getRank() == 3 && affine->axis != 1)))
    return;
  addBatchNorm(recognition, *affine);
  // Should inner values be needed elsewhere: the last step alone.
  if (type.getRank() < 4 ||
      (!affine->factor || (!affine->bias && !affine->weight && !affine->mean)))
    return;
  Affine last;
  last.input = recognition.root->getOperand(0);
  Value constant = recognition.root->getOperand(1);
  if (recognition.isConstant(last.input))
    std::swap(last.input, constant);
  if (isa<tosa::MulOp>(recognition.root))
    last.factor = constant;
  else
    last.bias = constant;
  last.negateBias = isa<tosa::SubOp>(recognition.root);
  if (noteChannels(last, constant, type) && last.axis >= 0)
    addBatchNorm(recognition, last);
}

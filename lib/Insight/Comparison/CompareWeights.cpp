// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The weights of an operator in a float and in a quantized network.

#include "CompareWeights.h"
#include "MatchNetworks.h"

#include "qbackend/Dialect/QBackend/Elements.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace qbackend;
using evaluation::ChannelWeight;

KernelParameters qbackend::getParameters(OperatorOp op, Operation *kernel) {
  if (auto other = dyn_cast<OperatorOp>(kernel))
    return {other.getWeight(), other.getBias()};
  KernelParameters parameters;
  for (Value operand :
       kernel->getOperands().drop_front(op.getInputs().size())) {
    if (!isConstantParameter(operand))
      break;
    if (!parameters.weight) {
      parameters.weight = operand;
      continue;
    }
    parameters.bias = operand;
    break;
  }
  return parameters;
}

/// The integers of `value`, and their type; null if it is something else.
static std::pair<DenseElementsAttr, quant::QuantizedType>
getIntegers(Value value, ConstantEvaluator &constants) {
  if (!value)
    return {};
  if (Operation *op = value.getDefiningOp(); op && isDequantizeLike(op))
    value = op->getOperand(0);
  auto type =
      dyn_cast<quant::QuantizedType>(getElementTypeOrSelf(value.getType()));
  auto cast = value.getDefiningOp<quant::StorageCastOp>();
  if (!type || !cast)
    return {};
  return {constants.evaluate(cast.getInput()), type};
}

/// The scale and the zero point of channel `c`.
static std::pair<double, int64_t> getChannelParams(quant::QuantizedType type,
                                                   int64_t c) {
  if (auto tensor = dyn_cast<quant::UniformQuantizedType>(type))
    return {tensor.getScale(), tensor.getZeroPoint()};
  if (auto channel = dyn_cast<quant::UniformQuantizedPerAxisType>(type))
    if (c < int64_t(channel.getScales().size()))
      return {channel.getScales()[c], channel.getZeroPoints()[c]};
  return {0, 0};
}

/// The floats of a parameter; nullopt if they aren't known.
static std::optional<SmallVector<float, 0>>
readParameter(Value value, ConstantEvaluator &constants) {
  // A resource, where it is.
  if (auto numbers = readFloats(value))
    return numbers;
  DenseElementsAttr elements =
      value ? constants.evaluate(value) : DenseElementsAttr();
  if (!elements || !elements.getElementType().isF32())
    return std::nullopt;
  auto numbers = elements.getValues<float>();
  return SmallVector<float, 0>(numbers.begin(), numbers.end());
}

std::vector<ChannelWeight>
qbackend::compareWeights(OperatorOp op, const KernelParameters &kernel,
                         double inputScale, ConstantEvaluator &constants) {
  auto original = readParameter(op.getWeight(), constants);
  auto [integers, type] = getIntegers(kernel.weight, constants);
  if (!original || !integers ||
      cast<ShapedType>(integers.getType()).getShape() !=
          cast<ShapedType>(op.getWeight().getType()).getShape() ||
      op.getKind().getWeightRole() != WeightRole::Products)
    return {};
  int64_t count = cast<ShapedType>(integers.getType()).getDimSize(0);
  int64_t size = count ? original->size() / count : 0;
  std::vector<ChannelWeight> channels(count);
  ArrayRef<float> values = *original;
  auto stored = integers.getValues<APInt>();
  bool isSigned = type.isSigned();
  for (int64_t c = 0; c < count; ++c) {
    ChannelWeight &channel = channels[c];
    auto [scale, zeroPoint] = getChannelParams(type, c);
    channel.scale = scale;
    channel.min = channel.quantizedMin = std::numeric_limits<float>::infinity();
    channel.max = channel.quantizedMax = -channel.min;
    for (int64_t i = 0; i < size; ++i) {
      float value = values[c * size + i];
      APInt bits = stored[c * size + i];
      int64_t integer = isSigned ? bits.getSExtValue() : bits.getZExtValue();
      float quantized = double(integer - zeroPoint) * scale;
      double error = double(value) - quantized;
      channel.min = std::min(channel.min, value);
      channel.max = std::max(channel.max, value);
      channel.quantizedMin = std::min(channel.quantizedMin, quantized);
      channel.quantizedMax = std::max(channel.quantizedMax, quantized);
      channel.signal += double(value) * value;
      channel.noise += error * error;
      channel.steps = std::max(channel.steps, std::abs(error) / scale);
    }
    // Symmetric, in 8 bits: what a scale of its own would leave.
    double own = std::max(-channel.min, channel.max) / 127.5;
    for (int64_t i = 0; i < size && own > 0; ++i) {
      double value = values[c * size + i];
      double error = value - std::nearbyint(value / own) * own;
      channel.perChannelNoise += error * error;
    }
  }
  // Biases.
  auto bias = readParameter(op.getBias(), constants);
  if (!kernel.bias ||
      (op.getBias() && (!bias || int64_t(bias->size()) != count)))
    return channels;
  auto [biasIntegers, biasType] = getIntegers(kernel.bias, constants);
  bool isPlain = !biasIntegers;
  if (isPlain)
    biasIntegers = constants.evaluate(kernel.bias);
  if (!biasIntegers || biasIntegers.getNumElements() != count)
    return channels;
  for (int64_t c = 0; c < count; ++c) {
    ChannelWeight &channel = channels[c];
    channel.bias = bias ? (*bias)[c] : 0.0f;
    if (biasIntegers.getElementType().isF32()) {
      channel.quantizedBias = biasIntegers.getValues<float>()[c];
      continue;
    }
    double scale = isPlain ? channel.scale * inputScale
                           : getChannelParams(biasType, c).first;
    channel.biasStep = scale;
    channel.quantizedBias =
        double(biasIntegers.getValues<APInt>()[c].getSExtValue()) * scale;
  }
  return channels;
}

bool qbackend::haveOtherBias(ArrayRef<ChannelWeight> channels) {
  return llvm::any_of(channels, [](const ChannelWeight &channel) {
    return channel.bias && channel.quantizedBias &&
           std::abs(double(*channel.bias) - *channel.quantizedBias) >
               1.01 * channel.biasStep + 1e-6 * std::abs(*channel.bias);
  });
}

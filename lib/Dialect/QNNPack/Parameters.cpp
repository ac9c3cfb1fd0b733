// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From types and attributes to the constants that Numerics computes.

#include "qbackend/Dialect/QNNPack/Parameters.h"

#include "qbackend/Numerics/Quantize.h"

#include "mlir/IR/TypeUtilities.h"

#include <cfloat>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;

static quant::UniformQuantizedType perTensor(Type type) {
  return cast<quant::UniformQuantizedType>(getElementTypeOrSelf(type));
}

static numerics::TableType tableType(quant::UniformQuantizedType type) {
  return {type.getScale(), type.getZeroPoint(), type.isSigned()};
}

static numerics::QuantRange storageRange(quant::UniformQuantizedType type) {
  return {type.getStorageTypeMin(), type.getStorageTypeMax()};
}

float qnnpack::getInverse(double scale) {
  // f32(f32(1 * 1) * f32(1 / scale)) is the reciprocal.
  return numerics::mulMultiplier(1, 1, scale);
}

SmallVector<double> qnnpack::getWeightScales(Type weight) {
  Type element = getElementTypeOrSelf(weight);
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(element))
    return SmallVector<double>(perAxis.getScales());
  return {perTensor(element).getScale()};
}

SmallVector<int64_t> qnnpack::getWeightZeroPoints(Type weight) {
  Type element = getElementTypeOrSelf(weight);
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(element))
    return SmallVector<int64_t>(perAxis.getZeroPoints());
  return {perTensor(element).getZeroPoint()};
}

SmallVector<float>
qnnpack::getRequantizationMultipliers(Type input, Type weight, Type output) {
  double sx = perTensor(input).getScale(), sy = perTensor(output).getScale();
  auto multiplier = perTensor(input).isSigned()
                        ? numerics::convMultiplierXnnpack
                        : numerics::convMultiplier;
  SmallVector<float> multipliers;
  for (double sw : getWeightScales(weight))
    multipliers.push_back(multiplier(sx, sw, sy));
  return multipliers;
}

float qnnpack::getMulMultiplier(Type lhs, Type rhs, Type output) {
  quant::UniformQuantizedType type = perTensor(output);
  double sa = perTensor(lhs).getScale(), sb = perTensor(rhs).getScale();
  // XNNPACK refuses an empty range above the zero point; the engine then uses
  // the kernel it has for unsigned operands.
  if (type.isSigned() && type.getZeroPoint() != type.getStorageTypeMax())
    return numerics::mulMultiplierXnnpack(sa, sb, type.getScale());
  return numerics::mulMultiplier(sa, sb, type.getScale());
}

std::pair<float, float> qnnpack::getAddRatios(Type lhs, Type rhs, Type output) {
  float sa = perTensor(lhs).getScale(), sb = perTensor(rhs).getScale(),
        sy = perTensor(output).getScale();
  return {sa / sy, sb / sy};
}

numerics::AddMultipliers qnnpack::getAddMultipliers(Type lhs, Type rhs,
                                                    Type output) {
  auto multipliers = perTensor(output).isSigned()
                         ? numerics::addMultipliersXnnpack
                         : numerics::addMultipliers;
  return multipliers(perTensor(lhs).getScale(), perTensor(rhs).getScale(),
                     perTensor(output).getScale());
}

float qnnpack::getPreluMultiplier(Type input, Type weight, Type output) {
  return numerics::mulMultiplier(perTensor(input).getScale(),
                                 perTensor(weight).getScale(),
                                 perTensor(output).getScale());
}

int32_t qnnpack::getPreluOne(quant::UniformQuantizedType weight) {
  return numerics::preluOne({weight.getScale(), weight.getZeroPoint()},
                            storageRange(weight));
}

int64_t qnnpack::quantizeNumber(float value, quant::UniformQuantizedType type) {
  return numerics::quantize(value, type.getScale(), type.getZeroPoint(),
                            type.getStorageTypeMin(), type.getStorageTypeMax());
}

static std::optional<numerics::Table256> evaluate(Operation *op,
                                                  numerics::AtenCode code) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return std::nullopt;
  auto inputType = getQuantizedType(op->getOperand(0).getType());
  auto outputType = getQuantizedType(op->getResult(0).getType());
  if (!inputType || !outputType)
    return std::nullopt;
  numerics::TableType input = tableType(inputType);
  numerics::TableType output = tableType(outputType);
  if (isa<SigmoidOp>(op))
    return numerics::sigmoidTable(input, output);
  if (isa<TanhOp>(op))
    return numerics::tanhTable(input, output);
  if (isa<HardsigmoidOp>(op))
    return numerics::hardsigmoidTable(input, output);
  if (isa<RequantizeOp>(op))
    return numerics::requantizeTable(input, output);
  if (isa<HardswishOp>(op))
    return numerics::hardswishTable(input, output);
  if (auto leaky = dyn_cast<LeakyReluOp>(op))
    return numerics::leakyReluTable(
        input, output, leaky.getNegativeSlope().convertToFloat(), code);
  if (auto elu = dyn_cast<EluOp>(op))
    return numerics::eluTable(input, output, elu.getAlpha().convertToFloat(),
                              code);
  if (auto celu = dyn_cast<CeluOp>(op))
    return numerics::celuTable(input, output, celu.getAlpha().convertToFloat(),
                               code);
  if (auto threshold = dyn_cast<ThresholdOp>(op))
    return numerics::thresholdTable(
        input, output, threshold.getThreshold().convertToFloat(),
        threshold.getValue().convertToFloat(), code);
  return std::nullopt;
}

std::optional<std::array<int8_t, 256>>
qnnpack::getTable(Operation *op, numerics::AtenCode code) {
  std::optional<numerics::Table256> table = evaluate(op, code);
  if (!table)
    return std::nullopt;
  int64_t first = tableType(perTensor(op->getOperand(0).getType())).min();
  numerics::QuantRange range =
      storageRange(perTensor(op->getResult(0).getType()));
  std::array<int8_t, 256> bytes;
  for (auto [index, value] : llvm::enumerate(*table)) {
    int64_t stored = std::clamp<int64_t>(value, range.min, range.max);
    bytes[static_cast<uint8_t>(first + static_cast<int64_t>(index))] =
        static_cast<int8_t>(stored);
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// A tensor and a constant
//===----------------------------------------------------------------------===//

/// `type` with other parameters, or null if no 32-bit scale holds them.
static quant::UniformQuantizedType
withParameters(quant::UniformQuantizedType type,
               const numerics::QuantParams &params) {
  if (!(params.scale >= FLT_MIN && params.scale <= FLT_MAX) ||
      params.zeroPoint < type.getStorageTypeMin() ||
      params.zeroPoint > type.getStorageTypeMax())
    return {};
  return quant::UniformQuantizedType::get(
      type.getFlags(), type.getStorageType(), type.getExpressedType(),
      params.scale, params.zeroPoint, type.getStorageTypeMin(),
      type.getStorageTypeMax());
}

numerics::ScalarResult
qnnpack::getAddScalarResult(quant::UniformQuantizedType type, double scalar) {
  return numerics::addScalar({type.getScale(), type.getZeroPoint()}, scalar,
                             storageRange(type));
}

numerics::ScalarResult
qnnpack::getMulScalarResult(quant::UniformQuantizedType type, double scalar) {
  return numerics::mulScalar({type.getScale(), type.getZeroPoint()}, scalar,
                             storageRange(type));
}

quant::UniformQuantizedType
qnnpack::getAddScalarResultType(quant::UniformQuantizedType type,
                                double scalar) {
  // Beyond this many steps the integer arithmetic of the rule overflows.
  if (!(std::abs(scalar / type.getScale()) < 0x1p31))
    return {};
  return withParameters(type, getAddScalarResult(type, scalar).params);
}

quant::UniformQuantizedType
qnnpack::getMulScalarResultType(quant::UniformQuantizedType type,
                                double scalar) {
  return withParameters(type, getMulScalarResult(type, scalar).params);
}

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

std::optional<std::array<int8_t, 256>>
qnnpack::getTable(Operation *op, numerics::AtenCode code) {
  auto function = dyn_cast<TableOpInterface>(op);
  if (!function)
    return std::nullopt;
  numerics::TableType input = tableType(perTensor(op->getOperand(0).getType()));
  quant::UniformQuantizedType output = perTensor(op->getResult(0).getType());
  numerics::QuantRange range = storageRange(output);
  std::array<int8_t, 256> bytes;
  for (auto [index, value] :
       llvm::enumerate(function.computeTable(input, tableType(output), code))) {
    int64_t stored = std::clamp<int64_t>(value, range.min, range.max);
    bytes[static_cast<uint8_t>(input.min() + static_cast<int64_t>(index))] =
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

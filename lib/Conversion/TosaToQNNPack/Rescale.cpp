// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.

#include "Rescale.h"

#include "qbackend/Operators/UndefinedArithmetic.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::tosa_to_qnnpack;

bool Rescale::isIdentity() const {
  return requantization.size() == 1 && requantization.getMultiplier()[0] ==
                                           int64_t(1)
                                               << requantization.getShift()[0];
}

Type Rescale::getWeight(int64_t zeroPoint) const {
  MLIRContext *context = requantization.getContext();
  SmallVector<double> scales;
  // A multiplier of 0 is that of a number which is too small for it.
  for (auto [multiplier, shift] :
       llvm::zip_equal(requantization.getMultiplier().asArrayRef(),
                       requantization.getShift().asArrayRef()))
    scales.push_back(
        std::ldexp(std::max<double>(multiplier, 0.5), -int(shift)));
  Type storage = IntegerType::get(context, 8);
  Type expressed = Float32Type::get(context);
  if (llvm::all_equal(scales))
    return quant::UniformQuantizedType::get(quant::QuantizationFlags::Signed,
                                            storage, expressed, scales.front(),
                                            zeroPoint, -128, 127);
  SmallVector<int64_t> zeroPoints(scales.size(), zeroPoint);
  return quant::UniformQuantizedPerAxisType::get(
      quant::QuantizationFlags::Signed, storage, expressed, scales, zeroPoints,
      /*quantizedDimension=*/0, -128, 127);
}

std::optional<int64_t>
tosa_to_qnnpack::readInteger(Value value, ConstantEvaluator &constants,
                             bool isUnsigned) {
  DenseElementsAttr elements = constants.evaluate(value);
  if (!elements || !isa<IntegerType>(elements.getElementType()) ||
      elements.getNumElements() != 1)
    return std::nullopt;
  APInt integer = elements.getSplatValue<APInt>();
  return isUnsigned ? int64_t(integer.getZExtValue()) : integer.getSExtValue();
}

OrRefusal<Rescale> tosa_to_qnnpack::readRescale(tosa::RescaleOp op,
                                                ConstantEvaluator &constants) {
  DenseElementsAttr multipliers = constants.evaluate(op.getMultiplier()),
                    shifts = constants.evaluate(op.getShift());
  std::optional<int64_t> from = readInteger(op.getInputZp(), constants,
                                            op.getInputUnsigned()),
                         to = readInteger(op.getOutputZp(), constants,
                                          op.getOutputUnsigned());
  if (!multipliers || !shifts || !from || !to)
    return Refusal("the multiplier, shift or a zero point of its rescale is "
                   "not constant");
  numerics::Rounding rounding;
  switch (op.getRoundingMode()) {
  case tosa::RoundingMode::SINGLE_ROUND:
    rounding = numerics::Rounding::HalfUp;
    break;
  case tosa::RoundingMode::DOUBLE_ROUND:
    rounding = numerics::Rounding::Double;
    break;
  case tosa::RoundingMode::INEXACT_ROUND:
    return Refusal("its rescale rounds as the device likes (INEXACT_ROUND)");
  }
  if (std::optional<std::string> undefined = findUndefined(op, constants))
    return Refusal("its rescale " + *undefined);
  if (multipliers.getElementType().isInteger(32) != op.getScale32())
    return Refusal("its rescale has multipliers of a type other than that "
                   "which scale32 says");
  SmallVector<int32_t> integers;
  SmallVector<int8_t> places;
  for (const APInt &multiplier : multipliers.getValues<APInt>())
    integers.push_back(multiplier.getSExtValue());
  for (const APInt &shift : shifts.getValues<APInt>())
    places.push_back(shift.getSExtValue());
  int64_t expected = 1;
  if (op.getPerChannel()) {
    auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
    if (!type || type.getRank() == 0)
      return Refusal("its rescale is per channel of a tensor without any");
    expected = type.getShape().back();
  }
  if (int64_t(integers.size()) != expected ||
      int64_t(places.size()) != expected)
    return Refusal("its rescale has " + Twine(integers.size()) +
                   " multipliers and " + Twine(places.size()) + " shifts for " +
                   Twine(expected) + (expected == 1 ? " scale" : " channels"));
  Rescale result;
  MLIRContext *context = op.getContext();
  result.requantization = qnnpack::RequantizationAttr::get(
      context, rounding, DenseI32ArrayAttr::get(context, integers),
      DenseI8ArrayAttr::get(context, places), /*left_shift=*/0);
  result.inputZeroPoint = *from;
  result.outputZeroPoint = *to;
  return result;
}

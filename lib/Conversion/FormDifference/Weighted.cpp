// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions and linear layers: of each output channel, the sums that its
// weights can have, those of them that the other form rounds to another
// integer, and what differences of the input add to a sum, by the signs of the
// weights.

#include "Difference.h"

#include "qbackend/Dialect/QNNPack/ConstantElements.h"
#include "qbackend/Dialect/QNNPack/Parameters.h"
#include "qbackend/Numerics/Quantize.h"
#include "qbackend/Numerics/Requantize.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::form_difference;
using qnnpack::ConstantElements;

std::optional<WeightedOp> WeightedOp::get(Operation *op) {
  auto make = [](auto op, int64_t groups, bool relu) {
    return WeightedOp{op.getInput(),
                      op.getWeight(),
                      op.getBias(),
                      op.getOutput(),
                      groups,
                      relu,
                      op.getRequantizationAttr()};
  };
  return llvm::TypeSwitch<Operation *, std::optional<WeightedOp>>(op)
      .Case<qnnpack::Conv1dOp, qnnpack::Conv2dOp, qnnpack::Conv3dOp>(
          [&](auto op) { return make(op, op.getGroups(), op.getRelu()); })
      .Case<qnnpack::ConvTranspose1dOp, qnnpack::ConvTranspose2dOp>(
          [&](auto op) { return make(op, op.getGroups(), /*relu=*/false); })
      .Case([&](qnnpack::LinearOp op) { return make(op, 1, op.getRelu()); })
      .Default([](Operation *) { return std::nullopt; });
}

namespace {
/// How sums of one channel become integers.
struct Requantization {
  float multiplier, written;
  int64_t zeroPoint;
  OutputRange range;
  bool isSigned;
  InexactForm form;

  int64_t getExact(int64_t sum) const {
    return (isSigned ? numerics::requantizeXnnpack : numerics::requantize)(
        sum, multiplier, zeroPoint, range.lo, range.hi);
  }

  /// floor(sum * m + 1/2) of TOSA, of the product without rounding; or ONNX
  /// Runtime's product of floats, to the nearest even.
  int64_t getOther(int64_t sum) const {
    double rounded;
    if (form == InexactForm::Tosa) {
      // m = mantissa / 2^shift: the product has 56 bits.
      int exponent;
      double fraction = std::frexp(written, &exponent);
      auto mantissa = static_cast<int64_t>(std::ldexp(fraction, 24));
      int shift = 24 - exponent;
      int64_t product = sum * mantissa;
      if (shift < 1)
        rounded = std::ldexp(double(product), -shift);
      else
        rounded = double((product + (int64_t(1) << (shift - 1))) >> shift);
    } else {
      rounded = numerics::roundHalfToEven(static_cast<float>(sum) * written);
    }
    return static_cast<int64_t>(std::clamp(rounded + double(zeroPoint),
                                           double(range.lo), double(range.hi)));
  }
};
} // namespace

/// What roundings of sums from `lowest` to `highest` differ by. Both forms have
/// the products f32 rounding away from the same exact number: they differ next
/// to a tie alone, of which there are as many as integers of the result.
static Local getSumLocal(const Requantization &r, int64_t lowest,
                         int64_t highest, bool hasOwnMultipliers) {
  int64_t most = r.range.hi - r.range.lo;
  double m = r.multiplier;
  double largest =
      std::max(std::abs(double(lowest)), std::abs(double(highest)));
  // Sums wrap, or products leave 32 bits, where kernels have a habit.
  if (largest >= 0x1p31 || largest * m >= 0x1p30 || !(m > 0))
    return {-most, most, 1, 0};
  // TOSA rescales by the same ones, and rounds as they say; where it can't, the
  // op stays. ONNX has no form for them.
  if (hasOwnMultipliers)
    return r.form == InexactForm::Tosa ? Local() : Local::either(0.5);
  // Multipliers that TOSA cuts off.
  if (m < 0x1p-31)
    return Local::either(0.5);
  LocalCount count;
  for (int64_t k = r.range.lo - r.zeroPoint - 1; k <= r.range.hi - r.zeroPoint;
       ++k) {
    double tie = (double(k) + 0.5) / m;
    double reach = std::abs(tie) * 0x1p-20 + 2;
    if (reach > 4096)
      return Local::either(1.0 / (m * double(most)));
    auto first = static_cast<int64_t>(std::floor(tie - reach)),
         last = static_cast<int64_t>(std::ceil(tie + reach));
    for (int64_t sum = std::max(first, lowest); sum <= std::min(last, highest);
         ++sum)
      count.add(r.getExact(sum), r.getOther(sum));
  }
  return count.finish(std::max(
      1.0, std::min(double(highest) - double(lowest) + 1, double(most) / m)));
}

Differences form_difference::propagateWeighted(const WeightedOp &op,
                                               const Differences &input,
                                               InexactForm form,
                                               ArrayRef<float> written) {
  auto type = cast<ShapedType>(op.weight.getType());
  auto x = qnnpack::getQuantizedType(op.input.getType()),
       y = qnnpack::getQuantizedType(op.output.getType());
  OutputRange range(y, op.relu);
  Differences result;
  int64_t channels = type.getDimSize(0);
  auto weight = ConstantElements<int8_t>::read(op.weight);
  std::optional<ConstantElements<int32_t>> bias;
  if (op.bias)
    bias = ConstantElements<int32_t>::read(op.bias);
  if (!type.hasStaticShape() || !weight || (op.bias && !bias) ||
      channels == 0) {
    result.parts.front() = getAny(range);
    return result;
  }
  SmallVector<float> multipliers = qnnpack::getRequantizationMultipliers(
      op.input.getType(), op.weight.getType(), op.output.getType());
  if (op.requantization) {
    multipliers.clear();
    for (auto [multiplier, shift] :
         llvm::zip_equal(op.requantization.getMultiplier().asArrayRef(),
                         op.requantization.getShift().asArrayRef()))
      multipliers.push_back(std::ldexp(double(multiplier), -shift));
    written = multipliers;
  }
  if (written.empty())
    written = multipliers;
  SmallVector<int64_t> zeroPoints = qnnpack::getWeightZeroPoints(type);
  bool isUnsigned =
      !cast<quant::QuantizedType>(type.getElementType()).isSigned();
  int64_t depth = type.getNumElements() / channels, in = type.getShape().back();
  int64_t least = x.getStorageTypeMin() - x.getZeroPoint(),
          largest = x.getStorageTypeMax() - x.getZeroPoint();
  bool isRight = input.isZero();
  // A difference is one of channels, which are the last dimension.
  Differences spread = input;
  auto inputType = cast<ShapedType>(op.input.getType());
  if (input.parts.size() > 1 && input.axis != inputType.getRank() - 1)
    spread.parts = {input.join()};

  result.axis = cast<ShapedType>(op.output.getType()).getRank() - 1;
  result.parts.assign(channels, Difference());
  for (int64_t o = 0; o < channels; ++o) {
    int64_t zeroPoint = zeroPoints[zeroPoints.size() == 1 ? 0 : o];
    int64_t first = o / (channels / op.groups) * in;
    int64_t lowest = bias ? (*bias)[o] : 0, highest = lowest;
    float m = multipliers[multipliers.size() == 1 ? 0 : o];
    Delta delta;
    for (int64_t i = 0; i < depth; ++i) {
      int64_t stored = (*weight)[o * depth + i];
      int64_t w = (isUnsigned ? int64_t(uint8_t(stored)) : stored) - zeroPoint;
      lowest += std::min(least * w, largest * w);
      highest += std::max(least * w, largest * w);
      if (!isRight)
        delta.add(double(m) * double(w), spread.at(first + i % in));
    }
    // Rounded twice, a sum is not always the nearest integer.
    if (op.requantization && !isRight) {
      delta.lo -= 0.5;
      delta.hi += 0.5;
    }
    Requantization requantization = {m,
                                     written[written.size() == 1 ? 0 : o],
                                     y.getZeroPoint(),
                                     range,
                                     x.isSigned(),
                                     form};
    result.parts[o] = roundDelta(
        delta,
        getSumLocal(requantization, lowest, highest, bool(op.requantization)),
        range);
  }
  return result;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What differences of a norm's input make of its result: a batch norm
// multiplies each channel by a constant; the others divide by the deviation of
// the input.

#include "Difference.h"

#include "qbackend/Dialect/QNNPack/ConstantElements.h"
#include "qbackend/Dialect/QNNPack/Parameters.h"
#include "qbackend/Numerics/BatchNorm.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::form_difference;
using qnnpack::ConstantElements;

/// How many steps the deviation of a norm's input is taken for: the type holds
/// what was seen, which of normal values is about 4 deviations to either side.
static constexpr double kDeviation = 256.0 / 8;

std::optional<Differences> form_difference::propagateBatchNorm(
    qnnpack::BatchNormOp op, const Differences &input, const Local &local) {
  auto weight = ConstantElements<float>::read(op.getWeight()),
       bias = ConstantElements<float>::read(op.getBias()),
       mean = ConstantElements<float>::read(op.getMean()),
       var = ConstantElements<float>::read(op.getVar());
  if (!weight || !bias || !mean || !var)
    return std::nullopt;
  auto x = qnnpack::getQuantizedType(op.getInput().getType()),
       y = qnnpack::getQuantizedType(op.getOutput().getType());
  OutputRange range(y, op.getRelu());
  int64_t last = cast<ShapedType>(op.getInput().getType()).getRank() - 1;
  Differences spread = input;
  if (input.parts.size() > 1 && input.axis != last)
    spread.parts = {input.join()};
  Differences result;
  result.axis = last;
  result.parts.clear();
  for (int64_t c = 0; c < weight->size(); ++c) {
    Delta delta;
    delta.add(numerics::batchNormAffine(
                  (*weight)[c], (*bias)[c], (*mean)[c], (*var)[c],
                  op.getEps().convertToDouble(), x.getScale(), y.getScale())
                  .scale,
              spread.at(c));
    result.parts.push_back(roundDelta(delta, local, range));
  }
  if (result.parts.empty())
    result.parts.push_back(Difference());
  return result;
}

// y = w (x - mean) / deviation: nothing is known of how small the deviation of
// some input is, so that any integer may become any other one.
Differences form_difference::propagateNorm(Value weight, Value output,
                                           const Differences &differences,
                                           const Local &local) {
  OutputRange range(qnnpack::getQuantizedType(output.getType()));
  double largest = 1;
  if (weight) {
    auto constant = ConstantElements<float>::read(weight);
    largest = 0;
    for (int64_t i = 0; constant && i < constant->size(); ++i)
      largest = std::max(largest, std::abs(double((*constant)[i])));
    if (!constant || !std::isfinite(largest)) {
      Differences any;
      any.parts = {getAny(range)};
      return any;
    }
  }
  Delta delta;
  delta.add(largest / (kDeviation *
                       qnnpack::getQuantizedType(output.getType()).getScale()),
            differences.join());
  delta.hi = double(range.hi - range.lo);
  delta.lo = -delta.hi;
  Differences result;
  result.parts = {roundDelta(delta, local, range)};
  return result;
}

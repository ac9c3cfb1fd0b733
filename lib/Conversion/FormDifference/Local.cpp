// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one op adds: its integers are compared with those of the other form for
// all integers that it can have.

#include "Difference.h"

#include "qbackend/Dialect/QNNPack/Parameters.h"
#include "qbackend/Numerics/Requantize.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::form_difference;

/// Floats of f32 arithmetic are nearer than this to what they would be without
/// rounding, where integers don't saturate: 2^-22 of at most 2^9.
static constexpr double kFloatError = 0x1p-12;

/// Elements further than `Difference::likely`, in standard deviations: those of
/// a normal distribution of which one in a million is further.
static constexpr double kDeviations = 4.8916;
static constexpr double kRare = 1e-6;

//===----------------------------------------------------------------------===//
// Arithmetic of differences
//===----------------------------------------------------------------------===//

void Difference::include(const Difference &other) {
  lo = std::min(lo, other.lo);
  hi = std::max(hi, other.hi);
  if (std::abs(other.bias) > std::abs(bias))
    bias = other.bias;
  mean = std::max(mean, other.mean);
  square = std::max(square, other.square);
  likely = std::max(likely, other.likely);
}

void Local::include(const Local &other) {
  lo = std::min(lo, other.lo);
  hi = std::max(hi, other.hi);
  rate = std::max(rate, other.rate);
  if (std::abs(other.bias) > std::abs(bias))
    bias = other.bias;
}

void LocalCount::add(int64_t exact, int64_t other) { add(exact, other, other); }

void LocalCount::add(int64_t exact, int64_t lower, int64_t upper) {
  for (int64_t difference : {lower - exact, upper - exact}) {
    found.lo = std::min(found.lo, difference);
    found.hi = std::max(found.hi, difference);
    found.rate += difference == 0 ? 0 : 0.5;
    found.bias += 0.5 * difference;
  }
}

Local LocalCount::finish(double count) const {
  Local result = found;
  result.rate = count == 0 ? 0 : std::min(1.0, result.rate / count);
  result.bias = count == 0 ? 0 : std::clamp(result.bias / count, -1.0, 1.0);
  return result;
}

void Delta::add(double factor, const Difference &difference) {
  lo += factor * (factor < 0 ? difference.hi : difference.lo);
  hi += factor * (factor < 0 ? difference.lo : difference.hi);
  bias += factor * difference.bias;
  mean += std::abs(factor) * difference.mean;
  variance +=
      factor * factor *
      std::max(0.0, difference.square - difference.bias * difference.bias);
  likely = std::max(likely, std::abs(factor) * difference.likely);
}

OutputRange::OutputRange(quant::UniformQuantizedType type, bool relu)
    : lo(relu ? type.getZeroPoint() : type.getStorageTypeMin()),
      hi(type.getStorageTypeMax()) {}

Difference form_difference::roundDelta(const Delta &delta, const Local &local,
                                       OutputRange range) {
  Difference result;
  double most = range.hi - range.lo;
  auto limit = [&](double steps) {
    return static_cast<int64_t>(std::clamp(steps, -most, most));
  };
  if (delta.lo < 0)
    result.lo = limit(std::ceil(delta.lo - 1 - kFloatError));
  if (delta.hi > 0)
    result.hi = limit(std::floor(delta.hi + 1 + kFloatError));
  result.lo = std::min(result.lo, limit(local.lo));
  result.hi = std::max(result.hi, limit(local.hi));
  if (result.isZero())
    return result;
  double deviation = std::sqrt(delta.variance);
  // A sum that is off by d < 1 rounds to another integer with probability d.
  double mean = std::min(delta.mean, deviation + std::abs(delta.bias));
  result.bias = delta.bias + local.bias;
  result.mean = mean + local.rate;
  result.square = delta.variance + delta.bias * delta.bias +
                  std::min(0.25, mean) + local.rate;
  if (result.mean > kRare)
    result.likely = std::clamp<int64_t>(
        std::ceil(std::max(std::abs(delta.bias) + kDeviations * deviation,
                           delta.likely)),
        1, std::max(-result.lo, result.hi));
  return result;
}

Difference form_difference::getAny(OutputRange range) {
  double most = range.hi - range.lo;
  Difference result;
  result.hi = result.likely = most;
  result.lo = -result.hi;
  result.mean = most;
  result.square = most * most;
  return result;
}

Difference Differences::join() const {
  Difference result = parts.front();
  for (const Difference &part : parts)
    result.include(part);
  return result;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Adds what rounding of `value`, a float, to the nearest integer may
/// give if it is known but for `kFloatError`.
static void addRounded(LocalCount &count, int64_t exact, double value,
                       int64_t zeroPoint, OutputRange range) {
  auto round = [&](double asFloat) {
    double integer = std::floor(asFloat + 0.5) + double(zeroPoint);
    return static_cast<int64_t>(
        std::clamp(integer, double(range.lo), double(range.hi)));
  };
  count.add(exact, round(value - kFloatError), round(value + kFloatError));
}

/// `combine` is given the integers of both operands.
static void forEachPair(quant::UniformQuantizedType a,
                        quant::UniformQuantizedType b,
                        llvm::function_ref<void(int64_t, int64_t)> combine) {
  for (int64_t x = a.getStorageTypeMin(); x <= a.getStorageTypeMax(); ++x)
    for (int64_t y = b.getStorageTypeMin(); y <= b.getStorageTypeMax(); ++y)
      combine(x, y);
}

static numerics::QuantParams getParams(quant::UniformQuantizedType type) {
  return {type.getScale(), type.getZeroPoint()};
}

Local form_difference::getAddLocal(qnnpack::AddOp op, InexactForm form) {
  bool addsFloats = op.addsFloatNumbers();
  // Rescales by the same integers, which round in the same way.
  if (form == InexactForm::Tosa && !addsFloats)
    return {};
  Type lhs = op.getLhs().getType(), rhs = op.getRhs().getType();
  auto a = qnnpack::getQuantizedType(lhs), b = qnnpack::getQuantizedType(rhs),
       y = qnnpack::getQuantizedType(op.getOutput().getType());
  OutputRange range(y, op.getRelu());
  numerics::AddMultipliers m;
  if (!addsFloats)
    m = qnnpack::getAddMultipliers(lhs, rhs, op.getOutput().getType());
  LocalCount count;
  forEachPair(a, b, [&](int64_t p, int64_t q) {
    int64_t exact;
    if (addsFloats)
      exact = numerics::addAten(p, getParams(a), q, getParams(b), getParams(y),
                                y.getStorageTypeMin(), y.getStorageTypeMax(),
                                op.getRelu());
    else
      exact = (y.isSigned() ? numerics::addXnnpack : numerics::addQ8)(
          p, q, a.getZeroPoint(), b.getZeroPoint(), m, y.getZeroPoint(),
          range.lo, range.hi);
    double value = ((p - a.getZeroPoint()) * a.getScale() +
                    (q - b.getZeroPoint()) * b.getScale()) /
                   y.getScale();
    addRounded(count, exact, value, y.getZeroPoint(), range);
  });
  return count.finish(256.0 * 256.0);
}

Local form_difference::getMulLocal(qnnpack::MulOp op, InexactForm form) {
  Type lhs = op.getLhs().getType(), rhs = op.getRhs().getType(),
       output = op.getOutput().getType();
  auto a = qnnpack::getQuantizedType(lhs), b = qnnpack::getQuantizedType(rhs),
       y = qnnpack::getQuantizedType(output);
  OutputRange range(y, op.getRelu());
  float m = qnnpack::getMulMultiplier(lhs, rhs, output);
  // Products beyond 32 bits are the lower limit here.
  if (m * 0x1p16f >= 0x1p31f)
    return {range.lo - range.hi, range.hi - range.lo, 1, 0};
  LocalCount count;
  forEachPair(a, b, [&](int64_t p, int64_t q) {
    int64_t exact = numerics::mulQ8(p, q, a.getZeroPoint(), b.getZeroPoint(), m,
                                    y.getZeroPoint(), range.lo, range.hi);
    double value = double((p - a.getZeroPoint()) * (q - b.getZeroPoint())) * m;
    addRounded(count, exact, value, y.getZeroPoint(), range);
  });
  return count.finish(256.0 * 256.0);
}

Local form_difference::getAverageLocal(quant::UniformQuantizedType type,
                                       int64_t taps) {
  // Ties of more are a small part, and a test of each takes its time.
  constexpr int64_t most = 1 << 14;
  if (taps <= 0 || taps > most)
    return Local::either(taps <= 0 ? 0.5 : 1.0 / taps);
  OutputRange range(type);
  int64_t zeroPoint = type.getZeroPoint();
  float m = numerics::avgPoolMultiplier(type.getScale(), taps);
  LocalCount count;
  for (int64_t sum = taps * range.lo; sum <= taps * range.hi; ++sum)
    addRounded(count,
               numerics::avgPool(sum, taps, zeroPoint, m, range.lo, range.hi),
               double(sum - taps * zeroPoint) / taps, zeroPoint, range);
  return count.finish(double(taps) * (range.hi - range.lo) + 1);
}

Local form_difference::getTableLocal(const std::array<int64_t, 256> &exact,
                                     quant::UniformQuantizedType from,
                                     quant::UniformQuantizedType to) {
  LocalCount count;
  for (int64_t i = 0; i < 256; ++i) {
    int64_t q = from.getStorageTypeMin() + i;
    if (q > from.getStorageTypeMax())
      break;
    addRounded(count, exact[i],
               (q - from.getZeroPoint()) * from.getScale() / to.getScale(),
               to.getZeroPoint(), OutputRange(to));
  }
  return count.finish(256);
}

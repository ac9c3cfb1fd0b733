// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the integers that a sum of two bytes is computed with.

#include "qbackend/Dialect/QNNPack/Addition.h"

#include "qbackend/Dialect/QNNPack/Parameters.h"
#include "qbackend/Numerics/Requantize.h"

#include <cmath>
#include <vector>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;

bool Addition::fits(int64_t lhs, int64_t rhs, int64_t shift, int64_t moved) {
  return shift <= 30 && 255 * (std::abs(lhs) + std::abs(rhs)) +
                                (int64_t(1) << (shift - 1)) + std::abs(moved) <=
                            INT32_MAX;
}

static int32_t apply(RequantizationAttr requantization, int64_t value) {
  return numerics::applyFixedPoint(
      value * (int64_t(1) << requantization.getLeftShift()),
      requantization.getMultiplier()[0], requantization.getShift()[0],
      requantization.getRounding());
}

static double getFactor(RequantizationAttr requantization) {
  return std::ldexp(double(requantization.getMultiplier()[0]),
                    int(requantization.getLeftShift()) -
                        requantization.getShift()[0]);
}

namespace {
/// What fixed point makes of each pair of bytes.
struct Pairs {
  /// Bytes less the zero points.
  std::vector<int64_t> lhs, rhs;
  /// Less the zero point, within the limits, by rows.
  std::vector<int64_t> results;
  int64_t lo, hi;

  explicit Pairs(AddOp op) {
    auto type = getQuantizedType(op.getOutput().getType());
    hi = type.getStorageTypeMax() - type.getZeroPoint();
    lo = op.getRelu() ? 0 : type.getStorageTypeMin() - type.getZeroPoint();
    auto collect = [](Type of, RequantizationAttr requantization,
                      std::vector<int64_t> &bytes) {
      auto type = getQuantizedType(of);
      std::vector<int32_t> scaled;
      for (int64_t byte = type.getStorageTypeMin();
           byte <= type.getStorageTypeMax(); ++byte) {
        bytes.push_back(byte - type.getZeroPoint());
        scaled.push_back(apply(requantization, bytes.back()));
      }
      return scaled;
    };
    auto left =
             collect(op.getLhs().getType(), op.getLhsRequantizationAttr(), lhs),
         right =
             collect(op.getRhs().getType(), op.getRhsRequantizationAttr(), rhs);
    for (int32_t a : left)
      for (int32_t b : right) {
        auto sum = static_cast<int32_t>(uint32_t(a) + uint32_t(b));
        results.push_back(std::clamp<int64_t>(
            apply(op.getRequantizationAttr(), sum), lo, hi));
      }
  }

  /// What sums with these factors have to be moved by, if there is such a
  /// number.
  std::optional<int64_t> findMove(int64_t a, int64_t b, int shift) const {
    int64_t least = INT64_MIN, most = INT64_MAX, unit = int64_t(1) << shift;
    const int64_t *result = results.data();
    for (int64_t left : lhs) {
      for (int64_t right : rhs) {
        int64_t wanted = *result++,
                distance = wanted * unit - unit / 2 - left * a - right * b;
        if (wanted > lo)
          least = std::max(least, distance);
        if (wanted < hi)
          most = std::min(most, distance + unit - 1);
      }
      if (least > most)
        return std::nullopt;
    }
    return std::clamp<int64_t>(0, least, most);
  }
};
} // namespace

/// With the largest shift that 32 bits have room for, and what is next to it.
static std::optional<Addition> findAddition(AddOp op) {
  if (getQuantizedType(op.getOutput().getType())
          .getStorageTypeIntegralWidth() != 8)
    return std::nullopt;
  double scale = getFactor(op.getRequantizationAttr()),
         a = getFactor(op.getLhsRequantizationAttr()) * scale,
         b = getFactor(op.getRhsRequantizationAttr()) * scale;
  auto round = [](double factor, int shift) {
    return std::llrint(std::ldexp(factor, shift));
  };
  auto fits = [&](int shift) {
    return a + b < 0x1p23 &&
           Addition::fits(round(a, shift), round(b, shift), shift);
  };
  int shift = 1;
  while (fits(shift + 1))
    ++shift;
  if (!fits(shift))
    return std::nullopt;
  Pairs pairs(op);
  for (int64_t far : {0, 1, 2})
    for (int64_t i = -far; i <= far; ++i)
      for (int64_t j = -far; j <= far; ++j) {
        if (std::max(std::abs(i), std::abs(j)) != far)
          continue;
        int64_t left = round(a, shift) + i, right = round(b, shift) + j;
        auto moved = pairs.findMove(left, right, shift);
        if (moved && Addition::fits(left, right, shift, *moved))
          return Addition{int32_t(left), int32_t(right), int32_t(*moved), shift,
                          /*halfUp=*/true};
      }
  return std::nullopt;
}

std::optional<Addition> qnnpack::getAddition(AddOp op) {
  if (op.addsFloatNumbers())
    return std::nullopt;
  if (op.getRequantizationAttr())
    return findAddition(op);
  numerics::AddMultipliers m = getAddMultipliers(
      op.getLhs().getType(), op.getRhs().getType(), op.getOutput().getType());
  return Addition{m.a, m.b, /*moved=*/0, m.shift,
                  getQuantizedType(op.getOutput().getType()).isSigned()};
}

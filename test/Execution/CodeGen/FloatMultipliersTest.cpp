// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums by the f32 that are found are the bytes of the fixed-point formulas: all
// sums of small layers, and of others those beside each step and at the ends.

#include "FloatMultipliers.h"

#include "qbackend/Numerics/Requantize.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace qbackend;
using codegen::FloatMultiplier;
using numerics::Rounding;

static constexpr Rounding roundings[] = {Rounding::NearestEven,
                                         Rounding::HalfUp, Rounding::HalfAway,
                                         Rounding::Double};

static int64_t pack(int64_t multiplier, int64_t shift) {
  return (shift - 1) << 32 | multiplier;
}

/// What a kernel makes of `sum`.
static int64_t scale(int32_t sum, const FloatMultiplier &by, int64_t lo,
                     int64_t hi) {
  bool isNegative = sum < 0;
  float number = std::fma(float(sum + by.offset[isNegative]), by.factor,
                          by.addend[isNegative]);
  return std::clamp<int64_t>(llvm::bit_cast<int32_t>(number) -
                                 llvm::bit_cast<int32_t>(codegen::shifter),
                             lo, hi);
}

static auto find(llvm::ArrayRef<int64_t> multipliers, Rounding rounding,
                 int64_t bound, int64_t zeroPoint = 0, int64_t lo = -128,
                 int64_t hi = 127) {
  return codegen::findFloatMultipliers(multipliers,
                                       {rounding, zeroPoint, lo, hi}, bound);
}

TEST(FloatMultipliers, BytesOfFixedPoint) {
  std::mt19937_64 random(41);
  auto draw = [&](int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(random);
  };
  int64_t compared = 0, asked = 0, found = 0;
  for (int round = 0; round < 4000; ++round) {
    Rounding rounding = roundings[round % 4];
    bool isSmall = round % 8 < 4;
    int64_t shift = draw(32, 43), bound = int64_t(1) << draw(10, 27);
    if (isSmall)
      bound = draw(1, 20000);
    int64_t multiplier = draw(int64_t(1) << 30, INT32_MAX);
    if (round % 3 == 0) // so that some sums are ties
      multiplier &= -(int64_t(1) << draw(12, 30));
    int64_t zeroPoint = draw(-128, 127), lo = -128, hi = 127;
    if (draw(0, 1))
      lo = zeroPoint;
    if (draw(0, 1))
      hi = draw(lo, 127);
    // Ties to even need more than a move; and numbers have to stay below 2^22.
    bool isAsked = rounding != Rounding::NearestEven &&
                   std::ldexp(double(bound) * multiplier, -shift) < 0x1p21;
    asked += isAsked;
    auto by =
        find({pack(multiplier, shift)}, rounding, bound, zeroPoint, lo, hi);
    if (!by)
      continue;
    found += isAsked;
    auto compare = [&](int64_t sum) {
      if (std::abs(sum) > bound)
        return;
      ++compared;
      int64_t byte = std::clamp(
          numerics::applyFixedPoint(sum, multiplier, shift, rounding) +
              zeroPoint,
          lo, hi);
      ASSERT_EQ(scale(sum, by->front(), lo, hi), byte)
          << sum << " * " << multiplier << " / 2^" << shift << ", " << zeroPoint
          << " in [" << lo << ", " << hi << "]";
    };
    if (isSmall) {
      for (int64_t sum = -bound; sum <= bound; ++sum)
        compare(sum);
      continue;
    }
    for (int64_t sum : {int64_t(0), int64_t(-1), bound, -bound})
      compare(sum);
    for (int i = 0; i < 100; ++i)
      compare(draw(-bound, bound));
    for (int step = -257; step <= 257; ++step) {
      auto sum = std::llrint(std::ldexp(step + 0.5, shift) / multiplier);
      for (int64_t near = sum - 2; near <= sum + 2; ++near)
        compare(near);
    }
  }
  EXPECT_GT(asked, 2000);
  EXPECT_GT(found, asked * 98 / 100);
  EXPECT_GT(compared, 10000000);
}

/// One offset is enough where only sums of one sign are between the limits, or
/// rounding has no sign.
TEST(FloatMultipliers, OffsetsBySign) {
  auto differ = [](const FloatMultiplier &by) {
    return by.offset[0] != by.offset[1] || by.addend[0] != by.addend[1];
  };
  int64_t multiplier = pack(1417339207, 39);
  EXPECT_TRUE(differ(find({multiplier}, Rounding::Double, 1 << 20)->front()));
  EXPECT_FALSE(differ(find({multiplier}, Rounding::HalfUp, 1 << 20)->front()));
  EXPECT_FALSE(
      differ(find({multiplier}, Rounding::Double, 1 << 20, 3, 3)->front()));
  EXPECT_FALSE(
      differ(find({multiplier}, Rounding::Double, 1 << 20, -128)->front()));
}

TEST(FloatMultipliers, OutOfRange) {
  auto finds = [&](int64_t multiplier, int64_t shift, int64_t bound) {
    return find({pack(INT32_MAX, 40), pack(multiplier, shift)},
                Rounding::HalfUp, bound)
        .has_value();
  };
  EXPECT_TRUE(finds(INT32_MAX, 32, 1 << 20));
  // Products could wrap, or leave the numbers whose unit is 1.
  EXPECT_FALSE(finds(INT32_MAX, 31, 1 << 20));
  EXPECT_FALSE(finds(INT32_MAX, 32, 1 << 24));
  EXPECT_FALSE(finds(INT32_MAX, 40, int64_t(1) << 31));
  EXPECT_FALSE(finds(INT32_MAX, 60, 1 << 30));
  // One byte for all sums.
  EXPECT_TRUE(finds(INT32_MAX, 62, 1 << 20));
  EXPECT_TRUE(finds(0, 40, 1 << 20));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums times the f64 that are found, rounded to nearest, are the integers of
// the fixed-point formulas, beside each step and at the ends; and a layer has
// none exactly if one of its sums is a tie.

#include "DoubleMultipliers.h"

#include "qbackend/Numerics/Requantize.h"

#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace qbackend;
using codegen::findDoubleMultipliers;

using numerics::Rounding;

static constexpr Rounding roundings[] = {Rounding::NearestEven,
                                         Rounding::HalfUp, Rounding::HalfAway,
                                         Rounding::Double};

static int64_t pack(int64_t multiplier, int64_t shift) {
  return (shift - 1) << 32 | multiplier;
}

/// The kernel's integer, within what bytes can be: as two ops, or as one.
static int64_t scale(int32_t sum, double multiplier, bool isDouble,
                     bool fuses) {
  double moved =
      isDouble ? std::copysign(std::ldexp(1.0, std::ilogb(multiplier)), sum)
               : 0.0;
  double scaled = fuses ? std::fma(sum, multiplier, moved)
                        : double(sum) * multiplier + moved;
  return std::clamp<int64_t>(std::llrint(scaled), -256, 256);
}

TEST(DoubleMultipliers, IntegersOfFixedPoint) {
  std::mt19937_64 random(41);
  auto draw = [&](int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(random);
  };
  int64_t compared = 0, found = 0;
  for (int round = 0; round < 20000; ++round) {
    Rounding asked = roundings[round % 4];
    int64_t shift = draw(32, 44), bound = int64_t(1) << draw(12, 31);
    int64_t multiplier = draw(int64_t(1) << 30, INT32_MAX);
    multiplier &= -(int64_t(1) << draw(0, 12));
    auto doubles =
        findDoubleMultipliers({pack(multiplier, shift)}, asked, bound);
    if (!doubles)
      continue;
    ++found;
    double number = llvm::bit_cast<double>(doubles->front());
    bool isDouble = asked == Rounding::Double;
    auto compare = [&](int64_t sum) {
      if (std::abs(sum) > bound || sum < INT32_MIN || sum > INT32_MAX)
        return;
      int64_t expected = std::clamp(
          numerics::applyFixedPoint(sum, multiplier, shift, asked), -256, 256);
      for (bool fuses : {false, true})
        ASSERT_EQ(scale(sum, number, isDouble, fuses), expected)
            << sum << " * " << multiplier << " / 2^" << shift;
      ++compared;
    };
    for (int64_t sum : {int64_t(0), int64_t(1), int64_t(-1), bound, -bound})
      compare(sum);
    for (int step = 0; step < 40; ++step) {
      auto sum =
          std::llrint(std::ldexp(draw(-257, 257) + 0.5, shift) / multiplier);
      for (int64_t near = sum - 2; near <= sum + 2; ++near)
        compare(near);
    }
  }
  EXPECT_GT(found, 10000);
  EXPECT_GT(compared, 1000000);
}

TEST(DoubleMultipliers, NoneWhereASumIsATie) {
  std::mt19937_64 random(7);
  auto draw = [&](int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(random);
  };
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    Rounding asked = roundings[1 + round % 3];
    int64_t shift = draw(32, 44), bound = draw(1, 5000);
    int64_t multiplier = draw(int64_t(1) << 30, INT32_MAX);
    multiplier &= -(int64_t(1) << draw(15, 30));
    bool isTie = false;
    for (int64_t sum = -bound; sum <= bound; ++sum) {
      int64_t product = sum * multiplier;
      if (asked == Rounding::Double)
        product += sum >= 0 ? int64_t(1) << 30 : -(int64_t(1) << 30);
      int64_t rest = product & ((int64_t(1) << shift) - 1);
      isTie |= rest == int64_t(1) << (shift - 1);
    }
    EXPECT_EQ(!findDoubleMultipliers({pack(multiplier, shift)}, asked, bound),
              isTie)
        << multiplier << " / 2^" << shift << ", " << bound;
    refused += isTie;
  }
  EXPECT_GT(refused, 300);
}

TEST(DoubleMultipliers, OutOfRange) {
  auto finds = [](int64_t multiplier, int64_t shift, Rounding asked) {
    return findDoubleMultipliers({pack(INT32_MAX, 40), pack(multiplier, shift)},
                                 asked, 1000)
        .has_value();
  };
  EXPECT_TRUE(finds(INT32_MAX, 32, Rounding::HalfUp));
  EXPECT_FALSE(finds(INT32_MAX, 31, Rounding::HalfUp));
  EXPECT_TRUE(finds(INT32_MAX, 44, Rounding::HalfUp));
  EXPECT_FALSE(finds(INT32_MAX, 45, Rounding::HalfUp));
  // Its exponent isn't that of what the second rounding adds.
  EXPECT_TRUE(finds((1 << 30) - 1, 40, Rounding::HalfUp));
  EXPECT_FALSE(finds((1 << 30) - 1, 40, Rounding::Double));
  EXPECT_TRUE(finds(0, 40, Rounding::Double));
}

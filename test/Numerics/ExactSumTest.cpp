// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums that don't depend on order or cut, against integers of 128 bits.

#include "qbackend/Numerics/ExactSum.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using qbackend::numerics::ExactSum;

static ExactSum sum(const std::vector<double> &values) {
  ExactSum result;
  for (double value : values)
    result.add(value);
  return result;
}

TEST(ExactSum, IsTheSumOfIntegers) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> values;
    __int128 expected = 0;
    for (int i = 0; i < 100; ++i) {
      int64_t value = int64_t(random()) >> (random() % 63);
      // What a double holds.
      value = int64_t(double(value >> 11)) * (1 << (random() % 11));
      values.push_back(double(value));
      expected += value;
    }
    // Each is an integer, and so is nothing cut off: 2^-64 of 2^63 is half.
    EXPECT_EQ(sum(values).getValue(), double(expected));
  }
}

TEST(ExactSum, DependsOnNoOrderAndNoCut) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> values;
    int count = 1 + random() % 60;
    int spread = random() % 900;
    for (int i = 0; i < count; ++i) {
      double value = std::ldexp(double(random()) - 0x1p63,
                                spread ? int(random() % spread) - 500 : -500);
      values.push_back(value);
      // They cancel, and leave what is small.
      if (random() % 2)
        values.push_back(-value);
    }
    ExactSum one = sum(values);
    for (int turn = 0; turn < 10; ++turn) {
      std::shuffle(values.begin(), values.end(), random);
      ExactSum joined;
      for (size_t first = 0; first < values.size();) {
        size_t end = std::min<size_t>(values.size(), first + random() % 20);
        joined.add(sum({values.begin() + first, values.begin() + end}));
        first = end;
      }
      EXPECT_EQ(joined.getState(), one.getState());
    }
  }
}

TEST(ExactSum, EndsOfTheRange) {
  double least = std::numeric_limits<double>::denorm_min();
  double largest = std::numeric_limits<double>::max();
  EXPECT_EQ(sum({}).getValue(), 0);
  EXPECT_EQ(sum({0.0, -0.0}).getState(), ExactSum().getState());
  EXPECT_EQ(sum({least}).getValue(), least);
  EXPECT_EQ(sum({-least, -least}).getValue(), -2 * least);
  EXPECT_EQ(sum({largest}).getValue(), largest);
  EXPECT_EQ(sum({largest, least, -largest}).getValue(), 0);
  EXPECT_EQ(sum({1, 0x1p-64, -1}).getValue(), 0x1p-64);
  EXPECT_EQ(sum({-1e-5}).getValue(), -1e-5);
  EXPECT_EQ(sum({1, -1 - 0x1p-52}).getValue(), -0x1p-52);
  // A tie of binary digits: 2^-32 is the last bit of the second digit.
  EXPECT_EQ(sum({0x1.fffffffep31, 0x1p-32}).getValue(),
            0x1.fffffffep31 + 0x1p-32);
}

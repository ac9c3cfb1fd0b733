// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layer, group, instance and batch norm, against the engine and by hand.

#include "GoldenCase.h"

#include "qbackend/Numerics/Normalization.h"
#include "qbackend/Numerics/Quantize.h"

#include <cmath>
#include <limits>

using namespace qbackend::numerics;

namespace {

/// The number at `i` of the operand `name`, or `missing`.
float parameter(const Tensor &tensor, int64_t i, float missing) {
  return tensor.data.empty() ? missing : static_cast<float>(tensor.data[i]);
}

/// Statistics of the values of `x` in [begin, begin + count).
GroupStatistics statisticsOf(const Tensor &x, int64_t begin, int64_t count,
                             double eps) {
  int64_t sum = 0, squares = 0;
  for (int64_t i = begin; i < begin + count; ++i) {
    int64_t q = static_cast<int64_t>(x.data[i]);
    sum += q;
    squares += q * q;
  }
  return groupStatistics(sum, squares, count, x.scale(), x.zeroPoint(), eps);
}

int32_t quantizeTo(const Tensor &y, float v) {
  return quantize(v, static_cast<float>(y.scale()), y.zeroPoint(),
                  y.range().min, y.range().max);
}

int32_t centered(const Tensor &x, int64_t i) {
  return static_cast<int32_t>(x.data[i] - static_cast<double>(x.zeroPoint()));
}

TEST(Golden, LayerNorm) {
  forEachCase("layer_norm", 3, [](const Case &test) {
    Tensor x = test.input("x"), w = test.input("weight"),
           b = test.input("bias");
    int64_t n = 1;
    for (int64_t size : test.integers("normalized_shape"))
      n *= size;
    std::vector<double> result;
    for (size_t row = 0; row < x.data.size(); row += n) {
      GroupStatistics group =
          statisticsOf(x, row, n, *test.attrs.getNumber("eps"));
      for (int64_t i = 0; i < n; ++i)
        result.push_back(quantizeTo(
            test.expected, layerNorm(centered(x, row + i), group,
                                     parameter(w, i, 1), parameter(b, i, 0))));
    }
    expectData(result, test);
  });
}

/// NCHW, so that a group is a range of elements.
void checkChannelNorm(const Case &test) {
  Tensor x = test.input("x"), w = test.input("weight"), b = test.input("bias");
  int64_t pixels = innerSize(x.shape, 1);
  int64_t count = x.channels() / test.integers("num_groups")[0] * pixels;
  auto norm = test.text("memory_format") == "channels_last"
                  ? groupNormChannelsLast
                  : groupNorm;
  std::vector<double> result;
  for (size_t begin = 0; begin < x.data.size(); begin += count) {
    GroupStatistics group =
        statisticsOf(x, begin, count, *test.attrs.getNumber("eps"));
    for (int64_t i = begin; i < static_cast<int64_t>(begin) + count; ++i) {
      int64_t c = i / pixels % x.channels();
      result.push_back(quantizeTo(
          test.expected,
          norm(centered(x, i), group, parameter(w, c, 1), parameter(b, c, 0))));
    }
  }
  expectData(result, test);
}

TEST(Golden, GroupNorm) { forEachCase("group_norm", 3, checkChannelNorm); }

TEST(Golden, InstanceNorm) {
  forEachCase("instance_norm", 3, checkChannelNorm);
}

TEST(Golden, BatchNorm2d) {
  forEachCase("batch_norm2d", 3, [](const Case &test) {
    Tensor x = test.input("x"), w = test.input("weight"),
           b = test.input("bias"), mean = test.input("mean"),
           var = test.input("var"), y = test.expected;
    int32_t zy = y.zeroPoint();
    int32_t omin = test.flag("relu") ? zy : y.range().min;
    int64_t pixels = innerSize(x.shape, 1);
    std::vector<double> result;
    for (size_t i = 0; i < x.data.size(); ++i) {
      int64_t c = i / pixels % x.channels();
      ChannelAffine affine =
          batchNormAffine(parameter(w, c, 1), parameter(b, c, 0),
                          parameter(mean, c, 0), parameter(var, c, 1),
                          *test.attrs.getNumber("eps"), x.scale(), y.scale());
      result.push_back(
          batchNorm(centered(x, i), affine, zy, omin, y.range().max));
    }
    expectData(result, test);
  });
}

TEST(Normalization, StatisticsOfTwoValues) {
  // 1 and 3, scale 0.5, zero point 1: mean 2, variance 1 step, 0.25 real.
  GroupStatistics group = groupStatistics(4, 10, 2, 0.5, 1, 0.0);
  EXPECT_EQ(group.center, 1.0f);
  EXPECT_EQ(group.factor, 1.0f);
  // eps is added in double to the real variance: sqrt(0.25 + 0.75) = 1.
  EXPECT_EQ(groupStatistics(4, 10, 2, 0.5, 1, 0.75).factor, 0.5f);
}

TEST(Normalization, ConstantGroup) {
  // No variance: only eps keeps the factor finite.
  GroupStatistics group = groupStatistics(3 * 7, 3 * 49, 3, 1.0, 7, 0x1p-20);
  EXPECT_EQ(group.center, 0.0f);
  EXPECT_EQ(group.factor, 0x1p10f);
  EXPECT_EQ(layerNorm(0, group, 2.0f, 0.25f), 0.25f);
  EXPECT_EQ(groupStatistics(21, 147, 3, 1.0, 7, 0.0).factor,
            std::numeric_limits<float>::infinity());
}

TEST(Normalization, VarianceIsNotNegative) {
  // f32(1000 / 3)^2 exceeds the rounded mean of the squares.
  for (int64_t n : {3, 7, 11, 13})
    for (int64_t q = 1; q < 256; ++q) {
      float factor = groupStatistics(n * q, n * q * q, n, 1.0, 0, 1.0).factor;
      EXPECT_LE(factor, 1.0f) << n << " times " << q;
    }
}

TEST(Normalization, SumsBeyondFloat) {
  // 2^24 + 1 is rounded to f32 before the division.
  EXPECT_EQ(groupStatistics((1 << 24) + 1, 0, 1, 1.0, 0, 1.0).center, 0x1p24f);
}

TEST(Normalization, BatchNormChannel) {
  // r = 1 / sqrt(3 + 1) = 0.5; scale = 0.5 * 3 * (0.5 / 0.25);
  // offset = (1 - 2 * 0.5 * 3) / 0.25.
  ChannelAffine affine = batchNormAffine(3, 1, 2, 3, 1, 0.5, 0.25);
  EXPECT_EQ(affine.scale, 3.0f);
  EXPECT_EQ(affine.offset, -8.0f);
  EXPECT_EQ(batchNorm(3, affine, 10, 0, 255), 11);
  EXPECT_EQ(batchNorm(2, affine, 10, 10, 255), 10);
  EXPECT_EQ(batchNorm(200, affine, 10, 0, 255), 255);
  // Ties to even, before the zero point is added.
  EXPECT_EQ(batchNorm(1, {0.5f, 0.0f}, 3, 0, 255), 3);
  EXPECT_EQ(batchNorm(3, {0.5f, 0.0f}, 3, 0, 255), 5);
  EXPECT_EQ(batchNorm(1, {std::nanf(""), 0.0f}, 3, -128, 127), -128);
}

TEST(Normalization, BatchNormScalesAreDoubles) {
  // 0.1 and 0.3 are no floats: f32(0.1 / 0.3) in double is another number than
  // f32(0.1f / 0.3f) would be after a product with 3.
  ChannelAffine affine = batchNormAffine(3, 0, 0, 1, 0, 0.1, 0.3);
  EXPECT_EQ(affine.scale, static_cast<float>(3.0 * (0.1 / 0.3)));
}

} // namespace

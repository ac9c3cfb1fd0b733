// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of ATen whose vector code and scalar code differ.

#include "GoldenCase.h"

#include "qbackend/Numerics/Quantize.h"
#include "qbackend/Numerics/Requantize.h"
#include "qbackend/Numerics/Resize.h"

#include <cmath>

using namespace qbackend::numerics;

namespace {

TEST(Golden, Cat) {
  forEachCase("cat", 3, [](const Case &test) {
    const Tensor &y = test.expected;
    EXPECT_FALSE(test.flag("relu"));
    bool channelsLast = test.text("memory_format") == "channels_last";
    int64_t pixels = innerSize(y.shape, 1);
    std::vector<double> result;
    for (int64_t n = 0; n < y.shape[0]; ++n)
      for (int i = 0; test.inputs.get("x" + std::to_string(i)); ++i) {
        Tensor x = test.input("x" + std::to_string(i));
        int64_t size = x.channels() * pixels;
        for (int64_t j = 0; j < size; ++j) {
          bool isVector =
              channelsLast && j / pixels < countVectorChannels(x.channels());
          auto real = isVector ? dequantizeFused : dequantize;
          float v = real(static_cast<int64_t>(x.data[n * size + j]),
                         static_cast<float>(x.scale()), x.zeroPoint());
          result.push_back(quantize(v, static_cast<float>(y.scale()),
                                    y.zeroPoint(), 0, 255));
        }
      }
    expectData(result, test);
  });
}

/// The split between the two codes; 256 elements are all the vector code's.
void checkElementwise(const Case &test, const Table256 &vector,
                      const Table256 &scalar) {
  Tensor x = test.input("x");
  int64_t count = countVectorElements(x.data.size());
  std::vector<double> result;
  for (size_t i = 0; i < x.data.size(); ++i)
    result.push_back((static_cast<int64_t>(i) < count
                          ? vector
                          : scalar)[static_cast<size_t>(x.data[i])]);
  expectData(result, test);
}

TEST(Golden, EluVector) {
  forEachCase("elu", 3, [](const Case &test) {
    TableType in = test.input("x").type(), out = test.expected.type();
    float alpha = test.number("alpha");
    checkElementwise(test, eluTable(in, out, alpha, AtenCode::Vector),
                     eluTable(in, out, alpha));
  });
}

TEST(Golden, LeakyReluVector) {
  forEachCase("leaky_relu", 3, [](const Case &test) {
    TableType in = test.input("x").type(), out = test.expected.type();
    float slope = test.number("negative_slope");
    checkElementwise(test, leakyReluTable(in, out, slope, AtenCode::Vector),
                     leakyReluTable(in, out, slope));
  });
}

TEST(Aten, VectorElements) {
  EXPECT_EQ(countVectorElements(63), 0);
  EXPECT_EQ(countVectorElements(64), 64);
  EXPECT_EQ(countVectorElements(200), 192);
}

TEST(Aten, FusedDequantization) {
  // The product with q is not rounded, that with the zero point is.
  float s = 0.1f;
  int differences = 0;
  for (int64_t q = 0; q < 256; ++q) {
    double exact = static_cast<double>(s) * static_cast<double>(q) -
                   static_cast<double>(s * 77.0f);
    EXPECT_EQ(dequantizeFused(q, s, 77), static_cast<float>(exact)) << q;
    differences += dequantizeFused(q, s, 77) != dequantize(q, s, 77);
  }
  EXPECT_GT(differences, 0);
}

TEST(Aten, ExponentialIsWithinAnUlp) {
  for (float x = 0.0f; x > -87.0f; x -= 0.0371f) {
    double exact = std::exp(static_cast<double>(x));
    EXPECT_NEAR(expVector(x) / exact, 1.0, 0x1p-23) << x;
  }
  EXPECT_EQ(expVector(0.0f), 1.0f);
  EXPECT_EQ(expVector(-0.0f), 1.0f);
  EXPECT_EQ(expVector(-105.0f), 0.0f);
  EXPECT_EQ(expVector(-1e30f), 0.0f);
}

TEST(Aten, TiesDifferBetweenTheCodes) {
  // Scales in the ratio 1 : 2, so that half of the integers are ties.
  TableType in = {0.1, 77, false}, out = {0.2, 3, false};
  Table256 vector = leakyReluTable(in, out, 1.0f, AtenCode::Vector);
  Table256 scalar = leakyReluTable(in, out, 1.0f);
  int differences = 0;
  for (int i = 0; i < 256; ++i) {
    EXPECT_LE(std::abs(vector[i] - scalar[i]), 1);
    differences += vector[i] != scalar[i];
  }
  EXPECT_GT(differences, 0);
}

TEST(Aten, Threshold) {
  TableType type = {0.5, 10, false};
  Table256 table = thresholdTable(type, type, 1.0f, 3.0f);
  // 1.0 is not above the threshold; 3.0 is the integer 16.
  EXPECT_EQ(table[12], 16);
  EXPECT_EQ(table[0], 16);
  EXPECT_EQ(table[13], 13);
  EXPECT_EQ(table[255], 255);
}

TEST(Aten, Celu) {
  TableType in = {0.5, -3, true}, out = {0.25, 5, true};
  Table256 table = celuTable(in, out, 2.0f);
  for (int64_t q = -128; q < 128; ++q) {
    double x = (q + 3) * 0.5;
    double y = x > 0 ? x : 2 * std::expm1(x / 2);
    double exact = 5 + y / 0.25;
    EXPECT_LE(std::abs(table[q + 128] - std::min(exact, 127.0)), 0.5001) << q;
  }
  // A negative alpha: the exponential grows.
  EXPECT_EQ(celuTable(in, out, -2.0f)[125], 5);
}

TEST(Aten, OneOfPreluSaturates) {
  // 1 is 100 steps above the zero point.
  EXPECT_EQ(preluOne({0.01f, 100}, {0, 255}), 100);
  // Only 55 steps are left: positive numbers shrink to 0.55 of themselves.
  EXPECT_EQ(preluOne({0.01f, 200}, {0, 255}), 55);
  EXPECT_EQ(preluOne({0.25, 3}, {-128, 127}), 4);
}

} // namespace

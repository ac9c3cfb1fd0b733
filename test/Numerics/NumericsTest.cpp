// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roundings, limits and corner cases of the scalar formulas, and batch norm
// folding. Numbers are worked out by hand or with NumPy's float32.

#include "../TestData.h"

#include "qbackend/Numerics/BatchNorm.h"
#include "qbackend/Numerics/Quantize.h"
#include "qbackend/Numerics/Requantize.h"
#include "qbackend/Numerics/Tables.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace qbackend::numerics;
namespace json = llvm::json;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr int32_t int32Min = std::numeric_limits<int32_t>::min();
constexpr int32_t int32Max = std::numeric_limits<int32_t>::max();

TEST(Round, TiesToEven) {
  EXPECT_EQ(roundHalfToEven(0.5f), 0.0f);
  EXPECT_EQ(roundHalfToEven(1.5f), 2.0f);
  EXPECT_EQ(roundHalfToEven(-2.5f), -2.0f);
  EXPECT_EQ(roundHalfToEven(2.5), 2.0);
  EXPECT_EQ(roundHalfToEven(-3.5), -4.0);
}

TEST(Round, ConvertToInt32) {
  EXPECT_EQ(convertToInt32(2.5f), 2);
  EXPECT_EQ(convertToInt32(-0x1p31f), int32Min);
  EXPECT_EQ(convertToInt32(0x1.fffffep30f), 2147483520);
  for (float v : {0x1p31f, -0x1.000002p31f, inf, -inf, nan})
    EXPECT_EQ(convertToInt32(v), int32Min) << v;
}

TEST(Quantize, ReciprocalAndTies) {
  // 2.25 / 0.3f rounds to 7, but 2.25 * f32(1 / 0.3f) to 8.
  EXPECT_EQ(quantize(2.25f, 0.300000012f, 0, 0, 255), 8);
  EXPECT_EQ(quantize(10.8499994f, 0.699999988f, 0, 0, 255), 16);
  // The zero point is added after rounding: it doesn't decide ties.
  EXPECT_EQ(quantize(2.5f, 1.0f, 0, 0, 255), 2);
  EXPECT_EQ(quantize(2.5f, 1.0f, 1, 0, 255), 3);
}

TEST(Quantize, OutOfRange) {
  EXPECT_EQ(quantize(1e6f, 1.0f, 0, 0, 255), 255);
  EXPECT_EQ(quantize(-1e6f, 1.0f, 7, -128, 127), -128);
  EXPECT_EQ(quantize(0x1p62f, 1.0f, 0, -128, 127), 127);
  // Beyond int64 everything is the smallest value.
  for (float x : {0x1p63f, -0x1p63f, inf, -inf, nan}) {
    EXPECT_EQ(quantize(x, 1.0f, 3, 0, 255), 0) << x;
    EXPECT_EQ(quantize(x, 1.0f, 3, -128, 127), -128) << x;
  }
  EXPECT_EQ(quantize(3e9f, 1.0f, 0, int32Min, int32Max), int32Max);
}

TEST(Quantize, DequantizeRoundsTheScaleOrNot) {
  EXPECT_EQ(dequantize(9, static_cast<float>(0.1), 0), 0.900000036f);
  EXPECT_EQ(dequantizePerChannel(9, 0.1, 0), 0.899999976f);
}

TEST(Quantize, Bias) {
  // The product of the scales is rounded once, from double.
  EXPECT_EQ(
      quantizeBias(-0.993406475f, 0.02892640936288786, 0.0016174516482475327),
      -21233);
  EXPECT_EQ(quantizeBias(0.0f, 1.0, 1.0), 0);
  EXPECT_EQ(quantizeBias(1.0f, 1e-6, 1e-6), int32Max);
  EXPECT_EQ(quantizeBias(-1.0f, 1e-6, 1e-6), int32Min);
}

TEST(QuantParams, Range) {
  auto check = [](QuantRange actual, int64_t min, int64_t max) {
    EXPECT_EQ(actual.min, min);
    EXPECT_EQ(actual.max, max);
  };
  check(quantizedRange(false, 8, {}, false), 0, 255);
  check(quantizedRange(true, 8, {}, false), -128, 127);
  check(quantizedRange(false, 8, {}, true), 0, 127);
  check(quantizedRange(true, 8, {}, true), -64, 63);
  check(quantizedRange(true, 8, QuantRange{-127, 127}, false), -127, 127);
  check(quantizedRange(true, 8, QuantRange{-127, 127}, true), -64, 63);
  check(quantizedRange(false, 4, {}, true), 0, 15);
  check(quantizedRange(true, 32, {}, true), int32Min, int32Max);
}

TEST(QuantParams, SymmetricZeroPoint) {
  EXPECT_EQ(symmetricZeroPoint(true, 8, {-127, 127}, true), 0);
  EXPECT_EQ(symmetricZeroPoint(false, 8, {0, 255}, false), 128);
  EXPECT_EQ(symmetricZeroPoint(false, 8, {0, 127}, true), 63);
  EXPECT_EQ(symmetricZeroPoint(false, 16, {0, 65535}, false), 32768);
  EXPECT_EQ(symmetricZeroPoint(false, 4, {0, 15}, false), 0);
}

TEST(QuantParams, AffineAndSymmetric) {
  auto affine = [](float min, float max) {
    return calculateQParams(min, max, {0, 255}, 0, QScheme::PerTensorAffine);
  };
  EXPECT_EQ(affine(-1, 1.55f).scale, 2.55f / 255);
  EXPECT_EQ(affine(-1, 1.55f).zeroPoint, 100);
  EXPECT_EQ(affine(0, 0).scale, 0x1p-23);
  EXPECT_EQ(affine(inf, -inf).scale, 1.0);
  EXPECT_EQ(affine(inf, -inf).zeroPoint, 0);
  QuantParams p =
      calculateQParams(-5, 3, {-127, 127}, 0, QScheme::PerChannelSymmetric);
  EXPECT_EQ(p.scale, 5.0f / 127);
  EXPECT_EQ(p.zeroPoint, 0);
  FloatQuantParams f = calculateFloatQParams(2, 4, {0, 255});
  EXPECT_EQ(f.scale, 2.0f / 255);
  EXPECT_EQ(f.zeroPoint, -2.0f / (2.0f / 255));
  EXPECT_EQ(calculateFloatQParams(3, 3, {0, 255}).scale, 1.0);
  EXPECT_EQ(calculateFloatQParams(3, 3, {0, 255}).zeroPoint, -3.0f);
}

TEST(Requantize, Multipliers) {
  double sx = 0.35612011f, sw = 0.399589151f, sy = 0.344791055f;
  EXPECT_EQ(convMultiplier(sx, sw, sy), 0.412718743f);
  EXPECT_EQ(convMultiplierXnnpack(sx, sw, sy), 0.412718773f);
  EXPECT_EQ(mulMultiplier(sx, sw, sy), 0.412718743f);
  EXPECT_EQ(mulMultiplierXnnpack(sx, sw, sy), 0.412718773f);
}

TEST(Requantize, RoundsTheProduct) {
  // 5 * 0.1f is 0.5 in f32, a tie to 0; exactly it is more than 0.5.
  EXPECT_EQ(requantize(5, convMultiplier(1, 1, 10), 0, 0, 255), 0);
  EXPECT_EQ(requantize(5, 0.1f, 100, 0, 255), 100);
  EXPECT_EQ(requantize(15, 0.1f, 100, 0, 255), 102);
  EXPECT_EQ(requantize(-15, 0.1f, 100, 0, 255), 98);
}

TEST(Requantize, Overflow) {
  EXPECT_EQ(requantize(1 << 30, 1.0f, 10, 0, 255), 255);
  EXPECT_EQ(requantize(1 << 30, 2.0f, 10, 0, 255), 0);
  EXPECT_EQ(requantize(1 << 30, 2.0f, 10, 10, 255), 10);
  EXPECT_EQ(requantizeXnnpack(1 << 30, 2.0f, 10, -128, 127), 127);
  EXPECT_EQ(requantizeXnnpack(int32Min, 200.0f, 10, -128, 127), -128);
  EXPECT_EQ(requantizeXnnpack(int32Min, 200.0f, 10, 10, 127), 10);
}

/// The qparams of the dynamic linear's activation.
QuantParams chooseDynamic(float min, float max) {
  return chooseQParams(min, max, {0, 255}, /*symmetric=*/false);
}

TEST(Dynamic, Parameters) {
  auto check = [](float min, float max, double scale, int64_t zeroPoint) {
    QuantParams params = chooseDynamic(min, max);
    EXPECT_EQ(params.scale, scale) << min << " " << max;
    EXPECT_EQ(params.zeroPoint, zeroPoint) << min << " " << max;
  };
  // The scale is a double: 3 / 255 isn't the observers' f32(3 / 255).
  check(-1, 2, 3.0 / 255, 85);
  // The range is extended to hold 0.
  check(1, 2, 2.0 / 255, 0);
  check(-3, -1, 3.0 / 255, 255);
  // The difference is taken in double: it doesn't overflow.
  check(-0x1p127f, 0x1p127f, 0x1p128 / 255, 128);
  // Scales that are 0 in f32, or have no reciprocal in f32.
  check(0, 0, 0.1, 0);
  check(0, 0x1p-149f, 0.1, 0);
  check(0, 0x1p-121f, 0.1, 0);
}

TEST(Dynamic, SmallScales) {
  auto check = [](float min, float max, int64_t zeroPoint) {
    QuantParams params = chooseDynamic(min, max);
    EXPECT_EQ(params.scale, 6.1e-5f);
    EXPECT_EQ(params.zeroPoint, zeroPoint) << min << " " << max;
  };
  // An end at 0 stays.
  check(0, 1e-3f, 0);
  check(-1e-3f, 0, 255);
  // Otherwise zero keeps its place in the range: 1/4 and 2/3 of it.
  check(-1e-3f, 3e-3f, 64);
  check(-2e-3f, 1e-3f, 170);
}

TEST(Dynamic, NotANumber) {
  QuantParams params = chooseDynamic(nan, nan);
  EXPECT_TRUE(std::isnan(params.scale));
  EXPECT_EQ(params.zeroPoint, 0);
}

TEST(ChooseQParams, Symmetric) {
  auto check = [](float min, float max, QuantRange range, double scale,
                  int64_t zeroPoint) {
    QuantParams params = chooseQParams(min, max, range, /*symmetric=*/true);
    EXPECT_EQ(params.scale, scale) << min << " " << max;
    EXPECT_EQ(params.zeroPoint, zeroPoint) << min << " " << max;
  };
  // The end that needs the larger scale decides: 127 / 127 and 256 / 128.
  check(-64, 127, {-128, 127}, 1, 0);
  check(-256, 1, {-128, 127}, 2, 0);
  // The middle of an odd number of steps is rounded to even.
  check(-1, 127, {0, 255}, 1, 128);
  // With one sign there is no middle.
  check(0, 255, {-128, 127}, 1, -128);
  check(-255, 0, {-128, 127}, 1, 127);
}

TEST(ChooseQParams, ZeroPointOfTheSmallerError) {
  // qmin + 1 / scale = -43.0 from one end and from the other.
  QuantParams params = chooseQParams(-1, 2, {-128, 127}, false);
  EXPECT_EQ(params.scale, 3.0 / 255);
  EXPECT_EQ(params.zeroPoint, -43);
  EXPECT_EQ(chooseQParams(0, 0, {-128, 127}, true).scale, 0.1);
}

TEST(Quantize, FakeQuantize) {
  // Ties to even, the ends, and what is no number.
  EXPECT_EQ(fakeQuantize(2.5f, 1.0f, int64_t(0), -128, 127), 2.0f);
  EXPECT_EQ(fakeQuantize(-300.0f, 1.0f, int64_t(3), -128, 127), -131.0f);
  EXPECT_EQ(fakeQuantize(300.0f, 0.5f, int64_t(3), -128, 127), 62.0f);
  EXPECT_EQ(fakeQuantize(nan, 0.5f, int64_t(3), -128, 127), -65.5f);
  // A real zero point is added before rounding: rne(1.25 + 0.5) = 2.
  EXPECT_EQ(fakeQuantize(1.25f, 1.0f, 0.5f, 0, 255), 1.5f);
  EXPECT_EQ(fakeQuantize(1e30f, 1.0f, 0.5f, 0, 255), -0.5f);
}

TEST(Add, Ties) {
  AddMultipliers q = addMultipliers(0.5, 0.5, 1.0);
  AddMultipliers x = addMultipliersXnnpack(0.5, 0.5, 1.0);
  EXPECT_EQ(q.shift, 22);
  EXPECT_EQ(q.a, 1 << 21);
  EXPECT_EQ(x.shift, 21);
  EXPECT_EQ(x.a, 1 << 20);
  // Away from zero in QNNPACK, up in XNNPACK.
  EXPECT_EQ(addQ8(1, 0, 0, 0, q, 50, 0, 255), 51);
  EXPECT_EQ(addQ8(0, 0, 1, 0, q, 50, 0, 255), 49);
  EXPECT_EQ(addXnnpack(1, 0, 0, 0, x, 50, -128, 127), 51);
  EXPECT_EQ(addXnnpack(-1, 0, 0, 0, x, 50, -128, 127), 50);
  EXPECT_EQ(addXnnpack(-3, 0, 0, 0, x, 50, 50, 127), 50);
  // To even in ATen.
  EXPECT_EQ(addAten(1, {0.5, 0}, 0, {0.5, 0}, {1.0, 50}, 0, 255), 50);
  EXPECT_EQ(addAten(3, {0.5, 0}, 0, {0.5, 0}, {1.0, 50}, 0, 255), 52);
  EXPECT_EQ(addAten(0, {0.5, 9}, 0, {0.5, 0}, {1.0, 50}, 0, 255, true), 50);
}

TEST(Add, ValidScales) {
  EXPECT_TRUE(addMultipliers(0x1p-14, 0x1p-10, 1).valid);
  EXPECT_FALSE(addMultipliers(0x1p-15, 1, 1).valid);
  EXPECT_FALSE(addMultipliers(0x1p-11, 0x1p-11, 1).valid);
  EXPECT_TRUE(addMultipliers(255.9, 1, 1).valid);
  EXPECT_FALSE(addMultipliers(256, 1, 1).valid);
  EXPECT_FALSE(addMultipliers(nan, 1, 1).valid);
  EXPECT_FALSE(addMultipliersXnnpack(0x1p-11, 1, 1).valid);
  EXPECT_TRUE(addMultipliersXnnpack(0x1p-10, 1, 1).valid);
  AddMultipliers small = addMultipliers(0x1p-10, 0x1p-10, 1);
  EXPECT_EQ(small.shift, 31);
  EXPECT_EQ(small.a, 1 << 21);
  // 255 * 2^-9 is 0.498; 510 * 2^-10 on the other side is -0.498.
  EXPECT_EQ(addQ8(255, 255, 0, 0, small, 7, 0, 255), 7);
  EXPECT_EQ(addQ8(0, 0, 255, 255, small, 7, 0, 255), 7);
}

TEST(Scalar, SignedMultiplication) {
  ScalarResult r = mulScalar({0.5, -3}, -2.0, {-128, 127});
  EXPECT_EQ(r.params.scale, 1.0);
  EXPECT_EQ(r.params.zeroPoint, 2);
  EXPECT_EQ(applyScalar(-128, r), 127);
  EXPECT_EQ(applyScalar(-3, r), 2);
  r = mulScalar({0.5, -3}, 0.0, {-128, 127});
  EXPECT_EQ(r.params.scale, 1.0);
  EXPECT_EQ(r.params.zeroPoint, 0);
  EXPECT_EQ(applyScalar(55, r), 0);
}

TEST(Scalar, LargeAddition) {
  // 1e30 takes all of the range: both ends of the input become 255.
  for (double constant : {1e30, 1e300 * 1e300}) {
    ScalarResult r = addScalar({1.0, 0}, constant, {0, 255});
    EXPECT_EQ(r.params.zeroPoint, 0);
    EXPECT_EQ(applyScalar(0, r), 255);
    EXPECT_EQ(applyScalar(255, r), 255);
    r = addScalar({1.0, 0}, -constant, {0, 255});
    EXPECT_EQ(r.params.zeroPoint, 255);
    EXPECT_EQ(applyScalar(255, r), 0);
  }
  // x in [0, 255] plus 10: [0, 265] has scale 265 / 255.
  ScalarResult r = addScalar({1.0, 0}, 10.0, {0, 255});
  EXPECT_EQ(r.params.scale, 265.0 / 255);
  EXPECT_EQ(applyScalar(0, r), 10);
  EXPECT_EQ(applyScalar(255, r), 255);
}

TEST(Average, MultiplierIsNotTheReciprocal) {
  EXPECT_EQ(avgPoolMultiplier(0.0593381897f, 9), 0.111111104f);
  EXPECT_EQ(avgPoolMultiplier(0.154842809f, 49), 0.0204081647f);
  EXPECT_EQ(avgPoolMultiplier(0.25, 4), 0.25f);
}

TEST(Average, WhereTheZeroPointIsAdded) {
  // The mean of 1 and 2, with zero point 1: QNNPACK rounds 0.5, not 1.5.
  EXPECT_EQ(avgPool(3, 2, 1, 0.5f, 0, 255), 1);
}

TEST(Tables, Requantize) {
  // Ties go to even before the zero point is added; the ends saturate.
  Table256 half = requantizeTable({0.5, 3, false}, {1.0, 7, false});
  const int expected[][2] = {{0, 5}, {2, 7}, {3, 7},    {4, 7},
                             {5, 8}, {6, 9}, {255, 133}};
  for (auto [q, y] : expected)
    EXPECT_EQ(half[q], y) << q;
  EXPECT_EQ(requantizeTable({1.0, 0, false}, {0.5, 0, false})[200], 255);
  // Another sign, by one distance, moves all integers by it.
  Table256 moved = requantizeTable({0.3, 40, false}, {0.3, -88, true});
  for (int q = 0; q < 256; ++q)
    EXPECT_EQ(moved[q], q - 128) << q;
}

TEST(Tables, HardswishAddsTheZeroPointFirst) {
  // hardswish(5) is 5, and 5 / 2 a tie that the zero point decides.
  EXPECT_EQ(hardswishTable({1.0, 0, false}, {2.0, 0, false})[5], 2);
  EXPECT_EQ(hardswishTable({1.0, 0, false}, {2.0, 1, false})[5], 4);
  EXPECT_EQ(hardswishTable({1.0, 0, true}, {2.0, 1, true})[128 + 5], 3);
}

TEST(Tables, Celu) {
  Table256 table = celuTable({0.1, 128, false}, {0.02, 60, false}, 0.5f);
  const int expected[][2] = {{0, 35},   {100, 35}, {120, 40}, {127, 55},
                             {128, 60}, {129, 65}, {140, 120}};
  for (auto [q, y] : expected)
    EXPECT_EQ(table[q], y) << q;
}

TEST(Tables, Signed) {
  TableType in{0.1, 0, true};
  Table256 sigmoid = sigmoidTable(in, {1.0 / 256, -128, true});
  Table256 tanh = tanhTable(in, {1.0 / 128, 0, true});
  Table256 hardsigmoid = hardsigmoidTable(in, {1.0 / 256, -128, true});
  Table256 hardswish = hardswishTable(in, {0.05, -60, true});
  const int expected[][5] = {{-128, -128, -128, -128, -60},
                             {-50, -126, -128, -128, -60},
                             {-1, -6, -13, -4, -61},
                             {0, 0, 0, 0, -60},
                             {1, 6, 13, 4, -59},
                             {30, 116, 127, 127, 0},
                             {127, 127, 127, 127, 127}};
  for (auto [q, a, b, c, d] : expected) {
    EXPECT_EQ(sigmoid[q + 128], a) << q;
    EXPECT_EQ(tanh[q + 128], b) << q;
    EXPECT_EQ(hardsigmoid[q + 128], c) << q;
    EXPECT_EQ(hardswish[q + 128], d) << q;
  }
}

std::vector<float> getFloats(const json::Object &object,
                             llvm::StringRef field) {
  std::vector<float> result;
  for (const json::Value &value : *object.getArray(field))
    result.push_back(static_cast<float>(*value.getAsNumber()));
  return result;
}

TEST(BatchNorm, MatchesPyTorch) {
  auto buffer =
      llvm::MemoryBuffer::getFile(qbackend::getTestData("batch_norm.json"));
  ASSERT_TRUE(buffer);
  llvm::Expected<json::Value> root = json::parse((*buffer)->getBuffer());
  ASSERT_TRUE(!!root) << llvm::toString(root.takeError());
  for (const json::Value &value : *root->getAsObject()->getArray("cases")) {
    const json::Object &test = *value.getAsObject();
    int64_t channels = *test.getInteger("channels");
    float eps = static_cast<float>(*test.getNumber("eps"));
    std::vector<float> weight = getFloats(test, "weight"),
                       mean = getFloats(test, "mean"),
                       var = getFloats(test, "var"),
                       gamma = getFloats(test, "gamma"),
                       beta = getFloats(test, "beta"), bias(channels);
    foldBatchNorm(weight.data(), channels, *test.getInteger("per_channel"),
                  bias.data(), mean.data(), var.data(), gamma.data(),
                  beta.data(), eps);
    EXPECT_EQ(weight, getFloats(test, "folded_weight"));
    EXPECT_EQ(bias, getFloats(test, "folded_bias"));
  }
}

TEST(BatchNorm, Defaults) {
  float weight[] = {1, 2}, bias[] = {5}, mean[] = {1}, var[] = {0.25f};
  foldBatchNorm(weight, 1, 2, bias, mean, var, nullptr, nullptr, 0.0f);
  EXPECT_EQ(weight[0], 2.0f);
  EXPECT_EQ(weight[1], 4.0f);
  EXPECT_EQ(bias[0], 8.0f);
}

//===----------------------------------------------------------------------===//
// Fixed point
//===----------------------------------------------------------------------===//

/// The integer nearest to numerator / 2^shift, from its definition.
int64_t roundExactly(__int128 numerator, int shift, Rounding rounding) {
  __int128 unit = static_cast<__int128>(1) << shift;
  __int128 below = numerator / unit - (numerator % unit < 0);
  __int128 rest = numerator - below * unit;
  bool isUp = 2 * rest > unit;
  if (2 * rest == unit)
    isUp = rounding == Rounding::HalfAway      ? numerator > 0
           : rounding == Rounding::NearestEven ? below % 2 != 0
                                               : true;
  return static_cast<int64_t>(below + isUp);
}

TEST(FixedPoint, RoundsAsItSays) {
  // 5/2 and -5/2.
  EXPECT_EQ(applyFixedPoint(5, 1 << 30, 31, Rounding::NearestEven), 2);
  EXPECT_EQ(applyFixedPoint(5, 1 << 30, 31, Rounding::HalfUp), 3);
  EXPECT_EQ(applyFixedPoint(5, 1 << 30, 31, Rounding::HalfAway), 3);
  EXPECT_EQ(applyFixedPoint(-5, 1 << 30, 31, Rounding::NearestEven), -2);
  EXPECT_EQ(applyFixedPoint(-5, 1 << 30, 31, Rounding::HalfUp), -2);
  EXPECT_EQ(applyFixedPoint(-5, 1 << 30, 31, Rounding::HalfAway), -3);
  // Twice: 1/4 + 1/4 of what TOSA adds makes a half. A shift of 31 doesn't.
  EXPECT_EQ(applyFixedPoint(1, 1 << 30, 32, Rounding::HalfUp), 0);
  EXPECT_EQ(applyFixedPoint(1, 1 << 30, 32, Rounding::Double), 1);
  EXPECT_EQ(applyFixedPoint(-1, 1 << 30, 32, Rounding::Double), 0);
  EXPECT_EQ(applyFixedPoint(-1, 1 << 30, 31, Rounding::Double), 0);
  EXPECT_EQ(applyFixedPoint(-3, 1 << 30, 32, Rounding::Double), -1);
  // 48 bits by 16.
  EXPECT_EQ(applyFixedPoint(int64_t(1) << 46, 0x4000, 30, Rounding::HalfUp),
            int32_t(1) << 30);
}

TEST(FixedPoint, OfANumber) {
  auto check = [](double value, int32_t multiplier, int shift) {
    auto number = quantizeMultiplier(value);
    ASSERT_TRUE(number.has_value()) << value;
    EXPECT_EQ(number->multiplier, multiplier) << value;
    EXPECT_EQ(number->shift, shift) << value;
  };
  check(0.5, 1 << 30, 31);
  check(1.0, 1 << 30, 30);
  check(3.0, 3 << 29, 29);
  check(0x1p-32, 1 << 30, 62);
  // Below, TensorFlow Lite has 0.
  check(0x1.fffffep-33, 0, 31);
  // Ties of the 31st bit go up, the largest of them to the next power of two.
  check(0x1.00000002p-1, (1 << 30) + 1, 31);
  check(0x1.00000006p-1, (1 << 30) + 2, 31);
  check(0x1.fffffffep-1, 1 << 30, 30);
  check(0x1p28, 1 << 30, 2);
  check(std::nextafter(0x1p-32, 0), 1 << 30, 62);
  for (double value : {0x1p29, std::nextafter(0x1p29, 0), 0.0, -1.0,
                       double(INFINITY), double(NAN)})
    EXPECT_FALSE(quantizeMultiplier(value).has_value()) << value;
}

TEST(FixedPoint, OfANumberIn15Bits) {
  auto check = [](double value, int32_t multiplier, int shift) {
    auto number = quantizeMultiplier(value, 15);
    ASSERT_TRUE(number.has_value()) << value;
    EXPECT_EQ(number->multiplier, multiplier) << value;
    EXPECT_EQ(number->shift, shift) << value;
  };
  check(0.5, 1 << 14, 15);
  check(0.09375, 24576, 18);
  check(0x1p-32, 1 << 14, 46);
  // Ties of the 15th bit go up, the largest of them to the next power of two.
  check(0x1.0002p-1, (1 << 14) + 1, 15);
  check(0x1.fffep-1, 1 << 14, 14);
  check(0x1p12, 1 << 14, 2);
  for (double value : {0x1p13, std::nextafter(0x1p13, 0), 0.0, double(NAN)})
    EXPECT_FALSE(quantizeMultiplier(value, 15).has_value()) << value;
}

TEST(FixedPoint, IsExact) {
  std::mt19937_64 engine(1);
  for (int i = 0; i < 1000000; ++i) {
    int64_t value = static_cast<int32_t>(engine());
    if (i % 3 == 0)
      value >>= engine() % 32;
    auto multiplier = static_cast<int32_t>(engine() >> 33);
    if (i % 5 == 0)
      multiplier &= -(1 << (engine() % 31));
    int shift = 2 + static_cast<int>(engine() % 61);
    __int128 product = static_cast<__int128>(value) * multiplier;
    for (Rounding rounding :
         {Rounding::NearestEven, Rounding::HalfUp, Rounding::HalfAway})
      ASSERT_EQ(applyFixedPoint(value, multiplier, shift, rounding),
                static_cast<int32_t>(roundExactly(product, shift, rounding)))
          << value << " * " << multiplier << " >> " << shift;
    __int128 moved = shift > 31
                         ? product + (value >= 0 ? 1 : -1) * (__int128(1) << 30)
                         : product;
    ASSERT_EQ(
        applyFixedPoint(value, multiplier, shift, Rounding::Double),
        static_cast<int32_t>(roundExactly(moved, shift, Rounding::HalfUp)))
        << value << " * " << multiplier << " >> " << shift;
  }
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accumulators of the requantization that convolution and linear end with: some
// of many multipliers, and all of as many as are asked for.

#include "Exhaustive.h"

#include "qbackend/Numerics/Requantize.h"

#include <cfloat>
#include <utility>

using namespace qbackend;

namespace {

/// A requantization of accumulators.
struct Requantization {
  float multiplier;
  TableType output;
  bool relu;
};

/// Ties, products that overflow, the smallest and the largest multipliers, and
/// ones as networks have them.
std::vector<Requantization> makeRequantizations(Random &random, size_t count) {
  std::vector<float> multipliers = {
      0.5f,    0x1p-2f,  0.1f,     0x1p-10f, 1.0f,    1.5f,
      0.75f,   0x1p-24f, 0x1p-31f, FLT_MIN,  255.0f,  0x1p8f,
      1e4f,    1e8f,     0x1p31f,  0x1p96f,  FLT_MAX, 0x1.fffffep-1f,
      0x1p-7f, 0x1p-23f, 0x1p-8f,  3.0f,     0.001f,  1.0f / 3.0f};
  while (multipliers.size() < count)
    multipliers.push_back(std::exp(random.real(-12, -2)));
  multipliers.resize(count);
  std::vector<Requantization> result;
  for (auto [i, multiplier] : enumerate(multipliers)) {
    // XNNPACK, which has the signed ones, takes no others.
    bool isSigned = i % 2 && multiplier >= 0x1p-32f && multiplier < 0x1p8f;
    TableType output = random.type(isSigned);
    output.scale = 1.0;
    bool relu = i / 2 % 2 && output.zeroPoint < output.max();
    result.push_back({multiplier, output, relu});
  }
  return result;
}

/// Accumulators are the bias of a linear op with weight 0. Its input's scale
/// is the multiplier; the other scales are 1.
class AccumulatorTest : public ExhaustiveTest {
protected:
  static constexpr int64_t size = 1 << 20;

  /// Calls `fill(bias)` until it returns false, and compares each time.
  void checkAccumulators(const Requantization &which,
                         function_ref<bool(MutableArrayRef<int32_t>)> fill) {
    TableType input = {which.multiplier, 0, which.output.isSigned};
    TableType weight = {1.0, 0, true};
    std::string text = formatv(
        "func.func @main(%b: tensor<{0}xi32>) -> tensor<1x{0}xi8> {{\n"
        "  %c = arith.constant dense<0> : tensor<1x1xi8>\n"
        "  %x = quant.scast %c : tensor<1x1xi8> to tensor<1x1x{1}>\n"
        "  %z = arith.constant dense<0> : tensor<{0}x1xi8>\n"
        "  %w = quant.scast %z : tensor<{0}x1xi8> to tensor<{0}x1x{2}>\n"
        "  %r = qnnpack.linear %x, %w, %b {3} : tensor<1x1x{1}>, "
        "tensor<{0}x1x{2}>, tensor<{0}xi32> -> tensor<1x{0}x{4}>\n"
        "  %y = quant.scast %r : tensor<1x{0}x{4}> to tensor<1x{0}xi8>\n"
        "  return %y : tensor<1x{0}xi8>\n}\n",
        size, print(input), print(weight), which.relu ? "{relu}" : "",
        print(which.output));
    std::unique_ptr<Executable> executable = compile(text);
    ASSERT_TRUE(executable);
    bool isSigned = which.output.isSigned;
    auto function = isSigned ? requantizeXnnpack : numerics::requantize;
    int32_t zero = which.output.zeroPoint, hi = which.output.max(),
            lo = which.relu ? zero : which.output.min();
    std::vector<Array> operands = {Array::zeros(ElementType::I32, {size})};
    while (fill(operands[0].as<int32_t>())) {
      std::vector<Array> actual = run(*executable, operands);
      ASSERT_EQ(actual.size(), 1u);
      ArrayRef<int32_t> accumulators = operands[0].as<int32_t>();
      for (int64_t i = 0; i < size; ++i) {
        uint8_t wanted = static_cast<uint8_t>(
            function(accumulators[i], which.multiplier, zero, lo, hi));
        ASSERT_EQ(actual[0].data[i], wanted)
            << "accumulator " << accumulators[i] << ", multiplier "
            << which.multiplier << " -> " << print(which.output)
            << (which.relu ? ", relu" : "");
      }
    }
  }
};

TEST_F(AccumulatorTest, SomeAccumulators) {
  for (const Requantization &which : makeRequantizations(random, 32)) {
    bool done = false;
    checkAccumulators(which, [&](MutableArrayRef<int32_t> bias) {
      // Around 0, the two ends, every tie in reach, and anything.
      for (auto [i, value] : enumerate(bias)) {
        int64_t k = static_cast<int64_t>(i / 4) - size / 8;
        double tie = (static_cast<double>(k % 1000) + 0.5) / which.multiplier;
        switch (i % 4) {
        case 0:
          value = static_cast<int32_t>(k);
          break;
        case 1:
          value = static_cast<int32_t>(static_cast<uint32_t>(INT32_MIN) +
                                       static_cast<uint32_t>(k));
          break;
        case 2:
          value = static_cast<int32_t>(std::clamp(
              std::nearbyint(tie) + static_cast<double>(random.integer(-1, 1)),
              -0x1p31, 0x1.fffffffcp30));
          break;
        default:
          value = static_cast<int32_t>(random.integer(INT32_MIN, INT32_MAX));
        }
      }
      return !std::exchange(done, true);
    });
    if (HasFailure())
      return;
  }
}

/// Fixed-point multipliers of as many channels, of all sizes, and those at the
/// ends and on both sides of where `Double` rounds twice.
static std::vector<std::pair<int32_t, int>> makeFixedPoints(Random &random,
                                                            int64_t count) {
  std::vector<std::pair<int32_t, int>> result = {
      {0, 2},          {1, 2},        {INT32_MAX, 62},  {1 << 30, 30},
      {1 << 30, 31},   {1 << 30, 32}, {1 << 30, 33},    {INT32_MAX, 31},
      {INT32_MAX, 32}, {1 << 30, 62}, {0x55555555, 32}, {0x7fff, 14},
      {0x4000, 15},    {1 << 30, 40}, {1417339207, 39}};
  while (static_cast<int64_t>(result.size()) < count)
    result.emplace_back(random.integer(1 << 30, INT32_MAX),
                        random.integer(30, 44));
  result.resize(count);
  return result;
}

/// As AccumulatorTest: accumulators are the bias of a linear op.
class FixedPointTest : public ExhaustiveTest {
protected:
  void check(StringRef rounding, numerics::Rounding function, bool isSigned,
             ArrayRef<std::pair<int32_t, int>> points, int64_t channels) {
    TableType output = random.type(isSigned), input = {1.0, 0, isSigned},
              weight = {1.0, 0, true};
    std::string multipliers, shifts;
    for (auto [multiplier, shift] : points) {
      StringRef separator = multipliers.empty() ? "" : ", ";
      multipliers += formatv("{0}{1}", separator, multiplier).str();
      shifts += formatv("{0}{1}", separator, shift).str();
    }
    std::string text = formatv(
        "func.func @main(%b: tensor<{0}xi32>) -> tensor<1x{0}xi8> {{\n"
        "  %c = arith.constant dense<0> : tensor<1x1xi8>\n"
        "  %x = quant.scast %c : tensor<1x1xi8> to tensor<1x1x{1}>\n"
        "  %z = arith.constant dense<0> : tensor<{0}x1xi8>\n"
        "  %w = quant.scast %z : tensor<{0}x1xi8> to tensor<{0}x1x{2}>\n"
        "  %r = qnnpack.linear %x, %w, %b {{requantization = "
        "#qnnpack.requantization<rounding = {3}, multiplier = [{4}], shift = "
        "[{5}]>} : tensor<1x1x{1}>, tensor<{0}x1x{2}>, tensor<{0}xi32> -> "
        "tensor<1x{0}x{6}>\n"
        "  %y = quant.scast %r : tensor<1x{0}x{6}> to tensor<1x{0}xi8>\n"
        "  return %y : tensor<1x{0}xi8>\n}\n",
        channels, print(input), print(weight), rounding, multipliers, shifts,
        print(output));
    std::unique_ptr<Executable> executable = compile(text);
    ASSERT_TRUE(executable);
    std::vector<Array> operands = {Array::zeros(ElementType::I32, {channels})};
    for (int64_t round = 0; round < 16; ++round) {
      MutableArrayRef<int32_t> sums = operands[0].as<int32_t>();
      auto pointOf = [&](size_t i) { return points[i % points.size()]; };
      for (auto [i, sum] : enumerate(sums)) {
        auto [multiplier, shift] = pointOf(i);
        // A tie in reach, a small sum, an end, anything.
        double tie = (static_cast<double>(random.integer(-300, 300)) + 0.5) *
                     std::ldexp(1.0, shift) / std::max(multiplier, 1);
        sum = static_cast<int32_t>(
            (round + i) % 4 == 0
                ? std::clamp(std::nearbyint(tie), -0x1p31, 0x1.fffffffcp30)
            : (round + i) % 4 == 1 ? random.integer(-4, 4)
            : (round + i) % 4 == 2
                ? (random.integer(0, 1) ? INT32_MIN : INT32_MAX)
                : random.integer(INT32_MIN, INT32_MAX));
      }
      std::vector<Array> actual = run(*executable, operands);
      ASSERT_EQ(actual.size(), 1u);
      int64_t zero = output.zeroPoint, lo = output.min(), hi = output.max();
      for (int64_t i = 0; i < channels; ++i) {
        auto [multiplier, shift] = pointOf(i);
        int64_t scaled =
            numerics::applyFixedPoint(sums[i], multiplier, shift, function);
        ASSERT_EQ(actual[0].data[i],
                  static_cast<uint8_t>(std::clamp(scaled + zero, lo, hi)))
            << "sum " << sums[i] << ", multiplier " << multiplier << ", shift "
            << shift << ", " << rounding.str() << " -> " << print(output);
      }
    }
  }
};

TEST_F(FixedPointTest, Sums) {
  const std::pair<StringRef, numerics::Rounding> roundings[] = {
      {"nearest_even", numerics::Rounding::NearestEven},
      {"half_up", numerics::Rounding::HalfUp},
      {"half_away", numerics::Rounding::HalfAway},
      {"double", numerics::Rounding::Double}};
  for (auto [rounding, function] : roundings)
    for (bool isSigned : {false, true}) {
      std::vector<std::pair<int32_t, int>> points =
          makeFixedPoints(random, 256);
      check(rounding, function, isSigned, points, 256);
      for (size_t i : {2, 4, 7, 9, 10, 13, 20})
        check(rounding, function, isSigned, points[i], 256);
      if (HasFailure())
        return;
    }
}

TEST_F(AccumulatorTest, AllAccumulators) {
  int64_t count = getOption("QBACKEND_EXHAUSTIVE_MULTIPLIERS", 0);
  if (count == 0)
    GTEST_SKIP() << "set QBACKEND_EXHAUSTIVE_MULTIPLIERS to try all 2^32";
  for (const Requantization &which : makeRequantizations(random, count)) {
    int64_t next = INT32_MIN;
    checkAccumulators(which, [&](MutableArrayRef<int32_t> bias) {
      if (next > INT32_MAX)
        return false;
      for (int32_t &value : bias)
        value = static_cast<int32_t>(next++);
      return true;
    });
    if (HasFailure())
      return;
    std::printf("all accumulators: multiplier %a, zero point %d, %s\n",
                which.multiplier, static_cast<int>(which.output.zeroPoint),
                which.output.isSigned ? "signed" : "unsigned");
    std::fflush(stdout);
  }
}

} // namespace

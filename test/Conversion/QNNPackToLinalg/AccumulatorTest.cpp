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
    TableType output = random.type(i % 2);
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

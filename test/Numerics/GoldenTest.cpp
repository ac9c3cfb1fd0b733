// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scalar formulas against what PyTorch's engine computed: naive loops over
// the golden vectors.

#include "GoldenCase.h"

#include "qbackend/Numerics/Quantize.h"
#include "qbackend/Numerics/Requantize.h"
#include "qbackend/Numerics/Tables.h"

#include <algorithm>

using namespace qbackend::numerics;

namespace {

TEST(Golden, QuantizePerTensor) {
  forEachCase("quantize_per_tensor", 5, [](const Case &test) {
    QuantRange range = test.expected.range();
    std::vector<double> result;
    for (double x : test.input("x").data)
      result.push_back(quantize(static_cast<float>(x), test.number("scale"),
                                test.integers("zero_point")[0], range.min,
                                range.max));
    expectData(result, test);
  });
}

TEST(Golden, QuantizePerChannel) {
  forEachCase("quantize_per_channel", 3, [](const Case &test) {
    const Tensor &y = test.expected;
    int64_t inner = innerSize(y.shape, test.integers("axis")[0]);
    Tensor x = test.input("x");
    std::vector<double> result;
    for (size_t i = 0; i < x.data.size(); ++i) {
      size_t c = i / inner % y.scales.size();
      result.push_back(quantize(static_cast<float>(x.data[i]),
                                static_cast<float>(y.scales[c]),
                                y.zeroPoints[c], y.range().min, y.range().max));
    }
    expectData(result, test);
  });
}

TEST(Golden, Dequantize) {
  forEachCase("dequantize", 5, [](const Case &test) {
    Tensor x = test.input("x");
    std::vector<double> result;
    for (double q : x.data)
      result.push_back(dequantize(static_cast<int64_t>(q),
                                  static_cast<float>(x.scale()),
                                  x.zeroPoint()));
    expectData(result, test);
  });
}

TEST(Golden, DequantizePerChannel) {
  forEachCase("dequantize_per_channel", 3, [](const Case &test) {
    Tensor x = test.input("x");
    int64_t axis = *test.inputs.getObject("x")->getInteger("axis");
    int64_t inner = innerSize(x.shape, axis);
    std::vector<double> result;
    for (size_t i = 0; i < x.data.size(); ++i) {
      size_t c = i / inner % x.scales.size();
      result.push_back(dequantizePerChannel(static_cast<int64_t>(x.data[i]),
                                            x.scales[c], x.zeroPoints[c]));
    }
    expectData(result, test);
  });
}

/// Calls `function` on the values of a and b, which may be one value, and on
/// the limits of the result.
void checkBinary(
    const Case &test,
    llvm::function_ref<int32_t(int32_t, int32_t, int32_t, int32_t)> function) {
  Tensor a = test.input("a"), b = test.input("b");
  QuantRange range = test.expected.range();
  int64_t omin = range.min;
  if (test.flag("relu"))
    omin = std::max(omin, test.expected.zeroPoint());
  std::vector<double> result;
  for (size_t i = 0; i < a.data.size(); ++i)
    result.push_back(
        function(static_cast<int32_t>(a.data[i]),
                 static_cast<int32_t>(b.data[b.data.size() == 1 ? 0 : i]), omin,
                 range.max));
  expectData(result, test);
}

TEST(Golden, Add) {
  forEachCase("add", 4, [](const Case &test) {
    Tensor a = test.input("a"), b = test.input("b"), y = test.expected;
    AddMultipliers m = addMultipliers(a.scale(), b.scale(), y.scale());
    EXPECT_TRUE(m.valid);
    EXPECT_EQ(m.a, *test.debug->getInteger("a_multiplier"));
    EXPECT_EQ(m.b, *test.debug->getInteger("b_multiplier"));
    EXPECT_EQ(m.shift, *test.debug->getInteger("shift"));
    checkBinary(test, [&](int32_t qa, int32_t qb, int32_t lo, int32_t hi) {
      return addQ8(qa, qb, a.zeroPoint(), b.zeroPoint(), m, y.zeroPoint(), lo,
                   hi);
    });
  });
}

TEST(Golden, AddSigned) {
  forEachCase("add_qint8", 3, [](const Case &test) {
    Tensor a = test.input("a"), b = test.input("b"), y = test.expected;
    AddMultipliers m = addMultipliersXnnpack(a.scale(), b.scale(), y.scale());
    EXPECT_TRUE(m.valid);
    checkBinary(test, [&](int32_t qa, int32_t qb, int32_t lo, int32_t hi) {
      return addXnnpack(qa, qb, a.zeroPoint(), b.zeroPoint(), m, y.zeroPoint(),
                        lo, hi);
    });
  });
}

TEST(Golden, Mul) {
  forEachCase("mul", 4, [](const Case &test) {
    Tensor a = test.input("a"), b = test.input("b"), y = test.expected;
    float m = mulMultiplier(a.scale(), b.scale(), y.scale());
    EXPECT_EQ(m, *test.debug->getNumber("multiplier_f32"));
    checkBinary(test, [&](int32_t qa, int32_t qb, int32_t lo, int32_t hi) {
      return mulQ8(qa, qb, a.zeroPoint(), b.zeroPoint(), m, y.zeroPoint(), lo,
                   hi);
    });
  });
}

TEST(Golden, MulSigned) {
  forEachCase("mul_qint8", 3, [](const Case &test) {
    Tensor a = test.input("a"), b = test.input("b"), y = test.expected;
    float m = mulMultiplierXnnpack(a.scale(), b.scale(), y.scale());
    checkBinary(test, [&](int32_t qa, int32_t qb, int32_t lo, int32_t hi) {
      return mulQ8(qa, qb, a.zeroPoint(), b.zeroPoint(), m, y.zeroPoint(), lo,
                   hi);
    });
  });
}

void checkScalar(const Case &test,
                 ScalarResult (*rewrite)(const QuantParams &, double,
                                         QuantRange)) {
  Tensor x = test.input("x");
  ScalarResult r =
      rewrite(x.params(), *test.attrs.getNumber("scalar"), x.range());
  EXPECT_EQ(r.params.scale, test.expected.scale());
  EXPECT_EQ(r.params.zeroPoint, test.expected.zeroPoint());
  std::vector<double> result;
  for (double q : x.data)
    result.push_back(applyScalar(static_cast<int32_t>(q), r));
  expectData(result, test);
}

TEST(Golden, AddScalar) {
  forEachCase("add_scalar", 3,
              [](const Case &t) { checkScalar(t, addScalar); });
}

TEST(Golden, MulScalar) {
  forEachCase("mul_scalar", 3,
              [](const Case &t) { checkScalar(t, mulScalar); });
}

/// Half-open window of input rows or columns, not clipped to the image.
struct Window {
  int64_t begin, end;
};

/// Applies `function` to the windows of each result of a pooling.
void checkPool(
    const Case &test, llvm::function_ref<Window(int64_t, int64_t)> window,
    llvm::function_ref<int32_t(int64_t, int64_t, Window, Window)> function) {
  const std::vector<int64_t> &shape = test.expected.shape;
  std::vector<double> result;
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t c = 0; c < shape[1]; ++c)
      for (int64_t h = 0; h < shape[2]; ++h)
        for (int64_t w = 0; w < shape[3]; ++w)
          result.push_back(function(n, c, window(0, h), window(1, w)));
  expectData(result, test);
}

/// Sum of the raw integers in a window; padding counts as the zero point.
int64_t sumWindow(const Tensor &x, int64_t n, int64_t c, Window h, Window w) {
  int64_t sum = 0;
  for (int64_t i = h.begin; i < h.end; ++i)
    for (int64_t j = w.begin; j < w.end; ++j)
      sum += x.contains(i, j) ? x.at(n, c, i, j) : x.zeroPoint();
  return sum;
}

void checkAveragePool(const Case &test,
                      llvm::function_ref<Window(int64_t, int64_t)> window) {
  Tensor x = test.input("x");
  checkPool(test, window, [&](int64_t n, int64_t c, Window h, Window w) {
    int64_t size = (h.end - h.begin) * (w.end - w.begin);
    float m = avgPoolMultiplier(x.scale(), size);
    if (test.debug) {
      EXPECT_EQ(m, *test.debug->getNumber("multiplier_f32"));
    }
    return avgPool(sumWindow(x, n, c, h, w), size, x.zeroPoint(), m, 0, 255);
  });
}

TEST(Golden, AvgPool2d) {
  forEachCase("avg_pool2d", 4, [](const Case &test) {
    auto stride = test.integers("stride"), padding = test.integers("padding"),
         kernel = test.integers("kernel");
    EXPECT_FALSE(test.flag("ceil_mode"));
    checkAveragePool(test, [&](int64_t axis, int64_t i) {
      int64_t begin = i * stride[axis] - padding[axis];
      return Window{begin, begin + kernel[axis]};
    });
  });
}

TEST(Golden, MeanHW) {
  forEachCase("mean_hw", 3, [](const Case &test) {
    Tensor x = test.input("x");
    checkAveragePool(test, [&](int64_t axis, int64_t) {
      return Window{0, x.shape[2 + axis]};
    });
  });
}

/// Looks the values of x up in a table.
void checkTable(const Case &test, const Table256 &table) {
  Tensor x = test.input("x");
  std::vector<double> result;
  for (double q : x.data)
    result.push_back(table[static_cast<int64_t>(q) - x.type().min()]);
  expectData(result, test);
}

TEST(Golden, Sigmoid) {
  forEachCase("sigmoid", 3, [](const Case &test) {
    checkTable(test,
               sigmoidTable(test.input("x").type(), test.expected.type()));
  });
}

TEST(Golden, Tanh) {
  forEachCase("tanh", 3, [](const Case &test) {
    checkTable(test, tanhTable(test.input("x").type(), test.expected.type()));
  });
}

TEST(Golden, Hardsigmoid) {
  forEachCase("hardsigmoid", 3, [](const Case &test) {
    checkTable(test,
               hardsigmoidTable(test.input("x").type(), test.expected.type()));
  });
}

TEST(Golden, Hardswish) {
  forEachCase("hardswish", 3, [](const Case &test) {
    checkTable(test,
               hardswishTable(test.input("x").type(), test.expected.type()));
  });
}

TEST(Golden, LeakyRelu) {
  forEachCase("leaky_relu", 3, [](const Case &test) {
    checkTable(test,
               leakyReluTable(test.input("x").type(), test.expected.type(),
                              test.number("negative_slope")));
  });
}

TEST(Golden, Elu) {
  forEachCase("elu", 3, [](const Case &test) {
    checkTable(test, eluTable(test.input("x").type(), test.expected.type(),
                              test.number("alpha")));
  });
}

} // namespace

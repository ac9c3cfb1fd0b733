// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scalar formulas of the ops with a weight against what PyTorch's engine
// computed: naive loops over the golden vectors.

#include "GoldenCase.h"

#include "qbackend/Numerics/Quantize.h"
#include "qbackend/Numerics/Requantize.h"

#include <algorithm>

using namespace qbackend::numerics;

namespace {

/// The formulas of one of the two engines.
struct Engine {
  float (*multiplier)(double, double, double);
  int32_t (*requantize)(int32_t, float, int32_t, int32_t, int32_t);
};
const Engine qnnpack = {convMultiplier, requantize};
const Engine xnnpack = {convMultiplierXnnpack, requantizeXnnpack};

/// From an accumulator without bias to the result, with the parameters of
/// output channel `c`.
struct Requantizer {
  Requantizer(const Case &test, const Engine &engine, int64_t channels)
      : engine(engine), zy(test.expected.zeroPoint()) {
    Tensor x = test.input("x"), w = test.input("w"), b = test.input("bias");
    QuantRange range = test.expected.range();
    omin = test.flag("relu") ? std::max(range.min, zy) : range.min;
    omax = range.max;
    for (int64_t c = 0; c < channels; ++c) {
      multipliers.push_back(
          engine.multiplier(x.scale(), w.scale(c), test.expected.scale()));
      biases.push_back(b.data.empty()
                           ? 0
                           : quantizeBias(static_cast<float>(b.data[c]),
                                          w.scale(c), x.scale()));
    }
    std::vector<double> expected = getNumbers(test.debug->get("bias_q"));
    for (size_t c = 0; c < expected.size(); ++c)
      EXPECT_EQ(biases[c], expected[c]) << "bias " << c;
    expected = getNumbers(test.debug->get("multiplier_f32"));
    for (size_t c = 0; c < expected.size(); ++c)
      EXPECT_EQ(multipliers[c], expected[c]) << "multiplier " << c;
  }

  double operator()(int64_t acc, int64_t c) const {
    return engine.requantize(static_cast<int32_t>(acc) + biases[c],
                             multipliers[c], zy, omin, omax);
  }

  Engine engine;
  int64_t zy, omin, omax;
  std::vector<float> multipliers;
  std::vector<int32_t> biases;
};

/// Row-major counting through `shape`; false after the last position.
bool advance(std::vector<int64_t> &position,
             const std::vector<int64_t> &shape) {
  for (size_t i = shape.size(); i-- > 0;) {
    if (++position[i] < shape[i])
      return true;
    position[i] = 0;
  }
  return false;
}

/// The element at `position` of a row-major tensor.
int64_t elementAt(const Tensor &tensor, const std::vector<int64_t> &position) {
  int64_t index = 0;
  for (size_t i = 0; i < position.size(); ++i)
    index = index * tensor.shape[i] + position[i];
  return static_cast<int64_t>(tensor.data[index]);
}

/// The input position that tap `k` of output position `p` reads on `axis`, or
/// -1 if it reads none.
using Tap = llvm::function_ref<int64_t(size_t axis, int64_t p, int64_t k)>;

/// A sum over taps and input channels for each output. The weight is
/// [out, in / groups, taps...], or, `transposed`,
/// [in, out / groups, taps...].
void checkConvolution(const Case &test, const Engine &engine, bool transposed,
                      Tap tap) {
  Tensor x = test.input("x"), w = test.input("w");
  int64_t groups = test.integers("groups")[0];
  int64_t inputs = x.shape[1] / groups;
  const std::vector<int64_t> &shape = test.expected.shape;
  int64_t outputs = shape[1] / groups;
  Requantizer requantizer(test, engine, shape[1]);
  std::vector<int64_t> taps(w.shape.begin() + 2, w.shape.end());
  std::vector<int64_t> position(shape.size());
  std::vector<double> result;
  do {
    int64_t o = position[1], group = o / outputs, acc = 0;
    std::vector<int64_t> k(taps.size());
    do {
      std::vector<int64_t> from = position, weightAt = {0, 0};
      bool inside = true;
      for (size_t axis = 0; axis < k.size(); ++axis) {
        from[2 + axis] = tap(axis, position[2 + axis], k[axis]);
        inside &= from[2 + axis] >= 0 && from[2 + axis] < x.shape[2 + axis];
        weightAt.push_back(k[axis]);
      }
      for (int64_t i = 0; inside && i < inputs; ++i) {
        from[1] = group * inputs + i;
        weightAt[0] = transposed ? from[1] : o;
        weightAt[1] = transposed ? o % outputs : i;
        acc += (elementAt(x, from) - x.zeroPoint()) *
               (elementAt(w, weightAt) - w.zeroPoint(o));
      }
    } while (advance(k, taps));
    result.push_back(requantizer(acc, o));
  } while (advance(position, shape));
  expectData(result, test);
}

void checkConvolution(const Case &test, const Engine &engine) {
  auto stride = test.integers("stride"), padding = test.integers("padding"),
       dilation = test.integers("dilation");
  checkConvolution(test, engine, /*transposed=*/false,
                   [&](size_t axis, int64_t p, int64_t k) {
                     return p * stride[axis] + k * dilation[axis] -
                            padding[axis];
                   });
}

void checkTransposed(const Case &test, const Engine &engine) {
  auto stride = test.integers("stride"), padding = test.integers("padding"),
       dilation = test.integers("dilation");
  checkConvolution(test, engine, /*transposed=*/true,
                   [&](size_t axis, int64_t p, int64_t k) -> int64_t {
                     int64_t steps = p + padding[axis] - k * dilation[axis];
                     return steps % stride[axis] == 0 ? steps / stride[axis]
                                                      : -1;
                   });
}

void checkLinear(const Case &test, const Engine &engine) {
  Tensor x = test.input("x"), w = test.input("w");
  Requantizer requantizer(test, engine, w.shape[0]);
  size_t n = w.shape[0], k = w.shape[1];
  std::vector<double> result;
  for (size_t row = 0; row < x.data.size(); row += k)
    for (size_t o = 0; o < n; ++o) {
      int64_t acc = 0;
      for (size_t i = 0; i < k; ++i)
        acc += static_cast<int64_t>(x.data[row + i] - x.zeroPoint()) *
               static_cast<int64_t>(w.data[o * k + i] - w.zeroPoint(o));
      result.push_back(requantizer(acc, o));
    }
  expectData(result, test);
}

TEST(Golden, Conv1d) {
  forEachCase("conv1d", 3, [](const Case &t) { checkConvolution(t, qnnpack); });
}

TEST(Golden, Conv2d) {
  forEachCase("conv2d", 6, [](const Case &t) { checkConvolution(t, qnnpack); });
}

TEST(Golden, Conv2dSigned) {
  forEachCase("conv2d_qint8", 4,
              [](const Case &t) { checkConvolution(t, xnnpack); });
}

TEST(Golden, Conv3d) {
  forEachCase("conv3d", 3, [](const Case &t) { checkConvolution(t, qnnpack); });
}

TEST(Golden, ConvTranspose1d) {
  forEachCase("conv_transpose1d", 3,
              [](const Case &t) { checkTransposed(t, qnnpack); });
}

TEST(Golden, ConvTranspose2d) {
  forEachCase("conv_transpose2d", 4,
              [](const Case &t) { checkTransposed(t, qnnpack); });
}

TEST(Golden, ConvTranspose2dSigned) {
  forEachCase("conv_transpose2d_qint8", 3,
              [](const Case &t) { checkTransposed(t, xnnpack); });
}

TEST(Golden, Linear) {
  forEachCase("linear", 4, [](const Case &t) { checkLinear(t, qnnpack); });
}

TEST(Golden, LinearSigned) {
  forEachCase("linear_qint8", 3,
              [](const Case &t) { checkLinear(t, xnnpack); });
}

TEST(Golden, LinearDynamic) {
  forEachCase("linear_dynamic", 4, [](const Case &test) {
    Tensor x = test.input("x"), w = test.input("w"), b = test.input("bias");
    auto [min, max] = std::minmax_element(x.data.begin(), x.data.end());
    QuantParams params =
        chooseQParams(static_cast<float>(*min), static_cast<float>(*max),
                      {0, 255}, /*symmetric=*/false);
    EXPECT_EQ(params.scale, *test.debug->getNumber("x_scale"));
    EXPECT_EQ(params.zeroPoint, *test.debug->getInteger("x_zero_point"));
    size_t n = w.shape[0], k = w.shape[1];
    std::vector<double> result;
    for (size_t row = 0; row < x.data.size(); row += k)
      for (size_t o = 0; o < n; ++o) {
        int64_t acc = 0;
        for (size_t i = 0; i < k; ++i) {
          int64_t q = quantize(static_cast<float>(x.data[row + i]),
                               static_cast<float>(params.scale),
                               params.zeroPoint, 0, 255);
          acc += (q - params.zeroPoint) *
                 static_cast<int64_t>(w.data[o * k + i] - w.zeroPoint(o));
        }
        float m =
            static_cast<float>(w.scale(o)) * static_cast<float>(params.scale);
        float y = static_cast<float>(acc) * m +
                  (b.data.empty() ? 0.0f : static_cast<float>(b.data[o]));
        result.push_back(test.flag("relu") ? std::max(y, 0.0f) : y);
      }
    expectData(result, test);
  });
}

} // namespace

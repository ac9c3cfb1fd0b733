// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batch norm of quantized values, against the engine and by hand.

#include "GoldenCase.h"

#include "qbackend/Numerics/BatchNorm.h"
#include "qbackend/Numerics/Quantize.h"

#include <cmath>
#include <limits>

using namespace qbackend::numerics;

namespace {

/// The number at `i` of the operand `name`, or `missing`.
float parameter(const Tensor &tensor, int64_t i, float missing) {
  return tensor.data.empty() ? missing : static_cast<float>(tensor.data[i]);
}

int32_t centered(const Tensor &x, int64_t i) {
  return static_cast<int32_t>(x.data[i] - static_cast<double>(x.zeroPoint()));
}

/// clamp(zy + rne(fma(affine.scale, d, affine.offset)), omin, omax)
int32_t apply(const ChannelAffine &affine, int32_t d, int32_t zy, int32_t omin,
              int32_t omax) {
  float v = std::fma(affine.scale, static_cast<float>(d), affine.offset);
  return quantize(v, 1.0f, zy, omin, omax);
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
      result.push_back(apply(affine, centered(x, i), zy, omin, y.range().max));
    }
    expectData(result, test);
  });
}

TEST(BatchNorm, BatchNormChannel) {
  // r = 1 / sqrt(3 + 1) = 0.5; scale = 0.5 * 3 * (0.5 / 0.25);
  // offset = (1 - 2 * 0.5 * 3) / 0.25.
  ChannelAffine affine = batchNormAffine(3, 1, 2, 3, 1, 0.5, 0.25);
  EXPECT_EQ(affine.scale, 3.0f);
  EXPECT_EQ(affine.offset, -8.0f);
}

TEST(BatchNorm, BatchNormScalesAreDoubles) {
  // 0.1 and 0.3 are no floats: f32(0.1 / 0.3) in double is another number than
  // f32(0.1f / 0.3f) would be after a product with 3.
  ChannelAffine affine = batchNormAffine(3, 0, 0, 1, 0, 0.1, 0.3);
  EXPECT_EQ(affine.scale, static_cast<float>(3.0 * (0.1 / 0.3)));
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nearest and bilinear upsampling, against the engine and by hand.

#include "GoldenCase.h"

#include "qbackend/Numerics/Resize.h"

using namespace qbackend::numerics;

namespace {

/// Computes each result from its position.
void checkImage(
    const Case &test,
    llvm::function_ref<int64_t(int64_t n, int64_t c, int64_t h, int64_t w)>
        function) {
  const std::vector<int64_t> &shape = test.expected.shape;
  std::vector<double> result;
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t c = 0; c < shape[1]; ++c)
      for (int64_t h = 0; h < shape[2]; ++h)
        for (int64_t w = 0; w < shape[3]; ++w)
          result.push_back(static_cast<double>(function(n, c, h, w)));
  expectData(result, test);
}

TEST(Golden, UpsampleNearest2d) {
  forEachCase("upsample_nearest2d", 3, [](const Case &test) {
    Tensor x = test.input("x");
    auto rows = nearestSources(x.height(), test.expected.height());
    auto columns = nearestSources(x.width(), test.expected.width());
    checkImage(test, [&](int64_t n, int64_t c, int64_t h, int64_t w) {
      return x.at(n, c, rows[h], columns[w]);
    });
  });
}

TEST(Golden, ChannelShuffle) {
  forEachCase("channel_shuffle", 3, [](const Case &test) {
    Tensor x = test.input("x");
    int64_t groups = test.integers("groups")[0];
    int64_t inner = x.channels() / groups;
    checkImage(test, [&](int64_t n, int64_t c, int64_t h, int64_t w) {
      return x.at(n, c % groups * inner + c / groups, h, w);
    });
  });
}

TEST(Resize, NearestRoundsTheRatioFirst) {
  EXPECT_EQ(nearestSources(2, 4), (std::vector<int32_t>{0, 0, 1, 1}));
  EXPECT_EQ(nearestSources(3, 2), (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(nearestSources(1, 3), (std::vector<int32_t>{0, 0, 0}));
  // f32(7 / 41) * 41k rounds up to the next pixel, or stays below it: exact
  // arithmetic gives another pixel for one of these.
  for (int64_t out : {11, 41, 47, 61}) {
    auto sources = nearestSources(7, out);
    float step = 7.0f / static_cast<float>(out);
    for (int64_t o = 0; o < out; ++o)
      EXPECT_EQ(sources[o], static_cast<int32_t>(static_cast<float>(o) * step));
  }
}

TEST(Resize, NearestByAFactor) {
  // 1 / 2.3 instead of 4 / 9: 7 * f32(1 / 2.3) = 3.04, 7 * 4 / 9 = 3.11;
  // 5 * 0.4348 = 2.17.
  EXPECT_EQ(nearestSources(4, 9, 2.3),
            (std::vector<int32_t>{0, 0, 0, 1, 1, 2, 2, 3, 3}));
  // A small factor would go beyond the image.
  EXPECT_EQ(nearestSources(2, 4, 1.0), (std::vector<int32_t>{0, 1, 1, 1}));
}

TEST(Resize, TapsAtTheBorder) {
  auto taps = bilinearTaps({2, 4});
  // Positions -0.25 (0), 0.25, 0.75, 1.25.
  EXPECT_EQ(taps[0].highWeight, 0.0f);
  EXPECT_EQ(taps[1].lowWeight, 0.75f);
  EXPECT_EQ(taps[2].highWeight, 0.75f);
  EXPECT_EQ(taps[3].low, 1);
  EXPECT_EQ(taps[3].high, 1);
  EXPECT_EQ(taps[3].highWeight, 0.25f);
}

TEST(Resize, AlignedCorners) {
  auto taps = bilinearTaps({3, 5, /*alignCorners=*/true});
  EXPECT_EQ(taps[1].highWeight, 0.5f);
  EXPECT_EQ(taps[4].low, 2);
  EXPECT_EQ(taps[4].highWeight, 0.0f);
  // One result: the first pixel.
  EXPECT_EQ(bilinearTaps({3, 1, true})[0].low, 0);
}

TEST(Resize, VectorChannels) {
  EXPECT_EQ(countVectorChannels(7), 0);
  EXPECT_EQ(countVectorChannels(8), 8);
  EXPECT_EQ(countVectorChannels(17), 16);
}

} // namespace

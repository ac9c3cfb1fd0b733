// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Embedding tables, against the engine and by hand.

#include "GoldenCase.h"

#include "qbackend/Numerics/Embedding.h"

#include <cmath>

using namespace qbackend::numerics;

namespace {

/// Quantizes the table, then looks the indices up in it.
void checkEmbedding(const Case &test, EmbeddingBits bits) {
  Tensor w = test.input("w_f32"), q = test.input("w_q"),
         scales = test.input("row_scales"),
         zeroPoints = test.input("row_zero_points");
  int64_t columns = w.shape[1];
  auto at = [](const Tensor &tensor, int64_t i) {
    return static_cast<float>(tensor.data[i]);
  };
  for (size_t i = 0; i < w.data.size(); ++i)
    EXPECT_EQ(quantizeEmbedding(at(w, i), at(scales, i / columns),
                                at(zeroPoints, i / columns), bits),
              q.data[i])
        << "entry " << i;
  std::vector<double> result;
  for (double index : test.input("indices").data) {
    int64_t row = static_cast<int64_t>(index);
    EmbeddingRow parameters =
        embeddingRow(at(scales, row), at(zeroPoints, row), bits);
    for (int64_t i = 0; i < columns; ++i)
      result.push_back(std::fma(parameters.scale, at(q, row * columns + i),
                                parameters.bias));
  }
  expectData(result, test);
}

TEST(Golden, Embedding8Bit) {
  forEachCase("embedding_8bit", 3, [](const Case &test) {
    checkEmbedding(test, EmbeddingBits::Eight);
  });
}

TEST(Golden, Embedding4Bit) {
  forEachCase("embedding_4bit", 3, [](const Case &test) {
    checkEmbedding(test, EmbeddingBits::Four);
  });
}

TEST(Embedding, ZeroPointIsAddedBeforeRounding) {
  EXPECT_EQ(quantizeEmbedding(1.0f, 1.0f, 0.5f, EmbeddingBits::Eight), 2);
  EXPECT_EQ(quantizeEmbedding(2.0f, 1.0f, 0.5f, EmbeddingBits::Eight), 2);
  EXPECT_EQ(quantizeEmbedding(-9.0f, 1.0f, 0.5f, EmbeddingBits::Eight), 0);
  EXPECT_EQ(quantizeEmbedding(99.0f, 1.0f, 0.5f, EmbeddingBits::Four), 15);
  EXPECT_EQ(quantizeEmbedding(999.0f, 1.0f, 0.5f, EmbeddingBits::Eight), 255);
}

TEST(Embedding, FourBitRowsAreHalfFloats) {
  // 11 bits: 1 + 2^-11 is a tie, to even; 1 + 3 * 2^-11 rounds up.
  auto scale = [](float value) {
    return embeddingRow(value, 0.0f, EmbeddingBits::Four).scale;
  };
  EXPECT_EQ(scale(0x1.002p0f), 1.0f);
  EXPECT_EQ(scale(0x1.006p0f), 0x1.008p0f);
  // Below 2^-14 the step is 2^-24; half of it is a tie.
  EXPECT_EQ(scale(0x1p-24f), 0x1p-24f);
  EXPECT_EQ(scale(0x1p-25f), 0.0f);
  EXPECT_EQ(scale(0x1.8p-24f), 0x1p-23f);
  EXPECT_EQ(scale(65504.0f), 65504.0f);
  EXPECT_TRUE(std::isinf(scale(65520.0f)));
  EXPECT_EQ(embeddingRow(0x1.002p0f, 0.0f, EmbeddingBits::Eight).scale,
            0x1.002p0f);
}

TEST(Embedding, BiasIsRoundedOnce) {
  EmbeddingRow row = embeddingRow(0.1f, 3.0f, EmbeddingBits::Eight);
  EXPECT_EQ(row.bias, -(3.0f * 0.1f));
}

} // namespace

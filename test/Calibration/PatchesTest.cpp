// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What layers read on average: against sums written out, in any order and cut,
// and as text.

#include "qbackend/Calibration/Patches.h"
#include "qbackend/Calibration/Table.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <random>

using namespace qbackend::calibration;
using llvm::SmallVector;

/// A convolution of 4 channels in 2 groups: rows of 3 x 2 x 2 numbers.
static Geometry makeConvolution() {
  Geometry geometry;
  geometry.isLinear = false;
  geometry.channels = 4;
  geometry.groups = 2;
  geometry.kernel[1] = 3;
  geometry.kernel[2] = 2;
  geometry.stride[1] = 2;
  geometry.before[1] = geometry.after[1] = 1;
  geometry.after[2] = 1;
  return geometry;
}

static std::vector<float> makeValues(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.5f, 1.0f);
  std::vector<float> values(count);
  for (float &value : values)
    value = normal(random);
  return values;
}

/// The rows that the pixels of one sample of 5 x 3 x 4 meet, written out.
static std::vector<std::vector<double>> listRows(const std::vector<float> &x,
                                                 int group) {
  std::vector<std::vector<double>> rows;
  for (int h = 0; h < 3; ++h)
    for (int w = 0; w < 3; ++w) {
      std::vector<double> &row = rows.emplace_back();
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 2; ++b)
          for (int c = 0; c < 2; ++c) {
            int y = 2 * h - 1 + a, z = w + b;
            bool isInside = y >= 0 && y < 5 && z < 3;
            row.push_back(isInside ? x[(y * 3 + z) * 4 + group * 2 + c] : 0);
          }
    }
  return rows;
}

TEST(Patches, AreThoseOfALayer) {
  PatchSums sums(makeConvolution());
  std::vector<float> x = makeValues(5 * 3 * 4, 1);
  SmallVector<int64_t> shape = {1, 5, 3, 4};
  sums.add(sums.measure(x, shape, 0));
  // 9 pixels: all have products, and a row of 12 is one block.
  EXPECT_EQ(sums.pixels, 9);
  EXPECT_EQ(sums.productPixels, 9);
  EXPECT_EQ(sums.getBlockSize(), 12);
  PatchMoments moments = sums.getMoments(/*withProducts=*/true);
  for (int group = 0; group < 2; ++group) {
    auto rows = listRows(x, group);
    ASSERT_EQ(rows.size(), 9u);
    for (int i = 0; i < 12; ++i) {
      double sum = 0;
      for (auto &row : rows)
        sum += row[i];
      int64_t at = sums.geometry.getIndex(group, i);
      EXPECT_NEAR(moments.sums[at], sum, 1e-12);
      EXPECT_EQ(moments.sums[at], moments.productSums[at]);
      for (int j = 0; j < 12; ++j) {
        double product = 0;
        for (auto &row : rows)
          product += row[i] * row[j];
        EXPECT_NEAR(moments.products[(group * 12 + i) * 12 + j], product, 1e-5);
      }
    }
  }
}

TEST(Patches, ScaledInputs) {
  // Without padding, where shifts have to be 0.
  Geometry geometry;
  geometry.channels = 3;
  const float factors[] = {2.0f, 0.5f, -1.0f}, shifts[] = {1.0f, 0.0f, 0.25f};
  PatchSums sums(geometry), scaled(geometry);
  SmallVector<int64_t> shape = {4, 3};
  for (unsigned sample = 0; sample < 8; ++sample) {
    std::vector<float> x = makeValues(12, sample), y = x;
    for (int i = 0; i < 12; ++i)
      y[i] = x[i] * factors[i % 3] - shifts[i % 3];
    sums.add(sums.measure(x, shape, sample));
    scaled.add(scaled.measure(y, shape, sample));
  }
  PatchMoments found = sums.getMoments(true),
               expected = scaled.getMoments(true);
  found.rescale(factors, shifts);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(found.sums[i], expected.sums[i], 1e-4);
    EXPECT_NEAR(found.productSums[i], expected.productSums[i], 1e-4);
    for (int j = 0; j < 3; ++j)
      EXPECT_NEAR(found.products[i * 3 + j], expected.products[i * 3 + j],
                  1e-3);
  }
}

TEST(Patches, LongRowsAreInBlocks) {
  Geometry geometry;
  geometry.channels = 1000;
  PatchSums sums(geometry);
  int64_t block = sums.getBlockSize();
  EXPECT_LE(int64_t(sums.products.size()), PatchSums::kProducts);
  EXPECT_GT(sums.countProducts(block + 1), PatchSums::kProducts);
  std::vector<float> x = makeValues(1000, 3);
  SmallVector<int64_t> shape = {1, 1000};
  sums.add(sums.measure(x, shape, 0));
  PatchMoments moments = sums.getMoments(true);
  // One pixel: what is not known, is the product of the means, and right.
  EXPECT_NEAR(moments.products[5 * 1000 + 7], x[5] * x[7], 1e-5);
  EXPECT_NEAR(moments.products[5 * 1000 + 999], x[5] * x[999], 1e-5);
  EXPECT_EQ(moments.products[5 * 1000 + 999], moments.products[999 * 1000 + 5]);
  // However wide, one product for each number is there.
  geometry.channels = 100000;
  EXPECT_EQ(PatchSums(geometry).getBlockSize(), 1);
}

TEST(Patches, NotFinite) {
  Geometry geometry;
  geometry.channels = 2;
  PatchSums sums(geometry);
  SmallVector<int64_t> shape = {1, 2};
  sums.add(
      sums.measure({std::numeric_limits<float>::quiet_NaN(), 3.0f}, shape, 0));
  sums.add(sums.measure({-HUGE_VALF, 4.0f}, shape, 1));
  PatchMoments moments = sums.getMoments(true);
  EXPECT_EQ(moments.sums[0], 0);
  EXPECT_EQ(moments.sums[1], 7);
  EXPECT_EQ(moments.products[3], 25);
}

static Table makeTable(const PatchSums &sums, int64_t first, int64_t count) {
  Table table;
  table.version = Table::mergeableVersion;
  table.isMergeable = true;
  table.samples = {{"x.npz", first, count, 30}};
  TableEntry &entry = table.entries.emplace_back();
  entry.name = "x";
  entry.stats.min = 0;
  entry.stats.max = 1;
  entry.patches.push_back(sums);
  return table;
}

TEST(Patches, TablesOfPartsAreThatOfAll) {
  SmallVector<int64_t> shape = {1, 5, 3, 4};
  auto measure = [&](int64_t first, int64_t end) {
    PatchSums sums(makeConvolution());
    // The last sample first: threads have no order.
    for (int64_t sample = end; sample-- > first;)
      sums.add(sums.measure(makeValues(60, sample), shape, sample));
    return makeTable(sums, first, end - first);
  };
  std::string one = printTable(measure(0, 30));
  for (int64_t cut : {1, 7, 29}) {
    std::vector<NamedTable> parts = {{"b", measure(cut, 30)},
                                     {"a", measure(0, cut)}};
    auto merged = mergeTables(parts);
    ASSERT_TRUE(bool(merged)) << llvm::toString(merged.takeError());
    // All samples are there.
    merged->samples[0].total = 30;
    EXPECT_EQ(printTable(*merged), one);
    auto read = parseTable(one, "table");
    ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
    EXPECT_EQ(printTable(*read), one);
  }
}

static std::string getError(const std::string &text) {
  auto read = parseTable(text, "t");
  return read ? "" : llvm::toString(read.takeError());
}

static std::string replace(std::string text, const std::string &from,
                           const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Patches, DamagedTables) {
  Geometry geometry;
  geometry.channels = 2;
  PatchSums sums(geometry);
  SmallVector<int64_t> shape = {1, 2};
  sums.add(sums.measure({1.0f, 2.0f}, shape, 0));
  std::string text = printTable(makeTable(sums, 0, 30));
  EXPECT_EQ(getError(text), "");
  EXPECT_NE(text.find("\"sums\": [0,1,0,0, 0,2,0,0]"), std::string::npos)
      << text;
  EXPECT_EQ(
      getError(replace(text, "\"geometry\": [1, 2", "\"geometry\": [1, 0")),
      "t: entry 'x': field 'patches' has no 'geometry' of 18 integers that "
      "is one of a layer");
  EXPECT_EQ(getError(replace(text, "\"sums\": [0,1,0,0, ", "\"sums\": [")),
            "t: entry 'x', 'patches': field 'sums' is not an array of 8 "
            "integers, four for "
            "each sum");
  EXPECT_EQ(
      getError(replace(text, "\"sums\": [0,1,", "\"sums\": [99999,1,")),
      "t: entry 'x', 'patches': field 'sums' has a sum that is of no doubles");
  EXPECT_EQ(
      getError(replace(text, "\"pixels\": 1", "\"pixels\": -1")),
      "t: entry 'x', 'patches': field 'pixels' is not a non-negative integer");
  EXPECT_EQ(getError(replace(text, "\"pixels\"", "\"pixel\"")),
            "t: entry 'x', 'patches': missing field 'pixels'");
  EXPECT_EQ(getError(replace(text, "\"geometry\"", "\"of\": 1, \"geometry\"")),
            "t: entry 'x', 'patches': unknown field 'of'");
  // Another layer.
  geometry.channels = 4;
  std::vector<NamedTable> parts = {
      {"a", makeTable(sums, 0, 10)},
      {"b", makeTable(PatchSums(geometry), 10, 20)}};
  auto merged = mergeTables(parts);
  ASSERT_FALSE(bool(merged));
  EXPECT_EQ(
      llvm::toString(merged.takeError()),
      "'x' has another set of layers that read it in 'b' than in 'a': the "
      "tables are of different networks");
}

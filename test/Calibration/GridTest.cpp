// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grids: against the definition of a cell, over any cut and order of the data;
// and the ranges that are chosen from them, against their formulas.

#include "qbackend/Calibration/Observer.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

using namespace qbackend;
using namespace qbackend::calibration;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float big = std::numeric_limits<float>::max();
constexpr float tiny = std::numeric_limits<float>::denorm_min();

std::vector<float> normal(int64_t size, unsigned seed, float scale = 1) {
  std::mt19937 random(seed);
  std::vector<float> result(size);
  for (float &v : result)
    for (int i = 0; i < 4; ++i)
      v += scale * (random() * 0x1p-31f - 1);
  return result;
}

/// Data of all sorts, each long enough for the vectorised loops and a tail.
std::vector<std::vector<float>> getData() {
  std::vector<std::vector<float>> all;
  all.push_back(normal(5000, 1));
  all.push_back(normal(3000, 2, 1e-30f));
  all.push_back(normal(3000, 3, 1e-43f));
  all.push_back(normal(3000, 4, 1e37f));
  all.push_back(std::vector<float>(2000, 0.0f));
  all.push_back(std::vector<float>(2000, -0.0f));
  all.push_back(std::vector<float>(2000, 5.25f));
  all.push_back(std::vector<float>(2000, -3 * tiny));
  std::vector<float> relu = normal(5000, 5, 3);
  for (float &v : relu)
    v = std::max(v, 0.0f);
  all.push_back(relu);
  std::vector<float> negative = relu;
  for (float &v : negative)
    v = -v - 1;
  all.push_back(negative);
  // Values that are subnormal before or after division by the width.
  std::vector<float> mixed = normal(4000, 6, 100);
  for (size_t i = 0; i < mixed.size(); i += 3)
    mixed[i] = (i % 2 ? tiny : -tiny) * (i + 1);
  for (size_t i = 1; i < mixed.size(); i += 7)
    mixed[i] = i % 2 ? -1e-20f : 1e-37f;
  all.push_back(mixed);
  std::vector<float> extreme = normal(1000, 7);
  extreme.insert(extreme.end(), {-big, big, 0, tiny, -tiny, inf, nan, -inf});
  all.push_back(extreme);
  std::vector<float> close(1500, 1.0f);
  close[700] = std::nextafter(1.0f, 2.0f);
  all.push_back(close);
  // Exact multiples of cells, on both sides.
  std::vector<float> edges;
  for (int i = -1024; i <= 1024; ++i)
    edges.push_back(i / 512.0f);
  all.push_back(edges);
  return all;
}

/// The definition, in long double.
int64_t getCell(float v, int exponent) {
  long double scaled =
      std::ldexp(static_cast<long double>(std::fabs(v)), -exponent);
  int64_t cell = static_cast<int64_t>(scaled);
  return v < 0 ? -1 - cell : cell;
}

struct Expected {
  int exponent = -149;
  std::map<int64_t, int64_t> counts;
  float min = inf, max = -inf;

  explicit Expected(const std::vector<float> &data) {
    for (float v : data)
      if (std::isfinite(v)) {
        min = std::min(min, v);
        max = std::max(max, v);
      }
    float largest = std::max(std::fabs(min), std::fabs(max));
    if (largest != 0) {
      int exact = 0;
      std::frexp(largest, &exact);
      exponent = std::max(-149, exact - 1 - 22);
      while (getCell(max, exponent) - getCell(min, exponent) + 1 > 4096)
        ++exponent;
    }
    for (float v : data)
      if (std::isfinite(v))
        ++counts[getCell(v, exponent)];
  }
};

void expectGrid(const Grid &grid, const Expected &expected) {
  EXPECT_EQ(grid.exponent, expected.exponent);
  ASSERT_FALSE(grid.counts.empty());
  EXPECT_EQ(grid.first, expected.counts.begin()->first);
  EXPECT_EQ(grid.first + int64_t(grid.counts.size()) - 1,
            expected.counts.rbegin()->first);
  for (size_t c = 0; c < grid.counts.size(); ++c) {
    auto it = expected.counts.find(grid.first + c);
    EXPECT_EQ(grid.counts[c], it == expected.counts.end() ? 0 : it->second);
  }
}

std::unique_ptr<Observer> create(ObserverKind kind) {
  ObserverOptions options;
  options.kind = kind;
  options.recordAll = true;
  return Observer::create(options);
}

Statistics observe(const std::vector<float> &data) {
  auto observer = create(ObserverKind::MinMax);
  observer->update(data.data(), data.size());
  return observer->statistics();
}

TEST(Grid, IsItsDefinition) {
  for (const std::vector<float> &data : getData()) {
    SCOPED_TRACE(data[0]);
    expectGrid(observe(data).grid, Expected(data));
  }
}

TEST(Grid, GrowsAsIfAllCameAtOnce) {
  std::vector<std::vector<float>> parts = getData();
  for (int trial = 0; trial < 20; ++trial) {
    std::mt19937 random(trial);
    for (size_t i = parts.size(); i > 1; --i)
      std::swap(parts[i - 1], parts[random() % i]);
    auto observer = create(ObserverKind::MinMax);
    std::vector<float> all;
    for (size_t i = 0; i < parts.size() && i < 5u; ++i) {
      observer->update(parts[i].data(), parts[i].size());
      all.insert(all.end(), parts[i].begin(), parts[i].end());
    }
    expectGrid(observer->statistics().grid, Expected(all));
  }
}

void expectSame(const Statistics &a, const Statistics &b) {
  EXPECT_EQ(a.min, b.min);
  EXPECT_EQ(a.max, b.max);
  EXPECT_EQ(a.channelMins, b.channelMins);
  EXPECT_EQ(a.channelMaxs, b.channelMaxs);
  EXPECT_EQ(a.grid.exponent, b.grid.exponent);
  EXPECT_EQ(a.grid.first, b.grid.first);
  EXPECT_EQ(a.grid.counts, b.grid.counts);
  EXPECT_EQ(a.histogram, b.histogram);
  EXPECT_EQ(a.averageMins, b.averageMins);
  EXPECT_EQ(a.elements, b.elements);
  EXPECT_EQ(a.nans, b.nans);
  EXPECT_EQ(a.infinities, b.infinities);
}

TEST(Merge, AnyCutAndOrder) {
  std::vector<float> all;
  for (const std::vector<float> &data : getData())
    all.insert(all.end(), data.begin(), data.end());
  all.resize(all.size() / 6 * 6);
  for (ObserverKind kind :
       {ObserverKind::MinMax, ObserverKind::Histogram,
        ObserverKind::MovingAverageMinMax, ObserverKind::PerChannelMinMax}) {
    ObserverOptions options;
    options.kind = kind;
    options.recordAll = true;
    options.channelAxis = -1;
    auto whole = Observer::create(options);
    whole->update(all.data(), {int64_t(all.size()) / 6, 6});
    Statistics expected = whole->statistics();
    dropBatches(expected);
    for (int trial = 0; trial < 10; ++trial) {
      std::mt19937 random(trial);
      std::vector<Statistics> shards;
      for (int64_t row = 0, rows = all.size() / 6; row < rows;) {
        int64_t count = std::min<int64_t>(rows - row, random() % 3000);
        auto observer = Observer::create(options);
        observer->update(all.data() + row * 6, {count, 6});
        shards.push_back(observer->statistics());
        row += count;
      }
      // Two at a time, whichever they are.
      while (shards.size() > 1) {
        std::swap(shards[random() % shards.size()], shards.back());
        Statistics last = shards.back();
        shards.pop_back();
        merge(shards[random() % shards.size()], last);
      }
      dropBatches(shards[0]);
      expectSame(shards[0], expected);
    }
  }
}

TEST(Merge, AveragesOfBatchesInAnyOrder) {
  std::vector<float> all = normal(60 * 12, 8);
  all[100] = nan;
  for (int64_t i = 24 * 12; i < 26 * 12; ++i)
    all[i] = inf;
  for (ObserverKind kind : {ObserverKind::MovingAverageMinMax,
                            ObserverKind::MovingAveragePerChannelMinMax}) {
    ObserverOptions options;
    options.kind = kind;
    options.channelAxis = 1;
    options.averagingConstant = 0.125f;
    auto ordered = Observer::create(options);
    options.isMergeable = true;
    std::vector<Statistics> shards;
    // Two batches begin with the same sample: of values that share it.
    for (int64_t row = 0; row < 60; row += 2) {
      std::vector<Chunk> batch = {{all.data() + row * 12, 24, row / 4 * 4}};
      ordered->updateTensors(batch, {2, 3, 4});
      if (row % 4 == 0)
        shards.emplace_back();
      auto observer = Observer::create(options);
      observer->resume(shards.back());
      observer->updateTensors(batch, {2, 3, 4});
      shards.back() = observer->statistics();
    }
    options.isMergeable = false;
    auto expected = Observer::qparams(ordered->statistics(), options);
    EXPECT_EQ(expected.size(), isPerChannel(kind) ? 3u : 1u);
    std::mt19937 random(1);
    while (shards.size() > 1) {
      std::swap(shards[random() % shards.size()], shards.back());
      Statistics last = shards.back();
      shards.pop_back();
      merge(shards[random() % shards.size()], last);
    }
    EXPECT_TRUE(std::is_sorted(shards[0].batchSamples.begin(),
                               shards[0].batchSamples.end()));
    auto found = Observer::qparams(shards[0], options);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t c = 0; c < found.size(); ++c) {
      EXPECT_EQ(found[c].scale, expected[c].scale);
      EXPECT_EQ(found[c].zeroPoint, expected[c].zeroPoint);
    }
    // Without some of the batches there is no average, but the range.
    Statistics partly = shards[0], other;
    other.min = other.max = 1;
    merge(partly, other);
    EXPECT_TRUE(partly.batchSamples.empty());
    EXPECT_TRUE(partly.batchMins.empty());
  }
}

TEST(Merge, WithoutGrid) {
  // A table written by hand has a range only: the grid would be a part of it.
  Statistics byHand;
  byHand.min = -1;
  byHand.max = 1;
  Statistics seen = observe({0.5f, 2});
  for (int order = 0; order < 2; ++order) {
    Statistics merged = order ? byHand : seen;
    merge(merged, order ? seen : byHand);
    EXPECT_EQ(merged.min, -1);
    EXPECT_EQ(merged.max, 2);
    EXPECT_TRUE(merged.grid.empty());
  }
  Statistics none;
  merge(none, seen);
  EXPECT_EQ(none.grid.counts, seen.grid.counts);
}

TEST(Observer, NamesTheFirstSampleThatIsNotFinite) {
  std::vector<float> good = normal(100, 1), bad = good;
  bad[3] = nan;
  bad[99] = -inf;
  bad[50] = inf;
  auto observer = create(ObserverKind::MinMax);
  observer->update({{good.data(), 100, 20}, {bad.data(), 100, 21}});
  observer->update({{bad.data(), 50, 22}});
  EXPECT_EQ(describeNonFinite("conv1", observer->statistics()),
            "'conv1' has 2 NaN and 2 infinite of 250 values, first in sample "
            "21");
  EXPECT_EQ(describeNonFinite("x", observe(good)), "");
  EXPECT_EQ(describeNonFinite("x", observe({nan, 1})),
            "'x' has 1 NaN of 2 values");
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

std::pair<float, float> search(const std::vector<float> &data,
                               ObserverOptions options) {
  auto observer = Observer::create(options);
  observer->update(data.data(), data.size());
  return searchGridRange(observer->statistics(), options);
}

TEST(Percentile, KeepsAtLeastWhatItSays) {
  for (double percentile : {100.0, 99.99, 99.0, 90.0, 60.0})
    for (int64_t size : {1, 10, 5000}) {
      std::vector<float> data = normal(size, 11, 2);
      ObserverOptions options;
      options.kind = ObserverKind::Percentile;
      options.percentile = percentile;
      auto [min, max] = search(data, options);
      int64_t cut = static_cast<int64_t>(size * (100 - percentile) / 200);
      std::sort(data.begin(), data.end());
      // The value that has so many below it, up to one cell.
      double cell = (data.back() - data.front()) / 2048.0;
      EXPECT_LE(min, data[cut]);
      EXPECT_GE(min, data[cut] - cell);
      EXPECT_GE(max, data[size - 1 - cut]);
      EXPECT_LE(max, data[size - 1 - cut] + cell);
      if (percentile == 100) {
        EXPECT_EQ(min, data.front());
        EXPECT_EQ(max, data.back());
      }
    }
}

/// Sum p ln(p / q) of a histogram whose first `kept` of 2048 bins of [0, max]
/// are quantized to `levels`.
double divergence(const std::vector<double> &bins, int kept, int levels) {
  double total = 0, inside = 0, result = 0;
  std::vector<double> p(bins.begin(), bins.begin() + kept), q(kept);
  for (double count : bins)
    total += count;
  for (double count : p)
    inside += count;
  std::vector<double> raw = p;
  p.back() += total - inside;
  for (int level = 0; level < levels; ++level) {
    int begin = level * kept / levels, end = (level + 1) * kept / levels;
    double mass = 0;
    int occupied = 0;
    for (int i = begin; i < end; ++i) {
      mass += raw[i];
      occupied += p[i] > 0;
    }
    for (int i = begin; i < end; ++i)
      q[i] = occupied ? mass / occupied / inside : 0;
  }
  for (int i = 0; i < kept; ++i)
    if (p[i] > 0)
      result +=
          p[i] / total * std::log(p[i] / total / std::max(q[i], 1e-4 / kept));
  return result;
}

TEST(Entropy, OneSided) {
  // Exact in the grid: cells of 2^-11 over [0, 1], two of which are a bin.
  std::mt19937 random(5);
  int narrowed = 0;
  for (int trial = 0; trial < 3; ++trial) {
    std::vector<float> data;
    std::vector<double> bins(2048);
    for (int bin = 0; bin < 2048; ++bin) {
      int count = bin == 2047 ? 1
                  : bin < 700 ? int(random() % 40) + 700 / (trial + 1) - bin / 2
                              : int(random() % 40 == 0);
      for (int i = 0; i < std::max(count, 0); ++i)
        data.push_back((bin + 0.75f) / 2048);
      bins[bin] = std::max(count, 0);
    }
    data.push_back(1);
    bins[2047] += 1;
    // Zeros are in the first bin, which counts as the next one at most.
    bins[0] = std::min(bins[0], bins[1]);
    ObserverOptions options;
    options.kind = ObserverKind::Entropy;
    auto [min, max] = search(data, options);
    double best = inf;
    int bestKept = 0;
    for (int kept = 2048; kept >= 256; kept -= 8)
      if (double d = divergence(bins, kept, 256); d < best) {
        best = d;
        bestKept = kept;
      }
    narrowed += bestKept < 2048;
    EXPECT_EQ(max, bestKept / 2048.0f) << trial;
    // The mirror image has the mirrored range.
    for (float &v : data)
      v = -v;
    EXPECT_EQ(search(data, options).first, -max);
  }
  EXPECT_GT(narrowed, 0);
}

TEST(Entropy, UniformValuesAndZerosKeepTheRange) {
  // Each integer stands for equal counts, so p = q and the divergence is 0,
  // which nothing is below (Gibbs). Zeros, as behind a relu, are exact.
  for (int zeros : {0, 8192, 81920})
    for (float sign : {1.0f, -1.0f}) {
      std::vector<float> data(zeros);
      for (int bin = 0; bin < 2048; ++bin)
        data.insert(data.end(), 4, sign * (bin + 0.75f) / 2048);
      data.push_back(sign);
      ObserverOptions options;
      options.kind = ObserverKind::Entropy;
      auto [min, max] = search(data, options);
      EXPECT_EQ(sign > 0 ? max : min, sign) << zeros;
    }
}

TEST(Entropy, ZerosDoNotMoveTheRange) {
  for (int side : {-1, 0, 1}) {
    std::vector<float> data = normal(20000, 12);
    for (float &v : data)
      v = side ? side * std::fabs(v) : v;
    data.push_back(side < 0 ? -40 : 40);
    ObserverOptions options;
    options.kind = ObserverKind::Entropy;
    auto [min, max] = search(data, options);
    // Some of the tail is kept, as are most of the values.
    float end = std::max(-min, max);
    EXPECT_GT(end, 3) << side;
    EXPECT_LT(end, 20) << side;
    for (int zeros : {20000, 200000}) {
      std::vector<float> more = data;
      more.insert(more.begin(), zeros, 0.0f);
      auto [newMin, newMax] = search(more, options);
      // The other end of values of one sign is 0, if there is one.
      EXPECT_EQ(newMin, side > 0 ? 0 : min) << side << ' ' << zeros;
      EXPECT_EQ(newMax, side < 0 ? 0 : max) << side << ' ' << zeros;
    }
  }
}

TEST(Entropy, TwoSidedIsSymmetric) {
  std::vector<float> data = normal(20000, 8);
  data.push_back(40);
  ObserverOptions options;
  options.kind = ObserverKind::Entropy;
  auto [min, max] = search(data, options);
  EXPECT_LT(max, 20);
  EXPECT_EQ(min, std::max(-max, *std::min_element(data.begin(), data.end())));
}

/// Squared error of quantizing `data` to 256 equal steps of [min, max].
double getError(const std::vector<float> &data, double min, double max) {
  double width = (max - min) / 256, sum = 0;
  for (float v : data) {
    double step = std::clamp(std::floor((v - min) / width), 0.0, 255.0);
    double error = v - (min + (step + 0.5) * width);
    sum += error * error;
  }
  return sum;
}

TEST(MSE, IsBetterThanItsNeighbours) {
  for (int trial = 0; trial < 4; ++trial) {
    std::vector<float> data = normal(20000, 20 + trial);
    for (float &v : data) {
      v = v * v * v;
      if (trial == 1)
        v = std::max(v, 0.0f);
      if (trial == 2)
        v = -std::fabs(v);
    }
    data.push_back(trial == 2 ? -60 : 60);
    auto [low, high] = std::minmax_element(data.begin(), data.end());
    double lo = std::min(*low, 0.0f), hi = std::max(*high, 0.0f);
    ObserverOptions options;
    options.kind = ObserverKind::MSE;
    auto [min, max] = search(data, options);
    double error = getError(data, std::min(min, 0.0f), std::max(max, 0.0f));
    // 2% for bins that are spread evenly.
    for (int i = 1; i <= 128; ++i)
      EXPECT_LT(error, 1.02 * getError(data, lo * i / 128, hi * i / 128))
          << trial << ' ' << i;
  }
}

TEST(MSE, SymmetricEndsAreOpposite) {
  std::vector<float> data = normal(20000, 30);
  data.push_back(-50);
  ObserverOptions options;
  options.kind = ObserverKind::MSE;
  options.isSigned = true;
  options.scheme = numerics::QScheme::PerTensorSymmetric;
  auto observer = Observer::create(options);
  observer->update(data.data(), data.size());
  auto [min, max] = searchGridRange(observer->statistics(), options);
  EXPECT_GT(min, -50);
  EXPECT_LE(max, 4);
  // The two ends are the same step from 0, of 50 / 128.
  EXPECT_EQ(min * 128 / 50, std::round(min * 128 / 50));
}

TEST(GridRanges, DegenerateData) {
  for (const std::vector<float> &data : getData())
    for (ObserverKind kind :
         {ObserverKind::Percentile, ObserverKind::Entropy, ObserverKind::MSE})
      for (auto scheme : {numerics::QScheme::PerTensorAffine,
                          numerics::QScheme::PerTensorSymmetric})
        for (unsigned bits : {2u, 4u, 8u, 16u, 32u}) {
          ObserverOptions options;
          options.kind = kind;
          options.bits = bits;
          options.scheme = scheme;
          auto observer = Observer::create(options);
          observer->update(data.data(), data.size());
          const Statistics &stats = observer->statistics();
          auto [min, max] = searchGridRange(stats, options);
          EXPECT_LE(min, max);
          EXPECT_GE(min, stats.min);
          EXPECT_LE(max, stats.max);
          auto params = Observer::qparams(stats, options);
          ASSERT_EQ(params.size(), 1u);
          EXPECT_GT(params[0].scale, 0);
        }
}

TEST(GridRanges, HistogramFromGrid) {
  // The order of batches is forgotten by a merge; the range found is close.
  auto observer = create(ObserverKind::Histogram);
  for (unsigned batch = 0; batch < 4; ++batch) {
    std::vector<float> data = normal(20000, 40 + batch, 1 + 0.1f * batch);
    for (float &v : data)
      v = v * v * v;
    observer->update(data.data(), data.size());
  }
  Statistics stats = observer->statistics();
  ObserverOptions options = observer->getOptions();
  double exact = Observer::qparams(stats, options)[0].scale;
  dropBatches(stats);
  ASSERT_TRUE(stats.histogram.empty());
  double close = Observer::qparams(stats, options)[0].scale;
  EXPECT_NEAR(close, exact, 0.02 * exact);
}

} // namespace

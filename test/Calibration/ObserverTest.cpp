// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observers: batches, chunks, values that are not finite, and the histogram
// against a direct implementation of PyTorch's formulas.

#include "qbackend/Calibration/Observer.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace qbackend;
using namespace qbackend::calibration;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

std::unique_ptr<Observer> create(ObserverKind kind, int64_t axis = 0) {
  ObserverOptions options;
  options.kind = kind;
  options.channelAxis = axis;
  options.averagingConstant = 0.25f;
  return Observer::create(options);
}

void update(Observer &observer, const std::vector<float> &batch) {
  observer.update(batch.data(), batch.size());
}

std::vector<float> normal(int64_t size, unsigned seed, float scale = 1) {
  std::mt19937 random(seed);
  std::vector<float> result(size);
  for (float &v : result) {
    // A sum of uniform values; the standard's distributions may differ.
    v = 0;
    for (int i = 0; i < 4; ++i)
      v += scale * (random() * 0x1p-31f - 1);
  }
  return result;
}

const ObserverKind statisticsKinds[] = {
    ObserverKind::MinMax,           ObserverKind::MovingAverageMinMax,
    ObserverKind::PerChannelMinMax, ObserverKind::MovingAveragePerChannelMinMax,
    ObserverKind::Histogram,        ObserverKind::Percentile,
    ObserverKind::Entropy,          ObserverKind::MSE};

void expectSame(const Statistics &a, const Statistics &b) {
  EXPECT_EQ(a.min, b.min);
  EXPECT_EQ(a.max, b.max);
  EXPECT_EQ(a.channelMins, b.channelMins);
  EXPECT_EQ(a.channelMaxs, b.channelMaxs);
  EXPECT_EQ(a.histogram, b.histogram);
  EXPECT_EQ(a.batches, b.batches);
  EXPECT_EQ(a.elements, b.elements);
  EXPECT_EQ(a.nans, b.nans);
  EXPECT_EQ(a.infinities, b.infinities);
  EXPECT_EQ(a.averageMins, b.averageMins);
  EXPECT_EQ(a.averageMaxs, b.averageMaxs);
  EXPECT_EQ(a.grid.exponent, b.grid.exponent);
  EXPECT_EQ(a.grid.first, b.grid.first);
  EXPECT_EQ(a.grid.counts, b.grid.counts);
}

TEST(Observer, Names) {
  for (int i = 0; i <= static_cast<int>(ObserverKind::MSE); ++i) {
    ObserverKind kind = static_cast<ObserverKind>(i);
    EXPECT_FALSE(stringifyObserverKind(kind).empty());
    EXPECT_EQ(symbolizeObserverKind(stringifyObserverKind(kind)), kind);
  }
  EXPECT_FALSE(symbolizeObserverKind("minmax"));
}

TEST(Observer, MinMaxOverBatches) {
  auto observer = create(ObserverKind::MinMax);
  update(*observer, {1, 2, 3});
  update(*observer, {-4, 0.5f});
  update(*observer, {2});
  const Statistics &stats = observer->statistics();
  EXPECT_EQ(stats.min, -4);
  EXPECT_EQ(stats.max, 3);
  EXPECT_EQ(stats.batches, 3);
  EXPECT_EQ(stats.elements, 6);
  auto params = Observer::qparams(stats, observer->getOptions());
  ASSERT_EQ(params.size(), 1u);
  EXPECT_EQ(params[0].scale, 7.0f / 255);
  EXPECT_EQ(params[0].zeroPoint, 146); // rne(4 / (7 / 255)) = rne(145.71)
  observer->reset();
  EXPECT_TRUE(observer->statistics().empty());
}

TEST(Observer, MovingAverageOverBatches) {
  auto observer = create(ObserverKind::MovingAverageMinMax);
  update(*observer, {-1, 2});
  update(*observer, {-3, 1});
  update(*observer, {0.5f, 9});
  // -1, then -1 + (-3 + 1) / 4, then -1.5 + (0.5 + 1.5) / 4; and the same
  // for 2, 2 - 1 / 4, 1.75 + 7.25 / 4.
  const Statistics &stats = observer->statistics();
  EXPECT_EQ(stats.averageMins, std::vector<float>{-1.0f});
  EXPECT_EQ(stats.averageMaxs, std::vector<float>{3.5625f});
  // What was seen is kept beside it.
  EXPECT_EQ(stats.min, -3);
  EXPECT_EQ(stats.max, 9);
}

TEST(Observer, MovingAverageRoundings) {
  ObserverOptions options;
  options.kind = ObserverKind::MovingAverageMinMax;
  auto observer = Observer::create(options);
  update(*observer, {-0.73645407f});
  update(*observer, {-0.162909955f});
  // m + 0.01 * (x - m) in f32, not (1 - 0.01) * m + 0.01 * x.
  EXPECT_EQ(observer->statistics().averageMins[0], -0.730718613f);
}

TEST(Observer, PerChannelAxes) {
  // Shape 2 x 3 x 2: value 10 * n + c + k / 2.
  std::vector<float> data;
  for (int n = 0; n < 2; ++n)
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < 2; ++k)
        data.push_back(10 * n + c + 0.5f * k);
  for (int64_t axis : {1, -2}) {
    auto observer = create(ObserverKind::PerChannelMinMax, axis);
    observer->update(data.data(), {2, 3, 2});
    const Statistics &stats = observer->statistics();
    EXPECT_EQ(stats.channelMins, (std::vector<float>{0, 1, 2}));
    EXPECT_EQ(stats.channelMaxs, (std::vector<float>{10.5f, 11.5f, 12.5f}));
    EXPECT_EQ(Observer::qparams(stats, observer->getOptions()).size(), 3u);
  }
  auto observer = create(ObserverKind::PerChannelMinMax, 2);
  observer->update(data.data(), {2, 3, 2});
  EXPECT_EQ(observer->statistics().channelMaxs,
            (std::vector<float>{12, 12.5f}));
}

TEST(Observer, MovingAverageOfChannels) {
  auto observer = create(ObserverKind::MovingAveragePerChannelMinMax);
  observer->update(std::vector<float>{0, 8, 2, 4}.data(), {2, 2});
  observer->update(std::vector<float>{4, 4, -2, 8}.data(), {2, 2});
  const Statistics &stats = observer->statistics();
  EXPECT_EQ(stats.averageMins, (std::vector<float>{1, 1}));
  EXPECT_EQ(stats.averageMaxs, (std::vector<float>{7, 5}));
  EXPECT_EQ(stats.channelMins, (std::vector<float>{0, -2}));
  EXPECT_EQ(stats.min, -2);
  EXPECT_EQ(stats.max, 8);
  auto params = Observer::qparams(stats, observer->getOptions());
  ASSERT_EQ(params.size(), 2u);
  EXPECT_EQ(params[0].scale, 7.0f / 255);
}

TEST(Observer, ChannelWithoutValues) {
  auto observer = create(ObserverKind::PerChannelMinMax);
  observer->update(std::vector<float>{nan, nan, 1, 2}.data(), {2, 2});
  const Statistics &stats = observer->statistics();
  EXPECT_EQ(stats.channelMins, (std::vector<float>{inf, 1}));
  EXPECT_EQ(stats.channelMaxs, (std::vector<float>{-inf, 2}));
  auto params = Observer::qparams(stats, observer->getOptions());
  EXPECT_EQ(params[0].scale, 1.0);
  EXPECT_EQ(params[1].scale, 2.0f / 255);
}

TEST(Observer, ChunksAreOneBatch) {
  std::vector<float> data = normal(6000, 1);
  data[17] = nan;
  data[4321] = -inf;
  std::vector<float> first = normal(500, 2, 0.5f);
  for (ObserverKind kind : statisticsKinds) {
    if (isPerChannel(kind))
      continue;
    auto whole = create(kind), cut = create(kind);
    update(*whole, first);
    update(*whole, data);
    cut->update({{first.data(), 1}, {first.data() + 1, 499}});
    cut->update({{data.data(), 0},
                 {data.data(), 1500},
                 {data.data() + 1500, 3},
                 {data.data() + 1503, 4497}});
    expectSame(whole->statistics(), cut->statistics());
    EXPECT_EQ(whole->statistics().batches, 2);
    EXPECT_EQ(whole->statistics().elements, 6498);
    EXPECT_EQ(whole->statistics().nonFinite(), 2);
  }
  for (ObserverKind kind : statisticsKinds) {
    // Axis 1 of 4 x 5 x 300, as one tensor or as two of 2 x 5 x 300.
    auto whole = create(kind, 1), cut = create(kind, 1);
    whole->update(data.data(), {4, 5, 300});
    cut->update({data.data(), data.data() + 3000}, {2, 5, 300});
    expectSame(whole->statistics(), cut->statistics());
  }
}

TEST(Observer, CountsValuesThatAreNotFinite) {
  // Long enough for the vectorised loops, and a tail.
  std::vector<float> data = normal(5000, 3);
  for (int64_t at : {0, 1, 1023, 1024, 2500, 4096, 4990, 4999})
    data[at] = at % 3 ? (at % 2 ? -inf : inf) : nan;
  std::vector<float> finite;
  std::copy_if(data.begin(), data.end(), std::back_inserter(finite),
               [](float v) { return std::isfinite(v); });
  for (ObserverKind kind : statisticsKinds) {
    auto observer = create(kind);
    observer->update(data.data(), {1, 5000});
    const Statistics &stats = observer->statistics();
    EXPECT_EQ(stats.nonFinite(), 8);
    EXPECT_EQ(stats.elements, 4992);
    EXPECT_EQ(stats.min, *std::min_element(finite.begin(), finite.end()));
    EXPECT_EQ(stats.max, *std::max_element(finite.begin(), finite.end()));
    auto clean = create(kind);
    clean->update(finite.data(), {1, 4992});
    EXPECT_EQ(clean->statistics().histogram, stats.histogram);
    // Nothing but NaN: no batch.
    update(*observer, {nan, nan});
    EXPECT_EQ(stats.nonFinite(), 10);
    EXPECT_EQ(stats.batches, 1);
  }
}

TEST(Observer, EmptyTensors) {
  for (ObserverKind kind : statisticsKinds) {
    auto observer = create(kind);
    observer->update(nullptr, 0);
    observer->update({});
    observer->update(nullptr, {0, 3});
    observer->update(nullptr, {3, 0});
    EXPECT_TRUE(observer->statistics().empty());
    EXPECT_EQ(observer->statistics().batches, 0);
    auto params =
        Observer::qparams(observer->statistics(), observer->getOptions());
    ASSERT_EQ(params.size(), 1u);
    EXPECT_EQ(params[0].scale, 1.0);
    EXPECT_EQ(params[0].zeroPoint, 0);
    // A tensor of rank 0 is one value.
    float value = 3;
    observer->update(&value, std::vector<int64_t>());
    EXPECT_EQ(observer->statistics().elements, 1);
    EXPECT_EQ(observer->statistics().max, 3);
  }
}

TEST(Observer, KindsWithoutStatistics) {
  ObserverOptions options;
  options.kind = ObserverKind::FixedQParams;
  options.fixedParams = {1.0 / 256, 5};
  auto observer = Observer::create(options);
  update(*observer, {1, 2});
  EXPECT_TRUE(observer->statistics().empty());
  auto params = Observer::qparams(observer->statistics(), options);
  ASSERT_EQ(params.size(), 1u);
  EXPECT_EQ(params[0].scale, 1.0 / 256);
  EXPECT_EQ(params[0].zeroPoint, 5);
  for (ObserverKind kind : {ObserverKind::Placeholder, ObserverKind::Noop,
                            ObserverKind::ReuseInput}) {
    options.kind = kind;
    EXPECT_TRUE(Observer::qparams(Statistics(), options).empty());
  }
}

TEST(Observer, SignOfZero) {
  for (std::vector<float> data :
       {std::vector<float>{-0.0f, 0.0f}, std::vector<float>{0.0f, -0.0f}}) {
    auto observer = create(ObserverKind::MinMax);
    update(*observer, data);
    EXPECT_FALSE(std::signbit(observer->statistics().min));
    EXPECT_FALSE(std::signbit(observer->statistics().max));
  }
}

//===----------------------------------------------------------------------===//
// Histogram
//===----------------------------------------------------------------------===//

/// The formulas of PyTorch's HistogramObserver, one at a time.
struct Reference {
  std::vector<float> histc(const std::vector<float> &x, float lo, float hi) {
    if (lo == hi) {
      lo -= 1;
      hi += 1;
    }
    std::vector<float> result(bins);
    for (float v : x) {
      int64_t bin = static_cast<int64_t>((v - lo) * bins / (hi - lo));
      ++result[std::min<int64_t>(bin, bins - 1)];
    }
    return result;
  }

  static float linspace(float a, float b, int64_t n, int64_t i) {
    float step = (b - a) / (n - 1);
    return i < n / 2 ? a + step * i : b - step * (n - 1 - i);
  }

  void update(const std::vector<float> &x) {
    float newMin = std::min(min, *std::min_element(x.begin(), x.end()));
    float newMax = std::max(max, *std::max_element(x.begin(), x.end()));
    std::vector<float> counts = histc(x, newMin, newMax);
    if (!histogram.empty()) {
      std::vector<float> old(bins), bounds;
      for (int64_t b = 0; b <= bins; ++b)
        bounds.push_back(linspace(newMin, newMax, bins + 1, b));
      if (newMin == min && newMax == max) {
        old = histogram;
      } else if (min == max) {
        old = histc({min}, newMin, newMax);
        float sum = 0;
        for (float count : histogram)
          sum += count;
        for (float &count : old)
          count *= sum;
      } else {
        for (int64_t k = 0; k < bins * 16; ++k) {
          float middle = linspace(min, max, bins * 16 + 1, k) +
                         0.5f * ((max - min) / (bins * 16));
          int64_t bin = std::upper_bound(bounds.begin(), bounds.end(), middle) -
                        bounds.begin() - 1;
          old[std::clamp<int64_t>(bin, 0, bins - 1)] += histogram[k / 16] / 16;
        }
      }
      for (int64_t b = 0; b < bins; ++b)
        counts[b] += old[b];
    }
    histogram = counts;
    min = newMin;
    max = newMax;
  }

  double error(int64_t first, int64_t last) {
    double bw = (double(max) - min) / bins,
           width = bw * (last - first + 1) / 256;
    if (width == 0)
      return 0;
    auto norm = [](double density, double u, double v) {
      return density * ((v * v * v - u * u * u) / 3);
    };
    double sum = 0;
    for (int64_t i = 0; i < bins; ++i) {
      double s = (i - first) * bw, t = s + bw, density = histogram[i] / bw;
      double p = std::clamp(std::floor(s / width), 0.0, 255.0);
      double q = std::clamp(std::floor(t / width), 0.0, 255.0);
      sum += norm(density, s - (p + 0.5) * width, width / 2) +
             (q - p - 1) * norm(density, -width / 2, width / 2) +
             norm(density, -width / 2, t - (q * width + width / 2));
    }
    return sum;
  }

  std::pair<float, float> search() {
    std::vector<float> sums;
    double total = 0;
    for (float count : histogram)
      sums.push_back(static_cast<float>(total += count));
    total = 0;
    for (float count : histogram)
      total += count;
    double alpha = 0, beta = 1, best = HUGE_VAL;
    int64_t a = 0, b = bins - 1;
    while (alpha < beta) {
      double nextAlpha = alpha + 1e-5, nextBeta = beta - 1e-5;
      int64_t l = a, r = b;
      while (l < b && sums[l] < static_cast<float>(nextAlpha * total))
        ++l;
      while (r > a && sums[r] > static_cast<float>(nextBeta * total))
        --r;
      int64_t newA = a, newB = b;
      if (l - a > b - r) {
        newA = l;
        alpha = nextAlpha;
      } else {
        newB = r;
        beta = nextBeta;
      }
      if (newA == a && newB == b)
        continue;
      double e = error(newA, newB);
      if (e > best)
        break;
      best = e;
      a = newA;
      b = newB;
      ++moves;
    }
    float bw = (max - min) / bins;
    return {min + bw * a, min + bw * (b + 1)};
  }

  int64_t bins = 2048;
  float min = inf, max = -inf;
  std::vector<float> histogram;
  int moves = 0;
};

TEST(Histogram, MatchesReference) {
  int moves = 0;
  for (unsigned trial = 0; trial < 24; ++trial) {
    ObserverOptions options;
    options.kind = ObserverKind::Histogram;
    Reference reference;
    if (trial % 6 == 5)
      options.bins = reference.bins = 100;
    auto observer = Observer::create(options);
    for (unsigned batch = 0; batch <= trial % 4; ++batch) {
      std::vector<float> data =
          normal(20000, 100 * trial + batch, 1 + 0.1f * batch);
      if (trial % 3 == 1) // After a relu.
        for (float &v : data)
          v = std::max(v, 0.0f);
      if (trial % 3 == 2) // Long tails.
        for (float &v : data)
          v = v * v * v * v * v;
      update(*observer, data);
      reference.update(data);
    }
    const Statistics &stats = observer->statistics();
    EXPECT_EQ(stats.min, reference.min);
    EXPECT_EQ(stats.max, reference.max);
    EXPECT_EQ(stats.histogram, reference.histogram) << trial;
    EXPECT_EQ(searchHistogramRange(stats, 8), reference.search()) << trial;
    moves += reference.moves;
  }
  // The search did something.
  EXPECT_GT(moves, 48);
}

TEST(Histogram, SearchOfGeometricTails) {
  for (double decay : {0.5, 0.9, 0.97, 0.99, 0.995}) {
    Statistics stats;
    Reference reference;
    for (int64_t i = 0; i < reference.bins; ++i)
      stats.histogram.push_back(static_cast<float>(
          std::floor(1e6 * std::pow(decay, std::abs(i - 700)))));
    reference.histogram = stats.histogram;
    stats.min = reference.min = -3.7f;
    stats.max = reference.max = 9.1f;
    EXPECT_EQ(searchHistogramRange(stats, 8), reference.search()) << decay;
    EXPECT_GT(reference.moves, 1) << decay;
  }
}

TEST(Histogram, ConstantThenGrowing) {
  Reference reference;
  auto observer = create(ObserverKind::Histogram);
  for (std::vector<float> batch :
       {std::vector<float>{2, 2, 2}, {2, 2}, {-1, 3}, {-5}, {0, 0, 1, 1}}) {
    update(*observer, batch);
    reference.update(batch);
    EXPECT_EQ(observer->statistics().histogram, reference.histogram);
  }
  float sum = 0;
  for (float count : observer->statistics().histogram)
    sum += count;
  EXPECT_EQ(sum, 12);
}

TEST(Histogram, Zeros) {
  auto observer = create(ObserverKind::Histogram);
  update(*observer, std::vector<float>(5000));
  const Statistics &stats = observer->statistics();
  EXPECT_EQ(stats.histogram[1024], 5000);
  auto params = Observer::qparams(stats, observer->getOptions());
  EXPECT_EQ(params[0].scale, 0x1p-23);
  EXPECT_EQ(params[0].zeroPoint, 0);
}

TEST(Histogram, ExtremeRanges) {
  const float big = std::numeric_limits<float>::max();
  const float tiny = std::numeric_limits<float>::denorm_min();
  for (std::vector<float> data : {std::vector<float>{-big, big, 0, 1},
                                  {0, tiny, 3 * tiny},
                                  {-1e-30f, 1e-30f, 0},
                                  {1, std::nextafter(1.0f, 2.0f)},
                                  {big, std::nextafter(big, 0.0f)},
                                  {big, big}}) {
    data.resize(2000, data[0]);
    auto observer = create(ObserverKind::Histogram);
    update(*observer, data);
    update(*observer, {data[0], 0.5f * data[1]});
    const Statistics &stats = observer->statistics();
    double sum = 0;
    for (float count : stats.histogram)
      sum += count;
    EXPECT_NEAR(sum, 2002, 0.01);
    auto [min, max] = searchHistogramRange(stats, 8);
    EXPECT_FALSE(std::isnan(min) || std::isnan(max)) << data[0];
    EXPECT_LE(min, max);
  }
  // Growing to a span that overflows f32.
  auto observer = create(ObserverKind::Histogram);
  update(*observer, {1, 2});
  update(*observer, {-big, big});
  auto [min, max] = searchHistogramRange(observer->statistics(), 8);
  EXPECT_EQ(min, -big);
  EXPECT_EQ(max, big);
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observers and their qparams.

#include "qbackend/Calibration/Observer.h"

#include "Histogram.h"
#include "Vectorize.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace qbackend::calibration {

int64_t addCounts(int64_t a, int64_t b) {
  int64_t sum;
  return llvm::AddOverflow(a, b, sum) ? std::numeric_limits<int64_t>::max()
                                      : sum;
}

numerics::QuantRange ObserverOptions::range() const {
  return numerics::quantizedRange(isSigned, bits, customRange, reduceRange);
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

namespace {
/// The range of finite values, and how many there are of the others.
class Range {
public:
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();
  int64_t nans = 0;
  int64_t infinities = 0;

  bool isEmpty() const { return !(min <= max); }

  void add(float v) {
    if (!std::isfinite(v)) {
      ++(std::isnan(v) ? nans : infinities);
      return;
    }
    min = v < min ? v : min;
    max = v > max ? v : max;
  }

  void add(const Range &other) {
    min = std::min(min, other.min);
    max = std::max(max, other.max);
    nans += other.nans;
    infinities += other.infinities;
  }

  void add(const float *x, int64_t size) {
    constexpr int64_t step = sizeof(Vector) / sizeof(float), block = 1024;
    while (size >= step) {
      int64_t count = std::min(block, size - size % step);
      if (!addFinite(x, count))
        for (int64_t j = 0; j < count; ++j)
          add(x[j]);
      x += count;
      size -= count;
    }
    for (int64_t i = 0; i < size; ++i)
      add(x[i]);
  }

private:
  /// Spelled out, as compilers turn plain loops with three results into
  /// shuffles. All that a block adds to has as many vectors as registers hold.
  using Vector = float __attribute__((vector_size(64)));

  /// Adds `size` values, a multiple of a vector, if all are finite; else
  /// returns false.
  bool addFinite(const float *x, int64_t size) {
    constexpr int64_t lanes = sizeof(Vector) / sizeof(float);
    float mins[lanes], maxs[lanes];
    if (!findRange(x, size, mins, maxs))
      return false;
    for (int64_t i = 0; i < lanes; ++i) {
      min = std::min(min, mins[i]);
      max = std::max(max, maxs[i]);
    }
    return true;
  }

  QBACKEND_VECTORIZE
  static bool findRange(const float *x, int64_t size, float *mins,
                        float *maxs) {
    constexpr int64_t lanes = sizeof(Vector) / sizeof(float);
    Vector least, most, bad;
    std::memcpy(&least, x, sizeof(least));
    most = least;
    // v - v is 0, but NaN where v is not finite, and stays that in a sum.
    bad = least - least;
    for (int64_t i = lanes; i < size; i += lanes) {
      Vector v;
      std::memcpy(&v, x + i, sizeof(v));
      bad += v - v;
      least = v < least ? v : least;
      most = v > most ? v : most;
    }
    std::memcpy(mins, &least, sizeof(least));
    std::memcpy(maxs, &most, sizeof(most));
    for (int64_t i = 0; i < lanes; ++i)
      if (bad[i] != 0)
        return false;
    return true;
  }
};

/// Adds rows to the ranges of their columns, up to the first one that is not
/// finite; returns how many.
QBACKEND_VECTORIZE
int64_t addFiniteRows(const float *x, int64_t rows, int64_t columns,
                      float *mins, float *maxs) {
  for (int64_t r = 0; r < rows; ++r, x += columns) {
    uint32_t bad = 0;
    for (int64_t c = 0; c < columns; ++c)
      bad |= (toBits(x[c]) & exponentBits) == exponentBits;
    if (bad)
      return r;
    for (int64_t c = 0; c < columns; ++c) {
      float v = x[c];
      mins[c] = v < mins[c] ? v : mins[c];
      maxs[c] = v > maxs[c] ? v : maxs[c];
    }
  }
  return rows;
}

/// Adds rows of one value for each channel to the channels' ranges.
void addRows(const float *x, int64_t size, std::vector<Range> &ranges) {
  const int64_t channels = ranges.size();
  // Several rows are one of enough columns to fill vectors.
  const int64_t columns = channels * std::max<int64_t>(1, 512 / channels);
  std::vector<float> mins(columns, Range().min), maxs(columns, Range().max);
  int64_t i = 0;
  while (i + columns <= size) {
    i += columns * addFiniteRows(x + i, (size - i) / columns, columns,
                                 mins.data(), maxs.data());
    if (i + columns > size)
      break;
    for (int64_t c = 0; c < columns; ++c)
      ranges[c % channels].add(x[i + c]);
    i += columns;
  }
  for (; i < size; ++i)
    ranges[i % channels].add(x[i]);
  for (int64_t c = 0; c < columns; ++c) {
    Range &range = ranges[c % channels];
    range.min = std::min(range.min, mins[c]);
    range.max = std::max(range.max, maxs[c]);
  }
}

/// Moves the averages towards the ranges of a batch.
void moveAverages(std::vector<float> &mins, std::vector<float> &maxs,
                  const std::vector<Range> &ranges, float constant) {
  mins.resize(ranges.size(), Range().min);
  maxs.resize(ranges.size(), Range().max);
  for (size_t c = 0; c < ranges.size(); ++c) {
    const Range &range = ranges[c];
    float &min = mins[c], &max = maxs[c];
    if (range.isEmpty())
      continue;
    if (!(min <= max)) {
      min = range.min;
      max = range.max;
      continue;
    }
    min = min + constant * (range.min - min);
    max = max + constant * (range.max - max);
  }
}

//===----------------------------------------------------------------------===//
// Observers
//===----------------------------------------------------------------------===//

/// Observes nothing.
class NullObserver : public Observer {
public:
  explicit NullObserver(const ObserverOptions &o) : Observer(o) {}

private:
  void updateBatch(const std::vector<Chunk> &, int64_t, int64_t) override {}
};

/// All observers of statistics.
class RangeObserver : public Observer {
public:
  explicit RangeObserver(const ObserverOptions &o) : Observer(o) {}

private:
  void updateBatch(const std::vector<Chunk> &chunks, int64_t channels,
                   int64_t inner) override {
    // A table keeps the channels of images, but not each element of a long
    // vector as a channel.
    constexpr int64_t maxChannels = 4096;
    bool byChannel =
        isPerChannel(options.kind) ||
        (options.recordAll && channels > 0 && channels <= maxChannels);
    // Tensors of different shapes have no channels in common.
    if (!isPerChannel(options.kind) && stats.batches > 0 &&
        int64_t(stats.channelMins.size()) != channels) {
      byChannel = false;
      stats.channelMins.clear();
      stats.channelMaxs.clear();
    }
    std::vector<Range> ranges(byChannel ? channels : 1);
    int64_t size = 0;
    for (const Chunk &chunk : chunks) {
      size += chunk.size;
      int64_t before = countNonFinite(ranges);
      if (!byChannel)
        ranges[0].add(chunk.data, chunk.size);
      else if (inner == 1)
        addRows(chunk.data, chunk.size, ranges);
      else
        for (int64_t i = 0; i + inner <= chunk.size; i += inner)
          ranges[(i / inner) % channels].add(chunk.data + i, inner);
      if (chunk.sample >= 0 && countNonFinite(ranges) != before)
        stats.firstNonFinite =
            stats.firstNonFinite < 0
                ? chunk.sample
                : std::min(stats.firstNonFinite, chunk.sample);
    }
    Range all;
    for (Range &range : ranges) {
      // -0 and 0 compare equal: which was met first must not matter.
      range.min += 0.0f;
      range.max += 0.0f;
      all.add(range);
    }
    stats.nans += all.nans;
    stats.infinities += all.infinities;
    stats.elements += size - all.nans - all.infinities;
    if (all.isEmpty())
      return;
    if (byChannel) {
      stats.channelMins.resize(channels, Range().min);
      stats.channelMaxs.resize(channels, Range().max);
      for (int64_t c = 0; c < channels; ++c) {
        stats.channelMins[c] = std::min(stats.channelMins[c], ranges[c].min);
        stats.channelMaxs[c] = std::max(stats.channelMaxs[c], ranges[c].max);
      }
    }
    if (isMovingAverage(options.kind)) {
      if (!isPerChannel(options.kind))
        ranges = {all};
      if (options.isMergeable)
        addBatch(batchSample >= 0 ? batchSample : chunks.front().sample,
                 ranges);
      else
        moveAverages(stats.averageMins, stats.averageMaxs, ranges,
                     options.averagingConstant);
    }
    float min = std::min(stats.min, all.min);
    float max = std::max(stats.max, all.max);
    if (options.kind == ObserverKind::Histogram && !options.isMergeable)
      updateHistogram(chunks, min, max);
    if (options.recordAll || usesGrid(options.kind))
      stats.grid.add(chunks, min, max);
    stats.min = min;
    stats.max = max;
    ++stats.batches;
  }

  static int64_t countNonFinite(const std::vector<Range> &ranges) {
    int64_t count = 0;
    for (const Range &range : ranges)
      count += range.nans + range.infinities;
    return count;
  }

  void addBatch(int64_t sample, const std::vector<Range> &ranges) {
    stats.batchSamples.push_back(sample);
    for (const Range &range : ranges) {
      stats.batchMins.push_back(range.min);
      stats.batchMaxs.push_back(range.max);
    }
  }

  void updateHistogram(const std::vector<Chunk> &chunks, float min, float max) {
    std::vector<float> counts = countHistogram(chunks, options.bins, min, max);
    if (!stats.histogram.empty()) {
      if (min != stats.min || max != stats.max)
        stats.histogram =
            rescaleHistogram(stats.histogram, stats.min, stats.max, min, max);
      for (size_t i = 0; i < counts.size(); ++i)
        counts[i] += stats.histogram[i];
    }
    stats.histogram = std::move(counts);
  }
};

} // namespace

Observer::~Observer() = default;

std::unique_ptr<Observer> Observer::create(const ObserverOptions &options) {
  if (hasStatistics(options.kind))
    return std::make_unique<RangeObserver>(options);
  return std::make_unique<NullObserver>(options);
}

void Observer::update(const float *data, int64_t size) {
  update(std::vector<Chunk>{{data, size}});
}

void Observer::update(const std::vector<Chunk> &chunks) {
  int64_t size = 0;
  for (const Chunk &chunk : chunks)
    size = std::max(size, chunk.size);
  if (size > 0)
    updateBatch(chunks, isPerChannel(options.kind) ? size : 0, 1);
}

void Observer::update(const float *data, const std::vector<int64_t> &shape) {
  update(std::vector<const float *>{data}, shape);
}

void Observer::update(const std::vector<const float *> &chunks,
                      const std::vector<int64_t> &shape) {
  int64_t size = llvm::product_of(shape);
  std::vector<Chunk> batch;
  for (const float *data : chunks)
    batch.push_back({data, size});
  updateTensors(batch, shape);
}

void Observer::updateTensors(const std::vector<Chunk> &chunks,
                             const std::vector<int64_t> &shape) {
  int64_t inner = 1, channels = 1, rank = shape.size();
  int64_t axis = options.channelAxis;
  if (axis < 0)
    axis += rank;
  for (int64_t i = 0; i < rank; ++i) {
    if (i == axis)
      channels = shape[i];
    else if (i > axis)
      inner *= shape[i];
  }
  std::vector<Chunk> batch;
  for (const Chunk &chunk : chunks)
    if (chunk.size > 0)
      batch.push_back(chunk);
  if (!batch.empty())
    updateBatch(batch, channels, inner);
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

std::string describeNonFinite(std::string_view name, const Statistics &stats) {
  if (stats.nonFinite() == 0)
    return "";
  std::string text = "'" + std::string(name) + "' has ";
  if (stats.nans)
    text += std::to_string(stats.nans) + " NaN";
  if (stats.nans && stats.infinities)
    text += " and ";
  if (stats.infinities)
    text += std::to_string(stats.infinities) + " infinite";
  text += " of " +
          std::to_string(addCounts(stats.elements, stats.nonFinite())) +
          " values";
  if (stats.firstNonFinite >= 0)
    text += ", first in sample " + std::to_string(stats.firstNonFinite);
  return text;
}

bool hasOrdered(const Statistics &stats) {
  return !stats.histogram.empty() || !stats.averageMins.empty();
}

void dropBatches(Statistics &stats) {
  stats.batches = 0;
  stats.histogram.clear();
  stats.averageMins.clear();
  stats.averageMaxs.clear();
}

/// Adds the ranges of other batches, in the order of samples.
static void mergeBatches(Statistics &stats, const Statistics &other,
                         bool wasEmpty) {
  if (stats.batchSamples.empty() && other.batchSamples.empty())
    return;
  auto add = [](std::vector<float> &to, const std::vector<float> &from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  std::vector<int64_t> &samples = stats.batchSamples;
  const size_t channels =
      other.batchSamples.empty()
          ? stats.batchMins.size() / samples.size()
          : other.batchMins.size() / other.batchSamples.size();
  // One that saw something and has no batches can't be completed.
  if ((samples.empty() && !wasEmpty) ||
      (other.batchSamples.empty() && !other.empty()) ||
      stats.batchMins.size() != channels * samples.size()) {
    samples.clear();
    stats.batchMins.clear();
    stats.batchMaxs.clear();
    return;
  }
  samples.insert(samples.end(), other.batchSamples.begin(),
                 other.batchSamples.end());
  add(stats.batchMins, other.batchMins);
  add(stats.batchMaxs, other.batchMaxs);
  std::vector<size_t> order(samples.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return samples[a] < samples[b]; });
  Statistics sorted;
  for (size_t batch : order) {
    sorted.batchSamples.push_back(samples[batch]);
    for (size_t i = batch * channels; i < (batch + 1) * channels; ++i) {
      sorted.batchMins.push_back(stats.batchMins[i]);
      sorted.batchMaxs.push_back(stats.batchMaxs[i]);
    }
  }
  samples = std::move(sorted.batchSamples);
  stats.batchMins = std::move(sorted.batchMins);
  stats.batchMaxs = std::move(sorted.batchMaxs);
}

/// Sets the averages that batches in their order give.
static void averageBatches(const Statistics &stats, float constant,
                           std::vector<float> &mins, std::vector<float> &maxs) {
  const size_t batches = stats.batchSamples.size();
  const size_t channels = batches ? stats.batchMins.size() / batches : 0;
  std::vector<Range> ranges(channels);
  for (size_t batch = 0; batch < batches; ++batch) {
    for (size_t c = 0; c < channels; ++c) {
      ranges[c].min = stats.batchMins[batch * channels + c];
      ranges[c].max = stats.batchMaxs[batch * channels + c];
    }
    moveAverages(mins, maxs, ranges, constant);
  }
}

void merge(Statistics &stats, const Statistics &other) {
  bool wasEmpty = stats.empty();
  stats.min = std::min(stats.min, other.min);
  stats.max = std::max(stats.max, other.max);
  // One that saw something and has no grid or no channels can't be completed.
  if (wasEmpty || other.empty() || stats.grid.empty() == other.grid.empty())
    stats.grid.merge(other.grid, stats.min, stats.max);
  else
    stats.grid = Grid();
  size_t channels = other.channelMins.size();
  if (wasEmpty && stats.channelMins.empty()) {
    stats.channelMins = other.channelMins;
    stats.channelMaxs = other.channelMaxs;
  } else if (stats.channelMins.size() == channels) {
    for (size_t c = 0; c < channels; ++c) {
      stats.channelMins[c] =
          std::min(stats.channelMins[c], other.channelMins[c]);
      stats.channelMaxs[c] =
          std::max(stats.channelMaxs[c], other.channelMaxs[c]);
    }
  } else if (!other.empty()) {
    stats.channelMins.clear();
    stats.channelMaxs.clear();
  }
  if (other.firstNonFinite >= 0)
    stats.firstNonFinite =
        stats.firstNonFinite < 0
            ? other.firstNonFinite
            : std::min(stats.firstNonFinite, other.firstNonFinite);
  stats.elements = addCounts(stats.elements, other.elements);
  stats.nans = addCounts(stats.nans, other.nans);
  stats.infinities = addCounts(stats.infinities, other.infinities);
  mergeBatches(stats, other, wasEmpty);
  dropBatches(stats);
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// Returns the ranges to compute parameters from: one, or one a channel. What
/// wasn't recorded for the kind is replaced by the closest that was.
static std::vector<std::pair<float, float>>
getRanges(const Statistics &stats, const ObserverOptions &options) {
  ObserverKind kind = options.kind;
  std::vector<std::pair<float, float>> ranges;
  auto addAll = [&](const std::vector<float> &mins,
                    const std::vector<float> &maxs) {
    for (size_t c = 0; c < mins.size(); ++c)
      ranges.push_back({mins[c], maxs[c]});
  };
  bool byChannel = isPerChannel(kind) && !stats.channelMins.empty();
  // PyTorch searches by the bits of what stores an integer: two of 4 bits.
  const unsigned searched = std::max(options.bits, 8u);
  size_t expected = byChannel ? stats.channelMins.size() : 1;
  std::vector<float> averageMins = stats.averageMins;
  std::vector<float> averageMaxs = stats.averageMaxs;
  if (averageMins.empty())
    averageBatches(stats, options.averagingConstant, averageMins, averageMaxs);
  if (isMovingAverage(kind) && averageMins.size() == expected)
    addAll(averageMins, averageMaxs);
  else if (byChannel)
    addAll(stats.channelMins, stats.channelMaxs);
  else if (kind == ObserverKind::Histogram && !stats.histogram.empty())
    ranges.push_back(searchHistogramRange(stats, searched));
  else if (kind == ObserverKind::Histogram && !stats.grid.empty()) {
    Statistics resampled;
    resampled.min = stats.min;
    resampled.max = stats.max;
    resampled.histogram = stats.grid.resample(options.bins, stats.min,
                                              stats.max, stats.min, stats.max);
    ranges.push_back(searchHistogramRange(resampled, searched));
  } else if (usesGrid(kind) && !stats.grid.empty())
    ranges.push_back(searchGridRange(stats, options));
  else
    ranges.push_back({stats.min, stats.max});
  return ranges;
}

std::vector<numerics::QuantParams>
Observer::qparams(const Statistics &stats, const ObserverOptions &options) {
  if (options.kind == ObserverKind::FixedQParams)
    return {options.fixedParams};
  std::vector<numerics::QuantParams> result;
  if (!hasStatistics(options.kind))
    return result;
  numerics::QuantRange range = options.range();
  int64_t middle = numerics::symmetricZeroPoint(
      options.isSigned, options.bits, range, options.customRange.has_value());
  for (auto [min, max] : getRanges(stats, options))
    result.push_back(numerics::calculateQParams(min, max, range, middle,
                                                options.scheme, options.eps));
  return result;
}

std::vector<numerics::FloatQuantParams>
Observer::floatQParams(const Statistics &stats,
                       const ObserverOptions &options) {
  std::vector<numerics::FloatQuantParams> result;
  if (!hasStatistics(options.kind))
    return result;
  for (auto [min, max] : getRanges(stats, options))
    result.push_back(numerics::calculateFloatQParams(min, max, options.range(),
                                                     options.eps));
  return result;
}

} // namespace qbackend::calibration

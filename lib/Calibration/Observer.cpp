// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observers and their parameters.

#include "qbackend/Calibration/Observer.h"

#include "Histogram.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace qbackend::calibration {

static constexpr std::pair<ObserverKind, std::string_view> kindNames[] = {
    {ObserverKind::MinMax, "min_max"},
    {ObserverKind::MovingAverageMinMax, "moving_average_min_max"},
    {ObserverKind::PerChannelMinMax, "per_channel_min_max"},
    {ObserverKind::MovingAveragePerChannelMinMax,
     "moving_average_per_channel_min_max"},
    {ObserverKind::Histogram, "histogram"},
    {ObserverKind::FixedQParams, "fixed_qparams"},
    {ObserverKind::Placeholder, "placeholder"},
    {ObserverKind::Noop, "noop"},
    {ObserverKind::Reuse, "reuse"},
};

std::string_view stringifyObserverKind(ObserverKind kind) {
  for (const auto &[candidate, name] : kindNames)
    if (candidate == kind)
      return name;
  return "";
}

std::optional<ObserverKind> symbolizeObserverKind(std::string_view name) {
  for (const auto &[kind, candidate] : kindNames)
    if (candidate == name)
      return kind;
  return std::nullopt;
}

bool isPerChannel(ObserverKind kind) {
  return kind == ObserverKind::PerChannelMinMax ||
         kind == ObserverKind::MovingAveragePerChannelMinMax;
}

bool hasStatistics(ObserverKind kind) {
  return kind == ObserverKind::MinMax ||
         kind == ObserverKind::MovingAverageMinMax ||
         kind == ObserverKind::Histogram || isPerChannel(kind);
}

numerics::QuantRange ObserverOptions::range() const {
  return numerics::quantizedRange(isSigned, bits, customRange, reduceRange);
}

namespace {

/// The range of finite values.
struct Range {
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();
  int64_t nonFinite = 0;

  void add(float v) {
    if (!std::isfinite(v)) {
      ++nonFinite;
      return;
    }
    min = v < min ? v : min;
    max = v > max ? v : max;
  }

  void add(const float *x, int64_t size) {
    constexpr int64_t lanes = 16, block = 1024;
    int64_t i = 0;
    for (; i + block <= size; i += block) {
      float mins[lanes], maxs[lanes];
      uint32_t bad[lanes] = {};
      std::copy(x + i, x + i + lanes, mins);
      std::copy(x + i, x + i + lanes, maxs);
      for (int64_t j = i; j < i + block; j += lanes)
        for (int64_t l = 0; l < lanes; ++l) {
          float v = x[j + l];
          uint32_t bits;
          std::memcpy(&bits, &v, sizeof(bits));
          bad[l] |= (bits & 0x7f800000u) == 0x7f800000u;
          mins[l] = v < mins[l] ? v : mins[l];
          maxs[l] = v > maxs[l] ? v : maxs[l];
        }
      if (std::any_of(bad, bad + lanes, [](uint32_t b) { return b != 0; })) {
        for (int64_t j = i; j < i + block; ++j)
          add(x[j]);
        continue;
      }
      min = std::min(min, *std::min_element(mins, mins + lanes));
      max = std::max(max, *std::max_element(maxs, maxs + lanes));
    }
    for (; i < size; ++i)
      add(x[i]);
  }
};

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
    int64_t size = 0, nonFinite = 0;
    std::vector<Range> ranges(isPerChannel(options.kind) ? channels : 1);
    for (const Chunk &chunk : chunks) {
      size += chunk.size;
      if (!isPerChannel(options.kind)) {
        ranges[0].add(chunk.data, chunk.size);
        continue;
      }
      for (int64_t i = 0; i + inner <= chunk.size; i += inner)
        ranges[(i / inner) % channels].add(chunk.data + i, inner);
    }
    Range all;
    for (Range &range : ranges) {
      nonFinite += range.nonFinite;
      // -0 and 0 compare equal: which was met first must not matter.
      range.min += 0.0f;
      range.max += 0.0f;
      all.min = std::min(all.min, range.min);
      all.max = std::max(all.max, range.max);
    }
    stats.nonFinite += nonFinite;
    stats.elements += size - nonFinite;
    if (!(all.min <= all.max))
      return;
    if (isPerChannel(options.kind))
      updateChannels(ranges);
    else if (options.kind == ObserverKind::Histogram)
      updateHistogram(chunks, all);
    else
      accumulate(stats.min, stats.max, all);
    ++stats.batches;
  }

  /// Merges the range of a batch into the one so far.
  void accumulate(float &min, float &max, const Range &range) {
    if (!(range.min <= range.max))
      return;
    bool isAverage =
        options.kind == ObserverKind::MovingAverageMinMax ||
        options.kind == ObserverKind::MovingAveragePerChannelMinMax;
    if (isAverage && min <= max) {
      min = min + options.averagingConstant * (range.min - min);
      max = max + options.averagingConstant * (range.max - max);
      return;
    }
    min = std::min(min, range.min);
    max = std::max(max, range.max);
  }

  /// The range of all channels is that of their ranges, averages included.
  void updateChannels(const std::vector<Range> &ranges) {
    size_t channels = ranges.size();
    stats.channelMins.resize(channels, Range().min);
    stats.channelMaxs.resize(channels, Range().max);
    for (size_t c = 0; c < channels; ++c)
      accumulate(stats.channelMins[c], stats.channelMaxs[c], ranges[c]);
    stats.min =
        *std::min_element(stats.channelMins.begin(), stats.channelMins.end());
    stats.max =
        *std::max_element(stats.channelMaxs.begin(), stats.channelMaxs.end());
  }

  void updateHistogram(const std::vector<Chunk> &chunks, const Range &range) {
    float min = std::min(stats.min, range.min);
    float max = std::max(stats.max, range.max);
    std::vector<float> counts = countHistogram(chunks, options.bins, min, max);
    if (!stats.histogram.empty()) {
      if (min != stats.min || max != stats.max)
        stats.histogram =
            rescaleHistogram(stats.histogram, stats.min, stats.max, min, max);
      for (size_t i = 0; i < counts.size(); ++i)
        counts[i] += stats.histogram[i];
    }
    stats.histogram = std::move(counts);
    stats.min = min;
    stats.max = max;
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
    updateBatch(chunks, size, 1);
}

void Observer::update(const float *data, const std::vector<int64_t> &shape) {
  update(std::vector<const float *>{data}, shape);
}

void Observer::update(const std::vector<const float *> &chunks,
                      const std::vector<int64_t> &shape) {
  int64_t size = 1, inner = 1, channels = 1, rank = shape.size();
  int64_t axis = options.channelAxis;
  if (axis < 0)
    axis += rank;
  for (int64_t i = 0; i < rank; ++i) {
    size *= shape[i];
    if (i == axis)
      channels = shape[i];
    else if (i > axis)
      inner *= shape[i];
  }
  if (size == 0)
    return;
  std::vector<Chunk> batch;
  for (const float *data : chunks)
    batch.push_back({data, size});
  updateBatch(batch, channels, inner);
}

/// Returns the ranges to compute parameters from: one, or one a channel.
static std::vector<std::pair<float, float>>
getRanges(const Statistics &stats, const ObserverOptions &options) {
  std::vector<std::pair<float, float>> ranges;
  if (isPerChannel(options.kind) && !stats.channelMins.empty())
    for (size_t c = 0; c < stats.channelMins.size(); ++c)
      ranges.push_back({stats.channelMins[c], stats.channelMaxs[c]});
  else if (options.kind == ObserverKind::Histogram)
    ranges.push_back(searchHistogramRange(stats, options.bits));
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
  for (auto [min, max] : getRanges(stats, options))
    result.push_back(numerics::calculateQParams(
        min, max, options.range(), options.customRange.has_value(),
        options.isSigned, options.scheme, options.eps));
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

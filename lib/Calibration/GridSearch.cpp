// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges that are chosen from a grid: percentile, entropy, squared error.

#include "Histogram.h"
#include "qbackend/Calibration/Observer.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

namespace qbackend::calibration {

/// Equal bins of what is searched on.
static constexpr int64_t searchBins = 2048;

static std::pair<float, float> searchPercentile(const Statistics &stats,
                                                double percentile) {
  const Grid &grid = stats.grid;
  int64_t total = llvm::sum_of(grid.counts);
  const int64_t cut = static_cast<int64_t>(static_cast<double>(total) *
                                           (100 - percentile) / 200);
  int64_t low = 0, high = grid.counts.size() - 1;
  for (int64_t left = cut - grid.counts[low]; left >= 0 && low < high;)
    left -= grid.counts[++low];
  for (int64_t left = cut - grid.counts[high]; left >= 0 && high > low;)
    left -= grid.counts[--high];
  float min = static_cast<float>(grid.width() * (grid.first + low));
  float max = static_cast<float>(grid.width() * (grid.first + high + 1));
  return {std::max(min, stats.min), std::min(max, stats.max)};
}

/// Returns sum p ln(p / q), where `kept` bins from `first` on are quantized to
/// `levels`: p are their counts with those outside added to the ends, q those
/// of the level, spread over its bins that aren't empty in p. Both sum to 1.
/// A q of 0 counts as 1e-4 of a bin's mean.
static double getDivergence(const std::vector<float> &counts, int64_t first,
                            int64_t kept, int64_t levels, double below,
                            double inside, double total) {
  const double smallest = 1e-4 / kept;
  double divergence = 0;
  for (int64_t level = 0; level < levels; ++level) {
    int64_t begin = level * kept / levels, end = (level + 1) * kept / levels;
    double mass = 0;
    int64_t occupied = 0;
    auto getP = [&](int64_t i) {
      double p = counts[first + i];
      if (i == 0)
        p += below;
      if (i == kept - 1)
        p += total - below - inside;
      return p;
    };
    for (int64_t i = begin; i < end; ++i) {
      mass += counts[first + i];
      occupied += getP(i) > 0;
    }
    double q = std::max(
        inside > 0 ? mass / inside / std::max<int64_t>(1, occupied) : 0.0,
        smallest);
    for (int64_t i = begin; i < end; ++i)
      if (double p = getP(i) / total; p > 0)
        divergence += p * std::log(p / q);
  }
  return divergence;
}

/// Takes the zeros out of `counts`, of which the bin `zero` starts at 0: the
/// bins beside it count as much as the next ones, at most. Zero is an integer
/// of every candidate, so it costs nothing. Spread over the bins of its
/// integer, the half of the values that a relu makes 0 would cost log(bins)
/// each, and only candidates of one bin for each integer, an eighth of the
/// range, be free of that.
static void dropZeros(std::vector<float> &counts, int64_t zero) {
  if (zero < searchBins)
    counts[zero] = std::min(counts[zero], counts[zero + 1]);
  if (zero > 0)
    counts[zero - 1] = std::min(counts[zero - 1], counts[zero - 2]);
}

static std::pair<float, float> searchEntropy(const Statistics &stats,
                                             const ObserverOptions &options) {
  float largest = std::max(std::fabs(stats.min), std::fabs(stats.max));
  bool twoSided = stats.min < 0 && stats.max > 0;
  // One-sided values are searched as they are: [0, max] or [min, 0].
  float lo = stats.min < 0 ? -largest : 0, hi = stats.max > 0 ? largest : 0;
  numerics::QuantRange range = options.range();
  int64_t levels = range.max - range.min + 1;
  if (!twoSided && isSymmetric(options.scheme))
    levels /= 2;
  levels = std::clamp<int64_t>(levels, 1, searchBins);
  std::vector<float> counts =
      stats.grid.resample(searchBins, lo, hi, stats.min, stats.max);
  dropZeros(counts, lo < 0 ? hi > 0 ? searchBins / 2 : searchBins : 0);
  std::vector<double> sums(searchBins + 1);
  for (int64_t i = 0; i < searchBins; ++i)
    sums[i + 1] = sums[i] + counts[i];
  const double total = sums[searchBins];
  if (!(total > 0))
    return {stats.min, stats.max};
  constexpr int64_t step = 8;
  double best = std::numeric_limits<double>::infinity();
  int64_t bestFirst = 0, bestKept = searchBins;
  // From the widest to the narrowest: the wider one of two that are equal.
  for (int64_t kept = searchBins; kept >= levels; kept -= step) {
    int64_t first = twoSided        ? (searchBins - kept) / 2
                    : stats.max > 0 ? 0
                                    : searchBins - kept;
    double divergence = getDivergence(counts, first, kept, levels, sums[first],
                                      sums[first + kept] - sums[first], total);
    if (divergence < best) {
      best = divergence;
      bestFirst = first;
      bestKept = kept;
    }
  }
  double width = (double(hi) - lo) / searchBins;
  float min = static_cast<float>(lo + width * bestFirst);
  float max = static_cast<float>(lo + width * (bestFirst + bestKept));
  return {std::max(min, stats.min), std::min(max, stats.max)};
}

static std::pair<float, float> searchMSE(const Statistics &stats,
                                         const ObserverOptions &options) {
  constexpr int64_t steps = 128;
  float lo = std::min(stats.min, 0.0f), hi = std::max(stats.max, 0.0f);
  bool symmetric = isSymmetric(options.scheme);
  if (symmetric) {
    hi = std::max(-lo, hi);
    lo = -hi;
  }
  if (!std::isfinite(hi - lo))
    return {stats.min, stats.max};
  std::vector<float> counts =
      stats.grid.resample(searchBins, lo, hi, stats.min, stats.max);
  numerics::QuantRange range = options.range();
  const double levels = static_cast<double>(range.max - range.min) + 1;
  // Where 0 is, in bins: both ends move towards it.
  const double zero = -double(lo) / (double(hi) - lo) * searchBins;
  std::vector<double> scratch;
  auto getEnds = [&](int64_t i, int64_t j) {
    int64_t first = std::llround(zero - zero * i / steps);
    int64_t end = std::llround(zero + (searchBins - zero) * j / steps);
    return std::pair<int64_t, int64_t>{first, std::max(end, first + 1)};
  };
  double best = std::numeric_limits<double>::infinity();
  int64_t low = steps, high = steps;
  auto attempt = [&](int64_t i, int64_t j) {
    auto [first, end] = getEnds(i, j);
    double error = getRangeError(counts, first, end - 1, levels, scratch);
    if (!(error < best))
      return;
    best = error;
    low = i;
    high = j;
  };
  // Both ends together, then each by itself, until nothing changes.
  for (int64_t i = steps; i > 0; --i)
    attempt(i, i);
  for (int64_t round = 0; round < 4 && !symmetric; ++round) {
    int64_t oldLow = low, oldHigh = high;
    for (int64_t i = steps; i > 0; --i)
      attempt(i, high);
    for (int64_t j = steps; j > 0; --j)
      attempt(low, j);
    if (low == oldLow && high == oldHigh)
      break;
  }
  auto [first, end] = getEnds(low, high);
  double width = (double(hi) - lo) / searchBins;
  float min = static_cast<float>(lo + width * first);
  float max = static_cast<float>(lo + width * end);
  return {std::max(min, stats.min), std::min(max, stats.max)};
}

std::pair<float, float> searchGridRange(const Statistics &stats,
                                        const ObserverOptions &options) {
  if (stats.grid.empty() || !(stats.min < stats.max))
    return {stats.min, stats.max};
  switch (options.kind) {
  case ObserverKind::Percentile:
    return searchPercentile(stats, options.percentile);
  case ObserverKind::Entropy:
    return searchEntropy(stats, options);
  default:
    return searchMSE(stats, options);
  }
}

} // namespace qbackend::calibration

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Histograms of calibration data, and the search for the range to keep.

#include "Histogram.h"

#include "CountCells.h"
#include "Vectorize.h"

#include <algorithm>
#include <cmath>

namespace qbackend::calibration {

/// Bins of equal width, in the arithmetic of torch.histc.
namespace {
struct Binning {
  Binning(int64_t bins, float lo, float hi) : bins(bins), lo(lo), hi(hi) {
    if (this->lo == this->hi) {
      this->lo -= 1;
      this->hi += 1;
    }
    // Where f32 would overflow or a subnormal difference would matter, the
    // slow path computes in double.
    float span = this->hi - this->lo;
    isPlain = std::isfinite(span * bins) && span / bins > 0x1p-120f;
  }

  int64_t find(float v) const {
    double pos = 0;
    if (isPlain)
      pos = (v - lo) * static_cast<float>(bins) / (hi - lo);
    else if (hi > lo)
      pos =
          (static_cast<double>(v) - lo) * bins / (static_cast<double>(hi) - lo);
    return std::clamp<int64_t>(static_cast<int64_t>(pos), 0, bins - 1);
  }

  int64_t bins;
  float lo, hi;
  bool isPlain;
};
} // namespace

/// Finds the bins of `countedBlock` values; see countCells. A subnormal
/// difference is in bin 0 in any case and slow to multiply.
QBACKEND_VECTORIZE
static bool findBins(const float *x, float low, float span, int32_t bins,
                     int32_t *found) {
  const float scale = static_cast<float>(bins);
  uint32_t bad = 0;
  for (int64_t j = 0; j < countedBlock; ++j) {
    float d = x[j] - low;
    uint32_t exponent = toBits(d) & exponentBits;
    bad |= exponent == exponentBits;
    bool isNormal = exponent != 0 && exponent != exponentBits;
    d = fromBits(toBits(d) & (isNormal ? ~0u : 0u));
    int32_t pos = static_cast<int32_t>(d * scale / span);
    found[j] = pos < bins ? pos : bins - 1;
  }
  return !bad;
}

std::vector<float> countHistogram(const std::vector<Chunk> &chunks,
                                  int64_t bins, float lo, float hi) {
  Binning binning(bins, lo, hi);
  std::vector<int64_t> counts = countCells(
      chunks, bins,
      [&](const float *x, int32_t *found) {
        return binning.isPlain &&
               findBins(x, binning.lo, binning.hi - binning.lo,
                        static_cast<int32_t>(bins), found);
      },
      [&](float v) { return binning.find(v); });
  return std::vector<float>(counts.begin(), counts.end());
}

/// Returns element `i` of torch.linspace(lo, hi, n): from both ends inwards.
static float linspace(float lo, float hi, int64_t n, int64_t i) {
  float step = (hi - lo) / static_cast<float>(n - 1);
  if (i < n / 2)
    return lo + step * static_cast<float>(i);
  return hi - step * static_cast<float>(n - 1 - i);
}

std::vector<float> rescaleHistogram(const std::vector<float> &old, float oldMin,
                                    float oldMax, float min, float max) {
  constexpr int64_t parts = 16;
  int64_t bins = old.size();
  std::vector<float> result(bins);
  if (oldMin == oldMax) {
    double sum = 0;
    for (float count : old)
      sum += count;
    result[Binning(bins, min, max).find(oldMin)] = static_cast<float>(sum);
    return result;
  }
  std::vector<float> bounds(bins + 1);
  for (int64_t b = 0; b <= bins; ++b)
    bounds[b] = linspace(min, max, bins + 1, b);
  float half = 0.5f * ((oldMax - oldMin) / static_cast<float>(bins * parts));
  // upper_bound of midpoints that ascend, up to rounding.
  int64_t upper = 0;
  for (int64_t k = 0; k < bins * parts; ++k) {
    float middle = linspace(oldMin, oldMax, bins * parts + 1, k) + half;
    while (upper <= bins && bounds[upper] <= middle)
      ++upper;
    while (upper > 0 && bounds[upper - 1] > middle)
      --upper;
    result[std::clamp<int64_t>(upper - 1, 0, bins - 1)] +=
        old[k / parts] / parts;
  }
  return result;
}

/// With bins of width 1 and D = (last - first + 1) / steps, the integral of the
/// squared error from 0 to x is F(x) / 3 + const where
/// F(x) = (x - (k + 1/2) D)^3 + 2 k (D/2)^3, k = clamp(floor(x / D)).
double getRangeError(const std::vector<float> &histogram, int64_t first,
                     int64_t last, double steps, std::vector<double> &f) {
  f.resize(histogram.size() + 1);
  const double width = (last - first + 1) / steps, inverse = 1 / width;
  const double cube = 2 * (width / 2) * (width / 2) * (width / 2);
  const int64_t bins = histogram.size();
  // Adding this rounds to an integer. F is continuous, so it doesn't matter
  // on which side of a step its end falls.
  const double magic = 0x1.8p52;
  for (int64_t i = 0; i <= bins; ++i) {
    double x = static_cast<double>(static_cast<int32_t>(i - first));
    double k = (x * inverse - 0.5 + magic) - magic;
    k = k > 0 ? k : 0;
    k = k < steps - 1 ? k : steps - 1;
    double d = x - (k + 0.5) * width;
    f[i] = d * d * d + k * cube;
  }
  double sums[4] = {0, 0, 0, 0};
  int64_t i = 0;
  for (; i + 4 <= bins; i += 4)
    for (int64_t j = 0; j < 4; ++j)
      sums[j] += histogram[i + j] * (f[i + j + 1] - f[i + j]);
  for (; i < bins; ++i)
    sums[0] += histogram[i] * (f[i + 1] - f[i]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

std::pair<float, float> searchHistogramRange(const Statistics &stats,
                                             unsigned bits) {
  const std::vector<float> &histogram = stats.histogram;
  int64_t bins = histogram.size();
  if (bins == 0 || !(stats.min < stats.max))
    return {stats.min, stats.max};
  const double stepSize = 1e-5;
  std::vector<float> sums(bins);
  double running = 0;
  for (int64_t i = 0; i < bins; ++i)
    sums[i] = static_cast<float>(running += histogram[i]);
  double total = static_cast<float>(running);
  double alpha = 0, beta = 1, best = std::numeric_limits<double>::infinity();
  int64_t first = 0, last = bins - 1;
  std::vector<double> scratch;
  while (alpha < beta) {
    double nextAlpha = alpha + stepSize, nextBeta = beta - stepSize;
    float low = static_cast<float>(nextAlpha * total);
    float high = static_cast<float>(nextBeta * total);
    int64_t l = first, r = last;
    while (l < last && sums[l] < low)
      ++l;
    while (r > first && sums[r] > high)
      --r;
    int64_t newFirst = first, newLast = last;
    if (l - first > last - r) {
      newFirst = l;
      alpha = nextAlpha;
    } else {
      newLast = r;
      beta = nextBeta;
    }
    if (newFirst == first && newLast == last)
      continue;
    double error = getRangeError(histogram, newFirst, newLast,
                                 std::ldexp(1.0, bits), scratch);
    if (error > best)
      break;
    best = error;
    first = newFirst;
    last = newLast;
  }
  float span = stats.max - stats.min;
  if (std::isinf(span)) // As if there were no bins: their width would overflow.
    return {stats.min, stats.max};
  float width = span / static_cast<float>(bins);
  return {stats.min + width * static_cast<float>(first),
          stats.min + width * static_cast<float>(last + 1)};
}

} // namespace qbackend::calibration

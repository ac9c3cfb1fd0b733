// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Qparams from the range of float values.

#include "qbackend/Numerics/QuantParams.h"

#include "qbackend/Numerics/Quantize.h"

#include <algorithm>
#include <cmath>

namespace qbackend::numerics {

/// Halves, rounding down.
static int64_t halve(int64_t value) { return (value - (value & 1)) / 2; }

QuantRange quantizedRange(bool isSigned, unsigned bits,
                          std::optional<QuantRange> custom, bool reduceRange) {
  QuantRange range;
  if (custom)
    range = *custom;
  else if (isSigned)
    range = {-(int64_t(1) << (bits - 1)), (int64_t(1) << (bits - 1)) - 1};
  else
    range = {0, (int64_t(1) << bits) - 1};
  if (reduceRange && (custom || bits == 8))
    range = {halve(range.min), halve(range.max)};
  return range;
}

int64_t symmetricZeroPoint(bool isSigned, unsigned bits, QuantRange range,
                           bool custom) {
  if (isSigned)
    return 0;
  if (bits == 16)
    return 1 << 15;
  if (bits != 8)
    return 0;
  return custom ? halve(range.min + range.max) : 128;
}

QuantParams calculateQParams(float min, float max, QuantRange range,
                             int64_t middle, QScheme scheme, float eps) {
  if (!(min <= max))
    return {};
  float mn = std::min(min, 0.0f);
  float mx = std::max(max, 0.0f);
  float steps = static_cast<float>(range.max - range.min);
  if (isSymmetric(scheme)) {
    float scale = std::max(std::max(-mn, mx) / (steps / 2), eps);
    return {scale, middle};
  }
  float scale = std::max((mx - mn) / steps, eps);
  // Of magnitude 2^33 at most, unless the range overflowed and this is 0.
  float zeros = roundHalfToEven(mn / scale);
  int64_t zeroPoint = range.min - static_cast<int64_t>(zeros);
  return {scale, std::clamp(zeroPoint, range.min, range.max)};
}

FloatQuantParams calculateFloatQParams(float min, float max, QuantRange range,
                                       float eps) {
  if (!(min <= max))
    return {};
  float scale = (max - min) / static_cast<float>(range.max - range.min);
  if (!(scale > eps))
    scale = 1.0f;
  return {scale, -min / scale};
}

static float f32(double value) { return static_cast<float>(value); }

QuantParams chooseQParams(float min, float max, QuantRange range,
                          bool symmetric) {
  const float smallest = smallestChosenScale;
  const int64_t steps = range.max - range.min;
  const bool centered = symmetric && min < 0 && max > 0;
  if (centered) {
    int64_t high = steps / 2, low = -(steps / 2 + 1);
    double scale =
        std::max(std::fabs(min / f32(low)), std::fabs(max / f32(high)));
    min = f32(scale * low);
    max = f32(scale * high);
  }
  float mn = std::min(min, 0.0f);
  float mx = std::max(max, 0.0f);
  double scale = (static_cast<double>(mx) - static_cast<double>(mn)) / steps;
  if (f32(scale) == 0.0f || std::isinf(1.0f / f32(scale)))
    scale = 0.1;
  if (scale < smallest) {
    float original = f32(scale);
    scale = smallest;
    if (mn == 0.0f) {
      mx = smallest * steps;
    } else if (mx == 0.0f) {
      mn = -smallest * steps;
    } else {
      float amplifier = smallest / original;
      mn *= amplifier;
      mx *= amplifier;
    }
  }
  const double low = range.min, high = range.max;
  double errorMin = std::fabs(low) - std::fabs(mn / scale);
  double errorMax = std::fabs(high) - std::fabs(mx / scale);
  double zeroPoint = errorMin < errorMax ? low - mn / scale : high - mx / scale;
  if (centered)
    zeroPoint = (low + high) / 2;
  // Comparisons that a NaN doesn't pass: it gives the smallest.
  zeroPoint = zeroPoint > low ? zeroPoint : low;
  zeroPoint = zeroPoint < high ? zeroPoint : high;
  return {scale, static_cast<int64_t>(roundHalfToEven(zeroPoint))};
}

} // namespace qbackend::numerics

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nearest and bilinear upsampling of quantized images.

#include "qbackend/Numerics/Resize.h"

#include <algorithm>
#include <cmath>

namespace qbackend::numerics {

static float f32(double value) { return static_cast<float>(value); }

/// Pixels of the input for each result, where corners are not aligned.
static float pixelsPerResult(int64_t in, int64_t out,
                             std::optional<double> factor) {
  if (factor)
    return f32(1.0 / *factor);
  return static_cast<float>(in) / static_cast<float>(out);
}

std::vector<int32_t> nearestSources(int64_t in, int64_t out,
                                    std::optional<double> factor) {
  float step = pixelsPerResult(in, out, factor);
  std::vector<int32_t> sources(out);
  for (int64_t o = 0; o < out; ++o)
    sources[o] = static_cast<int32_t>(std::min(
        std::floor(static_cast<float>(o) * step), static_cast<float>(in - 1)));
  return sources;
}

std::vector<BilinearTap> bilinearTaps(const BilinearAxis &axis, bool fused) {
  float step = pixelsPerResult(axis.in, axis.out, axis.factor);
  if (axis.alignCorners)
    step = axis.out > 1 ? static_cast<float>(axis.in - 1) /
                              static_cast<float>(axis.out - 1)
                        : 0.0f;
  std::vector<BilinearTap> taps(axis.out);
  for (int64_t o = 0; o < axis.out; ++o) {
    float center = static_cast<float>(o) + 0.5f;
    float position = step * static_cast<float>(o);
    if (!axis.alignCorners) {
      position = fused ? std::fma(step, center, -0.5f) : step * center - 0.5f;
      position = std::max(position, 0.0f);
    }
    // A position may be rounded up to the border.
    int64_t low = std::min(static_cast<int64_t>(position), axis.in - 1);
    BilinearTap &tap = taps[o];
    tap.low = static_cast<int32_t>(low);
    tap.high = static_cast<int32_t>(std::min(low + 1, axis.in - 1));
    tap.highWeight = position - static_cast<float>(low);
    tap.lowWeight = 1.0f - tap.highWeight;
  }
  return taps;
}

int64_t countVectorChannels(int64_t channels) { return channels / 8 * 8; }

} // namespace qbackend::numerics

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Embedding tables of 8-bit and 4-bit integers.

#include "qbackend/Numerics/Embedding.h"

#include "qbackend/Numerics/Quantize.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace qbackend::numerics {

/// Returns the 16-bit float nearest to `value`, ties to even.
static float roundToHalf(float value) {
  if (!std::isfinite(value))
    return value;
  // 11 significant bits; below 2^-14 the step stays 2^-24.
  int exponent = value == 0.0f ? -14 : std::max(std::ilogb(value), -14);
  float rounded = std::ldexp(roundHalfToEven(std::ldexp(value, 10 - exponent)),
                             exponent - 10);
  if (std::fabs(rounded) > 65504.0f)
    return std::copysign(std::numeric_limits<float>::infinity(), rounded);
  return rounded;
}

int32_t quantizeEmbedding(float w, float scale, float zeroPoint,
                          EmbeddingBits bits) {
  float inverse = 1.0f / scale;
  float rounded = roundHalfToEven(w * inverse + zeroPoint);
  float largest = bits == EmbeddingBits::Four ? 15.0f : 255.0f;
  return static_cast<int32_t>(std::clamp(rounded, 0.0f, largest));
}

EmbeddingRow embeddingRow(float scale, float zeroPoint, EmbeddingBits bits) {
  float bias = -(zeroPoint * scale);
  if (bits == EmbeddingBits::Eight)
    return {scale, bias};
  return {roundToHalf(scale), roundToHalf(bias)};
}

} // namespace qbackend::numerics

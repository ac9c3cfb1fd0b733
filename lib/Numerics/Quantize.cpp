// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantizes and dequantizes f32.

#include "qbackend/Numerics/Quantize.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace qbackend::numerics {

// The default rounding mode is to nearest even; nothing here changes it.
float roundHalfToEven(float value) { return std::nearbyint(value); }

double roundHalfToEven(double value) { return std::nearbyint(value); }

int32_t convertToInt32(float value) {
  float rounded = roundHalfToEven(value);
  if (!(rounded >= -0x1p31f && rounded < 0x1p31f))
    return std::numeric_limits<int32_t>::min();
  return static_cast<int32_t>(rounded);
}

int32_t quantize(float x, float scale, int64_t zeroPoint, int64_t lo,
                 int64_t hi) {
  float inverse = 1.0f / scale;
  // ATen adds the integer zero point to a float: the sum is rounded to f32.
  float sum = static_cast<float>(zeroPoint) + roundHalfToEven(x * inverse);
  if (!(std::fabs(sum) < 0x1p63f))
    return static_cast<int32_t>(lo);
  return static_cast<int32_t>(std::clamp(static_cast<int64_t>(sum), lo, hi));
}

float dequantize(int64_t q, float scale, int64_t zeroPoint) {
  return scale * static_cast<float>(q - zeroPoint);
}

float fakeQuantize(float x, float scale, int64_t zeroPoint, int64_t lo,
                   int64_t hi) {
  return dequantize(quantize(x, scale, zeroPoint, lo, hi), scale, zeroPoint);
}

float fakeQuantize(float x, float scale, float zeroPoint, int64_t lo,
                   int64_t hi) {
  float inverse = 1.0f / scale;
  float rounded = roundHalfToEven(x * inverse + zeroPoint);
  if (!(std::fabs(rounded) < 0x1p63f))
    rounded = static_cast<float>(lo);
  int64_t q = std::clamp(static_cast<int64_t>(rounded), lo, hi);
  return static_cast<float>(
      (static_cast<double>(q) - static_cast<double>(zeroPoint)) *
      static_cast<double>(scale));
}

float dequantizeFused(int64_t q, float scale, int64_t zeroPoint) {
  return std::fma(scale, static_cast<float>(q),
                  -(scale * static_cast<float>(zeroPoint)));
}

float dequantizePerChannel(int64_t q, double scale, int64_t zeroPoint) {
  double difference = static_cast<float>(q) - static_cast<float>(zeroPoint);
  return static_cast<float>(difference * scale);
}

int32_t quantizeBias(float bias, double weightScale, double inputScale) {
  return quantize(bias, static_cast<float>(weightScale * inputScale), 0,
                  std::numeric_limits<int32_t>::min(),
                  std::numeric_limits<int32_t>::max());
}

} // namespace qbackend::numerics

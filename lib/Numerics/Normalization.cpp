// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layer, group, instance and batch norm of quantized values.

#include "qbackend/Numerics/Normalization.h"

#include "qbackend/Numerics/Quantize.h"

#include <algorithm>
#include <cmath>

namespace qbackend::numerics {

static float f32(double value) { return static_cast<float>(value); }

GroupStatistics groupStatistics(int64_t sum, int64_t sumOfSquares,
                                int64_t count, double sx, int64_t zx,
                                double eps) {
  float n = static_cast<float>(count), scale = f32(sx);
  float mean = static_cast<float>(sum) / n;
  float meanOfSquares = static_cast<float>(sumOfSquares) / n;
  float var = std::max(std::fma(-mean, mean, meanOfSquares), 0.0f);
  double realVar = var * scale * scale;
  GroupStatistics group;
  group.center = mean - static_cast<float>(zx);
  group.factor = f32(static_cast<double>(scale) / std::sqrt(realVar + eps));
  return group;
}

float layerNorm(int32_t d, const GroupStatistics &group, float gamma,
                float beta) {
  return std::fma((static_cast<float>(d) - group.center) * group.factor, gamma,
                  beta);
}

float groupNorm(int32_t d, const GroupStatistics &group, float gamma,
                float beta) {
  return std::fma(static_cast<float>(d) - group.center, group.factor * gamma,
                  beta);
}

float groupNormChannelsLast(int32_t d, const GroupStatistics &group,
                            float gamma, float beta) {
  float g = group.factor * gamma;
  return std::fma(static_cast<float>(d), g, std::fma(-g, group.center, beta));
}

ChannelAffine batchNormAffine(float gamma, float beta, float mean, float var,
                              double eps, double sx, double sy) {
  float r = 1.0f / std::sqrt(var + f32(eps));
  float scale = r * gamma;
  float offset = beta - mean * r * gamma;
  return {f32(scale * (sx / sy)), f32(offset / sy)};
}

int32_t batchNorm(int32_t d, const ChannelAffine &affine, int32_t zy,
                  int32_t omin, int32_t omax) {
  float v = std::fma(affine.scale, static_cast<float>(d), affine.offset);
  return quantize(v, 1.0f, zy, omin, omax);
}

} // namespace qbackend::numerics

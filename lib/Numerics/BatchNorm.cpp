// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batch norm, folded into weights and of quantized values.

#include "qbackend/Numerics/BatchNorm.h"

#include <cmath>

namespace qbackend::numerics {

static float f32(double value) { return static_cast<float>(value); }

void foldBatchNorm(float *weight, int64_t channels, int64_t perChannel,
                   float *bias, const float *mean, const float *var,
                   const float *gamma, const float *beta, float eps) {
  for (int64_t c = 0; c < channels; ++c) {
    float r = 1.0f / std::sqrt(var[c] + eps), scale = gamma ? gamma[c] : 1.0f;
    float factor = scale * r;
    for (int64_t i = 0; i < perChannel; ++i)
      weight[c * perChannel + i] *= factor;
    bias[c] = (bias[c] - mean[c]) * r * scale + (beta ? beta[c] : 0.0f);
  }
}

ChannelAffine batchNormAffine(float gamma, float beta, float mean, float var,
                              double eps, double sx, double sy) {
  float r = 1.0f / std::sqrt(var + f32(eps));
  float scale = r * gamma;
  float offset = beta - mean * r * gamma;
  return {f32(scale * (sx / sy)), f32(offset / sy)};
}

} // namespace qbackend::numerics

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batch norm folded into the weight and bias of the operator before it.

#include "qbackend/Numerics/BatchNorm.h"

#include <cmath>

namespace qbackend::numerics {

float inverseStd(float var, float eps) { return 1.0f / std::sqrt(var + eps); }

static void foldChannel(float *weight, int64_t perChannel, float &bias,
                        float mean, float r, float gamma, float beta) {
  float factor = gamma * r;
  for (int64_t i = 0; i < perChannel; ++i)
    weight[i] *= factor;
  bias = (bias - mean) * r * gamma + beta;
}

void foldBatchNorm(float *weight, int64_t channels, int64_t perChannel,
                   float *bias, const float *mean, const float *inverseStd,
                   const float *gamma, const float *beta) {
  for (int64_t c = 0; c < channels; ++c)
    foldChannel(weight + c * perChannel, perChannel, bias[c], mean[c],
                inverseStd[c], gamma ? gamma[c] : 1.0f, beta ? beta[c] : 0.0f);
}

void foldBatchNorm(float *weight, int64_t channels, int64_t perChannel,
                   float *bias, const float *mean, const float *var,
                   const float *gamma, const float *beta, float eps) {
  for (int64_t c = 0; c < channels; ++c)
    foldChannel(weight + c * perChannel, perChannel, bias[c], mean[c],
                inverseStd(var[c], eps), gamma ? gamma[c] : 1.0f,
                beta ? beta[c] : 0.0f);
}

} // namespace qbackend::numerics

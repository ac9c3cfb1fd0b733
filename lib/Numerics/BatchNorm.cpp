// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batch norm folded into the weight and bias of the operator before it.

#include "qbackend/Numerics/BatchNorm.h"

#include <cmath>

namespace qbackend::numerics {

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

} // namespace qbackend::numerics

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batch norm folded into the weight and bias of the operator before it.

#ifndef QBACKEND_NUMERICS_BATCHNORM_H
#define QBACKEND_NUMERICS_BATCHNORM_H

#include <cstdint>

namespace qbackend::numerics {

/// Returns f32(1 / sqrt(f32(var + eps))), the reciprocal standard deviation.
float inverseStd(float var, float eps);

/// Folds y = (x - mean) * inverseStd * gamma + beta into `weight` and `bias`,
/// in place, with one f32 rounding for each operation, associated as PyTorch's
/// fuse_conv_bn_weights does:
///
///   weight' = weight * (gamma * inverseStd)
///   bias'   = ((bias - mean) * inverseStd) * gamma + beta
///
/// `weight` has `channels` rows of `perChannel` values; the other arrays have
/// `channels` values. A missing bias is an array of 0. A null `gamma` or
/// `beta` means 1 or 0.
void foldBatchNorm(float *weight, int64_t channels, int64_t perChannel,
                   float *bias, const float *mean, const float *inverseStd,
                   const float *gamma, const float *beta);

/// The same from the variances: inverseStd = inverseStd(var, eps).
void foldBatchNorm(float *weight, int64_t channels, int64_t perChannel,
                   float *bias, const float *mean, const float *var,
                   const float *gamma, const float *beta, float eps);

} // namespace qbackend::numerics

#endif // QBACKEND_NUMERICS_BATCHNORM_H

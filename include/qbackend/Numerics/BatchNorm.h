// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batch norm folded into the weight and bias of the operator before it.

#ifndef QBACKEND_NUMERICS_BATCHNORM_H
#define QBACKEND_NUMERICS_BATCHNORM_H

#include <cstdint>

namespace qbackend::numerics {

/// Folds y = (x - mean) * r * gamma + beta into `weight` and `bias`, in place,
/// with r = f32(1 / sqrt(f32(var + eps))) and one f32 rounding for each
/// operation, associated as PyTorch's fuse_conv_bn_weights does:
///
///   weight' = weight * (gamma * r)
///   bias'   = ((bias - mean) * r) * gamma + beta
///
/// `weight` has `channels` rows of `perChannel` values; the other arrays have
/// `channels` values. A missing bias is an array of 0. A null `gamma` or
/// `beta` means 1 or 0.
void foldBatchNorm(float *weight, int64_t channels, int64_t perChannel,
                   float *bias, const float *mean, const float *var,
                   const float *gamma, const float *beta, float eps);

} // namespace qbackend::numerics

#endif // QBACKEND_NUMERICS_BATCHNORM_H

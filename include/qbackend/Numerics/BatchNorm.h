// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batch norm: folded into the weight and bias of the operator before it, and of
// quantized values, as ATen computes it.

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

/// y = scale * x + offset on one channel, in steps of the result.
struct ChannelAffine {
  float scale = 1.0f;
  float offset = 0.0f;
};

/// Returns what batch norm does to a channel. With
/// r = f32(1 / f32(sqrt(f32(var + f32(eps))))):
///
///   scale  = f32(f32(r * gamma) * (sx / sy))
///   offset = f32(f32(beta - f32(f32(mean * r) * gamma)) / sy)
///
/// The scales `sx` and `sy` are doubles, and what they enter is in double.
ChannelAffine batchNormAffine(float gamma, float beta, float mean, float var,
                              double eps, double sx, double sy);

} // namespace qbackend::numerics

#endif // QBACKEND_NUMERICS_BATCHNORM_H

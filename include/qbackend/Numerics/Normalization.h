// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layer, group, instance and batch norm of quantized values, as ATen computes
// them: f32 and f64 arithmetic on exact sums of integers. Verified against
// PyTorch 1.13 on random inputs, AVX2 code.

#ifndef QBACKEND_NUMERICS_NORMALIZATION_H
#define QBACKEND_NUMERICS_NORMALIZATION_H

#include <cstdint>

namespace qbackend::numerics {

//===----------------------------------------------------------------------===//
// Layer, group and instance norm
//===----------------------------------------------------------------------===//

/// What a group of values is normalized with, in steps of the input.
struct GroupStatistics {
  /// The mean less the zero point.
  float center = 0.0f;
  /// The input's scale over the standard deviation of the float values.
  float factor = 0.0f;
};

/// Returns the statistics of `count` stored values with the given sum and sum
/// of squares, of scale `sx` and zero point `zx`. With
/// mu = f32(f32(sum) / f32(count)):
///
///   center = f32(mu - zx)
///   var    = max(fma(-mu, mu, f32(f32(sumOfSquares) / f32(count))), 0)
///   factor = f32(sx / sqrt(f32(f32(var * sx) * sx) + eps))
///
/// where `sx` is rounded to f32, and the sum, the root and the quotient of the
/// last line are in double.
GroupStatistics groupStatistics(int64_t sum, int64_t sumOfSquares,
                                int64_t count, double sx, int64_t zx,
                                double eps);

/// Returns fma(f32(f32(d - center) * factor), gamma, beta), where `d` is a
/// stored value less the zero point.
float layerNorm(int32_t d, const GroupStatistics &group, float gamma,
                float beta);

/// Returns fma(f32(d - center), f32(factor * gamma), beta): group and instance
/// norm of contiguous tensors.
float groupNorm(int32_t d, const GroupStatistics &group, float gamma,
                float beta);

/// Returns fma(d, g, fma(-g, center, beta)) with g = f32(factor * gamma): group
/// and instance norm of channels-last images of less than 512 pixels. ATen
/// sums larger ones in f32, which has no formula here.
float groupNormChannelsLast(int32_t d, const GroupStatistics &group,
                            float gamma, float beta);

//===----------------------------------------------------------------------===//
// Batch norm
//===----------------------------------------------------------------------===//

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

/// Returns clamp(zy + rne(fma(affine.scale, d, affine.offset)), omin, omax),
/// where `d` is a stored value less the zero point. With a fused relu,
/// omin = zy. What rounds to 2^63 or more, and NaN, give `omin`.
int32_t batchNorm(int32_t d, const ChannelAffine &affine, int32_t zy,
                  int32_t omin, int32_t omax);

} // namespace qbackend::numerics

#endif // QBACKEND_NUMERICS_NORMALIZATION_H

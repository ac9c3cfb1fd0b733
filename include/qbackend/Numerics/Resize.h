// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nearest and bilinear upsampling of quantized images, as ATen computes them.
// Which pixels a result is made of, and with which weights, depends on sizes
// only, so it is known at compile time.

#ifndef QBACKEND_NUMERICS_RESIZE_H
#define QBACKEND_NUMERICS_RESIZE_H

#include <cstdint>
#include <optional>
#include <vector>

namespace qbackend::numerics {

/// For each of `out` results along an axis of `in` pixels, the pixel it copies:
/// min(floor(f32(o * r)), in - 1) with r = f32(in / out), or f32(1 / factor) if
/// a scale factor is given.
std::vector<int32_t> nearestSources(int64_t in, int64_t out,
                                    std::optional<double> factor = {});

/// What a result takes along one axis: `lowWeight` of the pixel `low` and
/// `highWeight` of the pixel `high`, which is the same one at the border.
struct BilinearTap {
  int32_t low = 0;
  int32_t high = 0;
  float lowWeight = 1.0f;
  float highWeight = 0.0f;
};

/// How an axis is mapped to the results along it.
struct BilinearAxis {
  int64_t in = 1;
  int64_t out = 1;
  /// Whether the centers of the corner pixels coincide, or their corners.
  bool alignCorners = false;
  std::optional<double> factor;
};

/// Returns the taps of each result. With r the position of result `o`:
///
///   align_corners: r = f32(f32((in - 1) / (out - 1)) * o), 0 for one result
///   otherwise:     r = max(f32(f32(s * (o + 0.5)) - 0.5), 0), s = f32(in /
///   out)
///                  or f32(1 / factor)
///
/// low = floor(r), highWeight = f32(r - low), lowWeight = f32(1 - highWeight).
/// With `fused`, which ATen's channels-last code does, the second line is
/// r = max(fma(s, o + 0.5, -0.5), 0).
std::vector<BilinearTap> bilinearTaps(const BilinearAxis &axis,
                                      bool fused = false);

/// Returns the number of channels, of `channels`, that ATen's channels-last
/// vector code (AVX2) handles; its scalar code does the rest.
int64_t countVectorChannels(int64_t channels);

} // namespace qbackend::numerics

#endif // QBACKEND_NUMERICS_RESIZE_H

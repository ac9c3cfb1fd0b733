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

/// The four stored values around a result: rows from above, columns from left.
struct BilinearPatch {
  int32_t p00, p01, p10, p11;
};

/// Returns clamp(zx + rne(f32(v - zx)), lo, hi), with h0, h1 the weights of the
/// row and w0, w1 those of the column, each operation rounded:
/// v = h0 * (w0 * p00 + w1 * p01) + h1 * (w0 * p10 + w1 * p11).
int32_t bilinear(const BilinearPatch &patch, const BilinearTap &row,
                 const BilinearTap &column, int32_t zx, int32_t lo, int32_t hi);

/// Returns the number of channels, of `channels`, that ATen's channels-last
/// vector code (AVX2) handles; its scalar code does the rest.
int64_t countVectorChannels(int64_t channels);

/// The same in ATen's channels-last code, which fuses one product of each sum.
/// `isVector`, for the first `countVectorChannels`, fuses the second one:
/// v = fma(h1, fma(w1, p11, w0 * p10), h0 * fma(w1, p01, w0 * p00)); for the
/// rest the first one: v = fma(h0, fma(w0, p00, w1 * p01),
/// h1 * fma(w0, p10, w1 * p11)).
int32_t bilinearChannelsLast(const BilinearPatch &patch, const BilinearTap &row,
                             const BilinearTap &column, bool isVector,
                             int32_t zx, int32_t lo, int32_t hi);

} // namespace qbackend::numerics

#endif // QBACKEND_NUMERICS_RESIZE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantized ranges, and scale and zero point from the range of float values.
// The formulas are those of PyTorch's observers (UniformQuantizationObserver).

#ifndef QBACKEND_NUMERICS_QUANTPARAMS_H
#define QBACKEND_NUMERICS_QUANTPARAMS_H

#include <cstdint>
#include <optional>

namespace qbackend::numerics {

/// The closed interval of integers that a quantized value may take.
struct QuantRange {
  int64_t min = 0;
  int64_t max = 255;
};

/// Per-tensor affine parameters: value = scale * (quantized - zeroPoint).
struct QuantParams {
  double scale = 1.0;
  int64_t zeroPoint = 0;
};

/// Parameters whose zero point is a float (embedding tables):
/// value = scale * (quantized - zeroPoint).
struct FloatQuantParams {
  double scale = 1.0;
  float zeroPoint = 0.0f;
};

/// How a range of float values becomes a scale and a zero point.
enum class QScheme {
  PerTensorAffine,
  PerTensorSymmetric,
  PerChannelAffine,
  PerChannelSymmetric,
  PerChannelAffineFloatQParams,
};

/// Whether a scheme's range is the same on both sides of 0.
constexpr bool isSymmetric(QScheme scheme) {
  return scheme == QScheme::PerTensorSymmetric ||
         scheme == QScheme::PerChannelSymmetric;
}

/// Smallest scale an observer returns unless told otherwise: 2^-23.
inline constexpr float defaultEps = 1.1920928955078125e-07f;

/// Returns the integers of a `bits` wide type (1 to 32). `custom` replaces
/// them. With `reduceRange`, each end of `custom` and of the 8-bit types is
/// halved, rounding down; other widths have no reduced form.
QuantRange quantizedRange(bool isSigned, unsigned bits,
                          std::optional<QuantRange> custom, bool reduceRange);

/// Returns the zero point that symmetric schemes have: 0, but of unsigned types
/// of 8 and 16 bits the middle, 128 and 32768. A `custom` range of 8 bits has a
/// middle of its own, floor((range.min + range.max) / 2).
int64_t symmetricZeroPoint(bool isSigned, unsigned bits, QuantRange range,
                           bool custom);

/// Returns the parameters that map the float values [`min`, `max`] to `range`.
/// All arithmetic is in f32 and rounds to nearest even:
///
///   mn = min(min, 0), mx = max(max, 0)
///   affine:    scale = max((mx - mn) / f32(qmax - qmin), eps)
///              zp    = clamp(qmin - rne(mn / scale), qmin, qmax)
///   symmetric: scale = max(max(-mn, mx) / (f32(qmax - qmin) / 2), eps)
///              zp    = `middle`, see symmetricZeroPoint
///
/// An observer that never ran (min = +inf, max = -inf) has scale 1 and zero
/// point 0. Per-channel schemes compute the same for one channel; the scheme
/// with a float zero point has its own function below.
QuantParams calculateQParams(float min, float max, QuantRange range,
                             int64_t middle, QScheme scheme,
                             float eps = defaultEps);

/// The same for PerChannelAffineFloatQParams: zero need not be in the range,
/// scale = (max - min) / f32(qmax - qmin), or 1 if that is not above `eps`,
/// and zeroPoint = -min / scale, all in f32.
FloatQuantParams calculateFloatQParams(float min, float max, QuantRange range,
                                       float eps = defaultEps);

/// The smallest scale that `chooseQParams` gives.
inline constexpr float smallestChosenScale = 6.1e-5f;

/// Returns the parameters that ATen's quant_utils ChooseQuantizationParams
/// gives for [`min`, `max`]: those of an activation that is quantized as it
/// comes, and of a fused fake quantizer. Not the formula of the observers:
///
///   symmetric, if min < 0 < max: the larger of |min / qlo| and |max / qhi| is
///          the scale of both ends, qhi = (qmax - qmin) / 2, qlo = -qhi - 1
///   scale = (mx - mn) / (qmax - qmin) in f64, 0.1 if it or its inverse is no
///          f32, else 6.1e-5 at least: the range then grows with it
///   zp    = of qmin - mn / scale and qmax - mx / scale the one with the
///   smaller
///          rounding error; the middle of the integers if symmetric; rounded to
///          nearest even
///
/// ATen refuses a NaN; here the scale is then NaN, and the zero point
/// `range.min`.
QuantParams chooseQParams(float min, float max, QuantRange range,
                          bool symmetric);

} // namespace qbackend::numerics

#endif // QBACKEND_NUMERICS_QUANTPARAMS_H

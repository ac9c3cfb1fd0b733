// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From integer accumulators to quantized results, operator by operator: the
// multipliers, which are known at compile time, and the per-element formulas.
// sa, sb, sx, sw and sy are the scales of the operands and of the result; each
// is rounded to f32 before use.

#ifndef QBACKEND_NUMERICS_REQUANTIZE_H
#define QBACKEND_NUMERICS_REQUANTIZE_H

#include "qbackend/Numerics/QuantParams.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace qbackend::numerics {

//===----------------------------------------------------------------------===//
// Convolution, transposed convolution, linear
//===----------------------------------------------------------------------===//

/// Returns f32(f32(sw * sx) * f32(1 / sy)) (QNNPACK, unsigned activations).
float convMultiplier(double sx, double sw, double sy);

/// Returns f32(f32(sx * sw) / sy) (XNNPACK, signed activations).
float convMultiplierXnnpack(double sx, double sw, double sy);

/// Returns clamp(clamp(r, -2^15, 2^15 - 1) + zy, omin, omax) where
/// r = convertToInt32(f32(f32(acc) * m)) (QNNPACK requantization, f32
/// multiplier). A product of 2^31 or more gives `omin`.
int32_t requantize(int32_t acc, float m, int32_t zy, int32_t omin,
                   int32_t omax);

/// Returns max(rne(min(f32(f32(acc) * m), f32(omax - zy))) + zy, omin)
/// (XNNPACK requantization, f32 multiplier). Large products give `omax`.
int32_t requantizeXnnpack(int32_t acc, float m, int32_t zy, int32_t omin,
                          int32_t omax);

//===----------------------------------------------------------------------===//
// Fixed point
//===----------------------------------------------------------------------===//

/// How a product with a fixed-point number is rounded to an integer.
enum class Rounding {
  /// To nearest, ties to even.
  NearestEven,
  /// floor(v + 1/2): SINGLE_ROUND of TOSA 1.0.
  HalfUp,
  /// To nearest, ties away from zero.
  HalfAway,
  /// DOUBLE_ROUND of TOSA 1.0: HalfUp, of a product that for a shift of more
  /// than 31 is moved by 2^30 first, up for a value >= 0, else down.
  Double,
};

/// The names of roundings, in the order of their values.
inline constexpr std::array<std::string_view, 4> roundingNames = {
    "nearest_even", "half_up", "half_away", "double"};

constexpr std::string_view stringifyRounding(Rounding rounding) {
  return roundingNames[static_cast<int>(rounding)];
}

/// The rounding called `name`, or nothing.
constexpr std::optional<Rounding> symbolizeRounding(std::string_view name) {
  for (int i = 0; i < static_cast<int>(roundingNames.size()); ++i)
    if (roundingNames[i] == name)
      return static_cast<Rounding>(i);
  return std::nullopt;
}

/// Returns the low 32 bits of value * multiplier / 2^shift, rounded (TOSA 1.0,
/// apply_scale_32 and apply_scale_16). `value` has 48 bits if `multiplier` has
/// 16, else 32; `multiplier` is not negative, `shift` is in [2, 62].
int32_t applyFixedPoint(int64_t value, int32_t multiplier, int shift,
                        Rounding rounding);

/// The number `multiplier` / 2^`shift`.
struct FixedPointMultiplier {
  int32_t multiplier = 0;
  int shift = 31;
};

/// Returns round(f * 2^b) / 2^(b - e) for the number `value` = f * 2^e with f
/// in [1/2, 1) and `bits` = b, ties away from zero; 2^b becomes 2^(b - 1) of
/// the next e. 0 for e < -31 (TFLite's QuantizeMultiplier, with 15 bits
/// ExecuTorch's for the 48-bit sums of TOSA). Nothing unless `value` is
/// positive and less than 2^(b - 2), where the shift would be less than 2.
std::optional<FixedPointMultiplier> quantizeMultiplier(double value,
                                                       int bits = 31);

//===----------------------------------------------------------------------===//
// Addition
//===----------------------------------------------------------------------===//

/// Fixed-point multipliers of an addition: a and b in units of 2^-shift.
/// They are `valid` if the kernel accepts the scales.
struct AddMultipliers {
  int32_t a = 0;
  int32_t b = 0;
  int shift = 0;
  bool valid = false;
};

/// Returns, for ra = f32(sa / sy), rb = f32(sb / sy) and
/// e = floor(log2(max(ra, rb))), shift = 21 - e and rne(f32(ra * 2^shift)),
/// rne(f32(rb * 2^shift)) (QNNPACK q8vadd). Valid if ra and rb are in
/// [2^-14, 2^8) and the larger is at least 2^-10: below that the shift
/// exceeds 31 bits.
AddMultipliers addMultipliers(double sa, double sb, double sy);

/// Returns clamp(r + zy, omin, omax) where r is
/// (a * m.a + b * m.b - za * m.a - zb * m.b) / 2^shift rounded to nearest,
/// ties away from zero (QNNPACK q8vadd). With a fused relu, omin = zy.
int32_t addQ8(int32_t a, int32_t b, int32_t za, int32_t zb,
              const AddMultipliers &m, int32_t zy, int32_t omin, int32_t omax);

/// The same as `addMultipliers` with one bit less, shift = 20 - e (XNNPACK
/// vadd). Valid if ra and rb are in [2^-10, 2^8).
AddMultipliers addMultipliersXnnpack(double sa, double sb, double sy);

/// The same as `addQ8`, but ties round towards positive infinity (XNNPACK
/// vadd).
int32_t addXnnpack(int32_t a, int32_t b, int32_t za, int32_t zb,
                   const AddMultipliers &m, int32_t zy, int32_t omin,
                   int32_t omax);

/// Returns quantize(f32(dequantize(a) + dequantize(b))) with the result
/// in [`lo`, `hi`] (ATen, used when one operand is broadcast). With `relu`
/// the sum is at least 0.
int32_t addAten(int32_t a, const QuantParams &pa, int32_t b,
                const QuantParams &pb, const QuantParams &py, int64_t lo,
                int64_t hi, bool relu = false);

//===----------------------------------------------------------------------===//
// Multiplication
//===----------------------------------------------------------------------===//

/// Returns f32(f32(sa * sb) * f32(1 / sy)) (ATen, unsigned operands).
float mulMultiplier(double sa, double sb, double sy);

/// Returns f32(f32(sa * sb) / sy) (XNNPACK, signed operands).
float mulMultiplierXnnpack(double sa, double sb, double sy);

/// Returns requantize((a - za) * (b - zb), m, zy, omin, omax) (ATen, vector
/// code). With a fused relu, omin = zy.
int32_t mulQ8(int32_t a, int32_t b, int32_t za, int32_t zb, float m, int32_t zy,
              int32_t omin, int32_t omax);

//===----------------------------------------------------------------------===//
// Leaky rectifier with quantized slopes
//===----------------------------------------------------------------------===//

/// Returns quantize(1.0) - zeroPoint with the parameters of the slopes, which
/// saturates: it stands for 1 only if `range` reaches that far, that is
/// scale * (range.max - zeroPoint) >= 1.
int32_t preluOne(const QuantParams &slope, QuantRange range);

//===----------------------------------------------------------------------===//
// A tensor and a constant
//===----------------------------------------------------------------------===//

/// How the integers change when a quantized tensor is added to, or multiplied
/// by, a float constant; most often only the parameters do.
enum class ScalarRewrite {
  /// y = q.
  Keep,
  /// y = lo + hi - q.
  Reflect,
  /// y = 0.
  Zero,
  /// y = clamp(zeroPoint + rne(f32(f32(q + offset) * multiplier)), lo, hi).
  Rescale,
};

/// The parameters of the result of such an operation and the change of the
/// integers.
struct ScalarResult {
  QuantParams params;
  ScalarRewrite rewrite = ScalarRewrite::Keep;
  /// Used by Rescale only.
  int64_t offset = 0;
  /// Used by Rescale only.
  float multiplier = 1.0f;
  QuantRange range;
};

/// Returns the result of x + `constant` for x with parameters `in` (ATen
/// add_scalar): the zero point moves by rne(constant / scale), in double; if
/// it would leave `range`, it stays at the end of the range and the scale
/// grows to cover both the old values and the constant.
ScalarResult addScalar(const QuantParams &in, double constant,
                       QuantRange range);

/// Returns the result of x * `constant` (ATen mul_scalar): the scale is
/// multiplied by |constant|, in double; a negative constant reflects the
/// integers; zero gives integers 0 with scale 1 and zero point 0.
ScalarResult mulScalar(const QuantParams &in, double constant,
                       QuantRange range);

/// Returns the integer that `q` becomes.
int32_t applyScalar(int32_t q, const ScalarResult &result);

//===----------------------------------------------------------------------===//
// Averages
//===----------------------------------------------------------------------===//

/// Returns f32(s / f32(s * f32(n))) for `n` values of scale `s`: 1/n up to an
/// ulp (QNNPACK q8avgpool, q8gavgpool; average pooling without ceil mode,
/// adaptive average pooling of divisible sizes, mean over height and width).
float avgPoolMultiplier(double s, int64_t n);

/// Returns requantize(sum - n * zx, m, zx, lo, hi), where `sum` adds raw
/// integers and padding counts as `zx` (QNNPACK q8avgpool).
int32_t avgPool(int64_t sum, int64_t n, int32_t zx, float m, int32_t lo,
                int32_t hi);

} // namespace qbackend::numerics

#endif // QBACKEND_NUMERICS_REQUANTIZE_H

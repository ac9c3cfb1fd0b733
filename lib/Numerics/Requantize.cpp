// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From integer accumulators to quantized results.

#include "qbackend/Numerics/Requantize.h"

#include "qbackend/Numerics/Quantize.h"

#include <algorithm>
#include <cmath>

namespace qbackend::numerics {

static float f32(double value) { return static_cast<float>(value); }

/// Saturates to 16 bits, as the SIMD kernels do between steps.
static int32_t saturate16(int32_t value) {
  return std::clamp(value, -32768, 32767);
}

/// Returns the integer nearest to `value` in [`lo`, `hi`].
static int32_t roundAndClamp(float value, int32_t lo, int32_t hi) {
  float rounded = roundHalfToEven(value);
  return static_cast<int32_t>(std::clamp(rounded, f32(lo), f32(hi)));
}

float convMultiplier(double sx, double sw, double sy) {
  float inverse = 1.0f / f32(sy);
  return f32(sw) * f32(sx) * inverse;
}

float convMultiplierXnnpack(double sx, double sw, double sy) {
  return f32(sx) * f32(sw) / f32(sy);
}

int32_t requantize(int32_t acc, float m, int32_t zy, int32_t omin,
                   int32_t omax) {
  int32_t r = convertToInt32(f32(acc) * m);
  return std::max(std::min(saturate16(r) + zy, omax), omin);
}

int32_t requantizeXnnpack(int32_t acc, float m, int32_t zy, int32_t omin,
                          int32_t omax) {
  float v = std::min(f32(acc) * m, f32(omax - zy));
  return std::max(saturate16(convertToInt32(v)) + zy, omin);
}

int32_t applyFixedPoint(int64_t value, int32_t multiplier, int shift,
                        Rounding rounding) {
  // Below 2^62 in magnitude, so that what rounds it fits, too.
  int64_t product = value * multiplier, half = int64_t(1) << (shift - 1);
  switch (rounding) {
  case Rounding::NearestEven:
    product += half - 1 + ((product >> shift) & 1);
    break;
  case Rounding::HalfUp:
    product += half;
    break;
  case Rounding::HalfAway:
    product += half - (product < 0);
    break;
  case Rounding::Double:
    product += half;
    if (shift > 31)
      product += value >= 0 ? int64_t(1) << 30 : -(int64_t(1) << 30);
    break;
  }
  return static_cast<int32_t>(product >> shift);
}

std::optional<FixedPointMultiplier> quantizeMultiplier(double value, int bits) {
  // Written so that a NaN is none.
  if (!(value > 0 && value < std::ldexp(1, bits - 2)))
    return std::nullopt;
  int exponent;
  int64_t integer =
      std::llround(std::ldexp(std::frexp(value, &exponent), bits));
  if (integer == int64_t(1) << bits) {
    integer /= 2;
    ++exponent;
  }
  if (exponent < -31)
    return FixedPointMultiplier();
  if (exponent > bits - 2)
    return std::nullopt;
  return FixedPointMultiplier{static_cast<int32_t>(integer), bits - exponent};
}

/// Returns the multipliers with `precision` bits after the leading one of the
/// larger ratio.
static AddMultipliers makeAddMultipliers(double sa, double sb, double sy,
                                         int precision, float smallest) {
  float ra = f32(sa) / f32(sy);
  float rb = f32(sb) / f32(sy);
  float larger = std::max(ra, rb);
  AddMultipliers m;
  // Written so that a NaN is not valid.
  if (!(ra >= smallest && rb >= smallest && ra < 0x1p8f && rb < 0x1p8f &&
        larger >= 0x1p-10f))
    return m;
  m.shift = precision - std::ilogb(larger);
  m.a = static_cast<int32_t>(roundHalfToEven(std::ldexp(ra, m.shift)));
  m.b = static_cast<int32_t>(roundHalfToEven(std::ldexp(rb, m.shift)));
  m.valid = true;
  return m;
}

/// The exact scaled sum; int32 arithmetic that wraps.
static int32_t addAccumulate(int32_t a, int32_t b, int32_t za, int32_t zb,
                             const AddMultipliers &m) {
  uint32_t ma = m.a, mb = m.b;
  return static_cast<int32_t>(uint32_t(a) * ma + uint32_t(b) * mb -
                              (uint32_t(za) * ma + uint32_t(zb) * mb));
}

AddMultipliers addMultipliers(double sa, double sb, double sy) {
  return makeAddMultipliers(sa, sb, sy, /*precision=*/21, 0x1p-14f);
}

int32_t addQ8(int32_t a, int32_t b, int32_t za, int32_t zb,
              const AddMultipliers &m, int32_t zy, int32_t omin, int32_t omax) {
  int32_t acc = addAccumulate(a, b, za, zb, m);
  int32_t mask = static_cast<int32_t>((uint32_t(1) << m.shift) - 1);
  int32_t remainder = (acc & mask) - (acc < 0);
  int32_t r = (acc >> m.shift) + (remainder > (mask >> 1));
  return std::max(std::min(saturate16(saturate16(r) + zy), omax), omin);
}

AddMultipliers addMultipliersXnnpack(double sa, double sb, double sy) {
  return makeAddMultipliers(sa, sb, sy, /*precision=*/20, 0x1p-10f);
}

int32_t addXnnpack(int32_t a, int32_t b, int32_t za, int32_t zb,
                   const AddMultipliers &m, int32_t zy, int32_t omin,
                   int32_t omax) {
  uint32_t half = uint32_t(1) << (m.shift - 1);
  uint32_t acc = static_cast<uint32_t>(addAccumulate(a, b, za, zb, m)) + half;
  int32_t r = static_cast<int32_t>(acc) >> m.shift;
  return std::max(std::min(saturate16(saturate16(r) + zy), omax), omin);
}

int32_t addAten(int32_t a, const QuantParams &pa, int32_t b,
                const QuantParams &pb, const QuantParams &py, int64_t lo,
                int64_t hi, bool relu) {
  float sum = dequantize(a, f32(pa.scale), pa.zeroPoint) +
              dequantize(b, f32(pb.scale), pb.zeroPoint);
  if (relu)
    sum = std::max(sum, 0.0f);
  return quantize(sum, f32(py.scale), py.zeroPoint, lo, hi);
}

float mulMultiplier(double sa, double sb, double sy) {
  float inverse = 1.0f / f32(sy);
  return f32(sa) * f32(sb) * inverse;
}

float mulMultiplierXnnpack(double sa, double sb, double sy) {
  return f32(sa) * f32(sb) / f32(sy);
}

int32_t mulQ8(int32_t a, int32_t b, int32_t za, int32_t zb, float m, int32_t zy,
              int32_t omin, int32_t omax) {
  return requantize((a - za) * (b - zb), m, zy, omin, omax);
}

int32_t preluOne(const QuantParams &slope, QuantRange range) {
  return quantize(1.0f, f32(slope.scale), slope.zeroPoint, range.min,
                  range.max) -
         static_cast<int32_t>(slope.zeroPoint);
}

ScalarResult addScalar(const QuantParams &in, double constant,
                       QuantRange range) {
  ScalarResult result;
  result.range = range;
  // Beyond 2^62 steps nothing but the end of the range matters.
  double steps = roundHalfToEven(constant / in.scale);
  int64_t shift = static_cast<int64_t>(std::clamp(steps, -0x1p62, 0x1p62));
  int64_t zeroPoint = in.zeroPoint - shift;
  if (range.min <= zeroPoint && zeroPoint <= range.max) {
    result.params = {in.scale, zeroPoint};
    return result;
  }
  double span = static_cast<double>(range.max) - static_cast<double>(range.min);
  double covered =
      zeroPoint < range.min
          ? static_cast<double>(range.max) - static_cast<double>(zeroPoint)
          : static_cast<double>(zeroPoint) - static_cast<double>(range.min);
  result.params = {covered / span * in.scale,
                   zeroPoint < range.min ? range.min : range.max};
  result.rewrite = ScalarRewrite::Rescale;
  result.offset = shift - in.zeroPoint;
  result.multiplier = f32(in.scale) * (1.0f / f32(result.params.scale));
  return result;
}

ScalarResult mulScalar(const QuantParams &in, double constant,
                       QuantRange range) {
  ScalarResult result;
  result.range = range;
  if (constant > 0) {
    result.params = {in.scale * constant, in.zeroPoint};
  } else if (constant < 0) {
    result.params = {in.scale * -constant,
                     range.min + range.max - in.zeroPoint};
    result.rewrite = ScalarRewrite::Reflect;
  } else {
    result.rewrite = ScalarRewrite::Zero;
  }
  return result;
}

int32_t applyScalar(int32_t q, const ScalarResult &result) {
  int32_t lo = static_cast<int32_t>(result.range.min);
  int32_t hi = static_cast<int32_t>(result.range.max);
  switch (result.rewrite) {
  case ScalarRewrite::Keep:
    return q;
  case ScalarRewrite::Reflect:
    return lo + hi - q;
  case ScalarRewrite::Zero:
    return 0;
  case ScalarRewrite::Rescale:
    break;
  }
  int32_t zeroPoint = static_cast<int32_t>(result.params.zeroPoint);
  float v = static_cast<float>(q + result.offset) * result.multiplier;
  return roundAndClamp(v, lo - zeroPoint, hi - zeroPoint) + zeroPoint;
}

float avgPoolMultiplier(double s, int64_t n) {
  return f32(s) / (f32(s) * static_cast<float>(n));
}

int32_t avgPool(int64_t sum, int64_t n, int32_t zx, float m, int32_t lo,
                int32_t hi) {
  return requantize(static_cast<int32_t>(sum - n * zx), m, zx, lo, hi);
}

} // namespace qbackend::numerics

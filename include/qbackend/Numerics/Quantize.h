// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantizes and dequantizes f32, with the roundings of PyTorch's scalar code.

#ifndef QBACKEND_NUMERICS_QUANTIZE_H
#define QBACKEND_NUMERICS_QUANTIZE_H

#include <cstdint>

namespace qbackend::numerics {

/// Returns the integer nearest to `value`, ties to even, as a float.
float roundHalfToEven(float value);

/// Returns the integer nearest to `value`, ties to even, as a double.
double roundHalfToEven(double value);

/// Returns `value` rounded to nearest even as int32. NaN and values that do
/// not fit give INT32_MIN, as the x86 conversion does.
int32_t convertToInt32(float value);

/// Returns clamp(zeroPoint + rne(x * f32(1 / scale)), lo, hi) in f32 (ATen
/// scalar quantizer: a product with the reciprocal, not a division; the zero
/// point is added after rounding). NaN, infinities and sums of magnitude 2^63
/// or more give `lo`.
int32_t quantize(float x, float scale, int64_t zeroPoint, int64_t lo,
                 int64_t hi);

/// Returns f32(scale * f32(q - zeroPoint)) (ATen, per tensor).
float dequantize(int64_t q, float scale, int64_t zeroPoint);

/// Returns dequantize(quantize(x)): the float that `x` becomes (ATen
/// fake_quantize, per tensor and per channel).
float fakeQuantize(float x, float scale, int64_t zeroPoint, int64_t lo,
                   int64_t hi);

/// The same with a zero point that is a float, which is added before
/// rounding: f32((clamp(rne(x * f32(1 / scale) + zeroPoint), lo, hi) -
/// zeroPoint) * scale), the difference and the last product in double. NaN and
/// infinities as in `quantize`.
float fakeQuantize(float x, float scale, float zeroPoint, int64_t lo,
                   int64_t hi);

/// Returns fma(scale, q, -f32(scale * zeroPoint)): what ATen's vector code has
/// for `dequantize`. It may be an ulp away.
float dequantizeFused(int64_t q, float scale, int64_t zeroPoint);

/// Returns f32(double(f32(q) - f32(zeroPoint)) * scale) (ATen, per channel:
/// the product is in double).
float dequantizePerChannel(int64_t q, double scale, int64_t zeroPoint);

/// Returns the int32 bias of a convolution or linear: `bias` quantized with
/// scale f32(weightScale * inputScale), the product in double, zero point 0
/// and the range of int32 (ATen qnnpack prepack).
int32_t quantizeBias(float bias, double weightScale, double inputScale);

} // namespace qbackend::numerics

#endif // QBACKEND_NUMERICS_QUANTIZE_H

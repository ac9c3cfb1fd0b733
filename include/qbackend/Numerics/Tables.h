// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unary operators on 8-bit values as tables of 256 entries, and softmax.

#ifndef QBACKEND_NUMERICS_TABLES_H
#define QBACKEND_NUMERICS_TABLES_H

#include "qbackend/Numerics/QuantParams.h"

#include <array>
#include <cstdint>

namespace qbackend::numerics {

/// A unary operator on an 8-bit type: entry i is the result for the stored
/// value qmin + i, where qmin is 0 or -128.
using Table256 = std::array<int32_t, 256>;

/// An 8-bit quantized type with the range of its storage type.
struct TableType {
  double scale = 1.0;
  int64_t zeroPoint = 0;
  bool isSigned = false;

  /// Smallest stored value.
  int64_t min() const { return isSigned ? -128 : 0; }
  /// Largest stored value.
  int64_t max() const { return isSigned ? 127 : 255; }
};

/// ATen has two codes for an element-wise operator: of `n` elements the first
/// `countVectorElements(n)`, in the order of memory, go through its vector
/// code, which has `dequantizeFused` and an exponential of its own, and the
/// rest through its scalar code. The two differ where a result is an exact tie.
enum class AtenCode { Scalar, Vector };

/// Returns 64 * floor(n / 64) (AVX2, one thread).
int64_t countVectorElements(int64_t n);

/// Returns exp(x) to within an ulp for x <= 0 (the vector code's: Cody-Waite
/// reduction and a polynomial of degree 5, all fused).
float expVector(float x);

/// Returns the table of y = quantize(f32(1 / f32(1 + expf(-x)))). With output
/// (1/256, 0) unsigned, the only one it accepts, this is QNNPACK's table.
Table256 sigmoidTable(const TableType &in, const TableType &out);

/// Returns the table of tanh. Output (1/128, 128) unsigned, the only one
/// QNNPACK accepts: rne(clamp(f32(128 * tanh(double(x)) + 128), 0, 255)).
/// Others: quantize(tanhf(x)).
Table256 tanhTable(const TableType &in, const TableType &out);

/// Returns the table of y = quantize(f32(clamp(f32(x + 3), 0, 6) / 6)). With
/// output (1/256, 0) unsigned this is QNNPACK's table.
Table256 hardsigmoidTable(const TableType &in, const TableType &out);

/// Returns the table of y = quantize(dequantize(q)): the same numbers by other
/// parameters.
Table256 requantizeTable(const TableType &in, const TableType &out);

/// Returns the table of u = f32(f32(x * clamp(f32(x + 3), 0, 6)) / 6).
/// Unsigned output: rne(clamp(f32(f32(f32(1 / sy) * u) + zy), 0, 255)), the
/// zero point added before rounding (QNNPACK). Signed: quantize(u) (ATen).
Table256 hardswishTable(const TableType &in, const TableType &out);

/// Returns the table of y = quantize(x > 0 ? x : f32(x * slope)) (ATen).
Table256 leakyReluTable(const TableType &in, const TableType &out, float slope,
                        AtenCode code = AtenCode::Scalar);

/// Returns the table of
/// y = quantize(x > 0 ? x : f32(f32(exp(x) - 1) * alpha)) (ATen).
Table256 eluTable(const TableType &in, const TableType &out, float alpha,
                  AtenCode code = AtenCode::Scalar);

/// Returns the table of y = quantize(x > 0 ? x :
/// f32(f32(exp(f32(x * f32(1 / alpha))) - 1) * alpha)) (ATen).
Table256 celuTable(const TableType &in, const TableType &out, float alpha,
                   AtenCode code = AtenCode::Scalar);

/// Returns the table of y = quantize(x > threshold ? x : value) (ATen).
Table256 thresholdTable(const TableType &in, const TableType &out,
                        float threshold, float value,
                        AtenCode code = AtenCode::Scalar);

/// Returns the exponentials that softmax over `n` values of scale `scale`
/// needs: rne(K * exp((i - 255) * scale)), in double, with
/// K = min((2^32 - 1) / n, 2^23 - 1) (QNNPACK u8lut32norm).
std::array<uint32_t, 256> softmaxTable(float scale, int64_t n);

} // namespace qbackend::numerics

#endif // QBACKEND_NUMERICS_TABLES_H

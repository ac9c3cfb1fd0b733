// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unary operators on 8-bit values as tables of 256 entries, and softmax.

#include "qbackend/Numerics/Tables.h"

#include "qbackend/Numerics/Quantize.h"

#include <algorithm>
#include <cmath>

namespace qbackend::numerics {

static float f32(double value) { return static_cast<float>(value); }

/// Returns the table of `function`, which maps the float value of an input to
/// the stored value of the result.
template <typename Function>
static Table256 makeTable(const TableType &in, Function function,
                          AtenCode code = AtenCode::Scalar) {
  auto real = code == AtenCode::Vector ? dequantizeFused : dequantize;
  Table256 table;
  for (int64_t i = 0; i < 256; ++i)
    table[i] = function(real(in.min() + i, f32(in.scale), in.zeroPoint));
  return table;
}

static int32_t quantizeTo(const TableType &out, float value) {
  return quantize(value, f32(out.scale), out.zeroPoint, out.min(), out.max());
}

/// Returns rne(clamp(t, min, max)): the zero point is already in `t`.
static int32_t clampAndRound(const TableType &out, float t) {
  return static_cast<int32_t>(
      roundHalfToEven(std::clamp(t, f32(out.min()), f32(out.max()))));
}

static float relu6OfXPlus3(float x) {
  return std::min(std::max(x + 3.0f, 0.0f), 6.0f);
}

Table256 sigmoidTable(const TableType &in, const TableType &out) {
  return makeTable(in, [&](float x) {
    return quantizeTo(out, 1.0f / (1.0f + std::exp(-x)));
  });
}

Table256 tanhTable(const TableType &in, const TableType &out) {
  bool isQnnpack =
      !out.isSigned && out.scale == 1.0 / 128 && out.zeroPoint == 128;
  return makeTable(in, [&](float x) {
    if (!isQnnpack)
      return quantizeTo(out, std::tanh(x));
    double t = 128.0 * std::tanh(static_cast<double>(x)) + 128.0;
    return clampAndRound(out, f32(t));
  });
}

Table256 hardsigmoidTable(const TableType &in, const TableType &out) {
  return makeTable(
      in, [&](float x) { return quantizeTo(out, relu6OfXPlus3(x) / 6.0f); });
}

Table256 requantizeTable(const TableType &in, const TableType &out) {
  return makeTable(in, [&](float x) { return quantizeTo(out, x); });
}

Table256 hardswishTable(const TableType &in, const TableType &out) {
  float inverse = 1.0f / f32(out.scale);
  return makeTable(in, [&](float x) {
    float u = x * relu6OfXPlus3(x) / 6.0f;
    if (out.isSigned)
      return quantizeTo(out, u);
    return clampAndRound(out, inverse * u + f32(out.zeroPoint));
  });
}

int64_t countVectorElements(int64_t n) { return n / 64 * 64; }

float expVector(float x) {
  // ln 2 in two parts, so that the product with `k` is exact.
  const float coefficients[] = {1.98527618e-4f, 1.39304355e-3f, 8.33336078e-3f,
                                4.16664854e-2f, 0.166666672f,   0.5f};
  // 2^-150 rounds to 0.
  if (x < -104.0f)
    return 0.0f;
  float k = roundHalfToEven(x * 1.44269504f);
  float t = std::fma(k, -0.693145751953125f, x);
  t = std::fma(k, -1.428606765e-6f, t);
  float p = coefficients[0];
  for (int i = 1; i < 6; ++i)
    p = std::fma(p, t, coefficients[i]);
  return std::ldexp(1.0f + std::fma(t * t, p, t), static_cast<int>(k));
}

static float exponential(float x, AtenCode code) {
  return code == AtenCode::Vector ? expVector(x) : std::exp(x);
}

Table256 leakyReluTable(const TableType &in, const TableType &out, float slope,
                        AtenCode code) {
  return makeTable(
      in, [&](float x) { return quantizeTo(out, x > 0 ? x : x * slope); },
      code);
}

Table256 eluTable(const TableType &in, const TableType &out, float alpha,
                  AtenCode code) {
  return makeTable(
      in,
      [&](float x) {
        return quantizeTo(out,
                          x > 0 ? x : (exponential(x, code) - 1.0f) * alpha);
      },
      code);
}

Table256 celuTable(const TableType &in, const TableType &out, float alpha,
                   AtenCode code) {
  float inverse = 1.0f / alpha;
  return makeTable(
      in,
      [&](float x) {
        if (x > 0)
          return quantizeTo(out, x);
        // A negative alpha turns x around: the polynomial is for x <= 0 only.
        float y = x * inverse;
        float e = y > 0 ? std::exp(y) : exponential(y, code);
        return quantizeTo(out, (e - 1.0f) * alpha);
      },
      code);
}

Table256 thresholdTable(const TableType &in, const TableType &out,
                        float threshold, float value, AtenCode code) {
  return makeTable(
      in, [&](float x) { return quantizeTo(out, x > threshold ? x : value); },
      code);
}

std::array<uint32_t, 256> softmaxTable(float scale, int64_t n) {
  double k = std::min(4294967295.0 / static_cast<double>(n), 8388607.0);
  std::array<uint32_t, 256> table;
  for (int i = 0; i < 256; ++i)
    table[i] = static_cast<uint32_t>(
        roundHalfToEven(k * std::exp((i - 255) * static_cast<double>(scale))));
  return table;
}

} // namespace qbackend::numerics

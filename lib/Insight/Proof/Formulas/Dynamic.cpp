// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formula of a layer that quantizes its input when it runs.

#include "Formulas/Formulas.h"

#include "qbackend/Dialect/QNNPack/ConstantElements.h"

#include <limits>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::proof;
using namespace qbackend::qnnpack;
using llvm::APFloat;
using llvm::APInt;
using llvm::Expected;

/// With `acc` as sum q * (w - zw) - z * sum (w - zw), modulo 2^32 the same.
Expected<Term> FormulaBuilder::linearDynamic(LinearDynamicOp linear) {
  formula.text =
      "s, z of the range of x in double; q = quantize(x); acc = sum q (w - zw) "
      "- z sum (w - zw); f32(f32(f32(acc) * f32(sw * f32(s))) + b)";
  ShapedType weightType = linear.getWeight().getType();
  auto weight = ConstantElements<int8_t>::read(linear.getWeight());
  if (!weight)
    return fail("the weight is no constant");

  // s and z', in double.
  Sort f64{true, 64};
  auto wide = [&](double value) {
    return terms.constantBits(f64, APFloat(value).bitcastToAPInt());
  };
  auto widen = [&](Term value) { return terms.make(Fn::ConvertF, f64, value); };
  auto narrow = [&](Term value) {
    return terms.make(Fn::ConvertF, f32(), value);
  };
  auto minus = [&](Term a, Term b) { return terms.binary(Fn::SubF, a, b); };
  auto isZero = [&](Term value) {
    return terms.compare(Fn::EqualF, value, real(0));
  };
  constexpr float smallest = 6.1e-5f;
  APInt zero = APFloat(0.0f).bitcastToAPInt();
  Term min = scope.extreme({0, false, zero}),
       max = scope.extreme({0, true, zero});
  Term s = divide(minus(widen(max), widen(min)), wide(255));
  Term isInfinite = terms.compare(Fn::EqualF, divide(real(1), narrow(s)),
                                  real(std::numeric_limits<float>::infinity()));
  s = terms.select(terms.binary(Fn::Or, isZero(narrow(s)), isInfinite),
                   wide(0.1), s);
  Term isSmall = terms.compare(Fn::LessF, s, wide(smallest)),
       factor = divide(real(smallest), narrow(s));
  // An end at 0 stays.
  auto stretch = [&](Term end, Term ifMin, Term ifMax) {
    Term stretched = terms.select(isZero(max), ifMax, multiply(end, factor));
    return terms.select(isSmall, terms.select(isZero(min), ifMin, stretched),
                        end);
  };
  Term lo = stretch(min, real(0), real(-smallest * 255)),
       hi = stretch(max, real(smallest * 255), real(0));
  s = terms.select(isSmall, wide(smallest), s);
  Term below = divide(widen(lo), s), above = divide(widen(hi), s);
  auto magnitude = [&](Term value) { return terms.make(Fn::AbsF, f64, value); };
  Term ofMin = terms.compare(Fn::LessF, minus(wide(0), magnitude(below)),
                             minus(wide(255), magnitude(above)));
  Term exact =
      terms.select(ofMin, minus(wide(0), below), minus(wide(255), above));
  // rne(clamp(z', 0, 255)); of NaN 0.
  Term isLess = terms.compare(Fn::LessF, exact, wide(255)),
       isMore = terms.compare(Fn::LessF, wide(0), exact);
  Term integer =
      terms.make(Fn::FToS, bits(32), {terms.make(Fn::RoundEven, f64, exact)});
  Term end =
      terms.select(terms.make(Fn::IsNaN, bits(1), exact), i32(0), i32(255));
  integer = terms.select(isLess, terms.select(isMore, integer, i32(0)), end);
  Term z = terms.make(Fn::Trunc, bits(8), integer),
       extended = terms.make(Fn::ExtU, bits(32), z);
  formula.code.zeroPoint.term = z;

  // A byte of the input, and the sum.
  Linear channel = at.back(),
         inner = addFoldLoop(weightType.getDimSize(1), "i");
  Position read(at.begin(), at.end() - 1);
  read.push_back(inner);
  Term scale = narrow(s);
  Term product = multiply(element(0, read), divide(real(1), scale));
  Term q = terms.make(Fn::Trunc, bits(8),
                      quantizeProduct(product, extended, 0, 255));
  formula.code.quantized.term = q;
  auto perAxis = getPerAxis(weightType);
  auto type = cast<quant::QuantizedType>(weightType.getElementType());
  auto getWeight = [=, w = *weight](int64_t o, int64_t i) -> int64_t {
    int8_t byte = w[o * weightType.getDimSize(1) + i];
    return (type.isSigned() ? int64_t(byte) : int64_t(uint8_t(byte))) -
           (perAxis ? perAxis.getZeroPoints()[o]
                    : cast<quant::UniformQuantizedType>(type).getZeroPoint());
  };
  int64_t in = weightType.getDimSize(1), out = weightType.getDimSize(0);
  Table weights, totals, scales;
  weights.shape = {out, in};
  weights.position = {channel, inner};
  weights.read = [=](int64_t at) {
    return APInt(64, getWeight(at / in, at % in), true).trunc(32);
  };
  std::pair<int64_t, int64_t> sums;
  std::vector<int64_t> added(out);
  for (int64_t o = 0; o < out; ++o) {
    int64_t most = 0;
    for (int64_t i = 0; i < in; ++i) {
      added[o] += getWeight(o, i);
      most += std::abs(getWeight(o, i)) * 255;
    }
    sums = {std::min(sums.first, -most), std::max(sums.second, most)};
  }
  formula.sums = sums;
  totals.shape = scales.shape = {out};
  totals.position = scales.position = {channel};
  totals.read = [=](int64_t o) { return APInt(64, added[o], true).trunc(32); };
  scales.read = [=](int64_t o) {
    return APFloat(
               static_cast<float>(
                   perAxis
                       ? perAxis.getScales()[o]
                       : cast<quant::UniformQuantizedType>(type).getScale()))
        .bitcastToAPInt();
  };
  Term w = scope.element(std::move(weights), bits(32), "(w - zw)");
  carry(i32(0), [&](Term carried) {
    Term byte = terms.make(Fn::ExtU, bits(32), q);
    return terms.binary(Fn::Add, carried, terms.binary(Fn::Mul, byte, w));
  });

  // y.
  Term total = scope.element(std::move(totals), bits(32), "sum (w - zw)");
  Term acc = terms.binary(Fn::Sub, formula.code.fold->result,
                          terms.binary(Fn::Mul, extended, total));
  Term m = multiply(scope.element(std::move(scales), f32(), "sw"), scale);
  Term bias = linear.getBias() ? number(2, channel, "b") : real(0);
  if (!bias)
    return fail("the bias is neither an argument nor a constant");
  Term y = terms.binary(Fn::AddF, multiply(toReal(acc), m), bias);
  if (!linear.getRelu())
    return y;
  formula.text += ", at least 0";
  return terms.select(terms.compare(Fn::LessF, y, real(0)), real(0), y);
}

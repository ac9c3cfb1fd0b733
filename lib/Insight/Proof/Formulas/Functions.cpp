// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formulas of functions of a byte, and of those that differ by channel.

#include "Formulas/Formulas.h"

#include "qbackend/Dialect/QNNPack/ConstantElements.h"
#include "qbackend/Dialect/QNNPack/QNNPack.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::proof;
using namespace qbackend::qnnpack;
using llvm::APFloat;
using llvm::APInt;
using llvm::Expected;

/// Functions of one byte. expf and tanh are the C library's, by the formula's
/// text in the precision that it names.
Expected<Term> FormulaBuilder::lookUp() {
  QParams x(op->getOperand(0).getType()), y(op->getResult(0).getType());
  Term q = element(0, at);
  Term value = dequantize(q, x);
  auto library = [&](llvm::function_ref<APFloat(float)> function) {
    std::vector<APInt> table;
    for (int byte = 0; byte < 256; ++byte) {
      int64_t integer = x.isSigned ? static_cast<int8_t>(byte) : byte;
      float real = x.scale * static_cast<float>(integer - x.zeroPoint);
      table.push_back(function(real).bitcastToAPInt());
    }
    unsigned width = table.front().getBitWidth();
    return terms.lookup(std::move(table), q, {true, width});
  };
  auto plus = [&](Term a, Term b) { return terms.binary(Fn::AddF, a, b); };
  auto limit = [&](Term v, float lo, float hi) {
    v = terms.select(terms.compare(Fn::LessF, v, real(lo)), real(lo), v);
    return terms.select(terms.compare(Fn::LessF, real(hi), v), real(hi), v);
  };
  // rne(clamp(v, 0, 255)).
  auto roundLimited = [&](Term v) {
    return store(terms.make(Fn::FToS, bits(32), {rne(limit(v, 0, 255))}), y);
  };
  Term six = limit(plus(value, real(3)), 0, 6);
  auto orElse = [&](Term otherwise) {
    return terms.select(terms.compare(Fn::LessF, real(0), value), value,
                        otherwise);
  };
  if (isa<SigmoidOp>(op)) {
    formula.text = "quantize(f32(1 / f32(1 + expf(-x))))";
    Term e = library([](float v) { return APFloat(std::exp(-v)); });
    return quantize(divide(real(1), plus(real(1), e)), y, y.min);
  }
  if (isa<TanhOp>(op) && y.isSigned) {
    formula.text = "quantize(tanhf(x))";
    return quantize(library([](float v) { return APFloat(std::tanh(v)); }), y,
                    y.min);
  }
  if (isa<TanhOp>(op)) {
    formula.text = "rne(clamp(f32(128 * tanh(x) + 128), 0, 255))";
    return roundLimited(library([](float v) {
      double t = 128 * std::tanh(static_cast<double>(v)) + 128;
      return APFloat(static_cast<float>(t));
    }));
  }
  if (isa<HardsigmoidOp>(op)) {
    formula.text = "quantize(f32(clamp(f32(x + 3), 0, 6) / 6))";
    return quantize(divide(six, real(6)), y, y.min);
  }
  if (isa<RequantizeOp>(op)) {
    formula.text = "quantize(x)";
    return quantize(value, y, y.min);
  }
  if (isa<HardswishOp>(op)) {
    Term v = divide(multiply(value, six), real(6));
    if (y.isSigned) {
      formula.text = "quantize(f32(f32(x * u) / 6))";
      return quantize(v, y, y.min);
    }
    formula.text = "rne(clamp(f32(f32(f32(1 / sy) * v) + zy), 0, 255))";
    Term scaled = multiply(divide(real(1), real(y.scale)), v);
    return roundLimited(plus(scaled, real(y.zeroPoint)));
  }
  if (op->hasAttr("vectorized"))
    return fail("ATen's vector code");
  if (auto leaky = dyn_cast<LeakyReluOp>(op)) {
    formula.text = "quantize(x > 0 ? x : f32(x * slope))";
    float slope = leaky.getNegativeSlope().convertToFloat();
    return quantize(orElse(multiply(value, real(slope))), y, y.min);
  }
  if (auto elu = dyn_cast<EluOp>(op)) {
    formula.text = "quantize(x > 0 ? x : f32(f32(expf(x) - 1) * alpha))";
    Term e = library([](float v) { return APFloat(std::exp(v)); });
    Term less = terms.binary(Fn::SubF, e, real(1));
    float alpha = elu.getAlpha().convertToFloat();
    return quantize(orElse(multiply(less, real(alpha))), y, y.min);
  }
  if (auto celu = dyn_cast<CeluOp>(op)) {
    formula.text = "quantize(x > 0 ? x : f32(f32(expf(f32(x * f32(1 / alpha))) "
                   "- 1) * alpha))";
    float alpha = celu.getAlpha().convertToFloat(), inverse = 1.0f / alpha;
    Term e = library([=](float v) { return APFloat(std::exp(v * inverse)); });
    Term less = terms.binary(Fn::SubF, e, real(1));
    return quantize(orElse(multiply(less, real(alpha))), y, y.min);
  }
  if (auto threshold = dyn_cast<ThresholdOp>(op)) {
    formula.text = "quantize(x > threshold ? x : value)";
    Term least = real(threshold.getThreshold().convertToFloat()),
         other = real(threshold.getValue().convertToFloat());
    return quantize(
        terms.select(terms.compare(Fn::LessF, least, value), value, other), y,
        y.min);
  }
  return fail("none is here for this function yet");
}

/// With r = f32(1 / f32(sqrt(f32(var + f32(eps))))), the products by scales in
/// double.
Expected<Term> FormulaBuilder::batchNorm(BatchNormOp norm) {
  QParams x(norm.getInput().getType()), y(norm.getOutput().getType());
  formula.text = "clamp(zy + rne(fma(a, x - zx, b)), lo, qmax)";
  auto weight = ConstantElements<float>::read(norm.getWeight()),
       bias = ConstantElements<float>::read(norm.getBias()),
       mean = ConstantElements<float>::read(norm.getMean()),
       var = ConstantElements<float>::read(norm.getVar());
  if (!weight || !bias || !mean || !var)
    return fail("weight, bias, mean and var are no constants");
  double sx = getQuantizedType(norm.getInput().getType()).getScale(),
         sy = getQuantizedType(norm.getOutput().getType()).getScale();
  float eps = static_cast<float>(norm.getEps().convertToDouble());
  auto getChannel = [&](StringRef name, auto function) {
    Table table;
    table.shape = {static_cast<int64_t>(weight->size())};
    table.position = {at.back()};
    table.read = [=, w = *weight, b = *bias, m = *mean,
                  v = *var](int64_t c) -> APInt {
      float sum = v[c] + eps;
      float root = std::sqrt(sum);
      float r = 1.0f / root;
      float value = function(w[c], b[c], m[c], r);
      return APFloat(value).bitcastToAPInt();
    };
    return scope.element(std::move(table), f32(), name);
  };
  Term a = getChannel("a", [=](float w, float, float, float r) {
    float product = r * w;
    return static_cast<float>(product * (sx / sy));
  });
  Term b = getChannel("b", [=](float w, float bias, float m, float r) {
    float moved = m * r;
    float scaled = moved * w;
    float rest = bias - scaled;
    return static_cast<float>(rest / sy);
  });
  Term d = toReal(subtract(integer(0, at), x.zeroPoint));
  Term v = terms.make(Fn::Fma, f32(), {a, d, b});
  int64_t lo = norm.getRelu() ? y.zeroPoint : y.min;
  // 34 bits hold what cvt gives; beyond are the ends.
  Term rounded = rne(v);
  Term sum = terms.binary(Fn::Add, terms.make(Fn::ExtS, bits(34), {cvt(v)}),
                          terms.constant(34, y.zeroPoint));
  Term isLarge = terms.compare(Fn::LessEqualF, real(0x1p31f), rounded);
  return store(
      terms.select(isLarge, terms.constant(34, y.max), clamp(sum, lo, y.max)),
      y);
}

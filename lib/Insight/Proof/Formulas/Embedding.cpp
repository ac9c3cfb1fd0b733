// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formula of rows that are looked up in a table of 8 or 4 bits.

#include "Formulas/Formulas.h"

#include "qbackend/Dialect/QNNPack/ConstantElements.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::proof;
using namespace qbackend::qnnpack;
using llvm::APFloat;
using llvm::Expected;

// Not the function of Numerics: it is what the code that is proven is made by.
static float roundToHalf(float value) {
  APFloat half(value);
  bool loses;
  half.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &loses);
  half.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &loses);
  return half.convertToFloat();
}

/// A row that there is: what an index has otherwise is an assertion's.
Expected<Term> FormulaBuilder::embedding() {
  bool isPacked = isa<Embedding4BitOp>(op);
  int64_t rows = cast<ShapedType>(op->getOperand(1).getType()).getDimSize(0);
  Linear row =
             scope.choose(element(0, Position(at.begin(), at.end() - 1)), rows),
         column = at.back();
  Term s, b;
  if (isPacked) {
    formula.text = "fma(f16(s[i]), t[i, j], -f16(f32(z[i] * s[i])))";
    auto scales = ConstantElements<float>::read(op->getOperand(2)),
         zeroPoints = ConstantElements<float>::read(op->getOperand(3));
    if (!scales || !zeroPoints)
      return fail("the scales and zero points of rows, of which floats of 16 "
                  "bits are made, are no constants");
    s = number(2, row, "f16(s)",
               [](int64_t, float own) { return roundToHalf(own); });
    b = number(3, row, "-f16(z * s)", [=](int64_t i, float own) {
      float product = own * (*scales)[i];
      return roundToHalf(-product);
    });
  } else {
    formula.text = "fma(s[i], t[i, j], -f32(z[i] * s[i]))";
    s = number(2, row, "s");
    b = number(3, row, "z");
    if (!s || !b)
      return fail("the scales and zero points of rows are neither arguments "
                  "nor constants");
    b = terms.make(Fn::NegF, f32(), {multiply(b, s)});
  }
  Term q;
  if (isPacked) {
    // The even column in the low half.
    auto parts = scope.divide(column, 2);
    auto odd = parts ? scope.getNumber(parts->second) : std::nullopt;
    if (!odd)
      return fail("columns that are no pairs");
    Term shift = terms.binary(Fn::Mul, terms.make(Fn::Trunc, bits(8), {*odd}),
                              terms.constant(8, 4));
    q = terms.binary(
        Fn::And, terms.binary(Fn::ShrU, element(1, {row, parts->first}), shift),
        terms.constant(8, 15));
  } else {
    q = element(1, {row, column});
  }
  return terms.make(Fn::Fma, f32(), {s, terms.make(Fn::UToF, f32(), {q}), b});
}

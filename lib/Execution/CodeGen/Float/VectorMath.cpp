// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp, tanh and erf of vectors of f32, in double.

#include "VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace {
/// Builds arithmetic on vectors of doubles.
class Formula {
public:
  Formula(OpBuilder &builder, Location loc, int64_t lanes)
      : b(builder), loc(loc), type(VectorType::get(lanes, b.getF64Type())) {}

  Value number(double value) {
    return arith::ConstantOp::create(
        b, loc, type, DenseElementsAttr::get(type, b.getF64FloatAttr(value)));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value subtract(Value x, Value y) {
    return arith::SubFOp::create(b, loc, x, y);
  }
  Value multiply(Value x, Value y) {
    return arith::MulFOp::create(b, loc, x, y);
  }
  /// A step of Horner's rule: sum * x + coefficient.
  Value multiplyAndAdd(Value sum, Value x, double coefficient) {
    Value product = multiply(sum, x);
    return add(product, number(coefficient));
  }
  /// `ifTrue` where `x predicate y`, else `ifFalse`; NaN compares false.
  Value choose(arith::CmpFPredicate predicate, Value x, Value y, Value ifTrue,
               Value ifFalse) {
    return arith::SelectOp::create(
        b, loc, arith::CmpFOp::create(b, loc, predicate, x, y), ifTrue,
        ifFalse);
  }
  VectorType get(Type element) {
    return VectorType::get(type.getShape(), element);
  }

  /// x = n ln 2 + r, exp(x) = 2^n exp(r), |r| <= ln 2 / 2: the terms of the
  /// series from r^11 on are less than 3e-13 of the sum.
  Value exp(Value x) {
    // Beyond these ends, a float is 0 or infinite; NaN passes.
    Value least = number(-120), most = number(100);
    x = choose(arith::CmpFPredicate::OLT, x, least, least, x);
    x = choose(arith::CmpFPredicate::OGT, x, most, most, x);
    Value n = math::RoundEvenOp::create(
        b, loc, multiply(x, number(1.4426950408889634)));
    Value r = subtract(x, multiply(n, number(0.6931471805599453)));
    Value sum = number(1.0 / 3628800);
    for (double term : {1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
                        1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0})
      sum = multiplyAndAdd(sum, r, term);
    // 2^n from its bits; of NaN, which no integer is, any power will do.
    n = choose(arith::CmpFPredicate::UNO, n, n, number(0), n);
    Type i32 = get(b.getI32Type()), i64 = get(b.getI64Type());
    auto integer = [&](int64_t value) {
      return arith::ConstantOp::create(
          b, loc, i64,
          DenseElementsAttr::get(cast<ShapedType>(i64),
                                 b.getI64IntegerAttr(value)));
    };
    Value bits = arith::ExtSIOp::create(
        b, loc, i64, arith::FPToSIOp::create(b, loc, i32, n));
    bits = arith::AddIOp::create(b, loc, bits, integer(1023));
    bits = arith::ShLIOp::create(b, loc, bits, integer(52));
    return multiply(sum, arith::BitcastOp::create(b, loc, type, bits));
  }

  /// (1 - e) / (1 + e), e = exp(-2 |x|), with the sign of x; the first terms of
  /// the series where that would cancel.
  Value tanh(Value x) {
    Value magnitude = math::AbsFOp::create(b, loc, x);
    Value e = exp(multiply(magnitude, number(-2)));
    Value one = number(1);
    Value difference = subtract(one, e);
    Value large = arith::DivFOp::create(b, loc, difference, add(one, e));
    Value cube = multiply(multiply(x, x), magnitude);
    Value small = subtract(magnitude, multiply(cube, number(1.0 / 3)));
    Value result = choose(arith::CmpFPredicate::OLT, magnitude, number(1e-3),
                          small, large);
    return math::CopySignOp::create(b, loc, result, x);
  }

  /// The series of erf up to x^19 below 1/2, where the next term is less than
  /// 6e-13 of the sum; 1 - exp(-x^2) p(t), t = 1 / (1 + |x| / 2), above, with a
  /// polynomial fitted to exp(x^2) erfc(x) at 200 Chebyshev nodes of t for |x|
  /// from 1/2 to 4.25, within 2e-13 of it. There a float is 1.
  Value erf(Value x) {
    Value magnitude = math::AbsFOp::create(b, loc, x);
    Value most = number(4.25);
    magnitude =
        choose(arith::CmpFPredicate::OGT, magnitude, most, most, magnitude);
    Value square = multiply(magnitude, magnitude);
    Value sum = number(0);
    double factorial = 362880;
    for (int n = 9; n >= 0; --n) {
      double term = (n % 2 ? -1 : 1) / (factorial * (2 * n + 1));
      sum = multiplyAndAdd(sum, square, term);
      factorial /= n > 0 ? n : 1;
    }
    // 2 / sqrt(pi)
    Value small = multiply(sum, magnitude);
    small = multiply(small, number(1.1283791670955126));

    Value one = number(1);
    Value t = arith::DivFOp::create(b, loc, one,
                                    add(one, multiply(magnitude, number(0.5))));
    // From -1 to 1.
    Value place = subtract(t, number(0.56));
    place = multiply(place, number(1 / 0.24));
    Value fitted = number(0);
    for (double coefficient :
         {1.3901626516599184e-10, -1.653597792028447e-09,
          2.5655310764705032e-09, 3.263828602939609e-08,
          -1.6892834953097235e-07, -3.3939302959140613e-07,
          5.522691068238216e-06, -3.4928133616496326e-07,
          -0.00018627671994252406, -3.127037386925214e-05, 0.008818672737441312,
          0.06227480881109776, 0.23453478221870505, 0.3102749287418983})
      fitted = multiplyAndAdd(fitted, place, coefficient);
    Value large =
        subtract(one, multiply(exp(multiply(square, number(-1))), fitted));
    Value result =
        choose(arith::CmpFPredicate::OLT, magnitude, number(0.5), small, large);
    return math::CopySignOp::create(b, loc, result, x);
  }

private:
  OpBuilder &b;
  Location loc;
  VectorType type;
};
} // namespace

Value qbackend::codegen::emitVectorMath(OpBuilder &builder, Operation *op,
                                        Value vector) {
  auto type = cast<VectorType>(vector.getType());
  if (!isa<math::ExpOp, math::TanhOp, math::ErfOp>(op) ||
      !type.getElementType().isF32())
    return {};
  Location loc = op->getLoc();
  Formula formula(builder, loc, type.getDimSize(0));
  Value x = arith::ExtFOp::create(builder, loc,
                                  formula.get(builder.getF64Type()), vector);
  Value y = isa<math::ExpOp>(op)    ? formula.exp(x)
            : isa<math::TanhOp>(op) ? formula.tanh(x)
                                    : formula.erf(x);
  return arith::TruncFOp::create(builder, loc, type, y);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp and tanh of vectors of f32, in double.

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
    x = choose(arith::CmpFPredicate::OLT, x, number(-120), number(-120), x);
    x = choose(arith::CmpFPredicate::OGT, x, number(100), number(100), x);
    Value n = math::RoundEvenOp::create(
        b, loc, multiply(x, number(1.4426950408889634)));
    Value r = subtract(x, multiply(n, number(0.6931471805599453)));
    Value sum = number(1.0 / 3628800);
    for (double term : {1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
                        1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0})
      sum = add(multiply(sum, r), number(term));
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
    bits = arith::ShLIOp::create(
        b, loc, arith::AddIOp::create(b, loc, bits, integer(1023)),
        integer(52));
    return multiply(sum, arith::BitcastOp::create(b, loc, type, bits));
  }

  /// (1 - e) / (1 + e), e = exp(-2 |x|), with the sign of x; the first terms of
  /// the series where that would cancel.
  Value tanh(Value x) {
    Value magnitude = math::AbsFOp::create(b, loc, x);
    Value e = exp(multiply(magnitude, number(-2)));
    Value one = number(1);
    Value large = arith::DivFOp::create(b, loc, subtract(one, e), add(one, e));
    large = math::CopySignOp::create(b, loc, large, x);
    Value cube = multiply(multiply(x, x), x);
    Value small = subtract(x, multiply(cube, number(1.0 / 3)));
    return choose(arith::CmpFPredicate::OLT, magnitude, number(1e-3), small,
                  large);
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
  if (!isa<math::ExpOp, math::TanhOp>(op) || !type.getElementType().isF32())
    return {};
  Location loc = op->getLoc();
  Formula formula(builder, loc, type.getDimSize(0));
  Value x = arith::ExtFOp::create(builder, loc,
                                  formula.get(builder.getF64Type()), vector);
  return arith::TruncFOp::create(builder, loc, type,
                                 isa<math::ExpOp>(op) ? formula.exp(x)
                                                      : formula.tanh(x));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The epilogue of fixed-point multipliers: exact products of 32 and 31 bits in
// lanes of 64, as integers or as f64, and a residual sum of such numbers.

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::codegen;

// round(p / 2^s) is (floor(p' / 2^(s - 1)) + 1) >> 1 of a product p' that is
// moved by what the rounding differs from half up.
Value KernelEmitter::scaleByFixedPoint(Value sums, Value multiplierVector,
                                       qnnpack::Rounding rounding) {
  ImplicitLocOpBuilder &b = *builder;
  VectorType i64 = vectorOf(target.lanes, b.getI64Type());
  auto number = [&](int64_t value) { return splat(i64, value); };
  auto shift = [&](Value value, Value places) -> Value {
    return arith::ShRSIOp::create(b, value, places);
  };
  auto add = [&](Value lhs, Value rhs) -> Value {
    return arith::AddIOp::create(b, lhs, rhs);
  };
  Value wide = arith::ExtSIOp::create(b, i64, sums);
  Value multiplier =
      arith::AndIOp::create(b, multiplierVector, number(INT32_MAX));
  // The shift, less 1.
  Value places = arith::ShRUIOp::create(b, multiplierVector, number(32));
  Value product = arith::MulIOp::create(b, wide, multiplier);
  switch (rounding) {
  case qnnpack::Rounding::HalfUp:
    break;
  case qnnpack::Rounding::HalfAway:
    product = add(product, shift(product, number(63)));
    break;
  case qnnpack::Rounding::NearestEven: {
    Value isOdd = arith::AndIOp::create(
        b, shift(shift(product, places), number(1)), number(1));
    product = add(add(product, isOdd), number(-1));
    break;
  }
  case qnnpack::Rounding::Double: {
    Value isLarge =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, places, number(30));
    Value unit = arith::SelectOp::create(b, isLarge, number(int64_t(1) << 30),
                                         number(0));
    // Its negative for a negative sum.
    Value sign = shift(wide, number(63));
    Value moved =
        arith::SubIOp::create(b, arith::XOrIOp::create(b, unit, sign), sign);
    product = add(product, moved);
    break;
  }
  }
  Value rounded = shift(add(shift(product, places), number(1)), number(1));
  return arith::TruncIOp::create(b, vectorOf(target.lanes, b.getI32Type()),
                                 rounded);
}

// v * m / 2^s, moved by 2^(30 - s) away from 0 for `double`, and rounded to
// nearest, ties to even. Products that are not clamped are exact, so that it
// doesn't matter whether the addition is one op with them.
Value KernelEmitter::scaleByDoubles(Value sums, Value multiplierVector,
                                    qnnpack::Rounding rounding) {
  ImplicitLocOpBuilder &b = *builder;
  VectorType i64 = vectorOf(target.lanes, b.getI64Type()),
             f64 = vectorOf(target.lanes, b.getF64Type());
  auto mayFuse = arith::FastMathFlagsAttr::get(b.getContext(),
                                               arith::FastMathFlags::contract);
  auto add = [&](Value lhs, Value rhs) -> Value {
    return arith::AddFOp::create(b, lhs, rhs, mayFuse);
  };
  Value wide = arith::SIToFPOp::create(b, f64, sums);
  Value scaled = arith::MulFOp::create(b, wide, multiplierVector, mayFuse);
  if (rounding == qnnpack::Rounding::Double) {
    auto bits = [&](Value value, int64_t mask) -> Value {
      return arith::AndIOp::create(b, arith::BitcastOp::create(b, i64, value),
                                   splat(i64, mask));
    };
    Value moved =
        arith::OrIOp::create(b, bits(multiplierVector, int64_t(0x7ff) << 52),
                             bits(wide, std::numeric_limits<int64_t>::min()));
    scaled = add(scaled, arith::BitcastOp::create(b, f64, moved));
  }
  VectorType i32 = vectorOf(target.lanes, b.getI32Type());
  std::string lanes = std::to_string(target.lanes);
  return LLVM::CallIntrinsicOp::create(
             b, i32,
             b.getStringAttr("llvm.lrint.v" + lanes + "i32.v" + lanes + "f64"),
             scaled)
      .getResults();
}

// With m = i * 2^s + f: round(v * m / 2^s) = v * i + ((v * f + 2^(s - 1)) >>
// s).
Value KernelEmitter::scaleByte(Value integers,
                               qnnpack::RequantizationAttr requantization) {
  ImplicitLocOpBuilder &b = *builder;
  auto type = cast<VectorType>(integers.getType());
  int64_t shift = requantization.getShift()[0],
          multiplier = requantization.getMultiplier()[0],
          whole = multiplier >> shift, part = multiplier - (whole << shift);
  auto times = [&](int64_t factor) -> Value {
    return arith::MulIOp::create(b, integers, splat(type, factor));
  };
  if (part == 0)
    return times(whole);
  Value rest = arith::AddIOp::create(b, times(part),
                                     splat(type, int64_t(1) << (shift - 1)));
  Value product = times(whole);
  return arith::AddIOp::create(
      b, product, arith::ShRSIOp::create(b, rest, splat(type, shift)));
}

Value KernelEmitter::addFixedPoint(Value integers, Value others) {
  ImplicitLocOpBuilder &b = *builder;
  VectorType i32 = vectorOf(target.lanes, b.getI32Type()),
             i64 = vectorOf(target.lanes, b.getI64Type());
  auto center = [&](Value value, int64_t zeroPoint) -> Value {
    if (zeroPoint == 0)
      return value;
    return arith::AddIOp::create(b, value, splat(i32, -zeroPoint));
  };
  Value left = scaleByte(center(integers, fixedAdd.getLhsZeroPoint()),
                         fixedAdd.getLhs());
  Value right =
      scaleByte(center(others, fixedAdd.getRhsZeroPoint()), fixedAdd.getRhs());
  Value sum = arith::AddIOp::create(b, left, right);
  qnnpack::RequantizationAttr result = fixedAdd.getResult();
  int64_t packed = int64_t(result.getShift()[0] - 1) << 32 |
                   int64_t(result.getMultiplier()[0]);
  Value scaled =
      scaleByFixedPoint(sum, splat(i64, packed), result.getRounding());
  int64_t zeroPoint = fixedAdd.getZeroPoint();
  scaled = arith::MaxSIOp::create(b, scaled,
                                  splat(i32, fixedAdd.getLo() - zeroPoint));
  scaled = arith::MinSIOp::create(b, scaled,
                                  splat(i32, fixedAdd.getHi() - zeroPoint));
  scaled = arith::AddIOp::create(b, scaled, splat(i32, zeroPoint));
  return arith::TruncIOp::create(b, vectorOf(target.lanes, b.getI8Type()),
                                 scaled);
}

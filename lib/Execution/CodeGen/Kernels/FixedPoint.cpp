// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The epilogue of fixed-point multipliers: exact products of 32 and 31 bits in
// lanes of 64, as integers or as f64, or what f32 gives in their place.

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::codegen;

// round(p / 2^s) is (floor(p' / 2^(s - 1)) + 1) >> 1 of a product p' that is
// moved by what the rounding differs from half up.
Value KernelEmitter::scaleByFixedPoint(Value sums, Value multiplierVector,
                                       numerics::Rounding rounding) {
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
  case numerics::Rounding::HalfUp:
    break;
  case numerics::Rounding::HalfAway:
    product = add(product, shift(product, number(63)));
    break;
  case numerics::Rounding::NearestEven: {
    Value halved = shift(product, places), one = number(1);
    Value isOdd = arith::AndIOp::create(b, shift(halved, one), one);
    product = add(product, isOdd);
    product = add(product, number(-1));
    break;
  }
  case numerics::Rounding::Double: {
    Value isLarge =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, places, number(30));
    Value large = number(int64_t(1) << 30), zero = number(0);
    Value unit = arith::SelectOp::create(b, isLarge, large, zero);
    // Its negative for a negative sum.
    Value sign = shift(wide, number(63));
    Value moved =
        arith::SubIOp::create(b, arith::XOrIOp::create(b, unit, sign), sign);
    product = add(product, moved);
    break;
  }
  }
  Value halved = shift(product, places), one = number(1);
  Value rounded = shift(add(halved, one), one);
  return arith::TruncIOp::create(b, vectorOf(target.lanes, b.getI32Type()),
                                 rounded);
}

Value KernelEmitter::scaleByFloats(Value sums, Value numbers) {
  ImplicitLocOpBuilder &b = *builder;
  auto f32 = vectorOf(target.lanes, b.getF32Type());
  auto take = [&](int64_t part) -> Value {
    return vector::ExtractStridedSliceOp::create(
        b, numbers, ArrayRef<int64_t>{part * target.lanes},
        ArrayRef<int64_t>{target.lanes}, ArrayRef<int64_t>{1});
  };
  auto takeFloats = [&](int64_t part) -> Value {
    return arith::BitcastOp::create(b, f32, take(part));
  };
  Value addend = takeFloats(1);
  if (floatParts > 2) {
    Value isNegative =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, sums, take(3));
    sums = arith::SelectOp::create(
        b, isNegative, arith::AddIOp::create(b, sums, take(4)), sums);
    addend = arith::SelectOp::create(b, isNegative, takeFloats(2), addend);
  }
  Value asFloats = arith::SIToFPOp::create(b, f32, sums);
  Value factor = takeFloats(0);
  Value scaled = math::FmaOp::create(b, asFloats, factor, addend);
  return arith::BitcastOp::create(b, sums.getType(), scaled);
}

// v * m / 2^s, moved by 2^(30 - s) away from 0 for `double`, and rounded to
// nearest, ties to even. Products that are not clamped are exact, so that it
// doesn't matter whether the addition is one op with them.
Value KernelEmitter::scaleByDoubles(Value sums, Value multiplierVector,
                                    numerics::Rounding rounding) {
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
  if (rounding == numerics::Rounding::Double) {
    auto bits = [&](Value value, int64_t mask) -> Value {
      Value integers = arith::BitcastOp::create(b, i64, value);
      Value masks = splat(i64, mask);
      return arith::AndIOp::create(b, integers, masks);
    };
    Value exponent = bits(multiplierVector, int64_t(0x7ff) << 52);
    Value sign = bits(wide, std::numeric_limits<int64_t>::min());
    Value moved = arith::OrIOp::create(b, exponent, sign);
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

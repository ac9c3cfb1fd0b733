// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar arithmetic in the body of a linalg.generic, and the tensors around it.

#include "Scalars.h"

#include "qbackend/Dialect/QNNPack/Parameters.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

bool qnnpack::canShift(Type type) {
  auto quantized = getQuantizedType(type);
  return quantized && !quantized.isSigned() &&
         quantized.getStorageTypeIntegralWidth() == 8;
}

quant::UniformQuantizedType qnnpack::getStored(quant::UniformQuantizedType type,
                                               bool signedBytes) {
  if (!signedBytes || !canShift(type))
    return type;
  return quant::UniformQuantizedType::get(
      quant::QuantizationFlags::Signed, type.getStorageType(),
      type.getExpressedType(), type.getScale(), type.getZeroPoint() - 128,
      type.getStorageTypeMin() - 128, type.getStorageTypeMax() - 128);
}

Value qnnpack::restate(ImplicitLocOpBuilder &b, Value value,
                       quant::UniformQuantizedType from,
                       quant::UniformQuantizedType to) {
  int64_t offset = to.getZeroPoint() - from.getZeroPoint();
  if (offset == 0)
    return value;
  return arith::AddIOp::create(b, value, i32Constant(b, offset));
}

Value qnnpack::i32Constant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantOp::create(
      b, b.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value qnnpack::f32Constant(ImplicitLocOpBuilder &b, float value) {
  return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
}

Value qnnpack::byteConstant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantOp::create(
      b, b.getI8IntegerAttr(static_cast<int8_t>(value)));
}

Value qnnpack::extend(ImplicitLocOpBuilder &b, Value value,
                      quant::QuantizedType type) {
  if (value.getType().isInteger(32))
    return value;
  if (type.isSigned())
    return arith::ExtSIOp::create(b, b.getI32Type(), value);
  return arith::ExtUIOp::create(b, b.getI32Type(), value);
}

Value qnnpack::center(ImplicitLocOpBuilder &b, Value value,
                      quant::UniformQuantizedType type) {
  Value integer = extend(b, value, type);
  if (type.getZeroPoint() == 0)
    return integer;
  return arith::SubIOp::create(b, integer, i32Constant(b, type.getZeroPoint()));
}

OutputRange qnnpack::getOutputRange(quant::UniformQuantizedType type,
                                    bool relu) {
  return {relu ? type.getZeroPoint() : type.getStorageTypeMin(),
          type.getStorageTypeMax()};
}

Value qnnpack::clampI32(ImplicitLocOpBuilder &b, Value value, OutputRange range,
                        OutputRange known) {
  if (known.lo < range.lo)
    value = arith::MaxSIOp::create(b, value, i32Constant(b, range.lo));
  if (known.hi > range.hi)
    value = arith::MinSIOp::create(b, value, i32Constant(b, range.hi));
  return value;
}

/// The low byte of an i32, or its low `bits`.
static Value truncate(ImplicitLocOpBuilder &b, Value value, unsigned bits = 8) {
  return arith::TruncIOp::create(b, b.getIntegerType(bits), value);
}

/// `value` if `value predicate bound`, else `otherwise`.
static Value selectIf(ImplicitLocOpBuilder &b, arith::CmpFPredicate predicate,
                      Value value, float bound, float otherwise) {
  Value holds =
      arith::CmpFOp::create(b, predicate, value, f32Constant(b, bound));
  return arith::SelectOp::create(b, holds, value, f32Constant(b, otherwise));
}

Value qnnpack::requantize(ImplicitLocOpBuilder &b, Value accumulator,
                          Value multiplier, int64_t zeroPoint,
                          OutputRange range, double largest,
                          Overflow overflow) {
  Value asFloat = arith::SIToFPOp::create(b, b.getF32Type(), accumulator);
  Value scaled = arith::MulFOp::create(b, asFloat, multiplier);
  float lo = range.lo - zeroPoint, hi = range.hi - zeroPoint;
  if (largest >= 0x1p31) {
    float beyond = overflow == Overflow::ToLowest ? lo : hi;
    scaled = selectIf(b, arith::CmpFPredicate::OLT, scaled, 0x1p31f, beyond);
    scaled = selectIf(b, arith::CmpFPredicate::OGT, scaled, -0x1p31f, lo);
  }
  Value rounded = math::RoundEvenOp::create(b, scaled);
  Value integer = arith::FPToSIOp::create(b, b.getI32Type(), rounded);
  return addZeroPoint(b, integer, zeroPoint, range);
}

Value qnnpack::applyFixedPoint(ImplicitLocOpBuilder &b, Value value,
                               RequantizationAttr requantization,
                               Value multiplier, Value shift) {
  Type i64 = b.getI64Type();
  // Of an operand: 8 bits and a sign, which stay within 32 bits.
  if (int64_t left = requantization.getLeftShift())
    value = arith::ShLIOp::create(b, value, i32Constant(b, left));
  ArrayRef<int8_t> shifts = requantization.getShift();
  auto number = [&](int64_t integer) -> Value {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(integer));
  };
  auto add = [&](Value lhs, Value rhs) -> Value {
    return arith::AddIOp::create(b, lhs, rhs);
  };
  Value factor = multiplier ? Value(arith::ExtSIOp::create(b, i64, multiplier))
                            : number(requantization.getMultiplier()[0]);
  Value places =
      shift ? Value(arith::ExtSIOp::create(b, i64, shift)) : number(shifts[0]);
  // 2^(shift - 1), less `less`.
  auto half = [&](int64_t less) -> Value {
    if (!shift)
      return number((int64_t(1) << (shifts[0] - 1)) - less);
    Value one = number(1);
    Value power =
        arith::ShLIOp::create(b, one, arith::SubIOp::create(b, places, one));
    return less ? Value(arith::SubIOp::create(b, power, number(less))) : power;
  };
  Value wide = value.getType() == i64
                   ? value
                   : Value(arith::ExtSIOp::create(b, i64, value));
  Value product = arith::MulIOp::create(b, wide, factor);
  Value rounded;
  switch (requantization.getRounding()) {
  case numerics::Rounding::NearestEven: {
    Value quotient = arith::ShRSIOp::create(b, product, places);
    Value isOdd = arith::AndIOp::create(b, quotient, number(1));
    rounded = add(add(product, half(1)), isOdd);
    break;
  }
  case numerics::Rounding::HalfUp:
    rounded = add(product, half(0));
    break;
  case numerics::Rounding::HalfAway:
    rounded = add(product, half(0));
    rounded = add(rounded, arith::ShRSIOp::create(b, product, number(63)));
    break;
  case numerics::Rounding::Double: {
    rounded = add(product, half(0));
    auto isLarge = [](int8_t each) { return each > 31; };
    if (llvm::none_of(shifts, isLarge))
      break;
    Value isPositive = arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                                             value, i32Constant(b, 0));
    Value up = number(int64_t(1) << 30), down = number(-(int64_t(1) << 30));
    Value offset = arith::SelectOp::create(b, isPositive, up, down);
    if (!llvm::all_of(shifts, isLarge)) {
      Value isTwice = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt,
                                            places, number(31));
      offset = arith::SelectOp::create(b, isTwice, offset, number(0));
    }
    rounded = add(rounded, offset);
    break;
  }
  }
  return arith::TruncIOp::create(b, b.getI32Type(),
                                 arith::ShRSIOp::create(b, rounded, places));
}

Value qnnpack::addZeroPoint(ImplicitLocOpBuilder &b, Value value,
                            int64_t zeroPoint, OutputRange range,
                            unsigned bits) {
  value = clampI32(b, value, {range.lo - zeroPoint, range.hi - zeroPoint});
  if (zeroPoint != 0)
    value = arith::AddIOp::create(b, value, i32Constant(b, zeroPoint));
  return truncate(b, value, bits);
}

Value qnnpack::dequantizeScalar(ImplicitLocOpBuilder &b, Value value,
                                quant::UniformQuantizedType type) {
  Value asFloat =
      arith::SIToFPOp::create(b, b.getF32Type(), center(b, value, type));
  return arith::MulFOp::create(b, f32Constant(b, type.getScale()), asFloat);
}

Value qnnpack::dequantizeFusedScalar(ImplicitLocOpBuilder &b, Value value,
                                     quant::UniformQuantizedType stored,
                                     quant::UniformQuantizedType type) {
  float scale = type.getScale();
  Value asFloat = arith::SIToFPOp::create(
      b, b.getF32Type(), restate(b, extend(b, value, stored), stored, type));
  float offset = -(scale * static_cast<float>(type.getZeroPoint()));
  Value factor = f32Constant(b, scale);
  return math::FmaOp::create(b, factor, asFloat, f32Constant(b, offset));
}

Value qnnpack::quantizeScalar(ImplicitLocOpBuilder &b, Value value,
                              Value inverse, Value zeroPoint,
                              OutputRange range) {
  return roundScalar(b, arith::MulFOp::create(b, value, inverse), zeroPoint,
                     range);
}

Value qnnpack::roundScalar(ImplicitLocOpBuilder &b, Value scaled,
                           Value zeroPoint, OutputRange range) {
  // Numbers of magnitude 2^63 or more, and NaN, give `lo`; the other ones
  // saturate. 2^30 is beyond any 16-bit result, and safe to convert.
  scaled = selectIf(b, arith::CmpFPredicate::OLT, scaled, 0x1p63f, -0x1p30f);
  scaled = selectIf(b, arith::CmpFPredicate::OLT, scaled, 0x1p30f, 0x1p30f);
  scaled = selectIf(b, arith::CmpFPredicate::OGT, scaled, -0x1p30f, -0x1p30f);
  Value rounded = math::RoundEvenOp::create(b, scaled);
  Value integer = arith::FPToSIOp::create(b, b.getI32Type(), rounded);
  integer = arith::AddIOp::create(b, integer, zeroPoint);
  return clampI32(b, integer, range);
}

Value qnnpack::quantizeScalar(ImplicitLocOpBuilder &b, Value value,
                              quant::UniformQuantizedType type,
                              OutputRange range) {
  Value inverse = f32Constant(b, getInverse(type.getScale()));
  Value integer = quantizeScalar(b, value, inverse,
                                 i32Constant(b, type.getZeroPoint()), range);
  return truncate(b, integer);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Value qnnpack::emptyLike(ImplicitLocOpBuilder &b, RankedTensorType type,
                         Value like) {
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      sizes.push_back(tensor::DimOp::create(b, like, i));
  return tensor::EmptyOp::create(b, type, sizes);
}

Value qnnpack::filled(ImplicitLocOpBuilder &b, Value value,
                      RankedTensorType type, Value like) {
  Value empty = emptyLike(b, type, like);
  return linalg::FillOp::create(b, value, empty).getResult(0);
}

Value qnnpack::generic(ImplicitLocOpBuilder &b, ValueRange inputs, Value init,
                       ArrayRef<AffineMap> maps,
                       ArrayRef<utils::IteratorType> loops, Body body) {
  auto op = linalg::GenericOp::create(
      b, TypeRange{init.getType()}, inputs, ValueRange{init}, maps, loops,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder inner(loc, builder);
        linalg::YieldOp::create(inner, body(inner, arguments));
      });
  return op.getResult(0);
}

Value qnnpack::vectorOrScalar(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape,
                              int64_t first, int64_t vectors,
                              function_ref<Value(bool isVector)> compute) {
  int64_t count = 1;
  for (int64_t size : shape.drop_front(first))
    count *= size;
  if (vectors == 0 || vectors == count)
    return compute(vectors != 0);
  Value position;
  for (int64_t d = first, rank = shape.size(); d < rank; ++d) {
    Value index = linalg::IndexOp::create(b, d);
    if (position) {
      Value size = arith::ConstantIndexOp::create(b, shape[d]);
      Value row = arith::MulIOp::create(b, position, size);
      index = arith::AddIOp::create(b, row, index);
    }
    position = index;
  }
  Value isVector =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, position,
                            arith::ConstantIndexOp::create(b, vectors));
  Value vector = compute(true), scalar = compute(false);
  return arith::SelectOp::create(b, isVector, vector, scalar);
}

Value qnnpack::parallel(ImplicitLocOpBuilder &b, ValueRange inputs, Value init,
                        ArrayRef<AffineMap> maps, Body body) {
  SmallVector<utils::IteratorType> loops(maps.back().getNumDims(),
                                         utils::IteratorType::parallel);
  return generic(b, inputs, init, maps, loops, body);
}

Value qnnpack::elementwise(ImplicitLocOpBuilder &b, ValueRange inputs,
                           Type element, Body body) {
  auto type = cast<RankedTensorType>(inputs.front().getType());
  Value init = emptyLike(b, type.clone(element), inputs.front());
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              b.getMultiDimIdentityMap(type.getRank()));
  return parallel(b, inputs, init, maps, body);
}

SmallVector<utils::IteratorType> qnnpack::loopKinds(StringRef kinds) {
  SmallVector<utils::IteratorType> loops;
  for (char kind : kinds)
    loops.push_back(kind == 'r' ? utils::IteratorType::reduction
                                : utils::IteratorType::parallel);
  return loops;
}

Value qnnpack::padImage(ImplicitLocOpBuilder &b, Value input, int64_t value,
                        ArrayRef<int64_t> sizes) {
  if (llvm::all_of(sizes, [](int64_t size) { return size == 0; }))
    return input;
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<OpFoldResult> low(type.getRank(), b.getIndexAttr(0)), high = low;
  SmallVector<int64_t> shape(type.getShape());
  for (size_t i = 0; i < sizes.size() / 2; ++i) {
    low[1 + i] = b.getIndexAttr(sizes[2 * i]);
    high[1 + i] = b.getIndexAttr(sizes[2 * i + 1]);
    shape[1 + i] += sizes[2 * i] + sizes[2 * i + 1];
  }
  Value padding = arith::ConstantOp::create(
      b, b.getIntegerAttr(type.getElementType(), value));
  return tensor::PadOp::create(b, type.clone(shape), input, low, high, padding);
}

template <typename T>
static Value denseConstant(ImplicitLocOpBuilder &b, ArrayRef<T> values,
                           ArrayRef<int64_t> shape, Type element) {
  auto type = RankedTensorType::get(shape, element);
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, values));
}

Value qnnpack::constantTensor(ImplicitLocOpBuilder &b, ArrayRef<float> values,
                              ArrayRef<int64_t> shape) {
  return denseConstant(b, values, shape, b.getF32Type());
}

Value qnnpack::constantTensor(ImplicitLocOpBuilder &b, ArrayRef<int32_t> values,
                              ArrayRef<int64_t> shape) {
  return denseConstant(b, values, shape, b.getI32Type());
}

Value qnnpack::constantTensor(ImplicitLocOpBuilder &b, ArrayRef<int8_t> values,
                              ArrayRef<int64_t> shape) {
  return denseConstant(b, values, shape, b.getI8Type());
}

Value qnnpack::constantTensor(ImplicitLocOpBuilder &b, ArrayRef<int16_t> values,
                              ArrayRef<int64_t> shape) {
  return denseConstant(b, values, shape, b.getI16Type());
}

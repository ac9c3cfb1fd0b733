// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// quantize, dequantize and arithmetic: one linalg.generic each.

#include "Scalars.h"

#include "qbackend/Dialect/QNNPack/Addition.h"
#include "qbackend/Dialect/QNNPack/Parameters.h"
#include "qbackend/Numerics/Tables.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;

//===----------------------------------------------------------------------===//
// Quantize and dequantize
//===----------------------------------------------------------------------===//

/// A constant with one element per channel of `type`, and the map to it.
template <typename T>
static std::pair<Value, AffineMap>
channelConstant(ImplicitLocOpBuilder &b, ArrayRef<T> values,
                quant::UniformQuantizedPerAxisType type, int64_t rank) {
  Value constant =
      constantTensor(b, values, {static_cast<int64_t>(values.size())});
  return {constant,
          AffineMap::get(rank, 0,
                         b.getAffineDimExpr(type.getQuantizedDimension()))};
}

/// Up to 32 bits of storage, by way of i64.
static Value quantizeWide(ImplicitLocOpBuilder &b, Value value, Value inverse,
                          Value zero, OutputRange range, Type element) {
  Type i64 = b.getI64Type();
  Value rounded =
      math::RoundEvenOp::create(b, arith::MulFOp::create(b, value, inverse));
  Value magnitude = math::AbsFOp::create(b, rounded);
  Value fits = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, magnitude,
                                     f32Constant(b, 0x1p63f));
  rounded = arith::SelectOp::create(b, fits, rounded, f32Constant(b, -0x1p62f));
  Value integer = arith::FPToSIOp::create(b, i64, rounded);
  // 2^62 is beyond the storage, and the zero point can be added to it.
  auto bound = [&](int64_t number) -> Value {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(number));
  };
  integer = arith::MinSIOp::create(b, integer, bound(int64_t(1) << 62));
  integer =
      arith::AddIOp::create(b, integer, arith::ExtSIOp::create(b, i64, zero));
  integer = arith::MaxSIOp::create(b, integer, bound(range.lo));
  integer = arith::MinSIOp::create(b, integer, bound(range.hi));
  return arith::TruncIOp::create(b, element, integer);
}

// quantize(x) -> clamp(zp + rne(x * f32(1 / scale)), qmin, qmax)
static Value lowerQuantize(QuantizeOp op, QuantizeOp::Adaptor adaptor,
                           LoweringBuilder &b) {
  auto type = b.resultType(op);
  auto quantized =
      cast<quant::QuantizedType>(op.getOutput().getType().getElementType());
  if (auto perTensor = dyn_cast<quant::UniformQuantizedType>(quantized))
    quantized = getStored(perTensor, b.signedBytes);
  unsigned width = quantized.getStorageTypeIntegralWidth();
  if (width > 32) {
    op.emitOpError() << "has storage of " << width
                     << " bits, expected at most 32";
    return {};
  }
  OutputRange range = {quantized.getStorageTypeMin(),
                       quantized.getStorageTypeMax()};
  auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(quantized);
  auto perTensor = dyn_cast<quant::UniformQuantizedType>(quantized);
  int64_t rank = type.getRank();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<Value> inputs = {adaptor.getInput()};
  SmallVector<AffineMap> maps = {identity};
  if (perAxis) {
    SmallVector<float> inverses;
    for (double scale : perAxis.getScales())
      inverses.push_back(getInverse(scale));
    SmallVector<int32_t> zeroPoints(perAxis.getZeroPoints());
    for (auto [constant, map] :
         {channelConstant<float>(b, inverses, perAxis, rank),
          channelConstant<int32_t>(b, zeroPoints, perAxis, rank)}) {
      inputs.push_back(constant);
      maps.push_back(map);
    }
  }
  maps.push_back(identity);
  Value init = emptyLike(b, type, adaptor.getInput());
  return parallel(
      b, inputs, init, maps,
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value inverse = perAxis
                            ? args[1]
                            : f32Constant(b, getInverse(perTensor.getScale()));
        Value zero =
            perAxis ? args[2] : i32Constant(b, perTensor.getZeroPoint());
        if (width > 16)
          return quantizeWide(b, args[0], inverse, zero, range,
                              type.getElementType());
        Value integer = quantizeScalar(b, args[0], inverse, zero, range);
        return arith::TruncIOp::create(b, type.getElementType(), integer);
      });
}

// dequantize(q) -> f32(scale * f32(q - zp))
static Value lowerDequantize(DequantizeOp op, DequantizeOp::Adaptor adaptor,
                             LoweringBuilder &b) {
  auto type = b.resultType(op);
  auto quantized =
      cast<quant::QuantizedType>(op.getInput().getType().getElementType());
  if (quantized.getStorageTypeIntegralWidth() > 32) {
    op.emitOpError() << "has storage of "
                     << quantized.getStorageTypeIntegralWidth()
                     << " bits, expected at most 32";
    return {};
  }
  auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(quantized);
  if (!perAxis)
    return elementwise(b, adaptor.getInput(), b.getF32Type(),
                       [stored = b.stored(op.getInput())](
                           ImplicitLocOpBuilder &b, ValueRange args) {
                         return dequantizeScalar(b, args[0], stored);
                       });

  int64_t rank = type.getRank();
  SmallVector<float> scales;
  SmallVector<double> exactScales(perAxis.getScales());
  bool isFloat = true;
  for (double scale : exactScales) {
    scales.push_back(static_cast<float>(scale));
    isFloat &= scale == scales.back();
  }
  // With a scale of 24 bits and a difference of at most 17, the product is
  // exact in double: rounding it to float is what a float product does.
  isFloat &= quantized.getStorageTypeIntegralWidth() <= 16;
  SmallVector<int32_t> zeroPoints(perAxis.getZeroPoints());
  auto [zeros, map] = channelConstant<int32_t>(b, zeroPoints, perAxis, rank);
  Value factors;
  if (isFloat)
    factors = channelConstant<float>(b, scales, perAxis, rank).first;
  else
    factors = arith::ConstantOp::create(
        b, DenseElementsAttr::get(
               RankedTensorType::get({static_cast<int64_t>(exactScales.size())},
                                     b.getF64Type()),
               ArrayRef<double>(exactScales)));
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  Value init = emptyLike(b, type, adaptor.getInput());
  return parallel(b, {adaptor.getInput(), factors, zeros}, init,
                  {identity, map, map, identity},
                  [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                    Value integer = extend(b, args[0], quantized);
                    Type f32 = b.getF32Type(), f64 = b.getF64Type();
                    if (isFloat) {
                      integer = arith::SubIOp::create(b, integer, args[2]);
                      Value asFloat = arith::SIToFPOp::create(b, f32, integer);
                      return arith::MulFOp::create(b, asFloat, args[1]);
                    }
                    Value asFloat = arith::SIToFPOp::create(b, f32, integer);
                    Value zero = arith::SIToFPOp::create(b, f32, args[2]);
                    Value difference = arith::SubFOp::create(b, asFloat, zero);
                    Value exact = arith::MulFOp::create(
                        b, arith::ExtFOp::create(b, f64, difference), args[1]);
                    return arith::TruncFOp::create(b, f32, exact);
                  });
}

//===----------------------------------------------------------------------===//
// Binary arithmetic
//===----------------------------------------------------------------------===//

/// A linalg.generic on two operands that broadcast to `type`.
static Value broadcasting(ImplicitLocOpBuilder &b, Value lhs, Value rhs,
                          RankedTensorType type, Body body) {
  int64_t rank = type.getRank();
  auto mapOf = [&](Value value) {
    auto from = cast<RankedTensorType>(value.getType());
    SmallVector<AffineExpr> exprs;
    for (int64_t i = 0; i < from.getRank(); ++i) {
      int64_t d = rank - from.getRank() + i;
      bool stretched = from.getDimSize(i) == 1 && type.getDimSize(d) != 1;
      exprs.push_back(stretched ? b.getAffineConstantExpr(0)
                                : b.getAffineDimExpr(d));
    }
    return AffineMap::get(rank, 0, exprs, b.getContext());
  };
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < rank; ++d) {
    if (!type.isDynamicDim(d))
      continue;
    // Of the operand that is not stretched along this dimension.
    for (Value value : {lhs, rhs}) {
      auto from = cast<RankedTensorType>(value.getType());
      int64_t i = d - (rank - from.getRank());
      if (i < 0 || !from.isDynamicDim(i))
        continue;
      sizes.push_back(tensor::DimOp::create(b, value, i));
      break;
    }
  }
  Value init = tensor::EmptyOp::create(b, type, sizes);
  return parallel(b, {lhs, rhs}, init,
                  {mapOf(lhs), mapOf(rhs), b.getMultiDimIdentityMap(rank)},
                  body);
}

/// The first of the last dimensions that ATen loops over as one: along them,
/// each operand is either read on or stays where it is.
static int64_t getFirstInnerDim(ShapedType lhs, ShapedType rhs,
                                ShapedType output) {
  int64_t first = output.getRank();
  auto isStretched = [&](ShapedType type, int64_t d) {
    int64_t i = d - (output.getRank() - type.getRank());
    return i < 0 || type.getDimSize(i) != output.getDimSize(d);
  };
  std::optional<std::pair<bool, bool>> inner;
  for (; first > 0; --first) {
    int64_t d = first - 1;
    if (output.getDimSize(d) == 1)
      continue;
    std::pair<bool, bool> stretched = {isStretched(lhs, d),
                                       isStretched(rhs, d)};
    if (inner && *inner != stretched)
      break;
    inner = stretched;
  }
  return first;
}

/// ATen's form.
static Value addFloats(AddOp op, AddOp::Adaptor adaptor, LoweringBuilder &b) {
  ShapedType lhs = op.getLhs().getType(), rhs = op.getRhs().getType(),
             output = op.getOutput().getType();
  auto a = b.stored(op.getLhs()), c = b.stored(op.getRhs()),
       y = b.stored(op.getOutput());
  int64_t first = output.getRank(), vectors = 0;
  if (op.getVectorized()) {
    first = getFirstInnerDim(lhs, rhs, output);
    int64_t count = 1;
    for (int64_t size : output.getShape().drop_front(first))
      count *= size;
    vectors = numerics::countVectorElements(count);
  }
  return broadcasting(
      b, adaptor.getLhs(), adaptor.getRhs(), b.resultType(op),
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value sum = vectorOrScalar(
            b, output.getShape(), first, vectors, [&](bool isVector) -> Value {
              auto dequantize = [&](Value value, ShapedType type,
                                    quant::UniformQuantizedType stored) {
                return isVector ? dequantizeFusedScalar(b, value, stored,
                                                        getQuantizedType(type))
                                : dequantizeScalar(b, value, stored);
              };
              Value left = dequantize(args[0], lhs, a);
              Value right = dequantize(args[1], rhs, c);
              return arith::AddFOp::create(b, left, right);
            });
        return quantizeScalar(b, sum, y, getOutputRange(y, op.getRelu()));
      });
}

/// floor(value / 2^shift + 1/2).
static Value shiftHalfUp(ImplicitLocOpBuilder &b, Value value, int shift) {
  Value half = i32Constant(b, int64_t(1) << (shift - 1));
  Value sum = arith::AddIOp::create(b, value, half);
  return arith::ShRSIOp::create(b, sum, i32Constant(b, shift));
}

/// value / 2^shift, ties away from zero.
static Value shiftHalfAway(ImplicitLocOpBuilder &b, Value value, int shift) {
  int64_t mask = (int64_t(1) << shift) - 1;
  Value sign = arith::ShRSIOp::create(b, value, i32Constant(b, 31));
  Value remainder = arith::AddIOp::create(
      b, arith::AndIOp::create(b, value, i32Constant(b, mask)), sign);
  Value carry = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, remainder,
                                      i32Constant(b, mask >> 1));
  Value quotient = arith::ShRSIOp::create(b, value, i32Constant(b, shift));
  Value one = arith::ExtUIOp::create(b, b.getI32Type(), carry);
  return arith::AddIOp::create(b, quotient, one);
}

// add(a, b) -> clamp(sat16(sat16((a * ma + b * mb + c) / 2^shift) + zy)): fixed
// point for equal shapes, quantize(dequantize(a) + dequantize(b)) else
static Value lowerAdd(AddOp op, AddOp::Adaptor adaptor, LoweringBuilder &b) {
  auto a = b.stored(op.getLhs()), c = b.stored(op.getRhs()),
       y = b.stored(op.getOutput());
  OutputRange range = getOutputRange(y, op.getRelu());
  if (op.addsFloatNumbers())
    return addFloats(op, adaptor, b);
  std::optional<Addition> m = getAddition(op);
  return broadcasting(
      b, adaptor.getLhs(), adaptor.getRhs(), b.resultType(op),
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        if (!m) {
          Value left = applyFixedPoint(b, center(b, args[0], a),
                                       op.getLhsRequantizationAttr());
          Value right = applyFixedPoint(b, center(b, args[1], c),
                                        op.getRhsRequantizationAttr());
          Value sum = arith::AddIOp::create(b, left, right);
          sum = applyFixedPoint(b, sum, op.getRequantizationAttr());
          return addZeroPoint(b, sum, y.getZeroPoint(), range);
        }
        // Wraps as the kernel's: 255 * 2^22 * 2 is less than 2^31 anyway.
        int64_t offset =
            a.getZeroPoint() * m->lhs + c.getZeroPoint() * m->rhs - m->moved;
        Value left = extend(b, args[0], a);
        left = arith::MulIOp::create(b, left, i32Constant(b, m->lhs));
        Value right = extend(b, args[1], c);
        right = arith::MulIOp::create(b, right, i32Constant(b, m->rhs));
        Value sum = arith::AddIOp::create(b, left, right);
        sum = arith::SubIOp::create(b, sum, i32Constant(b, offset));
        Value shifted = m->halfUp ? shiftHalfUp(b, sum, m->shift)
                                  : shiftHalfAway(b, sum, m->shift);
        return addZeroPoint(b, shifted, y.getZeroPoint(), range);
      });
}

// mul(a, b) -> requantize((a - za) * (b - zb))
static Value lowerMul(MulOp op, MulOp::Adaptor adaptor, LoweringBuilder &b) {
  Type lhs = op.getLhs().getType(), rhs = op.getRhs().getType(),
       output = op.getOutput().getType();
  auto a = b.stored(op.getLhs()), c = b.stored(op.getRhs()),
       y = b.stored(op.getOutput());
  float multiplier = getMulMultiplier(lhs, rhs, output);
  RequantizationAttr requantization = op.getRequantizationAttr();
  return broadcasting(
      b, adaptor.getLhs(), adaptor.getRhs(), b.resultType(op),
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value left = center(b, args[0], a), right = center(b, args[1], c);
        Value product = arith::MulIOp::create(b, left, right);
        if (requantization)
          return addZeroPoint(b, applyFixedPoint(b, product, requantization),
                              y.getZeroPoint(),
                              getOutputRange(y, op.getRelu()));
        return requantize(b, product, f32Constant(b, multiplier),
                          y.getZeroPoint(), getOutputRange(y, op.getRelu()),
                          255.0 * 255.0 * multiplier, Overflow::ToLowest);
      });
}

/// add_scalar and mul_scalar.
template <typename OpTy>
static Value lowerScalar(OpTy op, typename OpTy::Adaptor adaptor,
                         LoweringBuilder &b) {
  auto type = getQuantizedType(op.getInput().getType());
  auto x = b.stored(op.getInput()), y = b.stored(op.getOutput());
  double scalar = op.getScalar().convertToDouble();
  numerics::ScalarResult result = std::is_same_v<OpTy, AddScalarOp>
                                      ? getAddScalarResult(type, scalar)
                                      : getMulScalarResult(type, scalar);
  int64_t shift = x.getZeroPoint() - type.getZeroPoint();
  OutputRange range = getOutputRange(y, op.getRelu());
  OutputRange stored = getOutputRange(y, /*relu=*/false);
  Value input = adaptor.getInput();
  if (result.rewrite == numerics::ScalarRewrite::Keep && !op.getRelu())
    return input;
  if (result.rewrite == numerics::ScalarRewrite::Zero)
    return filled(b, byteConstant(b, shift), b.resultType(op), input);
  return elementwise(
      b, input, b.getI8Type(),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value q = extend(b, args[0], x);
        if (result.rewrite == numerics::ScalarRewrite::Rescale) {
          Value moved = arith::AddIOp::create(
              b, q, i32Constant(b, result.offset - shift));
          double largest =
              (255.0 + std::abs(static_cast<double>(result.offset))) *
              result.multiplier;
          return requantize(b, moved, f32Constant(b, result.multiplier),
                            y.getZeroPoint(), range, largest,
                            Overflow::ToLowest);
        }
        if (result.rewrite == numerics::ScalarRewrite::Reflect)
          q = arith::SubIOp::create(b, i32Constant(b, stored.lo + stored.hi),
                                    q);
        q = clampI32(b, q, range, stored);
        return arith::TruncIOp::create(b, b.getI8Type(), q);
      });
}

void qnnpack::populateElementwisePatterns(const TypeConverter &converter,
                                          RewritePatternSet &patterns,
                                          bool signedBytes) {
  addLowerings(converter, patterns, signedBytes, lowerQuantize, lowerDequantize,
               lowerAdd, lowerMul, lowerScalar<AddScalarOp>,
               lowerScalar<MulScalarOp>);
}

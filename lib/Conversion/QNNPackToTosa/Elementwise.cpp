// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic in i32 between rescales, and functions of one integer as tables.

#include "Tensors.h"

#include "qbackend/Dialect/QNNPack/Parameters.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;
using namespace qbackend::qnnpack_to_tosa;

//===----------------------------------------------------------------------===//
// Binary arithmetic
//===----------------------------------------------------------------------===//

/// Whether the operands of `op` can be given the rank of its result: TOSA's
/// reshape takes one dynamic dimension.
template <typename OpTy> static bool hasOneRank(OpTy op) {
  return llvm::all_of(op->getOperandTypes(), [&](Type operand) {
    auto type = cast<ShapedType>(operand);
    return type.getRank() == op.getOutput().getType().getRank() ||
           type.getNumDynamicDims() <= 1;
  });
}

static constexpr StringLiteral kSeveralDynamic =
    "an operand with several dynamic dimensions has a smaller rank";

/// (value - zeroPoint) * factor, in i32, for a factor of at most 2^22.
static Value scale(ImplicitLocOpBuilder &b, Value value, int64_t zeroPoint,
                   int64_t factor) {
  // A shift of 9 admits differences of less than 2^8, which those of bytes are.
  if (factor < int64_t(1) << 22)
    return rescale(b, value, FixedPoint{static_cast<int32_t>(factor << 9), 9},
                   zeroPoint, 0, b.getI32Type());
  Value centered = center(b, value, zeroPoint);
  auto type = cast<RankedTensorType>(centered.getType());
  Value factors = splat(b, factor, type.getRank());
  return tosa::MulOp::create(b, type, centered, factors, byte(b, 0));
}

/// The same numbers where the kernel adds floats. The larger one has 22
/// bits, so the sum is off by 255 / 2^22 of the larger ratio; a shift of at
/// least 10 makes that a quarter of a step.
static numerics::AddMultipliers
getRealMultipliers(quant::UniformQuantizedType a, quant::UniformQuantizedType c,
                   quant::UniformQuantizedType y) {
  double ra = a.getScale() / y.getScale(), rc = c.getScale() / y.getScale();
  numerics::AddMultipliers result;
  result.shift = std::min(21 - std::ilogb(std::max(ra, rc)), 31);
  result.valid = result.shift >= 10;
  if (!result.valid)
    return result;
  result.a = std::lround(std::ldexp(ra, result.shift));
  result.b = std::lround(std::ldexp(rc, result.shift));
  return result;
}

// acc = (a - za) * ma + (b - zb) * mb, y = acc / 2^shift. Rescale rounds ties
// up, as signed operands want it. For ties away from zero, a negative sum is
// moved down by one first: what is not a tie doesn't notice.
static Value lowerAdd(AddOp op, AddOp::Adaptor adaptor, LoweringBuilder &b) {
  ShapedType lhs = op.getLhs().getType(), rhs = op.getRhs().getType();
  auto a = getQuantizedType(lhs), c = getQuantizedType(rhs),
       y = getQuantizedType(op.getOutput().getType());
  RankedTensorType type = b.resultType(op);
  if (!hasOneRank(op))
    return b.decline(op, kSeveralDynamic.str());
  if (RequantizationAttr requantization = op.getRequantizationAttr()) {
    Value left = rescale(b, raiseRank(b, adaptor.getLhs(), type.getRank()),
                         op.getLhsRequantizationAttr(), getStoredZeroPoint(a),
                         0, b.getI32Type());
    Value right = rescale(b, raiseRank(b, adaptor.getRhs(), type.getRank()),
                          op.getRhsRequantizationAttr(), getStoredZeroPoint(c),
                          0, b.getI32Type());
    if (!left || !right)
      return b.decline(op, kRounding.str());
    Value sum = tosa::AddOp::create(b, type.clone(b.getI32Type()), left, right);
    Value bytes = rescale(b, sum, requantization, 0, getStoredZeroPoint(y),
                          b.getI8Type());
    if (!bytes)
      return b.decline(op, kRounding.str());
    return clamp(b, bytes, getOutputRange(y, op.getRelu()));
  }
  bool addsFloats = op.addsFloatNumbers();
  numerics::AddMultipliers m =
      addsFloats ? getRealMultipliers(a, c, y)
                 : getAddMultipliers(lhs, rhs, op.getOutput().getType());
  if (!m.valid)
    return b.decline(op, "the scale of an input is more than 2048 times that "
                         "of the result");
  auto sumType = type.clone(b.getI32Type());
  Value left = scale(b, raiseRank(b, adaptor.getLhs(), type.getRank()),
                     getStoredZeroPoint(a), m.a);
  Value right = scale(b, raiseRank(b, adaptor.getRhs(), type.getRank()),
                      getStoredZeroPoint(c), m.b);
  Value sum = tosa::AddOp::create(b, sumType, left, right);
  if (!addsFloats && !y.isSigned()) {
    Value sign = tosa::ArithmeticRightShiftOp::create(
        b, sumType, sum, splat(b, 31, type.getRank()), /*round=*/false);
    sum = tosa::AddOp::create(b, sumType, sum, sign);
  }
  FixedPoint shift = {1 << 30, static_cast<int8_t>(30 + m.shift)};
  Value bytes = rescale(b, sum, shift, 0, getStoredZeroPoint(y), b.getI8Type());
  return clamp(b, bytes, getOutputRange(y, op.getRelu()));
}

// mul(a, b) -> rescale((a - za) * (b - zb))
static Value lowerMul(MulOp op, MulOp::Adaptor adaptor, LoweringBuilder &b) {
  Type lhs = op.getLhs().getType(), rhs = op.getRhs().getType(),
       output = op.getOutput().getType();
  RankedTensorType type = b.resultType(op);
  if (!hasOneRank(op))
    return b.decline(op, kSeveralDynamic.str());
  auto centered = [&](Value value, Type original) {
    return center(b, raiseRank(b, value, type.getRank()),
                  getStoredZeroPoint(getQuantizedType(original)));
  };
  Value left = centered(adaptor.getLhs(), lhs);
  Value right = centered(adaptor.getRhs(), rhs);
  Value product = tosa::MulOp::create(b, type.clone(b.getI32Type()), left,
                                      right, byte(b, 0));
  if (RequantizationAttr requantization = op.getRequantizationAttr()) {
    auto y = getQuantizedType(output);
    Value bytes = rescale(b, product, requantization, 0, getStoredZeroPoint(y),
                          b.getI8Type());
    return bytes ? clamp(b, bytes, getOutputRange(y, op.getRelu()))
                 : b.decline(op, kRounding.str());
  }
  return requantize(b, product, getMulMultiplier(lhs, rhs, output),
                    int64_t(255 * 255), getQuantizedType(output), op.getRelu());
}

//===----------------------------------------------------------------------===//
// Functions of one integer
//===----------------------------------------------------------------------===//

/// add_scalar and mul_scalar.
template <typename OpTy>
static Value lowerScalar(OpTy op, typename OpTy::Adaptor adaptor,
                         LoweringBuilder &b) {
  auto x = getQuantizedType(op.getInput().getType()),
       y = getQuantizedType(op.getOutput().getType());
  double scalar = op.getScalar().convertToDouble();
  numerics::ScalarResult result = std::is_same_v<OpTy, AddScalarOp>
                                      ? getAddScalarResult(x, scalar)
                                      : getMulScalarResult(x, scalar);
  if (result.rewrite == numerics::ScalarRewrite::Keep)
    return clamp(b, adaptor.getInput(), getOutputRange(y, op.getRelu()));
  return lookup(b, adaptor.getInput(), x, y, [&](int64_t q) -> int64_t {
    int64_t integer = numerics::applyScalar(q, result);
    return op.getRelu() ? std::max(integer, y.getZeroPoint()) : integer;
  });
}

// relu(q) -> clamp(q, zp, qmax)
static Value lowerRelu(ReluOp op, ReluOp::Adaptor adaptor, LoweringBuilder &b) {
  auto type = getQuantizedType(op.getInput().getType());
  return clamp(b, adaptor.getInput(), getOutputRange(type, /*relu=*/true));
}

// clamp(q) -> clamp(q, Q(min), Q(max))
static Value lowerClamp(ClampOp op, ClampOp::Adaptor adaptor,
                        LoweringBuilder &b) {
  auto type = getQuantizedType(op.getInput().getType());
  int64_t offset = getStoredOffset(type);
  return clamp(b, adaptor.getInput(),
               {quantizeNumber(op.getMin().convertToFloat(), type) - offset,
                quantizeNumber(op.getMax().convertToFloat(), type) - offset});
}

// f(q) -> table(q)
static Value lowerTable(TableOpInterface op, ValueRange operands,
                        LoweringBuilder &b) {
  auto x = getQuantizedType(op->getOperand(0).getType()),
       y = getQuantizedType(op->getResult(0).getType());
  // Entries are bytes, in the order of the bytes of the input.
  std::array<int8_t, 256> entries = *getTable(op);
  return lookup(b, operands[0], x, y, [&](int64_t q) -> int64_t {
    int8_t entry = entries[static_cast<uint8_t>(q)];
    return y.isSigned() ? entry : static_cast<uint8_t>(entry);
  });
}

void qnnpack_to_tosa::populateElementwisePatterns(
    const TypeConverter &converter, RewritePatternSet &patterns,
    Reasons &reasons) {
  addLowerings(converter, patterns, reasons, lowerAdd, lowerMul,
               lowerScalar<AddScalarOp>, lowerScalar<MulScalarOp>, lowerRelu,
               lowerClamp);
  patterns.add<InterfaceLowering<TableOpInterface, LoweringBuilder>>(
      converter, patterns.getContext(), reasons, lowerTable);
}

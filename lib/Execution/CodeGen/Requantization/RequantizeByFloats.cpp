// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass qbackend-requantize-by-floats: fixed-point products outside of
// kernels as those in them, see FloatMultipliers.h.

#include "Lowering/Subtarget.h"
#include "Requantization/FloatMultipliers.h"

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/bit.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_REQUANTIZEBYFLOATSPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;
using namespace qbackend;
using namespace qbackend::codegen;

namespace {
struct Interval {
  int64_t lo, hi;
};

/// round(value * multiplier / 2^shift).
struct Product {
  Value value;
  int64_t multiplier, shift;
  numerics::Rounding rounding;
};

struct RequantizeByFloatsPass
    : qbackend::codegen::impl::RequantizeByFloatsPassBase<
          RequantizeByFloatsPass> {
  using RequantizeByFloatsPassBase::RequantizeByFloatsPassBase;

  LogicalResult initialize(MLIRContext *context) final {
    auto subtarget =
        getSubtarget(context, getArgument(), triple, cpu, features);
    if (!subtarget)
      return failure();
    isFused = hasFusedFloats(*subtarget);
    return success();
  }

  void runOnOperation() final {
    known.clear();
    SmallVector<arith::TruncIOp> ops;
    getOperation()->walk([&](arith::TruncIOp op) { ops.push_back(op); });
    for (arith::TruncIOp op : ops) {
      Block *block = op->getBlock();
      if (rewrite(op))
        // The widest type decides how many lanes a vector has.
        for (Operation &each :
             llvm::make_early_inc_range(llvm::reverse(*block)))
          if (isOpTriviallyDead(&each))
            each.erase();
    }
  }

  std::optional<Interval> findRange(Value value);
  bool rewrite(arith::TruncIOp op);

  bool isFused = false;
  /// Of results that are made here.
  DenseMap<Value, Interval> known;
  /// Found for one product.
  DenseMap<Value, std::optional<Interval>> ranges;
};
} // namespace

/// The numbers that `value` may be, of bytes and what is computed of them.
std::optional<Interval> RequantizeByFloatsPass::findRange(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  if (auto it = ranges.find(value); it != ranges.end())
    return it->second;
  auto op = value.getDefiningOp<InferIntRangeInterface>();
  if (!op || !isa<arith::ArithDialect>(op->getDialect()) ||
      !value.getType().isInteger(32))
    return std::nullopt;
  SmallVector<ConstantIntRanges> operands;
  for (Value operand : op->getOperands()) {
    unsigned bits = ConstantIntRanges::getStorageBitwidth(operand.getType());
    auto range = findRange(operand);
    operands.push_back(
        range ? ConstantIntRanges::fromSigned(APInt(bits, range->lo, true),
                                              APInt(bits, range->hi, true))
              : ConstantIntRanges::maxRange(bits));
  }
  std::optional<Interval> result;
  op.inferResultRanges(operands, [&](Value, const ConstantIntRanges &range) {
    // One that wraps may be any number.
    if (!range.smin().isMinSignedValue() || !range.smax().isMaxSignedValue())
      result = {range.smin().getSExtValue(), range.smax().getSExtValue()};
  });
  return ranges[value] = result;
}

/// Whether `offset` is 2^30 for a `value` that is not negative, and else -2^30.
static bool isSecondRounding(arith::SelectOp offset, Value value) {
  auto condition = offset.getCondition().getDefiningOp<arith::CmpIOp>();
  constexpr int64_t unit = int64_t(1) << 30;
  return condition && condition.getPredicate() == arith::CmpIPredicate::sge &&
         condition.getLhs() == value &&
         getConstantIntValue(condition.getRhs()) == 0 &&
         getConstantIntValue(offset.getTrueValue()) == unit &&
         getConstantIntValue(offset.getFalseValue()) == -unit;
}

// trunci(shrsi(extsi(value) * multiplier + 2^(shift - 1) (+ 2^30 with the sign
// of value), shift))
static std::optional<Product> matchProduct(arith::TruncIOp op) {
  auto shifted = op.getIn().getDefiningOp<arith::ShRSIOp>();
  auto shift = shifted ? getConstantIntValue(shifted.getRhs()) : std::nullopt;
  if (!shift || !op.getType().isInteger(32) ||
      !shifted.getType().isInteger(64) || *shift < 2 || *shift > 62)
    return std::nullopt;
  SmallVector<Value> added = {shifted.getLhs()};
  int64_t constant = 0;
  arith::MulIOp product;
  arith::SelectOp moved;
  while (!added.empty()) {
    Value value = added.pop_back_val();
    auto number = getConstantIntValue(value);
    auto sum = value.getDefiningOp<arith::AddIOp>();
    if (number)
      constant += *number;
    else if (sum)
      added.append({sum.getLhs(), sum.getRhs()});
    else if (auto select = value.getDefiningOp<arith::SelectOp>();
             select && !moved)
      moved = select;
    else if (auto mul = value.getDefiningOp<arith::MulIOp>(); mul && !product)
      product = mul;
    else
      return std::nullopt;
  }
  auto wide = product ? product.getLhs().getDefiningOp<arith::ExtSIOp>()
                      : arith::ExtSIOp();
  auto multiplier =
      product ? getConstantIntValue(product.getRhs()) : std::nullopt;
  if (!wide || !multiplier || *multiplier < 0 || *multiplier > INT32_MAX ||
      !wide.getIn().getType().isInteger(32) ||
      constant != int64_t(1) << (*shift - 1) ||
      (moved && (*shift < 32 || !isSecondRounding(moved, wide.getIn()))))
    return std::nullopt;
  return Product{wide.getIn(), *multiplier, *shift,
                 moved ? numerics::Rounding::Double
                       : numerics::Rounding::HalfUp};
}

/// What of `value`, in `range`, makes a difference to its only users.
static Interval findLimits(Value value, Interval range) {
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    auto limit = isa<arith::MaxSIOp, arith::MinSIOp>(user)
                     ? getConstantIntValue(user->getOperand(1))
                     : std::nullopt;
    if (!limit || user->getOperand(0) != value)
      break;
    if (isa<arith::MaxSIOp>(user))
      range.lo = std::clamp(*limit, range.lo, range.hi);
    else
      range.hi = std::clamp(*limit, range.lo, range.hi);
    value = user->getResult(0);
  }
  return range;
}

bool RequantizeByFloatsPass::rewrite(arith::TruncIOp op) {
  auto product = matchProduct(op);
  if (!product)
    return false;
  if (product->multiplier == int64_t(1) << product->shift) {
    // Times 1, as zero points are taken off.
    op.replaceAllUsesWith(product->value);
    return true;
  }
  ranges.clear();
  auto values = isFused ? findRange(product->value) : std::nullopt;
  if (!values)
    return false;
  auto apply = [&](int64_t value) -> int64_t {
    int64_t moved = product->rounding == numerics::Rounding::HalfUp ? 0
                    : value < 0 ? -(int64_t(1) << 30)
                                : int64_t(1) << 30;
    return (value * product->multiplier + moved +
            (int64_t(1) << (product->shift - 1))) >>
           product->shift;
  };
  Interval results = {apply(values->lo), apply(values->hi)};
  Interval limits = findLimits(op, results);
  // Each step is tried.
  if (limits.hi - limits.lo > 4096)
    return false;
  auto found = findFloatMultipliers(
      {(product->shift - 1) << 32 | product->multiplier},
      {product->rounding, /*zeroPoint=*/0, limits.lo, limits.hi},
      std::max(std::abs(values->lo), std::abs(values->hi)));
  if (!found)
    return false;
  const FloatMultiplier &by = found->front();
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto integer = [&](int32_t number) -> Value {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(number));
  };
  auto number = [&](float number) -> Value {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(number));
  };
  Value offset = integer(by.offset[0]), addend = number(by.addend[0]);
  if (by.offset[0] != by.offset[1] || by.addend[0] != by.addend[1]) {
    Value isNegative = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                             product->value, integer(0));
    offset =
        arith::SelectOp::create(b, isNegative, integer(by.offset[1]), offset);
    addend =
        arith::SelectOp::create(b, isNegative, number(by.addend[1]), addend);
  }
  Value sum = arith::AddIOp::create(b, product->value, offset);
  Value asFloat = arith::SIToFPOp::create(b, b.getF32Type(), sum);
  Value factor = number(by.factor);
  Value scaled = math::FmaOp::create(b, asFloat, factor, addend);
  Value bits = arith::BitcastOp::create(b, op.getType(), scaled);
  Value result =
      arith::SubIOp::create(b, bits, integer(llvm::bit_cast<int32_t>(shifter)));
  op.replaceAllUsesWith(result);
  known[result] = results;
  return true;
}

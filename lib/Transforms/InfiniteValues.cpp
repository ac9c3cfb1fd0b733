// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Infinities on their way from constants. All of them are found in one walk, as
// a value is defined before it is read; constants are looked at where they are
// read by what gives infinities on, so that weights are not.

#include "InfiniteValues.h"

#include "qbackend/Dialect/QBackend/Elements.h"
#include "qbackend/Transforms/ValueRanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace qbackend;

/// What has this size leaves f32 no digits of numbers below 32 that it is added
/// to: it stands for infinity.
static constexpr double kInfinity = 1e9;

static double getLargest(RealRange range) {
  return std::max(std::abs(range.min), std::abs(range.max));
}

static bool isInfinite(RealRange range) {
  return getLargest(range) >= kInfinity;
}

InfiniteValues::InfiniteValues(ModuleOp module) {
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    visit(op);
    // What linalg's loops and an operator compute is seen from outside.
    return isa<OperatorOp, linalg::LinalgOp>(op) ? WalkResult::skip()
                                                 : WalkResult::advance();
  });
}

Value InfiniteValues::lookup(Value value) {
  Source source = getSource(value);
  return isInfinite(source.range) ? source.constant : Value();
}

InfiniteValues::Source InfiniteValues::getSource(Value value) {
  auto found = sources.find(value);
  if (found != sources.end())
    return found->second;
  Source source = {{-1, 1}, {}};
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return source;
  source.constant = value;
  SmallVector<float, 0> storage;
  if (auto number = dyn_cast<FloatAttr>(constant)) {
    source.range.min = source.range.max = number.getValueAsDouble();
  } else if (auto numbers = viewFloats(value, storage);
             numbers && !numbers->empty()) {
    auto [min, max] = std::minmax_element(numbers->begin(), numbers->end());
    source.range = {*min, *max};
  }
  return sources[value] = source;
}

/// Notes that `result` has `range`, if that is infinite.
void InfiniteValues::set(Value result, RealRange range, ArrayRef<Value> from) {
  if (!isInfinite(range))
    return;
  for (Value value : from)
    if (Value constant = lookup(value)) {
      sources[result] = {range, constant};
      return;
    }
}

void InfiniteValues::visit(Operation *op) {
  if (isa<linalg::LinalgOp>(op))
    return visitLoops(op);
  // Constants are read by others; nothing else is there for most ops.
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return;
  Value result = op->getResult(0);
  if (auto operation = dyn_cast<OperatorOp>(op)) {
    SmallVector<Value> inputs = llvm::to_vector(operation.getInputs());
    auto hasLargeNumber = [](OperatorKindAttrInterface kind) {
      FloatAttr number = kind.getSecondNumber();
      return number && std::abs(number.getValueAsDouble()) >= kInfinity;
    };
    bool isOwn = llvm::any_of(operation.getOperatorKinds(), hasLargeNumber);
    if (!isOwn &&
        !llvm::any_of(inputs, [&](Value input) { return lookup(input); }))
      return;
    SmallVector<RealRange> ranges;
    for (Value input : inputs)
      ranges.push_back(getSource(input).range);
    std::optional<RealRange> range = inferRange(operation, ranges);
    if (range && isInfinite(*range) && isOwn)
      sources[result] = {*range, result};
    else if (range)
      set(result, *range, inputs);
    return;
  }
  // Elements that are moved, and those that are filled up with.
  SmallVector<Value> moved;
  if (isa<tensor::ReshapeOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
          tensor::CastOp, tensor::ExtractSliceOp, tosa::ReshapeOp,
          tosa::TransposeOp, tosa::SliceOp, tosa::TileOp, tosa::ReverseOp>(op))
    moved = {op->getOperand(0)};
  else if (isa<tensor::InsertSliceOp>(op))
    moved = {op->getOperand(0), op->getOperand(1)};
  else if (isa<tensor::ConcatOp, tosa::ConcatOp>(op))
    moved = llvm::to_vector(op->getOperands());
  else if (auto select = dyn_cast<tosa::SelectOp>(op))
    moved = {select.getOnTrue(), select.getOnFalse()};
  else if (auto pad = dyn_cast<tosa::PadOp>(op))
    moved = {pad.getInput1(), pad.getPadConst()};
  else if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    moved = {pad.getSource()};
    if (Value number = pad.getConstantPaddingValue())
      moved.push_back(number);
  } else {
    return visitArithmetic(op);
  }
  RealRange all = getSource(moved.front()).range;
  for (Value value : moved) {
    RealRange range = getSource(value).range;
    all = {std::min(all.min, range.min), std::max(all.max, range.max)};
  }
  set(result, all, moved);
}

/// Of numbers, and of tensors of them.
void InfiniteValues::visitArithmetic(Operation *op) {
  SmallVector<Value> operands = llvm::to_vector(op->getOperands());
  if (auto select = dyn_cast<arith::SelectOp>(op))
    operands = {select.getTrueValue(), select.getFalseValue()};
  SmallVector<RealRange> ranges;
  for (Value operand : operands)
    ranges.push_back(getSource(operand).range);
  if (!llvm::any_of(ranges, isInfinite))
    return;
  RealRange a = ranges.front(), b = ranges.back();
  std::optional<RealRange> result =
      llvm::TypeSwitch<Operation *, std::optional<RealRange>>(op)
          .Case<arith::AddFOp, tosa::AddOp>([&](Operation *) {
            return RealRange{a.min + b.min, a.max + b.max};
          })
          .Case<arith::SubFOp, tosa::SubOp>([&](Operation *) {
            return RealRange{a.min - b.max, a.max - b.min};
          })
          .Case<arith::SelectOp>([&](Operation *) {
            return RealRange{std::min(a.min, b.min), std::max(a.max, b.max)};
          })
          .Case<arith::MulFOp>([&](Operation *) {
            double most = getLargest(a) * getLargest(b);
            return RealRange{-most, most};
          })
          .Case<arith::DivFOp>([&](Operation *) { return a; })
          .Case<arith::NegFOp, tosa::NegateOp>([&](Operation *) {
            return RealRange{-a.max, -a.min};
          })
          .Case<arith::ExtFOp, arith::TruncFOp, tosa::CastOp>(
              [&](Operation *) { return a; })
          .Default([](Operation *) { return std::nullopt; });
  if (result)
    set(op->getResult(0), *result, operands);
}

/// linalg's op `op`: its body is read once, for all elements.
void InfiniteValues::visitLoops(Operation *op) {
  auto loops = cast<linalg::LinalgOp>(op);
  if (loops.getNumParallelLoops() != loops.getNumLoops())
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    Source source = getSource(operand.get());
    if (isInfinite(source.range))
      sources[loops.getMatchingBlockArgument(&operand)] = source;
  }
  for (Operation &inner : loops.getBlock()->without_terminator())
    if (inner.getNumResults() == 1 && inner.getNumOperands() > 0)
      visitArithmetic(&inner);
  for (auto [result, value] : llvm::zip(
           op->getResults(), loops.getBlock()->getTerminator()->getOperands()))
    set(result, getSource(value).range, value);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Propagates infinities from constants. All of them are found in one walk, as
// a value is defined before it is read; constants are looked at where they are
// read by what gives infinities on, so that weights are not.

#include "InfiniteValues.h"

#include "qbackend/Dialect/QBackend/Elements.h"
#include "qbackend/Transforms/Analysis/ValueRanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace qbackend;

/// What has this size leaves f32 no digits of numbers below 32 that it is added
/// to: it stands for infinity.
static constexpr double kInfinity = 1e9;

static double getLargest(FloatRange range) {
  return std::max(std::abs(range.min), std::abs(range.max));
}

static bool isInfinite(FloatRange range) {
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
  return source.isMask ? source.constant : Value();
}

/// Whether `range` has infinities, and other numbers or genuine ones.
static bool isMasked(FloatRange range) {
  bool hasOthers = range.min < kInfinity && range.max > -kInfinity;
  return isInfinite(range) && (hasOthers || std::isinf(getLargest(range)));
}

/// The least and the largest number of a constant; nullopt if it has none.
static std::optional<FloatRange> getConstantRange(Value value,
                                                  Attribute constant) {
  if (auto number = dyn_cast<FloatAttr>(constant))
    return FloatRange{number.getValueAsDouble(), number.getValueAsDouble()};
  SmallVector<float, 0> storage;
  if (auto numbers = viewFloats(value, storage)) {
    if (numbers->empty())
      return std::nullopt;
    auto [min, max] = std::minmax_element(numbers->begin(), numbers->end());
    return FloatRange{*min, *max};
  }
  auto elements = dyn_cast<DenseFPElementsAttr>(constant);
  if (!elements || elements.empty())
    return std::nullopt;
  FloatRange range = {HUGE_VAL, -HUGE_VAL};
  auto add = [&](const APFloat &number) {
    double asFloat = FloatAttr::getValueAsDouble(number);
    range = {std::min(range.min, asFloat), std::max(range.max, asFloat)};
  };
  if (elements.isSplat())
    add(elements.getSplatValue<APFloat>());
  else
    llvm::for_each(elements.getValues<APFloat>(), add);
  return range;
}

InfiniteValues::Source InfiniteValues::getSource(Value value) {
  auto found = sources.find(value);
  if (found != sources.end())
    return found->second;
  Source source = {{-1, 1}, {}};
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function =
        dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    if (function)
      if (auto range = function.getArgAttrOfType<DenseF64ArrayAttr>(
              argument.getArgNumber(), kRangeAttrName))
        source.range = {range[0], range[1]};
    return source;
  }
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return source;
  source.constant = value;
  source.range = getConstantRange(value, constant).value_or(source.range);
  source.isMask = isMasked(source.range);
  return sources[value] = source;
}

/// Notes that `result`, whose numbers are those of `from` or sums of them, has
/// `range`, if that is infinite.
void InfiniteValues::setSum(Value result, FloatRange range,
                            ArrayRef<Value> from) {
  if (!isInfinite(range))
    return;
  for (Value value : from)
    if (Source source = getSource(value); isInfinite(source.range)) {
      sources[result] = {range, source.constant, isMasked(range)};
      return;
    }
}

/// Whether layers alone read `value`, in front of which a large factor is a
/// change of units.
static bool feedsLayers(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    auto op = dyn_cast<OperatorOp>(user);
    return op && op.getWeight();
  });
}

/// The same of products.
void InfiniteValues::setProduct(Value result, FloatRange range,
                                ArrayRef<Value> from) {
  setSum(result, range, from);
  auto found = sources.find(result);
  if (found != sources.end() && !std::isinf(getLargest(range)))
    found->second.isMask &= !feedsLayers(result);
}

/// The same of numbers that are only moved.
void InfiniteValues::setMoved(Value result, Value from) {
  Source source = getSource(from);
  if (isInfinite(source.range))
    sources[result] = source;
}

void InfiniteValues::visit(Operation *op) {
  if (isa<linalg::LinalgOp>(op))
    return visitLoops(op);
  // Constants are read by others; nothing else is there for most ops.
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return;
  if (auto operation = dyn_cast<OperatorOp>(op))
    return visitOperator(operation);
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
  Value result = op->getResult(0);
  if (moved.size() == 1)
    return setMoved(result, moved.front());
  FloatRange all = getSource(moved.front()).range;
  for (Value value : moved) {
    FloatRange range = getSource(value).range;
    all = {std::min(all.min, range.min), std::max(all.max, range.max)};
  }
  setSum(result, all, moved);
}

void InfiniteValues::visitOperator(OperatorOp op) {
  SmallVector<Value> inputs = llvm::to_vector(op.getInputs());
  // What a number of its own makes of finite inputs.
  auto isLarge = [](FloatAttr number) {
    return number && std::abs(number.getValueAsDouble()) >= kInfinity;
  };
  bool isOwn =
      llvm::any_of(op.getOperatorKinds(), [&](OperatorKindAttrInterface kind) {
        auto pad = dyn_cast<PadAttr>(kind);
        return isLarge(pad ? pad.getValue() : kind.getSecondNumber());
      });
  // No mask goes through a layer.
  if (op.getWeight() || (!isOwn && llvm::none_of(inputs, [&](Value input) {
        return isInfinite(getSource(input).range);
      })))
    return;
  SmallVector<FloatRange> ranges;
  for (Value input : inputs)
    ranges.push_back(getSource(input).range);
  std::optional<FloatRange> range = inferRange(op, ranges);
  if (!range || !isInfinite(*range))
    return;
  Value result = op.getOutput();
  if (isOwn)
    sources[result] = {*range, result,
                       isMasked(*range) && !feedsLayers(result)};
  else if (isa<MulAttr, DivAttr>(op.getKind()))
    setProduct(result, *range, inputs);
  else
    setSum(result, *range, inputs);
}

/// Of numbers, and of tensors of them.
void InfiniteValues::visitArithmetic(Operation *op) {
  SmallVector<Value> operands = llvm::to_vector(op->getOperands());
  if (auto select = dyn_cast<arith::SelectOp>(op))
    operands = {select.getTrueValue(), select.getFalseValue()};
  SmallVector<FloatRange> ranges;
  for (Value operand : operands)
    ranges.push_back(getSource(operand).range);
  if (!llvm::any_of(ranges, isInfinite))
    return;
  FloatRange a = ranges.front(), b = ranges.back();
  Value result = op->getResult(0);
  llvm::TypeSwitch<Operation *>(op)
      .Case<arith::AddFOp, tosa::AddOp>([&](Operation *) {
        setSum(result, {a.min + b.min, a.max + b.max}, operands);
      })
      .Case<arith::SubFOp, tosa::SubOp>([&](Operation *) {
        setSum(result, {a.min - b.max, a.max - b.min}, operands);
      })
      .Case<arith::SelectOp>([&](Operation *) {
        setSum(result, {std::min(a.min, b.min), std::max(a.max, b.max)},
               operands);
      })
      .Case<arith::MulFOp>([&](Operation *) {
        double most = getLargest(a) * getLargest(b);
        setProduct(result, {-most, most}, operands);
      })
      .Case<arith::NegFOp, tosa::NegateOp>([&](Operation *) {
        setSum(result, {-a.max, -a.min}, operands);
      })
      .Case<arith::DivFOp>(
          [&](Operation *) { setProduct(result, a, operands); })
      .Case<arith::ExtFOp, arith::TruncFOp, tosa::CastOp>(
          [&](Operation *) { setMoved(result, operands.front()); });
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
    setMoved(result, value);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interval arithmetic through the operators of a module.

#include "qbackend/Transforms/Analysis/ValueRanges.h"

#include "qbackend/Dialect/QBackend/Elements.h"
#include "qbackend/Transforms/Analysis/TensorNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace qbackend;

std::optional<FloatRange> qbackend::inferRange(OperatorOp op,
                                               ArrayRef<FloatRange> inputs) {
  OperatorOperands operands = op.getKindOperands();
  size_t used = operands.inputs.size();
  std::optional<FloatRange> result;
  for (OperatorKindAttrInterface kind : op.getOperatorKinds()) {
    std::optional<unsigned> count = kind.getInputCount();
    SmallVector<FloatRange> ranges;
    if (!result) {
      ranges.assign(inputs.begin(), inputs.begin() + used);
    } else {
      // Which of several inputs is the result before it isn't said.
      if (!count || (*count > 1 && !kind.isCommutative()) ||
          used + *count - 1 > inputs.size())
        return std::nullopt;
      ranges.push_back(*result);
      llvm::append_range(ranges, inputs.slice(used, *count - 1));
      used += *count - 1;
      operands.ownsParameters = false;
    }
    if (ranges.empty() || (count && ranges.size() != *count))
      return std::nullopt;
    result = kind.inferRange(operands, ranges);
    if (!result || std::isnan(result->min) || std::isnan(result->max))
      return std::nullopt;
  }
  return used == inputs.size() ? result : std::nullopt;
}

ValueRanges::ValueRanges(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    for (BlockArgument argument : function.getArguments())
      if (auto range = function.getArgAttrOfType<DenseF64ArrayAttr>(
              argument.getArgNumber(), kRangeAttrName))
        ranges[argument] = {range[0], range[1]};
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      visit(op);
      return isa<OperatorOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
  }
}

void ValueRanges::visit(Operation *op) {
  if (auto operation = dyn_cast<OperatorOp>(op)) {
    SmallVector<FloatRange> inputs;
    for (Value input : operation.getInputs()) {
      std::optional<FloatRange> range = lookup(input);
      // Indices of rows say nothing about what is in the rows.
      if (!range && operation.getKind().getWeightRole() == WeightRole::Rows)
        range = FloatRange{0, 0};
      if (!range)
        return;
      inputs.push_back(*range);
    }
    if (inputs.empty())
      return;
    std::optional<FloatRange> range = inferRange(operation, inputs);
    constexpr double largest = std::numeric_limits<float>::max();
    if (range && std::abs(range->min) <= largest &&
        std::abs(range->max) <= largest)
      ranges[operation.getOutput()] = *range;
    return;
  }
  if (op->getNumResults() != 1 || !op->hasTrait<OpTrait::ConstantLike>())
    return;
  ElementsAttr elements;
  SmallVector<float, 0> storage;
  std::optional<ArrayRef<float>> values;
  if (matchPattern(op, m_Constant(&elements)))
    values = viewFloats(elements, storage);
  if (!values || values->empty())
    return;
  auto [min, max] = std::minmax_element(values->begin(), values->end());
  if (std::isfinite(*min) && std::isfinite(*max))
    ranges[op->getResult(0)] = {*min, *max};
}

std::optional<FloatRange> ValueRanges::lookup(Value value) const {
  auto it = ranges.find(TensorNames::getTensor(value));
  if (it == ranges.end())
    return std::nullopt;
  return it->second;
}

std::string ValueRanges::explain(Value value) const {
  while (true) {
    value = TensorNames::getTensor(value);
    if (auto argument = dyn_cast<BlockArgument>(value))
      return "argument " + std::to_string(argument.getArgNumber()) +
             " has no qbackend.range";
    auto op = value.getDefiningOp<OperatorOp>();
    if (!op)
      return "'" + value.getDefiningOp()->getName().getStringRef().str() +
             "' is not an operator";
    auto unknown = llvm::find_if(op.getInputs(),
                                 [&](Value input) { return !lookup(input); });
    if (unknown == op.getInputs().end()) {
      std::string name = getLocationName(op.getLoc());
      return op.getKindName() + (name.empty() ? "" : " '" + name + "'") +
             " has no bounds";
    }
    value = *unknown;
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the original code of operators.

#include "Slice.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace qbackend;

/// No operator is spelled in more ops than this.
static constexpr size_t kMaxOperatorSize = 256;

/// Values that `op` reads: its operands, and what its regions capture.
static SmallVector<Value> getReadValues(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  values.append(captured.begin(), captured.end());
  return values;
}

/// Whether `op` can be moved with what it is computed from: it has no effects
/// but those of guards in its regions, which go where it goes.
static bool isMovable(Operation *op) {
  bool hasOthers = false;
  op->walk([&](Operation *inner) {
    if (inner != op && isa<cf::AssertOp>(inner))
      return;
    auto effects = dyn_cast<MemoryEffectOpInterface>(inner);
    hasOthers |= effects
                     ? !effects.hasNoEffect()
                     : !inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  });
  return !hasOthers;
}

LogicalResult qbackend::collectSlice(const RecognizedOperator &found,
                                     Slice &slice) {
  llvm::DenseSet<Value> operands, activations;
  for (const RecognizedOperand &input : found.inputs)
    activations.insert(input.value);
  for (const RecognizedOperand *operand :
       {&found.weight, &found.bias, &found.runningMean, &found.runningVar})
    if (operand->value)
      operands.insert(operand->value);

  Operation *root = found.result.getDefiningOp();
  if (!root || activations.contains(found.result))
    return failure();
  // Post-order over an explicit stack: chains may be deep.
  SmallVector<std::pair<Operation *, bool>> stack = {{root, false}};
  llvm::DenseSet<Operation *> visited;
  while (!stack.empty()) {
    auto [op, expanded] = stack.pop_back_val();
    if (expanded) {
      // An extent of an activation (tensor.dim) is not one.
      bool shaped =
          llvm::any_of(op->getResultTypes(), llvm::IsaPred<ShapedType>);
      for (Value value : shaped ? getReadValues(op) : SmallVector<Value>())
        if (activations.contains(value) ||
            (value.getDefiningOp() && !operands.contains(value) &&
             slice.active.contains(value.getDefiningOp())))
          slice.active.insert(op);
      slice.ops.insert(op);
      continue;
    }
    if (!visited.insert(op).second)
      continue;
    bool movable = isMovable(op) || (op == root && isa<OpAttr>(found.kind));
    if (visited.size() > kMaxOperatorSize || !movable)
      return failure();
    stack.push_back({op, true});
    for (Value value : getReadValues(op)) {
      if (operands.contains(value) || activations.contains(value))
        continue;
      Operation *producer = value.getDefiningOp();
      if (!producer)
        return failure();
      if (producer->hasTrait<OpTrait::ConstantLike>()) {
        if (visited.insert(producer).second)
          slice.ops.insert(producer);
        continue;
      }
      stack.push_back({producer, false});
    }
  }
  // An activation that stays visible would be computed, and observed, twice; a
  // change of the shape of an operand computes nothing. What parameters go
  // through in enclosing blocks is cloned, but no activation is.
  auto isReshapedInput = [&](Operation *op) {
    return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tosa::ReshapeOp>(
               op) &&
           activations.contains(op->getOperand(0));
  };
  for (Operation *op : slice.active)
    if (op->getBlock() != root->getBlock())
      return failure();
    else if (op != root && !isReshapedInput(op))
      for (Operation *user : op->getUsers()) {
        Operation *inBlock = root->getBlock()->findAncestorOpInBlock(*user);
        if (!inBlock || !slice.ops.contains(inBlock))
          return failure();
      }
  return success();
}

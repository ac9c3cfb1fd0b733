// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the original code of operators.

#include "Slice.h"

#include "qbackend/Operators/Extent.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
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

bool qbackend::movesElements(Operation *op) {
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp,
          tensor::PadOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
          tosa::ReshapeOp, tosa::TransposeOp, tosa::PadOp, tosa::SliceOp,
          tosa::IdentityOp, linalg::TransposeOp, linalg::BroadcastOp,
          linalg::CopyOp>(op))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumResults() != 1 ||
      generic.getNumReductionLoops() != 0)
    return false;
  auto element = dyn_cast<BlockArgument>(
      generic.getBody()->getTerminator()->getOperand(0));
  return element && element.getOwner() == generic.getBody() &&
         element.getArgNumber() < generic.getInputs().size();
}

/// If `op` is an extent of a tensor that none of `found`'s is, which of the
/// dimensions of its activations has the same.
static std::optional<Slice::Extent>
findSameExtent(Operation *op, const RecognizedOperator &found) {
  Value extent = op->getResult(0);
  Extent source = findExtent(extent);
  for (const RecognizedOperand &input : found.inputs) {
    auto inputType = input.value
                         ? dyn_cast<RankedTensorType>(input.value.getType())
                         : RankedTensorType();
    for (int64_t dim = 0; inputType && dim < inputType.getRank(); ++dim)
      if (inputType.isDynamicDim(dim) && findExtent(input.value, dim) == source)
        return Slice::Extent{extent, input.value, dim};
  }
  return std::nullopt;
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
    if (isa<tensor::DimOp>(op) && !activations.contains(op->getOperand(0)) &&
        !operands.contains(op->getOperand(0)))
      if (std::optional<Slice::Extent> extent = findSameExtent(op, found)) {
        slice.extents.push_back(*extent);
        continue;
      }
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
  // An activation that stays visible would be computed, and observed, twice;
  // what moves elements of an operand computes nothing. What parameters go
  // through in enclosing blocks is cloned, but no activation is.
  // What itself is such a move doesn't repeat others, but for a change of
  // shape.
  bool isMovement =
      isa<FlattenAttr, ReshapeAttr, TransposeAttr, NarrowAttr, PadAttr,
          RepeatAttr, PixelShuffleAttr, PixelUnshuffleAttr, ChannelShuffleAttr>(
          found.kind);
  auto isReshapedInput = [&](Operation *op) {
    return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tosa::ReshapeOp>(
               op) &&
           activations.contains(op->getOperand(0));
  };
  llvm::DenseSet<Operation *> shared;
  for (Operation *op : llvm::reverse(slice.ops)) {
    if (!slice.active.contains(op))
      continue;
    if (op->getBlock() != root->getBlock())
      return failure();
    if (op == root)
      continue;
    auto isOutside = [&](Operation *user) {
      Operation *inBlock = root->getBlock()->findAncestorOpInBlock(*user);
      return !inBlock || !slice.ops.contains(inBlock) ||
             shared.contains(inBlock);
    };
    bool isShared = llvm::any_of(op->getUsers(), [&](Operation *user) {
      // An extent that is taken from an activation instead reads nothing.
      bool isExtent =
          llvm::any_of(slice.extents, [&](const Slice::Extent &extent) {
            return extent.value.getDefiningOp() == user;
          });
      return isExtent ? llvm::any_of(user->getUsers(), isOutside)
                      : isOutside(user);
    });
    if (isShared && (isMovement ? !isReshapedInput(op) : !movesElements(op)))
      return failure();
    if (isShared)
      shared.insert(op);
  }
  return success();
}

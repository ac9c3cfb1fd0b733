// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds operators that only a part of a function was recognised as.

#include "Pieces.h"

#include "QuantizedSignature.h"

#include "qbackend/Transforms/Analysis/OperationCount.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace qbackend;

/// Chains of operators are followed no further than that.
static constexpr unsigned kMaxPieces = 8;

/// Whether `op` is a sum or product with a number.
static bool isStep(OperatorOp op) {
  return !op.isFused() && op.getInputs().size() == 1 &&
         isa<AddAttr, MulAttr, RsubAttr>(op.getKind());
}

/// Whether `op` computes, and is no operator.
static bool isCode(Operation *op) {
  return op && !isa<OperatorOp>(op) && countOperations(op) > 0;
}

static bool comesFromCode(OperatorOp op) {
  for (unsigned i = 0; i < kMaxPieces; ++i) {
    Value input = op.getInputs()[0];
    while (auto transpose = input.getDefiningOp<TransposeOp>())
      input = transpose.getInput();
    Operation *producer = input.getDefiningOp();
    if (isCode(producer))
      return true;
    op = dyn_cast_or_null<OperatorOp>(producer);
    if (!op || !isStep(op))
      return false;
  }
  return false;
}

static bool goesToCode(OperatorOp op) {
  SmallVector<Operation *> worklist(op->getUsers());
  for (unsigned i = 0; i < worklist.size(); ++i) {
    if (i == kMaxPieces)
      return false;
    auto next = dyn_cast<OperatorOp>(worklist[i]);
    if (isa<TransposeOp>(worklist[i]) || (next && isStep(next)))
      worklist.append(worklist[i]->user_begin(), worklist[i]->user_end());
    else if (!isCode(worklist[i]))
      return false;
  }
  return !worklist.empty();
}

bool qbackend::isPieceOfUnrecognized(OperatorOp op) {
  return isStep(op) && comesFromCode(op) && goesToCode(op);
}

/// Whether `op` moves values, and computes none.
static bool isMove(OperatorOp op) {
  return !op.isFused() && op.getKind().keepsNumbers() &&
         op.countOperations().operations == 0;
}

/// Whether the function's caller gets what `use` returns quantized.
static bool isQuantizedResult(OpOperand &use) {
  auto function = dyn_cast<func::FuncOp>(use.getOwner()->getParentOp());
  return isa<func::ReturnOp>(use.getOwner()) && function &&
         function.getResultAttr(use.getOperandNumber(), kQuantizedAttrName);
}

/// The uses of `value`, through changes of layout.
static SmallVector<OpOperand *> collectUses(Value value) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : value.getUses()) {
    if (auto transpose = dyn_cast<TransposeOp>(use.getOwner()))
      llvm::append_range(uses, collectUses(transpose.getOutput()));
    else
      uses.push_back(&use);
  }
  return uses;
}

llvm::DenseSet<Operation *>
qbackend::findMovesOfUnrecognized(ArrayRef<OperatorOp> statics) {
  llvm::DenseSet<Operation *> quantized(statics.begin(), statics.end());
  auto isQuantizedMove = [&](Operation *op) {
    return quantized.contains(op) && isMove(cast<OperatorOp>(op));
  };
  llvm::EquivalenceClasses<Operation *> islands;
  llvm::DenseSet<Operation *> kept, touching;
  llvm::DenseMap<Value, Operation *> readers;
  for (OperatorOp op : statics) {
    if (!isMove(op))
      continue;
    islands.insert(op);
    auto meet = [&](Operation *other) {
      if (!other)
        return;
      if (isQuantizedMove(other))
        islands.unionSets(op, other);
      else if (quantized.contains(other))
        kept.insert(op);
      else if (isCode(other))
        touching.insert(op);
    };
    for (Value input : op.getInputs()) {
      if (isQuantizedArgument(input))
        kept.insert(op);
      while (auto transpose = input.getDefiningOp<TransposeOp>())
        input = transpose.getInput();
      meet(input.getDefiningOp());
      // Who else reads the value has its observer, too.
      auto [reader, isFirst] = readers.try_emplace(input, op);
      islands.unionSets(reader->second, op);
      if (isFirst)
        for (OpOperand *use : collectUses(input))
          if (quantized.contains(use->getOwner()))
            meet(use->getOwner());
    }
    for (OpOperand *use : collectUses(op.getOutput())) {
      if (isQuantizedResult(*use))
        kept.insert(op);
      meet(use->getOwner());
    }
  }
  llvm::DenseSet<Operation *> keptIslands, touchingIslands, found;
  for (Operation *op : kept)
    keptIslands.insert(islands.getLeaderValue(op));
  for (Operation *op : touching)
    touchingIslands.insert(islands.getLeaderValue(op));
  for (OperatorOp op : statics) {
    if (!isMove(op))
      continue;
    Operation *leader = islands.getLeaderValue(op);
    if (touchingIslands.contains(leader) && !keptIslands.contains(leader))
      found.insert(op);
  }
  return found;
}

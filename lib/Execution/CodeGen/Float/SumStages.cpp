// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which elementwise ops are computed with a sum.

#include "SumStages.h"

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_PLACESUMSTAGESPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;
using namespace qbackend::codegen;

/// Whether each element of the result is one sum: of the loops that aren't in
/// its place.
static bool isSum(linalg::LinalgOp op) {
  if (!op || op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return false;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  auto kinds = op.getIteratorTypesArray();
  return map.isProjectedPermutation() &&
         map.getNumResults() == op.getNumParallelLoops() &&
         llvm::all_of(map.getResults(), [&](AffineExpr expr) {
           return kinds[cast<AffineDimExpr>(expr).getPosition()] ==
                  utils::IteratorType::parallel;
         });
}

/// Whether `op` computes each element of its result from those at one place.
static bool isElementwise(linalg::LinalgOp op) {
  return op && op.getNumDpsInits() == 1 && op.getNumLoops() > 0 &&
         op.getNumParallelLoops() == op.getNumLoops() &&
         op.getMatchingBlockArgument(op.getDpsInitOperand(0)).use_empty();
}

static bool isPermuted(linalg::LinalgOp op, OpOperand &operand) {
  return op.getMatchingIndexingMap(&operand).isPermutation();
}

/// Returns the only operand of an elementwise `op` that `value` is, if each
/// element is read once.
static OpOperand *findSums(linalg::LinalgOp op, Value value) {
  OpOperand *found = nullptr;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (operand->get() != value)
      continue;
    if (found)
      return nullptr;
    found = operand;
  }
  return found && isPermuted(op, *found) ? found : nullptr;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// The buffer that `value` is a part of.
static Value getRoot(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

/// Whether buffers of two such roots are the same only if the roots are: what
/// a loop carries may be any.
static bool isDistinct(Value root) {
  if (auto argument = dyn_cast<BlockArgument>(root))
    return isa<FunctionOpInterface>(argument.getOwner()->getParentOp()) &&
           argument.getOwner()->isEntryBlock();
  return isa<memref::AllocOp>(root.getDefiningOp());
}

/// Whether `op` may read the buffer, except by `except`.
static bool reads(linalg::LinalgOp op, Value root,
                  OpOperand *except = nullptr) {
  return op && llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
           if (operand == except || !isa<MemRefType>(operand->get().getType()))
             return false;
           Value other = getRoot(operand->get());
           // What is global is in no buffer of a function.
           return other == root ||
                  !(other.getDefiningOp<memref::GetGlobalOp>() ||
                    isDistinct(other));
         });
}

/// The next op before or behind that touches memory.
static linalg::LinalgOp findNeighbour(Operation *op, bool isBefore) {
  do
    op = isBefore ? op->getPrevNode() : op->getNextNode();
  while (op && (isMemoryEffectFree(op) || isa<memref::AllocOp>(op)));
  return dyn_cast_or_null<linalg::LinalgOp>(op);
}

SumStages qbackend::codegen::findSumStages(linalg::LinalgOp sum) {
  SumStages stages;
  if (!isSum(sum))
    return stages;
  Value sums = sum.getDpsInits()[0];
  if (!isDistinct(getRoot(sums)) || reads(sum, getRoot(sums)))
    return stages;
  linalg::LinalgOp before = findNeighbour(sum, /*isBefore=*/true);
  if (isElementwise(before) && before.getDpsInits()[0] == sums &&
      isPermuted(before, *before.getDpsInitOperand(0)) &&
      !reads(before, getRoot(sums)))
    stages.start = before;

  linalg::LinalgOp after = findNeighbour(sum, /*isBefore=*/false);
  if (!isElementwise(after))
    return stages;
  OpOperand *finished = findSums(after, sums);
  Value result = after.getDpsInits()[0];
  Value root = getRoot(result);
  if (!finished || getElementTypeOrSelf(sums) != getElementTypeOrSelf(result) ||
      !isDistinct(root) || reads(sum, root) || reads(stages.start, root) ||
      reads(after, root, finished))
    return stages;
  // Where the sums are somewhere else, nothing may look for them there.
  if (result != sums &&
      (!stages.start || !sums.getDefiningOp<memref::AllocOp>() ||
       llvm::any_of(sums.getUsers(), [&](Operation *user) {
         return user != stages.start && user != sum && user != after &&
                !isa<memref::DeallocOp, memref::DimOp>(user);
       })))
    return stages;
  stages.finish = after;
  stages.finished = finished;
  return stages;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Moves the ops of a block.
static void placeSumStages(Block &block) {
  SmallVector<linalg::LinalgOp> sums;
  // A call may tell the time: nothing is moved over what has effects.
  DenseMap<Operation *, unsigned> effects;
  unsigned count = 0;
  for (Operation &op : block) {
    count += !isMemoryEffectFree(&op);
    effects[&op] = count;
    if (auto sum = dyn_cast<linalg::LinalgOp>(op); isSum(sum))
      sums.push_back(sum);
  }
  // An op that adds two of them is computed with the last.
  llvm::SmallPtrSet<Operation *, 16> taken;
  for (linalg::LinalgOp sum : llvm::reverse(sums)) {
    Value result = sum->getResult(0);
    if (result.hasOneUse()) {
      auto user = dyn_cast<linalg::LinalgOp>(*result.user_begin());
      if (user && user->getBlock() == &block && isElementwise(user) &&
          findSums(user, result) && effects[user] == effects[sum] &&
          taken.insert(user).second)
        sum->moveBefore(user);
    }
    OpOperand &init = *sum.getDpsInitOperand(0);
    auto start = init.get().getDefiningOp<linalg::LinalgOp>();
    if (!start || !isElementwise(start))
      continue;
    if (start->hasOneUse() && start->getBlock() == &block &&
        effects[start] == effects[sum]) {
      start->moveBefore(sum);
    } else if (isa<linalg::FillOp, linalg::BroadcastOp>(start) &&
               start.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>()) {
      OpBuilder builder(sum);
      init.set(builder.clone(*start)->getResult(0));
    }
  }
}

namespace {
struct PlaceSumStagesPass
    : qbackend::codegen::impl::PlaceSumStagesPassBase<PlaceSumStagesPass> {
  void runOnOperation() final {
    getOperation()->walk([](Block *block) {
      // Of tensors only: on buffers others may stand between them.
      if (llvm::all_of(*block, [](Operation &op) {
            auto linalg = dyn_cast<linalg::LinalgOp>(op);
            return !linalg || linalg.hasPureTensorSemantics();
          }))
        placeSumStages(*block);
    });
  }
};
} // namespace

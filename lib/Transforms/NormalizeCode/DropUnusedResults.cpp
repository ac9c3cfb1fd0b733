// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drops unused results of ops that have others.

#include "DropUnusedResults.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace qbackend;

namespace {
/// What the results that are kept need of the body.
struct Needed {
  llvm::BitVector results;
  llvm::DenseSet<Operation *> ops;
};
} // namespace

/// What is read of `op`, and what that is computed from: an element of one
/// result may depend on those of another.
static Needed getNeeded(linalg::GenericOp op) {
  Block &body = *op.getBody();
  Operation *yield = body.getTerminator();
  Needed needed{llvm::BitVector(op.getNumResults()), {}};
  SmallVector<Value> stack;
  auto need = [&](unsigned result) {
    if (needed.results.test(result))
      return;
    needed.results.set(result);
    stack.push_back(yield->getOperand(result));
  };
  auto needOp = [&](Operation *inner) {
    if (needed.ops.insert(inner).second)
      inner->walk([&](Operation *nested) {
        llvm::append_range(stack, nested->getOperands());
      });
  };
  for (OpResult result : op->getResults())
    if (!result.use_empty())
      need(result.getResultNumber());
  // Guards stay.
  for (Operation &inner : body.without_terminator())
    if (!isPure(&inner))
      needOp(&inner);
  while (!stack.empty()) {
    Value value = stack.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == &body &&
          argument.getArgNumber() >= op.getNumDpsInputs())
        need(argument.getArgNumber() - op.getNumDpsInputs());
    } else if (Operation *inner =
                   body.findAncestorOpInBlock(*value.getDefiningOp())) {
      needOp(inner);
    }
  }
  return needed;
}

static void dropUnused(linalg::GenericOp op) {
  Needed needed = getNeeded(op);
  if (needed.results.all() || needed.results.none())
    return;
  Block &body = *op.getBody();
  Operation *yield = body.getTerminator();
  unsigned numInputs = op.getNumDpsInputs();
  SmallVector<AffineMap> allMaps = op.getIndexingMapsArray();
  SmallVector<AffineMap> maps(allMaps.begin(), allMaps.begin() + numInputs);
  SmallVector<Value> inits, yielded;
  SmallVector<Type> types;
  llvm::BitVector droppedArguments(body.getNumArguments());
  for (unsigned result = 0; result < op.getNumResults(); ++result) {
    if (!needed.results.test(result)) {
      droppedArguments.set(numInputs + result);
      continue;
    }
    maps.push_back(allMaps[numInputs + result]);
    inits.push_back(op.getOutputs()[result]);
    types.push_back(op.getResultTypes()[result]);
    yielded.push_back(yield->getOperand(result));
  }
  // A result may be all that says how far a loop goes.
  if (!inversePermutation(concatAffineMaps(maps, op.getContext())))
    return;
  OpBuilder builder(op);
  auto rest =
      linalg::GenericOp::create(builder, op.getLoc(), types, op.getInputs(),
                                inits, maps, op.getIteratorTypesArray());
  rest->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rest.getRegion().takeBody(op.getRegion());
  yield->setOperands(yielded);
  SmallVector<Operation *> unused;
  for (Operation &inner : body.without_terminator())
    if (!needed.ops.contains(&inner))
      unused.push_back(&inner);
  for (Operation *inner : llvm::reverse(unused))
    inner->erase();
  body.eraseArguments(droppedArguments);
  unsigned kept = 0;
  for (unsigned result : needed.results.set_bits())
    op.getResult(result).replaceAllUsesWith(rest.getResult(kept++));
  op.erase();
}

void qbackend::dropUnusedResults(func::FuncOp function) {
  SmallVector<linalg::GenericOp> ops;
  function.walk([&](linalg::GenericOp op) {
    if (op.getNumResults() > 1 && op.getNumReductionLoops() != 0 &&
        op.hasPureTensorSemantics())
      ops.push_back(op);
  });
  for (linalg::GenericOp op : ops)
    dropUnused(op);
}

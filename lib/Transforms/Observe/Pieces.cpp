// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds operators that only a part of a function was recognised as.

#include "Pieces.h"

#include "qbackend/Transforms/Analysis/OperationCount.h"

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

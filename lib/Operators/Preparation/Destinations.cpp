// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives ops that write into a slice of another tensor one of their own:
// op(outs(slice(t))) -> op(outs(empty)), where op doesn't read its destination.
// The slice is where the result is inserted afterwards.

#include "Preparation/Preparation.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// The sizes of what `slice` gives.
static SmallVector<OpFoldResult> getSizes(tensor::ExtractSliceOp slice) {
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes()))
    if (!dropped.test(dim))
      sizes.push_back(size);
  return sizes;
}

void forms::separateDestinations(linalg::LinalgOp op,
                                 PreparationRewriter &rewriter) {
  if (!op.hasPureTensorSemantics())
    return;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    auto slice = init.get().getDefiningOp<tensor::ExtractSliceOp>();
    // An element that no turn writes keeps what the slice has.
    if (!slice || slice.getType().getEncoding() ||
        op.payloadUsesValueFromOperand(&init) ||
        !op.getMatchingIndexingMap(&init).isProjectedPermutation())
      continue;
    unsigned number = init.getOperandNumber();
    rewriter.setInsertionPoint(op);
    init.set(tensor::EmptyOp::create(rewriter, op.getLoc(), getSizes(slice),
                                     slice.getType().getElementType()));
    Operation *written = op;
    Value before = slice;
    rewriter.recordUndo({written, slice}, written, [=](PreparationRewriter &) {
      written->setOperand(number, before);
      return written;
    });
  }
}

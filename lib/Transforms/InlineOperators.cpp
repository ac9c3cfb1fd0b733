// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts the code of operators back in their place.

#include "Layout.h"
#include "qbackend/Dialect/QBackend/Moves.h"
#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Transforms/Analysis/QConfigTable.h"
#include "qbackend/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace qbackend {
#define GEN_PASS_DEF_INLINEOPERATORSPASS
#include "qbackend/Transforms/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

static void inlineBody(OperatorOp op) {
  OpBuilder builder(op);
  Block &body = op.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), op.getOperands());
  for (Operation &inner : body.without_terminator())
    builder.clone(inner, mapping);
  op.replaceAllUsesWith(mapping.lookup(op.getYielded()));
  op.erase();
}

/// transpose(observe(x)) is observe(transpose(x)), but for layout: with the
/// observe first, transposes meet and cancel. Per-tensor statistics don't
/// depend on the order of the elements, those of channels on where they are.
static void sinkThroughObserve(ObserveOp op) {
  auto transpose = op.getInput().getDefiningOp<TransposeOp>();
  if (!transpose)
    return;
  OpBuilder builder(op);
  auto observe =
      ObserveOp::create(builder, op.getLoc(), transpose.getInput().getType(),
                        transpose.getInput(), op.getObserverAttr());
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  auto axis = op->getAttrOfType<IntegerAttr>(kChannelAxisAttrName);
  observe->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  if (!permutation.empty())
    observe->setAttr(kChannelAxisAttrName,
                     builder.getI64IntegerAttr(axis ? permutation[axis.getInt()]
                                                    : permutation.back()));
  op.replaceAllUsesWith(TransposeOp::create(builder, op.getLoc(), observe,
                                            transpose.getPermutation())
                            .getOutput());
  op.erase();
}

/// Joins `op` with transposes that it reads. Constants aren't transposed yet:
/// as a rule, the code of an operator undoes the layout of its weight.
static void composeTranspose(TransposeOp op) {
  OpBuilder builder(op);
  op.replaceAllUsesWith(createComposedTranspose(
      builder, op.getLoc(), op.getInput(), op.getPermutation()));
  op.erase();
}

static void lowerTranspose(TransposeOp op) {
  OpBuilder builder(op);
  Value folded = createFoldedTranspose(builder, op.getLoc(), op.getInput(),
                                       op.getPermutation());
  if (!folded.getDefiningOp<TransposeOp>()) {
    op.replaceAllUsesWith(folded);
    op.erase();
    return;
  }
  folded.getDefiningOp()->erase();
  auto type = cast<RankedTensorType>(op.getOutput().getType());
  SmallVector<Value> sizes;
  for (auto [i, dim] : llvm::enumerate(op.getPermutation()))
    if (type.isDynamicDim(i))
      sizes.push_back(
          tensor::DimOp::create(builder, op.getLoc(), op.getInput(), dim));
  Value init = tensor::EmptyOp::create(builder, op.getLoc(), type, sizes);
  auto lowered = linalg::TransposeOp::create(
      builder, op.getLoc(), op.getInput(), init, op.getPermutation());
  op.replaceAllUsesWith(lowered.getResult()[0]);
  op.erase();
}

namespace {
struct InlineOperatorsPass
    : qbackend::impl::InlineOperatorsPassBase<InlineOperatorsPass> {
  template <typename OpT> SmallVector<OpT> collect() {
    SmallVector<OpT> ops;
    getOperation()->walk<WalkOrder::PreOrder>(
        [&](OpT op) { ops.push_back(op); });
    return ops;
  }

  void runOnOperation() override {
    for (OperatorOp op : collect<OperatorOp>())
      inlineBody(op);
    SmallVector<Operation *> layout;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<TransposeOp, ObserveOp>(op))
        layout.push_back(op);
    });
    for (Operation *op : layout) {
      if (auto transpose = dyn_cast<TransposeOp>(op))
        composeTranspose(transpose);
      else
        sinkThroughObserve(cast<ObserveOp>(op));
    }
    SmallVector<TransposeOp> transposes = collect<TransposeOp>();
    for (TransposeOp op : llvm::reverse(transposes)) {
      if (op->use_empty())
        op.erase();
      else
        lowerTranspose(op);
    }
    getOperation()->walk([](FunctionOpInterface function) {
      function->removeAttr(kMovesAttrName);
    });
    // The roles that the bodies didn't need.
    getOperation()->walk([&](Block *block) {
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
        if (isOpTriviallyDead(&op))
          op.erase();
    });
  }
};
} // namespace

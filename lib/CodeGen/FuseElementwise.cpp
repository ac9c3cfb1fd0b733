// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass qbackend-fuse-elementwise: elementwise ops are computed where they
// are read.

#include "qbackend/CodeGen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "qbackend/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;
using namespace qbackend::codegen;

namespace {
struct FuseElementwisePass
    : qbackend::codegen::impl::FuseElementwisePassBase<FuseElementwisePass> {
  void runOnOperation() final {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> sums;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics() && op.getNumReductionLoops() != 0)
        sums.push_back(op);
    });
    for (linalg::LinalgOp op : sums)
      readTransposed(op, rewriter);
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(
        patterns, [](OpOperand *operand) {
          auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
          return operand->get().hasOneUse() && consumer &&
                 consumer.getNumReductionLoops() == 0 &&
                 !(isBroadcast(consumer, *operand) &&
                   isSlow(operand->get().getDefiningOp()));
        });
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }

  /// Whether elements of `operand` are read several times.
  static bool isBroadcast(linalg::LinalgOp op, OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges()))
      if (extent != 1 && !map.isFunctionOfDim(loop))
        return true;
    return false;
  }

  /// Whether the body of `op` has what takes longer than to load a number: the
  /// mean and the deviation of a row would be computed for each of its
  /// elements.
  static bool isSlow(Operation *op) {
    auto producer = dyn_cast_or_null<linalg::LinalgOp>(op);
    return producer && llvm::any_of(*producer.getBlock(), [](Operation &inner) {
             if (isa<math::FmaOp, math::AbsFOp, math::AbsIOp, math::CeilOp,
                     math::FloorOp, math::RoundEvenOp, math::TruncOp,
                     math::CopySignOp>(inner))
               return false;
             return isa_and_nonnull<math::MathDialect>(inner.getDialect()) ||
                    isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp,
                        arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
                        arith::CeilDivSIOp, arith::CeilDivUIOp,
                        arith::FloorDivSIOp>(inner);
           });
  }

  /// Each run would transpose it again.
  static void readTransposed(linalg::LinalgOp op, IRRewriter &rewriter) {
    for (unsigned i = 0, e = op.getNumDpsInputs(); i != e; ++i) {
      auto transpose =
          op.getDpsInputs()[i].getDefiningOp<linalg::TransposeOp>();
      if (!transpose || !matchPattern(transpose.getInput(), m_Constant()))
        continue;
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::GenericOp> generic =
          isa<linalg::GenericOp>(op) ? cast<linalg::GenericOp>(op)
                                     : linalg::generalizeNamedOp(rewriter, op);
      if (failed(generic))
        return;
      op = *generic;
      // Dimension k of the transposed is dimension permutation[k] of what it
      // is.
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      maps[i] = inversePermutation(
                    AffineMap::getPermutationMap(transpose.getPermutation(),
                                                 rewriter.getContext()))
                    .compose(maps[i]);
      op.getDpsInputOperand(i)->set(transpose.getInput());
      generic->setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    }
  }
};
} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass qbackend-fuse-elementwise: elementwise ops are computed where they
// are read.

#include "ElementwiseCost.h"

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;
using namespace qbackend::codegen;

/// Whether elements of `operand` are read several times.
static bool isBroadcast(linalg::LinalgOp op, OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges()))
    if (extent != 1 && !map.isFunctionOfDim(loop))
      return true;
  return false;
}

/// Whether `operand` of a sum, each element of which is read once, is of
/// integers that are widened: as part of the sum, a fraction is read, and
/// nothing is written.
static bool isWidened(linalg::LinalgOp sum, OpOperand &operand) {
  auto producer = operand.get().getDefiningOp<linalg::GenericOp>();
  auto getBits = [](Value value) {
    Type type = getElementTypeOrSelf(value.getType());
    return type.isInteger() ? type.getIntOrFloatBitWidth() : 64;
  };
  return producer && producer.getNumReductionLoops() == 0 &&
         sum.getMatchingIndexingMap(&operand).isPermutation() &&
         llvm::all_of(producer.getDpsInputs(), [&](Value input) {
           return getBits(input) < getBits(operand.get());
         });
}

/// The map of what `transpose` reads where `map` is that of its result.
static AffineMap composeTransposed(linalg::TransposeOp transpose,
                                   AffineMap map) {
  // Dimension k of the transposed is dimension permutation[k] of what it is.
  return inversePermutation(
             AffineMap::getPermutationMap(transpose.getPermutation(),
                                          transpose.getContext()))
      .compose(map);
}

/// transpose(f(transpose(x, p), ...), q)   is   f(x, ...)   if q undoes p.
///
/// f is elementwise; what else it reads is smaller than its result, and is read
/// in another order. Such transposes are around what has no kernel, as layouts
/// are those of the kernels.
static LogicalResult leaveTransposedOut(linalg::TransposeOp after,
                                        PatternRewriter &rewriter) {
  auto op = after.getInput().getDefiningOp<linalg::GenericOp>();
  if (!op || !op->hasOneUse() || !op.hasPureTensorSemantics() ||
      op.getNumReductionLoops() != 0 || op.getNumDpsInits() != 1 ||
      op.hasIndexSemantics() ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return rewriter.notifyMatchFailure(after, "not of elementwise code");
  ArrayRef<int64_t> undo = after.getPermutation();
  SmallVector<int64_t> permutation = invertPermutationVector(undo);
  // Loop `undo[k]` of `op` is loop `k` of the result.
  SmallVector<AffineExpr> loops;
  for (int64_t loop : permutation)
    loops.push_back(rewriter.getAffineDimExpr(loop));
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  bool isUndone = false;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    auto before = operand->get().getDefiningOp<linalg::TransposeOp>();
    if (before && map.isIdentity() &&
        before.getPermutation() == ArrayRef<int64_t>(permutation)) {
      isUndone = true;
      inputs.push_back(before.getInput());
      maps.push_back(map);
      continue;
    }
    if (isa<ShapedType>(operand->get().getType()) && !isBroadcast(op, *operand))
      return rewriter.notifyMatchFailure(op, "would read another across");
    inputs.push_back(operand->get());
    maps.push_back(map.replaceDimsAndSymbols(loops, {}, map.getNumDims(), 0));
  }
  if (!isUndone)
    return rewriter.notifyMatchFailure(after, "nothing that it undoes");
  maps.push_back(rewriter.getMultiDimIdentityMap(undo.size()));
  auto result = linalg::GenericOp::create(
      rewriter, op.getLoc(), after->getResultTypes(), inputs,
      ValueRange{after.getInit()}, maps, op.getIteratorTypesArray());
  rewriter.inlineRegionBefore(op.getRegion(), result.getRegion(),
                              result.getRegion().end());
  rewriter.replaceOp(after, result);
  rewriter.eraseOp(op);
  return success();
}

/// f(transpose(x), ...)   reads x across: a pass over memory less.
static LogicalResult readAcross(linalg::GenericOp op,
                                PatternRewriter &rewriter) {
  if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() != 0)
    return rewriter.notifyMatchFailure(op, "not elementwise on tensors");
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto transpose = operand->get().getDefiningOp<linalg::TransposeOp>();
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (!transpose || !transpose->hasOneUse() || !map.isPermutation())
      continue;
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    maps[operand->getOperandNumber()] = composeTransposed(transpose, map);
    rewriter.modifyOpInPlace(op, [&] {
      operand->set(transpose.getInput());
      op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
    return success();
  }
  return rewriter.notifyMatchFailure(op, "reads no transpose of one use");
}

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
    for (linalg::LinalgOp op : sums) {
      if (!isa<linalg::ReduceOp>(op)) {
        readTransposed(op, rewriter);
      } else if (isWidened(op, *op.getDpsInputOperand(0))) {
        rewriter.setInsertionPoint(op);
        if (failed(linalg::generalizeNamedOp(rewriter, op)))
          return signalPassFailure();
      }
    }
    // What is left of transposes is read across by who reads the result.
    if (failed(fuse(leaveTransposedOut)) || failed(fuse(readAcross)))
      signalPassFailure();
  }

  template <typename OpTy>
  LogicalResult fuse(LogicalResult (*pattern)(OpTy, PatternRewriter &)) {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(
        patterns, [](OpOperand *operand) {
          auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
          return operand->get().hasOneUse() && consumer &&
                 (consumer.getNumReductionLoops() == 0 ||
                  isWidened(consumer, *operand)) &&
                 !isLong(consumer, operand->get()) &&
                 !(isBroadcast(consumer, *operand) && isSlow(operand->get()));
        });
    patterns.add(pattern);
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }

  /// Whether the loop of both would have more ops than registers are found for
  /// in reasonable time.
  static bool isLong(linalg::LinalgOp consumer, Value value) {
    constexpr size_t maxOps = 100;
    auto count = [](linalg::LinalgOp op) {
      return op->getRegion(0).front().getOperations().size();
    };
    auto producer = value.getDefiningOp<linalg::LinalgOp>();
    return producer && count(producer) + count(consumer) > maxOps;
  }

  static bool isSlow(Value value) {
    auto producer = value.getDefiningOp<linalg::LinalgOp>();
    return producer &&
           (qbackend::codegen::isSlow(producer) ||
            !producer.getBlock()->getOps<tensor::ExtractOp>().empty());
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
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      maps[i] = composeTransposed(transpose, maps[i]);
      op.getDpsInputOperand(i)->set(transpose.getInput());
      generic->setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    }
  }
};
} // namespace

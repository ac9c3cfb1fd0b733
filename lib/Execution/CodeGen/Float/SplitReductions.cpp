// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass qbackend-split-reductions: integers that are neighbours along the
// loop that they are added up over become lanes.
//
//   y[n] = sum x[n, k]   is   s[n, j] = sum x[n, i * 16 + j],   y[n] = sum s[n,
//   j]
//
// Sums of integers that wrap, and extrema, are the same in any order.

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_SPLITREDUCTIONSPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;
using namespace qbackend::codegen;

/// As many as a vector of 512 bits has of 32; longer and shorter ones are made
/// of these by whoever has them.
static constexpr int64_t lanes = 16;
/// Of fewer elements a vector of results is better.
static constexpr int64_t fewest = 4 * lanes;

/// Whether the result is one of integers that may be combined in any order.
static bool isCommutativeOfIntegers(linalg::GenericOp op) {
  SmallVector<Operation *> combiners;
  Value reduced = matchReduction(op.getRegionOutputArgs(), 0, combiners);
  if (!reduced || combiners.size() != 1 ||
      !reduced.getType().isSignlessInteger())
    return false;
  // A sum that must not overflow may do so in another order.
  if (auto add = dyn_cast<arith::AddIOp>(combiners.front()))
    return add.getOverflowFlags() == arith::IntegerOverflowFlags::none;
  return isa<arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp>(combiners.front());
}

/// The only loop that `op` reduces, if the elements along it are neighbours,
/// and no others are; nothing if it is better as it is.
static std::optional<unsigned> findLoop(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() != 1 || !isCommutativeOfIntegers(op))
    return std::nullopt;
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  unsigned loop = loops.front();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (ShapedType::isDynamicShape(ranges) || ranges[loop] < fewest ||
      llvm::is_contained(ranges, 0))
    return std::nullopt;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!result.isProjectedPermutation() || result.isFunctionOfDim(loop))
    return std::nullopt;
  if (llvm::any_of(op.getBody()->getOperations(), [](Operation &inner) {
        return isa<linalg::IndexOp>(inner);
      }))
    return std::nullopt;
  bool isRow = false;
  int64_t read = 0;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!map.isProjectedPermutation())
      return std::nullopt;
    if (!map.isFunctionOfDim(loop))
      continue;
    auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
    if (!last || last.getPosition() != loop)
      return std::nullopt;
    isRow = true;
    read = std::max(
        read, cast<RankedTensorType>(input->get().getType()).getNumElements());
  }
  // A product of two tensors has more results than a lane each is worth.
  auto sums = cast<RankedTensorType>(op->getResult(0).getType());
  if (!isRow || sums.getNumElements() * lanes > read)
    return std::nullopt;
  return loop;
}

/// `op` of `count` elements along `loop`, from `first` on, added to `init`.
static linalg::GenericOp takePart(OpBuilder &b, linalg::GenericOp op,
                                  unsigned loop, int64_t first, int64_t count,
                                  Value init) {
  SmallVector<Value> operands;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!map.isFunctionOfDim(loop)) {
      operands.push_back(input->get());
      continue;
    }
    auto type = cast<RankedTensorType>(input->get().getType());
    SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)),
        sizes = tensor::getMixedSizes(b, op.getLoc(), input->get()),
        steps(type.getRank(), b.getIndexAttr(1));
    offsets.back() = b.getIndexAttr(first);
    sizes.back() = b.getIndexAttr(count);
    operands.push_back(tensor::ExtractSliceOp::create(
        b, op.getLoc(), input->get(), offsets, sizes, steps));
  }
  operands.push_back(init);
  return cast<linalg::GenericOp>(clone(b, op, op->getResultTypes(), operands));
}

namespace {
struct SplitReductionsPass
    : qbackend::codegen::impl::SplitReductionsPassBase<SplitReductionsPass> {
  void runOnOperation() override {
    SmallVector<std::pair<linalg::GenericOp, unsigned>> ops;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (std::optional<unsigned> loop = findLoop(op))
        ops.emplace_back(op, *loop);
    });
    IRRewriter rewriter(&getContext());
    for (auto [op, loop] : ops)
      split(rewriter, op, loop);
  }

  void split(IRRewriter &rewriter, linalg::GenericOp op, unsigned loop) {
    rewriter.setInsertionPoint(op);
    int64_t extent = op.getStaticLoopRanges()[loop], rest = extent % lanes;
    if (rest != 0) {
      // What is left over comes first: the other result is the last one.
      Value init = op.getDpsInits()[0];
      init =
          takePart(rewriter, op, loop, extent - rest, rest, init)->getResult(0);
      linalg::GenericOp whole =
          takePart(rewriter, op, loop, 0, extent - rest, init);
      rewriter.replaceOp(op, whole);
      op = whole;
      rewriter.setInsertionPoint(op);
    }
    unsigned rank =
        cast<RankedTensorType>(op->getResult(0).getType()).getRank();
    // Where it says no, the op is as it was.
    (void)linalg::splitReduction(rewriter, op, [&](linalg::LinalgOp) {
      return linalg::SplitReductionOptions{lanes, rank, /*innerParallel=*/true};
    });
  }
};
} // namespace

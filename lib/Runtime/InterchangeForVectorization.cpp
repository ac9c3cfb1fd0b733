// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts a parallel dimension innermost in linalg reductions.
//
//   for f, oh, ow, c, kh, kw:        for f, oh, c, kh, kw, ow:
//     y[f,oh,ow] += ...         =>     y[f,oh,ow] += ...
//
// The second loop vectorizes: its iterations are independent, and each sum is
// still taken in the same order. The first would need sums to be reordered.

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Runtime/Executable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

/// A transposition of an operand that is not a constant has to be this many
/// times cheaper than the op that reads it.
static constexpr int64_t minReuse = 16;

/// Fewer iterations than this are not worth a vector.
static constexpr int64_t minExtent = 4;

namespace {
/// How the elements of an operand follow each other along one dimension.
enum class Access { Invariant, Contiguous, Strided, Far };
} // namespace

static Access getAccess(AffineMap map, unsigned dim) {
  if (!map.isFunctionOfDim(dim))
    return Access::Invariant;
  ArrayRef<AffineExpr> results = map.getResults();
  for (AffineExpr expr : results.drop_back())
    if (expr.isFunctionOfDim(dim))
      return Access::Far;
  // The difference of neighbours, if it is a constant.
  MLIRContext *context = map.getContext();
  AffineExpr d = getAffineDimExpr(dim, context);
  AffineExpr step =
      simplifyAffineExpr(results.back().replace(d, d + 1) - results.back(),
                         map.getNumDims(), map.getNumSymbols());
  if (auto constant = dyn_cast<AffineConstantExpr>(step))
    return constant.getValue() == 1 ? Access::Contiguous : Access::Strided;
  return Access::Far;
}

static int64_t countElements(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type.getNumElements() : -1;
}

/// Returns whether storing the operand transposed is cheap: it is a constant,
/// or read often enough.
static bool canTranspose(linalg::GenericOp op, OpOperand &operand,
                         ArrayRef<int64_t> extents) {
  if (!op.isDpsInput(&operand) ||
      !op.getMatchingIndexingMap(&operand).isProjectedPermutation())
    return false;
  int64_t elements = countElements(operand.get());
  if (elements < 0)
    return false;
  if (matchPattern(operand.get(), m_Constant()))
    return true;
  int64_t iterations = 1;
  for (int64_t extent : extents) {
    if (ShapedType::isDynamic(extent))
      return false;
    iterations *= extent;
  }
  return iterations / std::max<int64_t>(elements, 1) >= minReuse;
}

/// Returns how good `dim` is as the innermost dimension; 0 is unusable.
static int64_t rate(linalg::GenericOp op, unsigned dim,
                    ArrayRef<int64_t> extents) {
  int64_t extent = extents[dim];
  if (!ShapedType::isDynamic(extent) && extent < minExtent)
    return 0;
  int64_t score = 4;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<ShapedType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (map.getNumResults() == 0)
      continue;
    Access access = getAccess(map, dim);
    if (op.isDpsInit(&operand)) {
      if (access != Access::Contiguous)
        return 0;
      continue;
    }
    if (access == Access::Strided)
      score = std::min<int64_t>(score, 2);
    if (access == Access::Far) {
      if (!canTranspose(op, operand, extents))
        return 0;
      score = std::min<int64_t>(score, 3);
    }
  }
  return score;
}

/// Returns whether the innermost reduction already walks all inputs in steps
/// of one element.
static bool reducesContiguously(linalg::GenericOp op) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  unsigned inner = reductions.back();
  return all_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
    if (!isa<ShapedType>(operand->get().getType()))
      return true;
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (map.getNumResults() == 0)
      return true;
    Access access = getAccess(map, inner);
    return access == Access::Contiguous || access == Access::Invariant;
  });
}

/// Returns the operand stored such that `dim` comes last, and updates `map`.
static Value transposeOperand(RewriterBase &rewriter, linalg::GenericOp op,
                              Value value, AffineMap &map, unsigned dim) {
  SmallVector<int64_t> permutation;
  int64_t last = 0;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (expr.isFunctionOfDim(dim))
      last = i;
    else
      permutation.push_back(i);
  }
  permutation.push_back(last);
  SmallVector<AffineExpr> results;
  for (int64_t i : permutation)
    results.push_back(map.getResult(i));
  map = AffineMap::get(map.getNumDims(), 0, results, map.getContext());

  ElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    if (DenseElementsAttr transposed =
            qbackend::transposeElements(constant, permutation))
      return arith::ConstantOp::create(rewriter, op.getLoc(), transposed);
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape;
  for (int64_t i : permutation)
    shape.push_back(type.getDimSize(i));
  Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), shape,
                                        type.getElementType());
  return linalg::TransposeOp::create(rewriter, op.getLoc(), value, empty,
                                     permutation)
      ->getResult(0);
}

static void interchange(RewriterBase &rewriter, linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() == 0 ||
      op.getNumParallelLoops() == 0)
    return;
  // Sums of integers can be reordered, and LLVM does.
  bool isFloat = llvm::any_of(op.getDpsInits(), [](Value init) {
    return isa<FloatType>(getElementTypeOrSelf(init.getType()));
  });
  if (!isFloat && reducesContiguously(op))
    return;

  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  std::optional<unsigned> best;
  int64_t bestScore = 0;
  for (unsigned dim : parallel) {
    int64_t score = rate(op, dim, extents);
    // Of two equals the inner one.
    if (score > 0 && score >= bestScore) {
      best = dim;
      bestScore = score;
    }
  }
  if (!best)
    return;

  rewriter.setInsertionPoint(op);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap &map = maps[operand->getOperandNumber()];
    if (map.getNumResults() == 0 || getAccess(map, *best) != Access::Far)
      continue;
    Value value = transposeOperand(rewriter, op, operand->get(), map, *best);
    rewriter.modifyOpInPlace(op, [&] { operand->set(value); });
  }
  rewriter.modifyOpInPlace(op, [&] {
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });

  // Parallel dimensions, reductions in their order, the innermost.
  SmallVector<unsigned> order, reductions;
  op.getReductionDims(reductions);
  for (unsigned dim : parallel)
    if (dim != *best)
      order.push_back(dim);
  llvm::append_range(order, reductions);
  order.push_back(*best);
  if (!llvm::is_sorted(order))
    (void)linalg::interchangeGenericOp(rewriter, op, order);
}

namespace {
struct InterchangeForVectorizationPass
    : PassWrapper<InterchangeForVectorizationPass,
                  OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InterchangeForVectorizationPass)

  StringRef getArgument() const final {
    return "qbackend-interchange-for-vectorization";
  }
  StringRef getDescription() const final {
    return "put a parallel dimension innermost in linalg reductions";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
  }
  void runOnOperation() final {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op.getNumReductionLoops() != 0 && op.hasPureTensorSemantics())
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops) {
      auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      if (!generic) {
        rewriter.setInsertionPoint(op);
        FailureOr<linalg::GenericOp> generalized =
            linalg::generalizeNamedOp(rewriter, op);
        if (failed(generalized))
          continue; // A linalg.reduce or the like: it is correct as it is.
        generic = *generalized;
      }
      interchange(rewriter, generic);
    }
  }
};
} // namespace

std::unique_ptr<Pass>
qbackend::runtime::createInterchangeForVectorizationPass() {
  return std::make_unique<InterchangeForVectorizationPass>();
}

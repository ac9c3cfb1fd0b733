// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings code into the form that recognisers expect, whoever wrote it: private
// functions are part of their callers, and types say all that is known.

#include "NormalizeCode/DropAddedUnits.h"
#include "NormalizeCode/DropUnusedResults.h"
#include "NormalizeCode/InlineCalls.h"

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Transforms/Analysis/SourceValues.h"
#include "qbackend/Transforms/ConstantGlobals.h"
#include "qbackend/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"

#include <cfloat>
#include <cmath>

namespace qbackend {
#define GEN_PASS_DEF_NORMALIZECODEPASS
#include "qbackend/Transforms/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static bool isDynamic(Type type) {
  auto shaped = dyn_cast<RankedTensorType>(type);
  return shaped && !shaped.hasStaticShape();
}

/// Whether `cast` hides an extent that was known.
static bool losesExtent(tensor::CastOp cast) {
  auto from = dyn_cast<RankedTensorType>(cast.getSource().getType());
  auto to = dyn_cast<RankedTensorType>(cast.getType());
  return from && to &&
         llvm::any_of(llvm::zip_equal(from.getShape(), to.getShape()),
                      [](auto extents) {
                        return !ShapedType::isDynamic(std::get<0>(extents)) &&
                               ShapedType::isDynamic(std::get<1>(extents));
                      });
}

/// Whether the shape of `op` may follow from that of what it reads.
static bool hasShape(Operation *op) {
  if (isa<tensor::CastOp>(op))
    return true;
  if (isa<tensor::TensorDialect, linalg::LinalgDialect>(op->getDialect()))
    return llvm::any_of(op->getOperandTypes(), isDynamic) ||
           llvm::any_of(op->getResultTypes(), isDynamic);
  // Arithmetic on extents.
  return isa<arith::ArithDialect>(op->getDialect()) &&
         op->getNumResults() == 1 && op->getResult(0).getType().isIndex();
}

//===----------------------------------------------------------------------===//
// Transposes
//===----------------------------------------------------------------------===//

/// Result i of the permutation is the dimension of the input that dimension i
/// of the result is; none if `generic` does not only transpose.
static std::optional<SmallVector<int64_t>>
getPermutation(linalg::GenericOp generic) {
  if (generic.getInputs().size() != 1 || generic.getNumResults() != 1 ||
      generic.getNumReductionLoops() != 0)
    return std::nullopt;
  Block *body = generic.getBody();
  AffineMap from = generic.getIndexingMapsArray().front();
  if (body->getTerminator()->getOperand(0) != body->getArgument(0) ||
      !from.isPermutation() ||
      !generic.getIndexingMapsArray().back().isIdentity())
    return std::nullopt;
  SmallVector<int64_t> permutation(from.getNumDims());
  for (auto [dim, expr] : llvm::enumerate(from.getResults()))
    permutation[cast<AffineDimExpr>(expr).getPosition()] = dim;
  return permutation;
}

/// What `op` transposes, and how; null if that is not all it does.
static std::pair<Value, SmallVector<int64_t>> getTransposed(Operation *op) {
  if (auto transpose = dyn_cast<tosa::TransposeOp>(op))
    return {
        transpose.getInput1(),
        llvm::to_vector_of<int64_t>(ArrayRef<int32_t>(transpose.getPerms()))};
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op))
    return {transpose.getInput(),
            SmallVector<int64_t>(transpose.getPermutation())};
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    if (auto permutation = getPermutation(generic))
      return {generic.getInputs().front(), *permutation};
  return {};
}

/// Dimensions that are moved and moved back have not moved: no operator is cut
/// in two there.
static void cancelTransposes(func::FuncOp function) {
  struct Moved {
    Value source;
    SmallVector<int64_t> permutation;
  };
  llvm::DenseMap<Value, Moved> moved;
  SmallVector<Operation *> unused;
  function.walk([&](Operation *op) {
    auto [source, permutation] = getTransposed(op);
    if (!source || op->getNumResults() != 1)
      return;
    auto before = moved.find(source);
    bool isSecond = before != moved.end();
    if (isSecond) {
      for (int64_t &dim : permutation)
        dim = before->second.permutation[dim];
      source = before->second.source;
    }
    Value result = op->getResult(0);
    if (!isSecond || !isIdentityPermutation(permutation) ||
        result.getType() != source.getType()) {
      moved.try_emplace(result, Moved{source, std::move(permutation)});
      return;
    }
    result.replaceAllUsesWith(source);
    unused.push_back(op);
  });
  while (!unused.empty()) {
    Operation *op = unused.pop_back_val();
    Operation *before = getTransposed(op).first.getDefiningOp();
    op->erase();
    if (before && before->use_empty() && getTransposed(before).first)
      unused.push_back(before);
  }
}

//===----------------------------------------------------------------------===//
// Dimensions of 1
//===----------------------------------------------------------------------===//

/// Whether the types differ in dimensions of 1 only.
static bool differInUnits(RankedTensorType a, RankedTensorType b) {
  auto isNoUnit = [](int64_t size) { return size != 1; };
  return llvm::equal(llvm::make_filter_range(a.getShape(), isNoUnit),
                     llvm::make_filter_range(b.getShape(), isNoUnit));
}

/// Changes of one value to one shape are one: what reads them reads the same.
static void mergeEqualReshapes(func::FuncOp function) {
  llvm::DenseMap<std::pair<Value, Type>, Operation *> first;
  SmallVector<Operation *> reshapes;
  function.walk([&](Operation *op) {
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op) &&
        !isDynamic(op->getResult(0).getType()))
      reshapes.push_back(op);
  });
  for (Operation *op : reshapes) {
    auto [it, isNew] =
        first.try_emplace({op->getOperand(0), op->getResult(0).getType()}, op);
    if (isNew || it->second->getBlock() != op->getBlock())
      continue;
    op->replaceAllUsesWith(it->second);
    op->erase();
  }
}

/// A slice of all there is, in another rank, is a change of shape, and so is
/// the insertion of one that covers what it is inserted into.
template <typename SliceOp>
static LogicalResult replaceWholeSlice(SliceOp op, PatternRewriter &rewriter) {
  RankedTensorType from = op.getSourceType(), to = op.getType();
  bool isSame = std::is_same_v<SliceOp, tensor::ExtractSliceOp> && from == to;
  if (isSame || !from.hasStaticShape() || !to.hasStaticShape() ||
      !op.hasUnitStride() || !differInUnits(from, to))
    return rewriter.notifyMatchFailure(op, "not of all there is");
  Value reshaped = createUnitReshape(rewriter, op.getLoc(), op.getSource(), to);
  if (!reshaped)
    return rewriter.notifyMatchFailure(op, "no reshape does that");
  rewriter.replaceOp(op, reshaped);
  return success();
}

/// A slice that loses dimensions of 1 and gets them again keeps them.
static LogicalResult keepRankOfExtract(tensor::ExpandShapeOp op,
                                       PatternRewriter &rewriter) {
  auto slice = op.getSrc().getDefiningOp<tensor::ExtractSliceOp>();
  auto type = cast<RankedTensorType>(op.getType());
  // Two of them would be two slices.
  if (!slice || !slice->hasOneUse() || !type.hasStaticShape() ||
      slice.getStaticSizes() != type.getShape())
    return rewriter.notifyMatchFailure(op, "not what the slice was");
  rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
      op, type, slice.getSource(), slice.getMixedOffsets(),
      slice.getMixedSizes(), slice.getMixedStrides());
  rewriter.eraseOp(slice);
  return success();
}

/// The same of what loses them for its insertion, which gives them back.
static LogicalResult keepRankOfInsert(tensor::InsertSliceOp op,
                                      PatternRewriter &rewriter) {
  auto collapse = op.getSource().getDefiningOp<tensor::CollapseShapeOp>();
  if (!collapse || !collapse.getSrcType().hasStaticShape() ||
      op.getStaticSizes() != collapse.getSrcType().getShape())
    return rewriter.notifyMatchFailure(op, "not what is inserted");
  rewriter.modifyOpInPlace(
      op, [&] { op.getSourceMutable().assign(collapse.getSrc()); });
  if (collapse->use_empty())
    rewriter.eraseOp(collapse);
  return success();
}

/// Dimensions of 1 that padding gets afterwards are there before: what reads it
/// (a convolution, or a pool, whose padding this is) has the padding in front
/// of it. Other numbers are no such padding, and stay where they are.
static LogicalResult addUnitsBeforePad(tensor::ExpandShapeOp op,
                                       PatternRewriter &rewriter) {
  auto pad = op.getSrc().getDefiningOp<tensor::PadOp>();
  auto type = cast<RankedTensorType>(op.getType());
  Value number = pad ? pad.getConstantPaddingValue() : Value();
  if (!number || !pad->hasOneUse() || !type.hasStaticShape() ||
      !pad.getSourceType().hasStaticShape() ||
      !differInUnits(pad.getResultType(), type))
    return rewriter.notifyMatchFailure(op, "adds more than units to padding");
  // Of the dimensions that one becomes, that of its extent is padded.
  SmallVector<int64_t> shape(type.getRank(), 1);
  SmallVector<OpFoldResult> low(type.getRank(), rewriter.getIndexAttr(0));
  SmallVector<OpFoldResult> high = low, lows = pad.getMixedLowPad(),
                            highs = pad.getMixedHighPad();
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    auto place = llvm::find_if(
        group, [&](int64_t index) { return type.getDimSize(index) != 1; });
    int64_t padded = place == group.end() ? group.back() : *place;
    shape[padded] = pad.getSourceType().getDimSize(dim);
    low[padded] = lows[dim];
    high[padded] = highs[dim];
  }
  auto sourceType = type.clone(shape);
  auto collapse = pad.getSource().getDefiningOp<tensor::CollapseShapeOp>();
  bool isDropped = collapse && collapse.getSrcType() == sourceType;
  FloatAttr constant;
  if (!isDropped && matchPattern(number, m_Constant(&constant)) &&
      std::abs(constant.getValueAsDouble()) < FLT_MAX &&
      !constant.getValue().isZero())
    return rewriter.notifyMatchFailure(op, "no window takes in the number");
  Value source = isDropped ? collapse.getSrc()
                           : tensor::ExpandShapeOp::create(
                                 rewriter, op.getLoc(), sourceType,
                                 pad.getSource(), op.getReassociationIndices())
                                 .getResult();
  rewriter.replaceOpWithNewOp<tensor::PadOp>(op, type, source, low, high,
                                             number, pad.getNofold());
  rewriter.eraseOp(pad);
  if (collapse && collapse->use_empty())
    rewriter.eraseOp(collapse);
  return success();
}

/// Whether `fused` is read, element by element, by an op on fewer dimensions
/// because several of 1 were dropped, not the batch alone: an image of one
/// pixel, whose batch norm would not be one of images.
static bool isOfOnePixel(OpOperand *fused) {
  auto generic = dyn_cast<linalg::GenericOp>(fused->getOwner());
  auto collapse = fused->get().getDefiningOp<tensor::CollapseShapeOp>();
  if (!generic || !collapse || generic.getNumResults() != 1 ||
      generic.getNumReductionLoops() != 0 || generic.hasIndexSemantics())
    return false;
  RankedTensorType from = collapse.getSrcType(), to = collapse.getResultType();
  return from.hasStaticShape() && from.getRank() >= to.getRank() + 2 &&
         to.getRank() == 1 && differInUnits(from, to) &&
         generic.getResult(0).getType() == to;
}

namespace {
struct NormalizeCodePass
    : qbackend::impl::NormalizeCodePassBase<NormalizeCodePass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    NormalizeCodePassBase::getDependentDialects(registry);
    tosaShapes.getDependentDialects(registry);
  }

  NormalizeCodePass() : tosaShapes(func::FuncOp::getOperationName()) {
    tosaShapes.addPass(tosa::createTosaInferShapesPass());
  }
  NormalizeCodePass(const NormalizeCodePass &other)
      : NormalizeCodePassBase(other),
        tosaShapes(func::FuncOp::getOperationName()) {
    tosaShapes.addPass(tosa::createTosaInferShapesPass());
  }

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owned(context);
    for (RegisteredOperationName name : context->getRegisteredOperations())
      if (StringRef dialect = name.getDialectNamespace();
          dialect == "tensor" || dialect == "linalg")
        name.getCanonicalizationPatterns(owned, context);
    for (StringRef dialect : {"tensor", "linalg"})
      context->getLoadedDialect(dialect)->getCanonicalizationPatterns(owned);
    shapes = FrozenRewritePatternSet(std::move(owned));

    RewritePatternSet ofSlices(context);
    ofSlices.add(replaceWholeSlice<tensor::ExtractSliceOp>)
        .add(replaceWholeSlice<tensor::InsertSliceOp>)
        .add(keepRankOfExtract)
        .add(keepRankOfInsert)
        .add(addUnitsBeforePad);
    slices = FrozenRewritePatternSet(std::move(ofSlices));
    RewritePatternSet ofPixels(context);
    linalg::populateFoldReshapeOpsByExpansionPatterns(ofPixels, isOfOnePixel);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(ofPixels, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(ofPixels, context);
    pixels = FrozenRewritePatternSet(std::move(ofPixels));
    return success();
  }

  void runOnOperation() override {
    // Values in a block that nothing leads to may be made of themselves.
    IRRewriter eraser(&getContext());
    (void)eraseUnreachableBlocks(eraser, getOperation()->getRegions());
    inlineCalls(getOperation());
    for (auto global : llvm::make_early_inc_range(
             getOperation().getOps<ml_program::GlobalOp>()))
      inlineConstantGlobal(global);
    llvm::for_each(getOperation().getOps<func::FuncOp>(), recordMoves);
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal()) {
        if (failed(refineShapes(function)))
          return signalPassFailure();
        dropUnusedResults(function);
        cancelTransposes(function);
        normalizeSlices(function);
        dropAddedUnits(function);
        mergeEqualReshapes(function);
        restorePixels(function);
      }
  }

  /// Slices that only drop or add dimensions of 1 are changes of shape, and
  /// padding keeps its batch.
  void normalizeSlices(func::FuncOp function) {
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) {
      // The number of other padding is in front of it, and may outlive it.
      if (auto pad = dyn_cast<tensor::PadOp>(op))
        if (Value number = pad.getConstantPaddingValue())
          if (Operation *constant = number.getDefiningOp();
              constant && pad->isProperAncestor(constant))
            constant->moveBefore(pad);
      if (isa<tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::PadOp,
              tensor::ExpandShapeOp>(op))
        ops.push_back(op);
    });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps)
        .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
        .enableFolding(false)
        .enableConstantCSE(false);
    if (!ops.empty())
      (void)applyOpPatternsGreedily(ops, slices, config);
  }

  /// What computes on an image of one pixel does so on an image.
  void restorePixels(func::FuncOp function) {
    SmallVector<Operation *> ops;
    bool any = false;
    function.walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        any |= isOfOnePixel(&operand);
      if (isa<linalg::GenericOp, tensor::ExpandShapeOp,
              tensor::CollapseShapeOp>(op))
        ops.push_back(op);
    });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps)
        .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
        .enableFolding(false)
        .enableConstantCSE(false)
        .setMaxNumRewrites(16 * ops.size() + 1024);
    if (any)
      (void)applyOpPatternsGreedily(ops, pixels, config);
  }

  /// Extents go from one dialect to the other by casts, in turns.
  LogicalResult refineShapes(func::FuncOp function) {
    constexpr unsigned kMaxTurns = 8;
    for (unsigned turn = 0; turn < kMaxTurns; ++turn) {
      unsigned before = countDynamic(function);
      if (before == 0 || countLosses(function) == 0)
        break;
      if (failed(refineOnce(function)))
        return failure();
      if (countDynamic(function) == before)
        break;
    }
    return success();
  }

  static unsigned countLosses(func::FuncOp function) {
    unsigned count = 0;
    function.walk([&](tensor::CastOp cast) { count += losesExtent(cast); });
    return count;
  }

  /// How many values have an extent that isn't known.
  static unsigned countDynamic(func::FuncOp function) {
    unsigned count = 0;
    function.walk([&](Operation *op) {
      count += llvm::count_if(op->getResultTypes(), isDynamic);
    });
    return count;
  }

  LogicalResult refineOnce(func::FuncOp function) {
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) {
      if (op->getDialect() && hasShape(op))
        ops.push_back(op);
    });
    // What doesn't end within this many steps is right all the same.
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps)
        .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
        .enableConstantCSE(false)
        .setMaxNumRewrites(16 * ops.size() + 1024);
    (void)applyOpPatternsGreedily(ops, shapes, config);
    return skipCasts(function) ? runPipeline(tosaShapes, function) : success();
  }

  /// Gives ops of tosa what was cast instead of the cast that hides extents,
  /// where they take it. False if there is none.
  static bool skipCasts(func::FuncOp function) {
    bool changed = false;
    ScopedDiagnosticHandler silence(function.getContext(), [](Diagnostic &) {});
    function.walk([&](tensor::CastOp cast) {
      if (!losesExtent(cast))
        return;
      for (OpOperand &use : llvm::make_early_inc_range(cast->getUses())) {
        Operation *reader = use.getOwner();
        if (!isa_and_nonnull<tosa::TosaDialect>(reader->getDialect()) ||
            reader->getNumRegions() != 0)
          continue;
        use.set(cast.getSource());
        if (succeeded(verify(reader, /*verifyRecursively=*/false)))
          changed = true;
        else
          use.set(cast.getResult());
      }
    });
    return changed;
  }

  OpPassManager tosaShapes;
  FrozenRewritePatternSet shapes, slices, pixels;
};
} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives ops back the leading dimension of size 1, the batch, that folding unit
// dimensions has taken away: a change of shape that drops it moves behind the
// op that reads it, until it meets the one that adds it again. One file, since
// all kinds of ops are lifted by the same few helpers.

#include "Preparation/Preparation.h"
#include "Reading/Layout.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

//===----------------------------------------------------------------------===//
// Changes of shape
//===----------------------------------------------------------------------===//

/// The groups of dimensions [0, 1], [2], [3], ... of a tensor of `rank`
/// dimensions without its first one.
static SmallVector<ReassociationIndices> getLeadingGroups(int64_t rank) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 1; dim < rank; ++dim)
    groups.push_back({dim});
  if (!groups.empty())
    groups.front().insert(groups.front().begin(), 0);
  return groups;
}

/// `value` without its first dimension, which is 1.
static Value dropLeadingDim(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return tensor::CollapseShapeOp::create(
      builder, loc, type.clone(type.getShape().drop_front()), value,
      getLeadingGroups(type.getRank()));
}

static RankedTensorType getWithLeadingDim(RankedTensorType type) {
  SmallVector<int64_t> shape = {1};
  llvm::append_range(shape, type.getShape());
  return type.clone(shape);
}

static Value addLeadingDim(OpBuilder &builder, Location loc, Value value) {
  auto type = getWithLeadingDim(cast<RankedTensorType>(value.getType()));
  if (auto empty = value.getDefiningOp<tensor::EmptyOp>())
    return tensor::EmptyOp::create(builder, loc, type, empty.getDynamicSizes());
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    if (fill->getNumResults() == 1) {
      Value init = addLeadingDim(builder, loc, fill.getOutputs()[0]);
      return linalg::FillOp::create(builder, loc, fill.getInputs()[0], init)
          .getResult(0);
    }
  if (!type.hasStaticShape())
    return {};
  return tensor::ExpandShapeOp::create(builder, loc, type, value,
                                       getLeadingGroups(type.getRank()));
}

/// The slice with its leading dimension, if it drops that and no other; what
/// read the slice reads it through a collapse then.
static Value keepLeadingDim(tensor::ExtractSliceOp slice) {
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  if (dropped.count() != 1 || !dropped.test(0) ||
      !isa<FloatType>(slice.getType().getElementType()) ||
      slice.getType().getRank() == 0 || slice.getType().getDimSize(0) == 1)
    return {};
  OpBuilder builder(slice);
  Value whole = tensor::ExtractSliceOp::create(
      builder, slice.getLoc(), getWithLeadingDim(slice.getType()),
      slice.getSource(), slice.getMixedOffsets(), slice.getMixedSizes(),
      slice.getMixedStrides());
  slice.replaceAllUsesWith(dropLeadingDim(builder, slice.getLoc(), whole));
  return whole;
}

/// What `value` is without a leading dimension of 1: of a collapse that drops
/// more than that, the collapse of the rest. Null if it is something else.
static Value findWithLeadingDim(Value value) {
  if (auto slice = value.getDefiningOp<tensor::ExtractSliceOp>())
    return keepLeadingDim(slice);
  auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>();
  if (!collapse || collapse.getSrcType().getRank() == 0 ||
      collapse.getSrcType().getDimSize(0) != 1 ||
      !isa<FloatType>(collapse.getSrcType().getElementType()))
    return {};
  SmallVector<ReassociationIndices> groups = collapse.getReassociationIndices();
  RankedTensorType type = collapse.getResultType();
  // A scalar's groups are empty: all dimensions are 1.
  if (groups.empty() || groups.front().size() < 2 || type.getRank() == 0)
    return {};
  // Folding leaves no dimension of 1: here another one is the batch.
  if (type.getDimSize(0) == 1)
    return {};
  if (collapse.getSrcType() == getWithLeadingDim(type))
    return collapse.getSrc();
  groups.front().erase(groups.front().begin());
  groups.insert(groups.begin(), {0});
  OpBuilder builder(collapse);
  Value rest = tensor::CollapseShapeOp::create(builder, collapse.getLoc(),
                                               getWithLeadingDim(type),
                                               collapse.getSrc(), groups);
  // What read the collapse may as well read it through this one.
  collapse.getSrcMutable().assign(rest);
  collapse.setReassociationAttr(getReassociationIndicesAttribute(
      builder, getLeadingGroups(type.getRank() + 1)));
  return rest;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// `map` with a loop in front, which `reads` says if it is read.
static AffineMap addLoop(AffineMap map, bool reads) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> exprs;
  if (reads)
    exprs.push_back(getAffineDimExpr(0, context));
  for (AffineExpr expr : map.getResults())
    exprs.push_back(expr.shiftDims(map.getNumDims(), 1));
  return AffineMap::get(map.getNumDims() + 1, 0, exprs, context);
}

/// Whether windows slide over an input that has its batch already: the leading
/// dimension is one more then, and belongs to no convolution or pool.
static bool hasBatch(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2)
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto isWindow = [](AffineExpr expr) {
    return !isa<AffineDimExpr, AffineConstantExpr>(expr);
  };
  if (llvm::none_of(maps[0].getResults(), isWindow))
    return false;
  auto iterators = op.getIteratorTypesArray();
  unsigned own = 0;
  for (AffineExpr expr : maps[0].getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      own += iterators[dim.getPosition()] == utils::IteratorType::parallel &&
             !maps[1].isFunctionOfDim(dim.getPosition());
  // The channels of a pool are among them, those of a convolution are not.
  bool isPool = op.getBlock()->getArgument(1).use_empty();
  return own > (isPool ? 1 : 0);
}

/// `pad`, which pads with a constant, of `source`: its input with a leading
/// dimension, which isn't padded.
static tensor::PadOp padWithLeadingDim(OpBuilder &builder, Location loc,
                                       tensor::PadOp pad, Value source) {
  SmallVector<OpFoldResult> low = {builder.getIndexAttr(0)}, high = low;
  llvm::append_range(low, pad.getMixedLowPad());
  llvm::append_range(high, pad.getMixedHighPad());
  return tensor::PadOp::create(
      builder, loc, getWithLeadingDim(pad.getResultType()), source, low, high,
      createPaddingValue(builder, pad), pad.getNofold());
}

/// `value`, the image that windows slide over, with a batch of 1: padding is
/// put around that.
static Value addBatch(OpBuilder &builder, Location loc, Value value) {
  auto pad = value.getDefiningOp<tensor::PadOp>();
  bool isConstant = pad && pad.getConstantPaddingValue();
  Value source = isConstant ? addBatch(builder, loc, pad.getSource()) : Value();
  return source ? padWithLeadingDim(builder, loc, pad, source)
                : addLeadingDim(builder, loc, value);
}

/// Whether windows slide over an image of two dimensions that has channels, but
/// no batch, and never had one (what computes it doesn't tell): the products of
/// a convolution.
static bool isWithoutBatch(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || hasBatch(op) ||
      op.getBlock()->getArgument(1).use_empty())
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto input = dyn_cast<RankedTensorType>(op.getInputs()[0].getType());
  auto isWindow = [](AffineExpr expr) {
    return !isa<AffineDimExpr, AffineConstantExpr>(expr);
  };
  // Each channel has a window of its own, or the channels are summed up, too.
  bool isDepthwise = maps[1].getNumResults() == 3 && op.getNumLoops() == 5;
  bool isDense = maps[1].getNumResults() == 4 && op.getNumLoops() == 6;
  return input && input.hasStaticShape() && input.getRank() == 3 &&
         (isDepthwise || isDense) && maps[2].getNumResults() == 3 &&
         llvm::count_if(maps[0].getResults(), isWindow) == 2;
}

static Operation *lift(linalg::GenericOp op, PreparationRewriter &builder) {
  if (!op.hasPureTensorSemantics() || hasBatch(op) ||
      llvm::any_of(op.getIndexingMapsArray(),
                   [](AffineMap map) { return map.getNumSymbols() != 0; }))
    return nullptr;
  SmallVector<Value> lifted;
  for (Value input : op.getInputs())
    lifted.push_back(findWithLeadingDim(input));
  builder.setInsertionPoint(op);
  if (llvm::none_of(lifted, [](Value value) { return bool(value); })) {
    if (!isWithoutBatch(op))
      return nullptr;
    lifted[0] = addBatch(builder, op.getLoc(), op.getInputs()[0]);
    if (!lifted[0])
      return nullptr;
  }
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  // Constants of all elements have the batch of the others, also of what fusion
  // has put in front of a product.
  SmallVector<AffineMap> whole;
  if (maps.back().isIdentity())
    whole.push_back(maps.back());
  for (auto [value, map] : llvm::zip(lifted, maps))
    if (value)
      whole.push_back(map);
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    if (!lifted[i] && llvm::is_contained(whole, maps[i]) &&
        isa<RankedTensorType>(input.getType()) &&
        builder.constants.isConstant(input))
      lifted[i] = addLeadingDim(builder, op.getLoc(), input);
    inputs.push_back(lifted[i] ? lifted[i] : input);
    maps[i] = addLoop(maps[i], bool(lifted[i]));
  }
  SmallVector<Type> types;
  for (auto [i, init] : llvm::enumerate(op.getOutputs())) {
    Value with = addLeadingDim(builder, op.getLoc(), init);
    if (!with)
      return nullptr;
    inits.push_back(with);
    types.push_back(with.getType());
    AffineMap &map = maps[inputs.size() + i];
    map = addLoop(map, true);
  }
  SmallVector<utils::IteratorType> iterators = {utils::IteratorType::parallel};
  llvm::append_range(iterators, op.getIteratorTypesArray());
  auto generic = linalg::GenericOp::create(builder, op.getLoc(), types, inputs,
                                           inits, maps, iterators);
  generic.getRegion().takeBody(op.getRegion());
  generic.walk([](linalg::IndexOp index) { index.setDim(index.getDim() + 1); });
  return generic;
}

/// If `groups` cut the channels of an image that has no batch into groups, or
/// put them together: the same with a batch in front. Empty if they don't. What
/// has rows and channels only is an image if windows slide over it
/// (`hasWindows`): other tensors of two dimensions are cut as well.
static SmallVector<ReassociationIndices>
getImageGroups(ArrayRef<ReassociationIndices> groups, bool hasWindows) {
  if (groups.size() < (hasWindows ? 2 : 3) || groups.size() > 4)
    return {};
  bool isFirst = groups.front().size() == 2, isLast = groups.back().size() == 2;
  if (isFirst == isLast || llvm::any_of(groups.drop_front().drop_back(),
                                        [](const ReassociationIndices &group) {
                                          return group.size() != 1;
                                        }))
    return {};
  if (groups.front().size() + groups.back().size() != 3)
    return {};
  SmallVector<ReassociationIndices> lifted = {{0}};
  for (const ReassociationIndices &group : groups)
    lifted.push_back(
        llvm::map_to_vector<2>(group, [](int64_t dim) { return dim + 1; }));
  return lifted;
}

/// Whether windows slide over `value`, padded or not, or have made what it is
/// the same as without a batch.
static bool meetsWindows(Value value) {
  auto slides = [](Operation *op) {
    auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
    return generic &&
           llvm::any_of(generic.getIndexingMapsArray(), [](AffineMap map) {
             return llvm::any_of(map.getResults(), [](AffineExpr expr) {
               return isa<AffineBinaryOpExpr>(expr);
             });
           });
  };
  if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>())
    if (slides(collapse.getSrc().getDefiningOp()))
      return true;
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    auto pad = dyn_cast<tensor::PadOp>(user);
    return slides(user) || (pad && llvm::any_of(pad->getUsers(), slides));
  });
}

static Operation *lift(tensor::ExpandShapeOp op, OpBuilder &builder) {
  auto groups = getImageGroups(op.getReassociationIndices(),
                               meetsWindows(op.getResult()));
  if (groups.empty() || !op.getType().hasStaticShape() ||
      op.getType().getDimSize(0) == 1)
    return nullptr;
  Value source = findWithLeadingDim(op.getSrc());
  if (!source)
    return nullptr;
  builder.setInsertionPoint(op);
  return tensor::ExpandShapeOp::create(
      builder, op.getLoc(),
      getWithLeadingDim(cast<RankedTensorType>(op.getType())), source, groups);
}

static Operation *lift(tensor::CollapseShapeOp op, OpBuilder &builder) {
  auto groups =
      getImageGroups(op.getReassociationIndices(), meetsWindows(op.getSrc()));
  if (groups.empty() || !op.getSrcType().hasStaticShape() ||
      op.getSrcType().getDimSize(0) == 1)
    return nullptr;
  Value source = findWithLeadingDim(op.getSrc());
  if (!source)
    return nullptr;
  builder.setInsertionPoint(op);
  return tensor::CollapseShapeOp::create(builder, op.getLoc(),
                                         getWithLeadingDim(op.getResultType()),
                                         source, groups);
}

static Operation *lift(tensor::PadOp op, OpBuilder &builder) {
  Value source = findWithLeadingDim(op.getSource());
  if (!source || !op.getConstantPaddingValue())
    return nullptr;
  builder.setInsertionPoint(op);
  return padWithLeadingDim(builder, op.getLoc(), op, source);
}

/// `rest` with the number of the leading dimension in front.
static SmallVector<OpFoldResult> lead(OpBuilder &builder, int64_t first,
                                      ArrayRef<OpFoldResult> rest) {
  SmallVector<OpFoldResult> all = {builder.getIndexAttr(first)};
  llvm::append_range(all, rest);
  return all;
}

static Operation *lift(tensor::ExtractSliceOp op, OpBuilder &builder) {
  Value source = findWithLeadingDim(op.getSource());
  // The result has the rank of the source.
  if (!source || op.getType().getRank() != op.getSourceType().getRank())
    return nullptr;
  builder.setInsertionPoint(op);
  return tensor::ExtractSliceOp::create(
      builder, op.getLoc(),
      getWithLeadingDim(cast<RankedTensorType>(op.getType())), source,
      lead(builder, 0, op.getMixedOffsets()),
      lead(builder, 1, op.getMixedSizes()),
      lead(builder, 1, op.getMixedStrides()));
}

static Operation *lift(tensor::InsertSliceOp op, OpBuilder &builder) {
  if (op.getSourceType().getRank() != op.getDestType().getRank())
    return nullptr;
  Value source = findWithLeadingDim(op.getSource());
  Value dest = findWithLeadingDim(op.getDest());
  if (!source && !dest)
    return nullptr;
  builder.setInsertionPoint(op);
  if (!source)
    source = addLeadingDim(builder, op.getLoc(), op.getSource());
  if (!dest)
    dest = addLeadingDim(builder, op.getLoc(), op.getDest());
  if (!source || !dest)
    return nullptr;
  return tensor::InsertSliceOp::create(builder, op.getLoc(), source, dest,
                                       lead(builder, 0, op.getMixedOffsets()),
                                       lead(builder, 1, op.getMixedSizes()),
                                       lead(builder, 1, op.getMixedStrides()));
}

/// The insertion of a slice that has the rank of what it is put into.
static tensor::InsertSliceOp keepInsertedRank(tensor::InsertSliceOp op,
                                              PreparationRewriter &builder) {
  RankedTensorType type = op.getSourceType(), dest = op.getDestType();
  if (type.getRank() == 0 || type.getRank() >= dest.getRank() ||
      !type.hasStaticShape())
    return op;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Value source;
  if (dropped.count() == 1 && dropped.test(0))
    source = findWithLeadingDim(op.getSource());
  builder.setInsertionPoint(op);
  if (!source) {
    SmallVector<ReassociationIndices> groups;
    ReassociationIndices leading;
    SmallVector<int64_t> shape;
    for (int64_t dim = 0; dim < dest.getRank(); ++dim) {
      if (dropped.test(dim)) {
        (groups.empty() ? leading : groups.back()).push_back(dim);
        shape.push_back(1);
        continue;
      }
      shape.push_back(type.getDimSize(groups.size()));
      groups.push_back(leading);
      leading.clear();
      groups.back().push_back(dim);
    }
    source = tensor::ExpandShapeOp::create(
        builder, op.getLoc(), type.clone(shape), op.getSource(), groups);
  }
  Operation *collapse = op.getSource().getDefiningOp();
  auto whole = tensor::InsertSliceOp::create(
      builder, op.getLoc(), source, op.getDest(), op.getMixedOffsets(),
      op.getMixedSizes(), op.getMixedStrides());
  builder.replaceOp(op, whole.getResult());
  if (isa_and_nonnull<tensor::CollapseShapeOp>(collapse) &&
      collapse->use_empty())
    builder.eraseOp(collapse);
  return whole;
}

static Operation *lift(tensor::ConcatOp op, OpBuilder &builder) {
  SmallVector<Value> inputs;
  for (Value input : op.getInputs())
    inputs.push_back(findWithLeadingDim(input));
  if (llvm::is_contained(inputs, Value()))
    return nullptr;
  builder.setInsertionPoint(op);
  return tensor::ConcatOp::create(
      builder, op.getLoc(),
      getWithLeadingDim(cast<RankedTensorType>(op.getType())), op.getDim() + 1,
      inputs);
}

/// Reads a leading dimension of size 1 by the loop that writes the one of the
/// result, not at 0: which of the two is said makes no difference.
static void normalizeLeadingIndex(linalg::GenericOp op,
                                  PreparationRewriter &rewriter) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (op.getNumDpsInits() != 1 || maps.back().getNumResults() == 0 ||
      maps.back().getNumSymbols() != 0)
    return;
  auto batch = dyn_cast<AffineDimExpr>(maps.back().getResult(0));
  if (!batch || op.getStaticLoopRanges()[batch.getPosition()] != 1)
    return;
  // One input has the batch; a filter has a dimension of 1 for another reason.
  if (llvm::any_of(ArrayRef(maps).drop_back(), [&](AffineMap map) {
        return map.isFunctionOfDim(batch.getPosition());
      }))
    return;
  for (auto [map, input] : llvm::zip(maps, op.getInputs())) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    if (!type || type.getRank() < 2 || type.getDimSize(0) != 1 ||
        !isa<AffineConstantExpr>(map.getResult(0)))
      continue;
    SmallVector<AffineExpr> exprs(map.getResults());
    exprs.front() = batch;
    map = AffineMap::get(map.getNumDims(), 0, exprs, op.getContext());
    rewriter.recordTransposes(op, op.getIndexingMaps(), {});
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    return;
  }
}

/// `op` as a generic op.
static Operation *generalize(linalg::LinalgOp op,
                             PreparationRewriter &rewriter) {
  auto original = cast<linalg::LinalgOp>(op->clone());
  rewriter.setInsertionPoint(op);
  auto generic = linalg::generalizeNamedOp(rewriter, op);
  if (failed(generic)) {
    original->erase();
    return op;
  }
  rewriter.recordReshaped(original,
                          cast<linalg::LinalgOp>(generic->getOperation()));
  return *generic;
}

Operation *forms::restoreLeadingDim(Operation *op,
                                    PreparationRewriter &rewriter) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    normalizeLeadingIndex(generic, rewriter);
  // What adds the dimension that was dropped.
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    Value source = findWithLeadingDim(expand.getSrc());
    if (source && source.getType() == expand.getType() &&
        expand.getReassociationIndices() ==
            getLeadingGroups(expand.getType().getRank())) {
      Operation *collapse = expand.getSrc().getDefiningOp();
      rewriter.replaceOp(expand, source);
      if (collapse->use_empty())
        rewriter.eraseOp(collapse);
      return nullptr;
    }
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    op = keepInsertedRank(insert, rewriter);
  // Named ops have the rank they have; those of elements are no less generic.
  if (auto named = dyn_cast<linalg::LinalgOp>(op);
      named && !isa<linalg::GenericOp>(op) &&
      (named.getNumLoops() == named.getNumParallelLoops() ||
       isa<linalg::ReduceOp>(op)) &&
      !isa<linalg::FillOp>(op) &&
      llvm::any_of(op->getOperands(), [](Value value) {
        return isa<RankedTensorType>(value.getType()) &&
               bool(findWithLeadingDim(value));
      }))
    op = generalize(named, rewriter);
  Operation *lifted = nullptr;
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    lifted = lift(generic, rewriter);
    if (!lifted)
      if (Operation *other = liftElementwise(generic, rewriter))
        return other;
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case<tensor::PadOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
            tensor::ConcatOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          [&](auto moved) { lifted = lift(moved, rewriter); });
  if (!lifted)
    return op;
  rewriter.setInsertionPointAfter(lifted);
  for (auto [before, after] :
       llvm::zip_equal(op->getResults(), lifted->getResults()))
    rewriter.replaceAllUsesWith(before,
                                dropLeadingDim(rewriter, op->getLoc(), after));
  // An op may read one value twice.
  llvm::SetVector<Operation *> producers;
  for (Value operand : op->getOperands())
    if (auto collapse = operand.getDefiningOp<tensor::CollapseShapeOp>())
      producers.insert(collapse);
  auto generic = dyn_cast<linalg::GenericOp>(lifted);
  if (generic)
    rewriter.recordReshaped(cast<linalg::LinalgOp>(op),
                            cast<linalg::LinalgOp>(lifted));
  else
    rewriter.eraseOp(op);
  // What dropped the dimension is no reader any more.
  for (Operation *producer : producers)
    if (producer->use_empty())
      rewriter.eraseOp(producer);
  if (generic)
    if (Operation *further = liftElementwise(generic, rewriter))
      return further;
  return lifted;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves what computes element by element past changes of shape that separate it
// from the window or convolution that it belongs to.

#include "Preparation/Preparation.h"
#include "Reading/Layout.h"
#include "Reading/Windows.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// No more of them than this follow each other.
static constexpr unsigned kMaxTranspositions = 8;

/// The dimension of the source that each dimension of the result is, if
/// `collapse` drops dimensions of 1 and nothing else.
static std::optional<SmallVector<unsigned>>
getKeptDims(tensor::CollapseShapeOp collapse) {
  SmallVector<unsigned> kept;
  RankedTensorType type = collapse.getSrcType();
  for (const ReassociationIndices &group : collapse.getReassociationIndices()) {
    unsigned dim = group.front();
    for (int64_t member : group) {
      if (type.getDimSize(member) == 1)
        continue;
      if (type.getDimSize(dim) != 1 && int64_t(dim) != member)
        return std::nullopt;
      dim = member;
    }
    kept.push_back(dim);
  }
  return kept;
}

bool forms::isPlainElementwise(linalg::GenericOp op) {
  return op.getNumResults() == 1 && op.getNumDpsInputs() != 0 &&
         op.getNumLoops() == op.getNumParallelLoops() &&
         op.getIndexingMapsArray().back().isIdentity() &&
         op.hasPureTensorSemantics() && !op.hasIndexSemantics() &&
         op.getRegionOutputArgs()[0].use_empty() &&
         op.getOutputs()[0].getDefiningOp<tensor::EmptyOp>();
}

/// The one input of the shape of the result; nullopt if there is none, or two.
static std::optional<unsigned> getMainInput(linalg::GenericOp op) {
  std::optional<unsigned> main;
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    if (input.getType() != op.getResult(0).getType())
      continue;
    if (main)
      return std::nullopt;
    main = i;
  }
  return main && op.getIndexingMapsArray()[*main].isIdentity() ? main
                                                               : std::nullopt;
}

/// `op` on `inputs`, which it reads by `maps`, for a result of `type`.
static linalg::GenericOp createElementwise(linalg::GenericOp op,
                                           RankedTensorType type,
                                           ArrayRef<Value> inputs,
                                           ArrayRef<AffineMap> maps,
                                           PreparationRewriter &builder) {
  Value init = tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(),
                                       type.getElementType());
  auto moved = linalg::GenericOp::create(
      builder, op.getLoc(), init.getType(), inputs, init, maps,
      SmallVector<utils::IteratorType>(type.getRank(),
                                       utils::IteratorType::parallel));
  moved.getRegion().takeBody(op.getRegion());
  return moved;
}

Operation *forms::liftElementwise(linalg::GenericOp op,
                                  PreparationRewriter &builder) {
  if (!isPlainElementwise(op))
    return nullptr;
  std::optional<unsigned> moved = getMainInput(op);
  Operation *reshape = moved ? op.getInputs()[*moved].getDefiningOp() : nullptr;
  if (!isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(reshape))
    return nullptr;
  Value source = reshape->getOperand(0);
  auto type = cast<RankedTensorType>(source.getType());
  if (!isWindowSum(source) || !type.hasStaticShape())
    return nullptr;
  MLIRContext *context = op.getContext();
  SmallVector<AffineMap> maps;
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape)) {
    std::optional<SmallVector<unsigned>> kept = getKeptDims(collapse);
    if (!kept)
      return nullptr;
    SmallVector<AffineExpr> dims;
    for (unsigned dim : *kept)
      dims.push_back(getAffineDimExpr(dim, context));
    for (AffineMap map : op.getIndexingMapsArray())
      maps.push_back(map.replaceDimsAndSymbols(dims, {}, type.getRank(), 0));
  } else {
    // Whatever else is read is the same for all elements.
    for (AffineMap map : op.getIndexingMapsArray()) {
      if (!map.isIdentity() && !map.isConstant())
        return nullptr;
      maps.push_back(
          AffineMap::get(type.getRank(), 0, map.getResults(), context));
    }
  }
  builder.setInsertionPoint(op);
  maps[*moved] = maps.back() =
      AffineMap::getMultiDimIdentityMap(type.getRank(), context);
  SmallVector<Value> inputs(op.getInputs());
  inputs[*moved] = source;
  linalg::GenericOp lifted = createElementwise(op, type, inputs, maps, builder);
  IRMapping mapping;
  mapping.map(source, lifted.getResult(0));
  Operation *back = builder.clone(*reshape, mapping);
  builder.replaceAllUsesWith(op.getResult(0), back->getResult(0));
  builder.recordReshaped(cast<linalg::LinalgOp>(op.getOperation()),
                         cast<linalg::LinalgOp>(lifted.getOperation()));
  if (reshape->use_empty())
    builder.eraseOp(reshape);
  return lifted;
}

Operation *forms::lowerBroadcast(linalg::GenericOp op,
                                 PreparationRewriter &builder) {
  if (!isPlainElementwise(op) || llvm::hasSingleElement(*op.getBody()))
    return nullptr;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  std::optional<AffineMap> read;
  for (auto [input, map] : llvm::zip(op.getInputs(), maps)) {
    if (!isa<RankedTensorType>(input.getType()) ||
        builder.constants.isConstant(input))
      continue;
    if (read && *read != map)
      return nullptr;
    read = map;
  }
  if (!read || !read->isProjectedPermutation() || read->getNumResults() == 0)
    return nullptr;
  MLIRContext *context = op.getContext();
  SmallVector<int64_t> missing, shape;
  SmallVector<AffineExpr> renamed(sizes.size(),
                                  getAffineConstantExpr(0, context));
  bool isBroadcast = false;
  for (unsigned loop = 0, last = 0; loop < sizes.size(); ++loop) {
    auto place = read->getResultPosition(getAffineDimExpr(loop, context));
    if (!place) {
      missing.push_back(loop);
      isBroadcast |= sizes[loop] != 1;
      continue;
    }
    if (*place < last || ShapedType::isDynamic(sizes[loop]))
      return nullptr;
    last = *place;
    renamed[loop] = getAffineDimExpr(shape.size(), context);
    shape.push_back(sizes[loop]);
  }
  if (!isBroadcast)
    return nullptr;
  for (AffineMap map : ArrayRef(maps).drop_back())
    for (int64_t loop : missing)
      if (map.isFunctionOfDim(loop))
        return nullptr;
  for (AffineMap &map : maps)
    map = map.replaceDimsAndSymbols(renamed, {}, shape.size(), 0);
  maps.back() = AffineMap::getMultiDimIdentityMap(shape.size(), context);
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  builder.setInsertionPoint(op);
  Value init = tensor::EmptyOp::create(builder, op.getLoc(), shape,
                                       type.getElementType());
  auto small = linalg::GenericOp::create(
      builder, op.getLoc(), init.getType(), op.getInputs(), init, maps,
      SmallVector<utils::IteratorType>(shape.size(),
                                       utils::IteratorType::parallel));
  IRMapping mapping;
  op.getRegion().cloneInto(&small.getRegion(), mapping);
  auto broadcast = linalg::BroadcastOp::create(
      builder, op.getLoc(), small.getResult(0), op.getOutputs()[0], missing);
  builder.replaceByPieces(op, broadcast->getResults(), {small, broadcast},
                          /*deciding=*/{small});
  return small;
}

Value forms::createTranspose(OpBuilder &builder, Location loc, Value value,
                             ArrayRef<int64_t> permutation) {
  Value init = tensor::EmptyOp::create(
      builder, loc,
      applyPermutation(tensor::getMixedSizes(builder, loc, value), permutation),
      cast<RankedTensorType>(value.getType()).getElementType());
  return linalg::TransposeOp::create(builder, loc, value, init, permutation)
      ->getResult(0);
}

std::optional<unsigned> forms::getWeightInput(linalg::LinalgOp op,
                                              ConstantEvaluator &constants) {
  if (!op || op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0)
    return std::nullopt;
  bool isFirst = isParameter(op.getDpsInputOperand(0)->get(), constants);
  if (isFirst == isParameter(op.getDpsInputOperand(1)->get(), constants))
    return std::nullopt;
  return isFirst ? 0 : 1;
}

std::optional<SmallVector<int64_t>> forms::getTransposition(Operation *op,
                                                            Value &source) {
  auto map = getCopyMap(op, source);
  if (!map || !map->isPermutation())
    return std::nullopt;
  // Dimension `i` of the source is loop `map(i)`: of the result.
  SmallVector<int64_t> permutation(map->getNumDims());
  for (unsigned dim = 0; dim < permutation.size(); ++dim)
    permutation[map->getDimPosition(dim)] = dim;
  return permutation;
}

/// Looks through transpositions; `permutation` is what they are together.
static Value skipTranspositions(Value value,
                                SmallVector<int64_t> &permutation) {
  auto type = cast<RankedTensorType>(value.getType());
  permutation = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  Value source;
  for (unsigned depth = 0; depth < kMaxTranspositions; ++depth) {
    auto step = getTransposition(value.getDefiningOp(), source);
    if (!step)
      break;
    for (int64_t &dim : permutation)
      dim = (*step)[dim];
    value = source;
  }
  return value;
}

void forms::takeOutOfShuffle(tensor::CollapseShapeOp collapse,
                             PreparationRewriter &builder) {
  SmallVector<int64_t> after, before;
  Value computed = skipTranspositions(collapse.getSrc(), after);
  auto op = computed.getDefiningOp<linalg::GenericOp>();
  if (!op || !isPlainElementwise(op) || !op->hasOneUse() ||
      op.hasDynamicShape())
    return;
  // What is cut, and shuffled by these transpositions.
  OpOperand *main = nullptr;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (builder.constants.isConstant(input->get()) ||
        !isa<RankedTensorType>(input->get().getType()))
      continue;
    if (main || !op.getMatchingIndexingMap(input).isPermutation())
      return;
    main = input;
  }
  if (!main)
    return;
  Value cut = skipTranspositions(main->get(), before);
  std::optional<SmallVector<ReassociationIndices>> groups;
  if (auto expand = cut.getDefiningOp<tensor::ExpandShapeOp>()) {
    groups = expand.getReassociationIndices();
  } else {
    // Merged and cut at once, groups of channels are as they were.
    groups = getChannelGroups(cut.getDefiningOp<linalg::LinalgOp>(),
                              builder.constants);
  }
  auto type = cast<RankedTensorType>(cut.getType());
  // An image of the same shape: where pixels are shuffled, too, what computes
  // may as well have come afterwards.
  RankedTensorType image = collapse.getResultType();
  if (!groups || image.getRank() < 3 || image.getRank() > 4 ||
      tensor::CollapseShapeOp::inferCollapsedType(type, *groups) != image)
    return;
  // Dimension i of the loops is dimension order[i] of what is cut.
  AffineMap read = op.getMatchingIndexingMap(main);
  SmallVector<int64_t> order(before.size());
  for (unsigned dim = 0; dim < before.size(); ++dim)
    order[read.getDimPosition(dim)] = before[dim];
  bool isShuffle = false;
  for (unsigned dim = 0; dim < after.size(); ++dim)
    isShuffle |= order[after[dim]] != int64_t(dim);
  if (!isShuffle)
    return;
  // The same in the order of dimensions that are cut.
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> renamed;
  for (int64_t dim : order)
    renamed.push_back(getAffineDimExpr(dim, context));
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (AffineMap &map : maps)
    map = map.replaceDimsAndSymbols(renamed, {}, order.size(), 0);
  SmallVector<Value> inputs(op.getInputs());
  maps[main->getOperandNumber()] = maps.back() =
      AffineMap::getMultiDimIdentityMap(order.size(), context);
  inputs[main->getOperandNumber()] = cut;
  builder.setInsertionPoint(op);
  Value init = tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(),
                                       type.getElementType());
  auto ordered =
      linalg::GenericOp::create(builder, op.getLoc(), type, inputs, init, maps,
                                op.getIteratorTypesArray());
  IRMapping mapping;
  op.getRegion().cloneInto(&ordered.getRegion(), mapping);
  auto back = linalg::TransposeOp::create(
      builder, op.getLoc(), ordered.getResult(0), op.getOutputs()[0], order);
  if (!mergeDims(ordered.getResult(0), *groups, builder)) {
    builder.eraseOp(back);
    builder.eraseOp(ordered);
    return;
  }
  Value unread = main->get();
  builder.replaceOp(op, back->getResults());
  // A transposition that nobody reads would be a reader of its source.
  while (unread.use_empty()) {
    Operation *producer = unread.getDefiningOp();
    if (!isa_and_nonnull<linalg::TransposeOp, tensor::ExpandShapeOp>(producer))
      break;
    unread = producer->getOperand(0);
    builder.eraseOp(producer);
  }
}

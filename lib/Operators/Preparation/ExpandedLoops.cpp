// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes changes of shape that fusion has put into products with a weight out
// again: features that are cut into several loops become one loop.

#include "Preparation/Preparation.h"
#include "Reading/Layout.h"
#include "Reading/Windows.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// The place of each of `loops` in the results of `map`; empty if one of them
/// isn't there.
static SmallVector<unsigned> getPlaces(AffineMap map, ArrayRef<int64_t> loops) {
  SmallVector<unsigned> places;
  for (int64_t loop : loops)
    if (auto place =
            map.getResultPosition(getAffineDimExpr(loop, map.getContext())))
      places.push_back(*place);
    else
      return {};
  return places;
}

static bool isConsecutive(ArrayRef<unsigned> places) {
  for (size_t i = 1; i < places.size(); ++i)
    if (places[i] != places[0] + i)
      return false;
  return !places.empty();
}

/// Makes the activation have the dimensions of `loops` last, in this order.
static void moveLast(linalg::GenericOp op, unsigned input,
                     ArrayRef<int64_t> loops, PreparationRewriter &rewriter) {
  AffineMap map = op.getIndexingMapsArray()[input];
  SmallVector<unsigned> places = getPlaces(map, loops);
  SmallVector<int64_t> permutation;
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
    if (!llvm::is_contained(places, dim))
      permutation.push_back(dim);
  permutation.append(places.begin(), places.end());
  Value value = op.getInputs()[input];
  SmallVector<AffineExpr> exprs;
  for (int64_t dim : permutation)
    exprs.push_back(map.getResult(dim));
  rewriter.setInsertionPoint(op);
  Value moved = createTranspose(rewriter, op.getLoc(), value, permutation);
  SmallVector<SmallVector<int64_t>> permutations(op.getNumDpsInputs());
  permutations[input] = permutation;
  rewriter.recordTransposes(op, op.getIndexingMaps(), permutations);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps[input] = AffineMap::get(map.getNumDims(), 0, exprs, op.getContext());
  op.getInputsMutable()[input].set(moved);
  op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
}

/// `op` with its features, which the weight has and the activation hasn't, last
/// in its result, and a transpose behind it: result = transpose(op'(x, w)).
/// Returns `op` if it has no features that others stand between.
static linalg::GenericOp moveFeaturesLast(linalg::GenericOp op, unsigned input,
                                          PreparationRewriter &rewriter) {
  // No other sum becomes an operator that way.
  auto fill = op.getOutputs()[0].getDefiningOp<linalg::FillOp>();
  if (!linalg::isaContractionOpInterface(op) || !fill)
    return op;
  unsigned weight = 1 - input;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap out = maps.back();
  auto iterators = op.getIteratorTypesArray();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<int64_t> rows, features, reduced;
  for (auto [loop, iterator] : llvm::enumerate(iterators)) {
    bool isReduction = iterator == utils::IteratorType::reduction;
    // Groups and batches of products are no features.
    if (ShapedType::isDynamic(sizes[loop]) ||
        (!isReduction && maps[weight].isFunctionOfDim(loop) &&
         maps[input].isFunctionOfDim(loop)) ||
        isReduction == out.isFunctionOfDim(loop))
      return op;
    if (isReduction)
      reduced.push_back(loop);
  }
  SmallVector<int64_t> permutation, featureDims;
  for (auto [dim, expr] : llvm::enumerate(out.getResults())) {
    int64_t loop = cast<AffineDimExpr>(expr).getPosition();
    bool isFeature = maps[weight].isFunctionOfDim(loop);
    (isFeature ? features : rows).push_back(loop);
    (isFeature ? featureDims : permutation).push_back(dim);
  }
  if (features.size() < 2 || rows.empty() ||
      featureDims.back() - featureDims.front() ==
          int64_t(featureDims.size()) - 1)
    return op;
  llvm::append_range(permutation, featureDims);

  MLIRContext *context = op.getContext();
  Location loc = op.getLoc();
  SmallVector<int64_t> order = rows;
  llvm::append_range(order, features);
  llvm::append_range(order, reduced);
  SmallVector<AffineExpr> renamed(order.size());
  SmallVector<utils::IteratorType> types;
  for (auto [index, loop] : llvm::enumerate(order)) {
    renamed[loop] = getAffineDimExpr(index, context);
    types.push_back(iterators[loop]);
  }
  for (AffineMap &map : maps)
    map = map.replaceDimsAndSymbols(renamed, {}, order.size(), 0);
  rewriter.setInsertionPoint(op);
  SmallVector<Value> operands(op.getInputs());
  // The features follow each other in the weight, too.
  SmallVector<int64_t> weightDims;
  for (AffineExpr expr : maps[weight].getResults())
    weightDims.push_back(cast<AffineDimExpr>(expr).getPosition());
  if (!llvm::is_sorted(weightDims)) {
    SmallVector<int64_t> sorted =
        llvm::to_vector(llvm::seq<int64_t>(0, maps[weight].getNumResults()));
    llvm::sort(sorted, [&](int64_t a, int64_t b) {
      return weightDims[a] < weightDims[b];
    });
    operands[weight] = createTranspose(rewriter, loc, operands[weight], sorted);
    SmallVector<AffineExpr> exprs;
    for (int64_t dim : sorted)
      exprs.push_back(maps[weight].getResult(dim));
    maps[weight] = AffineMap::get(order.size(), 0, exprs, context);
  }
  auto type = cast<RankedTensorType>(op.getOutputs()[0].getType());
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, applyPermutation(type.getShape(), permutation),
      type.getElementType());
  Value init = linalg::FillOp::create(rewriter, loc, fill.getInputs()[0], empty)
                   .getResult(0);
  SmallVector<AffineExpr> exprs;
  for (int64_t dim : permutation)
    exprs.push_back(maps.back().getResult(dim));
  maps.back() = AffineMap::get(order.size(), 0, exprs, context);
  auto moved = linalg::GenericOp::create(rewriter, loc, init.getType(),
                                         operands, init, maps, types);
  IRMapping mapping;
  op.getRegion().cloneInto(&moved.getRegion(), mapping);
  auto back = linalg::TransposeOp::create(rewriter, loc, moved.getResult(0),
                                          op.getOutputs()[0],
                                          invertPermutationVector(permutation));
  rewriter.replaceByPieces(op, back->getResults(), {moved, back},
                           /*deciding=*/{moved});
  return moved;
}

Operation *forms::mergeExpandedLoops(Operation *root,
                                     PreparationRewriter &rewriter) {
  ConstantEvaluator &constants = rewriter.constants;
  auto op = dyn_cast<linalg::GenericOp>(root);
  if (!op || !op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0 ||
      op.hasIndexSemantics() ||
      llvm::any_of(
          op.getRegionInputArgs(),
          [](BlockArgument argument) { return argument.use_empty(); }) ||
      llvm::any_of(op.getIndexingMapsArray(),
                   [](AffineMap map) { return !map.isProjectedPermutation(); }))
    return root;
  std::optional<unsigned> weightInput = getWeightInput(op, constants);
  if (!weightInput)
    return root;
  unsigned weight = *weightInput, input = 1 - weight;
  op = moveFeaturesLast(op, input, rewriter);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  // The loops of a group follow each other, and so do their dimensions.
  SmallVector<int64_t> reduced, features;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (ShapedType::isDynamic(sizes[loop]))
      continue;
    bool inInput = maps[input].isFunctionOfDim(loop);
    bool inWeight = maps[weight].isFunctionOfDim(loop);
    if (iterator == utils::IteratorType::reduction && inInput && inWeight)
      reduced.push_back(loop);
    else if (iterator == utils::IteratorType::parallel && !inInput && inWeight)
      features.push_back(loop);
  }
  auto follows = [](ArrayRef<int64_t> loops) {
    return loops.size() > 1 &&
           loops.back() - loops.front() == int64_t(loops.size()) - 1;
  };
  SmallVector<ReassociationIndices> groups;
  if (follows(features) && isConsecutive(getPlaces(maps[weight], features)) &&
      isConsecutive(getPlaces(maps.back(), features)))
    groups.emplace_back(features.begin(), features.end());
  // Inputs that have the order of the weight may be images, of which the weight
  // is a filter.
  auto type = cast<RankedTensorType>(op.getInputs()[input].getType());
  if (follows(reduced) && isConsecutive(getPlaces(maps[weight], reduced)) &&
      !isConsecutive(getPlaces(maps[input], reduced)) &&
      type.hasStaticShape()) {
    moveLast(op, input, reduced, rewriter);
    groups.emplace_back(reduced.begin(), reduced.end());
  }
  if (groups.empty())
    return op;
  rewriter.setInsertionPoint(op);
  auto merged = linalg::collapseOpIterationDims(op, groups, rewriter);
  if (failed(merged))
    return op;
  rewriter.replaceAllUsesWith(op->getResults(), merged->results);
  rewriter.recordReshaped(cast<linalg::LinalgOp>(op.getOperation()),
                          merged->collapsedOp);
  return merged->collapsedOp;
}

Operation *forms::repeatFactor(Operation *root, PreparationRewriter &rewriter) {
  auto op = dyn_cast<linalg::LinalgOp>(root);
  if (!op || !op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 1 ||
      op.hasIndexSemantics() ||
      isParameter(op.getDpsInputOperand(0)->get(), rewriter.constants) ||
      isParameter(op.getDpsInputOperand(1)->get(), rewriter.constants))
    return root;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (llvm::any_of(
          maps, [](AffineMap map) { return !map.isProjectedPermutation(); }) ||
      llvm::is_contained(sizes, ShapedType::kDynamic))
    return root;
  for (unsigned repeated : {0, 1}) {
    // The rows of the other factor, in the order of the result.
    SmallVector<int64_t> rows;
    bool isProduct = true;
    for (AffineExpr expr : maps.back().getResults()) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      bool isRow = !maps[repeated].isFunctionOfDim(loop);
      isProduct &= !isRow || maps[1 - repeated].isFunctionOfDim(loop);
      if (isRow && sizes[loop] != 1)
        rows.push_back(loop);
    }
    if (!isProduct || rows.size() < 2)
      continue;
    rows.pop_back();
    // Of a batch that both have, these are further dimensions.
    Value value = op.getDpsInputOperand(repeated)->get();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.getRank() < 2)
      return root;
    // Copies of a weight for each sample would be more than all else.
    auto count = [&](AffineMap map) {
      double elements = 1;
      for (AffineExpr expr : map.getResults())
        elements *= sizes[cast<AffineDimExpr>(expr).getPosition()];
      return elements;
    };
    double repeats = count(maps[repeated]);
    for (int64_t loop : rows)
      repeats *= sizes[loop];
    if (repeats > std::max(count(maps[1 - repeated]), count(maps.back())))
      continue;
    SmallVector<int64_t> shape, dims;
    SmallVector<AffineExpr> exprs;
    for (auto [dim, loop] : llvm::enumerate(rows)) {
      dims.push_back(dim);
      shape.push_back(sizes[loop]);
      exprs.push_back(getAffineDimExpr(loop, op.getContext()));
    }
    llvm::append_range(shape, type.getShape());
    llvm::append_range(exprs, maps[repeated].getResults());
    rewriter.setInsertionPoint(op);
    Value init = tensor::EmptyOp::create(rewriter, op.getLoc(), shape,
                                         type.getElementType());
    auto broadcast =
        linalg::BroadcastOp::create(rewriter, op.getLoc(), value, init, dims);
    SmallVector<Value> inputs(op.getDpsInputs());
    inputs[repeated] = broadcast->getResult(0);
    maps[repeated] = AffineMap::get(sizes.size(), 0, exprs, op.getContext());
    auto product = linalg::GenericOp::create(
        rewriter, op.getLoc(), op->getResultTypes(), inputs, op.getDpsInits(),
        maps, op.getIteratorTypesArray());
    IRMapping mapping;
    op->getRegion(0).cloneInto(&product.getRegion(), mapping);
    rewriter.replaceByPieces(op, product.getResults(), {broadcast, product},
                             /*deciding=*/{product});
    return product;
  }
  return root;
}

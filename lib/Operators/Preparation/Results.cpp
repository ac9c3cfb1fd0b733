// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes apart what fusion has put into elementwise ops beside arithmetic:
// several results, and transposes of what they read.

#include "Preparation/Preparation.h"
#include "Reading/Layout.h"
#include "Reading/Windows.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <numeric>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// The map of what has `shape`, whose zeros for dimensions of 1 stand for the
/// loops of one step that it doesn't read, if there are as many of both: a
/// transposition reads a dimension of 1 like that.
static AffineMap nameUnitLoops(AffineMap map, ArrayRef<int64_t> shape,
                               ArrayRef<int64_t> ranges) {
  SmallVector<unsigned> unread;
  for (unsigned loop = 0; loop < ranges.size(); ++loop)
    if (ranges[loop] == 1 && !map.isFunctionOfDim(loop))
      unread.push_back(loop);
  SmallVector<AffineExpr> exprs(map.getResults());
  unsigned next = 0;
  for (auto [expr, extent] : llvm::zip_equal(exprs, shape))
    if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
      if (next == unread.size() || number.getValue() != 0 || extent != 1)
        return map;
      expr = getAffineDimExpr(unread[next++], map.getContext());
    }
  return next == unread.size()
             ? AffineMap::get(map.getNumDims(), 0, exprs, map.getContext())
             : map;
}

void forms::takeOutTransposes(linalg::GenericOp op,
                              PreparationRewriter &rewriter) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  // One that only transposes is a transpose.
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      !maps.back().isIdentity() || op.getNumDpsInputs() == 0 ||
      op.getNumLoops() != op.getNumParallelLoops() ||
      llvm::hasSingleElement(*op.getBody()))
    return;
  rewriter.setInsertionPoint(op);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<SmallVector<int64_t>> permutations(op.getNumDpsInputs());
  for (auto [input, map, taken] :
       llvm::zip(op.getInputsMutable(), maps, permutations)) {
    auto type = dyn_cast<RankedTensorType>(input.get().getType());
    if (!type)
      continue;
    AffineMap named = nameUnitLoops(map, type.getShape(), ranges);
    if (!type.getElementType().isF32() || !named.isPermutation() ||
        named.isIdentity() || rewriter.constants.isConstant(input.get()))
      continue;
    SmallVector<int64_t> permutation(type.getRank());
    for (unsigned dim = 0; dim < named.getNumResults(); ++dim)
      permutation[named.getDimPosition(dim)] = dim;
    input.set(createTranspose(rewriter, op.getLoc(), input.get(), permutation));
    map = AffineMap::getMultiDimIdentityMap(type.getRank(), op.getContext());
    taken = permutation;
  }
  if (llvm::all_of(permutations, [](auto &taken) { return taken.empty(); }))
    return;
  rewriter.recordTransposes(op, op.getIndexingMaps(), permutations);
  op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
}

/// `op` without the inputs that its body doesn't read.
static linalg::GenericOp dropUnusedInputs(linalg::GenericOp op,
                                          PreparationRewriter &rewriter) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  llvm::BitVector unused(op.getBody()->getNumArguments());
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    if (op.getBody()->getArgument(i).use_empty()) {
      unused.set(i);
      continue;
    }
    inputs.push_back(input);
    maps.push_back(op.getIndexingMapsArray()[i]);
  }
  if (unused.none())
    return op;
  llvm::append_range(
      maps, ArrayRef<AffineMap>(op.getIndexingMapsArray()).take_back());
  rewriter.setInsertionPoint(op);
  auto dropped = linalg::GenericOp::create(
      rewriter, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(), maps,
      op.getIteratorTypesArray());
  dropped.getRegion().takeBody(op.getRegion());
  dropped.getBody()->eraseArguments(unused);
  rewriter.replaceOp(op, dropped.getResults());
  return dropped;
}

Operation *forms::separateResults(linalg::GenericOp op,
                                  PreparationRewriter &rewriter) {
  Block &body = *op.getBody();
  Operation *yield = body.getTerminator();
  SmallVector<unsigned> order(op.getNumResults());
  std::iota(order.begin(), order.end(), 0);
  auto getPosition = [&](unsigned result) {
    Operation *inner = yield->getOperand(result).getDefiningOp();
    return inner && inner->getBlock() == &body
               ? std::distance(body.begin(), Block::iterator(inner))
               : -1;
  };
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return getPosition(a) < getPosition(b);
  });
  SmallVector<AffineMap> allMaps = op.getIndexingMapsArray();
  ArrayRef<AffineMap> resultMaps =
      ArrayRef(allMaps).take_back(op.getNumResults());
  for (AffineMap map : resultMaps)
    if (!map.isPermutation() || (!map.isIdentity() && op.hasIndexSemantics()))
      return nullptr;
  if (op.getNumLoops() != op.getNumParallelLoops() ||
      llvm::any_of(op.getRegionOutputArgs(),
                   [](BlockArgument arg) { return !arg.use_empty(); }))
    return nullptr;
  SmallVector<Operation *> pieces;
  unsigned numInputs = op.getInputs().size();
  /// What is yielded, and the result that has it.
  SmallVector<std::pair<Value, unsigned>> known;
  SmallVector<Value> singles(op.getNumResults());
  for (unsigned result : order) {
    if (op.getResult(result).use_empty())
      continue;
    SmallVector<Value> inputs(op.getInputs());
    SmallVector<AffineMap> maps =
        llvm::to_vector(ArrayRef<AffineMap>(allMaps).take_front(numInputs));
    for (auto &[inside, other] : known) {
      inputs.push_back(singles[other]);
      maps.push_back(resultMaps[other]);
    }
    maps.push_back(resultMaps[result]);
    // Loops in the order of the result.
    AffineMap toResult = inversePermutation(resultMaps[result]);
    for (AffineMap &map : maps)
      map = map.compose(toResult);
    rewriter.setInsertionPoint(op);
    auto single = linalg::GenericOp::create(
        rewriter, op.getLoc(), op.getResult(result).getType(), inputs,
        op.getOutputs()[result], maps, op.getIteratorTypesArray(),
        [&](OpBuilder &inner, Location loc, ValueRange values) {
          IRMapping mapping;
          for (unsigned i = 0; i < numInputs; ++i)
            mapping.map(body.getArgument(i), values[i]);
          for (auto [i, pair] : llvm::enumerate(known))
            mapping.map(pair.first, values[numInputs + i]);
          for (Operation &each : body.without_terminator()) {
            if (llvm::none_of(each.getResults(), [&](Value value) {
                  return mapping.contains(value);
                }))
              inner.clone(each, mapping);
          }
          linalg::YieldOp::create(
              inner, loc, mapping.lookupOrDefault(yield->getOperand(result)));
        });
    // What the other results alone need.
    for (Operation &each :
         llvm::make_early_inc_range(llvm::reverse(*single.getBody())))
      if (isOpTriviallyDead(&each))
        rewriter.eraseOp(&each);
    // Its result has the order of the loops, which are therefore all written.
    single = dropUnusedInputs(single, rewriter);
    known.push_back({yield->getOperand(result), result});
    singles[result] = single.getResult(0);
    pieces.push_back(single);
  }
  if (pieces.empty())
    return nullptr;
  rewriter.replaceByPieces(op, singles, pieces, /*deciding=*/pieces);
  for (Operation *single : pieces)
    takeOutTransposes(cast<linalg::GenericOp>(single), rewriter);
  return pieces.back();
}

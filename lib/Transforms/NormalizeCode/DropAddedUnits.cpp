// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds reshapes that add unit dims to one op and drop them again.

#include "DropAddedUnits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace qbackend;

/// The dimensions of 1 of `type` that share a group with others: those that a
/// change of shape adds or drops.
static SmallVector<int64_t>
getSharedUnits(RankedTensorType type,
               ArrayRef<ReassociationIndices> reassociation) {
  SmallVector<int64_t> units;
  for (const ReassociationIndices &group : reassociation)
    for (int64_t dim : group)
      if (group.size() > 1 && type.getDimSize(dim) == 1)
        units.push_back(dim);
  return units;
}

/// Whether loops of 1 can be dropped from `op`.
static bool isDroppable(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() && op.getNumResults() == 1 &&
         !op.hasIndexSemantics() &&
         llvm::all_of(op->getOperandTypes(),
                      [](Type type) {
                        auto tensor = dyn_cast<RankedTensorType>(type);
                        return tensor && tensor.hasStaticShape() &&
                               tensor.getRank() != 0;
                      }) &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
           return map.isProjectedPermutation();
         });
}

using Loops = llvm::SmallDenseSet<unsigned>;

/// The dimensions of a tensor with `map` that are in `loops`.
static SmallVector<int64_t> getDims(AffineMap map, const Loops &loops) {
  SmallVector<int64_t> dims;
  for (unsigned i = 0, e = map.getNumResults(); i < e; ++i)
    if (loops.contains(map.getDimPosition(i)))
      dims.push_back(i);
  return dims;
}

static AffineMap getResultMap(linalg::LinalgOp op) {
  return op.getMatchingIndexingMap(op.getDpsInitOperand(0));
}

/// Whether `value` is a matrix product, maybe with a bias: rows, of which a
/// change of shape makes the tensor that a linear layer has in PyTorch.
static bool isLinear(Value value) {
  // A product, a bias, an activation.
  constexpr unsigned kMaxSteps = 3;
  for (unsigned i = 0; i < kMaxSteps; ++i) {
    auto op = value.getDefiningOp<linalg::LinalgOp>();
    if (!op || op.getNumDpsInputs() == 0)
      return false;
    if (op.getNumReductionLoops() != 0)
      return linalg::isaContractionOpInterface(op);
    // Not a bias, on whichever side that is.
    SmallVector<Value> inputs = op.getDpsInputs();
    bool isTurned = inputs.size() == 2 && matchPattern(inputs[0], m_Constant());
    value = inputs[isTurned];
  }
  return false;
}

namespace {
/// Finds loops of 1 over dimensions that some ops get together, and all lose
/// again.
class AddedUnits {
public:
  explicit AddedUnits(func::FuncOp function) {
    function.walk([&](linalg::LinalgOp op) {
      auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      auto transpose = dyn_cast<linalg::TransposeOp>(op.getOperation());
      if (generic ? isDroppable(generic)
                  : transpose && transpose.hasPureTensorSemantics() &&
                        transpose.getInit().getType().hasStaticShape())
        ops.push_back(op);
    });
    // Users come later.
    for (linalg::LinalgOp op : llvm::reverse(ops)) {
      Loops loops = findLost(op);
      lost[op] = std::move(loops);
    }
    for (linalg::LinalgOp op : ops)
      if (getsUnit(op))
        dropping.insert(op);
  }

  /// In the order of the code.
  SmallVector<linalg::LinalgOp> ops;

  /// The loops of 1 that `op` can do without; null if it is to keep them.
  const Loops *lookup(linalg::LinalgOp op) const {
    auto it = lost.find(op);
    return dropping.contains(op) ? &it->second : nullptr;
  }

private:
  /// The loops of `op` over dimensions of 1 that all readers of its result
  /// lose, and of sums that have other ones. A batch is a dimension of an
  /// image, whatever its size.
  Loops findLost(linalg::LinalgOp op) {
    Loops loops;
    Value value = op->getResult(0);
    auto type = cast<RankedTensorType>(value.getType());
    AffineMap map = getResultMap(op);
    for (int64_t dim = 1; dim < type.getRank(); ++dim)
      if (type.getDimSize(dim) == 1 && !value.use_empty() &&
          llvm::all_of(value.getUses(),
                       [&](OpOperand &use) { return isLost(use, dim); }))
        loops.insert(map.getDimPosition(dim));
    SmallVector<unsigned> sums, units;
    op.getReductionDims(sums);
    SmallVector<int64_t> sizes = op.getStaticLoopRanges();
    for (unsigned loop : sums)
      if (sizes[loop] == 1)
        units.push_back(loop);
    if (units.size() < sums.size())
      loops.insert(units.begin(), units.end());
    return loops;
  }

  bool isLost(OpOperand &use, int64_t dim) {
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(use.getOwner()))
      return llvm::is_contained(
          getSharedUnits(collapse.getSrcType(),
                         collapse.getReassociationIndices()),
          dim);
    auto it = lost.find(use.getOwner());
    if (it == lost.end())
      return false;
    auto op = cast<linalg::LinalgOp>(use.getOwner());
    return op.isDpsInput(&use) &&
           it->second.contains(
               op.getMatchingIndexingMap(&use).getDimPosition(dim));
  }

  /// Whether an input of `op` got a dimension that is lost.
  bool getsUnit(linalg::LinalgOp op) {
    const Loops &loops = lost[op];
    // Nothing else is to lose what makes it an image: a convolution of one
    // pixel whose result is flattened is a layer.
    for (OpOperand *input : op.getDpsInputOperands()) {
      Operation *producer = input->get().getDefiningOp();
      if (!isa_and_nonnull<tensor::ExpandShapeOp, arith::ConstantOp>(
              producer) &&
          !dropping.contains(producer) &&
          getDims(op.getMatchingIndexingMap(input), loops).size() > 1)
        return false;
    }
    return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
      SmallVector<int64_t> got;
      Operation *producer = input->get().getDefiningOp();
      if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(producer);
          expand && !isLinear(expand.getSrc()))
        got = getSharedUnits(expand.getResultType(),
                             expand.getReassociationIndices());
      else if (dropping.contains(producer))
        got = getDims(getResultMap(cast<linalg::LinalgOp>(producer)),
                      lost[producer]);
      AffineMap map = op.getMatchingIndexingMap(input);
      return llvm::any_of(got, [&](int64_t dim) {
        return loops.contains(map.getDimPosition(dim));
      });
    });
  }

  llvm::DenseMap<Operation *, Loops> lost;
  llvm::DenseSet<Operation *> dropping;
};
} // namespace

Value qbackend::createUnitReshape(OpBuilder &builder, Location loc, Value value,
                                  RankedTensorType type) {
  auto from = cast<RankedTensorType>(value.getType());
  if (from == type)
    return value;
  auto reassociation = getReassociationIndicesForReshape(from, type);
  if (!reassociation)
    return {};
  if (from.getRank() > type.getRank())
    return tensor::CollapseShapeOp::create(builder, loc, type, value,
                                           *reassociation);
  return tensor::ExpandShapeOp::create(builder, loc, type, value,
                                       *reassociation);
}

/// `value` in `type`, which has the same dimensions but for those of 1; null if
/// no change of shape does that.
static Value reshape(RewriterBase &rewriter, Value value,
                     RankedTensorType type) {
  Location loc = value.getLoc();
  auto from = cast<RankedTensorType>(value.getType());
  if (from == type)
    return value;
  // A new tensor, and a new fill.
  auto fill = value.getDefiningOp<linalg::FillOp>();
  if (fill || value.getDefiningOp<tensor::EmptyOp>()) {
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                          type.getElementType());
    return fill ? linalg::FillOp::create(rewriter, loc, fill.getInputs(), empty)
                      .getResult(0)
                : empty;
  }
  // The same numbers.
  ElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements))) {
    TypedAttr same;
    if (auto dense = dyn_cast<DenseElementsAttr>(elements))
      same = dense.reshape(type);
    else if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
      same = DenseResourceElementsAttr::get(type, resource.getRawHandle());
    if (same)
      return arith::ConstantOp::create(rewriter, loc, same);
  }
  // What has it in this shape already.
  if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>())
    if (Value before =
            expand.getSrcType() == type || from.getRank() > type.getRank()
                ? reshape(rewriter, expand.getSrc(), type)
                : Value())
      return before;
  return createUnitReshape(rewriter, loc, value, type);
}

/// `type` without the dimensions `dims`.
static RankedTensorType dropDims(RankedTensorType type,
                                 ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (!llvm::is_contained(dims, int64_t(dim)))
      shape.push_back(size);
  return type.clone(shape);
}

/// `op` without `loops`; null if it stays as it is.
static Value createSmaller(RewriterBase &rewriter, linalg::LinalgOp op,
                           const Loops &loops) {
  // Loops that are left, by their new numbers.
  SmallVector<AffineExpr> numbers;
  SmallVector<utils::IteratorType> iterators;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    numbers.push_back(rewriter.getAffineDimExpr(iterators.size()));
    if (!loops.contains(loop))
      iterators.push_back(iterator);
  }
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    SmallVector<AffineExpr> exprs;
    for (unsigned i = 0, e = map.getNumResults(); i < e; ++i)
      if (!loops.contains(map.getDimPosition(i)))
        exprs.push_back(numbers[map.getDimPosition(i)]);
    operands.push_back(
        reshape(rewriter, operand.get(),
                dropDims(cast<RankedTensorType>(operand.get().getType()),
                         getDims(map, loops))));
    if (!operands.back())
      return {};
    maps.push_back(
        AffineMap::get(iterators.size(), 0, exprs, rewriter.getContext()));
  }
  if (isa<linalg::TransposeOp>(op.getOperation())) {
    SmallVector<int64_t> permutation(maps[0].getNumResults());
    for (auto [dim, expr] : llvm::enumerate(maps[0].getResults()))
      for (auto [to, each] : llvm::enumerate(maps[1].getResults()))
        if (expr == each)
          permutation[to] = dim;
    return linalg::TransposeOp::create(rewriter, op.getLoc(), operands[0],
                                       operands[1], permutation)
        ->getResult(0);
  }
  auto smaller = linalg::GenericOp::create(
      rewriter, op.getLoc(), operands.back().getType(),
      ArrayRef(operands).drop_back(), operands.back(), maps, iterators);
  rewriter.cloneRegionBefore(op->getRegion(0), smaller.getRegion(),
                             smaller.getRegion().end());
  return smaller.getResult(0);
}

void qbackend::dropAddedUnits(func::FuncOp function) {
  AddedUnits units(function);
  IRRewriter rewriter(function.getContext());
  for (linalg::LinalgOp op : units.ops) {
    const Loops *loops = units.lookup(op);
    if (!loops)
      continue;
    rewriter.setInsertionPoint(op);
    Value smaller = createSmaller(rewriter, op, *loops);
    if (!smaller)
      continue;
    Value larger = reshape(rewriter, smaller,
                           cast<RankedTensorType>(op->getResult(0).getType()));
    if (!larger) {
      rewriter.eraseOp(smaller.getDefiningOp());
      continue;
    }
    rewriter.replaceOp(op, larger);
    for (Operation *user : llvm::make_early_inc_range(larger.getUsers()))
      if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user)) {
        rewriter.setInsertionPoint(collapse);
        if (Value direct = reshape(rewriter, smaller, collapse.getResultType()))
          rewriter.replaceOp(collapse, direct);
      }
  }
}

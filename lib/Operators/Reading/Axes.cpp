// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows dimensions through transpositions, reshapes and reversals.

#include "Reading/Axes.h"
#include "Reading/Flip.h"
#include "Reading/Layout.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

namespace {
/// Neighbouring dimensions of one shape that become those of another one.
struct Regroup {
  SmallVector<unsigned, 2> from, to;
};
} // namespace

static SmallVector<Regroup>
getGroups(ArrayRef<ReassociationIndices> reassociation) {
  SmallVector<Regroup> groups;
  for (auto [index, dims] : llvm::enumerate(reassociation)) {
    Regroup &group = groups.emplace_back();
    group.from = {unsigned(index)};
    group.to.assign(dims.begin(), dims.end());
  }
  return groups;
}

/// The smallest groups of dimensions that hold the same elements.
static std::optional<SmallVector<Regroup>> getGroups(ArrayRef<int64_t> from,
                                                     ArrayRef<int64_t> to) {
  SmallVector<Regroup> groups;
  unsigned i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    Regroup &group = groups.emplace_back();
    if (i < from.size() && j < to.size() && from[i] == to[j]) {
      group.from = {i++};
      group.to = {j++};
      continue;
    }
    int64_t before = 1, after = 1;
    do {
      bool isFrom = i < from.size() && (before <= after || j == to.size());
      if (!isFrom && j == to.size())
        return std::nullopt;
      int64_t size = isFrom ? from[i] : to[j];
      if (size < 1 || before > INT64_MAX / size || after > INT64_MAX / size)
        return std::nullopt;
      if (isFrom) {
        before *= size;
        group.from.push_back(i++);
      } else {
        after *= size;
        group.to.push_back(j++);
      }
    } while (before != after);
  }
  return groups;
}

/// What the dimensions `dims` are after they were regrouped to `shape`.
static std::optional<SmallVector<AxisList>> regroup(ArrayRef<AxisList> dims,
                                                    ArrayRef<int64_t> sizes,
                                                    ArrayRef<Regroup> groups,
                                                    ArrayRef<int64_t> shape) {
  SmallVector<AxisList> result(shape.size());
  for (const Regroup &group : groups) {
    if (group.from.size() == 1 && group.to.size() == 1) {
      result[group.to[0]] = dims[group.from[0]];
      continue;
    }
    AxisList axes;
    for (unsigned dim : group.from)
      llvm::copy_if(dims[dim], std::back_inserter(axes),
                    [&](unsigned axis) { return sizes[axis] != 1; });
    if (group.to.size() == 1) {
      result[group.to[0]] = axes;
      continue;
    }
    ArrayRef<unsigned> rest = axes;
    for (unsigned dim : group.to) {
      for (int64_t size = 1; size != shape[dim]; rest = rest.drop_front()) {
        if (rest.empty() || sizes[rest.front()] < 1)
          return std::nullopt;
        size *= sizes[rest.front()];
        if (shape[dim] < size)
          return std::nullopt;
        result[dim].push_back(rest.front());
      }
    }
    if (!rest.empty())
      return std::nullopt;
  }
  return result;
}

/// The groups that a reshape makes of the dimensions of its operand.
static std::optional<SmallVector<Regroup>> getReshapeGroups(Operation *op) {
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op)) {
    auto groups = getGroups(collapse.getReassociationIndices());
    for (Regroup &group : groups)
      std::swap(group.from, group.to);
    return groups;
  }
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op))
    return getGroups(expand.getReassociationIndices());
  if (!isa_and_nonnull<tosa::ReshapeOp, tensor::ReshapeOp>(op))
    return std::nullopt;
  auto from = getFloatType(op->getOperand(0));
  auto to = getFloatType(op->getResult(0));
  if (!from || !to)
    return std::nullopt;
  return getGroups(from.getShape(), to.getShape());
}

Value forms::getLayoutSource(Operation *op) {
  Value source;
  if (getCopyMap(op, source))
    return getFloatType(source) ? source : Value();
  if (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                      tosa::ReshapeOp, tensor::ReshapeOp>(op) &&
      getFloatType(op->getOperand(0)))
    return op->getOperand(0);
  return {};
}

std::optional<unsigned> AxisView::find(unsigned axis) const {
  for (auto [index, dim] : llvm::enumerate(dims))
    if (ArrayRef<unsigned>(dim) == ArrayRef<unsigned>(axis))
      return index;
  return std::nullopt;
}

/// What the dimensions of the operand of a copy are if those of its result are
/// `dims`; nullopt unless each element goes to one place.
static std::optional<SmallVector<AxisList>>
undoCopy(ArrayRef<AxisList> dims, ArrayRef<int64_t> sizes, AffineMap map,
         ArrayRef<int64_t> sourceShape) {
  SmallVector<AxisList> result;
  SmallVector<bool> used(dims.size(), false);
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), sourceShape)) {
    AxisList &axes = result.emplace_back();
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim && size != 1)
      return std::nullopt;
    if (!dim)
      continue;
    if (std::exchange(used[dim.getPosition()], true))
      return std::nullopt;
    axes = dims[dim.getPosition()];
  }
  for (auto [axes, isUsed] : llvm::zip_equal(dims, used))
    if (!isUsed &&
        llvm::any_of(axes, [&](unsigned axis) { return sizes[axis] != 1; }))
      return std::nullopt;
  return result;
}

bool AxisView::goBack(bool flips) {
  Operation *op = getProducer(value);
  Value source;
  std::optional<SmallVector<AxisList>> before;
  SmallVector<unsigned> reversed;
  if (auto map = getCopyMap(op, source)) {
    auto sourceType = getFloatType(source);
    if (sourceType && map->getNumDims() == dims.size())
      before = undoCopy(dims, sizes, *map, sourceType.getShape());
  } else if (auto groups = getReshapeGroups(op)) {
    source = op->getOperand(0);
    auto sourceType = getFloatType(skipCasts(source));
    if (!sourceType)
      return false;
    for (Regroup &group : *groups)
      std::swap(group.from, group.to);
    before = regroup(dims, sizes, *groups, sourceType.getShape());
  }
  auto flip = flips && !before ? getFlip(op) : std::nullopt;
  if (flip) {
    source = flip->source;
    before.emplace();
    for (auto [from, isReversed] : llvm::zip(flip->dims, flip->reversed)) {
      before->push_back(dims[from]);
      if (!isReversed)
        continue;
      // A merged dimension in reverse is each of its axes in reverse.
      llvm::append_range(reversed, dims[from]);
    }
  }
  if (!before)
    return false;
  for (unsigned axis : reversed) {
    auto it = llvm::find(flipped, axis);
    if (it == flipped.end())
      flipped.push_back(axis);
    else
      flipped.erase(it);
  }
  value = skipCasts(source);
  dims = std::move(*before);
  return true;
}

bool AxisView::goForward(Operation *op) {
  auto resultType = getFloatType(op->getResult(0));
  if (!resultType)
    return false;
  Value source;
  if (auto map = getCopyMap(op, source)) {
    if (!map->isPermutation() || map->getNumDims() != dims.size())
      return false;
    SmallVector<AxisList> after(dims.size());
    for (unsigned dim = 0; dim < dims.size(); ++dim)
      after[map->getDimPosition(dim)] = dims[dim];
    dims = std::move(after);
  } else if (auto groups = getReshapeGroups(op)) {
    auto after = regroup(dims, sizes, *groups, resultType.getShape());
    if (!after)
      return false;
    dims = std::move(*after);
  } else {
    return false;
  }
  value = op->getResult(0);
  return true;
}

RecognizedOperand forms::arrangeAxes(const AxisView &view,
                                     ArrayRef<unsigned> axes,
                                     ArrayRef<int64_t> shape) {
  // As long as no dimension is merged, those of size 1 are like others.
  bool keepUnits =
      view.dims.size() == axes.size() &&
      llvm::all_of(axes, [&](unsigned axis) { return view.find(axis); });
  SmallVector<unsigned> kept;
  SmallVector<int64_t> sourceShape, arranged, permutation;
  for (const AxisList &dim : view.dims)
    for (unsigned axis : dim)
      if (keepUnits || view.sizes[axis] != 1) {
        kept.push_back(axis);
        sourceShape.push_back(view.sizes[axis]);
      }
  for (unsigned axis : axes) {
    if (!keepUnits && view.sizes[axis] == 1)
      continue;
    auto it = llvm::find(kept, axis);
    if (it == kept.end())
      return {};
    permutation.push_back(it - kept.begin());
    arranged.push_back(view.sizes[axis]);
  }
  if (permutation.size() != kept.size() ||
      llvm::is_contained(sourceShape, ShapedType::kDynamic))
    return {};
  RecognizedOperand operand = RecognizedOperand::of(view.value);
  bool isMoved = !llvm::is_sorted(permutation);
  if (isMoved)
    operand.permutation = permutation;
  if (isMoved && view.type().getShape() != ArrayRef<int64_t>(sourceShape))
    operand.sourceShape = sourceShape;
  if (ArrayRef<int64_t>(isMoved ? ArrayRef<int64_t>(arranged)
                                : view.type().getShape()) != shape)
    operand.shape.assign(shape.begin(), shape.end());
  return operand;
}

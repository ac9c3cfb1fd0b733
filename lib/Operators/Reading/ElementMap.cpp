// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps between the elements of tensors, composed op by op.

#include "Reading/ElementMap.h"

#include "Reading/Layout.h"
#include "Reading/TosaOperands.h"
#include "Reading/Windows.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

Value forms::getMoved(Operation *op) {
  if (Value source = getReshaped(op))
    return source;
  if (auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(op))
    return slice.getSource();
  if (auto slice = dyn_cast_or_null<tosa::SliceOp>(op))
    return slice.getInput1();
  if (auto tile = dyn_cast_or_null<tosa::TileOp>(op))
    return tile.getInput1();
  Value source;
  return getCopyMap(op, source) ? source : Value();
}

Runs forms::getWholeDim(RankedTensorType type, unsigned dim) {
  int64_t size = type.getDimSize(dim);
  return size == 1 ? Runs() : Runs{{dim, size, 1}};
}

ElementMap::ElementMap(RankedTensorType type)
    : sourceType(type), offsets(type.getRank(), 0) {
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    dims.push_back(getWholeDim(type, dim));
}

bool ElementMap::hasOffsets() const {
  return llvm::any_of(offsets, [](int64_t offset) { return offset != 0; });
}

bool ElementMap::isReshape() const {
  if (hasOffsets())
    return false;
  Runs all, whole;
  auto append = [](Runs &runs, const Run &run) {
    if (!runs.empty() && runs.back().dim && runs.back().dim == run.dim &&
        !ShapedType::isDynamic(run.size) &&
        runs.back().step == run.size * run.step) {
      runs.back().size *= run.size;
      runs.back().step = run.step;
    } else {
      runs.push_back(run);
    }
  };
  for (const Runs &runs : dims)
    for (const Run &run : runs)
      append(all, run);
  for (unsigned dim = 0; dim < sourceType.getRank(); ++dim)
    whole.append(getWholeDim(sourceType, dim));
  return all == whole;
}

//===----------------------------------------------------------------------===//
// Composition
//===----------------------------------------------------------------------===//

/// Joins runs that are one.
void ElementMap::merge() {
  for (Runs &runs : dims) {
    Runs merged;
    for (const Run &run : runs) {
      bool isStatic = !ShapedType::isDynamic(run.size);
      if (!merged.empty() && isStatic && merged.back().dim == run.dim &&
          !ShapedType::isDynamic(merged.back().size) &&
          (!run.dim || merged.back().step == run.size * run.step)) {
        merged.back().size *= run.size;
        merged.back().step = run.step;
      } else {
        merged.push_back(run);
      }
    }
    runs = std::move(merged);
  }
}

/// Cuts `runs` into dimensions of `sizes`; false where a cut isn't between
/// whole steps.
static bool split(Runs runs, ArrayRef<int64_t> sizes,
                  SmallVectorImpl<Runs> &result) {
  size_t first = result.size();
  result.resize(first + sizes.size());
  int64_t wide = llvm::count_if(sizes, [](int64_t size) { return size != 1; });
  for (size_t i = sizes.size(); i-- > 0;) {
    int64_t needed = sizes[i];
    Runs &taken = result[first + i];
    if (needed != 1 && wide == 1) {
      taken = std::move(runs);
      runs.clear();
      continue;
    }
    while (needed != 1) {
      if (runs.empty())
        return false;
      Run &last = runs.back();
      if (last.size == needed) {
        taken.insert(taken.begin(), last);
        runs.pop_back();
        needed = 1;
        continue;
      }
      if (ShapedType::isDynamic(last.size) || ShapedType::isDynamic(needed) ||
          needed == 0 || last.size == 0)
        return false;
      if (needed % last.size == 0) {
        taken.insert(taken.begin(), last);
        needed /= last.size;
        runs.pop_back();
      } else if (last.size % needed == 0) {
        taken.insert(taken.begin(), Run{last.dim, needed, last.step});
        last.size /= needed;
        last.step *= needed;
        needed = 1;
      } else {
        return false;
      }
    }
  }
  return runs.empty();
}

bool ElementMap::applyReshape(RankedTensorType from, RankedTensorType to) {
  if (from.getRank() == 0 || to.getRank() == 0) {
    if (!from.hasStaticShape() || !to.hasStaticShape())
      return false;
    dims.assign(to.getRank(), Runs());
    return true;
  }
  bool expands = to.getRank() > from.getRank();
  auto groups = getReassociationIndicesForReshape(from, to);
  SmallVector<Runs> result;
  if (!groups) {
    if (!from.hasStaticShape() || !to.hasStaticShape())
      return false;
    Runs all;
    for (const Runs &runs : dims)
      all.append(runs);
    if (!split(std::move(all), to.getShape(), result))
      return false;
  } else if (expands) {
    for (auto [runs, group] : llvm::zip_equal(dims, *groups))
      if (!split(runs, to.getShape().slice(group.front(), group.size()),
                 result))
        return false;
  } else {
    for (const ReassociationIndices &group : *groups) {
      Runs &joined = result.emplace_back();
      for (int64_t dim : group)
        joined.append(dims[dim]);
    }
  }
  dims = std::move(result);
  return true;
}

/// The number of positions; nullopt if it isn't known.
static std::optional<int64_t> getSize(const Runs &runs) {
  int64_t size = 1;
  for (const Run &run : runs) {
    if (ShapedType::isDynamic(run.size))
      return std::nullopt;
    size *= run.size;
  }
  return size;
}

bool ElementMap::applySlice(ArrayRef<int64_t> starts, ArrayRef<int64_t> sizes,
                            ArrayRef<int64_t> strides) {
  for (auto [runs, start, size, stride] :
       llvm::zip_equal(dims, starts, sizes, strides)) {
    if (ShapedType::isDynamic(size))
      continue;
    if (runs.empty()) {
      if (start != 0 || size != 1)
        return false;
      continue;
    }
    if (start == 0 && stride == 1 && size == getSize(runs))
      continue;
    if (runs.size() != 1)
      return false;
    Run &run = runs.front();
    if (run.dim) {
      offsets[*run.dim] += start * run.step;
      run.step *= stride;
    }
    run.size = size;
    if (size == 1)
      runs.clear();
  }
  return true;
}

bool ElementMap::applyCopy(AffineMap map, RankedTensorType type) {
  if (map.getNumSymbols() != 0 || map.getNumResults() != dims.size() ||
      int64_t(map.getNumDims()) != type.getRank())
    return false;
  SmallVector<std::optional<Runs>> result(type.getRank());
  for (auto [expr, runs] : llvm::zip_equal(map.getResults(), dims)) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      if (result[dim.getPosition()])
        return false;
      result[dim.getPosition()] = runs;
      continue;
    }
    // One position of a dimension.
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (!constant || (runs.empty() && constant.getValue() != 0) ||
        runs.size() > 1)
      return false;
    if (!runs.empty() && runs.front().dim)
      offsets[*runs.front().dim] += constant.getValue() * runs.front().step;
  }
  dims.clear();
  for (auto [runs, size] : llvm::zip_equal(result, type.getShape())) {
    if (!runs && size != 1)
      runs = Runs{{std::nullopt, size, 1}};
    dims.push_back(runs.value_or(Runs()));
  }
  return true;
}

/// Sizes of the slice, with a dynamic one for a dimension that is taken whole
/// though its size isn't known; nullopt if something else isn't.
static std::optional<SmallVector<int64_t>>
getSliceSizes(tensor::ExtractSliceOp slice) {
  SmallVector<int64_t> sizes;
  for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes())) {
    std::optional<int64_t> number = getConstantIntValue(size);
    if (number) {
      sizes.push_back(*number);
      continue;
    }
    if (slice.getStaticStrides()[dim] != 1 || !isWholeDimension(slice, dim))
      return std::nullopt;
    sizes.push_back(ShapedType::kDynamic);
  }
  return sizes;
}

bool ElementMap::apply(Operation *op) {
  Value source = getMoved(op);
  auto from = source ? dyn_cast<RankedTensorType>(source.getType())
                     : RankedTensorType();
  auto to = op->getNumResults() == 1
                ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                : RankedTensorType();
  if (!from || !to || from.getRank() != int64_t(dims.size()))
    return false;
  // What a cast in between says about sizes.
  for (auto [runs, size] : llvm::zip_equal(dims, from.getShape()))
    if (runs.size() == 1 && ShapedType::isDynamic(runs.front().size)) {
      runs.front().size = size;
      if (size == 1)
        runs.clear();
    }
  bool applied = false;
  if (getReshaped(op)) {
    applied = applyReshape(from, to);
  } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    auto sizes = getSliceSizes(slice);
    if (!sizes || ShapedType::isDynamicShape(slice.getStaticOffsets()) ||
        ShapedType::isDynamicShape(slice.getStaticStrides()))
      return false;
    applied =
        applySlice(slice.getStaticOffsets(), *sizes, slice.getStaticStrides());
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<Runs> kept;
    for (auto [dim, runs] : llvm::enumerate(dims))
      if (!dropped.test(dim))
        kept.push_back(runs);
    dims = std::move(kept);
  } else if (auto slice = dyn_cast<tosa::SliceOp>(op)) {
    auto starts = readShape(slice.getStart());
    auto sizes = readShape(slice.getSize());
    if (!starts || !sizes || starts->size() != dims.size() ||
        sizes->size() != dims.size())
      return false;
    // -1 is all there is.
    for (auto [start, size, extent] :
         llvm::zip_equal(*starts, *sizes, from.getShape()))
      if (size == -1) {
        if (start != 0)
          return false;
        size = extent;
      }
    applied = applySlice(*starts, *sizes, SmallVector<int64_t>(dims.size(), 1));
  } else if (auto tile = dyn_cast<tosa::TileOp>(op)) {
    auto multiples = readShape(tile.getMultiples());
    if (!multiples || multiples->size() != dims.size())
      return false;
    for (auto [runs, multiple] : llvm::zip_equal(dims, *multiples)) {
      if (multiple < 1)
        return false;
      if (multiple != 1)
        runs.insert(runs.begin(), Run{std::nullopt, multiple, 1});
    }
    applied = true;
  } else if (auto map = getCopyMap(op, source)) {
    applied = applyCopy(*map, to);
  }
  if (applied)
    merge();
  return applied && int64_t(dims.size()) == to.getRank();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows extents back to where they come from.

#include "qbackend/Operators/Extent.h"

#include "Reading/TosaOperands.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// No extent is followed over more dimensions than this.
static constexpr unsigned kMaxDims = 1024;

/// The size of dimension `dim` of the result, where the op has it as an
/// operand.
static Value getDynamicSize(Operation *op, int64_t dim) {
  SmallVector<OpFoldResult> sizes;
  if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    sizes = empty.getMixedSizes();
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    sizes = expand.getMixedOutputShape();
  } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (auto [index, size] : llvm::enumerate(slice.getMixedSizes()))
      if (!dropped.test(index))
        sizes.push_back(size);
  }
  return sizes.empty() ? Value() : dyn_cast<Value>(sizes[dim]);
}

/// The dimension of the source that the op has as dimension `dim` of its
/// result: the only one that isn't 1 of those that become it.
static std::optional<int64_t> findCollapsed(tensor::CollapseShapeOp op,
                                            int64_t dim) {
  std::optional<int64_t> found;
  ReassociationIndices sources = op.getReassociationIndices()[dim];
  for (int64_t source : sources) {
    if (op.getSrcType().getDimSize(source) == 1)
      continue;
    if (found)
      return std::nullopt;
    found = source;
  }
  return found;
}

/// The dimension of what `reshape` reads that is -1 in its shape; null if that
/// is a product of several, or part of one.
static std::optional<int64_t> findReshaped(tosa::ReshapeOp reshape,
                                           int64_t dim) {
  auto sizes = readShape(reshape.getShape());
  auto type = dyn_cast<RankedTensorType>(reshape.getInput1().getType());
  if (!sizes || !type || type.getNumDynamicDims() != 1 ||
      dim >= int64_t(sizes->size()) || (*sizes)[dim] != -1)
    return std::nullopt;
  std::optional<int64_t> found;
  int64_t before = 1, after = 1;
  for (auto [index, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      found = index;
    else if (llvm::MulOverflow(before, size, before))
      return std::nullopt;
  for (auto [index, size] : llvm::enumerate(*sizes))
    if (int64_t(index) != dim && llvm::MulOverflow(after, size, after))
      return std::nullopt;
  return before == after && before != 0 ? found : std::nullopt;
}

/// The dimension that a tensor.dim in bounds is of; null if `index` is none.
static Extent readDim(Value index) {
  auto extent = index.getDefiningOp<tensor::DimOp>();
  std::optional<int64_t> dim =
      extent ? extent.getConstantIndex() : std::nullopt;
  auto type = extent ? dyn_cast<RankedTensorType>(extent.getSource().getType())
                     : RankedTensorType();
  if (!dim || !type || *dim < 0 || *dim >= type.getRank())
    return {};
  return {extent.getSource(), *dim};
}

/// The dimension of an operand that `op`, which has no destination, keeps as
/// dimension `dim` of its result; null if there is none.
static Extent findKept(Operation *op, int64_t dim) {
  auto isZero = [&](Value shape, int64_t place) {
    auto numbers = readShape(shape);
    return numbers && place < int64_t(numbers->size()) &&
           (*numbers)[place] == 0;
  };
  if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    if (isa<RankedTensorType>(cast.getSource().getType()))
      return {cast.getSource(), dim};
  } else if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    if (isZeroInteger(pad.getMixedLowPad()[dim]) &&
        isZeroInteger(pad.getMixedHighPad()[dim]))
      return {pad.getSource(), dim};
  } else if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    if (int64_t(concat.getDim()) != dim)
      return {concat.getInputs().front(), dim};
  } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    if (std::optional<int64_t> source = findCollapsed(collapse, dim))
      return {collapse.getSrc(), *source};
  } else if (Value size = getDynamicSize(op, dim)) {
    Extent extent = readDim(size);
    return extent.value ? extent : Extent{size};
  } else if (auto transpose = dyn_cast<tosa::TransposeOp>(op)) {
    return {transpose.getInput1(), transpose.getPerms()[dim]};
  } else if (auto reshape = dyn_cast<tosa::ReshapeOp>(op)) {
    if (std::optional<int64_t> source = findReshaped(reshape, dim))
      return {reshape.getInput1(), *source};
  } else if (auto product = dyn_cast<tosa::MatMulOp>(op)) {
    return {dim == 2 ? product.getB() : product.getA(), dim};
  } else if (auto rows = dyn_cast<tosa::GatherOp>(op)) {
    return {dim == 1 ? rows.getIndices() : rows.getValues(), dim};
  } else if (auto resize = dyn_cast<tosa::ResizeOp>(op)) {
    if (dim == 0 || dim == 3)
      return {resize.getInput(), dim};
  } else if (auto joined = dyn_cast<tosa::ConcatOp>(op)) {
    if (int64_t(joined.getAxis()) != dim)
      return {joined.getInput1().front(), dim};
  } else if (auto slice = dyn_cast<tosa::SliceOp>(op)) {
    auto sizes = readShape(slice.getSize());
    if (sizes && dim < int64_t(sizes->size()) && (*sizes)[dim] == -1 &&
        isZero(slice.getStart(), dim))
      return {slice.getInput1(), dim};
  } else if (auto padded = dyn_cast<tosa::PadOp>(op)) {
    if (isZero(padded.getPadding(), 2 * dim) &&
        isZero(padded.getPadding(), 2 * dim + 1))
      return {padded.getInput1(), dim};
  } else if (op->hasTrait<OpTrait::SameOperandsAndResultShape>() ||
             isa<tosa::IdentityOp, tosa::NegateOp, tosa::RescaleOp,
                 tosa::ReverseOp, tosa::TableOp>(op)) {
    return {op->getOperand(0), dim};
  } else if (isa<tosa::Conv2DOp, tosa::Conv3DOp, tosa::DepthwiseConv2DOp,
                 tosa::TransposeConv2DOp, tosa::AvgPool2dOp, tosa::MaxPool2dOp>(
                 op)) {
    if (dim == 0)
      return {op->getOperand(0), dim};
  } else if (isa<tosa::ReduceSumOp, tosa::ReduceMaxOp, tosa::ReduceMinOp,
                 tosa::ReduceProductOp>(op)) {
    if (op->getAttrOfType<IntegerAttr>("axis").getInt() != dim)
      return {op->getOperand(0), dim};
  }
  return {};
}

namespace {
class ExtentFinder {
public:
  Extent find(Value value, int64_t dim) {
    while (auto result = dyn_cast<OpResult>(value)) {
      Operation *op = result.getOwner();
      if (++steps > kMaxDims)
        break;
      Extent kept;
      if (auto written = dyn_cast<DestinationStyleOpInterface>(op))
        kept = {written.getTiedOpOperand(result)->get(), dim};
      else if (op->hasTrait<OpTrait::ResultsBroadcastableShape>() ||
               op->hasTrait<OpTrait::Elementwise>() || isa<tosa::MulOp>(op))
        kept = findBroadcast(result, dim);
      else
        kept = findKept(op, dim);
      if (!kept.value || kept.dim < 0)
        return kept.value ? kept : Extent{value, dim};
      value = kept.value;
      dim = kept.dim;
    }
    return {value, dim};
  }

private:
  /// Of the operands of an elementwise op, what all have that don't have 1.
  Extent findBroadcast(OpResult result, int64_t dim) {
    auto [known, isNew] = broadcasts.try_emplace({result, dim});
    if (!isNew)
      return known->second;
    auto type = dyn_cast<RankedTensorType>(result.getType());
    Extent found;
    for (Value operand : result.getOwner()->getOperands()) {
      if (isa<UnrankedTensorType>(operand.getType()))
        return {};
      auto other = dyn_cast<RankedTensorType>(operand.getType());
      // The shift of a tosa.mul.
      if (!type || !other || other.getRank() != type.getRank() ||
          other.getDimSize(dim) == 1)
        continue;
      Extent extent = find(operand, dim);
      if (found.value && !(found == extent))
        return {};
      found = extent;
    }
    broadcasts[{result, dim}] = found;
    return found;
  }

  llvm::DenseMap<std::pair<Value, int64_t>, Extent> broadcasts;
  unsigned steps = 0;
};
} // namespace

Extent qbackend::findExtent(Value value, int64_t dim) {
  return ExtentFinder().find(value, dim);
}

Extent qbackend::findExtent(Value index) {
  Extent extent = readDim(index);
  return extent.value ? findExtent(extent.value, extent.dim) : Extent{index};
}

bool qbackend::isExtent(OpFoldResult size, Value value, int64_t dim) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.isDynamicDim(dim))
    return getConstantIntValue(size) == type.getDimSize(dim);
  auto index = dyn_cast<Value>(size);
  return index && findExtent(index) == findExtent(value, dim);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sliding windows of linalg ops, and the padding in front of them.

#include "Reading/Windows.h"
#include "Reading/Layout.h"
#include "Reading/TosaOperands.h"

#include "qbackend/Operators/Extent.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

//===----------------------------------------------------------------------===//
// Windows and padding
//===----------------------------------------------------------------------===//

/// A loop and what it is multiplied by.
static std::optional<std::pair<unsigned, int64_t>> getTerm(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return std::pair(dim.getPosition(), int64_t(1));
  auto product = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!product || product.getKind() != AffineExprKind::Mul)
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(product.getLHS());
  auto factor = dyn_cast<AffineConstantExpr>(product.getRHS());
  if (!dim || !factor || factor.getValue() < 1)
    return std::nullopt;
  return std::pair(dim.getPosition(), factor.getValue());
}

bool forms::isMultiplyAccumulate(linalg::LinalgOp op,
                                 ScalarExpressions &expressions) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op->getNumResults() != 1)
    return false;
  for (Value operand : op->getOperands())
    if (!getFloatType(operand))
      return false;
  const Scalar *sum = expressions.read(op);
  if (!sum || sum->kind != ScalarKind::Add)
    return false;
  const Scalar *product = sum->a->kind == ScalarKind::Init ? sum->b : sum->a;
  const Scalar *init = sum->a->kind == ScalarKind::Init ? sum->a : sum->b;
  if (init->kind != ScalarKind::Init || product->kind != ScalarKind::Mul ||
      product->a->kind != ScalarKind::Operand ||
      product->b->kind != ScalarKind::Operand)
    return false;
  Value input = op.getDpsInputOperand(0)->get();
  Value filter = op.getDpsInputOperand(1)->get();
  return (product->a->value == input && product->b->value == filter) ||
         (product->b->value == input && product->a->value == filter);
}

void Windows::addUnitWindow(unsigned position, bool kernelLoop) {
  const unsigned *it = llvm::lower_bound(positions, position);
  unsigned index = it - positions.begin();
  std::optional<unsigned> loop = std::exchange(loops[position], std::nullopt);
  positions.insert(positions.begin() + index, position);
  outputLoops.insert(outputLoops.begin() + index,
                     kernelLoop ? std::nullopt : loop);
  kernelLoops.insert(kernelLoops.begin() + index,
                     kernelLoop ? loop : std::nullopt);
  strides.insert(strides.begin() + index, 1);
  dilations.insert(dilations.begin() + index, 1);
}

std::optional<Windows> forms::getWindows(linalg::LinalgOp op,
                                         unsigned operand) {
  Windows windows;
  auto iterators = op.getIteratorTypesArray();
  OpOperand *input = op.getDpsInputOperand(operand);
  AffineMap map = op.getMatchingIndexingMap(input);
  auto type = dyn_cast<RankedTensorType>(skipCasts(input->get()).getType());
  if (!type || map.getNumResults() != type.getRank())
    return std::nullopt;
  for (auto [index, expr] : llvm::enumerate(map.getResults())) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      windows.loops.push_back(dim.getPosition());
      continue;
    }
    windows.loops.push_back(std::nullopt);
    auto number = dyn_cast<AffineConstantExpr>(expr);
    if (number && number.getValue() == 0 && type.getDimSize(index) == 1)
      continue;
    std::optional<std::pair<unsigned, int64_t>> output, kernel;
    auto addTerm = [&](AffineExpr part) {
      auto term = getTerm(part);
      if (!term)
        return false;
      bool isOutput = iterators[term->first] == utils::IteratorType::parallel;
      auto &place = isOutput ? output : kernel;
      return !std::exchange(place, term);
    };
    auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
    bool isSum = sum && sum.getKind() == AffineExprKind::Add;
    if (!(isSum ? addTerm(sum.getLHS()) && addTerm(sum.getRHS())
                : addTerm(expr)))
      return std::nullopt;
    auto getLoop = [](auto term) {
      return term ? std::optional(term->first) : std::nullopt;
    };
    windows.positions.push_back(index);
    windows.outputLoops.push_back(getLoop(output));
    windows.kernelLoops.push_back(getLoop(kernel));
    windows.strides.push_back(output ? output->second : 1);
    windows.dilations.push_back(kernel ? kernel->second : 1);
  }
  return windows;
}

/// `low` and `high` amounts of all dimensions as the padding of the spatial
/// ones; false if others are padded, or not by known amounts of 0 or more.
static bool setPadding(ArrayRef<OpFoldResult> low, ArrayRef<OpFoldResult> high,
                       ArrayRef<unsigned> spatial, PaddedValue &padded) {
  padded.padding.assign(2 * spatial.size(), 0);
  for (unsigned dim = 0; dim < low.size(); ++dim) {
    std::optional<int64_t> before = getConstantIntValue(low[dim]);
    std::optional<int64_t> after = getConstantIntValue(high[dim]);
    if (!before || !after || *before < 0 || *after < 0)
      return false;
    const unsigned *it = llvm::find(spatial, dim);
    if (it == spatial.end() && (*before != 0 || *after != 0))
      return false;
    if (it == spatial.end())
      continue;
    padded.padding[2 * (it - spatial.begin())] = *before;
    padded.padding[2 * (it - spatial.begin()) + 1] = *after;
  }
  return true;
}

bool forms::isWholeDimension(tensor::InsertSliceOp insert, unsigned dim) {
  return getConstantIntValue(insert.getMixedOffsets()[dim]) == 0 &&
         isExtent(insert.getMixedSizes()[dim], insert.getDest(), dim);
}

bool forms::isWholeDimension(tensor::ExtractSliceOp extract, unsigned dim) {
  return getConstantIntValue(extract.getMixedOffsets()[dim]) == 0 &&
         isExtent(extract.getMixedSizes()[dim], extract.getSource(), dim);
}

std::optional<InsertedPart>
forms::getInsertedPart(tensor::InsertSliceOp insert) {
  RankedTensorType source = insert.getSourceType(), dest = insert.getDestType();
  if (!insert.hasUnitStride() || source.getRank() != dest.getRank())
    return std::nullopt;
  InsertedPart part;
  for (auto [dim, offset] : llvm::enumerate(insert.getMixedOffsets())) {
    std::optional<int64_t> low = getConstantIntValue(offset);
    bool isDynamic = source.isDynamicDim(dim) || dest.isDynamicDim(dim);
    if (!low || (isDynamic && !isWholeDimension(insert, dim)))
      return std::nullopt;
    part.low.push_back(*low);
    part.high.push_back(
        isDynamic ? 0 : dest.getDimSize(dim) - source.getDimSize(dim) - *low);
  }
  return part;
}

namespace {
/// A part of a value.
struct Slice {
  Value source;
  SmallVector<int64_t> start;
};
} // namespace

/// The slice without steps that `op` is, of all or a known part of each
/// dimension.
static std::optional<Slice> getSlice(Operation *op) {
  Slice slice;
  if (auto extract = dyn_cast_or_null<tensor::ExtractSliceOp>(op)) {
    if (!extract.hasUnitStride())
      return std::nullopt;
    slice.source = extract.getSource();
    for (OpFoldResult offset : extract.getMixedOffsets())
      slice.start.push_back(getConstantIntValue(offset).value_or(-1));
  } else if (auto cut = dyn_cast_or_null<tosa::SliceOp>(op)) {
    auto start = readShape(cut.getStart());
    if (!start)
      return std::nullopt;
    slice.source = cut.getInput1();
    slice.start = *start;
  } else {
    return std::nullopt;
  }
  auto type = getFloatType(slice.source);
  auto resultType = getFloatType(op->getResult(0));
  if (!type || !resultType || type.getRank() != resultType.getRank() ||
      int64_t(slice.start.size()) != type.getRank() ||
      llvm::any_of(slice.start, [](int64_t start) { return start < 0; }))
    return std::nullopt;
  return slice;
}

std::optional<Crop> forms::getCrop(Operation *op) {
  auto slice = getSlice(op);
  if (!slice)
    return std::nullopt;
  Crop crop{slice->source, {}};
  auto type = getFloatType(slice->source);
  auto resultType = getFloatType(op->getResult(0));
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t size = type.getDimSize(dim), kept = resultType.getDimSize(dim);
    // A batch of any size: the whole of it, or not known.
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(kept)) {
      auto extract = dyn_cast<tensor::ExtractSliceOp>(op);
      if (size != kept || slice->start[dim] != 0 ||
          (extract && !isWholeDimension(extract, dim)))
        return std::nullopt;
      crop.amounts.emplace_back(0, 0);
      continue;
    }
    crop.amounts.emplace_back(slice->start[dim],
                              size - kept - slice->start[dim]);
    if (crop.amounts.back().second < 0)
      return std::nullopt;
  }
  return crop;
}

PaddedValue forms::skipPadding(Value value, ArrayRef<unsigned> spatial,
                               ConstantEvaluator &constants) {
  PaddedValue unpadded{value, SmallVector<int64_t>(2 * spatial.size(), 0),
                       std::nullopt};
  Operation *op = getProducer(value);
  PaddedValue padded = unpadded;
  if (auto pad = dyn_cast_or_null<tensor::PadOp>(op)) {
    Value number = pad.getConstantPaddingValue();
    padded.value = pad.getSource();
    if (number)
      padded.number = constants.getSplat(number);
    if (padded.number && setPadding(pad.getMixedLowPad(), pad.getMixedHighPad(),
                                    spatial, padded))
      return padded;
    return unpadded;
  }
  if (auto pad = dyn_cast_or_null<tosa::PadOp>(op)) {
    auto amounts = readShape(pad.getPadding());
    if (!amounts || amounts->size() % 2 != 0)
      return unpadded;
    padded.value = pad.getInput1();
    padded.number = constants.getSplat(pad.getPadConst());
    Builder builder(pad.getContext());
    SmallVector<OpFoldResult> low, high;
    for (size_t i = 0; i < amounts->size(); i += 2) {
      low.push_back(builder.getIndexAttr((*amounts)[i]));
      high.push_back(builder.getIndexAttr((*amounts)[i + 1]));
    }
    if (padded.number && setPadding(low, high, spatial, padded))
      return padded;
    return unpadded;
  }
  auto insert = dyn_cast_or_null<tensor::InsertSliceOp>(op);
  std::optional<InsertedPart> part =
      insert ? getInsertedPart(insert) : std::nullopt;
  if (!part)
    return unpadded;
  padded.value = insert.getSource();
  padded.number = getFill(insert.getDest(), constants);
  if (padded.number &&
      setPadding(getAsIndexOpFoldResult(insert.getContext(), part->low),
                 getAsIndexOpFoldResult(insert.getContext(), part->high),
                 spatial, padded))
    return padded;
  return unpadded;
}

bool forms::isWindowSum(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  return op && op.getNumReductionLoops() > 0 && op.getNumDpsInputs() == 2 &&
         op.getBlock()->getArgument(1).use_empty() &&
         isa_and_nonnull<arith::AddFOp>(
             op.getBlock()->getTerminator()->getOperand(0).getDefiningOp());
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sliding windows of linalg ops, and the padding in front of them.

#include "Linalg/LinalgRecognizers.h"

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

std::optional<Windows> forms::getWindows(linalg::LinalgOp op) {
  Windows windows;
  auto iterators = op.getIteratorTypesArray();
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  for (auto [index, expr] : llvm::enumerate(map.getResults())) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      windows.loops.push_back(dim.getPosition());
      continue;
    }
    auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!sum || sum.getKind() != AffineExprKind::Add)
      return std::nullopt;
    auto output = getTerm(sum.getLHS()), kernel = getTerm(sum.getRHS());
    if (!output || !kernel)
      return std::nullopt;
    if (iterators[output->first] == utils::IteratorType::reduction)
      std::swap(output, kernel);
    if (iterators[output->first] != utils::IteratorType::parallel ||
        iterators[kernel->first] != utils::IteratorType::reduction)
      return std::nullopt;
    windows.loops.push_back(std::nullopt);
    windows.positions.push_back(index);
    windows.outputLoops.push_back(output->first);
    windows.kernelLoops.push_back(kernel->first);
    windows.strides.push_back(output->second);
    windows.dilations.push_back(kernel->second);
  }
  if (windows.positions.size() != 2)
    return std::nullopt;
  return windows;
}

/// `low` and `high` amounts of all dimensions as the padding of the spatial
/// ones; false if others are padded, or not by known amounts of 0 or more.
static bool setPadding(ArrayRef<OpFoldResult> low, ArrayRef<OpFoldResult> high,
                       ArrayRef<unsigned> spatial, PaddedValue &padded) {
  padded.padding.assign(4, 0);
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

PaddedValue forms::skipPadding(Value value, ArrayRef<unsigned> spatial,
                               ConstantEvaluator &constants) {
  PaddedValue unpadded{value, {0, 0, 0, 0}, std::nullopt};
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
  auto insert = dyn_cast_or_null<tensor::InsertSliceOp>(op);
  if (!insert || !insert.hasUnitStride())
    return unpadded;
  RankedTensorType source = insert.getSourceType(), dest = insert.getDestType();
  if (source.getRank() != dest.getRank() || !source.hasStaticShape() ||
      !dest.hasStaticShape())
    return unpadded;
  padded.value = insert.getSource();
  padded.number = getFill(insert.getDest(), constants);
  Builder builder(insert.getContext());
  SmallVector<OpFoldResult> high;
  for (auto [dim, offset] : llvm::enumerate(insert.getMixedOffsets())) {
    std::optional<int64_t> low = getConstantIntValue(offset);
    if (!low)
      return unpadded;
    high.push_back(builder.getIndexAttr(dest.getDimSize(dim) -
                                        source.getDimSize(dim) - *low));
  }
  if (padded.number &&
      setPadding(insert.getMixedOffsets(), high, spatial, padded))
    return padded;
  return unpadded;
}

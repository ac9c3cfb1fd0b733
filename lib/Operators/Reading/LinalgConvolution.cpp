// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions of linalg by what they access: named ops of all layouts,
// depthwise, grouped, and their generic forms.

#include "Reading/ConvolutionAccess.h"
#include "Reading/Windows.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// The loop of each dimension of a value with `shape`; none where it is read at
/// 0. Nullopt for other accesses.
static std::optional<SmallVector<AxisList>> getLoops(AffineMap map,
                                                     ArrayRef<int64_t> shape) {
  SmallVector<AxisList> loops;
  if (map.getNumResults() != shape.size())
    return std::nullopt;
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), shape)) {
    AxisList &dim = loops.emplace_back();
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      dim.push_back(loop.getPosition());
    else if (size != 1)
      return std::nullopt;
  }
  return loops;
}

static std::optional<ConvolutionAccess> readAccess(linalg::LinalgOp op,
                                                   unsigned inputOperand) {
  auto windows = getWindows(op, inputOperand);
  if (!windows)
    return std::nullopt;
  OpOperand *input = op.getDpsInputOperand(inputOperand);
  OpOperand *filter = op.getDpsInputOperand(1 - inputOperand);
  OpOperand *init = op.getDpsInitOperand(0);
  // Casts hide sizes.
  auto getShape = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(skipCasts(value).getType());
    return type ? type.getShape() : ArrayRef<int64_t>();
  };
  ArrayRef<int64_t> filterShape = getShape(filter->get());
  ArrayRef<int64_t> resultShape =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  auto filterLoops = getLoops(op.getMatchingIndexingMap(filter), filterShape);
  auto resultLoops = getLoops(op.getMatchingIndexingMap(init), resultShape);
  if (!filterLoops || !resultLoops)
    return std::nullopt;

  ConvolutionAccess access;
  access.op = op;
  access.input = input->get();
  access.filter = filter->get();
  access.init = init->get();
  access.filterLoops = *filterLoops;
  access.resultLoops = *resultLoops;
  access.loopSizes.assign(op.getNumLoops(), ShapedType::kDynamic);
  auto setSizes = [&](ArrayRef<AxisList> loops, ArrayRef<int64_t> shape) {
    for (auto [dim, size] : llvm::zip_equal(loops, shape))
      if (!dim.empty() && !ShapedType::isDynamic(size))
        access.loopSizes[dim[0]] = size;
  };
  setSizes(*resultLoops, resultShape);
  setSizes(*filterLoops, filterShape);
  unsigned spatial = 0;
  for (auto [dim, loop] : llvm::enumerate(windows->loops)) {
    InputAxis &axis = access.inputAxes.emplace_back();
    axis.loop = loop;
    if (!windows->isSpatial(dim))
      continue;
    axis.isWindow = true;
    axis.loop = windows->outputLoops[spatial];
    axis.kernelLoop = windows->kernelLoops[spatial];
    axis.stride = windows->strides[spatial];
    axis.dilation = windows->dilations[spatial++];
  }
  return access;
}

std::vector<ConvolutionAccess>
forms::readLinalgConvolution(Operation *op, ScalarExpressions &expressions) {
  std::vector<ConvolutionAccess> found;
  auto structured = dyn_cast_or_null<linalg::LinalgOp>(op);
  if (!structured || !isMultiplyAccumulate(structured, expressions))
    return found;
  for (unsigned input : {0, 1})
    if (auto access = readAccess(structured, input))
      found.push_back(std::move(*access));
  return found;
}

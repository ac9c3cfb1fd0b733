// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kinds with parameters that count only the dimensions that are not 1.

#include "KindAnswers.h"

using namespace mlir;
using namespace qbackend;

static SmallVector<int64_t> getShownSizes(RankedTensorType type) {
  SmallVector<int64_t> sizes(type.getShape());
  llvm::erase(sizes, 1);
  return sizes;
}

int64_t qbackend::detail::getShownDim(RankedTensorType type, int64_t dim) {
  return llvm::count_if(type.getShape().take_front(dim),
                        [](int64_t size) { return size != 1; });
}

DenseI64ArrayAttr qbackend::detail::getShownDims(RankedTensorType type,
                                                 DenseI64ArrayAttr dims) {
  SmallVector<int64_t> shown;
  for (int64_t dim : dims.asArrayRef())
    if (type.getDimSize(dim) != 1)
      shown.push_back(getShownDim(type, dim));
  return DenseI64ArrayAttr::get(type.getContext(), shown);
}

DenseI64ArrayAttr
qbackend::detail::getShownNumbers(const OperatorOperands &operands,
                                  DenseI64ArrayAttr numbers) {
  RankedTensorType from = operands.inputs.front(), to = operands.output;
  if (from.getRank() != numbers.size() || to.getRank() != numbers.size())
    return numbers;
  SmallVector<int64_t> shown;
  for (auto [i, number] : llvm::enumerate(numbers.asArrayRef()))
    if (from.getDimSize(i) != 1 || to.getDimSize(i) != 1)
      shown.push_back(number);
  return DenseI64ArrayAttr::get(numbers.getContext(), shown);
}

Attribute qbackend::detail::getShownReshape(DenseI64ArrayAttr permutation,
                                            const OperatorOperands &operands) {
  RankedTensorType type = operands.inputs.front();
  MLIRContext *context = type.getContext();
  DenseI64ArrayAttr shown;
  if (permutation)
    shown = getShownDims(type, permutation);
  if (!shown || llvm::is_sorted(shown.asArrayRef()))
    return ReshapeAttr::get(context, {});
  SmallVector<int64_t> sizes = getShownSizes(type), permuted;
  for (int64_t dim : shown.asArrayRef())
    permuted.push_back(sizes[dim]);
  if (permuted == getShownSizes(operands.output))
    return TransposeAttr::get(context, shown);
  return ReshapeAttr::get(context, shown);
}

Attribute qbackend::detail::getShownMean(MeanAttr mean,
                                         const OperatorOperands &operands) {
  RankedTensorType input = operands.inputs.front();
  MLIRContext *context = mean.getContext();
  // The pool to one pixel, which is the same sum.
  if (input.getRank() == 4 &&
      mean.getAxes().asArrayRef() == ArrayRef<int64_t>{1, 2})
    return AdaptiveAvgPool2dAttr::get(context,
                                      DenseI64ArrayAttr::get(context, {1, 1}));
  return MeanAttr::get(context, getShownDims(input, mean.getAxes()),
                       /*keepdim=*/false);
}

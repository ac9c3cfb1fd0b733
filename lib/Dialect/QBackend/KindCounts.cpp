// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much arithmetic an operator does, by kind and shapes.

#include "KindAnswers.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace qbackend;

int64_t qbackend::addCounts(int64_t a, int64_t b) {
  return llvm::checkedAdd(a, b).value_or(kLargestCount);
}

int64_t qbackend::multiplyCounts(int64_t a, int64_t b) {
  return llvm::checkedMul(a, b).value_or(kLargestCount);
}

int64_t qbackend::countElements(ArrayRef<int64_t> shape) {
  // An empty tensor is empty, however large its other extents.
  if (llvm::is_contained(shape, 0))
    return 0;
  int64_t count = 1;
  for (int64_t size : shape)
    count = multiplyCounts(count, ShapedType::isDynamic(size) ? 1 : size);
  return count;
}

static OperationCounts countProducts(int64_t results, int64_t products) {
  int64_t count = multiplyCounts(results, products);
  return {count, multiplyCounts(2, count)};
}

static ArrayRef<int64_t> getWeightShape(const OperatorOperands &operands) {
  if (!operands.weight)
    return {};
  return cast<RankedTensorType>(operands.weight.getType()).getShape();
}

OperationCounts
qbackend::detail::countResults(const OperatorOperands &operands) {
  return {0, countElements(operands.output.getShape())};
}

OperationCounts
qbackend::detail::countInputs(const OperatorOperands &operands) {
  return {0, countElements(operands.inputs.front().getShape())};
}

OperationCounts qbackend::detail::countWindows(const OperatorOperands &operands,
                                               DenseI64ArrayAttr window) {
  return {0, multiplyCounts(countElements(operands.output.getShape()),
                            countElements(window.asArrayRef()))};
}

OperationCounts
qbackend::detail::countConvolution(ConvolutionKindAttrInterface kind,
                                   const OperatorOperands &operands) {
  ArrayRef<int64_t> weight = getWeightShape(operands);
  if (weight.empty())
    return {};
  // Each element of a result is made of one element of the weight for each
  // tap; transposed, each element of the input is taken to as many.
  if (!kind.isTransposed())
    return countProducts(countElements(operands.output.getShape()),
                         countElements(weight.drop_front()));
  return countProducts(countElements(operands.inputs.front().getShape()),
                       countElements(weight.drop_back()) /
                           std::max<int64_t>(kind.getGroupCount(), 1));
}

OperationCounts
qbackend::detail::countLinear(const OperatorOperands &operands) {
  ArrayRef<int64_t> weight = getWeightShape(operands);
  if (weight.empty())
    return {};
  return countProducts(countElements(operands.output.getShape()),
                       countElements(weight.take_back()));
}

OperationCounts
qbackend::detail::countMatmul(const OperatorOperands &operands) {
  ArrayRef<int64_t> left = operands.inputs.front().getShape();
  return countProducts(countElements(operands.output.getShape()),
                       countElements(left.take_back()));
}

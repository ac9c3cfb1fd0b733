// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of TOSA ops: shapes, and slices in front.

#include "Reading/TosaOperands.h"

#include "Reading/Expressions/ScalarExpression.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

std::optional<SmallVector<int64_t>> forms::readShape(Value value) {
  auto shape = value.getDefiningOp<tosa::ConstShapeOp>();
  auto elements = shape ? dyn_cast<DenseIntElementsAttr>(shape.getValues())
                        : DenseIntElementsAttr();
  if (!elements)
    return std::nullopt;
  SmallVector<int64_t> result;
  for (const APInt &number : elements.getValues<APInt>())
    result.push_back(number.getSExtValue());
  return result;
}

Value forms::skipTrim(Value value, ArrayRef<int64_t> stride,
                      ArrayRef<int64_t> padding) {
  auto slice = value.getDefiningOp<tosa::SliceOp>();
  if (!slice)
    return value;
  auto start = readShape(slice.getStart());
  auto type = getFloatType(slice.getInput1());
  auto resultType = getFloatType(value);
  if (!start || llvm::any_of(*start, [](int64_t i) { return i != 0; }) ||
      !type || type.getRank() != 4 || !type.hasStaticShape() || !resultType ||
      !resultType.hasStaticShape())
    return value;
  for (int64_t dim = 0; dim < 4; ++dim) {
    int64_t cut = type.getDimSize(dim) - resultType.getDimSize(dim);
    if (cut == 0)
      continue;
    // The windows end with the last row that is left: fewer rows than a stride
    // after it are used by none. Padding would be read instead of them.
    bool spatial = dim == 1 || dim == 2;
    if (!spatial || cut >= stride[dim - 1] || padding[2 * (dim - 1) + 1] != 0)
      return value;
  }
  return slice.getInput1();
}

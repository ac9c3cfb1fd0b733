// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of TOSA ops: shapes, and slices in front.

#include "Reading/TosaOperands.h"

#include "Reading/Windows.h"

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
  std::optional<Crop> crop = slice ? getCrop(slice) : std::nullopt;
  if (!crop || crop->amounts.size() != 4)
    return value;
  for (auto [dim, amount] : llvm::enumerate(crop->amounts)) {
    auto [before, cut] = amount;
    if (before == 0 && cut == 0)
      continue;
    // The windows end with the last row that is left: fewer rows than a stride
    // after it are used by none. Padding would be read instead of them.
    bool spatial = dim == 1 || dim == 2;
    if (!spatial || before != 0 || cut >= stride[dim - 1] ||
        padding[2 * (dim - 1) + 1] != 0)
      return value;
  }
  return slice.getInput1();
}

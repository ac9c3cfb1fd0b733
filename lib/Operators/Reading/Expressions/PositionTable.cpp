// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of numbers, and what computes them.

#include "Reading/Expressions/PositionTable.h"

#include "Reading/Expressions/ScalarExpression.h"
#include "qbackend/Operators/ScalarProgram.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

void forms::forEachPosition(ArrayRef<int64_t> sizes,
                            llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
  if (llvm::is_contained(sizes, 0))
    return;
  SmallVector<int64_t> position(sizes.size(), 0);
  while (true) {
    visit(position);
    int64_t dim = int64_t(sizes.size()) - 1;
    for (; dim >= 0 && ++position[dim] == sizes[dim]; --dim)
      position[dim] = 0;
    if (dim < 0)
      return;
  }
}

double PositionTable::at(ArrayRef<int64_t> position) const {
  int64_t offset = 0;
  for (auto [size, index] : llvm::zip_equal(sizes, position))
    offset = offset * size + (size == 1 ? 0 : index);
  return numbers[offset];
}

std::optional<double> PositionTable::getNumber() const {
  if (numbers.empty() || !llvm::all_equal(numbers))
    return std::nullopt;
  return numbers.front();
}

std::optional<PositionTable>
PositionTable::project(ArrayRef<unsigned> loops) const {
  PositionTable result;
  int64_t count = 1;
  for (unsigned loop : loops) {
    result.sizes.push_back(sizes[loop]);
    count *= sizes[loop];
  }
  result.numbers.assign(count, std::nan(""));
  bool varies = numbers.empty();
  int64_t next = 0;
  forEachPosition(sizes, [&](ArrayRef<int64_t> position) {
    int64_t offset = 0;
    for (unsigned loop : loops)
      offset = offset * sizes[loop] + position[loop];
    double number = numbers[next++], &known = result.numbers[offset];
    if (std::isnan(known))
      known = number;
    varies |= known != number;
  });
  return varies ? std::nullopt : std::optional(result);
}

PositionTable
PositionTable::combine(const PositionTable &lhs, const PositionTable &rhs,
                       llvm::function_ref<double(double, double)> function) {
  PositionTable result;
  if (lhs.sizes.size() != rhs.sizes.size())
    return result;
  int64_t count = 1;
  for (auto [a, b] : llvm::zip_equal(lhs.sizes, rhs.sizes)) {
    result.sizes.push_back(std::max(a, b));
    count *= result.sizes.back();
    if ((a != b && a != 1 && b != 1) || count > kMaxSize)
      return {};
  }
  result.numbers.reserve(count);
  forEachPosition(result.sizes, [&](ArrayRef<int64_t> position) {
    result.numbers.push_back(function(lhs.at(position), rhs.at(position)));
  });
  return result;
}

std::optional<PositionTable> forms::readConstant(Value value, AffineMap map,
                                                 ConstantEvaluator &constants) {
  if (std::optional<double> number = constants.getSplat(value))
    return PositionTable(map.getNumDims(), *number);
  auto type = getFloatType(value);
  if (!type || !type.hasStaticShape() || type.getNumElements() == 0 ||
      type.getNumElements() > PositionTable::kMaxSize ||
      !constants.isConstant(value))
    return std::nullopt;
  DenseElementsAttr elements = constants.evaluate(value);
  if (!elements || !elements.getElementType().isF32())
    return std::nullopt;
  // The table over the dimensions of the constant, then over the loops.
  PositionTable result(map.getNumDims(), 0);
  SmallVector<int64_t> strides(map.getNumDims(), 0);
  int64_t stride = 1;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    int64_t size = type.getDimSize(dim);
    if (size != 1) {
      auto expr = dyn_cast<AffineDimExpr>(map.getResult(dim));
      if (!expr || strides[expr.getPosition()] != 0)
        return std::nullopt;
      strides[expr.getPosition()] = stride;
      result.sizes[expr.getPosition()] = size;
    }
    stride *= size;
  }
  auto numbers = llvm::to_vector(elements.getValues<float>());
  result.numbers.clear();
  forEachPosition(result.sizes, [&](ArrayRef<int64_t> position) {
    int64_t offset = 0;
    for (auto [index, step] : llvm::zip_equal(position, strides))
      offset += index * step;
    result.numbers.push_back(numbers[offset]);
  });
  return result;
}

std::optional<PositionTable>
forms::computePositions(linalg::LinalgOp op, Value value,
                        ConstantEvaluator &constants) {
  std::optional<ScalarProgram> program = constants.readScalar(value);
  if (!program)
    return std::nullopt;
  PositionTable table;
  int64_t count = 1;
  for (auto [loop, size] : llvm::enumerate(op.getStaticLoopRanges())) {
    table.sizes.push_back(program->dependsOn(loop) ? size : 1);
    if (table.sizes.back() < 1 || table.sizes.back() > PositionTable::kMaxSize)
      return std::nullopt;
    count *= table.sizes.back();
    if (count > PositionTable::kMaxSize)
      return std::nullopt;
  }
  table.numbers.reserve(count);
  bool isComplete =
      program->evaluateAll(table.sizes, [&](ArrayRef<ScalarNumber> numbers) {
        for (ScalarNumber number : numbers)
          table.numbers.push_back(number.toDouble(program->getType()));
      });
  // What isn't a number anywhere has no meaning that could be relied on.
  if (!isComplete || !llvm::all_of(table.numbers, [](double number) {
        return std::isfinite(number);
      }))
    return std::nullopt;
  return table;
}

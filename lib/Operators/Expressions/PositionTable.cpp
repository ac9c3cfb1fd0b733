// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates index arithmetic over all positions.

#include "Expressions/PositionTable.h"

#include "Expressions/ScalarExpression.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <numeric>

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

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

using Binary = double (*)(double, double);

template <int64_t (*divide)(int64_t, int64_t)>
static double divideIntegers(double a, double b) {
  return b == 0 ? std::nan("") : double(divide(int64_t(a), int64_t(b)));
}
static int64_t divideTruncating(int64_t a, int64_t b) { return a / b; }
static int64_t getRemainder(int64_t a, int64_t b) { return a % b; }
static int64_t divideFloor(int64_t a, int64_t b) {
  return llvm::divideFloorSigned(a, b);
}
static int64_t divideCeil(int64_t a, int64_t b) {
  return llvm::divideCeilSigned(a, b);
}

static Binary getComparison(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return [](double a, double b) { return double(a == b); };
  case arith::CmpIPredicate::ne:
    return [](double a, double b) { return double(a != b); };
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return [](double a, double b) { return double(a < b); };
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return [](double a, double b) { return double(a <= b); };
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return [](double a, double b) { return double(a > b); };
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return [](double a, double b) { return double(a >= b); };
  }
  return nullptr;
}

/// True if `op` reads its operands as integers without a sign. It is known what
/// such ops do as long as nothing is negative.
static bool isUnsigned(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return compare.getPredicate() >= arith::CmpIPredicate::ult;
  return isa<arith::DivUIOp, arith::RemUIOp, arith::MinUIOp, arith::MaxUIOp>(
      op);
}

static Binary getFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, Binary>(op)
      .Case<arith::AddIOp, arith::AddFOp>(
          [](auto) { return [](double a, double b) { return a + b; }; })
      .Case<arith::SubIOp, arith::SubFOp>(
          [](auto) { return [](double a, double b) { return a - b; }; })
      .Case<arith::MulIOp, arith::MulFOp, arith::AndIOp>([](Operation *op) {
        // Of truth values only.
        bool isTruth = op->getResult(0).getType().isInteger(1);
        return isTruth == isa<arith::AndIOp>(op)
                   ? [](double a, double b) { return a * b; }
                   : Binary();
      })
      .Case<arith::DivFOp>([](auto) {
        return [](double a, double b) { return b == 0 ? std::nan("") : a / b; };
      })
      .Case<arith::MinSIOp, arith::MinUIOp>([](auto) {
        return [](double a, double b) { return std::min(a, b); };
      })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([](auto) {
        return [](double a, double b) { return std::max(a, b); };
      })
      .Case<arith::DivSIOp, arith::DivUIOp>(
          [](auto) { return divideIntegers<divideTruncating>; })
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [](auto) { return divideIntegers<getRemainder>; })
      .Case<arith::FloorDivSIOp>(
          [](auto) { return divideIntegers<divideFloor>; })
      .Case<arith::CeilDivSIOp>([](auto) { return divideIntegers<divideCeil>; })
      .Case<arith::CmpIOp>([](arith::CmpIOp compare) {
        return getComparison(compare.getPredicate());
      })
      .Default([](auto) { return Binary(); });
}

std::optional<PositionTable> PositionEvaluator::compute(Value value,
                                                        unsigned depth) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != op.getBlock())
      return std::nullopt;
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (!operand || op.isDpsInit(operand) ||
        !isa<RankedTensorType>(operand->get().getType()))
      return std::nullopt;
    return readConstant(operand->get(), op.getMatchingIndexingMap(operand),
                        constants);
  }
  Operation *inner = value.getDefiningOp();
  if (inner->getNumResults() != 1 || !value.getType().isIntOrIndexOrFloat())
    return std::nullopt;
  if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
    if (inner->getParentOp() != op)
      return std::nullopt;
    int64_t size = loops[index.getDim()];
    if (ShapedType::isDynamic(size) || size < 1 ||
        size > PositionTable::kMaxSize)
      return std::nullopt;
    PositionTable table(loops.size(), 0);
    table.sizes[index.getDim()] = size;
    table.numbers.resize(size);
    std::iota(table.numbers.begin(), table.numbers.end(), 0.0);
    return table;
  }
  if (auto dim = dyn_cast<tensor::DimOp>(inner)) {
    auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!type || !index || *index < 0 || *index >= type.getRank() ||
        type.isDynamicDim(*index))
      return std::nullopt;
    return PositionTable(loops.size(), type.getDimSize(*index));
  }
  if (std::optional<double> number = constants.getSplat(value))
    return PositionTable(loops.size(), *number);

  SmallVector<const PositionTable *> operands;
  if (inner->getNumOperands() == 0 || inner->getNumOperands() > 3)
    return std::nullopt;
  for (Value operand : inner->getOperands()) {
    operands.push_back(evaluate(operand, depth - 1));
    if (!operands.back())
      return std::nullopt;
    if (isUnsigned(inner) &&
        llvm::any_of(operands.back()->numbers, [](double n) { return n < 0; }))
      return std::nullopt;
  }
  PositionTable result;
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp, arith::SIToFPOp,
          arith::TruncFOp, arith::ExtFOp>(inner))
    // Of truth values, the extension is negative.
    return inner->getOperand(0).getType().isInteger(1) ||
                   value.getType().isInteger(1)
               ? std::nullopt
               : std::optional(*operands[0]);
  if (isa<arith::SelectOp>(inner)) {
    auto one = [](double a, double b) { return a != 0 ? b : 0; };
    auto other = [](double a, double b) { return a != 0 ? 0 : b; };
    result = PositionTable::combine(
        PositionTable::combine(*operands[0], *operands[1], one),
        PositionTable::combine(*operands[0], *operands[2], other),
        std::plus<>());
  } else if (Binary function = getFunction(inner)) {
    result = PositionTable::combine(*operands[0], *operands[1], function);
  }
  // What isn't a number anywhere has no meaning that could be relied on.
  if (result.numbers.empty() || llvm::any_of(result.numbers, [](double number) {
        return !std::isfinite(number);
      }))
    return std::nullopt;
  return result;
}

const PositionTable *PositionEvaluator::evaluate(Value value, unsigned depth) {
  if (auto it = known.find(value); it != known.end())
    return it->second.get();
  std::optional<PositionTable> table;
  if (depth > 0)
    table = compute(value, depth);
  return (known[value] =
              table ? std::make_unique<PositionTable>(std::move(*table))
                    : nullptr)
      .get();
}

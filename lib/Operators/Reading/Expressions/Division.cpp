// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads divisions by counts.

#include "Reading/Expressions/Division.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

OpOperand *forms::getTensorOperand(linalg::LinalgOp op, Value value) {
  auto argument = dyn_cast_or_null<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock())
    return nullptr;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  return operand && getFloatType(operand->get()) ? operand : nullptr;
}

RegionDivision forms::readRegionDivision(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  if (op->getNumResults() != 1 || op.getNumDpsInits() != 1 || !body ||
      body->empty() || op.getNumLoops() != op.getNumParallelLoops() ||
      !op.hasPureTensorSemantics() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
      body->getTerminator()->getNumOperands() != 1)
    return {};
  Operation *last = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::DivFOp, arith::MulFOp>(last) ||
      last->getBlock() != body)
    return {};
  RegionDivision division{last->getOperand(0), last->getOperand(1),
                          isa<arith::MulFOp>(last)};
  return division;
}

/// One over each number; nullopt if one is 0.
static std::optional<PositionTable> invert(PositionTable table) {
  for (double &number : table.numbers) {
    if (number == 0)
      return std::nullopt;
    number = 1 / number;
  }
  return table;
}

/// A region that may compute its divisor from indices.
static std::optional<Division>
readRegion(linalg::LinalgOp op, ConstantEvaluator &constants,
           llvm::function_ref<bool(Value, AffineMap)> isWanted) {
  RegionDivision region = readRegionDivision(op);
  auto match = [&](Value dividend, Value divisor) -> std::optional<Division> {
    OpOperand *operand = getTensorOperand(op, dividend);
    if (!operand || constants.isConstant(operand->get()) ||
        !isWanted(operand->get(), op.getMatchingIndexingMap(operand)))
      return std::nullopt;
    std::optional<PositionTable> numbers =
        computePositions(op, divisor, constants);
    if (numbers && region.isProduct)
      numbers = invert(std::move(*numbers));
    if (!numbers)
      return std::nullopt;
    return Division{operand->get(), op.getMatchingIndexingMap(operand),
                    std::move(*numbers)};
  };
  if (!region.dividend)
    return std::nullopt;
  if (auto division = match(region.dividend, region.divisor))
    return division;
  return region.isProduct ? match(region.divisor, region.dividend)
                          : std::nullopt;
}

std::optional<Division>
forms::readDivision(Operation *op, ScalarExpressions &expressions,
                    llvm::function_ref<bool(Value, AffineMap)> isWanted) {
  if (!op || op->getNumResults() != 1)
    return std::nullopt;
  auto type = getFloatType(op->getResult(0));
  if (!type)
    return std::nullopt;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return readRegion(linalgOp, expressions.constants, isWanted);
  const Scalar *scalar = expressions.readElementwise(op);
  if (!scalar ||
      (scalar->kind != ScalarKind::Div && scalar->kind != ScalarKind::Mul))
    return std::nullopt;
  const Scalar *a = scalar->a, *b = scalar->b;
  if (scalar->kind == ScalarKind::Mul && !expressions.isActivation(a))
    std::swap(a, b);
  if (!expressions.isActivation(a) || !isWanted(a->value, a->map))
    return std::nullopt;
  std::optional<PositionTable> divisor;
  if (std::optional<double> number = expressions.getNumber(b))
    divisor = PositionTable(type.getRank(), *number);
  else if (b->kind == ScalarKind::Operand)
    divisor = readConstant(b->value, b->map, expressions.constants);
  if (divisor && scalar->kind == ScalarKind::Mul)
    divisor = invert(std::move(*divisor));
  if (!divisor || llvm::is_contained(divisor->numbers, 0.0))
    return std::nullopt;
  return Division{a->value, a->map, std::move(*divisor)};
}

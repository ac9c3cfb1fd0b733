// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads elementwise TOSA ops into scalar expressions.

#include "Reading/Expressions/ScalarExpression.h"
#include "qbackend/Operators/ScalarOp.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// The map by which an elementwise TOSA op reads an operand: dimensions of size
/// 1 are broadcast.
static AffineMap getBroadcastMap(RankedTensorType type,
                                 RankedTensorType resultType) {
  MLIRContext *context = type.getContext();
  SmallVector<AffineExpr> exprs;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    bool broadcast = size == 1 && resultType.getDimSize(dim) != 1;
    exprs.push_back(broadcast ? getAffineConstantExpr(0, context)
                              : getAffineDimExpr(dim, context));
  }
  return AffineMap::get(resultType.getRank(), 0, exprs, context);
}

const Scalar *ScalarExpressions::readTosaOp(Operation *op) {
  auto resultType = op->getNumResults() == 1
                        ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                        : RankedTensorType();
  if (!resultType || !isScalarOp(op->getName()))
    return nullptr;
  auto operand = [&](unsigned index) -> const Scalar * {
    Value value = op->getOperand(index);
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.getRank() != resultType.getRank())
      return create(ScalarKind::Other);
    // A comparison has no other use than the selection.
    if (type.getElementType().isInteger(1) &&
        isa_and_nonnull<tosa::GreaterOp, tosa::GreaterEqualOp>(
            value.getDefiningOp()) &&
        type.getShape() == resultType.getShape())
      return read(value.getDefiningOp());
    return createOperand(value, getBroadcastMap(type, resultType), resultType);
  };
  SmallVector<const Scalar *> operands;
  for (unsigned index = 0; index < op->getNumOperands(); ++index)
    operands.push_back(operand(index));
  const Scalar *scalar = combine(op, operands);
  // What has no meaning may still be a parameter.
  return scalar->kind == ScalarKind::Other ? nullptr : scalar;
}

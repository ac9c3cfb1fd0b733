// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads elementwise TOSA ops into scalar expressions.

#include "Expressions/ScalarExpression.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cfloat>

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
  if (!resultType)
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
  auto unary = [&](ScalarKind kind) { return create(kind, operand(0)); };
  auto binary = [&](ScalarKind kind) {
    return createArithmetic(kind, operand(0), operand(1));
  };
  using K = ScalarKind;
  return TypeSwitch<Operation *, const Scalar *>(op)
      .Case<tosa::AddOp>([&](auto) { return binary(K::Add); })
      .Case<tosa::SubOp>([&](auto) { return binary(K::Sub); })
      .Case<tosa::MulOp>([&](auto) { return binary(K::Mul); })
      .Case<tosa::MaximumOp>([&](auto) { return binary(K::Max); })
      .Case<tosa::MinimumOp>([&](auto) { return binary(K::Min); })
      .Case<tosa::PowOp>([&](auto) { return binary(K::Power); })
      .Case<tosa::GreaterOp, tosa::GreaterEqualOp>(
          [&](auto) { return binary(K::Greater); })
      .Case<tosa::ExpOp>([&](auto) { return unary(K::Exp); })
      .Case<tosa::LogOp>([&](auto) { return unary(K::Log); })
      .Case<tosa::ErfOp>([&](auto) { return unary(K::Erf); })
      .Case<tosa::AbsOp>([&](auto) { return unary(K::Abs); })
      .Case<tosa::TanhOp>([&](auto) { return unary(K::Tanh); })
      .Case<tosa::RsqrtOp>([&](auto) { return unary(K::Rsqrt); })
      .Case<tosa::NegateOp>([&](auto) { return unary(K::Negate); })
      .Case<tosa::ReciprocalOp>(
          [&](auto) { return create(K::Div, createNumber(1), operand(0)); })
      .Case<tosa::SigmoidOp>([&](auto) {
        const Scalar *power = create(K::Exp, create(K::Negate, operand(0)));
        return create(K::Div, createNumber(1),
                      create(K::Add, power, createNumber(1)));
      })
      .Case<tosa::SelectOp>([&](auto) {
        return create(K::Select, operand(0), operand(1), operand(2));
      })
      .Case<tosa::IdentityOp>([&](auto) { return operand(0); })
      .Case<tosa::ClampOp>([&](tosa::ClampOp clamp) -> const Scalar * {
        auto low = dyn_cast_or_null<FloatAttr>(clamp.getMinValAttr());
        auto high = dyn_cast_or_null<FloatAttr>(clamp.getMaxValAttr());
        if (!low || !high)
          return create(K::Other);
        // Bounds that never bind are +-FLT_MAX or infinite.
        const Scalar *scalar = operand(0);
        if (low.getValueAsDouble() > -FLT_MAX)
          scalar = create(K::Max, scalar, createNumber(low.getValueAsDouble()));
        if (high.getValueAsDouble() < FLT_MAX)
          scalar =
              create(K::Min, scalar, createNumber(high.getValueAsDouble()));
        return scalar;
      })
      .Default([](auto) { return nullptr; });
}

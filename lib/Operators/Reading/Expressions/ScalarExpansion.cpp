// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the operands of scalar expressions into the ops that compute them.

#include "Reading/Expressions/ScalarExpression.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// The expression with its operands read by the loops of another op, which
/// reads the op of the expression through `map`.
const Scalar *ScalarExpressions::remap(const Scalar *scalar, AffineMap map,
                                       RankedTensorType resultType) {
  if (!scalar)
    return nullptr;
  if (scalar->kind == ScalarKind::Operand) {
    if (scalar->map.getNumDims() != map.getNumResults())
      return create(ScalarKind::Other);
    return createOperand(scalar->value, scalar->map.compose(map), resultType);
  }
  const Scalar *a = remap(scalar->a, map, resultType);
  const Scalar *b =
      scalar->b == scalar->a ? a : remap(scalar->b, map, resultType);
  const Scalar *c = remap(scalar->c, map, resultType);
  scalars.push_back(*scalar);
  scalars.back().a = a;
  scalars.back().b = b;
  scalars.back().c = c;
  return &scalars.back();
}

/// What `value` was before its shape got other dimensions of size 1, and `map`
/// for that shape; null if it is no such change.
static Value skipUnitDims(Value value, AffineMap &map) {
  Operation *op = value.getDefiningOp();
  Value source;
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op))
    source = collapse.getSrc();
  else if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op))
    source = expand.getSrc();
  else if (auto reshape = dyn_cast_or_null<tosa::ReshapeOp>(op))
    source = reshape.getInput1();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  auto before = source ? dyn_cast<RankedTensorType>(source.getType())
                       : RankedTensorType();
  if (!before || !type || int64_t(map.getNumResults()) != type.getRank())
    return {};
  // Dimensions of size 1 are read at 0, the others in their order.
  SmallVector<AffineExpr> kept, exprs;
  SmallVector<int64_t> sizes;
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), type.getShape()))
    if (size != 1) {
      kept.push_back(expr);
      sizes.push_back(size);
    }
  size_t next = 0;
  for (int64_t size : before.getShape()) {
    if (size == 1) {
      exprs.push_back(getAffineConstantExpr(0, type.getContext()));
      continue;
    }
    if (next == kept.size() || sizes[next] != size)
      return {};
    exprs.push_back(kept[next++]);
  }
  if (next != kept.size())
    return {};
  map = AffineMap::get(map.getNumDims(), map.getNumSymbols(), exprs,
                       type.getContext());
  return source;
}

const Scalar *ScalarExpressions::expandUncached(const Scalar *operand) {
  Value value = skipCasts(operand->value);
  if (const Scalar *scalar = readElementwise(value.getDefiningOp())) {
    auto type = cast<RankedTensorType>(value.getType());
    bool sameLoops = operand->full && operand->resultType &&
                     type.getShape() == operand->resultType.getShape();
    return sameLoops ? scalar
                     : remap(scalar, operand->map, operand->resultType);
  }
  AffineMap map = operand->map;
  Value source = skipUnitDims(value, map);
  return source ? createOperand(source, map, operand->resultType) : nullptr;
}

const Scalar *ScalarExpressions::expand(const Scalar *operand) {
  if (operand->kind != ScalarKind::Operand)
    return nullptr;
  auto [it, inserted] = expanded.try_emplace(operand, nullptr);
  if (!inserted)
    return it->second;
  const Scalar *scalar = expandUncached(operand);
  return expanded[operand] = scalar;
}

const Scalar *ScalarExpressions::skipMoves(const Scalar *scalar) {
  for (unsigned depth = 0; depth < 4; ++depth) {
    const Scalar *before = expand(scalar);
    if (!before || before->kind != ScalarKind::Operand)
      return scalar;
    scalar = before;
  }
  return scalar;
}

const Scalar *ScalarExpressions::skipIdentities(const Scalar *scalar) {
  // Bounded, like chains of ops in patterns.
  for (unsigned depth = 0; depth < 4; ++depth) {
    const Scalar *before = expand(scalar);
    if (!before || before->kind != ScalarKind::Operand || !before->full)
      return scalar;
    scalar = before;
  }
  return scalar;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices in linalg: named ops, linalg.contract and generics.

#include "Reading/Contraction.h"
#include "Reading/Layout.h"
#include "Reading/Windows.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// `map` with 0 for the dimensions of size 1 that it doesn't read by a loop;
/// null if it reads anything else, or one loop twice.
static AffineMap simplifyMap(AffineMap map, Value value, bool &isConvolution) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<AffineExpr> exprs;
  llvm::SmallDenseSet<unsigned> loops;
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), type.getShape())) {
    if (std::optional<unsigned> loop = getLoop(expr)) {
      if (!loops.insert(*loop).second)
        return {};
      exprs.push_back(expr);
      continue;
    }
    if (size != 1)
      return {};
    isConvolution |= !isa<AffineConstantExpr>(expr);
    exprs.push_back(getAffineConstantExpr(0, map.getContext()));
  }
  return AffineMap::get(map.getNumDims(), 0, exprs, map.getContext());
}

std::optional<Contraction>
forms::readLinalgContraction(Operation *op, ScalarExpressions &expressions) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !isMultiplyAccumulate(linalgOp, expressions))
    return std::nullopt;
  // The square of one operand isn't the product of two, even of equal ones.
  const Scalar *sum = expressions.read(op);
  const Scalar *product = sum->a->kind == ScalarKind::Mul ? sum->a : sum->b;
  if (product->a == product->b)
    return std::nullopt;
  Contraction found;
  found.op = op;
  OpOperand *lhs = linalgOp.getDpsInputOperand(0);
  OpOperand *rhs = linalgOp.getDpsInputOperand(1);
  OpOperand *init = linalgOp.getDpsInitOperand(0);
  found.lhs = lhs->get();
  found.rhs = rhs->get();
  auto getMap = [&](OpOperand *operand) {
    return simplifyMap(linalgOp.getMatchingIndexingMap(operand), operand->get(),
                       found.isConvolution);
  };
  found.lhsMap = getMap(lhs);
  found.rhsMap = getMap(rhs);
  found.resultMap = getMap(init);
  if (!found.lhsMap || !found.rhsMap || !found.resultMap)
    return std::nullopt;
  found.sizes = linalgOp.getStaticLoopRanges();
  if (!isFilledWith(init->get(), 0, expressions.constants))
    found.init = init->get();
  return found;
}

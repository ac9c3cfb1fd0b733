// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads reductions.

#include "Reading/Expressions/Reduction.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include <cfloat>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

static bool readsInit(const Scalar *scalar) {
  return scalar && (scalar->kind == ScalarKind::Init || readsInit(scalar->a) ||
                    readsInit(scalar->b) || readsInit(scalar->c));
}

static std::optional<Reduction>
readLinalgReduction(OpResult result, ScalarExpressions &expressions) {
  auto op = cast<linalg::LinalgOp>(result.getOwner());
  // Windows and contractions have no operand that is read once.
  auto readsEach = [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    return map.getNumResults() >= op.getNumLoops() &&
           map.isProjectedPermutation(/*allowZeroInResults=*/true);
  };
  if (op.getNumReductionLoops() == 0 || !op.hasPureTensorSemantics() ||
      llvm::none_of(op.getDpsInputOperands(), readsEach))
    return std::nullopt;
  const Scalar *scalar = expressions.readResult(result);
  if (!scalar ||
      (scalar->kind != ScalarKind::Add && scalar->kind != ScalarKind::Max))
    return std::nullopt;
  const Scalar *init = scalar->a, *element = scalar->b;
  if (init->kind != ScalarKind::Init)
    std::swap(init, element);
  if (init->kind != ScalarKind::Init ||
      init->number != result.getResultNumber() || readsInit(element))
    return std::nullopt;
  OpOperand *destination = op.getDpsInitOperand(result.getResultNumber());
  std::optional<double> start =
      getFill(destination->get(), expressions.constants);
  if (!start ||
      (scalar->kind == ScalarKind::Add ? *start != 0 : *start > -FLT_MAX))
    return std::nullopt;

  Reduction reduction{scalar->kind, element, {}, {}, false};
  // Loops of one iteration are of no interest beside others.
  auto iterators = op.getIteratorTypesArray();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto isReduced = [&](unsigned loop, bool countsUnits) {
    return iterators[loop] == utils::IteratorType::reduction &&
           (countsUnits || ranges[loop] != 1);
  };
  auto loops = llvm::seq<unsigned>(0, op.getNumLoops());
  reduction.isOfOne = llvm::none_of(loops, [&](unsigned loop) {
    return isReduced(loop, /*countsUnits=*/false);
  });
  for (unsigned loop : loops)
    reduction.reduced.push_back(isReduced(loop, reduction.isOfOne));
  for (AffineExpr expr : op.getMatchingIndexingMap(destination).getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim && !isa<AffineConstantExpr>(expr))
      return std::nullopt;
    reduction.resultLoops.push_back(
        dim ? std::optional<unsigned>(dim.getPosition()) : std::nullopt);
  }
  return reduction;
}

std::optional<Reduction> forms::readReduction(Value value,
                                              ScalarExpressions &expressions) {
  auto result = dyn_cast<OpResult>(value);
  if (!result || !getFloatType(value))
    return std::nullopt;
  Operation *op = result.getOwner();
  if (isa<linalg::LinalgOp>(op))
    return readLinalgReduction(result, expressions);
  if (!isa<tosa::ReduceSumOp, tosa::ReduceMaxOp>(op))
    return std::nullopt;
  RankedTensorType type = getFloatType(op->getOperand(0));
  if (!type)
    return std::nullopt;
  int64_t rank = type.getRank();
  auto axis = op->getAttrOfType<IntegerAttr>("axis");
  if (!axis || axis.getInt() < 0 || axis.getInt() >= rank)
    return std::nullopt;
  Reduction reduction;
  reduction.kind =
      isa<tosa::ReduceSumOp>(op) ? ScalarKind::Add : ScalarKind::Max;
  reduction.element = expressions.createOperand(
      op->getOperand(0),
      AffineMap::getMultiDimIdentityMap(rank, op->getContext()), type);
  reduction.isOfOne = type.getDimSize(axis.getInt()) == 1;
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool isReduced = dim == axis.getInt();
    reduction.reduced.push_back(isReduced);
    reduction.resultLoops.push_back(isReduced ? std::nullopt
                                              : std::optional<unsigned>(dim));
  }
  return reduction;
}

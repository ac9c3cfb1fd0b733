// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises softmax, spelled as one op or as several.

#include "Functions/Functions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// If `operand` is a reduction of one kind of a tensor along one dimension,
/// read at each position along it: what is reduced. Sets `axis`.
static Value getReduced(const Scalar *operand, ScalarKind kind,
                        ScalarExpressions &expressions, unsigned &axis) {
  if (operand->kind != ScalarKind::Operand)
    return {};
  auto view = viewThroughLayout(operand->value, operand->map,
                                /*reshapes=*/false);
  if (!view)
    return {};
  auto op = dyn_cast_or_null<linalg::LinalgOp>(getProducer(view->source));
  if (!op || op.getNumDpsInputs() != 1 || op.getNumReductionLoops() != 1 ||
      op->getNumResults() > 2)
    return {};
  OpOperand *input = op.getDpsInputOperand(0);
  if (!op.getMatchingIndexingMap(input).isIdentity())
    return {};
  auto iterators = op.getIteratorTypesArray();
  axis =
      llvm::find(iterators, utils::IteratorType::reduction) - iterators.begin();
  // Each kept dimension is read where it was reduced.
  AffineMap output = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (output.getNumResults() != view->loops.size())
    return {};
  for (auto [expr, loop] : llvm::zip_equal(output.getResults(), view->loops)) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (loop && (!dim || dim.getPosition() != *loop) && *loop != axis)
      return {};
  }
  if (op->getNumResults() == 2) {
    // With the index of the maximum beside it.
    Value yielded = op.getBlock()->getTerminator()->getOperand(0);
    Operation *inner = yielded.getDefiningOp();
    bool isMax = inner && (isa_and_nonnull<arith::MaximumFOp>(inner) ||
                           isa_and_nonnull<arith::MaxNumFOp>(inner));
    return kind == ScalarKind::Max && isMax ? input->get() : Value();
  }
  const Scalar *scalar = expressions.read(op);
  if (!scalar || scalar->kind != kind ||
      (scalar->a->kind != ScalarKind::Init &&
       scalar->b->kind != ScalarKind::Init))
    return {};
  const Scalar *other =
      scalar->a->kind == ScalarKind::Init ? scalar->b : scalar->a;
  return other->kind == ScalarKind::Operand ? input->get() : Value();
}

/// exp(x - max(x)) / sum(exp(x - max(x))), both along one dimension.
void forms::recognizeSoftmax(Recognition &recognition) {
  ScalarExpressions &expressions = recognition.expressions;
  RecognizedOperator op;
  op.result = recognition.result();
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(recognition.root)) {
    if (!getFloatType(softmax.getInput()))
      return;
    op.kind = SoftmaxAttr::get(recognition.context(), softmax.getDimension());
    op.inputs = {RecognizedOperand::of(softmax.getInput())};
    recognition.found.push_back(std::move(op));
    return;
  }
  const Scalar *ratio = expressions.readElementwise(recognition.root);
  if (!ratio || ratio->kind != ScalarKind::Div ||
      ratio->a->kind != ScalarKind::Operand || !ratio->a->full)
    return;
  unsigned sumAxis = 0, maxAxis = 0;
  if (getReduced(ratio->b, ScalarKind::Add, expressions, sumAxis) !=
      ratio->a->value)
    return;
  const Scalar *power = expressions.expand(ratio->a);
  if (!power || power->kind != ScalarKind::Exp)
    return;
  const Scalar *difference = power->a;
  if (difference->kind == ScalarKind::Operand)
    difference = expressions.expand(difference);
  if (!difference || difference->kind != ScalarKind::Sub ||
      difference->a->kind != ScalarKind::Operand || !difference->a->full ||
      !expressions.isActivation(difference->a))
    return;
  if (getReduced(difference->b, ScalarKind::Max, expressions, maxAxis) !=
          difference->a->value ||
      maxAxis != sumAxis)
    return;
  op.kind = SoftmaxAttr::get(recognition.context(), sumAxis);
  op.inputs = {RecognizedOperand::of(difference->a->value)};
  recognition.found.push_back(std::move(op));
}

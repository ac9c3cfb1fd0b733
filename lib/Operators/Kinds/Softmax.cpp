// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises softmax and its logarithm.

#include "Kinds/Recognizers.h"
#include "Reading/Expressions/Statistics.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// exp(x) / sum(exp(x)) or x - log(sum(exp(x))), along one dimension; the
/// maximum may be subtracted from x wherever it is read. Null for others.
static Attribute getKind(const FormulaReader &reader, const Formula *formula,
                         const Statistics &statistics) {
  if (statistics.getAxes().size() != 1 ||
      !(statistics.has(Statistic::Exponentials) ||
        statistics.has(Statistic::ShiftedExponentials)) ||
      statistics.has(Statistic::Sum) || statistics.has(Statistic::Squares))
    return {};
  for (unsigned variable : reader.getVariables(formula))
    if (reader.variables[variable].kind == Variable::Parameter)
      return {};
  Distribution at;
  at.x = {0.3, 1.1, -0.7, 2.3, -1.9, 0.5};
  at.max = {2.4, 1.2, 3.1, 2.7, -1.1, 0.8};
  at.exponentials = {12.5, 3.9, 40.1, 17.0, 0.7, 2.6};
  at.mean = at.variance = Samples(at.x.size(), std::nan(""));
  Samples values = reader.evaluate(formula, statistics.getValues(reader, at));
  bool isSoftmax = true, isLog = true;
  for (auto [i, value] : llvm::enumerate(values)) {
    isSoftmax &= isClose(value, std::exp(at.x[i]) / at.exponentials[i]);
    isLog &= isClose(value, at.x[i] - std::log(at.exponentials[i]));
  }
  MLIRContext *context = reader.getType().getContext();
  unsigned axis = statistics.getAxes().front();
  if (isSoftmax)
    return SoftmaxAttr::get(context, axis);
  return isLog ? LogSoftmaxAttr::get(context, axis) : Attribute();
}

void forms::recognizeSoftmax(Recognition &recognition) {
  ScalarExpressions &expressions = recognition.expressions;
  Operation *root = recognition.root;
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(root)) {
    if (getFloatType(softmax.getInput()))
      recognition.add(
          SoftmaxAttr::get(recognition.context(), softmax.getDimension()),
          softmax.getInput());
    return;
  }
  const Scalar *scalar = expressions.readElementwise(root);
  if (!scalar ||
      (scalar->kind != ScalarKind::Div && scalar->kind != ScalarKind::Mul &&
       scalar->kind != ScalarKind::Sub && scalar->kind != ScalarKind::Add &&
       scalar->kind != ScalarKind::Exp && scalar->kind != ScalarKind::Log))
    return;
  // With the maximum the input comes before the one without. It may have lost
  // a batch that the result has.
  auto type = cast<RankedTensorType>(root->getResult(0).getType());
  unsigned most = 0;
  Attribute kind;
  Value input;
  for (bool views : {false, true}) {
    if (views && !type.hasStaticShape())
      break;
    for (Value candidate :
         getCandidates(root, /*reduced=*/true, expressions, views)) {
      FormulaReader reader(expressions, candidate,
                           /*splatsAreParameters=*/false,
                           views ? type : RankedTensorType());
      const Formula *formula = reader.read(root);
      auto statistics =
          formula ? Statistics::read(reader, formula) : std::nullopt;
      if (!statistics || statistics->countKinds() <= most)
        continue;
      if (Attribute found = getKind(reader, formula, *statistics)) {
        most = statistics->countKinds();
        kind = found;
        input = candidate;
      }
    }
  }
  if (!kind)
    return;
  RecognizedOperator op{kind, recognition.result(), {}};
  bool isView = getFloatType(input).getRank() != type.getRank();
  op.inputs.push_back(isView
                          ? RecognizedOperand::reshaped(input, type.getShape())
                          : RecognizedOperand::of(input));
  recognition.found.push_back(std::move(op));
}

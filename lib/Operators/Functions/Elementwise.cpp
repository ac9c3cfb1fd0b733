// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises additions and multiplications of activations.

#include "Functions/Functions.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// The activation `scalar` reads, with dimensions of size 1 where the result
/// has more; null if it can't be had that way.
static RecognizedOperand getActivation(const Scalar *scalar,
                                       RankedTensorType resultType,
                                       ScalarExpressions &expressions) {
  if (!expressions.isActivation(scalar))
    return {};
  if (scalar->full)
    return RecognizedOperand::of(scalar->value);
  auto type = getFloatType(scalar->value);
  if (type.getRank() > resultType.getRank())
    return {};
  // A dimension that is read along loop i becomes dimension i.
  SmallVector<int64_t> shape(resultType.getRank(), 1);
  std::optional<unsigned> last;
  for (auto [index, expr] : llvm::enumerate(scalar->map.getResults())) {
    int64_t size = type.getDimSize(index);
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim) {
      if (size != 1)
        return {};
      continue;
    }
    if (last && dim.getPosition() <= *last)
      return {};
    last = dim.getPosition();
    shape[*last] = size;
  }
  if (ArrayRef<int64_t>(shape) == type.getShape())
    return RecognizedOperand::of(scalar->value);
  if (llvm::is_contained(shape, ShapedType::kDynamic))
    return {};
  return RecognizedOperand::reshaped(scalar->value, shape);
}

/// True if `scalar` is a root or its inverse: part of a normalisation.
static bool isDeviation(const Scalar *scalar, ScalarExpressions &expressions) {
  if (scalar->kind != ScalarKind::Operand)
    return false;
  auto view = viewThroughLayout(scalar->value, scalar->map, /*reshapes=*/false);
  const Scalar *source =
      view ? expressions.readElementwise(getProducer(view->source)) : nullptr;
  return source && (source->kind == ScalarKind::Sqrt ||
                    source->kind == ScalarKind::Rsqrt);
}

void forms::recognizeElementwise(Recognition &recognition) {
  ScalarExpressions &expressions = recognition.expressions;
  const Scalar *scalar = expressions.readElementwise(recognition.root);
  if (!scalar ||
      (scalar->kind != ScalarKind::Add && scalar->kind != ScalarKind::Mul))
    return;
  bool isAdd = scalar->kind == ScalarKind::Add;
  MLIRContext *context = recognition.context();
  auto getKind = [&](FloatAttr number) -> Attribute {
    if (isAdd)
      return AddAttr::get(context, number);
    return MulAttr::get(context, number);
  };
  RecognizedOperator op;
  op.result = recognition.result();
  auto resultType = cast<RankedTensorType>(recognition.result().getType());
  std::optional<double> left = expressions.getNumber(scalar->a);
  std::optional<double> right = expressions.getNumber(scalar->b);
  if (left || right) {
    const Scalar *activation = left ? scalar->b : scalar->a;
    double number = left ? *left : *right;
    // What is added to a variance is no operand.
    if ((left && right) || !std::isfinite(number) ||
        (isAdd && std::abs(number) < 1e-3) || !activation->full)
      return;
    if (auto input = getActivation(activation, resultType, expressions)) {
      op.kind = getKind(recognition.real(number));
      op.inputs = {input};
      recognition.found.push_back(std::move(op));
    }
    return;
  }
  if (isDeviation(scalar->a, expressions) ||
      isDeviation(scalar->b, expressions))
    return;
  RecognizedOperand a = getActivation(scalar->a, resultType, expressions);
  RecognizedOperand b = getActivation(scalar->b, resultType, expressions);
  // A square is part of a variance, and of no PyTorch pattern.
  if (!a || !b || (!scalar->a->full && !scalar->b->full) ||
      (!isAdd && a.value == b.value))
    return;
  op.kind = getKind({});
  op.inputs = {a, b};
  recognition.found.push_back(std::move(op));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises sums, differences, products and ratios of activations, or of one
// and a number.

#include "Kinds/Recognizers.h"
#include "Reading/Layout.h"

#include <cmath>

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// The tensor `scalar` reads, with dimensions of size 1 where the result has
/// more; null if it can't be had that way.
static RecognizedOperand getTensor(const Scalar *scalar,
                                   RankedTensorType resultType) {
  if (scalar->kind != ScalarKind::Operand || !getFloatType(scalar->value))
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

/// The activation that `factor` is the reciprocal of; null if it is none, or an
/// operator, such as a sigmoid. TOSA divides by multiplying with it.
static const Scalar *getDivisor(const Scalar *factor,
                                const Recognition &recognition) {
  ScalarExpressions &expressions = recognition.expressions;
  if (factor->kind != ScalarKind::Operand)
    return nullptr;
  const Scalar *inverse = expressions.expand(factor);
  if (!inverse || inverse->kind != ScalarKind::Div ||
      expressions.getNumber(inverse->a) != 1 ||
      inverse->b->kind != ScalarKind::Operand ||
      !expressions.isActivation(inverse->b) ||
      isDeviation(inverse->b, expressions))
    return nullptr;
  Operation *producer = getProducer(factor->value);
  if (!producer || producer->getNumResults() != 1)
    return nullptr;
  SmallVector<RecognizedOperator, 1> found;
  Recognition reciprocal{producer, expressions, found};
  recognizeSoftmax(reciprocal);
  recognizeActivation(reciprocal);
  return found.empty() ? inverse->b : nullptr;
}

/// The kind of an operation on an activation and a number, which comes first if
/// `reversed`; null if there is none.
static Attribute getScalarKind(Recognition &recognition, ScalarKind kind,
                               double number, bool reversed) {
  MLIRContext *context = recognition.context();
  switch (kind) {
  case ScalarKind::Add:
    return AddAttr::get(context, recognition.asFloat(number));
  case ScalarKind::Sub:
    if (reversed)
      return RsubAttr::get(context, recognition.asFloat(number));
    return AddAttr::get(context, recognition.asFloat(-number));
  case ScalarKind::Mul:
    return MulAttr::get(context, recognition.asFloat(number));
  case ScalarKind::Div:
    if (reversed || number == 0)
      return {};
    return MulAttr::get(context, recognition.asFloat(1 / number));
  default:
    return {};
  }
}

/// The kind of an operation on two activations; null if there is none.
static Attribute getBinaryKind(MLIRContext *context, ScalarKind kind) {
  switch (kind) {
  case ScalarKind::Add:
    return AddAttr::get(context, FloatAttr());
  case ScalarKind::Sub:
    return SubAttr::get(context);
  case ScalarKind::Mul:
    return MulAttr::get(context, FloatAttr());
  case ScalarKind::Div:
    return DivAttr::get(context);
  default:
    return {};
  }
}

/// Whether an operand of a TOSA op has extents that the others only take at run
/// time, if they are 1 then.
static bool mayGrow(Value result) {
  Operation *op = result.getDefiningOp();
  if (!op || !isa_and_nonnull<tosa::TosaDialect>(op->getDialect()))
    return false;
  auto type = cast<RankedTensorType>(result.getType());
  return llvm::any_of(op->getOperandTypes(), [&](Type operand) {
    auto other = dyn_cast<RankedTensorType>(operand);
    if (!other || other.getRank() != type.getRank())
      return false;
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (type.isDynamicDim(i) && !other.isDynamicDim(i) &&
          other.getDimSize(i) != 1)
        return true;
    return false;
  });
}

void forms::recognizeElementwise(Recognition &recognition) {
  ScalarExpressions &expressions = recognition.expressions;
  const Scalar *scalar = expressions.readElementwise(recognition.root);
  if (!scalar)
    return;
  RecognizedOperator op;
  op.result = recognition.result();
  auto resultType = cast<RankedTensorType>(recognition.result().getType());
  if (scalar->kind == ScalarKind::Negate && scalar->a->full) {
    const Scalar *activation = expressions.skipIdentities(scalar->a);
    if (auto input = getTensor(activation, resultType);
        input && expressions.isActivation(activation)) {
      op.kind = NegAttr::get(recognition.context());
      op.inputs = {input};
      recognition.found.push_back(std::move(op));
    }
    return;
  }
  // A product with 1, or a ratio to it.
  if (Value unchanged = getUnchanged(recognition.root, expressions);
      unchanged && scalar->kind == ScalarKind::Operand &&
      llvm::any_of(recognition.root->getOperands(),
                   [&](Value operand) {
                     return recognition.constants().isConstant(operand);
                   }) &&
      expressions.isActivation(scalar) && !mayGrow(recognition.result())) {
    recognition.add(DropoutAttr::get(recognition.context()), {unchanged});
    return;
  }
  if (!scalar->a || !scalar->b || scalar->c)
    return;
  std::optional<double> left = expressions.getNumber(scalar->a);
  std::optional<double> right = expressions.getNumber(scalar->b);
  if (left && right)
    return;
  if (left || right) {
    const Scalar *activation = left ? scalar->b : scalar->a;
    double number = left ? *left : *right;
    op.kind = getScalarKind(recognition, scalar->kind, number, bool(left));
    if (!op.kind || !std::isfinite(number) || !activation->full)
      return;
    if (isa<AddAttr>(op.kind) && number == 0) {
      if (mayGrow(recognition.result()))
        return;
      op.kind = DropoutAttr::get(recognition.context());
    }
    // What is added to a variance is no operand.
    else if (isa<AddAttr>(op.kind) && std::abs(number) < 1e-3)
      return;
    activation = expressions.skipIdentities(activation);
    if (!expressions.isActivation(activation))
      return;
    if (auto input = getTensor(activation, resultType)) {
      op.inputs = {input};
      recognition.found.push_back(std::move(op));
    }
    return;
  }
  op.kind = getBinaryKind(recognition.context(), scalar->kind);
  if (!op.kind || isDeviation(scalar->a, expressions) ||
      isDeviation(scalar->b, expressions))
    return;
  // Without the moves in front, if what is left broadcasts; with those of them
  // that change positions; and, should what they make be needed elsewhere, with
  // all.
  std::pair<const Scalar *, const Scalar *> forms[] = {
      {expressions.skipMoves(scalar->a), expressions.skipMoves(scalar->b)},
      {expressions.skipIdentities(scalar->a),
       expressions.skipIdentities(scalar->b)},
      {scalar->a, scalar->b}};
  if (scalar->kind == ScalarKind::Mul)
    for (auto [x, y] : forms)
      for (auto [factor, inverse] : {std::pair(x, y), std::pair(y, x)}) {
        const Scalar *divisor = getDivisor(inverse, recognition);
        if (!divisor || !(factor->full || divisor->full))
          continue;
        RecognizedOperand a = getTensor(factor, resultType);
        RecognizedOperand b =
            getTensor(expressions.skipIdentities(divisor), resultType);
        if (!a || !b)
          continue;
        RecognizedOperator division = op;
        division.kind = DivAttr::get(recognition.context());
        division.inputs = {a, b};
        recognition.found.push_back(std::move(division));
      }
  for (auto [x, y] : forms) {
    // One of them may be a tensor of constants, such as embedded positions.
    bool isActive = (expressions.isActivation(x) && x->full) ||
                    (expressions.isActivation(y) && y->full);
    RecognizedOperand a = getTensor(x, resultType);
    RecognizedOperand b = getTensor(y, resultType);
    // A square is part of a variance, and of no PyTorch pattern.
    bool isSquare = isa<MulAttr>(op.kind) && a.value == b.value;
    if (a && b && isActive && !isSquare) {
      op.inputs = {a, b};
      recognition.found.push_back(op);
    }
  }
}

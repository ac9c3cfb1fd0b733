// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises activation functions, spelled as one op or as several.

#include "Functions/Functions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cfloat>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

using M = ScalarMatcher;
using ScalarPattern = ScalarMatcher::Pattern;

/// min(max(a, low), high), whichever bound is applied first.
static ScalarPattern bounded(ScalarPattern a, ScalarPattern low,
                             ScalarPattern high) {
  return M::oneOf(
      {M::binary(ScalarKind::Min, M::binary(ScalarKind::Max, a, low), high),
       M::binary(ScalarKind::Max, M::binary(ScalarKind::Min, a, high), low)});
}

/// relu6(x + 3)
static ScalarPattern shiftedRelu6() {
  return bounded(M::binary(ScalarKind::Add, M::x(), M::number(3)), M::number(0),
                 M::number(6));
}

static ScalarPattern hardsigmoid() {
  auto shifted = M::binary(ScalarKind::Add, M::x(), M::number(3));
  auto sloped =
      M::binary(ScalarKind::Add, M::scaled(M::x(), 1.0 / 6), M::number(0.5));
  return M::oneOf(
      {M::scaled(shiftedRelu6(), 1.0 / 6),
       bounded(M::scaled(shifted, 1.0 / 6), M::number(0), M::number(1)),
       bounded(sloped, M::number(0), M::number(1))});
}

static ScalarPattern hardswish() {
  return M::oneOf(
      {M::binary(ScalarKind::Mul, hardsigmoid(), M::x()),
       M::scaled(M::binary(ScalarKind::Mul, shiftedRelu6(), M::x()), 1.0 / 6),
       M::binary(ScalarKind::Mul, shiftedRelu6(), M::scaled(M::x(), 1.0 / 6))});
}

static ScalarPattern sigmoid() {
  auto power = M::unary(ScalarKind::Exp, M::unary(ScalarKind::Negate, M::x()));
  return M::binary(ScalarKind::Div, M::number(1),
                   M::binary(ScalarKind::Add, power, M::number(1)));
}

static ScalarPattern positive() {
  return M::binary(ScalarKind::Max, M::x(), M::number(0));
}
static ScalarPattern negative() {
  return M::binary(ScalarKind::Min, M::x(), M::number(0));
}
static ScalarPattern isPositive() {
  return M::binary(ScalarKind::Greater, M::x(), M::number(0));
}
static ScalarPattern isNegative() {
  return M::binary(ScalarKind::Greater, M::number(0), M::x());
}

static ScalarPattern leakyRelu(double &slope) {
  auto scaled = M::binary(ScalarKind::Mul, M::x(), M::capture(slope));
  return M::oneOf(
      {M::ternary(ScalarKind::Select, isPositive(), M::x(), scaled),
       M::ternary(ScalarKind::Select, isNegative(), scaled, M::x()),
       M::binary(ScalarKind::Add, positive(),
                 M::binary(ScalarKind::Mul, negative(), M::capture(slope)))});
}

/// alpha * (exp(min(x, 0)) - 1), scale by scale as PyTorch decomposes it.
static ScalarPattern elu(double &alpha) {
  auto below = [&](ScalarPattern x) {
    auto power = M::oneOf(
        {M::unary(ScalarKind::ExpM1, x),
         M::binary(ScalarKind::Sub, M::unary(ScalarKind::Exp, x), M::number(1)),
         M::binary(ScalarKind::Add, M::unary(ScalarKind::Exp, x),
                   M::number(-1))});
    return M::oneOf(
        {M::binary(ScalarKind::Mul, power, M::capture(alpha)),
         [power, &alpha](ScalarMatcher &matcher, const Scalar *scalar) {
           alpha = 1;
           return power(matcher, scalar);
         }});
  };
  auto unscaledNegative = M::oneOf({negative(), M::scaled(negative(), 1)});
  auto unscaledPositive = M::oneOf({positive(), M::scaled(positive(), 1)});
  return M::oneOf(
      {M::ternary(ScalarKind::Select, isPositive(), M::x(), below(M::x())),
       M::ternary(ScalarKind::Select, isNegative(), below(M::x()), M::x()),
       M::binary(ScalarKind::Add, unscaledPositive, below(unscaledNegative))});
}

void forms::recognizeActivation(Recognition &recognition) {
  const Scalar *scalar =
      recognition.expressions.readElementwise(recognition.root);
  if (!scalar)
    return;
  MLIRContext *context = recognition.context();
  ScalarMatcher matcher(recognition.expressions);
  auto append = [&](Attribute kind) {
    RecognizedOperator op;
    op.kind = kind;
    op.result = recognition.result();
    op.inputs = {RecognizedOperand::of(matcher.input->value)};
    recognition.found.push_back(std::move(op));
  };
  double low = 0, high = 0;
  switch (scalar->kind) {
  case ScalarKind::Mul:
  case ScalarKind::Div:
    if (matcher.match(scalar, hardswish()))
      append(HardswishAttr::get(context));
    if (matcher.match(scalar, hardsigmoid()))
      append(HardsigmoidAttr::get(context));
    if (matcher.match(scalar, sigmoid()))
      append(SigmoidAttr::get(context));
    return;
  case ScalarKind::Add:
  case ScalarKind::Select:
    if (matcher.match(scalar, leakyRelu(low)) && std::isfinite(low))
      append(LeakyReluAttr::get(context, recognition.real(low)));
    else if (matcher.match(scalar, elu(low)))
      append(EluAttr::get(context, recognition.real(low)));
    return;
  case ScalarKind::Tanh:
    if (matcher.match(scalar, M::unary(ScalarKind::Tanh, M::x())))
      append(TanhAttr::get(context));
    return;
  case ScalarKind::Max:
  case ScalarKind::Min:
    break;
  default:
    return;
  }
  if (matcher.match(scalar, hardsigmoid()))
    append(HardsigmoidAttr::get(context));
  // max(x, slope * x)
  if (matcher.match(scalar, M::binary(ScalarKind::Max, M::x(),
                                      M::binary(ScalarKind::Mul, M::x(),
                                                M::capture(low)))) &&
      low >= 0 && low < 1)
    append(LeakyReluAttr::get(context, recognition.real(low)));
  // The bounds must not cross: the order matters then.
  if (matcher.match(scalar,
                    bounded(M::x(), M::capture(low), M::capture(high))) &&
      low <= high) {
    if (low == 0 && high >= FLT_MAX)
      append(ReluAttr::get(context));
    else if (low == 0 && high == 6)
      append(Relu6Attr::get(context));
    else if (low == -1 && high == 1)
      append(HardtanhAttr::get(context, recognition.real(low),
                               recognition.real(high)));
    else
      append(ClampAttr::get(context, recognition.real(low),
                            recognition.real(high)));
  }
  if (matcher.match(scalar, positive()))
    append(ReluAttr::get(context));
  else if (matcher.match(scalar,
                         M::binary(ScalarKind::Max, M::x(), M::capture(low))))
    append(ClampAttr::get(context, recognition.real(low),
                          recognition.real(FLT_MAX)));
  else if (matcher.match(scalar,
                         M::binary(ScalarKind::Min, M::x(), M::capture(high))))
    append(ClampAttr::get(context, recognition.real(-FLT_MAX),
                          recognition.real(high)));
}

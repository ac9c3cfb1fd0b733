// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Activation functions. TOSA has clamp, sigmoid and tanh; the others are
// chains of arithmetic.

#include "TosaRecognizers.h"

#include <cfloat>
#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::tosa_forms;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

namespace {
/// min(max(input, low), high). Bounds that never bind are +-FLT_MAX.
struct Bounds {
  Value input;
  double low = -FLT_MAX, high = FLT_MAX;
};
} // namespace

static bool hasLow(const Bounds &bounds) { return bounds.low > -FLT_MAX; }
static bool hasHigh(const Bounds &bounds) { return bounds.high < FLT_MAX; }

/// The bounds that the op of `value` sets.
static std::optional<Bounds> matchBound(const Recognition &recognition,
                                        Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !getFloatType(value))
    return std::nullopt;
  if (auto clamp = dyn_cast<tosa::ClampOp>(op)) {
    auto low = dyn_cast_or_null<FloatAttr>(clamp.getMinValAttr());
    auto high = dyn_cast_or_null<FloatAttr>(clamp.getMaxValAttr());
    if (!low || !high)
      return std::nullopt;
    return Bounds{clamp.getInput(),
                  std::max(low.getValueAsDouble(), double(-FLT_MAX)),
                  std::min(high.getValueAsDouble(), double(FLT_MAX))};
  }
  if (!isa<tosa::MaximumOp, tosa::MinimumOp>(op))
    return std::nullopt;
  auto operands = splitConstant(recognition, op);
  auto number = operands ? recognition.constants.getSplat(operands->second)
                         : std::nullopt;
  if (!number || operands->first.getType() != value.getType())
    return std::nullopt;
  if (isa<tosa::MaximumOp>(op))
    return Bounds{operands->first, *number, FLT_MAX};
  return Bounds{operands->first, -FLT_MAX, *number};
}

/// Bounds set by one op, or by one op for each side.
static std::optional<Bounds> matchBounds(const Recognition &recognition,
                                         Value value) {
  std::optional<Bounds> outer = matchBound(recognition, value);
  if (!outer || hasLow(*outer) == hasHigh(*outer))
    return outer;
  std::optional<Bounds> inner = matchBound(recognition, outer->input);
  if (!inner || hasLow(*inner) == hasHigh(*inner) ||
      hasLow(*inner) == hasLow(*outer))
    return outer;
  Bounds both{inner->input, hasLow(*inner) ? inner->low : outer->low,
              hasHigh(*inner) ? inner->high : outer->high};
  return both.low <= both.high ? std::optional(both) : outer;
}

static void addBounds(const Recognition &recognition, const Bounds &bounds) {
  auto *context = recognition.context();
  Attribute kind;
  if (!(bounds.low <= bounds.high) || (!hasLow(bounds) && !hasHigh(bounds)))
    return;
  if (bounds.low == 0 && !hasHigh(bounds))
    kind = ReluAttr::get(context);
  else if (bounds.low == 0 && bounds.high == 6)
    kind = Relu6Attr::get(context);
  else if (bounds.low == -1 && bounds.high == 1)
    kind =
        HardtanhAttr::get(context, recognition.real(-1), recognition.real(1));
  else
    kind = ClampAttr::get(context, recognition.real(bounds.low),
                          recognition.real(bounds.high));
  recognition.add(kind, {bounds.input});
}

/// `x` where `value` is x clamped to [low, high].
static Value matchClamp(const Recognition &recognition, Value value, double low,
                        double high) {
  auto bounds = value ? matchBounds(recognition, value) : std::nullopt;
  return bounds && std::fabs(bounds->low - low) < 1e-6 &&
                 std::fabs(bounds->high - high) < 1e-6
             ? bounds->input
             : Value();
}

//===----------------------------------------------------------------------===//
// Hardsigmoid, hardswish
//===----------------------------------------------------------------------===//

/// `x` where `value` is min(max(x + 3, 0), 6).
static Value matchShiftedRelu6(const Recognition &recognition, Value value) {
  Value inner = matchClamp(recognition, value, 0, 6);
  return inner ? matchScalar<tosa::AddOp>(recognition, inner, 3) : Value();
}

/// `x` where `value` is hardsigmoid(x).
static Value matchHardsigmoid(const Recognition &recognition, Value value) {
  // relu6(x + 3) / 6
  if (Value inner = matchScalar<tosa::MulOp>(recognition, value, 1.0 / 6))
    if (Value x = matchShiftedRelu6(recognition, inner))
      return x;
  Value inner = matchClamp(recognition, value, 0, 1);
  if (!inner)
    return {};
  // clamp((x + 3) / 6)
  if (Value sum = matchScalar<tosa::MulOp>(recognition, inner, 1.0 / 6))
    if (Value x = matchScalar<tosa::AddOp>(recognition, sum, 3))
      return x;
  // clamp(x / 6 + 1 / 2)
  if (Value scaled = matchScalar<tosa::AddOp>(recognition, inner, 0.5))
    return matchScalar<tosa::MulOp>(recognition, scaled, 1.0 / 6);
  return {};
}

/// `x` where `value` is hardswish(x).
static Value matchHardswish(const Recognition &recognition, Value value) {
  auto mul = value.getDefiningOp<tosa::MulOp>();
  if (!mul)
    return {};
  for (auto [x, gate] : {std::pair(mul.getInput1(), mul.getInput2()),
                         std::pair(mul.getInput2(), mul.getInput1())}) {
    if (matchHardsigmoid(recognition, gate) == x)
      return x;
    // (x / 6) * relu6(x + 3)
    if (Value y = matchScalar<tosa::MulOp>(recognition, x, 1.0 / 6))
      if (matchShiftedRelu6(recognition, gate) == y)
        return y;
  }
  // (x * relu6(x + 3)) / 6
  Value scaled = matchScalar<tosa::MulOp>(recognition, value, 1.0 / 6);
  auto inner = scaled ? scaled.getDefiningOp<tosa::MulOp>() : tosa::MulOp();
  if (!inner)
    return {};
  for (auto [x, gate] : {std::pair(inner.getInput1(), inner.getInput2()),
                         std::pair(inner.getInput2(), inner.getInput1())})
    if (matchShiftedRelu6(recognition, gate) == x)
      return x;
  return {};
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

static void recognizeSoftmax(const Recognition &recognition, tosa::MulOp mul) {
  for (auto [power, factor] : {std::pair(mul.getInput1(), mul.getInput2()),
                               std::pair(mul.getInput2(), mul.getInput1())}) {
    auto exp = power.getDefiningOp<tosa::ExpOp>();
    auto reciprocal = factor.getDefiningOp<tosa::ReciprocalOp>();
    auto sum = reciprocal
                   ? reciprocal.getInput1().getDefiningOp<tosa::ReduceSumOp>()
                   : tosa::ReduceSumOp();
    if (!exp || !sum || sum.getInput() != power)
      continue;
    auto kind = SoftmaxAttr::get(recognition.context(), sum.getAxis());
    // Subtracting the maximum changes nothing but the range.
    auto sub = exp.getInput1().getDefiningOp<tosa::SubOp>();
    auto max = sub ? sub.getInput2().getDefiningOp<tosa::ReduceMaxOp>()
                   : tosa::ReduceMaxOp();
    if (max && max.getInput() == sub.getInput1() &&
        max.getAxis() == sum.getAxis())
      recognition.add(kind, {sub.getInput1()});
    recognition.add(kind, {exp.getInput1()});
    return;
  }
}

//===----------------------------------------------------------------------===//
// Leaky relu, elu
//===----------------------------------------------------------------------===//

/// The number that `value` is `x` times, nullopt if it is not.
static std::optional<double> matchScaled(const Recognition &recognition,
                                         Value value, Value x) {
  auto mul = value.getDefiningOp<tosa::MulOp>();
  auto operands = mul ? splitConstant(recognition, mul) : std::nullopt;
  if (!operands || operands->first != x)
    return std::nullopt;
  return recognition.constants.getSplat(operands->second);
}

static bool isExpMinusOne(const Recognition &recognition, Value value,
                          Value x) {
  Value power = matchScalar<tosa::AddOp>(recognition, value, -1);
  if (auto sub = value.getDefiningOp<tosa::SubOp>();
      sub && recognition.isSplat(sub.getInput2(), 1))
    power = sub.getInput1();
  auto exp = power ? power.getDefiningOp<tosa::ExpOp>() : tosa::ExpOp();
  return exp && exp.getInput1() == x;
}

static void recognizeSelect(const Recognition &recognition,
                            tosa::SelectOp select) {
  Operation *compare = select.getInput1().getDefiningOp();
  if (!isa_and_nonnull<tosa::GreaterEqualOp, tosa::GreaterOp>(compare))
    return;
  Value x = select.getInput2(), other = select.getInput3();
  // 0 > x (or 0 >= x) selects the other way around.
  Value left = compare->getOperand(0), right = compare->getOperand(1);
  if (recognition.isSplat(left, 0)) {
    std::swap(left, right);
    std::swap(x, other);
  }
  if (left != x || !recognition.isSplat(right, 0) ||
      x.getType() != recognition.result().getType())
    return;
  auto *context = recognition.context();
  if (auto slope = matchScaled(recognition, other, x)) {
    recognition.add(LeakyReluAttr::get(context, recognition.real(*slope)), {x});
    return;
  }
  if (isExpMinusOne(recognition, other, x)) {
    recognition.add(EluAttr::get(context, recognition.real(1)), {x});
    return;
  }
  auto mul = other.getDefiningOp<tosa::MulOp>();
  auto operands = mul ? splitConstant(recognition, mul) : std::nullopt;
  auto alpha = operands ? recognition.constants.getSplat(operands->second)
                        : std::nullopt;
  if (alpha && isExpMinusOne(recognition, operands->first, x))
    recognition.add(EluAttr::get(context, recognition.real(*alpha)), {x});
}

/// max(x, slope * x), which is leaky_relu for slopes from 0 to 1.
static void recognizeLeakyMaximum(const Recognition &recognition,
                                  tosa::MaximumOp max) {
  for (auto [x, scaled] : {std::pair(max.getInput1(), max.getInput2()),
                           std::pair(max.getInput2(), max.getInput1())}) {
    auto slope = matchScaled(recognition, scaled, x);
    if (!slope || *slope < 0 || *slope > 1)
      continue;
    recognition.add(
        LeakyReluAttr::get(recognition.context(), recognition.real(*slope)),
        {x});
    return;
  }
}

void tosa_forms::recognizeActivation(const Recognition &recognition) {
  Operation *root = recognition.root;
  auto *context = recognition.context();
  if (isa<tosa::SigmoidOp>(root))
    return recognition.add(SigmoidAttr::get(context), {root->getOperand(0)});
  if (isa<tosa::TanhOp>(root))
    return recognition.add(TanhAttr::get(context), {root->getOperand(0)});
  if (auto mul = dyn_cast<tosa::MulOp>(root))
    recognizeSoftmax(recognition, mul);
  if (auto select = dyn_cast<tosa::SelectOp>(root))
    recognizeSelect(recognition, select);
  if (auto max = dyn_cast<tosa::MaximumOp>(root))
    recognizeLeakyMaximum(recognition, max);
  if (Value x = matchHardswish(recognition, recognition.result()))
    recognition.add(HardswishAttr::get(context), {x});
  if (Value x = matchHardsigmoid(recognition, recognition.result()))
    recognition.add(HardsigmoidAttr::get(context), {x});
  if (auto bounds = matchBounds(recognition, recognition.result()))
    addBounds(recognition, *bounds);
  // Should the inner bound be needed elsewhere: the outer one alone.
  if (auto bound = matchBound(recognition, recognition.result()))
    addBounds(recognition, *bound);
}

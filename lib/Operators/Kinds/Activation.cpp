// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises activation functions, spelled as one op or as several.

#include "Kinds/Recognizers.h"
#include "Reading/Expressions/Formula.h"

#include <cfloat>
#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

namespace {
/// A function of one number, as values at many points.
class Curve {
public:
  Curve(const FormulaReader &reader, const Formula *formula);
  /// The activation that has this curve; null if there is none.
  Attribute getKind(Recognition &recognition) const;

private:
  using Function = llvm::function_ref<double(double)>;

  /// Rounded, like the numbers that parameters were.
  float at(double x) const;
  /// Whether it is `function` from -`range` to `range`. The tolerance is
  /// absolute where the values are less than 1, and relative to x beyond the
  /// range, where both are finite.
  bool is(Function function, double tolerance, double range) const;
  Attribute getBounded(Recognition &recognition) const;
  Attribute getSmooth(MLIRContext *context) const;
  Attribute getExponential(Recognition &recognition) const;
  Attribute getSoftplus(Recognition &recognition) const;
  Attribute getPower(Recognition &recognition) const;

  const FormulaReader &reader;
  const Formula *formula;
  Samples xs, ys;
};
} // namespace

Curve::Curve(const FormulaReader &reader, const Formula *formula)
    : reader(reader), formula(formula) {
  for (double x = -12; x <= 12; x += 0.31)
    xs.push_back(x);
  for (double x :
       {1e-6, 0.5, 1.0, 3.0, 6.0, 40.0, 1e3, 1e6, 1e20, double(FLT_MAX)}) {
    xs.push_back(x);
    xs.push_back(-x);
  }
  xs.push_back(0);
  // A function that bends elsewhere than the one that it seems to be bends at a
  // number that it has, or at one made of two. At a jump itself > and >=
  // differ.
  constexpr size_t most = 8;
  SmallVector<double> bends = reader.getNumbers();
  bends.resize(std::min(bends.size(), most));
  const SmallVector<double> numbers = bends;
  for (double a : numbers)
    for (double b : numbers)
      if (a != b && bends.size() < most * most)
        bends.append({a / b, a - b, a + b});
  for (double bend : bends)
    if (double size = std::fabs(bend); size > 1e-6 && size < 1e6)
      for (double factor : {0.5, 0.999, 1.001, 1.5}) {
        xs.push_back(factor * bend);
        xs.push_back(-factor * bend);
      }
  std::vector<Samples> values(reader.variables.size());
  values[0] = xs;
  ys = reader.evaluate(formula, values);
}

float Curve::at(double x) const {
  std::vector<Samples> values(reader.variables.size());
  values[0] = {x};
  double y = reader.evaluate(formula, values).front();
  return std::clamp(y, -double(FLT_MAX), double(FLT_MAX));
}

bool Curve::is(Function function, double tolerance, double range) const {
  for (auto [x, y] : llvm::zip_equal(xs, ys)) {
    double expected = function(x);
    // Beyond the range formulas overflow, or end in constants that are almost
    // 0.
    if (std::fabs(x) > range) {
      if (std::isfinite(y) && std::isfinite(expected) &&
          std::fabs(y - expected) > tolerance * std::fabs(x))
        return false;
      continue;
    }
    if (!(std::fabs(y - expected) <=
          tolerance * std::max(1.0, std::fabs(expected))))
      return false;
  }
  return true;
}

static double relu6(double x) { return std::clamp(x, 0.0, 6.0); }

/// Functions made of straight lines with slope 1 or 0.
Attribute Curve::getBounded(Recognition &recognition) const {
  // Two of them in a row would make one bound.
  if (reader.count({ScalarKind::Max, ScalarKind::Select}) > 1 ||
      reader.count({ScalarKind::Min, ScalarKind::Select}) > 1)
    return {};
  double low = at(-FLT_MAX), high = at(FLT_MAX);
  if (!(low < high) || (low <= -FLT_MAX && high >= FLT_MAX))
    return {};
  auto function = [&](double x) { return std::clamp(x, low, high); };
  if (!is(function, 1e-6, FLT_MAX))
    return {};
  // Small bounds are exact, too.
  for (double bound : {low, high})
    for (double factor : {0.5, 1.0, 2.0})
      if (std::isfinite(bound) && std::fabs(bound) < 1e30 &&
          std::fabs(at(bound * factor) - function(bound * factor)) >
              1e-6 * std::fabs(bound))
        return {};
  MLIRContext *context = recognition.context();
  if (low == 0 && high >= FLT_MAX)
    return ReluAttr::get(context);
  if (low == 0 && high == 6)
    return Relu6Attr::get(context);
  if (low == -1 && high == 1)
    return HardtanhAttr::get(context, recognition.asFloat(low),
                             recognition.asFloat(high));
  return ClampAttr::get(context, recognition.asFloat(low),
                        recognition.asFloat(high));
}

Attribute Curve::getSmooth(MLIRContext *context) const {
  auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  if (is(sigmoid, 1e-6, 40))
    return SigmoidAttr::get(context);
  if (is([](double x) { return std::tanh(x); }, 1e-6, 40))
    return TanhAttr::get(context);
  if (is([&](double x) { return x * sigmoid(x); }, 1e-6, 40))
    return SiluAttr::get(context);
  if (is([](double x) { return relu6(x + 3) / 6; }, 1e-6, 1e6))
    return HardsigmoidAttr::get(context);
  if (is([](double x) { return x * relu6(x + 3) / 6; }, 1e-6, 1e6))
    return HardswishAttr::get(context);
  auto gelu = [](double x) {
    return x * (1 + std::erf(x / std::sqrt(2.0))) / 2;
  };
  // XLA's erf ends at 1 - 1.4e-7, which is a multiple of x.
  if (is(gelu, 2e-6, 12) && is(gelu, 1e-5, 40))
    return GeluAttr::get(context, /*tanh=*/false);
  // Some producers round sqrt(2 / pi) to three digits. Both kinds differ by
  // 5e-4.
  auto approximation = [](double x) {
    double inner = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
    return x * (1 + std::tanh(inner)) / 2;
  };
  if (is(approximation, 8e-5, 40))
    return GeluAttr::get(context, /*tanh=*/true);
  if (is([&](double x) { return x * sigmoid(1.702 * x); }, 1e-6, 40))
    return QuickGeluAttr::get(context);
  if (is([](double x) { return std::sin(x); }, 1e-6, 40))
    return SinAttr::get(context);
  if (is([](double x) { return std::cos(x); }, 1e-6, 40))
    return CosAttr::get(context);
  return {};
}

static double softplus(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

Attribute Curve::getSoftplus(Recognition &recognition) const {
  MLIRContext *context = recognition.context();
  // log(1 + exp(x)) rounds 1 + exp(x); PyTorch has a line from 20 on.
  double beta = M_LN2 / at(0);
  if (beta > 1e-3 && beta < 1e3 &&
      is([&](double x) { return softplus(beta * x) / beta; }, 2e-6, 40))
    return SoftplusAttr::get(context, recognition.asFloat(beta));
  if (is([](double x) { return x * std::tanh(softplus(x)); }, 2e-6, 40))
    return MishAttr::get(context);
  return {};
}

/// Powers, on numbers that have them.
Attribute Curve::getPower(Recognition &recognition) const {
  if (at(1) != 1)
    return {};
  double exponent = std::log2(at(2));
  if (!std::isfinite(exponent) || std::fabs(exponent) < 1e-3 || exponent == 1)
    return {};
  // Producers have the exponent in f32.
  double whole = std::round(exponent * 2) / 2;
  if (isClose(exponent, whole))
    exponent = whole;
  bool isWhole = exponent == std::floor(exponent);
  for (auto [x, y] : llvm::zip_equal(xs, ys)) {
    if (x == 0 || std::fabs(x) > 1e3)
      continue;
    // Not that of |x|.
    if (x < 0 && !isWhole) {
      if (!std::isnan(y))
        return {};
      continue;
    }
    double expected = std::pow(x, exponent);
    if (!(std::fabs(y - expected) <= 2e-6 * std::fabs(expected)))
      return {};
  }
  MLIRContext *context = recognition.context();
  // The root itself, and the inverse of x, have no kind.
  if (exponent == 0.5 || exponent == -1)
    return {};
  if (exponent == 2)
    return SquareAttr::get(context);
  if (exponent == -0.5)
    return RsqrtAttr::get(context);
  return PowAttr::get(context, recognition.asFloat(exponent));
}

/// How many bends are one in the other, at most: the leaky relu of a leaky relu
/// is no leaky relu, though it looks like one, and nor is its absolute value.
static unsigned
countNestedBends(const Formula *formula,
                 llvm::DenseMap<const Formula *, unsigned> &known) {
  if (!formula)
    return 0;
  if (auto it = known.find(formula); it != known.end())
    return it->second;
  unsigned nested = 0;
  for (const Formula *operand : {formula->a, formula->b, formula->c})
    // What is compared is no part of the value.
    if (operand && operand->kind != ScalarKind::Greater)
      nested = std::max(nested, countNestedBends(operand, known));
  bool isBend =
      formula->kind == ScalarKind::Abs || formula->kind == ScalarKind::Max ||
      formula->kind == ScalarKind::Min || formula->kind == ScalarKind::Select;
  return known[formula] = nested + isBend;
}

/// Functions that are x above 0.
Attribute Curve::getExponential(Recognition &recognition) const {
  MLIRContext *context = recognition.context();
  double slope = -at(-1);
  auto leaky = [&](double x) { return x > 0 ? x : slope * x; };
  llvm::DenseMap<const Formula *, unsigned> bends;
  if (countNestedBends(formula, bends) == 1 && slope != 0 &&
      std::fabs(slope) != 1 && std::isfinite(slope) &&
      is(leaky, 1e-6, FLT_MAX) &&
      std::fabs(at(-1e-6) + slope * 1e-6) <= std::fabs(slope) * 1e-12)
    return LeakyReluAttr::get(context, recognition.asFloat(slope));
  auto selu = [](double x) {
    return 1.0507009873554804934 *
           (x > 0 ? x : 1.6732632423543772848 * std::expm1(x));
  };
  // Some producers have the constants with four digits.
  if (is(selu, 3e-5, 1e6))
    return SeluAttr::get(context);
  double alpha = -at(-1e6);
  if (!(alpha > 0) || !std::isfinite(alpha))
    return {};
  auto elu = [&](double x) { return x > 0 ? x : alpha * std::expm1(x); };
  if (is(elu, 1e-6, 1e6))
    return EluAttr::get(context, recognition.asFloat(alpha));
  auto celu = [&](double x) {
    return x > 0 ? x : alpha * std::expm1(x / alpha);
  };
  if (is(celu, 1e-6, 1e6))
    return CeluAttr::get(context, recognition.asFloat(alpha));
  return {};
}

Attribute Curve::getKind(Recognition &recognition) const {
  if (Attribute kind = getBounded(recognition))
    return kind;
  if (Attribute kind = getSmooth(recognition.context()))
    return kind;
  if (Attribute kind = getExponential(recognition))
    return kind;
  if (Attribute kind = getSoftplus(recognition))
    return kind;
  return getPower(recognition);
}

//===----------------------------------------------------------------------===//
// Slopes as parameters
//===----------------------------------------------------------------------===//

/// x > 0 ? x : weight * x, with one slope or one for each channel.
static bool recognizePrelu(Recognition &recognition,
                           const FormulaReader &reader,
                           const Formula *formula) {
  const Variable *weight = nullptr;
  unsigned index = 0;
  for (unsigned variable : reader.getVariables(formula)) {
    if (variable == 0)
      continue;
    if (weight || reader.variables[variable].kind != Variable::Parameter)
      return false;
    index = variable;
    weight = &reader.variables[variable];
  }
  if (!weight)
    return false;
  std::vector<Samples> values(reader.variables.size());
  values[0] = {-2.5, -0.1, 0.2, 3.5, 0, -1e6, 1e6, -1e-6, -7};
  values[index] = {0.3, -1.2, 2.5, 0.7, 1.9, 0.6, -0.4, 1.1, 5};
  Samples found = reader.evaluate(formula, values);
  for (auto [i, value] : llvm::enumerate(found)) {
    double x = values[0][i];
    if (!isClose(value, x > 0 ? x : x * values[index][i]))
      return false;
  }

  auto type = reader.getType();
  auto weightType = cast<RankedTensorType>(weight->value.getType());
  std::optional<unsigned> axis;
  SmallVector<AffineExpr> exprs;
  for (auto [place, size] :
       llvm::zip_equal(weight->position, weightType.getShape())) {
    bool varies = place && size != 1;
    if (varies && axis)
      return false;
    if (varies)
      axis = *place;
    exprs.push_back(varies ? getAffineDimExpr(*place, type.getContext())
                           : getAffineConstantExpr(0, type.getContext()));
  }
  auto map = AffineMap::get(type.getRank(), 0, exprs, type.getContext());
  auto view = viewThroughLayout(weight->value, map, /*reshapes=*/true);
  if (!view || (axis && type.isDynamicDim(*axis)))
    return false;
  RecognizedOperator op;
  op.kind = PreluAttr::get(recognition.context(),
                           axis.value_or(type.getRank() > 1 ? 1 : 0));
  op.result = recognition.result();
  op.inputs = {RecognizedOperand::of(reader.getInput())};
  if (axis) {
    op.weight = arrange(*view, {*axis}, {type.getDimSize(*axis)});
  } else {
    op.weight = RecognizedOperand::of(view->source);
    if (cast<RankedTensorType>(view->source.getType()).getRank() != 1)
      op.weight.shape = {1};
  }
  if (!op.weight)
    return false;
  recognition.found.push_back(std::move(op));
  return true;
}

/// Whether something in it is not linear.
static bool isCurved(const FormulaReader &reader, const Formula *formula) {
  if (reader.count({ScalarKind::Max, ScalarKind::Min, ScalarKind::Select,
                    ScalarKind::Abs, ScalarKind::Exp, ScalarKind::ExpM1,
                    ScalarKind::Tanh, ScalarKind::Erf, ScalarKind::Sin,
                    ScalarKind::Cos, ScalarKind::Rsqrt, ScalarKind::Sqrt,
                    ScalarKind::Power}) > 0)
    return true;
  // A square or a cube.
  return formula->kind == ScalarKind::Mul && formula->a &&
         formula->a->kind != ScalarKind::Constant &&
         formula->b->kind != ScalarKind::Constant;
}

void forms::recognizeActivation(Recognition &recognition) {
  ScalarExpressions &expressions = recognition.expressions;
  Operation *root = recognition.root;
  if (!expressions.readElementwise(root))
    return;
  // The farthest first: with them the operator is the largest.
  SmallVector<Value> candidates =
      getCandidates(root, /*reduced=*/false, expressions);
  for (Value candidate : llvm::reverse(candidates)) {
    FormulaReader reader(expressions, candidate, /*splatsAreParameters=*/true);
    const Formula *formula = reader.read(root);
    if (!formula || !isCurved(reader, formula))
      continue;
    if (reader.variables.size() > 1 &&
        recognizePrelu(recognition, reader, formula))
      continue;
    FormulaReader numbers(expressions, candidate);
    const FormulaReader *last = &reader;
    if (reader.hasBroadcastSplat) {
      formula = numbers.read(root);
      last = &numbers;
    }
    if (!formula || last->variables.size() > 1)
      continue;
    if (Attribute kind = Curve(*last, formula).getKind(recognition))
      recognition.add(kind, candidate);
  }
}

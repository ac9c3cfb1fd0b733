// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells statistics apart by the values of what is reduced.

#include "Reading/Expressions/Statistics.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

static double getSize(RankedTensorType type, ArrayRef<unsigned> axes) {
  double size = 1;
  for (unsigned axis : axes)
    size *= type.isDynamicDim(axis) ? 0 : type.getDimSize(axis);
  return size;
}

/// The factor between two functions; nullopt if there is none.
static std::optional<double> getFactor(const Samples &values,
                                       const Samples &expected) {
  double factor = values[0] / expected[0];
  if (!std::isfinite(factor) || factor == 0)
    return std::nullopt;
  for (auto [value, wanted] : llvm::zip_equal(values, expected))
    if (!(std::fabs(value - factor * wanted) <=
          1e-6 * std::fabs(factor) * std::max(1.0, std::fabs(wanted))))
      return std::nullopt;
  return factor;
}

/// What a statistic is where the distribution is this.
static Samples getValue(const Statistic &statistic, double count,
                        const Distribution &at) {
  Samples values(at.x.size());
  for (size_t i = 0; i < values.size(); ++i) {
    switch (statistic.kind) {
    case Statistic::Sum:
      values[i] = count * at.mean[i];
      break;
    case Statistic::Squares:
      values[i] = count * (at.variance[i] + at.mean[i] * at.mean[i]);
      break;
    case Statistic::Deviations:
      values[i] = count * at.variance[i];
      break;
    case Statistic::Max:
      values[i] = at.max[i];
      break;
    case Statistic::Exponentials:
      values[i] = at.exponentials[i];
      break;
    case Statistic::ShiftedExponentials:
      values[i] = at.exponentials[i] * std::exp(-at.max[i]);
      break;
    }
    values[i] *= statistic.scale;
  }
  return values;
}

/// Two reductions one after the other.
static std::optional<Statistic> merge(const FormulaReader &reader,
                                      const Variable &outer,
                                      unsigned innerIndex,
                                      const Statistic &inner) {
  bool isMax = inner.kind == Statistic::Max;
  if ((outer.reduction == ScalarKind::Max) != isMax)
    return std::nullopt;
  std::vector<Samples> values(reader.variables.size());
  values[innerIndex] = {1, 2.5, -3, 0};
  // Any variable tells the number of points.
  values[0] = Samples(4);
  Samples found = reader.evaluate(outer.element, values);
  auto factor = getFactor(found, values[innerIndex]);
  if (!factor || (isMax && *factor != 1))
    return std::nullopt;
  Statistic merged = inner;
  merged.scale *= *factor;
  merged.axes.append(outer.axes.begin(), outer.axes.end());
  dropUnitAxes(merged.axes, reader.getType());
  return merged;
}

bool Statistics::readVariable(const FormulaReader &reader, unsigned index) {
  const Variable &variable = reader.variables[index];
  SmallVector<unsigned> operands = reader.getVariables(variable.element);
  for (unsigned operand : operands)
    if (reader.variables[operand].kind == Variable::Parameter)
      return false;
  // Those it is made of come before it.
  auto find = [&](unsigned operand) -> const Statistic * {
    auto it = statistics.find(operand);
    return it == statistics.end() ? nullptr : &it->second;
  };
  if (operands.size() == 1 && operands[0] != 0) {
    const Statistic *inner = find(operands[0]);
    if (!inner || llvm::any_of(inner->axes, [&](unsigned axis) {
          return llvm::is_contained(variable.axes, axis);
        }))
      return false;
    auto merged = merge(reader, variable, operands[0], *inner);
    if (!merged)
      return false;
    statistics.emplace(index, *merged);
    return true;
  }
  if (operands.empty() || operands[0] != 0)
    return false;

  Distribution at;
  at.x = {0.3, 1.1, -0.7, 2.3, -1.9, 0.5};
  at.mean = {1.5, -0.4, 0.2, 0.9, -0.6, 2.1};
  at.max = {2.4, 1.2, 3.1, 2.7, -1.1, 0.8};
  std::vector<Samples> values(reader.variables.size());
  values[0] = at.x;
  bool hasMean = false, hasMax = false;
  for (unsigned operand : llvm::drop_begin(operands)) {
    const Statistic *inner = find(operand);
    if (!inner ||
        (inner->kind != Statistic::Sum && inner->kind != Statistic::Max) ||
        (!axes.empty() && axes != inner->axes))
      return false;
    // The whole is over the dimensions of its parts.
    axes = inner->axes;
    hasMean |= inner->kind == Statistic::Sum;
    hasMax |= inner->kind == Statistic::Max;
    values[operand] =
        getValue(*inner, getSize(reader.getType(), inner->axes), at);
  }
  Samples found = reader.evaluate(variable.element, values);
  auto match = [&](Statistic::Kind kind, auto function) {
    Samples expected;
    for (size_t i = 0; i < at.x.size(); ++i)
      expected.push_back(function(at.x[i], at.mean[i], at.max[i]));
    auto factor = getFactor(found, expected);
    if (factor)
      statistics.emplace(index, Statistic{kind, *factor, variable.axes});
    return factor.has_value();
  };
  if (variable.reduction == ScalarKind::Max)
    return match(Statistic::Max, [](double x, double, double) { return x; }) &&
           statistics.at(index).scale == 1;
  if (hasMean)
    return match(Statistic::Deviations, [](double x, double mean, double) {
      return (x - mean) * (x - mean);
    });
  if (hasMax)
    return match(
        Statistic::ShiftedExponentials,
        [](double x, double, double max) { return std::exp(x - max); });
  return match(Statistic::Sum, [](double x, double, double) { return x; }) ||
         match(Statistic::Squares,
               [](double x, double, double) { return x * x; }) ||
         match(Statistic::Exponentials,
               [](double x, double, double) { return std::exp(x); });
}

std::optional<Statistics> Statistics::read(const FormulaReader &reader,
                                           const Formula *formula) {
  Statistics result;
  for (auto [index, variable] : llvm::enumerate(reader.variables))
    if (variable.kind == Variable::Reduction &&
        !result.readVariable(reader, index))
      return std::nullopt;
  // Those that the formula itself has, and what they are compared with.
  for (unsigned index : reader.getVariables(formula)) {
    auto it = result.statistics.find(index);
    if (it == result.statistics.end())
      continue;
    if (!result.axes.empty() && result.axes != it->second.axes)
      return std::nullopt;
    result.axes = it->second.axes;
  }
  if (result.axes.empty())
    return std::nullopt;
  result.count = getSize(reader.getType(), result.axes);
  return result;
}

std::vector<Samples>
Statistics::getValues(const FormulaReader &reader,
                      const Distribution &distribution) const {
  std::vector<Samples> values(reader.variables.size());
  values[0] = distribution.x;
  for (const auto &[index, statistic] : statistics)
    values[index] = getValue(statistic, count, distribution);
  return values;
}

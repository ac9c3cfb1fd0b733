// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of an activation that functions of it are made of.

#ifndef QBACKEND_LIB_OPERATORS_READING_EXPRESSIONS_STATISTICS_H
#define QBACKEND_LIB_OPERATORS_READING_EXPRESSIONS_STATISTICS_H

#include "Reading/Expressions/Formula.h"
#include <set>

namespace qbackend::forms {

/// `scale` times the reduction of the input x over `axes`.
struct Statistic {
  enum Kind {
    /// Sums of x, x * x, (x - mean)^2.
    Sum,
    Squares,
    Deviations,
    Max,
    /// Sums of exp(x), exp(x - max).
    Exponentials,
    ShiftedExponentials,
  };
  Kind kind;
  double scale;
  llvm::SmallVector<unsigned> axes;
};

/// The values that statistics have at a number of points.
struct Distribution {
  Samples x, mean, variance, max, exponentials;
};

/// The statistics that a formula has.
class Statistics {
public:
  /// Nullopt if a variable is a reduction of another kind, or if they are not
  /// all over the same dimensions.
  static std::optional<Statistics> read(const FormulaReader &reader,
                                        const Formula *formula);

  bool has(Statistic::Kind kind) const {
    return llvm::any_of(statistics, [&](const auto &entry) {
      return entry.second.kind == kind;
    });
  }
  unsigned countKinds() const {
    std::set<Statistic::Kind> kinds;
    for (const auto &[index, statistic] : statistics)
      kinds.insert(statistic.kind);
    return kinds.size();
  }
  llvm::ArrayRef<unsigned> getAxes() const { return axes; }
  /// The number of elements that are reduced; 0 if it is dynamic.
  double getCount() const { return count; }

  /// What the variables of `reader` are there; parameters are left empty.
  std::vector<Samples> getValues(const FormulaReader &reader,
                                 const Distribution &distribution) const;

private:
  bool readVariable(const FormulaReader &reader, unsigned index);

  /// By variable.
  std::map<unsigned, Statistic> statistics;
  llvm::SmallVector<unsigned> axes;
  double count = 0;
};

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_READING_EXPRESSIONS_STATISTICS_H

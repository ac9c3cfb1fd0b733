// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a comparison of two networks has summed up over samples, in sums that
// don't depend on their order: in memory, and as JSON of a part of them.

#ifndef QBACKEND_LIB_INSIGHT_COMPARISON_COMPARISONTOTALS_H
#define QBACKEND_LIB_INSIGHT_COMPARISON_COMPARISONTOTALS_H

#include "qbackend/Execution/Samples/ArrayFile.h"
#include "qbackend/Insight/Comparison/OperatorErrors.h"
#include "qbackend/Numerics/ExactSum.h"

#include "llvm/Support/JSON.h"

namespace qbackend::evaluation {

/// The sums of ErrorSums over samples.
struct ErrorTotals {
  int64_t elements = 0;
  double largest = 0;
  numerics::ExactSum signal, other, noise, product;
  std::vector<numerics::ExactSum> channelSignal, channelNoise;

  void add(const ErrorSums &sums);
  void add(const ErrorTotals &totals);
  ErrorSums getSums() const;
};

/// Those of one operator, see OperatorErrors.
struct OperatorTotals {
  ErrorTotals cumulative, local, fromInputs, own, weight, bias, clip, round;
  calibration::Statistics statistics, quantizedStatistics;

  void add(const OperatorTotals &totals);
};

/// Those of all operators, and the results of both networks.
struct ComparisonTotals {
  std::vector<OperatorTotals> operators;
  std::vector<arrays::NamedArray> outputs, otherOutputs;

  /// Adds what was summed up over the samples that follow.
  void add(const ComparisonTotals &totals);
};

llvm::json::Value toJSON(const ComparisonTotals &totals);

/// Reads what toJSON has written, of so many operators.
llvm::Expected<ComparisonTotals> readTotals(const llvm::json::Value &value,
                                            size_t operators);

} // namespace qbackend::evaluation

#endif // QBACKEND_LIB_INSIGHT_COMPARISON_COMPARISONTOTALS_H

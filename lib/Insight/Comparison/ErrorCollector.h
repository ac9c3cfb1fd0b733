// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects what each operator did to the samples, while both networks run.

#ifndef QBACKEND_LIB_INSIGHT_COMPARISON_ERRORCOLLECTOR_H
#define QBACKEND_LIB_INSIGHT_COMPARISON_ERRORCOLLECTOR_H

#include "ComparisonFunction.h"
#include "ComparisonTotals.h"

#include "qbackend/Execution/Runtime/Executable.h"

#include <map>
#include <mutex>

namespace qbackend::evaluation {

/// What the operators of a sample did. Samples run in any order, and a part of
/// them may run elsewhere: the sums of each are added up exactly.
class ErrorCollector {
public:
  ErrorCollector(llvm::ArrayRef<OperatorErrors> operators,
                 llvm::ArrayRef<Site> sites,
                 std::vector<OperatorTotals> &totals)
      : operators(operators), sites(sites), totals(totals) {
    totals.resize(operators.size());
  }

  /// Called by the compiled code.
  void add(int64_t index, const runtime::UnrankedMemRef *tensor);

  /// Adds up what the samples before `end` did.
  void flush(int64_t end);

private:
  struct Sums {
    ErrorSums cumulative, local, fromInputs, own, weight, bias, clip, round;
  };
  struct Sample {
    std::vector<Sums> sums;
    /// Results of the quantized network that were not compared yet.
    std::map<unsigned, std::vector<float>> cumulative;
    std::vector<float> exact, fromInputs;
  };

  void addStatistics(calibration::Statistics &statistics,
                     llvm::ArrayRef<float> values, int64_t channels,
                     int64_t sample);
  void addRange(Sums &sums, const OperatorErrors &op,
                llvm::ArrayRef<float> exact, llvm::ArrayRef<float> values,
                int64_t channels);

  llvm::ArrayRef<OperatorErrors> operators;
  llvm::ArrayRef<Site> sites;
  std::vector<OperatorTotals> &totals;
  std::map<int64_t, Sample> samples;
  std::mutex mutex;
};

} // namespace qbackend::evaluation

#endif // QBACKEND_LIB_INSIGHT_COMPARISON_ERRORCOLLECTOR_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries what a report of operators suggests, before anybody reads it.

#ifndef QBACKEND_INSIGHT_TUNING_ADVICE_H
#define QBACKEND_INSIGHT_TUNING_ADVICE_H

#include "qbackend/Insight/Comparison/OperatorErrors.h"
#include "qbackend/Insight/Tuning/Simulation.h"

namespace qbackend::tuning {

/// In dB: what takes half of the noise away was a fault.
inline constexpr double kWrong = 3;

/// In dB: results below are of little use; what is worst there is to be mended,
/// where in a good network some operator is the worst one, too.
inline constexpr double kPoor = 20;

/// What a network gives that is calibrated on the samples at hand, in dB.
struct TriedAdvice {
  double sqnr = 0;
  /// With what helps together: the changes of those findings, by number, and
  /// the operators of those kept float.
  double mendedSqnr = 0;
  llvm::SmallVector<unsigned> mending, keptFloat;
  /// The text of a file with their mapping; empty if there are none.
  std::string mapping;
};

/// Tries the suggestions of the first `count` of `findings` by simulation, each
/// alone, on the samples of `options`. What gives less than 0.1 dB is replaced
/// by keeping the operator float; what then gives no more is taken out. The
/// others get their gain. `combined`: also tries
/// them together, in their order. If the result is poor then, the worst
/// operators are float in the mapping, as few as it takes.
llvm::Expected<TriedAdvice>
tryAdvice(mlir::ModuleOp module, const NetworkOptions &options,
          llvm::ArrayRef<evaluation::OperatorErrors> operators,
          std::vector<evaluation::Finding> &findings, size_t count,
          bool combined = false);

} // namespace qbackend::tuning

#endif // QBACKEND_INSIGHT_TUNING_ADVICE_H

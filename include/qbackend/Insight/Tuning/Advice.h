// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries what a report of operators suggests, before anybody reads it.

#ifndef QBACKEND_INSIGHT_TUNING_ADVICE_H
#define QBACKEND_INSIGHT_TUNING_ADVICE_H

#include "qbackend/Insight/Comparison/OperatorErrors.h"
#include "qbackend/Insight/Tuning/Simulation.h"

namespace qbackend::tuning {

/// What a network gives that is calibrated on the samples at hand, in dB.
struct TriedAdvice {
  double sqnr = 0;
};

/// Tries the suggestions of the first `count` of `findings` by simulation, each
/// alone, on the samples of `options`, on which the network is calibrated, too.
/// What gives less than 0.1 dB is replaced by keeping the operator float; what
/// then gives no more is taken out. The others get their gain.
llvm::Expected<TriedAdvice>
tryAdvice(mlir::ModuleOp module, const NetworkOptions &options,
          llvm::ArrayRef<evaluation::OperatorErrors> operators,
          std::vector<evaluation::Finding> &findings, size_t count);

} // namespace qbackend::tuning

#endif // QBACKEND_INSIGHT_TUNING_ADVICE_H

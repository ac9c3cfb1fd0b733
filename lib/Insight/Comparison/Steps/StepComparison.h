// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function of a network and of an integer form of it that has no scales, in
// which each step of the second is there once more on the inputs of the first.

#ifndef QBACKEND_LIB_INSIGHT_COMPARISON_STEPS_STEPCOMPARISON_H
#define QBACKEND_LIB_INSIGHT_COMPARISON_STEPS_STEPCOMPARISON_H

#include "ComparisonFunction.h"

namespace qbackend {

struct StepComparison {
  ComparisonFunction both;
  /// By operator: whether its range has the unit for a scale that isn't known,
  /// and 0 for a zero point that isn't.
  struct Unknown {
    bool scale = false, zeroPoint = false;
  };
  std::vector<Unknown> unknown;
};

/// Adds the function to `module`, which holds `first`, float with fused
/// operators, or of integers. `second` is of integers, in another module.
/// `ranges` are those of an earlier comparison's operators with the scales that
/// it left unknown; without, such an operator has but the results of both.
StepComparison createStepComparison(
    mlir::ModuleOp module, mlir::func::FuncOp first, mlir::func::FuncOp second,
    llvm::ArrayRef<std::optional<evaluation::QuantizedRange>> ranges);

} // namespace qbackend

#endif // QBACKEND_LIB_INSIGHT_COMPARISON_STEPS_STEPCOMPARISON_H

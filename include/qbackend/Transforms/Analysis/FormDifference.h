// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far the results of a network in a form that isn't exact can be from those
// of its kernels.

#ifndef QBACKEND_TRANSFORMS_ANALYSIS_FORMDIFFERENCE_H
#define QBACKEND_TRANSFORMS_ANALYSIS_FORMDIFFERENCE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace qbackend {

/// How far the elements of one result of a network can be from those of the
/// exact form, in steps of the result: its scale.
struct ResultDifference {
  /// No element is further for any input; nothing if it is computed in floats
  /// from values that may differ.
  std::optional<int64_t> most;
  /// About one element in a million is further, if sums are evenly distributed
  /// and differences independent: an estimate.
  int64_t likely = 0;
  /// 0 if the result is not of a quantized value.
  double scale = 0.0;
};

/// What was seen when both forms ran on samples.
struct MeasuredDifference {
  /// The furthest element of each result, in steps.
  llvm::SmallVector<int64_t> steps;
  int64_t samples = 0;
};

/// Says at the module of `network`, as QB131, what its results can be off by in
/// `form`, and what they were where it was measured.
void remarkDifferences(mlir::func::FuncOp network, llvm::StringRef form,
                       llvm::ArrayRef<ResultDifference> results,
                       const std::optional<MeasuredDifference> &measured = {});

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_ANALYSIS_FORMDIFFERENCE_H

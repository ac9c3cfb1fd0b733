// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares a network with a quantized form of it, operator by operator.

#ifndef QBACKEND_INSIGHT_COMPARISON_COMPAREOPERATORS_H
#define QBACKEND_INSIGHT_COMPARISON_COMPAREOPERATORS_H

#include "qbackend/Execution/Pipelines/RunModule.h"
#include "qbackend/Insight/Comparison/OperatorErrors.h"
#include "qbackend/Pipelines/Pipelines.h"
#include "qbackend/Support/Parts.h"

namespace qbackend {

/// The operators of both networks, and the results of both for all samples.
struct OperatorComparison {
  std::vector<evaluation::OperatorErrors> operators;
  std::vector<arrays::NamedArray> outputs, otherOutputs;
};

/// Runs `original` and `quantized` on the samples of `options`, in one pass
/// over them; what it keeps doesn't grow with their number. `quantized` is in
/// the reference form, in the ops of an engine, or comes quantized in any form
/// that is imported. Its integers are taken as they are; where they have no
/// scales, those that fit the floats best are found in a pass before. If
/// `original` is of integers, too, both are compared in steps of them.
/// `prepare` says how the operators of `original` are fused, and which
/// observers they would have. With `readParts`, which reads parts of what it is
/// given, nothing runs: what compareOperatorsInPart gave for all samples is put
/// together, to the same numbers.
llvm::Expected<OperatorComparison>
compareOperators(mlir::ModuleOp original, mlir::ModuleOp quantized,
                 const PreparePipelineOptions &prepare,
                 const RunOptions &options, PartsReader readParts = {});

/// The same on the part of the samples that `options` have: its sums and
/// results.
llvm::Expected<Parts>
compareOperatorsInPart(mlir::ModuleOp original, mlir::ModuleOp quantized,
                       const PreparePipelineOptions &prepare,
                       const RunOptions &options);

} // namespace qbackend

#endif // QBACKEND_INSIGHT_COMPARISON_COMPAREOPERATORS_H

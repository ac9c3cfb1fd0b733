// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What networks cost to run, predicted and measured.

#ifndef QBACKEND_INSIGHT_COST_REPORTCOST_H
#define QBACKEND_INSIGHT_COST_REPORTCOST_H

#include "qbackend/Execution/Pipelines/RunModule.h"
#include "qbackend/Insight/Cost/Cost.h"

namespace qbackend {

/// The cost of `module`, of any stage, whose operators are raised for that.
/// With `profile`, it also runs on the samples of `options`, on one thread, and
/// each operator has the mean of its times. `module` is changed, and has to
/// outlive the result.
llvm::Expected<NetworkCost> reportCost(mlir::ModuleOp module,
                                       const RunOptions &options, bool profile);

/// The median time in seconds of a call of `module`, of any stage: of one batch
/// of the size that it was exported with, one sample if that is dynamic, on one
/// thread. It is called on the samples of `options` for a second, or 50 times;
/// the first call doesn't count.
llvm::Expected<double> measureCall(mlir::ModuleOp module,
                                   const RunOptions &options);

} // namespace qbackend

#endif // QBACKEND_INSIGHT_COST_REPORTCOST_H

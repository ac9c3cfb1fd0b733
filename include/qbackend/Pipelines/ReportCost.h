// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What networks cost to run, predicted and measured.

#ifndef QBACKEND_PIPELINES_REPORTCOST_H
#define QBACKEND_PIPELINES_REPORTCOST_H

#include "qbackend/Inspection/Cost.h"
#include "qbackend/Pipelines/Execution.h"

namespace qbackend {

/// The cost of `module`, of any stage, whose operators are raised for that.
/// With `profile`, it also runs on the samples of `options`, on one thread, and
/// each operator has the mean of its times. `module` is changed, and has to
/// outlive the result.
llvm::Expected<NetworkCost> reportCost(mlir::ModuleOp module,
                                       const RunOptions &options, bool profile);

} // namespace qbackend

#endif // QBACKEND_PIPELINES_REPORTCOST_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs all passes on a module, and keeps what each one left.

#ifndef QBACKEND_INSIGHT_STAGES_RECORDSTAGES_H
#define QBACKEND_INSIGHT_STAGES_RECORDSTAGES_H

#include "qbackend/Insight/Stages/Stages.h"
#include "llvm/Support/Error.h"

namespace qbackend {

/// Runs apply-backend with `options`, as `backend=qnnpack data=x.npz`, on
/// `module`. The first stage is the module as it came; a pass that changes
/// nothing in the entry has none. Errors of passes are emitted.
llvm::Expected<std::vector<Stage>> recordStages(mlir::ModuleOp module,
                                                llvm::StringRef entry,
                                                llvm::StringRef options);

} // namespace qbackend

#endif // QBACKEND_INSIGHT_STAGES_RECORDSTAGES_H

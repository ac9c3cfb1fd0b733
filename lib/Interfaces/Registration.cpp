// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers all wings at once.

#include "qbackend/Interfaces/Registration.h"

#include "qbackend/Execution/Pipelines/Passes.h"
#include "qbackend/Insight/Registration.h"
#include "qbackend/Pipelines/Passes.h"

void qbackend::registerAllDialects(mlir::DialectRegistry &registry) {
  registerCoreDialects(registry);
  registerExecution(registry);
  registerInsight(registry);
}

void qbackend::registerAllPasses() {
  registerCorePasses();
  registerExecutionPasses();
  registerInsightPasses();
}

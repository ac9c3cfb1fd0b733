// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's threads, where the system gives few.

#include "Threads.h"

#include "qbackend/Execution/Runtime/ThreadPool.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"

void qbackend::limitThreads() {
  if (runtime::canStartPools())
    return;
  mlir::registerMLIRContextCLOptions();
  // What the option of that name does, for contexts that MLIR's own main
  // functions make, too.
  auto &options = llvm::cl::getRegisteredOptions();
  static_cast<llvm::cl::opt<bool> *>(options.lookup("mlir-disable-threading"))
      ->setValue(true);
}

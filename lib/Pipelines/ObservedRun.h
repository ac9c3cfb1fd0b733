// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An observed module that runs on samples, with somebody who looks on.

#ifndef QBACKEND_LIB_PIPELINES_OBSERVEDRUN_H
#define QBACKEND_LIB_PIPELINES_OBSERVEDRUN_H

#include "qbackend/Pipelines/Calibrate.h"
#include "qbackend/Pipelines/Execution.h"

namespace qbackend {

/// A module whose observers call a hook, and the samples that the options name,
/// or synthetic ones.
struct ObservedRun {
  SampleRun run;

  /// Compiles `module`, which calls the symbol `hook` as compileModule says.
  llvm::Error compile(mlir::ModuleOp module, mlir::func::FuncOp function,
                      const CalibrateOptions &options,
                      runtime::Executable::Symbol hook);

  /// Opens the samples for the compiled `function`.
  llvm::Error open(mlir::func::FuncOp function,
                   const CalibrateOptions &options);

private:
  std::vector<arrays::NamedArray> synthetic;
};

} // namespace qbackend

#endif // QBACKEND_LIB_PIPELINES_OBSERVEDRUN_H

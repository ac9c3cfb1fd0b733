// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observed modules, compiled in memory and run on samples: what calibration
// asks of a NetworkRunnerInterface.

#ifndef QBACKEND_EXECUTION_PIPELINES_OBSERVEDRUN_H
#define QBACKEND_EXECUTION_PIPELINES_OBSERVEDRUN_H

#include "qbackend/Execution/Pipelines/RunModule.h"
#include "qbackend/Pipelines/NetworkRunner.h"

namespace qbackend {

/// A module whose observers call `observed`, and its samples.
class ObservedRun : public NetworkRun {
public:
  /// Compiles `module`, see NetworkRunnerInterface::prepare.
  static llvm::Expected<std::unique_ptr<ObservedRun>>
  compile(mlir::ModuleOp module, mlir::func::FuncOp function,
          const SampleRequest &request, ObserveCallback observed);

  llvm::Error open() override;
  int64_t getSampleCount() const override { return samples.source->size(); }
  llvm::Error skip(int64_t count) override { return samples.skip(count); }
  llvm::Error
  run(int64_t count, llvm::StringRef label,
      llvm::function_ref<llvm::Error(int64_t, int64_t)> finished) override;

  /// The compiled function. Whoever brings samples of its own sets the source.
  SampleRun samples;

private:
  SampleRequest request;
  mlir::func::FuncOp function;
  std::vector<arrays::NamedArray> synthetic;
};

/// What calls `observed` for each observer of a module that compileModule
/// compiles.
runtime::Executable::HookFunction getObserveHook(ObserveCallback observed);

} // namespace qbackend

#endif // QBACKEND_EXECUTION_PIPELINES_OBSERVEDRUN_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a module of any stage to plain code: creation and registration.

#ifndef QBACKEND_EXECUTION_PIPELINES_PASSES_H
#define QBACKEND_EXECUTION_PIPELINES_PASSES_H

#include "mlir/IR/DialectInterface.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace qbackend {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "qbackend/Execution/Pipelines/Passes.h.inc"

/// What a dialect of a host compiler implements so that networks with its ops
/// between ours can be run, and so be calibrated with data.
class RunnableDialectInterface
    : public mlir::DialectInterface::Base<RunnableDialectInterface> {
public:
  explicit RunnableDialectInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// Appends what makes code of upstream dialects on tensors of the dialect's
  /// ops, in a module that has other ops too.
  virtual void addLoweringPasses(mlir::OpPassManager &manager) const = 0;
};

/// Registers what runs networks: the dialects that it compiles, and a
/// NetworkRunnerInterface of QBackendDialect.
void registerExecution(mlir::DialectRegistry &registry);
/// Registers the passes and pipelines of the wing.
void registerExecutionPasses();

} // namespace qbackend

#endif // QBACKEND_EXECUTION_PIPELINES_PASSES_H

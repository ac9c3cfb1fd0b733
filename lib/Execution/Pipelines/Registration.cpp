// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers what Execution brings, and makes it what runs networks.

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Execution/CodeGen/Passes.h"
#include "qbackend/Execution/Int8/Passes.h"
#include "qbackend/Execution/Pipelines/CheckSamples.h"
#include "qbackend/Execution/Pipelines/ObservedRun.h"
#include "qbackend/Execution/Pipelines/Passes.h"
#include "qbackend/Execution/Runtime/Executable.h"

#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace qbackend;

namespace {
struct JITRunner final : NetworkRunnerInterface {
  using NetworkRunnerInterface::NetworkRunnerInterface;

  llvm::Error checkRequest(const SampleRequest &request) const override {
    return checkSampleRequest(request);
  }

  llvm::Error checkSamples(func::FuncOp function,
                           const SampleRequest &request) const override {
    return qbackend::checkSamples(function, request);
  }

  llvm::Expected<std::unique_ptr<NetworkRun>>
  prepare(ModuleOp module, func::FuncOp function, const SampleRequest &request,
          ObserveCallback observed) const override {
    return ObservedRun::compile(module, function, request, std::move(observed));
  }
};
} // namespace

void qbackend::registerExecution(DialectRegistry &registry) {
  runtime::registerRuntimeDialects(registry);
  registry.addExtension(+[](MLIRContext *context, QBackendDialect *dialect) {
    dialect->addInterfaces<JITRunner>();
    // A pass that runs a network compiles it, and can't load what that takes
    // beside others.
    DialectRegistry compiled;
    runtime::registerRuntimeDialects(compiled);
    for (StringRef name : compiled.getDialectNames())
      context->getOrLoadDialect(name);
  });
}

void qbackend::registerExecutionPasses() {
  registerInt8Passes();
  registerExecutionPipelinesPasses();
  PassPipelineRegistration<ExecutionPipelineOptions>(
      "qbackend-execution-pipeline",
      "from a module of any stage to code that can be run",
      addExecutionPipeline);
  codegen::registerCodeGenPasses();
  codegen::registerLowerToLLVMPipeline();
}

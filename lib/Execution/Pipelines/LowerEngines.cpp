// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of all engines, and ops of host compilers, become code that runs.

#include "qbackend/Conversion/Passes.h"
#include "qbackend/Execution/Int8/Int8.h"
#include "qbackend/Execution/Int8/Passes.h"
#include "qbackend/Execution/Pipelines/Passes.h"
#include "qbackend/Pipelines/Passes.h"
#include "qbackend/Transforms/Engine.h"
#include "qbackend/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

namespace qbackend {
#define GEN_PASS_DEF_LOWERENGINESPASS
#include "qbackend/Execution/Pipelines/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

namespace {
struct LowerEnginesPass
    : qbackend::impl::LowerEnginesPassBase<LowerEnginesPass> {
  using LowerEnginesPassBase::LowerEnginesPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerCoreDialects(registry);
    registry.insert<int8::Int8Dialect>();
  }

  void runOnOperation() override {
    OpPassManager passes("builtin.module");
    passes.addPass(createStripConfigurationPass());
    for (const EngineDialectInterface *engine : getEngines(&getContext()))
      if (llvm::is_contained(engine->getForms(), kLinalgForm))
        engine->addLoweringPasses(kLinalgForm, passes);
    addHostPasses(passes);
    passes.addPass(createConvertQBackendToQNNPackPass());
    passes.addNestedPass<func::FuncOp>(createConvertQNNPackToInt8Pass());
    // What is left on quantized tensors: the edges of the network, signatures,
    // and what moves integers.
    passes.addPass(createConvertQBackendToQNNPackPass());
    ConvertQNNPackToLinalgPassOptions linalg;
    linalg.unsignedBytes = true;
    passes.addPass(createConvertQNNPackToLinalgPass(linalg));
    if (failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }

private:
  void addHostPasses(OpPassManager &passes) {
    SmallVector<const RunnableDialectInterface *> hosts;
    for (Dialect *dialect : getContext().getLoadedDialects())
      if (auto *host =
              dialect->getRegisteredInterface<RunnableDialectInterface>())
        hosts.push_back(host);
    llvm::sort(hosts, [](auto *a, auto *b) {
      return a->getDialect()->getNamespace() < b->getDialect()->getNamespace();
    });
    for (const RunnableDialectInterface *host : hosts)
      host->addLoweringPasses(passes);
  }
};
} // namespace

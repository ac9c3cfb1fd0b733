// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers kernels to what a compiler takes, by the passes of their engine.

#include "qbackend/Backends/BackendResolver.h"
#include "qbackend/Conversion/Passes.h"
#include "qbackend/Pipelines/Passes.h"
#include "qbackend/Transforms/Engine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

namespace qbackend {
#define GEN_PASS_DEF_LOWERKERNELSPASS
#include "qbackend/Pipelines/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

namespace {
struct LowerKernelsPass
    : qbackend::impl::LowerKernelsPassBase<LowerKernelsPass> {
  using LowerKernelsPassBase::LowerKernelsPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerCoreDialects(registry);
  }

  void runOnOperation() override {
    OpPassManager passes("builtin.module");
    if (failed(addPasses(passes)) ||
        failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }

  LogicalResult addPasses(OpPassManager &passes) {
    const Backend *found = getAnalysis<BackendResolver>().resolve(backend);
    FailureOr<Lowering> lowering =
        findLowering(found, lowerTo, getOperation().getLoc());
    if (failed(lowering))
      return failure();
    auto [engine, form] = *lowering;
    if (form == kReferenceForm)
      return success();
    passes.addNestedPass<func::FuncOp>(createInlineOperatorsPass());
    if (form == engine->getForms().front())
      return success();
    engine->addLoweringPasses(form, passes);
    // What is left on quantized tensors becomes linalg: the edges of the
    // network, signatures, and what moves integers.
    passes.addPass(createConvertQBackendToQNNPackPass());
    ConvertQNNPackToLinalgPassOptions linalg;
    linalg.unsignedBytes = form != kLinalgForm;
    passes.addPass(createConvertQNNPackToLinalgPass(linalg));
    passes.addPass(createStripConfigurationPass());
    return success();
  }
};
} // namespace

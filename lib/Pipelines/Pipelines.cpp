// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the passes: the only place that knows it.

#include "qbackend/Pipelines/Pipelines.h"

#include "qbackend/Conversion/Passes.h"
#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Pipelines/Passes.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace qbackend;

void qbackend::addRaisePipeline(OpPassManager &manager,
                                const RaisePipelineOptions &options) {
  manager.addPass(createNormalizeCodePass());
  manager.addPass(createImportQuantizationPass());
  RaisePassOptions raise;
  raise.backend = options.backend;
  manager.addPass(createRaisePass(raise));
  manager.addPass(createNormalizeLayoutPass());
}

void qbackend::addPreparePipeline(OpPassManager &manager,
                                  const PreparePipelineOptions &options) {
  RaisePipelineOptions raise;
  raise.backend = options.backend;
  addRaisePipeline(manager, raise);
  FusePassOptions fuse;
  fuse.backend = options.backend;
  fuse.qconfig = options.qconfig;
  manager.addPass(createFusePass(fuse));
  ObservePassOptions observe;
  observe.backend = options.backend;
  observe.qconfig = options.qconfig;
  observe.sharing = options.sharing;
  observe.entry = options.entry;
  observe.keepFloat = llvm::to_vector(options.keepFloat);
  observe.quantizedInputs = llvm::to_vector(options.quantizedInputs);
  observe.quantizedOutputs = llvm::to_vector(options.quantizedOutputs);
  manager.addPass(createObservePass(observe));
  if (options.sharing != Sharing::Groups)
    return;
  manager.addNestedPass<func::FuncOp>(createVerifySharingPass());
}

void qbackend::addKernelPipeline(OpPassManager &manager,
                                 const KernelPipelineOptions &options) {
  ConvertPassOptions convert;
  convert.backend = options.backend;
  convert.foldWeights = !options.fakeQuantize;
  if (!options.fakeQuantize)
    convert.lowerTo = options.lowerTo;
  manager.addPass(createConvertPass(convert));
  if (options.fakeQuantize) {
    manager.addNestedPass<func::FuncOp>(createConvertQBackendToLinalgPass());
    return;
  }
  CreateKernelsPassOptions kernels;
  kernels.backend = options.backend;
  kernels.lowerTo = options.lowerTo;
  manager.addPass(createCreateKernelsPass(kernels));
}

void qbackend::addLoweringPipeline(OpPassManager &manager,
                                   const KernelPipelineOptions &options) {
  if (options.fakeQuantize) {
    manager.addNestedPass<func::FuncOp>(createInlineOperatorsPass());
    manager.addPass(createStripConfigurationPass());
    return;
  }
  LowerKernelsPassOptions lower;
  lower.backend = options.backend;
  lower.lowerTo = options.lowerTo;
  manager.addPass(createLowerKernelsPass(lower));
}

bool qbackend::isObserved(ModuleOp module) {
  if (!module.getOps<ObserverOp>().empty())
    return true;
  return module
      ->walk([](OperatorOp op) {
        return op.getQconfig() ? WalkResult::interrupt()
                               : WalkResult::advance();
      })
      .wasInterrupted();
}

OwningOpRef<ModuleOp> qbackend::copyInside(ModuleOp module) {
  ModuleOp copy = module.clone();
  for (NamedAttribute attr : llvm::to_vector(copy->getDiscardableAttrs()))
    if (isa_and_present<DLTIDialect>(attr.getNameDialect()))
      copy->removeDiscardableAttr(attr.getName());
  module.push_back(copy);
  return copy;
}

void qbackend::registerPipelines() {
  PassPipelineRegistration<RaisePipelineOptions>(
      "qbackend-raise-pipeline",
      "from float code to operators in their normal form", addRaisePipeline);
  PassPipelineRegistration<PreparePipelineOptions>(
      "qbackend-prepare-pipeline", "from float code to observed operators",
      addPreparePipeline);
  PassPipelineRegistration<KernelPipelineOptions>(
      "qbackend-kernel-pipeline",
      "from calibrated operators to the reference form, and to kernels",
      addKernelPipeline);
  PassPipelineRegistration<KernelPipelineOptions>(
      "qbackend-lowering-pipeline",
      "from kernels to the form that a compiler takes", addLoweringPipeline);
}

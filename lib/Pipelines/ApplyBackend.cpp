// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All passes in order, for one backend.

#include "Summary.h"

#include "qbackend/Backends/Backends.h"
#include "qbackend/Conversion/Passes.h"
#include "qbackend/Pipelines/Passes.h"
#include "qbackend/Runtime/Executable.h"
#include "qbackend/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace qbackend {
#define GEN_PASS_DEF_APPLYBACKENDPASS
#include "qbackend/Pipelines/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

namespace {
struct ApplyBackendPass
    : qbackend::impl::ApplyBackendPassBase<ApplyBackendPass> {
  using ApplyBackendPassBase::ApplyBackendPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerAllDialects(registry);
  }

  void runOnOperation() override {
    FailureOr<Backend> found = resolveBackend(backend, getOperation());
    if (failed(found))
      return signalPassFailure();
    SmallVector<StringRef> forms = {"reference"};
    if (ArrayAttr lowering = found->config.getLoweringAttr())
      forms = llvm::to_vector(lowering.getAsValueRange<StringAttr>());
    StringRef target = lowerTo.empty() ? forms.front() : StringRef(lowerTo);
    bool isFake = mode == "fake-quant";
    if (!isFake && mode != "convert") {
      emitError(getOperation().getLoc())
          << "mode is '" << mode << "', expected convert or fake-quant";
      return signalPassFailure();
    }
    if (isFake && !lowerTo.empty() && target != "linalg") {
      emitError(getOperation().getLoc())
          << "lower-to is '" << target
          << "', but mode=fake-quant gives real-valued code; leave it out";
      return signalPassFailure();
    }
    if (isFake)
      target = "linalg";
    else if (!llvm::is_contained(forms, target)) {
      emitError(getOperation().getLoc())
          << "lower-to is '" << target << "', but backend '"
          << found->config.getSymName() << "' lowers to "
          << llvm::join(forms, ", ");
      return signalPassFailure();
    }
    if (!(requireQuantized >= 0 && requireQuantized <= 100)) {
      emitError(getOperation().getLoc())
          << "require-quantized is "
          << llvm::formatv("{0}", double(requireQuantized)).str()
          << ", expected a percentage from 0 to 100";
      return signalPassFailure();
    }

    OpPassManager prepare("builtin.module");
    prepare.addPass(createImportQuantizationPass());
    prepare.addPass(createRaisePass({backend}));
    prepare.addPass(createNormalizeLayoutPass());
    prepare.addPass(createFusePass({backend}));
    prepare.addPass(createObservePass({backend, qconfig, sharing,
                                       llvm::to_vector(quantizedInputs),
                                       llvm::to_vector(quantizedOutputs)}));
    if (sharing == Sharing::Groups)
      prepare.addPass(createVerifySharingPass());
    prepare.addPass(createCalibratePass({calibration, data, samples, batchSize,
                                         inputScale, threads, nonFinite}));
    if (failed(runPipeline(prepare, getOperation())))
      return signalPassFailure();
    Summary summary;
    summary.countOperators(getOperation());

    OpPassManager kernels("builtin.module");
    kernels.addPass(createConvertPass({backend, /*foldWeights=*/!isFake}));
    if (isFake)
      kernels.addPass(createConvertQBackendToLinalgPass());
    else if (target != "reference")
      kernels.addPass(createConvertQBackendToQNNPackPass());
    if (failed(runPipeline(kernels, getOperation())))
      return signalPassFailure();
    // The reference form keeps its operators: they are its contract.
    if (target != "reference" && !isFake)
      summary.countWithoutKernel(getOperation());
    summary.emitRemark(getOperation());
    if (failed(summary.require(requireQuantized, target, getOperation())))
      return signalPassFailure();
    if (target == "reference")
      return;

    OpPassManager lower("builtin.module");
    lower.addPass(createInlineOperatorsPass());
    if (target == "tosa")
      lower.addPass(createConvertQNNPackToTosaPass());
    // With tosa, the edges of the network.
    if (!isFake && (target == "linalg" || target == "tosa"))
      lower.addPass(createConvertQNNPackToLinalgPass());
    if (failed(runPipeline(lower, getOperation())))
      return signalPassFailure();
    if (target == "linalg" || target == "tosa")
      removeConfiguration(getOperation());
  }

  /// What is left of this dialect has been used up, and would stop a compiler
  /// that doesn't know it.
  static void removeConfiguration(ModuleOp module) {
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (isa<BackendConfigOp, QConfigMappingOp>(op))
        op.erase();
    for (auto function : module.getOps<func::FuncOp>())
      for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
        for (StringRef name : {kRangeAttrName, kRoleAttrName})
          function.removeArgAttr(i, name);
  }
};
} // namespace

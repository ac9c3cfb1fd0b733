// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All passes in order, for one backend.

#include "qbackend/Backends/Backends.h"
#include "qbackend/Conversion/Passes.h"
#include "qbackend/Pipelines/Passes.h"
#include "qbackend/Runtime/Executable.h"
#include "qbackend/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"

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
    if (!llvm::is_contained(forms, target)) {
      emitError(getOperation().getLoc())
          << "lower-to is '" << target << "', but backend '"
          << found->config.getSymName() << "' lowers to "
          << llvm::join(forms, ", ");
      return signalPassFailure();
    }

    OpPassManager prepare("builtin.module");
    prepare.addPass(createRaisePass({backend}));
    prepare.addPass(createNormalizeLayoutPass());
    prepare.addPass(createFusePass({backend}));
    prepare.addPass(createObservePass({backend, qconfig, sharing,
                                       llvm::to_vector(quantizedInputs),
                                       llvm::to_vector(quantizedOutputs)}));
    if (sharing == Sharing::Groups)
      prepare.addPass(createVerifySharingPass({backend}));
    prepare.addPass(createCalibratePass({calibration, data, samples, batchSize,
                                         inputScale, threads, nonFinite}));
    if (failed(runPipeline(prepare, getOperation())))
      return signalPassFailure();
    unsigned all = 0, quantized = 0;
    getOperation().walk<WalkOrder::PreOrder>([&](OperatorOp op) {
      ++all;
      quantized += op.getQconfig().has_value();
      return WalkResult::skip();
    });
    remark::analysis(getOperation().getLoc(),
                     remark::RemarkOpts::name("QB000").category("qbackend"))
        << remark::metric("operators", all)
        << remark::metric("quantized", quantized);

    OpPassManager lower("builtin.module");
    lower.addPass(createConvertPass({backend}));
    if (target != "reference")
      lower.addPass(createConvertQBackendToQNNPackPass());
    // The reference form keeps its operators: they are its contract.
    if (target != "reference")
      lower.addPass(createInlineOperatorsPass());
    if (target == "tosa")
      lower.addPass(createConvertQNNPackToTosaPass());
    // With tosa, the edges of the network.
    if (target == "linalg" || target == "tosa")
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

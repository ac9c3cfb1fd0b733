// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TOSA to linalg on tensors. Its dozen passes take a while on a large module,
// and most have no op of it.

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Pass/PassManager.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_LOWERTOSAPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;

namespace {
struct LowerTosaPass
    : qbackend::codegen::impl::LowerTosaPassBase<LowerTosaPass> {
  LowerTosaPass() : passes(ModuleOp::getOperationName()) {
    // Control flow first: what is inside of it is lowered like the rest.
    passes.nest<func::FuncOp>().addPass(createTosaToSCFPass());
    tosa::addTosaToLinalgPasses(passes, TosaToLinalgOptions(),
                                TosaToLinalgNamedOptions(),
                                /*validationOptions=*/std::nullopt);
    TosaToArithPassOptions options;
    options.includeApplyRescale = true;
    OpPassManager &nested = passes.nest<func::FuncOp>();
    nested.addPass(createTosaToTensorPass());
    nested.addPass(createTosaToArithPass(options));
  }

  void getDependentDialects(DialectRegistry &registry) const final {
    passes.getDependentDialects(registry);
  }

  void runOnOperation() final {
    bool isFound =
        getOperation()
            ->walk([](Operation *op) {
              return isa_and_nonnull<tosa::TosaDialect>(op->getDialect())
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            })
            .wasInterrupted();
    if (isFound && failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }

  OpPassManager passes;
};
} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaves functions alone that a pipeline has nothing to do for.

#include "LowerToLLVM.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_FORFUNCTIONSWITHPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;
using namespace qbackend;

namespace {
struct ForFunctionsWithPass
    : codegen::impl::ForFunctionsWithPassBase<ForFunctionsWithPass> {
  using ForFunctionsWithPassBase::ForFunctionsWithPassBase;
  ForFunctionsWithPass(ArrayRef<StringRef> names,
                       function_ref<void(OpPassManager &)> addPasses) {
    for (StringRef name : names)
      ops.push_back(name.str());
    addPasses(passes);
    // By which the pass can be printed, and made again.
    llvm::raw_string_ostream os(pipeline.getValue());
    llvm::interleave(
        passes, os, [&](Pass &pass) { pass.printAsTextualPipeline(os); }, ",");
  }

  LogicalResult initializeOptions(
      StringRef options,
      function_ref<LogicalResult(const Twine &)> errorHandler) final {
    if (failed(Pass::initializeOptions(options, errorHandler)))
      return failure();
    std::string message;
    llvm::raw_string_ostream os(message);
    if (failed(parsePassPipeline(pipeline, passes, os)))
      return errorHandler(message);
    return success();
  }

  void getDependentDialects(DialectRegistry &registry) const final {
    passes.getDependentDialects(registry);
  }

  void runOnOperation() final {
    auto isMeant = [&](Operation *op) {
      return llvm::any_of(ops,
                          [&](StringRef name) {
                            return name == op->getName().getStringRef() ||
                                   name == op->getName().getDialectNamespace();
                          })
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    };
    if (getOperation().getBody().walk(isMeant).wasInterrupted() &&
        failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }

  OpPassManager passes{func::FuncOp::getOperationName()};
};
} // namespace

std::unique_ptr<Pass> codegen::createForFunctionsWithPass(
    ArrayRef<StringRef> names, function_ref<void(OpPassManager &)> addPasses) {
  return std::make_unique<ForFunctionsWithPass>(names, addPasses);
}

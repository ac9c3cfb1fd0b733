// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assertions to calls of who runs the code. The upstream lowering aborts the
// process.

#include "LowerToLLVM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_LOWERASSERTSPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;

namespace {
struct LowerAssertsPass
    : qbackend::codegen::impl::LowerAssertsPassBase<LowerAssertsPass> {
  using LowerAssertsPassBase::LowerAssertsPassBase;
  explicit LowerAssertsPass(std::vector<std::string> *messages)
      : messages(messages) {}

  void runOnOperation() final {
    SmallVector<cf::AssertOp> asserts;
    getOperation().walk([&](cf::AssertOp op) { asserts.push_back(op); });
    if (asserts.empty())
      return;
    constexpr StringLiteral callee("qbackend_runtime_assert_failed");
    int64_t count = messages ? messages->size() : 0;
    OpBuilder builder(getOperation().getBodyRegion());
    Type id = builder.getI64Type();
    if (!getOperation().lookupSymbol(callee))
      func::FuncOp::create(builder, getOperation().getLoc(), callee,
                           builder.getFunctionType({id}, {}))
          .setPrivate();
    for (cf::AssertOp op : asserts) {
      Location loc = op.getLoc();
      Block *block = op->getBlock();
      Block *passed = block->splitBlock(std::next(op->getIterator()));
      Block *failed = builder.createBlock(passed);
      Value index = arith::ConstantOp::create(
          builder, loc, builder.getIntegerAttr(id, count++));
      if (messages)
        messages->push_back(op.getMsg().str());
      func::CallOp::create(builder, loc, callee, TypeRange(), index);
      // Never reached; there is no unreachable before the llvm dialect.
      cf::BranchOp::create(builder, loc, passed);
      builder.setInsertionPoint(op);
      cf::CondBranchOp::create(builder, loc, op.getArg(), passed, failed);
      op.erase();
    }
  }

  std::vector<std::string> *messages = nullptr;
};
} // namespace

std::unique_ptr<Pass>
qbackend::codegen::createLowerAssertsPass(std::vector<std::string> *messages) {
  return std::make_unique<LowerAssertsPass>(messages);
}

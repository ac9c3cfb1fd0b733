// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes numbers of what LLVM calls poison, before anything depends on it.

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_FREEZENUMBERSPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;

/// Whether the bits of `op` are shifted by more than there are, as far as is
/// known.
static bool isShiftedOut(Operation *op) {
  APInt amount;
  unsigned width = op->getResult(0).getType().getIntOrFloatBitWidth();
  return !matchPattern(op->getOperand(1), m_ConstantInt(&amount)) ||
         amount.uge(width);
}

namespace {
struct FreezeNumbersPass
    : qbackend::codegen::impl::FreezeNumbersPassBase<FreezeNumbersPass> {
  void runOnOperation() final {
    SmallVector<Operation *> undefined, sources;
    getOperation()->walk([&](Operation *op) {
      if (op->getNumResults() != 1 ||
          !op->getResult(0).getType().isIntOrFloat())
        return;
      if (isa<LLVM::PoisonOp, LLVM::UndefOp>(op))
        undefined.push_back(op);
      else if (isa<LLVM::FPToSIOp, LLVM::FPToUIOp>(op) ||
               (isa<LLVM::ShlOp, LLVM::LShrOp, LLVM::AShrOp>(op) &&
                isShiftedOut(op)))
        sources.push_back(op);
    });
    for (Operation *op : undefined) {
      OpBuilder builder(op);
      op->getResult(0).replaceAllUsesWith(LLVM::ZeroOp::create(
          builder, op->getLoc(), op->getResult(0).getType()));
      op->erase();
    }
    for (Operation *op : sources) {
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(op);
      auto frozen =
          LLVM::FreezeOp::create(builder, op->getLoc(), op->getResult(0));
      op->getResult(0).replaceAllUsesExcept(frozen, frozen);
    }
  }
};
} // namespace

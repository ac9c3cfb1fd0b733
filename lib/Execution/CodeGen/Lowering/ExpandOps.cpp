// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes ops apart that no later pass takes.

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_EXPANDOPSPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;

namespace {
struct ExpandOpsPass
    : qbackend::codegen::impl::ExpandOpsPassBase<ExpandOpsPass> {
  void runOnOperation() final {
    SymbolTable symbols(getOperation());
    SmallVector<linalg::AggregatedOpInterface> aggregates;
    SmallVector<ml_program::GlobalLoadConstOp> loads;
    SmallVector<Operation *> packs;
    getOperation().walk([&](Operation *op) {
      if (auto aggregate = dyn_cast<linalg::AggregatedOpInterface>(op))
        aggregates.push_back(aggregate);
      if (auto load = dyn_cast<ml_program::GlobalLoadConstOp>(op))
        loads.push_back(load);
      if (isa<linalg::PackOp, linalg::UnPackOp>(op))
        packs.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::AggregatedOpInterface op : aggregates) {
      rewriter.setInsertionPoint(op);
      FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
      if (succeeded(results))
        rewriter.replaceOp(op, *results);
    }
    // What can't be taken apart stays, and is an error later.
    for (Operation *op : packs) {
      rewriter.setInsertionPoint(op);
      if (auto pack = dyn_cast<linalg::PackOp>(op))
        (void)linalg::lowerPack(rewriter, pack);
      else
        (void)linalg::lowerUnPack(rewriter, cast<linalg::UnPackOp>(op));
    }
    for (ml_program::GlobalLoadConstOp op : loads) {
      // The verifier wants a global with a value; it may be external.
      auto global = symbols.lookup<ml_program::GlobalOp>(
          op.getGlobal().getLeafReference());
      auto value = global ? dyn_cast_or_null<TypedAttr>(
                                global.getValue().value_or(Attribute()))
                          : TypedAttr();
      if (!value || !arith::ConstantOp::isBuildableWith(value, op.getType())) {
        op.emitOpError() << "reads a global without a value; give it one, or "
                            "pass it as an argument";
        return signalPassFailure();
      }
      rewriter.setInsertionPoint(op);
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
    }
    eraseGlobals();
  }

  /// Bufferization makes a buffer of each global, and can't of a number.
  void eraseGlobals() {
    SymbolTableCollection tables;
    SymbolUserMap users(tables, getOperation());
    for (auto global : llvm::make_early_inc_range(
             getOperation().getOps<ml_program::GlobalOp>())) {
      if (users.useEmpty(global)) {
        global.erase();
      } else if (!isa<TensorType>(global.getType())) {
        global.emitOpError() << "is a number that is read as a variable; make "
                                "it a tensor of rank 0";
        return signalPassFailure();
      }
    }
  }
};
} // namespace

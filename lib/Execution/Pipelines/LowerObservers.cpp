// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observers become calls of what records their tensors, or nothing.

#include "HookIndex.h"

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Execution/Pipelines/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

namespace qbackend {
#define GEN_PASS_DEF_LOWEROBSERVERSPASS
#include "qbackend/Execution/Pipelines/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

namespace {
struct LowerObserversPass
    : qbackend::impl::LowerObserversPassBase<LowerObserversPass> {
  using LowerObserversPassBase::LowerObserversPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<ObserveOp> ops;
    module.walk<WalkOrder::PreOrder>([&](ObserveOp op) { ops.push_back(op); });
    OpBuilder builder(&getContext());
    func::FuncOp function;
    if (!hook.empty() && !ops.empty()) {
      auto unranked = UnrankedTensorType::get(builder.getF32Type());
      builder.setInsertionPointToStart(module.getBody());
      function = func::FuncOp::create(
          builder, module.getLoc(), hook,
          builder.getFunctionType({builder.getIndexType(), unranked}, {}));
      function.setPrivate();
      function.setArgAttr(1, "bufferization.access",
                          builder.getStringAttr("read"));
    }
    for (auto [i, op] : llvm::enumerate(ops)) {
      if (function) {
        builder.setInsertionPoint(op);
        auto axis = op->getAttrOfType<IntegerAttr>(kChannelAxisAttrName);
        int64_t last =
            std::max<int64_t>(0, op.getInput().getType().getRank() - 1);
        Value index = arith::ConstantIndexOp::create(
            builder, op.getLoc(),
            makeHookIndex(i, axis ? axis.getInt() : last));
        Value cast = tensor::CastOp::create(builder, op.getLoc(),
                                            function.getArgumentTypes()[1],
                                            op.getInput());
        func::CallOp::create(builder, op.getLoc(), function,
                             ValueRange{index, cast});
      }
      op.replaceAllUsesWith(op.getInput());
      op.erase();
    }
    for (auto observer :
         llvm::make_early_inc_range(module.getOps<ObserverOp>()))
      observer.erase();
  }
};
} // namespace

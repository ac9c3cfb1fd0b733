// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says whose the buffers are that tensors become.

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_PREPAREBUFFERIZATIONPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;

namespace {
struct PrepareBufferizationPass
    : qbackend::codegen::impl::PrepareBufferizationPassBase<
          PrepareBufferizationPass> {
  void runOnOperation() final {
    auto no = BoolAttr::get(&getContext(), false);
    getOperation()->walk([&](func::FuncOp function) {
      if (!function.isPublic() || function.isExternal())
        return;
      for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
        if (isa<TensorType>(type))
          function.setArgAttr(
              i, bufferization::BufferizationDialect::kWritableAttrName, no);
    });
    // A result that is returned twice is two buffers of the caller.
    getOperation()->walk([](func::ReturnOp op) {
      llvm::SmallDenseSet<Value> returned;
      OpBuilder builder(op);
      for (OpOperand &operand : op->getOpOperands())
        if (isa<RankedTensorType>(operand.get().getType()) &&
            !returned.insert(operand.get()).second)
          operand.set(bufferization::AllocTensorOp::create(
              builder, op.getLoc(),
              cast<RankedTensorType>(operand.get().getType()), ValueRange(),
              operand.get()));
    });
    getOperation()->walk([](tensor::EmptyOp empty) {
      OpBuilder builder(empty);
      for (OpOperand &use : llvm::make_early_inc_range(empty->getUses()))
        if (!empty->hasOneUse())
          use.set(builder.clone(*empty)->getResult(0));
    });
  }
};
} // namespace

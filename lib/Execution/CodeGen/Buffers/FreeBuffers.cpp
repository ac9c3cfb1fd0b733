// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frees buffers that nothing else may be without asking.

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_FREEBUFFERSPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;

/// Whether `op` frees the buffer, which is known by no other name there.
static bool isFreedBy(memref::AllocOp alloc, bufferization::DeallocOp op) {
  SmallVector<Value> aliases = {alloc.getMemref()};
  unsigned freed = 0;
  while (!aliases.empty()) {
    Value alias = aliases.pop_back_val();
    for (OpOperand &use : alias.getUses()) {
      Operation *user = use.getOwner();
      if (isa<bufferization::DeallocOp, memref::DeallocOp>(user)) {
        // As a buffer to be freed, not as one to be kept.
        if (user != op || use.getOperandNumber() >= op.getMemrefs().size() ||
            alias != alloc.getMemref())
          return false;
        ++freed;
        continue;
      }
      if (user->hasTrait<OpTrait::IsTerminator>())
        return false;
      for (Value result : user->getResults())
        if (isa<BaseMemRefType>(result.getType())) {
          if (!isa<ViewLikeOpInterface>(user))
            return false;
          aliases.push_back(result);
        }
    }
  }
  return freed == 1;
}

namespace {
struct FreeBuffersPass
    : qbackend::codegen::impl::FreeBuffersPassBase<FreeBuffersPass> {
  void runOnOperation() final {
    SmallVector<bufferization::DeallocOp> ops;
    getOperation()->walk(
        [&](bufferization::DeallocOp op) { ops.push_back(op); });
    for (bufferization::DeallocOp op : ops) {
      SmallVector<Value> memrefs, conditions;
      OpBuilder builder(op);
      for (auto [memref, condition] :
           llvm::zip(op.getMemrefs(), op.getConditions())) {
        auto alloc = memref.getDefiningOp<memref::AllocOp>();
        if (alloc && alloc->getBlock() == op->getBlock() &&
            matchPattern(condition, m_One()) && isFreedBy(alloc, op)) {
          memref::DeallocOp::create(builder, op.getLoc(), alloc);
          continue;
        }
        memrefs.push_back(memref);
        conditions.push_back(condition);
      }
      op.getMemrefsMutable().assign(memrefs);
      op.getConditionsMutable().assign(conditions);
    }
  }
};
} // namespace

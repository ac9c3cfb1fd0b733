// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Casts between indices of 32 and of 64 bits to integer ops: what is lowered
// from the vector dialect knows no other width than 64.

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_NARROWINDICESPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;

/// The value that `op` casts, through any number of indices and buffers, whose
/// descriptors have the same fields; null: no cast.
static Value getSource(UnrealizedConversionCastOp op) {
  while (op && op->getNumOperands() == 1 && op->getNumResults() == 1) {
    Value source = op->getOperand(0);
    if (!isa<IndexType, BaseMemRefType>(source.getType()))
      return source;
    op = source.getDefiningOp<UnrealizedConversionCastOp>();
  }
  return nullptr;
}

/// `value` as an integer of `type`. Indices are signed.
static Value resize(OpBuilder &builder, Location loc, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth(),
           to = type.getIntOrFloatBitWidth();
  if (from == to)
    return value;
  if (from < to)
    return LLVM::SExtOp::create(builder, loc, type, value);
  return LLVM::TruncOp::create(builder, loc, type, value);
}

namespace {
struct NarrowIndicesPass
    : qbackend::codegen::impl::NarrowIndicesPassBase<NarrowIndicesPass> {
  void runOnOperation() final {
    SmallVector<UnrealizedConversionCastOp> casts;
    getOperation().walk(
        [&](UnrealizedConversionCastOp op) { casts.push_back(op); });
    OpBuilder builder(&getContext());
    for (UnrealizedConversionCastOp op : casts) {
      Value source = getSource(op);
      if (!source)
        continue;
      Type type = op->getResult(0).getType();
      if (isa<IntegerType>(type) && isa<IntegerType>(source.getType())) {
        builder.setInsertionPoint(op);
        op->getResult(0).replaceAllUsesWith(
            resize(builder, op.getLoc(), source, type));
      }
      if (!isa<LLVM::LLVMStructType>(type) ||
          !isa<LLVM::LLVMStructType>(source.getType()))
        continue;
      // A field of the descriptor of a buffer.
      for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
        auto extract = dyn_cast<LLVM::ExtractValueOp>(user);
        if (!extract)
          continue;
        builder.setInsertionPoint(extract);
        Value field = LLVM::ExtractValueOp::create(
            builder, extract.getLoc(), source, extract.getPosition());
        if (isa<IntegerType>(field.getType()))
          field = resize(builder, extract.getLoc(), field, extract.getType());
        extract.replaceAllUsesWith(field);
        extract.erase();
      }
    }
    // Users stand behind what they use.
    for (UnrealizedConversionCastOp op : llvm::reverse(casts))
      if (op->use_empty())
        op.erase();
  }
};
} // namespace
